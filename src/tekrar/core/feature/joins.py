"""Joining of neighbouring tokens: named, versioned functions of the text and its token spans.

Serves CND-03: a joined token is a feature like a folded one. Its bytes stay those of the source, from the
first token's beginning to the last one's end.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

Ints = NDArray[np.int64]

#: Name of `hyphen_suffix`; its authority class is `normalized_text`.
HYPHEN_SUFFIX: Final = "hyphen-suffix"
HYPHEN_SUFFIX_VERSION: Final = 1
#: Characters of a suffix, at most: the linking vowels of Persian compounds and their glides.
LONGEST_SUFFIX: Final = 2
_HYPHENS: Final = (b"-", "\u2010".encode(), "\u2011".encode())


def hyphen_suffix(text: bytes, spans: Ints) -> Ints:
    """Tokens with a hyphen and one or two characters joined to the token before (`nur-u`, `ehl-i`).

    Args:
        text: UTF-8 bytes.
        spans: int64 (tokens, 2), first and end byte of each, ascending.

    Returns:
        int64 (tokens left, 2).
    """
    if len(spans) < 2:
        return spans
    octets = np.concatenate([np.frombuffer(text, np.uint8), np.zeros(3, np.uint8)])
    gap = spans[1:, 0] - spans[:-1, 1]
    joins = np.zeros(len(gap), bool)
    for hyphen in _HYPHENS:
        near = np.flatnonzero(gap == len(hyphen))
        same = np.ones(len(near), bool)
        for at, byte in enumerate(hyphen):
            same &= octets[spans[near, 1] + at] == byte
        joins[near] |= same
    found = np.flatnonzero(joins)
    for at in found.tolist():
        start, end = spans[at + 1].tolist()
        # a character is four bytes at most, so what is longer needs no decoding
        joins[at] = end - start <= 4 * LONGEST_SUFFIX and len(text[start:end].decode()) <= LONGEST_SUFFIX
    opens = np.concatenate([[True], ~joins])
    closes = np.concatenate([~joins, [True]])
    return np.stack([spans[opens, 0], spans[closes, 1]], axis=1)
