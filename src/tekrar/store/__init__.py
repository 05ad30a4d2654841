"""The store: PostgreSQL, where releases become visible (ADR-009, *Release and publication*).

`session` connects, `migrate` brings a database to this program's schema, `server` runs the embedded
PostgreSQL.
The database driver is the extra `store`; without it this import is a typed error that says so.
"""

from __future__ import annotations

from tekrar.errors import DatabaseError

try:
    import psycopg as _driver  # noqa: F401
except ImportError as missing:
    raise DatabaseError(
        "the database driver is not installed",
        where="python package psycopg",
        expected="psycopg 3",
        mend="pip install 'tekrar[store]'",
        kind="driver_missing",
    ) from missing
