"""What stands outside the store's schemas and changes what happens in them."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tekrar.store.session import Connection
from tekrar.store.verification.findings import rows_of

# An extension's objects are the extension's matter. Objects below 16384 are PostgreSQL's own.
_AROUND: Final = """
    WITH made AS (
        SELECT 'pg_event_trigger'::regclass::oid AS class, e.oid,
            format('event trigger %%I', e.evtname) AS line
            FROM pg_event_trigger e WHERE e.evtenabled <> 'D'
        UNION ALL
        SELECT 'pg_cast'::regclass, c.oid,
            format('cast (%%s as %%s)', format_type(c.castsource, NULL), format_type(c.casttarget, NULL))
            FROM pg_cast c
        UNION ALL
        SELECT 'pg_operator'::regclass, o.oid, format('operator %%s', o.oid::regoperator)
            FROM pg_operator o JOIN pg_namespace n ON n.oid = o.oprnamespace WHERE n.nspname = ANY (%s)
        UNION ALL
        SELECT 'pg_proc'::regclass, p.oid, format('function pg_catalog.%%s', p.oid::regprocedure)
            FROM pg_proc p WHERE p.pronamespace = 'pg_catalog'::regnamespace
    )
    SELECT m.line FROM made m WHERE m.oid >= 16384 AND NOT EXISTS (
        SELECT FROM pg_depend d WHERE d.classid = m.class AND d.objid = m.oid AND d.deptype = 'e')
"""
_MEMBERS: Final = """
    SELECT format('role %%I is a member of %%I', m.rolname, r.rolname) AS line
    FROM pg_auth_members a JOIN pg_roles r ON r.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
    WHERE m.rolname = ANY (%s) AND r.rolname <> ALL (%s)
"""
# Settings with which sessions begin; of the many that only tune a server nothing is said.
_SETTINGS: Final = """
    SELECT format('setting %%s of %%s', kept.said, coalesce('role ' || r.rolname, 'the database')) AS line
    FROM pg_db_role_setting s LEFT JOIN pg_roles r ON r.oid = s.setrole, unnest(s.setconfig) AS kept(said)
    WHERE (s.setrole = 0 OR r.rolname = ANY (%s))
      AND s.setdatabase IN (0, (SELECT oid FROM pg_database WHERE datname = current_database()))
      AND split_part(kept.said, '=', 1)
          ~ '^(search_path|role|row_security|session_replication_role|tekrar[.].*|.*_preload_libraries)$'
"""


def lines_around(connection: Connection, schemas: Iterable[str], roles: Iterable[str]) -> list[str]:
    """Each of which there is none in a database that nobody changed (ID-09).

    What roles of the store are members of besides each other, settings that change what names and policies
    mean, event triggers, casts, and operators and functions that stand beside PostgreSQL's own.
    """
    ours = sorted(roles)
    rows = rows_of(connection, _AROUND, ([*schemas, "pg_catalog"],))
    rows += rows_of(connection, _MEMBERS, (ours, ours))
    rows += rows_of(connection, _SETTINGS, (ours,))
    return sorted(row["line"] for row in rows)
