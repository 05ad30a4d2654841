"""Places of rows: books, chapters, paragraphs, byte ranges, exact text and context (contract C10).

Source values (`chapter`, `para`, `ord`, `end_ord`) are shown as the source gave them; `chapter_no`,
`para_no` and `sentence` are our own ordinals from 1. Everything is computed for many rows at once; texts
are cut from the release bytes and never stored (CORE-06).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.address import Address, book_names
from tekrar.core.identity import uuid_text
from tekrar.core.text import TextRelease
from tekrar.view.profile import ProfileView

Ints = NDArray[np.int64]


class Places:
    """The tree of a release, for looking rows up in it."""

    def __init__(self, release: TextRelease) -> None:
        self.release = release
        self.books = book_names(release)
        paragraphs = np.arange(len(release.paragraph_sentences))
        self.sentence_paragraph: Ints = np.repeat(paragraphs, release.paragraph_sentences)
        self.paragraph_chapter = release.paragraph_chapter
        self.chapter_book = release.chapter_book

    def sentences(self, view: ProfileView, rows: Ints) -> tuple[Ints, Ints]:
        """First and last sentence of every row, as ordinals of the release."""
        unit, length = view.units(rows)
        if view.profile.is_runs:
            return unit, unit + length - 1
        bounds = self.release.paragraph_sentence_start
        return bounds[unit], bounds[unit + 1] - 1

    def book_of(self, view: ProfileView, rows: Ints) -> Ints:
        """Book ordinal of every row."""
        first, _ = self.sentences(view, rows)
        return self.chapter_book[self.paragraph_chapter[self.sentence_paragraph[first]]]

    def members(self, view: ProfileView, rows: Ints) -> list[dict[str, Any]]:
        """The member records of contract C10, in the order of the rows."""
        release, labels = self.release, self.release.labels
        first, last = self.sentences(view, rows)
        opening, closing = self.sentence_paragraph[first], self.sentence_paragraph[last]
        chapter = self.paragraph_chapter[opening]
        book = self.chapter_book[chapter]
        start, end = release.sentence_start[first], release.sentence_end[last]
        columns = {
            "id": [uuid_text(value.tobytes()) for value in view.ids[rows]],
            "book": [labels.book[b] for b in book.tolist()],
            "chapter": [labels.chapter_number[c] for c in chapter.tolist()],
            "para": [labels.para[p] for p in opening.tolist()],
            "ord": [labels.ord[p] for p in opening.tolist()],
            "end_ord": [labels.ord[p] for p in closing.tolist()],
            "chapter_no": (chapter - release.book_chapter_start[book] + 1).tolist(),
            "para_no": (opening - release.chapter_paragraph_start[chapter] + 1).tolist(),
            "sentence": (first - release.chapter_sentence_start[chapter] + 1).tolist(),
            "start": start.tolist(),
            "end": end.tolist(),
            "para_start": (start - release.paragraph_start[opening]).tolist(),
            "para_end": (end - release.paragraph_start[closing]).tolist(),
        }
        names = tuple(columns)
        return [dict(zip(names, values, strict=True)) for values in zip(*columns.values(), strict=True)]

    def addresses(self, view: ProfileView, rows: Ints) -> list[Address]:
        """Address of every row."""
        release = self.release
        first, last = self.sentences(view, rows)
        opening = self.sentence_paragraph[first]
        chapter = self.paragraph_chapter[opening]
        book = self.chapter_book[chapter]
        number = chapter - release.book_chapter_start[book] + 1
        if view.profile.is_runs:
            start, length = first - release.chapter_sentence_start[chapter] + 1, last - first + 1
        else:
            start, length = (
                opening - release.chapter_paragraph_start[chapter] + 1,
                np.zeros(len(rows), np.int64),
            )
        columns = (book.tolist(), number.tolist(), start.tolist(), length.tolist())
        return [Address(self.books[b], c, s, n) for b, c, s, n in zip(*columns, strict=True)]

    def adjacent(self, view: ProfileView, rows: Ints) -> list[bool]:
        """Whether a row begins where the one before it in the list ends, or within it, in one chapter.

        A refrain or an intended repeat in a row: the rows of a class in document order.
        """
        unit, length = view.units(rows)
        first, _ = self.sentences(view, rows)
        chapter = self.paragraph_chapter[self.sentence_paragraph[first]]
        found = (unit[1:] <= (unit + length)[:-1]) & (chapter[1:] == chapter[:-1])
        return [False, *found.tolist()][: len(rows)]

    def text(self, start: int, end: int) -> str:
        """Exact text of a byte range that begins and ends between characters."""
        return self.release.text[start:end].decode("utf-8")

    def in_context(self, view: ProfileView, rows: Ints, *, sentences: int) -> list[dict[str, str]]:
        """Exact text of rows with at most so many sentences of their chapter on either side.

        Returns:
            before, text and after, separators included: joined they are one stretch of the release.
        """
        release = self.release
        first, last = self.sentences(view, rows)
        chapter = self.paragraph_chapter[self.sentence_paragraph[first]]
        bounds = release.chapter_sentence_start
        opening = np.maximum(bounds[chapter], first - sentences)
        closing = np.minimum(bounds[chapter + 1] - 1, last + sentences)
        edges = (
            release.sentence_start[opening],
            release.sentence_start[first],
            release.sentence_end[last],
            release.sentence_end[closing],
        )
        return [
            {"before": self.text(a, b), "text": self.text(b, c), "after": self.text(c, d)}
            for a, b, c, d in zip(*(edge.tolist() for edge in edges), strict=True)
        ]


def containing(text: bytes, needle: bytes) -> Callable[[Ints, Ints], NDArray[np.bool_]]:
    """A test whether byte ranges of the text hold a string; all its places are found once."""
    found = []
    at = text.find(needle)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + 1)
    places = np.array([*found, len(text) + 1], np.int64)

    def holds(start: Ints, end: Ints) -> NDArray[np.bool_]:
        return np.asarray(places[np.searchsorted(places, start)] + len(needle) <= end)

    return holds
