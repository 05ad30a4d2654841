"""Ends of found passages: a passage that stops inside two sentences may be the two sentences to their ends.

A local alignment stops where the next equal words are not worth the changes before them, though the changed
passage goes on. It is carried on to the ends of both sentences, or quotations, where that is the likelier
reading, in sixteenths of a bit:

- for it, that the passage could have ended anywhere in either sentence, and yet the rests are so near alike:
  log2 of the tokens of both sentences;
- for or against it, the odds that passages of this corpus end with sentences and not inside them, as those
  ends show that the alignment found by itself;
- against it, every change in the rests: it costs what it says in a passage that is changed so much, and no
  more than in the alignment.

Where it stops with both sentences, it takes in the next ones when their common words say so. Before all
that, a name right beside it that has another suffix on either side is taken in.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.align import CHANGED, Segments
from tekrar.discover.bits import log2_sixteenths
from tekrar.discover.compiled import kernel
from tekrar.discover.pairs import Pairs
from tekrar.discover.source import Source
from tekrar.discover.stream import Stream

Ints = NDArray[np.int64]
Edges = NDArray[np.uint8]
#: Tokens that a passage is carried on by at each end.
REST: Final = 24
#: A sentence of more tokens offers no more places to choose from.
PLACES: Final = 64
#: So many equal tokens more are counted: few tokens do not tell how much a passage is changed.
UNSURE: Final = 24
#: Sentences that a passage is carried on by at each end.
SENTENCES: Final = 4
#: Marks of a quotation, and what may stand before the closing one; an apostrophe is none of them.
OPENING: Final = ("“", "«", '"', "﴿")
CLOSING: Final = ("”", "»", '"', "﴾")
STOPS: Final = (".", ",", ";", ":", "!", "?", "…")
#: Tokens of a quotation that is a passage of its own; fewer are a word in quotation marks.
QUOTED: Final = 4


def carried(
    source: Source, stream: Stream, rarity: NDArray[np.int32], pairs: Pairs, listed: NDArray[np.bool_]
) -> tuple[Pairs, int]:
    """Pairs with their segments carried on to the ends of sentences, and the odds that a passage ends there.

    Scores and equal tokens stay those of what was aligned.

    Args:
        source, stream: the release and its stream.
        rarity: weight of every place.
        pairs: aligned pairs.
        listed: which of them are passages by themselves: the odds are theirs.
    """
    opens, closes = quoted(source, stream)
    held = with_suffixed(source, stream, pairs)
    ends = np.stack([held.a0, held.a1, held.b0, held.b1, held.score]).astype(np.int64)
    equal, edits = (column.sum(axis=1, dtype=np.int64) for column in (held.equal, held.edits))
    price = np.minimum(log2_sixteenths(equal + edits + UNSURE) - log2_sixteenths(edits + 1), CHANGED)
    choice = log2_sixteenths(np.arange(1, PLACES + 1))
    same = pairs.left == pairs.right
    odds = _odds((opens, closes), held, listed)
    _carry(stream.words, rarity, opens, closes, same, price, (choice, odds), REST, ends)
    a0, a1, b0, b1, _ = ends.astype(np.int32)
    segments: Segments = replace(held, a0=a0, a1=a1, b0=b0, b1=b1)
    return replace(pairs, segments=segments), odds


def with_suffixed(source: Source, stream: Stream, pairs: Pairs) -> Segments:
    """Segments with the word before and after them where it is one name on both sides, its suffix another.

    The apostrophe tells where the name ends (`Tokens.stem`); in the alignment the two are different words.
    """
    held, words = pairs.segments, stream.words
    stems, surface = source.tokens.stem, source.tokens.surface
    first = stream.first[:-1]
    used = (held.score > 0) & (pairs.left != pairs.right)[:, None]

    def stem(place: NDArray[np.int32], paragraph: NDArray[np.int32]) -> NDArray[np.int32]:
        token = (stream.token[paragraph] - first[paragraph])[:, None] + place
        found: NDArray[np.int32] = stems[surface[np.clip(token, 0, len(surface) - 1)]]
        return found

    def named(a: NDArray[np.int32], b: NDArray[np.int32]) -> NDArray[np.int32]:
        inside = used & (words[a] > 0) & (words[b] > 0)
        found: NDArray[np.int32] = (inside & (stem(a, pairs.left) == stem(b, pairs.right))).astype(np.int32)
        return found

    if not len(pairs.left):
        return held
    after = named(held.a1, held.b1)
    before = named(held.a0 - 1, held.b0 - 1)
    return replace(held, a0=held.a0 - before, a1=held.a1 + after, b0=held.b0 - before, b1=held.b1 + after)


def _odds(edges: tuple[Edges, Edges], held: Segments, listed: NDArray[np.bool_]) -> int:
    """log2 of how many times more often best segments end with both sentences than inside both."""
    opens, closes = edges
    first = opens[held.a0[listed, 0]] + opens[held.b0[listed, 0]]
    last = closes[held.a1[listed, 0] - 1] + closes[held.b1[listed, 0] - 1]
    both, inside = (int((first == n).sum() + (last == n).sum()) for n in (2, 0))
    with_, without = log2_sixteenths(np.array([both + 1, inside + 1])).tolist()
    return int(with_ - without)


def quoted(source: Source, stream: Stream) -> tuple[Edges, Edges]:
    """Per place 1 where a sentence or a quotation of `QUOTED` tokens opens, and where one closes."""
    text = np.frombuffer(source.release.text, np.uint8)
    tokens = source.tokens
    opening, closing = np.zeros((2, len(tokens.start)), bool)
    for mark in OPENING:
        opening |= _stands(text, tokens.start - len(mark.encode()), mark)
    for mark in CLOSING:
        closing |= _stands(text, tokens.end, mark)
        for stop in STOPS:
            closing |= _stands(text, tokens.end, stop + mark)
    begin, end = np.flatnonzero(opening), np.flatnonzero(closing)
    after = np.searchsorted(end, begin)
    inside = after < len(end)
    begin, end = begin[inside], end[after[inside]]
    row = np.searchsorted(tokens.first, np.stack([begin, end]), side="right")
    kept = (row[0] == row[1]) & (end - begin + 1 >= QUOTED)
    opens, closes = stream.opens.copy(), stream.closes.copy()
    place = np.arange(len(stream.words)) - stream.first[:-1][stream.paragraph]
    token = np.minimum(stream.token[stream.paragraph] + place, max(len(tokens.start) - 1, 0))
    here = stream.words > 0
    for column, which in ((opens, begin[kept]), (closes, end[kept])):
        marked = np.zeros(len(tokens.start), np.uint8)
        marked[which] = 1
        column[here] |= marked[token[here]]
    return opens, closes


def _stands(text: NDArray[np.uint8], at: Ints, mark: str) -> NDArray[np.bool_]:
    """Where a mark stands in the text."""
    found = np.ones(len(at), bool)
    for number, byte in enumerate(mark.encode()):
        place = at + number
        inside = (place >= 0) & (place < len(text))
        found &= inside & (text[np.where(inside, place, 0)] == byte)
    return found


@kernel
def _carry(
    words: Any, rarity: Any, opens: Any, closes: Any, same: Any, price: Any, worths: Any, most: int, ends: Any
) -> None:
    choice, odds = worths
    rows = np.zeros((2, most + 1), np.int64)
    for pair in range(ends.shape[1]):
        for slot in range(ends.shape[2]):
            if ends[4, pair, slot] <= 0:
                continue
            for step in (1, -1):
                edge, other = (closes, opens) if step == 1 else (opens, closes)
                side = 1 if step == 1 else 0
                a = ends[side, pair, slot] - (1 if step == 1 else 0)
                b = ends[side + 2, pair, slot] - (1 if step == 1 else 0)
                for _ in range(SENTENCES):
                    more_a, more_b = _rest(edge, a, step, most), _rest(edge, b, step, most)
                    whole = more_a == 0 and more_b == 0
                    if whole and words[a + step] > 0 and words[b + step] > 0:
                        more_a = 1 + _rest(edge, a + step, step, most)
                        more_b = 1 + _rest(edge, b + step, step, most)
                    if more_a == 0 or more_b == 0 or max(more_a, more_b) > most:
                        break
                    if not _free(ends, pair, slot, (a, b), (more_a, more_b), step, same[pair]):
                        break
                    if whole:
                        worth = _shared(
                            words, rarity, (a, b), (more_a, more_b), step, price[pair], choice, rows
                        )
                        if worth <= 0:
                            break
                    else:
                        size_a = more_a + 1 + _rest(other, a, -step, len(choice))
                        size_b = more_b + 1 + _rest(other, b, -step, len(choice))
                        places = choice[min(size_a, len(choice)) - 1] + choice[min(size_b, len(choice)) - 1]
                        if odds + places < price[pair] * _changes(
                            words, (a, b), (more_a, more_b), step, rows
                        ):
                            break
                    a += step * more_a
                    b += step * more_b
                    ends[side, pair, slot] += step * more_a
                    ends[side + 2, pair, slot] += step * more_b


@kernel
def _rest(edge: Any, at: int, step: int, most: int) -> int:
    """Tokens from a place to the edge of its sentence; 0 when it is the edge; `most` when there are more."""
    count = 0
    while count < most and edge[at] == 0:
        at += step
        count += 1
    return count


@kernel
def _free(ends: Any, pair: int, slot: int, at: Any, more: Any, step: int, same: bool) -> bool:
    """Whether no other segment, and in one paragraph not the other side, lies where a segment goes on."""
    for side in range(2):
        low = at[side] + 1 if step == 1 else at[side] - more[side]
        high = low + more[side]
        for k in range(ends.shape[2]):
            if ends[4, pair, k] <= 0:
                continue
            for which in range(2):
                if (k == slot and which == side) or (which != side and not same):
                    continue
                if ends[2 * which, pair, k] < high and low < ends[2 * which + 1, pair, k]:
                    return False
    return True


@kernel
def _changes(words: Any, at: Any, more: Any, step: int, rows: Any) -> int:
    """Fewest changes between two rests."""
    for j in range(more[1] + 1):
        rows[0, j] = j
    for i in range(1, more[0] + 1):
        before, now = (i - 1) & 1, i & 1
        rows[now, 0] = i
        for j in range(1, more[1] + 1):
            p, q = at[0] + step * i, at[1] + step * j
            if words[p] == words[q]:
                best = rows[before, j - 1]
            else:
                best = rows[before, j - 1] + 1
            rows[now, j] = min(best, rows[before, j] + 1, rows[now, j - 1] + 1)
    return int(rows[more[0] & 1, more[1]])


@kernel
def _shared(
    words: Any, rarity: Any, at: Any, more: Any, step: int, price: int, choice: Any, rows: Any
) -> int:
    """What two sentences share in order: each word at its rarity less the places it could stand at."""
    places = choice[min(max(more[0], more[1]), len(choice)) - 1]
    for j in range(more[1] + 1):
        rows[0, j] = -price * j
    for i in range(1, more[0] + 1):
        before, now = (i - 1) & 1, i & 1
        rows[now, 0] = -price * i
        for j in range(1, more[1] + 1):
            p, q = at[0] + step * i, at[1] + step * j
            if words[p] == words[q]:
                best = rows[before, j - 1] + max(rarity[p] - places, 0)
            else:
                best = rows[before, j - 1] - price
            rows[now, j] = max(best, rows[before, j] - price, rows[now, j - 1] - price)
    return int(rows[more[0] & 1, more[1]])
