"""Tokens of a release as columns: folded word number, byte span, paragraph.

Tokens are a pure function of the bytes (contract C1): letters, marks and digits, with an apostrophe, or a
hyphen
and one or two letters, keeping a suffix with its word. Word numbers follow first appearance in document
order, so they depend on nothing else.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.discover.fold import fold_token, joined_forms

Ints = NDArray[np.int64]
Words = NDArray[np.int32]

OTHER, LETTER, DIGIT, JOINER, POINT, HYPHEN = range(6)
_JOINERS: Final = "'’‘ʼ\u00ad\u200c\u200d\u2060"
#: Bytes a piece of text is tokenized in: bounds memory, changes nothing.
PIECE: Final = 1 << 22


@dataclass(frozen=True)
class Tokens:
    """Tokens in document order.

    Attributes:
        word: folded word number per token, from 0.
        surface: surface number per token (equal numbers: equal code points).
        start, end: byte span in the release per token.
        first: first token of each paragraph, with a final total.
        words: number of distinct folded words.
        forms: folded word by number.
    """

    word: Words
    surface: Words
    start: Ints
    end: Ints
    first: Ints
    words: int
    forms: tuple[str, ...]


@lru_cache(maxsize=1)
def _classes() -> NDArray[np.uint8]:
    table = np.zeros(0x110000, np.uint8)
    for code in range(0x110000):
        if 0x3400 <= code <= 0x9FFF or 0xAC00 <= code <= 0xD7A3 or 0x20000 <= code < 0xE0000:
            continue
        category = unicodedata.category(chr(code))
        if category[0] in "LM":
            table[code] = LETTER
        elif category[0] == "N":
            table[code] = DIGIT
    for code in map(ord, _JOINERS):
        table[code] = JOINER
    table[ord("_")] = LETTER
    table[[ord("."), ord(",")]] = POINT
    table[[ord("-"), ord("\u2010"), ord("\u2011")]] = HYPHEN
    return table


def tokenize(text: bytes, start: Ints, end: Ints, *, language: str) -> Tokens:
    """Tokens of the given paragraphs.

    Args:
        text: the release bytes.
        start, end: byte span of every paragraph, ascending.
        language: BCP 47 tag of the release.
    """
    primary = language.split("-")[0].lower()
    surfaces: dict[str, int] = {}
    numbers: list[Words] = []
    lows: list[Ints] = []
    highs: list[Ints] = []
    low = 0
    while low < len(start):
        high = int(np.searchsorted(end, start[low] + PIECE, side="right"))
        high = max(high, low + 1)
        begin, stop = int(start[low]), int(end[high - 1])
        found = _piece(text[begin:stop], start[low:high] - begin, surfaces)
        numbers.append(found[0])
        lows.append(found[1] + begin)
        highs.append(found[2] + begin)
        low = high
    empty: list[Ints] = [np.zeros(0, np.int64)]
    surface = np.concatenate(numbers or [np.zeros(0, np.int32)])
    at, to = np.concatenate(lows or empty), np.concatenate(highs or empty)
    forms = joined_forms([fold_token(form, language=primary) for form in surfaces])
    folded: dict[str, int] = {}
    word_of = np.full(len(surfaces), -1, np.int32)
    for number, fold in enumerate(forms):
        if fold:
            word_of[number] = folded.setdefault(fold, len(folded))
    word = word_of[surface] if len(surface) else np.zeros(0, np.int32)
    kept = word >= 0
    if not kept.all():
        word, surface, at, to = word[kept], surface[kept], at[kept], to[kept]
    first = np.concatenate([np.searchsorted(at, start), [len(at)]]).astype(np.int64)
    return Tokens(word, surface, at, to, first, len(folded), tuple(folded))


def _piece(piece: bytes, starts: Ints, surfaces: dict[str, int]) -> tuple[Words, Ints, Ints]:
    string = piece.decode("utf-8")
    points = np.frombuffer(string.encode("utf-32-le"), np.uint32)
    if not len(points):
        return np.zeros(0, np.int32), np.zeros(0, np.int64), np.zeros(0, np.int64)
    kind = _classes()[points]
    size = 1 + (points >= 0x80).view(np.uint8) + (points >= 0x800) + (points >= 0x10000)
    byte = np.concatenate([[0], np.cumsum(size, dtype=np.int64)])
    solid = (kind == LETTER) | (kind == DIGIT)
    before = np.concatenate([[False], solid[:-1]])
    after = np.concatenate([solid[1:], [False]])
    inner = solid | ((kind == JOINER) & before & after)
    # a hyphen and one or two letters belong to the word before them, as a suffix after an apostrophe does
    second, third = (np.concatenate([solid[n:], np.zeros(min(n, len(solid)), bool)]) for n in (2, 3))
    inner |= (kind == HYPHEN) & before & after & ~(second & third)
    digit = kind == DIGIT
    inner |= (kind == POINT) & np.concatenate([[False], digit[:-1]]) & np.concatenate([digit[1:], [False]])
    new = np.zeros(len(points) + 1, bool)
    new[np.searchsorted(byte, starts)] = True
    opens = inner & (~np.concatenate([[False], inner[:-1]]) | new[:-1])
    closes = inner & (~np.concatenate([inner[1:], [False]]) | new[1:])
    a, b = np.flatnonzero(opens), np.flatnonzero(closes) + 1
    number = np.fromiter(
        (
            surfaces.setdefault(string[i:j], len(surfaces))
            for i, j in zip(a.tolist(), b.tolist(), strict=True)
        ),
        np.int32,
        len(a),
    )
    return number, byte[a], byte[b]
