"""Whether one stop ends a sentence: the common decisions, fed by the tables of a language."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from typing import Final

from .characters import CLOSER, ELLIPSIS, MARK, OPENER, PERIOD, SPACE, UNSPACED, is_small
from .rules import Abbreviation, Rules

# No word of interest is longer; a fixed window keeps a text without spaces linear.
_WINDOW: Final = 48

_NUMBER: Final = re.compile("\\d+\\Z")
_RANGE: Final = re.compile("\\d+[-\u2013]\\d+\\Z")
_SECTION: Final = re.compile("\\d{1,2}(?:\\.\\d{1,2})+\\Z")
_ROMAN: Final = re.compile("(?:C{0,3}(?:X{1,3}|XL|LX{0,3})?(?:IX|IV|V?I{0,3}))(?<=[IVXL])\\Z")
_DOTTED: Final = re.compile("[^\\W\\d_]{1,2}(?:\\.[^\\W\\d_]{1,2})+\\Z")
_BREAK: Final = re.compile(f'[/,;:"\u2013\u2014=*_{OPENER}{MARK}]')
_CLOSED: Final = re.compile(f'[{CLOSER}"*_]\\Z')
_UNSPACED: Final = re.compile(f"[{UNSPACED}]")
_ELLIPSIS: Final = re.compile(f"[{PERIOD}{ELLIPSIS}]{{2,}}\\Z|{ELLIPSIS}\\Z")
# One or two words, the second a name too, then a word that may be a verb of speech; not `John said: “…`.
_SPEAKER: Final = re.compile(
    f"[^\\W\\d_][\\w.]*+(?:[{SPACE}][A-Z]\\w*+)?[{SPACE}]([a-z]++)(?![{SPACE}]*+[,:][{SPACE}]*+[\"'\u201c\u2018]|:)"
)
_PERIOD: Final = re.compile(f"[{PERIOD}]")
_LETTER_STOP: Final = re.compile(f"[{SPACE}{CLOSER}\"'{MARK}]+\\Z")
_ADDRESS: Final = re.compile("://|@|(?:\\A|\\W)www\\b", re.IGNORECASE)
_ENUMERATION_CUE: Final = re.compile("[:;,\u2013\u2014\u2022(]\\Z")


@dataclass(frozen=True, slots=True)
class Stop:
    """One stop with what stands around it (indices and strings of the shadow text, markers masked).

    Attributes:
        left: up to 48 characters before the stop, markers taken out.
        stops: the stop characters of the cluster, in order, closers and spaces between them left out.
        bracketed: whether it stands alone between brackets: `(!)`, `[…]`.
        after: what follows, up to a window, if closing punctuation stands after the stop; else "".
        embedded: whether it lies in round brackets that open and close inside the sentence.
        gap: whether white space follows.
        right: the next word, letters or digits only; "" if punctuation stands there.
        depth: 0 if the word before the stop is the first of its sentence, 1 if the second, else 2.
    """

    left: str
    stops: str
    bracketed: bool
    after: str
    embedded: bool
    gap: bool
    right: str
    depth: int

    @property
    def opens(self) -> bool:
        """Whether the word before the stop is the first of its sentence, as a list number is."""
        return self.depth == 0


def ends_sentence(stop: Stop, rules: Rules) -> bool:
    """Tell whether a sentence ends at ``stop``; both sides are known to hold a letter or digit."""
    right = stop.right
    if stop.bracketed or is_small(right[:1]):
        return False
    if not stop.gap and not _glued_end(stop, rules):
        return False
    if rules.continuations and rules.fold(right) in rules.continuations:
        return False
    if stop.embedded:
        return False
    if stop.after and rules.speech_verbs and _speech_goes_on(stop, rules):
        return False
    if len(stop.stops) == 1 and _PERIOD.match(stop.stops):
        return _period_ends(stop, rules)
    if rules.ellipsis_continuations and _ELLIPSIS.match(stop.stops):
        return rules.fold(right) not in rules.ellipsis_continuations
    return True


def _speech_goes_on(stop: Stop, rules: Rules) -> bool:
    """Tell whether after a quotation its speaker is named: `“Why?” John asked.`

    A quotation that ends in a full stop is not carried on; a comma would stand there.
    """
    if _PERIOD.match(stop.stops):
        return False
    if rules.verse_signs:
        return rules.fold(stop.right) in rules.speech_verbs
    named = _SPEAKER.match(stop.after)
    if named is None or (stop.right != "I" and rules.fold(stop.right) in rules.starters):
        return False
    return rules.fold(named.group(1)) in rules.speech_verbs


def _glued_end(stop: Stop, rules: Rules) -> bool:
    """Tell whether a stop without white space after it may end a sentence: `bitti.Sonra`.

    Wanted is a word of small letters before it and a capitalised word after it, so that `s.a.v.`,
    `T.C.` and `3.5` stay whole; web and mail addresses stay whole too.
    """
    if _UNSPACED.search(stop.stops):
        return True
    left, right = unicodedata.normalize("NFC", _LETTER_STOP.sub("", stop.left)), stop.right
    if not right or _ADDRESS.search(_last_word(stop.left)):
        return False
    word = rules.fold(_last_word(left))
    if rules.verse_signs:
        return len(word) > 2 and word.isalpha() and right[0].isalpha()
    small = is_small(left[-1:]) and (is_small(left[-2:-1]) or not _PERIOD.match(stop.stops))
    if not small and not (len(word) > 2 and word.isalpha()):
        return False
    return right[0].isupper() and (len(right) == 1 or is_small(right[1]) or not right[1].isalpha())


def _period_ends(stop: Stop, rules: Rules) -> bool:
    """Tell whether one full stop, before something that is no small letter, is a sentence end."""
    token = _last_word(stop.left)
    if not token or _CLOSED.search(token):
        return True
    word = _BREAK.split(token)[-1]
    if _NUMBER.match(word) and len(word) == len(token.lstrip(f"([{{\"'\u201c\u2018\u00ab{MARK}")):
        return _number_ends(stop, rules, token, word)
    if _RANGE.match(word) and rules.ordinal_digits:
        return rules.fold(stop.right) in rules.starters or _after_cue(stop, rules, token)
    if stop.opens and _SECTION.match(word):
        return False
    meaning = rules.abbreviation(word)
    if meaning is None and "." in word:
        meaning = rules.abbreviation(word.rsplit(".", 1)[-1])
        if meaning is None and _DOTTED.match(word):
            meaning = Abbreviation.STARTER
    if meaning is not None:
        return _abbreviation_ends(stop, rules, word, meaning)
    if word in rules.letter_words:
        return not stop.opens
    before = stop.left[: len(stop.left) - len(token)].rstrip()
    if word and _ROMAN.match(word) and (stop.opens or _heads(stop, rules, before)):
        return False
    if rules.fold(word) in rules.era_marks and before[-1:].isdecimal():
        return True
    if _is_letter(word) or (rules.roman_ordinals and _ROMAN.match(word)):
        return _starts(stop, rules)
    return True


def _number_ends(stop: Stop, rules: Rules, token: str, digits: str) -> bool:
    """Decide after a bare number: list number, ordinal, day of a date, or the end of a sentence."""
    before = stop.left[: len(stop.left) - len(token)].rstrip()
    if len(digits) < 4 and (stop.opens or _heads(stop, rules, before)):
        return False
    # An enumeration that opens in the middle of a sentence opens with its first number.
    if _ENUMERATION_CUE.search(before) and (int(digits) == 1 or before[-1] != ":") and len(digits) < 3:
        return False
    if len(digits) > rules.ordinal_digits or _after_cue(stop, rules, token):
        return True
    if stop.right[:1].isdecimal():
        return False
    return rules.fold(stop.right) in rules.starters


def _abbreviation_ends(stop: Stop, rules: Rules, word: str, meaning: Abbreviation) -> bool:
    """Decide after a listed abbreviation."""
    if meaning is Abbreviation.FINAL:
        return True
    if meaning is Abbreviation.NEVER:
        return False
    if meaning is Abbreviation.BEFORE_NUMBER:
        if stop.right[:1].isdecimal() or (stop.right and _is_roman(stop.right, rules)):
            return False
        return not _is_letter(word) or _starts(stop, rules)
    return _starts(stop, rules)


def _starts(stop: Stop, rules: Rules) -> bool:
    """Tell whether the next word opens a sentence, the word before not being a list letter."""
    return not stop.opens and rules.fold(stop.right) in rules.starters


def _after_cue(stop: Stop, rules: Rules, token: str) -> bool:
    """Tell whether the word before a number says that it is no ordinal: `sayfa 45.`."""
    before = _last_word(stop.left[: len(stop.left) - len(token)].rstrip())
    return rules.fold(_BREAK.split(before)[-1].rstrip(".")) in rules.cardinal_cues


def _heads(stop: Stop, rules: Rules, before: str) -> bool:
    """Tell whether a number follows the first word of a heading: `Chapter IV. The Return`."""
    return (
        stop.depth == 1 and rules.fold(_BREAK.split(_last_word(before))[-1].rstrip(".")) in rules.heading_cues
    )


def _is_letter(word: str) -> bool:
    """Tell whether ``word`` is one letter, combining marks aside."""
    return bool(word) and word[0].isalpha() and not any(char.isalnum() for char in word[1:])


def _is_roman(word: str, rules: Rules) -> bool:
    """Tell whether ``word`` is a Roman number and not a word that opens sentences, as English `I`."""
    return _ROMAN.match(word) is not None and rules.fold(word) not in rules.starters


def _last_word(left: str) -> str:
    """Return what stands after the last white space of ``left``."""
    return "" if not left or left[-1].isspace() else left.rsplit(None, 1)[-1]


def window_start(index: int) -> int:
    """Return where the left window of a stop at ``index`` starts."""
    return max(0, index - _WINDOW)
