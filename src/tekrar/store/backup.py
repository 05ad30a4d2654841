"""Backup, restore and shell by PostgreSQL's own client programs, those of the server's version first."""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from tekrar.errors import DatabaseError, StorageError, UsageError
from tekrar.package.storage import reading, storing, sync_folder
from tekrar.settings import Settings
from tekrar.store.embedded import DATABASE, database_of, make_database
from tekrar.store.failures import database_error
from tekrar.store.migrate import State, state_of, synchronize_roles
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.schema_files import program_schema
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, Target, of_embedded, of_url

#: How a dump of `pg_dump --format=custom` begins.
MAGIC: Final = b"PGDMP"

#: What pg_restore says of a dump's format that is newer than itself, and a server of a setting that it does
#: not have yet. Its words are English, for we set the locale.
_OF_LATER: Final = (
    "unsupported version (",
    'unrecognized configuration parameter "transaction_timeout"',
)

_OWN_SCHEMAS: Final = (
    b"SELECT nspname FROM pg_catalog.pg_namespace WHERE nspname NOT LIKE 'pg\\_%'"
    b" AND nspname NOT IN ('information_schema', 'public') ORDER BY nspname LIMIT 1"
)


@dataclass(frozen=True)
class Restored:
    """What a restored database holds: the number of its last migration."""

    head: int


def backup(settings: Settings, file: Path) -> int:
    """Write the whole database to a new file; roles belong to the server and are made again by `restore`.

    The dump is one snapshot, taken while others work, and row-level security must not hide rows from it: a
    URL names a superuser or a user with BYPASSRLS.

    Returns:
        Bytes of the file.

    Raises:
        UsageError: the file exists.
        DatabaseError: no `pg_dump`, or it failed.
        StorageError: the file cannot be written.
    """
    if os.path.lexists(file):
        raise UsageError("the file exists", where=str(file), mend="name a new file", kind="target_exists")
    with storing(file):
        if not file.absolute().parent.is_dir():
            raise FileNotFoundError(2, os.strerror(2), str(file.absolute().parent))
    target = _target(settings)
    program = _client(settings, "pg_dump")
    temporary = file.with_name(f".{file.name}.{secrets.token_hex(8)}")
    try:
        with storing(file), open(temporary, "xb", opener=_private) as out:
            words = ["--format=custom", "--no-password", f"--dbname={target.conninfo()}"]
            _ran(program, words, target, what="pg_dump", out=out.fileno())
            os.fsync(out.fileno())
        with storing(file):
            os.link(temporary, file)  # unlike a rename it refuses a file that came meanwhile
            sync_folder(file.absolute().parent)
            return file.stat().st_size
    finally:
        with suppress(OSError):
            os.unlink(temporary)


def restore(settings: Settings, file: Path) -> Restored:
    """Fill a fresh database from a backup, in one transaction: all of it or nothing.

    Raises:
        DatabaseError: the database is not fresh, no `pg_restore`, or it failed.
        UsageError: the file is no backup.
    """
    with reading(file), open(file, "rb") as dump:
        if dump.read(len(MAGIC)) != MAGIC:
            raise UsageError(
                "not a backup",
                where=str(file),
                expected="a file of tekrar db backup",
                mend="name another file",
                kind="not_a_backup",
            )
    target = _target(settings, fresh=True)
    program = _client(settings, "pg_restore")
    with open_target(target) as connection:
        _require_fresh(connection, target)
        try:
            connection.execute(program_schema().roles.text)
        except psycopg.Error as error:
            raise database_error(error, where="sql/roles.sql") from error
    words = ["--exit-on-error", "--single-transaction", "--no-password", f"--dbname={target.conninfo()}"]
    _ran(program, [*words, str(file.absolute())], target, what="pg_restore")
    with open_target(target) as connection:
        synchronize_roles(connection)
        restored = Restored(state_of(connection).head)
    if settings.database_url is None:
        Launcher(settings).ensure().remember_database()
    return restored


def shell_command(settings: Settings, *, login: bool = False) -> tuple[Path, list[str], dict[str, str]]:
    """What to execute for an interactive shell: program, words, and what its environment needs besides.

    Args:
        settings: where the database is.
        login: on the embedded server, the login role that may only take another one, not the superuser.

    Raises:
        DatabaseError: no `psql`.
    """
    target = _target(settings, user=LOGIN if login else SUPERUSER)
    return _client(settings, "psql"), ["psql", target.conninfo()], _secrets(target)


def _target(settings: Settings, *, fresh: bool = False, user: str = SUPERUSER) -> Target:
    """Where the client programs connect; with `fresh` an embedded database is made, but not migrated."""
    if settings.database_url is not None:
        return of_url(settings.database_url)
    if not fresh:
        return of_embedded(database_of(settings), user=user)
    running = Launcher(settings).ensure()
    place = Embedded(running.socket_dir, running.server_user, DATABASE)
    make_database(place)
    return of_embedded(place, user=user)


def _require_fresh(connection: Connection, target: Target) -> None:
    found = connection.execute(_OWN_SCHEMAS).fetchone()
    if found is not None or state_of(connection) != State():
        raise DatabaseError(
            f"the database is in use: it has a schema {found[0] if found else 'of tekrar'}",
            where=target.shown,
            expected="a fresh database",
            mend="name an empty database in TEKRAR_DATABASE_URL or a new folder in TEKRAR_DATA_DIR",
            kind="database_not_empty",
        )


def _client(settings: Settings, name: str) -> Path:
    """A client program: beside the server's own where there is a server of ours, else on PATH."""
    if settings.database_url is None:
        programs = Launcher(settings).binaries()
        if found := programs.program(name):
            return found
        where = str(programs.folder)
    else:
        where = "PATH"
        beside = shutil.which(name, path=str(settings.pg_bin)) if settings.pg_bin else None
        if named := beside or shutil.which(name, path=settings.search_path):
            return Path(named)
    raise DatabaseError(
        f"there is no {name}",
        where=where,
        expected=f"the program {name} of the server's version or a later one",
        mend="install PostgreSQL's client programs (Debian, Ubuntu: apt install postgresql-client)",
        kind="no_client_program",
    )


def _ran(
    program: Path, words: list[str], target: Target, *, what: str, out: int = subprocess.DEVNULL
) -> None:
    done = subprocess.run(
        [program, *words],
        env={"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", **_secrets(target)},
        stdin=subprocess.DEVNULL,
        stdout=out,
        stderr=subprocess.PIPE,
        check=False,
    )
    if done.returncode == 0:
        return
    said = [line for line in done.stderr.decode("utf-8", errors="replace").splitlines() if line.strip()]
    if any("No space left on device" in line for line in said):
        raise StorageError(
            f"{what}: No space left on device",
            where=target.shown,
            mend="free space, then run it again",
            kind="enospc",
        )
    if any(words in line for line in said for words in _OF_LATER):
        raise DatabaseError(
            f"{what}: the backup is of a later PostgreSQL than the server or these programs",
            where=target.shown,
            expected="a server of the same or a later major version than the one that was backed up",
            mend="restore into such a server (TEKRAR_PG_BIN, TEKRAR_DATABASE_URL); backups move upward only",
            kind="client_failed",
        )
    raise DatabaseError(
        f"{what} failed: {(said or [f'status {done.returncode}'])[0][:300]}",
        where=target.shown,
        mend="mend what it reports; nothing was written",
        kind="client_failed",
    )


def _secrets(target: Target) -> dict[str, str]:
    """The password by the environment: an argument could be read by everybody on the machine."""
    password = target.parameters.get("password")
    return {"PGPASSWORD": str(password)} if password else {}


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)
