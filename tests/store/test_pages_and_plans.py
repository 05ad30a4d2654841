"""What SQL answers to sizes of pages that are none, and that a plan's ID is that of its own facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError
from tekrar.store.curation.listing import Asker
from tekrar.store.permission import snapshot_of
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import AUDITOR, CURATOR, READER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import as_login, call, plan_of

LISTS = {
    "api.list_families(%(release)s, NULL, NULL, {})": READER,
    "api.list_quotations(%(release)s, NULL, NULL, NULL, {})": READER,
    "api.list_choices(%(release)s, NULL, NULL, NULL, {})": READER,
    "api.unresolved(%(release)s, NULL, 0, 0, {})": READER,
    "api.list_classes(%(release)s, 'published', 1::smallint, 2, 9::smallint, 99999, -1, {}, false)": READER,
    "api.list_duplicates(%(release)s, %(class)s, NULL, NULL, NULL, -1, {})": READER,
    "api.export_ledger(0, {})": AUDITOR,
    "api.list_proposals(NULL, NULL, false, -1, {})": CURATOR,
}


@pytest.fixture(scope="module")
def people(admin: Connection, published: Any) -> Any:
    for person, role in (("yazar", "curator"), ("bakan", "auditor")):
        call(admin, "tekrar_administrator", "yönetici", "api.actor", person, None)
        call(admin, "tekrar_administrator", "yönetici", "api.grant_role", person, role, "*", None, None)
    return published


@pytest.mark.parametrize("query", LISTS)
@pytest.mark.parametrize("size", ["0", "-1", "10001", "2147483647", "NULL::integer"])
def test_a_size_that_is_none_is_a_bad_argument(
    admin: Connection, people: Any, actors: Loaded, query: str, size: str
) -> None:
    row = admin.execute(
        b"SELECT release FROM repetition.visible WHERE release IS NOT NULL LIMIT 1"
    ).fetchone()
    assert row is not None
    named = {"release": row[0], "class": actors.exact_class("FP", 0)}
    role = LISTS[query]
    actor = {AUDITOR: "bakan", CURATOR: "yazar"}.get(role, "")
    with as_login(admin, role, actor) as session:
        session.execute(f"SELECT * FROM {query.format(3)}".encode(), named)
    with pytest.raises(psycopg.Error) as error, as_login(admin, role, actor) as session:
        session.execute(f"SELECT * FROM {query.format(size)}".encode(), named)
    assert error.value.sqlstate == "TK012"
    detail = json.loads(error.value.diag.message_detail or "{}")
    assert (detail["kind"], detail["argument"]) == ("bad_argument", "page")


@pytest.mark.parametrize("asked", ["NULL, 'source'", "%(class)s::uuid, NULL", "%(class)s::uuid, 'both'"])
def test_a_side_that_is_none_is_a_bad_argument(
    admin: Connection, people: Any, actors: Loaded, asked: str
) -> None:
    query = f"SELECT * FROM api.list_quotations(%(release)s::uuid, {asked}, NULL, 9)"
    (release,) = admin.execute(
        b"SELECT release FROM repetition.visible WHERE release IS NOT NULL LIMIT 1"
    ).fetchall()[0]
    named = {"release": release, "class": actors.exact_class("FP", 0)}
    with pytest.raises(psycopg.Error) as error, as_login(admin, READER, "") as session:
        session.execute(query.encode(), named)
    assert (error.value.sqlstate, error.value.diag.message_hint) == (
        "TK012",
        "give one of them as it stands here",
    )


@pytest.fixture
def connection(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


def test_the_program_says_so_too(connection: Connection, people: Any) -> None:
    with pytest.raises(DatabaseError) as error:
        Asker(connection, Role.CURATOR, "yazar").proposals(page=0)
    assert error.value.kind == "bad_argument"
    assert "1 to 10000" in error.value.mend


@pytest.mark.req("REL-04")
def test_a_plan_has_the_id_of_its_own_facts(admin: Connection, actors: Loaded) -> None:
    """Where what is bound moves between two looks, as it may outside one snapshot, the plan is of one look;
    so the fact that moved is refused by its name, and not the ID."""
    whole = json.loads(plan_of(admin, actors, "FP"))["publications"][0]
    with admin.transaction(force_rollback=True):
        row = admin.execute(
            b"SELECT pg_get_functiondef('repetition.bound_facts(integer,jsonb)'::regprocedure)"
        ).fetchone()
        assert row is not None
        admin.execute(row[0].replace("bound_facts", "facts_of_one_look").encode())
        admin.execute(b"""
            CREATE SEQUENCE public.looks;
            GRANT USAGE ON SEQUENCE public.looks TO PUBLIC;
            CREATE OR REPLACE FUNCTION repetition.bound_facts(profile_key integer, inventories jsonb
                DEFAULT NULL) RETURNS jsonb LANGUAGE sql VOLATILE SECURITY DEFINER AS $$
                SELECT repetition.facts_of_one_look(profile_key, inventories)
                    || jsonb_build_object('edition', 'look ' || nextval('public.looks')) $$;
        """)
        torn = json.loads(plan_of(admin, actors, "FP"))["publications"][0]
        admin.execute(b"RESET SESSION AUTHORIZATION")
        facts = torn["facts"]
        bound = {name: value for name, value in facts.items() if name not in _AROUND}
        row = admin.execute(
            b"SELECT repetition.release_id(%s::uuid, sha256(tekrar_meta.canonical(%s::jsonb)),"
            b" decode(%s, 'hex'))::text",
            (facts["profile"], json.dumps(bound), facts["root/compiler"]),
        ).fetchone()
    assert row == (torn["release"],)
    assert torn["release"] != whole["release"]


_AROUND = (
    "repetition-head", "publisher-grant", "freeze-epoch", "seal", "text-seal", "rows/occurrence",
    "rows/class", "visible", "approvals",
)  # fmt: skip


def test_a_snapshot_is_of_one_moment_and_writes_nothing(connection: Connection, people: Any) -> None:
    with snapshot_of(connection, Role.CURATOR, "yazar") as held:
        row = held.execute(
            b"SELECT current_setting('transaction_isolation'), current_setting('transaction_read_only'),"
            b" current_setting('tekrar.claims'), current_user"
        ).fetchone()
    assert row == ("repeatable read", "on", '{"actor":"yazar"}', "tekrar_curator")
