"""Exact classes from verified groups: IDs, member digests, witnesses and dominance (ADR-009 *Exact comparison*, *Identity contracts*).

Class numbers follow the first member in document order; IDs follow from the facts alone. A partial profile issues no class ID: its groups
keep their witness as a provisional key (AMB-22).
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.build.engine import stamp_version
from tekrar.core.atoms import NamedAtoms
from tekrar.core.dominance import NONE, Dominated, dominate
from tekrar.core.exact import Groups
from tekrar.core.identity import name_prefix, uuid_text
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.preimage import run_witness_header
from tekrar.core.profile import Profile

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]


@dataclass(frozen=True)
class Classes:
    """Classes (or provisional groups) of one profile, numbered by first member.

    Attributes:
        groups: member rows.
        witness: uint8 (classes, 32), neither profile nor release in it.
        id: uint8 (classes, 16); no rows when the profile is partial.
        members: uint8 (classes, 32) members digests; no rows when partial.
        rank: position of each class ID among all, ascending by bytes.
        dominated: winners and extensions; NONE for a published class.
    """

    groups: Groups
    witness: Bytes2D
    id: Bytes2D
    members: Bytes2D
    rank: Ints
    dominated: Dominated

    @property
    def is_dominated(self) -> NDArray[np.bool_]:
        """Per class."""
        return np.asarray(self.dominated.winner != NONE)


def issue_classes(
    profile: Profile, groups: Groups, *, witness: Bytes2D, occurrence: Bytes2D, partial: bool
) -> Classes:
    """Classes of a complete profile, or provisional groups of a partial one; dominance is added by `with_dominance`."""
    count = len(groups)
    nothing = np.full(count, NONE, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    if partial or not count:
        empty = np.empty((0, 16), np.uint8), np.empty((0, 32), np.uint8), np.empty(0, np.int64)
        return Classes(groups, witness, *empty, Dominated(*nothing))
    members = _member_digests(groups, occurrence)
    prefix = name_prefix(
        "exact-class",
        {
            "profile": uuid_text(profile.id),
            "predicate": profile.spec.predicate.replace("_", "-"),
            "scope": profile.scope_root.hex(),
        },
    )
    base = hashlib.sha1(prefix, usedforsecurity=False)
    names = []
    for member, seen in zip(members, witness, strict=True):
        state = base.copy()
        state.update(f"{member.tobytes().hex()}/witness={seen.tobytes().hex()}".encode("ascii"))
        names.append(state.digest()[:16])
    ids = stamp_version(np.frombuffer(b"".join(names), np.uint8).reshape(-1, 16).copy())
    words = ids.view(">u8").reshape(-1, 2)
    rank = np.empty(count, np.int64)
    rank[np.lexsort((words[:, 1], words[:, 0]))] = np.arange(count)
    return Classes(groups, witness, ids, members, rank, Dominated(*nothing))


def _member_digests(groups: Groups, occurrence: Bytes2D) -> Bytes2D:
    words = occurrence[groups.rows].view(">u8").reshape(-1, 2)
    which = np.repeat(np.arange(len(groups)), groups.size)
    order = np.lexsort((words[:, 1], words[:, 0], which))
    data = memoryview(occurrence[groups.rows[order]].tobytes())
    sha256 = hashlib.sha256
    out = []
    bounds = (16 * groups.offset).tolist()
    for low, high in zip(bounds[:-1], bounds[1:], strict=True):
        state = sha256(((high - low) // 16).to_bytes(8, "big"))
        state.update(data[low:high])
        out.append(state.digest())
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, 32)


def run_witnesses(groups: Groups, named: NamedAtoms, runs: Runs) -> Bytes2D:
    """Class witnesses of run groups, uint8 (groups, 32), from their representatives."""
    head = hashlib.sha256(run_witness_header())
    first, inner = memoryview(named.first.reshape(-1)), memoryview(named.inner.reshape(-1))
    trailers = [count.to_bytes(4, "big") for count in range(MAX_RUN + 1)]
    out = []
    starts, lengths = runs.row_sentence[groups.first], runs.row_length[groups.first]
    for start, length in zip(starts.tolist(), lengths.tolist(), strict=True):
        state = head.copy()
        state.update(first[64 * start : 64 * start + 64])
        state.update(inner[64 * start + 64 : 64 * (start + length)])
        state.update(trailers[length])
        out.append(state.digest())
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, 32)


def with_dominance(classes: Classes, runs: Runs) -> Classes:
    """The run classes of a complete profile with `maximal_only` dominance."""
    groups = classes.groups
    if not len(classes.id):
        return classes
    length = runs.row_length[groups.first].astype(np.int64)
    which = np.repeat(np.arange(len(groups), dtype=np.int32), groups.size)
    start = runs.row_sentence[groups.rows]
    member_length = runs.row_length[groups.rows]
    nowhere = np.empty(0, np.int32)
    class_at = [nowhere] * (MAX_RUN + 1)
    for k in range(MIN_RUN, MAX_RUN + 1):
        class_at[k] = np.full(len(runs.start), NONE, np.int32)
        here = member_length == k
        class_at[k][start[here]] = which[here]
    dominated = dominate(
        length=length,
        size=groups.size,
        sentence=runs.row_sentence[groups.first].astype(np.int64),
        rank=classes.rank,
        class_at=class_at,
    )
    return Classes(groups, classes.witness, classes.id, classes.members, classes.rank, dominated)
