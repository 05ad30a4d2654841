"""The database as a view of curation: what the rules of an action ask, answered from stored rows (CUR-01).

The same functions (`core.curation.rules`) judge an action over an artifact, a model in a test, and this.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from tekrar.core.curation.action import Action, parse
from tekrar.core.curation.choice import Choice
from tekrar.core.curation.family import Family
from tekrar.core.curation.view import (
    CandidateFacts,
    ClassFacts,
    DiffFacts,
    OccurrenceFacts,
    PolicyFacts,
    ProfileFacts,
    StructureFacts,
)
from tekrar.core.identity import uuid_text
from tekrar.errors import NotFoundError, UsageError
from tekrar.store.session import Connection

#: Bytes of a block of the text.
_BLOCK: Final = 32768
_PARTS: Final = {1: "evaluated", 2: "evaluated", 3: "not_evaluated", 4: "excluded", 5: "failed"}
_BASES: Final = b"""
    SELECT uuid_send(r.release), r.profile_key, r.release_key, uuid_send(r.profile),
        uuid_send(r.text_release), t.edition, r.short, t.language
    FROM repetition.repetition_release r JOIN core.release t USING (release_key)
    WHERE CASE WHEN %(release)s::uuid IS NULL
        THEN r.short = %(short)s AND EXISTS (SELECT FROM repetition.visible v WHERE v.release = r.release)
        ELSE r.release = %(release)s::uuid END
    ORDER BY r.recorded_at
"""
_OCCURRENCES: Final = b"""
    SELECT uuid_send(o.occurrence), o.start_byte, o.start_byte + o.extent, w.root, o.part, uuid_send(o.class),
        o.row_no, o.group_key
    FROM repetition.occurrence o
    JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
    WHERE o.profile_key = %s AND (o.occurrence = ANY (%s::uuid[]) OR o.class_no = ANY (%s::integer[]))
"""
_CLASSES: Final = b"""
    SELECT uuid_send(c.class), c.class_no, c.witness, c.winner IS NOT NULL, c.size FROM repetition.class c
    WHERE c.profile_key = %s AND c.class = ANY (%s::uuid[])
"""
_OTHER_PROFILE: Final = b"""
    SELECT uuid_send(p.profile), o.start_byte, o.start_byte + o.extent, w.root, o.part, uuid_send(o.class)
    FROM repetition.occurrence o
    JOIN repetition.profile p USING (profile_key)
    JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
    WHERE o.occurrence = %s::uuid LIMIT 1
"""
_TEXT: Final = b"""
    SELECT string_agg(b.data, ''::bytea ORDER BY b.block) FROM core.text_block b
    WHERE b.release_key = %s AND b.block BETWEEN %s AND %s
"""
_DIFF: Final = b"""
    SELECT uuid_send(left_occurrence), uuid_send(right_occurrence), left_witness, right_witness
    FROM curation.passage_diff WHERE diff = %s::uuid
"""
_CANDIDATE: Final = b"""
    SELECT uuid_send(c.profile), c.generator, c.participants, d.disposition, d.event,
        ARRAY(SELECT DISTINCT uuid_send(p.occurrence) FROM curation.candidate_participant p
              WHERE p.set_key = c.set_key AND p.candidate = c.candidate ORDER BY 1)
    FROM curation.candidate c
    LEFT JOIN LATERAL (SELECT x.disposition, x.event FROM curation.disposition x
        WHERE x.candidate = c.candidate AND x.profile = c.profile
        ORDER BY x.ledger_seq DESC LIMIT 1) AS d ON true
    WHERE c.candidate = %s::uuid LIMIT 1
"""
_EVIDENCE: Final = b"""
    SELECT EXISTS (SELECT FROM curation.evidence e JOIN curation.candidate_set s USING (set_key)
                   WHERE e.evidence = %s::uuid AND s.profile = %s::uuid)
"""
_FAMILY_OF: Final = b"""
    SELECT uuid_send(occurrence), uuid_send(family) FROM curation.effective_membership
    WHERE profile = %s::uuid AND occurrence = ANY (%s::uuid[]) AND until IS NULL
"""
_MADE_BY: Final = b"""
    SELECT uuid_send(s.profile), p.action, d.document, api.structure_state(%(id)s::uuid)
    FROM (SELECT profile, decision FROM curation.family WHERE family = %(id)s::uuid
          UNION ALL SELECT profile, decision FROM curation.quotation WHERE quotation = %(id)s::uuid
          UNION ALL SELECT profile, decision FROM curation.canonical_choice WHERE choice = %(id)s::uuid) AS s
    JOIN curation.decision d USING (decision)
    JOIN curation.proposal p USING (proposal_digest)
"""
_EXPANSION: Final = b"""
    SELECT uuid_send(occurrence) FROM curation.effective_membership WHERE family = %s::uuid
"""
_CHOICE: Final = b"""
    SELECT uuid_send(choice) FROM curation.effective_choice
    WHERE structure = %s::uuid AND policy = %s AND until IS NULL
"""
_POLICY: Final = b"""
    SELECT digest, rule, true AS kept FROM curation.choice_policy
    WHERE name = %(name)s AND version = %(version)s
    UNION ALL (SELECT policy_document, rule, false FROM curation.canonical_choice
               WHERE policy = %(name)s AND policy_version = %(version)s ORDER BY decision LIMIT 1)
    ORDER BY kept DESC LIMIT 1
"""
_VERSIONS: Final = b"SELECT version FROM curation.choice_policy WHERE name = %s ORDER BY ledger_seq"
_NAMES: Final = b"SELECT DISTINCT name FROM curation.choice_policy ORDER BY name LIMIT 12"
_RELEASED: Final = b"""
    SELECT EXISTS (SELECT FROM repetition.class c
                   WHERE c.profile_key = r.profile_key AND c.class = %(id)s::uuid)
        OR EXISTS (SELECT FROM curation.family f WHERE f.family = %(id)s::uuid AND f.profile = r.profile
                     AND f.decision < r.ledger_seq
                     AND NOT EXISTS (SELECT FROM curation.supersession s WHERE s.predecessor = f.family
                                       AND s.decision < r.ledger_seq))
    FROM repetition.repetition_release r WHERE r.release = %(release)s::uuid
"""


@dataclass(frozen=True)
class Basis:
    """The published release that a proposal is written against.

    Attributes:
        release, profile, text_release: UUIDs (16 bytes).
        profile_key, release_key: keys in this database.
        edition, short, language: of the text and the profile.
    """

    release: bytes
    profile_key: int
    release_key: int
    profile: bytes
    text_release: bytes
    edition: str
    short: str
    language: str


def basis_of(connection: Connection, *, release: str | None, short: str = "FP") -> Basis:
    """The release that is named, or the only visible one of a profile.

    Args:
        connection: inside a transaction of a role that reads it.
        release: repetition release UUID as text, or None.
        short: the profile, where no release is named.

    Raises:
        NotFoundError: there is none for the reader.
        UsageError: `release_needed`: there are several.
    """
    rows = connection.execute(_BASES, {"release": release, "short": short}, binary=True).fetchall()
    if not rows:
        raise NotFoundError(
            f"no release {release or 'of profile ' + short} is published",
            where="database",
            expected="a published release in the scope of the grant",
            mend="tekrar publish first; tekrar releases lists what there is",
            kind="not_published",
        )
    if len(rows) > 1:
        named = ", ".join(f"{uuid_text(bytes(row[0]))} ({row[5]})" for row in rows[:8])
        raise UsageError(
            f"{len(rows)} releases of profile {short} are visible",
            expected=f"one of {named}",
            mend="--release RELEASE",
            kind="release_needed",
        )
    own, key, text_key, profile, text, edition, name, language = rows[0]
    return Basis(bytes(own), key, text_key, bytes(profile), bytes(text), edition, name, language)


@dataclass
class StoredView:
    """A database as the rules see it (`core.curation.view.View`), in one snapshot.

    Attributes:
        connection: inside a repeatable-read transaction of a curator.
        basis: the release that proposals are written against.
        derived: diffs that were derived and are not stored yet, by UUID.
    """

    connection: Connection
    basis: Basis
    derived: dict[bytes, DiffFacts] = field(default_factory=dict)
    _occurrences: dict[bytes, OccurrenceFacts | None] = field(default_factory=dict)
    _classes: dict[bytes, ClassFacts | None] = field(default_factory=dict)
    _families: dict[bytes, bytes | None] = field(default_factory=dict)

    # -- records of the artifact ------------------------------------------

    def read(self, ids: Iterable[bytes]) -> None:
        """Read occurrences and classes of these IDs, with all members of the classes, in few statements."""
        wanted = {one for one in ids if one not in self._occurrences and one not in self._classes}
        if not wanted:
            return
        names = [uuid_text(one) for one in sorted(wanted)]
        classes = self.connection.execute(_CLASSES, (self.basis.profile_key, names), binary=True).fetchall()
        numbers = [row[1] for row in classes]
        rows = self.connection.execute(
            _OCCURRENCES, (self.basis.profile_key, names, numbers), binary=True
        ).fetchall()
        members: dict[bytes, list[tuple[int, bytes]]] = {bytes(row[0]): [] for row in classes}
        for own, start, end, root, part, exact, row_no, group in rows:
            held = None if exact is None else bytes(exact)
            self._occurrences[bytes(own)] = OccurrenceFacts(
                self.basis.profile, start, end, bytes(root), _PARTS[part], held, group and bytes(group)
            )
            if held in members:
                members[held].append((row_no, bytes(own)))
        for exact, _, witness, dominated, _ in classes:
            ids_of = tuple(one for _, one in sorted(members[bytes(exact)]))
            self._classes[bytes(exact)] = ClassFacts(self.basis.profile, ids_of, bytes(witness), dominated)
        for one in wanted:
            self._classes.setdefault(one, None)
            if one not in self._occurrences:
                self._occurrences[one] = self._elsewhere(one) if self._classes[one] is None else None
        self._read_families(one for one in self._occurrences if one not in self._families)

    def _read_families(self, ids: Iterable[bytes]) -> None:
        wanted = list(ids)
        names = [uuid_text(one) for one in wanted]
        rows = self.connection.execute(
            _FAMILY_OF, (uuid_text(self.basis.profile), names), binary=True
        ).fetchall()
        found = {bytes(own): bytes(family) for own, family in rows}
        self._families |= {one: found.get(one) for one in wanted}

    def _elsewhere(self, one: bytes) -> OccurrenceFacts | None:
        """An occurrence of another profile, so that the refusal can say so."""
        row = self.connection.execute(_OTHER_PROFILE, (uuid_text(one),), binary=True).fetchone()
        if row is None:
            return None
        profile, start, end, root, part, exact = row
        return OccurrenceFacts(
            bytes(profile), start, end, bytes(root), _PARTS[part], None if exact is None else bytes(exact)
        )

    def profile(self, profile: bytes) -> ProfileFacts | None:
        """The profile of the release; no other is written about here."""
        if profile != self.basis.profile:
            return None
        return ProfileFacts(self.basis.text_release, self.basis.edition)

    def occurrence(self, occurrence: bytes) -> OccurrenceFacts | None:
        """An occurrence."""
        self.read([occurrence])
        return self._occurrences.get(occurrence)

    def exact_class(self, exact: bytes) -> ClassFacts | None:
        """An exact class."""
        self.read([exact])
        return self._classes.get(exact)

    def text(self, release: bytes, start: int, end: int) -> bytes:
        """Bytes of the text release; none of another."""
        if release != self.basis.text_release or start >= end:
            return b""
        low, high = start // _BLOCK, (end - 1) // _BLOCK
        row = self.connection.execute(_TEXT, (self.basis.release_key, low, high), binary=True).fetchone()
        held = b"" if row is None or row[0] is None else bytes(row[0])
        return held[start - low * _BLOCK : end - low * _BLOCK]

    # -- evidence ---------------------------------------------------------

    def diff(self, diff: bytes) -> DiffFacts | None:
        """A diff that was derived, or is stored."""
        if diff in self.derived:
            return self.derived[diff]
        row = self.connection.execute(_DIFF, (uuid_text(diff),), binary=True).fetchone()
        if row is None:
            return None
        left, right, one, other = (bytes(value) for value in row)
        return DiffFacts(left, right, one, other)

    def candidate(self, candidate: bytes) -> CandidateFacts | None:
        """A stored candidate with its current disposition."""
        row = self.connection.execute(_CANDIDATE, (uuid_text(candidate),), binary=True).fetchone()
        if row is None:
            return None
        profile, generator, participants, said, event, touched = row
        return CandidateFacts(
            bytes(profile),
            bytes(generator),
            bytes(participants),
            said or "pending_review",
            None if event is None else bytes(event),
            tuple(bytes(one) for one in touched),
        )

    def has_evidence(self, evidence: bytes) -> bool:
        """Whether this evidence is stored, of a candidate of the profile."""
        return bool(self._one(_EVIDENCE, (uuid_text(evidence), uuid_text(self.basis.profile))))

    # -- decisions --------------------------------------------------------

    def family_of(self, occurrence: bytes) -> bytes | None:
        """The family in force that an occurrence is in."""
        if occurrence not in self._families:
            self._read_families([occurrence])
        return self._families[occurrence]

    def structure(self, structure: bytes) -> StructureFacts | None:
        """A family, quotation or choice, from the action of the decision that made it."""
        row = self.connection.execute(_MADE_BY, {"id": uuid_text(structure)}, binary=True).fetchone()
        if row is None:
            return None
        profile, action, document, state = row
        body = body_of(parse(bytes(action)), json.loads(bytes(document))["structures"], uuid_text(structure))
        expansion: frozenset[bytes] = frozenset()
        if isinstance(body, Family):
            rows = self.connection.execute(_EXPANSION, (uuid_text(structure),), binary=True).fetchall()
            expansion = frozenset(bytes(one) for (one,) in rows)
        return StructureFacts(bytes(profile), body, state, expansion)

    def choice_in_force(self, structure: bytes, policy: str) -> bytes | None:
        """The choice in force for a structure under the policy of this name."""
        found = self._one(_CHOICE, (uuid_text(structure), policy))
        return None if found is None else bytes(found)

    def choice_policy(self, policy: str, version: str) -> PolicyFacts | None:
        """A policy's version as it was registered, else as a decision named it before."""
        named = {"name": policy, "version": version}
        row = self.connection.execute(_POLICY, named, binary=True).fetchone()
        return None if row is None else PolicyFacts(bytes(row[0]), row[1], row[2])

    def policy_versions(self, policy: str) -> tuple[str, ...]:
        """Versions of a policy that are registered, oldest first."""
        rows = self.connection.execute(_VERSIONS, (policy,), binary=True).fetchall()
        return tuple(str(row[0]) for row in rows)

    def policy_names(self) -> tuple[str, ...]:
        """Names of registered policies, the first twelve."""
        return tuple(str(row[0]) for row in self.connection.execute(_NAMES, binary=True).fetchall())

    def released(self, release: bytes, structure: bytes) -> bool | None:
        """Whether a published release holds a class or family; None for no such release."""
        named = {"release": uuid_text(release), "id": uuid_text(structure)}
        row = self.connection.execute(_RELEASED, named, binary=True).fetchone()
        return None if row is None else bool(row[0])

    def _one(self, query: bytes, parameters: Sequence[Any]) -> Any:
        row = self.connection.execute(query, parameters, binary=True).fetchone()
        return None if row is None else row[0]


def body_of(action: Action, issued: Sequence[str], structure: str) -> Any:
    """The body of an action whose decision issued a structure under this UUID."""
    if isinstance(action.body, Choice):
        return action.body
    return action.structures[list(issued).index(structure)]
