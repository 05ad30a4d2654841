"""Exact classes from verified groups: IDs, member digests, witnesses and dominance (ADR-009 *Exact
comparison*, *Identity contracts*).

Class numbers follow the first member in document order; IDs follow from the facts alone. A partial profile
issues no class ID: its groups keep their witness as a provisional key (AMB-22).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.build.engine import Engine, hex_texts
from tekrar.core.atoms import NamedAtoms
from tekrar.core.dominance import NONE, Dominated, dominate
from tekrar.core.exact import Groups
from tekrar.core.identity import name_prefix, uuid_text
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.preimage import run_witness_header
from tekrar.core.profile import Profile
from tekrar.core.rows import big_endian

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
WITNESS_ROWS = 8192


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
    profile: Profile, groups: Groups, *, engine: Engine, witness: Bytes2D, occurrence: Bytes2D, partial: bool
) -> Classes:
    """Classes of a complete profile, or provisional groups of a partial one; dominance is added by
    `with_dominance`."""
    count = len(groups)
    nothing = np.full(count, NONE, np.int64), np.zeros(count, np.int64), np.zeros(count, np.int64)
    if partial or not count:
        empty = np.empty((0, 16), np.uint8), np.empty((0, 32), np.uint8), np.empty(0, np.int64)
        return Classes(groups, witness, *empty, Dominated(*nothing))
    members = _member_digests(groups, occurrence, engine)
    prefix = name_prefix(
        "exact-class",
        {
            "profile": uuid_text(profile.id),
            "predicate": profile.spec.predicate,
            "scope": profile.scope_root.hex(),
        },
    )
    fact = np.frombuffer(b"/witness=", np.uint8)
    text = np.concatenate(
        [hex_texts(members), np.broadcast_to(fact, (count, len(fact))), hex_texts(witness)], axis=1
    )
    ids = engine.uuid5_rows(prefix, text)
    words = ids.view(">u8").reshape(-1, 2)
    rank = np.empty(count, np.int64)
    rank[np.lexsort((words[:, 1], words[:, 0]))] = np.arange(count)
    return Classes(groups, witness, ids, members, rank, Dominated(*nothing))


def _member_digests(groups: Groups, occurrence: Bytes2D, engine: Engine) -> Bytes2D:
    ids = occurrence.take(groups.rows, axis=0)
    words = ids.view(">u8").reshape(-1, 2)
    which = np.repeat(np.arange(len(groups)), groups.size)
    ids = ids.take(np.lexsort((words[:, 1], words[:, 0], which)), axis=0)
    counts = big_endian(groups.size, 8)
    offset = 16 * groups.offset
    return engine.text_digests(None, counts, memoryview(ids.tobytes()), offset[:-1], offset[1:])


def run_witnesses(groups: Groups, named: NamedAtoms, runs: Runs, engine: Engine) -> Bytes2D:
    """Class witnesses of run groups, uint8 (groups, 32), from their representatives."""
    head = np.frombuffer(run_witness_header(), np.uint8)
    out = np.empty((len(groups), 32), np.uint8)
    starts, lengths = runs.row_sentence[groups.first], runs.row_length[groups.first]
    for length in range(MIN_RUN, MAX_RUN + 1):
        chosen = np.flatnonzero(lengths == length)
        for low in range(0, len(chosen), WITNESS_ROWS):
            part = chosen[low : low + WITNESS_ROWS]
            rows = np.empty((len(part), 64 + 64 * length + 4), np.uint8)
            rows[:, :64] = head
            rows[:, 64:128] = named.first.take(starts[part], axis=0)
            for step in range(1, length):
                rows[:, 64 + 64 * step : 128 + 64 * step] = named.inner.take(starts[part] + step, axis=0)
            rows[:, -4:] = np.frombuffer(length.to_bytes(4, "big"), np.uint8)
            out[part] = engine.sha256_rows(rows)
    return out


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
