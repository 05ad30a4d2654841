"""The embedded server's one database: made and migrated on first use."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import psycopg
from psycopg import sql

from tekrar.settings import Settings
from tekrar.store.failures import database_error
from tekrar.store.migrate import State, migrate, state_of
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import open_target
from tekrar.store.target import Embedded, of_embedded

#: Name of the database.
DATABASE: Final = "tekrar"

_EXISTS: Final = b"SELECT EXISTS (SELECT FROM pg_catalog.pg_database WHERE datname = %s)"
# By bytes: an order that the store relies on is never a collation's.
_CREATE: Final = sql.SQL("CREATE DATABASE {} TEMPLATE template0 ENCODING 'UTF8' LC_COLLATE 'C' LC_CTYPE 'C'")
_CLOSE: Final = sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC")


def database_of(settings: Settings) -> Embedded:
    """The database of the embedded server, which is started, made and migrated where that was not done.

    A database that has a schema already is never migrated here: `tekrar db migrate` is the user's decision.

    Raises:
        DatabaseError: no server can be found or started; a typed kind for each reason.
        StorageError: the data folder cannot be made or written.
    """
    running = Launcher(settings).ensure()
    place = Embedded(running.socket_dir, running.server_user, DATABASE)
    if running.database_ready:
        return place
    make_database(place)
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        if state_of(connection) == State():
            migrate(connection)
    running.remember_database()
    return place


def make_database(place: Embedded) -> None:
    """Make the database unless it exists; the superuser owns it, so that no role of the store can drop it.

    Connecting is closed to everybody, here and in the server's own databases; the migration opens it to the
    login.
    """
    postgres = Embedded(place.socket_dir, place.server_user, SUPERUSER)
    with open_target(of_embedded(postgres, user=SUPERUSER)) as connection:
        try:
            found = connection.execute(_EXISTS, (place.database,)).fetchone()
            if found is None or not found[0]:
                with suppress(psycopg.errors.DuplicateDatabase):  # another process was quicker
                    connection.execute(_CREATE.format(sql.Identifier(place.database)))
            for closed in ("postgres", "template1", place.database):
                connection.execute(_CLOSE.format(sql.Identifier(closed)))
        except psycopg.Error as error:
            raise database_error(error) from error
