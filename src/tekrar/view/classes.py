"""Listing exact classes: filters, order, paging and the class records of contract C10.

Numbers of classes come from the artifact's manifest; a listing that keeps everything gives exactly as
many. A filter chooses what is shown and never what a class is: members, sizes and dominance are those of
the whole profile (PRO-11, PRO-19).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.address import find_book
from tekrar.core.identity import uuid_text
from tekrar.errors import UsageError
from tekrar.view.open import Corpus
from tekrar.view.places import containing
from tekrar.view.profile import PUBLISHED, ProfileView
from tekrar.view.status import Presentation

Ints = NDArray[np.int64]
STATUSES: Final = ("presented", "published", "dominated", "provisional", "all")
ORDERS: Final = ("length", "size", "order")
#: Members whose records are held at once.
_BATCH: Final = 20_000


@dataclass(frozen=True)
class Choice:
    """What to list; every condition must hold.

    Attributes:
        min_length, max_length: sentences a member has (1 for paragraphs).
        min_size, max_size: members a class has.
        books: names of books; a class with a member in any of them is kept. Empty: all.
        but_books: names of books; a class with a member in any of them is left out.
        text: a string that a member's exact bytes hold, or None.
        status: presented (published classes, and the provisional groups of a partial profile: AMB-22),
            published, dominated, provisional or all.
        hide_blank: leave out classes whose text has no letter or digit.
        sort: `length` (longest, then largest), `size` (largest, then longest) or `order` (document order).
    """

    min_length: int | None = None
    max_length: int | None = None
    min_size: int | None = None
    max_size: int | None = None
    books: tuple[str, ...] = ()
    but_books: tuple[str, ...] = ()
    text: str | None = None
    status: str = "presented"
    hide_blank: bool = False
    sort: str = "length"

    @property
    def needs_release(self) -> bool:
        """Whether a condition looks at books or texts."""
        return bool(self.books or self.but_books or self.hide_blank or self.text is not None)


def choose(corpus: Corpus, view: ProfileView, choice: Choice) -> Ints:
    """Class numbers of one profile that a choice keeps, in its order.

    Raises:
        UsageError: an unknown status or order, an empty text, or a condition that needs the release.
        NotFoundError: a book that the release does not have.
    """
    _check(choice)
    length, size = view.class_length, view.classes["size"]
    keep = _kept_status(view, choice.status)
    for values, low, high in (
        (length, choice.min_length, choice.max_length),
        (size, choice.min_size, choice.max_size),
    ):
        keep &= (values >= (low or 0)) & (values <= (np.iinfo(np.int64).max if high is None else high))
    if choice.books:
        keep &= _in_books(corpus, view, choice.books)
    if choice.but_books:
        keep &= ~_in_books(corpus, view, choice.but_books)
    if choice.text is not None:
        keep &= _with_text(corpus, view, choice.text)
    numbers = np.flatnonzero(keep)
    if choice.hide_blank:
        numbers = np.array([n for n in numbers.tolist() if not is_blank(corpus, view, n)], np.int64)
    keys = {
        "length": (numbers, -size[numbers], -length[numbers]),
        "size": (numbers, -length[numbers], -size[numbers]),
        "order": (numbers,),
    }[choice.sort]
    return numbers[np.lexsort(keys)]


def _check(choice: Choice) -> None:
    for name, value, known in (("status", choice.status, STATUSES), ("sort", choice.sort, ORDERS)):
        if value not in known:
            raise UsageError(f"unknown {name} {value!r}", expected=", ".join(known), kind=f"unknown_{name}")
    if choice.text == "":
        raise UsageError(
            "an empty text is in every class", expected="at least one character", kind="empty_text"
        )


def _kept_status(view: ProfileView, status: str) -> NDArray[np.bool_]:
    if status == "all":
        return np.ones(view.count, bool)
    if view.profile.partial:
        return np.full(view.count, status in ("presented", Presentation.PROVISIONAL))
    dominated = view.classes["winner"] != PUBLISHED
    if status == Presentation.PROVISIONAL:
        return np.zeros(view.count, bool)
    return np.asarray(dominated if status == Presentation.DOMINATED else ~dominated)


def _in_books(corpus: Corpus, view: ProfileView, names: Sequence[str]) -> NDArray[np.bool_]:
    wanted = [find_book(name, corpus.release) for name in names]
    offset, rows = view.profile.members
    return _any_member(np.isin(corpus.places.book_of(view, rows), wanted), offset)


def _with_text(corpus: Corpus, view: ProfileView, text: str) -> NDArray[np.bool_]:
    try:
        needle = text.encode("utf-8")
    except UnicodeEncodeError:
        raise UsageError(f"{text!r} is no UTF-8 text", kind="bad_text") from None
    offset, rows = view.profile.members
    return _any_member(containing(corpus.release.text, needle)(*view.extents(rows)), offset)


def _any_member(hit: NDArray[np.bool_], offset: Ints) -> NDArray[np.bool_]:
    """Per class, whether any member is hit."""
    total = np.concatenate([[0], np.cumsum(hit)])
    return np.asarray(total[offset[1:]] > total[offset[:-1]])


def is_blank(corpus: Corpus, view: ProfileView, number: int) -> bool:
    """Whether a class's text has no letter or digit, as an ornament or an ellipsis has none."""
    start, end = view.extents(view.first_member[number : number + 1])
    return not any(map(str.isalnum, corpus.places.text(int(start[0]), int(end[0]))))


def class_id(view: ProfileView, number: int) -> str | None:
    """UUID text of a class; None in a partial profile, which issues none."""
    return None if view.profile.partial else uuid_text(view.classes["class"][number].tobytes())


def class_record(view: ProfileView, number: int) -> dict[str, Any]:
    """The facts of a class in the keys of contract C10, without its members."""
    winner = int(view.classes["winner"][number])
    return {
        "class_id": class_id(view, number),
        "profile": view.short,
        "predicate": view.spec.predicate,
        "length": int(view.class_length[number]),
        "size": int(view.classes["size"][number]),
        "status": str(view.presentation(number)),
        "group": view.classes["witness"][number].tobytes().hex() if view.profile.partial else None,
        "dominator": None if winner == PUBLISHED else class_id(view, winner),
    }


def class_records(corpus: Corpus, view: ProfileView, numbers: Ints) -> Iterator[dict[str, Any]]:
    """The records of contract C10 with all members in document order, made a batch at a time."""
    total = np.cumsum(view.classes["size"][numbers])
    low = 0
    while low < len(numbers):
        done = int(total[low - 1]) if low else 0
        high = max(low + 1, int(np.searchsorted(total, done + _BATCH, side="right")))
        bounds, rows = view.members_of(numbers[low:high])
        members = corpus.places.members(view, rows)
        for number, begin, end in zip(numbers[low:high].tolist(), bounds, bounds[1:], strict=False):
            yield {**class_record(view, number), "members": members[int(begin) : int(end)]}
        low = high


def page_of(
    chosen: Sequence[tuple[ProfileView, Ints]], *, page: int, size: int
) -> list[tuple[ProfileView, Ints]]:
    """One page, counted from 1, of the profiles' classes one after another; a size of 0 is everything.

    Raises:
        UsageError: a page below 1 or a negative size.
    """
    if page < 1 or size < 0:
        raise UsageError(
            f"page {page} of size {size}", expected="pages from 1, sizes from 0", kind="bad_page"
        )
    if not size:
        return list(chosen) if page == 1 else []
    low, found = (page - 1) * size, []
    for view, numbers in chosen:
        part = numbers[max(low, 0) : max(low + size, 0)]
        if len(part):
            found.append((view, part))
        low -= len(numbers)
    return found
