"""Links: where two paragraphs of the release say the same, exactly or nearly, with both places.

A pair of stream paragraphs speaks for every member of their exact classes; identical paragraphs are links
too.
Stretches are chained over links.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.pairs import Pairs
from tekrar.discover.source import Source
from tekrar.discover.stream import Stream

Ints = NDArray[np.int64]
#: All combinations of members of two classes, or of one, are links up to this number; above it only the first
#: members of two classes, and none inside one class.
ALL_MEMBERS: Final = 64


@dataclass(frozen=True)
class Links:
    """Links in order of left row, right row; all arrays have one value a link.

    Attributes:
        left, right: rows of the source, left before right.
        a0, a1, b0, b1: first and end token of the source on each side.
        score: sixteenths of a bit.
        equal: equal tokens; often, rare: those of formulas and of rare phrases (`align.Segments`).
        pair: number of the pair it comes from, -1 for identical paragraphs.
    """

    left: Ints
    right: Ints
    a0: Ints
    a1: Ints
    b0: Ints
    b1: Ints
    score: Ints
    equal: Ints
    often: Ints
    rare: Ints
    plain: Ints
    pair: Ints

    def take(self, chosen: NDArray[np.intp]) -> Links:
        """Some of the links."""
        return Links(*(getattr(self, f.name)[chosen] for f in fields(self)))


def links_of(source: Source, stream: Stream, pairs: Pairs, plain: Ints) -> tuple[Links, dict[str, int]]:
    """All links, and the numbers of those that a bound left out.

    Args:
        source, stream, pairs: the release, its stream and the aligned pairs.
        plain: sum of the rarities of every stream paragraph.
    """
    offset, rows = source.members()
    left_row, right_row = stream.row[pairs.left], stream.row[pairs.right]
    size = np.ones(source.rows, np.int64)
    matched = source.exact >= 0
    size[matched] = np.diff(offset)[source.exact[matched]]
    count = size[left_row] * size[right_row]
    within = count <= ALL_MEMBERS
    count = np.where(within, count, 1)
    number = np.repeat(np.arange(len(count)), count)
    inner = np.arange(len(number)) - np.repeat(np.cumsum(count) - count, count)
    many = np.where(within, size[right_row], 1)[number]
    x = _member(left_row[number], inner // many, source, offset, rows)
    y = _member(right_row[number], inner % many, source, offset, rows)
    segments = pairs.segments
    used = segments.score > 0
    far = np.int32(2**31 - 1)
    first, token = stream.first, source.tokens.first
    hull = (
        np.where(used, segments.a0, far).min(axis=1) - first[pairs.left],
        np.where(used, segments.a1, 0).max(axis=1) - first[pairs.left],
        np.where(used, segments.b0, far).min(axis=1) - first[pairs.right],
        np.where(used, segments.b1, 0).max(axis=1) - first[pairs.right],
    )
    near = Links(
        x, y, token[x] + hull[0][number], token[x] + hull[1][number], token[y] + hull[2][number],
        token[y] + hull[3][number], pairs.score[number], segments.equal.sum(axis=1, dtype=np.int64)[number],
        segments.often.sum(axis=1, dtype=np.int64)[number], segments.rare.sum(axis=1, dtype=np.int64)[number],
        segments.plain.sum(axis=1, dtype=np.int64)[number], number,
    )  # fmt: skip
    equal = _identical(source, stream, (pairs.unit, plain), offset, rows)
    both = Links(*(np.concatenate([getattr(near, f.name), getattr(equal, f.name)]) for f in fields(near)))
    swap = both.left > both.right
    turned = Links(
        np.where(swap, both.right, both.left), np.where(swap, both.left, both.right),
        np.where(swap, both.b0, both.a0), np.where(swap, both.b1, both.a1),
        np.where(swap, both.a0, both.b0), np.where(swap, both.a1, both.b1),
        both.score, both.equal, both.often, both.rare, both.plain, both.pair,
    )  # fmt: skip
    order = np.lexsort((turned.pair, turned.a0, turned.right, turned.left))
    within_class = np.diff(offset) * (np.diff(offset) - 1) // 2
    left_out = {
        "links_inside_large_classes": int(within_class[within_class > ALL_MEMBERS].sum()),
        "member_pairs_not_linked": int((size[left_row] * size[right_row])[~within].sum() - (~within).sum()),
    }
    return turned.take(order), left_out


def _member(row: Ints, number: Ints, source: Source, offset: Ints, rows: Ints) -> Ints:
    found = row.copy()
    matched = source.exact[row] >= 0
    found[matched] = rows[offset[source.exact[row[matched]]] + number[matched]]
    return found


def _identical(source: Source, stream: Stream, units: tuple[Ints, Ints], offset: Ints, rows: Ints) -> Links:
    """Links between members of one class, of those that give at most `ALL_MEMBERS`."""
    size = np.diff(offset)
    unit, plain = np.zeros((2, source.rows), np.int64)
    unit[stream.row], plain[stream.row] = units
    lefts: list[Ints] = []
    rights: list[Ints] = []
    for m in np.unique(size[(size >= 2) & (size * (size - 1) <= 2 * ALL_MEMBERS)]).tolist():
        i, j = np.triu_indices(m, 1)
        classes = np.flatnonzero(size == m)
        table = rows[offset[classes][:, None] + np.arange(m)]
        lefts.append(table[:, i].ravel())
        rights.append(table[:, j].ravel())
    none = np.zeros(0, np.int64)
    left, right = np.concatenate([none, *lefts]), np.concatenate([none, *rights])
    token = source.tokens.first
    length = token[left + 1] - token[left]
    kept = length > 0
    left, right, length = left[kept], right[kept], length[kept]
    return Links(
        left, right, token[left], token[left] + length, token[right], token[right] + length,
        unit[source.first[left]], length, 0 * length, 0 * length, plain[source.first[left]],
        np.full(len(left), -1, np.int64),
    )  # fmt: skip
