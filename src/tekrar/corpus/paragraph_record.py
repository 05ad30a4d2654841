"""One paragraph record of a JSON lines source: keys, types, geometry of sentences and markers (contract C9).

Serves ADR-009 *Annotation projections* (invalid geometry is an error, never an exclusion). All offsets are
UTF-8 byte offsets into the record's own `text`, half-open.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Final, NoReturn

from tekrar.corpus.json_line import type_name
from tekrar.errors import SourceError

KINDS: Final = ("heading", "body", "note", "note_cont", "note_inline", "separator", "empty")
Span = tuple[int, int]

_MISSING: Final = object()
_INT64: Final = 2**63
_TYPES: Final[dict[type, str]] = {
    str: "a string",
    int: "a whole number",
    list: "an array",
    bool: "true or false",
}


@dataclass(frozen=True, slots=True)
class Marker:
    """A visible note marker: byte span in its paragraph, whether the source has its note, its other keys."""

    start: int
    end: int
    resolved: bool
    note_id: str | None
    rest: dict[str, Any]


@dataclass(slots=True)
class ParagraphRecord:
    """One record, checked.

    Attributes:
        text: the paragraph's UTF-8 bytes.
        role: heading, body, note, note_cont or note_inline; separators and empty paragraphs are body.
        sents: the source's sentence spans, or None.
        markers: in order of their start.
        rest: every key that has no column of its own in the release, as the source has it.
    """

    book: str
    book_title: str | None
    edition: str | None
    chapter: int
    chapter_title: str | None
    para: int
    ord: int | None
    text: bytes
    role: str
    note_id: str | None
    sents: list[Span] | None
    markers: list[Marker]
    rest: dict[str, Any]


def read_record(value: dict[str, Any], *, where: str) -> ParagraphRecord:
    """Check one JSON object and take it apart; `value` is used up.

    Args:
        value: the object of one line.
        where: file and line, for errors.

    Raises:
        SourceError: a key is missing or of a wrong type, a kind is unknown, an offset is out of range or
            inside a character, a marker's surface is not the text at its place, markers overlap.
    """
    book = _take(value, "book", str, where)
    if not book:
        _refuse("the book has no name", where, "a name in `book`", kind="wrong_value")
    edition = _take(value, "edition", str, where, optional=True)
    if edition == "":
        _refuse("the edition has no name", where, "a name in `edition`, or no such key", kind="wrong_value")
    text = _take(value, "text", str, where).encode("utf-8")
    chapter = _take(value, "chapter", int, where)
    para = _take(value, "para", int, where)
    sents = _take(value, "sents", list, where, optional=True)
    markers = _take(value, "note_markers", list, where, optional=True)
    return ParagraphRecord(
        book=book,
        book_title=_take(value, "book_title", str, where, optional=True),
        edition=edition,
        chapter=chapter,
        chapter_title=_take(value, "chapter_title", str, where, optional=True),
        para=para,
        ord=_take(value, "ord", int, where, optional=True),
        text=text,
        role=_role(value, where),
        note_id=_look(value, "note_id", str, where, optional=True),
        sents=None if sents is None else [_sentence(item, i, text, where) for i, item in enumerate(sents)],
        markers=_markers(markers, text, where) if markers else [],
        rest=value,
    )


def check_markers(markers: Sequence[Marker], sentences: Sequence[Span], *, where: str) -> None:
    """Check that every marker lies inside one sentence or inside one separator.

    Raises:
        SourceError: a marker crosses a boundary between them.
    """
    starts = [start for start, _ in sentences]
    for marker in markers:
        at = bisect_right(starts, marker.start) - 1
        end = sentences[at][1]
        inside = marker.end <= end
        between = marker.start >= end and (at + 1 == len(starts) or marker.end <= starts[at + 1])
        if not inside and not between:
            _refuse(
                f"the note marker at bytes {marker.start}..{marker.end} crosses a sentence end",
                where,
                f"a marker inside one sentence or inside one separator; sentence {at} is {starts[at]}..{end}",
                mend="correct the marker or `sents`",
                kind="marker_across_boundary",
            )


def _role(value: dict[str, Any], where: str) -> str:
    """What a record is; `note_cont` and `note_inline` are flags of a note or, as well, kinds of their own."""
    kind = _look(value, "kind", str, where)
    if kind not in KINDS:
        _refuse(f"unknown kind {kind!r}", where, ", ".join(KINDS), kind="unknown_kind")
    flags = [f for f in ("note_cont", "note_inline") if _look(value, f, bool, where, optional=True)]
    if not flags:
        return kind if kind not in ("separator", "empty") else "body"
    if len(flags) == 2 or kind not in ("note", flags[0]):
        _refuse(
            f"{' and '.join(flags)} on a record of kind {kind!r}",
            where,
            "one of the two, on a record of kind note",
            kind="contradicting_kind",
        )
    return flags[0]


def _markers(items: list[Any], text: bytes, where: str) -> list[Marker]:
    markers = sorted(
        (_marker(item, i, text, where) for i, item in enumerate(items)), key=lambda m: (m.start, m.end)
    )
    for before, after in pairwise(markers):
        if after.start < before.end:
            _refuse(
                f"the note marker at bytes {after.start}..{after.end} overlaps the one before it "
                f"({before.start}..{before.end})",
                where,
                "disjoint markers; touching is legal",
                kind="overlapping_annotations",
            )
    return markers


def _marker(item: Any, index: int, text: bytes, where: str) -> Marker:
    name = f"note_markers[{index}]"
    if not isinstance(item, dict):
        _refuse(f"{name} is {type_name(item)}", where, "an object", kind="wrong_type")
    start = _take(item, "start", int, where, of=name)
    end = _take(item, "end", int, where, of=name)
    _check_span(start, end, text, name, where)
    surface = _look(item, "surface", str, where, of=name, optional=True)
    if surface is not None and surface.encode("utf-8") != text[start:end]:
        _refuse(
            f"{name} has the surface {surface!r}, but bytes {start}..{end} are {text[start:end].decode()!r}",
            where,
            "start and end as UTF-8 byte offsets (not characters) of the visible marker",
            mend="correct the offsets or the surface",
            kind="surface_mismatch",
        )
    resolved = _take(item, "resolved", bool, where, of=name, optional=True)
    note_id = _take(item, "note_id", str, where, of=name, optional=True)
    if note_id is None and resolved is not False:
        _refuse(
            f"{name} is resolved and names no note",
            where,
            'a note_id, or "resolved": false',
            kind="marker_without_body",
        )
    return Marker(start, end, resolved is not False, note_id, item)


def _sentence(item: Any, index: int, text: bytes, where: str) -> Span:
    if not isinstance(item, list) or len(item) != 2 or type(item[0]) is not int or type(item[1]) is not int:
        _refuse(
            f"sents[{index}] is no pair of whole numbers", where, "[start, end] in bytes", kind="wrong_type"
        )
    start, end = item
    _check_span(start, end, text, f"sents[{index}]", where)
    return start, end


def _check_span(start: int, end: int, text: bytes, name: str, where: str) -> None:
    size = len(text)
    if not 0 <= start < end <= size:
        _refuse(
            f"{name} {start}..{end} is empty or outside the text",
            where,
            f"0 <= start < end <= {size}, UTF-8 byte offsets into this record's text",
            kind="span_out_of_range",
        )
    for at in (start, end):
        if at < size and text[at] & 0xC0 == 0x80:
            _refuse(
                f"{name} {start}..{end} splits a character at byte {at}",
                where,
                "UTF-8 byte offsets on character boundaries",
                kind="split_character",
            )


def _take(
    value: dict[str, Any], key: str, wanted: type, where: str, *, of: str = "", optional: bool = False
) -> Any:
    """Remove a key and return its value; see `_look`."""
    found = _look(value, key, wanted, where, of=of, optional=optional)
    value.pop(key, None)
    return found


def _look(
    value: dict[str, Any], key: str, wanted: type, where: str, *, of: str = "", optional: bool = False
) -> Any:
    """The value of a key, of exactly the wanted type; an optional key may be absent or null."""
    found = value.get(key, _MISSING)
    if type(found) is wanted and not (isinstance(found, int) and not -_INT64 <= found < _INT64):
        return found
    if optional and (found is _MISSING or found is None):
        return None
    name = f"{of}.{key}" if of else f"`{key}`"
    if found is _MISSING:
        _refuse(
            f"{name} is missing", where, _TYPES[wanted], mend=f"add {name} to the record", kind="missing_key"
        )
    shown = f"{name} is {type_name(found)}" if type(found) is not wanted else f"{name} is out of range"
    _refuse(shown, where, _TYPES[wanted], kind="wrong_type")


def _refuse(
    message: str, where: str, expected: str, *, kind: str, mend: str = "correct the record"
) -> NoReturn:
    raise SourceError(message, where=where, expected=expected, mend=mend, kind=kind)
