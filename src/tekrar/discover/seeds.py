"""Seeds: runs of two or more equal tokens in two paragraphs.

Every bigram and trigram is used, however often it stands; a gram in more than D places pairs each place
with its
K next places in suffix order (those that share the longest continuation). What is not generated because of
that
is counted.
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
    columns = (order.stream, order.order, order.rank, order.reach, paragraph, low, high)
    none = np.zeros(0, np.int32)
    count = int(_generate(*columns, none, none, none))
    at, to, length = (np.zeros(count, np.int32) for _ in range(3))
    _generate(*columns, at, to, length)
    ordered = np.argsort(at.astype(np.int64) * len(order.stream) + to)
    at, to, length = at[ordered], to[ordered], length[ordered]
    left, right = paragraph[at], paragraph[to]
    by_pair = np.argsort(
        left.astype(np.int64) * (int(paragraph[-1]) + 1 if len(paragraph) else 1) + right, kind="stable"
    )
    at, to, length = at[by_pair], to[by_pair], length[by_pair]
    weight = weights.rarity[at] + (running[at + length] - running[at + 1]).astype(np.int32)
    return Seeds(left[by_pair], right[by_pair], at, to, length, weight)


@kernel
def _generate(
    stream: Any, order: Any, rank: Any, reach: Any, paragraph: Any, low: int, high: int, at: Any, to: Any,
    length: Any,
) -> int:  # fmt: skip
    """Write the seeds, or count them when the columns are empty.

    A seed whose tokens before are equal too is left out when the seed that starts there is made.
    """
    total = len(order)
    write = len(at) > 0
    found = 0
    for i in range(total):
        for j in range(i + 1, reach[i]):
            p, q = order[i], order[j]
            if p > q:
                p, q = q, p
            a = paragraph[p]
            if a < low or a >= high:
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
