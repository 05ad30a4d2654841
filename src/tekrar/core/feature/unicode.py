"""NFC and case folding that do not depend on the interpreter's version of Unicode.

Both are applied to characters that Unicode 14 has (`data/unicode-14.txt`, pinned by its digest) and to no
others. For these, Unicode promises that normalization, combining classes and case folding never change
(stability policies, "Normalization", "Case Folding"), and every supported Python carries Unicode 14 or later.
A later character passes as it is, and nothing composes or reorders across it: an interpreter that knows it
and one that does not give the same. A test holds the results of all 144 762 characters to one digest.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from bisect import bisect_right
from collections.abc import Iterator
from functools import lru_cache
from importlib.resources import files
from typing import Final

from tekrar.core.feature.folded import Folded, Placed, placed
from tekrar.errors import IntegrityError

TABLE: Final = "unicode-14.txt"
TABLE_DIGEST: Final = "5181f4e645ae4b2c11d9acb2fa02ae6fd0649197dc554e84d4354f98983d8e7c"

DOT_ABOVE: Final = "\u0307"
_DOTTED: Final = re.compile(f"I{DOT_ABOVE}+|İ{DOT_ABOVE}*|i{DOT_ABOVE}+")

#: Characters of combining class 0 that may compose with the one before (NFC_Quick_Check = Maybe, Unicode 14).
_JOINING: Final = frozenset(
    "\u09be\u09d7\u0b3e\u0b56\u0b57\u0bbe\u0bd7\u0cc2\u0cd5\u0cd6\u0d3e\u0d57\u0dcf\u0ddf\u102e\u1b35"
    "\U00011127\U0001133e\U00011357\U000114b0\U000114ba\U000114bd\U000115af\U00011930"
) | frozenset(map(chr, [*range(0x1161, 0x1176), *range(0x11A8, 0x11C3)]))


@lru_cache(maxsize=1)
def _bounds() -> tuple[list[int], list[int]]:
    raw = files("tekrar.core").joinpath(f"data/{TABLE}").read_bytes()
    if hashlib.sha256(raw).hexdigest() != TABLE_DIGEST:
        raise IntegrityError(
            "the table of Unicode 14's characters was changed",
            where=f"tekrar/core/data/{TABLE}",
            expected=f"SHA-256 {TABLE_DIGEST}",
            mend="reinstall tekrar; with another table the features would be others",
            kind="folding_table",
        )
    spans = [line.partition("-") for line in raw.decode("ascii").split()]
    return [int(low, 16) for low, _, _ in spans], [int(high or low, 16) for low, _, high in spans]


@lru_cache(maxsize=1 << 16)
def is_known(character: str) -> bool:
    """Whether Unicode 14 has a character."""
    lows, highs = _bounds()
    at = bisect_right(lows, ord(character)) - 1
    return at >= 0 and ord(character) <= highs[at]


def all_known(text: str) -> bool:
    """Whether Unicode 14 has every character of a text."""
    return text.isascii() or all(map(is_known, set(text)))


def nfc(source: Folded) -> Folded:
    """Canonical composition, segment by segment.

    A segment runs from a character that composes with nothing before it to the next such one. The
    characters of a segment that changes stand for all of its bytes: its marks may have been reordered.
    """
    if nfc_text(source.text) == source.text:
        return source
    return placed(_composed(source), source.size)


def nfc_text(text: str) -> str:
    """The text of `nfc`, without the map."""
    if text.isascii():
        return text
    if all_known(text):
        return unicodedata.normalize("NFC", text)
    pieces, first = [], 0
    for at in range(1, len(text) + 1):
        if at == len(text) or _opens(text, at):
            piece = text[first:at]
            pieces.append(unicodedata.normalize("NFC", piece) if is_known(piece[0]) else piece)
            first = at
    return "".join(pieces)


def _composed(source: Folded) -> Iterator[Placed]:
    text, first = source.text, 0
    for at in range(1, len(text) + 1):
        if at < len(text) and not _opens(text, at):
            continue
        old = text[first:at]
        new = unicodedata.normalize("NFC", old) if is_known(old[0]) else old
        if new == old:
            yield from zip(old, source.start[first:at], source.end[first:at], strict=True)
        else:
            low, high = source.start[first], source.end[at - 1]
            yield from ((character, low, high) for character in new)
        first = at


def _opens(text: str, at: int) -> bool:
    """Whether a segment begins at a character: a starter that joins nothing, or a barrier on either side."""
    character = text[at]
    if not is_known(character) or not is_known(text[at - 1]):
        return True
    return unicodedata.combining(character) == 0 and character not in _JOINING


@lru_cache(maxsize=1 << 16)
def _folded(character: str) -> str:
    return character.casefold() if is_known(character) else character


def default_case(source: Folded) -> Folded:
    """Unicode's full default case folding: `ẞ` and `ß` give `ss`, `Σ` and `ς` give `σ`, `I` gives `i`."""
    if source.text.isascii():
        return Folded(source.text.lower(), source.start, source.end, source.size)
    return placed(
        (
            (new, start, end)
            for old, start, end in zip(source.text, source.start, source.end, strict=True)
            for new in _folded(old)
        ),
        source.size,
    )


def default_case_text(text: str) -> str:
    """The text of `default_case`, without the map."""
    return text.casefold() if all_known(text) else "".join(map(_folded, text))


def turkish_case(source: Folded) -> Folded:
    """Case folding of Turkish and Azerbaijani: `I` gives `ı`, `İ` gives `i`; the rest by the default.

    A dot above after `I` or `i` belongs to the letter: `I` with it is `İ`, and `i` with it is the `i` that
    careless lower-casing of `İ` leaves behind.
    """
    if source.text.isascii() and "I" not in source.text:
        return default_case(source)
    return placed(_turkish(source), source.size)


def turkish_case_text(text: str) -> str:
    """The text of `turkish_case`, without the map."""
    return default_case_text(_DOTTED.sub("i", text).replace("I", "ı"))


def _turkish(source: Folded) -> Iterator[Placed]:
    text, at = source.text, 0
    while at < len(text):
        character, low = text[at], source.start[at]
        after = at + 1
        if character in ("I", "i", "İ"):
            while after < len(text) and text[after] == DOT_ABOVE:
                after += 1
            yield ("ı" if character == "I" and after == at + 1 else "i", low, source.end[after - 1])
        else:
            yield from ((new, low, source.end[at]) for new in _folded(character))
        at = after
