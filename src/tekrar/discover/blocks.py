"""Blocks of left paragraphs: their pairs by seeds and by signatures, aligned. A block needs no other block.

The edges depend on the stream alone, so a block's pairs are the same whichever process makes them.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import OFTEN, RARE, Segments, align_pairs
from tekrar.discover.seeds import Enough, Seeds, seeds_of, seeds_of_pairs
from tekrar.discover.signatures import Signed
from tekrar.discover.stream import Stream
from tekrar.discover.suffix import SuffixOrder, places_of, suffix_order
from tekrar.discover.weights import Weights, weigh
from tekrar.discover.workers import Columns

Ints = NDArray[np.int64]
Scores = NDArray[np.int32]
#: A pair is aligned when its seeds weigh enough (`Thresholds.seeds`), or hold this number of tokens, or
#: this share (in 1/16) of the shorter paragraph's.
SEEDS_TOKENS: Final = 8
SEEDS_SHARE: Final = 6
#: A left paragraph that has this number of pairs by seeds is given no more by its signature.
FILLED: Final = 12
#: Places of a block, about: bounds memory, changes nothing.
BLOCK_PLACES: Final = 1 << 18
#: What a block counts.
COUNTS: Final = (
    "pairs_with_light_seeds",
    "seeds_of_further_bands",
    "repeats_inside_one_paragraph",
    "signature_pairs_of_filled_units",
)


@dataclass(frozen=True)
class Block:
    """Aligned pairs of a block, ascending by left, right.

    Attributes:
        left, right: paragraph numbers in the stream.
        segments: the fields of `Segments`, shape (12, pairs, SEGMENTS).
        counts: what was left out, by `COUNTS`.
    """

    left: Scores
    right: Scores
    segments: Scores
    counts: Ints

    def columns(self) -> Columns:
        """The block as arrays."""
        return [self.left, self.right, self.segments, self.counts]

    @classmethod
    def of(cls, columns: Columns) -> Block:
        """The block of its arrays."""
        left, right, segments, counts = columns
        return cls(left, right, segments, counts)


def block_edges(first: Ints, paragraphs: int) -> list[tuple[int, int]]:
    """Half-open ranges of left paragraphs.

    Args:
        first: first place of every paragraph, with a final total.
        paragraphs: number of paragraphs that are left sides.
    """
    edges: list[tuple[int, int]] = []
    low = 0
    while low < paragraphs:
        high = int(np.searchsorted(first, first[low] + BLOCK_PLACES, side="right")) - 1
        high = min(max(high, low + 1), paragraphs)
        edges.append((low, high))
        low = high
    return edges


class Blocks:
    """Makes blocks of one stream.

    Args:
        stream, order, weights: the stream, its suffix order and its weights.
        least: what the seeds of a pair must weigh.
        signed: pairs by signatures.
    """

    def __init__(
        self, stream: Stream, order: SuffixOrder, weights: Weights, least: int, signed: Signed
    ) -> None:
        self._stream, self._order, self._weights, self._least = stream, order, weights, least
        self._signed = signed
        self._phrases = (places_of(order, OFTEN[0]), places_of(order, RARE[0]))

    def compile(self) -> None:
        """Compile what blocks run, on a stream of two paragraphs, so that no worker has to."""
        words = np.array([1, 2, 3, 0, 1, 2, 3, 0, 4, 5, 6, 0], np.int32)
        paragraph = np.repeat(np.arange(3, dtype=np.int32), 4)
        none = np.zeros(12, np.uint8)
        row = np.arange(3)
        stream = Stream(words, paragraph, row, np.array([0, 4, 8, 12]), row, none, none)
        order = suffix_order(words)
        signed = Signed(np.array([0], np.int32), np.array([2], np.int32), {})
        Blocks(stream, order, weigh(order, words=6), 0, signed).block(0, 3)

    def block(self, low: int, high: int) -> Block:
        """Pairs whose left paragraph is in low..high."""
        first = self._stream.first
        seeds, light = seeds_of(
            self._order,
            self._weights,
            self._stream.paragraph,
            first,
            span=(low, high),
            enough=Enough(self._least, SEEDS_TOKENS, SEEDS_SHARE),
        )
        fresh = _firsts(seeds)
        left, right = seeds.left[fresh], seeds.right[fresh]
        more, filled = self._signed_pairs(left, right, low, high)
        size = np.diff(np.append(fresh, len(seeds.left)))
        by_seeds, lost = self._aligned(seeds, left, right, size)
        added = seeds_of_pairs(self._stream.words, first, self._weights, self._stream.paragraph, more)
        fresh = _firsts(added)
        size = np.diff(np.append(fresh, len(added.left)))
        others = added.left[fresh], added.right[fresh]
        by_words, lost_more = self._aligned(added, *others, size)
        lefts, rights = (np.concatenate(both) for both in zip((left, right), others, strict=True))
        order = np.lexsort((rights, lefts))
        aside = len(light[0]) - int(_among(self._key(*light), self._key(*others)).sum())
        table = np.concatenate([by_seeds, by_words], axis=1)[:, order]
        counts = np.array([aside, *(lost + lost_more), filled], np.int64)
        return Block(lefts[order], rights[order], table, counts)

    def _signed_pairs(
        self, left: Scores, right: Scores, low: int, high: int
    ) -> tuple[tuple[Scores, Scores], int]:
        """Pairs by signatures that seeds do not give, and the number of those of filled units."""
        begin, end = np.searchsorted(self._signed.left, [low, high])
        lefts, rights = self._signed.left[begin:end], self._signed.right[begin:end]
        new = ~_among(self._key(lefts, rights), self._key(left, right))
        full = np.bincount(left - low, minlength=high - low)[lefts - low] >= FILLED
        chosen = new & ~full
        return (lefts[chosen], rights[chosen]), int((new & full).sum())

    def _key(self, left: Scores, right: Scores) -> Ints:
        key: Ints = left.astype(np.int64) * len(self._stream.row) + right
        return key

    def _aligned(self, seeds: Seeds, left: Scores, right: Scores, size: Ints) -> tuple[Scores, Ints]:
        bounds = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        chosen = (seeds.at, seeds.to, seeds.length, seeds.weight)
        stream, weights = self._stream, self._weights
        segments, lost = align_pairs(
            stream.words, (weights.rarity, weights.added), self._phrases, stream.first, chosen, bounds,
            (left, right),
        )  # fmt: skip
        return np.stack([getattr(segments, name) for name in Segments.__dataclass_fields__]), lost


def _among(key: Ints, known: Ints) -> NDArray[np.bool_]:
    """Which numbers are among some that ascend."""
    if not len(known):
        return np.zeros(len(key), bool)
    found: NDArray[np.bool_] = known[np.minimum(np.searchsorted(known, key), len(known) - 1)] == key
    return found


def _firsts(seeds: Seeds) -> Ints:
    """First seed of every pair."""
    changes = (np.diff(seeds.left) != 0) | (np.diff(seeds.right) != 0)
    found: Ints = (
        np.flatnonzero(np.concatenate([[True], changes])) if len(seeds.left) else np.zeros(0, np.int64)
    )
    return found
