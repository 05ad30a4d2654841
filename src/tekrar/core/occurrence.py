"""The two enumerators: finite, deterministic universes over a text release (ADR-009 *Initial F6 scope
policy*).

`whole_paragraph_v1` visits every paragraph; an empty one is an enumeration exclusion. `sentence_run_2_12_v1`
emits every contiguous run of 2 to 12 sentences of a chapter, by start sentence and then run length. A row is
the position of an occurrence in that order; geometry is by stored ordinals, never derived from offsets.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.text import TextRelease

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Paragraphs:
    """Universe of `whole_paragraph_v1`.

    Attributes:
        ordinal: release ordinals of the non-empty paragraphs, one a row.
        start, end: their first and end byte.
        empty: release ordinals of the empty paragraphs, the enumeration exclusions.
    """

    ordinal: Ints
    start: Ints
    end: Ints
    empty: Ints

    @property
    def rows(self) -> int:
        """Number of occurrences."""
        return len(self.ordinal)


@dataclass(frozen=True)
class Runs:
    """Universe of `sentence_run_2_12_v1`.

    Attributes:
        start, end: first and end byte of every sentence of the release.
        reach: per sentence, the longest run that may start there (1 to 12, ends at the chapter).
    """

    start: Ints
    end: Ints
    reach: Ints

    @cached_property
    def first_row(self) -> Ints:
        """First row of the runs that start at each sentence, with a final total."""
        return np.concatenate([[0], np.cumsum(self.reach - 1)]).astype(np.int64)

    @property
    def rows(self) -> int:
        """Number of occurrences: the sum over chapters of n-k+1 for k = 2..min(12, n)."""
        return int(self.first_row[-1])

    @cached_property
    def row_sentence(self) -> NDArray[np.int32]:
        """Start sentence of every row."""
        return np.repeat(np.arange(len(self.reach), dtype=np.int32), self.reach - 1)

    @cached_property
    def row_length(self) -> NDArray[np.int8]:
        """Run length of every row, in sentences."""
        ramp = np.arange(self.rows, dtype=np.int64) - np.repeat(self.first_row[:-1], self.reach - 1)
        return (ramp + MIN_RUN).astype(np.int8)

    def row_of(self, sentence: NDArray[Any], length: int) -> Ints:
        """Rows of the runs of one length that start at the given sentences (each must reach that far)."""
        return np.asarray(self.first_row[sentence] + (length - MIN_RUN))

    def extents(self, low: int, high: int) -> tuple[Ints, Ints]:
        """First byte and extent length of the rows low..high."""
        return self._extents(self.row_sentence[low:high], self.row_length[low:high])

    def extents_of(self, rows: Ints) -> tuple[Ints, Ints]:
        """First byte and extent length of any rows."""
        return self._extents(self.row_sentence.take(rows), self.row_length.take(rows))

    def _extents(self, sentence: NDArray[np.int32], length: NDArray[np.int8]) -> tuple[Ints, Ints]:
        start = self.start.take(sentence)
        return start, self.end.take(sentence + (length - 1)) - start


def enumerate_paragraphs(release: TextRelease) -> Paragraphs:
    """Every paragraph in document order: non-empty ones as rows, empty ones as enumeration exclusions
    (EN-01 to EN-05)."""
    start, end = release.paragraph_start, release.paragraph_end
    filled = release.paragraph_sentences > 0
    ordinal = np.flatnonzero(filled)
    return Paragraphs(ordinal, start[ordinal], end[ordinal], np.flatnonzero(~filled))


def enumerate_runs(release: TextRelease) -> Runs:
    """Every run of 2 to 12 sentences inside one chapter (EN-06 to EN-09, EN-12)."""
    bounds = release.chapter_sentence_start
    chapter_end = np.repeat(bounds[1:], np.diff(bounds))
    reach = np.minimum(MAX_RUN, chapter_end - np.arange(int(bounds[-1])))
    return Runs(release.sentence_start, release.sentence_end, reach)


def deduplicated(universe: Paragraphs) -> Paragraphs:
    """The universe with each selection once, its first row kept (PRO-05: deduplicated by canonical selection
    identity before comparison).

    Runs need no such step: a universe of runs is sentences and reaches, which cannot name a selection twice.
    """
    if (np.diff(universe.start) > 0).all():
        return universe  # what paragraphs in document order always are: no two begin at one byte
    pairs = np.stack([universe.start, universe.end], axis=1)
    _, first = np.unique(pairs, axis=0, return_index=True)
    rows = np.sort(first)
    return Paragraphs(universe.ordinal[rows], universe.start[rows], universe.end[rows], universe.empty)


def run_universe(sentences_per_chapter: NDArray[Any]) -> int:
    """The closed formula of EN-06, for certifying an inventory count."""
    total = 0
    for length in range(MIN_RUN, MAX_RUN + 1):
        total += int(np.maximum(sentences_per_chapter - length + 1, 0).sum())
    return total
