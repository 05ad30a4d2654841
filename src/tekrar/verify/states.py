"""The one state of every work item, and the groups of equal items (ADR-009 *Complete work partition*;
requirements 3.1, 3.3).

What a release alone cannot tell is taken as the artifact states it: which items were deferred, and which
failed for unreadable bytes or a digest collision. Everything else follows: the first state that applies is
excluded, failed/missing, pending_evaluation, failed/collision, matched, then pending_peer_universe in a
partial profile and unique in a complete one.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import FAILURE_CODES, PENDING_CODES
from tekrar.verify.result import Findings
from tekrar.verify.universe import Universe

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]
#: Content that occurs more than once: (length, rows ascending, name of each row's content).
Repeated = Iterable[tuple[Ints, Ints]]

MISSING: Final = FAILURE_CODES["missing_witness_bytes"]
COLLISION: Final = FAILURE_CODES["digest_collision"]
DEFERRED: Final = PENDING_CODES["pending_evaluation"]
NO_PEERS_YET: Final = PENDING_CODES["pending_peer_universe"]


@dataclass(frozen=True)
class Stated:
    """Flags of rows that are taken as stated."""

    missing: Flags
    deferred: Flags
    collided: Flags


@dataclass(frozen=True)
class States:
    """The partition that follows.

    Attributes:
        partial: whether the profile is partial.
        fingerprinted: rows that have a recomputed fingerprint; collided: rows whose fingerprint is taken as
            stated.
        matched, group: matched rows ascending and their class numbers, counted by first row.
        unique, pending, failed: rows; `pending_code`, `failed_code` their codes.
    """

    partial: bool
    fingerprinted: Flags
    collided: Flags
    matched: Ints
    group: Ints
    unique: Ints
    pending: Ints
    pending_code: NDArray[np.uint8]
    failed: Ints
    failed_code: NDArray[np.uint8]


def stated_rows(
    findings: Findings,
    *,
    profile: str,
    tables: dict[str, dict[str, NDArray[np.int64]]],
    excluded: Flags,
) -> Stated:
    """Read the deferred and failed rows; rows out of range, repeated, of an unknown code or excluded are
    differences.
    """
    count = len(excluded)
    found = {}
    for part, known in (("not-evaluated", (DEFERRED, NO_PEERS_YET)), ("failed", (MISSING, COLLISION))):
        rows, codes = tables[part]["row"], tables[part]["code"]
        flawed = (rows < 0) | (rows >= count) | ~np.isin(codes, known)
        flawed[1:] |= rows[1:] <= rows[:-1]
        if flawed.any():
            at = int(np.flatnonzero(flawed)[0])
            findings.add(
                profile=profile,
                kind=part,
                place=f"{profile}/{part}",
                row=at,
                expected=f"ascending rows below {count} with a code of {known}",
                found=f"row {int(rows[at])}, code {int(codes[at])}",
            )
        for code in known:
            flags = np.zeros(count, bool)
            flags[rows[~flawed & (codes == code)]] = True
            found[part, code] = flags
    missing, deferred = found["failed", MISSING], found["not-evaluated", DEFERRED]
    collided = found["failed", COLLISION]
    return Stated(
        missing & ~excluded, deferred & ~excluded & ~missing, collided & ~excluded & ~missing & ~deferred
    )


def states(
    stated: Stated, excluded: Flags, repeated: Repeated, *, findings: Findings, profile: str
) -> States:
    """Derive the partition.

    Args:
        stated: rows taken as stated.
        excluded: rows that a projection excludes.
        repeated: groups of rows with equal content, each group complete over the universe.
        findings: gets a difference where equal items do not share a collision.
        profile: short name.
    """
    settled = excluded | stated.missing | stated.deferred
    live = ~(settled | stated.collided)
    partial = bool(stated.missing.any() or stated.deferred.any() or stated.collided.any())
    parts: list[tuple[Ints, Ints]] = []
    total = 0
    collisions = bool(stated.collided.any())
    for rows, names in repeated:
        if collisions:
            _whole_buckets(rows, names, settled, stated.collided, findings=findings, profile=profile)
        keep = live[rows]
        rows, names = rows[keep], names[keep]
        _, names, size = np.unique(names, return_inverse=True, return_counts=True)
        keep = size[names] > 1
        parts.append((rows[keep], names[keep] + total))
        total += len(size)
    matched = np.concatenate([rows for rows, _ in parts]) if parts else np.zeros(0, np.int64)
    group = np.concatenate([names for _, names in parts]) if parts else np.zeros(0, np.int64)
    order = np.argsort(matched)
    matched, group = matched[order], _by_first_row(group[order])
    rest = live.copy()
    rest[matched] = False
    code = np.zeros(len(live), np.uint8)
    code[stated.deferred] = DEFERRED
    if partial:
        code[rest] = NO_PEERS_YET
    failure = np.where(stated.missing, MISSING, np.where(stated.collided, COLLISION, 0)).astype(np.uint8)
    pending, failed = np.flatnonzero(code), np.flatnonzero(failure)
    return States(
        partial=partial,
        fingerprinted=live,
        collided=stated.collided,
        matched=matched,
        group=group,
        unique=np.zeros(0, np.int64) if partial else np.flatnonzero(rest),
        pending=pending,
        pending_code=code[pending],
        failed=failed,
        failed_code=failure[failed],
    )


def _by_first_row(group: Ints) -> Ints:
    """The groups numbered by their first rows; `group` stands in row order."""
    _, first, inverse = np.unique(group, return_index=True, return_inverse=True)
    rank = np.empty(len(first), np.int64)
    rank[np.argsort(first)] = np.arange(len(first))
    return rank[inverse] if len(group) else group


def _whole_buckets(
    rows: Ints, names: Ints, settled: Flags, collided: Flags, *, findings: Findings, profile: str
) -> None:
    """A collision takes every item of its bucket (AMB-13): equal items fail together or not at all."""
    keep = ~settled[rows]
    rows, names = rows[keep], names[keep]
    size = np.bincount(names)
    failed = np.bincount(names, weights=collided[rows], minlength=len(size)).astype(np.int64)
    split = np.flatnonzero((failed > 0) & (failed < size))
    if len(split):
        row = int(rows[(names == split[0]) & ~collided[rows]][0])
        findings.add(
            profile=profile,
            kind="failed",
            place=f"{profile}/failed",
            row=row,
            expected="digest_collision, as an equal item has it",
            found="another state",
        )


def check_missing_runs(
    universe: Universe, stated: Stated, excluded: Flags, findings: Findings, *, profile: str
) -> None:
    """A run around a run of unreadable bytes is itself unreadable: missing rows are closed upward."""
    if not stated.missing.any():
        return
    rows = np.flatnonzero(stated.missing)
    first, last = universe.first[rows].astype(np.int64), universe.last[rows].astype(np.int64)
    for start, end in ((first - 1, last), (first, last + 1)):
        ok = (start >= 0) & (end < len(universe.start))
        around = universe.first_row[start[ok]] + (end[ok] - start[ok] - 1)
        inside = around < universe.first_row[start[ok] + 1]
        around = around[inside]
        wrong = around[~(stated.missing | excluded)[around]]
        if len(wrong):
            findings.add(
                profile=profile,
                kind="failed",
                place=f"{profile}/failed",
                row=int(wrong[0]),
                expected="missing_witness_bytes, as a run inside it has it",
                found="another state",
            )


def check_buckets(
    partition: States, fingerprints: NDArray[np.uint8], findings: Findings, *, profile: str, passages: bool
) -> None:
    """A bucket is never split (AMB-13): no standing item has the fingerprint of a failed one.

    Args:
        partition: the derived states.
        fingerprints: of all rows, those of collided rows as stated.
        findings: gets a difference.
        profile: short name.
        passages: whether a collision can come from fingerprints alone (runs have member digests too); then
            a failed item has a companion of its fingerprint.
    """
    failed = np.flatnonzero(partition.collided)
    if not len(failed):
        return
    count: dict[bytes, int] = {}
    for row in failed.tolist():
        key = fingerprints[row].tobytes()
        count[key] = count.get(key, 0) + 1
    for row in np.flatnonzero(partition.fingerprinted).tolist():
        if fingerprints[row].tobytes() in count:
            findings.add(
                profile=profile,
                kind="failed",
                place="a split bucket of equal fingerprints,",
                row=row,
                expected="digest_collision, as another item of the bucket has it",
                found="another state",
            )
            return
    alone = [row for row in failed.tolist() if count[fingerprints[row].tobytes()] == 1]
    if passages and alone:
        findings.add(
            profile=profile,
            kind="failed",
            place="a bucket of one fingerprint,",
            row=alone[0],
            expected="at least two items that collide",
            found="one",
        )
