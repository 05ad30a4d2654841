"""Every row of a database, to show that something changed nothing."""

from __future__ import annotations

import hashlib

from psycopg import sql

from tekrar.store.roles import SUPERUSER
from tekrar.store.session import open_target
from tekrar.store.target import Embedded, of_embedded

_TABLES = """
    SELECT n.nspname, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE c.relkind = 'r' AND n.nspname NOT LIKE 'pg\\_%' AND n.nspname <> 'information_schema'
    ORDER BY 1, 2
"""


def contents(place: Embedded) -> dict[str, tuple[int, str]]:
    """Each table, partitions included, with the number of its rows and a digest of them.

    Taken by the superuser in one snapshot. Two that are equal mean: no table came or went, and no row of any
    was added, changed or removed.
    """
    found = {}
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        for schema, name in connection.execute(_TABLES).fetchall():
            rows = connection.execute(
                sql.SQL("SELECT t::text FROM {} AS t").format(sql.Identifier(schema, name))
            ).fetchall()
            digest = hashlib.sha256("\n".join(sorted(row for (row,) in rows)).encode()).hexdigest()
            found[f"{schema}.{name}"] = (len(rows), digest)
        connection.execute("COMMIT")
    return found
