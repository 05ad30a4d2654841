"""The role × relation × verb matrix, tried and not only read, and the functions each role may execute."""

from __future__ import annotations

import pytest

from tekrar.store.session import Connection
from tests.store.matrix import (
    BULK,
    ENDING,
    EXECUTE,
    LOGIN,
    OWNER,
    POINTERS,
    ROLES,
    RUNNER,
    SCHEMAS,
    SELECT,
    VERBS,
)
from tests.store.schema_database import acting_as, refusal

pytestmark = pytest.mark.usefixtures("loaded")

DENIED = "42501"
APPEND_ONLY = "TK001"


def statement(connection: Connection, relation: str, verb: str) -> str:
    """A statement of the verb that would touch no row, so that only a privilege or a guard can refuse it."""
    column = connection.execute(
        "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
        " AND attidentity = '' ORDER BY attnum LIMIT 1",
        (relation,),
    ).fetchone()
    assert column is not None
    return {
        "SELECT": f"SELECT * FROM {relation} LIMIT 1",
        "INSERT": f"INSERT INTO {relation} OVERRIDING SYSTEM VALUE SELECT * FROM {relation} WHERE false",
        "UPDATE": f"UPDATE {relation} SET {column[0]} = {column[0]} WHERE false",
        "DELETE": f"DELETE FROM {relation} WHERE false",
        "TRUNCATE": f"TRUNCATE {relation} CASCADE",
    }[verb]


def statements(connection: Connection) -> dict[tuple[str, str], str]:
    return {(relation, verb): statement(connection, relation, verb) for relation in SELECT for verb in VERBS}


@pytest.mark.req("CORE-02", "CUR-05")
@pytest.mark.parametrize("role", [*ROLES, LOGIN])
def test_a_role_reads_what_the_matrix_says_and_changes_nothing(admin: Connection, role: str) -> None:
    tried = statements(admin)
    with acting_as(admin, role) as connection:
        found = {key: refusal(connection, text) for key, text in tried.items()}
    expected = {
        (relation, verb): None if verb == "SELECT" and role in SELECT[relation] else DENIED
        for relation, verb in tried
    }
    assert found == expected
    # By the catalog as well, since a statement can be refused for another privilege than its verb's.
    for relation, verb in (
        *tried,
        *((relation, verb) for relation in SELECT for verb in ("REFERENCES", "TRIGGER")),
    ):
        held = admin.execute("SELECT has_table_privilege(%s, %s, %s)", (role, relation, verb)).fetchone()
        assert held == (verb == "SELECT" and role in SELECT[relation],), (role, relation, verb)


@pytest.mark.req("PRO-18", "CORE-02", "REL-09")
def test_the_owner_adds_facts_and_changes_none(admin: Connection) -> None:
    tried = statements(admin)
    with acting_as(admin, OWNER) as connection:
        found = {key: refusal(connection, text) for key, text in tried.items() if key[0] not in RUNNER}
    expected: dict[tuple[str, str], str | None] = {}
    for relation, verb in found:
        refused = verb in ("UPDATE", "DELETE", "TRUNCATE") or (verb == "INSERT" and relation in BULK)
        moves = relation in POINTERS | ENDING and verb == "UPDATE"
        expected[relation, verb] = APPEND_ONLY if refused and not moves else None
    assert found == expected


def test_partitions_are_open_to_nobody(admin: Connection) -> None:
    partitions = [
        row[0]
        for row in admin.execute(
            "SELECT inhrelid::regclass::text FROM pg_inherits JOIN pg_class AS c ON c.oid = inhrelid"
            " WHERE c.relkind = 'r' ORDER BY 1"
        ).fetchall()
    ]
    assert len(partitions) == 8 + 4 * 5
    for role in (*ROLES, LOGIN):
        with acting_as(admin, role) as connection:
            for partition in partitions:
                for verb in ("SELECT * FROM {} LIMIT 0", "DELETE FROM {}", "TRUNCATE {}"):
                    assert refusal(connection, verb.format(partition)) == DENIED, (role, partition, verb)
    with acting_as(admin, OWNER) as connection:
        for partition in partitions:
            assert (
                connection.execute(f"SELECT * FROM {partition} LIMIT 1").fetchall() == []
            )  # no policy, so no row
            for verb in ("INSERT INTO {0} SELECT * FROM {0} WHERE false", "DELETE FROM {}", "TRUNCATE {}"):
                assert refusal(connection, verb.format(partition)) == APPEND_ONLY, (partition, verb)


def test_functions_are_executed_by_whom_the_matrix_says(admin: Connection) -> None:
    rows = admin.execute(
        "SELECT n.nspname || '.' || p.proname, p.oid::regprocedure::text, r.rolname FROM pg_proc AS p"
        " JOIN pg_namespace AS n ON n.oid = p.pronamespace, pg_roles AS r"
        " WHERE n.nspname = ANY (%s) AND r.rolname = ANY (%s) AND has_function_privilege(r.oid,"
        " p.oid, 'EXECUTE')",
        (list(SCHEMAS), [*ROLES, LOGIN]),
    ).fetchall()
    found: dict[str, set[str]] = {}
    for name, _, role in rows:
        found.setdefault(name, set()).add(role)
    assert found == {name: set(roles) for name, roles in EXECUTE.items()}
