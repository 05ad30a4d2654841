"""The validation records of one evaluated profile, and the roots and counts that come last (ADR-009 *Exact
comparison*)."""

from __future__ import annotations

from tekrar.build.certified import CertifiedRelease
from tekrar.build.certify import (
    certify_inventory,
    certify_profile,
    compiler_root,
    validation_root,
    vectors_digest,
)
from tekrar.build.outcome import coverage_of
from tekrar.build.result import ProfileResult
from tekrar.core.policy import FAILURE_CODES
from tekrar.core.text import DATASETS


def certify_result(result: ProfileResult, certified: CertifiedRelease) -> None:
    """Write the validation records whose checks passed."""
    records = {
        "profile": certify_profile(certified.policy, result.profile),
        "inventory-count": certify_inventory(certified.release, result.universe),
        "compiler-vectors": vectors_digest(),
    }
    if not (result.partition.failure == FAILURE_CODES["missing_witness_bytes"]).any():
        records["text-release"] = certified.certified
    result.validation.update(records)


def finish_result(result: ProfileResult, certified: CertifiedRelease) -> None:
    """The last validation record, the remaining roots, and the status; after the fifteen roots are there."""
    if not (result.partition.failure == FAILURE_CODES["digest_collision"]).any():
        result.validation["preimages-verified"] = result.roots["evidence"]
    for kind in DATASETS:
        result.roots["dataset-" + kind.replace("_", "-")] = certified.dataset_roots[kind]
    result.roots["validation"] = validation_root(result.profile, result.validation)
    result.roots["compiler"] = compiler_root()
    result.coverage = coverage_of(result)
