"""Universes and annotation spans, from the release's columns (ADR-009 *Passage enumerators*, *Annotation
projections*).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import ANNOTATION_KINDS, EXCLUSION_REASON_OF, REASONS, TREATMENTS, ScopePolicy
from tekrar.core.text import ANNOTATION_OF, DATASETS, TextRelease
from tekrar.verify.uuid5 import name_state, uuid_text, uuids

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
LONGEST_RUN: Final = 12
EXCLUDED: Final = TREATMENTS["excluded_from_extent"]
MASKED: Final = TREATMENTS["masked_with_boundary"]


@dataclass(frozen=True)
class Universe:
    """The rows of one enumerator in document order.

    Attributes:
        start, end: bytes of every unit (sentence or non-empty paragraph).
        first, last: first and last unit of every row.
    """

    start: Ints
    end: Ints
    first: NDArray[np.int32]
    last: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.first)

    @cached_property
    def first_row(self) -> Ints:
        """Row of the shortest run of every start sentence, with a final total."""
        size = np.bincount(self.first, minlength=len(self.start))
        return np.concatenate([[0], np.cumsum(size)]).astype(np.int64)


def runs_universe(start: Ints, end: Ints, reach: NDArray[np.int32]) -> Universe:
    """Runs of 2..reach sentences from each start: by start sentence, then by length."""
    size = reach.astype(np.int64) - 1
    first = np.repeat(np.arange(len(reach), dtype=np.int32), size)
    begin = np.repeat(np.cumsum(size) - size, size)
    last = first + (np.arange(len(first)) - begin + 1).astype(np.int32)
    return Universe(start, end, first, last)


def paragraphs_universe(start: Ints, end: Ints) -> Universe:
    """One row a non-empty paragraph."""
    every = np.arange(len(start), dtype=np.int32)
    return Universe(start, end, every, every)


def sentence_reach(release: TextRelease) -> NDArray[np.int32]:
    """Sentences of the longest run that starts at each sentence: up to 12, never over the chapter's end."""
    bounds = release.chapter_sentence_start
    count = bounds[1:] - bounds[:-1]
    left = np.repeat(bounds[1:], count) - np.arange(int(bounds[-1]) if len(bounds) else 0)
    reach: NDArray[np.int32] = np.minimum(left, LONGEST_RUN).astype(np.int32)
    return reach


@dataclass(frozen=True)
class Spans:
    """One annotation dataset as a projection treats it; spans ascend and are disjoint.

    Attributes:
        number: annotation kind number; treatment, reason: numbers of docs/encoding.md section 2.
        start, end: half-open release bytes; selection: UUID rows (n, 16).
    """

    number: int
    treatment: int
    reason: int
    start: Ints
    end: Ints
    selection: Bytes2D

    def touched(self, low: Ints, high: Ints) -> tuple[Ints, Ints]:
        """The spans that share a byte with each extent low..high: a range (a, b), equal ends where there is
        none.
        """
        a = np.searchsorted(self.end, low, side="right")
        b = np.maximum(np.searchsorted(self.start, high, side="left"), a)
        return a, b


def span_selections(release_id: bytes, start: Ints, end: Ints) -> Bytes2D:
    """Selection UUIDs of single ranges."""
    base = selection_state(release_id)
    digests = []
    for low, high in zip(start.tolist(), end.tolist(), strict=True):
        state = base.copy()
        state.update(b"%d-%d" % (low, high))
        digests.append(state.digest())
    return uuids(digests)


def selection_state(release_id: bytes) -> Any:
    """SHA-1 state of a selection's name up to its ranges."""
    return name_state("selection", f"release={uuid_text(release_id)}/coord=utf8-byte.v1/ranges=")


def active_spans(
    release: TextRelease, policy: ScopePolicy, projection: str, selections: dict[str, Bytes2D]
) -> list[Spans]:
    """The datasets that a projection masks or excludes, in the order of their kind numbers."""
    found = []
    for dataset_kind in DATASETS:
        dataset = release.datasets[dataset_kind]
        annotation = ANNOTATION_OF[dataset_kind]
        treatment = TREATMENTS[policy.treatment(projection, annotation)]
        if dataset is None or treatment == TREATMENTS["included"]:
            continue
        reason = REASONS[EXCLUSION_REASON_OF[annotation] if treatment == EXCLUDED else "note_marker_mask"]
        found.append(
            Spans(
                ANNOTATION_KINDS[annotation],
                treatment,
                reason,
                dataset.start,
                dataset.end,
                selections[dataset_kind],
            )
        )
    return found
