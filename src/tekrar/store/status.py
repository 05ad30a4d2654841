"""What there is: the server, its version and place, and the state of its schema. Looks only; starts
nothing.
"""

from __future__ import annotations

from typing import Any

import psycopg

from tekrar.errors import DatabaseError
from tekrar.settings import Settings
from tekrar.store.embedded import DATABASE
from tekrar.store.failures import database_error
from tekrar.store.migrate import require_current
from tekrar.store.roles import SUPERUSER
from tekrar.store.schema_files import program_schema
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded, of_url


def status(settings: Settings) -> dict[str, Any]:
    """A flat record: server (embedded or url), state (running or stopped), and what is known besides.

    Raises:
        DatabaseError: the URL's server cannot be reached, or the data folder is another user's.
    """
    if settings.database_url is not None:
        target = of_url(settings.database_url)
        with open_target(target) as connection:
            return {"server": "url", "state": "running", "place": target.shown, **_of(connection)}
    launcher = Launcher(settings)
    record: dict[str, Any] = {"server": "embedded", "state": "stopped", "data": str(launcher.place.data)}
    running = launcher.answering()
    if running is None:
        major = launcher.place.major()
        return {**record, "made_by": f"PostgreSQL {major}" if major else None}
    record |= {
        "state": "running",
        "pid": running.pid,
        "socket": str(running.socket_dir),
        "user": running.server_user,
    }
    if not running.database_ready:
        return {**record, "schema": "schema_missing"}
    place = Embedded(running.socket_dir, running.server_user, DATABASE)
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        return record | _of(connection)


def _of(connection: Connection) -> dict[str, Any]:
    try:
        row = connection.execute(
            b"SELECT current_setting('server_version'), pg_database_size(current_database()),"
            b" current_setting('fsync') = 'on' AND current_setting('full_page_writes') = 'on'"
        ).fetchone()
    except psycopg.Error as error:
        raise database_error(error) from error
    version, size, durable = row if row is not None else (None, None, None)
    try:
        state = require_current(connection)
        schema, head = "current", state.head
    except DatabaseError as error:
        schema, head = error.kind, None
    return {
        "version": version,
        "encoding": connection.info.parameter_status("server_encoding"),
        "durable": durable,
        "bytes": size,
        "schema": schema,
        "migration": head,
        "program_migration": len(program_schema().migrations),
    }
