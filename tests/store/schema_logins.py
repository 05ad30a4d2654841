"""Logins of actors' own: real roles of the server, reached by its authentication, not from a superuser.

The map from OS users to database users is the product's, with a line more for each login in the tests' own
server; pg_hba.conf is as the product writes it.
"""

from __future__ import annotations

import itertools
import json
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import psycopg
from psycopg import sql

from tekrar.errors import DatabaseError
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded

_numbers = itertools.count(1)

_PROOF = """
    SELECT session_user::text, current_user::text,
        (SELECT bool_or(r.rolsuper OR r.rolbypassrls OR r.rolcreaterole OR r.rolcreatedb OR r.rolreplication)
         FROM pg_roles AS r WHERE pg_has_role(session_user, r.oid, 'MEMBER')
            OR pg_has_role(current_user, r.oid, 'MEMBER')),
        (SELECT bool_or(pg_has_role(who, r, 'MEMBER')) FROM unnest(ARRAY[session_user, current_user]) AS who,
            unnest(ARRAY['tekrar_owner', 'tekrar_builder']) AS r),
        EXISTS (SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
                WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')
                  AND (pg_has_role(session_user, c.relowner, 'MEMBER')
                       OR pg_has_role(current_user, c.relowner, 'MEMBER')))
"""


def prove_login(connection: Connection, login: str, role: str) -> None:
    """Logged in as `login` and acting as `role`; neither is, nor may become, superuser, owner or builder."""
    row = connection.execute(_PROOF).fetchone()
    assert row == (login, role, False, False, False), row


class Logins:
    """Makes logins and connects as them."""

    def __init__(self, place: Embedded, data: Path, caller: str) -> None:
        self.place, self.data, self.caller = place, data, caller

    def make(self, word: str = "kul", options: str = "LOGIN NOINHERIT") -> str:
        """A new role with the given options and nothing else, let in over the socket."""
        name = f"{word}_{next(_numbers)}"
        with open_target(of_embedded(self.place, user=SUPERUSER)) as connection:
            create = sql.SQL("CREATE ROLE {} {}")
            connection.execute(create.format(sql.Identifier(name), sql.SQL(options)))
            with (self.data / "pg_ident.conf").open("a") as file:
                file.write(f'tekrar "{self.caller}" "{name}"\n')
            connection.execute("SELECT pg_reload_conf()")
        return name

    def connect(self, place: Embedded, login: str) -> Connection:
        """A connection as the login, which the server let in itself; it may still be reading its map."""
        for _ in range(100):
            try:
                return open_target(of_embedded(place, user=login))
            except DatabaseError as error:
                if "Peer authentication failed" not in str(error):
                    raise
            time.sleep(0.05)
        raise AssertionError(f"{login} was not let in")


@contextmanager
def as_role(connection: Connection, role: str, *, actor: str = "") -> Iterator[Connection]:
    """One transaction of a login as a role, committed; `actor` is a claim, true or forged."""
    login = connection.info.user
    with connection.transaction():
        if actor:
            claim = json.dumps({"actor": actor})
            connection.execute("SELECT set_config('tekrar.claims', %s, true)", (claim,))
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
        prove_login(connection, login, role)
        yield connection


def ask_as(connection: Connection, role: str, query: str, *parameters: Any, actor: str = "") -> list[Any]:
    """The rows of one statement of a login as a role."""
    with as_role(connection, role, actor=actor) as session:
        found = session.execute(query.encode(), parameters)
        return found.fetchall() if found.description else []


def error_of(
    connection: Connection, role: str, query: str, *parameters: Any, actor: str = ""
) -> psycopg.Error:
    """The error with which one statement of a login as a role is refused."""
    try:
        found = ask_as(connection, role, query, *parameters, actor=actor)
    except psycopg.Error as error:
        return error
    raise AssertionError(f"{role} was not refused: {query} gave {found[:3]}")


def said(error: psycopg.Error) -> tuple[str | None, str | None, str | None, str | None]:
    """All that an error says to whoever is refused."""
    return error.sqlstate, error.diag.message_primary, error.diag.message_detail, error.diag.message_hint


def everything_kept(connection: Connection) -> list[tuple[Any, ...]]:
    """Every row of every table of the store, and every membership, as a superuser sees them."""
    tables = connection.execute(
        "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE c.relkind IN ('r', 'p') AND NOT c.relispartition AND n.nspname IN"
        " ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta') ORDER BY 1"
    ).fetchall()
    kept: list[tuple[Any, ...]] = []
    for (table,) in tables:
        row = connection.execute(
            "SELECT count(*), md5(string_agg(t::text, '|' ORDER BY t::text COLLATE \"C\"))"
            f" FROM {table} AS t".encode()
        ).fetchone()
        assert row is not None
        kept.append((table, *row))
    members = connection.execute(
        "SELECT roleid::regrole::text, member::regrole::text FROM pg_auth_members ORDER BY 1, 2"
    ).fetchall()
    return kept + members


def memberships(connection: Connection, login: str) -> set[str]:
    """The roles that a login may take, without the prefix of the store."""
    rows = connection.execute(
        "SELECT roleid::regrole::text FROM pg_auth_members WHERE member = quote_ident(%s)::regrole", (login,)
    ).fetchall()
    return {row[0].removeprefix("tekrar_") for row in rows}
