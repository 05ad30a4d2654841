"""As whom something is asked or done (contract C5): the claims of an actor, one snapshot as a role, and
whether a login may take a role that no grant of the ledger opens: to load, to name the first administrator.
That is asked before anything is done, for PostgreSQL's own refusal names a role and no way out.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Final

import psycopg

from tekrar.errors import DatabaseError
from tekrar.store.absence import absence
from tekrar.store.failures import database_error
from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction

# From 16 on a member need not be able to take the role.
_MAY: Final = b"SELECT pg_has_role(r.oid, %s) FROM pg_roles r WHERE r.rolname = %s"

_DOING: Final = {
    Role.BUILDER: (
        "load",
        "load through a login that may be tekrar_builder: the one that ran tekrar db migrate, or one to which"
        " tekrar_builder and tekrar_reader were granted",
    ),
    Role.OWNER: (
        "name the first administrator, replay or rebuild",
        "run it through the login that ran tekrar db migrate",
    ),
}


def require_role(connection: Connection, role: Role) -> None:
    """Refuse a login that may not take the builder's or the owner's role.

    A database whose roles were not made yet is let through: that its schema is missing is the better word.

    Raises:
        DatabaseError: `permission_denied`.
    """
    member = "SET" if connection.info.server_version >= 160000 else "MEMBER"
    try:
        found = connection.execute(_MAY, (member, role.value)).fetchone()
    except psycopg.Error as error:
        raise database_error(error) from error
    if found is None or found[0]:
        return
    what, mend = _DOING[role]
    raise DatabaseError(
        f"the login {connection.info.user} may not {what}",
        where="database",
        expected=f"a login that may be {role}",
        mend=mend,
        kind="permission_denied",
    )


def claims_of(actor: str | None) -> dict[str, str]:
    """The claims of a transaction for an actor; none leaves it to the login."""
    return {} if actor is None else {"actor": actor}


@contextmanager
def snapshot_of(connection: Connection, role: Role, actor: str | None) -> Iterator[Connection]:
    """One snapshot of the database as an actor in a role: everything read in it is of one moment, and nothing
    can be written.

    Raises:
        NotFoundError: what is asked for is not there, or not in the actor's scope.
        DatabaseError: as `transaction`.
    """
    with (
        absence(),
        transaction(
            connection, role=role, claims=claims_of(actor), read_only=True, isolation="repeatable read"
        ) as held,
    ):
        yield held
