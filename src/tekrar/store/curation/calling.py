"""One call of a function of `api` as an actor in a role."""

from __future__ import annotations

import json
import re
from typing import Any, Final

import psycopg

from tekrar.core.identity import parse_uuid
from tekrar.errors import DatabaseError, UsageError
from tekrar.store.absence import absence
from tekrar.store.permission import claims_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask

_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)

Record = dict[str, Any]


def call(
    connection: Connection,
    query: bytes,
    parameters: tuple[Any, ...],
    *,
    role: Role,
    actor: str | None,
    read_only: bool = False,
) -> list[tuple[Any, ...]]:
    """The rows of one statement, as one transaction of `actor` in `role`.

    Raises:
        NotFoundError: what is asked for is not there, or not in the actor's scope.
        DatabaseError: the database refused it; `kind` says why, and nothing was changed.
    """
    with absence("not_found"):
        return ask(connection, query, parameters, role=role, claims=claims_of(actor), read_only=read_only)


def one(
    connection: Connection,
    query: bytes,
    parameters: tuple[Any, ...],
    *,
    role: Role,
    actor: str | None,
    read_only: bool = False,
) -> Record:
    """The one JSON object that a function gives; see `call`."""
    rows = call(connection, query, parameters, role=role, actor=actor, read_only=read_only)
    return dict(rows[0][0])


def digest_text(text: str) -> str:
    """A proposal's digest as tekrar prints it.

    Raises:
        UsageError: it is none.
    """
    if _DIGEST.fullmatch(text) is None:
        raise UsageError(
            f"{text!r} is no digest of a proposal",
            expected="64 lower-case hexadecimal digits",
            mend="copy the digest as tekrar printed it",
            kind="not_a_digest",
        )
    return text


def id_text(text: str, what: str) -> str:
    """A UUID as tekrar prints it.

    Raises:
        UsageError: it is none.
    """
    parse_uuid(text, what=what)
    return text


def detail_of(error: DatabaseError) -> Record:
    """The JSON DETAIL that the database gave with a refusal; empty where it gave none."""
    cause = error.__cause__
    text = cause.diag.message_detail if isinstance(cause, psycopg.Error) else None
    try:
        found = json.loads(text or "{}")
    except ValueError:
        return {}
    return found if isinstance(found, dict) else {}
