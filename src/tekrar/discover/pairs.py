"""Scored pairs of paragraphs: seeds gathered by pair, aligned, and kept where they say something."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import SEGMENTS, Segments
from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.blocks import COUNTS, Blocks, block_edges
from tekrar.discover.signatures import Signed
from tekrar.discover.stream import Stream
from tekrar.discover.suffix import SuffixOrder
from tekrar.discover.weights import Weights
from tekrar.discover.workers import Columns, joined, run_tasks

Ints = NDArray[np.int64]
Scores = NDArray[np.int32]
#: A further segment of a pair pays for the choice of its place: log2 of its distances, and this much more.
PLACE: Final = 6 * BIT


@dataclass(frozen=True)
class Pairs:
    """Aligned pairs of stream paragraphs.

    Attributes:
        left, right: paragraph numbers in the stream; where they are the same, several pairs may have them.
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

    def columns(self) -> Columns:
        """Everything but the paragraphs' weights, as arrays; `of` takes them back."""
        return [self.left, self.right, self.score, *vars(self.segments).values()]

    @classmethod
    def of(cls, columns: Columns, unit: Ints) -> Pairs:
        """The pairs of their columns."""
        left, right, score, *segments = columns
        return cls(left, right, score, Segments(*segments), unit)


def unit_weights(stream: Stream, weights: NDArray[np.int32]) -> Ints:
    """Weight of every paragraph: with `added`, what it would score against itself."""
    running = np.concatenate([[0], np.cumsum(weights, dtype=np.int64)])
    low, high = stream.first[:-1], stream.first[1:] - 1
    total: Ints = running[high] - running[low]
    return total


def aligned_pairs(
    stream: Stream,
    order: SuffixOrder,
    weights: Weights,
    *,
    least: int,
    keep: Callable[[Pairs], NDArray[np.bool_]],
    signed: Signed | None = None,
    workers: int = 1,
) -> tuple[Pairs, dict[str, int]]:
    """Pairs that seeds or signatures propose, aligned and chosen, and what a bound left out, in numbers.

    Args:
        stream, order, weights: the stream, its suffix order and its weights.
        least: what the seeds of a pair must weigh.
        keep: which of some pairs stay; asked block by block, so that no others are held.
        signed: pairs that share words enough to be aligned whatever their seeds weigh.
        workers: processes; their number changes no byte.
    """
    unit = unit_weights(stream, weights.added)
    edges = block_edges(stream.first, len(stream.row))
    given = signed or Signed(np.zeros(0, np.int32), np.zeros(0, np.int32), {})
    maker = Blocks(stream, order, weights, least, given)
    if workers > 1:
        weights.running.sum()  # made before the workers part
        maker.compile()

    def work(task: int) -> Columns:
        block = maker.block(*edges[task])
        left, right, segments = apart(block.left, block.right, Segments(*block.segments))
        found = Pairs(left, right, *settled(segments), unit)
        stays = keep(found)
        counts = np.append(block.counts, (~stays).sum())
        return [*found.take(np.flatnonzero(stays)).columns(), counts[None]]

    results = run_tasks(work, tasks=len(edges), workers=workers)
    if not results:
        results = [[*_none(unit).columns(), np.zeros((1, len(COUNTS) + 1), np.int64)]]
    *columns, counts = joined(results)
    left_out = (
        dict(zip((*COUNTS, "pairs_below_thresholds"), counts.sum(axis=0).tolist(), strict=True))
        | given.left_out
    )
    return Pairs.of(columns, unit), left_out


def _none(unit: Ints) -> Pairs:
    none = np.zeros(0, np.int32)
    return Pairs(none, none, np.zeros(0, np.int64), Segments(*np.zeros((12, 0, SEGMENTS), np.int32)), unit)


def apart(left: Scores, right: Scores, segments: Segments) -> tuple[Scores, Scores, Segments]:
    """Pairs with those of one paragraph taken apart, a segment each.

    In one paragraph every segment is two places of its own: their hull would lie over itself.
    """
    inside = left == right
    slots = np.where(inside, (segments.score > 0).sum(axis=1), 1)
    number = np.repeat(np.arange(len(slots)), slots)
    slot = np.arange(len(number)) - np.repeat(np.cumsum(slots) - slots, slots)
    alone = inside[number]
    parts = []
    for column in vars(segments).values():
        taken = column[number]
        taken[alone] = 0
        taken[alone, 0] = column[number, slot][alone]
        parts.append(taken)
    return left[number], right[number], Segments(*parts)


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
