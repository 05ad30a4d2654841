"""Where a sentence may end: one compiled pattern a kind of paragraph.

Every pattern has three groups: the stop (empty where a line or a verse sign opens the next sentence), the
tail that stays with the sentence, and the white space after it.
"""

from __future__ import annotations

import functools
import re
from typing import Final

from .characters import CLOSER, EITHER_SIDE, INVISIBLE, MARK, SPACE, STOP

# What stays with the sentence after its stop. Characters are repeated possessively, and what follows a
# repeated group always matches, so no input makes it backtrack. No group is repeated possessively: early
# releases of Python 3.11 (3.11.2, Debian 12) keep what a failing iteration has read, and cut other sentences.
_TAIL: Final = (
    f"[{STOP}{CLOSER}{INVISIBLE}{MARK}\u2070\u00b9\u00b2\u00b3\u2074-\u2079]++"
    f"|(?<={MARK})[\"'\u201c\u2018]++"
    f"|[{SPACE}]++(?={MARK})"
    f"|[{EITHER_SIDE}]++(?=[{SPACE}{STOP}{CLOSER}{MARK}{INVISIBLE}]|\\Z)"
    f"|[{SPACE}]++[)\\]}}\u00bb\u201d\u203a]++(?=[{SPACE}{STOP}{MARK}]|\\Z)"
    f"|[{SPACE}]++[{STOP}]++(?=[{SPACE}{CLOSER}{MARK}]|\\Z)"
    # A note reference that nobody annotated: `system.[4] It is`.
    "|\\[\\^?[0-9]{1,3}\\](?!\\()"
)
_STOP: Final = re.compile(f"([{STOP}]++)((?:{_TAIL})*)([{SPACE}]*+)")

# Section sign, end-of-ayah sign, and a number in ornate parentheses, which sources turn both ways.
_VERSE_SIGNS: Final = (
    "\u06de",
    "\u06dd(?:[ \\xa0]?[(\\[\ufd3e\ufd3f]?\\d++[)\\]\ufd3e\ufd3f]?)?",
    "[\ufd3e\ufd3f][ \\xa0]?\\d++[ \\xa0]?[\ufd3e\ufd3f]",
)
VERSE_SIGN_STARTS: Final = "\u06de\u06dd\ufd3e\ufd3f"
_FIRST_SIGN: Final = re.compile(
    f"[{SPACE}{INVISIBLE}{MARK}]*+(?:" + "|".join(f"({sign})" for sign in _VERSE_SIGNS) + ")"
)

_ITEM: Final = "[ \\t]*+(?:\\d{1,3}[.)]|[-*+\u2022])[ \\t]++(?=\\S)"
_ITEMS: Final = re.compile(f"^{_ITEM}", re.MULTILINE)
_STOP_OR_ITEM: Final = re.compile(
    f"([{STOP}]++|(?<![{SPACE}])(?=[ \\t\\r]*+\\n{_ITEM}))((?:{_TAIL})*)([{SPACE}]*+)"
)


def places(shadow: str, *, verse_signs: bool) -> re.Pattern[str]:
    """Return the pattern of the places where a sentence of this paragraph may end.

    Besides stops these are, in Arabic text, the verse signs: they close verses, or open them if one
    opens the paragraph. Elsewhere they are the lines of a list, if it has two items or a colon announces
    it, since items often go without a stop.
    """
    if verse_signs:
        first = _FIRST_SIGN.match(shadow)
        return _stop_or_verse(first.lastindex or 0 if first else 0)
    if "\n" in shadow:
        items = list(_ITEMS.finditer(shadow))
        if len(items) > 1 or (items and shadow[: items[0].start()].rstrip().endswith(":")):
            return _STOP_OR_ITEM
    return _STOP


@functools.cache
def _stop_or_verse(leading: int) -> re.Pattern[str]:
    """Return the pattern of stops and verse signs; sign number ``leading`` (1..) opens verses, 0 = none."""
    closing = "|".join(sign for number, sign in enumerate(_VERSE_SIGNS, 1) if number != leading)
    opening = f"|(?<![{SPACE}])(?=[{SPACE}]*+(?:{_VERSE_SIGNS[leading - 1]}))" if leading else ""
    return re.compile(f"([{STOP}]++|{closing}{opening})((?:[{SPACE}]*+(?:{closing})|{_TAIL})*)([{SPACE}]*+)")
