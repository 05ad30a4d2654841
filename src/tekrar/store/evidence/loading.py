"""A package of candidates into the database, in one transaction (docs/store.md, "Candidates")."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import parse_uuid
from tekrar.store.evidence.result import participants_sides
from tekrar.store.evidence.stored_set import not_of_package, read_set
from tekrar.store.load.columns import TEXTS, Column, copy_in
from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction

_BEGIN: Final = b"SELECT api.begin_candidates(%s::jsonb, %s)"
_ATTACH: Final = b"SELECT api.attach_candidates(%s)"
_SEAL: Final = b"SELECT api.seal_candidates(%s, %s, %s)"
_ANNOUNCE: Final = b"SELECT api.announce_candidates(%s)"
_FEW_STATISTICS: Final = b"SELECT set_config('default_statistics_target', '10', true)"


@dataclass(frozen=True)
class CandidatePackage:
    """An opened package of candidates, its files hashed and its roots compared by whoever opened it.

    Attributes:
        place: what to call it in a message.
        manifest: its manifest document.
        rows: (candidate, participants, result, evidence, payload) as bytes, best first.
    """

    place: str
    manifest: dict[str, Any]
    rows: Sequence[tuple[bytes, bytes, bytes, bytes, bytes]]


@dataclass(frozen=True)
class LoadedCandidates:
    """What a load did.

    Attributes:
        set_key: key in this database.
        package_root: 32 bytes.
        profile: repetition-profile UUID text; generator: digest.
        candidates: how many there are.
        loaded: False where they were there before.
        announced: whether the ledger has their entry; not where there is no ledger yet.
    """

    set_key: int
    package_root: bytes
    profile: str
    generator: str
    candidates: int
    loaded: bool
    announced: bool

    def as_record(self) -> dict[str, Any]:
        """The outcome as one JSON record."""
        return {
            "candidates_root": self.package_root.hex(),
            "profile": self.profile,
            "generator": self.generator,
            "count": self.candidates,
            "outcome": "loaded" if self.loaded else "already_loaded",
            "in_ledger": self.announced,
        }


def load_candidates(
    connection: Connection, package: CandidatePackage, *, at_step: Callable[[int, str], None] | None = None
) -> LoadedCandidates:
    """Load a package over its artifact, which is loaded and sealed.

    Args:
        connection: of a login that may become `tekrar_builder`, outside a transaction.
        package: the package.
        at_step: called with number and name of each step before it is done.

    Raises:
        IntegrityError: rows that are no candidates, or that are others in the database than in the package.
        DatabaseError: `artifact_not_loaded`, `other_text_release`, `other_profile`, `other_candidates`; a
            server that refused or was lost. Nothing of it is there.
    """
    steps = iter(range(1, 100))

    def step(name: str) -> None:
        if at_step is not None:
            at_step(next(steps), name)

    step("begin")
    with transaction(connection, role=Role.BUILDER):
        done = load_within(connection, package, step)
    step("end")
    return done


def load_within(
    connection: Connection, package: CandidatePackage, step: Callable[[str], None] = lambda name: None
) -> LoadedCandidates:
    """What `load_candidates` does, in a builder's transaction that the caller began."""
    manifest = package.manifest
    facts = {
        "package_root": manifest["candidates_root"],
        "artifact_root": manifest["roots"]["artifact"],
        "short": manifest["profile"]["name"],
        "profile": manifest["profile"]["id"],
        "text_release": manifest["release"]["text_release"],
        "generator": manifest["roots"]["generator"],
    }
    root, count = bytes.fromhex(facts["package_root"]), len(package.rows)

    def done(key: int, *, loaded: bool, announced: bool) -> LoadedCandidates:
        return LoadedCandidates(key, root, facts["profile"], facts["generator"], count, loaded, announced)

    step("begin_candidates")
    began = _one(connection, _BEGIN, (json.dumps(facts), canonical_json(manifest)))
    key = began["set_key"]
    if began["sealed"]:
        return done(key, loaded=False, announced=_one(connection, _ANNOUNCE, (key,)))
    bound = (parse_uuid(facts["profile"]), bytes.fromhex(facts["generator"]))
    for table, columns in _tables(package, *bound).items():
        step(f"copy {table}")
        keys = Column("set_key", "int4", np.full(len(columns[0].values), key))
        copy_in(
            connection,
            began["targets"][table],
            [keys, *columns],
            half_way=partial(step, f"inside copy {table}"),
        )
    step("read back")
    found = read_set(connection, key, sources=began["targets"])
    step("attach_candidates")
    connection.execute(_FEW_STATISTICS)
    connection.execute(_ATTACH, (key,))
    step("seal_candidates")
    sealed = _one(connection, _SEAL, (key, found.root, len(found.candidates)))
    step("commit")
    return done(key, loaded=True, announced=sealed["announced"])


def _tables(package: CandidatePackage, profile: bytes, generator: bytes) -> dict[str, list[Column]]:
    """Columns of the three tables, without `set_key`."""
    count = len(package.rows)
    candidate, participants, result, evidence, payload = (
        map(list, zip(*package.rows, strict=True)) if count else ([], [], [], [], [])
    )
    who = _digests([sha256(one) for one in participants], 32)
    rank = np.arange(1, count + 1)
    made_by = np.broadcast_to(np.frombuffer(generator, np.uint8), (count, 32))
    return {
        "curation.candidate": [
            Column("rank", "int4", rank),
            Column("candidate", "uuid", _digests(candidate, 16)),
            Column("profile", "uuid", np.broadcast_to(np.frombuffer(profile, np.uint8), (count, 16))),
            Column("generator", "digest", made_by),
            Column("participants", "digest", who),
            Column("result_digest", "digest", _digests([sha256(one) for one in result], 32)),
            Column("result", TEXTS, result),
        ],
        "curation.candidate_participant": _participants(package, candidate, participants),
        "curation.evidence": [
            Column("rank", "int4", rank),
            Column("evidence", "uuid", _digests(evidence, 16)),
            Column("participants", "digest", who),
            Column("producer", "digest", made_by),
            Column("payload_digest", "digest", _digests([sha256(one) for one in payload], 32)),
            Column("payload", TEXTS, payload),
        ],
    }


def _participants(package: CandidatePackage, ids: list[bytes], participants: list[bytes]) -> list[Column]:
    named: list[bytes] = []
    side: list[int] = []
    position: list[int] = []
    occurrence: list[bytes] = []
    for rank, (own, data) in enumerate(zip(ids, participants, strict=True), 1):
        try:
            sides = participants_sides(data)
        except ValueError as error:
            raise not_of_package(
                f"candidate {rank} has {error}", where=package.place, expected="canonical participants"
            ) from None
        for number, members in enumerate(sides):
            named += [own] * len(members)
            side += [number] * len(members)
            position += range(len(members))
            occurrence += members
    return [
        Column("candidate", "uuid", _digests(named, 16)),
        Column("side", "int4", np.array(side, np.int64)),
        Column("position", "int4", np.array(position, np.int64)),
        Column("occurrence", "uuid", _digests(occurrence, 16)),
    ]


def _digests(values: list[bytes], width: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(-1, width)


def _one(connection: Connection, query: bytes, parameters: tuple[Any, ...]) -> Any:
    row = connection.execute(query, parameters).fetchone()
    assert row is not None  # each is a SELECT of one function
    return row[0]
