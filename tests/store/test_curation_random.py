"""Random sequences of everything that curators, reviewers, publishers and administrators do, by several
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
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

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
from tests.store.curated import Bench, people
from tests.store.matrix import ADMINISTRATOR
from tests.store.random_walker import Walker
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call, new_load
from tests.store.test_dispositions import ids, loaded_set
from tests.store.test_replay import everything, exported_from, rebuilt

PREFIXES = ("rastgele bir ", "rastgele iki ", "rastgele üç ")
PREDICATE = "exact_passage_bytes"


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
    """What walkers over texts of their own with candidates did and were refused; no draft was lost."""
    loads = [new_load(admin, prefix) for prefix in PREFIXES]
    candidates = {str(one.profile_ids["FP"]): ids(loaded_set(admin, one)) for one in loads}
    connections = [open_target(of_embedded(database, user=SUPERUSER)) for _ in range(walkers)]
    try:
        several = [
            Walker(random.Random(seed * 100 + n), [Bench(own, one) for one in loads], candidates)
            for n, own in enumerate(connections)
        ]
        before = admin.execute("SELECT coalesce(max(version), 0) FROM curation.draft").fetchone()
        with ThreadPoolExecutor(walkers) as pool:
            said = sum(pool.map(lambda one: one.walk(steps), several), Counter[str]())
        saved = {version: text for one in several for version, text in one.saved.items()}
        assert len(saved) == sum(len(one.saved) for one in several)
        query = "SELECT version, document FROM curation.draft WHERE version > %s ORDER BY version"
        rows = admin.execute(query.encode(), before).fetchall()
        assert {version: bytes(text).decode() for version, text in rows} == saved
        assert before is not None
        assert [version for version, _ in rows] == [before[0] + n for n in range(1, len(rows) + 1)]
        return said
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
    for what in ("accept", "supersede", "quote", "choose", "publish", "save", "mark"):
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
        for bench in benches:
            loaded_set(connection, bench.loaded)
        replay_ledger(connection, lines)
        before, after = everything(admin), everything(connection)
        # The one says when it was loaded; of diffs the ledger carries those that some proposal names.
        for name in before.keys() - {"curation.candidate_seal", "curation.passage_diff"}:
            assert after[name] == before[name], name
        named = admin.execute("SELECT diff FROM curation.family_diff").fetchall()
        carried = set(after["curation.passage_diff"])
        assert carried <= set(before["curation.passage_diff"])
        assert all(any(str(diff) in row for row in carried) for (diff,) in named)
    assert actors.release_key
