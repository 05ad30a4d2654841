"""Rows that nothing accounts for: of no seal, of no release, or of no decision in the ledger (CUR-05)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from tekrar.core.encoding import manifest_root, no_scope
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, Row, rows_of
from tekrar.store.verification.ledger import OF_PROFILE, Entry

#: Tables of structures -> the heads that move when a row of it is written. While all of these stand at their
#: start, no decision wrote a row.
HEADS: Final = {
    "propagation_policy": ("propagation-policies",),
}
#: Tables whose rows name their own entry -> the column that does, and the entry's kind.
ENTRY_KIND: Final = {
    "proposal": ("ledger_seq", "proposal"),
    "review": ("ledger_seq", "review"),
    "choice_policy": ("ledger_seq", "policy"),
    **dict.fromkeys(
        (
            *("decision", "family", "quotation", "canonical_choice", "compensation"),
            *("false_positive_override", "supersession"),
        ),
        ("decision", "apply"),
    ),
}

_SEALS: Final = """
    SELECT 'core.release_seal' AS relation, s.release_key AS key FROM core.release_seal s
        WHERE NOT EXISTS (SELECT FROM core.release r WHERE r.release_key = s.release_key)
    UNION ALL
    SELECT 'repetition.seal', s.artifact_key FROM repetition.seal s
        WHERE NOT EXISTS (SELECT FROM repetition.artifact a WHERE a.artifact_key = s.artifact_key)
    UNION ALL
    SELECT 'curation.candidate_set', s.set_key FROM curation.candidate_set s
        WHERE NOT EXISTS (SELECT FROM repetition.seal e WHERE e.artifact_key = s.artifact_key)
    UNION ALL
    SELECT 'curation.candidate_seal', e.set_key FROM curation.candidate_seal e
        WHERE NOT EXISTS (SELECT FROM curation.candidate_set s WHERE s.set_key = e.set_key)
    UNION ALL
    SELECT 'repetition.artifact', a.artifact_key FROM repetition.artifact a
        WHERE NOT EXISTS (SELECT FROM core.release_seal s WHERE s.release_key = a.release_key)
    UNION ALL
    SELECT 'repetition.profile', p.profile_key FROM repetition.profile p
        WHERE NOT EXISTS (SELECT FROM repetition.artifact a WHERE a.artifact_key = p.artifact_key)
"""


def check_closure(
    connection: Connection, releases: Sequence[Row], entries: Sequence[Entry], findings: Findings
) -> None:
    """Nothing is left over once every seal, release and decision has been followed."""
    for row in rows_of(connection, "SELECT relation, key, rows FROM api.unsealed_rows()"):
        place = f"{row['relation']} of key {row['key']}"
        findings.add("closure", place, expected="rows of a sealed load", found=f"{row['rows']} unsealed rows")
    for row in rows_of(connection, _SEALS):
        place = f"{row['relation']} of key {row['key']}"
        findings.add("closure", place, expected="a sealed load", found="what it belongs to is not there")
    query = "SELECT release::text AS release FROM restricted.release_control"
    control = sorted(row["release"] for row in rows_of(connection, query))
    published = sorted(row["release"] for row in releases)
    findings.same("closure", "restricted.release_control", expected=published, found=control)
    counts = _check_counts(connection, findings)
    _check_structures(connection, entries, counts, findings)


def _check_counts(connection: Connection, findings: Findings) -> dict[str, int]:
    """Every table holds as many rows as an auditor of all editions sees; what no policy shows is left over.

    Returns:
        Rows by table, those that are not seen included.
    """
    counts = {row["relation"]: row["rows"] for row in rows_of(connection, "SELECT * FROM api.row_counts()")}
    for relation, rows in counts.items():
        with findings.checking(connection, "closure", relation):
            seen = rows_of(connection, f"SELECT count(*) AS rows FROM {relation}")[0]["rows"]
            findings.count("closure")
            if seen != rows:
                expected = f"{seen} rows, of what is sealed, published or decided"
                findings.add("closure", relation, expected=expected, found=f"{rows} rows")
    return counts


def _check_structures(
    connection: Connection, entries: Sequence[Entry], counts: Mapping[str, int], findings: Findings
) -> None:
    moved = _moved_heads(connection)
    kinds = {entry.seq: entry.kind for entry in entries}
    for name, heads in HEADS.items():
        findings.count("closure")
        relation = f"curation.{name}"
        rows = counts.get(relation)
        if rows and not moved.intersection(heads):
            expected = f"no row: the head {' and '.join(heads)} stands at its start"
            findings.add(
                "closure", relation, expected=expected, found=f"{rows} rows that no entry accounts for"
            )
    for name, (column, kind) in ENTRY_KIND.items():
        relation = f"curation.{name}"
        for row in rows_of(connection, f"SELECT {column} AS seq FROM {relation}"):
            place = f"{relation} of ledger entry {row['seq']}"
            findings.same("closure", place, expected=kind, found=kinds.get(row["seq"]))


def _moved_heads(connection: Connection) -> set[str]:
    """Heads that stand, in some scope, elsewhere than where they began."""
    start = {name: bytes(32) for name in ("curation",)}
    start["propagation-policies"] = manifest_root("propagation-policies", no_scope(), [])
    query = "SELECT name, value, version FROM curation.head"
    return {
        row["name"]
        for row in rows_of(connection, query)
        if (row["name"] in OF_PROFILE and row["version"] > 0)
        or (row["name"] in start and row["value"] != start[row["name"]])
    }
