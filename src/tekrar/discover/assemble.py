"""From links and chains to entries: stretches, and pairs that no stretch took in."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import log2_sixteenths
from tekrar.discover.entries import GROUP, PAIR, STRETCH, Entries, joined
from tekrar.discover.formulas import LISTED, SHORT, Formulas
from tekrar.discover.links import Links
from tekrar.discover.pairs import Pairs
from tekrar.discover.source import Source
from tekrar.discover.stream import Stream
from tekrar.discover.stretches import Chains
from tekrar.discover.thresholds import (
    CONTAINED,
    SHORT_SHARE,
    SHORT_TOKENS,
    UNIT_SHARE,
    VARIANT,
    VARIANT_TOKENS,
    VERSE_MARGIN,
    Thresholds,
)

Ints = NDArray[np.int64]


def assembled(
    source: Source,
    stream: Stream,
    found: tuple[Pairs, Links, Chains, Formulas],
    limits: Thresholds,
    rarity: Ints,
) -> tuple[Entries, dict[str, int]]:
    """Stretches of two links or more, pairs that no stretch took in, formulas; and what a bound left out.

    Args:
        source, stream: the release and its stream.
        found: aligned pairs, links, chains, formulas.
        limits: thresholds of the corpus.
        rarity: sum of the rarities before each place of the stream.
    """
    pairs, links, chains, formulas = found
    size = np.diff(chains.first)
    chosen = np.flatnonzero((size > 1) & (chains.score >= limits.local))
    stretches, taken = _stretches(source, pairs, links, chains, chosen)
    in_stretch = np.zeros(len(pairs.left), bool)
    numbers = links.pair[taken]
    in_stretch[numbers[numbers >= 0]] = True
    path = accepted(stream, pairs, limits)
    said = (path > 0) & ~in_stretch
    by_formula = said & ((path == RUN) | (path == VERSE)) & _of_formula(pairs, formulas)
    kept = np.flatnonzero(said & ~by_formula)
    told = _told(stream, pairs, formulas, said & ~by_formula | in_stretch)
    parts = [
        stretches,
        _pairs(source, stream, pairs, links, kept),
        _groups(source, stream, formulas, rarity, told),
    ]
    return joined(parts), {"pairs_left_to_groups": int(by_formula.sum())}


def _of_formula(pairs: Pairs, formulas: Formulas) -> NDArray[np.bool_]:
    """Pairs whose equal tokens are few and lie in formulas of many places."""
    inside = np.concatenate([[0], np.cumsum(formulas.frequent, dtype=np.int64)])
    segments = pairs.segments
    covered = (inside[segments.a1] - inside[segments.a0]).sum(axis=1)
    equal = segments.equal.sum(axis=1, dtype=np.int64)
    few: NDArray[np.bool_] = (equal <= SHORT) & (4 * covered >= 3 * equal)
    return few


def _told(stream: Stream, pairs: Pairs, formulas: Formulas, listed: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """Formulas whose neighbouring places are pairs of the list, half of them or more.

    Sentences are excepted, and formulas of so many places that their other pairs are left to the group.
    """
    width = len(stream.row) + 1
    known = np.sort(pairs.left[listed].astype(np.int64) * width + pairs.right[listed])
    paragraph = stream.paragraph[formulas.place].astype(np.int64)
    key = paragraph[:-1] * width + paragraph[1:]
    at = np.minimum(np.searchsorted(known, key), max(len(known) - 1, 0))
    hit = (known[at] == key) | (paragraph[:-1] == paragraph[1:]) if len(known) else np.zeros(len(key), bool)
    running = np.concatenate([[0], np.cumsum(hit)])
    hits = running[formulas.first[1:] - 1] - running[formulas.first[:-1]]
    short = formulas.sentence & (formulas.length <= SHORT)
    few = np.diff(formulas.first) <= LISTED
    told: NDArray[np.bool_] = (2 * hits >= np.diff(formulas.first) - 1) & ~short & few
    return told


def _groups(
    source: Source, stream: Stream, formulas: Formulas, rarity: Ints, told: NDArray[np.bool_]
) -> Entries:
    token = tokens_at(stream, formulas.place)
    first, count = formulas.first[:-1][~told], np.diff(formulas.first)[~told]
    a, b, n = token[first], token[first + 1], formulas.length[~told]
    size = np.diff(source.tokens.first)
    place = formulas.place[first]
    plain = rarity[place + n] - rarity[place]
    row = stream.row[stream.paragraph[place]]
    other = stream.row[stream.paragraph[formulas.place[first + 1]]]
    none = np.zeros(len(n), np.int64)
    return Entries(
        none + GROUP, a, a + n, b, b + n, formulas.saved[~told], n, n, none, plain, size[row], size[other],
        none, none,
        first, count,
    )  # fmt: skip


def tokens_at(stream: Stream, place: Ints) -> Ints:
    """Token of the source at each place of the stream."""
    paragraph = stream.paragraph[place]
    found: Ints = stream.token[paragraph] + place - stream.first[paragraph]
    return found


#: Why a pair is an entry, strongest first (0: it is none).
LOCAL, SAME_WORDS, UNIT, VARIANT_UNIT, CONTAINED_UNIT, RUN, VERSE = 1, 2, 3, 4, 5, 6, 7


def accepted(stream: Stream, pairs: Pairs, limits: Thresholds) -> NDArray[np.int64]:
    """Which of the paths accepts each pair.

    A local match by its score; whole units by equal words, by share and score, by the share of their tokens
    alone (no rarity needed), or one contained in the other; a run by its length; in a text of verses any
    match
    that is more than the choice of its places.
    """
    tokens = np.diff(stream.first) - 1
    a, b = tokens[pairs.left], tokens[pairs.right]
    equal = pairs.segments.equal.sum(axis=1, dtype=np.int64)
    longest = pairs.segments.longest.max(axis=1) if len(a) else a
    lighter = np.minimum(pairs.unit[pairs.left], pairs.unit[pairs.right])
    share = VARIANT[1] * 2 * equal >= VARIANT[0] * (a + b)
    paths = [
        pairs.score >= limits.local,
        (equal == a) & (equal == b) & (longest == a),
        (16 * pairs.score >= UNIT_SHARE * lighter) & (pairs.score >= limits.unit),
        share & (equal >= VARIANT_TOKENS)
        | (equal >= SHORT_TOKENS) & (SHORT_SHARE[1] * equal >= SHORT_SHARE[0] * np.maximum(a, b)),
        (CONTAINED[1] * equal >= CONTAINED[0] * np.minimum(a, b)) & (equal >= limits.contained),
        longest >= limits.run,
        (limits.verse > 0)
        & (pairs.score >= limits.verse)
        & (pairs.score >= VERSE_MARGIN + log2_sixteenths(np.maximum(a * b, 1))),
    ]
    return np.select(paths, [LOCAL, SAME_WORDS, UNIT, VARIANT_UNIT, CONTAINED_UNIT, RUN, VERSE], 0).astype(
        np.int64
    )


def _stretches(
    source: Source, pairs: Pairs, links: Links, chains: Chains, chosen: NDArray[np.intp]
) -> tuple[Entries, Ints]:
    found: list[tuple[int, ...]] = []
    taken: list[Ints] = []
    token = source.tokens.first
    for number in chosen.tolist():
        mine = chains.link[int(chains.first[number]) : int(chains.first[number + 1])]
        if (links.pair[mine] < 0).all() and len(np.unique(source.exact[links.left[mine]])) < 2:
            continue
        taken.append(mine)
        a0, a1, b0, b1 = _extent(source, links, mine)
        l0, l1 = int(links.left[mine].min()), int(links.left[mine].max())
        r0, r1 = int(links.right[mine].min()), int(links.right[mine].max())
        found.append(
            (
                STRETCH, a0, a1, b0, b1, int(chains.score[number]), int(links.equal[mine].sum()),
                int(links.often[mine].sum()), int(links.rare[mine].sum()), int(links.plain[mine].sum()),
                int(token[l1 + 1] - token[l0]), int(token[r1 + 1] - token[r0]), 0, 0,
                int(chains.first[number]),
                len(mine),
            )
        )  # fmt: skip
    table = np.array(found, np.int64).reshape(-1, 16).T
    return Entries(*table), np.concatenate([np.zeros(0, np.int64), *taken])


#: Where each side of a stretch has this number of paragraphs, an outer one that is mostly covered on both
#: sides is taken whole.
WHOLE_FROM = 3


def _extent(source: Source, links: Links, mine: Ints) -> tuple[int, int, int, int]:
    """First and end token of a stretch on both sides."""
    a0, a1 = int(links.a0[mine].min()), int(links.a1[mine].max())
    b0, b1 = int(links.b0[mine].min()), int(links.b1[mine].max())
    if min(len(np.unique(links.left[mine])), len(np.unique(links.right[mine]))) < WHOLE_FROM:
        return a0, a1, b0, b1
    token = source.tokens.first
    first, last = int(mine[0]), int(mine[-1])
    l0, l1 = int(links.left[first]), int(links.left[last])
    r0, r1 = int(links.right[first]), int(links.right[last])
    if l0 < l1 and r0 < r1:
        if _covered((a0 - int(token[l0]), b0 - int(token[r0])), (l0, r0), token):
            a0, b0 = int(token[l0]), int(token[r0])
        if _covered((int(token[l1 + 1]) - a1, int(token[r1 + 1]) - b1), (l1, r1), token):
            a1, b1 = int(token[l1 + 1]), int(token[r1 + 1])
    return a0, a1, b0, b1


def _covered(out: tuple[int, int], rows: tuple[int, int], token: Ints) -> bool:
    """Whether what two outer paragraphs have outside a stretch is, in shares added, at most two thirds."""
    a, b = (int(token[row + 1] - token[row]) for row in rows)
    return 3 * (out[0] * b + out[1] * a) <= 2 * a * b


def _pairs(source: Source, stream: Stream, pairs: Pairs, links: Links, kept: NDArray[np.intp]) -> Entries:
    near = np.flatnonzero(links.pair >= 0)
    order = near[np.argsort(links.pair[near], kind="stable")]
    which = order[np.searchsorted(links.pair[order], kept)]
    token = source.tokens.first
    left, right = links.left[which], links.right[which]
    none = np.zeros(len(which), np.int64)
    return Entries(
        none + PAIR, links.a0[which], links.a1[which], links.b0[which], links.b1[which], links.score[which],
        links.equal[which], links.often[which], links.rare[which], links.plain[which], token[left + 1] -
        token[left], token[right + 1] - token[right],
        np.minimum(pairs.unit[pairs.left[kept]], pairs.unit[pairs.right[kept]]), none,
        kept.astype(np.int64), none + 1,
    )  # fmt: skip
