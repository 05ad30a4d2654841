"""What must hold of publications whatever happened, and what a publication of four changes."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from typing import Any

from tekrar.store.session import Connection
from tests.store.matrix import ADMINISTRATOR, PUBLISHER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, as_login, everything, plan_of

State = list[tuple[Any, ...]]


def wholly(connection: Connection) -> None:
    """Chains have no gap, every release is complete, the ledger is what its head says (REL-05, REL-06)."""
    rows = connection.execute(
        "SELECT series_key, version, previous, release FROM repetition.pointer_move ORDER BY 1, 2"
    ).fetchall()
    last: dict[int, tuple[int, Any]] = {}
    for series, version, previous, release in rows:
        before = last.get(series, (-1, None))
        assert (version, previous) == (before[0] + 1, before[1]), (series, version)
        last[series] = (version, release)
    visible = connection.execute("SELECT series_key, version, release FROM repetition.visible").fetchall()
    assert {series: (version, release) for series, version, release in visible} == last
    heads = connection.execute("SELECT name, scope, version, value FROM curation.head").fetchall()
    moves: dict[tuple[str, str], tuple[int, bytes | None]] = {}
    for name, scope, version, previous, value in connection.execute(
        "SELECT name, scope, version, previous, value FROM curation.head_move ORDER BY 1, 2, 3"
    ).fetchall():
        assert (version - 1, previous) == moves.get((name, scope), (-1, None)), name
        moves[name, scope] = (version, value)
    assert {(name, scope): (version, value) for name, scope, version, value in heads} == moves
    incomplete = connection.execute(
        "SELECT r.release FROM repetition.repetition_release r"
        " LEFT JOIN restricted.release_control c USING (release)"
        " LEFT JOIN curation.ledger l ON l.seq = r.ledger_seq AND l.kind = 'publication'"
        "  AND position(r.release::text IN convert_from(l.payload, 'UTF8')) > 0"
        " WHERE c.release IS NULL OR l.seq IS NULL"
        "  OR NOT EXISTS (SELECT FROM repetition.pointer_move m WHERE m.release = r.release)"
    ).fetchall()
    assert incomplete == []
    first = connection.execute(
        "SELECT a.name FROM curation.grant_entry g JOIN curation.actor a USING (actor_key)"
        " WHERE g.role = 'administrator' ORDER BY g.grant_key LIMIT 1"
    ).fetchone()
    if first is None:
        assert connection.execute("SELECT count(*) FROM curation.ledger").fetchone() == (0,)
        return
    with as_login(connection, ADMINISTRATOR, first[0]) as session:
        assert session.execute("SELECT first_broken, head_matches FROM api.verify_ledger()").fetchone() == (
            None,
            True,
        )


def published_whole(connection: Connection, before: State, one: Loaded) -> None:
    """The state is the one after the publication of all four profiles of an artifact, and nothing besides."""
    after = everything(connection)
    counts = {row[1]: int(row[2]) for row in after if row[0] == "count"}
    old = {row[1]: int(row[2]) for row in before if row[0] == "count"}
    assert {name: counts[name] - old[name] for name in ("ledger", "set", "control")} == {
        "ledger": 1,
        "set": 1,
        "control": 4,
    }
    visible = connection.execute(
        "SELECT r.short FROM repetition.visible v JOIN repetition.repetition_release r USING (release)"
        " WHERE r.artifact_key = %s ORDER BY 1",
        (one.artifact_key,),
    ).fetchall()
    assert tuple(short for (short,) in visible) == PROFILES
    assert [row for row in before if row[0] == "release"] == [
        row
        for row in after
        if row[0] == "release" and row in before  # none of the earlier ones is gone
    ]
    assert sum(row[0] == "release" for row in after) - sum(row[0] == "release" for row in before) == 4


def steps_of(connection: Connection, function: str, *arguments: Any) -> list[str]:
    """The steps of a function that a publisher calls, which is rolled back."""
    marks = ", ".join(["%s"] * len(arguments))
    with connection.transaction(force_rollback=True):
        connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        connection.execute(
            "SELECT set_config('tekrar.claims', %s, true), set_config('tekrar.stop_at', 'none', true)",
            (json.dumps({"actor": "yayıncı"}),),
        )
        connection.execute(f"SET LOCAL ROLE {PUBLISHER}".encode())
        connection.execute(f"SELECT {function}({marks})".encode(), arguments)
        row = connection.execute("SELECT current_setting('tekrar.steps')").fetchone()
    assert row is not None
    return str(row[0]).split()


def publish_steps(connection: Connection, one: Loaded) -> list[str]:
    return steps_of(connection, "api.publish", plan_of(connection, one, *PROFILES, together=True))


def until(true: Callable[[], bool], *, seconds: float = 20) -> float:
    """Wait for something; how many seconds it took."""
    begun = time.monotonic()
    while not true():
        assert time.monotonic() - begun < seconds, "it does not come"
        time.sleep(0.005)
    return time.monotonic() - begun


def held_at_a_step(connection: Connection) -> bool:
    """Whether some transaction of this database waits at a step."""
    return _count(connection, "wait_event = 'PgSleep'") > 0


def alone(connection: Connection) -> bool:
    """Whether no other session of this database is left, and so no lock of one."""
    return _count(connection, "true") == 0


def waiting_for_a_lock(connection: Connection) -> bool:
    """Whether some session waits for a lock of another."""
    return _count(connection, "cardinality(pg_blocking_pids(pid)) > 0") > 0


def _count(connection: Connection, condition: str) -> int:
    row = connection.execute(
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        f" AND pid <> pg_backend_pid() AND backend_type = 'client backend' AND {condition}".encode()
    ).fetchone()
    assert row is not None
    return int(row[0])
