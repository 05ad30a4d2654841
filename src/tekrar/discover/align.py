"""Local alignment of two token sequences around their seeds, in sixteenths of a bit.

Equal tokens score what they are worth (`weights`), a changed, missing or added token costs a fixed price. Seeds
that lie near one diagonal make one band; each band gives its best segment; up to three segments that do not
overlap make the alignment of a pair, so that moved blocks are found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.bits import BIT
from tekrar.discover.compiled import kernel
from tekrar.discover.weights import HELD

Scores = NDArray[np.int32]
#: Price of a changed token and of a token that only one side has.
CHANGED: Final = 3 * BIT
MISSING: Final = 3 * BIT
#: An outer fragment of a segment beyond a change is kept when it is worth this much more than the change.
OUTER: Final = 2 * BIT
#: Changes of one segment whose fragments can be taken off.
FRAGMENTS: Final = 64
#: Tokens searched before the first and after the last seed of a band, and diagonals to each side of it.
REACH: Final = 16
DRIFT: Final = 12
#: Bands tried and segments kept per pair; cells of one band.
BANDS: Final = 6
SEGMENTS: Final = 3
CELLS: Final = 1 << 24
#: A segment scores at least this much; a band's seeds weigh at least this much, unless it is the pair's best.
SEGMENT_LEAST: Final = 14 * BIT


#: (tokens, places): what a formula has at least, and what a text of its own has at most.
OFTEN: Final = (4, 8)
RARE: Final = (5, 3)


@dataclass(frozen=True)
class Segments:
    """Segments of aligned pairs; `SEGMENTS` slots a pair, best first, unused ones have score 0.

    Every array has the shape (pairs, SEGMENTS): first and end place on each side, score (what the equal tokens
    are worth less the price of the others, at least 1), equal tokens, longest run of equal tokens, tokens
    changed or on one side only; equal tokens inside phrases of `OFTEN[0]` equal tokens that stand in `OFTEN[1]`
    places or more, inside phrases of `RARE[0]` that stand in at most `RARE[1]`, and the places of the most
    frequent phrase of `OFTEN[0]` tokens; the score with every equal token at its rarity.
    """

    a0: Scores
    a1: Scores
    b0: Scores
    b1: Scores
    score: Scores
    equal: Scores
    longest: Scores
    edits: Scores
    often: Scores
    rare: Scores
    places: Scores
    plain: Scores


def align_pairs(
    stream: NDArray[np.int32],
    weights: tuple[Scores, Scores],
    phrases: tuple[Scores, Scores],
    limits: NDArray[np.int64],
    seeds: tuple[Scores, Scores, Scores, Scores],
    bounds: NDArray[np.int64],
    sides: tuple[Scores, Scores],
) -> Segments:
    """Align pairs of paragraphs.

    Args:
        stream: word number per place.
        weights: rarity and added per place.
        phrases: places of the phrase of `OFTEN[0]` and of `RARE[0]` tokens that starts at each place.
        limits: first place of every paragraph, with a final total (each paragraph ends in one 0).
        seeds: at, to, length and weight per seed, ordered by pair and place.
        bounds: first seed of every pair, with a final total.
        sides: left and right paragraph per pair.
    """
    pairs = len(bounds) - 1
    out = np.zeros((12, pairs, SEGMENTS), np.int32)
    if pairs:
        prices = np.array([CHANGED, MISSING, REACH, DRIFT, CELLS, SEGMENT_LEAST, BANDS, HELD, *OFTEN, *RARE, OUTER, FRAGMENTS], np.int64)
        _align(stream, *weights, *phrases, limits, *seeds, bounds, *sides, prices, out)
    return Segments(*out)


@kernel
def _align(
    stream: Any, rarity: Any, added: Any, four: Any, five: Any, limits: Any, at: Any, to: Any, length: Any, weight: Any, bounds: Any,
    left: Any, right: Any, prices: Any, out: Any,
) -> None:  # fmt: skip
    changed, missing, reach, drift = prices[0], prices[1], prices[2], prices[3]
    cells, least, most, held = prices[4], prices[5], prices[6], prices[7]
    often_n, often_at, rare_n, rare_at = prices[8], prices[9], prices[10], prices[11]
    outer, fragments = prices[12], prices[13]
    slots = out.shape[2]
    saved = np.zeros((fragments, 12), np.int64)
    band = np.zeros((most, 7), np.int64)  # low diagonal, high, last diagonal, first a, end a, weight, seeds
    trace = np.zeros(1 << 16, np.uint8)
    previous = np.zeros(1 << 10, np.int64)
    current = np.zeros(1 << 10, np.int64)
    segment = np.zeros((most, 12), np.int64)
    for pair in range(len(bounds) - 1):
        la, ha = limits[left[pair]], limits[left[pair] + 1] - 1
        lb, hb = limits[right[pair]], limits[right[pair] + 1] - 1
        bands = 0
        for s in range(bounds[pair], bounds[pair + 1]):
            diagonal = to[s] - at[s]
            best, distance = -1, drift + 1
            for k in range(bands):
                away = abs(diagonal - band[k, 2])
                if away < distance:
                    best, distance = k, away
            if best < 0:
                if bands < most:
                    best = bands
                    bands += 1
                else:
                    for k in range(bands):
                        if band[k, 5] < weight[s] and (best < 0 or band[k, 5] < band[best, 5]):
                            best = k
                    if best < 0:
                        continue
                band[best, 0] = diagonal
                band[best, 1] = diagonal
                band[best, 3] = at[s]
                band[best, 4] = at[s] + length[s]
                band[best, 5] = 0
            band[best, 0] = min(band[best, 0], diagonal)
            band[best, 1] = max(band[best, 1], diagonal)
            band[best, 2] = diagonal
            band[best, 4] = max(band[best, 4], at[s] + length[s])
            band[best, 5] += weight[s]
        heaviest = 0
        for k in range(bands):
            heaviest = max(heaviest, band[k, 5])
        made = 0
        for k in range(bands):
            if band[k, 5] < least and band[k, 5] < heaviest:
                continue
            low, high = band[k, 0] - drift, band[k, 1] + drift
            i0, i1 = max(la, band[k, 3] - reach), min(ha, band[k, 4] + reach)
            width = high - low + 1
            if (i1 - i0) * width > cells:
                i1 = i0 + cells // width
            if (i1 - i0) * width > len(trace):
                trace = np.zeros(2 * (i1 - i0) * width, np.uint8)
            if width + 2 > len(previous):
                previous = np.zeros(2 * width + 2, np.int64)
                current = np.zeros(2 * width + 2, np.int64)
            previous[: width + 2] = 0
            top, ti, tj = 0, 0, 0
            for i in range(i0, i1):
                current[: width + 2] = 0
                j0, j1 = max(lb, i + low), min(hb, i + high + 1)
                row = (i - i0) * width
                for j in range(j0, j1):
                    c = j - i - low
                    score, way = 0, 0
                    if stream[i] == stream[j]:
                        worth = rarity[i]
                        if i > i0 and j > lb and stream[i - 1] == stream[j - 1] and previous[c + 1] > 0:
                            worth = added[i]
                        score, way = previous[c + 1] + max(worth, held), 1
                    else:
                        value = previous[c + 1] - changed
                        if value > score:
                            score, way = value, 2
                    value = previous[c + 2] - missing
                    if value > score:
                        score, way = value, 3
                    if j > j0:
                        value = current[c] - missing
                        if value > score:
                            score, way = value, 4
                    current[c + 1] = score
                    trace[row + c] = way
                    if score > top:
                        top, ti, tj = score, i, j
                previous, current = current, previous
            if top == 0:
                continue
            i, j, equal, run, longest, edits = ti, tj, 0, 0, 0, 0
            ai, bj, value, plain = ti, tj, 0, 0
            often, often_from, rare, rare_from, places = 0, ti + 1, 0, ti + 1, 0
            fragment, since, changes, marks = 0, 0, 0, 0
            while i >= i0 and j >= lb and j - i >= low and j - i <= high:
                way = trace[(i - i0) * width + j - i - low]
                if way == 0:
                    break
                if way == 1:
                    if since > 0:
                        if marks == 0 and fragment - since < outer:
                            ti, tj, equal, longest, edits, value, plain = i, j, 0, 0, 0, 0, 0
                            often, often_from, rare, rare_from, places = 0, i + 1, 0, i + 1, 0
                        else:
                            m = marks % fragments
                            saved[m, 0], saved[m, 1], saved[m, 2], saved[m, 3] = ai, bj, equal, longest
                            saved[m, 4], saved[m, 5], saved[m, 6], saved[m, 7] = edits, value, plain, often
                            saved[m, 8], saved[m, 9], saved[m, 10], saved[m, 11] = rare, places, fragment, since
                            marks += 1
                            edits += changes
                            value -= since
                            plain -= since
                        fragment, since, changes, run = 0, 0, 0, 0
                    fragment += rarity[i]
                    equal += 1
                    run += 1
                    longest = max(longest, run)
                    ai, bj = i, j
                    if run >= often_n:
                        places = max(places, four[i])
                        if four[i] >= often_at:
                            often += min(i + often_n, often_from) - i
                            often_from = i
                    if run >= rare_n and five[i] <= rare_at:
                        rare += min(i + rare_n, rare_from) - i
                        rare_from = i
                    plain += rarity[i]
                    before = i > i0 and j > lb and stream[i - 1] == stream[j - 1]
                    if before and trace[(i - 1 - i0) * width + j - i - low] == 1:
                        value += added[i]
                    else:
                        value += rarity[i]
                    i -= 1
                    j -= 1
                    continue
                changes += 1
                since += changed if way == 2 else missing
                if way == 2:
                    i -= 1
                    j -= 1
                elif way == 3:
                    i -= 1
                else:
                    j -= 1
            kept = max(0, marks - fragments)
            while marks > kept and fragment - saved[(marks - 1) % fragments, 11] < outer:
                marks -= 1
                m = marks % fragments
                ai, bj, equal, longest = saved[m, 0], saved[m, 1], saved[m, 2], saved[m, 3]
                edits, value, plain, often = saved[m, 4], saved[m, 5], saved[m, 6], saved[m, 7]
                rare, places, fragment = saved[m, 8], saved[m, 9], saved[m, 10]
            segment[made, 0], segment[made, 1] = ai, ti + 1
            segment[made, 2], segment[made, 3] = bj, tj + 1
            segment[made, 4], segment[made, 5] = max(value, 1), equal
            segment[made, 6], segment[made, 7] = longest, edits
            segment[made, 8], segment[made, 9], segment[made, 10] = often, rare, places
            segment[made, 11] = max(plain, 1)
            if la != lb or segment[made, 2] >= segment[made, 1]:
                made += 1
        for slot in range(slots):
            best = -1
            for k in range(made):
                if segment[k, 4] <= 0 or (slot > 0 and segment[k, 4] < least):
                    continue
                clear = True
                for t in range(slot):
                    over_a = min(segment[k, 1], out[1, pair, t]) - max(segment[k, 0], out[0, pair, t])
                    over_b = min(segment[k, 3], out[3, pair, t]) - max(segment[k, 2], out[2, pair, t])
                    size_a, size_b = segment[k, 1] - segment[k, 0], segment[k, 3] - segment[k, 2]
                    if 4 * over_a > size_a or 4 * over_b > size_b:
                        clear = False
                if not clear:
                    continue
                if best < 0 or segment[k, 4] > segment[best, 4]:
                    best = k
                elif segment[k, 4] == segment[best, 4] and segment[k, 0] < segment[best, 0]:
                    best = k
            if best < 0:
                break
            for f in range(12):
                out[f, pair, slot] = segment[best, f]
            segment[best, 4] = 0
