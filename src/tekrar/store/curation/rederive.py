"""Diffs derived again from the stored text: those that decisions rest on, before anybody acts on them, and
those that entries of a version before name and do not carry.

SQL derives no diff, so whoever speaks to the database directly can store one that is well formed and not the
canonical one. Such a diff lies: nobody approves, applies or publishes what rests on it (DIF-01, VAL-08).
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final
from uuid import UUID

from tekrar.core.curation.carried import NamedDiff, named_diffs
from tekrar.core.diff.record import Endpoint, diff_of
from tekrar.core.diff.script import ALGORITHM
from tekrar.core.identity import uuid_text
from tekrar.core.policy import TREATMENTS
from tekrar.errors import DatabaseError
from tekrar.store.curation.calling import call
from tekrar.store.evidence.diffs import endpoint_of, read_endpoints
from tekrar.store.roles import Role
from tekrar.store.session import Connection

_MISSING: Final = b"""
    SELECT n.profile, n.a, n.b, n.diff
    FROM unnest(%s::text[], %s::text[], %s::text[], %s::text[]) AS n(profile, a, b, diff)
    WHERE NOT EXISTS (SELECT FROM curation.passage_diff p WHERE p.diff = n.diff::uuid)
"""
_KEYS: Final = b"SELECT profile_key FROM repetition.profile WHERE profile = %s::uuid ORDER BY 1"
_INSERT: Final = b"""
    INSERT INTO curation.passage_diff (diff, left_occurrence, right_occurrence, left_witness,
        right_witness, algorithm, script_digest, script)
    VALUES (%s::uuid, %s::uuid, %s::uuid, %s, %s, %s, %s, %s) ON CONFLICT DO NOTHING
"""
#: Diffs that are derived at once: their passages are in memory together.
_AT_ONCE: Final = 1000
_PASSAGES: Final = b"""
    SELECT n.proposal, p.*
    FROM unnest(%s::text[]) AS n(proposal) CROSS JOIN LATERAL api.passages(n.proposal, %s::integer) AS p
"""
# Decisions in force since the last release of the profile; what an earlier one binds was asked then. One that
# was withdrawn for what was decided binds nothing, as curation.unapproved has it.
_DECIDED: Final = b"""
    SELECT p.profile_key, s.decision, s.own::text, s.diff::text, s.lhs::text, s.rhs::text
    FROM repetition.profile p JOIN repetition.artifact a USING (artifact_key)
    CROSS JOIN LATERAL (
        SELECT f.decision, f.family AS own, d.diff, d.left_occurrence AS lhs, d.right_occurrence AS rhs
        FROM curation.family f JOIN curation.family_diff d USING (family) WHERE f.profile = p.profile
        UNION ALL
        SELECT q.decision, q.quotation, q.diff, q.source_occurrence, q.quoting_occurrence
        FROM curation.quotation q WHERE q.profile = p.profile AND q.diff IS NOT NULL) AS s
    WHERE encode(a.artifact_root, 'hex') = %s AND p.short = %s
        AND NOT EXISTS (SELECT FROM curation.supersession x WHERE x.predecessor = s.own)
        AND s.decision > coalesce((SELECT max(r.ledger_seq) FROM repetition.repetition_release r
                                   LEFT JOIN repetition.incident i USING (release)
                                   WHERE r.profile = p.profile AND i.cause IS DISTINCT FROM 'curation'), -1)
    ORDER BY s.decision, s.diff
"""
_PROPOSE: Final = "propose it again: tekrar propose derives every diff from the text"


def derive_named(connection: Connection, payloads: Sequence[bytes]) -> None:
    """Store the diffs that these proposals name and do not carry, where they are not there, from the text.

    One that does not come out with the ID that is named is left out: the entry that names it is then refused
    as `stale_diff`, by its number.

    Args:
        connection: inside a transaction of the owner.
        payloads: of `proposal` entries.
    """
    named = sorted({one for payload in payloads for one in _named(payload)})
    if not named:
        return
    rows = connection.execute(_MISSING, [list(column) for column in zip(*named, strict=True)]).fetchall()
    for profile in sorted({row[0] for row in rows}):
        mine = [row for row in rows if row[0] == profile]
        wanted = {name for row in mine for name in row[1:3]}
        found: dict[str, Any] = {}
        for (key,) in connection.execute(_KEYS, (profile,)).fetchall():
            found |= read_endpoints(connection, key, wanted - set(found))
        with connection.cursor() as cursor:
            cursor.executemany(_INSERT, list(_derived(mine, found)))


def _derived(rows: Sequence[tuple[Any, ...]], found: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for _, left, right, diff in rows:
        if left not in found or right not in found:
            continue
        made = diff_of(found[left], found[right])
        if made.id is not None and uuid_text(made.id) == diff:
            roots = (made.left.witness_root, made.right.witness_root)
            yield (diff, left, right, *roots, ALGORITHM, made.script.digest, made.script.encoded)


def _named(payload: bytes) -> Iterator[tuple[str, str, str, str]]:
    """(profile, left, right, diff) of every diff that an action names; nothing of one that is none."""
    try:
        action = json.loads(json.loads(payload)["action"])
        profile = action["profile"]
    except (ValueError, KeyError, TypeError):
        return
    for one in named_diffs(action):
        yield profile, one.left, one.right, one.diff


@dataclass(frozen=True)
class Lying:
    """A diff that is named and does not come out of the text; `again` is the one that does, or None where
    the passages cannot be read."""

    named: NamedDiff
    again: str | None


def lying_diffs(connection: Connection, keys: Sequence[int], named: Iterable[NamedDiff]) -> Iterator[Lying]:
    """The diffs among these that the stored text does not give.

    Args:
        connection: inside a transaction of a role that may read the profile and its text.
        keys: of the profiles that may hold the occurrences.
        named: as actions name them.
    """
    wanted = iter(named)
    while some := list(islice(wanted, _AT_ONCE)):
        names = {name for one in some for name in (one.left, one.right)}
        found: dict[str, Any] = {}
        for key in keys:
            if missing := names - set(found):
                found |= read_endpoints(connection, key, missing)
        for one in some:
            again = None
            if one.left in found and one.right in found:
                own = diff_of(found[one.left], found[one.right]).id
                again = uuid_text(own or b"")
            if again != one.diff:
                yield Lying(one, again)


def lying_proposals(
    connection: Connection, proposals: Sequence[str], *, role: Role, actor: str | None
) -> dict[str, DatabaseError]:
    """The refusal, `stale_diff`, of each of these proposals that names a diff which the text does not give.

    One that was decided is left alone. Of a profile that was never published neither curators nor reviewers
    read the text: its publication derives what was decided (`require_decided`).

    Args:
        connection: outside a transaction; it is one question, and what is derived from never changes.
        proposals: their digests in hex.
        role: `tekrar_reviewer` or `tekrar_curator`.
        actor: who asks.
    """
    parameters = (list(proposals), TREATMENTS["masked_with_boundary"])
    rows = call(connection, _PASSAGES, parameters, role=role, actor=actor, read_only=True)
    found: dict[str, dict[UUID, Endpoint]] = {}
    actions: dict[str, bytes] = {}
    for proposal, action, occurrence, *passage in rows:
        ends = found.setdefault(proposal, {})
        if action is not None:
            actions[proposal] = bytes(action)
        if passage[0] is not None:
            ends[occurrence] = endpoint_of((occurrence.bytes, *passage[:3], passage[3].bytes, *passage[4:]))
    return {
        proposal: stale(one, where=f"proposal {proposal}", mend=_PROPOSE)
        for proposal, action in actions.items()
        if (one := _first_lying(json.loads(action), found[proposal])) is not None
    }


def _first_lying(action: Any, found: Mapping[UUID, Endpoint]) -> Lying | None:
    for named in named_diffs(action):
        left, right = (found.get(UUID(one)) for one in (named.left, named.right))
        again = None if left is None or right is None else diff_of(left, right).id
        if again is None or uuid_text(again) != named.diff:
            return Lying(named, None if again is None else uuid_text(again))
    return None


def require_decided(connection: Connection, artifact_root: str, short: str) -> None:
    """Refuse to publish a profile while a decision in force that no release of it binds yet rests on a diff
    which the text does not give.

    Args:
        connection: inside a transaction of a publisher.
        artifact_root, short: of the profile.

    Raises:
        DatabaseError: `stale_diff`, with the decision, the structure that it made, the diff and its
            occurrences.
    """
    rows = connection.execute(_DECIDED, (artifact_root, short)).fetchall()
    known = {NamedDiff(diff, left, right): (seq, own) for _, seq, own, diff, left, right in reversed(rows)}
    keys = sorted({row[0] for row in rows})
    for one in lying_diffs(connection, keys, known):
        seq, structure = known[one.named]
        mend = f"retire {structure}, or replace it by one with the diff of the text; then publish again"
        raise stale(one, where=f"decision {seq}, structure {structure}", mend=mend)


def stale(one: Lying, *, where: str, mend: str) -> DatabaseError:
    """The refusal of what rests on a diff that the text does not give."""
    named = one.named
    unread = "an occurrence of it cannot be read, so it is not derived"
    return DatabaseError(
        f"diff {named.diff} from {named.left} to {named.right} does not come out of the stored text",
        where=where,
        expected=unread if one.again is None else f"diff {one.again}",
        mend=mend,
        kind="stale_diff",
    )
