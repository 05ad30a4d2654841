"""Import of paragraph JSON lines: one record a paragraph, one or more books a file (contract C9).

Serves ADR-009 *Annotation boundary* and AMB-10: the release's bytes are the records' texts, each with two
line feeds after it, in the order of the source; nothing is stripped, normalized or reordered, and every fact
that the release has no column for is kept as source metadata.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from tekrar.core.builder import ReleaseBuilder
from tekrar.core.text import TextRelease
from tekrar.corpus import segmenter
from tekrar.corpus.imported import Imported, SourceFile
from tekrar.corpus.json_line import canonical, read_objects
from tekrar.corpus.notes import BookNotes
from tekrar.corpus.paragraph_record import Marker, ParagraphRecord, Span, check_markers, read_record
from tekrar.corpus.sources import SourceText
from tekrar.corpus.stated import edition_or_unnamed, required_language
from tekrar.errors import SourceError

IMPORTER: Final = "paragraph-jsonl/1"
AFTER_PARAGRAPH: Final = b"\n\n"
#: Called with the bytes read so far and all bytes to read.
Progress = Callable[[int, int], None]
_REPORT_EVERY: Final = 2048


def import_jsonl(
    files: Sequence[SourceText],
    *,
    edition: str | None,
    language: str | None,
    unread: Sequence[str] = (),
    ignore_sents: bool = False,
    progress: Progress | None = None,
) -> Imported:
    """Import paragraph JSON lines.

    Args:
        files: the files in book order.
        edition: name of the text version; None takes the one that all records carry, else `unnamed`.
        language: BCP 47 tag of the text; required.
        unread: names in the source folder that are not read, for the provenance.
        ignore_sents: segment every paragraph, also where the source brings sentences (then kept as metadata).
        progress: told bytes read and bytes in all, now and then and at the end.

    Raises:
        UsageError: no language, one that is refused, or an edition without a name.
        SourceError: anything in a file that contract C9 refuses, with the file and the line.
    """
    language = required_language(language)
    reader = _Reader(edition=edition, language=language, ignore_sents=ignore_sents)
    total = sum(len(file.data) for file in files)
    done = count = 0
    sources = []
    for file in files:
        before = reader.books
        reader.begin_file(file.name)
        for number, at, value in read_objects(file.name, file.data):
            where = f"{file.name}:{number}"
            reader.add(read_record(value, where=where), where=where)
            count += 1
            if progress is not None and count % _REPORT_EVERY == 0:
                progress(done + at, total)
        done += len(file.data)
        held = reader.books - before
        sources.append(SourceFile(file.name, file.stored_bytes, file.sha256, held))
    if progress is not None:
        progress(total, total)
    return Imported(
        release=reader.finish(),
        importer=IMPORTER,
        sources=tuple(sources),
        unread=tuple(unread),
        parameters={"edition": edition, "ignore_sents": ignore_sents, "language": language},
        metadata={"paragraphs": reader.paragraph_metadata, "note_markers": reader.marker_metadata},
    )


class _Reader:
    """Takes checked records in source order and feeds the release builder."""

    def __init__(self, *, edition: str | None, language: str, ignore_sents: bool) -> None:
        self._stated = edition
        self._language = language
        self._ignore_sents = ignore_sents
        self._builder = ReleaseBuilder(edition=edition_or_unnamed(edition), language=language)
        self._notes = BookNotes(self._builder)
        self._file = ""
        self._books: dict[str, str] = {}
        self._book: str | None = None
        self._title: str | None = None
        self._chapter_title: str | None = None
        self._place = (0, 0)
        self._carried: str | None = None
        self._carriers: list[int] = []
        self._segmented = False
        self._same: dict[str, str] = {}
        self.paragraph_metadata: list[str | None] = []
        self.marker_metadata: list[str | None] = []

    @property
    def books(self) -> int:
        """Books begun."""
        return len(self._books)

    def begin_file(self, name: str) -> None:
        """A book never goes on in the next file."""
        self._end_book()
        self._file = name

    def add(self, record: ParagraphRecord, *, where: str) -> None:
        """Add one paragraph."""
        self._open_place(record, where)
        self._note_edition(record, where)
        sentences, given = self._sentences(record)
        start = self._builder.add_paragraph(
            record.text,
            sentences=sentences,
            after=AFTER_PARAGRAPH,
            given=given,
            para=record.para,
            ord=record.ord,
            where=where,
        )
        if record.markers:
            check_markers(record.markers, sentences, where=where)
            for marker in record.markers:
                self._mark(marker, start, where)
        self._annotate(record, start, where)
        text = canonical(self._rest(record))
        self.paragraph_metadata.append(text if text is None else self._same.setdefault(text, text))

    def finish(self) -> TextRelease:
        """The release, once every record has been added."""
        self._end_book()
        if self._stated is None and self._carried is not None:
            if len(self._carriers) == self._builder.paragraphs:
                self._builder.edition = self._carried
            else:
                self._keep_carried_edition()
        return self._builder.finish(segmenter=segmenter.IDENTITY if self._segmented else "source")

    def _open_place(self, record: ParagraphRecord, where: str) -> None:
        place = (record.chapter, record.para)
        if record.book != self._book:
            self._begin_book(record, where)
        elif place <= self._place:
            raise SourceError(
                f"chapter {place[0]}, paragraph {place[1]} follows chapter {self._place[0]}, "
                f"paragraph {self._place[1]} of the same book",
                where=where,
                expected="(chapter, para) ascending inside one book, no place twice",
                mend="put the records in the order of the book, or correct the numbers",
                kind="order",
            )
        elif record.chapter != self._place[0]:
            self._notes.end_chapter()
            self._begin_chapter(record)
        self._place = place

    def _begin_book(self, record: ParagraphRecord, where: str) -> None:
        self._end_book()
        first = self._books.setdefault(record.book, where)
        if first != where:
            raise SourceError(
                f"the book {record.book!r} stands in two places",
                where=where,
                expected=f"all records of a book together in one file; it began at {first}",
                mend="join the two parts, or give the second its own name",
                kind="duplicate_book",
            )
        self._book = record.book
        self._title = record.book_title
        self._builder.begin_book(record.book, title=record.book_title)
        self._begin_chapter(record)

    def _begin_chapter(self, record: ParagraphRecord) -> None:
        self._chapter_title = record.chapter_title
        self._builder.begin_chapter(number=record.chapter, title=record.chapter_title)

    def _end_book(self) -> None:
        self._notes.end_book()
        self._notes = BookNotes(self._builder)
        self._book = None

    def _note_edition(self, record: ParagraphRecord, where: str) -> None:
        if self._stated is not None or record.edition is None:
            return
        if self._carried is not None and record.edition != self._carried:
            raise SourceError(
                f"the edition {record.edition!r} follows the edition {self._carried!r}",
                where=where,
                expected="one edition in all records of a source",
                mend="import each edition by itself, or name the whole with --edition",
                kind="two_editions",
            )
        self._carried = record.edition
        self._carriers.append(self._builder.paragraphs)

    def _sentences(self, record: ParagraphRecord) -> tuple[list[Span], bool]:
        if not record.text:
            return ([] if record.sents is None or self._ignore_sents else record.sents), False
        if record.sents is not None and not self._ignore_sents:
            return record.sents, True
        self._segmented = True
        if record.role == "heading":
            return [(0, len(record.text))], False
        markers = [(marker.start, marker.end) for marker in record.markers]
        return segmenter.segment(record.text, language=self._language, markers=markers), False

    def _mark(self, marker: Marker, start: int, where: str) -> None:
        self._builder.annotate(
            "note_markers",
            start + marker.start,
            start + marker.end,
            source_gap=not marker.resolved,
            link=marker.note_id or "",
        )
        self.marker_metadata.append(canonical(marker.rest))
        if marker.resolved:
            self._notes.marker(marker.note_id or "", where=where)

    def _annotate(self, record: ParagraphRecord, start: int, where: str) -> None:
        end = start + len(record.text)
        if record.role == "heading":
            if record.text:
                self._builder.annotate("headings", start, end)
        elif record.role == "note_cont":
            self._notes.continuation(start, end, note_id=record.note_id, where=where)
        elif record.role == "note_inline":
            self._notes.inline(start, end, note_id=record.note_id, where=where)
        elif record.role != "body":
            self._notes.note(start, end, note_id=record.note_id, where=where)

    def _rest(self, record: ParagraphRecord) -> dict[str, Any]:
        """What the columns of the release do not say of this record."""
        rest = record.rest
        if record.book_title != self._title:
            rest["book_title"] = record.book_title
        if record.chapter_title != self._chapter_title:
            rest["chapter_title"] = record.chapter_title
        if self._stated is not None and record.edition not in (None, self._stated):
            rest["edition"] = record.edition
        if self._ignore_sents and record.sents is not None:
            rest["sents"] = record.sents
        return rest

    def _keep_carried_edition(self) -> None:
        """Only some records carry the edition, so the release is unnamed: the value stays as metadata."""
        for at in self._carriers:
            rest = json.loads(self.paragraph_metadata[at] or "{}")
            self.paragraph_metadata[at] = canonical(rest | {"edition": self._carried})
