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
_REVIEWS: Final = b"""
    SELECT DISTINCT ON (a.name, r.proposal_digest) a.name, encode(r.proposal_digest, 'hex'), r.outcome,
        p.operation
    FROM curation.review r
    JOIN curation.proposal p USING (proposal_digest)
    JOIN curation.actor a ON a.actor_key = r.reviewer
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
    """Marks of candidates, and reviews of proposals.

    Raises:
        DatabaseError: the actor is no auditor.
    """
    claims = claims_of(actor)
    with absence():
        ask(connection, b"SELECT api.require_scope('tekrar_auditor')", role=Role.AUDITOR, claims=claims)
        marks = ask(connection, _MARKS, role=Role.AUDITOR, claims=claims)
        reviews = ask(connection, _REVIEWS, role=Role.AUDITOR, claims=claims)
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
