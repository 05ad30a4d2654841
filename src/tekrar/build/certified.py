"""A text release whose stated roots were recomputed in this very process: what every build starts from."""

from __future__ import annotations

from dataclasses import dataclass

from tekrar.build.source import Witness
from tekrar.core.annotation import check_datasets
from tekrar.core.policy import ScopePolicy, scope_policy
from tekrar.core.release import core_manifest, dataset_root, manifest_root_of, release_id
from tekrar.core.rows import TextDigests
from tekrar.core.text import DATASETS, Dataset, TextRelease
from tekrar.errors import IntegrityError


@dataclass(frozen=True)
class CertifiedRelease:
    """A release whose stated roots were recomputed in this process."""

    release: TextRelease
    id: bytes
    manifest_root: bytes
    certified: bytes
    datasets: dict[str, Dataset]
    dataset_roots: dict[str, bytes]
    policy: ScopePolicy


def certify_release(
    release: TextRelease, witness: Witness, *, stated: dict[str, bytes], digests: TextDigests
) -> CertifiedRelease:
    """Recompute every root of the release and compare it with what its package states.

    Args:
        stated: certified digest, manifest root and release ID by the keys certified, manifest_root, id;
            dataset roots by headings, note_bodies, note_markers where they are known.

    Raises:
        IntegrityError: a digest or root differs, a dataset is missing, stale or of bad geometry.
    """
    release.check_tiling()
    witness.certify(release, certified=stated["certified"], digests=digests)
    root = manifest_root_of(core_manifest(release, certified=stated["certified"]))
    identity = release_id(release, manifest_root=root)
    for name, found in (("manifest_root", root), ("id", identity)):
        if found != stated[name]:
            raise IntegrityError(
                f"the release's {name} is not what its columns give",
                where="text release",
                expected=f"{found.hex()}, stated {stated[name].hex()}",
                mend="import the source again",
                kind="release_root",
            )
    datasets = check_datasets(release, certified=stated["certified"])
    roots = {kind: dataset_root(datasets[kind], release=identity) for kind in DATASETS}
    for kind, found in roots.items():
        if stated.get(kind, found) != found:
            raise IntegrityError(
                f"the annotation dataset {kind} does not have its stated root",
                where=f"dataset {kind}",
                expected=f"{stated[kind].hex()}, found {found.hex()}",
                mend="import the source again",
                kind="dataset_root",
            )
    return CertifiedRelease(
        release, identity, root, stated["certified"], datasets, roots, scope_policy(release.language)
    )
