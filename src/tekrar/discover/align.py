"""Local alignment of two token sequences around their seeds, in sixteenths of a bit.

Equal tokens score what they are worth (`weights`), a changed, missing or added token costs a fixed price.
Seeds
that lie near one diagonal make one band; each band gives its best segment; up to three segments that do not
overlap make the alignment of a pair, so that moved blocks are found. In one paragraph the two sides of a
segment never overlap, and each further segment tells a place that none before it tells.
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
Lost = NDArray[np.int64]
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

    Every array has the shape (pairs, SEGMENTS): first and end place on each side, score (what the equal
    tokens
    are worth less the price of the others, at least 1), equal tokens, longest run of equal tokens, tokens
    changed or on one side only; equal tokens inside phrases of `OFTEN[0]` equal tokens that stand in
    `OFTEN[1]`
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
) -> tuple[Segments, Lost]:
    """Segments of pairs of paragraphs, and what a bound left out: seeds that fell out with a band above
    `BANDS`, and segments inside one paragraph above `SEGMENTS`.

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
    lost = np.zeros(2, np.int64)
    if pairs:
        prices = np.array(
            [
                CHANGED,
                MISSING,
                REACH,
                DRIFT,
                CELLS,
                SEGMENT_LEAST,
                BANDS,
                HELD,
                *OFTEN,
                *RARE,
                OUTER,
                FRAGMENTS,
            ],
            np.int64,
        )
        _align(stream, *weights, *phrases, limits, *seeds, bounds, *sides, prices, out, lost)
    return Segments(*out), lost


@kernel
def _align(
    stream: Any, rarity: Any, added: Any, four: Any, five: Any, limits: Any, at: Any, to: Any, length: Any,
    weight: Any, bounds: Any, left: Any, right: Any, prices: Any, out: Any, lost: Any,
) -> None:  # fmt: skip
    least, most = prices[5], prices[6]
    band = np.zeros((most, 7), np.int64)
    room = (np.zeros((2, 1 << 10), np.int64), np.zeros(1 << 16, np.uint8))
    saved = np.zeros((prices[13], 12), np.int64)
    segment = np.zeros((most, 12), np.int64)
    end = np.zeros(3, np.int64)
    columns = (stream, rarity, added, four, five)
    for pair in range(len(bounds) - 1):
        sides = (limits[left[pair]], limits[left[pair] + 1] - 1, limits[right[pair]],
                 limits[right[pair] + 1] - 1)  # fmt: skip
        same = left[pair] == right[pair]
        bands = _bands(at, to, length, weight, bounds[pair], bounds[pair + 1], prices[3], band, lost)
        heaviest = 0
        for k in range(bands):
            heaviest = max(heaviest, band[k, 5])
        made = 0
        for k in range(bands):
            if same and made == most:
                lost[1] += 1
            elif same or band[k, 5] >= least or band[k, 5] == heaviest:
                made, room = _band(columns, prices, sides, same, band[k], room, end, saved, segment, made)
        if same:
            _pick_places(stream, segment, made, out, pair, lost)
        else:
            _pick(segment, made, least, out, pair)


@kernel
def _band(
    columns: Any, prices: Any, sides: Any, same: bool, band: Any, room: Any, end: Any, saved: Any,
    segment: Any, made: int,
) -> Any:  # fmt: skip
    """Write the best segment of a band, in one paragraph one after the other; how many there are now.

    `room`: rows and trace, which grow where a band needs more and are given back.
    """
    stream, rarity, added, four, five = columns
    la, ha, lb, hb = sides
    rows, trace = room
    reach, drift, cells = prices[2], prices[3], prices[4]
    low, high = band[0] - drift, band[1] + drift
    if same:
        low = max(low, 1)
    width = high - low + 1
    first = max(la, band[3] - reach)
    # in one paragraph: where the left side may begin, where it must end and the right one may begin
    begin, stop, other = la, ha, lb
    while True:
        last = min(stop, first + max(cells // width, 1))
        if (last - first) * width > len(trace):
            trace = np.zeros(2 * (last - first) * width, np.uint8)
        if width + 2 > rows.shape[1]:
            rows = np.zeros((2, 2 * width + 2), np.int64)
        box = (first, last, other, hb, low, high, band[4] + reach)
        _fill(stream, rarity, added, prices, box, rows, trace, end)
        if end[0] == 0:
            break
        _back(stream, rarity, added, four, five, prices, box, trace, end, saved, segment[made])
        if segment[made, 0] - first < drift and first > begin:
            first = max(begin, first - 4 * reach)
        elif same and segment[made, 2] < segment[made, 1]:
            # one place right after the other: the right one begins where the left one ends
            stop, other = segment[made, 2], segment[made, 2]
        else:
            made += 1
            if not same or made == len(segment):
                break
            begin, first = segment[made - 1, 1], segment[made - 1, 1]
            stop, other = ha, lb
    return made, (rows, trace)


@kernel
def _bands(
    at: Any, to: Any, length: Any, weight: Any, first: int, end: int, drift: int, band: Any, lost: Any
) -> int:
    """Gather seeds by diagonal: low, high and last diagonal, first and end place, weight, seeds of a band."""
    bands = 0
    for s in range(first, end):
        diagonal = to[s] - at[s]
        best, distance = -1, drift + 1
        for k in range(bands):
            away = abs(diagonal - band[k, 2])
            if away < distance:
                best, distance = k, away
        if best < 0:
            if bands < len(band):
                best = bands
                bands += 1
            else:
                for k in range(bands):
                    if band[k, 5] < weight[s] and (best < 0 or band[k, 5] < band[best, 5]):
                        best = k
                if best < 0:
                    lost[0] += 1
                    continue
                lost[0] += band[best, 6]
            band[best, 0], band[best, 1] = diagonal, diagonal
            band[best, 3], band[best, 4] = at[s], at[s] + length[s]
            band[best, 5], band[best, 6] = 0, 0
        band[best, 0] = min(band[best, 0], diagonal)
        band[best, 1] = max(band[best, 1], diagonal)
        band[best, 2] = diagonal
        band[best, 4] = max(band[best, 4], at[s] + length[s])
        band[best, 5] += weight[s]
        band[best, 6] += 1
    return bands


@kernel
def _fill(
    stream: Any, rarity: Any, added: Any, prices: Any, box: Any, rows: Any, trace: Any, end: Any
) -> None:
    """Fill one band row by row; `end`: best score and the places where it stands.

    Rows after the last seed go on while the band holds a score.
    """
    first, last, lb, hb, low, high, enough = box
    changed, missing, held = prices[0], prices[1], prices[7]
    width = high - low + 1
    rows[:, : width + 2] = 0
    top, ti, tj = 0, 0, 0
    for i in range(first, last):
        previous, current = rows[(i - first) & 1], rows[(i - first + 1) & 1]
        current[: width + 2] = 0
        j0, j1 = max(lb, i + low), min(hb, i + high + 1)
        row = (i - first) * width
        mine, alone, joined = stream[i], rarity[i], max(added[i], held)
        # the words before, none where a side begins
        mine_before = stream[i - 1] if i > first else -1
        before = stream[j0 - 1] if j0 > lb else -2
        c = min(max(j0 - i - low, 0), width)
        trace[row : row + c] = 0
        diagonal, beside, alive = previous[c + 1], 0, False
        for j in range(j0, j1):
            here, above = stream[j], previous[c + 2]
            score, way = 0, 0
            if mine == here:
                worth = joined if mine_before == before and diagonal > 0 else alone
                score, way = diagonal + worth, 1
            elif diagonal - changed > 0:
                score, way = diagonal - changed, 2
            if above - missing > score:
                score, way = above - missing, 3
            if beside - missing > score:
                score, way = beside - missing, 4
            current[c + 1] = score
            trace[row + c] = way
            alive = alive or score > 0
            if score > top:
                top, ti, tj = score, i, j
            diagonal, beside, before = above, score, here
            c += 1
        trace[row + c : row + width] = 0
        if i >= enough and not alive:
            break
    end[0], end[1], end[2] = top, ti, tj


@kernel
def _back(
    stream: Any, rarity: Any, added: Any, four: Any, five: Any, prices: Any, box: Any, trace: Any, end: Any,
    saved: Any, segment: Any,
) -> None:  # fmt: skip
    """Follow the best path back and write its segment; outer fragments that are not worth it are taken
    off."""
    first, _, lb, _, low, high, _ = box
    outer, fragments = prices[12], prices[13]
    width = high - low + 1
    i, j = end[1], end[2]
    # 0 first left, 1 first right, 2 equal, 3 longest, 4 edits, 5 value, 6 plain, 7 often, 8 rare, 9 places
    now = np.zeros(10, np.int64)
    now[0], now[1] = i, j
    ti, tj = i, j
    marks = np.array([i + 1, i + 1])
    fragment, since, changes, run, kept = 0, 0, 0, 0, 0
    while i >= first and j >= lb and low <= j - i <= high:
        way = trace[(i - first) * width + j - i - low]
        if way == 0:
            break
        if way != 1:
            changes += 1
            since += prices[0] if way == 2 else prices[1]
            run = 0
            i -= 0 if way == 4 else 1
            j -= 0 if way == 3 else 1
            continue
        if since > 0:
            if kept == 0 and fragment - since < outer:
                ti, tj = i, j
                now[2:] = 0
                marks[:] = i + 1
            else:
                saved[kept % fragments, :10] = now
                saved[kept % fragments, 10], saved[kept % fragments, 11] = fragment, since
                kept += 1
                now[4] += changes
                now[5] -= since
                now[6] -= since
            fragment, since, changes = 0, 0, 0
        fragment += rarity[i]
        run += 1
        _count(run, i, four, five, prices, marks, now)
        now[0], now[1] = i, j
        now[2] += 1
        now[3] = max(now[3], run)
        now[6] += rarity[i]
        joined = i > first and j > lb and stream[i - 1] == stream[j - 1]
        if joined and trace[(i - 1 - first) * width + j - i - low] == 1:
            now[5] += added[i]
        else:
            now[5] += rarity[i]
        i -= 1
        j -= 1
    lowest = max(0, kept - fragments)
    while kept > lowest and fragment - saved[(kept - 1) % fragments, 11] < outer:
        kept -= 1
        now[:] = saved[kept % fragments, :10]
        fragment = saved[kept % fragments, 10]
    segment[0], segment[1], segment[2], segment[3] = now[0], ti + 1, now[1], tj + 1
    segment[4], segment[5], segment[6], segment[7] = max(now[5], 1), now[2], now[3], now[4]
    segment[8], segment[9], segment[10], segment[11] = now[7], now[8], now[9], max(now[6], 1)


@kernel
def _count(run: int, i: int, four: Any, five: Any, prices: Any, marks: Any, now: Any) -> None:
    """Count the tokens of a run that lie in frequent and in rare phrases; the run has come back to place
    i."""
    if run >= prices[8]:
        now[9] = max(now[9], four[i])
        if four[i] >= prices[9]:
            now[7] += min(i + prices[8], marks[0]) - i
            marks[0] = i
    if run >= prices[10] and five[i] <= prices[11]:
        now[8] += min(i + prices[10], marks[1]) - i
        marks[1] = i


@kernel
def _pick_places(stream: Any, segment: Any, made: int, out: Any, pair: int, lost: Any) -> None:
    """Write the segments of one paragraph that tell a place which no better one tells, best first."""
    for k in range(made):
        if _periodic(stream, segment, made, k):
            segment[k, 4] = 0
    slots = out.shape[2]
    for slot in range(slots + 1):
        best = -1
        for k in range(made):
            if segment[k, 4] <= 0 or (
                _place_told(segment[k], 0, out, pair, slot) and _place_told(segment[k], 2, out, pair, slot)
            ):
                continue
            if (
                best < 0
                or segment[k, 4] > segment[best, 4]
                or (segment[k, 4] == segment[best, 4] and segment[k, 0] < segment[best, 0])
            ):
                best = k
        if best < 0:
            break
        if slot == slots:
            lost[1] += 1
            break
        for f in range(12):
            out[f, pair, slot] = segment[best, f]
        segment[best, 4] = 0


@kernel
def _place_told(segment: Any, side: int, out: Any, pair: int, slots: int) -> bool:
    """Whether a quarter of a side lies in one side of a segment that is written."""
    for slot in range(slots):
        for other in (0, 2):
            over = min(segment[side + 1], out[other + 1, pair, slot]) - max(
                segment[side], out[other, pair, slot]
            )
            if 4 * over > segment[side + 1] - segment[side]:
                return True
    return False


@kernel
def _periodic(stream: Any, segment: Any, made: int, which: int) -> bool:
    """Whether the left side of a segment is itself a repeat with the distance of a segment inside it."""
    a0, a1 = segment[which, 0], segment[which, 1]
    for k in range(made):
        distance = segment[k, 2] - segment[k, 0]
        if k == which or segment[k, 0] < a0 or segment[k, 3] > a1 or 2 * distance > a1 - a0:
            continue
        equal = 0
        for i in range(a0, a1 - distance):
            equal += stream[i] == stream[i + distance]
        if 4 * equal >= 3 * (a1 - a0 - distance):
            return True
    return False


@kernel
def _pick(segment: Any, made: int, least: int, out: Any, pair: int) -> None:
    """Write the best segments of a pair that hardly overlap, best first."""
    for slot in range(out.shape[2]):
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
            same = best >= 0 and segment[k, 4] == segment[best, 4] and segment[k, 0] < segment[best, 0]
            if best < 0 or same or segment[k, 4] > segment[best, 4]:
                best = k
        if best < 0:
            break
        for f in range(12):
            out[f, pair, slot] = segment[best, f]
        segment[best, 4] = 0
