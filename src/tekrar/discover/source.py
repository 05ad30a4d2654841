"""What discovery reads: the non-empty paragraphs of a release, their tokens, and their exact classes.

Identical paragraphs are represented by the first member of their exact class under the profile FP (whole
paragraph, full context): no pair is generated between identical passages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.core.text import TextRelease
from tekrar.discover.tokens import Tokens, tokenize
from tekrar.errors import IntegrityError

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Source:
    """Columns of one release for discovery; a row is a non-empty paragraph, in document order.

    Attributes:
        release: the text release.
        ordinal: paragraph ordinal in the release per row.
        start, end: byte span per row.
        book, chapter: ordinals per row.
        exact: exact class number per row, -1 where the paragraph is unique.
        first: the row that stands for each row: itself, or the first member of its class.
        tokens: tokens of all rows.
        class_id: class UUID bytes by class number, shape (classes, 16).
    """

    release: TextRelease
    ordinal: Ints
    start: Ints
    end: Ints
    book: Ints
    chapter: Ints
    exact: Ints
    first: Ints
    tokens: Tokens
    class_id: NDArray[np.uint8]

    @property
    def rows(self) -> int:
        """Number of non-empty paragraphs."""
        return len(self.ordinal)

    def members(self) -> tuple[Ints, Ints]:
        """Rows by exact class: (offsets with a final total, rows ascending inside a class)."""
        rows = np.flatnonzero(self.exact >= 0)
        order = np.argsort(self.exact[rows], kind="stable")
        size = np.bincount(self.exact[rows], minlength=len(self.class_id))
        return np.concatenate([[0], np.cumsum(size)]).astype(np.int64), rows[order]


def read_source(artifact: Artifact, release: TextRelease, *, text_release: str) -> Source:
    """Columns of an artifact and the release it was built from.

    Args:
        artifact: an opened artifact.
        release: the release's columns.
        text_release: UUID text of that release.

    Raises:
        IntegrityError: the artifact was built from another release.
    """
    if artifact.text_release != text_release:
        raise IntegrityError(
            f"the artifact was built from text release {artifact.text_release}",
            where=str(artifact.path),
            expected=f"an artifact of {text_release}",
            mend="give the release package that `tekrar build` read",
            kind="another_release",
        )
    profile = artifact.profile("FP")
    units = artifact.paragraphs
    ordinal = units["ordinal"].astype(np.int64)
    exact = np.full(len(ordinal), -1, np.int64)
    exact[profile.matched["row"]] = profile.matched["class"]
    first = np.arange(len(ordinal), dtype=np.int64)
    offset, rows = profile.members
    matched = exact >= 0
    if len(rows):
        first[matched] = rows[offset[exact[matched]]]
    return columns(release, ordinal, exact, first, profile.table("class-ids")["class"])


def columns(release: TextRelease, ordinal: Ints, exact: Ints, first: Ints, class_id: NDArray[Any]) -> Source:
    """Columns from a release and the classes of its non-empty paragraphs."""
    start, end = release.paragraph_start[ordinal], release.paragraph_end[ordinal]
    chapter = release.paragraph_chapter[ordinal]
    return Source(
        release=release,
        ordinal=ordinal,
        start=start,
        end=end,
        book=release.chapter_book[chapter],
        chapter=chapter,
        exact=exact,
        first=first,
        tokens=tokenize(release.text, start, end, language=release.language),
        class_id=class_id,
    )
