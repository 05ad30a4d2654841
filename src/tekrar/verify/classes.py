"""Class IDs, witnesses and dominance, from complete inventories (ADR-009 *Exact classes*, *Maximal-run
dominance*).
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import u64
from tekrar.core.profile import Profile
from tekrar.verify.universe import LONGEST_RUN, Universe
from tekrar.verify.uuid5 import name_state, uuid_text, uuids

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
PUBLISHED: Final = -1


@dataclass(frozen=True)
class Classes:
    """Classes by number.

    Attributes:
        size: members; offset: first place in `members`, with a final total; members: rows by class,
            ascending inside one.
        witness: class witnesses (n, 32); id, digest: class UUIDs and members digests, no rows in a partial
            profile.
        winner: dominating class or -1; left, right: the extension.
    """

    size: Ints
    offset: Ints
    members: Ints
    witness: Bytes2D
    id: Bytes2D
    digest: Bytes2D
    winner: Ints
    left: Ints
    right: Ints


def classes_of(
    matched: Ints,
    group: Ints,
    *,
    profile: Profile,
    occurrences: Bytes2D,
    witness_of: Callable[[int], bytes],
    universe: Universe,
    partial: bool,
) -> Classes:
    """The classes of matched rows; a partial profile issues no ID and knows no dominance (AMB-22).

    Args:
        matched, group: rows ascending and their class numbers.
        profile: the profile.
        occurrences: occurrence UUIDs of all rows.
        witness_of: class witness of a row.
        universe: geometry of the rows.
        partial: whether the profile is partial.
    """
    size = np.bincount(group).astype(np.int64)
    offset = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
    members = matched[np.argsort(group, kind="stable")]
    witnesses = [witness_of(row) for row in members[offset[:-1]].tolist()]
    witness = np.frombuffer(b"".join(witnesses), np.uint8).reshape(-1, 32)
    none = np.full(len(size), PUBLISHED, np.int64)
    if partial:
        empty = np.zeros((0, 16), np.uint8)
        zero = np.zeros(len(size), np.int64)
        return Classes(size, offset, members, witness, empty, np.zeros((0, 32), np.uint8), none, zero, zero)
    digest = members_digests(occurrences[members], size, offset)
    ids = class_ids(profile, digest, witness)
    winner, left, right = none, np.zeros(len(size), np.int64), np.zeros(len(size), np.int64)
    if profile.spec.dominance == "maximal_only":
        winner, left, right = _dominance(universe, members, size, offset, _rank(ids))
    return Classes(size, offset, members, witness, ids, digest, winner, left, right)


def members_digests(occurrences: Bytes2D, size: Ints, offset: Ints) -> Bytes2D:
    """SHA-256 of count and UUIDs ascending by bytes, for each class."""
    words = np.ascontiguousarray(occurrences).view(">u8").reshape(-1, 2)
    order = np.lexsort((words[:, 1], words[:, 0], np.repeat(np.arange(len(size)), size)))
    data = occurrences[order].tobytes()
    digests = [
        hashlib.sha256(u64(count) + data[16 * at : 16 * (at + count)]).digest()
        for count, at in zip(size.tolist(), offset.tolist(), strict=False)
    ]
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)


def class_ids(profile: Profile, digest: Bytes2D, witness: Bytes2D) -> Bytes2D:
    """Class UUIDs from members digests and class witnesses."""
    predicate = profile.spec.predicate
    base = name_state(
        "exact-class",
        f"profile={uuid_text(profile.id)}/predicate={predicate}/scope={profile.scope_root.hex()}/members=",
    )
    digests = []
    for members, one in zip(digest, witness, strict=True):
        state = base.copy()
        state.update(f"{members.tobytes().hex()}/witness={one.tobytes().hex()}".encode("ascii"))
        digests.append(state.digest())
    return uuids(digests)


def _rank(ids: Bytes2D) -> Ints:
    """Place of every UUID in ascending byte order."""
    words = np.ascontiguousarray(ids).view(">u8").reshape(-1, 2)
    rank = np.empty(len(ids), np.int64)
    rank[np.lexsort((words[:, 1], words[:, 0]))] = np.arange(len(ids))
    return rank


def _dominance(
    universe: Universe, members: Ints, size: Ints, offset: Ints, rank: Ints
) -> tuple[Ints, Ints, Ints]:
    """Winner, left and right of every class by the ADR's definition, word for word.

    D dominates S when one fixed extension (left, right) maps EVERY member of S onto a member of D and the
    inventories are of equal size: the shift is injective, so the map is one-to-one. All extensions up to the
    bound are tried, not only single steps. The longest D wins, then the lowest class ID.
    """
    count = len(size)
    winner = np.full(count, PUBLISHED, np.int64)
    left, right, best = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    if not count:
        return winner, left, right
    start = universe.first[members].astype(np.int64)
    length = universe.last[members] - universe.first[members] + 1
    number = np.repeat(np.arange(count), size)
    class_at = {}
    for k in range(2, LONGEST_RUN + 1):
        class_at[k] = np.full(len(universe.start), -1, np.int32)
        chosen = length == k
        class_at[k][start[chosen]] = number[chosen]
    class_length = length[offset[:-1]]
    for k in range(2, LONGEST_RUN):
        ours = np.flatnonzero(class_length == k)
        places = start[length == k]
        if not len(ours):
            continue
        begin = np.concatenate([[0], np.cumsum(size[ours])])[:-1]
        for longer in range(k + 1, LONGEST_RUN + 1):
            for l in range(longer - k + 1):  # noqa: E741  (the ADR's own letter)
                found = class_at[longer][np.maximum(places - l, 0)]
                found = np.where(places >= l, found, -1)
                low, high = np.minimum.reduceat(found, begin), np.maximum.reduceat(found, begin)
                good = (low >= 0) & (low == high)
                good[good] = size[low[good]] == size[ours[good]]
                theirs, mine = low[good].astype(np.int64), ours[good]
                better = (longer > best[mine]) | (rank[theirs] < rank[winner[mine]])
                mine, theirs = mine[better], theirs[better]
                winner[mine], best[mine] = theirs, longer
                left[mine], right[mine] = l, longer - k - l
    return winner, left, right
