"""What alone differs between two passages whose tokens are equal: a flag for the reader, never a decision.

Every kind is one of the named foldings of `core.feature` or a class of `core.token`'s table, so that no
answer depends on the interpreter's version of Unicode.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from functools import lru_cache
from typing import Final

from tekrar.core.feature.normalizers import NORMALIZERS
from tekrar.core.feature.unicode import default_case_text, is_known, nfc_text
from tekrar.core.token import word_break_table
from tekrar.discover.fold import CONJUNCTIONS

KINDS: Final = ("normalisation", "case", "punctuation", "apostrophes", "diacritics", "numerals", "space")
#: Told last: an Arabic conjunction before a word, or alone, that only one side has.
CONJUNCTION: Final = "conjunction"
APOSTROPHES: Final = frozenset("'’‘ʼ`´")
_I: Final = str.maketrans("Iİı", "iii")


class Dropping(dict[int, int | None]):
    """A table for `str.translate` that drops what a test holds for, or all but that; filled as it is used."""

    def __init__(self, test: Callable[[str], bool], *, keep: bool = False) -> None:
        super().__init__()
        self.test, self.keep = test, keep

    def __missing__(self, code: int) -> int | None:
        found = self[code] = code if self.test(chr(code)) == self.keep else None
        return found


def differs_only_in(left: str, right: str, *, tokens_equal: bool) -> list[str]:
    """Kinds of difference when nothing else differs; [] when the passages are equal or words differ.

    Args:
        left, right: the passages.
        tokens_equal: whether their folded tokens are equal one by one.
    """
    if left == right:
        return []
    found: list[str] = []
    if not tokens_equal:
        numerals = _dropped("numerals")
        return ["numerals"] if left.translate(numerals) == right.translate(numerals) else []
    for kind in KINDS:
        before = (left, right)
        left, right = (_reduced(text, kind) for text in before)
        # a difference is told when what is taken off is not the same on both sides
        if before[0] != before[1] and _taken(before[0], kind) != _taken(before[1], kind):
            found.append(kind)
        if left == right:
            break
    return [*found, CONJUNCTION] if left != right and _but_conjunctions(left, right) else found


def _but_conjunctions(left: str, right: str) -> bool:
    """Whether two reduced texts are the same word by word but for waw or fa before the words of one."""
    one, other = (_unconjoined(text) for text in (left, right))
    return len(one) == len(other) and all(
        a == b or a in {c + b for c in CONJUNCTIONS} or b in {c + a for c in CONJUNCTIONS}
        for a, b in zip(one, other, strict=True)
    )


def _unconjoined(text: str) -> list[str]:
    return [word for word in text.split() if word not in CONJUNCTIONS]


def _taken(text: str, kind: str) -> str:
    if kind == "normalisation":
        return "" if text == nfc_text(text) else "x"
    if kind == "case":
        return "".join("u" if _is_capital(c) else "l" for c in text.translate(_letters()) if _has_case(c))
    return (_decomposed(text) if kind == "diacritics" else text).translate(_dropped(kind, keep=True))


def _reduced(text: str, kind: str) -> str:
    if kind == "normalisation":
        return nfc_text(text)
    if kind == "case":
        return default_case_text(text.translate(_I))
    return (_decomposed(text) if kind == "diacritics" else text).translate(_dropped(kind))


def _decomposed(text: str) -> str:
    return "".join(map(_canonical, text))


@lru_cache(maxsize=1 << 16)
def _canonical(character: str) -> str:
    # decompositions of characters that a version of Unicode has never change
    return unicodedata.normalize("NFD", character) if is_known(character) else character


@lru_cache(maxsize=1 << 16)
def _is_capital(character: str) -> bool:
    return character in "Iİ" or (character != "ı" and default_case_text(character) != character)


@lru_cache(maxsize=1 << 16)
def _has_case(character: str) -> bool:
    # mappings of characters that a version of Unicode has never change
    return _is_capital(character) or (is_known(character) and character.upper() != character)


def _mark(character: str) -> bool:
    return (
        (is_known(character) and unicodedata.combining(character) != 0)
        or character == "\u0640"
        or _drops("arabic-marks.1", character)
    )


def _numeral(character: str) -> bool:
    return any(low <= ord(character) <= high for low, high in word_break_table()["Numeric"])


def _punctuation(character: str) -> bool:
    if character in APOSTROPHES:
        return False
    return any(_drops(key, character) for key in ("punctuation.1", "zero-width.1", "soft-hyphen.1"))


def _space(character: str) -> bool:
    return character in " \t\n\r\v\f\x85\u2028\u2029" or (
        NORMALIZERS["no-break-space.1"].rule.text(character) == " "
    )


def _apostrophe(character: str) -> bool:
    return character in APOSTROPHES


def _drops(key: str, character: str) -> bool:
    return NORMALIZERS[key].rule.text(character) == ""


_TESTS: Final[dict[str, Callable[[str], bool]]] = {
    "punctuation": _punctuation,
    "apostrophes": _apostrophe,
    "diacritics": _mark,
    "numerals": _numeral,
    "space": _space,
}


@lru_cache(maxsize=16)
def _dropped(kind: str, *, keep: bool = False) -> Dropping:
    return Dropping(_TESTS[kind], keep=keep)


@lru_cache(maxsize=1)
def _letters() -> Dropping:
    return Dropping(lambda c: any(test(c) for test in _TESTS.values()))
