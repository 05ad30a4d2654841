"""Small documents in the notation of the requirements: chapters of paragraphs of sentences, and spans found
by text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tekrar.artifact.reader import Artifact
from tekrar.build import BuildResult, build
from tekrar.core.text import TextRelease
from tekrar.corpus.structured import import_structured
from tests.oracle.document import read
from tests.oracle.run import release_of

Chapters = list[list[list[str]]]


def document(chapters: Chapters, *, sep: str = " ", after: str = "\n\n", **facts: Any) -> dict[str, Any]:
    """A structured document of one book `b1`; `facts` are its other keys."""
    return in_books({"b1": chapters}, sep=sep, after=after, **facts)


def in_books(
    books: dict[str, Chapters], *, sep: str = " ", after: str = "\n\n", **facts: Any
) -> dict[str, Any]:
    """A structured document of several books."""
    corpus = []
    for name, chapters in books.items():
        parts = [
            {
                "id": f"c{c}",
                "paragraphs": [
                    {"id": f"p{p}", "sentences": s, "seps": [sep] * max(len(s) - 1, 0), "after": after}
                    for p, s in enumerate(paragraphs)
                ],
            }
            for c, paragraphs in enumerate(chapters)
        ]
        corpus.append({"id": name, "chapters": parts})
    empty: dict[str, Any] = {"headings": [], "note_bodies": [], "note_markers": []}
    return {"corpus": {"books": corpus}, "annotations": empty, **facts}


def mark(
    source: dict[str, Any], kind: str, needle: str, *, only: int | None = None, **facts: Any
) -> dict[str, Any]:
    """The document with every place (or place number `only`) of `needle` as a span of one dataset."""
    text, wanted, at = read(source).text, needle.encode(), 0
    spans = []
    while (found := text.find(wanted, at)) >= 0:
        spans.append({"start": found, "end": found + len(wanted), **facts})
        at = found + len(wanted)
    assert spans, needle
    chosen = spans if only is None else [spans[only]]
    kept = {**source["annotations"], kind: [*source["annotations"][kind], *chosen]}
    return {**source, "annotations": kept}


def text_release(source: dict[str, Any]) -> TextRelease:
    """The text release of a document, in memory."""
    data = json.dumps(source).encode()
    return import_structured(data, where="document.json", edition=None, language=None).release


class Built:
    """A document built into an artifact under a folder; rows are told by their addresses."""

    def __init__(self, source: dict[str, Any], place: Path, /, **options: Any) -> None:
        place.mkdir(parents=True, exist_ok=True)
        self.source = source
        self.release = release_of(source, place / "release")
        self.path = place / "artifact"
        self.result: BuildResult = build(self.release, out=self.path, **{"engine": "hashlib", **options})
        self.artifact = Artifact(self.path)

    def addresses(self, short: str) -> list[str]:
        """Address of every row of a profile."""
        found = []
        for chapter in read(self.source).chapters:
            if short in ("FP", "PP"):
                found += [p.address for p in chapter.paragraphs if p.sentences]
            else:
                n = len(chapter.sentences)
                found += [
                    f"{chapter.address}:{i + 1}+{k}" for i in range(n) for k in range(2, min(12, n - i) + 1)
                ]
        return found

    def row(self, short: str, address: str) -> int:
        return self.addresses(short).index(address)

    def id(self, short: str, address: str) -> bytes:
        """Occurrence UUID."""
        column = self.artifact.profile(short).occurrences["occurrence"]
        return bytes(column[self.row(short, address)].tobytes())

    def part(self, short: str, address: str) -> str:
        """The part of the partition that holds an occurrence."""
        return self.artifact.profile(short).part_of(self.row(short, address))[0]

    def rows(self, short: str, table: str) -> set[str]:
        """Addresses of the rows of a part or presentation."""
        names = self.addresses(short)
        return {names[i] for i in self.artifact.profile(short).table(table)["row"].tolist()}

    def classes(self, short: str, *, published: bool = False) -> set[frozenset[str]]:
        """Classes (or groups) as sets of addresses."""
        profile, names = self.artifact.profile(short), self.addresses(short)
        winner = profile.classes["winner"].tolist()
        return {
            frozenset(names[i] for i in profile.class_members(number).tolist())
            for number in range(len(winner))
            if not published or winner[number] < 0
        }
