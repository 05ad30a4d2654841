"""Query by example: where a passage occurs, byte for byte or nearly (ADR-009 *Candidate generation*).

Exact places are those of the query's bytes. Near ones are found as the generator finds pairs: runs of equal
folded words are seeds, paragraphs with the heaviest seeds are aligned, and neighbouring paragraphs in which
the query goes on are one hit. What is found is an answer and no record: it has no ID and decides nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.text import TextRelease
from tekrar.discover.align import Segments, align_pairs
from tekrar.discover.bits import log2_sixteenths
from tekrar.discover.extents import with_marks
from tekrar.discover.fold import CONJUNCTIONS
from tekrar.discover.tokens import Tokens, tokenize
from tekrar.errors import UsageError

Ints = NDArray[np.int64]
Scores = NDArray[np.int32]
#: Bytes of a query at most.
MAX_QUERY: Final = 1 << 20
#: Paragraphs aligned at most: those with the heaviest seeds.
ALIGNED: Final = 2000
#: A near hit has at least this share of the query's words equal, or this many of them in a row.
SHARE: Final = (1, 2)
RUN: Final = 5
#: Words of the query that two neighbouring paragraphs of one hit may overlap.
OVERLAP: Final = 3
#: A run of fewer words is no seed, unless the query has no more.
SEED: Final = 2


@dataclass(frozen=True)
class Hit:
    """One place.

    Attributes:
        start, end: bytes of the release.
        query_start, query_end: bytes of the query that stand there.
        exact: whether the bytes are those of the whole query.
        score: sixteenths of a bit; 0 for a query without words.
        equal: equal words in order.
        words: words of the extent.
    """

    start: int
    end: int
    query_start: int
    query_end: int
    exact: bool
    score: int
    equal: int
    words: int


@dataclass(frozen=True)
class Found:
    """An answer.

    Attributes:
        query: its bytes.
        words: its words.
        exact, near: hits, exact ones in document order, near ones best first.
        exact_total, near_total: how many there are; the lists may be cut.
        not_aligned: paragraphs with lighter seeds that were not looked at.
    """

    query: bytes
    words: int
    exact: list[Hit]
    near: list[Hit]
    exact_total: int
    near_total: int
    not_aligned: int


def checked_query(query: bytes, *, where: str) -> bytes:
    """The query, when it can be looked for.

    Raises:
        UsageError: it is empty, longer than `MAX_QUERY`, or no UTF-8.
    """
    if not query:
        raise UsageError("the query is empty", where=where, expected="at least one byte", kind="empty_query")
    if len(query) > MAX_QUERY:
        raise UsageError(
            f"the query has {len(query)} bytes",
            where=where,
            expected=f"at most {MAX_QUERY} bytes",
            mend="look for a part of it",
            kind="query_too_large",
        )
    try:
        query.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"byte {error.start} is not UTF-8 ({error.reason})",
            where=where,
            expected="a passage in UTF-8",
            mend="convert it to UTF-8",
            kind="invalid_utf8",
        ) from None
    return query


class Finder:
    """Looks for passages in one release; opening it tokenizes the text, a query takes little.

    Args:
        release: the release.
    """

    def __init__(self, release: TextRelease) -> None:
        self.release = release
        self._paragraph = np.flatnonzero(release.paragraph_sentences > 0)
        self._start = release.paragraph_start[self._paragraph]
        self._end = release.paragraph_end[self._paragraph]
        self._tokens: Tokens = tokenize(release.text, self._start, self._end, language=release.language)
        size = np.diff(self._tokens.first)
        self._first = np.concatenate([[0], np.cumsum(size + 1)]).astype(np.int64)
        self._words = np.zeros(int(self._first[-1]), np.int32)
        rows = np.repeat(np.arange(len(size)), size)
        self._words[np.arange(len(rows)) + rows] = self._tokens.word + 1
        count = np.bincount(self._words, minlength=self._tokens.words + 1).astype(np.int64)
        whole = int(log2_sixteenths(np.array([max(int(count[1:].sum()), 2)]))[0])
        self._rarity = np.maximum(whole - log2_sixteenths(np.maximum(count, 1)), 1).astype(np.int64)
        self._unknown = whole

    @cached_property
    def _forms(self) -> dict[str, int]:
        """Folded form -> word number + 1."""
        return {form: number for number, form in enumerate(self._tokens.forms, 1)}

    def find(self, query: bytes, *, limit: int) -> Found:
        """Where a query stands.

        Args:
            query: checked bytes.
            limit: hits given of either kind; 0 = all.
        """
        words, spans = self._folded(query)
        starts = self._exact(query)
        near, not_aligned = self._near(query, words, spans, starts) if len(words) else ([], 0)
        kept, shown = (near[:limit], starts[:limit]) if limit else (near, starts)
        exact = [
            Hit(at, at + len(query), 0, len(query), True, 0, len(words), len(words)) for at in shown.tolist()
        ]
        return Found(query, len(words), exact, kept, len(starts), len(near), not_aligned)

    def _folded(self, query: bytes) -> tuple[Scores, Ints]:
        """Word numbers of a query (those of no word of the release after all others) and their spans."""
        own = tokenize(query, np.array([0]), np.array([len(query)]), language=self.release.language)
        known = self._forms
        fresh: dict[str, int] = {}
        numbers = []
        for form in (own.forms[word] for word in own.word.tolist()):
            number = known.get(form)
            if number is None and form[:1] in CONJUNCTIONS:
                number = known.get(form[1:])
            numbers.append(number or fresh.setdefault(form, len(self._rarity) + len(fresh)))
        return np.array(numbers, np.int32), np.stack([own.start, own.end], axis=1)

    def _exact(self, query: bytes) -> Ints:
        """First bytes of all places of the query's bytes, overlapping ones too."""
        text = self.release.text
        found: list[int] = []
        at = text.find(query)
        while at >= 0:
            found.append(at)
            at = text.find(query, at + 1)
        return np.array(found, np.int64)

    def _near(self, query: bytes, words: Scores, spans: Ints, starts: Ints) -> tuple[list[Hit], int]:
        """Near hits outside the exact places, best first, and the paragraphs that were not aligned."""
        at, to, length = self._seeds(words)
        if not len(at):
            return [], 0
        rows = np.searchsorted(self._first, at, side="right") - 1
        rarity = np.concatenate([self._rarity, np.full(len(words) + 1, self._unknown, np.int64)])
        running = np.concatenate([[0], np.cumsum(rarity[words])])
        weight = running[to + length] - running[to]
        total = np.bincount(rows, weights=weight, minlength=len(self._start)).astype(np.int64)
        seeded = np.flatnonzero(total)
        chosen = np.sort(seeded[np.lexsort((seeded, -total[seeded]))][:ALIGNED])
        mine = np.isin(rows, chosen)
        seeds = tuple(column[mine].astype(np.int32) for column in (at, to + len(self._words), length, weight))
        segments = self._aligned(words, rarity, chosen, rows[mine], seeds)
        pieces = [
            piece
            for piece in _joined(self._pieces(chosen, segments))
            if (SHARE[1] * piece.equal >= SHARE[0] * len(words) or piece.equal >= RUN)
            and not self._inside(piece, starts, len(query))
        ]
        hits = [self._hit(query, spans, piece) for piece in pieces]
        hits.sort(key=lambda hit: (-hit.equal, hit.words, hit.start, hit.query_start))
        return hits, len(seeded) - len(chosen)

    def _seeds(self, words: Scores) -> tuple[Ints, Ints, Ints]:
        """Runs of equal words: first place in the stream, first word of the query, words; by place."""
        size = min(SEED, len(words))
        stream = self._words
        wide = len(self._rarity) + len(words) + 1
        grams, corpus = (one.astype(np.int64) for one in (words, stream))
        if size == SEED:
            grams = grams[:-1] * wide + grams[1:]
            corpus = np.where((stream[:-1] > 0) & (stream[1:] > 0), corpus[:-1] * wide + corpus[1:], 0)
        order = np.argsort(grams, kind="stable")
        ordered = grams[order]
        low, high = (np.searchsorted(ordered, corpus, side=side) for side in ("left", "right"))
        count = np.where(corpus > 0, high - low, 0)
        at = np.repeat(np.arange(len(corpus)), count)
        inner = np.arange(len(at)) - np.repeat(np.cumsum(count) - count, count)
        to = order[np.repeat(low, count) + inner]
        key = np.lexsort((at, at - to))
        at, to = at[key], to[key]
        fresh = np.ones(len(at), bool)
        fresh[1:] = (np.diff(at) != 1) | (np.diff(at - to) != 0)
        first = np.flatnonzero(fresh)
        length = np.diff(np.append(first, len(at))) + size - 1
        at, to = at[first], to[first]
        back = np.lexsort((to, at))
        return at[back], to[back], length[back]

    def _aligned(
        self, words: Scores, rarity: Ints, chosen: Ints, rows: Ints, seeds: tuple[Scores, ...]
    ) -> Segments:
        """The paragraphs aligned with the query, which is one paragraph more of the stream."""
        stream = np.concatenate([self._words, words, np.zeros(1, np.int32)])
        worth = rarity[stream].astype(np.int32)
        worth[stream == 0] = 0
        none = np.zeros(len(stream), np.int32)
        limits = np.append(self._first, len(stream)).astype(np.int64)
        bounds = np.searchsorted(rows, np.append(chosen, chosen[-1] + 1)).astype(np.int64)
        left = chosen.astype(np.int32)
        right = np.full(len(chosen), len(self._first) - 1, np.int32)
        at, to, length, weight = seeds
        segments, _ = align_pairs(
            stream, (worth, worth), (none, none), limits, (at, to, length, weight), bounds, (left, right)
        )
        return segments

    def _pieces(self, chosen: Ints, segments: Segments) -> list[_Piece]:
        """Segments with their tokens of the release and of the query."""
        base = len(self._words)
        pieces = []
        for number, row in enumerate(chosen.tolist()):
            shift = int(self._tokens.first[row]) - int(self._first[row])
            low, high = int(self._first[row]), int(self._first[row + 1]) - 1
            for slot in range(segments.score.shape[1]):
                if segments.score[number, slot] > 0:
                    names = ("a0", "a1", "b0", "b1", "score", "equal")
                    a0, a1, b0, b1, score, equal = (int(getattr(segments, n)[number, slot]) for n in names)
                    places = (a0 + shift, a1 + shift, b0 - base, b1 - base)
                    pieces.append(_Piece(row, *places, score, equal, a0 - low, high - a1))
        return pieces

    def _inside(self, piece: _Piece, starts: Ints, size: int) -> bool:
        """Whether the words of a piece lie in a place that holds the whole query."""
        start, end = int(self._tokens.start[piece.a0]), int(self._tokens.end[piece.a1 - 1])
        at = int(np.searchsorted(starts, start, side="right")) - 1
        return at >= 0 and end <= int(starts[at]) + size

    def _hit(self, query: bytes, spans: Ints, piece: _Piece) -> Hit:
        tokens = self._tokens
        last = int(np.searchsorted(tokens.first, piece.a1 - 1, side="right")) - 1
        start, end = with_marks(
            self.release.text,
            int(tokens.start[piece.a0]),
            int(tokens.end[piece.a1 - 1]),
            low=int(self._start[piece.row]),
            high=int(self._end[last]),
        )
        first, stop = with_marks(
            query, int(spans[piece.b0, 0]), int(spans[piece.b1 - 1, 1]), low=0, high=len(query)
        )
        return Hit(start, end, first, stop, False, piece.score, piece.equal, piece.a1 - piece.a0)


@dataclass(frozen=True)
class _Piece:
    """A segment: row, first and end token of the release and of the query, score, equal words, and how many
    words of its paragraphs stand before it (`head`) and after it (`tail`)."""

    row: int
    a0: int
    a1: int
    b0: int
    b1: int
    score: int
    equal: int
    head: int
    tail: int
    last: int = -1

    @property
    def last_row(self) -> int:
        """The row it ends in."""
        return self.last if self.last >= 0 else self.row


def _joined(pieces: list[_Piece]) -> list[_Piece]:
    """Pieces of neighbouring paragraphs in which the query goes on, as one."""
    found: list[_Piece] = []
    for piece in sorted(pieces, key=lambda p: (p.a0, p.b0)):
        for at in range(len(found) - 1, max(len(found) - 4, -1), -1):
            before = found[at]
            if before.last_row + 1 == piece.row and _goes_on(before, piece):
                found[at] = replace(
                    before,
                    a1=piece.a1,
                    b1=piece.b1,
                    score=before.score + piece.score,
                    equal=before.equal + piece.equal,
                    tail=piece.tail,
                    last=piece.row,
                )
                break
        else:
            found.append(piece)
    return found


def _goes_on(before: _Piece, piece: _Piece) -> bool:
    """Whether the query goes on in the next paragraph where one ends and the other begins."""
    step = piece.b0 - before.b1
    return max(before.tail, piece.head) <= OVERLAP and -OVERLAP <= step <= OVERLAP and piece.b1 > before.b1
