"""Connections and transactions of the store.

`connect` reaches TEKRAR_DATABASE_URL, or the embedded server, which it starts on first use, and refuses a
server or database that the store cannot stand on. `transaction` and `ask` run everything as one role of
contract C5 with the caller's claims, so that row-level security decides what is seen (contract C7); nothing
runs as the login itself.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any, Final, Literal

import psycopg
from psycopg.pq import TransactionStatus

from tekrar.errors import DatabaseError, StorageError
from tekrar.settings import Settings
from tekrar.store.failures import database_error
from tekrar.store.roles import LOGIN, SUPERUSER, Role
from tekrar.store.round_trip import run_together
from tekrar.store.target import Target, of_embedded, of_url

#: The major versions of PostgreSQL on which the SQL is tested.
MAJORS: Final = range(15, 19)

Connection = psycopg.Connection[tuple[Any, ...]]
Claims = Mapping[str, str | int]
Isolation = Literal["read committed", "repeatable read", "serializable"]

_BEGIN: Final[dict[tuple[Isolation, bool], bytes]] = {
    (
        isolation,
        read_only,
    ): f"BEGIN ISOLATION LEVEL {isolation.upper()} READ {'ONLY' if read_only else 'WRITE'}".encode()
    for isolation in ("read committed", "repeatable read", "serializable")
    for read_only in (False, True)
}
# SET LOCAL in a form that takes parameters; the role last, for the role itself may set little. A commit that
# the server did not write to disk is no publication (AMB-34), whatever the server's default is.
_BE: Final = (
    b"SELECT set_config('synchronous_commit', 'on', true), set_config('tekrar.claims', %s, true),"
    b" set_config('role', %s, true)"
)

# A question is one implicit transaction from its first statement to the Sync behind its last, and
# set_config(…, true) lasts exactly as long. It names its release as a constant, so its plan is over that
# release's partitions whatever its parameters are, and is kept.
_LOOK: Final = (
    b"SELECT set_config('tekrar.claims', %s, true),"
    b" set_config('plan_cache_mode', 'force_generic_plan', true),"
    b" set_config('transaction_read_only', 'on', true), set_config('role', %s, true)"
)
# A client that was killed while the server works for it is noticed within this time, not when the statement
# ends, so that the heads that it locked are free for the next publisher.
_NOTICE_THE_DEAD: Final = b"SET client_connection_check_interval = '500ms'"
# Whoever may write to a schema of the path that a database or a login brings could put an operator there that
# fits an expression better than PostgreSQL's own, and be run by everybody who reads.
_OWN_NAMES: Final = b"SET search_path = pg_catalog, pg_temp"


def connect(settings: Settings, *, administrator: bool = False) -> Connection:
    """A checked connection in autocommit mode, so that `transaction` and `ask` begin and end what they do.

    Args:
        settings: `database_url`, else the embedded server of `data_dir`.
        administrator: on the embedded server, log in as its superuser instead of the login role. A URL names
            its user itself.

    Raises:
        DatabaseError: unreachable, refused, too old or too new a server, a database that is not UTF-8.
        UsageError: the URL is malformed.
    """
    if settings.database_url is not None:
        return open_target(of_url(settings.database_url, named=settings.url_named))
    from tekrar.store.embedded import database_of

    return open_target(of_embedded(database_of(settings), user=SUPERUSER if administrator else LOGIN))


def open_target(target: Target) -> Connection:
    """Connect to a target and check what answered."""
    try:
        connection: Connection = psycopg.connect(**target.parameters, autocommit=True)
    except psycopg.Error as error:
        raise _not_reached(error, target) from error
    except UnicodeError as error:  # a host name that IDNA cannot write
        raise target.malformed() from error
    try:
        _check(connection, target)
        try:
            connection.execute(_OWN_NAMES)
        except psycopg.Error as error:
            raise database_error(error) from error
        with suppress(
            psycopg.Error
        ):  # a system that cannot tell, or a lost server: the next statement says so
            connection.execute(_NOTICE_THE_DEAD)
    except BaseException:
        connection.close()
        raise
    return connection


def _check(connection: Connection, target: Target) -> None:
    major, minor = divmod(connection.info.server_version, 10000)
    if major not in MAJORS:
        raise DatabaseError(
            f"the server is PostgreSQL {major}.{minor}",
            where=target.shown,
            expected=f"PostgreSQL {MAJORS[0]} to {MAJORS[-1]}",
            mend="use a server of one of these versions, or unset TEKRAR_DATABASE_URL for the embedded one",
            kind="server_too_old" if major < MAJORS[0] else "server_too_new",
        )
    encoding = connection.info.parameter_status("server_encoding")
    if encoding != "UTF8":
        raise DatabaseError(
            f"the encoding of the database is {encoding}",
            where=target.shown,
            expected="UTF8",
            mend="create the database with ENCODING 'UTF8' TEMPLATE template0",
            kind="database_not_utf8",
        )


_ANSWERS: Final = {
    "unreachable": "a PostgreSQL server that answers there",
    "foreign_server": "a server that the user of the data folder runs",
    "no_such_database": "a database of that name",
    "not_ready": "a server that takes connections",
    "login_refused": "a user whom the server lets in",
}


def _not_reached(error: psycopg.Error, target: Target) -> DatabaseError | StorageError:
    # libpq gives no SQLSTATE here, and a server's own words may be in any language; the words of libpq are
    # not.
    text = " ".join(str(error).split())
    # The first session of a database writes a file too, and says of it no more than that it could not.
    if "No space left on device" in text or "could not write init file" in text:
        return StorageError(
            f"no connection: {text}",
            where=target.shown,
            mend="free space where the server keeps its data, then run it again",
            kind="disk_full",
        )
    kind, mend = "unreachable", "check the address, and that the server runs and takes connections from here"
    if isinstance(error, psycopg.errors.ConnectionTimeout) or "timeout" in text:
        kind = "unreachable"
    elif "requirepeer" in text:
        kind, mend = (
            "foreign_server",
            "another user's server listens there; stop it or choose another data folder",
        )
    elif "FATAL" in text and "does not exist" in text and "database" in text:
        kind, mend = (
            "no_such_database",
            "create the database (ENCODING 'UTF8' TEMPLATE template0), or correct the URL",
        )
    elif "starting up" in text or "shutting down" in text or "recovery" in text:
        kind, mend = "not_ready", "wait for the server to be ready, then run it again"
    elif "FATAL" in text or "password" in text:
        kind, mend = "login_refused", "correct the user and password, or the server's pg_hba.conf"
    return DatabaseError(
        f"no connection: {text}", where=target.shown, expected=_ANSWERS[kind], mend=mend, kind=kind
    )


@contextmanager
def _one_trip(connection: Connection) -> Iterator[None]:
    """psycopg's pipeline, left as if nothing had been raised in it.

    The answer of a refused statement may arrive before the last one is sent. psycopg raises it there, meets
    the aborted pipeline once more when it leaves it, and writes a line about that to standard error.

    Raises:
        psycopg.Error: the first thing that the server refused.
    """
    first: BaseException | None = None
    try:
        with connection.pipeline():
            try:
                yield
            except BaseException as error:
                first = error
    except psycopg.Error:
        if first is None:
            raise
    if first is not None:
        raise first


@contextmanager
def transaction(
    connection: Connection,
    *,
    role: Role,
    claims: Claims | None = None,
    read_only: bool = False,
    isolation: Isolation = "read committed",
) -> Iterator[Connection]:
    """One transaction as `role` with `claims`; BEGIN, role and claims go in one round trip.

    Args:
        connection: as `connect` gives it, outside a transaction.
        role: who the transaction is, whatever the login may be besides.
        claims: what the caller is known by; JSON with sorted keys in the setting `tekrar.claims`.
        read_only: the server refuses every write in it.
        isolation: of the transaction.

    Raises:
        DatabaseError: the server refused something, or was lost; the transaction did not happen. After a loss
            during COMMIT it may have happened: ask before doing it again.
    """
    try:
        with _one_trip(connection):
            connection.execute(_BEGIN[isolation, read_only])
            connection.execute(_BE, (_json(claims), role))
        yield connection
        connection.execute(b"COMMIT")
    except psycopg.Error as error:
        roll_back(connection)
        raise database_error(error) from error
    except BaseException:
        roll_back(connection)
        raise


def ask(
    connection: Connection,
    query: bytes,
    parameters: Sequence[Any] = (),
    *,
    role: Role,
    claims: Claims | None = None,
    read_only: bool = True,
) -> list[tuple[Any, ...]]:
    """One statement as a transaction of its own, in one round trip; see `transaction` for the rest.

    One that only reads takes no BEGIN and COMMIT: the statements of a pipeline up to its Sync are one
    implicit transaction. It is prepared, so ask the same question in the same words.

    Returns:
        The rows of the statement, values read in binary.
    """
    try:
        if read_only:
            return run_together(connection, ((_LOOK, (_json(claims), str(role))), (query, parameters)))
        with _one_trip(connection):
            connection.execute(_BEGIN["read committed", False])
            connection.execute(_BE, (_json(claims), role))
            cursor = connection.execute(query, parameters, binary=True)
            connection.execute(b"COMMIT")
        return cursor.fetchall()
    except psycopg.Error as error:
        roll_back(connection)
        raise database_error(error) from error
    except BaseException:
        roll_back(connection)
        raise


def _json(claims: Claims | None) -> str:
    if not claims:
        return "{}"
    return json.dumps(claims, sort_keys=True, separators=(",", ":"))


def roll_back(connection: Connection) -> None:
    """End whatever transaction is open; nothing when none is.

    By the driver's own call and not by a statement: only this makes it forget what an aborted pipeline never
    prepared on the server, and would be asked for later under a name that does not exist.
    """
    if not connection.closed and connection.info.transaction_status is not TransactionStatus.IDLE:
        with suppress(psycopg.Error):  # a lost connection has rolled back
            connection.rollback()
