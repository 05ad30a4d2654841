"""What a language tells the segmenter: tables only, no code of its own."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum


class Abbreviation(Enum):
    """What a full stop after an abbreviation means when no lower-case letter follows it."""

    NEVER = "never"  # a title or a pointer: `Hz. Ali`, `bkz. Sözler`
    BEFORE_NUMBER = "before_number"  # `s. 45`, `No. 5`: no end before a number, else like a word
    STARTER = "starter"  # `(a.s.) Mısır`, `U.S. Army`: an end only if a sentence-opening word follows
    FINAL = "final"  # `vb. Sonra`, `etc. Then`: an end


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of one language.

    Attributes:
        name: primary language subtag, or ``generic``.
        abbreviations: folded abbreviation without its last full stop -> meaning.
        capital_abbreviations: the same for those that are words when written small (`Av.`, `av.`).
        starters: folded words that open a sentence far oftener than they follow an ordinal.
        cardinal_cues: folded words after which a number is no ordinal (`sayfa 45.`).
        era_marks: folded marks after a year that may end a sentence although they are so short.
        ordinal_digits: most digits that a number with a full stop may have to be an ordinal; 0 = none.
        roman_ordinals: whether `IV.` is an ordinal.
        heading_cues: folded words that with a number open a heading: `Chapter IV. The Return`.
        letter_words: single small letters that are words and may end a sentence.
        continuations: folded words that never open a sentence, where no letter case can say so.
        ellipsis_continuations: the same after an ellipsis only.
        speech_verbs: folded words that carry on the sentence after a quotation: at once where no letter
            case can say so, else after a name (`“Why?” John asked.`).
        verse_signs: whether ۞, ۝ and numbers in ﴿ ﴾ end a sentence.
        dotted_capitals: whether `I` and `İ` fold as in Turkish.
    """

    name: str
    abbreviations: Mapping[str, Abbreviation] = field(default_factory=dict)
    capital_abbreviations: Mapping[str, Abbreviation] = field(default_factory=dict)
    starters: frozenset[str] = frozenset()
    cardinal_cues: frozenset[str] = frozenset()
    ordinal_digits: int = 0
    roman_ordinals: bool = False
    heading_cues: frozenset[str] = frozenset()
    era_marks: frozenset[str] = frozenset()
    letter_words: frozenset[str] = frozenset()
    continuations: frozenset[str] = frozenset()
    ellipsis_continuations: frozenset[str] = frozenset()
    speech_verbs: frozenset[str] = frozenset()
    verse_signs: bool = False
    dotted_capitals: bool = False

    def fold(self, word: str) -> str:
        """Return the form of a word in which the tables hold it: NFC, small letters, no vowel signs."""
        if not word.isascii():
            word = unicodedata.normalize("NFC", word)
            if self.verse_signs:
                word = "".join(char for char in word if char.isalnum() or char == ".")
        if self.dotted_capitals:
            word = word.replace("İ", "i").replace("I", "ı")
        return word.lower()

    def abbreviation(self, word: str) -> Abbreviation | None:
        """Return the meaning of an abbreviation given without its last full stop, or None."""
        found = self.capital_abbreviations.get(word)
        return found if found is not None else self.abbreviations.get(self.fold(word))


def table(**words: str) -> dict[str, Abbreviation]:
    """Build an abbreviation table from one space-separated list a meaning."""
    return {word: Abbreviation(meaning) for meaning, listed in words.items() for word in listed.split()}


def words(listed: str) -> frozenset[str]:
    """Return the words of a space-separated list."""
    return frozenset(listed.split())


# Languages without a table of their own: ordinals of one or two digits, since German, Czech, Danish or
# Hungarian `5. Mai` is commoner than a sentence that ends in such a number.
GENERIC = Rules(name="generic", ordinal_digits=2)
