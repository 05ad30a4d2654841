"""Entries of the list as columns: pairs, stretches and groups with their extents and numbers."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]
PAIR, STRETCH, GROUP = 0, 1, 2
KINDS: Final = ("pair", "stretch", "group")


@dataclass(frozen=True)
class Entries:
    """Entries, one value each.

    Attributes:
        kind: PAIR, STRETCH or GROUP.
        a0, a1, b0, b1: first and end token of the source on each side.
        score: sixteenths of a bit.
        equal: equal tokens; often, rare: those of formulas and of rare phrases (`align.Segments`).
        left_unit, right_unit: tokens of the paragraphs that each side stands in.
        unit: weight of the lighter side's paragraphs.
        rank: how many better entries speak of the left paragraph, or of the right one: the smaller number.
        first: first number in a list of its own (links of a stretch, places of a group), or -1.
        count: how many there are.
    """

    kind: Ints
    a0: Ints
    a1: Ints
    b0: Ints
    b1: Ints
    score: Ints
    equal: Ints
    often: Ints
    rare: Ints
    plain: Ints
    left_unit: Ints
    right_unit: Ints
    unit: Ints
    rank: Ints
    first: Ints
    count: Ints

    def take(self, chosen: NDArray[np.intp]) -> Entries:
        """Some of the entries."""
        return Entries(*(getattr(self, f.name)[chosen] for f in fields(self)))


def joined(parts: list[Entries]) -> Entries:
    """Entries one list after another."""
    return Entries(*(np.concatenate([getattr(p, f.name) for p in parts]) for f in fields(Entries)))
