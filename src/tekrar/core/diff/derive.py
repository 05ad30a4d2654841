"""The one canonical script of two passages, `adr009.diff-lcs-move.1` (requirements 3.7).

Common units at both ends are equal; in the middle a longest common subsequence over words and boundaries is
the backbone, and a gap is equal between neighbours that are matched and adjacent on both sides; fragments
that moved are found among the rest; what is left between two equal blocks is a replacement when there is one
piece on either side, else deletions and insertions, and a boundary change when no word is in it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tekrar.core.diff.lcs import matches
from tekrar.core.diff.moves import moved
from tekrar.core.diff.script import (
    BOUNDARY_CHANGE,
    DELETE,
    EQUAL,
    INSERT,
    MOVE,
    REPLACE,
    Operation,
    Script,
    order_of,
)
from tekrar.core.diff.units import GAP, WORD, Units

#: First and end unit of either side: left, left, right, right.
Block = tuple[int, int, int, int]
#: First and end unit of a piece of one side.
Piece = tuple[int, int]


def diff(left: Units, right: Units) -> Script:
    """The canonical script from the left passage to the right one: a function of their units alone."""
    blocks = _equal_blocks(left, right)
    taken = _moved(left, right, blocks)
    edges = left.edge, right.edge
    found = [_operation(EQUAL, block, edges) for block in blocks]
    found += [_operation(MOVE, (a, a + size, b, b + size), edges) for a, b, size in taken]
    ours = sorted((a, a + size) for a, _, size in taken)
    theirs = sorted((b, b + size) for _, b, size in taken)
    for region in _between(blocks, len(left.key), len(right.key)):
        low, high, first, end = region
        if not ours:
            pieces = ([(low, high)] if low < high else []), ([(first, end)] if first < end else [])
        else:
            pieces = _pieces(low, high, ours), _pieces(first, end, theirs)
        changes = _changes(*pieces, at=(low, first), kinds=(left.kind, right.kind))
        found += [_operation(code, block, edges) for code, block in changes]
    found.sort(key=order_of)
    return Script(tuple(found))


def _operation(code: int, block: Block, edges: tuple[list[int], list[int]]) -> Operation:
    a, b, c, d = block
    ours, theirs = edges
    return Operation(code, ours[a], ours[b], theirs[c], theirs[d])


# -- the backbone ---------------------------------------------------------------------------------------


def _equal_blocks(left: Units, right: Units) -> list[Block]:
    """Equal blocks: maximal, disjoint, ascending on both sides."""
    ours, theirs = left.key, right.key
    head = _common_start(ours, theirs)
    tail = _common_end(ours, theirs, most=min(len(ours), len(theirs)) - head)
    low, high, end = head, len(ours) - tail, len(theirs) - tail
    pairs: list[tuple[int, int]] = []
    if low < high and low < end:
        pairs = _matched(left, right, (low, high, low, end))
    blocks: list[Block] = [(0, head, 0, head)] if head else []
    for a, b in pairs:
        if blocks and blocks[-1][1] == a and blocks[-1][3] == b:
            blocks[-1] = (blocks[-1][0], a + 1, blocks[-1][2], b + 1)
        else:
            blocks.append((a, a + 1, b, b + 1))
    if tail:
        if blocks and blocks[-1][1] == high and blocks[-1][3] == end:
            blocks[-1] = (blocks[-1][0], len(ours), blocks[-1][2], len(theirs))
        else:
            blocks.append((high, len(ours), end, len(theirs)))
    return blocks


def _common_start(ours: list[bytes], theirs: list[bytes]) -> int:
    """Number of equal units at the start, by comparing slices that halve."""
    low, high = 0, min(len(ours), len(theirs))
    while low < high:
        middle = (low + high + 1) // 2
        if ours[low:middle] == theirs[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_end(ours: list[bytes], theirs: list[bytes], *, most: int) -> int:
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        a, b = len(ours), len(theirs)
        if ours[a - middle : a - low] == theirs[b - middle : b - low]:
            low = middle
        else:
            high = middle - 1
    return low


def _matched(left: Units, right: Units, middle: Block) -> list[tuple[int, int]]:
    """Pairs of equal units of the middle: words and boundaries of the subsequence, and gaps between them."""
    low, high, first, end = middle
    ours = [at for at in range(low, high) if left.kind[at] != GAP]
    theirs = [at for at in range(first, end) if right.kind[at] != GAP]
    ids: dict[bytes, int] = {}
    a = [ids.setdefault(left.key[at], len(ids)) for at in ours]
    b = [ids.setdefault(right.key[at], len(ids)) for at in theirs]
    pairs = [(ours[i], theirs[j]) for i, j in matches(a, b)]
    # the units before and after the middle are equal, where there are any
    before = [(low - 1, first - 1)] if low else []
    after = [(high, end)] if high < len(left.key) else []
    found: list[tuple[int, int]] = []
    last = (-2, -2)
    for pair in [*before, *pairs, *after]:
        # two apart on both sides: one unit stands between, and it is a gap unless a boundary or word was
        # passed over
        if pair[0] - last[0] == 2 == pair[1] - last[1]:
            gap = pair[0] - 1
            if left.kind[gap] == GAP and left.key[gap] == right.key[pair[1] - 1]:
                found.append((gap, pair[1] - 1))
        found.append(pair)
        last = pair
    return [pair for pair in found if low <= pair[0] < high and first <= pair[1] < end]


# -- what is left ---------------------------------------------------------------------------------------


def _moved(left: Units, right: Units, blocks: Sequence[Block]) -> list[tuple[int, int, int]]:
    """Moved fragments in units of the whole passages."""
    regions = list(_between(blocks, len(left.key), len(right.key)))
    if not any(low < high for low, high, _, _ in regions) or not any(a < b for _, _, a, b in regions):
        return []
    ids: dict[bytes, int] = {}
    ours, kind, place = _leftover([(a, b) for a, b, _, _ in regions], left, ids)
    theirs, _, target = _leftover([(a, b) for _, _, a, b in regions], right, ids)
    return [(place[a], target[b], size) for a, b, size in moved(ours, theirs, kind)]


def _leftover(
    ranges: Sequence[Piece], side: Units, ids: dict[bytes, int]
) -> tuple[list[int], list[int], list[int]]:
    """Ids, kinds and places of the units in some ranges, a fence of id -1 between two ranges."""
    items: list[int] = []
    kind: list[int] = []
    place: list[int] = []
    for low, high in ranges:
        items += [ids.setdefault(key, len(ids)) for key in side.key[low:high]]
        kind += side.kind[low:high]
        place += range(low, high)
        items.append(-1)
        kind.append(GAP)
        place.append(-1)
    return items, kind, place


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
    for a, b in taken:
        if low <= a and b <= high:
            if at < a:
                found.append((at, a))
            at = b
    return [*found, (at, high)] if at < high else found


def _changes(
    ours: list[Piece], theirs: list[Piece], *, at: Piece, kinds: tuple[list[int], list[int]]
) -> Iterator[tuple[int, Block]]:
    """Replacements, deletions, insertions and boundary changes of a region; `at` is where it begins."""

    def wordless(piece: Piece, kind: list[int]) -> bool:
        return WORD not in kind[piece[0] : piece[1]]

    if len(ours) == len(theirs) == 1:
        bare = wordless(ours[0], kinds[0]) and wordless(theirs[0], kinds[1])
        yield BOUNDARY_CHANGE if bare else REPLACE, (*ours[0], *theirs[0])
        return
    for piece in ours:
        yield BOUNDARY_CHANGE if wordless(piece, kinds[0]) else DELETE, (*piece, at[1], at[1])
    for piece in theirs:
        yield BOUNDARY_CHANGE if wordless(piece, kinds[1]) else INSERT, (at[0], at[0], *piece)
