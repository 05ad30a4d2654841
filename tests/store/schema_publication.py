"""A published tiny artifact: actors with grants, plans, and transactions as the program has them."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from psycopg import sql

from tekrar.store.session import Connection
from tests.store.matrix import ADMINISTRATOR, BUILDER, PUBLISHER
from tests.store.schema_database import prove_powerless
from tests.store.schema_load import Loaded, load

#: The loaded artifact and the release of each of its profiles.
Published = tuple[Loaded, dict[str, uuid.UUID]]

PROFILES = ("FP", "FS", "PP", "PS")


def claims(actor: str) -> str:
    """The setting by which the program says who acts; for the public nobody does."""
    return json.dumps({"actor": actor}) if actor else "{}"


@contextmanager
def as_login(connection: Connection, role: str, actor: str) -> Iterator[Connection]:
    """One committed transaction as the program has it: tekrar_login, the role, the claim of an actor."""
    with connection.transaction():
        connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        connection.execute("SELECT set_config('tekrar.claims', %s, true)", (claims(actor),))
        connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(role)))
        prove_powerless(connection, role)
        yield connection


def call(connection: Connection, role: str, actor: str, function: str, *arguments: Any) -> Any:
    marks = ", ".join(["%s"] * len(arguments))
    with as_login(connection, role, actor) as session:
        row = session.execute(f"SELECT {function}({marks})".encode(), arguments).fetchone()
    assert row is not None
    return row[0]


def grant_that_is_over(connection: Connection, actor: str, role: str, scope: str) -> int:
    """A grant that was valid and is no more; it ended a moment ago."""
    row = connection.execute("SELECT clock_timestamp() + interval '300 milliseconds'").fetchone()
    assert row is not None
    number = call(connection, ADMINISTRATOR, "yönetici", "api.grant_role", actor, role, scope, None, row[0])
    connection.execute("SELECT pg_sleep_until(%s)", row)
    return int(number["grant"])


def plan_of(connection: Connection, one: Loaded, *shorts: str, together: bool = False) -> str:
    entries = [
        call(connection, PUBLISHER, "yayıncı", "api.prepare_publication", one.artifact_root.hex(), short)
        for short in shorts
    ]
    return json.dumps({"publications": entries, "set": together})


def publish(connection: Connection, plan: str) -> Any:
    return call(connection, PUBLISHER, "yayıncı", "api.publish", plan)


def refused(connection: Connection, plan: str) -> dict[str, Any]:
    """Publish a plan that must be refused, and check that nothing at all changed (REL-05)."""
    before = everything(connection)
    with pytest.raises(psycopg.Error) as error:
        publish(connection, plan)
    assert everything(connection) == before
    detail = json.loads(error.value.diag.message_detail or "{}")
    return {"state": error.value.sqlstate, **detail}


def everything(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT 'visible', series_key::text, release::text, version::text FROM repetition.visible"
        " UNION ALL SELECT 'release', release::text, roots::text, '' FROM repetition.repetition_release"
        " UNION ALL SELECT 'head', name, scope, value::text FROM curation.head"
        " UNION ALL SELECT 'count', 'ledger', count(*)::text, '' FROM curation.ledger"
        " UNION ALL SELECT 'count', 'series', count(*)::text, '' FROM repetition.series"
        " UNION ALL SELECT 'count', 'moves', count(*)::text, '' FROM repetition.pointer_move"
        " UNION ALL SELECT 'count', 'set', count(*)::text, '' FROM repetition.release_set"
        " UNION ALL SELECT 'count', 'control', count(*)::text, '' FROM restricted.release_control"
        " ORDER BY 1, 2, 3"
    ).fetchall()


def new_load(connection: Connection, prefix: str, **what: str) -> Loaded:
    """Another tiny artifact, of another text; `what` as `load` takes it."""
    with connection.transaction():
        connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_builder")
        prove_powerless(connection, BUILDER)
        return load(connection, prefix=prefix, **what)


@pytest.fixture(scope="module")
def actors(admin: Connection, loaded: Loaded) -> Loaded:
    """An administrator, and a publisher with a grant for every edition."""
    with admin.transaction():
        admin.execute("SET LOCAL ROLE tekrar_owner")
        admin.execute("SELECT curation.init_administrator('yönetici', NULL)")
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "yayıncı", None)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "publisher", "*", None, None)
    return loaded


@pytest.fixture(scope="module")
def published(admin: Connection, actors: Loaded) -> Published:
    """The four profiles, published as one set."""
    done = publish(admin, plan_of(admin, actors, *PROFILES, together=True))
    assert done["outcome"] == "published"
    return actors, {row["short"]: uuid.UUID(row["release"]) for row in done["releases"]}
