"""Longest common subsequences by bit-parallel suffix tables (requirements 3.7, rule 2).

L[i][j] is the length of the longest common subsequence of a[i:] and b[j:]. One row over all i is one integer:
its bits say where L[i][j] falls by one from i to i + 1 (Hyyro 2004 over the two sequences reversed). So a
table of n rows of m bits answers the walk, and the tie rule is decided by single bits.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from itertools import accumulate, islice, repeat
from operator import rshift

#: First place in a, first place in b, and how many pairs follow one another on both sides from there.
Run = tuple[int, int, int]


def runs(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[Run]:
    """The pairs of the canonical longest common subsequence, ascending, as runs (not always the longest).

    Walks from the start of both: equal heads match; else the left head is passed over when nothing is lost by
    it, else the right one.

    Args:
        a, b: the sequences.
    """
    size = len(a)
    if not size or not b:
        return []
    places: dict[Hashable, int] = {}
    # the bits of the places, high ones first
    for item, bit in zip(a, accumulate(repeat(1, size - 1), rshift, initial=1 << (size - 1)), strict=True):
        if item in places:
            places[item] |= bit
        else:
            places[item] = bit
    # Bit of place i of a level is 1 where L[i][j] == L[i + 1][j], that is, where passing over a[i] loses
    # nothing. Carries out of the top stay: cutting them off would cost more than they do.
    level = (1 << size) - 1
    levels: list[int] = []
    found_at = places.get
    keep = levels.append
    for here in map(found_at, reversed(b)):
        if here is not None:
            common = level & here
            level = (level + common) | (level ^ common)
        keep(level)
    found: list[Run] = []
    i = j = 0
    end = len(b)
    while i < size and j < end:
        if a[i] == b[j]:
            start = i
            for one, other in zip(islice(a, i, None), islice(b, j, None), strict=False):
                if one != other:
                    break
                i += 1
            found.append((start, j, i - start))
            j += i - start
            continue
        # the first place, from here on, that matches or that may not be passed over
        equal = found_at(b[j], 0)
        stop = (equal | ~levels[end - 1 - j]) & ((1 << (size - i)) - 1)
        if not stop:
            break  # nothing is lost by passing over the whole rest of a
        top = stop.bit_length()
        i = size - top
        if equal >> (top - 1) & 1:
            found.append((i, j, 1))
            i += 1
        j += 1
    return found
