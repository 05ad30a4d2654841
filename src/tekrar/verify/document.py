"""The manifest document an artifact should have, and its comparison with the one it has."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Any, Final

from numpy.typing import NDArray

from tekrar.artifact.schema import FORMAT
from tekrar.core.encoding import Json, canonical_json, manifest_root, no_scope, u32
from tekrar.core.identity import identity_release_key
from tekrar.core.policy import FAILURE_CODES, MATRIX, PARAGRAPHS, ProfileSpec, ScopePolicy
from tekrar.core.profile import Profile
from tekrar.corpus.release_package import OpenRelease
from tekrar.errors import IntegrityError
from tekrar.verify.logical import PARTS, LogicalProfile
from tekrar.verify.result import Findings
from tekrar.verify.uuid5 import uuid_text

ENCODING: Final = "1"
NAME: Final = "tekrar"
_RECORD_OF_FAILURE: Final = {
    FAILURE_CODES["missing_witness_bytes"]: "text-release",
    FAILURE_CODES["digest_collision"]: "preimages-verified",
}


def vectors_digest() -> bytes:
    """SHA-256 of the encoding's vector file as shipped."""
    return hashlib.sha256(files("tekrar.core").joinpath("data/vectors.json").read_bytes()).digest()


def compiler_values() -> dict[str, bytes]:
    """The compiler records (AMB-52): nothing of a library, host or time."""
    return {"encoding": ENCODING.encode(), "name": NAME.encode(), "vectors": vectors_digest()}


def root_name(spec: ProfileSpec, kind: str) -> str:
    """Name of a profile's root under the artifact root."""
    return f"{spec.projection}/{spec.enumerator}/{spec.predicate}/{kind}"


def head_roots(
    release_root: bytes, policy: ScopePolicy, datasets: Mapping[str, bytes]
) -> list[tuple[str, bytes]]:
    """The roots that stand before the profiles': core release manifest root, datasets, policy."""
    return [
        ("text-release", release_root),
        ("dataset/headings", datasets["dataset-headings"]),
        ("dataset/note-bodies", datasets["dataset-note-bodies"]),
        ("dataset/note-markers", datasets["dataset-note-markers"]),
        ("policy", policy.digest),
    ]


def artifact_root(roots: list[tuple[str, bytes]]) -> bytes:
    """The artifact root over named roots in their order."""
    return manifest_root(
        "artifact",
        no_scope(),
        ((u32(i) + name.encode("ascii"), root) for i, (name, root) in enumerate(roots)),
    )


def inventory_digest(emitted: int, exclusions: int) -> bytes:
    """Digest of the inventory counts."""
    counts: Json = {
        "emitted": emitted,
        "enumeration_exclusions": exclusions,
        "inventory": emitted + exclusions,
    }
    return hashlib.sha256(canonical_json(counts)).digest()


def coverage(
    spec: ProfileSpec,
    counts: Mapping[str, int],
    *,
    exclusions: int,
    classes: int,
    dominated_classes: int,
    partial: bool,
) -> dict[str, Any]:
    """The coverage record of a profile from the sizes of its parts (COV-12, DOM-09)."""
    matched = counts["matched"]
    discovered = 0 if partial else classes
    exclusions = exclusions if spec.enumerator == PARAGRAPHS else 0
    return {
        "profile": spec.short,
        "enumerator": spec.enumerator,
        "emitted": counts["emitted"],
        "enumeration_exclusions": exclusions,
        "inventory": counts["emitted"] + exclusions,
        "matched": matched,
        "evaluated_unique": counts["evaluated-unique"],
        "not_evaluated": counts["not-evaluated"],
        "failed": counts["failed"],
        "excluded": counts["excluded"],
        "published_items": counts["published"],
        "dominated_items": counts["dominated"],
        "provisional_items": counts["provisional"],
        "provisional_groups": classes if partial else 0,
        "discovered_classes": discovered,
        "dominated_classes": dominated_classes,
        "published_classes": discovered - dominated_classes,
        "rejected_candidates": 0,
        "exact_status": "partial" if partial else "complete",
        "semantic_status": "not_assessed",
    }


def absent_records(failure_codes: NDArray[Any]) -> set[str]:
    """Validation records whose check did not pass, from the codes of the profile's failed items."""
    return {record for code, record in _RECORD_OF_FAILURE.items() if (failure_codes == code).any()}


def validation_records(
    policy: ScopePolicy, rule: bytes, *, certified: bytes, emitted: int, exclusions: int, evidence: bytes
) -> dict[str, bytes]:
    """The five validation records of a profile (AMB-44), each with the digest it checked."""
    return {
        "profile": policy.digest + rule,
        "text-release": certified,
        "inventory-count": inventory_digest(emitted, exclusions),
        "compiler-vectors": vectors_digest(),
        "preimages-verified": evidence,
    }


def profile_record(
    profile: Profile,
    view: LogicalProfile,
    *,
    projection: bytes,
    classes: int,
    dominated_classes: int,
) -> dict[str, Any]:
    """What the manifest document says of a profile; `projection` is the projection's root."""
    tables = view.tables
    counts = {part: len(tables[part]["row"]) for part in (*PARTS, "published", "dominated", "provisional")}
    counts["emitted"] = len(view.universe)
    return {
        "id": uuid_text(profile.id),
        "rule": profile.rule.hex(),
        "document": profile.document,
        "partial": view.partial,
        "coverage": coverage(
            profile.spec,
            counts,
            exclusions=len(view.empty),
            classes=classes,
            dominated_classes=dominated_classes,
            partial=view.partial,
        ),
        "projection_root": projection.hex(),
        "validation": {name: value.hex() for name, value in view.validation.items()},
    }


def frame(
    release: Mapping[str, str],
    policy: ScopePolicy,
    profiles: Mapping[str, dict[str, Any]],
    roots: list[tuple[str, bytes]],
) -> dict[str, Any]:
    """The whole manifest document; `release` is what `release_facts` gives."""
    compiler = {"encoding": ENCODING, "name": NAME, "vectors": vectors_digest().hex()}
    return {
        "format": FORMAT,
        "artifact_root": artifact_root(roots).hex(),
        "compiler": compiler,
        "identity_release_key": hashlib.sha256(identity_release_key().encode("utf-8")).hexdigest(),
        "policy": {"digest": policy.digest.hex(), "language": policy.language, "name": policy.name},
        "profiles": dict(profiles),
        "release": dict(release),
        "roots": [[name, root.hex()] for name, root in roots],
    }


def release_facts(opened: OpenRelease) -> dict[str, str]:
    """What an artifact says of its text release."""
    return {
        "certified_digest": opened.certified.hex(),
        "core_release_manifest_root": opened.manifest_root.hex(),
        "edition": opened.release.edition,
        "language": opened.release.language,
        "text_release": uuid_text(opened.id),
    }


def check_release(manifest: Mapping[str, Any], opened: OpenRelease, *, where: str) -> None:
    """Refuse an artifact that was built from another release.

    Raises:
        IntegrityError: names the release it was built from.
    """
    stated = manifest.get("release")
    stated = stated if isinstance(stated, dict) else {}
    ours = uuid_text(opened.id)
    if stated.get("text_release") != ours:
        raise IntegrityError(
            f"the artifact was built from another text release, {str(stated.get('text_release'))[:80]}",
            where=where,
            expected=f"text release {ours}, as {opened.path} has it",
            mend="give the release the artifact was built from",
            kind="other_release",
        )


def compare_document(findings: Findings, expected: Mapping[str, Any], stated: Mapping[str, Any]) -> None:
    """Compare the manifest documents value by value; roots are told under their profile and kind."""
    stated_roots = stated.get("roots")
    for index, (name, root) in enumerate(expected["roots"]):
        findings.roots += 1
        row = stated_roots[index] if isinstance(stated_roots, list) and index < len(stated_roots) else None
        if row != [name, root]:
            profile, kind = _owner(name)
            findings.add(
                profile=profile,
                kind=kind,
                place=f"manifest.json roots[{index}] {name}",
                expected=root,
                found=row[1] if isinstance(row, list) and len(row) == 2 and row[0] == name else row,
            )
    if isinstance(stated_roots, list) and len(stated_roots) > len(expected["roots"]):
        findings.add(
            profile="",
            kind="document",
            place="manifest.json roots",
            expected=f"{len(expected['roots'])} roots",
            found=f"{len(stated_roots)}",
        )
    for path, ours, theirs in _leaves(expected, stated, ""):
        if path != "roots":
            parts = path.split(".")
            profile = parts[1] if parts[0] == "profiles" and len(parts) > 1 else ""
            kind = parts[2] if profile and len(parts) > 2 else "document"
            findings.add(
                profile=profile, kind=kind, place=f"manifest.json {path}", expected=ours, found=theirs
            )


def _owner(name: str) -> tuple[str, str]:
    for spec in MATRIX:
        if name.startswith(spec.name + "/"):
            return spec.short, name.rsplit("/", 1)[1]
    return "", name


def _leaves(ours: object, theirs: object, path: str) -> Iterator[tuple[str, object, object]]:
    """Paths at which two documents differ; lists are compared as one value."""
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        for key in sorted(set(ours) | set(theirs)):
            below = f"{path}.{key}" if path else str(key)
            yield from _leaves(ours.get(key, "nothing"), theirs.get(key, "nothing"), below)
    elif ours != theirs or type(ours) is not type(theirs):
        yield path, ours, theirs
