"""Crowds: thousands of nearly identical units, where listing all pairs would bury everything else.

A pair belongs to a crowd when it is one of whole units, and what it shares is formula and stands in very many
places. Each
unit keeps at most `PARTNERS` such pairs, its best ones, and none is left without one. What is left out is
counted.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.compiled import kernel
from tekrar.discover.pairs import Pairs
from tekrar.discover.stream import Stream
from tekrar.discover.thresholds import VARIANT

Ints = NDArray[np.int64]
#: Places of a shared phrase above which a pair of whole units belongs to a crowd.
CROWDED: Final = 256
#: Crowded pairs a unit keeps.
PARTNERS: Final = 12


def crowded(stream: Stream, pairs: Pairs) -> NDArray[np.bool_]:
    """Which pairs belong to a crowd."""
    tokens = np.diff(stream.first) - 1
    both = tokens[pairs.left] + tokens[pairs.right]
    equal = pairs.segments.equal.sum(axis=1, dtype=np.int64)
    many = pairs.segments.places.max(axis=1) > CROWDED if len(both) else both > 0
    often = pairs.segments.often.sum(axis=1, dtype=np.int64)
    found: NDArray[np.bool_] = many & (2 * often >= equal) & (VARIANT[1] * 2 * equal >= VARIANT[0] * both)
    return found


def thinned(stream: Stream, pairs: Pairs, crowd: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Which pairs stay.

    Args:
        stream: the stream.
        pairs: aligned pairs.
        crowd: which of them belong to a crowd.
    """
    stays = ~crowd
    mine = np.flatnonzero(crowd)
    equal = pairs.segments.equal.sum(axis=1, dtype=np.int64)[mine]
    order = mine[np.lexsort((mine, -pairs.score[mine], -equal))]
    if len(order):
        degree = np.zeros(len(stream.row), np.int64)
        chosen = np.zeros(len(order), np.uint8)
        _choose(pairs.left[order], pairs.right[order], PARTNERS, degree, chosen)
        stays[order[chosen > 0]] = True
    return stays


@kernel
def _choose(left: Any, right: Any, most: int, degree: Any, chosen: Any) -> None:
    for k in range(len(left)):
        if degree[left[k]] < most and degree[right[k]] < most:
            chosen[k] = 1
            degree[left[k]] += 1
            degree[right[k]] += 1
    for k in range(len(left)):
        lone, other = left[k], right[k]
        if degree[lone] > 0 and degree[other] > 0:
            continue
        if degree[lone] > 0:
            lone, other = other, lone
        if degree[other] >= most:
            for j in range(len(left) - 1, -1, -1):
                if not chosen[j] or (left[j] != other and right[j] != other):
                    continue
                third = left[j] + right[j] - other
                if degree[third] > 1:
                    chosen[j] = 0
                    degree[third] -= 1
                    degree[other] -= 1
                    break
        if degree[other] < most and not chosen[k]:
            chosen[k] = 1
            degree[lone] += 1
            degree[other] += 1
