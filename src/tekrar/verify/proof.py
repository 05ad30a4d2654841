"""Inclusion proofs: the place of one work item in one part's manifest, and of that manifest under the
artifact root.

Serves ADR-009 *Publication and rebuild closure*. A proof is built from an artifact's own columns, without
the text. `docs/artifact.md` describes the document; `tekrar.verify.proof_check` checks it without the
artifact.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.core.encoding import CHUNK_RECORDS, canonical_json, no_scope, tree_path, u32
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import MATRIX, ProfileSpec
from tekrar.errors import NotFoundError, UsageError, VerificationError
from tekrar.verify.columns import check_names, stated_columns
from tekrar.verify.document import root_name
from tekrar.verify.logical import PARTS, LogicalProfile
from tekrar.verify.manifests import ListManifest, Manifest
from tekrar.verify.proof_check import FORMAT, check_proof
from tekrar.verify.stated import StatedArtifact
from tekrar.verify.uuid5 import uuid_text


def prove(artifact_path: Path, occurrence: str) -> dict[str, Any]:
    """The inclusion proof of one occurrence.

    Args:
        artifact_path: the artifact; nothing else is read.
        occurrence: canonical UUID text.

    Raises:
        UsageError: not a canonical UUID, or that of a class.
        NotFoundError: no profile of the artifact has the occurrence.
        IntegrityError: a column makes no sense.
        VerificationError: the columns do not give the roots that the artifact states.
    """
    artifact = Artifact(artifact_path)
    check_names(artifact)
    wanted = parse_uuid(occurrence, what="occurrence")
    spec, row = _find(artifact, wanted)
    stated = StatedArtifact(artifact)
    view = stated.profile(spec)
    part, index = _part_of(view, row, artifact)
    manifest = view.manifest(part)
    name = root_name(spec, part)
    names = list(stated.roots)
    roots = ListManifest(
        "artifact",
        no_scope(),
        [(u32(at) + one.encode("ascii"), root) for at, (one, root) in enumerate(stated.roots.items())],
    )
    proof = {
        "format": FORMAT,
        "artifact_root": artifact.artifact_root.hex(),
        "occurrence": uuid_text(wanted),
        "profile": {
            "id": uuid_text(view.id),
            "projection": spec.projection,
            "enumerator": spec.enumerator,
            "predicate": spec.predicate,
        },
        "part": part,
        "manifest": _inclusion(manifest, index),
        "artifact": _inclusion(roots, names.index(name)),
    }
    _recheck(artifact, proof)
    return proof


def _recheck(artifact: Artifact, proof: dict[str, Any]) -> None:
    try:
        check_proof(canonical_json(proof), artifact_root=artifact.artifact_root)
    except VerificationError as error:
        raise VerificationError(
            f"the artifact's columns do not prove it: {error.message}",
            where=str(artifact.path),
            expected=error.expected,
            mend="verify the artifact against its release, and build it again",
            kind="artifact_differs",
        ) from error


def _find(artifact: Artifact, occurrence: bytes) -> tuple[ProfileSpec, int]:
    """The profile and row of an occurrence."""
    words = np.frombuffer(occurrence, "<u8")
    for spec in MATRIX:
        ids = stated_columns(artifact, f"{spec.short}/occurrences")["occurrence"]
        column = np.ascontiguousarray(ids).view("<u8").reshape(-1, 2)
        found = np.flatnonzero((column[:, 0] == words[0]) & (column[:, 1] == words[1]))
        if len(found):
            return spec, int(found[0])
    _refuse_class(artifact, words)
    raise NotFoundError(
        f"no occurrence {uuid_text(occurrence)}",
        where=str(artifact.path),
        expected="an occurrence ID of this artifact (an unknown one is not evaluated, never unique)",
        mend="`tekrar show` and `tekrar classes` print occurrence IDs",
        kind="unknown_occurrence",
    )


def _refuse_class(artifact: Artifact, words: NDArray[np.uint64]) -> None:
    """Say so where the ID is that of a class."""
    for spec in MATRIX:
        name = f"{spec.short}/class-ids"
        if name not in artifact.package:
            continue
        ids = np.ascontiguousarray(stated_columns(artifact, name)["class"]).view("<u8").reshape(-1, 2)
        if ((ids[:, 0] == words[0]) & (ids[:, 1] == words[1])).any():
            raise UsageError(
                f"this is a class of {spec.short}, and a proof is of one occurrence",
                where=str(artifact.path),
                expected="an occurrence ID or an address",
                mend="name one of its members, as `tekrar show` prints them for this ID",
                kind="class_not_occurrence",
            )


def _part_of(view: LogicalProfile, row: int, artifact: Artifact) -> tuple[str, int]:
    """The one part that a row stands in, and its place there."""
    places = []
    for part in PARTS:
        rows = view.tables[part]["row"]
        at = int(np.searchsorted(rows, row))
        if at < len(rows) and rows[at] == row:
            places.append((part, at))
    if len(places) != 1:
        raise VerificationError(
            f"profile {view.spec.short}: row {row} stands in {len(places)} parts",
            where=str(artifact.path),
            expected="exactly one of " + ", ".join(PARTS),
            mend="verify the artifact against its release, and build it again",
            kind="artifact_differs",
        )
    return places[0]


def _inclusion(manifest: Manifest, index: int) -> dict[str, Any]:
    """The chunk around a record, its path, and what the root is sealed with."""
    chunk, low = index // CHUNK_RECORDS, index // CHUNK_RECORDS * CHUNK_RECORDS
    records = manifest.records(low, min(low + CHUNK_RECORDS, manifest.count))
    return {
        "kind": manifest.kind,
        "scope": manifest.scope.hex(),
        "count": manifest.count,
        "chunk": chunk,
        "records": b"".join(records).hex(),
        "path": [
            {"side": side, "digest": digest.hex()} for side, digest in tree_path(manifest.leaves(), chunk)
        ],
    }
