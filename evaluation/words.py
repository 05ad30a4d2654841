"""Words for the measures, by a folding of the evaluation's own: it shares no fault with what it judges."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

_WORD = re.compile(r"[^\W_]+(?:['’ʼ][^\W_]+)*")
_DROPPED = re.compile("[\u00ad\u200b-\u200f\u2060\ufeff\u0610-\u061a\u0640\u064b-\u065f\u0670\u06d6-\u06ed]")
_TURKISH = str.maketrans({"İ": "i", "I": "ı", "â": "a", "î": "i", "û": "u", "Â": "a", "Î": "i", "Û": "u"})
_ARABIC = str.maketrans({"أ": "ا", "إ": "ا", "آ": "ا", "ٱ": "ا", "ى": "ي", "ة": "ه", "ؤ": "و", "ئ": "ي"})


def words(text: str, language: str = "en") -> list[str]:
    """Folded words of a text: case, marks, apostrophes and kinds of alef do not tell words apart."""
    text = _DROPPED.sub("", unicodedata.normalize("NFC", text)).translate(_ARABIC)
    if language == "tr":
        text = text.translate(_TURKISH)
    return [re.sub("['’ʼ]", "", word) for word in _WORD.findall(text.lower())]


def placed_words(text: str, language: str = "en") -> list[tuple[str, int, int]]:
    """White-space separated words, folded, with their byte extents; none without a letter."""
    found = []
    for match in re.finditer(r"\S+", text):
        folded = "".join(words(match.group(), language))
        if folded:
            start = len(text[: match.start()].encode())
            found.append((folded, start, start + len(match.group().encode())))
    return found


def raw_words(text: str) -> list[str]:
    """Words as they stand; a bracketed word of the KJV without its brackets."""
    return _WORD.findall(text)


def shared_in_order(left: Sequence[str], right: Sequence[str]) -> int:
    """Length of the longest common subsequence, in words (one bit a word of `left`)."""
    places: dict[str, int] = {}
    for number, word in enumerate(left):
        places[word] = places.get(word, 0) | 1 << number
    whole = (1 << len(left)) - 1
    free = whole
    for word in right:
        at = places.get(word)
        if at is not None:
            taken = free & at
            free = ((free + taken) | (free - taken)) & whole
    return len(left) - free.bit_count()
