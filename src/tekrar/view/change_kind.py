"""What kind of change stands between two pieces of text: case, punctuation, normalisation and so on.

For the eye only: no kind enters a script, a digest or an ID (ADR-009: a display summary cannot replace the
replayable script).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from itertools import combinations
from typing import Final

_APOSTROPHES: Final = frozenset("'’‘ʼ＇`´ʻʿʾ′‛")
_TURKISH: Final = {ord("I"): "ı", ord("İ"): "i"}
#: Letters and marks that draw nothing (default ignorable): the joiner of graphemes, fillers, variation
#: selectors. Those of category Cf are format characters.
_IGNORABLE: Final = frozenset(
    chr(code)
    for low, high in (
        (0x34F, 0x34F),
        (0x115F, 0x1160),
        (0x17B4, 0x17B5),
        (0x180B, 0x180F),
        (0x3164, 0x3164),
        (0xFE00, 0xFE0F),
        (0xFFA0, 0xFFA0),
        (0xE0100, 0xE01EF),
    )
    for code in range(low, high + 1)
)
#: How changes show what lays out lines.
PICTURES: Final = {"\n": "↵", "\t": "⇥", "\r": "␍", " ": "␣"}
#: Characters of a change, at most, for which kinds are tried together, and for which they are tried at all.
_MOST: Final = 4096
_LOOKED_AT: Final = 1 << 16


def _composed(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _without_invisible(text: str) -> str:
    kept = "".join(
        c
        for c in text
        if c in "\t\n\r" or (unicodedata.category(c) not in ("Cf", "Cc") and c not in _IGNORABLE)
    )
    return "".join(" " if unicodedata.category(c) == "Zs" else c for c in kept)


def _without_spaces(text: str) -> str:
    return "".join(text.split())


def _without_apostrophes(text: str) -> str:
    return "".join(c for c in text if c not in _APOSTROPHES)


def _without_punctuation(text: str) -> str:
    return "".join(c for c in text if unicodedata.category(c)[0] != "P" or c in _APOSTROPHES)


def _small(text: str) -> str:
    return text.casefold()


def _small_in_turkish(text: str) -> str:
    return text.translate(_TURKISH).casefold()


def _without_diacritics(text: str) -> str:
    apart = unicodedata.normalize("NFD", text).replace("ـ", "")
    return unicodedata.normalize("NFC", "".join(c for c in apart if unicodedata.category(c)[0] != "M"))


def _without_numbers(text: str) -> str:
    found: list[str] = []
    for character in text:
        if character.isnumeric():
            if not found or found[-1] != "0":
                found.append("0")
        else:
            found.append(character)
    return "".join(found)


#: Kind of change -> the folding that makes it vanish; nearest to nothing first, and in the order they apply.
FOLDINGS: Final[dict[str, Callable[[str], str]]] = {
    "normalisation": _composed,
    "invisible characters": _without_invisible,
    "spaces": _without_spaces,
    "apostrophes": _without_apostrophes,
    "punctuation": _without_punctuation,
    "case": _small_in_turkish,
    "diacritics": _without_diacritics,
    "numerals": _without_numbers,
}
#: The same with the small letters of other languages, where I is the capital of i.
_ELSEWHERE: Final = FOLDINGS | {"case": _small}
WORDS: Final = "words"
UNNAMED: Final = f"a change of more than {_LOOKED_AT:,} characters"


def kinds_between(left: str, right: str) -> tuple[str, ...]:
    """The fewest kinds that explain a change together; `("words",)` when none do."""
    if left == right:
        return ()
    if len(left) + len(right) > _LOOKED_AT:
        return (UNNAMED,)
    explained = (_explained(left, right, foldings) for foldings in (FOLDINGS, _ELSEWHERE))
    return next((kinds for kinds in explained if kinds), (WORDS,))


def _explained(left: str, right: str, foldings: dict[str, Callable[[str], str]]) -> tuple[str, ...]:
    names = tuple(foldings)
    short = len(left) + len(right) <= _MOST
    if short and _folded(left, foldings, names) != _folded(right, foldings, names):
        return ()
    for count in range(1, 4 if short else 2):
        for chosen in combinations(names, count):
            if _folded(left, foldings, chosen) == _folded(right, foldings, chosen):
                return chosen
    return names if short else ()


def _folded(text: str, foldings: dict[str, Callable[[str], str]], names: tuple[str, ...]) -> str:
    for name in names:
        text = foldings[name](text)
    return text


def invisible_names(text: str) -> list[str]:
    """Names of the invisible characters of a text but tabs and line ends, in the order they first stand."""
    found = (c for c in dict.fromkeys(text) if is_invisible(c) and c not in "\t\n\r")
    return [f"U+{ord(c):04X} {unicodedata.name(c, 'control character')}" for c in found]


def is_invisible(character: str) -> bool:
    """Format and control characters, spaces other than the plain one, and what else draws nothing."""
    return (character != " " and unicodedata.category(character) in ("Cf", "Cc", "Zs", "Zl", "Zp")) or (
        character in _IGNORABLE
    )


def is_unseen(character: str) -> bool:
    """Invisible, and neither a tab nor a line feed, which a page or a terminal lays out."""
    return character not in "\t\n" and is_invisible(character)


def pictured(text: str) -> str:
    """A changed text for a terminal: what cannot be seen as marks, and spaces where there is nothing else."""
    spaces = bool(text) and text.isspace()
    return "".join(_picture(c) if is_invisible(c) or (spaces and c == " ") else c for c in text)


def _picture(character: str) -> str:
    return PICTURES.get(character) or f"⟨U+{ord(character):04X}⟩"


def form_of(text: str) -> str:
    """NFC, NFD or neither: how a text composes its letters; "" where both are the same."""
    composed, apart = unicodedata.is_normalized("NFC", text), unicodedata.is_normalized("NFD", text)
    if composed and apart:
        return ""
    return "NFC" if composed else "NFD" if apart else "mixed"
