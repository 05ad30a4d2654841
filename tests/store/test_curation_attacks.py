"""What direct callers of the functions of curation try: arguments and extents that are none, acts whose
transaction is older than its grant, entries that an owner writes past the functions."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tekrar.core.encoding import canonical_json
from tekrar.store.curation.ledger import replay_ledger
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.authorship import check_authorship
from tekrar.store.verification.evidence import check_diffs
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import read_ledger
from tests.store.curated import AUTHOR, REVIEWER_ONE, Bench, people
from tests.store.matrix import ADMINISTRATOR, CURATOR, OWNER, PUBLISHER, READER, REVIEWER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import as_login, call, new_load
from tests.store.test_dispositions import ids, loaded_set
from tests.store.test_replay import exported, places, rebuilt
from tests.store.test_workflow_refusals import refused

PREFIX = "bir "


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded, database: Embedded) -> Bench:
    places(admin, database)
    people(admin)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    return Bench(admin, new_load(admin, PREFIX))


@pytest.fixture(scope="module")
def wide(bench: Bench) -> Bench:
    """A text whose second byte stands inside a character."""
    return Bench(bench.admin, new_load(bench.admin, "şış "))


@pytest.mark.req("QUO-01", "QUO-08")
@pytest.mark.parametrize(
    ("source", "quoting", "kind"),
    [
        ((0, [(1, 5)]), (2, [(0, 4)]), "not_a_character"),
        ((0, [(0, 1)]), (2, [(0, 2)]), "not_a_character"),
        ((0, [(0, 2)]), (2, [(0, 1)]), "not_a_character"),
        ((0, [(0, 4)]), (0, [(2, 6)]), "self_quotation"),
        ((0, [(0, 2), (6, 8)]), (0, [(2, 4), (7, 9)]), "self_quotation"),
    ],
)
def test_an_extent_that_is_none_or_quotes_itself(
    wide: Bench, source: tuple[int, Any], quoting: tuple[int, Any], kind: str
) -> None:
    body = wide.quotation(wide.end(*source), wide.end(*quoting), kind="adapted_quotation")
    action = wide.action("accept_quotation", "quotation", body)
    assert refused(wide, lambda: wide.submit(action)) == kind


@pytest.mark.req("QUO-01")
def test_a_mapping_that_ends_inside_a_character(wide: Bench) -> None:
    body = wide.quotation(wide.end(0, [(0, 4)]), wide.end(2, [(0, 4)]), kind="adapted_quotation")
    start, _ = body["mapping"][0]["source"]
    body["mapping"][0] = {**body["mapping"][0], "source": [start, str(int(start) + 1)]}
    action = wide.action("accept_quotation", "quotation", body)
    assert refused(wide, lambda: wide.submit(action)) == "not_a_character"
    apart = wide.quotation(wide.end(0, [(0, 2)]), wide.end(0, [(2, 4)]), kind="adapted_quotation")
    assert wide.submit(wide.action("accept_quotation", "quotation", apart))


def _as(bench: Bench, role: str, actor: str, query: str) -> Callable[[], Any]:
    def ask() -> Any:
        with as_login(bench.admin, role, actor) as session:
            return session.execute(query.encode()).fetchall()

    return ask


@pytest.mark.parametrize(
    "query",
    [
        "SELECT api.submit_proposal(convert_to(repeat('[', 3000) || repeat(']', 3000), 'UTF8'), NULL)",
        "SELECT api.save_draft('taslak', 0, NULL)",
        "SELECT api.save_draft('taslak', NULL, 'x')",
        "SELECT api.save_draft('taslak', -1, 'x')",
        "SELECT api.save_draft('taslak', 9223372036854775807, 'x')",
        "SELECT api.crosswalk(NULL, 'x', gen_random_uuid())",
        "SELECT api.crosswalk('isbn', E'\\x1b[31m', gen_random_uuid())",
        "SELECT api.crosswalk('isbn', U&'a\\202eb', gen_random_uuid())",
        "SELECT api.mark_candidates('{}')",
        'SELECT api.mark_candidates(\'[{"candidate": "x"}]\')',
        "SELECT api.mark_candidates(NULL)",
        'SELECT api.store_diffs(gen_random_uuid(), \'[{"left": "x", "right": "y", "script": "00"}]\')',
        "SELECT api.canonical(NULL, NULL, NULL)",
    ],
)
def test_an_argument_that_is_none(bench: Bench, query: str) -> None:
    assert refused(bench, _as(bench, CURATOR, AUTHOR, query)) in ("bad_argument", "malformed", "not_found")


def test_a_restructure_whose_mapping_says_nothing(bench: Bench) -> None:
    families = [bench.family(("o", 2), ("o", 3), kind=kind) for kind in ("near_exact", "variant")]
    nobody = "0190a0a0-0000-7000-8000-000000000000"
    action = json.loads(bench.supersede("restructure", [nobody], families, {("o", 2): [0, 1]}))
    action["supersession"]["mapping"] = [{}]
    assert refused(bench, lambda: bench.submit(canonical_json(action))) in ("malformed", "shape")


@pytest.mark.req("CAN-07")
@pytest.mark.parametrize("role", [READER, CURATOR, REVIEWER, PUBLISHER])
def test_a_canonical_question_without_a_policy_is_refused_to_every_role(bench: Bench, role: str) -> None:
    with as_login(bench.admin, role, "") as session, pytest.raises(psycopg.Error) as error:
        session.execute(b"SELECT api.canonical(gen_random_uuid(), gen_random_uuid(), NULL)")
    assert error.value.sqlstate == "TK012"


@pytest.mark.req("CUR-10")
def test_no_list_tells_a_verdict_to_whoever_may_still_review(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "kuyruk "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    one.review(proposal, actor=REVIEWER_ONE)

    def states(query: str, actor: str) -> list[str]:
        rows = _as(
            one, REVIEWER, actor, f"SELECT state, proposal FROM api.list_proposals({query}, -1, 100)"
        )()
        return [row[0] for row in rows if row[1] == proposal]

    for queue in ("true", "false"):
        for chosen in ("NULL", "'{submitted}'", "'{approved}'"):
            assert states(f"{chosen}, NULL, {queue}", "ikinci okur") == ["open"]
    assert states("'{approved}', NULL, false", REVIEWER_ONE) == ["approved"]
    assert states("'{submitted}', NULL, false", REVIEWER_ONE) == []


@contextmanager
def _late(bench: Bench, place: Embedded, actor: str, role: str) -> Iterator[Connection]:
    """A transaction of an actor that is older than the grant by which it acts."""
    call(bench.admin, ADMINISTRATOR, "yönetici", "api.actor", actor, None)
    with (
        open_target(of_embedded(place, user=SUPERUSER)) as other,
        as_login(other, f"tekrar_{role}", actor) as session,
    ):
        session.execute(b"SELECT 1")
        call(bench.admin, ADMINISTRATOR, "yönetici", "api.grant_role", actor, role, "*", None, None)
        yield session


@pytest.mark.req("CUR-06", "ID-07")
def test_an_act_of_a_transaction_older_than_its_grant_replays(
    bench: Bench, wide: Bench, database: Embedded, template: Embedded
) -> None:
    candidates = ids(loaded_set(bench.admin, bench.loaded))
    with _late(bench, database, "geç küratör", "curator") as session:
        event = json.dumps([{"candidate": candidates[0], "disposition": "false_positive"}])
        session.execute(b"SELECT api.mark_candidates(%s::jsonb)", (event,))
    with _late(bench, database, "geç yönetici", "administrator") as session:
        session.execute(b"SELECT api.grant_role('okur', 'reader', '*', NULL, NULL)")
        session.execute("SELECT api.actor('başkası', NULL)".encode())
        session.execute(b"SELECT api.freeze('ara')")
    with _late(bench, database, "geç yayıncı", "publisher") as session:
        root = bench.loaded.artifact_root.hex()
        row = session.execute(b"SELECT api.prepare_publication(%s, 'FP')", (root,)).fetchone()
        assert row is not None
        plan = json.dumps({"publications": [row[0]], "set": False})
        done = session.execute(b"SELECT api.publish(%s)", (plan,)).fetchone()
        assert done is not None
        session.execute(b"SELECT api.withdraw(%s, 'deneme')", (done[0]["releases"][0]["release"],))
    assert found(bench) == []
    lines = exported(bench.admin)
    with rebuilt(template) as connection:
        new_load(connection, "şış ")
        new_load(connection, "kuyruk ")
        loaded_set(connection, bench.loaded)
        assert replay_ledger(connection, lines).entries == len(lines) - 1


def found(bench: Bench) -> list[str]:
    findings = Findings()
    entries = read_ledger(bench.admin, findings)
    check_authorship(bench.admin, entries, findings)
    return [one.found for one in findings.found]


#: Entries as the owner can write them, past every check and with a chain that fits.
_MOMENT = "tekrar_meta.instant(clock_timestamp())"
_REVIEW = """
    WITH e AS (SELECT jsonb_build_object('review', curation.new_uuid7(clock_timestamp()), 'proposal', '{0}',
        'outcome', 'approve', 'reviewer', '{1}', 'note', '', 'recorded_at', {2}) AS payload)
    SELECT curation.record_review(curation.append('review', payload), payload) FROM e"""
_APPLY = """
    WITH f AS (SELECT jsonb_build_object('proposal', '{0}', 'reviews', '', 'structures',
        curation.new_uuid7(clock_timestamp()), 'operation', 'accept_family', 'actor', '{1}',
        'recorded_at', {2}) AS p),
    e AS (SELECT p || jsonb_build_object('decision',
        encode(sha256(curation.decision_document(p)), 'hex')) AS p FROM f)
    SELECT curation.append('apply', p) FROM e"""
_GRANT = """
    SELECT curation.append('grant', jsonb_build_object('actor', '{1}', 'role', 'reviewer', 'scope', '*',
        'valid_from', {2}, 'valid_to', '', 'by', '{1}', 'recorded_at', {2}))"""


@pytest.mark.req("CUR-06", "CUR-10")
@pytest.mark.parametrize(
    ("entry", "actor", "said"),
    [
        (_REVIEW, AUTHOR, "wrote it"),
        (_REVIEW, "yayıncı", "held no grant of reviewer"),
        (_APPLY, AUTHOR, "apply cannot follow on submitted"),
        (_GRANT, AUTHOR, "held no grant of administrator"),
    ],
)
def test_an_entry_written_past_the_functions_is_found(
    bench: Bench, entry: str, actor: str, said: str
) -> None:
    one = Bench(bench.admin, bench.loaded)
    proposal = one.submit(one.accept(("o", 2), ("o", 3)), "sahte")
    assert found(bench) == []
    with bench.admin.transaction(force_rollback=True):
        bench.admin.execute(f"SET LOCAL ROLE {OWNER}".encode())
        bench.admin.execute(entry.format(proposal, actor, _MOMENT).encode())
        assert len(found(bench)) == 1
        assert said in found(bench)[0]


@pytest.mark.req("CUR-05")
@pytest.mark.parametrize(
    ("table", "hand"),
    [
        ("passage_diff", "DELETE FROM curation.passage_diff"),
        ("review_policy", "UPDATE curation.review_policy SET approvals = 2"),
        ("review_policy", "INSERT INTO curation.review_policy VALUES ('none.v1', 1)"),
    ],
)
def test_what_decisions_rest_on_is_missed_or_found_changed(bench: Bench, table: str, hand: str) -> None:
    one = Bench(bench.admin, new_load(bench.admin, f"{hand[:12]} {table} "))
    one.decide(one.accept(("o", 2), ("o", 3)))

    def named() -> bool:
        findings = Findings()
        check_authorship(one.admin, read_ledger(one.admin, findings), findings)
        check_diffs(one.admin, findings, profiles=None)
        rests = [found for found in findings.found if "rests on" in found.expected]
        return bool(rests) or any(found.place == f"curation.{table}" for found in findings.found)

    assert not named()
    with one.admin.transaction(force_rollback=True):
        one.admin.execute(f"ALTER TABLE curation.{table} DISABLE TRIGGER ALL".encode())
        one.admin.execute(hand.encode())
        assert named()
