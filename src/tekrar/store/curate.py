"""Actors, grants and the freeze epoch (CUR-06, CUR-11); each change is an entry of the ledger."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tekrar.errors import UsageError
from tekrar.store.absence import absence
from tekrar.store.permission import claims_of, require_role
from tekrar.store.read import plain
from tekrar.store.roles import GRANTABLE, LOGIN, Role
from tekrar.store.session import Connection, ask, transaction

#: The names that a grant uses; the database roles' without their prefix.
ROLE_NAMES: Final = tuple(role.removeprefix("tekrar_") for role in GRANTABLE)

_GRANTS: Final = (
    "grant",
    "actor",
    "login",
    "role",
    "scope",
    "valid_from",
    "valid_to",
    "granted_by",
    "recorded_at",
    "revoked_at",
    "state",
)


@dataclass(frozen=True)
class Validity:
    """When a grant holds; aware times, None for now and for good."""

    start: datetime | None = None
    end: datetime | None = None


def initialize(connection: Connection, name: str, login: str | None) -> int:
    """Name the first administrator, on an empty ledger only (contract C5).

    Args:
        connection: of a user who may be the owner.
        name: the actor's.
        login: its database login; None, or the program's own login, for one that speaks through that and
            says its name.

    Returns:
        The actor's key.

    Raises:
        DatabaseError: `already_initialized`, or the user may not be the owner.
    """
    _named(name, "administrator")
    require_role(connection, Role.OWNER)
    own = None if login == LOGIN else login
    with transaction(connection, role=Role.OWNER):
        row = connection.execute(b"SELECT curation.init_administrator(%s, %s)", (name, own)).fetchone()
    return int(row[0]) if row else 0


def name_actor(connection: Connection, name: str, login: str | None, *, actor: str | None) -> dict[str, Any]:
    """Name an actor; the same again is nothing."""
    _named(name, "actor")
    return _call(connection, b"SELECT api.actor(%s, %s)", (name, login), actor)


def grant(
    connection: Connection,
    to: str,
    role: str,
    *,
    scope: str = "*",
    validity: Validity | None = None,
    actor: str | None,
) -> dict[str, Any]:
    """Grant a role for one edition or all of them.

    Returns:
        `outcome` and the number of the grant, by which it is revoked.

    Raises:
        UsageError: an unknown role, or an end before the start.
        DatabaseError: `unknown_actor`, or no administrator's grant for the scope.
    """
    if role not in ROLE_NAMES:
        raise UsageError(
            f"unknown role {role!r}",
            expected=" or ".join(ROLE_NAMES),
            mend="name one of these roles",
            kind="unknown_role",
        )
    when = validity or Validity()
    if when.start and when.end and when.end <= when.start:
        raise UsageError(
            "the grant would end before it begins", mend="correct --from or --to", kind="bad_arguments"
        )
    return _call(
        connection,
        b"SELECT api.grant_role(%s, %s, %s, %s, %s)",
        (to, role, scope, when.start, when.end),
        actor,
    )


def revoke(connection: Connection, number: int, *, actor: str | None) -> dict[str, Any]:
    """Revoke a grant by its number; again is nothing."""
    return _call(connection, b"SELECT api.revoke_grant(%s::integer)", (number,), actor)


def freeze(connection: Connection, reason: str, *, actor: str | None) -> dict[str, Any]:
    """Raise the freeze epoch: what was prepared before is refused (CUR-11)."""
    _named(reason, "reason")
    return _call(connection, b"SELECT api.freeze(%s)", (reason,), actor)


def grants(connection: Connection, *, actor: str | None) -> list[dict[str, Any]]:
    """Every grant with its state at this moment, in the order they were given."""
    rows = ask(connection, b"SELECT * FROM api.grants()", role=Role.ADMINISTRATOR, claims=claims_of(actor))
    return [{k: plain(k, v) for k, v in zip(_GRANTS, row, strict=True)} for row in rows]


def _call(
    connection: Connection, query: bytes, parameters: tuple[Any, ...], actor: str | None
) -> dict[str, Any]:
    with absence():
        rows = ask(
            connection,
            query,
            parameters,
            role=Role.ADMINISTRATOR,
            claims=claims_of(actor),
            read_only=False,
        )
    return dict(rows[0][0])


def _named(text: str, what: str) -> None:
    if not text.strip() or "\0" in text:
        raise UsageError(
            f"the {what} is empty or holds a null character",
            mend=f"give the {what} as text",
            kind="bad_arguments",
        )
