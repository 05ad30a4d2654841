"""Replay and verification of an edit script, whoever made it (ADR-009 *Candidate and diff evidence*).

A script holds when every unit of either side lies in exactly one operation of the right kind, equal and moved
spans hold the same units, the backbone ascends, the order is canonical, the replay gives the right witness,
and the algorithm, run again, gives the same script. The first violation is a typed error that names its
operation, counted from 1.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final, NoReturn

from tekrar.core.diff.derive import diff
from tekrar.core.diff.script import (
    BOUNDARY_CHANGE,
    DELETE,
    EQUAL,
    INSERT,
    MOVE,
    NAMES,
    OPERATIONS,
    REPLACE,
    Operation,
    Script,
    order_of,
)
from tekrar.core.diff.units import Units
from tekrar.errors import VerificationError

#: Operations that hold source units, and those that hold target units.
_FROM_LEFT = (EQUAL, DELETE, REPLACE, MOVE, BOUNDARY_CHANGE)
_FROM_RIGHT = (EQUAL, INSERT, REPLACE, MOVE, BOUNDARY_CHANGE)
#: Operation, whether it holds source units, whether it holds target units.
_SHAPES: Final = frozenset(
    [(code, True, True) for code in (EQUAL, REPLACE, MOVE, BOUNDARY_CHANGE)]
    + [(code, True, False) for code in (DELETE, BOUNDARY_CHANGE)]
    + [(code, False, True) for code in (INSERT, BOUNDARY_CHANGE)]
)


#: Positions in units of an operation's source and target: first and end.
Places = tuple[int, int, int, int]


def replay(script: Script, left: Units, right: Units) -> bytes:
    """What the script makes of the left witness: its equal and moved spans, and the spans of the right that
    insertions, replacements and boundary changes point at.

    Raises:
        VerificationError: a span that leaves its passage or cuts a unit.
    """
    places = list(_places(script.operations, left, right))
    return b"".join(_replayed(script.operations, places, left, right))


def _replayed(
    operations: Sequence[Operation], places: Sequence[Places], left: Units, right: Units
) -> list[bytes]:
    """Keys of the units that the operations make."""
    parts: list[bytes] = []
    ours, theirs = left.key, right.key
    for operation, (a, b, c, d) in zip(operations, places, strict=True):
        parts += ours[a:b] if operation[0] in (EQUAL, MOVE) else theirs[c:d]
    return parts


def _places(operations: Sequence[Operation], left: Units, right: Units) -> Iterator[Places]:
    """Positions of each operation's spans; most operations begin where the one before ended."""
    ours, theirs = left.edge, right.edge
    high = end = 0
    for number, (code, a, b, c, d) in enumerate(operations, 1):
        if code not in NAMES:
            _refuse_code(number, code)
        low = high if ours[high] == a else bisect_right(ours, a) - 1
        high = low if a == b else bisect_right(ours, b) - 1
        if a > b or ours[low] != a or ours[high] != b:
            _span(number, code, left, low=a, high=b, side="left")
        first = end if theirs[end] == c else bisect_right(theirs, c) - 1
        end = first if c == d else bisect_right(theirs, d) - 1
        if c > d or theirs[first] != c or theirs[end] != d:
            _span(number, code, right, low=c, high=d, side="right")
        yield low, high, first, end


def verify(script: Script, left: Units, right: Units, *, canonical: Script | None = None) -> None:
    """Check a script against its two passages by every rule of requirements 3.7.

    Args:
        script: the script.
        left, right: the passages.
        canonical: what `derive.diff` has just made of them; derived here where it is not given.

    Raises:
        VerificationError: the first rule that does not hold, with the operation.
    """
    operations = script.operations
    places: list[Places] = []
    for operation, place in zip(operations, _places(operations, left, right), strict=True):
        places.append(place)
        _check_operation(len(places), operation, place, keys=(left.key, right.key))
    for number, (one, other) in enumerate(pairwise(map(order_of, operations)), 2):
        if one >= other:
            _refuse(
                number,
                operations[number - 1][0],
                "stands out of order",
                "target start, target end, source start, source end, ascending",
                kind="diff_order",
            )
    _check_coverage(operations, left, which=1, holding=_FROM_LEFT, side="left")
    _check_coverage(operations, right, which=3, holding=_FROM_RIGHT, side="right")
    _check_backbone(operations)
    made = _replayed(operations, places, left, right)
    if made != right.key and b"".join(made) != right.witness():
        raise VerificationError(
            "the script does not replay to the right witness", where="edit script", kind="diff_replay"
        )
    canonical = canonical or diff(left, right)
    if canonical.operations != operations:
        number = next(
            (n for n, (a, b) in enumerate(zip(operations, canonical.operations, strict=False), 1) if a != b),
            min(len(operations), len(canonical.operations)) + 1,
        )
        raise VerificationError(
            "the script replays, and is not the canonical one of its passages",
            where=f"operation {number}",
            expected=_shown(canonical.operations, number),
            kind="diff_not_canonical",
        )


def _shown(operations: Sequence[Operation], number: int) -> str:
    if number > len(operations):
        return "no further operation"
    code, a, b, c, d = operations[number - 1]
    return f"{NAMES[code]} {a}..{b} to {c}..{d}"


def _refuse_code(number: int, code: int) -> NoReturn:
    raise VerificationError(
        f"{code!r} is no operation",
        where=f"operation {number}",
        expected=", ".join(OPERATIONS),
        kind="diff_operation",
    )


def _check_operation(
    number: int, operation: Operation, places: Places, *, keys: tuple[list[bytes], list[bytes]]
) -> None:
    """Which sides it holds, and that what it calls equal is."""
    code, a, b, c, d = operation
    if (code, a < b, c < d) not in _SHAPES:
        if a < b and c < d:
            _refuse(
                number, code, "holds both sides", "an empty span on the other side", kind="diff_two_sided"
            )
        _refuse(number, code, "holds nothing on a side", "a span with a unit", kind="diff_empty_span")
    low, high, first, end = places
    if code in (EQUAL, MOVE) and keys[0][low:high] != keys[1][first:end]:
        _refuse(number, code, "claims equal spans that differ", "the same bytes on both sides", "diff_lie")


def _span(number: int, code: int, units: Units, *, low: int, high: int, side: str) -> NoReturn:
    """Refuse a span that is none of the passage's."""
    where = f"the {side} span {low}..{high}"
    if not units.start <= low <= high <= units.end:
        _refuse(
            number, code, f"leaves the passage: {where}", f"within {units.start}..{units.end}", "diff_outside"
        )
    for place in (low, high):
        if 0 <= place - units.base < len(units.text) and units.text[place - units.base] & 0xC0 == 0x80:
            _refuse(
                number, code, f"cuts the character at byte {place}", "character boundaries", "diff_character"
            )
    _refuse(number, code, f"cuts a unit: {where}", "edges of words, gaps and boundaries", kind="diff_unit")


def _check_coverage(
    operations: Sequence[Operation], units: Units, *, which: int, holding: Sequence[int], side: str
) -> None:
    """Every unit of a side in exactly one operation that holds it."""
    spans = sorted(
        (operation[which], operation[which + 1], number)
        for number, operation in enumerate(operations, 1)
        if operation[0] in holding and operation[which] < operation[which + 1]
    )
    at = units.start
    for low, high, number in [*spans, (units.end, units.end, 0)]:
        if low < at:
            code = operations[number - 1][0]
            _refuse(
                number,
                code,
                f"holds {side} bytes {low}..{min(at, high)} again",
                "each unit in one operation",
                "diff_overlap",
            )
        if low > at:
            raise VerificationError(
                f"{side} bytes {at}..{low} stand in no operation",
                where="edit script",
                expected="each unit in exactly one operation",
                kind="diff_uncovered",
            )
        at = high


def _check_backbone(operations: Sequence[Operation]) -> None:
    last = -1
    for number, operation in enumerate(operations, 1):
        if operation[0] == EQUAL:
            if operation[1] < last:
                _refuse(
                    number,
                    EQUAL,
                    f"goes back in the left passage, from byte {last} to {operation[1]}",
                    "equal blocks ascending on both sides; a block that goes back is a move",
                    kind="diff_backbone",
                )
            last = operation[2]


def _refuse(number: int, code: int, what: str, expected: str, kind: str) -> NoReturn:
    raise VerificationError(
        f"{NAMES.get(code, code)} {what}",
        where=f"operation {number}",
        expected=expected,
        kind=kind,
    )
