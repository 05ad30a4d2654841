"""What curators and reviewers could try by logins of their own: shadowed names, other hats, locks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tekrar.core.curation.agreement import agreement_by_kind
from tekrar.store.curation.judged import read_judged
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import of_embedded
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, people
from tests.store.matrix import AUDITOR, CURATOR, GRANTABLE, OWNER, REVIEWER
from tests.store.publication_state import held_at_a_step, until
from tests.store.schema_authority import World
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_logins import as_role, ask_as, error_of, everything_kept
from tests.store.schema_publication import new_load, plan_of, publish
from tests.store.test_workflow_races import apply_alone

#: Tables of the store that a session makes itself, with nothing in them.
_TABLES = (
    *("proposal", "review", "decision", "draft", "family", "effective_membership", "actor", "grant_entry"),
    *("revocation", "freeze", "head", "ledger", "passage_diff", "review_policy", "profile", "occurrence"),
)
#: Functions and operators that lie: an older time, one digest for all, nobody is anybody, all is in scope.
_FUNCTIONS = (
    ("clock_timestamp() RETURNS timestamptz", "SELECT ''2001-01-01''::timestamptz"),
    ("sha256(bytea) RETURNS bytea", "SELECT decode(repeat(''00'', 32), ''hex'')"),
    ("current_setting(text, boolean) RETURNS text", "SELECT ''{}''"),
    ("gen_random_uuid() RETURNS uuid", "SELECT ''00000000-0000-7000-8000-000000000000''::uuid"),
    ("scopes(name) RETURNS text[]", "SELECT ARRAY[''*'']"),
    ("require_grant(integer, text, text) RETURNS void", "SELECT"),
    ("never(integer, integer) RETURNS boolean", "SELECT false"),
    ("unlike(uuid, uuid) RETURNS boolean", "SELECT false"),
)
_OPERATORS = (
    "CREATE OPERATOR pg_temp.= (LEFTARG = integer, RIGHTARG = integer, FUNCTION = pg_temp.never)",
    "CREATE OPERATOR pg_temp.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = pg_temp.unlike)",
)


@pytest.fixture(scope="module")
def bench(world: World) -> Bench:
    people(world.admin)
    return Bench(world.admin, world.near)


@contextmanager
def temporary(world: World, *roles: str) -> Iterator[None]:
    """The right to make temporary objects, which no role has."""
    place = f"TEMPORARY ON DATABASE {world.place.database}"
    world.admin.execute(f"GRANT {place} TO {', '.join(roles)}".encode())
    try:
        yield
    finally:
        world.admin.execute(f"REVOKE {place} FROM {', '.join(roles)}".encode())


def shadowed(connection: Connection, role: str) -> None:
    """Names of a session of its own before all others."""
    with as_role(connection, role):
        for name in _TABLES:
            connection.execute(f'CREATE TEMP TABLE "{name}" (LIKE pg_class)'.encode())
        for signature, body in _FUNCTIONS:
            connection.execute(f"CREATE FUNCTION pg_temp.{signature} LANGUAGE sql AS '{body}'".encode())
        for operator in _OPERATORS:
            connection.execute(operator.encode())
        connection.execute("SET search_path = pg_temp, pg_catalog")


@pytest.mark.req("CUR-06", "ID-09")
def test_nothing_of_a_session_stands_before_the_names_of_curation(world: World) -> None:
    """With the right to make temporary objects: who decides sees the store's tables and functions alone."""
    one = Bench(world.admin, new_load(world.admin, "gölgede "))
    action = one.accept(("c", 0), ("o", 2))
    with (
        temporary(world, CURATOR, REVIEWER),
        world.logins.connect(world.place, world.actor(CURATOR, "all")) as author,
        world.logins.connect(world.place, world.actor(REVIEWER, "all")) as reviewer,
    ):
        shadowed(author, CURATOR)
        shadowed(reviewer, REVIEWER)
        query = "SELECT api.submit_proposal(%s::bytea, NULL::text)"
        proposal = ask_as(author, CURATOR, query, action)[0][0]["proposal"]
        early = error_of(author, CURATOR, "SELECT api.apply(%s, NULL)", proposal)
        assert "not_approved" in (early.diag.message_detail or "")
        ask_as(reviewer, REVIEWER, "SELECT api.review(%s, 'approve', '')", proposal)
        done = ask_as(author, CURATOR, "SELECT api.apply(%s, NULL)", proposal)[0][0]
        saved = ask_as(author, CURATOR, "SELECT api.save_draft('gölge', 0, 'x')")[0][0]
        named = ask_as(author, CURATOR, "SELECT api.crosswalk('isbn', '9', %s)", done["structures"][0])[0][0]
    assert (done["outcome"], saved["outcome"], named["outcome"]) == ("applied", "saved", "recorded")
    row = world.admin.execute(
        "SELECT count(*), bool_and(d.decision_digest = sha256(d.document) AND d.recorded_at > '2020-01-01')"
        " FROM curation.decision d JOIN curation.effective_membership m ON m.since = d.decision"
        " WHERE m.family = %s",
        (done["structures"][0],),
    ).fetchone()
    assert row == (3, True)
    chain = world.admin.execute(
        "SELECT count(*) FROM curation.ledger WHERE entry_hash = decode(repeat('00', 32), 'hex')"
    )
    assert chain.fetchone() == (0,)


@pytest.mark.req("CUR-03", "CUR-06")
def test_under_another_hat_nobody_reviews_their_own(world: World) -> None:
    """One login with every role: the author is the actor, whatever role the session takes."""
    login = world.logins.make()
    world.name(login, login)
    for role in (CURATOR, REVIEWER):
        world.grant(login, role)
    one = Bench(world.admin, new_load(world.admin, "şapka "))
    action = one.accept(("c", 0), ("o", 2))
    with world.logins.connect(world.place, login) as connection:
        query = "SELECT api.submit_proposal(%s::bytea, NULL::text)"
        proposal = ask_as(connection, CURATOR, query, action)[0][0]["proposal"]
        before = everything_kept(world.admin)
        for claimed, kind in (("", "self_review"), (login, "self_review"), (REVIEWER_ONE, "unknown_actor")):
            review = "SELECT api.review(%s, 'approve', '')"
            error = error_of(connection, REVIEWER, review, proposal, actor=claimed)
            assert f'"{kind}"' in (error.diag.message_detail or ""), (claimed, error)
        assert everything_kept(world.admin) == before


@pytest.mark.req("CUR-05")
def test_no_lock_that_a_session_may_take_holds_up_a_decision(world: World) -> None:
    """Whoever may connect may take any advisory lock and keep it: no decision waits for one. Locks of tables
    that a decision waits for are nobody's."""
    waiting = world.admin.execute(
        "SELECT p.oid::regproc::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'tekrar_meta')"
        " AND p.prosrc ~ 'advisory' ORDER BY 1"
    ).fetchall()
    assert [name for (name,) in waiting] == ["api.begin_artifact", "api.begin_candidates", "api.begin_text"]
    tables = [
        row[0]
        for row in world.admin.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'curation' AND c.relkind IN ('r', 'p') ORDER BY 1"
        ).fetchall()
    ]
    for role in GRANTABLE:
        with as_role(world.connect(role), role) as session:
            for table in tables:
                for mode in (
                    "ROW SHARE",
                    "ROW EXCLUSIVE",
                    "SHARE",
                    "SHARE ROW EXCLUSIVE",
                    "ACCESS EXCLUSIVE",
                ):
                    found = refusal(session, f"LOCK TABLE {table} IN {mode} MODE NOWAIT")
                    assert found == "42501", (role, table, mode)


def kinds(connection: Connection, actor: str) -> dict[str, int]:
    """How many proposals the first two reviewers both judged, by kind, as somebody is told it."""
    _, reviews = read_judged(connection, actor=actor)
    found = agreement_by_kind(
        reviews.said.get(REVIEWER_ONE, {}), reviews.said.get(REVIEWER_TWO, {}), reviews.kinds
    )
    return {kind: held.count for kind, held in found.items()}


@pytest.mark.req("CUR-10")
def test_agreement_tells_no_verdict_to_whoever_may_still_review(world: World, bench: Bench) -> None:
    """An auditor who is a reviewer too is told the figures without the proposals that wait for them."""
    for name, roles in (("bakan", (AUDITOR,)), ("bakan okur", (AUDITOR, REVIEWER))):
        world.name(name, None)
        for role in roles:
            world.grant(name, role)
    one = Bench(world.admin, new_load(world.admin, "uyuşma "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    one.review(proposal, actor=REVIEWER_ONE)
    one.review(proposal, actor=REVIEWER_TWO)
    with open_target(of_embedded(world.place, user=LOGIN)) as program:
        assert kinds(program, "bakan") == {"accept_family": 1}
        assert kinds(program, "bakan okur") == {}
        one.review(proposal, actor="bakan okur")
        assert kinds(program, "bakan okur") == {"accept_family": 1}
        closed = one.submit(one.accept(("o", 1), ("o", 3)))
        one.review(closed, actor=REVIEWER_ONE)
        one.review(closed, "reject", actor=REVIEWER_TWO)
        assert kinds(program, "bakan okur") == {"accept_family": 2}


@pytest.mark.req("CAN-01", "VAL-10", "CUR-04")
def test_of_two_choices_at_once_one_is_told(world: World, bench: Bench) -> None:
    one = Bench(world.admin, new_load(world.admin, "iki seçim "))
    release = publish(one.admin, plan_of(one.admin, one.loaded, "FP"))["releases"][0]["release"]
    proposals = []
    for member in one.occurrences(("c", 0)):
        body = one.choice(release, ("c", 0), member)
        proposals.append(one.submit(one.action("choose_canonical", "choice", body)))
        one.review(proposals[-1])
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(apply_alone, world.place, proposals[0], "apply/head")
        until(lambda: held_at_a_step(one.admin))
        second = pool.submit(apply_alone, world.place, proposals[1])
        assert (first.result(), second.result()) == ("applied", "competing_choice")
    query = "SELECT choice FROM curation.effective_choice WHERE profile = %s AND until IS NULL"
    ((choice,),) = one.admin.execute(query.encode(), (one.profile,)).fetchall()
    with acting_as(one.admin, OWNER) as connection, pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute(
            "INSERT INTO curation.effective_choice (choice, profile, structure, policy, since)"
            " SELECT gen_random_uuid(), profile, structure, policy, since FROM curation.effective_choice"
            " WHERE choice = %s",
            (choice,),
        )


def told(connection: Connection, proposal: str) -> list[Any]:
    """Everything that a reviewer is told of a proposal by SQL of their own."""
    one = ask_as(connection, REVIEWER, "SELECT api.proposal(%s)", proposal)[0][0]
    listed = ask_as(connection, REVIEWER, "SELECT * FROM api.list_proposals(NULL, NULL, false, -1, 1000)")
    rows = "SELECT * FROM curation.review WHERE encode(proposal_digest, 'hex') = %s"
    return [
        one["state"],
        one["reviews"],
        [row[9] for row in listed if row[1] == proposal],
        ask_as(connection, REVIEWER, rows, proposal),
        [row[1] for row in ask_as(connection, REVIEWER, "SELECT * FROM api.history(%s)", proposal)],
    ]


@pytest.mark.req("CUR-10")
def test_a_reviewer_s_own_sql_tells_no_verdict_before_their_own(world: World, bench: Bench) -> None:
    one = Bench(world.admin, new_load(world.admin, "gizli söz "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    reviewer = world.connect(REVIEWER)
    before = told(reviewer, proposal)
    one.review(proposal)
    assert told(reviewer, proposal) == before == ["open", None, ["open"], [], ["proposal"]]
    ask_as(reviewer, REVIEWER, "SELECT api.review(%s, 'approve', '')", proposal)
    after = told(reviewer, proposal)
    assert (after[0], len(after[1]), after[2], len(after[3])) == ("approved", 2, ["approved"], 2)
    assert json.dumps(after[1]).count(REVIEWER_ONE) == 1
    assert AUTHOR
