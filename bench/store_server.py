"""A scratch server of the store, as the program starts it itself, and fresh databases in it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from psycopg import sql

from tekrar.settings import read_settings
from tekrar.store.embedded import make_database
from tekrar.store.migrate import migrate
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded


@contextmanager
def scratch_server(folder: Path) -> Iterator[Embedded]:
    """The server's own database `postgres`; its data are gone at the end with the folder.

    Raises:
        DatabaseError: `no_server_binaries` where no PostgreSQL is installed.
    """
    import os

    settings = read_settings({"PATH": os.environ.get("PATH", ""), "TEKRAR_DATA_DIR": str(folder)})
    launcher = Launcher(settings)
    running = launcher.ensure()
    try:
        yield Embedded(running.socket_dir, running.server_user, SUPERUSER)
    finally:
        launcher.stop()


def connection_to(place: Embedded, *, user: str = SUPERUSER) -> Connection:
    """A connection as superuser or as the login."""
    return open_target(of_embedded(place, user=user))


def fresh_database(server: Embedded, name: str, *, migrated: bool = True) -> Embedded:
    """An empty database, in the place of one of that name."""
    with connection_to(server) as connection:
        connection.execute(sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name)))
    place = Embedded(server.socket_dir, server.server_user, name)
    make_database(place)
    if migrated:
        with connection_to(place) as connection:
            migrate(connection)
    return place


def pgbench_program() -> str | None:
    """pgbench of this machine, or None."""
    found = shutil.which("pgbench")
    if found is None:
        newest = sorted(Path("/usr/lib/postgresql").glob("*/bin/pgbench"))
        found = str(newest[-1]) if newest else None
    return found


def login_words(place: Embedded, *, user: str = LOGIN) -> list[str]:
    """The words that lead pgbench to a database."""
    return ["-h", str(place.socket_dir), "-U", user, place.database]
