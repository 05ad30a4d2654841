"""Import of plain text and Markdown files, one book a file (contract C9, Text and Markdown).

Serves AMB-10: the bytes of a book in the release are the bytes of its file, BOM, CRLF and all.
A line ends with LF, or with CR LF; a CR anywhere else is a character of its line.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from tekrar.core.builder import ReleaseBuilder
from tekrar.corpus import markdown as md
from tekrar.corpus import segmenter
from tekrar.corpus.imported import Imported, SourceFile
from tekrar.corpus.json_line import BOM
from tekrar.corpus.sources import SourceText, require_utf8
from tekrar.corpus.stated import edition_or_unnamed, required_language
from tekrar.errors import SourceError

IMPORTER: Final = {False: "plain-text/1", True: "markdown/1"}
SUFFIXES: Final = (".txt", ".md", ".text", ".markdown")
_BLANK: Final = b" \t\r"
_BLANK_LINES: Final = re.compile(rb"[ \t\r\n]*")


def import_text(
    files: Sequence[SourceText],
    *,
    edition: str | None,
    language: str | None,
    unread: Sequence[str] = (),
    markdown: bool,
) -> Imported:
    """Import text files, one book each.

    Args:
        files: the files in book order.
        edition: name of the text version; None leaves it `unnamed`.
        language: BCP 47 tag of the text; required.
        unread: names in the source folder that are not read, for the provenance.
        markdown: whether ATX headings and footnotes are read; plain text has neither.

    Raises:
        UsageError: no language, one that is refused, or an edition without a name.
        SourceError: invalid UTF-8 (byte named), two files of one book name.
    """
    language = required_language(language)
    builder = ReleaseBuilder(edition=edition_or_unnamed(edition), language=language)
    books: dict[str, str] = {}
    for file in files:
        book = book_name(file.name)
        if book in books:
            raise SourceError(
                f"two files give the book {book!r}",
                where=file.name,
                expected=f"one file a book; the first is {books[book]}",
                mend="rename one of them, or join them",
                kind="duplicate_book",
            )
        books[book] = file.name
        require_utf8(file.data, where=file.name)
        _add_book(builder, book, file, language=language, markdown=markdown)
    return Imported(
        release=builder.finish(segmenter=segmenter.IDENTITY if builder.paragraphs else "source"),
        importer=IMPORTER[markdown],
        sources=tuple(SourceFile(file.name, file.stored_bytes, file.sha256, 1) for file in files),
        unread=tuple(unread),
        parameters={"edition": edition, "language": language},
    )


def book_name(file_name: str) -> str:
    """The book of a file: its name without `.gz` and without the suffix of its format."""
    name = file_name.removesuffix(".gz")
    for suffix in SUFFIXES:
        if name.endswith(suffix) and len(name) > len(suffix):
            return name[: -len(suffix)]
    return name


def lines(data: bytes, at: int) -> Iterator[tuple[int, int, int]]:
    """Every line from byte `at` on: its first byte, the end of its content, the end of its terminator.

    Of blank lines in a row only the last is given, for they say no more than one; a small gzip may unpack to
    many millions of them.
    """
    size = len(data)
    while at < size:
        found = data.find(b"\n", at)
        if found < 0:
            yield at, size, size
            return
        yield at, found - 1 if found > at and data[found - 1] == 13 else found, found + 1
        at = found + 1
        if data[at : at + 1] in (b"\n", b"\r", b" ", b"\t") and (blank := _BLANK_LINES.match(data, at)):
            last = data.rfind(b"\n", at, blank.end())
            at = max(at, data.rfind(b"\n", at, max(at, last)) + 1)


def is_blank(data: bytes, start: int, end: int) -> bool:
    """Whether a line holds only space, tab and CR."""
    return not data[start:end].strip(_BLANK)


def plain_paragraphs(data: bytes, at: int) -> Iterator[md.Paragraph]:
    """Every maximal run of non-blank lines."""
    first = last = -1
    for start, end, _ in lines(data, at):
        if is_blank(data, start, end):
            if first >= 0:
                yield md.Paragraph(first, last)
                first = -1
            continue
        first, last = (start if first < 0 else first), end
    if first >= 0:
        yield md.Paragraph(first, last)


def _add_book(builder: ReleaseBuilder, book: str, file: SourceText, *, language: str, markdown: bool) -> None:
    data = file.data
    at = len(BOM) if data.startswith(BOM) else 0
    if markdown:
        document = md.read(data, lines(data, at))
    else:
        document = md.Document(list(plain_paragraphs(data, at)), [])
    paragraphs = document.paragraphs
    before = data[: paragraphs[0].start] if paragraphs else data
    builder.begin_book(book, before=before or None)
    offset = builder.position - len(before)
    defined = {label for _, _, label in document.notes}
    chapters = md.chapters(data, paragraphs) if markdown else [md.Chapter(0, None)]
    for i, chapter in enumerate(chapters):
        builder.begin_chapter(title=chapter.title)
        stop = chapters[i + 1].first if i + 1 < len(chapters) else len(paragraphs)
        for n in range(chapter.first, stop):
            after = paragraphs[n + 1].start if n + 1 < len(paragraphs) else len(data)
            _add_paragraph(builder, paragraphs[n], data, after=after, language=language, name=file.name)
            for low, high, label in paragraphs[n].markers:
                builder.annotate(
                    "note_markers", offset + low, offset + high, source_gap=label not in defined, link=label
                )
    for low, high, label in document.notes:
        builder.annotate("note_bodies", offset + low, offset + high, link=label)


def _add_paragraph(
    builder: ReleaseBuilder, paragraph: md.Paragraph, data: bytes, *, after: int, language: str, name: str
) -> None:
    text = data[paragraph.start : paragraph.end]
    if paragraph.level:
        sentences = [(0, len(text))]
        builder.annotate("headings", builder.position, builder.position + len(text))
    else:
        markers = [(low - paragraph.start, high - paragraph.start) for low, high, _ in paragraph.markers]
        sentences = segmenter.segment(text, language=language, markers=markers)
    builder.add_paragraph(
        text,
        sentences=sentences,
        after=data[paragraph.end : after],
        given=False,
        where=f"{name}, byte {paragraph.start}",
    )
