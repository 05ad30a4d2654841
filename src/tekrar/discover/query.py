"""Query by example: where a passage that is not in the corpus stands in it, exactly or nearly.

The passage is put before the corpus as a paragraph of its own and aligned as any pair is; its places come
best first. Places of identical paragraphs are told by their first member.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.pairs import Pairs, aligned_pairs
from tekrar.discover.source import Source
from tekrar.discover.stream import Stream, stream_of
from tekrar.discover.suffix import suffix_order
from tekrar.discover.thresholds import VERSE_MARGIN, VERSE_SEEDS
from tekrar.discover.tokens import tokenize
from tekrar.discover.weights import weigh

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Place:
    """One place of a passage.

    Attributes:
        row: row of the source; start, end: byte extent in the release.
        query_start, query_end: byte extent in the passage.
        score: sixteenths of a bit.
        equal, query_tokens: equal tokens, and tokens of the passage.
    """

    row: int
    start: int
    end: int
    query_start: int
    query_end: int
    score: int
    equal: int
    query_tokens: int


def places_of_passage(source: Source, passage: bytes) -> list[Place]:
    """Places of a passage, best first; [] for one without a token.

    Args:
        source: the corpus.
        passage: UTF-8 bytes.
    """
    asked = tokenize(passage, np.array([0]), np.array([len(passage)]), language=source.release.language)
    if not len(asked.word):
        return []
    stream = _with_passage(source, asked.word, asked.forms)
    order = suffix_order(stream.words)
    weights = weigh(order, words=int(stream.words.max()))
    pairs, _ = aligned_pairs(stream, order, weights, least=VERSE_SEEDS, left=1)
    return _places(source, stream, pairs, asked.start, asked.end)


def _with_passage(source: Source, word: NDArray[np.int32], forms: tuple[str, ...]) -> Stream:
    known = {form: number for number, form in enumerate(source.tokens.forms)}
    numbers = np.array([known.setdefault(form, len(known)) for form in forms], np.int32)
    corpus = stream_of(source)
    own = np.append(numbers[word] + 1, 0).astype(np.int32)
    size = len(own)
    return Stream(
        words=np.concatenate([own, corpus.words]),
        paragraph=np.concatenate([np.zeros(size, np.int32), corpus.paragraph + 1]).astype(np.int32),
        row=np.concatenate([[-1], corpus.row]),
        first=np.concatenate([[0], corpus.first + size]),
        token=np.concatenate([[0], corpus.token]),
        opens=np.concatenate([np.zeros(size, np.uint8), corpus.opens]),
        closes=np.concatenate([np.zeros(size, np.uint8), corpus.closes]),
    )


def _places(source: Source, stream: Stream, pairs: Pairs, start: Ints, end: Ints) -> list[Place]:
    asked = int(stream.first[1]) - 1
    segments, found = pairs.segments, []
    for number in np.flatnonzero(pairs.right > 0).tolist():
        right = int(pairs.right[number])
        tokens = int(stream.first[right + 1] - stream.first[right]) - 1
        equal = int(segments.equal[number, 0])
        if pairs.score[number] < VERSE_MARGIN + 16 * (asked * tokens).bit_length() and equal < asked:
            continue
        shift = int(stream.token[right] - stream.first[right])
        b0, b1 = int(segments.b0[number, 0]) + shift, int(segments.b1[number, 0]) + shift
        a0, a1 = int(segments.a0[number, 0]), int(segments.a1[number, 0])
        place = Place(
            row=int(stream.row[right]),
            start=int(source.tokens.start[b0]),
            end=int(source.tokens.end[b1 - 1]),
            query_start=int(start[a0]),
            query_end=int(end[a1 - 1]),
            score=int(segments.score[number, 0]),
            equal=equal,
            query_tokens=asked,
        )
        found.append(place)
    return sorted(found, key=lambda place: (-place.equal, -place.score, place.start))
