"""Score the segmenter on the labelled sample, beside ICU's, and count what it does to the real corpora.

    python -m tests.segmentation_score              precision and recall on the labelled sample
    python -m tests.segmentation_score --corpora    also the counts on every corpus under ../shared

A sentence end counts as right if its byte offset is one of the labelled ones. The end of the paragraph is
given away for nothing and therefore left out. ICU's segments are taken without their trailing white space.
"""

import argparse
import gzip
import importlib
import json
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tekrar.corpus.segmenter import IDENTITY, segment
from tests.conftest import ROOT, shared_place

SAMPLE = ROOT / "tests" / "data" / "segmentation" / "sample.jsonl"

# (name, language, files under ../shared/corpora)
CORPORA = (
    ("risale-docx", "tr", "risale-docx/*.jsonl.gz"),
    ("risale-epub", "tr", "risale-epub/*.jsonl.gz"),
    ("quran-ar-uthmani", "ar", "quran/quran-ar-uthmani.jsonl.gz"),
    ("quran-tr-diyanet", "tr", "quran/quran-tr-diyanet.jsonl.gz"),
    ("kjv", "en", "bible/kjv.jsonl.gz"),
)
PLANTED = (("planted-tr-101", "tr"), ("planted-tr-102", "tr"), ("planted-en-103", "en"))
LONG_WORDS = 120
SHORT_CHARACTERS = 2
SHOWN_CHARACTERS = 90

Span = tuple[int, int]


@dataclass
class Tally:
    """Counts of ends that are right, given too many, and missed."""

    right: int = 0
    extra: int = 0
    missed: int = 0

    def add(self, got: set[int], wanted: set[int]) -> None:
        """Count one paragraph: both sets hold byte offsets of ends that are not the paragraph's."""
        self.right += len(got & wanted)
        self.extra += len(got - wanted)
        self.missed += len(wanted - got)

    @property
    def precision(self) -> float:
        """Share of the given ends that are right; 1 if none was given."""
        return self.right / (self.right + self.extra) if self.right + self.extra else 1.0

    @property
    def recall(self) -> float:
        """Share of the labelled ends that were given; 1 if there are none."""
        return self.right / (self.right + self.missed) if self.right + self.missed else 1.0


@dataclass
class Scores:
    """Tallies of one segmenter by row label: ``all``, each language, each language and kind."""

    rows: dict[str, Tally] = field(default_factory=dict)

    def add(self, language: str, kind: str, got: set[int], wanted: set[int]) -> None:
        """Count one paragraph under its three labels."""
        for label in ("all", language, f"{language} {kind}"):
            self.rows.setdefault(label, Tally()).add(got, wanted)


def sample_records(path: Path = SAMPLE) -> list[dict[str, Any]]:
    """Read the labelled sample: sentences and the gaps between them, in order."""
    return [json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip()]


def labelled(record: dict[str, Any]) -> tuple[bytes, set[int]]:
    """Return a record's paragraph and the byte offsets of its sentence ends but the last."""
    sentences, gaps = record["sentences"], record["gaps"]
    if len(gaps) != max(0, len(sentences) - 1):
        raise ValueError(f"{record['id']}: {len(sentences)} sentences need {len(sentences) - 1} gaps")
    paragraph, ends = b"", set()
    for sentence, gap in zip(sentences, [*gaps, ""], strict=True):
        paragraph += sentence.encode("utf-8")
        ends.add(len(paragraph))
        paragraph += gap.encode("utf-8")
    return paragraph, ends - {len(paragraph)}


def inner_ends(spans: list[Span], length: int) -> set[int]:
    """Return the ends of the sentences but the paragraph's own end."""
    return {end for _, end in spans} - {length}


def icu_spans(paragraph: bytes, language: str) -> list[Span] | None:
    """Return ICU's sentences as byte spans without trailing white space, or None without ICU."""
    try:
        breakers = importlib.import_module("icu4py.breakers")
    except ImportError:
        return None
    # ICU counts in UTF-16 code units, so the offsets are taken on that encoding.
    wide = paragraph.decode("utf-8").encode("utf-16-le")
    spans, at = [], 0
    for start, end in breakers.SentenceBreaker(paragraph.decode("utf-8"), language).segments():
        piece = wide[2 * start : 2 * end].decode("utf-16-le")
        spans.append((at, at + len(piece.rstrip().encode("utf-8"))))
        at += len(piece.encode("utf-8"))
    return spans


def score(records: list[dict[str, Any]]) -> tuple[Scores, Scores | None]:
    """Score the own segmenter and ICU's on the labelled records."""
    own, icu, have_icu = Scores(), Scores(), True
    for record in records:
        paragraph, wanted = labelled(record)
        language, kind = record["language"], record["kind"]
        markers = [(start, end) for start, end in record.get("markers", [])]
        spans = segment(paragraph, language=language, markers=markers)
        own.add(language, kind, inner_ends(spans, len(paragraph)), wanted)
        other = icu_spans(paragraph, language)
        have_icu = have_icu and other is not None
        icu.add(language, kind, inner_ends(other or [], len(paragraph)), wanted)
    return own, icu if have_icu else None


def print_scores(own: Scores, icu: Scores | None) -> None:
    """Print one row a label: the number of labelled ends, and precision and recall of each segmenter."""
    beside = "P      R   of ICU" if icu else "(ICU is not installed)"
    print(f"{'language and kind':40} {'ends':>5}   P      R   of {IDENTITY}   {beside}")
    for label in sorted(own.rows, key=lambda name: (name != "all", name)):
        mine = own.rows[label]
        line = f"{label:40} {mine.right + mine.missed:5}  {mine.precision:.3f}  {mine.recall:.3f}"
        if icu:
            theirs = icu.rows[label]
            line += f"{'':19}{theirs.precision:.3f}  {theirs.recall:.3f}"
        print(line)


def corpus_records(pattern: str) -> Iterator[dict[str, Any]]:
    """Yield the paragraph records of the corpora files that match a pattern."""
    for path in sorted((shared_place() / "corpora").glob(pattern)):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def segmented(record: dict[str, Any], language: str) -> tuple[bytes, list[Span]]:
    """Return a corpus record's bytes and sentences; its own ``sents`` are not looked at."""
    paragraph = record["text"].encode("utf-8")
    markers = [(marker["start"], marker["end"]) for marker in record["note_markers"]]
    return paragraph, segment(paragraph, language=language, markers=markers)


def count_corpus(name: str, language: str, pattern: str) -> None:
    """Print the counts of one corpus with its ten longest and ten shortest sentences, truncated."""
    sizes: list[tuple[int, int, str]] = []
    took, total = 0.0, 0
    for record in corpus_records(pattern):
        before = time.process_time()
        paragraph, spans = segmented(record, language)
        took += time.process_time() - before
        total += len(paragraph)
        for start, end in spans:
            text = paragraph[start:end].decode("utf-8")
            sizes.append((len(text.split()), len(text.strip()), text))
    long = sum(words > LONG_WORDS for words, _, _ in sizes)
    short = sum(characters < SHORT_CHARACTERS for _, characters, _ in sizes)
    print(f"\n{name}: {len(sizes)} sentences, {total / 1e6 / max(took, 1e-9):.1f} MB/s")
    print(f"  {long} over {LONG_WORDS} words, {short} under {SHORT_CHARACTERS} characters; the longest:")
    for words, _, text in sorted(sizes, reverse=True)[:10]:
        print(f"  {words:5} words       {text[:SHOWN_CHARACTERS]!r}")
    print("  the shortest:")
    for _, characters, text in sorted(sizes, key=lambda size: size[1:])[:10]:
        print(f"  {characters:5} characters  {text[:SHOWN_CHARACTERS]!r}")


def count_planted(name: str, language: str) -> None:
    """Print precision and recall of the sentence ends against a planted corpus's true ones."""
    tally = Tally()
    for record in corpus_records(f"planted/{name}/corpus.jsonl.gz"):
        paragraph, spans = segmented(record, language)
        wanted = {end for _, end in record["sents"]} - {len(paragraph)}
        tally.add(inner_ends(spans, len(paragraph)), wanted)
    print(f"{name}: {tally.right + tally.missed} ends, P {tally.precision:.4f}  R {tally.recall:.4f}")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--corpora", action="store_true", help="also count on the corpora under ../shared")
    arguments = parser.parse_args()
    print_scores(*score(sample_records()))
    if not arguments.corpora:
        return
    if not shared_place().is_dir():
        print("\nno ../shared: the corpora are not counted")
        return
    for name, language, pattern in CORPORA:
        count_corpus(name, language, pattern)
    print("\nplanted corpora, whose true sentences are known:")
    for name, language in PLANTED:
        count_planted(name, language)


if __name__ == "__main__":
    main()
