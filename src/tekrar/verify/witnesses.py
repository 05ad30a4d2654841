"""Mask witnesses and exclusions of rows (docs/encoding.md section 7).

Serves ADR-009 *Annotation projections*; AMB-11, AMB-50.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import manifest_root, u8, u64, witness_scope
from tekrar.core.policy import MASK_FORMAT
from tekrar.verify.universe import EXCLUDED, Spans, Universe

Ints = NDArray[np.int64]
#: start, end, kind, selection, treatment, reason
Touched = tuple[int, int, int, bytes, int, int]


@dataclass(frozen=True)
class RowWitnesses:
    """What each row's mask witness is, counted by content; number 0 is the empty witness.

    Attributes:
        number: witness number of every row.
        spans: the touched spans of every number, in key order; roots: their roots.
        excluded: rows that share a byte with an excluded span.
    """

    number: Ints
    spans: list[list[Touched]]
    roots: list[bytes]
    excluded: NDArray[np.bool_]


def row_witnesses(universe: Universe, spans: Sequence[Spans], *, projection: str) -> RowWitnesses:
    """The witnesses of a universe under a projection."""
    count = len(universe)
    number = np.zeros(count, np.int64)
    excluded = np.zeros(count, bool)
    ranges: list[tuple[NDArray[np.int32], NDArray[np.int32]]] = []
    any_touched = np.zeros(count, bool)
    for one in spans:
        low = np.searchsorted(one.end, universe.start, side="right").astype(np.int32)[universe.first]
        high = np.searchsorted(one.start, universe.end, side="left").astype(np.int32)[universe.last]
        touched = high > low
        any_touched |= touched
        if one.treatment == EXCLUDED:
            excluded |= touched
        ranges.append((low, high))
    rows = np.flatnonzero(any_touched)
    code = np.zeros(len(rows), np.int64)
    for low, high in ranges:
        a, b = low[rows], high[rows]
        for part in (np.where(b > a, a, 0), np.where(b > a, b, 0)):
            code = _interned(code, part)
    _, first, inverse = np.unique(code, return_index=True, return_inverse=True)
    number[rows] = inverse + 1
    listed: list[list[Touched]] = [[]]
    for at in rows[first].tolist():
        listed.append(touched_spans(spans, [(int(low[at]), int(high[at])) for low, high in ranges]))
    return RowWitnesses(
        number, listed, [witness_root(one, projection=projection) for one in listed], excluded
    )


def _interned(code: Ints, part: Ints) -> Ints:
    """One number for each distinct pair, small enough to pair again."""
    width = int(part.max(initial=0)) + 1
    inverse: Ints = np.unique(code * width + part, return_inverse=True)[1].astype(np.int64)
    return inverse


def touched_spans(spans: Sequence[Spans], ranges: Sequence[tuple[int, int]]) -> list[Touched]:
    """The spans in one range of each dataset, in key order."""
    found: list[Touched] = []
    for one, (low, high) in zip(spans, ranges, strict=True):
        for at in range(low, high):
            found.append(
                (
                    int(one.start[at]),
                    int(one.end[at]),
                    one.number,
                    bytes(one.selection[at]),
                    one.treatment,
                    one.reason,
                )
            )
    return sorted(found)


def witness_root(spans: Sequence[Touched], *, projection: str) -> bytes:
    """Root of one mask witness from its spans in key order.

    Raises:
        ValueError: two spans have one key, or they do not ascend.
    """
    return manifest_root(
        "mask-witness",
        witness_scope(projection, MASK_FORMAT, "utf8-byte.v1"),
        (
            (u64(start) + u64(end) + u8(kind) + selection, u8(treatment) + u8(reason))
            for start, end, kind, selection, treatment, reason in spans
        ),
    )


def exclusion_value(spans: Sequence[Touched]) -> bytes:
    """Value of an `excluded` record: primary reason, count, then every reason and selection by reason, start,
    end, selection.
    """
    found = sorted((r, start, end, selection) for start, end, _, selection, t, r in spans if t == EXCLUDED)
    listed = b"".join(u8(reason) + selection for reason, _, _, selection in found)
    return u8(found[0][0]) + len(found).to_bytes(4, "big") + listed
