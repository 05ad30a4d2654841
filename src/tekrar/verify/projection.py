"""The root of a whole materialized projection (ADR-009 *Initial F6 scope policy*; PRJ-13)."""

from __future__ import annotations

from collections.abc import Sequence

from tekrar.verify.universe import Spans
from tekrar.verify.witnesses import touched_spans, witness_root


def projection_root(spans: Sequence[Spans], *, projection: str) -> bytes:
    """The mask witness of the release as one extent: every masked and excluded span in key order."""
    return witness_root(touched_spans(spans, [(0, len(one.start)) for one in spans]), projection=projection)
