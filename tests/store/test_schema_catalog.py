"""The catalog of a migrated database: nothing is open that the matrix does not open (contract C5)."""

from __future__ import annotations

import psycopg
import pytest

from tekrar.store.session import Connection
from tests.store.matrix import LOGIN, OWNER, ROLES, SCHEMAS, SELECT, VERBS
from tests.store.schema_database import acting_as

pytestmark = pytest.mark.usefixtures("loaded")

ASKED_MOST = (
    "api.get_occurrence",
    "api.list_classes",
    "api.list_duplicates",
    "api.occurrence_status",
    "api.text_slice",
)

_TABLES = """
    SELECT n.nspname || '.' || c.relname, c.relrowsecurity, c.relforcerowsecurity, r.rolname,
           c.relispartition, (SELECT count(*) FROM pg_policy AS p WHERE p.polrelid = c.oid)
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    JOIN pg_roles AS r ON r.oid = c.relowner
    WHERE n.nspname = ANY (%s) AND c.relkind IN ('r', 'p', 'f', 'm') ORDER BY 1
"""
_FUNCTIONS = """
    SELECT p.oid::regprocedure::text, p.prosecdef, coalesce(p.proconfig, '{}'), r.rolname,
           has_function_privilege('public', p.oid, 'EXECUTE')
    FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace
    JOIN pg_roles AS r ON r.oid = p.proowner
    WHERE n.nspname = ANY (%s) ORDER BY 1
"""


def test_every_table_has_row_level_security_enabled_and_forced(admin: Connection) -> None:
    tables = admin.execute(_TABLES, (list(SCHEMAS),)).fetchall()
    assert {name for name, *_, is_partition, _ in tables if not is_partition} == set(SELECT)
    assert [name for name, enabled, forced, *_ in tables if not (enabled and forced)] == []
    assert {owner for _, _, _, owner, *_ in tables} == {OWNER}
    # A partition has no policy of its own: whoever reaches it past its parent finds nothing.
    assert [name for name, *_, is_partition, policies in tables if is_partition and policies] == []
    assert any(is_partition for *_, is_partition, _ in tables), "a loaded artifact has partitions"


def test_no_policy_is_for_everybody(admin: Connection) -> None:
    found = admin.execute(
        "SELECT polrelid::regclass::text, polname FROM pg_policy WHERE 0 = ANY (polroles)"
    ).fetchall()
    assert found == []


def test_every_view_of_the_schemas_is_a_security_invoker(admin: Connection) -> None:
    found = admin.execute(
        "SELECT n.nspname || '.' || c.relname, coalesce(c.reloptions, '{}') FROM pg_class AS c"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relkind = 'v' AND n.nspname = ANY (%s)",
        (list(SCHEMAS),),
    ).fetchall()
    assert [name for name, options in found if "security_invoker=true" not in options] == []


def test_no_relation_stands_outside_the_schemas(admin: Connection) -> None:
    found = admin.execute(
        "SELECT n.nspname FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname !~ '^pg_' AND n.nspname NOT IN ('information_schema') AND n.nspname <> ALL (%s)",
        (list(SCHEMAS),),
    ).fetchall()
    assert found == []
    assert admin.execute(
        "SELECT count(*) FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = 'api' AND c.relkind NOT IN ('v')"
    ).fetchone() == (0,)


def test_functions_are_the_owner_s_pinned_and_closed_to_public(admin: Connection) -> None:
    functions = admin.execute(_FUNCTIONS, (list(SCHEMAS),)).fetchall()
    assert len(functions) > 20
    assert {owner for *_, owner, _ in functions} == {OWNER}
    assert [name for name, *_, open_ in functions if open_] == []
    unpinned = {
        name.partition("(")[0]: definer
        for name, definer, settings, *_ in functions
        if not any(s.startswith("search_path=pg_catalog, pg_temp") for s in settings)
    }
    # All but those asked most, which run as their caller and name every relation in full.
    assert unpinned == dict.fromkeys(ASKED_MOST, False)


def test_public_holds_nothing(admin: Connection) -> None:
    relations = admin.execute(
        "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace,"
        " aclexplode(c.relacl) AS a WHERE n.nspname = ANY (%s) AND a.grantee = 0",
        (list(SCHEMAS),),
    ).fetchall()
    schemas = admin.execute(
        "SELECT n.nspname FROM pg_namespace AS n, aclexplode(n.nspacl) AS a WHERE n.nspname = ANY"
        " (%s) AND a.grantee = 0",
        (list(SCHEMAS),),
    ).fetchall()
    columns = admin.execute(
        "SELECT a.attrelid::regclass::text, a.attname FROM pg_attribute AS a JOIN pg_class AS c ON"
        " c.oid = a.attrelid"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE n.nspname = ANY (%s) AND a.attacl"
        " IS NOT NULL",
        (list(SCHEMAS),),
    ).fetchall()
    assert (relations, schemas, columns) == ([], [], [])


def test_a_login_role_holds_no_privilege_and_inherits_none(admin: Connection) -> None:
    logins = [
        row[0]
        for row in admin.execute(
            "SELECT rolname FROM pg_roles WHERE rolcanlogin AND NOT rolsuper AND rolname ~ '^tekrar_'"
        ).fetchall()
    ]
    assert LOGIN in logins
    for login in logins:
        row = admin.execute(
            "SELECT rolinherit, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication FROM"
            " pg_roles WHERE rolname = %s",
            (login,),
        ).fetchone()
        assert row == (False, False, False, False, False)
        for relation in SELECT:
            for verb in (*VERBS, "REFERENCES", "TRIGGER"):
                found = admin.execute(
                    "SELECT has_table_privilege(%s, %s, %s)", (login, relation, verb)
                ).fetchone()
                assert found == (False,), (login, relation, verb)


def test_roles_are_powerless_and_the_login_reaches_the_grantable_ones_only(admin: Connection) -> None:
    rows = admin.execute(
        "SELECT rolname, rolcanlogin, rolsuper, rolbypassrls, rolcreaterole, rolcreatedb, rolreplication"
        " FROM pg_roles WHERE rolname = ANY (%s)",
        ([OWNER, *ROLES],),
    ).fetchall()
    assert len(rows) == len(ROLES) + 1
    assert all(not any(powers) for _, *powers in rows)
    assert admin.execute("SELECT pg_has_role(%s, %s, 'MEMBER')", (LOGIN, OWNER)).fetchone() == (False,)
    with acting_as(admin, LOGIN) as connection, pytest.raises(psycopg.errors.InsufficientPrivilege):
        connection.execute("SET LOCAL ROLE tekrar_owner")


def test_no_foreign_key_cascades(admin: Connection) -> None:
    found = admin.execute(
        "SELECT conname FROM pg_constraint WHERE contype = 'f' AND (confdeltype NOT IN ('a', 'r') OR"
        " confupdtype NOT IN ('a', 'r'))"
    ).fetchall()
    assert found == []


def test_every_text_column_that_can_order_is_collated_by_bytes(admin: Connection) -> None:
    found = admin.execute(
        "SELECT a.attrelid::regclass::text, a.attname FROM pg_attribute AS a JOIN pg_class AS c ON"
        " c.oid = a.attrelid"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace JOIN pg_collation AS o ON o.oid = a.attcollation"
        " WHERE n.nspname = ANY (%s) AND a.attnum > 0 AND o.collname <> 'C' AND c.relkind IN ('r', 'p')",
        (list(SCHEMAS),),
    ).fetchall()
    assert found == []


def test_guards_are_always_enabled(admin: Connection) -> None:
    """Also for a session that claims to replicate."""
    found = admin.execute(
        "SELECT tgrelid::regclass::text, tgname FROM pg_trigger AS t JOIN pg_class AS c ON c.oid = t.tgrelid"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = ANY (%s) AND NOT tgisinternal AND tgenabled <> 'A'",
        (list(SCHEMAS),),
    ).fetchall()
    assert found == []
