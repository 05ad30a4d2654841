"""The full verification: an artifact against its text release.

Serves ADR-009 *Publication and rebuild closure* and the publication half of *Complete work partition*. It
shares no pipeline code with the build (an import contract) and takes the plain path: `hashlib`, numpy, one
process.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import PROFILE_TABLES
from tekrar.core.annotation import check_datasets
from tekrar.core.policy import FULL_CONTEXT, MATRIX, RUNS, ProfileSpec
from tekrar.core.release import dataset_root
from tekrar.corpus.release_package import open_release
from tekrar.verify.columns import check_names, check_provenance, compare_table, stated_columns
from tekrar.verify.document import (
    absent_records,
    check_release,
    compare_document,
    compiler_values,
    frame,
    head_roots,
    profile_record,
    release_facts,
    root_name,
    validation_records,
)
from tekrar.verify.logical import KINDS, LogicalProfile
from tekrar.verify.numbering import number_as, witness_tables
from tekrar.verify.projection import projection_root
from tekrar.verify.recompute import Basis, Recomputed, recompute
from tekrar.verify.result import Findings, Verification

Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Say nothing."""


def verify_full(artifact_path: Path, release_path: Path, *, progress: Progress = _silent) -> Verification:
    """Recompute an artifact from its text release alone and compare everything.

    Args:
        artifact_path: the artifact.
        release_path: the text-release package it was built from.
        progress: called with steps done and in all.

    Raises:
        NotFoundError: nothing at a path.
        IntegrityError: a package is damaged (the file is named), or the artifact is another release's.
        ArtifactDiffers: a value does not follow from the release; the first one is named.
    """
    artifact = Artifact(artifact_path)
    opened = open_release(release_path, check=True)
    check_release(artifact.manifest, opened, where=f"{artifact_path}/manifest.json")
    artifact.package.check_transport()
    check_names(artifact)
    check_provenance(artifact)
    certified = opened.certified
    check_datasets(opened.release, certified=certified)
    findings = Findings()
    basis = Basis(opened)
    steps = 2 + len(MATRIX)
    progress(1, steps)
    for name, columns in basis.common_tables():
        compare_table(findings, name, expected=columns, stated=stated_columns(artifact, name))
    progress(2, steps)
    checker = _Checker(artifact, basis, findings)
    for done, spec in enumerate(MATRIX, start=3):
        checker.profile(spec)
        progress(done, steps)
    checker.document()
    findings.raise_if_any(where=str(artifact_path))
    return Verification(
        mode="full",
        artifact=str(artifact_path),
        release=str(release_path),
        artifact_root=artifact.artifact_root,
        roots=findings.roots,
        rows=findings.rows,
        status={short: row["coverage"]["exact_status"] for short, row in checker.profiles.items()},
    )


class _Checker:
    """Walks the four profiles in matrix order and gathers what the manifest document should say."""

    def __init__(self, artifact: Artifact, basis: Basis, findings: Findings) -> None:
        self.artifact = artifact
        self.basis = basis
        self.findings = findings
        self.profiles: dict[str, dict[str, Any]] = {}
        release = basis.opened.release
        self.datasets = {
            "dataset-" + kind.replace("_", "-"): dataset_root(dataset, release=basis.opened.id)
            for kind, dataset in release.datasets.items()
            if dataset is not None
        }
        self.roots = head_roots(basis.opened.manifest_root, basis.policy, self.datasets)
        self.missing: dict[str, NDArray[np.bool_]] = {}

    def profile(self, spec: ProfileSpec) -> None:
        """Recompute one profile, compare its tables, gather its roots and document."""
        short = spec.short
        stated = {name: stated_columns(self.artifact, f"{short}/{name}") for name in PROFILE_TABLES}
        found, missing = recompute(
            self.basis,
            spec,
            stated,
            missing_elsewhere=self.missing.get(spec.enumerator),
            findings=self.findings,
        )
        if spec.projection == FULL_CONTEXT:
            self.missing[spec.enumerator] = missing
        mapped = number_as(
            found.witnesses,
            stated["occurrences"],
            len(stated["witnesses"]["root"]),
            profile=short,
            findings=self.findings,
        )
        column, roots, table, spans = witness_tables(found.witnesses, mapped)
        found.tables["occurrences"]["witness"] = column
        found.tables |= {"witnesses": roots, "witness-spans": table}
        for name in _TOLD_FIRST + tuple(sorted(set(PROFILE_TABLES) - set(_TOLD_FIRST))):
            compare_table(
                self.findings, f"{short}/{name}", expected=found.tables[name], stated=stated.pop(name)
            )
        view = LogicalProfile(
            spec=spec,
            id=found.profile.id,
            partial=found.states.partial,
            universe=found.universe,
            selection=found.selection,
            tables=found.tables,
            spans=spans,
            empty=self.basis.empty if spec.enumerator != RUNS else np.zeros(0, np.int64),
            validation={},
            compiler=compiler_values(),
            dataset_roots=self.datasets,
        )
        self._gather(view, found)

    def _gather(self, view: LogicalProfile, found: Recomputed) -> None:
        spec = view.spec
        evidence = view.root("evidence")
        records = validation_records(
            self.basis.policy,
            found.profile.rule,
            certified=self.basis.opened.certified,
            emitted=len(view.universe),
            exclusions=len(view.empty),
            evidence=evidence,
        )
        absent = absent_records(found.states.failed_code)
        view.validation = {name: value for name, value in records.items() if name not in absent}
        for kind in KINDS:
            root = evidence if kind == "evidence" else view.root(kind)
            self.roots.append((root_name(spec, kind), root))
        self.profiles[spec.short] = profile_record(
            found.profile,
            view,
            projection=projection_root(self.basis.spans(spec.projection), projection=spec.projection),
            classes=len(found.classes.size),
            dominated_classes=int((found.classes.winner >= 0).sum()),
        )

    def document(self) -> None:
        """Compare the manifest document."""
        expected = frame(release_facts(self.basis.opened), self.basis.policy, self.profiles, self.roots)
        compare_document(self.findings, expected, self.artifact.manifest)


#: Order in which a profile's tables are told: what is wrong with an item before what follows from it.
_TOLD_FIRST = (
    "excluded",
    "failed",
    "not-evaluated",
    "witnesses",
    "witness-spans",
    "occurrences",
    "matched",
    "evaluated-unique",
    "classes",
    "published",
    "dominated",
)
