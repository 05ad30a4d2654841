"""Which paragraphs of a text changed between two releases, and where the others went.

Paragraphs are put side by side chapter by chapter, by book name and ordinal in the book; inside a chapter
equal paragraphs are paired in order. This is for the eye only: it makes no member and no identity.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.address import Address, book_names
from tekrar.core.text import TextRelease
from tekrar.view.places import Places
from tekrar.view.profile import ProfileView

Ints = NDArray[np.int64]
#: Comparisons of one chapter's paragraphs at most; beyond it they are paired by position.
_MOST: Final = 1 << 22


@dataclass(frozen=True)
class TextDifference:
    """Two texts side by side.

    Attributes:
        changed: pairs of paragraph ordinals (A, B) whose bytes differ; None where one side has none.
        counterpart: per paragraph of A the one of B beside it, -1 for none.
    """

    changed: list[tuple[int | None, int | None]]
    counterpart: Ints


def compare_texts(a: TextRelease, b: TextRelease) -> TextDifference:
    """Put the paragraphs of two releases side by side."""
    changed: list[tuple[int | None, int | None]] = []
    counterpart = np.full(len(a.paragraph_sentences), -1, np.int64)
    chapters_a, chapters_b = dict(_chapters(a)), dict(_chapters(b))
    for name in [*chapters_a, *(name for name in chapters_b if name not in chapters_a)]:
        ours, theirs = chapters_a.get(name, range(0)), chapters_b.get(name, range(0))
        for left, right, same in _paired(_texts(a, ours), _texts(b, theirs)):
            first = None if left is None else ours[left]
            second = None if right is None else theirs[right]
            if first is not None and second is not None:
                counterpart[first] = second
            if not same:
                changed.append((first, second))
    return TextDifference(changed, counterpart)


def paragraph_record(release: TextRelease, paragraph: int | None) -> dict[str, Any] | None:
    """Address and text of a paragraph."""
    if paragraph is None:
        return None
    chapter = int(release.paragraph_chapter[paragraph])
    book = int(release.chapter_book[chapter])
    address = Address(
        book_names(release)[book],
        chapter - int(release.book_chapter_start[book]) + 1,
        paragraph - int(release.chapter_paragraph_start[chapter]) + 1,
        0,
    )
    return {"address": str(address), "text": _text(release, paragraph).decode("utf-8")}


def members_moved(
    difference: TextDifference,
    places: tuple[Places, Places],
    sides: tuple[ProfileView, ProfileView],
    *,
    rows: tuple[Ints, Ints],
) -> dict[str, list[str]]:
    """Addresses of the members that left a class of A, and of those that came to it in B."""
    at = [_where(p, view, r) for p, view, r in zip(places, sides, rows, strict=True)]
    moved = [(int(difference.counterpart[paragraph]), offset) for paragraph, offset in at[0]]
    stayed = set(moved) & set(at[1])
    left = np.array([key not in stayed for key in moved], bool)
    came = np.array([key not in stayed for key in at[1]], bool)
    return {
        "left": [str(one) for one in places[0].addresses(sides[0], rows[0][left])],
        "came": [str(one) for one in places[1].addresses(sides[1], rows[1][came])],
    }


def _where(places: Places, view: ProfileView, rows: Ints) -> list[tuple[int, int]]:
    """Paragraph of each row's first sentence, and that sentence's ordinal in it."""
    first, _ = places.sentences(view, rows)
    paragraph = places.sentence_paragraph[first]
    offset = first - places.release.paragraph_sentence_start[paragraph]
    return list(zip(paragraph.tolist(), offset.tolist(), strict=True))


def _chapters(release: TextRelease) -> Iterator[tuple[tuple[str, int], range]]:
    names, bounds = book_names(release), release.chapter_paragraph_start.tolist()
    for chapter, book in enumerate(release.chapter_book.tolist()):
        key = names[book], chapter - int(release.book_chapter_start[book])
        yield key, range(bounds[chapter], bounds[chapter + 1])


def _text(release: TextRelease, paragraph: int) -> bytes:
    first, last = (int(at) for at in release.paragraph_sentence_start[paragraph : paragraph + 2])
    if first == last:
        return b""
    return bytes(release.text[int(release.sentence_start[first]) : int(release.sentence_end[last - 1])])


def _texts(release: TextRelease, paragraphs: range) -> list[bytes]:
    return [_text(release, paragraph) for paragraph in paragraphs]


def _paired(a: list[bytes], b: list[bytes]) -> Iterator[tuple[int | None, int | None, bool]]:
    """Pairs of positions in two chapters, and whether their bytes are equal."""
    if a == b:
        yield from ((n, n, True) for n in range(len(a)))
        return
    if len(a) * len(b) > _MOST:
        for left, right in zip_longest(range(len(a)), range(len(b))):
            yield left, right, left is not None and right is not None and a[left] == b[right]
        return
    for kind, *(at) in SequenceMatcher(None, a, b, autojunk=False).get_opcodes():
        low_a, high_a, low_b, high_b = at
        for left, right in zip_longest(range(low_a, high_a), range(low_b, high_b)):
            yield left, right, kind == "equal"
