"""Mask witnesses of whole universes: which accepted spans each extent intersects (ADR-009 *Passage
occurrence*).

The spans that meet an extent depend on its start and end alone, so distinct witnesses are few and are found
through two monotone counters, one over starts and one over ends.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.projection import Projection

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Witnesses:
    """Distinct mask witnesses of one profile and the witness of each row.

    Attributes:
        root: witness root (32 bytes) per witness; index 0 is the projection's empty witness.
        hits: per witness the (treated dataset, span) pairs it lists, by dataset and span.
        of_row: witness index per row, int32.
    """

    root: tuple[bytes, ...]
    hits: tuple[tuple[tuple[int, int], ...], ...]
    of_row: NDArray[np.int32]


def _counters(projection: Projection, start: Ints, end: Ints) -> tuple[list[Ints], list[Ints]]:
    low = [np.searchsorted(t.end, start, side="right") for t in projection.treated]
    high = [np.searchsorted(t.start, end, side="left") for t in projection.treated]
    return low, high


def _steps(columns: list[Ints]) -> Ints:
    """Number of the distinct tuple each position holds; columns never decrease along the positions."""
    change = np.zeros(len(columns[0]), bool)
    for column in columns:
        change[1:] |= np.diff(column) != 0
    return np.cumsum(change)


def witnesses_of(
    projection: Projection, start: Ints, end: Ints, *, first: NDArray[Any], last: NDArray[Any]
) -> Witnesses:
    """Witnesses of rows that begin at unit `first[row]` and end at unit `last[row]` of ascending units
    start/end."""
    rows = len(first)
    if not projection.treated or not len(start):
        return Witnesses((projection.witness_root([]),), ((),), np.zeros(rows, np.int32))
    low, high = _counters(projection, start, end)
    hit = np.zeros(rows, bool)
    for lo, hi in zip(low, high, strict=True):
        hit |= hi[last] > lo[first]
    begin, finish = _steps(low), _steps(high)
    touched = np.flatnonzero(hit)
    width = int(finish[-1]) + 1 if len(finish) else 1
    pairs = begin[first[touched]] * width + finish[last[touched]]
    _, sample, inverse = np.unique(pairs, return_index=True, return_inverse=True)
    seen: dict[tuple[tuple[int, int], ...], int] = {(): 0}
    index = np.zeros(len(sample), np.int32)
    for i, row in enumerate(touched[sample].tolist()):
        a, b = int(first[row]), int(last[row])
        spans = tuple(
            (w, s)
            for w, (lo, hi) in enumerate(zip(low, high, strict=True))
            for s in range(int(lo[a]), int(hi[b]))
        )
        index[i] = seen.setdefault(spans, len(seen))
    of_row = np.zeros(rows, np.int32)
    of_row[touched] = index[inverse]
    return Witnesses(tuple(projection.witness_root(s) for s in seen), tuple(seen), of_row)
