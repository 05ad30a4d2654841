"""Tokens of a release as columns: folded word number, byte span, paragraph.

Tokens are those of `core.token`, with a hyphen and one or two letters kept with the word before them. Word
numbers follow first appearance in document order, so they depend on nothing else.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.feature.grams import folded_surfaces
from tekrar.core.feature.joins import hyphen_suffix
from tekrar.core.rows import slices
from tekrar.core.token import tokens
from tekrar.discover.fold import folding_of, joined_forms

Ints = NDArray[np.int64]
Words = NDArray[np.int32]


@dataclass(frozen=True)
class Tokens:
    """Tokens in document order.

    Attributes:
        word: folded word number per token, from 0.
        surface: surface number per token (equal numbers: equal bytes).
        start, end: byte span in the release per token.
        first: first token of each paragraph, with a final total.
        words: number of distinct folded words.
        forms: folded word by number.
        stem: per surface number the number of its word without what stands after its last apostrophe, where
            that is a word of this text by itself; else of the word.
    """

    word: Words
    surface: Words
    start: Ints
    end: Ints
    first: Ints
    words: int
    forms: tuple[str, ...]
    stem: Words


#: What parts a name from its suffix.
_APOSTROPHES: Final = (b"'", "’".encode())


def tokenize(text: bytes, start: Ints, end: Ints, *, language: str) -> Tokens:
    """Tokens of the given paragraphs, each taken as a text of its own.

    Args:
        text: the release bytes.
        start, end: byte span of every paragraph, ascending.
        language: BCP 47 tag of the release.
    """
    none = np.zeros((0, 2), np.int64)
    found = [hyphen_suffix(text, tokens(text, start=low, end=high)) for low, high in _runs(text, start, end)]
    spans = np.concatenate([none, *found])
    row = np.searchsorted(start, spans[:, 0], side="right") - 1
    spans = spans[spans[:, 1] <= end[row]] if len(spans) else spans
    at, to = np.ascontiguousarray(spans[:, 0]), np.ascontiguousarray(spans[:, 1])
    known: dict[bytes, int] = {}
    number = known.setdefault
    surface = np.fromiter(
        (number(one, len(known)) for one in slices(memoryview(text), at, to)), np.int32, len(at)
    )
    chain = folding_of(language)
    forms = joined_forms(folded_surfaces(list(known), chain))
    folded: dict[str, int] = {}
    word_of = np.full(len(known), -1, np.int32)
    for each, fold in enumerate(forms):
        if fold:
            word_of[each] = folded.setdefault(fold, len(folded))
    stem = word_of.copy()
    parted = [(each, cut) for each, one in enumerate(known) if (cut := _before_apostrophe(one))]
    for (each, _), fold in zip(parted, folded_surfaces([cut for _, cut in parted], chain), strict=True):
        stem[each] = folded.get(fold, stem[each])
    word = word_of[surface] if len(surface) else np.zeros(0, np.int32)
    kept = word >= 0
    if not kept.all():
        word, surface, at, to = word[kept], surface[kept], at[kept], to[kept]
    first = np.concatenate([np.searchsorted(at, start), [len(at)]]).astype(np.int64)
    return Tokens(word, surface, at, to, first, len(folded), tuple(folded), stem)


def _before_apostrophe(surface: bytes) -> bytes:
    """What stands before the last apostrophe; nothing where there is none."""
    cut = max(surface.rfind(mark) for mark in _APOSTROPHES)
    return surface[:cut] if cut > 0 else b""


#: Bytes of text taken apart at once: bounds memory, changes nothing.
_RUN_BYTES: Final = 1 << 22


def _runs(text: bytes, start: Ints, end: Ints) -> Iterator[tuple[int, int]]:
    """Byte ranges whose tokens are those of their paragraphs: paragraphs between line feeds go together.

    A line feed is a boundary on both sides, whatever stands there; other separators may not be one.
    """
    octets = np.frombuffer(text, np.uint8)
    if not len(start):
        return
    apart = (octets[end[:-1]] != 0x0A) | (octets[start[1:] - 1] != 0x0A)
    apart |= np.diff(end // _RUN_BYTES) != 0
    edges = np.concatenate([[0], np.flatnonzero(apart) + 1, [len(start)]])
    for low, high in zip(edges[:-1].tolist(), edges[1:].tolist(), strict=True):
        yield int(start[low]), int(end[high - 1])
