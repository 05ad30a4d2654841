"""Repetition profiles: the ten-field rule document, its check, and the profile's ID.

Serves ADR-009 *Repetition profiles and scopes* and *Initial F6 scope policy*: a concrete profile binds the
policy to exactly one projection, enumerator, predicate, coordinate profile and core release manifest root, so
each choice is identity and no filter.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.encoding import canonical_json, manifest_root, no_scope, u32
from tekrar.core.identity import COORDINATE_PROFILE, issue, parse_uuid, uuid_text
from tekrar.core.policy import MATRIX, ProfileSpec, ScopePolicy, primary_subtag
from tekrar.errors import UsageError

SEMVER: Final = "1.0.0"

#: The ten facts a profile declares (ADR-009), by the names of the rule document.
RULE_FIELDS: Final = (
    "profile",
    "scope",
    "granularity",
    "enumerator",
    "predicate",
    "candidate_features",
    "annotation_treatments",
    "boundaries",
    "dominance",
    "requirements",
)


@dataclass(frozen=True)
class Profile:
    """A checked profile.

    Attributes:
        spec: its row of the matrix.
        id: UUIDv5 (16 bytes) of kind repetition-profile.
        rule: SHA-256 of the rule document's canonical bytes.
        document: the rule document.
        release: UUID (16 bytes) of the one text release in scope.
        scope_root: root of the ordered release set.
    """

    spec: ProfileSpec
    id: bytes
    rule: bytes
    document: dict[str, Any]
    release: bytes
    scope_root: bytes


def scope_root(releases: list[tuple[bytes, bytes]]) -> bytes:
    """Root over the ordered release set: position -> text-release UUID, core release manifest root."""
    return manifest_root(
        "release-scope", no_scope(), ((u32(i), uuid_ + root) for i, (uuid_, root) in enumerate(releases))
    )


def rule_document(
    policy: ScopePolicy, spec: ProfileSpec, releases: list[tuple[bytes, bytes]]
) -> dict[str, Any]:
    """The rule document of one matrix row over an ordered release set of (text-release UUID, manifest
    root)."""
    enumerator = policy.document["enumerators"][spec.enumerator]
    return {
        "profile": {
            "name": f"{policy.name}/{spec.name}",
            "semver": SEMVER,
            "policy": policy.name,
            "policy_digest": policy.digest.hex(),
            "language": policy.language,
        },
        "scope": {
            "coordinate_profile": COORDINATE_PROFILE,
            "releases": [
                {"text_release": uuid_text(uuid_), "core_release_manifest_root": root.hex()}
                for uuid_, root in releases
            ],
        },
        "granularity": {
            "token": spec.granularity,
            "unit": enumerator["unit"],
            "minimum": enumerator["minimum"],
            "maximum": enumerator["maximum"],
        },
        "enumerator": {"name": spec.enumerator, "order": enumerator["order"]},
        "predicate": spec.predicate,
        "candidate_features": policy.document["candidate_features"],
        "annotation_treatments": {
            "projection": spec.projection,
            **policy.document["projections"][spec.projection],
        },
        "boundaries": {
            "folding": policy.document["folding"],
            "crosses": enumerator["crosses"],
            "mask_format": policy.document["mask_format"],
        },
        "dominance": {
            "policy": spec.dominance,
            "tie": policy.document["dominance_tie"],
            "frequency_cap": policy.document["frequency_cap"],
            "stop_text": policy.document["stop_text"],
        },
        "requirements": {
            "validation": policy.document["validation"],
            "publication": policy.document["publication"],
        },
    }


def _refuse(message: str, *, expected: str = "") -> UsageError:
    return UsageError(message, where="profile rule document", expected=expected, kind="invalid_profile")


def load_rule(document: dict[str, Any], policy: ScopePolicy) -> Profile:
    """Check a rule document against its policy and give the profile.

    Raises:
        UsageError: a field is missing (named), a value lies outside the policy's matrix, the release set is
            not exactly one release, the language differs: whatever the policy does not allow needs a
            successor policy.
    """
    for field in RULE_FIELDS:
        if field not in document:
            raise _refuse(f"the field {field!r} is missing", expected=", ".join(RULE_FIELDS))
    if extra := sorted(set(document) - set(RULE_FIELDS)):
        raise _refuse(f"unknown field {extra[0]!r}", expected=", ".join(RULE_FIELDS))
    spec = _matrix_row(document)
    releases = _release_set(document)
    expected = rule_document(policy, spec, releases)
    for field in RULE_FIELDS:
        if document[field] != expected[field]:
            raise _refuse(
                f"the field {field!r} differs from policy {policy.name}",
                expected=canonical_json(expected[field]).decode("ascii"),
            )
    rule = hashlib.sha256(canonical_json(document)).digest()
    return Profile(
        spec=spec,
        id=issue("repetition-profile", {"rule": rule.hex(), "semver": SEMVER}),
        rule=rule,
        document=document,
        release=releases[0][0],
        scope_root=scope_root(releases),
    )


def _matrix_row(document: dict[str, Any]) -> ProfileSpec:
    try:
        triple = (
            document["annotation_treatments"]["projection"],
            document["enumerator"]["name"],
            document["predicate"],
        )
        dominance = document["dominance"]["policy"]
    except (KeyError, TypeError) as error:
        raise _refuse(
            f"a projection, enumerator, predicate or dominance policy is not stated: {error}"
        ) from None
    for spec in MATRIX:
        if triple == (spec.projection, spec.enumerator, spec.predicate):
            if dominance != spec.dominance:
                raise _refuse(f"dominance {dominance!r} is not this row's", expected=spec.dominance)
            return spec
    raise _refuse(f"{triple!r} is no row of the matrix", expected="; ".join(spec.name for spec in MATRIX))


def _release_set(document: dict[str, Any]) -> list[tuple[bytes, bytes]]:
    try:
        rows = document["scope"]["releases"]
        releases = [
            (parse_uuid(row["text_release"]), bytes.fromhex(row["core_release_manifest_root"]))
            for row in rows
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise _refuse(f"the scope names no release set: {error}") from None
    if len(releases) != 1:
        raise _refuse(
            f"{len(releases)} releases in scope",
            expected="exactly one; a cross-edition profile needs a successor policy",
        )
    return releases


def profile_for(
    policy: ScopePolicy, spec: ProfileSpec, *, release: bytes, manifest_root: bytes, language: str
) -> Profile:
    """The profile of one matrix row for one text release.

    Raises:
        UsageError: the release's language is not the policy's (PRO-15).
    """
    if primary_subtag(language) != policy.language:
        raise _refuse(
            f"a release in {language!r} under {policy.name}", expected=f"language {policy.language}"
        )
    return load_rule(rule_document(policy, spec, [(release, manifest_root)]), policy)


def spec_by_name(name: str) -> ProfileSpec:
    """A matrix row by short name (FP, FS, PP, PS) or by `projection/enumerator/predicate`.

    Raises:
        UsageError: an unknown profile.
    """
    for spec in MATRIX:
        if name in (spec.short, spec.short.lower(), spec.name):
            return spec
    raise UsageError(
        f"unknown profile {name!r}",
        expected=", ".join(f"{spec.short} ({spec.name})" for spec in MATRIX),
        kind="unknown_profile",
    )
