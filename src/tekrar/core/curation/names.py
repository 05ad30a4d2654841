"""Names of actors and drafts: they stand in one line, look like themselves, and steer no terminal.

The database refuses the same (`curation.is_name`); a test compares both over every code point. Names that
were given before are read as they stand.
"""

from __future__ import annotations

import re
from typing import Final

#: Characters of a name.
MOST: Final = 200
#: What no name holds, by Unicode 16: Cc, Zl, Zp, Cf (its Arabic, Kaithi and Egyptian signs too), every other
#: Default_Ignorable_Code_Point, which shows nothing, or in time may (variation selectors, tags, fillers, the
#: reserved ranges), private use and noncharacters. Bidi_Control lies in these. A letter newer than Unicode 16
#: is let through: what will ever be ignored lies in the ranges that are reserved for it.
_NEVER: Final = re.compile(
    "["
    "\u0000-\u001f\u007f-\u009f\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890-\u0891\u08e2"
    "\u115f-\u1160\u17b4-\u17b5\u180b-\u180f\u200b\u200e-\u200f\u2028-\u202e\u2060-\u206f\u3164"
    "\ue000-\uf8ff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb\ufffe-\uffff\U000110bd"
    "\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U0001fffe-\U0001ffff"
    "\U0002fffe-\U0002ffff\U0003fffe-\U0003ffff\U0004fffe-\U0004ffff\U0005fffe-\U0005ffff"
    "\U0006fffe-\U0006ffff\U0007fffe-\U0007ffff\U0008fffe-\U0008ffff\U0009fffe-\U0009ffff"
    "\U000afffe-\U000affff\U000bfffe-\U000bffff\U000cfffe-\U000cffff\U000dfffe-\U000e0fff"
    "\U000efffe-\U0010ffff"
    "\ud800-\udfff]"
)
#: Joiners are part of how some scripts are written, Persian and Malayalam among them: they stand between two
#: of their letters and nowhere else.
_JOINER: Final = re.compile("(?<![\u0600-\u0dff])[\u200c\u200d]|[\u200c\u200d](?![\u0600-\u0dff])")
_SPACE: Final = "[\u0020\u00a0\u1680\u2000-\u200a\u202f\u205f\u2800\u3000]"
_AT_AN_END: Final = re.compile(f"^{_SPACE}|{_SPACE}$")


def is_name(text: str) -> bool:
    """Whether an actor or a draft may be named so."""
    held = 1 <= len(text) <= MOST
    return held and not any(one.search(text) for one in (_NEVER, _JOINER, _AT_AN_END))
