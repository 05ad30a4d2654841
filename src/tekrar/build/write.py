"""From results to an artifact on disk, and its manifest; nothing of the text goes into it."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from tekrar.artifact.schema import FORMAT
from tekrar.artifact.writer import ArtifactWriter
from tekrar.build.certified import CertifiedRelease
from tekrar.build.certify import ENCODING_VERSION, vectors_digest
from tekrar.build.result import ProfileResult
from tekrar.build.shards import Shards
from tekrar.core.identity import KEY_DIGEST, uuid_text
from tekrar.core.occurrence import Paragraphs, Runs
from tekrar.core.policy import ANNOTATION_KINDS, TREATMENTS

LIBRARIES = ("numpy", "pyarrow", "rfc8785", "llvmlite")


def write_artifact(
    target: Path,
    certified: CertifiedRelease,
    results: Sequence[ProfileResult],
    *,
    roots: Sequence[tuple[str, bytes]],
    root: bytes,
    provenance: dict[str, Any],
    shards: Shards,
) -> None:
    """Write the artifact to a temporary place, fsync it and rename it to the target.

    Raises:
        UsageError, StorageError: see `PackageWriter`; nothing that reads as an artifact remains.
    """
    runs = next(r.universe for r in results if isinstance(r.universe, Runs))
    paragraphs = next(r.universe for r in results if isinstance(r.universe, Paragraphs))
    tables: dict[str, dict[str, Any]] = {}
    for result in results:
        short = result.profile.spec.short
        tables |= {f"{short}/{name}": columns for name, columns in _profile_tables(result).items()}
    for name, kind in (("selections/paragraphs", Paragraphs), ("selections/runs", Runs)):
        tables[name] = {"selection": next(r.selection for r in results if isinstance(r.universe, kind))}
    tables["units/sentences"] = {"start": runs.start, "end": runs.end, "reach": runs.reach}
    tables["units/paragraphs"] = {
        "ordinal": paragraphs.ordinal,
        "start": paragraphs.start,
        "end": paragraphs.end,
    }
    tables["units/empty-paragraphs"] = {"ordinal": paragraphs.empty}
    with ArtifactWriter(target) as writer:
        _write_tables(writer, tables, shards)
        writer.document("provenance", provenance_document(provenance))
        writer.commit(manifest_document(certified, results, roots=roots, root=root))


def _write_tables(writer: ArtifactWriter, tables: dict[str, dict[str, Any]], shards: Shards) -> None:
    """Write every table, the largest first; workers write files of their own, and tell their digests through
    shared memory."""

    def bytes_of(name: str) -> int:
        return sum(np.asarray(column).nbytes for column in tables[name].values())

    names = sorted(tables, key=lambda name: (-bytes_of(name), name))
    digest = shards.empty((len(names), 32), np.uint8)
    size = shards.empty((len(names),), np.int64)

    def work(task: int) -> None:
        found, size[task] = writer.table_of_child(task, names[task], tables[names[task]])
        digest[task] = np.frombuffer(found, np.uint8)

    shards.run("write", range(len(names)), work)
    for task, name in enumerate(names):
        writer.adopt(name, digest[task].tobytes(), int(size[task]))


def _profile_tables(result: ProfileResult) -> dict[str, dict[str, Any]]:
    """Columns of a profile's tables."""
    part, classes = result.partition, result.classes
    return {
        "occurrences": {
            "occurrence": result.occurrence,
            "fingerprint": result.fingerprint,
            "witness": result.witnesses.of_row,
        },
        "matched": {"row": part.matched, "class": part.matched_class},
        "evaluated-unique": {"row": part.unique},
        "not-evaluated": {"row": part.not_evaluated, "code": part.pending},
        "excluded": {"row": part.excluded},
        "failed": {"row": part.failed, "code": part.failure},
        "published": {"row": part.published},
        "dominated": {"row": part.dominated},
        "provisional": {"row": part.provisional},
        "classes": {
            "size": classes.groups.size,
            "witness": classes.witness,
            "winner": classes.dominated.winner,
            "left": classes.dominated.left,
            "right": classes.dominated.right,
        },
        "class-ids": {"class": classes.id, "members": classes.members},
        "witnesses": {"root": np.frombuffer(b"".join(result.witnesses.root), np.uint8).reshape(-1, 32)},
        "witness-spans": _witness_spans(result),
    }


def _witness_spans(result: ProfileResult) -> dict[str, Any]:
    rows = []
    treated = result.projection.treated
    for number, hits in enumerate(result.witnesses.hits):
        spans = []
        for which, index in hits:
            t = treated[which]
            spans.append(
                (
                    int(t.start[index]),
                    int(t.end[index]),
                    ANNOTATION_KINDS[t.annotation],
                    TREATMENTS[t.treatment],
                    t.reason,
                    t.selection[index],
                )
            )
        rows += [(number, *span) for span in sorted(spans)]
    names = ("witness", "start", "end", "kind", "treatment", "reason")
    columns: dict[str, Any] = {
        name: np.array([row[i] for row in rows], np.int64) for i, name in enumerate(names)
    }
    columns["selection"] = np.frombuffer(b"".join(row[6] for row in rows), np.uint8).reshape(-1, 16)
    return columns


def manifest_document(
    certified: CertifiedRelease,
    results: Sequence[ProfileResult],
    *,
    roots: Sequence[tuple[str, bytes]],
    root: bytes,
) -> dict[str, Any]:
    """The artifact's manifest: roots, IDs, rule documents, statuses and counts; equal for equal inputs."""
    materialized = {result.projection.name: result.projection for result in results}
    projections = {name: projection.root().hex() for name, projection in materialized.items()}
    profiles = {}
    for result in results:
        assert result.coverage is not None
        profiles[result.profile.spec.short] = {
            "id": uuid_text(result.profile.id),
            "rule": result.profile.rule.hex(),
            "document": result.profile.document,
            "partial": result.partial,
            "coverage": result.coverage.as_record(),
            "projection_root": projections[result.projection.name],
            "validation": {name: value.hex() for name, value in result.validation.items()},
        }
    return {
        "format": FORMAT,
        "artifact_root": root.hex(),
        "roots": [[name, value.hex()] for name, value in roots],
        "release": {
            "text_release": uuid_text(certified.id),
            "edition": certified.release.edition,
            "language": certified.release.language,
            "certified_digest": certified.certified.hex(),
            "core_release_manifest_root": certified.manifest_root.hex(),
        },
        "policy": {
            "name": certified.policy.name,
            "digest": certified.policy.digest.hex(),
            "language": certified.policy.language,
        },
        "compiler": {"name": "tekrar", "encoding": ENCODING_VERSION, "vectors": vectors_digest().hex()},
        "identity_release_key": KEY_DIGEST,
        "profiles": profiles,
    }


def provenance_document(provenance: dict[str, Any]) -> bytes:
    """Provenance outside identity: engine, workers, versions of the libraries that took part.

    No host, path, user or clock.
    """
    import platform
    import sys

    versions = {name: getattr(sys.modules.get(name), "__version__", None) for name in LIBRARIES}
    libraries = {name: version for name, version in versions.items() if version}
    record = {**provenance, "libraries": libraries, "python": platform.python_version()}
    return json.dumps(record, sort_keys=True, indent=1).encode("utf-8")
