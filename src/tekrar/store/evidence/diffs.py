"""Passage diffs as evidence in the database: derived from the stored text, kept by their own ID (DIF-01).

SQL checks endpoints, mask roots, the form of a script and its ID; that it is the canonical script is derived
here before it is stored, and derived again by a verification.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.diff.record import Endpoint, PassageDiff, diff_of
from tekrar.core.diff.units import boundaries_in, units_of
from tekrar.core.identity import parse_uuid, uuid_text
from tekrar.core.policy import TREATMENTS
from tekrar.errors import NotFoundError
from tekrar.store.absence import absence
from tekrar.store.permission import claims_of, snapshot_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask

#: Bytes of a block of the text.
_BLOCK: Final = 32768
_PROFILES: Final = b"SELECT p.profile_key FROM repetition.profile p WHERE p.profile = %s::uuid ORDER BY 1"
_STORE: Final = b"SELECT api.store_diffs(%s::uuid, %s::jsonb)"
# One row an occurrence: its text by whole blocks, the separators about it, the spans that its witness masks.
# Bounds are made once for each, behind a fence: under row-level security PostgreSQL looks nothing up by what
# it must compute first, and would read every separator of the release for every occurrence.
_ENDPOINTS: Final = b"""
    SELECT uuid_send(o.occurrence), o.start_byte, o.extent, w.root, uuid_send(r.text_release), p.projection,
        (SELECT string_agg(b.data, ''::bytea ORDER BY b.block) FROM core.text_block b
         WHERE b.release_key = a.release_key AND b.block >= i.first_block AND b.block <= i.last_block),
        (SELECT array_agg(ARRAY[s.kind::bigint, s.start_byte, s.end_byte] ORDER BY s.atom)
         FROM core.separator s
         WHERE s.release_key = a.release_key AND s.atom >= i.first_atom AND s.atom <= i.last_atom
           AND s.start_byte <= i.end_byte AND s.end_byte >= o.start_byte),
        (SELECT array_agg(ARRAY[t.start_byte, t.end_byte] ORDER BY t.start_byte)
         FROM repetition.witness_span t
         WHERE t.profile_key = o.profile_key AND t.witness = o.witness AND t.treatment = %(masked)s)
    FROM repetition.occurrence o
    JOIN repetition.profile p USING (profile_key)
    JOIN repetition.artifact a USING (artifact_key)
    JOIN core.release r USING (release_key)
    JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
    JOIN core.paragraph h ON h.release_key = a.release_key AND h.paragraph = o.paragraph
    CROSS JOIN LATERAL (SELECT o.last_paragraph + 1 AS paragraph OFFSET 0) AS f
    LEFT JOIN core.paragraph n ON n.release_key = a.release_key AND n.paragraph = f.paragraph
    CROSS JOIN LATERAL (
        SELECT h.first_atom - 1 AS first_atom, coalesce(n.first_atom, 2147483647) AS last_atom,
            (o.start_byte / %(block)s)::integer AS first_block,
            ((o.start_byte + o.extent - 1) / %(block)s)::integer AS last_block,
            o.start_byte + o.extent AS end_byte
        OFFSET 0) AS i
    WHERE o.profile_key = %(key)s AND o.occurrence = ANY (%(ids)s::uuid[])
"""

Pair = tuple[str, str]


@dataclass(frozen=True)
class StoredDiffs:
    """What was stored.

    Attributes:
        stored: how many were not there before.
        diffs: IDs in the order of the pairs.
    """

    stored: int
    diffs: tuple[str, ...]


def read_endpoints(connection: Connection, profile_key: int, ids: Iterable[str]) -> dict[str, Endpoint]:
    """Occurrences of a profile as passages of a diff, by ID; those that are not there are left out.

    Args:
        connection: inside a transaction of a role that may read the profile and its text.
        profile_key: of the profile.
        ids: occurrence UUIDs as text.
    """
    named = {
        "key": profile_key,
        "ids": sorted(set(ids)),
        "block": _BLOCK,
        "masked": TREATMENTS["masked_with_boundary"],
    }
    rows = connection.execute(_ENDPOINTS, named, binary=True).fetchall()
    return {uuid_text(bytes(row[0])): _endpoint(row) for row in rows}


def _endpoint(row: Sequence[Any]) -> Endpoint:
    start, extent, blocks = row[1], row[2], row[6]
    base = start // _BLOCK * _BLOCK
    return endpoint_of((*row[:6], bytes(blocks)[start - base : start - base + extent], *row[7:]))


def endpoint_of(row: Sequence[Any]) -> Endpoint:
    """A passage from its facts: occurrence, start, extent, root, text release, projection, its bytes, the
    separators about it, the spans that its witness masks."""
    occurrence, start, extent, root, release, projection, data, separators, masks = row
    end = start + extent
    # Only the passage is read: it is cut as a text of its own, and places are then counted in the release.
    atoms = [(kind, low, high) for kind, low, high in separators or ()]
    boundaries = boundaries_in(atoms, start, end, masks=[(a, b) for a, b in masks or ()])
    within = [(a - start, b - start, name) for a, b, name in boundaries]
    units = units_of(bytes(data), boundaries=within).moved(start)
    return Endpoint(bytes(release), bytes(occurrence), bytes(root), projection, units)


def derive_diffs(
    connection: Connection, profile: str, pairs: Sequence[Pair], *, role: Role, actor: str | None = None
) -> list[PassageDiff]:
    """The canonical diffs of pairs of occurrences of one profile, from the stored text.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        profile: repetition-profile UUID text.
        pairs: (left, right) occurrence UUIDs as text.
        role, actor: who reads.

    Raises:
        NotFoundError: no such profile or occurrence for the reader.
        UsageError: `diff_too_large`.
    """
    for one in {profile, *(name for pair in pairs for name in pair)}:
        parse_uuid(one)
    wanted = {name for pair in pairs for name in pair}
    with snapshot_of(connection, role, actor):
        found: dict[str, Endpoint] = {}
        for (key,) in connection.execute(_PROFILES, (profile,)).fetchall():
            found |= read_endpoints(connection, key, wanted - set(found))
    for name in sorted(wanted - set(found)):
        raise NotFoundError(
            f"there is no occurrence {name} in the profile {profile}",
            where="database",
            expected="occurrences of one profile of a published release",
            mend="copy the ID as tekrar printed it",
            kind="not_found",
        )
    return [diff_of(found[left], found[right]) for left, right in pairs]


def store_diffs(
    connection: Connection, profile: str, pairs: Sequence[Pair], *, actor: str | None = None
) -> StoredDiffs:
    """Derive diffs and keep them as evidence; those that are there already are nothing to do.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        profile: repetition-profile UUID text.
        pairs: (left, right) occurrence UUIDs as text, in this order: the reverse is another diff.
        actor: the curator; needed where several speak through one login.

    Raises:
        NotFoundError, UsageError: as `derive_diffs`.
        DatabaseError: no valid grant of curator.
    """
    derived = derive_diffs(connection, profile, pairs, role=Role.CURATOR, actor=actor)
    rows = [
        {"left": left, "right": right, "script": one.script.encoded.hex()}
        for (left, right), one in zip(pairs, derived, strict=True)
    ]
    with absence():
        done = ask(
            connection,
            _STORE,
            (profile, json.dumps(rows)),
            role=Role.CURATOR,
            claims=claims_of(actor),
            read_only=False,
        )[0][0]
    return StoredDiffs(done["stored"], tuple(done["diffs"]))
