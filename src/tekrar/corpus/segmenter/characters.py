"""Character classes of the segmenter, as bodies of regular expression classes.

Every class is spelt out instead of being read from the Unicode database, so that a boundary does not
move when an interpreter brings newer tables.  Letters, their case and decimal digits are the exception:
they are what ``str.isalpha``, ``str.isupper`` and ``str.isdecimal`` say and what `is_small` adds, the same
in every version of Unicode from 14 on for the characters that Unicode 14 has.
"""

from __future__ import annotations

import re
from typing import Final

# A lone surrogate can't occur in decoded UTF-8, so it can stand for "a scalar of an annotated marker".
MARK: Final = "\ud800"

SPACE: Final = "\\t-\\r \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000"
COMBINING: Final = (
    "\\u0300-\\u036f\\u064b-\\u065f\\u0670\\u06d6-\\u06dc\\u06df-\\u06e4\\u06e7\\u06e8\\u06ea-\\u06ed"
)
# Zero-width and direction characters: invisible, never white space, skipped on both sides of a stop.
INVISIBLE: Final = (
    "\\xad\\u061c\\u200b-\\u200f\\u202a-\\u202e\\u2060-\\u2064\\u2066-\\u2069\\ufeff\\ufe0e\\ufe0f"
)

PERIOD: Final = ".\\u06d4\\uff0e"
STRONG: Final = "!?\\u203c\\u2047-\\u2049\\u061f\\u203d\\u0964\\u0965\\u0589\\u1362\\u104b\\u17d4"
# Stops of scripts that write no space after them.
UNSPACED: Final = "\\u3002\\uff01\\uff1f\\uff61"
ELLIPSIS: Final = "\\u2026"
STOP: Final = PERIOD + STRONG + UNSPACED + ELLIPSIS

# U+FD3E is called "left" but closes a quotation in right-to-left text.
CLOSER: Final = ")\\]}\\u00bb\\u201d\\u2019\\u203a\\u300d\\u300f\\uff09\\u3011\\u3009\\u300b\\ufd3e"
OPENER: Final = (
    "(\\[{\\u00ab\\u201c\\u2018\\u2039\\u201e\\u201a\\u300c\\u300e\\uff08\\u3010\\u3008\\u300a\\ufd3f"
)
# Closing only if a space, a stop, a closer or the end follows: straight quotes, Markdown emphasis,
# note daggers, and quotation marks that some languages turn round.
EITHER_SIDE: Final = "\"'*_`\\u2020\\u2021\\u201c\\u2018\\u00ab"
DASH: Final = "\\-\\u2010-\\u2015"
BULLET: Final = "\\u2022\\u00b7\\u25cf\\u25aa\\u00a1\\u00bf\\u06de\\u06e9\\u00a7\\u00b6"

ARABIC_LETTER: Final = (
    "\\u0620-\\u064a\\u066e\\u066f\\u0671-\\u06d3\\u06d5\\u06e5\\u06e6\\u06ee\\u06ef\\u06fa-\\u06fc\\u06ff"
    "\\u0750-\\u077f\\u0870-\\u0887\\u0889-\\u088e\\u08a0-\\u08c9"
    "\\ufb50-\\ufbb1\\ufbd3-\\ufd3d\\ufd50-\\ufd8f\\ufd92-\\ufdc7\\ufdf0-\\ufdfb\\ufe70-\\ufe74\\ufe76-\\ufefc"
    "\\U0001ee00-\\U0001eeff"
)

_CONTENT: Final = re.compile("[^\\W_]")
_ARABIC: Final = re.compile(f"[{ARABIC_LETTER}]")
_ARABIC_WORD: Final = re.compile(f"[{ARABIC_LETTER}]+")
_OTHER_LETTER: Final = re.compile(f"[^\\W\\d_{ARABIC_LETTER}]")


# Modifier letters that became small letters in Unicode 15.
_SMALL_SINCE_15: Final = frozenset("\u10fc\ua7f2\ua7f3\ua7f4\uab69")


def is_small(char: str) -> bool:
    """Tell whether a character is a small letter as Unicode 14 has it; "" is none."""
    return char.islower() and char not in _SMALL_SINCE_15


def next_content(shadow: str, start: int) -> int:
    """Return the index of the first letter or decimal digit from ``start`` on, or ``len(shadow)``."""
    for match in _CONTENT.finditer(shadow, start):
        char = match.group()
        if char.isalpha() or char.isdecimal():
            return match.start()
    return len(shadow)


def last_content(shadow: str) -> int:
    """Return the index of the last letter or decimal digit, or -1."""
    for index in range(len(shadow) - 1, -1, -1):
        if shadow[index].isalpha() or shadow[index].isdecimal():
            return index
    return -1


def has_arabic(shadow: str) -> bool:
    """Tell whether a letter of Arabic script occurs outside the markers."""
    return _ARABIC.search(shadow) is not None


def has_other_letter(shadow: str, start: int = 0, end: int | None = None) -> bool:
    """Tell whether ``shadow[start:end]`` holds a letter of a script other than Arabic."""
    stop = len(shadow) if end is None else end
    return any(match.group().isalpha() for match in _OTHER_LETTER.finditer(shadow, start, stop))


def arabic_stretches(shadow: str) -> list[tuple[int, int]]:
    """Return the maximal stretches of Arabic letters, from first to last letter (contract C9).

    Marks, digits, spaces and punctuation between two Arabic letters belong to the stretch, and so does
    an annotated marker, which is no text.  Spans are half-open, in code points, ascending.
    """
    stretches: list[tuple[int, int]] = []
    for match in _ARABIC_WORD.finditer(shadow):
        if stretches and not has_other_letter(shadow, stretches[-1][1], match.start()):
            stretches[-1] = (stretches[-1][0], match.end())
        else:
            stretches.append(match.span())
    return stretches
