"""What a release binds of curation, made again from the rows of decisions (docs/encoding.md section 14).

That these rows are what the ledger's entries say is compared apart; here they give the roots of effective
families, quotations and choices, and what is open, as they were at a release's entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tekrar.core.encoding import lp, manifest_root, profile_scope, sha256, u8, u64
from tekrar.core.identity import members_digest, parse_uuid
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Row, rows_of

#: Heads of a profile over structures.
STRUCTURE_HEADS: Final = ("families", "quotations", "canonical-choices")
_FAMILIES: Final = """
    SELECT uuid_send(f.family) AS id, f.profile::text AS profile, f.kind, f.members, f.size, f.expansion,
        f.decision, d.decision_digest
    FROM curation.family f LEFT JOIN curation.decision d USING (decision) ORDER BY f.family
"""
_MEMBERS: Final = """
    SELECT uuid_send(m.family) AS family, uuid_send(m.occurrence) AS occurrence, m.class::text AS class,
        m.inventory
    FROM curation.family_member m ORDER BY m.family, m.position
"""
_QUOTATIONS: Final = """
    SELECT uuid_send(q.quotation) AS id, q.profile::text AS profile, q.kind,
        uuid_send(q.source_occurrence) AS source, uuid_send(q.source_selection) AS source_selection,
        uuid_send(q.quoting_occurrence) AS quoting,
        uuid_send(q.quoting_selection) AS quoting_selection, q.extent_mapping AS mapping, q.decision,
        d.decision_digest
    FROM curation.quotation q LEFT JOIN curation.decision d USING (decision) ORDER BY q.quotation
"""
_CHOICES: Final = """
    SELECT uuid_send(c.choice) AS id, c.profile::text AS profile, c.exact_class::text AS class,
        uuid_send(c.family) AS family, uuid_send(c.exact_class) AS exact, uuid_send(c.member) AS member,
        c.policy, c.decision, d.decision_digest
    FROM curation.canonical_choice c LEFT JOIN curation.decision d ON d.decision = c.decision
    ORDER BY c.choice
"""
_ENDED: Final = """
    SELECT uuid_send(predecessor) AS id, decision FROM curation.supersession
    UNION ALL SELECT uuid_send(choice), decision FROM curation.compensation
    UNION ALL SELECT uuid_send(supersedes), decision FROM curation.canonical_choice
        WHERE supersedes IS NOT NULL
"""
_PROPOSALS: Final = """
    SELECT p.proposal_digest AS id, p.profile::text AS profile, p.author, p.draft, p.revision, p.ledger_seq,
        v.approvals, d.decision
    FROM curation.proposal p JOIN curation.review_policy v ON v.policy = p.policy
    LEFT JOIN curation.decision d USING (proposal_digest) ORDER BY p.ledger_seq
"""
_REVIEWS: Final = "SELECT proposal_digest AS id, outcome, ledger_seq FROM curation.review ORDER BY ledger_seq"
_KINDS: Final = {"near_exact": 1, "variant": 2}
_QUOTES: Final = {"verbatim_quotation": 1, "adapted_quotation": 2, "formulaic_reuse": 3}
_HAS: Final = """
    SELECT uuid_send(o.occurrence) AS id FROM repetition.occurrence o
    WHERE o.profile_key = %s AND o.occurrence = ANY (%s::uuid[])
"""
_CLASS: Final = """
    SELECT c.members, array_agg(uuid_send(o.occurrence)) AS ids FROM repetition.class c
    JOIN repetition.occurrence o ON o.profile_key = c.profile_key AND o.class_no = c.class_no
    WHERE c.profile_key = %s AND c.class = %s::uuid GROUP BY c.members
"""


@dataclass
class Structures:
    """Every structure and proposal with the entries that made and ended it.

    Attributes:
        connection: of the auditor, to look members up in a profile.
        releases: every published release, in the order of their entries.
    """

    connection: Connection
    releases: Sequence[Row]
    families: list[Row] = field(default_factory=list)
    members: dict[bytes, list[Row]] = field(default_factory=dict)
    quotations: list[Row] = field(default_factory=list)
    choices: list[Row] = field(default_factory=list)
    proposals: list[Row] = field(default_factory=list)
    reviews: dict[bytes, list[Row]] = field(default_factory=dict)
    ended: dict[bytes, int] = field(default_factory=dict)
    _expansions: dict[tuple[int, bytes], frozenset[bytes] | None] = field(default_factory=dict)

    def roots(self, profile_key: int, profile: str, predicate: str, *, before: int) -> dict[str, bytes]:
        """Roots of `STRUCTURE_HEADS` of a profile at an entry of the ledger."""
        scope = profile_scope(parse_uuid(profile), predicate)
        held = {
            row["id"]: found
            for row in self._in_force(self.families, profile, before)
            if (found := self._expansion(profile_key, row)) is not None
        }
        families = [
            (
                row["id"],
                u8(_KINDS[row["kind"]])
                + row["members"]
                + u64(row["size"])
                + row["expansion"]
                + row["decision_digest"],
            )
            for row in self.families
            if row["id"] in held
        ]
        quotations = [
            (row["id"], _quotation(row))
            for row in self._in_force(self.quotations, profile, before)
            if len(self._present(profile_key, {row["source"], row["quoting"]}))
            == len({row["source"], row["quoting"]})
        ]
        choices = [
            (row["id"], _choice(row))
            for row in self._in_force(self.choices, profile, before)
            if row["member"] in self._of_choice(profile_key, row, held)
        ]
        listed = zip(STRUCTURE_HEADS, (families, quotations, choices), strict=True)
        return {name: manifest_root(name, scope, records) for name, records in listed}

    def open_records(self, release: Row) -> dict[bytes, bytes]:
        """Records of the unresolved-review inventory about proposals and families, at a release's entry."""
        before, profile = release["ledger_seq"], release["profile"]
        records: dict[bytes, bytes] = {}
        for row in self._in_force(self.families, profile, before):
            if self._expansion(release["profile_key"], row) is None:
                records[lp(b"needs-successor") + row["id"]] = parse_uuid(profile)
        earlier = {
            row["profile"]
            for row in self.releases
            if row["series_key"] == release["series_key"] and row["ledger_seq"] < before
        }
        for one in sorted(earlier - {profile}):
            for row in self._in_force(self.families, one, before):
                records[lp(b"needs-successor") + row["id"]] = parse_uuid(one)
        for row in self.proposals:
            if (
                row["profile"] == profile
                and row["ledger_seq"] < before
                and (state := self._state(row, before))
            ):
                records[lp(b"proposal") + row["id"]] = state.encode("ascii")
        return records

    def _state(self, row: Row, before: int) -> str | None:
        """`submitted` or `approved` of a proposal that waits; None of another."""
        if row["decision"] is not None and row["decision"] < before:
            return None
        same = (row["author"], row["draft"])
        for other in self.proposals:
            newer = other["revision"] > row["revision"] and other["ledger_seq"] < before
            if newer and (other["author"], other["draft"]) == same:
                return None
        outcomes = [one["outcome"] for one in self.reviews.get(row["id"], []) if one["ledger_seq"] < before]
        if any(outcome != "approve" for outcome in outcomes):
            return None
        return "approved" if len(outcomes) >= row["approvals"] else "submitted"

    def _in_force(self, rows: Iterable[Row], profile: str, before: int) -> list[Row]:
        """Rows of a profile whose decision counts and that none that counts has ended."""
        return [
            row
            for row in rows
            if row["profile"] == profile
            and row["decision"] < before
            and not self.ended.get(row["id"], before) < before
            and not self.ended.get(row.get("family") or b"", before) < before
        ]

    def _expansion(self, profile_key: int, row: Row) -> frozenset[bytes] | None:
        """All occurrences of a family in a profile; None where it does not expand to its root."""
        key = (profile_key, row["id"])
        if key not in self._expansions:
            self._expansions[key] = self._expanded(profile_key, row)
        return self._expansions[key]

    def _expanded(self, profile_key: int, row: Row) -> frozenset[bytes] | None:
        members = self.members.get(row["id"], [])
        found = set(self._present(profile_key, {m["occurrence"] for m in members if m["occurrence"]}))
        for member in members:
            if member["class"] is not None:
                exact = rows_of(self.connection, _CLASS, (profile_key, member["class"]))
                if not exact or exact[0]["members"] != member["inventory"]:
                    return None
                found |= {bytes(one) for one in exact[0]["ids"]}
        whole = (len(found), members_digest(list(found)))
        return frozenset(found) if whole == (row["size"], row["expansion"]) else None

    def _present(self, profile_key: int, ids: set[bytes]) -> set[bytes]:
        if not ids:
            return set()
        return {
            row["id"] for row in rows_of(self.connection, _HAS, (profile_key, [i.hex() for i in sorted(ids)]))
        }

    def _of_choice(self, profile_key: int, row: Row, held: dict[bytes, frozenset[bytes]]) -> frozenset[bytes]:
        if row["family"] is not None:
            return held.get(row["family"], frozenset())
        exact = rows_of(self.connection, _CLASS, (profile_key, row["class"]))
        return frozenset(bytes(one) for one in exact[0]["ids"]) if exact else frozenset()


def _quotation(row: Row) -> bytes:
    ends = row["source"] + row["source_selection"] + row["quoting"] + row["quoting_selection"]
    mapping = sha256(b"".join(u64(n) for n in row["mapping"]))
    whole: bytes = u8(_QUOTES[row["kind"]]) + ends + mapping + row["decision_digest"]
    return whole


def _choice(row: Row) -> bytes:
    family: bytes | None = row["family"]
    structure = u8(1) + row["exact"] if family is None else u8(2) + family
    whole: bytes = structure + row["member"] + lp(row["policy"].encode("ascii")) + row["decision_digest"]
    return whole


def read_structures(connection: Connection, releases: Sequence[Row]) -> Structures:
    """Every structure, ending and proposal of the database."""

    def grouped(rows: Iterable[Row], name: str) -> dict[bytes, list[Row]]:
        found: dict[bytes, list[Row]] = {}
        for row in rows:
            found.setdefault(row[name], []).append(row)
        return found

    ended: dict[bytes, Any] = {row["id"]: row["decision"] for row in rows_of(connection, _ENDED)}
    return Structures(
        connection,
        releases,
        families=rows_of(connection, _FAMILIES),
        members=grouped(rows_of(connection, _MEMBERS), "family"),
        quotations=rows_of(connection, _QUOTATIONS),
        choices=rows_of(connection, _CHOICES),
        proposals=rows_of(connection, _PROPOSALS),
        reviews=grouped(rows_of(connection, _REVIEWS), "id"),
        ended=ended,
    )
