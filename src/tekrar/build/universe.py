"""One profile's evaluation: columns in, groups and a decided state for every row out.

Each part of the partition is listed by the code that decides it (requirements 3.1, step 4, and 3.5): excluded
by geometry, failed for missing bytes, deferred, failed by collision, matched by verified equality, and only
in a universe without open items evaluated_unique.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.shards import Shards
from tekrar.core.coverage import Partition
from tekrar.core.exact import (
    Groups,
    SuspectsOf,
    collect_groups,
    colliding_rows,
    head_words,
    repeated_words,
    sharing_head,
)
from tekrar.core.policy import FAILURE_CODES, PENDING_CODES

Ints = NDArray[np.int64]
HEAD_PARTS = 4
#: From so many rows on, the check of fingerprints is shared out.
SHARED_ROWS = 1 << 19


@dataclass(frozen=True)
class RowStates:
    """What geometry and the byte source decide before anything is compared; masks over the rows of a
    universe.

    Attributes:
        excluded: the extent intersects an excluded span.
        missing: a byte of the extent could not be read.
        deferred: the caller put the item off.
    """

    excluded: NDArray[np.bool_]
    missing: NDArray[np.bool_]
    deferred: NDArray[np.bool_]

    @property
    def evaluated(self) -> NDArray[np.bool_]:
        """Rows that get a fingerprint."""
        return ~(self.excluded | self.missing | self.deferred)


@dataclass(frozen=True)
class RunStates:
    """States of a universe of runs, and the longest live and readable run from each sentence."""

    rows: RowStates
    reach: Ints


@dataclass(frozen=True)
class Decided:
    """Decided groups and rows of one profile.

    Attributes:
        groups: verified groups of two or more matched rows.
        unique: rows certified to have no peer; empty in a partial universe.
        pending_peer: evaluated rows without a peer in a partial universe (AMB-14).
        collided: rows of colliding buckets.
    """

    groups: Groups
    unique: Ints
    pending_peer: Ints
    collided: Ints

    def withheld(self) -> Decided:
        """The same without a certified unique row: what a universe that was not certified may say."""
        rows = np.sort(np.concatenate([self.unique, self.pending_peer]))
        return Decided(self.groups, rows[:0], rows, self.collided)


def decide(
    *,
    number: NDArray[Any],
    states: RowStates,
    member_collision: NDArray[np.bool_] | None,
    fingerprint: NDArray[np.uint8],
    suspects_of: SuspectsOf = sharing_head,
) -> tuple[Decided, bool]:
    """Groups, collisions and unique rows from group numbers and fingerprints.

    Args:
        number: group number per row, equal for equal preimages; negative for a row with no equal.
        states: excluded, missing and deferred rows.
        member_collision: evaluated rows whose member digests do not determine their content, or None.
        fingerprint: uint8 (rows, 32).
        suspects_of: finds the rows whose fingerprints may be equal.

    Returns:
        the decision and whether the universe is partial.
    """
    evaluated = states.evaluated
    grouped = collect_groups(number, evaluated)
    single = _single(number, evaluated)
    collided = np.zeros(len(evaluated), bool)
    collided[colliding_rows(fingerprint, grouped, single, suspects_of=suspects_of)] = True
    if member_collision is not None:
        collided |= member_collision & evaluated
    if collided.any():
        standing = evaluated & ~collided
        grouped, single = collect_groups(number, standing), _single(number, standing)
    partial = bool(
        (states.missing & ~states.excluded).any()
        or (states.deferred & ~states.excluded).any()
        or collided.any()
    )
    none = np.empty(0, np.int64)
    unique, pending = (none, single) if partial else (single, none)
    return Decided(grouped, unique, pending, np.flatnonzero(collided)), partial


def suspects_in_shards(shards: Shards, stage: str) -> SuspectsOf:
    """`sharing_head` shared out: each task sorts the words that end in its number."""

    def suspects_of(fingerprint: NDArray[np.uint8], rows: Ints) -> Ints:
        if len(rows) < SHARED_ROWS:
            return sharing_head(fingerprint, rows)
        words = head_words(fingerprint, rows)
        flag = shards.empty((len(rows),), np.uint8)

        def work(part: int) -> None:
            mine = np.flatnonzero(words % HEAD_PARTS == part)
            flag[mine[repeated_words(words[mine])]] = 1

        shards.run(stage, range(HEAD_PARTS), work)
        return np.asarray(rows[np.flatnonzero(flag)])

    return suspects_of


def _single(number: NDArray[Any], standing: NDArray[np.bool_]) -> Ints:
    """Standing rows whose preimage no other standing row has: never grouped, or the only one left of their
    group."""
    keep = standing & (number < 0)
    named = np.flatnonzero(standing & (number >= 0))
    ids = number[named]
    keep[named] = np.bincount(ids)[ids] == 1
    return np.flatnonzero(keep)


def partition_of(
    states: RowStates, decided: Decided, *, partial: bool, dominated_class: NDArray[np.bool_]
) -> Partition:
    """The five parts and the three presentations, each from what decided it."""
    order = np.argsort(decided.groups.rows, kind="stable")
    matched = decided.groups.rows[order]
    class_of = np.repeat(np.arange(len(decided.groups)), decided.groups.size)[order]
    missing = np.flatnonzero(states.missing & ~states.excluded)
    deferred = np.flatnonzero(states.deferred & ~states.excluded & ~states.missing)
    failed, failure = _joined(
        (missing, FAILURE_CODES["missing_witness_bytes"]),
        (decided.collided, FAILURE_CODES["digest_collision"]),
    )
    pending, code = _joined(
        (deferred, PENDING_CODES["pending_evaluation"]),
        (decided.pending_peer, PENDING_CODES["pending_peer_universe"]),
    )
    none = np.empty(0, np.int64)
    is_dominated = dominated_class[class_of] if len(class_of) else np.empty(0, bool)
    return Partition(
        matched=matched,
        matched_class=class_of,
        unique=decided.unique,
        not_evaluated=pending,
        pending=code,
        excluded=np.flatnonzero(states.excluded),
        failed=failed,
        failure=failure,
        published=none if partial else matched[~is_dominated],
        dominated=none if partial else matched[is_dominated],
        provisional=matched if partial else none,
    )


def _joined(*parts: tuple[Ints, int]) -> tuple[Ints, NDArray[np.uint8]]:
    rows = np.concatenate([rows for rows, _ in parts])
    codes = np.concatenate([np.full(len(rows), code, np.uint8) for rows, code in parts])
    order = np.argsort(rows, kind="stable")
    return rows[order], codes[order]
