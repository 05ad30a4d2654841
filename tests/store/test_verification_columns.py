"""Every value of every table of published facts: changed behind the guards, it is found (ID-09)."""

from __future__ import annotations

import psycopg
import pytest

from tekrar.store.session import Connection
from tests.store.kept import Kept, guarded, of_rows, tampering, unguarded, verified
from tests.store.matrix import BULK, SCHEMAS, SELECT

#: Columns whose values stand outside every identity, with the reason.
OUTSIDE = {
    ("core.release_seal", "recorded_at"): "when a text was loaded; no release binds a time of loading",
    ("repetition.seal", "recorded_at"): "when an artifact was loaded; no release binds a time of loading",
    ("curation.candidate_seal", "recorded_at"): "when candidates were loaded; as of the other seals",
    ("repetition.artifact", "provenance"): "engine and library versions of a build; they enter no root",
    (
        "curation.grant_entry",
        "grant_key",
    ): "a number in this database; a revocation's entry names it, and then it is held",
}
#: Tables of the workflow and of structures; tests/store/test_verification_curation.py fills them.
EMPTY = frozenset(
    f"curation.{name}"
    for name in (
        *("canonical_choice", "compensation", "crosswalk", "decision", "decision_review", "draft"),
        *("effective_choice", "effective_membership", "false_positive_override", "family", "family_diff"),
        *("family_member", "propagation_policy", "proposal", "quotation", "review", "succession"),
        *("succession_member", "supersession", "choice_policy"),
    )
)

#: Type -> expressions of another value, tried until constraints let one through.
OTHER = {
    "integer": ("{0} + 1", "{0} - 1", "{0} + 1000", "2", "16"),
    "bigint": ("{0} + 1", "{0} - 1", "{0} + 1000"),
    "smallint": ("({0} + 1)::smallint", "({0} - 1)::smallint", "16::smallint"),
    "boolean": ("NOT {0}",),
    "bytea": (
        "set_byte({0}, octet_length({0}) - 1, get_byte({0}, octet_length({0}) - 1) # 1)",
        "'\\x78'::bytea",
    ),
    "uuid": (
        "overlay({0}::text PLACING translate(right({0}::text, 1), '0123456789abcdef', '123456789abcdef0')"
        " FROM 36)::uuid",
    ),
    "text": (
        "{0} || 'x'",
        "'partial'",
        "'complete'",
        "'FS'",
        "'PS'",
        "'grant'",
        "'auditor'",
        "'reader'",
        "'curation'",
    ),
    "timestamp with time zone": ("{0} + interval '1 second'", "now()"),
    "bigint[]": ("{0}[1:2] || ARRAY[{0}[3] + 1, {0}[4] + 1]", "ARRAY[{0}[1], {0}[2] + 1] || {0}[3:]"),
}
ABSENT = {
    "integer": "1",
    "bigint": "1",
    "smallint": "1",
    "bytea": "sha256('x')",
    "uuid": "gen_random_uuid()",
    "text": "'x'",
    "timestamp with time zone": "now() + interval '1 year'",
}

_COLUMNS = """
    SELECT n.nspname || '.' || c.relname, a.attname, format_type(a.atttypid, NULL), a.attidentity <> ''
    FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
    WHERE n.nspname = ANY (%s) AND c.relkind IN ('r', 'p') AND NOT c.relispartition
    ORDER BY 1, a.attnum
"""


def columns_of(connection: Connection) -> list[tuple[str, str, str, bool]]:
    found = connection.execute(_COLUMNS, (list(SCHEMAS),)).fetchall()
    return [(relation, name, kind, identity) for relation, name, kind, identity in found]


def changed(connection: Connection, relation: str, name: str, kind: str) -> bool:
    """Change one value of one row; where constraints refuse every other value, without them.

    False where no other value fits the partition either.
    """
    row = connection.execute(
        f"SELECT tableoid::regclass::text, ctid::text, {name} IS NULL FROM {relation}"
        f" ORDER BY {name} IS NULL, tableoid, ctid LIMIT 1".encode()
    ).fetchone()
    assert row is not None, f"no row of {relation} to change"
    part, place, absent = row
    unguarded(connection, part)
    for constrained in (True, False):
        if not constrained:
            drop_constraints(connection, relation)
        for value in (ABSENT[kind],) if absent else OTHER[kind]:
            if updated(connection, part, place, name, value.format(name)):
                guarded(connection, part)
                return True
    return False


def updated(connection: Connection, part: str, place: str, name: str, value: str) -> bool:
    try:
        with connection.transaction():
            done = connection.execute(
                f"UPDATE {part} SET {name} = {value} WHERE ctid = '{place}'"
                f" AND {name} IS DISTINCT FROM {value}".encode()
            )
    except psycopg.Error as error:
        if (error.sqlstate or "")[:2] not in ("22", "23"):  # a constraint's, or no such value
            raise
        return False
    return bool(done.rowcount)


def drop_constraints(connection: Connection, relation: str) -> None:
    query = "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype IN ('c', 'u', 'p')"
    for (name,) in connection.execute(query, (relation,)).fetchall():
        connection.execute(f"ALTER TABLE {relation} DROP CONSTRAINT {name} CASCADE".encode())


def test_every_table_is_covered(kept: Kept) -> None:
    tables = {relation for relation, *_ in columns_of(kept.admin)}
    assert tables == set(SELECT)
    for relation in sorted(tables):
        row = kept.admin.execute(f"SELECT count(*) FROM {relation}".encode()).fetchone()
        assert row is not None
        assert (row[0] == 0) == (relation in EMPTY), relation
    named = {(relation, name) for relation, name, *_ in columns_of(kept.admin)}
    assert set(OUTSIDE) <= named


def test_an_untouched_database_has_no_finding(kept: Kept) -> None:
    with tampering(kept.admin) as connection:
        assert verified(connection).findings == ()


@pytest.mark.faults
@pytest.mark.req("ID-09", "REL-01", "REL-09", "REL-10", "CL-04")
def test_a_change_of_any_value_is_found(kept: Kept) -> None:
    unseen, refused, found = [], [], 0
    for relation, name, kind, identity in columns_of(kept.admin):
        if relation in EMPTY:
            continue
        with tampering(kept.admin) as connection:
            if identity:
                connection.execute(f"ALTER TABLE {relation} ALTER {name} SET GENERATED BY DEFAULT".encode())
            if not changed(connection, relation, name, kind):
                refused.append((relation, name))
                continue
            if identity:
                connection.execute(f"ALTER TABLE {relation} ALTER {name} SET GENERATED ALWAYS".encode())
            rows = relation.startswith("tekrar_meta.")
            findings = verified(connection)
            seen = findings.findings if rows else of_rows(findings)
        found += bool(seen)
        if bool(seen) == ((relation, name) in OUTSIDE):
            unseen.append((relation, name))
    assert unseen == []
    assert found > 210
    # A row of another key than its partition's is refused whoever writes it.
    key = {"core": "release_key", "curation": "set_key", "repetition": "profile_key"}
    assert set(refused) == {(relation, key[relation.partition(".")[0]]) for relation in BULK}
