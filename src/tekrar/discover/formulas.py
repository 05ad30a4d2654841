"""Formulas: phrases that stand in many places, as groups with all their places.

A pair of a formula's places says nothing a curator wants to read four hundred times over; the group says it
once.
A repeated phrase is a formula when naming it once and pointing at its places is shorter than spelling it at
each
of them by a margin, its words weighed as they stand outside these places; a phrase that is not a sentence
of its
own must save also by what each word adds to the one before it, so that words which never stand apart are
none.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import log2_sixteenths
from tekrar.discover.compiled import kernel
from tekrar.discover.suffix import LONGEST, SuffixOrder

Ints = NDArray[np.int64]
#: Places and tokens of a formula, at least.
PLACES: Final = 5
TOKENS: Final = 4
#: A formula saves at least the choice of this number of places.
SAVED: Final = 3
#: Above this number of places the pairs of a formula's places are not listed, where they share so few tokens.
LISTED: Final = 12
SHORT: Final = 16


@dataclass(frozen=True)
class Formulas:
    """Formulas, most bits saved first.

    Attributes:
        place: places in the stream, formula after formula, ascending inside one.
        first: first position in `place` per formula, with a final total.
        length: tokens per formula.
        saved: sixteenths of a bit.
        sentence: whether a formula is a sentence of its own in half of its places.
        frequent: per place of the stream 1 inside a formula of more than `LISTED` places.
    """

    place: Ints
    first: Ints
    length: Ints
    saved: Ints
    sentence: NDArray[np.bool_]
    frequent: NDArray[np.uint8]


def formulas_of(
    order: SuffixOrder, edges: tuple[NDArray[np.uint8], NDArray[np.uint8]], *, words: int
) -> Formulas:
    """The formulas of a stream: repeated phrases by the bits they save, overlapping ones taken once.

    Args:
        order: suffix order of the stream.
        edges: per place whether a sentence opens, closes there.
        words: number of distinct words.
    """
    size = len(order.stream)
    low, high, length = _phrases(order)
    stream, place = order.stream, order.order
    count = np.bincount(stream, minlength=words + 1).astype(np.int64)
    logs = log2_sixteenths(np.arange(1, max(size, 2) + 1))
    saved, held, whole = np.zeros((3, len(low)), np.int64)
    columns = (stream, place, order.rank, order.bigram, count, logs)
    _weigh(*columns, low, high, length, True, saved)
    _weigh(*columns, low, high, length, False, held)
    _whole(place, *edges, low, high, length, whole)
    places = int(logs[-1])
    good = np.flatnonzero((saved >= SAVED * places) & ((2 * whole >= high - low) | (held >= places)))
    ranked = good[np.lexsort((low[good], length[good], -saved[good]))]
    low, high, length, saved = low[ranked], high[ranked], length[ranked], saved[ranked]
    sentence = 2 * whole[ranked] >= high - low
    covered, frequent = np.zeros(size, np.uint8), np.zeros(size, np.uint8)
    taken = np.zeros(len(low), np.uint8)
    limits = np.array([PLACES, LISTED], np.int64)
    _take(place, low, high, length, limits, covered, frequent, taken)
    kept = np.flatnonzero(taken)
    parts = [np.sort(place[int(low[k]) : int(high[k])]).astype(np.int64) for k in kept.tolist()]
    first = np.concatenate([[0], np.cumsum([len(p) for p in parts])]).astype(np.int64)
    return Formulas(
        np.concatenate([np.zeros(0, np.int64), *parts]),
        first,
        length[kept],
        saved[kept],
        sentence[kept],
        frequent,
    )


def _phrases(order: SuffixOrder) -> tuple[Ints, Ints, Ints]:
    """Ranges of the suffix order that are repeated phrases no token longer on either side, and their
    lengths."""
    none = np.zeros(0, np.int64)
    limits = np.array([PLACES, TOKENS, LONGEST], np.int64)
    count = int(_intervals(order.stream, order.order, order.common, limits, none, none, none))
    low, high, length = np.zeros((3, count), np.int64)
    _intervals(order.stream, order.order, order.common, limits, low, high, length)
    return low, high, length


@kernel
def _intervals(stream: Any, order: Any, common: Any, limits: Any, low: Any, high: Any, length: Any) -> int:
    places, tokens, longest = limits[0], limits[1], limits[2]
    write = len(low) > 0
    total = len(order)
    opened = np.zeros(longest + 2, np.int64)
    shared = np.zeros(longest + 2, np.int64)
    depth, found = 0, 0
    for i in range(total):
        now = common[i] if i + 1 < total else 0
        begin = i
        while depth > 0 and shared[depth] > now:
            begin = opened[depth]
            n = shared[depth]
            if n >= tokens and i + 1 - begin >= places:
                p = order[begin]
                before = stream[p - 1] if p > 0 else 0
                same = before != 0
                for k in range(begin + 1, i + 1):
                    if not same:
                        break
                    q = order[k]
                    if q == 0 or stream[q - 1] != before:
                        same = False
                if not same:
                    if write:
                        low[found], high[found], length[found] = begin, i + 1, n
                    found += 1
            depth -= 1
        if now > 0 and (depth == 0 or shared[depth] < now):
            depth += 1
            opened[depth] = begin
            shared[depth] = now
    return found


@kernel
def _weigh(
    stream: Any, order: Any, rank: Any, bigram: Any, count: Any, logs: Any, low: Any, high: Any, length: Any,
    apart: bool, saved: Any,
) -> None:  # fmt: skip
    """Bits that a phrase saves; `apart`: its own places are taken off the counts its words are weighed by."""
    total = len(logs)
    whole = logs[total - 1]
    for f in range(len(low)):
        k = high[f] - low[f]
        p = order[low[f]]
        off = k if apart else 0
        weight = whole - logs[max(count[stream[p]] - off - (1 - apart), 0)]
        for t in range(1, length[f]):
            u, w = stream[p + t - 1], stream[p + t]
            alone = whole - logs[max(count[w] - off - (1 - apart), 0)]
            both = max(bigram[rank[p + t - 1]] - off, 0)
            before = max(count[u] - off, 0)
            step = logs[max(before - 1, 0)] - logs[both - 1] if both > 0 else alone
            weight += max(min(step, alone), 8)
        saved[f] = (k - 1) * weight - k * whole


@kernel
def _whole(order: Any, opens: Any, closes: Any, low: Any, high: Any, length: Any, whole: Any) -> None:
    """In how many places each phrase is a whole sentence, or several."""
    for f in range(len(low)):
        for k in range(low[f], high[f]):
            whole[f] += opens[order[k]] & closes[order[k] + length[f] - 1]


@kernel
def _take(
    order: Any, low: Any, high: Any, length: Any, limits: Any, covered: Any, frequent: Any, taken: Any
) -> None:
    for f in range(len(low)):
        n = length[f]
        fresh = 0
        for k in range(low[f], high[f]):
            open_tokens = 0
            for t in range(n):
                if covered[order[k] + t] == 0:
                    open_tokens += 1
            if 2 * open_tokens >= n:
                fresh += 1
        if fresh < limits[0]:
            continue
        taken[f] = 1
        for k in range(low[f], high[f]):
            for t in range(n):
                covered[order[k] + t] = 1
                if high[f] - low[f] > limits[1]:
                    frequent[order[k] + t] = 1
