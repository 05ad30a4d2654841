"""A diff as lines for a terminal: the right passage with every change marked, then the changes one by one.

Marks work without colour: [-deleted-] {+inserted+} [-replaced-]{+by+} {>moved<} {~boundary~}. Text of the
source stands between isolates, so right-to-left words keep their order; whole words are marked, so Arabic
letters stay joined; invisible characters in a change are shown by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tekrar.core.diff import PassageDiff
from tekrar.core.identity import uuid_text
from tekrar.view.change_kind import pictured
from tekrar.view.changes import Change, summary_of
from tekrar.view.endpoints import Passage
from tekrar.view.plain import FSI, PDI, isolated, safe

_RED: Final = "\x1b[31m"
_GREEN: Final = "\x1b[32m"
_BLUE: Final = "\x1b[34m"
_YELLOW: Final = "\x1b[33m"
_OFF: Final = "\x1b[0m"


def diff_lines(
    diff: PassageDiff, sides: tuple[Passage, Passage], changes: Sequence[Change], *, colour: bool
) -> Iterator[str]:
    """The lines of a diff."""
    own = diff.id
    for name, side in zip(("left", "right"), sides, strict=True):
        endpoint = side.endpoint
        occurrence = "" if endpoint.occurrence is None else f"  {uuid_text(endpoint.occurrence)}"
        profile = f"  {side.profile}" if side.profile else ""
        yield f"{name:<9} {isolated(side.address)}{profile}{occurrence}"
        yield f"          bytes {endpoint.units.start}..{endpoint.units.end}"
    yield "diff      " + ("no ID: a byte range is no occurrence" if own is None else uuid_text(own))
    summary = summary_of(changes)
    yield f"summary   {summary['said']}"
    counts = ", ".join(f"{count} {name}" for name, count in summary["operations"].items())
    yield f"          operations: {counts or 'none'}"
    yield ""
    yield from marked_passage(changes, colour=colour)
    for change in changes:
        if change.op != "equal":
            yield ""
            yield from _change(change, colour=colour)


def marked_passage(changes: Sequence[Change], *, colour: bool) -> Iterator[str]:
    """The right passage with the changes in place, a line of the source a line."""
    parts: list[str] = []
    for change in changes:
        if change.op == "equal":
            lines = change.after.split("\n")
            parts.append("\n".join(f"{FSI}{safe(line)}{PDI}" if line else "" for line in lines))
        elif change.op == "move":
            parts.append(_painted("{>", change.after, "<}", _BLUE if colour else ""))
        elif change.op == "boundary_change":
            shown = f"{pictured(change.before)}→{pictured(change.after)}"
            parts.append(_paint(f"{{~{FSI}{shown}{PDI}~}}", _YELLOW if colour else ""))
        else:
            if change.before:
                parts.append(_painted("[-", change.before, "-]", _RED if colour else ""))
            if change.after:
                parts.append(_painted("{+", change.after, "+}", _GREEN if colour else ""))
    for line in "".join(parts).split("\n"):
        yield f"  ┃ {line}"


def _painted(opening: str, text: str, closing: str, colour: str) -> str:
    return _paint(f"{opening}{FSI}{pictured(text)}{PDI}{closing}", colour)


def _paint(text: str, colour: str) -> str:
    return f"{colour}{text}{_OFF}" if colour else text


def _change(change: Change, *, colour: bool) -> Iterator[str]:
    left, right = change.left, change.right
    kinds = f"  ({', '.join(change.kinds)})" if change.kinds else ""
    yield (f"{change.number:>4} {change.op:<15} bytes {left[0]}..{left[1]} → {right[0]}..{right[1]}{kinds}")
    if change.before:
        yield f"     - {_paint(f'{FSI}{pictured(change.before)}{PDI}', _RED if colour else '')}"
    if change.after and change.op != "move":
        yield f"     + {_paint(f'{FSI}{pictured(change.after)}{PDI}', _GREEN if colour else '')}"
    for note in change.notes:
        yield f"       {note}"
