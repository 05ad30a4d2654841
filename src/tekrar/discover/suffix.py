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
    reach = np.arange(1, size + 1, dtype=np.int32)
    bigram = np.zeros(size, np.int32)
    shared = min(ALL_PAIRS_MOST, ALL_PAIRS_SHARED // max(size, 1))
    for n, most in ALL_PAIRS:
        _ranges(stream, place, common, np.array([n, max(most, shared), PARTNERS], np.int64), reach, bigram)
    return SuffixOrder(stream, place, inverse, common, bigram, reach)


def places_of(order: SuffixOrder, n: int) -> Words:
    """In how many places the n-gram that starts at each place stands; 0 where none starts."""
    size = np.zeros(len(order.stream), np.int32)
    _count(order.stream, order.order, order.common, n, size)
    return size


@kernel
def _count(stream: Any, order: Any, common: Any, n: int, size: Any) -> None:
    total = len(order)
    i = 0
    while i < total:
        j = i
        while j < total - 1 and common[j] >= n:
            j += 1
        p = order[i]
        whole = p + n <= total
        if whole:
            for k in range(n):
                if stream[p + k] == 0:
                    whole = False
        if whole:
            for k in range(i, j + 1):
                size[order[k]] = j + 1 - i
        i = j + 1


@kernel
def _agree(stream: Any, order: Any, common: Any, longest: int) -> None:
    for i in range(len(order) - 1):
        p, q = order[i], order[i + 1]
        last = len(stream) - max(p, q)
        n = 0
        while n < longest and n < last and stream[p + n] == stream[q + n] and stream[p + n] != 0:
            n += 1
        common[i] = n


@kernel
def _ranges(stream: Any, order: Any, common: Any, rule: Any, reach: Any, bigram: Any) -> None:
    """Widen `reach` over the ranges of n-grams that are not too many; of bigrams, note their number."""
    n, most, partners = rule[0], rule[1], rule[2]
    total = len(order)
    i = 0
    while i < total:
        j = i
        while j < total - 1 and common[j] >= n:
            j += 1
        p = order[i]
        whole = p + n <= total
        if whole:
            for k in range(n):
                if stream[p + k] == 0:
                    whole = False
        if whole:
            size = j + 1 - i
            for k in range(i, j + 1):
                if n == 2:
                    bigram[k] = size
                    reach[k] = max(reach[k], min(j + 1, k + 1 + partners))
                if size <= most:
                    reach[k] = max(reach[k], j + 1)
        i = j + 1
