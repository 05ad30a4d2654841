"""Coverage counted from a profile's manifests, and the root list and root of an artifact."""

from __future__ import annotations

from collections.abc import Sequence

from tekrar.build.certified import CertifiedRelease
from tekrar.build.certify import RECORDS
from tekrar.build.result import ProfileResult
from tekrar.build.roots import PROFILE_KINDS
from tekrar.core.coverage import Coverage, exact_status
from tekrar.core.encoding import manifest_root, no_scope, u32
from tekrar.core.text import DATASETS


def coverage_of(result: ProfileResult) -> Coverage:
    """Coverage counted from the manifests of one profile (COV-12, DOM-09)."""
    part, classes = result.partition, result.classes
    exclusions = len(getattr(result.universe, "empty", ()))
    dominated = int(classes.is_dominated.sum())
    status = exact_status(part, validation=result.validation, required=RECORDS)
    return Coverage(
        profile=result.profile.spec.short,
        enumerator=result.profile.spec.enumerator,
        status=status,
        inventory=result.rows + exclusions,
        emitted=result.rows,
        enumeration_exclusions=exclusions,
        counts={
            "matched": len(part.matched),
            "evaluated_unique": len(part.unique),
            "not_evaluated": len(part.not_evaluated),
            "excluded": len(part.excluded),
            "failed": len(part.failed),
            "published_items": len(part.published),
            "dominated_items": len(part.dominated),
            "provisional_items": len(part.provisional),
            "discovered_classes": len(classes.id),
            "published_classes": len(classes.id) - dominated if len(classes.id) else 0,
            "dominated_classes": dominated,
            "provisional_groups": len(classes.groups) if result.partial else 0,
            "rejected_candidates": 0,
        },
    )


def artifact_roots(certified: CertifiedRelease, results: Sequence[ProfileResult]) -> list[tuple[str, bytes]]:
    """(name, root) of everything an artifact binds, in the order of `docs/encoding.md` section 8."""
    rows = [("text-release", certified.manifest_root)]
    rows += [(f"dataset/{k.replace('_', '-')}", certified.dataset_roots[k]) for k in DATASETS]
    rows.append(("policy", certified.policy.digest))
    kinds = [
        *PROFILE_KINDS,
        *("dataset-" + k.replace("_", "-") for k in DATASETS),
        "validation",
        "compiler",
    ]
    for result in results:
        rows += [(f"{result.profile.spec.name}/{kind}", result.roots[kind]) for kind in kinds]
    return rows


def artifact_root(roots: Sequence[tuple[str, bytes]]) -> bytes:
    """Root over the named roots, by position and name."""
    return manifest_root(
        "artifact",
        no_scope(),
        ((u32(i) + name.encode("ascii"), root) for i, (name, root) in enumerate(roots)),
    )
