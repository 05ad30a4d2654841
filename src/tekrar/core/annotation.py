"""Geometry of annotation spans over a release (ADR-009 *Annotation projections*; AMB-06, AMB-08).

Half-open byte ranges on character boundaries. Missing, stale or geometrically invalid evidence is a typed
failure in every profile, never an exclusion: a builder cannot continue as if no annotations existed.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.text import DATASETS, Dataset, TextRelease
from tekrar.errors import IntegrityError


def _refuse(kind: str, index: int, dataset: Dataset, why: str, expected: str) -> IntegrityError:
    return IntegrityError(
        f"{why} ({int(dataset.start[index])}..{int(dataset.end[index])})",
        where=f"dataset {dataset.kind}, span {index}",
        expected=expected,
        mend="correct the annotation in the source and import again",
        kind=kind,
    )


def check_datasets(release: TextRelease, *, certified: bytes) -> dict[str, Dataset]:
    """All three datasets, checked to be present, made for this release and sound in geometry.

    Raises:
        IntegrityError: a dataset is missing or stale, or a span is empty, out of range, splits a character,
            leaves its chapter, overlaps another of its dataset, or (markers) crosses an atom boundary.
    """
    checked: dict[str, Dataset] = {}
    for kind in DATASETS:
        dataset = release.datasets.get(kind)
        if dataset is None:
            raise IntegrityError(
                f"the annotation dataset {kind} is missing",
                where=f"dataset {kind}",
                expected="headings, note_bodies and note_markers; one without spans is an empty list",
                mend="import again with the dataset, an empty list when there is nothing to annotate",
                kind="missing_dataset",
            )
        if dataset.core_root != certified:
            raise IntegrityError(
                f"the annotation dataset {kind} was made for another text release",
                where=f"dataset {kind}",
                expected=f"core_root {certified.hex()}, found {dataset.core_root.hex()}",
                mend="make the dataset anew for this release",
                kind="stale_dataset",
            )
        check_spans(release, dataset)
        checked[kind] = dataset
    return checked


def check_spans(release: TextRelease, dataset: Dataset) -> None:
    """Check every span of one dataset; see `check_datasets`."""
    start, end, size = dataset.start, dataset.end, len(release.text)
    if not len(start):
        return
    octets = np.concatenate([np.frombuffer(release.text, np.uint8), np.zeros(1, np.uint8)])
    inside = (start >= 0) & (end <= size)
    low, high = np.clip(start, 0, size), np.clip(end, 0, size)
    chapter_start, chapter_end = release.chapter_extent
    chapter = np.searchsorted(chapter_start, low, side="right") - 1
    within = (
        (chapter >= 0) & (high <= chapter_end[np.maximum(chapter, 0)]) if len(chapter_end) else inside & False
    )
    tests: list[tuple[str, NDArray[Any], str, str]] = [
        ("span_out_of_range", ~inside, "span lies outside the text", f"0 <= start < end <= {size}"),
        ("empty_span", end <= start, "span has no byte", "start < end"),
        (
            "split_character",
            ((octets[low] & 0xC0) == 0x80) | ((octets[high] & 0xC0) == 0x80),
            "span splits a character",
            "UTF-8 character boundaries",
        ),
        ("outside_chapter", ~within, "span leaves its chapter", "a span inside one chapter"),
    ]
    if dataset.kind == "note_markers":
        atom = np.searchsorted(release.atom_end, low, side="right")
        atom_end = np.concatenate([release.atom_end, [size]])[atom]
        tests.append(
            (
                "marker_across_boundary",
                high > atom_end,
                "note marker crosses a sentence or separator boundary",
                "a marker inside one sentence or one separator",
            )
        )
    for kind, bad, why, expected in tests:
        if bad.any():
            raise _refuse(kind, int(np.flatnonzero(bad)[0]), dataset, why, expected)
    overlap = np.flatnonzero(end[:-1] > start[1:])
    if len(overlap):
        raise _refuse(
            "overlapping_annotations",
            int(overlap[0]) + 1,
            dataset,
            f"span overlaps the one before it ({int(start[overlap[0]])}..{int(end[overlap[0]])})",
            "disjoint spans in one dataset; touching is legal",
        )
