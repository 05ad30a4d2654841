"""What a build holds before it is written: one `ProfileResult` for each of the four profiles, and the roots
over them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.classes import Classes
from tekrar.core.coverage import Coverage, ExactStatus, Partition
from tekrar.core.occurrence import Paragraphs, Runs
from tekrar.core.profile import Profile
from tekrar.core.projection import Projection
from tekrar.core.witness import Witnesses

Bytes2D = NDArray[np.uint8]


def extents_in(
    universe: Paragraphs | Runs, rows: NDArray[np.int64] | slice
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """First byte and extent length of rows of a universe, given as a slice or in any order."""
    if isinstance(universe, Runs):
        if isinstance(rows, slice):
            return universe.extents(rows.start, rows.stop)
        return universe.extents_of(rows)
    return universe.start[rows], universe.end[rows] - universe.start[rows]


@dataclass
class ProfileResult:
    """One evaluated profile; rows are the universe in document order.

    Attributes:
        universe: paragraphs or runs.
        selection, occurrence: UUIDs, uint8 (rows, 16); the selections are shared between projections.
        fingerprint: uint8 (rows, 32); zero where the item was not evaluated.
        classes: exact classes, or provisional groups when partial.
        validation: records by name; a record is there only when its check passed.
        roots: manifest roots by kind, in the order of `docs/encoding.md` section 8.
    """

    profile: Profile
    projection: Projection
    universe: Paragraphs | Runs
    selection: Bytes2D
    occurrence: Bytes2D
    fingerprint: Bytes2D
    evaluated: NDArray[np.int64]
    witnesses: Witnesses
    partition: Partition
    classes: Classes
    partial: bool
    validation: dict[str, bytes] = field(default_factory=dict)
    roots: dict[str, bytes] = field(default_factory=dict)
    coverage: Coverage | None = None

    @property
    def rows(self) -> int:
        """Number of occurrences."""
        return self.universe.rows

    def extents(self, rows: NDArray[np.int64] | slice) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """First byte and extent length of rows, given as a slice or in any order."""
        return extents_in(self.universe, rows)


@dataclass(frozen=True)
class BuildResult:
    """Outcome of `build()`.

    Attributes:
        artifact_root: 32 bytes over every logical root.
        roots: (name, root) in artifact order.
        status: exact status per profile short name.
        coverage: coverage record per profile short name.
        path: the artifact, or None when none was written.
        provenance: engine, workers, library versions: in no root.
    """

    artifact_root: bytes
    roots: tuple[tuple[str, bytes], ...]
    status: dict[str, ExactStatus]
    coverage: dict[str, Coverage]
    path: Any
    provenance: dict[str, Any]
    profiles: tuple[ProfileResult, ...]
