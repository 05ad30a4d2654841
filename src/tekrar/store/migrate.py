"""Brings a database to this program's schema: plain SQL files, checksummed.

`sql/migrations/NNNN_name.sql` are append-only: numbered from 1 without a gap, each applied once in a
transaction of its own, and never changed afterwards. `sql/functions/*.sql`, then `sql/policies/*.sql`, are
applied again by every run, in name order, all in one transaction. Everything runs as `tekrar_owner` with an
empty search path, so that every name is qualified and nothing belongs to a superuser.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Final

import psycopg
from psycopg.pq import TransactionStatus

from tekrar.errors import DatabaseError
from tekrar.store.failures import database_error
from tekrar.store.roles import GRANTABLE, Role
from tekrar.store.schema_files import Code, Migration, SchemaFiles, program_schema
from tekrar.store.session import Connection, roll_back, transaction

#: Key of the advisory lock that lets one runner work at a time: the first bytes of "tekrar".
LOCK: Final = int.from_bytes(b"tekrar", "big")

# Whoever waits for a table's lock makes everybody wait who comes after: a transaction that was left open must
# not shut out all readers for as long as it likes.
_BEGIN: Final = (
    b"BEGIN; SET LOCAL ROLE tekrar_owner; SET LOCAL search_path = pg_catalog, pg_temp;"
    b" SET LOCAL lock_timeout = '10s'"
)
#: For another runner, who may have much to do; anybody who can log in can hold this lock.
_WAIT: Final = b"SELECT set_config('lock_timeout', '120s', true), pg_advisory_lock(%s)"
# By the catalog, which every login may read, unlike the schema itself; and the first of the roles that the
# login may take, which an actor of its own has by its grants alone. From 16 on a member need not be one.
_EXISTS: Final = (
    b"SELECT EXISTS (SELECT FROM pg_catalog.pg_proc AS p"
    b" JOIN pg_catalog.pg_namespace AS s ON s.oid = p.pronamespace"
    b" WHERE s.nspname = 'tekrar_meta' AND p.proname = 'state'),"
    b" (SELECT r.rolname::text FROM pg_catalog.pg_roles AS r"
    b" WHERE r.rolname = ANY (%s) AND pg_catalog.pg_has_role(session_user, r.oid, %s)"
    b" ORDER BY pg_catalog.array_position(%s::text[], r.rolname::text) LIMIT 1)"
)
_SYNCHRONIZE: Final = b"SELECT curation.synchronize_roles()"
_CAN_SYNCHRONIZE: Final = b"SELECT pg_catalog.to_regprocedure('curation.synchronize_roles()') IS NOT NULL"


@dataclass(frozen=True)
class State:
    """What a database says about its schema.

    Attributes:
        applied: (n, name, sha256) of each migration, ascending.
        code: digest of the functions and policies, or None before the first.
    """

    applied: tuple[tuple[int, str, bytes], ...] = ()
    code: bytes | None = None

    @property
    def head(self) -> int:
        """Number of the last migration; 0 in an empty database."""
        return self.applied[-1][0] if self.applied else 0


@dataclass(frozen=True)
class Migrated:
    """What a run of the migrations did.

    Attributes:
        head: number of the last migration that is now applied.
        applied: names of the migrations that this run applied.
    """

    head: int
    applied: tuple[str, ...]


def migrate(connection: Connection, files: SchemaFiles | None = None) -> Migrated:
    """Apply what is missing; runs of several programs at once wait for each other.

    A process that dies leaves whole migrations applied and none by half.

    Args:
        connection: of a user who may create roles, or who is a member of those that exist.
        files: the schema; this program's own when None.

    Raises:
        DatabaseError: a changed or missing file, a schema newer than the program, SQL that the server
            refuses.
    """
    files = files or program_schema()
    try:
        connection.execute(_WAIT, (LOCK,))
    except psycopg.Error as error:
        raise database_error(error) from error
    try:
        return _migrate(connection, files)
    finally:
        with suppress(psycopg.Error):  # a lost connection holds no lock
            connection.execute(b"SELECT pg_advisory_unlock(%s)", (LOCK,))


def _migrate(connection: Connection, files: SchemaFiles) -> Migrated:
    compare(state_of(connection), files)
    _run(connection, b"BEGIN", files.roles, None)
    _run(connection, _BEGIN, files.meta, None)
    missing = files.migrations[state_of(connection).head :]
    for migration in missing:
        _run(connection, _BEGIN, migration.file, migration)
    _apply_code(connection, files)
    head = files.migrations[-1].n if files.migrations else 0
    return Migrated(head, tuple(migration.file.name for migration in missing))


def state_of(connection: Connection) -> State:
    """What the database says about its schema; an empty `State` before the first migration.

    Raises:
        DatabaseError: the login may not read it: it can take no role of the store.
    """
    roles = [*GRANTABLE, Role.OWNER]
    member = "SET" if connection.info.server_version >= 160000 else "MEMBER"
    try:
        found = connection.execute(_EXISTS, (roles, member, roles)).fetchone()
    except psycopg.Error as error:
        raise database_error(error) from error
    if found is None or not found[0]:
        return State()
    if found[1] is None:
        raise DatabaseError(
            f"the login {connection.info.user} has no role in this database",
            where="database",
            expected="an actor with a grant that is valid, or will be",
            mend="ask an administrator (tekrar actor, tekrar grant)",
            kind="permission_denied",
        )
    with transaction(connection, role=Role(found[1]), read_only=True):
        rows = connection.execute(b"SELECT n, name, sha256 FROM tekrar_meta.state()").fetchall()
    applied = tuple((n, name, bytes(digest)) for n, name, digest in rows if n > 0)
    code = [bytes(digest) for n, _, digest in rows if n == 0]
    return State(applied, code[0] if code else None)


def synchronize_roles(connection: Connection) -> None:
    """Give the logins of actors the roles that the ledger grants them; every run of the migrations does too.

    Args:
        connection: of a user who may be the owner. A schema that is too old for it is left as it is.

    Raises:
        DatabaseError: `role_admin`, the owner may not open its roles.
    """
    try:
        found = connection.execute(_CAN_SYNCHRONIZE).fetchone()
    except psycopg.Error as error:
        raise database_error(error) from error
    if found is not None and found[0]:
        with transaction(connection, role=Role.OWNER):
            connection.execute(_SYNCHRONIZE)


def compare(state: State, files: SchemaFiles) -> None:
    """Refuse a database whose migrations are not the first of these files.

    Raises:
        DatabaseError: kinds `schema_newer`, `migration_changed`, `migration_gap`.
    """
    if state.head > len(files.migrations):
        raise DatabaseError(
            f"the schema of the database is newer (migration {state.head}) than this program",
            where="table tekrar_meta.migration",
            expected=f"at most migration {len(files.migrations)}",
            mend="use the version of tekrar that migrated the database, or a later one",
            kind="schema_newer",
        )
    for place, (n, name, digest) in enumerate(state.applied, 1):
        if n != place:
            raise DatabaseError(
                f"migration {place} is not recorded, but {n} is",
                where="table tekrar_meta.migration",
                expected="migrations from 1 without a gap",
                mend="restore the database from a backup; its record of migrations was altered",
                kind="migration_gap",
            )
        file = files.migrations[place - 1].file
        if (file.name, file.sha256) != (name, digest):
            raise DatabaseError(
                f"migration {n} was applied as {name} with SHA-256 {digest.hex()}",
                where=file.where,
                expected="the file that was applied; migrations are append-only",
                mend="restore the file, and write the change as a new migration",
                kind="migration_changed",
            )


def require_current(connection: Connection, files: SchemaFiles | None = None) -> State:
    """Refuse a database that this program's migrations did not bring up to date.

    Raises:
        DatabaseError: as `compare`, or `schema_missing`, `schema_behind`.
    """
    files = files or program_schema()
    state = state_of(connection)
    compare(state, files)
    if state == State():
        raise DatabaseError(
            "the database has no tekrar schema",
            where="database",
            expected=f"migration {len(files.migrations)}",
            mend="tekrar db migrate",
            kind="schema_missing",
        )
    if state.head < len(files.migrations) or state.code != files.code_digest:
        raise DatabaseError(
            "the schema of the database is not this program's",
            where="database",
            expected=f"migration {len(files.migrations)} and this version's functions and policies",
            mend="tekrar db migrate",
            kind="schema_behind",
        )
    return state


def _run(connection: Connection, begin: bytes, file: Code, migration: Migration | None) -> None:
    """One file in one transaction, with its record when it is a migration."""
    try:
        connection.execute(begin)
        _execute(connection, file)
        if migration is not None:
            connection.execute(
                b"INSERT INTO tekrar_meta.migration (n, name, sha256) VALUES (%s, %s, %s)",
                (migration.n, file.name, file.sha256),
            )
        connection.execute(b"COMMIT")
    except psycopg.Error as error:
        raise database_error(error, where=file.where) from error
    finally:
        roll_back(connection)


def _apply_code(connection: Connection, files: SchemaFiles) -> None:
    try:
        connection.execute(_BEGIN)
        for file in (*files.functions, *files.policies):
            _execute(connection, file)
        connection.execute(
            b"INSERT INTO tekrar_meta.code (one, sha256) VALUES (true, %s)"
            b" ON CONFLICT (one) DO UPDATE SET sha256 = excluded.sha256",
            (files.code_digest,),
        )
        connection.execute(b"COMMIT")
    except psycopg.Error as error:
        raise database_error(error) from error
    finally:
        roll_back(connection)


def _execute(connection: Connection, file: Code) -> None:
    try:
        connection.execute(file.text)  # without parameters, so several statements are legal
    except psycopg.errors.InsufficientPrivilege as error:
        mend = (
            "run tekrar db migrate once as a user who may create roles, or make them and grant tekrar_owner"
        )
        raise database_error(error, where=file.where, mend=mend) from error
    except psycopg.Error as error:
        position = error.diag.statement_position
        line = file.text.decode()[: int(position) - 1].count("\n") + 1 if position else None
        raise database_error(error, where=f"{file.where}, line {line}" if line else file.where) from error
    if connection.info.transaction_status is not TransactionStatus.INTRANS:
        raise DatabaseError(
            "the file ends its transaction",
            where=file.where,
            expected="no BEGIN, COMMIT or ROLLBACK; the runner writes them",
            mend="remove it from the file",
            kind="bad_migration",
        )
