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
    levels: list[int] = []
    found_at, keep = places.get, levels.append
    for here in map(found_at, reversed(b[first:end])):
        if here is not None:
            common = level & here
            level = (level + common) | (level ^ common)
        keep(level)
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
