"""A built corpus as the scorers see it: spans of bytes, and paragraphs under the name of their exact class.

Identical paragraphs are represented by the first member of their exact class, so every span is read as
*pieces*: (representative paragraph, first byte in it, end byte in it). Two spans that lie at the same place
of equal paragraphs have equal pieces, and an entry about one of them speaks of both.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path

import numpy as np

from tekrar.artifact.reader import Artifact
from tekrar.corpus.release_package import open_release

Span = tuple[int, int]
Piece = tuple[int, int, int]
#: An occurrence: its spans in text order (one, or one a paragraph).
Spans = tuple[Span, ...]

#: Share of the shorter of two occurrences that must be covered on each side.
COVER_NUMERATOR, COVER_DENOMINATOR = 1, 2


class EvaluationError(Exception):
    """An input of the evaluation that cannot be scored: names the place and how to mend it."""


def length(spans: Spans) -> int:
    """Bytes of an occurrence."""
    return sum(end - start for start, end in spans)


def enough(covered_a: int, covered_b: int, shorter: int) -> bool:
    """The overlap rule: on each side at least half of the shorter occurrence's bytes."""
    need = COVER_NUMERATOR * shorter
    return covered_a * COVER_DENOMINATOR >= need and covered_b * COVER_DENOMINATOR >= need


class Passages:
    """An opened release with its artifact.

    Attributes:
        text: the release's bytes.
        start, end: byte extents of all paragraphs, the empty ones too.
        book, ord: of each paragraph as the source gives them.
    """

    def __init__(self, release: Path, artifact: Path) -> None:
        self.release = open_release(release).release
        self.artifact = Artifact(artifact)
        self.text = self.release.text
        self.start: list[int] = self.release.paragraph_start.tolist()
        self.end: list[int] = self.release.paragraph_end.tolist()
        labels = self.release.labels
        chapter_book = self.release.chapter_book
        books = [labels.book[int(b)] for b in chapter_book[self.release.paragraph_chapter]]
        self.book: list[str | None] = books
        self.ord: list[int | None] = list(labels.ord)
        self._place = {(b, o): i for i, (b, o) in enumerate(zip(books, self.ord, strict=True))}
        self._by_ord = {o: i for i, o in enumerate(self.ord)}

    @cached_property
    def representative(self) -> list[int]:
        """Per paragraph the first paragraph of its exact class (FP), or itself."""
        found = list(range(len(self.start)))
        profile = self.artifact.profile("FP")
        ordinal = self.artifact.paragraphs["ordinal"].tolist()
        offset, rows = profile.members
        for low, high in zip(offset[:-1].tolist(), offset[1:].tolist(), strict=True):
            first = ordinal[int(rows[low])]
            for row in rows[low:high].tolist():
                found[ordinal[row]] = first
        return found

    def paragraph(self, ord_: int, book: str | None = None) -> int:
        """The paragraph of a source number; with a book where the numbering starts again in each.

        Raises:
            EvaluationError: the corpus has no such paragraph.
        """
        found = self._by_ord.get(ord_) if book is None else self._place.get((book, ord_))
        if found is None:
            raise EvaluationError(
                f"the corpus has no paragraph {book or ''} {ord_} that the gold set names; build it from the "
                "source that the gold set was made for"
            )
        return found

    def extent(self, paragraph: int) -> Span:
        """First and end byte of a paragraph."""
        return self.start[paragraph], self.end[paragraph]

    def inside(self, paragraph: int, start: int, end: int) -> Span:
        """A span given by offsets inside a paragraph."""
        base = self.start[paragraph]
        return base + start, base + end

    def touched(self, span: Span) -> range:
        """Paragraphs that a span has bytes of."""
        return range(bisect_right(self.end, span[0]), max(0, bisect_left(self.start, span[1])))

    def pieces(self, spans: Sequence[Span]) -> list[Piece]:
        """The pieces of spans; separators between paragraphs belong to none."""
        found = []
        for span in spans:
            for number in self.touched(span):
                base = self.start[number]
                low, high = max(span[0], base), min(span[1], self.end[number])
                if high > low:
                    found.append((self.representative[number], low - base, high - base))
        return found

    @cached_property
    def _class_of(self) -> dict[str, list[int]]:
        found = {}
        for short in ("FP", "FS", "PP", "PS"):
            profile = self.artifact.profile(short)
            column = np.full(profile.rows, -1, np.int64)
            column[profile.matched["row"]] = profile.matched["class"]
            found[short] = column.tolist()
        return found

    @cached_property
    def _units(self) -> tuple[list[int], ...]:
        units, sentences = self.artifact.paragraphs, self.artifact.sentences
        return (
            units["start"].tolist(),
            units["end"].tolist(),
            sentences["start"].tolist(),
            sentences["end"].tolist(),
            sentences["reach"].tolist(),
            self.artifact.profile("FS").first_row.tolist(),
        )

    def classes(self, spans: Spans) -> dict[tuple[str, int], list[Span]]:
        """Exact classes with a member wholly inside an occurrence's outer extent, and those members."""
        para_start, para_end, start, end, reach, first_row = self._units
        low, high = spans[0][0], spans[-1][1]
        found: dict[tuple[str, int], list[Span]] = defaultdict(list)
        for row in range(bisect_left(para_start, low), bisect_right(para_end, high)):
            for short in ("FP", "PP"):
                number = self._class_of[short][row]
                if number >= 0:
                    found[short, number].append((para_start[row], para_end[row]))
        last = bisect_right(end, high)
        for i in range(bisect_left(start, low), last):
            for count in range(2, min(last - i, int(reach[i])) + 1):
                row = first_row[i] + count - 2
                for short in ("FS", "PS"):
                    number = self._class_of[short][row]
                    if number >= 0:
                        found[short, number].append((start[i], end[i + count - 1]))
        return found


def union(spans: Sequence[Span]) -> int:
    """Bytes in the union of spans."""
    total, at = 0, -1
    for low, high in sorted(spans):
        low = max(low, at)
        if high > low:
            total += high - low
            at = high
    return total
