"""The order of the list, best first: what a curator sees."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import RARE
from tekrar.discover.entries import PAIR, STRETCH, Entries
from tekrar.discover.thresholds import VARIANT

Ints = NDArray[np.int64]
ONE = 1024


#: What an entry inside one book counts against one across books: a book's own phrase is style before it is
#: reuse.
#: Units that are alike as wholes are not phrases.
SAME_BOOK: Final = (1, 2)


def ordered(entries: Entries, left: Ints, right: Ints, same_book: NDArray[np.bool_]) -> Entries:
    """Entries best first, with their local ranks.

    Args:
        entries: entries in any order.
        left, right: row each side starts in.
        same_book: whether both sides are of one book.
    """
    key = base_key(entries)
    units = entries.left_unit + entries.right_unit
    partial = VARIANT[1] * 2 * entries.equal < VARIANT[0] * units
    key = np.where(same_book & partial, key * SAME_BOOK[0] // SAME_BOOK[1], key)
    rank = local_ranks(left, right, key)
    rank[entries.kind != PAIR] = 0
    final = key * 64 // square_roots((4 + rank) * 4096)
    order = np.lexsort((entries.b1, entries.b0, entries.a1, entries.a0, -final))
    fields = {name: getattr(entries, name) for name in Entries.__dataclass_fields__} | {"rank": rank}
    return Entries(**fields).take(order)


def base_key(entries: Entries) -> Ints:
    """How good an entry is by itself, in 1/1024 of a sixteenth of a bit.

    The plain score times 2 + ratio + cover for pairs, times 4 * equal / longer side for stretches; times
    how much
    of it is a text of its own: 1/2 + rare/equal (all of it where it is a whole unit too short to tell), and
        half less where all of it is
    formula.
    """
    long = np.maximum(entries.left_unit, entries.right_unit)
    short = np.minimum(entries.left_unit, entries.right_unit)
    equal = np.maximum(entries.equal, 1)
    ratio = ONE * 2 * equal // np.maximum(long + short, 1)
    cover = np.minimum(ONE * equal // np.maximum(short, 1), ONE)
    side = np.maximum(np.maximum(entries.a1 - entries.a0, entries.b1 - entries.b0), 1)
    dense = np.minimum(ONE * equal // side, ONE)
    factor = np.where(entries.kind == STRETCH, 4 * dense, 2 * ONE + ratio + cover)
    whole = (entries.equal < RARE[0]) & (4 * equal >= 3 * long)
    rare = np.where(whole, ONE, ONE * entries.rare // equal)
    own = (ONE // 2 + rare) * (2 * ONE - ONE * entries.often // equal)
    result: Ints = np.maximum(entries.plain, 1) * factor // ONE * own // ONE
    return result


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
