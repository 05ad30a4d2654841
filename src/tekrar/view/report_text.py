"""Quoted text made safe to look at: whole words, visible control marks, no change of the text itself.

Autoescaping keeps mark-up out; what it doesn't touch are characters that reorder or hide others (U+202E
and its kin). They are shown as marks that name the code point, so that a quotation can't disguise itself
or the page around it.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from typing import Final

from markupsafe import Markup, escape

#: Controls, bidi controls, invisible spaces and fillers. ZWJ and ZWNJ shape Arabic letters and stay as
#: they are.
_HIDDEN: Final = re.compile(
    "[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180e\u200b\u200e\u200f"
    "\u2028-\u202e\u2060-\u206f\u3164\ufeff\uffa0\ufff0-\ufffb\ufffe\uffff\U000e0000-\U000e0fff]"
)
_SPACE: Final = re.compile(r"\s")


def visible(text: str) -> str:
    """The text with hidden controls written as ‹U+202E›; for attributes, titles and SVG."""
    return _HIDDEN.sub(lambda found: f"‹{_name(found[0])}›", text)


def marked(text: str) -> Markup:
    """The text escaped for HTML, hidden controls as marks with their names."""
    return Markup(_HIDDEN.sub(_mark, str(escape(text))))


def _name(character: str) -> str:
    return f"U+{ord(character):04X}"


def _mark(found: re.Match[str]) -> str:
    title = unicodedata.name(found[0], "control character")
    return f'<span class="mark" dir="ltr" title="{title}">{_name(found[0])}</span>'


def lines_direction(lines: Iterable[str]) -> str:
    """`rtl` when every line with words begins right to left, else `ltr`: the order in which they follow."""
    found = {_first_direction(line) for line in lines if is_worded(line)}
    return "rtl" if found == {"rtl"} else "ltr"


def _first_direction(line: str) -> str:
    classes = (unicodedata.bidirectional(character) for character in line)
    return next(("ltr" if one == "L" else "rtl" for one in classes if one in ("L", "R", "AL")), "ltr")


def is_worded(text: str) -> bool:
    """Whether the text holds a letter or a digit; `…`, `***` and white space do not."""
    return any(character.isalnum() for character in text)


def word_count(text: str) -> int:
    """White-space-parted pieces that hold a letter or a digit."""
    return sum(map(is_worded, text.split()))


def head(text: str, limit: int) -> str:
    """At most `limit` characters from the start, ending after a whole word where there is one."""
    if len(text) <= limit:
        return text
    end = limit
    while end and not _SPACE.match(text[end]):
        end -= 1
    return text[: end or limit].rstrip()


def tail(text: str, limit: int) -> str:
    """At most `limit` characters from the end, starting with a whole word where there is one."""
    if len(text) <= limit:
        return text
    start = len(text) - limit
    while start < len(text) and not _SPACE.match(text[start - 1]):
        start += 1
    return text[start if start < len(text) else len(text) - limit :].lstrip()


def headline(text: str, limit: int) -> str:
    """One line of at most `limit` characters; an ellipsis shows a cut."""
    line = " ".join(text.split())
    cut = head(line, limit)
    return cut if cut == line else f"{cut} …"
