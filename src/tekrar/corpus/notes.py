"""Note bodies and the markers that point at them, inside one book (contract C9, Notes and Markers).

Serves ADR-009 *Annotation projections*: a note body is one selection over all its paragraphs; a marker whose
body the source lacks is a `source_gap` and invents none; a marker that claims a body must have one.
"""

from __future__ import annotations

from dataclasses import dataclass

from tekrar.core.builder import ReleaseBuilder
from tekrar.errors import SourceError


@dataclass
class _OpenNote:
    start: int
    end: int
    note_id: str | None
    where: str


class BookNotes:
    """Collects the notes of one book while its paragraphs are added.

    A note stays open until the next note, the chapter's end or the book's end; its continuations lengthen it.
    An inline note is a body of one paragraph and leaves the open note open.
    """

    def __init__(self, builder: ReleaseBuilder) -> None:
        self._builder = builder
        self._open: _OpenNote | None = None
        self._inline: str | None = None
        self._bodies: dict[str, _OpenNote] = {}
        self._resolved: dict[str, str] = {}

    def note(self, start: int, end: int, *, note_id: str | None, where: str) -> None:
        """A note's first paragraph, at release bytes `start`..`end` (equal if it is empty)."""
        self.end_chapter()
        self._open = _OpenNote(start, end, note_id, where)

    def inline(self, start: int, end: int, *, note_id: str | None, where: str) -> None:
        """A note of one paragraph at release bytes `start`..`end`; without a byte it is no body.

        Raises:
            SourceError: its id names an earlier note of the book.
        """
        if end > start:
            self._inline = where
            self._add(_OpenNote(start, end, note_id, where))

    def continuation(self, start: int, end: int, *, note_id: str | None, where: str) -> None:
        """A further paragraph of the open note; all that stands between belongs to the note.

        Raises:
            SourceError: no note is open in this chapter, the record names another note, or an inline note
                stands between, so that two bodies would overlap.
        """
        if self._open is None:
            raise SourceError(
                "a note continuation without a note before it in its chapter",
                where=where,
                expected="a note record earlier in the same chapter",
                mend="mark the paragraph as a note, or as body text",
                kind="continuation_without_note",
            )
        if note_id is not None and note_id != self._open.note_id:
            raise SourceError(
                f"a continuation of note {note_id!r} follows note {self._open.note_id!r}",
                where=where,
                expected=f"the note_id of the last note before it ({self._open.where}), or none",
                mend="move the continuation behind its note, or correct note_id",
                kind="continuation_of_another_note",
            )
        if end == start:
            return
        if self._inline is not None:
            raise SourceError(
                f"this continues the note of {self._open.where} over the inline note of {self._inline}",
                where=where,
                expected="disjoint note bodies; an inline note is a body of its own, never continued",
                mend="move the inline note out of the note, or mark it as a continuation (note_cont)",
                kind="overlapping_annotations",
            )
        self._open.end = end

    def marker(self, note_id: str, *, where: str) -> None:
        """A resolved marker that points at `note_id`, which may stand in whatever chapter of the book."""
        self._resolved.setdefault(note_id, where)

    def end_chapter(self) -> None:
        """Close the open note; one without a byte is an empty paragraph and no body.

        Raises:
            SourceError: its id names an earlier note of the book.
        """
        note, self._open, self._inline = self._open, None, None
        if note is not None and note.end > note.start:
            self._add(note)

    def _add(self, note: _OpenNote) -> None:
        if note.note_id is not None:
            other = self._bodies.setdefault(note.note_id, note)
            if other is not note:
                first, second = sorted((other, note), key=lambda body: body.start)
                raise SourceError(
                    f"two notes have the note_id {note.note_id!r}",
                    where=second.where,
                    expected=f"one note of this id in a book; the first stands at {first.where}",
                    mend="give each note its own id, or mark the second as a continuation (note_cont)",
                    kind="duplicate_note_id",
                )
        self._builder.annotate("note_bodies", note.start, note.end, link=note.note_id or "")

    def end_book(self) -> None:
        """Close the open note and check that every resolved marker has its body.

        Raises:
            SourceError: a resolved marker without a body.
        """
        self.end_chapter()
        for note_id, where in self._resolved.items():
            if note_id not in self._bodies:
                raise SourceError(
                    f"no note of this book has the note_id {note_id!r} that a marker points at",
                    where=where,
                    expected="a note record with this note_id in the same book",
                    mend='add the note, or mark the marker as unresolved: "resolved": false',
                    kind="marker_without_body",
                )
