"""Where a sentence stands, in the source's own words: book, chapter title, paragraph number.

Source numbers are shown as given (contract C9); where the source has none, our own ordinal stands in
square brackets.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from tekrar.core.text import TextRelease
from tekrar.view.report_text import head, headline, tail

TITLE_LIMIT = 90


@dataclass(frozen=True)
class Place:
    """A stretch of consecutive sentences of one chapter.

    Attributes:
        sentence, count: first sentence ordinal in the release, number of sentences.
        book, chapter: ordinals in the release.
        paragraphs: source numbers of its first and last paragraph, as shown.
        start, end: bytes in the release.
        run_address, paragraph_address: `book/chapter:start+length` and `book/chapter/pN`, counted from 1, as
            `tekrar show` takes them.
    """

    sentence: int
    count: int
    book: int
    chapter: int
    book_name: str
    chapter_name: str
    paragraphs: str
    start: int
    end: int
    run_address: str
    paragraph_address: str


@dataclass(frozen=True)
class Piece:
    """A paragraph's part of a quotation: its number, its text, and whether text was left out before it."""

    paragraph: str
    text: str
    cut_before: bool = False


@dataclass(frozen=True)
class Quotation:
    """A place's text in paragraphs; `left_out` bytes between head and tail are not shown."""

    pieces: tuple[Piece, ...]
    left_out: int


class Places:
    """Place names of one release."""

    def __init__(self, release: TextRelease) -> None:
        self.release = release
        self.paragraph_of = np.repeat(
            np.arange(len(release.paragraph_sentences)), release.paragraph_sentences
        )
        self.chapter_of = release.paragraph_chapter[self.paragraph_of]
        self.book_of = release.chapter_book[self.chapter_of]

    def book_name(self, book: int) -> str:
        """The book's title, else its label, else its number."""
        labels = self.release.labels
        name = labels.book_title[book] or labels.book[book] or f"book {book + 1}"
        return headline(name, TITLE_LIMIT) or f"book {book + 1}"

    def chapter_name(self, chapter: int) -> str:
        """The chapter's title, else its number."""
        labels = self.release.labels
        own = chapter - int(self.release.book_chapter_start[self.release.chapter_book[chapter]]) + 1
        number = labels.chapter_number[chapter]
        plain = f"chapter {own if number is None else number}"
        return headline(labels.chapter_title[chapter] or plain, TITLE_LIMIT) or plain

    def paragraph_name(self, paragraph: int) -> str:
        """The source's number, or our ordinal in the chapter in square brackets."""
        number = self.release.labels.para[paragraph]
        if number is not None:
            return str(number)
        chapter = int(self.release.paragraph_chapter[paragraph])
        return f"[{paragraph - int(self.release.chapter_paragraph_start[chapter]) + 1}]"

    def place(self, sentence: int, count: int) -> Place:
        """The place of `count` sentences from `sentence`."""
        release = self.release
        first, last = int(self.paragraph_of[sentence]), int(self.paragraph_of[sentence + count - 1])
        chapter, book = int(self.chapter_of[sentence]), int(self.book_of[sentence])
        one, other = self.paragraph_name(first), self.paragraph_name(last)
        label = release.labels.book[book] or str(book + 1)
        in_book = chapter - int(release.book_chapter_start[book]) + 1
        in_chapter = sentence - int(release.chapter_sentence_start[chapter]) + 1
        paragraph = first - int(release.chapter_paragraph_start[chapter]) + 1
        return Place(
            sentence=sentence,
            count=count,
            book=book,
            chapter=chapter,
            book_name=self.book_name(book),
            chapter_name=self.chapter_name(chapter),
            paragraphs=one if first == last else f"{one}–{other}",
            start=int(release.sentence_start[sentence]),
            end=int(release.sentence_end[sentence + count - 1]),
            run_address=f"{label}/{in_book}:{in_chapter}+{count}",
            paragraph_address=f"{label}/{in_book}/p{paragraph}",
        )

    def text(self, place: Place) -> str:
        """The whole text of a place."""
        return self.release.text[place.start : place.end].decode("utf-8")

    def opening(self, place: Place, limit: int) -> tuple[str, ...]:
        """About `limit` characters from its start, one line a paragraph; an ellipsis shows a cut."""
        lines: list[str] = []
        for _, start, end in self._extents(place):
            if limit <= 0:
                lines.append("…")
                break
            data = self.release.text[start : min(end, start + 8 * limit + 64)]
            line = headline(data.decode("utf-8", errors="ignore"), limit)
            whole = end <= start + len(data) or line.endswith("…")
            lines.append(line if whole else f"{line} …")
            limit -= len(line)
            if line.endswith("…"):
                break
        return tuple(line for line in lines if line)

    def contexts(self, shown: tuple[Place, ...], *, limit: int) -> list[tuple[str, str]]:
        """What stands before and after each place, far enough to see where they part.

        The end of the sentence before and the start of the one after, in the same chapter; "" at the
        chapter's edge.
        """
        before = [self._neighbour(place, -1) for place in shown]
        after = [self._neighbour(place, 1) for place in shown]
        alike = _alike([text[::-1] for text in before]), _alike(after)
        low, high = (min(max(limit, same + limit // 3), 4 * limit) for same in alike)
        return [(_last(one, low), headline(other, high)) for one, other in zip(before, after, strict=True)]

    def _neighbour(self, place: Place, step: int) -> str:
        at = place.sentence - 1 if step < 0 else place.sentence + place.count
        if not 0 <= at < len(self.chapter_of) or self.chapter_of[at] != place.chapter:
            return ""
        low, high = int(self.release.sentence_start[at]), int(self.release.sentence_end[at])
        return " ".join(self.release.text[low:high].decode("utf-8").split())

    def quotation(self, place: Place, *, limit: int, tail_limit: int) -> Quotation:
        """The text in paragraphs, cut to about `limit` characters and a tail, at whole words."""
        pieces = self._pieces(place)
        if sum(len(piece.text) for piece in pieces) <= limit + tail_limit:
            return Quotation(tuple(pieces), 0)
        shown = [*_from_start(pieces, limit), *_from_end(pieces, tail_limit)]
        kept = sum(len(piece.text.encode()) for piece in shown)
        whole = sum(len(piece.text.encode()) for piece in pieces)
        return Quotation(tuple(shown), whole - kept)

    def _extents(self, place: Place) -> Iterator[tuple[int, int, int]]:
        """A place's paragraphs: ordinal, first and end byte of its part there."""
        first = int(self.paragraph_of[place.sentence])
        last = int(self.paragraph_of[place.sentence + place.count - 1])
        for paragraph in range(first, last + 1):
            low = max(place.start, int(self.release.paragraph_start[paragraph]))
            high = min(place.end, int(self.release.paragraph_end[paragraph]))
            if high > low:
                yield paragraph, low, high

    def _pieces(self, place: Place) -> list[Piece]:
        pieces = []
        for paragraph, low, high in self._extents(place):
            text = self.release.text[low:high].decode("utf-8")
            pieces.append(Piece(self.paragraph_name(paragraph), text))
        return pieces


def _alike(texts: list[str]) -> int:
    """Characters that all texts start with."""
    low, high = min(texts), max(texts)
    return next((at for at, letter in enumerate(low) if letter != high[at]), len(low))


def _last(text: str, limit: int) -> str:
    cut = tail(text, limit)
    return cut if cut == text else f"… {cut}"


def _from_start(pieces: list[Piece], limit: int) -> list[Piece]:
    shown: list[Piece] = []
    for piece in pieces:
        if len(piece.text) > limit:
            if limit > 40 or not shown:
                shown.append(Piece(piece.paragraph, head(piece.text, max(limit, 40)), piece.cut_before))
            break
        shown.append(piece)
        limit -= len(piece.text)
    return shown


def _from_end(pieces: list[Piece], limit: int) -> list[Piece]:
    shown: list[Piece] = []
    for piece in reversed(pieces):
        if len(piece.text) > limit:
            if limit > 40 or not shown:
                shown.insert(0, Piece(piece.paragraph, tail(piece.text, max(limit, 40))))
            break
        shown.insert(0, piece)
        limit -= len(piece.text)
    return [Piece(shown[0].paragraph, shown[0].text, cut_before=True), *shown[1:]]
