"""One connection that does with curation as chance says: what it asks for is often refused."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, Body, Ref
from tests.store.matrix import ADMINISTRATOR, CURATOR, PUBLISHER
from tests.store.schema_publication import PROFILES, call, plan_of, publish

#: What may be refused, and only these: somebody else was first, or chance made no structure.
REFUSALS = {
    *("expected_state_mismatch", "competing_membership", "superseded_twice", "double_membership"),
    *("one_exact_class", "competing_choice", "not_found", "not_a_member", "mapping_differs", "shape"),
    *("not_approved", "not_reviewable", "fact_mismatch", "release_id", "outdated", "excluded_occurrence"),
    *("malformed", "self_review", "missing_diff", "incomplete_mapping", "already_published"),
    # Somebody froze, revoked, withdrew or marked meanwhile, or saved the draft first.
    *("frozen", "grant_missing", "grant_revoked", "withdrawn", "override_needs_decision", "edit_conflict"),
    *("not_false_positive", "candidate_mismatch"),
}
REFS: tuple[Ref, ...] = (("c", 0), ("o", 0), ("o", 1), ("o", 2), ("o", 3))
ROWS: Mapping[Ref, frozenset[int]] = {r: frozenset((0, 1) if r[0] == "c" else (r[1],)) for r in REFS}
_IN_FORCE = (
    "SELECT f.family::text FROM curation.family f WHERE f.profile = %s AND NOT EXISTS"
    " (SELECT FROM curation.supersession s WHERE s.predecessor = f.family) ORDER BY 1"
)
_QUOTATIONS = _IN_FORCE.replace("family", "quotation")


@dataclass
class Walker:
    """One connection that does as chance says, over texts that the others change too."""

    rng: random.Random
    benches: list[Bench]
    candidates: Mapping[str, list[str]]
    saved: dict[int, str] = field(default_factory=dict)
    said: Counter[str] = field(default_factory=Counter)
    _by_id: dict[str, Ref] = field(default_factory=dict)

    def walk(self, steps: int) -> Counter[str]:
        for bench in self.benches:
            self._by_id |= {str(bench.id_of(ref)): ref for ref in REFS}
        moves: list[tuple[int, Callable[[Bench], None]]] = [
            (6, self.accept), (5, self.supersede), (3, self.quote), (2, self.end_quotation), (4, self.choose),
            (2, self.compensate), (3, self.publish), (1, self.leave_open), (1, self.withdraw),
            (1, self.freeze), (1, self.revoke), (3, self.save), (2, self.name), (3, self.mark),
            (2, self.override), (2, self.revise),
        ]  # fmt: skip
        for _ in range(steps):
            (move,) = self.rng.choices([m for _, m in moves], [w for w, _ in moves])
            try:
                move(self.rng.choice(self.benches))
                self.said[f"did {move.__name__}"] += 1
            except psycopg.Error as error:
                kind = kind_of(error)
                if kind not in REFUSALS:
                    raise
                self.said[f"refused {kind}"] += 1
        return self.said

    def decide(self, bench: Bench, action: bytes) -> None:
        """Propose, review and apply, by whoever may; seldom it ends before."""
        proposal = bench.submit(action)
        if self.rng.random() < 0.1:
            bench.review(proposal, self.rng.choice(("reject", "request_changes")))
        reviewers = [REVIEWER_ONE, REVIEWER_TWO]
        for reviewer in self.rng.sample(reviewers, self.rng.randrange(1, 3)):
            bench.review(proposal, actor=reviewer)
        if self.rng.random() < 0.2:
            self.swapped(bench, proposal)
        bench.apply(proposal, actor=self.rng.choice((AUTHOR, REVIEWER_TWO)))

    def swapped(self, bench: Bench, proposal: str) -> None:
        """An approval of other bytes never carries an apply."""
        query = "SELECT review::text FROM curation.review WHERE proposal_digest <> decode(%s, 'hex')"
        for foreign in self.rng.sample(found := self.values(bench, query, proposal), min(1, len(found))):
            with pytest.raises(psycopg.Error) as error:
                bench.apply(proposal, foreign)
            assert kind_of(error.value) == "digest_mismatch"

    def members(self) -> list[Ref]:
        refs: list[Ref] = []
        for ref in self.rng.sample(REFS, len(REFS)):
            if not any(ROWS[ref] & ROWS[one] for one in refs):
                refs.append(ref)
        return refs[: self.rng.randrange(2, 5)]

    def accept(self, bench: Bench) -> None:
        kind = self.rng.choice(("near_exact", "variant"))
        self.decide(bench, bench.accept(*self.members(), kind=kind))

    def leave_open(self, bench: Bench) -> None:
        bench.submit(bench.accept(*self.members()))

    def supersede(self, bench: Bench) -> None:
        found = self.values(bench, _IN_FORCE, bench.profile)
        before = self.rng.sample(found, min(len(found), self.rng.choice((1, 1, 2))))
        held = sorted({ref for one in before for ref in self.held(bench, one)})
        parts = self.rng.choice((0, 1, 1, 2)) if len(before) == 1 else self.rng.choice((1, 1, 2))
        after, taken = [], frozenset[int]()
        for _ in range(parts):
            refs = [ref for ref in self.members() if not ROWS[ref] & taken]
            taken |= frozenset[int]().union(*(ROWS[ref] for ref in refs))
            after.append(refs)
        moves: dict[Ref, Any] = {}
        for ref in held:
            to = [n for n, refs in enumerate(after) if any(ROWS[ref] & ROWS[one] for one in refs)]
            moves[ref] = to or "residue"
        shapes = {(1, 0): "retire", (1, 1): "replace", (1, 2): "split", (2, 1): "merge"}
        operation = shapes.get((len(before), parts), "restructure")
        if any(len(to) > 1 for to in moves.values() if to != "residue"):
            operation = "restructure"
        self.decide(bench, bench.supersede(operation, before, [bench.family(*r) for r in after], moves))

    def quote(self, bench: Bench) -> None:
        # Rows 0 and 1 are equal; the others are adapted.
        source, quoting = self.rng.sample(range(4), 2)
        kind = "verbatim_quotation" if {source, quoting} == {0, 1} else "adapted_quotation"
        body = bench.quotation(bench.end(source), bench.end(quoting), kind=kind)
        self.decide(bench, bench.action("accept_quotation", "quotation", body))

    def end_quotation(self, bench: Bench) -> None:
        found = self.values(bench, _QUOTATIONS, bench.profile)
        if found:
            one = self.rng.choice(found)
            after: list[Body] = []
            if self.rng.random() < 0.5:
                after = [bench.quotation(bench.end(0), bench.end(3), kind="formulaic_reuse")]
            body = {
                "predecessors": [one],
                "successors": [{"quotation": body} for body in after],
                "mapping": [{"member": {"tag": "quotation", "id": one}, "to": ["0"] if after else "residue"}],
                "reason": "Yeniden okundu.",
            }
            action = bench.action("replace" if after else "retire", "supersession", body)
            self.decide(bench, action)

    def choose(self, bench: Bench) -> None:
        query = (
            "SELECT release FROM repetition.repetition_release WHERE profile = %s ORDER BY ledger_seq DESC"
        )
        release = bench.value(query, bench.profile)
        families = self.values(bench, _IN_FORCE, bench.profile)
        if release is None:
            return
        structure: Ref | str = self.rng.choice([("c", 0), *families])
        whole = str(bench.id_of(structure)) if isinstance(structure, tuple) else structure
        query = "SELECT choice FROM curation.effective_choice WHERE structure = %s AND until IS NULL"
        old = bench.value(query, whole)
        more = {} if old is None else {"supersedes": str(old)}
        member = bench.id_of(("o", self.rng.randrange(4)))
        body = bench.choice(release, structure, member, **more)
        self.decide(bench, bench.action("choose_canonical", "choice", body))

    def compensate(self, bench: Bench) -> None:
        query = (
            "SELECT choice::text FROM curation.effective_choice"
            " WHERE profile = %s AND until IS NULL ORDER BY 1"
        )
        found = self.values(bench, query, bench.profile)
        if found:
            body = {"choice": self.rng.choice(found), "reason": "yanlış"}
            self.decide(bench, bench.action("compensate_choice", "compensation", body))

    def publish(self, bench: Bench) -> None:
        together = self.rng.random() < 0.3
        shorts = PROFILES if together else ("FP",)
        publish(bench.admin, plan_of(bench.admin, bench.loaded, *shorts, together=together))

    def withdraw(self, bench: Bench) -> None:
        query = (
            "SELECT v.release::text FROM repetition.visible v JOIN repetition.repetition_release r"
            " USING (release) WHERE r.profile = %s"
        )
        for release in self.values(bench, query, bench.profile):
            cause = "exact" if self.rng.random() < 0.1 else "curation"  # after exact nothing follows
            call(bench.admin, PUBLISHER, "yayıncı", "api.withdraw", release, "deneme", cause)

    def freeze(self, bench: Bench) -> None:
        call(bench.admin, ADMINISTRATOR, "yönetici", "api.freeze", "ara")

    def revoke(self, bench: Bench) -> None:
        """Take a role from the second reviewer, or give it back."""
        role = self.rng.choice(("reviewer", "curator"))
        query = (
            "SELECT g.grant_key FROM curation.grant_entry g JOIN curation.actor a USING (actor_key)"
            " WHERE a.name = %s AND g.role = %s"
            " AND NOT EXISTS (SELECT FROM curation.revocation v WHERE v.grant_key = g.grant_key)"
        )
        held = self.values(bench, query, REVIEWER_TWO, role)
        for key in held:
            call(bench.admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", key)
        if not held or self.rng.random() < 0.7:
            words = (REVIEWER_TWO, role, "*", None, None)
            call(bench.admin, ADMINISTRATOR, "yönetici", "api.grant_role", *words)

    def save(self, bench: Bench) -> None:
        """The next version of the one draft that all the walkers write."""
        query = "SELECT coalesce(max(version), 0) FROM curation.draft WHERE draft = 'ortak'"
        read, text = bench.value(query), f"{self.rng.random()}"
        done = call(bench.admin, CURATOR, AUTHOR, "api.save_draft", "ortak", read, text.encode())
        self.saved[done["version"]] = text

    def name(self, bench: Bench) -> None:
        every = self.values(
            bench, "SELECT family::text FROM curation.family WHERE profile = %s", bench.profile
        )
        if every:
            words = ("elsewhere", str(self.rng.randrange(30)), self.rng.choice(every))
            try:
                call(bench.admin, CURATOR, AUTHOR, "api.crosswalk", *words)
            except psycopg.Error as error:  # the name is another structure's
                if kind_of(error) != "bad_argument":
                    raise
                self.said["refused name"] += 1

    def mark(self, bench: Bench) -> None:
        said = self.rng.choice(("false_positive", "uncertain", "probable_variant", "superseded_candidate"))
        event = {"candidate": self.rng.choice(self.candidates[bench.profile]), "disposition": said}
        call(bench.admin, CURATOR, AUTHOR, "api.mark_candidates", json.dumps([event]))

    def override(self, bench: Bench) -> None:
        query = (
            "SELECT DISTINCT ON (candidate) candidate::text, disposition, encode(generator, 'hex'),"
            " encode(participants, 'hex'), encode(event, 'hex') FROM curation.disposition"
            " WHERE profile = %s ORDER BY candidate, ledger_seq DESC"
        )
        rows = bench.admin.execute(query.encode(), (bench.profile,)).fetchall()
        false = [row for row in rows if row[1] == "false_positive"]
        if false:
            candidate, _, generator, participants, event = self.rng.choice(false)
            body = {
                "candidate": candidate,
                "generator": generator,
                "participants": participants,
                "event": event,
            }
            self.decide(bench, bench.action("override_false_positive", "override", body))

    def revise(self, bench: Bench) -> None:
        """A second revision after changes were asked for: the first takes no review and no apply any more."""
        draft, members = f"elden {self.rng.random()}", self.members()
        first = bench.submit(bench.accept(*members, kind="near_exact"), draft)
        bench.review(first, "request_changes")
        second = bench.submit(bench.accept(*members, kind="variant"), draft)
        for late in (lambda: bench.review(first), lambda: bench.apply(first)):
            with pytest.raises(psycopg.Error) as error:
                late()
            assert kind_of(error.value) in ("outdated", "frozen", "not_reviewable"), kind_of(error.value)
        bench.review(second)
        bench.apply(second)

    def held(self, bench: Bench, family: str) -> list[Ref]:
        query = (
            "SELECT coalesce(class, occurrence)::text FROM curation.family_member"
            " WHERE family = %s ORDER BY position"
        )
        return [self._by_id[one] for one in self.values(bench, query, family)]

    @staticmethod
    def values(bench: Bench, query: str, *parameters: Any) -> list[str]:
        return [row[0] for row in bench.admin.execute(query.encode(), parameters).fetchall()]


def kind_of(error: psycopg.Error) -> str:
    """The kind of a refusal; the whole error where it has none."""
    return str(json.loads(error.diag.message_detail or "{}").get("kind", error))
