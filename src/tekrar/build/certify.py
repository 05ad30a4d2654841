"""Certification: the five deterministic validation records of a profile (ADR-009 *Exact comparison*;
AMB-44), and the compiler.

Each record names the digest that was checked, and is written only after its check passed in this very
process. No flag, time or setting makes one.
"""

from __future__ import annotations

import hashlib
import json
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tekrar.core.encoding import canonical_json, manifest_root, no_scope, profile_scope, sha256, u8
from tekrar.core.occurrence import Paragraphs, run_universe
from tekrar.core.policy import POLICY_DIGEST, ScopePolicy, pinned_document, scope_policy
from tekrar.core.profile import Profile, load_rule, rule_document
from tekrar.core.text import TextRelease
from tekrar.core.vectors import check_vectors
from tekrar.errors import IntegrityError

ENCODING_VERSION: Final = "1"
RECORDS: Final = ("profile", "text-release", "inventory-count", "compiler-vectors", "preimages-verified")


@cache
def vectors_digest() -> bytes:
    """SHA-256 of the shipped vector file, after every vector was computed and compared in this process.

    Raises:
        IntegrityError: a vector does not hold: this installation computes other identity bytes.
    """
    data = files("tekrar.core").joinpath("data/vectors.json").read_bytes()
    check_vectors(json.loads(data))
    return sha256(data)


def compiler_record() -> dict[str, bytes]:
    """The compiler as identity sees it: name, encoding version, digest of its vectors (AMB-52)."""
    return {"encoding": ENCODING_VERSION.encode(), "name": b"tekrar", "vectors": vectors_digest()}


def compiler_root() -> bytes:
    """Root of the compiler record."""
    return manifest_root("compiler", no_scope(), [(k.encode(), v) for k, v in compiler_record().items()])


def certify_profile(policy: ScopePolicy, profile: Profile) -> bytes:
    """Policy digest ‖ rule digest, after the policy was found pinned (or re-derived) and the document
    re-derived.

    Raises:
        IntegrityError: the policy or the rule document is not what its inputs give.
    """
    pinned = hashlib.sha256(pinned_document()).hexdigest()
    derived = scope_policy.__wrapped__(policy.language)
    if pinned != POLICY_DIGEST or derived.digest != policy.digest:
        raise IntegrityError(
            "the scope policy is not the pinned one", where=policy.name, kind="policy_digest"
        )
    document = rule_document(policy, profile.spec, _releases(profile))
    if (
        canonical_json(document) != canonical_json(profile.document)
        or load_rule(document, policy).id != profile.id
    ):
        raise IntegrityError("the rule document is not the derived one", where=profile.spec.name)
    return policy.digest + profile.rule


def _releases(profile: Profile) -> list[tuple[bytes, bytes]]:
    rows: list[dict[str, Any]] = profile.document["scope"]["releases"]
    return [(profile.release, bytes.fromhex(row["core_release_manifest_root"])) for row in rows]


def certify_inventory(release: TextRelease, universe: Any) -> bytes:
    """SHA-256 of the inventory counts, after they were compared with the closed formula.

    Raises:
        IntegrityError: the enumerator gave another count.
    """
    if isinstance(universe, Paragraphs):
        expected = int((release.paragraph_sentences > 0).sum())
        exclusions = len(universe.empty)
        inventory = len(release.paragraph_sentences)
    else:
        bounds = release.chapter_sentence_start
        expected = run_universe(bounds[1:] - bounds[:-1])
        exclusions, inventory = 0, universe.rows
    if universe.rows != expected or inventory != expected + exclusions:
        raise IntegrityError(
            f"the enumerator emitted {universe.rows} occurrences",
            where="inventory",
            expected=f"{expected} by the closed formula",
            kind="inventory_count",
        )
    record = {"emitted": universe.rows, "enumeration_exclusions": exclusions, "inventory": inventory}
    return sha256(canonical_json({**record}))


def validation_root(profile: Profile, records: dict[str, bytes]) -> bytes:
    """Root of a profile's validation records, in their fixed order."""
    scope = profile_scope(profile.id, profile.spec.predicate)
    rows = [
        (u8(position) + name.encode("ascii"), records[name])
        for position, name in enumerate(RECORDS, 1)
        if name in records
    ]
    return manifest_root("validation", scope, rows)
