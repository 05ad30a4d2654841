"""A fixture's document written out once more, as paragraph JSON lines (contract C9).

Not every document can be: the reasons are listed, never passed over. What is written has the same bytes,
sentences and separators as the document, so the same names hold for both.

A marker that is `matched` needs a note body with its `note_id` in its book (C9). It gets the id of the book's
first body; where the book has none it is written as unresolved, which alters no mask: a source_gap marker is
masked in the same way (ADR-009; AMB-05).
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from tests.conformance.fixture import Fixture, Places, Unit, places

AFTER = "\n\n"


class NotWritable(Exception):
    """Why a document has no form as paragraph JSON lines."""


@dataclass
class Lines:
    """The lines, and how many matched markers were written as unresolved."""

    records: list[dict[str, Any]] = field(default_factory=list)
    unresolved: int = 0

    @property
    def data(self) -> bytes:
        """One file of all records."""
        return "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in self.records).encode(
            "utf-8"
        )


def write_lines(fixture: Fixture) -> Lines:
    """Write a fixture's document as paragraph JSON lines.

    Raises:
        NotWritable: it has no such form.
    """
    if fixture.outcome == "integrity_failure":
        raise NotWritable("its outcome is a refusal")
    if fixture.inject:
        raise NotWritable("it injects a failure")
    books = fixture.document["corpus"]["books"]
    if not books:
        raise NotWritable("it has no book")
    for book in books:
        if "before" in book:
            raise NotWritable("a book has a `before`")
        if not book["chapters"] or not all(chapter["paragraphs"] for chapter in book["chapters"]):
            raise NotWritable("a book or chapter is empty")
        for chapter in book["chapters"]:
            if any(paragraph["after"] != AFTER for paragraph in chapter["paragraphs"]):
                raise NotWritable("a separator after a paragraph is not two line feeds")
    return _Writer(fixture).write()


class _Writer:
    def __init__(self, fixture: Fixture) -> None:
        self.document = fixture.document
        self.places: Places = places(fixture.document)
        self.lines = Lines()
        self.book_of = [
            number
            for number, book in enumerate(self.document["corpus"]["books"])
            for chapter in book["chapters"]
            for _ in chapter["paragraphs"]
        ]

    def write(self) -> Lines:
        roles: dict[int, dict[str, Any]] = {}
        for span in self._spans("headings"):
            covered = self._covered(span, "heading")
            if len(covered) > 1:
                raise NotWritable("a heading goes over several paragraphs")
            self._assign(roles, covered[0], {"kind": "heading"})
        first_note: dict[int, str] = {}
        for number, span in enumerate(self._spans("note_bodies")):
            name = span.get("id", f"note-{number}")
            covered = self._covered(span, "note body")
            first_note.setdefault(self.book_of[covered[0]], name)
            self._assign(roles, covered[0], {"kind": "note", "note_id": name})
            for ordinal in covered[1:]:
                self._assign(roles, ordinal, {"kind": "note", "note_cont": True})
        markers = self._markers(first_note)
        self._records(roles, markers)
        return self.lines

    def _spans(self, kind: str) -> list[dict[str, Any]]:
        dataset = self.document["annotations"][kind]
        spans = dataset["spans"] if isinstance(dataset, dict) else dataset
        return sorted(spans, key=lambda span: int(span["start"]))

    def _covered(self, span: dict[str, Any], what: str) -> list[int]:
        """Ordinals of the paragraphs that a span is made of, from its first byte to its last."""
        units = self.places.paragraphs
        inside = [
            i for i, unit in enumerate(units) if span["start"] <= unit.start and unit.end <= span["end"]
        ]
        filled = [i for i in inside if units[i].end > units[i].start]
        whole = filled and (units[filled[0]].start, units[filled[-1]].end) == (span["start"], span["end"])
        if not whole:
            raise NotWritable(f"a {what} is not made of whole paragraphs")
        return list(range(filled[0], filled[-1] + 1))

    def _assign(self, roles: dict[int, dict[str, Any]], ordinal: int, role: dict[str, Any]) -> None:
        if ordinal in roles:
            raise NotWritable("a paragraph is a heading and a note body at once")
        roles[ordinal] = role

    def _markers(self, first_note: dict[int, str]) -> dict[int, list[dict[str, Any]]]:
        found: dict[int, list[dict[str, Any]]] = {}
        for span in self._spans("note_markers"):
            ordinal = self._paragraph_of(span)
            unit = self.places.paragraphs[ordinal]
            marker: dict[str, Any] = {"start": span["start"] - unit.start, "end": span["end"] - unit.start}
            note = first_note.get(self.book_of[ordinal])
            if span.get("status", "matched") == "matched" and note is not None:
                marker |= {"resolved": True, "note_id": note}
            else:
                marker["resolved"] = False
                self.lines.unresolved += span.get("status", "matched") == "matched"
            found.setdefault(ordinal, []).append(marker)
        return found

    def _paragraph_of(self, span: dict[str, Any]) -> int:
        for ordinal, unit in enumerate(self.places.paragraphs):
            if unit.start <= span["start"] and span["end"] <= unit.end:
                return ordinal
        raise NotWritable("a note marker stands in the separator after a paragraph")

    def _records(self, roles: dict[int, dict[str, Any]], markers: dict[int, list[dict[str, Any]]]) -> None:
        ordinal = 0
        for book in self.document["corpus"]["books"]:
            for number, chapter in enumerate(book["chapters"], start=1):
                for para, paragraph in enumerate(chapter["paragraphs"], start=1):
                    record = {
                        "book": book["id"],
                        "chapter": number,
                        "chapter_title": chapter["id"],
                        "para": para,
                    }
                    record |= {"ord": len(self.lines.records) + 1}
                    record |= _text(paragraph, self.places.paragraphs[ordinal])
                    record |= roles.get(ordinal, {"kind": "body" if record["text"] else "empty"})
                    record["note_markers"] = markers.get(ordinal, [])
                    self.lines.records.append(record)
                    ordinal += 1


def _text(paragraph: dict[str, Any], unit: Unit) -> dict[str, Any]:
    """`text` with `sents` in bytes of the paragraph."""
    text, spans = "", []
    for index, sentence in enumerate(paragraph["sentences"]):
        text += (paragraph["seps"][index - 1] if index else "") + sentence
        end = len(text.encode("utf-8"))
        spans.append([end - len(sentence.encode("utf-8")), end])
    assert len(text.encode("utf-8")) == unit.end - unit.start
    return {"text": text, "sents": spans}
