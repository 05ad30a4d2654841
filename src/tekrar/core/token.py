"""Tokens: the words of a text by Unicode's default word boundaries, as byte ranges.

Serves ADR-009 *Candidate and diff evidence* (DIF-09: a token is known by its byte coordinates and by nothing
else; no token enters an exact preimage). `TOKENIZER` names the function for ever: UAX #29 without
tailoring, over the property table `data/word-break.txt` of one Unicode version, whatever version the
interpreter carries. A token is a segment that holds a letter or a number. So an apostrophe between letters
keeps a suffix with its word (`İstanbul’da`), marks and vowel signs stay with their letter, `3,14` is one
token, `1950’de` is two with the apostrophe between them, and a script that writes no spaces and has no
class of its own (Han, Thai) gives one token a character.

A regular expression finds the tokens of ordinary lines. A line with a zero-width joiner, a Hebrew letter or
a half-width voicing mark, where a boundary depends on more than the word itself, goes through the rules one
by one. Every line break is a boundary (WB3a, WB3b), so lines are independent.
"""

from __future__ import annotations

import hashlib
import re
import sys
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from itertools import chain
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.errors import IntegrityError

Ints = NDArray[np.int64]
Ranges = list[tuple[int, int]]

TOKENIZER: Final = "uax29-18.0.0"
TABLE_DIGEST: Final = "16ed65246fc4bca96c3f1472f710a746257680ca8d1d9ce4aafcc526c55c74d4"
#: Bytes tokenized at once, at most, where lines are shorter: bounds the memory of a whole corpus.
_BLOCK: Final = 1 << 20

_LETTER: Final = ("ALetter", "Hebrew_Letter")
_SKIPPED: Final = ("Extend", "Format", "ZWJ")
_WORDY: Final = (*_LETTER, "Numeric", "Katakana", "Other_word", "Extend_word")
_MID_LETTER: Final = ("MidLetter", "MidNumLet", "Single_Quote")
_MID_NUMBER: Final = ("MidNum", "MidNumLet", "Single_Quote")
_JOINS_UNDERSCORE: Final = (*_LETTER, "Numeric", "Katakana")


def tokens(data: bytes, *, start: int = 0, end: int | None = None) -> Ints:
    """The tokens of a byte range, taken as a text of its own.

    Args:
        data: UTF-8 bytes.
        start, end: the range; the whole of `data` by default. Both lie on character boundaries.

    Returns:
        int64 array of shape (tokens, 2): first and end byte of each token in `data`, ascending.

    Raises:
        IntegrityError: the range is no UTF-8 or begins or ends inside a character.
    """
    stop = len(data) if end is None else end
    found = [_block_tokens(data, low, high) for low, high in _blocks(data, start, stop)]
    return np.concatenate(found) if found else np.zeros((0, 2), np.int64)


def _blocks(data: bytes, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Stretches that end after a line feed or at the end, of about a megabyte."""
    while start < end:
        cut = end if end - start <= _BLOCK else data.find(b"\n", start + _BLOCK, end) + 1 or end
        yield start, cut
        start = cut


def _block_tokens(data: bytes, start: int, end: int) -> Ints:
    raw = data[start:end]
    try:
        text = raw.decode("utf-8")
    except UnicodeDecodeError as error:
        place = start + error.start
        raise IntegrityError(
            f"byte {place} is not UTF-8 ({error.reason})",
            where=f"bytes {start}..{end}",
            expected="UTF-8 from one character boundary to another",
            kind="not_utf8",
        ) from None
    spans = np.fromiter(chain.from_iterable(_spans(text)), np.int64).reshape(-1, 2)
    if len(text) == len(raw):
        return spans + start
    octets = np.frombuffer(raw, np.uint8)
    first_byte = np.append(np.flatnonzero((octets & 0xC0) != 0x80), len(raw)) + start
    return np.asarray(first_byte[spans], np.int64)


def _spans(text: str) -> Iterator[tuple[int, int]]:
    """Tokens of a text, in characters."""
    rare, astral = _odd()
    if rare.search(text) is None and astral.search(text) is None:
        yield from _matched(_words(0xFFFF), text, 0, len(text))
        return
    for line in re.finditer(r"[^\n]*\n|[^\n]+", text):
        low, high = line.span()
        if rare.search(text, low, high) is not None:
            yield from ((low + a, low + b) for a, b in _by_rules(text[low:high]))
        else:
            most = 0xFFFF if astral.search(text, low, high) is None else sys.maxunicode
            yield from _matched(_words(most), text, low, high)


def _matched(word: re.Pattern[str], text: str, low: int, high: int) -> list[tuple[int, int]]:
    # a match without its group is a run of underscores: a segment, but no word
    return [match.span() for match in word.finditer(text, low, high) if match.lastindex]


# -- the table ------------------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def word_break_table() -> dict[str, Ranges]:
    """Inclusive ranges of code points by class name.

    Raises:
        IntegrityError: the shipped table is not the one this version of the tokenizer is named after.
    """
    raw = files("tekrar.core").joinpath("data/word-break.txt").read_bytes()
    if hashlib.sha256(raw).hexdigest() != TABLE_DIGEST:
        raise IntegrityError(
            "the table of word-break classes was changed",
            where="tekrar/core/data/word-break.txt",
            expected=f"SHA-256 {TABLE_DIGEST}",
            mend="reinstall tekrar; with another table the tokens would be others",
            kind="word_break_table",
        )
    table: dict[str, Ranges] = {}
    for line in raw.decode("ascii").splitlines()[1:]:
        name, *ranges = line.split(" ")
        bounds = (one.partition("-") for one in ranges)
        table[name] = [(int(low, 16), int(high or low, 16)) for low, _, high in bounds]
    return table


def _set(*names: str, most: int = sys.maxunicode) -> str:
    """Body of a regular expression's character class: the code points up to `most` of some classes."""
    spans = (span for name in names for span in word_break_table()[name] if span[0] <= most)
    return "".join(f"\\U{low:08x}-\\U{min(high, most):08x}" for low, high in spans)


@lru_cache(maxsize=1)
def _odd() -> tuple[re.Pattern[str], re.Pattern[str]]:
    """The characters that send a line through the rules, and those outside the basic plane."""
    rare = _set("ZWJ", "Hebrew_Letter", "Extend_word")
    return re.compile(f"[{rare}]"), re.compile("[\U00010000-\U0010ffff]")


@lru_cache(maxsize=2)
def _words(most: int) -> re.Pattern[str]:
    """Words of ordinary lines of code points up to `most` (classes without astral ranges are much faster).

    In ordinary lines a skipped character (WB4) always follows a base, so a class repeated together with the
    skipped ones is the base repeated. Runs are possessive: nothing is ever given back.
    """

    def of(*names: str) -> str:
        return _set(*names, most=most)

    letter, number, kana, low = of("ALetter"), of("Numeric"), of("Katakana"), of("ExtendNumLet")
    skip, mid_letter, mid_number = of(*_SKIPPED), of(*_MID_LETTER), of(*_MID_NUMBER)
    letters = f"[{letter}][{letter}{skip}]*+(?:[{mid_letter}][{skip}]*+[{letter}][{letter}{skip}]*+)*+"
    numbers = f"[{number}][{number}{skip}]*+(?:[{mid_number}][{skip}]*+[{number}][{number}{skip}]*+)*+"
    joined = f"(?:(?:{letters}|{numbers})++|[{kana}][{kana}{skip}]*+)"
    lows = f"[{low}][{low}{skip}]*+"
    other = f"[{of('Other_word')}][{skip}]*+"
    rest = f"(?:{lows}{joined})*+(?:{lows})?+"
    return re.compile(f"({joined}){rest}|({other})|{lows}(?:({joined}){rest})?+")


# -- the rules, one by one --------------------------------------------------------------------------------


@lru_cache(maxsize=1)
def _classes() -> tuple[list[int], list[int], list[str]]:
    named = {name: spans for name, spans in word_break_table().items() if name != "Extended_Pictographic"}
    # Extend_word lies inside Extend; the rules know it as Extend
    rows = sorted((a, b, name) for name, spans in named.items() if name != "Extend_word" for a, b in spans)
    return [row[0] for row in rows], [row[1] for row in rows], [row[2] for row in rows]


@lru_cache(maxsize=4096)
def _class(character: str) -> str:
    """Word_Break class of a character; "Other_word" for letters and numbers without one, "" for the rest."""
    lows, highs, names = _classes()
    at = bisect_right(lows, ord(character)) - 1
    return names[at] if at >= 0 and ord(character) <= highs[at] else ""


def _holds(name: str, character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in word_break_table()[name])


def _by_rules(text: str) -> Iterator[tuple[int, int]]:
    """Tokens of one line by the rules WB3 to WB16."""
    classes = [_class(c) for c in text]
    start, wordy = 0, False
    for at, breaks in enumerate(_breaks(text, classes)):
        if breaks:
            if wordy:
                yield start, at
            start, wordy = at, False
        name = classes[at]
        wordy = wordy or name in _WORDY or (name == "Extend" and _holds("Extend_word", text[at]))
    if wordy:
        yield start, len(text)


def _breaks(text: str, classes: list[str]) -> Iterator[bool]:
    """For each character whether a boundary stands before it.

    `left` and `further` are the classes of the last two bases (what WB4 leaves), `flags` the number of
    regional indicators that end there.
    """
    after = _next_bases(classes)
    further, left, flags = "", "Newline", 0
    for at, right in enumerate(classes):
        before = classes[at - 1] if at else "Newline"
        if "Newline" in (before, right):
            yield text[max(at - 1, 0) : at + 1] != "\r\n"  # WB1, WB3, WB3a, WB3b
        elif before == "ZWJ" and _holds("Extended_Pictographic", text[at]):
            yield False  # WB3c
        elif before == right == "WSegSpace" or right in _SKIPPED:
            yield False  # WB3d, WB4
        elif left == right == "Regional_Indicator":
            yield flags % 2 == 0  # WB15, WB16
        else:
            yield not _joined(further, left, right, after[at])
        if right not in _SKIPPED or before == "Newline":
            further, left = left, right
            flags = flags + 1 if right == "Regional_Indicator" else 0


def _next_bases(classes: list[str]) -> list[str]:
    """For each place the class of the next base after it."""
    following, found = "", [""] * len(classes)
    for at in range(len(classes) - 1, -1, -1):
        found[at] = following
        if classes[at] not in _SKIPPED:
            following = classes[at]
    return found


def _joined(further: str, left: str, right: str, after: str) -> bool:
    """WB5 to WB13b over four bases in a row, the boundary in question in the middle."""
    if left in _LETTER:
        if right in _LETTER or right == "Numeric" or (right in _MID_LETTER and after in _LETTER):
            return True  # WB5, WB9, WB6
        if left == "Hebrew_Letter" and (
            right == "Single_Quote" or (right == "Double_Quote" and after == "Hebrew_Letter")
        ):
            return True  # WB7a, WB7b
    if further in _LETTER and left in _MID_LETTER and right in _LETTER:
        return True  # WB7
    if further == right == "Hebrew_Letter" and left == "Double_Quote":
        return True  # WB7c
    if left == "Numeric" and (
        right == "Numeric" or right in _LETTER or (right in _MID_NUMBER and after == "Numeric")
    ):
        return True  # WB8, WB10, WB12
    if further == right == "Numeric" and left in _MID_NUMBER:
        return True  # WB11
    if left == right == "Katakana":
        return True  # WB13
    if right == "ExtendNumLet":
        return left in _JOINS_UNDERSCORE or left == "ExtendNumLet"  # WB13a
    return left == "ExtendNumLet" and right in _JOINS_UNDERSCORE  # WB13b
