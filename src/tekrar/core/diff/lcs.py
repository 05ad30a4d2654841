"""Longest common subsequences by bit-parallel suffix tables (requirements 3.7, rule 2).

L[i][j] is the length of the longest common subsequence of a[i:] and b[j:]. One row over all i is one integer:
its bits say where L[i][j] falls by one from i to i + 1 (Hyyro 2004 over the two sequences reversed). So a
table of n rows of m bits answers the walk, and the tie rule is decided by single bits.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence


def matches(a: Sequence[Hashable], b: Sequence[Hashable]) -> list[tuple[int, int]]:
    """The pairs of the canonical longest common subsequence, ascending.

    Walks from the start of both: equal heads match; else the left head is passed over when nothing is lost by
    it, else the right one.

    Args:
        a, b: the sequences.
    """
    size = len(a)
    if not size or not b:
        return []
    places: dict[Hashable, int] = {}
    bit = 1 << size
    for item in a:  # bit size - 1 - at: high bits are early places
        bit >>= 1
        places[item] = places.get(item, 0) | bit
    # Bit of place i of a level is 1 where L[i][j] == L[i + 1][j], that is, where passing over a[i] loses
    # nothing. Carries out of the top stay: cutting them off would cost more than they do.
    level = (1 << size) - 1
    levels: list[int] = []
    found_at = places.get
    for item in reversed(b):
        here = found_at(item)
        if here is not None:
            common = level & here
            level = (level + common) | (level - common)
        levels.append(level)
    found: list[tuple[int, int]] = []
    i, last = 0, len(b) - 1
    for j, item in enumerate(b):
        if a[i] != item:
            # the first place, from here on, that matches or that may not be passed over
            equal = found_at(item, 0)
            stop = (equal | ~levels[last - j]) & ((1 << (size - i)) - 1)
            if not stop:
                break  # nothing is lost by passing over the whole rest of a
            top = stop.bit_length()
            i = size - top
            if not equal >> (top - 1) & 1:
                continue
        found.append((i, j))
        i += 1
        if i == size:
            break
    return found
