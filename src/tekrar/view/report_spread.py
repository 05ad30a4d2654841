"""How much repeats, and where: shares between books and along each book, every sentence counted once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.view.report_places import Places
from tekrar.view.stitch import Groups

Ints = NDArray[np.int64]
Flags = NDArray[np.bool_]

BOOKS_SHOWN: Final = 80
BINS: Final = 240


@dataclass(frozen=True)
class Matrix:
    """Text that books share: row book x column book.

    Attributes:
        books: ordinals of the books shown, in document order.
        sentences, bytes: what of the row book stands also in the column book; the diagonal counts what
            recurs inside one book.
        total: bytes in the sentences of each row book.
    """

    books: tuple[int, ...]
    sentences: Ints
    bytes: Ints
    total: Ints


@dataclass(frozen=True)
class Recurrence:
    """Per sentence: whether it stands in a passage that recurs in another book, or anywhere."""

    elsewhere: Flags
    anywhere: Flags


def covered(start: Ints, count: Ints, sentences: int) -> Flags:
    """Which sentences stand in at least one of the given runs."""
    steps = np.zeros(sentences + 1, np.int64)
    np.add.at(steps, start, 1)
    np.add.at(steps, start + count, -1)
    return np.cumsum(steps)[:-1] > 0


def recurrence(groups: list[Groups], places: Places) -> Recurrence:
    """Union over profiles of what the published classes cover."""
    total = len(places.book_of)
    anywhere, elsewhere = np.zeros(total, bool), np.zeros(total, bool)
    for one in groups:
        if not len(one.start):
            continue
        book = places.book_of[one.start]
        several = np.maximum.reduceat(book, one.offset[:-1]) != np.minimum.reduceat(book, one.offset[:-1])
        apart = np.repeat(several, one.size)
        anywhere |= covered(one.start, one.count, total)
        elsewhere |= covered(one.start[apart], one.count[apart], total)
    return Recurrence(elsewhere, anywhere)


def matrix(groups: Groups, places: Places, *, shown: int = BOOKS_SHOWN) -> Matrix:
    """Shared text of published classes, of the books that have any; of many, those that share most."""
    release = places.release
    sentences = len(places.book_of)
    weight = release.sentence_end - release.sentence_start
    books = len(release.book_chapters)
    everything = covered(groups.start, groups.count, sentences)
    by_book = np.bincount(places.book_of[everything], weight[everything], minlength=books)
    chosen = np.sort(np.argsort(-by_book, kind="stable")[: min(shown, np.count_nonzero(by_book))])
    book = places.book_of[groups.start]
    owner = groups.owner
    cells = np.zeros((2, len(chosen), len(chosen)), np.int64)
    for column, target in enumerate(chosen.tolist()):
        inside = np.bincount(owner[book == target], minlength=len(groups.number))
        # A member counts where another place of its class stands in the target: for the book itself a
        # second one.
        hit = inside[owner] > (book == target)
        flags = covered(groups.start[hit], groups.count[hit], sentences)
        at = places.book_of[flags]
        cells[0, :, column] = np.bincount(at, minlength=books)[chosen]
        cells[1, :, column] = np.bincount(at, weight[flags], minlength=books)[chosen]
    total = np.bincount(places.book_of, weight, minlength=books).astype(np.int64)
    return Matrix(tuple(chosen.tolist()), cells[0], cells[1], total[chosen])


def strip(book: int, places: Places, found: Recurrence, *, bins: int = BINS) -> list[tuple[float, float]]:
    """The book from start to end in equal parts of its bytes.

    Each part as (share that recurs in other books, share that recurs only in this one).
    """
    here = np.flatnonzero(places.book_of == book)
    if not len(here):
        return []
    weight = (places.release.sentence_end - places.release.sentence_start)[here].astype(np.float64)
    edges = np.concatenate([[0.0], np.cumsum(weight)])
    cuts = np.linspace(0.0, edges[-1], bins + 1)
    shares = []
    for flags in (found.elsewhere[here], found.anywhere[here] & ~found.elsewhere[here]):
        amount = np.interp(cuts, edges, np.concatenate([[0.0], np.cumsum(weight * flags)]))
        shares.append(np.diff(amount) / (edges[-1] / bins))
    return [(round(float(a), 3), round(float(b), 3)) for a, b in zip(*shares, strict=True)]
