"""`verify --quick`: the artifact against itself, without the text.

Covered: the bytes of every file; every root of the manifest recomputed from the artifact's own columns, and
from them the artifact root; the partition (disjoint and exhaustive); presentation against classes; class
IDs and members digests; the mask witnesses; profiles, policy, validation records and coverage numbers. Not
covered: whether the columns follow from the text, which only the full verification can tell.
docs/verification.md says so line by line.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import MATRIX, ProfileSpec, scope_policy
from tekrar.core.profile import Profile, profile_for
from tekrar.corpus.release_package import open_release
from tekrar.errors import TekrarError
from tekrar.verify.classes import class_ids, members_digests
from tekrar.verify.columns import check_names, check_provenance, compare_table
from tekrar.verify.document import (
    absent_records,
    check_release,
    compare_document,
    frame,
    head_roots,
    profile_record,
    release_facts,
    root_name,
    validation_records,
)
from tekrar.verify.logical import DATASET_KINDS, KINDS, PARTS, LogicalProfile
from tekrar.verify.result import Findings, Verification
from tekrar.verify.stated import StatedArtifact, malformed_manifest
from tekrar.verify.witnesses import witness_root

Ints = NDArray[np.int64]


def verify_quick(artifact_path: Path, release_path: Path | None = None) -> Verification:
    """Check an artifact's files, manifests and roots against each other.

    Args:
        artifact_path: the artifact.
        release_path: a text-release package that the artifact must belong to, when one is given; its text
            is not read.

    Raises:
        NotFoundError: nothing at a path.
        IntegrityError: a file is damaged, a column makes no sense, or the artifact is another release's.
        ArtifactDiffers: columns and manifest disagree; the first place is named.
    """
    artifact = Artifact(artifact_path)
    opened = None if release_path is None else open_release(release_path, check=False)
    if opened is not None:
        check_release(artifact.manifest, opened, where=f"{artifact_path}/manifest.json")
    artifact.package.check_transport()
    check_names(artifact)
    check_provenance(artifact)
    findings = Findings()
    checker = _QuickChecker(artifact, findings)
    for spec in MATRIX:
        checker.profile(spec)
    checker.document(None if opened is None else release_facts(opened))
    findings.raise_if_any(where=str(artifact_path))
    return Verification(
        mode="quick",
        artifact=str(artifact_path),
        release="" if release_path is None else str(release_path),
        artifact_root=artifact.artifact_root,
        roots=findings.roots,
        rows=findings.rows,
        status={short: row["coverage"]["exact_status"] for short, row in checker.profiles.items()},
    )


class _QuickChecker:
    def __init__(self, artifact: Artifact, findings: Findings) -> None:
        self.artifact = artifact
        self.findings = findings
        self.stated = StatedArtifact(artifact)
        self.facts = self._release_facts()
        self.policy = scope_policy(self.facts["language"])
        self.profiles: dict[str, dict[str, Any]] = {}
        self.roots = head_roots(
            bytes.fromhex(self.facts["core_release_manifest_root"]), self.policy, self._datasets()
        )

    def _release_facts(self) -> dict[str, str]:
        row = self.artifact.manifest.get("release")
        names = ("certified_digest", "core_release_manifest_root", "edition", "language", "text_release")
        try:
            facts = {name: row[name] for name in names} if isinstance(row, dict) else {}
            parse_uuid(facts["text_release"])
            bytes.fromhex(facts["certified_digest"] + facts["core_release_manifest_root"])
            scope_policy(facts["language"])
        except (KeyError, TypeError, ValueError, TekrarError) as error:
            raise malformed_manifest(self.artifact, f"release: {error}") from None
        return facts

    def _datasets(self) -> dict[str, bytes]:
        names = {kind: "dataset/" + kind.removeprefix("dataset-") for kind in DATASET_KINDS}
        try:
            return {kind: self.stated.roots[name] for kind, name in names.items()}
        except KeyError as error:
            raise malformed_manifest(self.artifact, f"roots: {error} is missing") from None

    def _profile_of(self, spec: ProfileSpec) -> Profile:
        return profile_for(
            self.policy,
            spec,
            release=parse_uuid(self.facts["text_release"]),
            manifest_root=bytes.fromhex(self.facts["core_release_manifest_root"]),
            language=self.facts["language"],
        )

    def profile(self, spec: ProfileSpec) -> None:
        """Check one profile's columns against each other and gather its roots."""
        profile = self._profile_of(spec)
        datasets = self._datasets()
        for kind in DATASET_KINDS:
            self.stated.roots.setdefault(root_name(spec, kind), datasets[kind])
        view = self.stated.profile(spec)
        view.dataset_roots = datasets
        view.id = profile.id
        self._partition(view)
        self._classes(view, profile)
        self._witnesses(view)
        evidence = view.root("evidence")
        records = validation_records(
            self.policy,
            profile.rule,
            certified=bytes.fromhex(self.facts["certified_digest"]),
            emitted=len(view.universe),
            exclusions=len(view.empty),
            evidence=evidence,
        )
        absent = absent_records(view.tables["failed"]["code"])
        view.validation = {name: value for name, value in records.items() if name not in absent}
        for kind in KINDS:
            self.roots.append((root_name(spec, kind), evidence if kind == "evidence" else view.root(kind)))
        classes = view.tables["classes"]
        self.profiles[spec.short] = profile_record(
            profile,
            view,
            projection=_digest_of(self.artifact.manifest, spec.short),
            classes=len(classes["size"]),
            dominated_classes=int((classes["winner"] >= 0).sum()),
        )

    def _partition(self, view: LogicalProfile) -> None:
        short, tables = view.spec.short, view.tables
        self.findings.rows += len(view.universe)
        merged = np.sort(np.concatenate([tables[part]["row"] for part in PARTS]))
        self._same_rows(short, "work", "the five parts", merged, np.arange(len(view.universe)))
        shown = np.concatenate([tables[name]["row"] for name in ("published", "dominated", "provisional")])
        self._same_rows(
            short, "matched", "published, dominated and provisional", np.sort(shown), tables["matched"]["row"]
        )
        states = (tables["not-evaluated"]["row"], tables["failed"]["row"])
        partial = any(len(rows) for rows in states)
        if partial != view.partial:
            self.findings.add(
                profile=short, kind="document", place="partial", expected=partial, found=view.partial
            )
        if partial and len(tables["evaluated-unique"]["row"]):
            self.findings.add(
                profile=short,
                kind="evaluated-unique",
                place=f"{short}/evaluated-unique",
                expected="no row: nothing is certified unique in a partial profile",
                found=f"{len(tables['evaluated-unique']['row'])} rows",
            )

    def _same_rows(self, short: str, kind: str, what: str, found: Ints, expected: Ints) -> None:
        if np.array_equal(found, expected):
            return
        once, count = np.unique(found, return_counts=True)
        twice = once[count > 1]
        odd = np.setxor1d(once, expected)
        row = int(twice[0]) if len(twice) else int(odd[0])
        times = int(count[once == row][0]) if row in once else 0
        wanted = "once" if row in expected else "in none"
        self.findings.add(
            profile=short, kind=kind, place=what, row=row, expected=wanted, found=f"{times} times"
        )

    def _classes(self, view: LogicalProfile, profile: Profile) -> None:
        """Sizes, members digests and IDs from the members; one fingerprint a class; dominated as the winners
        say.
        """
        short, tables = view.spec.short, view.tables
        rows, number = tables["matched"]["row"], tables["matched"]["class"]
        classes, ids = tables["classes"], tables["class-ids"]
        size = np.bincount(number, minlength=len(classes["size"]))
        offset = np.concatenate([[0], np.cumsum(size)])
        members = rows[np.argsort(number, kind="stable")]
        compare_table(
            self.findings, f"{short}/classes", expected={"size": size}, stated={"size": classes["size"]}
        )
        self._say_rows(short, "classes", "fewer than two members", np.flatnonzero(size < 2))
        first = members[offset[:-1][size > 0]]
        fingerprint = tables["occurrences"]["fingerprint"]
        same = (fingerprint[members] == np.repeat(fingerprint[first], size[size > 0], axis=0)).all(axis=1)
        self._say_rows(short, "matched", "another fingerprint than its class", members[~same])
        if not view.partial:
            digest = members_digests(tables["occurrences"]["occurrence"][members], size, offset)
            compare_table(
                self.findings,
                f"{short}/class-ids",
                expected={"class": class_ids(profile, digest, classes["witness"]), "members": digest},
                stated=ids,
            )
        winner = classes["winner"]
        chained = np.flatnonzero((winner >= 0) & (winner[np.maximum(winner, 0)] >= 0))
        self._say_rows(short, "dominated-classes", "a winner that is dominated", chained)
        dominated = rows[winner[number] >= 0]
        compare_table(
            self.findings,
            f"{short}/dominated",
            expected={"row": dominated},
            stated=tables["dominated"],
        )

    def _say_rows(self, short: str, kind: str, what: str, rows: Ints) -> None:
        if len(rows):
            self.findings.add(
                profile=short, kind=kind, place=what, row=int(rows[0]), expected="none", found=f"{len(rows)}"
            )

    def _witnesses(self, view: LogicalProfile) -> None:
        roots = view.tables["witnesses"]["root"]
        for number, spans in enumerate(view.spans):
            try:
                root = witness_root(spans, projection=view.spec.projection)
            except (ValueError, OverflowError) as error:
                root = str(error).encode()
            if root != roots[number].tobytes():
                self.findings.add(
                    profile=view.spec.short,
                    kind="inventory",
                    place=f"{view.spec.short}/witness-spans",
                    row=number,
                    expected=roots[number].tobytes(),
                    found=root,
                )

    def document(self, release: dict[str, str] | None) -> None:
        """Compare the manifest with what the columns give; with a release, its facts too."""
        expected = frame(release or self.facts, self.policy, self.profiles, self.roots)
        compare_document(self.findings, expected, self.artifact.manifest)


def _digest_of(manifest: dict[str, Any], short: str) -> bytes:
    """The projection root as stated: no root binds it, and without the release it cannot be recomputed."""
    text = manifest["profiles"][short].get("projection_root")
    try:
        return bytes.fromhex(text) if isinstance(text, str) else b""
    except ValueError:
        return b""
