"""Scored pairs of paragraphs: seeds gathered by pair, aligned, and kept where they say something."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import OFTEN, RARE, Segments, align_pairs
from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.seeds import Seeds, seeds_of
from tekrar.discover.stream import Stream
from tekrar.discover.suffix import SuffixOrder, places_of
from tekrar.discover.weights import Weights

Ints = NDArray[np.int64]
Scores = NDArray[np.int32]
#: A pair is aligned when its seeds weigh enough (`Thresholds.seeds`), or hold this number of tokens, or
#: this share (in 1/16) of the shorter paragraph's.
SEEDS_TOKENS: Final = 8
SEEDS_SHARE: Final = 6
#: Left paragraphs are taken in blocks of about this number of places: bounds memory, changes nothing.
BLOCK_PLACES: Final = 1_000_000
#: A further segment of a pair pays for the choice of its place: log2 of its distances, and this much more.
PLACE: Final = 6 * BIT


@dataclass(frozen=True)
class Pairs:
    """Aligned pairs of stream paragraphs.

    Attributes:
        left, right: paragraph numbers in the stream.
        score: sum of the segments' scores, in sixteenths of a bit.
        segments: up to three segments a pair.
        unit: weight of every paragraph of the stream as a whole.
    """

    left: Scores
    right: Scores
    score: Ints
    segments: Segments
    unit: Ints

    def take(self, chosen: NDArray[np.intp]) -> Pairs:
        """Some of the pairs."""
        parts = (getattr(self.segments, f)[chosen] for f in Segments.__dataclass_fields__)
        return Pairs(self.left[chosen], self.right[chosen], self.score[chosen], Segments(*parts), self.unit)


def unit_weights(stream: Stream, weights: NDArray[np.int32]) -> Ints:
    """Weight of every paragraph: with `added`, what it would score against itself."""
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    low, high = stream.first[:-1], stream.first[1:] - 1
    total: Ints = running[high] - running[low]
    return total


def aligned_pairs(
    stream: Stream, order: SuffixOrder, weights: Weights, *, least: int, left: int | None = None
) -> tuple[Pairs, dict[str, int]]:
    """All pairs that seeds propose, aligned, and the numbers of what a bound left out.

    Args:
        stream, order, weights: the stream, its suffix order and its weights.
        least: what the seeds of a pair must weigh.
        left: number of paragraphs that are left sides (None: all).
    """
    unit = unit_weights(stream, weights.added)
    phrases = (places_of(order, OFTEN[0]), places_of(order, RARE[0]))
    found: list[tuple[Scores, Scores, Segments]] = []
    paragraphs = len(stream.row) if left is None else left
    light, low = 0, 0
    while low < paragraphs:
        high = int(np.searchsorted(stream.first, stream.first[low] + BLOCK_PLACES, side="right")) - 1
        high = min(max(high, low + 1), paragraphs)
        seeds = seeds_of(order, weights, stream.paragraph, low=low, high=high)
        block, below = _block(stream, weights, phrases, seeds, least)
        found.append(block)
        light += below
        low = high
    lefts = np.concatenate([f[0] for f in found] or [np.zeros(0, np.int32)])
    right = np.concatenate([f[1] for f in found] or [np.zeros(0, np.int32)])
    names = list(Segments.__dataclass_fields__)
    segments = Segments(
        *(np.concatenate([getattr(f[2], n) for f in found] or [np.zeros((0, 3), np.int32)]) for n in names)
    )
    return Pairs(lefts, right, *settled(segments), unit), {"pairs_with_light_seeds": light}


def settled(segments: Segments) -> tuple[Ints, Segments]:
    """Scores of pairs, and the segments that pay for their place.

    A further segment may stand anywhere in the two paragraphs, so what it adds is its score less the choice
    of
    its distances from the best segment on both sides; one that adds nothing is taken out.
    """
    total = segments.score[:, 0].astype(np.int64)
    worth = np.ones(segments.score.shape, np.int32)
    a0, a1 = segments.a0.astype(np.int64), segments.a1.astype(np.int64)
    b0, b1 = segments.b0.astype(np.int64), segments.b1.astype(np.int64)
    for slot in range(1, segments.score.shape[1]):
        away_a = np.maximum(np.maximum(a0[:, slot] - a1[:, 0], a0[:, 0] - a1[:, slot]), 0)
        away_b = np.maximum(np.maximum(b0[:, slot] - b1[:, 0], b0[:, 0] - b1[:, slot]), 0)
        price = log2_sixteenths(away_a + 1) + log2_sixteenths(away_b + 1) + PLACE
        gain = segments.score[:, slot] - price
        worth[:, slot] = (segments.score[:, slot] > 0) & (gain > 0)
        total += np.where(worth[:, slot] > 0, gain, 0)
    return total, Segments(*(getattr(segments, f) * worth for f in Segments.__dataclass_fields__))


def _block(
    stream: Stream, weights: Weights, phrases: tuple[Scores, Scores], seeds: Seeds, least: int
) -> tuple[tuple[Scores, Scores, Segments], int]:
    fresh = np.flatnonzero(
        np.concatenate([[True], (np.diff(seeds.left) != 0) | (np.diff(seeds.right) != 0)])
        if len(seeds.left)
        else np.zeros(0, bool)
    )
    if not len(fresh):
        none = np.zeros(0, np.int32)
        return (none, none, Segments(*(np.zeros((0, 3), np.int32) for _ in Segments.__dataclass_fields__))), 0
    total = np.add.reduceat(seeds.weight.astype(np.int64), fresh)
    left, right = seeds.left[fresh], seeds.right[fresh]
    held = np.add.reduceat(seeds.length.astype(np.int64), fresh)
    tokens = np.diff(stream.first) - 1
    shorter = np.minimum(tokens[left], tokens[right])
    kept = (total >= least) | (held >= SEEDS_TOKENS) | (16 * held >= SEEDS_SHARE * shorter)
    size = np.diff(np.append(fresh, len(seeds.left)))
    mine = np.repeat(kept, size)
    bounds = np.concatenate([[0], np.cumsum(size[kept])]).astype(np.int64)
    chosen = (seeds.at[mine], seeds.to[mine], seeds.length[mine], seeds.weight[mine])
    left, right = left[kept], right[kept]
    segments = align_pairs(
        stream.words, (weights.rarity, weights.added), phrases, stream.first, chosen, bounds, (left, right)
    )
    return (left, right, segments), int((~kept).sum())
