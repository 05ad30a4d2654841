"""The twenty roots of a profile and the artifact root (`docs/encoding.md` section 8)."""

from __future__ import annotations

import hashlib
from typing import Any

from tests.oracle.encoding import DATA, NONE, json_bytes, of_profile, root, selection, sha, u
from tests.oracle.evaluation import PROFILES, Evaluation, Occurrence, Truth, members_digest

PENDING = {"pending_evaluation": 1, "pending_peer_universe": 2, "pending_verification": 3}
FAILURE = {"missing_witness_bytes": 1, "digest_collision": 2}


def work_key(o: Occurrence) -> bytes:
    return u(o.start, 8) + u(o.end - o.start, 8) + o.id.bytes


def policy_digest(language: str) -> bytes:
    """SHA-256 of the policy: the shipped document for Turkish, else its name and language derived (contract
    C8)."""
    import json

    document: dict[str, Any] = json.loads((DATA / "repetition-scope-policy-v1.json").read_bytes())
    primary = language.split("-")[0].lower()
    if primary != "tr":
        document["name"] += f"-{primary}"
        document["language"] = primary
    return sha(json_bytes(document))


def profile_roots(evaluation: Evaluation, truth: Truth) -> list[tuple[str, bytes]]:
    """(kind, root) in the order of the table."""
    scope = of_profile(truth.profile, PROFILES[truth.short][2])
    rows: dict[str, list[tuple[bytes, bytes]]] = _partition_rows(evaluation, truth)
    named = [(kind, root(kind, scope, records)) for kind, records in rows.items()]
    evidence = dict(named)["evidence"]
    named += [(f"dataset-{k.replace('_', '-')}", r) for k, r in evaluation.release.datasets.items()]
    named.append(("validation", root("validation", scope, _validation(evaluation, truth, evidence))))
    vectors = hashlib.sha256((DATA / "vectors.json").read_bytes()).digest()
    named.append(
        (
            "compiler",
            root("compiler", NONE, [(b"encoding", b"1"), (b"name", b"tekrar"), (b"vectors", vectors)]),
        )
    )
    return named


def _class_value(truth: Truth, row: int) -> bytes:
    found = next(c for c in truth.classes if row in c.members)
    if truth.partial:
        return found.witness
    assert found.id is not None
    return found.id.bytes


def _excluded_value(evaluation: Evaluation, o: Occurrence) -> bytes:
    reasons = [(r, s, e, selection(evaluation.release.id, s, e).bytes) for r, s, e in o.reasons]
    reasons.sort()
    return (
        u(reasons[0][0], 1) + u(len(reasons), 4) + b"".join(u(r, 1) + chosen for r, _, _, chosen in reasons)
    )


def _partition_rows(evaluation: Evaluation, truth: Truth) -> dict[str, list[tuple[bytes, bytes]]]:
    all_rows = list(enumerate(truth.occurrences))
    keyed = {i: work_key(o) for i, o in all_rows}
    matched = truth.rows("matched")
    dominated = {i for c in truth.classes if c.winner is not None for i in c.members}
    issued = [] if truth.partial else sorted(truth.classes, key=lambda c: c.id.bytes if c.id else b"")
    ids = [c.id.bytes if c.id else b"" for c in issued]
    values = {i: _class_value(truth, i) for i in matched}
    return {
        "work": [(keyed[i], b"") for i, _ in all_rows],
        "inventory": [(keyed[i], o.selection.bytes + o.mask_root) for i, o in all_rows],
        "evidence": [(keyed[i], o.fingerprint) for i, o in all_rows if o.fingerprint],
        "matched": [(keyed[i], values[i]) for i in matched],
        "evaluated-unique": [
            (keyed[i], truth.occurrences[i].fingerprint) for i in truth.rows("evaluated_unique")
        ],
        "not-evaluated": [
            (keyed[i], u(PENDING[truth.occurrences[i].code], 1)) for i in truth.rows("not_evaluated")
        ],
        "failed": [(keyed[i], u(FAILURE[truth.occurrences[i].code], 1)) for i in truth.rows("failed")],
        "excluded": [
            (keyed[i], _excluded_value(evaluation, truth.occurrences[i])) for i in truth.rows("excluded")
        ],
        "published": [(keyed[i], values[i]) for i in matched if not truth.partial and i not in dominated],
        "provisional": [(keyed[i], values[i]) for i in matched if truth.partial],
        "classes": [
            (key, u(len(c.members), 8) + members_digest(truth, c) + c.witness)
            for key, c in zip(ids, issued, strict=True)
        ],
        "membership": [
            (key + keyed[i], b"") for key, c in zip(ids, issued, strict=True) for i in sorted(c.members)
        ],
        "dominated-items": [(keyed[i], values[i]) for i in matched if i in dominated],
        "dominated-classes": [
            (key, _winner(truth, c.winner) + u(c.left, 4) + u(c.right, 4))
            for key, c in zip(ids, issued, strict=True)
            if c.winner is not None
        ],
        "enumeration-exclusions": [(u(ordinal, 8), u(1, 1)) for ordinal in truth.empty],
    }


def _winner(truth: Truth, number: int) -> bytes:
    found = truth.classes[number].id
    assert found is not None
    return found.bytes


def _validation(evaluation: Evaluation, truth: Truth, evidence: bytes) -> list[tuple[bytes, bytes]]:
    emitted, empty = len(truth.occurrences), len(truth.empty)
    counts = {"emitted": emitted, "enumeration_exclusions": empty, "inventory": emitted + empty}
    rows = [(u(1, 1) + b"profile", policy_digest(evaluation.document.language) + truth.rule)]
    if truth.whole:
        rows.append((u(2, 1) + b"text-release", evaluation.release.certified))
    rows.append((u(3, 1) + b"inventory-count", sha(json_bytes(counts))))
    vectors = hashlib.sha256((DATA / "vectors.json").read_bytes()).digest()
    rows.append((u(4, 1) + b"compiler-vectors", vectors))
    if not truth.collided:
        rows.append((u(5, 1) + b"preimages-verified", evidence))
    return rows


def artifact_roots(evaluation: Evaluation) -> list[tuple[str, bytes]]:
    """Every named root of the artifact in its order."""
    named = [("text-release", evaluation.release.manifest_root)]
    named += [(f"dataset/{k.replace('_', '-')}", r) for k, r in evaluation.release.datasets.items()]
    named.append(("policy", policy_digest(evaluation.document.language)))
    for short, spec in PROFILES.items():
        named += [
            (f"{'/'.join(spec)}/{kind}", r)
            for kind, r in profile_roots(evaluation, evaluation.profiles[short])
        ]
    return named


def artifact_root(evaluation: Evaluation) -> bytes:
    return root(
        "artifact",
        NONE,
        [(u(i, 4) + name.encode(), r) for i, (name, r) in enumerate(artifact_roots(evaluation))],
    )
