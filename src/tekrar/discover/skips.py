"""Pairs of verses by two words in order with others between: what a run of equal words does not meet.

In a text of verses two words that seldom meet say as much as a run of two, also where a word between them was
changed. Two words with at most `SKIPPED` between them that stand so in at most `PLACES` units propose all
pairs of these units, where they are by themselves worth what the list's end asks for, the changes between
paid. The pairs are aligned like any other.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import CHANGED
from tekrar.discover.signatures import Signed
from tekrar.discover.stream import Stream
from tekrar.discover.thresholds import Thresholds

Ints = NDArray[np.int64]
#: Words between the two, at most.
SKIPPED: Final = 2
#: Units that two words propose pairs of, at most.
PLACES: Final = 4


def with_skips(stream: Stream, rarity: NDArray[np.int32], limits: Thresholds, signed: Signed) -> Signed:
    """Pairs of units that are given, and those by two words in order, ascending, with what was left out.

    Args:
        stream: the stream.
        rarity: weight of every place.
        limits: thresholds of the corpus.
        signed: pairs that are given.
    """
    if limits.verse <= 0:
        return signed
    key, unit = _word_pairs(stream, rarity, limits.verse)
    opens = np.flatnonzero(np.append(True, np.diff(key) != 0)) if len(key) else key
    size = np.diff(np.append(opens, len(key)))
    few = np.repeat(size <= PLACES, size)
    width = len(stream.row)
    known = [signed.left.astype(np.int64) * width + signed.right]
    for step in range(1, PLACES):
        same = np.flatnonzero((key[:-step] == key[step:]) & few[:-step])
        known.append(unit[same] * width + unit[same + step])
    both = np.unique(np.concatenate(known))
    above = size[size > PLACES]
    left_out = {"pairs_of_frequent_word_pairs": int((above * (above - 1) // 2).sum())}
    return Signed(
        (both // width).astype(np.int32), (both % width).astype(np.int32), signed.left_out | left_out
    )


def _word_pairs(stream: Stream, rarity: NDArray[np.int32], least: int) -> tuple[Ints, Ints]:
    """Two words in one number, and the unit they stand in, each once, ascending."""
    none = np.zeros(0, np.int64)
    keys, units = [none], [none]
    words, paragraph = stream.words.astype(np.int64), stream.paragraph.astype(np.int64)
    for step in range(1, SKIPPED + 2):
        one = np.arange(max(len(words) - step, 0))
        other = one + step
        inside = (paragraph[one] == paragraph[other]) & (words[other] > 0) & (words[one] != words[other])
        inside &= rarity[one] + rarity[other] - CHANGED * (step - 1) >= least
        keys.append((words[one] << 31 | words[other])[inside])
        units.append(paragraph[one][inside])
    key, unit = np.concatenate(keys), np.concatenate(units)
    order = np.lexsort((unit, key))
    key, unit = key[order], unit[order]
    fresh = np.append(True, (np.diff(key) != 0) | (np.diff(unit) != 0))[: len(key)]
    return key[fresh], unit[fresh]
