"""The order of the list, best first: what a curator sees."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import RARE
from tekrar.discover.entries import GROUP, PAIR, STRETCH, Entries
from tekrar.discover.places import ONE, PART, Places
from tekrar.discover.thresholds import VARIANT

Ints = NDArray[np.int64]
#: What an entry inside one book counts against one across books: a book's own phrase is style before it is
#: reuse.
#: Units that are alike as wholes are not phrases.
SAME_BOOK: Final = (1, 2)
#: What one inside a paragraph counts besides: who says a thing twice in one breath reuses nothing.
SAME_PARAGRAPH: Final = (1, 2)
#: Weight of a text without a rare phrase, in halves of what rare phrases add.
PLAIN: Final = 3
#: Weight of the share that is equal in a stretch.
DENSE: Final = 3
#: So many better entries of a place divide its key by the root of two; so do so many echoes of each side.
BETTER: Final = 12
ECHOES: Final = 8
#: What a passage that begins or ends at a mark on both sides counts, between books.
MARKED: Final = (5, 4)
#: Between books, sides of which less than one in this number is equal count so much less.
HALF: Final = 2


def ordered(entries: Entries, places: Places) -> Entries:
    """Entries best first, with their local ranks.

    Args:
        entries: entries in any order.
        places: where they stand.
    """
    key = base_key(entries)
    units = entries.left_unit + entries.right_unit
    partial = VARIANT[1] * 2 * entries.equal < VARIANT[0] * units
    inside = ~places.between & (entries.kind != GROUP)
    key = np.where(inside & partial, key * SAME_BOOK[0] // SAME_BOOK[1], key)
    inside = (places.left == places.right) & (entries.kind == PAIR)
    key = np.where(inside, key * SAME_PARAGRAPH[0] // SAME_PARAGRAPH[1], key)
    key = placed_key(entries, places, key)
    rank = local_ranks(places.left, places.right, key)
    rank[entries.kind != PAIR] = 0
    final = key * 64 // square_roots((BETTER + rank) * 4096)
    order = np.lexsort((entries.b1, entries.b0, entries.a1, entries.a0, -final))
    fields = {name: getattr(entries, name) for name in Entries.__dataclass_fields__} | {"rank": rank}
    return Entries(**fields).take(order)


def placed_key(entries: Entries, places: Places, key: Ints) -> Ints:
    """The key of an entry by where it stands.

    Between books times the fourth root of their affinity where it is above one; below it the passage is the
    more surprising, times the eighth root of its inverse. Everywhere but in groups over the square root of
    the echoes of both places.
    """
    high, low = np.maximum(places.affinity, ONE), np.minimum(places.affinity, ONE)
    near, far = _root(_root(high)), _root(_root(_root(ONE * ONE // low)))
    key = key * near // ONE * far // ONE
    marked = places.between & places.marked & (entries.kind == PAIR)
    key = np.where(marked, key * MARKED[0] // MARKED[1], key)
    shown = np.minimum(HALF * _dense(entries), ONE)
    key = np.where(places.between, key * shown // ONE, key)
    few = ECHOES * PART
    spread = np.where(
        entries.kind == GROUP, few * few, (few + places.echoes_left) * (few + places.echoes_right)
    )
    found: Ints = key * (few * ONE) // square_roots(spread * (ONE * ONE))
    return found


def base_key(entries: Entries) -> Ints:
    """How good an entry is by itself, in 1/1024 of a sixteenth of a bit.

    The plain score times 2 + ratio + cover for pairs, times 3 * equal / longer side for stretches; times how
    much of it is a text of its own: 3/2 + rare/equal (all of it where it is a whole unit too short to
    tell), and half less where all of it is formula.
    """
    long = np.maximum(entries.left_unit, entries.right_unit)
    short = np.minimum(entries.left_unit, entries.right_unit)
    equal = np.maximum(entries.equal, 1)
    ratio = ONE * 2 * equal // np.maximum(long + short, 1)
    cover = np.minimum(ONE * equal // np.maximum(short, 1), ONE)
    factor = np.where(entries.kind == STRETCH, DENSE * _dense(entries), 2 * ONE + ratio + cover)
    whole = (entries.equal < RARE[0]) & (4 * equal >= 3 * long)
    rare = np.where(whole, ONE, ONE * entries.rare // equal)
    own = (PLAIN * ONE // 2 + rare) * (2 * ONE - ONE * entries.often // equal)
    result: Ints = np.maximum(entries.plain, 1) * factor // ONE * own // ONE
    return result


def _dense(entries: Entries) -> Ints:
    """Share of the longer side that is equal, in 1/1024."""
    side = np.maximum(np.maximum(entries.a1 - entries.a0, entries.b1 - entries.b0), 1)
    dense: Ints = np.minimum(ONE * np.maximum(entries.equal, 1) // side, ONE)
    return dense


def _root(ratio: Ints) -> Ints:
    """Square root of a ratio, both in 1/1024."""
    return square_roots(ratio * ONE)


def local_ranks(left: Ints, right: Ints, key: Ints) -> Ints:
    """How many entries with a better key speak of the left row, or of the right one: the smaller number."""
    total = len(left)
    row = np.concatenate([left, right])
    number = np.concatenate([np.arange(total), np.arange(total)])
    order = np.lexsort((number, -key[number], row))
    fresh = np.concatenate([[True], np.diff(row[order]) != 0]) if total else np.zeros(0, bool)
    begin = np.flatnonzero(fresh)
    place = np.arange(2 * total) - np.repeat(begin, np.diff(np.append(begin, 2 * total)))
    each = np.zeros(2 * total, np.int64)
    each[order] = place
    return np.minimum(each[:total], each[total:])


def square_roots(numbers: Ints) -> Ints:
    """Whole square roots, rounded down."""
    root = np.sqrt(numbers.astype(np.float64)).astype(np.int64)
    root -= root * root > numbers
    root += (root + 1) * (root + 1) <= numbers
    return root
