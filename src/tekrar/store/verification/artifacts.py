"""Texts and artifacts in the database: every root recomputed from rows, and what no root covers."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable
from typing import Any, Final

from tekrar.core.encoding import canonical_json
from tekrar.core.identity import KEY_DIGEST, uuid_text
from tekrar.core.policy import MATRIX
from tekrar.store.load.artifact import PARTS, PRESENTATIONS
from tekrar.store.load.identities import Selections, check_identities
from tekrar.store.load.seal import recomputed_root
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText, read_text
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, Row, rows_of
from tekrar.store.verification.members import check_members

FORMAT: Final = "tekrar/artifact/v1"
_TEXTS: Final = """
    SELECT r.release_key, r.text_release::text AS text_release, r.byte_count,
        s.certified_digest AS sealed_digest, s.manifest_root AS sealed_root, s.counts
    FROM core.release r LEFT JOIN core.release_seal s ON s.release_key = r.release_key ORDER BY r.release_key
"""
_ARTIFACTS: Final = """
    SELECT a.artifact_key, a.release_key, a.artifact_root, a.policy_name, a.policy_digest, a.language,
        a.manifest, s.artifact_root AS sealed_root, s.counts
    FROM repetition.artifact a LEFT JOIN repetition.seal s ON s.artifact_key = a.artifact_key
    ORDER BY a.artifact_key
"""


def read_texts(connection: Connection) -> list[Row]:
    """Text releases with their seals."""
    return rows_of(connection, _TEXTS)


def read_artifacts(connection: Connection) -> list[Row]:
    """Artifacts with their seals."""
    return rows_of(connection, _ARTIFACTS)


def check_text(connection: Connection, row: Row, findings: Findings) -> StoredText:
    """One text release: certified digest, manifest root, datasets, ID and every row that follows from them.

    Raises:
        IntegrityError: the first row or digest that is another.
    """
    stored = read_text(connection, row["release_key"])
    place = f"core.release {row['text_release']}"
    expected = {
        "byte_count": len(stored.release.text),
        "sealed_digest": stored.certified,
        "sealed_root": stored.manifest_root,
        "counts": stored.counts,
    }
    findings.same_fields("texts", place, expected=expected, found=row)
    findings.count("texts", sum(json.loads(stored.counts).values()))
    return stored


def check_artifact(
    connection: Connection,
    row: Row,
    text: StoredText,
    findings: Findings,
    *,
    at_profile: Callable[[str], object],
) -> None:
    """One artifact: its root from rows, IDs, members, coverage, and the whole manifest.

    Raises:
        IntegrityError: the first row or root that is another.
    """
    selections = Selections(text.identity)
    coverage: dict[str, dict[str, Any]] = {}
    place = f"repetition.artifact {row['artifact_root'].hex()}"

    def inspect(stored: StoredProfile) -> None:
        findings.count("identities", check_identities(stored, text, selections))
        findings.count("members", check_members(stored, text))
        coverage[stored.spec.short] = coverage_of(stored)

    root = recomputed_root(connection, row["artifact_key"], text, at_profile=at_profile, inspect=inspect)
    findings.same("artifacts", f"{place}, seal", expected=root, found=row["sealed_root"])
    document = _manifest(connection, row, text, coverage)
    findings.same("artifacts", f"{place}, manifest", expected=canonical_json(document), found=row["manifest"])
    counts = {short: {name: one[name] for name in SEALED} for short, one in coverage.items()}
    written = rows_of(
        connection, "SELECT convert_to((%s::jsonb)::text, 'UTF8') AS bytes", (json.dumps(counts),)
    )
    findings.same("artifacts", f"{place}, counts", expected=written[0]["bytes"], found=row["counts"])
    findings.count("artifacts", sum(one["inventory"] for one in coverage.values()))


#: What a seal counts of a profile.
SEALED: Final = (
    *("emitted", "matched", "evaluated_unique", "not_evaluated", "excluded", "failed", "published_items"),
    *("dominated_items", "provisional_items", "discovered_classes", "dominated_classes", "published_classes"),
    *("provisional_groups", "enumeration_exclusions"),
)


def coverage_of(stored: StoredProfile) -> dict[str, Any]:
    """The coverage record of a profile, counted from its rows (COV-12)."""
    part = Counter(stored.occurrences["part"].values.tolist())
    shown = Counter(stored.occurrences["presentation"].values.tolist())
    emitted, exclusions = len(stored.occurrences["part"].values), len(stored.exclusions["paragraph"].values)
    winner: Any = stored.classes["winner"].present
    classes, dominated = (0, 0) if stored.partial else (len(winner), int(winner.sum()))
    return {
        "profile": stored.spec.short,
        "enumerator": stored.spec.enumerator,
        "exact_status": "partial" if stored.partial else "complete",
        "semantic_status": "not_assessed",
        "inventory": emitted + exclusions,
        "emitted": emitted,
        "enumeration_exclusions": exclusions,
        **{name.replace("-", "_"): part[number] for name, number in PARTS.items()},
        **{f"{name}_items": shown[number] for name, number in PRESENTATIONS.items()},
        "discovered_classes": classes,
        "dominated_classes": dominated,
        "published_classes": classes - dominated,
        "provisional_groups": len(winner) if stored.partial else 0,
        "rejected_candidates": 0,
    }


def _manifest(
    connection: Connection, row: Row, text: StoredText, coverage: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    """The manifest document (docs/artifact.md) from rows; its compiler record is bound by a root."""
    key, release = row["artifact_key"], text.release
    query = "SELECT name, root FROM repetition.root WHERE artifact_key = %s ORDER BY position"
    roots = [[one["name"], one["root"].hex()] for one in rows_of(connection, query, (key,))]
    query = (
        "SELECT profile_key, short, profile::text AS id, rule, document, partial, projection_root"
        " FROM repetition.profile WHERE artifact_key = %s"
    )
    profiles = {}
    for one in rows_of(connection, query, (key,)):
        query = "SELECT name, digest FROM repetition.validation WHERE profile_key = %s"
        records = rows_of(connection, query, (one["profile_key"],))
        profiles[one["short"]] = {
            "id": one["id"],
            "rule": one["rule"].hex(),
            "document": json.loads(one["document"]),
            "partial": one["partial"],
            "coverage": coverage[one["short"]],
            "projection_root": one["projection_root"].hex(),
            "validation": {record["name"]: record["digest"].hex() for record in records},
        }
    return {
        "format": FORMAT,
        "artifact_root": row["artifact_root"].hex(),
        "compiler": json.loads(row["manifest"])["compiler"],
        "identity_release_key": KEY_DIGEST,
        "policy": {
            "name": row["policy_name"],
            "digest": row["policy_digest"].hex(),
            "language": row["language"],
        },
        "profiles": {spec.short: profiles[spec.short] for spec in MATRIX},
        "release": {
            "text_release": uuid_text(text.identity),
            "edition": release.edition,
            "language": release.language,
            "certified_digest": text.certified.hex(),
            "core_release_manifest_root": text.manifest_root.hex(),
        },
        "roots": roots,
    }
