"""An artifact opened together with the text release it was built from.

The reader names both; nothing is remembered between commands. Bytes of both packages are hashed against
their file lists and the release's roots are recomputed, so what is shown is what is stored; `tekrar
verify` proves that what is stored is right.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Final

import numpy as np

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import PROFILES
from tekrar.core.text import TextRelease
from tekrar.corpus.release_package import OpenRelease, open_release
from tekrar.errors import IntegrityError, UsageError
from tekrar.view.places import Places
from tekrar.view.profile import ProfileView

#: What the artifact states of its release, and where the release package states the same.
_BOUND: Final = ("text_release", "certified_digest", "core_release_manifest_root")


@dataclass(frozen=True)
class Corpus:
    """An artifact and, when it was named, its release.

    Attributes:
        artifact: the opened artifact, its file digests checked.
        opened: the opened release, its roots recomputed; None when no release was named.
    """

    artifact: Artifact
    opened: OpenRelease | None
    _views: dict[str, ProfileView] = field(default_factory=dict, repr=False)

    @property
    def release(self) -> TextRelease:
        """The release's columns.

        Raises:
            UsageError: no release was named.
        """
        if self.opened is None:
            raise UsageError(
                "texts and places stand in the text release, which was not named",
                expected=f"the release {self.artifact.text_release}",
                mend="give --release RELEASE",
                kind="release_needed",
            )
        return self.opened.release

    @cached_property
    def places(self) -> Places:
        """Books, chapters, paragraphs and texts of rows.

        Raises:
            UsageError: no release was named.
        """
        return Places(self.release)

    def view(self, short: str) -> ProfileView:
        """One profile by its short name.

        Raises:
            UsageError: an unknown profile.
        """
        if short not in self._views:
            self._views[short] = ProfileView(self.artifact.profile(short))
        return self._views[short]

    def views(self, short: str | None = None) -> list[ProfileView]:
        """The named profile, or all four in matrix order."""
        return [self.view(short)] if short else [self.view(name) for name in PROFILES]


def open_corpus(artifact: Path, release: Path | None = None) -> Corpus:
    """Open an artifact for reading, with its release when texts or places are wanted.

    Raises:
        NotFoundError: nothing at a path.
        IntegrityError: a package is altered, or the release is not the one the artifact was built from.
    """
    opened = Artifact(artifact)
    opened.package.check_transport()
    if release is None:
        return Corpus(opened, None)
    text = open_release(release)
    _check_bound(opened, text)
    return Corpus(opened, text)


def _check_bound(artifact: Artifact, opened: OpenRelease) -> None:
    found = {
        "text_release": str(opened.package_manifest["text_release"]),
        "certified_digest": opened.certified.hex(),
        "core_release_manifest_root": opened.manifest_root.hex(),
    }
    stated = artifact.manifest["release"]
    for key in _BOUND:
        if stated.get(key) != found[key]:
            raise IntegrityError(
                "the artifact was built from another text release",
                where=f"{opened.path}: {key} {found[key]}",
                expected=f"{key} {stated.get(key)}, as {artifact.path} states",
                mend="name the release the artifact was built from, or build this release",
                kind="other_release",
            )
    release = opened.release
    for name, ours, theirs in (
        ("units/sentences", release.sentence_start, artifact.sentences["start"]),
        ("units/sentences", release.sentence_end, artifact.sentences["end"]),
        ("units/paragraphs", np.flatnonzero(release.paragraph_sentences > 0), artifact.paragraphs["ordinal"]),
    ):
        if not np.array_equal(ours, theirs):
            raise IntegrityError(
                "the artifact's units are not those of its release",
                where=f"{artifact.path}: {name}",
                expected="the sentences and paragraphs of the release",
                mend="verify the artifact, and build it again",
                kind="units_differ",
            )
