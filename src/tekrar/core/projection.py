"""Annotation projections: which bytes a profile compares, masks or excludes (ADR-009 *Annotation
projections*).

A projection is the policy's treatment of each annotation kind applied to the accepted datasets.
`excluded_from_extent` rejects every occurrence that shares a byte with the span; `masked_with_boundary`
replaces the span by a typed marker. Touching is not intersecting (AMB-08).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import (
    CHUNK_RECORDS,
    ROOT_TAG,
    chunk_digest,
    lp,
    record_bytes,
    sha256,
    tree_head,
    u8,
    u32,
    u64,
    witness_scope,
)
from tekrar.core.identity import COORDINATE_PROFILE
from tekrar.core.policy import (
    ANNOTATION_KINDS,
    EXCLUSION_REASON_OF,
    MASK_FORMAT,
    REASONS,
    TREATMENTS,
    ScopePolicy,
)
from tekrar.core.release import span_selections
from tekrar.core.text import ANNOTATION_OF, DATASETS, Dataset

Ints = NDArray[np.int64]
NEVER = np.iinfo(np.int64).max


@dataclass(frozen=True)
class Treated:
    """The spans of one dataset under a treatment other than `included`.

    Attributes:
        annotation: heading, note_body or note_marker.
        treatment: excluded_from_extent or masked_with_boundary.
        reason: reason number.
        start, end: byte ranges, ascending and disjoint.
        selection: UUID bytes of each span's selection.
    """

    annotation: str
    treatment: str
    reason: int
    start: Ints
    end: Ints
    selection: tuple[bytes, ...]


@dataclass(frozen=True)
class Projection:
    """One projection materialized over a release's datasets.

    Attributes:
        name: full_context_v1 or prose_only_v1.
        treated: datasets that exclude or mask; empty under full_context.
    """

    name: str
    treated: tuple[Treated, ...]

    @property
    def masks(self) -> Treated | None:
        """The masked dataset, if the projection masks one."""
        return next((t for t in self.treated if t.treatment == "masked_with_boundary"), None)

    def excluded_from(self, start: Ints) -> Ints:
        """For each start byte: the first excluded byte at or after it, or NEVER."""
        limit = np.full(len(start), NEVER, np.int64)
        for dataset in self.treated:
            if dataset.treatment == "excluded_from_extent":
                limit = np.minimum(limit, first_hit(start, dataset.start, dataset.end))
        return limit

    @cached_property
    def _records(self) -> list[list[bytes]]:
        """Delimited witness record of every span of every treated dataset."""
        return [
            [
                record_bytes(
                    u64(start) + u64(end) + u8(ANNOTATION_KINDS[t.annotation]) + selection,
                    u8(TREATMENTS[t.treatment]) + u8(t.reason),
                )
                for start, end, selection in zip(t.start.tolist(), t.end.tolist(), t.selection, strict=True)
            ]
            for t in self.treated
        ]

    @cached_property
    def _scope(self) -> bytes:
        return witness_scope(self.name, MASK_FORMAT, COORDINATE_PROFILE)

    @cached_property
    def _seal(self) -> bytes:
        """What `seal_root` hashes before a witness's count and head."""
        return lp(ROOT_TAG) + lp(b"mask-witness") + self._scope

    def witness_root(self, hits: Sequence[tuple[int, int]]) -> bytes:
        """Mask witness root of the spans (index of `treated`, span) an extent intersects, records in key
        order.

        The empty witness is a constant of the projection. Keys are of one length, so the delimited records
        stand in the order of their keys.
        """
        listed = self._records
        records = sorted([listed[which][index] for which, index in hits])
        count = len(records)
        if 0 < count <= CHUNK_RECORDS:
            head = sha256(b"\x00" + u32(count) + b"".join(records))
        else:
            chunks = [records[at : at + CHUNK_RECORDS] for at in range(0, count, CHUNK_RECORDS)]
            head = tree_head([chunk_digest(chunk) for chunk in chunks])
        return sha256(self._seal + u64(count) + head)

    def root(self) -> bytes:
        """Root of the whole materialized projection: the witness of the entire release (PRJ-13)."""
        return self.witness_root([(w, i) for w, t in enumerate(self.treated) for i in range(len(t.start))])


def first_hit(start: Ints, span_start: Ints, span_end: Ints) -> Ints:
    """First byte at or after each `start` that lies in one of the ascending, disjoint spans, or NEVER."""
    index = np.searchsorted(span_end, start, side="right")
    padded = np.concatenate([span_start, [NEVER]])
    return np.asarray(np.maximum(padded[index], start))


def materialize(
    name: str, *, policy: ScopePolicy, datasets: dict[str, Dataset], release: bytes
) -> Projection:
    """Apply the policy's treatments to the accepted datasets of a release (UUID bytes).

    An annotation kind whose treatment is `included` adds nothing; the policy has no silent default.
    """
    treated = []
    for kind in DATASETS:
        annotation = ANNOTATION_OF[kind]
        treatment = policy.treatment(name, annotation)
        if treatment == "included":
            continue
        dataset = datasets[kind]
        reason = EXCLUSION_REASON_OF.get(annotation, "note_marker_mask")
        treated.append(
            Treated(
                annotation,
                treatment,
                REASONS[reason],
                dataset.start,
                dataset.end,
                tuple(span_selections(release, dataset.start, dataset.end)),
            )
        )
    return Projection(name, tuple(treated))
