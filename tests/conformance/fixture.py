"""Fixtures as they lie on disk: what one states, and the names it gives to places.

A fixture is read strictly. A key, an injection, an outcome or a profile that this runner does not know is a
flaw of the fixture and fails it: a statement that nobody checks would pass for one that holds.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

#: Profile name in a fixture -> short name in an artifact.
PROFILES: Final = {
    "full_context_v1/whole_paragraph_v1/exact_passage_bytes": "FP",
    "full_context_v1/sentence_run_2_12_v1/exact_sentence_sequence": "FS",
    "prose_only_v1/whole_paragraph_v1/exact_passage_bytes": "PP",
    "prose_only_v1/sentence_run_2_12_v1/exact_sentence_sequence": "PS",
}
OUTCOMES: Final = ("ok", "integrity_failure", "needs_hash_seam")
INJECTIONS: Final = ("unavailable_bytes", "defer")
_NEEDED: Final = ("corpus", "annotations", "outcome", "expect")
_PROSE: Final = ("id", "title", "cites", "ambiguity", "note", "tags")
_KNOWN: Final = (*_NEEDED, *_PROSE, "inject", "edition", "language")


class FixtureFlaw(Exception):
    """A fixture that states something this runner cannot check."""


@dataclass(frozen=True)
class Fixture:
    """One fixture.

    Attributes:
        name: its file name without the ending.
        document: corpus and annotations, with edition and language where it has them: what is imported.
        outcome: ok, integrity_failure or needs_hash_seam.
        inject: injection -> value.
        expect: profile name -> key -> value.
    """

    name: str
    document: dict[str, Any]
    outcome: str
    inject: dict[str, Any]
    expect: dict[str, dict[str, Any]]

    @property
    def source(self) -> bytes:
        """The structured document as bytes."""
        return json.dumps(self.document).encode("utf-8")

    @property
    def unavailable(self) -> tuple[tuple[int, int], ...]:
        """Byte ranges that the byte source reports unreadable."""
        return tuple((start, end) for start, end in self.inject.get("unavailable_bytes", ()))


def load(path: Path) -> Fixture:
    """Read a fixture.

    Raises:
        FixtureFlaw: it is no JSON object, or states something that this runner does not know.
    """
    try:
        record = json.loads(path.read_bytes(), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise FixtureFlaw(f"no JSON document: {error}") from None
    if not isinstance(record, dict):
        raise FixtureFlaw("no JSON object")
    for key in _NEEDED:
        if key not in record:
            raise FixtureFlaw(f"the key {key!r} is missing")
    _only(record, _KNOWN, "key")
    inject, expect = record.get("inject") or {}, record["expect"]
    if not isinstance(inject, dict) or not isinstance(expect, dict):
        raise FixtureFlaw("inject and expect are objects (inject may be null)")
    _only(inject, INJECTIONS, "injection")
    _only(expect, PROFILES, "profile")
    if record["outcome"] not in OUTCOMES:
        raise FixtureFlaw(f"unknown outcome {record['outcome']!r}; known: {', '.join(OUTCOMES)}")
    if not all(isinstance(keys, dict) for keys in expect.values()):
        raise FixtureFlaw("what is expected of a profile is an object")
    return Fixture(
        name=path.stem,
        document={
            key: record[key] for key in ("corpus", "annotations", "edition", "language") if key in record
        },
        outcome=record["outcome"],
        inject=inject,
        expect=expect,
    )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice in one object")
    return found


def _only(record: dict[str, Any], known: Any, what: str) -> None:
    unknown = [key for key in record if key not in known]
    if unknown:
        raise FixtureFlaw(f"unknown {what} {unknown[0]!r}; known: {', '.join(known)}")


@dataclass(frozen=True)
class Unit:
    """A sentence or paragraph: its chapter, its ordinal there from 0, its name, its bytes start..end."""

    chapter: str
    ordinal: int
    name: str
    start: int
    end: int


@dataclass(frozen=True)
class Places:
    """Names of every place of a document, counted here from the document alone.

    Attributes:
        sentences: in document order.
        paragraphs: in document order, empty ones too.
    """

    sentences: tuple[Unit, ...]
    paragraphs: tuple[Unit, ...]

    def run_name(self, first: int, length: int) -> str:
        """Name of the run of `length` sentences from the release's sentence ordinal `first`."""
        start, last = self.sentences[first], self.sentences[first + length - 1]
        if start.chapter != last.chapter:
            return f"{start.chapter}:{start.ordinal}+{length} (runs on into {last.chapter})"
        return f"{start.chapter}:{start.ordinal}+{length}"


def places(document: dict[str, Any]) -> Places:
    """Count a document's sentences and paragraphs with their names and bytes.

    The document is one that the importer accepted, so its shape is known to be right.
    """
    sentences: list[Unit] = []
    paragraphs: list[Unit] = []
    at = 0
    for book in document["corpus"]["books"]:
        at += _size(book.get("before", ""))
        for chapter in book["chapters"]:
            name, first = f"{book['id']}/{chapter['id']}", len(sentences)
            for number, paragraph in enumerate(chapter["paragraphs"]):
                begin = at
                for index, sentence in enumerate(paragraph["sentences"]):
                    at += _size(paragraph["seps"][index - 1]) if index else 0
                    ordinal = len(sentences) - first
                    sentences.append(Unit(name, ordinal, f"{name}:{ordinal}", at, at + _size(sentence)))
                    at += _size(sentence)
                paragraphs.append(Unit(name, number, f"{name}/{paragraph['id']}", begin, at))
                at += _size(paragraph["after"])
    return Places(tuple(sentences), tuple(paragraphs))


def _size(text: str) -> int:
    return len(text.encode("utf-8"))


def addresses(document: dict[str, Any], names: list[str]) -> list[str]:
    """The product's addresses (ordinals from 1) for a fixture's names (its ids; sentences from 0).

    Raises:
        FixtureFlaw: a name that names nothing in the document.
    """
    known: dict[str, str] = {}
    for book in document["corpus"]["books"]:
        for number, chapter in enumerate(book["chapters"], start=1):
            here, there = f"{book['id']}/{chapter['id']}", f"{book['id']}/{number}"
            count = sum(len(paragraph["sentences"]) for paragraph in chapter["paragraphs"])
            for index, paragraph in enumerate(chapter["paragraphs"], start=1):
                known[f"{here}/{paragraph['id']}"] = f"{there}/p{index}"
            for first in range(count):
                for length in range(2, min(12, count - first) + 1):
                    known[f"{here}:{first}+{length}"] = f"{there}:{first + 1}+{length}"
    unknown = [name for name in names if name not in known]
    if unknown:
        raise FixtureFlaw(f"inject.defer names {unknown[0]!r}, which is no place of the corpus")
    return [known[name] for name in names]
