"""Tokens: the words of a text by Unicode's word boundaries and one tailoring, as byte ranges.

Serves ADR-009 *Candidate and diff evidence* (DIF-09: a token is known by its byte coordinates and by nothing
else; no token enters an exact preimage). `TOKENIZER` names the function for ever: UAX #29 over the property
table `data/word-break.txt` of one Unicode version, whatever version the interpreter carries, where an
apostrophe (U+0027, U+2019) after a number and before a letter joins as it does between letters. A token is a
segment that holds a letter or a number. So an apostrophe keeps a suffix with its word (`İstanbul’da`,
`1950’de`), marks and vowel signs stay with their letter, `3,14` is one token, and a script that writes no
spaces and has no class of its own (Han, Thai) gives one token a character.

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

TOKENIZER: Final = "uax29-18.0.0-apostrophe.1"
TABLE_DIGEST: Final = "16ed65246fc4bca96c3f1472f710a746257680ca8d1d9ce4aafcc526c55c74d4"
#: Bytes tokenized at once, at most, where lines are shorter: bounds the memory of a whole corpus.
_BLOCK: Final = 1 << 20
#: Chunks between spaces that `pieces` remembers, and bytes of one, at most: some ten megabytes.
_MOST_KEPT: Final = 1 << 16
_LONGEST_KEPT: Final = 64

_LETTER: Final = ("ALetter", "Hebrew_Letter")
_SKIPPED: Final = ("Extend", "Format", "ZWJ")
_WORDY: Final = (*_LETTER, "Numeric", "Katakana", "Other_word", "Extend_word")
#: The tailoring's apostrophes: U+0027 is a class already, U+2019 is taken out of MidNumLet.
_APOSTROPHE: Final = ("Single_Quote", "Right_Quote")
_RIGHT_QUOTE: Final = 0x2019
_MID_LETTER: Final = ("MidLetter", "MidNumLet", *_APOSTROPHE)
_MID_NUMBER: Final = ("MidNum", "MidNumLet", *_APOSTROPHE)
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


def pieces(data: bytes, *, start: int = 0, end: int | None = None) -> list[bytes]:
    """What stands between the tokens of a byte range, and the tokens: gap, token, gap, token, …, gap.

    Together they are the range; a gap between neighbours, at the start or at the end may be empty. No token
    holds a space and no boundary near one depends on what is beyond it, so what stands between two spaces is
    cut once and remembered. Lines that go through the rules are cut as `tokens` cuts them.

    Args, Raises: as `tokens`.
    """
    stop = len(data) if end is None else end
    try:
        found = [b"", *chain.from_iterable(map(_cuts().__getitem__, data[start:stop].split(b" ")))]
    except (_ByRulesError, UnicodeDecodeError):
        bounds = tokens(data, start=start, end=stop).ravel().tolist()
        return [data[a:b] for a, b in zip([start, *bounds], [*bounds, stop], strict=True)]
    found[-1] = found[-1][:-1]  # the space that no chunk follows
    return _merged(found)


def _merged(found: list[bytes]) -> list[bytes]:
    """Gaps round a token of no bytes made one; tokens stand at odd places."""
    merged: list[bytes] = []
    done = at = 0
    while True:
        try:
            at = found.index(b"", at + 1, -1)
        except ValueError:
            return merged + found[done:] if done else found
        if at % 2:
            merged += found[done:at]
            merged[-1] += found[at + 1]
            done = at + 2


class _ByRulesError(Exception):
    """A chunk holds a character that sends its line through the rules."""


class _Cuts(dict[bytes, tuple[bytes, ...]]):
    """By chunk, which holds no space: its pieces and a space, from a token on, if of no bytes, to a gap."""

    def __missing__(self, chunk: bytes) -> tuple[bytes, ...]:
        text = chunk.decode("utf-8") + " "
        plain = _plain().fullmatch(text)
        if plain is not None:
            return self._kept(chunk, (plain[1].encode(), plain[2].encode()))
        rare, astral = _odd()
        if rare.search(text) is not None:
            raise _ByRulesError
        word = _words(0xFFFF if astral.search(text) is None else sys.maxunicode)
        bounds = list(chain.from_iterable(_matched(word, text, 0, len(text))))
        cut = [text[a:b].encode() for a, b in zip([0, *bounds], [*bounds, len(text)], strict=True)]
        return self._kept(chunk, (b"", *cut) if cut[0] else tuple(cut[1:]))

    def _kept(self, chunk: bytes, found: tuple[bytes, ...]) -> tuple[bytes, ...]:
        if len(chunk) <= _LONGEST_KEPT:
            if len(self) >= _MOST_KEPT:
                self.clear()
            self[chunk] = found
        return found


@lru_cache(maxsize=1)
def _cuts() -> _Cuts:
    return _Cuts()


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
    """Inclusive ranges of code points by class name, U+2019 in a class of its own.

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
    halves = [((a, min(b, _RIGHT_QUOTE - 1)), (max(a, _RIGHT_QUOTE + 1), b)) for a, b in table["MidNumLet"]]
    table["MidNumLet"] = [(a, b) for a, b in chain.from_iterable(halves) if a <= b]
    table["Right_Quote"] = [(_RIGHT_QUOTE, _RIGHT_QUOTE)]
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


@lru_cache(maxsize=1)
def _plain() -> re.Pattern[str]:
    """Most chunks: letters that nothing is joined to, and marks of which none is part of a word."""
    return re.compile(f"([{_set('ALetter', most=0xFFFF)}]++)([ -/:-@\\[-^`{{-~\u2018-\u201d«»…–—]*+)")


@lru_cache(maxsize=2)
def _words(most: int) -> re.Pattern[str]:
    """Words of ordinary lines of code points up to `most` (classes without astral ranges are much faster).

    In ordinary lines a skipped character (WB4) always follows a base, so a class repeated together with the
    skipped ones is the base repeated. Characters are repeated possessively, and what follows a repeated
    group always matches, so nothing is ever given back. No group is repeated possessively: early releases of
    Python 3.11 (3.11.2, Debian 12) keep what a failing iteration has read, and find other words.
    """

    def of(*names: str) -> str:
        return _set(*names, most=most)

    letter, number, kana, low = of("ALetter"), of("Numeric"), of("Katakana"), of("ExtendNumLet")
    skip, mid_letter, mid_number = of(*_SKIPPED), of(*_MID_LETTER), of(*_MID_NUMBER)
    letters = f"[{letter}][{letter}{skip}]*+(?:[{mid_letter}][{skip}]*+[{letter}][{letter}{skip}]*+)*"
    numbers = f"[{number}][{number}{skip}]*+(?:[{mid_number}][{skip}]*+[{number}][{number}{skip}]*+)*"
    suffix = f"(?:[{of(*_APOSTROPHE)}][{skip}]*+(?=[{letter}]))?"
    joined = f"(?:(?:{letters}|{numbers}{suffix})+|[{kana}][{kana}{skip}]*+)"
    lows = f"[{low}][{low}{skip}]*+"
    other = f"[{of('Other_word')}][{skip}]*+"
    rest = f"(?:{lows}{joined})*(?:{lows})?"
    return re.compile(f"({joined}){rest}|({other})|{lows}(?:({joined}){rest})?")


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
    """Tokens of one line by the rules WB3 to WB16 and the tailoring."""
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
    """WB5 to WB13b and the tailoring over four bases in a row, the boundary in question in the middle."""
    if right in _APOSTROPHE and left == "Numeric" and after in _LETTER:
        return True  # the tailoring, as WB6
    if left in _APOSTROPHE and further == "Numeric" and right in _LETTER:
        return True  # the tailoring, as WB7
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
