"""Recall of planted repeats: with the sentences the corpus gives, and with sentences found by the segmenter.

    python -m tests.planted_recall DIR [DIR ...]

DIR holds `corpus.jsonl[.gz]` and `truth.jsonl[.gz]` as `gen_planted.py` writes them. A *group* is what must
be equal: the occurrences of
one family with one digest (types exact_*, formula), or all occurrences of one marker_same family, which are
equal once the
markers are masked (prose_only). An occurrence that is one sentence of a larger paragraph is emitted by no
enumerator; such occurrences
are only counted. The rest is told by two measures:

    whole    every occurrence, as a whole, is in one class with all others: as a paragraph each, or as a run
             of 2 to 12 sentences, or (longer) all its windows of 12
    bytes    the share of planted bytes inside runs and paragraphs that are in one class with every occurrence
"""

from __future__ import annotations

import argparse
import gzip
import json
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from tekrar.artifact.reader import Artifact
from tekrar.build import build
from tekrar.core.text import TextRelease
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import read_source

EXACT = ("exact_para", "exact_run", "exact_split", "exact_long", "formula")
Span = tuple[int, int]


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Records of a JSON-lines file, plain or gzip (`path` without the `.gz`)."""
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rb") if packed.exists() else path.open("rb") as file:
        for line in file:
            yield json.loads(line)


def groups_of(folder: Path) -> dict[tuple[str, str, str], list[list[tuple[int, int, int]]]]:
    """(type, family, digest) -> occurrences, each a list of (ord, start, end); groups of one are left out."""
    found: dict[tuple[str, str, str], list[list[tuple[int, int, int]]]] = defaultdict(list)
    for row in lines(folder / "truth.jsonl"):
        if row["role"] != "member":
            continue
        places = [(s["ord"], s["start"], s["end"]) for s in row["segments"]]
        if row["type"] in EXACT:
            found[row["type"], row["family"], row["sha"]].append(places)
        elif row["type"] == "marker_same" and row["zone"] == "body":
            found[row["type"], row["family"], ""].append(places)
    return {key: places for key, places in found.items() if len(places) > 1}


@dataclass
class Tally:
    """Counts of one type."""

    groups: int = 0
    outside: int = 0
    whole: int = 0
    planted: int = 0
    covered: int = 0
    missed: list[str] = field(default_factory=list)


class Finder:
    """Classes of an artifact by place."""

    def __init__(self, release: TextRelease, artifact: Artifact) -> None:
        self.start, self.end = release.sentence_start, release.sentence_end
        self.paragraph_start, self.paragraph_end = release.paragraph_start, release.paragraph_end
        self.ordinal = {ord_: i for i, ord_ in enumerate(release.labels.ord)}
        self.row_of_paragraph = {o: i for i, o in enumerate(artifact.paragraphs["ordinal"].tolist())}
        self.first_row = artifact.profile("FS").first_row
        self.reach = artifact.sentences["reach"]
        self.class_of = {}
        for short in ("FP", "FS", "PP", "PS"):
            profile = artifact.profile(short)
            column = np.full(profile.rows, -1, np.int64)
            column[profile.matched["row"]] = profile.matched["class"]
            self.class_of[short] = column

    def spans(self, places: list[tuple[int, int, int]]) -> list[Span]:
        """Byte spans of an occurrence's segments in the release."""
        base = [int(self.paragraph_start[self.ordinal[o]]) for o, _, _ in places]
        return [(b + s, b + e) for b, (_, s, e) in zip(base, places, strict=True)]

    def sentences(self, spans: list[Span]) -> tuple[int, int]:
        """Sentences low..high that lie wholly inside an occurrence (its segments are neighbours)."""
        low = int(np.searchsorted(self.start, spans[0][0], side="left"))
        high = int(np.searchsorted(self.end, spans[-1][1], side="right"))
        return low, max(low, high)

    def aligned(self, spans: list[Span]) -> bool:
        """Whether an occurrence begins and ends where sentences do."""
        low, high = self.sentences(spans)
        return high > low and self.start[low] == spans[0][0] and self.end[high - 1] == spans[-1][1]

    def paragraphs(
        self, places: list[tuple[int, int, int]], spans: list[Span], short: str
    ) -> list[int] | None:
        """Class of every segment, when all of them are whole paragraphs; -1 where there is none."""
        ordinals = [self.ordinal[o] for o, _, _ in places]
        for o, (low, high) in zip(ordinals, spans, strict=True):
            if (int(self.paragraph_start[o]), int(self.paragraph_end[o])) != (low, high):
                return None
        return [int(self.class_of[short][self.row_of_paragraph[o]]) for o in ordinals]

    def windows(self, low: int, high: int, short: str) -> list[int]:
        """Class of the run low..high, or of its windows of 12 when it is longer."""
        length = min(high - low, 12)
        rows = [
            self.first_row[i] + length - 2 for i in range(low, high - length + 1) if self.reach[i] >= length
        ]
        return [int(self.class_of[short][row]) for row in rows]

    def inside(self, low: int, high: int, short: str) -> dict[int, list[Span]]:
        """Classes of all runs inside the sentences low..high, with the sentences they span."""
        found: dict[int, list[Span]] = defaultdict(list)
        for i in range(low, high):
            for length in range(2, min(high - i, int(self.reach[i])) + 1):
                number = int(self.class_of[short][self.first_row[i] + length - 2])
                if number >= 0:
                    found[number].append((i, i + length))
        return found

    def is_whole(
        self, group: list[list[tuple[int, int, int]]], spans: list[list[Span]], kinds: tuple[str, str]
    ) -> bool:
        """Measure `whole`."""
        as_paragraphs = [self.paragraphs(p, s, kinds[0]) for p, s in zip(group, spans, strict=True)]
        if (
            all(c is not None and -1 not in c for c in as_paragraphs)
            and len({tuple(c or ()) for c in as_paragraphs}) == 1
        ):
            return True
        if not all(self.aligned(s) for s in spans):
            return False
        ranges = [self.sentences(s) for s in spans]
        if min(high - low for low, high in ranges) < 2:
            return False
        classes = {tuple(self.windows(low, high, kinds[1])) for low, high in ranges}
        return len(classes) == 1 and -1 not in next(iter(classes)) and bool(next(iter(classes)))

    def covered(
        self, group: list[list[tuple[int, int, int]]], spans: list[list[Span]], kinds: tuple[str, str]
    ) -> int:
        """Measure `bytes`, in bytes over all occurrences."""
        ranges = [self.sentences(s) for s in spans]
        runs = [self.inside(low, high, kinds[1]) for low, high in ranges]
        common = set.intersection(*(set(r) for r in runs))
        pieces: list[set[Span]] = [set() for _ in spans]
        for number in common:
            for mine, found in zip(pieces, runs, strict=True):
                mine.update((int(self.start[a]), int(self.end[b - 1])) for a, b in found[number])
        alone = [self._whole_segments(p, s, kinds[0]) for p, s in zip(group, spans, strict=True)]
        shared = set.intersection(*(set(a) for a in alone))
        for mine, found_here in zip(pieces, alone, strict=True):
            mine.update(span for number in shared for span in found_here[number])
        return sum(_union(mine) for mine in pieces)

    def _whole_segments(
        self, places: list[tuple[int, int, int]], spans: list[Span], short: str
    ) -> dict[int, list[Span]]:
        found: dict[int, list[Span]] = defaultdict(list)
        for place, span in zip(places, spans, strict=True):
            classes = self.paragraphs([place], [span], short)
            if classes and classes[0] >= 0:
                found[classes[0]].append(span)
        return found


def _union(spans: set[Span]) -> int:
    total, at = 0, -1
    for low, high in sorted(spans):
        low = max(low, at)
        if high > low:
            total += high - low
            at = high
    return total


def measure(folder: Path, *, ignore_sents: bool, language: str) -> dict[str, Tally]:
    """Build one planted corpus and tally its groups by type."""
    name = next(p for p in folder.iterdir() if p.name in ("corpus.jsonl", "corpus.jsonl.gz"))
    with TemporaryDirectory() as place:
        made = import_jsonl([read_source(name)], edition=None, language=language, ignore_sents=ignore_sents)
        write_release(made, Path(place) / "release")
        build(Path(place) / "release", out=Path(place) / "artifact")
        finder = Finder(open_release(Path(place) / "release").release, Artifact(Path(place) / "artifact"))
        return tally(folder, finder, sents_given=not ignore_sents)


def tally(folder: Path, finder: Finder, *, sents_given: bool) -> dict[str, Tally]:
    """Tally the groups of a folder against a built artifact; what lies outside is judged by the given
    sentences."""
    inside, outside = split_groups(folder)
    found: dict[str, Tally] = defaultdict(Tally)
    for kind, count in outside.items():
        found[kind].outside += count
    for (kind, family, sha), group in inside.items():
        mine = found[kind]
        mine.groups += 1
        kinds = ("PP", "PS") if kind == "marker_same" else ("FP", "FS")
        spans = [finder.spans(places) for places in group]
        mine.planted += sum(high - low for s in spans for low, high in _joined(s))
        whole = finder.is_whole(group, spans, kinds)
        mine.whole += whole
        mine.covered += finder.covered(group, spans, kinds)
        if not whole and sents_given:
            mine.missed.append(f"{kind} {family} {sha}")
    return found


def _joined(spans: list[Span]) -> list[Span]:
    return [(spans[0][0], spans[-1][1])]


def split_groups(
    folder: Path,
) -> tuple[dict[tuple[str, str, str], list[list[tuple[int, int, int]]]], dict[str, int]]:
    """Groups of the occurrences that an enumerator emits, and for each type the number of those that none
    emits.

    One sentence of a larger paragraph is neither a whole paragraph nor a run; what is left alone in its group
    is no group.
    """
    sentences: dict[int, tuple[int, list[list[int]]]] = {
        row["ord"]: (len(row["text"].encode()), row["sents"]) for row in lines(folder / "corpus.jsonl")
    }

    def emitted(places: list[tuple[int, int, int]]) -> bool:
        count = sum(sum(s <= a and b <= e for a, b in sentences[o][1]) for o, s, e in places)
        return count >= 2 or all((s, e) == (0, sentences[o][0]) for o, s, e in places)

    outside: dict[str, int] = defaultdict(int)
    groups = {}
    for key, group in groups_of(folder).items():
        kept = [places for places in group if emitted(places)]
        outside[key[0]] += len(group) - len(kept)
        if len(kept) > 1:
            groups[key] = kept
    return groups, outside


def table(folder: Path, language: str) -> list[str]:
    """Markdown rows of one corpus: recall with given sentences beside recall with sentences of the
    segmenter."""
    given = measure(folder, ignore_sents=False, language=language)
    own = measure(folder, ignore_sents=True, language=language)
    rows = []
    for kind in (*EXACT, "marker_same"):
        a, b = given.get(kind, Tally()), own.get(kind, Tally())
        if a.groups or a.outside:
            rows.append(
                f"| {folder.name} | {kind} | {a.groups} | {a.outside} | {_part(a.whole, a.groups)} | "
                f"{_part(a.covered, a.planted)} | {_part(b.whole, b.groups)} | "
                f"{_part(b.covered, b.planted)} |"
            )
    return rows


def _part(part: int, whole: int) -> str:
    return f"{100 * part / whole:.2f} % ({part}/{whole})" if whole else "–"


HEAD = [
    "| corpus | type | groups | occurrences outside | whole, given | bytes, given | whole, segmenter | "
    "bytes, segmenter |",
    "|---|---|---|---|---|---|---|---|",
]


def main() -> int:
    """Print the table; exit status 1 when a group inside the universe is missed with the sentences given."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.planted_recall", description=__doc__.split("\n")[0]
    )
    parser.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    parser.add_argument("--language", help="BCP 47; default: en for a folder named …-en-…, else tr")
    arguments = parser.parse_args()
    print("\n".join(HEAD))
    for folder in arguments.folders:
        language = arguments.language or ("en" if "-en-" in folder.name else "tr")
        print("\n".join(table(folder, language)), flush=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
