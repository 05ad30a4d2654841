"""The exact work universe and its five-way partition (ADR-009 *Publication and rebuild closure*;
requirements 3.5).

Every work item stands in exactly one of matched, evaluated_unique, not_evaluated, excluded and failed;
matched items are published, dominated or, in a partial profile, provisional. Each part is listed by the code
that decided it, never as a difference; this module merges the lists and refuses a universe that they do not
tile. A missing row never means unique.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.errors import IntegrityError

Ints = NDArray[np.int64]


class ExactStatus(StrEnum):
    """Exact status of a profile; semantic coverage is another matter and is never derived from it
    (COV-14)."""

    COMPLETE = "complete"
    PARTIAL = "partial"


#: The five parts in the ADR's order.
PARTS: Final = ("matched", "evaluated_unique", "not_evaluated", "excluded", "failed")


@dataclass(frozen=True)
class Partition:
    """Rows of each part, ascending, with what each row carries.

    Attributes:
        matched, matched_class: rows and their class (or provisional group) number.
        unique: rows certified to have no peer.
        not_evaluated, pending: rows and codes.
        excluded: rows; their reasons are their mask witness's exclusions.
        failed, failure: rows and codes.
        published, dominated, provisional: the presentation of the matched rows.
    """

    matched: Ints
    matched_class: Ints
    unique: Ints
    not_evaluated: Ints
    pending: NDArray[np.uint8]
    excluded: Ints
    failed: Ints
    failure: NDArray[np.uint8]
    published: Ints
    dominated: Ints
    provisional: Ints

    def rows(self, part: str) -> Ints:
        """Rows of one of the five parts."""
        return {
            "matched": self.matched,
            "evaluated_unique": self.unique,
            "not_evaluated": self.not_evaluated,
            "excluded": self.excluded,
            "failed": self.failed,
        }[part]


def check_partition(universe: int, partition: Partition, *, where: str) -> None:
    """Merge the five streams and compare them with the universe's rows; likewise the presentations with
    matched.

    Raises:
        IntegrityError: a row is missing, out of the universe, or in two parts.
    """
    merge_exactly(
        {part: partition.rows(part) for part in PARTS}, universe=universe, members=None, where=where
    )
    merge_exactly(
        {
            "published": partition.published,
            "dominated": partition.dominated,
            "provisional": partition.provisional,
        },
        universe=universe,
        members=partition.matched,
        where=f"{where}, presentation of matched",
    )


def merge_exactly(parts: dict[str, Ints], *, universe: int, members: Ints | None, where: str) -> None:
    """Check that ascending row lists are disjoint and together give exactly the universe's rows, or exactly
    `members` of them."""
    seen = np.zeros(universe, np.uint8)
    for name, rows in parts.items():
        if (np.diff(rows) <= 0).any() or (len(rows) and (rows[0] < 0 or rows[-1] >= universe)):
            raise IntegrityError(
                f"part {name} is not strictly ascending inside the universe",
                where=where,
                expected=f"rows 0 to {universe - 1}, each once",
                kind="partition",
            )
        seen[rows] += 1
    expected = np.ones(universe, np.uint8)
    if members is not None:
        expected[:] = 0
        expected[members] = 1
    wrong = np.flatnonzero(seen != expected)
    if len(wrong):
        row = int(wrong[0])
        names = [name for name, rows in parts.items() if (rows == row).any()]
        raise IntegrityError(
            f"row {row} stands in {' and '.join(names) or 'no part'}",
            where=where,
            expected="every item in exactly one part" if expected[row] else "no part",
            kind="partition",
        )


def exact_status(
    partition: Partition, *, validation: dict[str, bytes], required: tuple[str, ...]
) -> ExactStatus:
    """Complete only with empty pending and failed parts and every required validation record (COV-10,
    CL-05, AMB-44)."""
    open_items = len(partition.not_evaluated) + len(partition.failed)
    if open_items or any(name not in validation for name in required):
        return ExactStatus.PARTIAL
    return ExactStatus.COMPLETE


@dataclass(frozen=True)
class Coverage:
    """Exact coverage of one profile, every number counted from its own manifest.

    Attributes:
        enumerator: what the universe is; coverage says nothing about any other span (PRO-04).
        inventory: emitted occurrences and enumeration exclusions.
    """

    profile: str
    enumerator: str
    status: ExactStatus
    inventory: int
    emitted: int
    enumeration_exclusions: int
    counts: dict[str, int] = field(default_factory=dict)

    def as_record(self) -> dict[str, Any]:
        """Flat JSON record; semantic coverage is reported apart and stays `not_assessed` for an exact
        artifact."""
        return {
            "profile": self.profile,
            "enumerator": self.enumerator,
            "exact_status": str(self.status),
            "semantic_status": "not_assessed",
            "inventory": self.inventory,
            "emitted": self.emitted,
            "enumeration_exclusions": self.enumeration_exclusions,
            **self.counts,
        }
