"""Parts of an occurrence that somebody names by their words, as bytes of the release (QUO-02).

Nobody counts bytes: a part is given by its text, which must stand in the occurrence exactly once, or by the
numbers of its first and last word. Words are the tokens of candidates and diffs (`core.token`), counted from
1; what stands between two of them belongs to the part.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from tekrar.core.curation import fields
from tekrar.core.curation.refusal import refuse
from tekrar.core.token import tokens

_WORDS: Final = re.compile(r"([1-9][0-9]{0,8})(?:[-–]([1-9][0-9]{0,8}))?", re.ASCII)
#: Places that a refusal names.
_SHOWN: Final = 8


def words_of(content: bytes) -> list[fields.Span]:
    """First and end byte of every word of a passage, in the passage."""
    return [(int(start), int(end)) for start, end in tokens(content)]


def part_of_text(value: object, content: bytes, *, start: int, item: str) -> tuple[fields.Span, ...]:
    """The range of a text, or of several of them in their order.

    Args:
        value: the text, or a list of texts.
        content: of the occurrence.
        start: byte of the release at which it begins.
        item: where it stands in the proposal.

    Returns:
        Ranges in bytes of the release.

    Raises:
        CurationRefusal: text_not_found, or text_not_unique with the places.
    """
    said = value if isinstance(value, list) else [value]
    found = []
    for number, one in enumerate(said):
        place = f"{item}[{number}]" if isinstance(value, list) else item
        wanted = fields.a_text(one, item=place).encode()
        places = list(_places(content, wanted))
        if not places:
            refuse(
                "text_not_found",
                "the occurrence has no such text",
                item=place,
                expected="words of the occurrence, exactly as they stand there",
                mend="copy them as tekrar occurrence --text prints them, or give the numbers of words",
            )
        if len(places) > 1:
            told = ", ".join(f"bytes {start + at}..{start + at + len(wanted)}" for at in places[:_SHOWN])
            refuse(
                "text_not_unique",
                f"the text stands there {len(places)} times",
                item=place,
                expected=f"a text that stands there once; this one at {told}",
                mend='give a longer text, or the numbers of words: "words": "3-7"',
            )
        found.append((start + places[0], start + places[0] + len(wanted)))
    return tuple(found)


def part_of_words(value: object, content: bytes, *, start: int, item: str) -> tuple[fields.Span, ...]:
    """The range from one word to another, "3-7", or "3" alone; a list for several ranges.

    Args, Returns: as `part_of_text`.

    Raises:
        CurationRefusal: bad_extent: there is no such word.
    """
    words = words_of(content)
    said = value if isinstance(value, list) else [value]
    found = []
    for number, one in enumerate(said):
        place = f"{item}[{number}]" if isinstance(value, list) else item
        matched = _WORDS.fullmatch(str(one) if type(one) is int else fields.a_string(one, item=place))
        first, last = (int(matched[1]), int(matched[2] or matched[1])) if matched else (0, 0)
        if not 1 <= first <= last <= len(words):
            refuse(
                "bad_extent",
                f"{one!r} names no words of the occurrence",
                item=place,
                expected=f'"N-M" from 1 to {len(words)}',
                mend="tekrar occurrence RELEASE ID --words numbers them",
            )
        found.append((start + words[first - 1][0], start + words[last - 1][1]))
    return tuple(found)


def _places(content: bytes, wanted: bytes) -> Iterator[int]:
    at = content.find(wanted)
    while at >= 0:
        yield at
        at = content.find(wanted, at + 1)
