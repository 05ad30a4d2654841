"""Actions over the tiny artifact, and their way through the workflow as the program goes it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from tekrar.core.diff.record import diff_id, diff_of
from tekrar.core.diff.script import ALGORITHM, Script
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import members_digest, selection_id
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.session import Connection
from tests.store.matrix import ADMINISTRATOR, CURATOR, OWNER, REVIEWER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call

AUTHOR, REVIEWER_ONE, REVIEWER_TWO = "yazar", "okur", "ikinci okur"
#: Text and rule of every policy that choices here are under.
TEXT, RULE = "İlk baskıdaki yer **esastır**.", "editorially_designated"
Body = dict[str, Any]
#: ("o", row) an occurrence, ("c", number) an exact class.
Ref = tuple[str, int]


def people(admin: Connection, scope: str = "*") -> None:
    """A curator, and two reviewers of whom one is a curator too."""
    for person, roles in (
        (AUTHOR, ("curator",)),
        (REVIEWER_ONE, ("reviewer",)),
        (REVIEWER_TWO, ("reviewer", "curator")),
    ):
        call(admin, ADMINISTRATOR, "yönetici", "api.actor", person, None)
        for role in roles:
            call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", person, role, scope, None, None)


@dataclass
class Bench:
    """One profile of a loaded artifact, to write actions about.

    Attributes:
        admin: a superuser's connection.
        loaded: the artifact.
        short: the profile.
        edition: of the text.
    """

    admin: Connection
    loaded: Loaded
    short: str = "FP"
    edition: str = "bahçe"
    _roots: dict[uuid.UUID, bytes] = field(default_factory=dict)

    @property
    def profile(self) -> str:
        return str(self.loaded.profile_ids[self.short])

    def value(self, query: str, *parameters: Any) -> Any:
        row = self.admin.execute(query.encode(), parameters).fetchone()
        return None if row is None else row[0]

    def id_of(self, ref: Ref) -> uuid.UUID:
        make = self.loaded.occurrence if ref[0] == "o" else self.loaded.exact_class
        return make(self.short, ref[1])

    def occurrences(self, ref: Ref) -> list[uuid.UUID]:
        if ref[0] == "o":
            return [self.id_of(ref)]
        rows = self.admin.execute(
            "SELECT occurrence FROM repetition.occurrence WHERE profile_key = %s AND class_no = %s"
            " ORDER BY row_no",
            (self.loaded.profiles[self.short], ref[1]),
        ).fetchall()
        return [row[0] for row in rows]

    def root(self, occurrence: uuid.UUID) -> bytes:
        return bytes(
            self.value(
                "SELECT w.root FROM repetition.occurrence o"
                " JOIN repetition.witness w USING (profile_key, witness)"
                " WHERE o.profile_key = %s AND o.occurrence = %s",
                self.loaded.profiles[self.short],
                occurrence,
            )
        )

    def row_of(self, occurrence: uuid.UUID) -> int:
        query = "SELECT row_no FROM repetition.occurrence WHERE profile_key = %s AND occurrence = %s"
        return int(self.value(query, self.loaded.profiles[self.short], occurrence))

    def member(self, ref: Ref) -> Body:
        if ref[0] == "o":
            one = self.id_of(ref)
            return {"tag": "occurrence", "id": str(one), "witness": self.root(one).hex()}
        ids = self.occurrences(ref)
        query = "SELECT witness FROM repetition.class WHERE profile_key = %s AND class_no = %s"
        witness = bytes(self.value(query, self.loaded.profiles[self.short], ref[1]))
        return {
            "tag": "class",
            "id": str(self.id_of(ref)),
            "witness": witness.hex(),
            "count": str(len(ids)),
            "inventory": members_digest([i.bytes for i in ids]).hex(),
        }

    def diff(self, left: uuid.UUID, right: uuid.UUID, *, lying: bool = False) -> str:
        """The diff row of these two, or one that is well formed and lies, written as the owner; its ID."""
        key = self.loaded.profiles[self.short]
        found = read_endpoints(self.admin, key, [str(left), str(right)])
        script = Script(()) if lying else diff_of(found[str(left)], found[str(right)]).script
        made = diff_id(left.bytes, right.bytes, script.digest)
        row = (left, right, self.root(left), self.root(right), ALGORITHM, script.digest, script.encoded)
        with self.admin.transaction():
            self.admin.execute(f"SET LOCAL ROLE {OWNER}".encode())
            self.admin.execute(
                "INSERT INTO curation.passage_diff VALUES (%s, %s, %s, %s, %s, %s, %s, %s)"
                " ON CONFLICT DO NOTHING",
                (uuid.UUID(bytes=made), *row),
            )
        return str(uuid.UUID(bytes=made))

    def family(self, *refs: Ref, kind: str = "variant", dominated: bool = False) -> Body:
        members = sorted((self.member(r) for r in refs), key=lambda m: (m["tag"], m["id"]))
        ids = [i for r in refs for i in self.occurrences(r)]
        firsts = sorted((self.occurrences(r)[0] for r in refs), key=self.row_of)
        diffs = [
            {"left": str(firsts[0]), "right": str(one), "diff": self.diff(firsts[0], one)}
            for one in firsts[1:]
            if one != firsts[0]
        ]
        body = {
            "kind": kind,
            "members": members,
            "expansion": {"count": str(len(ids)), "root": members_digest([i.bytes for i in ids]).hex()},
            "diffs": sorted(diffs, key=lambda d: (d["left"], d["right"])),
        }
        return body | ({"allow_dominated": "yes"} if dominated else {})

    def end(self, row: int, ranges: Sequence[tuple[int, int]] | None = None) -> Body:
        """One end of a quotation: an occurrence, whole or ranges of it, counted from its start."""
        one = self.loaded.occurrence(self.short, row)
        found = self.admin.execute(
            "SELECT start_byte, extent, selection FROM repetition.occurrence WHERE profile_key = %s"
            " AND occurrence = %s",
            (self.loaded.profiles[self.short], one),
        ).fetchone()
        assert found is not None
        start, extent, selection = found
        spans = [(start + a, start + b) for a, b in (ranges or [(0, extent)])]
        if ranges is not None:
            selection = uuid.UUID(bytes=selection_id(self.loaded.text_release.bytes, spans))
        return {
            "occurrence": str(one),
            "witness": self.root(one).hex(),
            "selection": str(selection),
            "ranges": [[str(a), str(b)] for a, b in spans],
        }

    def quotation(
        self, source: Body, quoting: Body, *, kind: str = "verbatim_quotation", **more: Any
    ) -> Body:
        mapping = [
            {"source": s, "quoting": q} for s, q in zip(source["ranges"], quoting["ranges"], strict=True)
        ]
        attribution = "başlıkta adı geçer"
        body = {"kind": kind, "source": source, "quoting": quoting, "mapping": mapping}
        return {**body, "attribution": attribution, **more}

    def register(self, policy: str, version: str = "1.0.0", *, text: str = TEXT, rule: str = RULE) -> str:
        """Keep the text of a policy; the digest that choices name."""
        words = (policy, version, rule, text)
        return str(call(self.admin, CURATOR, AUTHOR, "api.register_policy", *words)["digest"])

    def choice(self, release: uuid.UUID, ref: Ref | str, member: uuid.UUID, **more: Any) -> Body:
        tag, one = ("family", ref) if isinstance(ref, str) else ("class", str(self.id_of(ref)))
        given = {"name": "edition.first", "version": "1.0.0", **more.pop("policy", {})}
        known = "SELECT encode(digest, 'hex') FROM curation.choice_policy WHERE (name, version) = (%s, %s)"
        words = (given["name"], given["version"])
        digest = self.value(known, *words) or self.register(*words)
        policy = {"rule": RULE, "document": digest, **given}
        body: Body = {
            "structure": {"tag": tag, "id": one, "release": str(release)},
            "member": str(member),
            "policy": policy,
        }
        return body | more

    def expected(self, families: Sequence[Body], structures: Sequence[str] = ()) -> Body:
        ids = [
            row[0]
            for body in families
            for row in self.admin.execute(
                "SELECT e.occurrence FROM curation.expanded(%s, %s::jsonb) e",
                (self.loaded.profiles[self.short], json.dumps(body)),
            ).fetchall()
        ]
        digest = self.value("SELECT curation.expected_occurrences(%s, %s::uuid[])", self.profile, ids)
        states = [{"id": s, "state": "effective"} for s in sorted(structures)]
        return {"occurrences": bytes(digest).hex(), "structures": states}

    def action(self, operation: str, key: str, body: Body, **more: Any) -> bytes:
        families = [body] if key == "family" else []
        structures: list[str] = []
        if key == "supersession":
            families = [s["family"] for s in body["successors"] if "family" in s]
            structures = list(body["predecessors"])
        elif key == "compensation":
            structures = [body["choice"]]
        elif key == "choice":
            if body["structure"]["tag"] == "family":
                structures.append(body["structure"]["id"])
            if "supersedes" in body:
                structures.append(body["supersedes"])
        document = {
            "format": "tekrar/curation-action/v1",
            "operation": operation,
            "edition": self.edition,
            "profile": self.profile,
            "text_release": str(self.loaded.text_release),
            "rationale": "Aynı söz; **eki** başka.",
            "expected": self.expected(families, structures),
            "candidates": [],
            "evidence": [],
            "policy_of_review": "default.v1",
            key: body,
        }
        return canonical_json(document | more)

    def accept(self, *refs: Ref, **more: Any) -> bytes:
        return self.action("accept_family", "family", self.family(*refs, **more))

    def supersede(
        self, operation: str, before: Sequence[str], after: Sequence[Body], moves: Mapping[Ref, Any]
    ) -> bytes:
        """`moves`: member -> the successors it goes to (their places in `after`), or "residue"."""
        wrapped = [{"family" if b["kind"] in ("near_exact", "variant") else "quotation": b} for b in after]
        order = sorted(range(len(wrapped)), key=lambda n: canonical_json(wrapped[n]))
        place = {old: str(new) for new, old in enumerate(order)}
        tags = {"o": "occurrence", "c": "class"}
        mapping = [
            {
                "member": {"tag": tags[ref[0]], "id": str(self.id_of(ref))},
                "to": to if to == "residue" else sorted((place[n] for n in to), key=int),
            }
            for ref, to in moves.items()
        ]
        body = {
            "predecessors": sorted(before),
            "successors": [wrapped[n] for n in order],
            "mapping": sorted(mapping, key=lambda m: (m["member"]["tag"], m["member"]["id"])),
            "reason": "Yeniden okundu.",
        }
        return self.action(operation, "supersession", body)

    def submit(
        self, action: bytes, draft: str | None = None, *, base: int | None = None, actor: str = AUTHOR
    ) -> str:
        done = call(self.admin, CURATOR, actor, "api.submit_proposal", action, draft, base)
        return str(done["proposal"])

    def review(self, proposal: str, outcome: str = "approve", *, actor: str = REVIEWER_ONE) -> Body:
        return dict(call(self.admin, REVIEWER, actor, "api.review", proposal, outcome, "bakıldı"))

    def apply(self, proposal: str, review: str | None = None, *, actor: str = AUTHOR) -> Body:
        return dict(call(self.admin, CURATOR, actor, "api.apply", proposal, review))

    def resolved(self, structure: str, release: uuid.UUID | None = None) -> Body:
        return dict(self.value("SELECT api.resolve(%s::uuid, %s)", structure, release))

    def decide(self, action: bytes) -> Body:
        """Submit, approve and apply."""
        proposal = self.submit(action)
        self.review(proposal)
        return self.apply(proposal)
