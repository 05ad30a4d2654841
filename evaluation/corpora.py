"""The corpora of the evaluation: where their sources are, and their built packages, made once and kept.

The shared gold sets lie beside the checkout (or under TEKRAR_SHARED). Planted corpora are made fresh by the
shared generator, and by one of our own (evaluation/plant.py) where that is absent.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from bench.corpora import ROOT, remove, tekrar
from bench.process import measured
from evaluation.passages import Passages

Tell = Callable[[str], None]


@dataclass(frozen=True)
class Corpus:
    """A corpus by name.

    Attributes:
        name, part, language: its name, the part of the evaluation it belongs to, its BCP 47 language.
        gold: the folder of its gold files (planted: made by `make` when absent).
        source: what is imported.
        make: makes the gold folder and the source, given the folder to make.
    """

    name: str
    part: str
    language: str
    gold: Path
    source: Path
    make: Callable[[Path], None] | None = None


def shared_corpora() -> Path | None:
    """The shared corpora, or None where they are absent."""
    place = Path(os.environ.get("TEKRAR_SHARED") or ROOT.parent / "shared") / "corpora"
    return place if (place / "README.md").is_file() else None


#: Planted corpora made fresh: name, language, seed, words, and the shared sources its model learns from.
FRESH = (
    ("fresh-tr-1m", "tr", 4211, 1_000_000, ("risale-docx/sualar", "risale-docx/emirdag-lahikasi-1")),
    ("fresh-tr-3m", "tr", 4212, 3_000_000, ("risale-docx/sozler",)),
    ("fresh-en-1m", "en", 4213, 1_000_000, ("bible/kjv",)),
    ("fresh-ar-300k", "ar", 4214, 300_000, ("quran/quran-ar-uthmani",)),
)
OWN = (("own-en-300k", 4215, 300_000), ("own-en-1m", 4216, 1_000_000))


def corpora(cache: Path) -> list[Corpus]:
    """Every corpus that can be had here, in the order they are scored."""
    place = shared_corpora()
    found: list[Corpus] = []
    if place is not None:
        for name, language in (("planted-tr-101", "tr"), ("planted-tr-102", "tr"), ("planted-en-103", "en")):
            folder = place / "planted" / name
            found.append(Corpus(name, "planted", language, folder, folder / "corpus.jsonl.gz"))
        for name, language, seed, count, sources in FRESH:
            folder = cache / name
            files = [place / f"{source}.jsonl.gz" for source in sources]
            make = shared_plant(place / "tools" / "gen_planted.py", files, language, seed, count)
            found.append(Corpus(name, "planted", language, folder, folder / "corpus.jsonl.gz", make))
        risale, quran, bible = (place / name for name in ("risale-docx", "quran", "bible"))
        found.append(Corpus("risale", "risale", "tr", risale, risale))
        found.append(Corpus("quran", "quran", "ar", quran, quran / "quran-ar-uthmani.jsonl.gz"))
        found.append(Corpus("kjv", "kjv", "en", bible, bible / "kjv.jsonl.gz"))
    for name, seed, count in OWN:
        folder = cache / name
        found.append(
            Corpus(name, "planted", "en", folder, folder / "corpus.jsonl.gz", _own_plant(seed, count))
        )
    return found


def shared_plant(
    tool: Path, sources: list[Path], language: str, seed: int, count: int
) -> Callable[[Path], None]:
    """What makes a planted folder with the shared generator."""

    def make(folder: Path) -> None:
        learned = [str(source) for source in sources]
        settings = ["--seed", str(seed), "--words", str(count), "--lang", language, "--gz"]
        measured([sys.executable, str(tool), "--source", *learned, *settings, "--out", str(folder)])

    return make


def _own_plant(seed: int, count: int) -> Callable[[Path], None]:
    def make(folder: Path) -> None:
        from evaluation.plant import write_planted

        write_planted(folder, seed=seed, words=count)

    return make


@dataclass(frozen=True)
class Built:
    """A corpus with its release and artifact."""

    corpus: Corpus
    release: Path
    artifact: Path

    def passages(self) -> Passages:
        """The corpus as the scorers see it."""
        return Passages(self.release, self.artifact)


def built(corpus: Corpus, cache: Path, tell: Tell) -> Built:
    """The packages of a corpus in the cache, made where they are absent.

    Raises:
        CommandFailed: a generator, the import or the build failed; nothing half-made is left.
    """
    if corpus.make is not None and not corpus.gold.exists():
        tell(f"{corpus.name}: planting")
        part = corpus.gold.with_name(corpus.gold.name + ".part")
        remove(part)
        part.mkdir(parents=True)
        corpus.make(part)
        part.rename(corpus.gold)
    release, artifact = cache / f"{corpus.name}.release", cache / f"{corpus.name}.artifact"
    if not release.exists():
        tell(f"{corpus.name}: import")
        remove(artifact)
        named = ["--language", corpus.language, "--edition", "evaluation", "--out", str(release), "--quiet"]
        if corpus.name == "kjv" or (corpus.part == "planted" and corpus.name.startswith("own-")):
            named = [word for word in named if word not in ("--edition", "evaluation")]
        measured(tekrar("import", str(corpus.source), *named))
    if not artifact.exists():
        tell(f"{corpus.name}: build")
        measured(tekrar("build", str(release), "--out", str(artifact), "--quiet"))
    return Built(corpus, release, artifact)
