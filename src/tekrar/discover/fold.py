"""Folding of surface tokens for discovery: case, apostrophes, circumflex, Arabic marks and letter variants.

A fold is a feature (authority class `normalized_text`): it never enters an exact preimage, and the bytes of a
match are always the bytes of the source. It is computed once per distinct surface token; the token's span
is the
map back to the source.
"""

from __future__ import annotations

import unicodedata
from typing import Final

VERSION: Final = "discovery-fold.1"
TURKISH: Final = frozenset({"tr", "az"})

_CIRCUMFLEX: Final = str.maketrans("âîûêô", "aiueo")
_TURKISH_CASE: Final = str.maketrans({"I": "ı", "İ": "i"})
_DROPPED: Final = (
    "'’‘ʼʻ`´ʾʿ"  # apostrophes and the signs used for ayn and hamza
    "\u00ad\u200b\u200c\u200d\u200e\u200f\u2060\ufeff\u061c"  # soft hyphen, zero-width, direction marks
    "\u0640"  # tatweel
    "\u0621"  # lone hamza
    "\u06e5\u06e6"  # small waw and ya
    "_.,-\u2010\u2011"
)
_ARABIC: Final = {
    **dict.fromkeys("أإآٱٲٳ", "ا"),
    "ؤ": "و",
    **dict.fromkeys("ئىیې", "ي"),
    "ة": "ه",
    "ک": "ك",
    **{chr(0x0660 + d): str(d) for d in range(10)},
    **{chr(0x06F0 + d): str(d) for d in range(10)},
}
_TABLE: Final = str.maketrans(
    {
        **dict.fromkeys(_DROPPED, ""),
        **_ARABIC,
        **dict.fromkeys(
            (
                chr(c)
                for low, high in ((0x610, 0x61A), (0x64B, 0x65F), (0x670, 0x670), (0x6D6, 0x6DC),
                                  (0x6DF, 0x6E4), (0x6E7, 0x6E8), (0x6EA, 0x6ED), (0x8CA, 0x8FF))
                for c in range(low, high + 1)
            ),
            "",
        ),
    }
)  # fmt: skip


def fold_token(surface: str, *, language: str) -> str:
    """The folded form of one surface token; "" when nothing but marks is left.

    Args:
        surface: the token as it stands in the text.
        language: primary subtag of the release's language; decides the case pair of I.
    """
    turkish = language in TURKISH
    if surface.isascii():
        if turkish and "I" in surface:
            surface = surface.replace("I", "ı")
        return surface.lower().translate(_TABLE) if not surface.isalnum() else surface.lower()
    text = unicodedata.normalize("NFC", surface)
    if turkish:
        text = text.translate(_TURKISH_CASE)
    return text.lower().replace("i\u0307", "i").translate(_CIRCUMFLEX).translate(_TABLE)


#: Arabic "and" and "so", written with the word that follows or alone.
CONJUNCTIONS: Final = "وف"


def joined_forms(forms: list[str]) -> list[str]:
    """Folded forms without an Arabic conjunction before the word: "" for one that stands alone.

    A first letter waw or fa is taken off where the rest is a word of the same text by itself, so that the
    same
    words meet whether the conjunction is there, joined or apart.
    """
    known = set(forms)
    return [
        ""
        if form == "و"
        else form[1:]
        if len(form) > 2 and form[0] in CONJUNCTIONS and form[1:] in known
        else form
        for form in forms
    ]
