"""Arabic tables of the segmenter.  The script has no letter case, so a full stop ends by default."""

from __future__ import annotations

from typing import Final

from .rules import Rules, table, words

# Folded without vowel signs; single letters need no entry, they never end a sentence.
_ABBREVIATIONS: Final = table(
    never="م.س أ.د د.م انظر",
    before_number="ص ج رقم عدد صفحة فصل باب مج ط ف",
    final="الخ إلخ اه اهـ",
)

_SPEECH_VERBS: Final = words(
    "قال قالت قالوا قلت قلنا فقال فقالت فقالوا يقول تقول سأل سألت سألوا سأله أجاب أجابت أجابه صاح صاحت هتف"
)

# Particles that carry on what an ellipsis broke off.
_ELLIPSIS_CONTINUATIONS: Final = words(
    "ثم أو أم حتى بل لكن لكنه لكنها ولكن ولكنه إلى من في على عن أن وأن التي الذي الذين كي لأن لأنه"
)

ARABIC: Final = Rules(
    name="ar",
    abbreviations=_ABBREVIATIONS,
    era_marks=words("ه هـ م"),
    continuations=words("الخ إلخ الآخره الخره"),
    ellipsis_continuations=_ELLIPSIS_CONTINUATIONS,
    speech_verbs=_SPEECH_VERBS,
    verse_signs=True,
)
