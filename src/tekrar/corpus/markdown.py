"""What Markdown marks mean for a release: ATX headings, footnotes, and the code in which neither counts.

Serves contract C9, *Text and Markdown*: all else, HTML and front matter too, is body bytes. Offsets are bytes
of the file. Code follows CommonMark: fenced blocks (also in lists, block quotes and notes), indented
blocks outside lists and block quotes, code spans.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from enum import Enum
from typing import Final, NamedTuple

_HEADING: Final = re.compile(rb" {0,3}(#{1,6})(?=[ \t]|\r*\Z)")
_FENCE: Final = re.compile(rb" {0,3}(?:(`{3,})[^`]*|(~{3,}).*)\Z", re.DOTALL)
_DEFINITION: Final = re.compile(rb" {0,3}(\[\^([^\s\[\]]+)\]:)")
_LIST_ITEM: Final = re.compile(rb" {0,3}(?:[-+*]|[0-9]{1,9}[.)])(?:[ \t]|\Z)")
_QUOTE: Final = re.compile(rb"(?: {0,3}> ?)+")
_INLINE: Final = re.compile(rb"\\[!-/:-@\[-`{-~]|`+|\[\^([^\s\[\]]+)\]")
_BACKTICKS: Final = re.compile(rb"`+")
_NOTE_INDENT: Final = 4


@dataclass(slots=True)
class Paragraph:
    """A run of lines: bytes `start`..`end`, heading level (0: none), markers as (start, end, label)."""

    start: int
    end: int
    level: int = 0
    markers: list[tuple[int, int, str]] = field(default_factory=list)


class Chapter(NamedTuple):
    """A chapter: ordinal of its first paragraph, text of its heading."""

    first: int
    title: str | None


@dataclass(slots=True)
class Document:
    """Paragraphs of a file and its note bodies as (start, end, label)."""

    paragraphs: list[Paragraph]
    notes: list[tuple[int, int, str]]


class Line(Enum):
    """What a line is."""

    BLANK = 0
    TEXT = 1
    CODE = 2
    HEADING = 3
    DEFINITION = 4


def read(data: bytes, lines: Iterable[tuple[int, int, int]]) -> Document:
    """Read a Markdown file.

    Args:
        data: its bytes, UTF-8.
        lines: its lines as (first byte, end of content, end of terminator), without a BOM.
    """
    document = Document([], [])
    reader = _LineReader()
    current: Paragraph | None = None
    region: tuple[int, int] | None = (
        None  # neighbouring text lines of one paragraph: where a code span may run over a line end
    )
    for start, end, _ in lines:
        kind = reader.kind(data[start:end])
        if kind is not Line.TEXT and region is not None and current is not None:
            current.markers += markers(data, *region)
            region = None
        if kind is Line.BLANK:
            current = None
            continue
        if current is None or kind is Line.HEADING or current.level:
            current = Paragraph(start, end, reader.level if kind is Line.HEADING else 0)
            document.paragraphs.append(current)
        current.end = end
        if kind is Line.DEFINITION:
            document.notes.append((start + reader.label_start, end, reader.label))
            region = (start + reader.label_end, end)
        elif reader.in_note:
            document.notes[-1] = (document.notes[-1][0], end, document.notes[-1][2])
        if kind is Line.HEADING:
            current.markers += markers(data, start, end)
        elif kind is Line.TEXT:
            region = (region[0] if region else start, end)
    if region is not None and current is not None:
        current.markers += markers(data, *region)
    return document


def chapters(data: bytes, paragraphs: Sequence[Paragraph]) -> list[Chapter]:
    """The chapters: a heading of level 1 to 3 opens one unless the chapter so far holds only headings."""
    found = [Chapter(0, None)]
    only_headings = True
    for n, paragraph in enumerate(paragraphs):
        if 1 <= paragraph.level <= 3:
            title = heading_text(data[paragraph.start : paragraph.end])
            if not only_headings:
                found.append(Chapter(n, title))
                only_headings = True
            elif found[-1].title is None:
                found[-1] = Chapter(found[-1].first, title)
        if not paragraph.level:
            only_headings = False
    return found


def heading_text(line: bytes) -> str:
    """The words of a heading line, without its marks and the white space around them."""
    match = _HEADING.match(line)
    text = line[match.end() if match else 0 :].strip(b" \t\r")
    bare = text.rstrip(b"#")
    if not bare or bare[-1:] in b" \t":
        text = bare.rstrip(b" \t")
    return text.decode("utf-8")


def markers(data: bytes, start: int, end: int) -> Iterator[tuple[int, int, str]]:
    """The footnote references in bytes `start`..`end` that stand in no code span and behind no backslash."""
    runs: dict[int, list[int]] = {}  # length of a run of backticks -> where such runs start, last first
    for run in reversed(list(_BACKTICKS.finditer(data, start, end))):
        runs.setdefault(run.end() - run.start(), []).append(run.start())
    at = start
    while token := _INLINE.search(data, at, end):
        at = token.end()
        if token.group(1) is not None:
            yield token.start(), at, token.group(1).decode("utf-8")
        elif token.group().startswith(b"`"):
            length = at - token.start()
            later = runs.get(length, [])
            while later and later[-1] < at:
                later.pop()
            if later:
                at = later[-1] + length


class _Fence(NamedTuple):
    """An open code fence: its marks, the note or quote that it cannot outlast, whether a list indents it."""

    marks: bytes
    in_note: bool
    quoted: bool
    in_list: bool


class _LineReader:
    """Tells what each line is, top to bottom.

    Attributes:
        level: level of the last heading.
        label, label_start, label_end: of the last definition; offsets in its line.
        in_note: whether the last line belongs to a note body.
    """

    def __init__(self) -> None:
        self.level = 0
        self.label = ""
        self.label_start = self.label_end = 0
        self.in_note = False
        self._note_open = False
        self._fence: _Fence | None = None
        self._in_list = False
        self._last = Line.BLANK

    def kind(self, line: bytes) -> Line:
        """What the next line is; `line` is its content without the terminator."""
        self.in_note = False
        if not line.strip(b" \t\r"):
            kind = Line.BLANK
        else:
            if self._note_open:
                inner = dedented(line)
                self.in_note = self._note_open = inner is not None
                self._in_list = self._in_list and self._note_open
                line = line if inner is None else inner
            kind = self._content(line)
        self._last = kind
        return kind

    def _content(self, line: bytes) -> Line:
        quote = _QUOTE.match(line)
        inner = line[quote.end() :] if quote else line
        if self._fence is not None and self._in_fence(line, inner, quoted=quote is not None):
            return Line.CODE
        item = _behind_list_marks(inner)
        self._in_list = self._in_list or item != inner
        fence = _FENCE.match(item.lstrip(b" \t") if self._in_list else item)
        if fence:
            self._in_list = self._in_list and line[:1] not in (b"`", b"~")
            marks = fence.group(1) or fence.group(2)
            self._fence = _Fence(marks, self.in_note, quote is not None, self._in_list)
            return Line.CODE
        if not self.in_note:
            if heading := _HEADING.match(line):
                self.level = len(heading.group(1))
                self._in_list = False
                return Line.HEADING
            if definition := _DEFINITION.match(line):
                self.label = definition.group(2).decode("utf-8")
                self.label_start, self.label_end = definition.span(1)
                self._note_open = self.in_note = True
                self._in_list = False
                return Line.DEFINITION
        return self._text_or_code(line, is_item=item != inner)

    def _in_fence(self, line: bytes, inner: bytes, *, quoted: bool) -> bool:
        """Whether a line belongs to the open fence, which ends at its closing line or with its block."""
        fence = self._fence
        if fence is None:
            return False
        if fence.in_note != self.in_note or (fence.quoted and not quoted):
            self._fence = None
            return False
        text = inner if fence.quoted else line
        if _closes(text.lstrip(b" \t") if fence.in_list else text, fence.marks):
            self._fence = None
        return True

    def _text_or_code(self, line: bytes, *, is_item: bool) -> Line:
        continues = self._last in (Line.TEXT, Line.DEFINITION)
        if dedented(line) is not None:
            return Line.TEXT if continues or self._in_list else Line.CODE
        if not is_item and not continues and line[:1] not in (b" ", b"\t"):
            self._in_list = False
        return Line.TEXT


def dedented(line: bytes) -> bytes | None:
    """A line without four columns of indentation (a tab fills up to four); None if it has fewer."""
    columns = 0
    for at, octet in enumerate(line):
        if octet == 0x20:
            columns += 1
        elif octet == 0x09:
            columns += 4 - columns % 4
        else:
            return None
        if columns >= _NOTE_INDENT:
            return line[at + 1 :]
    return None


def _behind_list_marks(line: bytes) -> bytes:
    """What stands behind the marks of list items that a line opens; `* * *` is a rule and opens none."""
    marks = line.translate(None, b" \t\r")
    if len(marks) >= 3 and marks[:1] in (b"*", b"-") and not marks.strip(marks[:1]):
        return line
    while match := _LIST_ITEM.match(line):
        line = line[match.end() :]
    return line


def _closes(line: bytes, marks: bytes) -> bool:
    """Whether a line closes a fence that was opened with `marks`."""
    text = line.rstrip(b" \t\r")
    indent = len(text) - len(text.lstrip(b" "))
    return indent <= 3 and len(text) - indent >= len(marks) and not text[indent:].strip(marks[:1])
