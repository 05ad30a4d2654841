"""A migrated database for the tests of the schema, and connections that prove what they are."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import BUILDER, OWNER
from tests.store.schema_load import Loaded, load

_WHAT_IT_IS = """
    SELECT session_user::text, current_user::text,
        (SELECT bool_or(r.rolsuper) FROM pg_roles AS r WHERE r.rolname IN (session_user, current_user)),
        (SELECT bool_or(r.rolbypassrls) FROM pg_roles AS r WHERE r.rolname IN (session_user, current_user)),
        EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')
                  AND pg_has_role(current_user, c.relowner, 'USAGE'))
"""


def prove_powerless(connection: Connection, role: str) -> None:
    """The connection acts as `role`, which is no superuser, bypasses no policy and owns nothing here."""
    row = connection.execute(_WHAT_IT_IS).fetchone()
    assert row is not None
    _, current, superuser, bypasses, owns = row
    assert current == role
    assert (superuser, bypasses, owns) == (False, False, False), row


def prove_owner(connection: Connection) -> None:
    """The connection is the tables' owner and nothing more: neither superuser nor BYPASSRLS."""
    row = connection.execute(_WHAT_IT_IS).fetchone()
    assert row is not None
    assert row == (OWNER, OWNER, False, False, True), row


@contextmanager
def acting_as(connection: Connection, role: str) -> Iterator[Connection]:
    """One transaction of a superuser's connection as `role`, also for `session_user`, rolled back at the end.

    The proof of what the connection is comes first.
    """
    connection.execute("BEGIN")
    try:
        connection.execute(sql.SQL("SET LOCAL SESSION AUTHORIZATION {}").format(sql.Identifier(role)))
        prove_owner(connection) if role == OWNER else prove_powerless(connection, role)
        yield connection
    finally:
        connection.execute("ROLLBACK")


def refusal(connection: Connection, statement: str, parameters: tuple[Any, ...] = ()) -> str | None:
    """SQLSTATE with which a statement of an open transaction is refused; None when it is not refused."""
    try:
        with connection.transaction():
            connection.execute(statement.encode(), parameters)
    except psycopg.Error as error:
        return error.sqlstate or "no SQLSTATE"
    return None


@pytest.fixture(scope="module")
def admin(database: Embedded) -> Iterator[Connection]:
    """A superuser's connection to the module's database, to take other roles from."""
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


@pytest.fixture(scope="module")
def loaded(admin: Connection) -> Loaded:
    """The tiny release and artifact, loaded and sealed by the builder, published nowhere."""
    with admin.transaction():
        admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_builder")
        prove_powerless(admin, BUILDER)
        return load(admin)
