"""What a hostile hand writes into plans, names, roles and around the store (REL-04, T1, T13, T26)."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError
from tekrar.store import migrate as runner
from tekrar.store.failures import database_error
from tekrar.store.migrate import migrate
from tekrar.store.roles import SUPERUSER
from tekrar.store.schema_files import program_schema
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import ADMINISTRATOR
from tests.store.schema_publication import PROFILES, Published, call, new_load, plan_of, refused

Plan = dict[str, Any]


def _first(plan: Plan, **change: Any) -> Plan:
    return {**plan, "publications": [{**plan["publications"][0], **change}, *plan["publications"][1:]]}


#: What may stand in a plan of four visible profiles, each of them a plan that must be refused.
PLANS: dict[str, Callable[[Plan], Any]] = {
    "no object": lambda plan: 5,
    "no list": lambda plan: {**plan, "publications": {}},
    "an empty set": lambda plan: {**plan, "publications": []},
    "a set of a word": lambda plan: {**plan, "set": "x"},
    "a set of one": lambda plan: {**plan, "publications": plan["publications"][:1]},
    "one twice": lambda plan: {**plan, "publications": plan["publications"][:1] * 2},
    "one twice among four": lambda plan: {
        **plan,
        "publications": [*plan["publications"], plan["publications"][0]],
    },
    "no facts": lambda plan: _first(plan, facts=None),
    "facts of a number": lambda plan: _first(plan, facts=5),
    "an entry of a number": lambda plan: {**plan, "publications": [5]},
    "an entry of nothing": lambda plan: {**plan, "publications": [None]},
}


@pytest.mark.req("REL-04", "REL-09")
@pytest.mark.parametrize("name", PLANS)
def test_a_plan_that_nobody_prepared_is_refused_in_words(
    admin: Connection, published: Published, name: str
) -> None:
    plan = json.loads(plan_of(admin, published[0], *PROFILES, together=True))
    found = refused(admin, json.dumps(PLANS[name](plan)))
    assert (found["state"], found["kind"], found["argument"]) == ("TK012", "bad_argument", "plan")


@pytest.mark.req("REL-09")
def test_a_release_set_is_of_one_artifact(admin: Connection, published: Published) -> None:
    """Else a publisher could show releases together that belong to two editions, and never take it back."""
    other = new_load(admin, "öteki", edition="öteki")
    ours = json.loads(plan_of(admin, published[0], *PROFILES, together=True))
    theirs = json.loads(plan_of(admin, other, "FP"))
    ours["publications"][0] = theirs["publications"][0]
    assert refused(admin, json.dumps(ours))["kind"] == "bad_argument"


#: Names that look like another one, or that no list can show in one line.
NAMES = (
    "yayıncı ",
    " yayıncı",
    "\u00a0yayıncı",
    "yayın\u200bcı",
    "\u202eıcnıyay",
    "yayıncı\u2028x",
    "a\nb",
    "\x85",
    "",
    " ",
)


@pytest.mark.req("CUR-06")
@pytest.mark.parametrize("name", NAMES)
def test_a_name_looks_like_itself(admin: Connection, published: Published, name: str) -> None:
    with pytest.raises(psycopg.Error) as error:
        call(admin, ADMINISTRATOR, "yönetici", "api.actor", name, None)
    assert error.value.sqlstate == "TK012"


def test_names_of_people_are_names(admin: Connection, published: Published) -> None:
    for name in ("Şule Çağ-Öz", "نورسی", "می\u200cخواهم", "山田 太郎", "o'Neil; --", "x" * 200):
        assert call(admin, ADMINISTRATOR, "yönetici", "api.actor", name, None)["outcome"] == "named"


@pytest.mark.req("PUB-06")
@pytest.mark.parametrize(
    ("change", "found"),
    [
        ("ALTER ROLE tekrar_reader SUPERUSER", "SUPERUSER"),
        ("ALTER ROLE tekrar_curator BYPASSRLS", "BYPASSRLS"),
        ("ALTER ROLE tekrar_publisher LOGIN", "LOGIN"),
        ("ALTER ROLE tekrar_login INHERIT", "INHERIT"),
        ("ALTER ROLE tekrar_owner CREATEROLE", "CREATEROLE"),
        ("GRANT pg_write_all_data TO tekrar_auditor", "member of pg_write_all_data"),
        ("GRANT tekrar_owner TO tekrar_login", "member of tekrar_owner"),
    ],
)
def test_a_role_that_somebody_made_with_more_is_not_taken_over(
    admin: Connection, change: str, found: str
) -> None:
    with admin.transaction(force_rollback=True):
        admin.execute(change.encode())
        with pytest.raises(psycopg.Error) as error:
            admin.execute(program_schema().roles.text)
    typed = database_error(error.value)
    assert typed.kind == "role_attributes"
    assert found in typed.message
    assert typed.mend


def test_a_transaction_that_was_left_open_does_not_shut_out_readers_for_good(
    database: Embedded, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A migration that waits for a lock makes every reader wait behind it: it gives up, and says so."""
    assert b"lock_timeout = '10s'" in runner._BEGIN
    monkeypatch.setattr(runner, "_BEGIN", runner._BEGIN.replace(b"'10s'", b"'200ms'"))
    with open_target(of_embedded(database, user=SUPERUSER)) as other:
        with admin.transaction():
            admin.execute("SELECT count(*) FROM repetition.visible")
            with pytest.raises(DatabaseError) as error:
                migrate(other)
        assert error.value.kind == "locked"
        migrate(other)


def test_another_runner_is_not_waited_for_for_ever(
    database: Embedded, admin: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Everybody who can log in can hold the lock of the runners."""
    monkeypatch.setattr(runner, "_WAIT", runner._WAIT.replace(b"'120s'", b"'200ms'"))
    with open_target(of_embedded(database, user=SUPERUSER)) as other:
        with admin.transaction():
            admin.execute("SELECT pg_advisory_xact_lock(%s)", (runner.LOCK,))
            with pytest.raises(DatabaseError) as error:
                migrate(other)
        assert error.value.kind == "locked"
        migrate(other)
        assert other.execute("SHOW lock_timeout").fetchone() == ("0",)


def test_names_are_postgresql_s_whatever_path_a_login_brings(admin: Connection, database: Embedded) -> None:
    """An operator in a schema of the path can fit `bigint % integer` better than PostgreSQL's own."""
    admin.execute("ALTER ROLE tekrar_login SET search_path = public")
    try:
        with open_target(of_embedded(database, user="tekrar_login")) as connection:
            assert connection.execute("SHOW search_path").fetchone() == ("pg_catalog, pg_temp",)
    finally:
        admin.execute("ALTER ROLE tekrar_login RESET search_path")
