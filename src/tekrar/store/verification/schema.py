"""The schema of a database against the one that this program's own SQL files make.

Rows are recomputed whatever the guards did; a guard that is gone is a finding of its own, for what comes
after it would go unseen until the next verification. What is expected is the shipped snapshot, held equal to
a fresh database by a test, and for each sealed release and artifact its partitions, made from their parents.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Final

from tekrar.store.load.stored_text import TABLES as TEXT_TABLES
from tekrar.store.roles import LOGIN, Role
from tekrar.store.schema_files import program_schema
from tekrar.store.session import Connection
from tekrar.store.snapshot import snapshot
from tekrar.store.verification.around import lines_around
from tekrar.store.verification.findings import Findings, rows_of

EXPECTED: Final = Path(__file__).resolve().parent.parent / "sql" / "schema.snapshot"
PROFILE_TABLES: Final = tuple(
    f"repetition.{name}"
    for name in ("class", "enumeration_exclusion", "occurrence", "witness", "witness_span")
)
SET_TABLES: Final = ("curation.candidate", "curation.candidate_participant", "curation.evidence")
_SCHEMAS: Final = ("api", "core", "curation", "repetition", "restricted", "tekrar_meta")
_ROLES: Final = frozenset({*Role, LOGIN})
#: Names of indexes and of their constraints are PostgreSQL's choice in a partition.
_INDEX: Final = re.compile(r"^(index CREATE (?:UNIQUE )?INDEX) \S+ ON (?:ONLY )?(\S+)")
_KEY: Final = re.compile(r"^(constraint \S+) \S+ (PRIMARY KEY|UNIQUE)")

#: What no snapshot line tells, and what there is nothing of: each row of it is a finding.
_ODD: Final = """
    WITH ours AS (
        SELECT c.oid, c.relpersistence, c.relkind, format('%%I.%%I', n.nspname, c.relname) AS name
        FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY (%s)
    )
    SELECT format('rule %%I on %%s', w.rulename, o.name) AS line
        FROM pg_rewrite w JOIN ours o ON o.oid = w.ev_class WHERE w.rulename <> '_RETURN'
    UNION ALL
    SELECT format('trigger of foreign key %%I on %%s enabled %%s', k.conname, o.name, g.tgenabled)
        FROM pg_trigger g JOIN ours o ON o.oid = g.tgrelid JOIN pg_constraint k ON k.oid = g.tgconstraint
        WHERE g.tgisinternal AND g.tgenabled <> 'O'
    UNION ALL
    SELECT format('%%s persistence %%s', name, relpersistence) FROM ours WHERE relpersistence <> 'p'
    UNION ALL
    SELECT format('index %%s not valid', o.name) FROM pg_index i JOIN ours o ON o.oid = i.indexrelid
        WHERE NOT (i.indisvalid AND i.indisready AND i.indislive)
"""
_CHILDREN: Final = """
    SELECT format('%%I.%%I', n.nspname, c.relname) AS parent,
        format('%%I.%%I', m.nspname, d.relname) AS child,
        coalesce(pg_get_expr(d.relpartbound, d.oid), 'inherits') AS bound
    FROM pg_inherits i
    JOIN pg_class c ON c.oid = i.inhparent JOIN pg_namespace n ON n.oid = c.relnamespace
    JOIN pg_class d ON d.oid = i.inhrelid JOIN pg_namespace m ON m.oid = d.relnamespace
    WHERE c.relkind IN ('r', 'p') AND n.nspname = ANY (%s)
"""


def check_schema(
    connection: Connection,
    findings: Findings,
    *,
    releases: Iterable[int],
    profiles: Iterable[int],
    sets: Iterable[int],
) -> None:
    """Compare line by line; `releases`, `profiles` and `sets` are the keys whose partitions must be there."""
    files = program_schema()
    stated_files = [(0, "code", files.code_digest)]
    stated_files += [(one.n, one.file.name, one.file.sha256) for one in files.migrations]
    with findings.checking(connection, "schema", "tekrar_meta.migration"):
        applied = [tuple(row.values()) for row in rows_of(connection, "SELECT * FROM tekrar_meta.state()")]
        findings.same("schema", "tekrar_meta.migration", expected=stated_files, found=applied)
    stated = EXPECTED.read_text("utf-8").splitlines()
    keys = {name: (list(releases), "release_key") for name in TEXT_TABLES}
    keys |= {name: (list(profiles), "profile_key") for name in PROFILE_TABLES}
    keys |= {name: (list(sets), "set_key") for name in SET_TABLES}
    partitions = {
        f"{parent}_{key}": (parent, key, column) for parent, (those, column) in keys.items() for key in those
    }
    expected = {line for line in stated if _is_ours(line)}
    own = {parent: [line for line in stated if f" {parent}" in line] for parent in keys}
    for name, (parent, key, column) in partitions.items():
        expected |= _partition_lines(own[parent], parent, name, key=key, column=column)
    found = {_plain(line, partitions) for line in snapshot(connection).splitlines() if _is_ours(line)}
    findings.count("schema", len(expected))
    for line in sorted(expected - found):
        findings.add("schema", _place(line), expected=line, found=None)
    for line in sorted(found - expected):
        findings.add("schema", _place(line), expected=None, found=line)
    for row in rows_of(connection, _ODD, (list(_SCHEMAS),)):
        findings.add("schema", row["line"], expected=None, found=row["line"])
    for line in lines_around(connection, _SCHEMAS, _ROLES):
        findings.add("schema", line, expected=None, found=line)
    children = {
        r["child"]: (r["parent"], r["bound"]) for r in rows_of(connection, _CHILDREN, (list(_SCHEMAS),))
    }
    bounds = {name: (parent, f"FOR VALUES IN ({key})") for name, (parent, key, _) in partitions.items()}
    findings.count("schema", len(bounds))
    for name in sorted(set(children) | set(bounds)):
        if children.get(name) != bounds.get(name):
            findings.add("schema", name, expected=bounds.get(name), found=children.get(name))


def _is_ours(line: str) -> bool:
    """Lines of our schemas and roles; a server may hold others."""
    kind, _, rest = line.partition(" ")
    words = rest.split(" ")
    if kind in ("role", "member"):
        return words[0] in _ROLES
    if kind == "default":
        return f" of {Role.OWNER} " in f" {rest} "
    if kind == "schema":
        return words[0] in _SCHEMAS
    if kind == "index":
        return rest.partition(" ON ")[2].removeprefix("ONLY ").partition(".")[0] in _SCHEMAS
    if kind == "grant":
        place = rest.partition(" on ")[2]
        return place.partition(" ")[2].partition(" ")[0].partition(".")[0] in _SCHEMAS
    return words[0].partition(".")[0] in _SCHEMAS


def _partition_lines(stated: list[str], parent: str, name: str, *, key: int, column: str) -> set[str]:
    """What a partition has of its parent: no policy and no privilege, for nobody reads it by itself."""
    found = {f"constraint {name} of_one_key CHECK (({column} = {key}))"}
    for line in stated:
        kind, _, rest = line.partition(" ")
        if kind in ("table", "constraint", "trigger") and rest.startswith(f"{parent} "):
            line = line.partition(" partition by ")[0].replace(f" {parent} ", f" {name} ")
        elif kind == "column" and rest.startswith(f"{parent}."):
            line = line.replace(f"{kind} {parent}.", f"{kind} {name}.", 1)
        elif kind == "index" and f" ON ONLY {parent} " in rest:
            line = line.replace(f" ON ONLY {parent} ", f" ON {name} ")
        else:
            continue
        found.add(_plain(line, {name: ()}))
    return found


def _plain(line: str, partitions: Mapping[str, object]) -> str:
    """A line of a partition without the names that PostgreSQL chose."""
    if (matched := _INDEX.match(line)) and matched[2] in partitions:
        return _INDEX.sub(r"\1 * ON \2", line)
    if (matched := _KEY.match(line)) and matched[1].partition(" ")[2] in partitions:
        return _KEY.sub(r"\1 * \2", line)
    return line


def _place(line: str) -> str:
    """The object that a line is about."""
    return " ".join(line.split(" ")[:3])
