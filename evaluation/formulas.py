"""Which entries are a formula, a list or a census: true shared words and no reuse worth a look.

The rule, in words that a reader can check by eye. Numerals read as one sign. Of the words that the two
sides share in order,

- *real*: half or more stand in common 5-grams that at most 3 paragraphs have: never one of the three;
- *formula*: half or more stand in common 4-grams that at least 8 paragraphs have;
- *list*, *census*: with capitalised words inside a sentence reading as one sign too, half or more stand in
  common 4-grams that at least 8 paragraphs have, and at least a quarter of the shorter side's words are such
  signs; census when most of these are numerals, else list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from evaluation.entries import Entry
from evaluation.passages import Passages
from evaluation.words import raw_words, shared_in_order

RARE_GRAM, RARE_PLACES = 5, 3
OFTEN_GRAM, OFTEN_PLACES = 4, 8
NUMBER, NAME = "#", "@"
NUMERALS = frozenset(
    "one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand "
    "hundreds thousands score threescore fourscore first second third fourth fifth sixth seventh eighth "
    "ninth tenth eleventh twelfth".split()
)


def numbered(text: str) -> list[str]:
    """Lower-case words; numerals as one sign."""
    return [NUMBER if _is_number(word) else word.lower() for word in raw_words(text)]


def masked(text: str) -> list[str]:
    """Words with numerals and names (capitalised words that open no sentence) as one sign each."""
    found = []
    opens = True
    at = 0
    for word in raw_words(text):
        place = text.index(word, at)
        opens = opens or any(mark in text[at:place] for mark in ".?!:")
        at = place + len(word)
        name = word[:1].isupper() and not opens and word not in ("I", "O")
        found.append(NUMBER if _is_number(word) else NAME if name else word.lower())
        opens = False
    return found


def _is_number(word: str) -> bool:
    return word.isdigit() or word.lower() in NUMERALS


def grams(row: Sequence[str], count: int) -> list[tuple[str, ...]]:
    """All n-grams of a row of words, by their first word."""
    return [tuple(row[i : i + count]) for i in range(len(row) - count + 1)]


class Formulas:
    """Counts in how many paragraphs each n-gram stands, and tells the kind of an entry."""

    def __init__(self, passages: Passages) -> None:
        self._text = passages.text
        self._rare: Counter[tuple[str, ...]] = Counter()
        self._often: Counter[tuple[str, ...]] = Counter()
        self._often_masked: Counter[tuple[str, ...]] = Counter()
        for low, high in zip(passages.start, passages.end, strict=True):
            text = self._text[low:high].decode()
            plain = numbered(text)
            self._rare.update(set(grams(plain, RARE_GRAM)))
            self._often.update(set(grams(plain, OFTEN_GRAM)))
            self._often_masked.update(set(grams(masked(text), OFTEN_GRAM)))

    def kind(self, entry: Entry) -> str | None:
        """`formula`, `list`, `census`, or None for an entry worth a look."""
        texts = [self._text[low:high].decode() for low, high in entry.sides[:2]]
        plain = sorted((numbered(text) for text in texts), key=len)
        shared = shared_in_order(*plain)
        if not shared or 2 * _covered(plain, self._rare, RARE_GRAM, most=RARE_PLACES) >= shared:
            return None
        if 2 * _covered(plain, self._often, OFTEN_GRAM, least=OFTEN_PLACES) >= shared:
            return "formula"
        signs = sorted((masked(text) for text in texts), key=len)
        short = signs[0]
        numbers, names = short.count(NUMBER), short.count(NAME)
        if 4 * (numbers + names) < len(short):
            return None
        if 2 * _covered(signs, self._often_masked, OFTEN_GRAM, least=OFTEN_PLACES) >= shared_in_order(*signs):
            return "census" if numbers > names else "list"
        return None


def _covered(
    sides: Sequence[Sequence[str]],
    places: Counter[tuple[str, ...]],
    count: int,
    *,
    least: int = 0,
    most: int | None = None,
) -> int:
    """Words of the first side inside n-grams that both sides have and so many paragraphs have."""
    other = set(grams(sides[1], count))
    hit: set[int] = set()
    for at, gram in enumerate(grams(sides[0], count)):
        if gram in other and places[gram] >= least and (most is None or places[gram] <= most):
            hit.update(range(at, at + count))
    return len(hit)
