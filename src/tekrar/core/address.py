"""Addresses: places of a release written by ordinals that count from 1 (contract C10's own ordinals).

    run         book/chapter:start+length   chapter in the book, first sentence in the chapter, sentences
    paragraph   book/chapter/pN             paragraph N of the chapter, empty ones counted

`book` is the book's label, or `#N` for the Nth book of a release that gives it none. An address names a
place; whether an enumerator emits an occurrence there is the universe's matter. A place that none emits
is "not covered" and never unique (PRO-04).
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from tekrar.core.text import TextRelease
from tekrar.errors import NotFoundError, UsageError

#: A number in its one form: leading zeros would give a place a second name.
_N = "(?:0|[1-9][0-9]{0,17})"
_RUN = re.compile(rf"(?P<book>.+)/(?P<chapter>{_N}):(?P<start>{_N})\+(?P<length>{_N})", re.DOTALL)
_PARAGRAPH = re.compile(rf"(?P<book>.+)/(?P<chapter>{_N})/p(?P<paragraph>{_N})", re.DOTALL)


@dataclass(frozen=True)
class Address:
    """A place by ordinals counted from 1.

    Attributes:
        book: label of the book, or `#N`.
        chapter: ordinal in the book.
        start: a run's first sentence in the chapter, or the paragraph's ordinal in the chapter.
        length: sentences of a run; 0 for a paragraph.
    """

    book: str
    chapter: int
    start: int
    length: int

    @property
    def is_run(self) -> bool:
        """Runs have a length; a paragraph's is 0."""
        return self.length > 0

    def __str__(self) -> str:
        tail = f":{self.start}+{self.length}" if self.is_run else f"/p{self.start}"
        return f"{self.book}/{self.chapter}{tail}"


@dataclass(frozen=True)
class Located:
    """A resolved address, in ordinals of the release that count from 0.

    Attributes:
        chapter: chapter ordinal.
        first, last: first sentence and the sentence after the last; equal for an empty paragraph.
        paragraph: ordinal of the addressed paragraph; None for a run.
    """

    chapter: int
    first: int
    last: int
    paragraph: int | None


def parse_address(text: str) -> Address:
    """An address; its length may be one that no enumerator emits.

    Raises:
        UsageError: the text is no address.
    """
    if match := _RUN.fullmatch(text):
        address = Address(match["book"], int(match["chapter"]), int(match["start"]), int(match["length"]))
        if address.start >= 1 and address.length >= 1:
            return address
    elif match := _PARAGRAPH.fullmatch(text):
        return Address(match["book"], int(match["chapter"]), int(match["paragraph"]), 0)
    raise UsageError(
        f"{text!r} is no address",
        expected="book/chapter:start+length or book/chapter/pN, counted from 1, without leading zeros",
        mend="copy an address as `tekrar classes` prints it",
        kind="bad_address",
    )


def book_names(release: TextRelease) -> list[str]:
    """The name of every book in addresses: its label, or `#N` where the source gives none."""
    return [f"#{n}" if label is None else label for n, label in enumerate(release.labels.book, 1)]


def find_book(name: str, release: TextRelease) -> int:
    """Ordinal of a book by its name in addresses.

    Raises:
        NotFoundError: no book, or more than one, has the name.
    """
    names = book_names(release)
    found = [n for n, known in enumerate(names) if known == name]
    if len(found) != 1:
        shown = ", ".join(names[:12]) + (f" and {len(names) - 12} more" if len(names) > 12 else "")
        raise NotFoundError(
            f"the release has {len(found) or 'no'} book{'s' if found else ''} named {name!r}",
            expected=shown or "the release has no books",
            kind="no_such_book",
        )
    return found[0]


def find_chapter(address: Address, release: TextRelease) -> int:
    """Ordinal of an address's chapter in the release.

    Raises:
        NotFoundError: the release has no such book or chapter.
    """
    book = find_book(address.book, release)
    chapters = int(release.book_chapters[book])
    if not 1 <= address.chapter <= chapters:
        raise _absent(address, f"book {address.book} has {chapters} chapters")
    return int(release.book_chapter_start[book]) + address.chapter - 1


def locate(address: Address, release: TextRelease) -> Located:
    """The place of an address.

    Raises:
        NotFoundError: the release has no such book, chapter, paragraph or sentences.
    """
    chapter = find_chapter(address, release)
    if address.is_run:
        low, high = (int(v) for v in release.chapter_sentence_start[chapter : chapter + 2])
        first = low + address.start - 1
        if first + address.length > high:
            raise _absent(address, f"chapter {address.book}/{address.chapter} has {high - low} sentences")
        return Located(chapter, first, first + address.length, None)
    low, high = (int(v) for v in release.chapter_paragraph_start[chapter : chapter + 2])
    paragraph = low + address.start - 1
    if not low <= paragraph < high:
        raise _absent(address, f"chapter {address.book}/{address.chapter} has {high - low} paragraphs")
    first, last = (int(v) for v in release.paragraph_sentence_start[paragraph : paragraph + 2])
    return Located(chapter, first, last, paragraph)


def _absent(address: Address, expected: str) -> NotFoundError:
    return NotFoundError(
        f"the release has no place {address}", expected=f"{expected}, counted from 1", kind="no_such_place"
    )
