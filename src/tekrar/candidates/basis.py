"""What candidates are made from: an artifact with its release, opened, bound to each other, tokenized."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact, ArtifactProfile
from tekrar.core.candidate.record import sha
from tekrar.core.candidate.roots import features_root
from tekrar.core.encoding import u32
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import MATRIX
from tekrar.corpus.release_package import OpenRelease, open_release
from tekrar.discover.source import Source, read_source
from tekrar.errors import IntegrityError

#: Candidates are made under this profile: whole paragraph, full context.
PROFILE: Final = "FP"
_SPEC: Final = next(spec for spec in MATRIX if spec.short == PROFILE)


@dataclass(frozen=True)
class Basis:
    """An artifact and the release it was built from.

    Attributes:
        artifact: the opened artifact, its file digests checked.
        opened: the opened release, its roots recomputed.
        source: what discovery reads.
    """

    artifact: Artifact
    opened: OpenRelease
    source: Source

    @property
    def profile(self) -> ArtifactProfile:
        """The profile whose occurrences are participants."""
        return self.artifact.profile(PROFILE)

    @cached_property
    def profile_id(self) -> bytes:
        """Its repetition-profile UUID (16 bytes)."""
        return parse_uuid(str(self.profile.manifest["id"]))

    @property
    def predicate(self) -> str:
        """Its predicate token."""
        return _SPEC.predicate

    @cached_property
    def occurrence(self) -> NDArray[np.uint8]:
        """Occurrence UUIDs by row, shape (rows, 16)."""
        return np.asarray(self.profile.occurrences["occurrence"])

    @cached_property
    def fingerprint(self) -> NDArray[np.uint8]:
        """Exact fingerprints by row, shape (rows, 32)."""
        return np.asarray(self.profile.occurrences["fingerprint"])

    @cached_property
    def fingerprints_root(self) -> bytes:
        """Root of the profile's exact fingerprints: its evidence, as the artifact states it."""
        wanted = f"{_SPEC.projection}/{_SPEC.enumerator}/{_SPEC.predicate}/evidence"
        return dict(self.artifact.roots)[wanted]

    @cached_property
    def features_root(self) -> bytes:
        """Root of the folded tokens that are compared."""
        return features_root(self._rows())

    def _rows(self) -> Iterator[tuple[int, bytes]]:
        tokens = self.source.tokens
        words = tokens.word.astype(">u4")
        bounds = tokens.first.tolist()
        for row, (low, high) in enumerate(pairwise(bounds)):
            yield row, u32(high - low) + sha(words[low:high].tobytes())


def open_basis(artifact: Path, release: Path) -> Basis:
    """Open an artifact and its release and tokenize the text.

    Raises:
        NotFoundError: nothing at a path.
        IntegrityError: a package is altered, or the artifact was built from another release.
    """
    built = Artifact(artifact)
    built.package.check_transport()
    opened = open_release(release)
    stated = built.manifest["release"]
    found = {
        "text_release": str(opened.package_manifest["text_release"]),
        "certified_digest": opened.certified.hex(),
        "core_release_manifest_root": opened.manifest_root.hex(),
    }
    for key, value in found.items():
        if stated.get(key) != value:
            raise IntegrityError(
                "the artifact was built from another text release",
                where=f"{opened.path}: {key} {value}",
                expected=f"{key} {stated.get(key)}, as {built.path} states",
                mend="name the release the artifact was built from, or build this release",
                kind="other_release",
            )
    return Basis(built, opened, read_source(built, opened.release, text_release=found["text_release"]))
