"""Random sequences of proposals, reviews, applies, supersessions, choices and publications, by several
connections at once, against the model of the core.

What is asked for is often refused, and which of two comes first is left to the database. Whatever it let
through is then told by its ledger alone: the model takes the entries, refuses what cannot be, and gives what
every release must bind; the tables must say the same, and a replay of the export must give them again.
"""

from __future__ import annotations

import json
import random
import uuid
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any

import psycopg
import pytest

from tekrar.core.curation.effective import Effective, effective, resolve
from tekrar.core.curation.family import Family
from tekrar.core.curation.inventory import Inventory, Record
from tekrar.core.curation.quotation import Quotation
from tekrar.core.curation.replay import Entry, Ledger
from tekrar.core.encoding import canonical_json, lp, manifest_root, profile_scope, sha256, u8, u64
from tekrar.store.curation.ledger import replay_ledger
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.decisions import check_decisions
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import check_heads, read_ledger
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, Body, Ref, people
from tests.store.matrix import ADMINISTRATOR
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call, new_load, plan_of, publish
from tests.store.test_replay import everything, exported_from, rebuilt

PREFIXES = ("rastgele bir ", "rastgele iki ", "rastgele üç ")
PREDICATE = "exact_passage_bytes"
#: What may be refused, and only these: somebody else was first, or chance made no structure.
REFUSALS = {
    *("expected_state_mismatch", "competing_membership", "superseded_twice", "double_membership"),
    *("one_exact_class", "competing_choice", "not_found", "not_a_member", "mapping_differs", "shape"),
    *("not_approved", "not_reviewable", "fact_mismatch", "release_id", "outdated", "excluded_occurrence"),
    *("malformed", "self_review", "missing_diff", "incomplete_mapping", "already_published"),
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
    said: Counter[str] = field(default_factory=Counter)
    _by_id: dict[str, Ref] = field(default_factory=dict)

    def walk(self, steps: int) -> Counter[str]:
        for bench in self.benches:
            self._by_id |= {str(bench.id_of(ref)): ref for ref in REFS}
        moves: list[tuple[int, Callable[[Bench], None]]] = [
            (6, self.accept), (5, self.supersede), (3, self.quote), (2, self.end_quotation), (4, self.choose),
            (2, self.compensate), (3, self.publish), (1, self.leave_open),
        ]  # fmt: skip
        for _ in range(steps):
            (move,) = self.rng.choices([m for _, m in moves], [w for w, _ in moves])
            try:
                move(self.rng.choice(self.benches))
                self.said[f"did {move.__name__}"] += 1
            except psycopg.Error as error:
                kind = str(json.loads(error.diag.message_detail or "{}").get("kind", error))
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
        bench.apply(proposal, actor=self.rng.choice((AUTHOR, REVIEWER_TWO)))

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
        publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))

    def held(self, bench: Bench, family: str) -> list[Ref]:
        query = (
            "SELECT coalesce(class, occurrence)::text FROM curation.family_member"
            " WHERE family = %s ORDER BY position"
        )
        return [self._by_id[one] for one in self.values(bench, query, family)]

    @staticmethod
    def values(bench: Bench, query: str, *parameters: Any) -> list[str]:
        return [row[0] for row in bench.admin.execute(query.encode(), parameters).fetchall()]


@dataclass
class Told:
    """What a release binds of the exact layer, from its rows."""

    profile: bytes
    classes: dict[bytes, tuple[bytes, ...]]
    occurrences: set[bytes]

    def members_of(self, exact: bytes) -> tuple[bytes, ...] | None:
        return self.classes.get(exact)

    def has(self, occurrence: bytes) -> bool:
        return occurrence in self.occurrences


def told(bench: Bench) -> Told:
    rows = bench.admin.execute(
        "SELECT occurrence, class FROM repetition.occurrence WHERE profile_key = %s",
        (bench.loaded.profiles["FP"],),
    ).fetchall()
    classes: dict[bytes, list[bytes]] = {}
    for occurrence, exact in rows:
        if exact is not None:
            classes.setdefault(exact.bytes, []).append(occurrence.bytes)
    whole = {one: tuple(sorted(ids)) for one, ids in classes.items()}
    return Told(uuid.UUID(bench.profile).bytes, whole, {row[0].bytes for row in rows})


def entries(lines: Iterable[bytes]) -> Iterable[Entry]:
    for line in lines:
        one = json.loads(line)
        hashes = bytes.fromhex(one["previous"]), bytes.fromhex(one["hash"])
        yield Entry(int(one["seq"]), one["kind"], one["payload"], *hashes)


def roots(held: Effective, inventory: Inventory, profile: bytes) -> dict[str, str]:
    """Roots of the three inventories (docs/encoding.md section 14), from the model alone."""

    def record(one: Record) -> bytes:
        body = one.body
        if isinstance(body, Family):
            members = canonical_json([m.as_json() for m in sorted(body.members, key=lambda m: m.key)])
            kind = ("near_exact", "variant").index(body.kind) + 1
            parts = [u8(kind), sha256(members), u64(body.expansion_count), body.expansion_root]
        elif isinstance(body, Quotation):
            kinds = ("verbatim_quotation", "adapted_quotation", "formulaic_reuse")
            ends = [part for end in (body.source, body.quoting) for part in (end.occurrence, end.selection)]
            spans = [n for pair in body.mapping for n in (*pair.source, *pair.quoting)]
            parts = [u8(kinds.index(body.kind) + 1), *ends, sha256(b"".join(map(u64, spans)))]
        else:
            parts = [
                u8(("class", "family").index(body.tag) + 1), body.structure, body.member,
                lp(body.policy.name.encode()),
            ]  # fmt: skip
        return b"".join([*parts, one.decision])

    scope = profile_scope(profile, PREDICATE)
    listed = (
        ("families", held.families),
        ("quotations", held.quotations),
        ("canonical-choices", held.choices.values()),
    )
    return {
        f"head/{name}": manifest_root(
            name, scope, sorted((one, record(inventory.records[one])) for one in ids)
        ).hex()
        for name, ids in listed
    }


def holds(admin: Connection, benches: list[Bench], lines: list[bytes]) -> int:
    """Hold every release, and every structure, against the model of the ledger; how many releases."""
    bound = {
        row[0]: (row[1].bytes, json.loads(bytes(row[2])))
        for row in admin.execute(
            "SELECT release::text, profile, bound FROM repetition.repetition_release"
        ).fetchall()
    }
    exact = {uuid.UUID(bench.profile).bytes: told(bench) for bench in benches}
    model, seen = Ledger(), 0
    for entry in entries(lines):
        if entry.kind == "publication":
            for release in entry.payload["releases"].split(","):
                profile, facts = bound[release]
                if profile in exact:
                    held = effective(model.inventory, exact[profile])
                    wanted = roots(held, model.inventory, profile)
                    assert {name: facts[name] for name in wanted} == wanted, release
                    assert facts["head/curation"] == model.inventory.head.hex()
                    seen += 1
        model.take(entry)
    for one in model.inventory.records:
        found = resolve(model.inventory, one)
        row = admin.execute("SELECT api.resolve(%s, NULL)", (uuid.UUID(bytes=one),)).fetchone()
        assert row is not None
        assert row[0]["state"] == found.state
        assert row[0]["successors"] == sorted(str(uuid.UUID(bytes=s)) for s in found.successors)
    for bench in benches:
        held = effective(model.inventory, exact[uuid.UUID(bench.profile).bytes])
        rows = admin.execute(
            "SELECT occurrence, family FROM curation.effective_membership"
            " WHERE profile = %s AND until IS NULL",
            (bench.profile,),
        ).fetchall()
        assert {(o.bytes, f.bytes) for o, f in rows} == {
            (one, family) for family, members in held.families.items() for one in members
        }
    return seen


def walked(admin: Connection, database: Embedded, seed: int, *, walkers: int, steps: int) -> Counter[str]:
    loads = [new_load(admin, prefix) for prefix in PREFIXES]
    connections = [open_target(of_embedded(database, user=SUPERUSER)) for _ in range(walkers)]
    try:
        several = [
            Walker(random.Random(seed * 100 + n), [Bench(own, one) for one in loads])
            for n, own in enumerate(connections)
        ]
        with ThreadPoolExecutor(walkers) as pool:
            return sum(pool.map(lambda one: one.walk(steps), several), Counter[str]())
    finally:
        for own in connections:
            own.close()


@pytest.mark.req("CUR-02", "CUR-04", "CUR-07", "FAM-08", "REL-09", "ID-07", "VAL-10", "VAL-15")
@pytest.mark.parametrize(
    ("seed", "steps"), [(1, 60), pytest.param(2, 400, marks=pytest.mark.faults)], ids=["short", "long"]
)
def test_whatever_happens_the_tables_say_what_the_model_says(
    admin: Connection, actors: Loaded, database: Embedded, template: Embedded, seed: int, steps: int
) -> None:
    if seed == 1:
        people(admin)
        call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    said = walked(admin, database, seed, walkers=3, steps=steps)
    for what in ("accept", "supersede", "quote", "choose", "publish"):
        assert said[f"did {what}"], said
    assert sum(n for what, n in said.items() if what.startswith("refused")), said
    lines = exported_from(database)
    benches = [Bench(admin, new_load(admin, prefix)) for prefix in PREFIXES]
    assert holds(admin, benches, lines[1:]) >= len(PREFIXES) - 1
    findings = Findings()
    found = read_ledger(admin, findings)
    check_decisions(admin, found, findings)
    check_heads(admin, found, findings, releases=[])
    assert [one for one in findings.found if "curation.head " not in one.place] == []
    with rebuilt(template, PREFIXES) as connection:
        replay_ledger(connection, lines)
        before, after = everything(admin), everything(connection)
        for name in before:
            assert after[name] == before[name], name
    assert actors.release_key
