"""What a shared word is worth: its rarity, and what it adds right after a shared neighbour.

Rarity is log2(T / df) in sixteenths of a bit. A word right after a matched neighbour weighs what it adds, so
that a formula which stands in four hundred places weighs little more than its first word, however long it is.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.suffix import SuffixOrder

Scores = NDArray[np.int32]
#: A matched word never weighs less than half a bit.
LEAST: Final = BIT // 2
#: An alignment counts an equal word at least this much, so that it holds together where every rarity is nil.
HELD: Final = BIT + BIT // 2


@dataclass(frozen=True)
class Weights:
    """Weights per place of a stream, in sixteenths of a bit.

    Attributes:
        rarity: of the word alone.
        added: of the word after the word before it in its paragraph; `rarity` at a paragraph's first word.
    """

    rarity: Scores
    added: Scores

    @cached_property
    def running(self) -> NDArray[np.int64]:
        """Sum of `added` before each place."""
        return np.concatenate([[0], np.cumsum(self.added, dtype=np.int64)])


def weigh(order: SuffixOrder, *, words: int) -> Weights:
    """Weights of every place.

    Args:
        order: suffix order of the stream.
        words: number of distinct words (numbered 1..words in the stream).
    """
    stream = order.stream
    count = np.bincount(stream, minlength=words + 1).astype(np.int64)
    total = max(int(count[1:].sum()), 2)
    logs = log2_sixteenths(np.maximum(count, 1)).astype(np.int32)
    whole = int(log2_sixteenths(np.array([total]))[0])
    rarity_of = np.maximum(whole - logs, LEAST).astype(np.int32)
    rarity_of[0] = 0
    rarity = rarity_of[stream]
    added = rarity.copy()
    here = np.flatnonzero((stream[:-1] != 0) & (stream[1:] != 0))
    both = order.bigram[order.rank[here]]
    of_count = log2_sixteenths(np.arange(int(both.max(initial=0)) + 1).clip(1)).astype(np.int32)
    step = logs[stream[here]] - of_count[both]
    added[here + 1] = np.clip(step, LEAST, rarity[here + 1])
    return Weights(rarity, added)
