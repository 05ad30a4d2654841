"""A database of its own beside the one in use, for a rebuild: made on the same server, dropped at the end.

Its maker holds a session of the database's name for as long as it works, so that whoever comes next can tell
what a killed one left behind, and drops it.
"""

from __future__ import annotations

import secrets
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from typing import Final
from urllib.parse import quote, urlencode

import psycopg
from psycopg import sql

from tekrar.errors import DatabaseError
from tekrar.settings import Settings
from tekrar.store.embedded import database_of, make_database
from tekrar.store.failures import database_error
from tekrar.store.migrate import migrate
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, Target, of_embedded, of_url

_CREATE: Final = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
_PREFIX: Final = "tekrar_rebuild_"
# The session's name is shown of every user's sessions; only an owner can drop. No FORCE: a database that
# somebody has just connected to stays.
_ABANDONED: Final = b"""
    SELECT d.datname FROM pg_database d
    WHERE starts_with(d.datname, %s) AND pg_has_role(d.datdba, 'USAGE') AND NOT EXISTS (
        SELECT FROM pg_stat_activity a WHERE d.datname IN (a.application_name, a.datname))
    ORDER BY 1"""
_SWEEP: Final = sql.SQL("DROP DATABASE IF EXISTS {}")
_DROP: Final = sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)")


@contextmanager
def scratch_database(settings: Settings) -> Iterator[str]:
    """A fresh migrated database, as a URL of a login that may do everything in it.

    Those that a killed maker left on the server are dropped first.

    Args:
        settings: of the database in use; the new one is of the same server.

    Raises:
        DatabaseError: the login may make no database, or the server refused.
    """
    name = f"{_PREFIX}{secrets.token_hex(8)}"
    target, beside = _targets(settings, name)
    maker = Target({**beside.parameters, "application_name": name}, beside.shown, beside.named)
    with closing(open_target(maker)) as held:
        _sweep(held)
        try:
            if settings.database_url is None:
                own = database_of(settings)
                make_database(Embedded(own.socket_dir, own.server_user, name))
            else:
                _run(beside, _CREATE.format(sql.Identifier(name)))
            with open_target(target) as connection:
                migrate(connection)
            yield _url(target)
        finally:
            with suppress(DatabaseError):  # what ended the work is the better word
                _run(beside, _DROP.format(sql.Identifier(name)))


def _sweep(connection: Connection) -> None:
    try:
        abandoned = connection.execute(_ABANDONED, (_PREFIX,)).fetchall()
    except psycopg.Error as error:
        raise database_error(error) from error
    for (name,) in abandoned:
        with suppress(psycopg.Error):  # somebody looks into it; the next one will drop it
            connection.execute(_SWEEP.format(sql.Identifier(name)))


def _targets(settings: Settings, name: str) -> tuple[Target, Target]:
    """The new database, and one from which it can be made and dropped."""
    if settings.database_url is not None:
        own = of_url(settings.database_url, named=settings.url_named)
        return Target({**own.parameters, "dbname": name}, f"{own.shown}, database {name}", own.named), own
    place = database_of(settings)
    new = Embedded(place.socket_dir, place.server_user, name)
    server = Embedded(place.socket_dir, place.server_user, SUPERUSER)
    return of_embedded(new, user=SUPERUSER), of_embedded(server, user=SUPERUSER)


def _url(target: Target) -> str:
    """The target as a URL; whatever libpq takes can stand in its query."""
    query = {name: str(value) for name, value in target.parameters.items() if name not in ("user", "dbname")}
    user, name = (quote(str(target.parameters.get(key, "")), safe="") for key in ("user", "dbname"))
    return f"postgresql://{user}@/{name}?{urlencode(query, quote_via=quote)}"


def _run(target: Target, statement: sql.Composed) -> None:
    with open_target(target) as connection:
        try:
            connection.execute(statement)
        except psycopg.errors.InsufficientPrivilege as error:
            raise DatabaseError(
                "the login may make no database",
                where=target.shown,
                expected="CREATEDB, for a rebuild beside the database in use",
                mend="ALTER ROLE … CREATEDB, or run it through the login that ran tekrar db migrate",
                kind="permission_denied",
            ) from error
        except psycopg.Error as error:
            raise database_error(error) from error
