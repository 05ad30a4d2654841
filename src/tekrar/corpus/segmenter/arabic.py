"""Arabic tables of the segmenter.  The script has no letter case, so a full stop ends by default."""

from __future__ import annotations

from typing import Final

from .rules import Rules, table, words

# Folded without vowel signs; single letters need no entry, they never end a sentence.
_ABBREVIATIONS: Final = table(
    never="هـ م.س ق.م ب.م أ.د د.م انظر",
    before_number="ص ج رقم عدد صفحة فصل باب مج ط ف",
    final="الخ إلخ اه اهـ",
)

_SPEECH_VERBS: Final = words("قال قالت قالوا قلت قلنا فقال فقالت فقالوا سأل سألت سألوا أجاب أجابت صاح")

ARABIC: Final = Rules(
    name="ar",
    abbreviations=_ABBREVIATIONS,
    continuations=words("الخ إلخ الآخره الخره"),
    speech_verbs=_SPEECH_VERBS,
    verse_signs=True,
)
