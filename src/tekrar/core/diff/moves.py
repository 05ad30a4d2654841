"""Moved fragments among what the backbone leaves over (requirements 3.7, rule 3).

Greedily the longest common fragment of at least two units with a word in it; ties by lowest source, then
lowest target; until none is left. Two ways to the same answer: runs grown from pairs of equal words, quick
where few words meet, and windows by falling length, whose cost no repetition can blow up. Which one works
depends on the number of pairs alone and shows in nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import heapify, heappop, heappush
from typing import Final

import numpy as np

from tekrar.core.diff.units import WORD

#: Pairs of equal leftover words, at most, for the first way.
PAIRS: Final = 1 << 14
MIN_UNITS: Final = 2

#: First source unit, first target unit, units.
Fragment = tuple[int, int, int]
#: Keys of a side's units; None where the backbone or a fragment holds the unit.
Side = list[bytes | None]
Array = np.ndarray[tuple[int], np.dtype[np.int64]]


def moved(
    left: Side, right: Side, kind: bytes, *, words: Sequence[int], targets: Sequence[int]
) -> list[Fragment]:
    """The moved fragments, in the order they are taken.

    Args:
        left, right: keys of the units of either side; None where the backbone holds the unit. Changed: the
            units of every fragment found become None.
        kind: kind of the units of the left side.
        words, targets: positions of the free words of either side, ascending.
    """
    places: dict[bytes | None, list[int]] = {left[at]: [] for at in words}
    for at in targets:
        held = places.get(right[at])
        if held is not None:
            held.append(at)
    if sum(len(places[left[at]]) for at in words) <= PAIRS:
        return _by_runs(left, right, kind, _runs(left, right, words=words, places=places))
    return _by_windows(left, right, kind)


def _by_runs(left: Side, right: Side, kind: bytes, runs: Sequence[Fragment]) -> list[Fragment]:
    heap = [(-size, a, b) for a, b, size in runs]
    heapify(heap)
    found: list[Fragment] = []
    while heap:
        negative, a, b = heappop(heap)
        size = -negative
        pieces = _free(left, right, a, b, size=size)
        if pieces and pieces[0][2] == size:
            found.append((a, b, size))
            left[a : a + size] = right[b : b + size] = [None] * size
            continue
        for start, target, length in pieces:
            if length >= MIN_UNITS and WORD in kind[start : start + length]:
                heappush(heap, (-length, start, target))
    return found


def _runs(
    left: Side, right: Side, *, words: Sequence[int], places: dict[bytes | None, list[int]]
) -> list[Fragment]:
    """Maximal common fragments around pairs of equal words, each once."""
    found: list[Fragment] = []
    seen: set[tuple[int, int]] = set()
    for a in words:
        for b in places[left[a]]:
            if (a, b) in seen:
                continue
            low, most = 1, min(a, b)
            while low <= most and left[a - low] == right[b - low] is not None:
                low += 1
            high, most = 1, min(len(left) - a, len(right) - b)
            while high < most and (item := left[a + high]) == right[b + high] is not None:
                if item in places:
                    seen.add((a + high, b + high))
                high += 1
            if low + high > MIN_UNITS:
                found.append((a - low + 1, b - low + 1, low + high - 1))
    return found


def _free(left: Side, right: Side, a: int, b: int, *, size: int) -> list[Fragment]:
    """The stretches of a run that no fragment has taken on either side."""
    ours, theirs = left[a : a + size], right[b : b + size]
    if ours == theirs and None not in ours:
        return [(a, b, size)]
    pieces: list[Fragment] = []
    begun = -1
    for at in range(size + 1):
        free = at < size and ours[at] is not None and theirs[at] is not None
        if free and begun < 0:
            begun = at
        elif not free and begun >= 0:
            pieces.append((a + begun, b + begun, at - begun))
            begun = -1
    return pieces


# -- windows by falling length ----------------------------------------------------------------------------


def _by_windows(left: Side, right: Side, kind: bytes) -> list[Fragment]:
    """Fragments by length: for each length from the longest common one downwards, by source and target.

    A window is known by the ranks of two windows of a power of two that cover it; ranks are of the ids as
    they were at first, and a window counts while all its units are free on its side.
    """
    ranks = _ranks(left, right)
    words = np.concatenate([[0], np.cumsum(np.frombuffer(kind, np.uint8) == WORD)])
    found: list[Fragment] = []
    longest = min(len(left), len(right))
    while True:
        longest = _longest(left, right, ranks, words=words, most=longest)
        if longest < MIN_UNITS:
            return found
        sources, targets = _windows(left, right, ranks, words=words, size=longest)
        waiting: dict[int, list[int]] = {}
        for key, b in zip(targets[1].tolist()[::-1], targets[0].tolist()[::-1], strict=True):
            waiting.setdefault(key, []).append(b)  # the lowest target last
        for key, a in zip(sources[1].tolist(), sources[0].tolist(), strict=True):
            held = waiting.get(key)
            if not held or _taken(left, a, longest):
                continue
            while held and _taken(right, held[-1], longest):
                held.pop()
            if held:
                b = held.pop()
                found.append((a, b, longest))
                left[a : a + longest] = right[b : b + longest] = [None] * longest


#: Windows' places and keys.
Keyed = tuple[Array, Array]


def _taken(side: Side, start: int, size: int) -> bool:
    # windows of one length: one that was taken covers the first or the last unit of any that it meets
    return side[start] is None or side[start + size - 1] is None


def _ranks(left: Side, right: Side) -> list[Array]:
    """Rank p of a place: an id of the 2**p units from it on, over left, a fence and right."""
    ids: dict[bytes | None, int] = {None: 0}
    level = np.array([ids.setdefault(key, len(ids)) for key in (*left, None, *right)], np.int64)
    ranks = [level]
    width = 1
    while width * 2 <= min(len(left), len(right)):
        span = len(level) - width
        pair = level[:span] * (int(level.max()) + 1) + level[width:]
        _, level = np.unique(pair, return_inverse=True)
        ranks.append(level.astype(np.int64))
        width *= 2
    return ranks


def _windows(
    left: Side,
    right: Side,
    ranks: list[Array],
    *,
    words: Array,
    size: int,
) -> tuple[Keyed, Keyed]:
    """Free windows of a length with their keys: on the left those with a word, on the right all."""
    power = size.bit_length() - 1
    rank = ranks[power]
    shift = size - (1 << power)
    total = len(left) + 1 + len(right)
    key = rank[: total - size + 1] * (int(rank.max()) + 2) + rank[shift : total - size + 1 + shift]
    sides = []
    for side, offset in ((left, 0), (right, len(left) + 1)):
        held = np.concatenate([[0], np.cumsum([key is None for key in side])])
        free = held[size:] == held[:-size]
        if offset == 0:
            free &= words[size:] > words[:-size]
        at = np.flatnonzero(free).astype(np.int64)
        sides.append((at, key[at + offset]))
    return sides[0], sides[1]


def _longest(
    left: Side,
    right: Side,
    ranks: list[Array],
    *,
    words: Array,
    most: int,
) -> int:
    """Length of the longest free common fragment with a word; 1 or less when none has two units.

    A fragment of n units with a word holds one of n - 1 with a word, so lengths are searched by halving.
    """
    low, high = 1, most
    while low < high:
        size = (low + high + 1) // 2
        sources, targets = _windows(left, right, ranks, words=words, size=size)
        if np.isin(sources[1], targets[1], kind="sort").any():
            low = size
        else:
            high = size - 1
    return low
