"""Where the two sides of an entry stand: in which books, among which other entries, between which marks.

An entry between two books is told from common language by what surrounds it (CND-05: a source's own division
into books orders the list and proposes nothing): books that share much else are related texts; a paragraph
that many other books echo says what everybody says; a passage that begins or ends at a mark on both sides is
one of its own.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT
from tekrar.discover.entries import GROUP, Entries
from tekrar.discover.source import Source
from tekrar.discover.thresholds import VERSE_TOKENS

Ints = NDArray[np.int64]
#: Marks that end a clause, in any script that has some of its own.
CLAUSE_MARKS: Final = tuple(".,;:!?…؛؟،۔।॥、。，；：？！·׃።፣፤፥")
_MARKS: Final = re.compile(b"|".join(re.escape(mark.encode()) for mark in CLAUSE_MARKS))
#: Fixed point of ratios, and of echoes.
ONE: Final = 1024
PART: Final = 16
#: Echoes are told apart up to this number, in sixteenths.
MOST: Final = 1 << 20
#: Sixteenths of a bit that two books share and that chance shares, before any is counted.
SHARED_BEFORE: Final = 128 * BIT
#: Affinities are told apart between one of this number and this number.
AFFINITY: Final = 16
#: Bits of sums whose products stay in 63 bits.
SUM_BITS: Final = 30


@dataclass(frozen=True)
class Places:
    """Where entries stand, one value each.

    Attributes:
        left, right: row each side starts in.
        between: whether the two sides stand in two books.
        affinity: how much more the two books share than books that share so much with all others would by
            chance, in 1/1024, this entry aside; 1024 inside one book.
        echoes_left, echoes_right: entries between two books that begin in the row of that side, in
            sixteenths; of a row longer than a verse, as many as a verse of it has.
        marked: whether both sides begin after a mark, or both end before one.
    """

    left: Ints
    right: Ints
    between: NDArray[np.bool_]
    affinity: Ints
    echoes_left: Ints
    echoes_right: Ints
    marked: NDArray[np.bool_]


def places_of(source: Source, entries: Entries) -> Places:
    """Where the entries of a release stand."""
    first = source.tokens.first
    left, right = (
        np.searchsorted(first, token, side="right").astype(np.int64) - 1 for token in (entries.a0, entries.b0)
    )
    books = source.book[left], source.book[right]
    told = entries.kind != GROUP
    between = (books[0] != books[1]) & told
    echoes = np.bincount(np.concatenate([left[between], right[between]]), minlength=source.rows)
    echoes = PART * VERSE_TOKENS * echoes.astype(np.int64) // np.maximum(np.diff(first), VERSE_TOKENS)
    echoes = np.minimum(echoes, MOST)
    return Places(
        left,
        right,
        between,
        np.where(between, affinities(*books, np.where(told, entries.score, 0)), ONE),
        echoes[left],
        echoes[right],
        _marked(source, entries),
    )


def affinities(left: Ints, right: Ints, score: Ints) -> Ints:
    """Affinity of the two books of each entry, in 1/1024.

    What they share is the sum of the other entries' scores between them; what chance would give is the
    product of what each shares with any book, over all that is shared.

    Args:
        left, right: book of each side.
        score: sixteenths of a bit that the entry shares.
    """
    books = int(max(left.max(), right.max())) + 1 if len(left) else 1
    shift = max(0, int(2 * score.sum()).bit_length() - SUM_BITS)
    score = score >> shift
    before = max(SHARED_BEFORE >> shift, 1)
    _, pair = np.unique(np.minimum(left, right) * books + np.maximum(left, right), return_inverse=True)
    shared = _sums(pair, score)[pair] - score
    each = _sums(np.concatenate([left, right]), np.concatenate([score, score]))
    total = max(2 * int(score.sum()), 1)
    chance = (each[left] - score) * (each[right] - score) // total
    ratio = (shared + before) * ONE // (chance + before)
    found: Ints = np.clip(ratio, ONE // AFFINITY, ONE * AFFINITY)
    return found


def _sums(group: Ints, value: Ints) -> Ints:
    """Sum of the values of each group, in whole numbers."""
    order = np.argsort(group, kind="stable")
    running = np.concatenate([[0], np.cumsum(value[order])])
    count = np.bincount(group)
    ends = np.cumsum(count)
    sums: Ints = running[ends] - running[ends - count]
    return sums


def _marked(source: Source, entries: Entries) -> NDArray[np.bool_]:
    """Whether both sides of an entry begin after a mark or an edge of a paragraph, or both end before one."""
    at = np.fromiter((m.start() for m in _MARKS.finditer(source.release.text)), np.int64)
    tokens = source.tokens
    edge = np.zeros(len(tokens.start) + 1, bool)
    edge[tokens.first] = True
    inner = np.searchsorted(at, tokens.end[:-1]) < np.searchsorted(at, tokens.start[1:])
    edge[1:-1] |= inner
    both: NDArray[np.bool_] = (edge[entries.a0] & edge[entries.b0]) | (edge[entries.a1] & edge[entries.b1])
    return both
