"""Named metrics of an entry: whole numbers and ratios of whole numbers, each with a version and a scale.

There is no `confidence` and no float (ADR-009 *Candidates*; CND-04). What a number says stands in `METRICS`.
Metrics are in the ID, so none speaks of another candidate or of a place in the list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.compiled import kernel
from tekrar.discover.entries import PAIR, Entries
from tekrar.discover.pairs import Pairs
from tekrar.discover.stream import Stream
from tekrar.discover.suffix import SuffixOrder, grams_at

Ints = NDArray[np.int64]
#: n of the n-grams that units are compared by; a unit that is shorter is its own n-gram.
GRAM: Final = 3


@dataclass(frozen=True)
class Metric:
    """One metric: its version, the unit of its value, and what it says."""

    version: int
    scale: str
    meaning: str


METRICS: Final = {
    "score": Metric(1, "1/16 bit", "what the equal tokens are worth there, less the price of changes"),
    "plain_score": Metric(1, "1/16 bit", "the same with every equal token at its rarity"),
    "equal_tokens": Metric(1, "tokens", "folded tokens that are equal in order"),
    "longest_run": Metric(1, "tokens", "longest run of equal folded tokens; pairs"),
    "alignment_edits": Metric(1, "tokens", "tokens changed or on one side only inside the segments; pairs"),
    "jaccard_3": Metric(1, "ratio", "common over all token trigrams of both paragraphs, as multisets; pairs"),
    "containment_left": Metric(1, "ratio", "common over all token trigrams of the left paragraph; pairs"),
    "containment_right": Metric(1, "ratio", "common over all token trigrams of the right paragraph; pairs"),
    "cover_left": Metric(1, "ratio", "equal tokens over the tokens of the left extent"),
    "cover_right": Metric(1, "ratio", "equal tokens over the tokens of the right extent"),
    "formula_tokens": Metric(1, "tokens", "equal tokens in phrases of 4 that stand in 8 places or more"),
    "rare_tokens": Metric(1, "tokens", "equal tokens in phrases of 5 that stand in 3 places at most"),
    "phrase_places": Metric(1, "places", "places of the most frequent phrase of 4 tokens that is shared"),
    "parts": Metric(1, "links", "links that a stretch is chained of, places of a group; 1 for a pair"),
    "paragraphs_between": Metric(1, "paragraphs", "non-empty paragraphs from left to right"),
    "difference": Metric(2, "kinds", "what alone differs: all tokens are equal, or but numerals"),
}  # fmt: skip


@dataclass(frozen=True)
class Grams:
    """Trigrams of pairs of whole paragraphs: common ones, those of the left and of the right side, per
    pair."""

    common: Ints
    left: Ints
    right: Ints


def grams_of(stream: Stream, order: SuffixOrder, pairs: Pairs) -> Grams:
    """Trigrams that paragraphs have in common, as multisets."""
    number = _ascending(grams_at(order, GRAM), stream.first, np.unique([pairs.left, pairs.right]))
    found = np.zeros((3, len(pairs.left)), np.int64)
    _common(stream.words, number, stream.first, pairs.left, pairs.right, GRAM, found)
    return Grams(*found)


def _ascending(number: NDArray[np.int32], first: Ints, rows: NDArray[np.int32]) -> NDArray[np.int32]:
    """Numbers of n-grams, those of some paragraphs ascending in each, its n places of -1 before them."""
    length = np.diff(first)[rows]
    owner = np.repeat(np.arange(len(rows)), length)
    at = np.arange(len(owner)) + np.repeat(first[rows] - (np.cumsum(length) - length), length)
    number[at] = number[at[np.lexsort((number[at], owner))]]
    return number


@kernel
def _common(stream: Any, number: Any, first: Any, left: Any, right: Any, n: int, found: Any) -> None:
    for k in range(len(left)):
        a0, a1 = first[left[k]], first[left[k] + 1] - 1
        b0, b1 = first[right[k]], first[right[k] + 1] - 1
        found[1, k], found[2, k] = max(a1 - a0 - n + 1, 1), max(b1 - b0 - n + 1, 1)
        if a1 - a0 < n or b1 - b0 < n:
            same = a1 - a0 == b1 - b0
            if same:
                for t in range(a1 - a0):
                    if stream[a0 + t] != stream[b0 + t]:
                        same = False
            found[0, k] = 1 if same else 0
            continue
        i, j = a0 + n, b0 + n
        while i <= a1 and j <= b1:
            if number[i] == number[j]:
                found[0, k] += 1
                i += 1
                j += 1
            elif number[i] < number[j]:
                i += 1
            else:
                j += 1


def numbers_of(entries: Entries, pairs: Pairs, grams: Grams) -> dict[str, Ints]:
    """Columns of the numeric metrics; pairs' own are -1 elsewhere."""
    pair = entries.kind == PAIR
    which = np.where(pair, entries.first, 0)
    segments = pairs.segments
    none = np.full(len(entries.kind), -1, np.int64)

    def of_pair(column: NDArray[Any]) -> Ints:
        return np.where(pair, column[which], none) if len(column) else none

    places = segments.places.max(axis=1) if len(pairs.left) else segments.places[:, 0]
    return {
        "longest_run": of_pair(segments.longest.max(axis=1) if len(pairs.left) else places),
        "alignment_edits": of_pair(segments.edits.sum(axis=1, dtype=np.int64)),
        "common_grams": of_pair(grams.common),
        "left_grams": of_pair(grams.left),
        "right_grams": of_pair(grams.right),
        "phrase_places": np.where(
            pair, of_pair(places), np.where(entries.kind == PAIR + 2, entries.count, none)
        ),
    }
