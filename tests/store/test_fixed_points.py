"""What the catalog prints of the schema is printed again once it was read back: a restored backup verifies.

`pg_dump` writes constraints, policies, defaults and indexes as PostgreSQL prints them. A form that is printed
otherwise after that (`x BETWEEN 1 AND 3 AND …` nests, and comes back flat) is another schema for `release
verify`.
"""

from __future__ import annotations

import re

import pytest

from tekrar.store.session import Connection
from tests.store.matrix import SCHEMAS

_OURS = "n.nspname = ANY (%s) AND NOT c.relispartition"
_CHECKS = f"""
    SELECT c.oid::regclass::text, k.conname::text, pg_get_constraintdef(k.oid)
    FROM pg_constraint k JOIN pg_class c ON c.oid = k.conrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE k.contype IN ('c', 'u', 'p', 'f', 'x') AND {_OURS} AND k.conparentid = 0 ORDER BY 1, 2
"""
_POLICIES = f"""
    SELECT c.oid::regclass::text, p.polname::text, pg_get_expr(p.polqual, p.polrelid),
        pg_get_expr(p.polwithcheck, p.polrelid)
    FROM pg_policy p JOIN pg_class c ON c.oid = p.polrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE {_OURS} ORDER BY 1, 2
"""
_DEFAULTS = f"""
    SELECT c.oid::regclass::text, a.attname::text, pg_get_expr(d.adbin, d.adrelid)
    FROM pg_attrdef d JOIN pg_class c ON c.oid = d.adrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum = d.adnum
    WHERE {_OURS} AND a.attgenerated = '' ORDER BY 1, 2
"""
_INDEXES = f"""
    SELECT i.indexrelid::regclass::text, pg_get_indexdef(i.indexrelid)
    FROM pg_index i JOIN pg_class c ON c.oid = i.indrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE {_OURS} AND c.relkind = 'r'
      AND NOT EXISTS (SELECT FROM pg_constraint k WHERE k.conindid = i.indexrelid) ORDER BY 1
"""
_TRIGGERS = f"""
    SELECT g.oid, g.tgname::text, c.oid::regclass::text, pg_get_triggerdef(g.oid)
    FROM pg_trigger g JOIN pg_class c ON c.oid = g.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE {_OURS} AND NOT g.tgisinternal AND g.tgparentid = 0 ORDER BY 2, 3
"""
_VIEWS = """
    SELECT c.oid::regclass::text, pg_get_viewdef(c.oid) FROM pg_class c
    JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ANY (%s) AND c.relkind IN ('v', 'm') ORDER BY 1
"""


def rows(connection: Connection, query: str) -> list[tuple[str, ...]]:
    return connection.execute(query.encode(), (list(SCHEMAS),)).fetchall()


def test_constraints_are_printed_as_they_are_read(admin: Connection) -> None:
    """Each CHECK is dropped and made again from its own words; keys hold no expression."""
    before = rows(admin, _CHECKS)
    assert len(before) > 150
    with admin.transaction(force_rollback=True):
        checks = [one for one in before if one[2].startswith("CHECK")]
        for table, name, words in checks:
            admin.execute(f'ALTER TABLE {table} DROP CONSTRAINT "{name}"'.encode())
            admin.execute(f'ALTER TABLE {table} ADD CONSTRAINT "{name}" {words}'.encode())
        after = rows(admin, _CHECKS)
    assert [(old, new) for old, new in zip(before, after, strict=True) if old != new] == []


def test_policies_and_defaults_are_printed_as_they_are_read(admin: Connection) -> None:
    policies, defaults = rows(admin, _POLICIES), rows(admin, _DEFAULTS)
    assert len(policies) > 80
    with admin.transaction(force_rollback=True):
        for table, name, using, check in policies:
            parts = [f"USING ({using})" if using else "", f"WITH CHECK ({check})" if check else ""]
            admin.execute(f'ALTER POLICY "{name}" ON {table} {" ".join(parts)}'.encode())
        for table, name, words in defaults:
            admin.execute(f'ALTER TABLE {table} ALTER "{name}" SET DEFAULT {words}'.encode())
        assert rows(admin, _POLICIES) == policies
        assert rows(admin, _DEFAULTS) == defaults


def test_indexes_triggers_and_views_are_printed_as_they_are_read(admin: Connection) -> None:
    indexes, triggers, views = rows(admin, _INDEXES), rows(admin, _TRIGGERS), rows(admin, _VIEWS)
    with admin.transaction(force_rollback=True):
        for name, words in indexes:
            admin.execute(f"DROP INDEX {name}".encode())
            admin.execute(words.encode())
        for _, name, table, words in triggers:
            admin.execute(f'DROP TRIGGER "{name}" ON {table}'.encode())
            admin.execute(words.encode())
        for name, words in views:
            admin.execute(f"CREATE OR REPLACE VIEW {name} AS {words}".encode())
        assert rows(admin, _INDEXES) == indexes
        assert [one[1:] for one in rows(admin, _TRIGGERS)] == [one[1:] for one in triggers]
        assert rows(admin, _VIEWS) == views


def test_no_body_is_kept_parsed(admin: Connection) -> None:
    """A body of BEGIN ATOMIC or RETURN would be printed from its tree; ours are kept as their text."""
    query = (
        "SELECT p.oid::regprocedure::text FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname = ANY (%s) AND p.prosqlbody IS NOT NULL"
    )
    assert rows(admin, query) == []


@pytest.mark.parametrize("words", ["CHECK (seq BETWEEN 0 AND 9 AND kind IS NOT NULL)"])
def test_a_form_that_moves_is_seen(admin: Connection, words: str) -> None:
    with admin.transaction(force_rollback=True):
        admin.execute(f"ALTER TABLE curation.ledger ADD CONSTRAINT moving {words} NOT VALID".encode())
        (told,) = [row[2] for row in rows(admin, _CHECKS) if row[1] == "moving"]
        admin.execute(b"ALTER TABLE curation.ledger DROP CONSTRAINT moving")
        admin.execute(f"ALTER TABLE curation.ledger ADD CONSTRAINT moving {told}".encode())
        (again,) = [row[2] for row in rows(admin, _CHECKS) if row[1] == "moving"]
    assert re.sub(r"[()]", "", told) == re.sub(r"[()]", "", again)
    assert told != again
