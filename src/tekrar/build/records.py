"""The validation records of one profile, and the roots and counts that come last (ADR-009 *Exact
comparison*)."""

from __future__ import annotations

from typing import Any, Final

from tekrar.build.certified import CertifiedRelease
from tekrar.build.certify import (
    RECORDS,
    certify_inventory,
    certify_profile,
    compiler_root,
    validation_root,
    vectors_digest,
)
from tekrar.build.outcome import coverage_of
from tekrar.build.result import ProfileResult
from tekrar.core.policy import FAILURE_CODES
from tekrar.core.profile import Profile
from tekrar.core.text import DATASETS
from tekrar.errors import IntegrityError

#: Records that must be there before a class is accepted; the last is written once its bytes were compared.
ACCEPTANCE: Final = RECORDS[:-1]


def validation_records(
    profile: Profile, universe: Any, certified: CertifiedRelease, *, missing: bool
) -> dict[str, bytes]:
    """The records whose checks passed, before any class is accepted (CL-05).

    Args:
        profile: the profile.
        universe: its paragraphs or runs.
        certified: the certified release.
        missing: whether an item failed for missing bytes; then the release's record is withheld.
    """
    records = {
        "profile": certify_profile(certified.policy, profile),
        "inventory-count": certify_inventory(certified.release, universe),
        "compiler-vectors": vectors_digest(),
    }
    if not missing:
        records["text-release"] = certified.certified
    return records


def finish_result(result: ProfileResult, certified: CertifiedRelease, *, committed: bytes) -> None:
    """The last validation record, the remaining roots, and the status.

    Raises:
        IntegrityError: the work universe is not the one that was rooted before evaluation (COV-01).
    """
    if result.roots["work"] != committed:
        raise IntegrityError(
            "the work universe changed while it was evaluated",
            where=f"profile {result.profile.spec.short}",
            expected=f"work root {committed.hex()}, found {result.roots['work'].hex()}",
            mend="build again; if it happens again, report it",
            kind="work_root",
        )
    if not (result.partition.failure == FAILURE_CODES["digest_collision"]).any():
        result.validation["preimages-verified"] = result.roots["evidence"]
    for kind in DATASETS:
        result.roots["dataset-" + kind.replace("_", "-")] = certified.dataset_roots[kind]
    result.roots["validation"] = validation_root(result.profile, result.validation)
    result.roots["compiler"] = compiler_root()
    result.coverage = coverage_of(result)
