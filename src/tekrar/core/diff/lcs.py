"""Longest common subsequences by bit-parallel suffix tables (requirements 3.7, rule 2).

L[i][j] is the length of the longest common subsequence of a[i:] and b[j:]. One row over all i is one integer:
its bits say where L[i][j] falls by one from i to i + 1 (Hyyro 2004 over the two sequences reversed). So a
table of n rows of m bits answers the walk, and the tie rule is decided by single bits.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from functools import lru_cache
from itertools import accumulate, repeat
from operator import lshift
from typing import Final

#: Bits kept for `places_of`: some 200 kB.
_MOST_BITS: Final = 1 << 10
#: Bits of a table that is kept whole (64 MB), and rows made again at once of a larger one.
_MOST_TABLE: Final = 1 << 29
_ROWS: Final = 1 << 8

#: First place in a, first place in b, and how many pairs follow one another on both sides from there.
Run = tuple[int, int, int]


#: First and end place in a, first and end place in b.
Window = tuple[int, int, int, int]


def places_of(a: Sequence[Hashable]) -> dict[Hashable, int]:
    """By item the bits of its places in a sequence; the first place is the highest bit, the last is bit 0."""
    places: dict[Hashable, int] = {}
    held = places.setdefault
    bits = _bits() if len(a) <= _MOST_BITS else accumulate(repeat(1), lshift, initial=1)
    for item, bit in zip(reversed(a), bits, strict=False):
        if (others := held(item, bit)) != bit:
            places[item] = others | bit
    return places


@lru_cache(maxsize=1)
def _bits() -> list[int]:
    """The powers of two that passages of ordinary length need, made once."""
    return [1 << place for place in range(_MOST_BITS)]


def runs(
    a: Sequence[Hashable], b: Sequence[Hashable], places: Mapping[Hashable, int], window: Window
) -> list[Run]:
    """The pairs of the canonical longest common subsequence, ascending, as runs (not always the longest).

    Walks from the start of both: equal heads match; else the left head is passed over when nothing is lost by
    it, else the right one.

    Args:
        a, b: the sequences.
        places: `places_of(a)`.
        window: the parts of both that are compared.
    """
    low, high, first, end = window
    size, below = len(a), 1 << (len(a) - high)
    # Bit of place i of a level is 1 where L[i][j] == L[i + 1][j], that is, where passing over a[i] loses
    # nothing. Carries out of the top stay: cutting them off would cost more than they do. Places below the
    # window are 0, so that they never match, and nothing that happens above it reaches down.
    level = (1 << (size - low)) - below
    found_at = places.get
    rows = b[first:end][::-1]
    large = (end - first) * (high - low) > _MOST_TABLE
    levels: list[int] | _Blocks = _Blocks(level, rows, places) if large else _levels(level, rows, places)
    found: list[Run] = []
    i, j = low, first
    while i < high and j < end:
        if a[i] == b[j]:
            start = i
            while i < high and j < end and a[i] == b[j]:
                i += 1
                j += 1
            found.append((start, start + j - i, i - start))
            continue
        # the first place, from here on, that matches or that may not be passed over
        equal = found_at(b[j], 0)
        stop = (equal | ~levels[end - 1 - j]) & ((1 << (size - i)) - below)
        if not stop:
            break  # nothing is lost by passing over the whole rest of a
        top = stop.bit_length()
        i = size - top
        if equal >> (top - 1) & 1:
            found.append((i, j, 1))
            i += 1
        j += 1
    return found


def _levels(level: int, rows: Sequence[Hashable], places: Mapping[Hashable, int]) -> list[int]:
    """The table's rows after one."""
    levels: list[int] = []
    keep = levels.append
    for here in map(places.get, rows):
        if here is not None:
            common = level & here
            level = (level + common) | (level ^ common)
        keep(level)
    return levels


class _Blocks:
    """A large table of which a row in so many is kept; those between are made again where the walk comes."""

    def __init__(self, level: int, rows: Sequence[Hashable], places: Mapping[Hashable, int]) -> None:
        self._rows, self._places = rows, places
        self._first, self._held = 0, _levels(level, rows[:_ROWS], places)
        self._before = [level]
        for at in range(_ROWS, len(rows), _ROWS):
            self._before.append(self._held[-1])
            self._first, self._held = at, _levels(self._held[-1], rows[at : at + _ROWS], places)

    def __getitem__(self, row: int) -> int:
        if not 0 <= row - self._first < len(self._held):
            self._first = row - row % _ROWS
            rows = self._rows[self._first : self._first + _ROWS]
            self._held = _levels(self._before[row // _ROWS], rows, self._places)
        return self._held[row - self._first]
