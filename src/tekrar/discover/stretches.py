"""Stretches: neighbouring links chained over sentences and paragraphs, so that a reused section is one entry.

A chain goes forward on both sides inside one book each, over gaps of a few paragraphs, each at a price. A
chain that covers too little of its longer side is split at its widest gap and tried again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.compiled import kernel
from tekrar.discover.links import Links
from tekrar.discover.source import Source

Ints = NDArray[np.int64]
#: Paragraphs (that hold a token) a chain may step on each side.
STEP: Final = 4
#: The price of a gap on one side: this much, and three halves of log2 of its tokens (the choice of the
#: place, and
#: that words of one place often go together).
GAP: Final = 4 * BIT
#: Gaps are told apart up to this number of tokens.
WIDEST: Final = 4096
#: Tokens two links may overlap.
OVERLAP: Final = 3
#: Equal tokens of a stretch: at least this share (in 1/16) of its longer side, or, where one text stands
#: line by
#: line between other text, this much of the shorter side and less of the longer.
COVER: Final = 7
COVER_SHORTER: Final = 12
COVER_BETWEEN: Final = 3


@dataclass(frozen=True)
class Chains:
    """Chains of links.

    Attributes:
        link: link numbers, chain after chain in text order.
        first: first position in `link` per chain, with a final total.
        score: sum of the links' scores less the price of gaps, per chain.
    """

    link: Ints
    first: Ints
    score: Ints


def chain(source: Source, links: Links, *, alone: NDArray[np.bool_]) -> Chains:
    """The best chains: every link is in exactly one, alone if need be.

    Args:
        source: the release.
        links: links in their order.
        alone: links that are not chained (those of crowds).
    """
    total = len(links.left)
    holds = np.diff(source.tokens.first) > 0
    seat = np.cumsum(holds) - 1
    left, right = seat[links.left], seat[links.right]
    book = np.stack([source.book[links.left], source.book[links.right]])
    starts = np.searchsorted(left, np.arange(int(seat[-1]) + 2 if len(seat) else 1)).astype(np.int64)
    best, back, origin = np.zeros(total, np.int64), np.full(total, -1, np.int64), np.zeros(total, np.int64)
    limits = np.array([STEP, OVERLAP], np.int64)
    places = np.stack([links.a0, links.a1, links.b0, links.b1])
    _chain(left, right, starts, book, places, links.score, limits, gap_prices(), alone, best, back, origin)
    order = np.lexsort((np.arange(total), -best))
    link, first, score = _collect(order, best, back, links.score)
    chains = Chains(link, first, score)
    return _split(links, chains)


def gap_prices() -> Ints:
    """Price of a gap on one side by its tokens."""
    prices: Ints = 3 * log2_sixteenths(np.arange(1, WIDEST + 1)) // 2 + GAP
    prices[0] = 0
    return prices


@kernel
def _chain(
    left: Any, right: Any, starts: Any, book: Any, places: Any, score: Any, limits: Any, price: Any, alone:
        Any,
    best: Any, back: Any, origin: Any,
) -> None:  # fmt: skip
    step, overlap, widest = limits[0], limits[1], len(price) - 1
    for i in range(len(left)):
        gain, chosen = 0, -1
        first = left[i] + 1 if alone[i] else max(0, left[i] - step)
        for seat in range(first, left[i] + 1):
            low, high = starts[seat], min(starts[seat + 1], i)
            want = right[i] - step
            a, b = low, high
            while a < b:
                middle = (a + b) // 2
                if right[middle] < want:
                    a = middle + 1
                else:
                    b = middle
            for j in range(a, high):
                if right[j] > right[i]:
                    break
                if alone[j] or book[0, j] != book[0, i] or book[1, j] != book[1, i]:
                    continue
                ga = places[0, i] - places[1, j]
                gb = places[2, i] - places[3, j]
                if (
                    ga < -overlap
                    or gb < -overlap
                    or places[0, i] <= places[0, j]
                    or places[2, i] <= places[2, j]
                ):
                    continue
                if places[1, i] > places[2, origin[j]]:
                    continue
                value = best[j] - price[min(max(ga, 0), widest)] - price[min(max(gb, 0), widest)]
                if value > gain:
                    gain, chosen = value, j
        best[i] = score[i] + gain
        back[i] = chosen
        origin[i] = origin[chosen] if chosen >= 0 else i


def _collect(order: Ints, best: Ints, back: Ints, score: Ints) -> tuple[Ints, Ints, Ints]:
    total = len(order)
    link, first, value = np.zeros(total, np.int64), np.zeros(total + 1, np.int64), np.zeros(total, np.int64)
    chains = int(_walk(order, best, back, link, first, value))
    return link, first[: chains + 1], value[:chains]


@kernel
def _walk(order: Any, best: Any, back: Any, link: Any, first: Any, value: Any) -> int:
    used = np.zeros(len(order), np.uint8)
    at, chains = 0, 0
    for k in range(len(order)):
        i = order[k]
        if used[i]:
            continue
        begin = at
        j = i
        while j >= 0 and not used[j]:
            used[j] = 1
            link[at] = j
            at += 1
            j = back[j]
        value[chains] = best[i] - (best[j] if j >= 0 else 0)
        low, high = begin, at - 1
        while low < high:
            link[low], link[high] = link[high], link[low]
            low += 1
            high -= 1
        chains += 1
        first[chains] = at
    return chains


def _split(links: Links, chains: Chains) -> Chains:
    """Split chains that cover too little at their widest gap until each part covers enough or is one link."""
    cuts: list[int] = []
    for number in np.flatnonzero(np.diff(chains.first) > 1).tolist():
        todo = [(int(chains.first[number]), int(chains.first[number + 1]))]
        while todo:
            low, high = todo.pop()
            mine = chains.link[low:high]
            if high - low < 2 or _covers(links, mine):
                continue
            gaps = (links.a0[mine[1:]] - links.a1[mine[:-1]]) + (links.b0[mine[1:]] - links.b1[mine[:-1]])
            cut = low + 1 + int(np.argmax(gaps))
            cuts.append(cut)
            todo += [(low, cut), (cut, high)]
    first = np.unique(np.concatenate([chains.first, np.array(cuts, np.int64)]))
    running = np.concatenate([[0], np.cumsum(links.score[chains.link])])
    price = np.zeros(len(chains.link) + 1, np.int64)
    a, b = chains.link[:-1], chains.link[1:]
    prices = gap_prices()
    wide = (links.a0[b] - links.a1[a], links.b0[b] - links.b1[a])
    price[1:-1] = sum(prices[np.clip(gap, 0, WIDEST - 1)] for gap in wide)
    inner = np.ones(len(price), bool)
    inner[first] = False
    paid = np.concatenate([[0], np.cumsum(np.where(inner, price, 0))])
    score = running[first[1:]] - running[first[:-1]] - (paid[first[1:]] - paid[first[:-1]])
    return Chains(chains.link, first, score)


def _covers(links: Links, mine: Ints) -> bool:
    equal = 16 * int(links.equal[mine].sum())
    left = int(links.a1[mine].max() - links.a0[mine].min())
    right = int(links.b1[mine].max() - links.b0[mine].min())
    longer, shorter = max(left, right), min(left, right)
    return equal >= COVER * longer or (equal >= COVER_SHORTER * shorter and equal >= COVER_BETWEEN * longer)
