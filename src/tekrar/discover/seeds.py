"""Seeds: runs of equal tokens in two paragraphs.

Every bigram and trigram is used, however often it stands; a gram in more than D places pairs each place with
its K next places in suffix order (those that share the longest continuation). What is not generated because
of that is counted. Most pairs of paragraphs share one light seed by chance: they are told apart by sums,
before anything is sorted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.compiled import kernel
from tekrar.discover.suffix import SuffixOrder
from tekrar.discover.weights import Weights

Ints = NDArray[np.int64]
Column = NDArray[np.int32]


@dataclass(frozen=True)
class Seeds:
    """Seeds of a block of left paragraphs, ordered by pair, then left place, then right place.

    Attributes:
        left, right: row per seed in the stream's paragraphs, left <= right.
        at, to: first place per seed in the stream, at < to.
        length: equal tokens.
        weight: in sixteenths of a bit.
    """

    left: Column
    right: Column
    at: Column
    to: Column
    length: Column
    weight: Column


@dataclass(frozen=True)
class Enough:
    """What the seeds of a pair must be: one of three.

    Attributes:
        weight: sixteenths of a bit, in all.
        tokens: tokens, in all.
        share: that share, in 1/16, of the tokens of the shorter paragraph.
    """

    weight: int
    tokens: int
    share: int


def seeds_of(
    order: SuffixOrder,
    weights: Weights,
    paragraph: Column,
    first: Ints,
    *,
    span: tuple[int, int],
    enough: Enough,
) -> tuple[Seeds, tuple[Column, Column]]:
    """Seeds of pairs that have enough of them, and the other pairs, left and right, in no order.

    Args:
        order: suffix order of the stream.
        weights: weights of its places.
        paragraph: paragraph number per place.
        first: first place of every paragraph, with a final total.
        span: half-open range of left paragraphs.
        enough: what the seeds of a pair must be.
    """
    low, high = int(first[span[0]]), int(first[span[1]])
    # `reach` never descends, so the first one before a place that reaches it is found by searching
    here = np.arange(low, high)
    back = np.searchsorted(order.reach, order.rank[here], side="right").astype(np.int32)
    columns = (order.stream, order.order, order.rank, order.reach, back, low)
    none = np.zeros(0, np.int32)
    count = int(_generate(*columns, none, none, none))
    at, to, length = (np.zeros(count, np.int32) for _ in range(3))
    _generate(*columns, at, to, length)
    found = _weighed(weights, paragraph, (at, to, length))
    state = np.zeros(count, np.uint8)
    sums = np.zeros((2, len(first) - 1), np.int64)
    rule = np.array([enough.weight, enough.tokens, enough.share], np.int64)
    _sift(found.left, found.right, found.length, found.weight, first, rule, sums, state)
    heavy, light = np.flatnonzero(state == _HEAVY), np.flatnonzero(state == _LIGHT)
    heavy = heavy[np.lexsort((to[heavy], at[heavy], found.right[heavy], found.left[heavy]))]
    return Seeds(*(column[heavy] for column in vars(found).values())), (found.left[light], found.right[light])


def seeds_of_pairs(
    stream: Column, first: Ints, weights: Weights, paragraph: Column, pairs: tuple[Column, Column]
) -> Seeds:
    """Seeds of given pairs: runs of two or more, and words that stand once on either side.

    Args:
        stream: word number per place.
        first: first place of every paragraph, with a final total.
        weights: weights of the places.
        paragraph: paragraph number per place.
        pairs: left and right paragraph, ascending.
    """
    none = np.zeros(0, np.int32)
    count = int(_between(stream, first, *pairs, none, none, none))
    at, to, length = (np.zeros(count, np.int32) for _ in range(3))
    _between(stream, first, *pairs, at, to, length)
    return _weighed(weights, paragraph, (at, to, length))


def _weighed(weights: Weights, paragraph: Column, places: tuple[Column, Column, Column]) -> Seeds:
    at, to, length = places
    running = weights.running
    weight = weights.rarity[at] + (running[at + length] - running[at + 1]).astype(np.int32)
    return Seeds(paragraph[at], paragraph[to], at, to, length, weight)


#: The first seed of a pair that has not enough, and every seed of one that has.
_LIGHT, _HEAVY = 1, 2


@kernel
def _sift(
    left: Any, right: Any, length: Any, weight: Any, first: Any, rule: Any, sums: Any, state: Any
) -> None:
    """Add up the seeds of every pair, left paragraph by left paragraph (`left` ascends)."""
    begin = 0
    while begin < len(left):
        one = left[begin]
        end = begin
        while end < len(left) and left[end] == one:
            sums[0, right[end]] += weight[end]
            sums[1, right[end]] += length[end]
            end += 1
        mine = first[one + 1] - first[one] - 1
        for s in range(begin, end):
            other = right[s]
            total, held = sums[0, other], sums[1, other]
            shorter = min(mine, first[other + 1] - first[other] - 1)
            if held > 0:
                if total >= rule[0] or held >= rule[1] or 16 * held >= rule[2] * shorter:
                    state[s] = _HEAVY
                else:
                    state[s] = _LIGHT
                    sums[1, other] = 0
        for s in range(begin, end):
            sums[0, right[s]] = 0
            sums[1, right[s]] = 0
        begin = end


@kernel
def _generate(
    stream: Any, order: Any, rank: Any, reach: Any, back: Any, low: int, at: Any, to: Any, length: Any
) -> int:
    """Write the seeds, or count them when the columns are empty.

    A seed whose tokens before are equal too is left out when the seed that starts there is made.
    """
    total = len(order)
    write = len(at) > 0
    found = 0
    for n in range(len(back)):
        p = low + n
        i = rank[p]
        for j in range(back[n], reach[i]):
            q = order[j]
            if q <= p:
                continue
            if p > 0 and stream[p - 1] != 0 and stream[p - 1] == stream[q - 1]:
                x, y = rank[p - 1], rank[q - 1]
                if max(x, y) < reach[min(x, y)]:
                    continue
            if write:
                run = 2
                while q + run < total and stream[q + run] != 0 and stream[p + run] == stream[q + run]:
                    run += 1
                at[found] = p
                to[found] = q
                length[found] = run
            found += 1
    return found


@kernel
def _between(stream: Any, first: Any, left: Any, right: Any, at: Any, to: Any, length: Any) -> int:
    """Write the seeds of pairs of different paragraphs, or count them when the columns are empty."""
    write = len(at) > 0
    found = 0
    for k in range(len(left)):
        la, ha = first[left[k]], first[left[k] + 1] - 1
        lb, hb = first[right[k]], first[right[k] + 1] - 1
        for p in range(la, ha):
            for q in range(lb, hb):
                if stream[p] != stream[q] or (p > la and q > lb and stream[p - 1] == stream[q - 1]):
                    continue
                run = 1
                while p + run < ha and q + run < hb and stream[p + run] == stream[q + run]:
                    run += 1
                if run == 1:
                    times = 0
                    for r in range(la, ha):
                        times += stream[r] == stream[p]
                    for r in range(lb, hb):
                        times += stream[r] == stream[q]
                    if times > 2:
                        continue
                if write:
                    at[found] = p
                    to[found] = q
                    length[found] = run
                found += 1
    return found
