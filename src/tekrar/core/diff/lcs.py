"""Longest common subsequences by bit-parallel suffix tables (requirements 3.7, rule 2).

L[i][j] is the length of the longest common subsequence of a[i:] and b[j:]. One row over all i is one integer:
its bits say where L[i][j] falls by one from i to i + 1 (Hyyro 2004 over the two sequences reversed). So a
table of n rows of m bits answers the walk, and the tie rule is decided by single bits.
"""

from __future__ import annotations

from collections.abc import Sequence


def matches(a: Sequence[int], b: Sequence[int]) -> list[tuple[int, int]]:
    """The pairs of the canonical longest common subsequence, ascending.

    Walks from the start of both: equal heads match; else the left head is passed over when nothing is lost by
    it, else the right one.

    Args:
        a, b: the sequences, as ids that are equal when the items are.
    """
    size = len(a)
    if not size or not b:
        return []
    places: dict[int, int] = {}
    for at, item in enumerate(a):  # bit size - 1 - at: high bits are early places
        places[item] = places.get(item, 0) | 1 << (size - 1 - at)
    full = (1 << size) - 1
    # bit of place i is 1 where L[i][j] == L[i + 1][j], that is, where passing over a[i] loses nothing
    level = full
    levels = [full] * (len(b) + 1)
    for j in range(len(b) - 1, -1, -1):
        here = places.get(b[j])
        if here is not None:
            common = level & here
            level = ((level + common) | (level - common)) & full
        levels[j] = level
    found: list[tuple[int, int]] = []
    below = full  # the places not passed yet
    for j, item in enumerate(b):
        equal = places.get(item, 0)
        # the first place, from here on, that matches or that may not be passed over
        stop = (equal | (full & ~levels[j])) & below
        if not stop:
            break  # nothing is lost by passing over the whole rest of a
        top = stop.bit_length() - 1
        bit = 1 << top
        if equal & bit:
            found.append((size - 1 - top, j))
            below = bit - 1
        else:
            below = (bit << 1) - 1
    return found
