"""Mask witnesses under the numbers an artifact gives them.

The numbers are the artifact's own choice (no root holds one); what they stand for is not. So the recomputed
witnesses are put under the artifact's numbers, row by row, and a number that stands for two witnesses, or
for none, is a difference.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tekrar.verify.columns import Columns
from tekrar.verify.result import Findings
from tekrar.verify.witnesses import RowWitnesses, Touched

Ints = NDArray[np.int64]


def number_as(
    witnesses: RowWitnesses, stated: Columns, listed: int, *, profile: str, findings: Findings
) -> Ints:
    """The artifact's number of every recomputed witness.

    Args:
        witnesses: recomputed, by content.
        stated: the artifact's `occurrences` table.
        listed: rows of the artifact's `witnesses` table.
        profile: short name.
        findings: gets a difference where no consistent numbering exists; our own numbers are then used.
    """
    ours = np.arange(len(witnesses.roots))
    theirs = stated["witness"]
    if len(theirs) != len(witnesses.number):
        return ours
    used, first = np.unique(witnesses.number, return_index=True)
    mapped = np.full(len(ours), -1, np.int64)
    mapped[used] = theirs[first]
    free = sorted(set(range(len(ours))) - set(mapped[used].tolist()))
    if mapped[0] < 0:  # the empty witness is a constant: it may be listed though no row has it
        mapped[0] = free[0] if listed == len(ours) else len(ours)
    sound = len(set(mapped.tolist())) == len(mapped) and mapped[used].min(initial=0) >= 0
    if not sound or mapped[used].max(initial=0) >= len(ours):
        findings.add(
            profile=profile,
            kind="inventory",
            place=f"{profile}/occurrences, column witness",
            expected=f"one number below {len(ours)} for each of {len(used)} mask witnesses",
            found="two witnesses under one number, or a number out of range",
        )
        return ours
    return mapped


def witness_tables(
    witnesses: RowWitnesses, mapped: Ints
) -> tuple[NDArray[np.int64], Columns, Columns, list[list[Touched]]]:
    """Column `witness`, tables `witnesses` and `witness-spans`, and the spans by number, under the artifact's
    numbers.
    """
    count = len(mapped) if int(mapped.max(initial=0)) < len(mapped) else len(mapped) - 1
    spans: list[list[Touched]] = [[] for _ in range(count)]
    roots = [b""] * count
    for ours, theirs in enumerate(mapped.tolist()):
        if theirs < count:
            spans[theirs], roots[theirs] = witnesses.spans[ours], witnesses.roots[ours]
    rows = [(number, *span) for number, listed in enumerate(spans) for span in listed]
    number, start, end, kind, selection, treatment, reason = zip(*rows, strict=True) if rows else ((),) * 7
    table: Columns = {
        "witness": np.array(number, np.int64),
        "start": np.array(start, np.int64),
        "end": np.array(end, np.int64),
        "kind": np.array(kind, np.int64),
        "treatment": np.array(treatment, np.int64),
        "reason": np.array(reason, np.int64),
        "selection": np.frombuffer(b"".join(selection), np.uint8).reshape(-1, 16),
    }
    root_table: Columns = {"root": np.frombuffer(b"".join(roots), np.uint8).reshape(-1, 32)}
    return mapped[witnesses.number], root_table, table, spans
