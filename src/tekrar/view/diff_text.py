"""A diff as lines for a terminal: the right passage with every change marked, then the changes one by one.

Marks work without colour: [-deleted-] {+inserted+} [-replaced-]{+by+} {>moved<} {~boundary~}. Text of the
source stands between isolates, phrases from right to left with their marks as one; whole words are marked, so
Arabic letters stay joined; invisible characters in a change are shown by name.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from tekrar.core.diff import PassageDiff
from tekrar.core.identity import uuid_text
from tekrar.view.change_kind import pictured
from tekrar.view.changes import Change, summary_of
from tekrar.view.direction import Piece, direction_of, laid_out, plain_pieces
from tekrar.view.drawn import CHANGE, CHANGES, WHOLE, Budget, left_out
from tekrar.view.endpoints import Passage
from tekrar.view.plain import FSI, PDI, isolated

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
    listed = [change for change in changes if change.op != "equal"]
    budget = Budget()
    for at, change in enumerate(listed):
        yield ""
        if budget.spent or at == CHANGES:
            yield f"     … {len(listed) - at:,} more changes are not drawn: {WHOLE}"
            return
        yield from _change(change, budget, colour=colour)


def marked_passage(changes: Sequence[Change], *, colour: bool) -> Iterator[str]:
    """The right passage with the changes in place, a line of the source a line."""
    line: list[Piece] = []
    budget = Budget()
    over = 0
    for change in changes:
        if budget.spent:
            over += len(change.after)
        elif change.op == "equal":
            drawn = budget.take(change.after)
            over += len(change.after) - len(drawn)
            own, *others = drawn.split("\n")
            line += plain_pieces(own)
            for text in others:
                yield f"  ┃ {laid_out(line)}"
                line = list(plain_pieces(text))
        else:
            line += _marked(change, budget, colour=colour)
    yield f"  ┃ {laid_out(line)}"
    if over:
        yield f"    … {over:,} more characters are not drawn: {WHOLE}"
    elif budget.cut:
        yield f"    long texts are drawn in part: {WHOLE}"


def _marked(change: Change, budget: Budget, *, colour: bool) -> Iterator[Piece]:
    if change.op == "move":
        yield _painted("{>", change.after, "<}", _BLUE if colour else "", budget)
    elif change.op == "boundary_change":
        shown = f"{_drawn(change.before, budget)}→{_drawn(change.after, budget)}"
        yield Piece(_paint(f"{{~{FSI}{shown}{PDI}~}}", _YELLOW if colour else ""), "")
    else:
        opening, before, after, closing = _apart(change.before, change.after)
        yield from plain_pieces(budget.take(opening))
        if before:
            yield _painted("[-", before, "-]", _RED if colour else "", budget)
        if after:
            yield _painted("{+", after, "+}", _GREEN if colour else "", budget)
        yield from plain_pieces(budget.take(closing))


def _drawn(text: str, budget: Budget) -> str:
    """A changed text, a long one in part."""
    drawn = budget.take(text, most=CHANGE)
    return f"{pictured(drawn)}{left_out(text, drawn)}"


def _apart(before: str, after: str) -> tuple[str, str, str, str]:
    """Spaces that both sides of a replacement begin with, what is left of each, spaces that both end with."""
    most = min(len(before), len(after))
    start = next((at for at in range(most) if not before[at] == after[at] == " "), most)
    end = next(
        (at for at in range(most - start) if not before[-1 - at] == after[-1 - at] == " "), most - start
    )
    return after[:start], before[start : len(before) - end], after[start : len(after) - end], " " * end


def _painted(opening: str, text: str, closing: str, colour: str, budget: Budget) -> Piece:
    shown = _paint(f"{opening}{FSI}{_drawn(text, budget)}{PDI}{closing}", colour)
    return Piece(shown, direction_of(text))


def _paint(text: str, colour: str) -> str:
    return f"{colour}{text}{_OFF}" if colour else text


def _change(change: Change, budget: Budget, *, colour: bool) -> Iterator[str]:
    left, right = change.left, change.right
    kinds = f"  ({', '.join(change.kinds)})" if change.kinds else ""
    yield (f"{change.number:>4} {change.op:<15} bytes {left[0]}..{left[1]} → {right[0]}..{right[1]}{kinds}")
    if change.before:
        yield f"     - {_paint(f'{FSI}{_drawn(change.before, budget)}{PDI}', _RED if colour else '')}"
    if change.after and change.op != "move":
        yield f"     + {_paint(f'{FSI}{_drawn(change.after, budget)}{PDI}', _GREEN if colour else '')}"
    for note in change.notes:
        yield f"       {note}"
