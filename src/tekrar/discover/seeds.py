"""Seeds: runs of equal tokens in two paragraphs.

Every bigram and trigram is used, however often it stands; a gram in more than D places pairs each place with
its K next places in suffix order (those that share the longest continuation). What is not generated because
of that is counted.
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


def seeds_of(order: SuffixOrder, weights: Weights, paragraph: Column, *, low: int, high: int) -> Seeds:
    """Seeds whose left place is in low..high, those of whole paragraphs.

    Args:
        order: suffix order of the stream.
        weights: weights of its places.
        paragraph: paragraph number per place.
        low, high: half-open range of places.
    """
    # `reach` never descends, so the first one before a place that reaches it is found by searching
    here = np.arange(low, high)
    back = np.searchsorted(order.reach, order.rank[here], side="right").astype(np.int32)
    columns = (order.stream, order.order, order.rank, order.reach, back, low)
    none = np.zeros(0, np.int32)
    count = int(_generate(*columns, none, none, none))
    at, to, length = (np.zeros(count, np.int32) for _ in range(3))
    _generate(*columns, at, to, length)
    left, right = paragraph[at], paragraph[to]
    sorted_ = np.lexsort((to, at, right, left))
    return _weighed(weights, paragraph, (at[sorted_], to[sorted_], length[sorted_]))


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
