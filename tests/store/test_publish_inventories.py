"""What a release binds of evidence and curation: computed from rows, compared under the lock, made again."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tekrar.core.encoding import manifest_root, profile_scope
from tekrar.store.evidence.loading import load_within
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.candidate_package import Maker, every_kind
from tests.store.curated import AUTHOR, Bench, people
from tests.store.kept import unguarded
from tests.store.matrix import BUILDER, CURATOR
from tests.store.publication_state import wholly
from tests.store.schema_load import Loaded
from tests.store.schema_publication import Published, call, new_load, plan_of, publish
from tests.store.test_publish_facts import INVENTORIES, mismatch, refused, refused_after_waiting


def heads(connection: Connection, one: Loaded) -> dict[str, str]:
    """What a plan made now expects of the inventories."""
    facts = json.loads(plan_of(connection, one, "FP"))["publications"][0]["facts"]
    return {name: facts[f"head/{name}"] for name in INVENTORIES}


def loaded_set(connection: Connection, one: Loaded, *, semver: str = "1.0.0") -> Maker:
    """Candidates of every kind over an artifact, loaded in a transaction of the builder."""
    maker = every_kind(connection, one.artifact_root, semver=semver)
    with connection.transaction():
        connection.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
        load_within(connection, maker.package())
        connection.execute("RESET SESSION AUTHORIZATION")
    return maker


def mark(connection: Connection, maker: Maker, number: int, disposition: str, note: str = "") -> Any:
    own = str(uuid.UUID(bytes=maker.made[number][0].id))
    said = [{"candidate": own, "disposition": disposition, "note": note}]
    return call(connection, CURATOR, AUTHOR, "api.mark_candidates", json.dumps(said))[0]


class State:
    """The published tiny artifact, with candidates, a family, a quotation and a choice."""

    def __init__(self, admin: Connection, published: Published) -> None:
        self.admin = admin
        self.one, self.releases = published
        self.start = heads(admin, self.one)
        people(admin)
        self.bench = Bench(admin, self.one)
        self.maker = loaded_set(admin, self.one)

    def family(self) -> str:
        return str(self.bench.decide(self.bench.accept(("o", 1), ("c", 0)))["structures"][0])


@pytest.fixture(scope="module")
def state(admin: Connection, published: Published) -> State:
    return State(admin, published)


@pytest.fixture
def other(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


@pytest.mark.req("REL-01")
def test_without_candidates_and_decisions_each_is_the_root_of_no_record(state: State) -> None:
    """So that releases that were published before there was curation keep their IDs."""
    scope = profile_scope(state.one.profile_ids["FP"].bytes, "exact_passage_bytes")
    assert state.start == {name: manifest_root(name, scope, []).hex() for name in INVENTORIES}


# --- what changes which ----------------------------------------------------------------------------------

#: What somebody does -> the facts of the profile that are then others. Decisions move the curation head too.
Doing = Callable[[State], object]


def _family(state: State) -> None:
    state.bench.decide(state.bench.accept(("o", 1), ("o", 3)))


def _quotation(state: State) -> None:
    bench = state.bench
    body = bench.quotation(bench.end(0), bench.end(1), kind="adapted_quotation")
    bench.decide(bench.action("accept_quotation", "quotation", body))


def _choice(state: State) -> None:
    bench = state.bench
    first, _ = bench.occurrences(("c", 0))
    body = bench.choice(state.releases["FP"], ("c", 0), first)
    bench.decide(bench.action("choose_canonical", "choice", body))


def _proposal(state: State) -> None:
    state.bench.submit(state.bench.accept(("o", 0), ("o", 3)))


def _review(state: State) -> None:
    digest = state.bench.submit(state.bench.accept(("o", 0), ("o", 2)))
    before = heads(state.admin, state.one)["unresolved-review"]
    state.bench.review(digest)
    assert heads(state.admin, state.one)["unresolved-review"] != before


DOING: dict[str, tuple[Doing, set[str]]] = {
    "candidates": (
        lambda s: loaded_set(s.admin, s.one, semver="1.1.0"),
        {"candidates", "unresolved-review"},
    ),
    "another disposition": (lambda s: mark(s.admin, s.maker, 2, "uncertain"), {"unresolved-review"}),
    "false positive": (
        lambda s: mark(s.admin, s.maker, 0, "false_positive"),
        {"false-positives", "unresolved-review"},
    ),
    "superseded candidate": (
        lambda s: mark(s.admin, s.maker, 4, "superseded_candidate"),
        {"unresolved-review"},
    ),
    "proposal": (_proposal, {"unresolved-review"}),
    "review": (_review, {"unresolved-review"}),
    "family": (_family, {"families"}),
    "quotation": (_quotation, {"quotations"}),
    "choice": (_choice, {"canonical-choices"}),
}


@pytest.mark.req("REL-04", "REL-05", "REL-01", "VAL-12", "COV-13")
@pytest.mark.parametrize("what", DOING)
def test_what_was_done_after_the_plan_publishes_nothing(admin: Connection, state: State, what: str) -> None:
    doing, changed = DOING[what]
    plan, before = plan_of(admin, state.one, "FP"), heads(admin, state.one)
    doing(state)
    after = heads(admin, state.one)
    assert {name for name in INVENTORIES if before[name] != after[name]} == changed
    # Facts are compared in the order of their names, and a decision moves the head of curation too.
    decided = changed <= {"families", "quotations", "canonical-choices"}
    first = min(changed | ({"curation"} if decided else set()))
    mismatch(refused(admin, plan), f"head/{first}", plan)
    done = publish(admin, plan_of(admin, state.one, "FP"))
    assert done["outcome"] == "published"
    bound = bound_of(admin, done["releases"][0]["release"])
    assert {name: bound[f"head/{name}"] for name in INVENTORIES} == after
    rows = admin.execute(
        "SELECT name, encode(value, 'hex') FROM curation.head WHERE scope = %s AND name = ANY (%s)",
        (str(state.one.profile_ids["FP"]), list(INVENTORIES)),
    ).fetchall()
    assert dict(rows) == after
    wholly(admin)
    remade(admin)


def bound_of(connection: Connection, release: Any) -> dict[str, str]:
    row = connection.execute(
        "SELECT convert_from(bound, 'UTF8') FROM repetition.repetition_release WHERE release = %s", (release,)
    ).fetchone()
    assert row is not None
    return dict(json.loads(row[0]))


def remade(connection: Connection) -> None:
    """Every release's inventories and the moves of the heads, made again by the other program."""
    from tekrar.store.verification.evidence import check_evidence
    from tekrar.store.verification.findings import Findings, rows_of
    from tekrar.store.verification.ledger import check_heads, read_ledger
    from tekrar.store.verification.publications import _check_inventories, read_releases
    from tekrar.store.verification.structures import read_structures

    findings = Findings()
    with connection.transaction():
        releases, entries = read_releases(connection), read_ledger(connection, findings)
        sealed = rows_of(connection, "SELECT artifact_key FROM repetition.seal")
        keys = {row["artifact_key"] for row in sealed}
        evidence = check_evidence(connection, entries, findings, artifacts=keys)
        structures = read_structures(connection, releases)
        for row in releases:
            _check_inventories(row, evidence, structures, row["release"], findings)
        check_heads(connection, entries, findings, releases=releases)
    assert [one for one in findings.found if "replayed" not in one.place or "curation" not in one.place] == []
    assert findings.counts["publications"] == len(INVENTORIES) * len(releases)


@pytest.mark.req("REL-04", "REL-05", "REL-07", "VAL-12")
@pytest.mark.parametrize(
    "what", ["false positive", "another disposition", "proposal", "family", "candidates"]
)
def test_what_is_done_while_a_publisher_waits(
    admin: Connection, other: Connection, state: State, what: str
) -> None:
    others: dict[str, Doing] = {
        "family": lambda s: s.bench.decide(s.bench.accept(("o", 0), ("o", 2), kind="near_exact")),
        "candidates": lambda s: loaded_set(s.admin, s.one, semver="1.2.0"),
        "false positive": lambda s: mark(s.admin, s.maker, 3, "false_positive"),
        "proposal": lambda s: s.bench.submit(s.bench.accept(("o", 0), ("o", 2))),
    }
    doing = others.get(what) or DOING[what][0]
    publish(admin, plan_of(admin, state.one, "FP"))
    mark(admin, state.maker, 2, "uncertain", "yeni")  # so that there is something to publish
    plan = plan_of(admin, state.one, "FP")
    found = refused_after_waiting(admin, other, plan, lambda _: doing(state))
    assert (found["state"], found["kind"]) == ("TK020", "fact_mismatch")
    assert found["fact"].startswith("head/")


DAMAGE = {
    "families": "UPDATE curation.family SET kind = CASE kind WHEN 'variant' THEN 'near_exact'"
    " ELSE 'variant' END",
    "quotations": "UPDATE curation.quotation SET source_selection = quoting_selection",
    "canonical-choices": "UPDATE curation.effective_choice SET until = since + 1",
    "candidates": "DELETE FROM curation.candidate_entry",
    "false-positives": "UPDATE curation.disposition SET disposition = 'uncertain'",
    "unresolved-review": "UPDATE curation.disposition SET event = sha256(event)",
}


@pytest.mark.req("REL-01", "REL-04", "REL-05")
@pytest.mark.parametrize("name", INVENTORIES)
def test_a_row_that_was_changed_behind_the_guards_publishes_nothing(
    admin: Connection, state: State, name: str
) -> None:
    """Each alone, so that the refusal names this one; and what was published of it is found."""
    ready(state)
    plan = plan_of(admin, state.one, "FP")
    with admin.transaction(force_rollback=True):
        unguarded(admin, *RELATIONS)
        assert admin.execute(DAMAGE[name].encode()).rowcount > 0
        first = {"unresolved-review": "false-positives"}.get(name, name)
        mismatch(refused(admin, plan), f"head/{first}", plan)


RELATIONS = (
    *("curation.family", "curation.quotation", "curation.effective_choice", "curation.candidate_entry"),
    "curation.disposition",
)


def ready(state: State) -> None:
    """Something of every inventory, whichever tests came before."""
    now = heads(state.admin, state.one)
    for what, name in (("family", "families"), ("quotation", "quotations"), ("choice", "canonical-choices")):
        if now[name] == state.start[name]:
            DOING[what][0](state)
    if now["false-positives"] == state.start["false-positives"]:
        mark(state.admin, state.maker, 0, "false_positive", "hazır")


@pytest.mark.req("REL-01")
def test_a_family_of_an_earlier_text_needs_a_successor(admin: Connection, state: State) -> None:
    """It is not effective under the successor text, and is listed there until a decision ends it (AMB-28)."""
    first = Bench(admin, new_load(admin, "eski "))
    publish(admin, plan_of(admin, first.loaded, "FP"))
    (family,) = first.decide(first.accept(("o", 1), ("o", 3)))["structures"]
    later = new_load(admin, "yeni ")
    done = publish(admin, plan_of(admin, later, "FP"))
    listed = open_of(admin, later)
    assert listed[b"needs-successor" + uuid.UUID(family).bytes] == first.loaded.profile_ids["FP"].bytes
    scope = profile_scope(later.profile_ids["FP"].bytes, "exact_passage_bytes")
    bound = bound_of(admin, done["releases"][0]["release"])
    assert bound["head/families"] == manifest_root("families", scope, []).hex()
    assert bound["head/unresolved-review"] != manifest_root("unresolved-review", scope, []).hex()
    remade(admin)
    moves = {("o", 1): "residue", ("o", 3): "residue"}
    first.decide(first.supersede("retire", [family], [], moves))
    assert b"needs-successor" + uuid.UUID(family).bytes not in open_of(admin, later)
    publish(admin, plan_of(admin, later, "FP"))
    remade(admin)


def open_of(connection: Connection, one: Loaded) -> dict[bytes, bytes]:
    """The unresolved records of a profile at this moment, without the length of their tag."""
    rows = connection.execute(
        "SELECT key, value FROM curation.unresolved_records(%s, '{}', NULL)", (one.profiles["FP"],)
    ).fetchall()
    return {bytes(key)[4:]: bytes(value) for key, value in rows}
