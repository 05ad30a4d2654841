"""Loading beside a raw COPY of the same rows with the same indexes, in turn on one server.

The raw form gets its rows as binary buffers that are ready in memory, into plain tables of one transaction:
no row-level security, no constraint but the indexes, nothing read back and no root recomputed.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from pathlib import Path

from psycopg import sql

from bench.corpora import Tell
from bench.store_server import connection_to, fresh_database
from tekrar.artifact import Artifact
from tekrar.corpus.release_package import open_release
from tekrar.store.curate import grant, initialize, name_actor
from tekrar.store.load import load
from tekrar.store.publish import prepare, submit
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection
from tekrar.store.target import Embedded

CHUNK = 1 << 20


@dataclass(frozen=True)
class RawTable:
    """One loaded partition: how to make it anew, its rows as COPY sends them, and its indexes."""

    columns: str
    rows: bytes
    indexes: tuple[str, ...]


@dataclass
class Loads:
    """Seconds of every round, and what the last database holds."""

    ours: list[float]
    raw: list[float]
    publications: list[float]
    rows: int
    bytes_on_disk: int
    place: Embedded


def measure_loads(server: Embedded, release: Path, artifact: Path, *, runs: int, tell: Tell) -> Loads:
    """Load and raw copy in turn; each load goes into a database of its own and is published in the end."""
    found = Loads([], [], [], 0, 0, server)
    tables: list[RawTable] = []
    for number in range(runs):
        tell(f"store: load {number + 1} of {runs}")
        place = fresh_database(server, f"load_{number}")
        with connection_to(place) as connection:
            begun = time.perf_counter()
            done = load(connection, Artifact(artifact), open_release(release))
            found.ours.append(time.perf_counter() - begun)
            found.rows = done.rows
            tables = tables or raw_tables(connection)
            initialize(connection, "bench", None)
        raw = fresh_database(server, "raw", migrated=False)
        tell(f"store: raw copy {number + 1} of {runs}")
        with connection_to(raw) as connection:
            found.raw.append(raw_copy(connection, tables))
        with connection_to(place, user=LOGIN) as connection:
            name_actor(connection, "publisher", None, actor="bench")
            grant(connection, "publisher", "publisher", actor="bench")
            plan = prepare(connection, Artifact(artifact).artifact_root.hex(), None, actor="publisher")
            begun = time.perf_counter()
            submit(connection, plan, actor="publisher")  # what holds the lock; the rows are read before it
            found.publications.append(time.perf_counter() - begun)
        found.place = place
    with connection_to(found.place) as connection:
        row = connection.execute("SELECT pg_database_size(current_database())").fetchone()
        found.bytes_on_disk = row[0] if row else 0
        connection.execute("VACUUM ANALYZE")  # as autovacuum would have done soon
    return found


def raw_tables(connection: Connection) -> list[RawTable]:
    """Every partition of a loaded database with its rows; `{}` stands for the table's name in its indexes."""
    partitions = connection.execute(
        "SELECT c.oid, format('%I.%I', n.nspname, c.relname) FROM pg_class AS c"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace WHERE c.relispartition AND c.relkind = 'r'"
        " ORDER BY 2"
    ).fetchall()
    found = []
    for oid, name in partitions:
        columns = connection.execute(
            "SELECT string_agg(format('%%I %%s', attname, format_type(atttypid, atttypmod)), ', '"
            " ORDER BY attnum)"
            " FROM pg_attribute WHERE attrelid = %s AND attnum > 0 AND NOT attisdropped",
            (oid,),
        ).fetchone()
        indexes = connection.execute(
            "SELECT pg_get_indexdef(indexrelid) FROM pg_index WHERE indrelid = %s ORDER BY indexrelid", (oid,)
        ).fetchall()
        with connection.cursor().copy(f"COPY {name} TO STDOUT (FORMAT BINARY)") as stream:
            rows = b"".join(bytes(part) for part in stream)
        # CREATE [UNIQUE] INDEX name ON schema.table USING …: the name is left to the server.
        definitions = []
        for (text,) in indexes:
            head, _, rest = text.partition(f" ON {name} ")
            unique = "UNIQUE " if head.startswith("CREATE UNIQUE") else ""
            definitions.append(f"CREATE {unique}INDEX ON {{}} {rest}")
        assert columns is not None
        found.append(RawTable(columns[0], rows, tuple(definitions)))
    return found


def raw_copy(connection: Connection, tables: list[RawTable]) -> float:
    """Seconds of one transaction: tables, COPY of the ready buffers, indexes, commit."""
    begun = time.perf_counter()
    with connection.transaction():
        for number, table in enumerate(tables):
            name = f"public.raw_{number}"
            connection.execute(f"CREATE TABLE {name} ({table.columns})".encode())
            statement = sql.SQL("COPY {} FROM STDIN (FORMAT BINARY, FREEZE)").format(sql.SQL(name))
            with connection.cursor().copy(statement) as stream:
                for at in range(0, len(table.rows), CHUNK):
                    stream.write(table.rows[at : at + CHUNK])
        for number, table in enumerate(tables):
            for definition in table.indexes:
                connection.execute(definition.format(f"public.raw_{number}").encode())
            connection.execute(f"ANALYZE public.raw_{number}".encode())
    return time.perf_counter() - begun
