"""Two who apply at once, clients that die at a step, everybody's hands on the tables (FAM-08, CUR-05)."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import uuid
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest

from tekrar.errors import DatabaseError
from tekrar.store.curation.workflow import apply
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curated import AUTHOR, Bench, Ref, people
from tests.store.matrix import ADMINISTRATOR, CURATOR, OWNER, ROLES
from tests.store.place import environment, url_of
from tests.store.publication_state import alone, held_at_a_step, until, waiting_for_a_lock, wholly
from tests.store.schema_database import acting_as
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, as_login, call, new_load, plan_of, publish

ROOT = Path(__file__).resolve().parents[2]
_ONE_APPLY = """
import os, sys
from tekrar.settings import read_settings
from tekrar.store.curation.workflow import apply
from tekrar.store.session import connect
with connect(read_settings(os.environ)) as connection:
    apply(connection, sys.argv[1], actor="yazar")
"""


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


def rows(admin: Connection) -> list[tuple[Any, ...]]:
    """Everything that an apply writes."""
    return admin.execute(
        "SELECT 'head', name, scope, version::text, value::text FROM curation.head"
        " UNION ALL SELECT 'in', profile::text, occurrence::text, family::text, until::text"
        " FROM curation.effective_membership"
        " UNION ALL SELECT 'choice', choice::text, structure::text, policy, until::text"
        " FROM curation.effective_choice"
        " UNION ALL SELECT 'decision', decision::text, operation, '', '' FROM curation.decision"
        " UNION ALL SELECT 'family', family::text, kind, '', '' FROM curation.family"
        " UNION ALL SELECT 'member', family::text, position::text, '', '' FROM curation.family_member"
        " UNION ALL SELECT 'quotation', quotation::text, '', '', '' FROM curation.quotation"
        " UNION ALL SELECT 'succession', predecessor::text, successor::text, '', '' FROM curation.succession"
        " UNION ALL SELECT 'review', review::text, decision::text, '', '' FROM curation.decision_review"
        " ORDER BY 1, 2, 3, 4, 5"
    ).fetchall()


def steps(bench: Bench, proposal: str) -> list[str]:
    """The steps of an apply, which is rolled back."""
    with bench.admin.transaction(force_rollback=True):
        bench.admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        bench.admin.execute(
            "SELECT set_config('tekrar.claims', %s, true), set_config('tekrar.stop_at', 'none', true)",
            (json.dumps({"actor": AUTHOR}),),
        )
        bench.admin.execute(f"SET LOCAL ROLE {CURATOR}".encode())
        bench.admin.execute("SELECT api.apply(%s, NULL)", (proposal,))
        return str(bench.value("SELECT current_setting('tekrar.steps')")).split()


@contextmanager
def client(
    database: Embedded, folder: Path, proposal: str, stop_at: str
) -> Iterator[subprocess.Popen[bytes]]:
    """A process that applies and is held at a step."""
    env = environment(
        folder,
        TEKRAR_DATABASE_URL=url_of(database, user=LOGIN),
        PGOPTIONS=f"-c tekrar.stop_at={stop_at} -c tekrar.stop_for=60",
    )
    words = [sys.executable, "-c", _ONE_APPLY, proposal]
    child = subprocess.Popen(words, env=env, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        yield child
    finally:
        child.kill()
        child.wait()


def prepared(bench: Bench, place: str) -> dict[str, tuple[Bench, str]]:
    """An approved proposal of each kind, over texts of their own; `place` tells one test's from another's."""
    found: dict[str, tuple[Bench, str]] = {}

    def approved(name: str, one: Bench, action: bytes) -> None:
        proposal = one.submit(action)
        one.review(proposal)
        found[name] = (one, proposal)

    one = Bench(bench.admin, new_load(bench.admin, f"ölüm {place} aile "))
    approved("family", one, one.accept(("c", 0), ("o", 2)))
    one = Bench(bench.admin, new_load(bench.admin, f"ölüm {place} alıntı "))
    approved(
        "quotation", one, one.action("accept_quotation", "quotation", one.quotation(one.end(0), one.end(1)))
    )
    one = Bench(bench.admin, new_load(bench.admin, f"ölüm {place} bölme "))
    four = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (whole,) = one.decide(one.accept(*four))["structures"]
    parts = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    moves = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    approved("split", one, one.supersede("split", [whole], parts, moves))
    one = Bench(bench.admin, new_load(bench.admin, f"ölüm {place} seçim "))
    done = publish(one.admin, plan_of(one.admin, one.loaded, *PROFILES))
    release = next(uuid.UUID(r["release"]) for r in done["releases"] if r["short"] == "FP")
    body = one.choice(release, ("c", 0), one.id_of(("o", 0)))
    (old,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    again = one.choice(release, ("c", 0), one.id_of(("o", 1)), supersedes=old)
    approved("choice", one, one.action("choose_canonical", "choice", again))
    return found


@pytest.mark.req("CUR-12")
@pytest.mark.parametrize(
    "every", [pytest.param(True, marks=pytest.mark.faults), False], ids=["every", "some"]
)
def test_a_client_killed_at_a_step_has_decided_nothing(
    bench: Bench, database: Embedded, tmp_path: Path, every: bool
) -> None:
    for kind, (one, proposal) in prepared(bench, "hep" if every else "kimi").items():
        named = steps(one, proposal)
        assert {"apply/locked", "apply/checked", "apply/ledger", "apply/decision", "apply/done"} <= set(named)
        numbers = range(1, len(named) + 1) if every else sorted({len(named) // 2, len(named)})
        before = rows(one.admin)
        for n in numbers:
            with client(database, tmp_path, proposal, str(n)) as child:
                until(lambda: held_at_a_step(bench.admin))
                os.kill(child.pid, signal.SIGKILL)
            until(lambda: alone(bench.admin))
            assert rows(one.admin) == before, (kind, named[n - 1])
        wholly(one.admin)
        first = one.apply(proposal)
        assert first["outcome"] == "applied"
        after = rows(one.admin)
        again = one.apply(proposal)
        assert (again["outcome"], again["structures"]) == ("already_applied", first["structures"])
        assert rows(one.admin) == after


def outcome_of(connection: Connection, proposal: str) -> str:
    """Outcome of an apply, or the kind of its refusal."""
    try:
        return apply(connection, proposal, actor=AUTHOR).outcome
    except DatabaseError as error:
        return error.kind


def apply_alone(database: Embedded, proposal: str, stop: str = "") -> str:
    """The same on a connection of its own, held at a step for a moment."""
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        if stop:
            connection.execute("SELECT set_config('tekrar.stop_at', %s, false)", (stop,))
            connection.execute("SELECT set_config('tekrar.stop_for', '0.5', false)")
        return outcome_of(connection, proposal)


@pytest.mark.req("FAM-08", "CUR-04", "CUR-09", "VAL-08")
def test_of_two_applies_that_share_one_occurrence_one_is_told(bench: Bench, database: Embedded) -> None:
    for number in range(3):
        one = Bench(bench.admin, new_load(bench.admin, f"iki kişi {number} "))
        through, direct = (
            one.submit(one.accept(("c", 0), ("o", 2))),
            one.submit(one.accept(("o", 1), ("o", 3))),
        )
        for proposal in (through, direct):
            one.review(proposal)
        with ThreadPoolExecutor(3) as pool:
            first = pool.submit(apply_alone, database, through, "apply/head")
            until(lambda: held_at_a_step(bench.admin))
            second = pool.submit(apply_alone, database, direct)
            same = pool.submit(apply_alone, database, through)
            until(lambda: waiting_for_a_lock(bench.admin))
            answers = [first.result(), second.result(), same.result()]
        assert answers == ["applied", "expected_state_mismatch", "already_applied"]
        held = Counter(
            row[0]
            for row in one.admin.execute(
                "SELECT occurrence FROM curation.effective_membership WHERE profile = %s AND until IS NULL",
                (one.profile,),
            ).fetchall()
        )
        assert set(held.values()) == {1}
    wholly(bench.admin)


#: Members of eight families, each of which shares one with others.
_SHARED: Final[list[list[Ref]]] = [
    [("o", 0), ("o", 2)],
    [("o", 0), ("o", 3)],
    [("o", 1), ("o", 2)],
    [("o", 1), ("o", 3)],
    [("o", 2), ("o", 3)],
    [("c", 0), ("o", 2)],
    [("c", 0), ("o", 3)],
    [("o", 0), ("o", 2), ("o", 3)],
]


@pytest.mark.req("FAM-08", "CUR-04", "CUR-09")
def test_eight_who_apply_families_that_share_members(bench: Bench, database: Embedded) -> None:
    for number in range(3):
        one = Bench(bench.admin, new_load(bench.admin, f"sekiz kişi {number} "))
        proposals = [one.submit(one.accept(*refs)) for refs in _SHARED]
        for proposal in proposals:
            one.review(proposal)
        members = {
            proposal: {row for ref in refs for row in one.occurrences(ref)}
            for proposal, refs in zip(proposals, _SHARED, strict=True)
        }
        start = threading.Barrier(len(proposals))

        def all_from(
            first: int, given: list[str] = proposals, ready: threading.Barrier = start
        ) -> dict[str, str]:
            order = given[first:] + given[:first]
            with open_target(of_embedded(database, user=LOGIN)) as connection:
                ready.wait(60)
                return {proposal: outcome_of(connection, proposal) for proposal in order}

        with ThreadPoolExecutor(len(proposals)) as pool:
            answers = list(pool.map(all_from, range(len(proposals))))
        said = {proposal: Counter(one[proposal] for one in answers) for proposal in proposals}
        done = [proposal for proposal, counts in said.items() if counts["applied"]]
        for proposal, counts in said.items():
            if proposal in done:
                assert counts == {"applied": 1, "already_applied": 7}
            else:  # told so by everybody, and one of those that were faster has a member of it
                assert counts == {"expected_state_mismatch": 8}
                assert any(members[proposal] & members[other] for other in done)
        held = one.admin.execute(
            "SELECT occurrence FROM curation.effective_membership WHERE profile = %s AND until IS NULL",
            (one.profile,),
        ).fetchall()
        assert sorted(row[0] for row in held) == sorted(m for proposal in done for m in members[proposal])
    wholly(bench.admin)


@pytest.mark.req("CUR-06", "CUR-11")
@pytest.mark.parametrize("what", ["freeze", "revoke"])
def test_an_apply_that_waited_sees_what_came_first(bench: Bench, database: Embedded, what: str) -> None:
    one = Bench(bench.admin, new_load(bench.admin, f"bekleyen {what} "))
    proposal = one.submit(one.accept(("c", 0), ("o", 2)))
    one.review(proposal)
    query = (
        "SELECT max(grant_key) FROM curation.grant_entry g JOIN curation.actor a USING (actor_key)"
        " WHERE a.name = %s"
    )
    number = one.value(query + " AND role = 'curator'", AUTHOR)
    with ThreadPoolExecutor(1) as pool:
        with as_login(one.admin, ADMINISTRATOR, "yönetici") as session:
            if what == "freeze":
                session.execute("SELECT api.freeze('denetim')")
            else:
                session.execute("SELECT api.revoke_grant(%s::integer)", (number,))
            waiting = pool.submit(apply_alone, database, proposal)
            with open_target(of_embedded(database, user=SUPERUSER)) as other:
                until(lambda: waiting_for_a_lock(other))
        assert waiting.result() == {"freeze": "frozen", "revoke": "grant_revoked"}[what]
    if what == "revoke":
        call(one.admin, ADMINISTRATOR, "yönetici", "api.grant_role", AUTHOR, "curator", "*", None, None)
    assert one.value("SELECT count(*) FROM curation.family WHERE profile = %s", one.profile) == 0


_TABLES = (
    "draft review_policy proposal review decision decision_review family family_member family_diff"
    " effective_membership quotation canonical_choice effective_choice compensation false_positive_override"
    " supersession succession succession_member crosswalk"
).split()


@pytest.mark.req("CUR-05", "QUO-09", "ID-09")
def test_no_role_writes_by_hand_and_the_owner_ends_a_row_once(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "elle "))
    (family,) = one.decide(one.accept(("c", 0), ("o", 2)))["structures"]
    for role in ROLES:
        with acting_as(one.admin, role) as connection:
            for table in _TABLES:
                for verb in (f"INSERT INTO curation.{table} DEFAULT VALUES", f"DELETE FROM curation.{table}"):
                    with pytest.raises(psycopg.Error) as error, connection.transaction():
                        connection.execute(verb.encode())
                    assert error.value.sqlstate == "42501", (role, verb)
    changes = {
        "UPDATE curation.effective_membership SET until = NULL WHERE family = %s": "TK001",
        "UPDATE curation.effective_membership SET family = gen_random_uuid() WHERE family = %s": "TK001",
        "UPDATE curation.effective_membership SET until = since WHERE family = %s": "23514",
        "DELETE FROM curation.effective_membership WHERE family = %s": "TK001",
        "UPDATE curation.family SET kind = 'near_exact' WHERE family = %s": "TK001",
        "DELETE FROM curation.family_member WHERE family = %s": "TK001",
    }
    for statement, state in changes.items():
        with acting_as(one.admin, OWNER) as connection:
            with pytest.raises(psycopg.Error) as error:
                connection.execute(statement.encode(), (family,))
            assert error.value.sqlstate == state, statement
    with acting_as(one.admin, OWNER) as connection:
        connection.execute(
            "UPDATE curation.effective_membership SET until = since + 1 WHERE family = %s", (family,)
        )
        with pytest.raises(psycopg.Error, match="ends once"):
            connection.execute(
                "UPDATE curation.effective_membership SET until = 9999 WHERE family = %s", (family,)
            )
    with acting_as(one.admin, OWNER) as connection, pytest.raises(psycopg.errors.UniqueViolation):
        connection.execute(
            "INSERT INTO curation.effective_membership SELECT profile, %s, family, position, since, NULL"
            " FROM curation.effective_membership WHERE family = %s LIMIT 1",
            (one.id_of(("o", 2)), family),
        )
