"""What a shared word is worth: its rarity, and what it adds right after a shared neighbour.

Rarity is log2(T / df) in sixteenths of a bit. A word right after a matched neighbour weighs what it adds, so
that a formula which stands in four hundred places weighs little more than its first word, however long it is.
Two places are taken off every count, because the pair that is weighed is no witness of how common its own words
are.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.suffix import SuffixOrder

Scores = NDArray[np.int32]
#: A matched word never weighs less than half a bit.
LEAST: Final = BIT // 2
#: How many places' worth of "any word" is mixed into what follows a word.
SMOOTHING: Final = 8


@dataclass(frozen=True)
class Weights:
    """Weights per place of a stream, in sixteenths of a bit.

    Attributes:
        rarity: of the word alone.
        added: of the word after the word before it in its paragraph; `rarity` at a paragraph's first word.
    """

    rarity: Scores
    added: Scores


def weigh(order: SuffixOrder, *, words: int) -> Weights:
    """Weights of every place.

    Args:
        order: suffix order of the stream.
        words: number of distinct words (numbered 1..words in the stream).
    """
    stream = order.stream
    count = np.bincount(stream, minlength=words + 1).astype(np.int64)
    total = max(int(count[1:].sum()), 2)
    logs = log2_sixteenths(np.maximum(count, 1))
    whole = int(log2_sixteenths(np.array([total]))[0])
    rarity_of = np.maximum(whole - logs, LEAST)
    rarity_of[0] = 0
    rarity = rarity_of[stream]
    added = rarity.copy()
    here = np.flatnonzero((stream[:-1] != 0) & (stream[1:] != 0))
    both = order.size_two[order.rank[here]].astype(np.int64)
    before, word = count[stream[here]], count[stream[here + 1]]
    share = np.maximum(both - 2, 0) * total + SMOOTHING * word
    among = (np.maximum(before - 2, 0) + SMOOTHING) * total
    step = log2_sixteenths(among) - log2_sixteenths(np.maximum(share, 1))
    added[here + 1] = np.clip(step, LEAST, rarity[here + 1])
    return Weights(rarity.astype(np.int32), added.astype(np.int32))
