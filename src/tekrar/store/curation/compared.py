"""What two databases must agree on after a rebuild: roots, heads, releases, structures (REB-01)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any, Final

from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction
from tekrar.store.verification.evidence import check_diffs
from tekrar.store.verification.findings import Findings

#: Name -> rows that are equal in both, in an order that no key of one database decides.
_QUERIES: Final[dict[str, bytes]] = {
    "text releases": b"""
        SELECT r.text_release::text, encode(r.manifest_root, 'hex'), encode(r.certified_digest, 'hex')
        FROM core.release r JOIN core.release_seal USING (release_key) ORDER BY 1""",
    "artifacts": b"""
        SELECT encode(a.artifact_root, 'hex'), r.text_release::text FROM repetition.artifact a
        JOIN repetition.seal USING (artifact_key) JOIN core.release r USING (release_key) ORDER BY 1""",
    "roots of artifacts": b"""
        SELECT encode(a.artifact_root, 'hex'), o.position, o.name, encode(o.root, 'hex')
        FROM repetition.root o
        JOIN repetition.artifact a USING (artifact_key) ORDER BY 1, 2""",
    "sets of candidates": b"""
        SELECT encode(c.package_root, 'hex'), encode(a.artifact_root, 'hex'), encode(c.generator, 'hex')
        FROM curation.candidate_set c JOIN curation.candidate_seal USING (set_key)
        JOIN repetition.artifact a USING (artifact_key) ORDER BY 1""",
    "heads": b"""
        SELECT name, scope, version, encode(value, 'hex') FROM curation.head
        ORDER BY name COLLATE "C", scope COLLATE "C" """,
    "releases": b"""
        SELECT r.ledger_seq, r.release::text, encode(r.roots, 'hex'), r.short
        FROM repetition.repetition_release r
        ORDER BY r.ledger_seq, r.release""",
    "visible releases": b"""
        SELECT v.release::text, v.version FROM repetition.visible v ORDER BY 1 NULLS FIRST, 2""",
    "proposals": b"""
        SELECT p.ledger_seq, encode(p.proposal_digest, 'hex'), curation.proposal_state(p)
        FROM curation.proposal p ORDER BY 1""",
    "reviews": b"SELECT ledger_seq, review::text, outcome FROM curation.review ORDER BY 1",
    "decisions": b"""
        SELECT decision, encode(decision_digest, 'hex'), operation FROM curation.decision ORDER BY 1""",
    "structures": b"""
        SELECT s.id::text, s.decision, api.structure_state(s.id) FROM (
            SELECT family AS id, decision FROM curation.family
            UNION ALL SELECT quotation, decision FROM curation.quotation
            UNION ALL SELECT choice, decision FROM curation.canonical_choice) AS s ORDER BY 1""",
    "choice policies": b"""
        SELECT p.ledger_seq, p.name, p.version, p.rule, encode(p.digest, 'hex'), p.document
        FROM curation.choice_policy p ORDER BY 1""",
    "memberships": b"""
        SELECT family::text, occurrence::text, since, until FROM curation.effective_membership
        ORDER BY 1, 2""",
    "successions": b"""
        SELECT predecessor::text, successor::text FROM curation.succession ORDER BY 1, 2""",
    "marks": b"SELECT ledger_seq, candidate::text, encode(event, 'hex') FROM curation.disposition ORDER BY 1",
    "diffs": b"SELECT diff::text, encode(script_digest, 'hex') FROM curation.passage_diff ORDER BY 1",
}
#: Rows of one side that the other need not have: a diff that no proposal names is no part of any state.
SPARE: Final = frozenset({"diffs"})


@dataclass(frozen=True)
class Difference:
    """The first row of a kind in which two databases differ; a side without it is None."""

    what: str
    expected: str | None
    found: str | None


def compare(stored: Connection, rebuilt: Connection) -> tuple[dict[str, int], list[Difference]]:
    """How many rows of each kind were compared, and the first that differs of each kind.

    The ledger carries the diffs that decisions rest on, so both sides hold the same: they are derived from
    the text once more.

    Args:
        stored: the database in use, of a login that may be its owner.
        rebuilt: the other.
    """
    counts: dict[str, int] = {}
    differences: list[Difference] = []
    snapshot: Mapping[str, Any] = {
        "role": Role.OWNER,
        "read_only": True,
        "isolation": "repeatable read",
    }
    with transaction(stored, **snapshot), transaction(rebuilt, **snapshot):
        for what, query in _QUERIES.items():
            own, other = _rows(stored, query), _rows(rebuilt, query)
            counts[what] = len(other)
            if what in SPARE:
                own = sorted(set(own) & set(other))
                counts[what] = len(own)
            differences += _first(what, own, other)
        findings = Findings()
        check_diffs(rebuilt, findings, profiles=None)
        counts["diffs of the text"] = findings.counts["candidates"]
        for one in findings.found[:1]:
            differences.append(Difference("diffs of the text", one.expected, f"{one.found}: {one.place}"))
    return counts, differences


def _rows(connection: Connection, query: bytes) -> list[tuple[Any, ...]]:
    return connection.execute(query).fetchall()


def _first(what: str, own: list[tuple[Any, ...]], other: list[tuple[Any, ...]]) -> Iterator[Difference]:
    for expected, found in zip_longest(own, other):
        if expected != found:
            yield Difference(what, _told(expected), _told(found))
            return


def _told(row: tuple[Any, ...] | None) -> str | None:
    return None if row is None else ", ".join(map(str, row))
