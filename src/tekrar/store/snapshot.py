"""The schema of a database as text, from the catalog: what tests and CI compare with the committed snapshot.

Not pg_dump's output, which changes with its version: one line a fact, in byte order, the same on PostgreSQL
15 to 18.
"""

from __future__ import annotations

from pathlib import Path
from typing import Final

import psycopg

from tekrar.store.failures import database_error
from tekrar.store.session import Connection

_QUERY: Final = Path(__file__).resolve().parent / "sql" / "snapshot.sql"


def snapshot(connection: Connection) -> str:
    """The lines of the schema, each ended by a newline. Bodies of functions and views stand as SHA-256
    digests.

    Raises:
        DatabaseError: the catalog cannot be read.
    """
    try:
        rows = connection.execute(_QUERY.read_bytes()).fetchall()
    except psycopg.Error as error:
        raise database_error(error, where="sql/snapshot.sql") from error
    return "".join(f"{line}\n" for (line,) in rows)
