"""The token stream that discovery searches: paragraphs that stand for themselves, each ended by a 0."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.source import Source

Ints = NDArray[np.int64]


@dataclass(frozen=True)
class Stream:
    """A stream.

    Attributes:
        words: word number + 1 per place, 0 at the end of a paragraph.
        paragraph: number of the paragraph in the stream per place.
        row: row of the source per paragraph.
        first: first place per paragraph, with a final total.
        token: first token of the source per paragraph.
        opens, closes: per place 1 where its token is the first, the last of a sentence.
    """

    words: NDArray[np.int32]
    paragraph: NDArray[np.int32]
    row: Ints
    first: Ints
    token: Ints
    opens: NDArray[np.uint8]
    closes: NDArray[np.uint8]


def stream_of(source: Source) -> Stream:
    """The stream of all paragraphs that hold a token and stand for themselves or their class."""
    size = np.diff(source.tokens.first)
    row = np.flatnonzero((size > 0) & (source.first == np.arange(source.rows)))
    length = size[row]
    first = np.concatenate([[0], np.cumsum(length + 1)]).astype(np.int64)
    paragraph = np.repeat(np.arange(len(row), dtype=np.int32), length + 1)
    place = np.arange(int(first[-1])) - first[:-1][paragraph]
    words = np.zeros(int(first[-1]), np.int32)
    inside = place < length[paragraph]
    token = source.tokens.first[row]
    words[inside] = source.tokens.word[(token[paragraph] + place)[inside]] + 1
    opens, closes = np.zeros((2, len(words)), np.uint8)
    which = (token[paragraph] + place)[inside]
    for column, ends in ((opens, sentence_edges(source, 1)), (closes, sentence_edges(source, -1))):
        column[inside] = ends[which]
    return Stream(words, paragraph, row, first, token, opens, closes)


def sentence_edges(source: Source, step: int) -> NDArray[np.uint8]:
    """Per token of the source 1 where it is the first (step 1) or the last (step -1) of its sentence."""
    tokens = source.tokens
    sentence = np.searchsorted(source.release.sentence_start, tokens.start, side="right")
    edge = np.ones(len(sentence), np.uint8)
    if len(sentence):
        changes = np.diff(sentence) != 0
        if step == 1:
            edge[1:] = changes
        else:
            edge[:-1] = changes
    return edge
