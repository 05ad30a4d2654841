"""Dominance of run classes: `maximal_only` inside the bounded universe (ADR-009 *Granularity and
dominance*; requirements 3.4).

A class dominates a shorter one only when the complete inventories map one to one and every member is extended
by the same strict left and right amount. One representative and one-sentence steps suffice: members of a
class are equal, so all are extended alike (L1, L2), and every intermediate extension of equal size is itself
a dominator (L3). Winners are the longest, ties go to the lowest class ID.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import MAX_RUN, MIN_RUN

Ints = NDArray[np.int64]
NONE = -1


@dataclass(frozen=True)
class Dominated:
    """Result per class: winner index or NONE, and the strict extension in sentences on the left and right."""

    winner: Ints
    left: Ints
    right: Ints


def dominate(
    *, length: Ints, size: Ints, sentence: Ints, rank: Ints, class_at: list[NDArray[np.int32]]
) -> Dominated:
    """Winner of every run class.

    Args:
        length: run length per class, in sentences.
        size: members per class, the complete inventory.
        sentence: start sentence of the class's representative.
        rank: position of the class ID among all class IDs in ascending order.
        class_at: for each run length k (index k), the class at each start sentence or NONE; indexes below 2
            are unused.

    A run that would leave its chapter, is excluded or is unique has no class, so it never dominates (DOM-11).
    """
    count = len(length)
    winner = np.full(count, NONE, np.int64)
    left = np.zeros(count, np.int64)
    for k in range(MAX_RUN - 1, MIN_RUN - 1, -1):
        classes = np.flatnonzero(length == k)
        if not len(classes):
            continue
        start = sentence[classes]
        longer = class_at[k + 1]
        before = np.where(start > 0, longer[np.maximum(start - 1, 0)], NONE)
        best, offset = _keep(before, classes, size=size, winner=winner, left=left, step=1)
        other, other_offset = _keep(longer[start], classes, size=size, winner=winner, left=left, step=0)
        take = (other != NONE) & (
            (best == NONE)
            | (length[other] > length[best])
            | ((length[other] == length[best]) & (rank[other] < rank[best]))
        )
        winner[classes] = np.where(take, other, best)
        left[classes] = np.where(take, other_offset, offset)
    right = np.where(winner != NONE, length[winner] - length - left, 0)
    return Dominated(winner, np.where(winner != NONE, left, 0), right)


def _keep(
    extension: NDArray[np.int32], classes: Ints, *, size: Ints, winner: Ints, left: Ints, step: int
) -> tuple[Ints, Ints]:
    """The extension's own winner, or the extension itself, where the inventories have equal size; else
    NONE."""
    candidate = extension.astype(np.int64)
    kept = (candidate != NONE) & (size[candidate] == size[classes])
    has_winner = kept & (winner[candidate] != NONE)
    best = np.where(has_winner, winner[candidate], np.where(kept, candidate, NONE))
    offset = np.where(has_winner, left[candidate] + step, step)
    return best, offset
