"""What alone differs between two passages whose tokens are equal: a flag for the reader, never a decision."""

from __future__ import annotations

import unicodedata
from typing import Final

KINDS: Final = ("normalisation", "case", "punctuation", "apostrophes", "diacritics", "numerals", "space")
APOSTROPHES: Final = "'’‘ʼ`´"


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
        if _without(left, _numeral) != _without(right, _numeral):
            return []
        return ["numerals"]
    for kind in KINDS:
        before = (left, right)
        left, right = (_reduced(text, kind) for text in before)
        if before[0] != before[1] and _tells(before, kind):
            found.append(kind)
        if left == right:
            break
    return found


def _tells(texts: tuple[str, str], kind: str) -> bool:
    """Whether a reduction takes a difference away: what is taken off is not the same on both sides."""
    return _taken(texts[0], kind) != _taken(texts[1], kind)


def _taken(text: str, kind: str) -> str:
    if kind == "normalisation":
        return "" if text == unicodedata.normalize("NFC", text) else "x"
    if kind == "case":
        return "".join("u" if c.isupper() else "l" for c in text if c.isalpha())
    test = _TESTS[kind]
    return "".join(
        c for c in (unicodedata.normalize("NFD", text) if kind == "diacritics" else text) if test(c)
    )


def _reduced(text: str, kind: str) -> str:
    if kind == "normalisation":
        return unicodedata.normalize("NFC", text)
    if kind == "case":
        return text.translate({ord("I"): "ı", ord("İ"): "i"}).lower().replace("ı", "i")
    if kind == "diacritics":
        return _without(unicodedata.normalize("NFD", text), _mark)
    return _without(text, _TESTS[kind])


def _without(text: str, test: object) -> str:
    return "".join(c for c in text if not test(c))  # type: ignore[operator]


def _mark(c: str) -> bool:
    return unicodedata.category(c) in ("Mn", "Mc") or c == "\u0640"


def _numeral(c: str) -> bool:
    return unicodedata.category(c)[0] == "N"


def _punctuation(c: str) -> bool:
    return c not in APOSTROPHES and unicodedata.category(c)[0] in "PSC"


_TESTS: Final = {
    "punctuation": _punctuation,
    "apostrophes": lambda c: c in APOSTROPHES,
    "diacritics": _mark,
    "numerals": _numeral,
    "space": str.isspace,
}
