"""Places of a token stream in suffix order, and how far neighbours in that order agree.

Equal bigrams, trigrams and longer grams stand in one stretch of the order, so that every gram of every
length is
a range of it and no gram table is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.compiled import kernel

Ints = NDArray[np.int64]
Words = NDArray[np.int32]
#: Doublings of the rank: places are ordered by their next 2^4 tokens, then by place.
DOUBLINGS: Final = 4
#: Common tokens of two neighbours are counted up to this number.
LONGEST: Final = 40
#: D: all pairs of places of an n-gram are seeds up to this number of places, by n; of bigrams and trigrams
#: in a
#: small stream, up to this number of places shared among its places, at most `ALL_PAIRS_MOST`.
ALL_PAIRS: Final = ((2, 16), (3, 24), (5, 64))
ALL_PAIRS_SHARED: Final = 1 << 22
ALL_PAIRS_MOST: Final = 64
#: K: above D each place is paired with this number of next places in suffix order.
PARTNERS: Final = 6


@dataclass(frozen=True)
class SuffixOrder:
    """Suffix order of a stream.

    Attributes:
        stream: word numbers from 1; 0 ends a paragraph.
        order: places by their continuation.
        rank: inverse of `order`.
        common: per position of `order` the tokens its continuation shares with the next position's, at most
            `LONGEST`, never over a paragraph end.
        bigram: places of the bigram that starts at each position (0: none starts there).
        reach: per position the first one in the order that it is no longer paired with.
    """

    stream: Words
    order: Words
    rank: Words
    common: NDArray[np.uint8]
    bigram: Words
    reach: Words


def suffix_order(stream: Words) -> SuffixOrder:
    """The order of all places of a stream; ends of paragraphs sort first."""
    size = len(stream)
    rank = stream.astype(np.int64)
    order = np.zeros(size, np.int64)
    for step in range(DOUBLINGS):
        shift = 1 << step
        following = np.zeros(size, np.int64)
        following[: size - shift] = rank[shift:] + 1 if size > shift else 0
        key = rank * (size + 2) + following
        order = np.argsort(key, kind="stable" if step == DOUBLINGS - 1 else None)
        ordered = key[order]
        fresh = np.concatenate([[0], np.cumsum(ordered[1:] != ordered[:-1])]) if size else order
        rank = np.empty(size, np.int64)
        rank[order] = fresh
    place = order.astype(np.int32)
    inverse = np.empty(size, np.int32)
    inverse[place] = np.arange(size, dtype=np.int32)
    common = np.zeros(size, np.uint8)
    _agree(stream, place, common, LONGEST)
    ranges = Ranges(stream, place, common)
    first, count = ranges.of(2)
    bigram = np.repeat(count, np.diff(first))
    reach = np.arange(1, size + 1, dtype=np.int32)
    end = np.repeat(first[1:], np.diff(first))
    np.maximum(reach, np.where(bigram > 0, np.minimum(end, reach + np.int32(PARTNERS)), 0), out=reach)
    shared = min(ALL_PAIRS_MOST, ALL_PAIRS_SHARED // max(size, 1))
    for n, most in ALL_PAIRS:
        first, count = ranges.of(n)
        few = (count > 0) & (count <= max(most, shared))
        np.maximum(reach, np.repeat(np.where(few, first[1:], 0), np.diff(first)), out=reach)
    return SuffixOrder(stream, place, inverse, common, bigram, reach)


class Ranges:
    """Ranges of the suffix order that begin with the same tokens.

    Args:
        stream, order, common: as in `SuffixOrder`.
    """

    def __init__(self, stream: Words, order: Words, common: NDArray[np.uint8]) -> None:
        self._common = common
        ends = np.append(np.flatnonzero(stream == 0), len(stream)).astype(np.int32)
        self._left = ends[np.searchsorted(ends, order)] - order

    def of(self, n: int) -> tuple[Words, Words]:
        """Ranges that agree in n tokens: first position with a final total; places of the n-gram that all
        of them begin with, 0 where a paragraph ends before n tokens."""
        total = len(self._common)
        breaks = np.flatnonzero(self._common < n)
        first = np.zeros(len(breaks) + 1, np.int32)
        first[1:] = breaks + 1
        if first[-1] != total:
            first = np.append(first, np.int32(total))
        whole = self._left[first[:-1]] >= n
        return first, np.where(whole, np.diff(first), 0).astype(np.int32)


def places_of(order: SuffixOrder, n: int) -> Words:
    """In how many places the n-gram that starts at each place stands; 0 where none starts."""
    first, count = Ranges(order.stream, order.order, order.common).of(n)
    size = np.zeros(len(order.stream), np.int32)
    size[order.order] = np.repeat(count, np.diff(first))
    return size


def grams_at(order: SuffixOrder, n: int) -> Words:
    """Number of the n-gram that starts at each place, the same for equal ones; -1 where none starts."""
    first, count = Ranges(order.stream, order.order, order.common).of(n)
    number = np.zeros(len(order.stream), np.int32)
    number[order.order] = np.repeat(np.where(count > 0, first[:-1], -1), np.diff(first))
    return number


@kernel
def _agree(stream: Any, order: Any, common: Any, longest: int) -> None:
    for i in range(len(order) - 1):
        p, q = order[i], order[i + 1]
        last = len(stream) - max(p, q)
        n = 0
        while n < longest and n < last and stream[p + n] == stream[q + n] and stream[p + n] != 0:
            n += 1
        common[i] = n
