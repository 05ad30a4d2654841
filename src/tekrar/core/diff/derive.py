"""The one canonical script of two passages, `adr009.diff-lcs-move.1` (requirements 3.7).

Common units at both ends are equal; in the middle a longest common subsequence over words and boundaries is
the backbone, and a gap is equal between neighbours that are matched and adjacent on both sides; fragments
that moved are found among the rest; what is left between two equal blocks is a replacement when there is one
piece on either side, else deletions and insertions, and a boundary change when no word is in it.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import Final

from tekrar.core.diff.lcs import Run, Window, places_of, runs
from tekrar.core.diff.moves import moved
from tekrar.core.diff.script import (
    BOUNDARY_CHANGE,
    DELETE,
    EQUAL,
    INSERT,
    MOVE,
    REPLACE,
    Script,
)
from tekrar.core.diff.units import GAP, WORD, Units

#: First and end unit of either side: left, left, right, right.
Block = tuple[int, int, int, int]
#: First and end unit of a piece of one side.
Piece = tuple[int, int]
#: Words and boundaries of a left passage, at most, whose places are kept with it; others of its part alone.
_INDEXED: Final = 1 << 12


def diff(left: Units, right: Units) -> Script:
    """The canonical script from the left passage to the right one: a function of their units alone."""
    blocks = _equal_blocks(left, right)
    regions = list(_between(blocks, len(left.key), len(right.key)))
    taken = _moved(left, right, blocks, regions)
    # ordered by target and then source (rule 5), in units, which ascend as their bytes do
    found = [(c, d, a, b, EQUAL) for a, b, c, d in blocks]
    found += [(b, b + size, a, a + size, MOVE) for a, b, size in taken]
    ours = sorted((a, a + size) for a, _, size in taken)
    theirs = sorted((b, b + size) for _, b, size in taken)
    for region in regions:
        found += _changes(region, (ours, theirs), kinds=(left.kind, right.kind))
    found.sort()
    mine, others = left.edge, right.edge
    return Script(tuple([(code, mine[a], mine[b], others[c], others[d]) for c, d, a, b, code in found]))


# -- the backbone ---------------------------------------------------------------------------------------


def _equal_blocks(left: Units, right: Units) -> list[Block]:
    """Equal blocks: maximal, disjoint, ascending on both sides."""
    ours, theirs, kind = left.key, right.key, left.kind
    head = _common_start(ours, theirs)
    tail = _common_end(ours, theirs, most=min(len(ours), len(theirs)) - head)
    high, end = len(ours) - tail, len(theirs) - tail
    stretches: list[Block] = [(0, head, 0, head)] if head else []
    if head < high and head < end:
        stretches += _matched(left, right, (head, high, head, end))
    if tail:
        stretches.append((high, len(ours), end, len(theirs)))
    if not stretches:
        return []
    blocks: list[Block] = []
    low, stop, first, last = stretches[0]
    for a, b, c, d in stretches[1:]:
        # the gap between two neighbours matched on both sides is equal too
        gapped = a == stop + 1 and c == last + 1 and kind[stop] == GAP and ours[stop] == theirs[last]
        if not gapped and not (a == stop and c == last):
            blocks.append((low, stop, first, last))
            low, first = a, c
        stop, last = b, d
    return [*blocks, (low, stop, first, last)]


def _common_start(ours: list[bytes], theirs: list[bytes]) -> int:
    """Number of equal units at the start, by comparing slices that double and then halve."""
    most = min(len(ours), len(theirs))
    low, size = 0, 1
    while low + size <= most and ours[low : low + size] == theirs[low : low + size]:
        low, size = low + size, size * 2
    while size := size // 2:
        if low + size <= most and ours[low : low + size] == theirs[low : low + size]:
            low += size
    return low


def _common_end(ours: list[bytes], theirs: list[bytes], *, most: int) -> int:
    """Number of equal units at the end, as `_common_start`."""
    a, b, low, size = len(ours), len(theirs), 0, 1
    while low + size <= most and ours[a - low - size : a - low] == theirs[b - low - size : b - low]:
        low, size = low + size, size * 2
    while size := size // 2:
        if low + size <= most and ours[a - low - size : a - low] == theirs[b - low - size : b - low]:
            low += size
    return low


def _matched(left: Units, right: Units, middle: Block) -> list[Block]:
    """Stretches of the middle held equal by the longest common subsequence of its words and boundaries.

    A run of them is one stretch when the gaps inside are equal too, else each of its units is one.
    """
    low, high, first, end = middle
    ours, theirs = left.solid, right.solid
    window = (
        bisect_left(ours, low),
        bisect_left(ours, high),
        bisect_left(theirs, first),
        bisect_left(theirs, end),
    )
    found: list[Block] = []
    for i, j, size in _runs(left, right, window):
        whole = (ours[i], ours[i + size - 1] + 1, theirs[j], theirs[j + size - 1] + 1)
        if left.key[whole[0] : whole[1]] == right.key[whole[2] : whole[3]]:
            found.append(whole)
        else:
            pairs = zip(ours[i : i + size], theirs[j : j + size], strict=True)
            found += [(x, x + 1, y, y + 1) for x, y in pairs]
    return found


def _runs(left: Units, right: Units, window: Window) -> list[Run]:
    a, b = left.solid_key, right.solid_key
    if len(a) <= _INDEXED:
        return runs(a, b, left.places, window)
    low, high, first, end = window
    a, b = a[low:high], b[first:end]
    found = runs(a, b, places_of(a), (0, len(a), 0, len(b)))
    return [(i + low, j + first, size) for i, j, size in found]


# -- what is left ---------------------------------------------------------------------------------------


def _moved(
    left: Units, right: Units, blocks: Sequence[Block], regions: Sequence[Block]
) -> list[tuple[int, int, int]]:
    """Moved fragments: first unit of either side, and units."""
    words = [at for low, high, _, _ in regions for at in range(low, high) if left.kind[at] == WORD]
    targets = [at for _, _, low, high in regions for at in range(low, high) if right.kind[at] == WORD]
    if {left.key[at] for at in words}.isdisjoint([right.key[at] for at in targets]):
        return []  # a fragment has a word in it
    ours: list[bytes | None] = list(left.key)
    theirs: list[bytes | None] = list(right.key)
    for low, high, first, end in blocks:
        ours[low:high] = theirs[first:end] = [None] * (high - low)
    return moved(ours, theirs, left.kind, words=words, targets=targets)


def _between(blocks: Sequence[Block], units: int, others: int) -> Iterator[Block]:
    """The regions between neighbouring blocks, before the first and after the last, where not empty."""
    low = first = 0
    for a, b, c, d in [*blocks, (units, units, others, others)]:
        if low < a or first < c:
            yield low, a, first, c
        low, first = b, d


def _pieces(low: int, high: int, taken: Sequence[Piece]) -> list[Piece]:
    """What moves leave of a range."""
    found, at = [], low
    for a, b in taken[bisect_left(taken, (low, low)) : bisect_left(taken, (high, high))]:
        if at < a:
            found.append((at, a))
        at = b
    return [*found, (at, high)] if at < high else found


def _changes(
    region: Block, taken: tuple[list[Piece], list[Piece]], *, kinds: tuple[bytes, bytes]
) -> list[tuple[int, int, int, int, int]]:
    """Replacements, deletions, insertions and boundary changes of a region: target, source and code."""
    low, high, first, end = region
    ours = _pieces(low, high, taken[0]) if taken[0] and low < high else [(low, high)][: high - low]
    theirs = _pieces(first, end, taken[1]) if taken[1] and first < end else [(first, end)][: end - first]
    kind, other = kinds
    if len(ours) == len(theirs) == 1:
        (a, b), (c, d) = ours[0], theirs[0]
        worded = WORD in kind[a:b] or WORD in other[c:d]
        return [(c, d, a, b, REPLACE if worded else BOUNDARY_CHANGE)]
    found = [(first, first, a, b, DELETE if WORD in kind[a:b] else BOUNDARY_CHANGE) for a, b in ours]
    found += [(c, d, low, low, INSERT if WORD in other[c:d] else BOUNDARY_CHANGE) for c, d in theirs]
    return found
