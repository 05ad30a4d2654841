"""Seeds: runs of two or more equal tokens in two paragraphs.

Every bigram and trigram is used, however often it stands; a gram in more than D places pairs each place with its
K next places in suffix order (those that share the longest continuation). What is not generated because of that
is counted.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.compiled import kernel
from tekrar.discover.suffix import SuffixOrder
from tekrar.discover.weights import Weights

Ints = NDArray[np.int64]
#: D: all pairs of a bigram or trigram are seeds up to this number of places.
ALL_PAIRS_TWO: Final = 16
ALL_PAIRS_THREE: Final = 24
#: K: above D each place is paired with this number of next places in suffix order.
PARTNERS: Final = 6


@dataclass(frozen=True)
class Seeds:
    """Seeds of a block of left paragraphs, ordered by pair, then left place, then right place.

    Attributes:
        left, right: row per seed in the stream's paragraphs, left <= right.
        at, to: first place per seed in the stream, at < to.
        length: equal tokens.
        weight: in sixteenths of a bit.
    """

    left: NDArray[np.int32]
    right: NDArray[np.int32]
    at: NDArray[np.int32]
    to: NDArray[np.int32]
    length: NDArray[np.int32]
    weight: NDArray[np.int32]


def seeds_of(
    order: SuffixOrder, weights: Weights, paragraph: NDArray[np.int32], *, low: int, high: int
) -> Seeds:
    """Seeds whose left paragraph is in low..high.

    Args:
        order: suffix order of the stream.
        weights: weights of its places.
        paragraph: paragraph number per place.
        low, high: half-open range of left paragraphs.
    """
    running = np.concatenate([[0], np.cumsum(weights.added, dtype=np.int64)])
    bounds = (ALL_PAIRS_TWO, ALL_PAIRS_THREE, PARTNERS, low, high)
    common = (order.stream, order.order, order.rank, order.two, order.three, order.size_two, order.size_three)
    none = np.zeros(0, np.int32)
    count = int(_generate(*common, paragraph, *bounds, none, none, none))
    at, to, length = (np.zeros(count, np.int32) for _ in range(3))
    _generate(*common, paragraph, *bounds, at, to, length)
    ordered = np.argsort(at.astype(np.int64) * len(order.stream) + to)
    at, to, length = at[ordered], to[ordered], length[ordered]
    left, right = paragraph[at], paragraph[to]
    by_pair = np.argsort(left.astype(np.int64) * (int(paragraph[-1]) + 1 if len(paragraph) else 1) + right, kind="stable")
    at, to, length = at[by_pair], to[by_pair], length[by_pair]
    weight = weights.rarity[at] + (running[at + length] - running[at + 1]).astype(np.int32)
    return Seeds(left[by_pair], right[by_pair], at, to, length, weight)


@kernel
def _generate(
    stream: Any, order: Any, rank: Any, two: Any, three: Any, size_two: Any, size_three: Any, paragraph: Any,
    all_two: int, all_three: int, partners: int, low: int, high: int, at: Any, to: Any, length: Any,
) -> int:  # fmt: skip
    """Write the seeds, or count them when the columns are empty."""
    total = len(order)
    write = len(at) > 0
    found = 0
    for i in range(total):
        n = size_two[i]
        if n < 2:
            continue
        stop = min(i + 1 + partners, two[i])
        if n <= all_two:
            stop = two[i]
        if 2 <= size_three[i] <= all_three:
            stop = max(stop, three[i])
        for j in range(i + 1, stop):
            p, q = order[i], order[j]
            if p > q:
                p, q = q, p
            a = paragraph[p]
            if a < low or a >= high:
                continue
            if p > 0 and stream[p - 1] != 0 and stream[p - 1] == stream[q - 1]:
                x, y = rank[p - 1], rank[q - 1]
                if x > y:
                    x, y = y, x
                if y - x <= partners or size_two[x] <= all_two:
                    continue
                if size_three[x] <= all_three and three[x] > y:
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
