"""What people said of the same candidates and proposals, for the figures of agreement.

An auditor reads it, and nothing is decided by it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tekrar.core.identity import parse_uuid
from tekrar.store.absence import absence
from tekrar.store.permission import claims_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask

#: Last mark of each author for each candidate; the kind is a byte of the result behind its tag.
_MARKS: Final = b"""
    SELECT DISTINCT ON (coalesce(d.source_author, a.name), d.candidate)
        coalesce(d.source_author, a.name), d.candidate::text, d.disposition,
        (SELECT get_byte(c.result, 30) FROM curation.candidate c WHERE c.candidate = d.candidate LIMIT 1)
    FROM curation.disposition d JOIN curation.actor a ON a.actor_key = d.author
    ORDER BY coalesce(d.source_author, a.name), d.candidate, d.ledger_seq DESC
"""
#: Last verdict of each reviewer on each proposal, but for those that whoever asks may still review (CUR-10).
_REVIEWS: Final = b"""
    WITH me AS (
        SELECT n.actor_key, g.scope FROM curation.actor n
        JOIN curation.grant_entry g ON g.actor_key = n.actor_key AND g.role = 'reviewer'
        WHERE (n.name = %s OR (%s::text IS NULL AND n.login = session_user))
          AND clock_timestamp() >= g.valid_from AND (g.valid_to IS NULL OR clock_timestamp() < g.valid_to)
          AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key))
    SELECT DISTINCT ON (a.name, r.proposal_digest) a.name, encode(r.proposal_digest, 'hex'), r.outcome,
        p.operation
    FROM curation.review r
    JOIN curation.proposal p USING (proposal_digest)
    JOIN curation.actor a ON a.actor_key = r.reviewer
    WHERE NOT EXISTS (SELECT FROM me WHERE me.scope IN ('*', p.edition) AND me.actor_key <> p.author
            AND NOT EXISTS (SELECT FROM curation.review o
                WHERE o.proposal_digest = p.proposal_digest AND o.reviewer = me.actor_key))
       OR EXISTS (SELECT FROM curation.decision d WHERE d.proposal_digest = p.proposal_digest)
       OR EXISTS (SELECT FROM curation.review o
            WHERE o.proposal_digest = p.proposal_digest AND o.outcome <> 'approve')
       OR EXISTS (SELECT FROM curation.proposal o
            WHERE o.author = p.author AND o.draft = p.draft AND o.revision > p.revision)
    ORDER BY a.name, r.proposal_digest, r.ledger_seq DESC
"""
_KINDS: Final = ("pair", "stretch", "group")


@dataclass(frozen=True)
class Judged:
    """What each person said.

    Attributes:
        said: person -> what is judged -> the last word on it.
        kinds: what is judged -> its kind.
    """

    said: dict[str, dict[bytes, str]]
    kinds: dict[bytes, str]


def read_judged(connection: Connection, *, actor: str | None) -> tuple[Judged, Judged]:
    """Marks of candidates, and reviews of proposals; none of a proposal that the actor may still review.

    Raises:
        DatabaseError: the actor is no auditor.
    """
    claims = claims_of(actor)
    with absence():
        ask(connection, b"SELECT api.require_scope('tekrar_auditor')", role=Role.AUDITOR, claims=claims)
        marks = ask(connection, _MARKS, role=Role.AUDITOR, claims=claims)
        reviews = ask(connection, _REVIEWS, (actor, actor), role=Role.AUDITOR, claims=claims)
    one, other = Judged({}, {}), Judged({}, {})
    for author, candidate, said, kind in marks:
        own = parse_uuid(candidate)
        one.said.setdefault(author, {})[own] = said
        one.kinds[own] = "unknown" if kind is None or kind >= len(_KINDS) else _KINDS[kind]
    for reviewer, digest, outcome, operation in reviews:
        own = bytes.fromhex(digest)
        other.said.setdefault(reviewer, {})[own] = outcome
        other.kinds[own] = operation
    return one, other
