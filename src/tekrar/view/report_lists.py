"""Lists of the report: largest classes, longest stretches, and book by book what recurs and where."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import ArtifactProfile
from tekrar.core.identity import uuid_text
from tekrar.errors import IntegrityError
from tekrar.view.report_places import Place, Places, Quotation
from tekrar.view.report_text import is_worded, word_count
from tekrar.view.stitch import Groups, Stretch

Ints = NDArray[np.int64]

CLASSES_SHOWN: Final = 60
MEMBERS_SHOWN: Final = 30
STRETCHES_SHOWN: Final = 1000
TEXTS_SHOWN: Final = 3
TEXT_LIMIT: Final = 1000
TAIL_LIMIT: Final = 300
CONTEXT_LIMIT: Final = 140
OPENING_LIMIT: Final = 110
PEERS_SHOWN: Final = 3
ENTRIES: Final = 5000


@dataclass(frozen=True)
class ClassView:
    """One class as listed."""

    id: str
    size: int
    sentences: int
    bytes: int
    worded: bool
    opening: tuple[str, ...]
    quotation: Quotation
    places: tuple[Place, ...]


@dataclass(frozen=True)
class StretchView:
    """One stretch or `lone` paragraph as listed; `anchor` is its name in the page only."""

    anchor: str
    rank: int
    sentences: int
    words: int
    bytes: int
    worded: bool
    lone: bool
    overlapping: bool
    opening: tuple[str, ...]
    places: tuple[Place, ...]
    places_total: int
    texts: tuple[tuple[Place, str, Quotation, str], ...]

    @property
    def books(self) -> str:
        """Ordinals of the books it stands in, for the page's filter."""
        return " ".join(str(book) for book in sorted({place.book for place in self.places}))

    @property
    def twice(self) -> str:
        """Ordinals of the books that hold two or more of its places."""
        books = [place.book for place in self.places]
        return " ".join(str(book) for book in sorted(set(books)) if books.count(book) > 1)


class _Run(NamedTuple):
    """A recurring passage at one place: first sentence, sentences, the repeat it is of, anchor."""

    at: int
    length: int
    stretch: Stretch
    anchor: str


@dataclass(frozen=True)
class Entry:
    """One passage of a chapter that recurs.

    Attributes:
        peers: the first of its other places.
        anchor: its stretch's anchor when that has a card, else "".
    """

    place: Place
    opening: tuple[str, ...]
    peers: tuple[Place, ...]
    peers_total: int
    anchor: str


def largest_classes(
    profile: ArtifactProfile, groups: Groups, places: Places, *, shown: int = CLASSES_SHOWN
) -> list[ClassView]:
    """Classes by falling number of places, then document order.

    As many as `shown` with words, and the wordless ones that stand between them.
    """
    views: list[ClassView] = []
    left = shown
    for position in np.argsort(-groups.size, kind="stable").tolist():
        if left == 0 or len(views) == 3 * shown:
            break
        views.append(_class_view(profile, groups, position, places))
        left -= views[-1].worded
    return views


def _class_view(profile: ArtifactProfile, groups: Groups, position: int, places: Places) -> ClassView:
    members = groups.members(position)
    first = places.place(int(groups.start[members.start]), int(groups.count[members.start]))
    listed = range(members.start, min(members.stop, members.start + MEMBERS_SHOWN))
    identity = profile.classes["class"][int(groups.number[position])]
    return ClassView(
        id=uuid_text(bytes(identity)),
        size=members.stop - members.start,
        sentences=first.count,
        bytes=first.end - first.start,
        worded=is_worded(places.text(first)),
        opening=places.opening(first, OPENING_LIMIT),
        quotation=places.quotation(first, limit=TEXT_LIMIT, tail_limit=TAIL_LIMIT),
        places=tuple(places.place(int(groups.start[at]), int(groups.count[at])) for at in listed),
    )


def ranked(stretches: Iterable[Stretch], places: Places) -> list[Stretch]:
    """Stretches by falling number of bytes, then document order.

    Each is compared byte for byte at all its places.

    Raises:
        IntegrityError: two places that the artifact calls equal are not.
    """
    release = places.release
    start, end = release.sentence_start, release.sentence_end
    sized = []
    for stretch in stretches:
        spans = [(int(start[at]), int(end[at + count - 1])) for at, count in stretch.places]
        text = memoryview(release.text)[slice(*spans[0])]
        for low, high in spans[1:]:
            if release.text[low:high] != text:
                raise IntegrityError(
                    f"bytes {spans[0][0]}..{spans[0][1]} and {low}..{high} are classed as equal and differ",
                    where="published sentence runs",
                    expected="equal bytes",
                    mend="verify the artifact, and build it again",
                    kind="unequal_members",
                )
        sized.append((-len(text), stretch.starts, stretch))
    return [stretch for *_, stretch in sorted(sized, key=lambda one: one[:2])]


def stretch_views(found: list[Stretch], places: Places, *, shown: int = STRETCHES_SHOWN) -> list[StretchView]:
    """The longest stretches with their texts side by side."""
    return [_stretch_view(stretch, rank, places) for rank, stretch in enumerate(found[:shown], 1)]


def _stretch_view(stretch: Stretch, rank: int, places: Places) -> StretchView:
    listed = tuple(places.place(*one) for one in islice(stretch.places, MEMBERS_SHOWN))
    text = places.text(listed[0])
    beside = listed[:TEXTS_SHOWN]
    contexts = places.contexts(beside, limit=CONTEXT_LIMIT)
    return StretchView(
        anchor=f"r{rank}",
        rank=rank,
        sentences=stretch.count,
        words=word_count(text),
        bytes=listed[0].end - listed[0].start,
        worded=is_worded(text),
        lone=bool(stretch.counts),
        overlapping=bool((np.diff(stretch.starts) < stretch.count).any()),
        opening=places.opening(listed[0], OPENING_LIMIT),
        places=listed,
        places_total=len(stretch.starts),
        texts=tuple(
            (place, before, places.quotation(place, limit=TEXT_LIMIT, tail_limit=TAIL_LIMIT), after)
            for place, (before, after) in zip(beside, contexts, strict=True)
        ),
    )


def lone_paragraphs(stretches: tuple[Stretch, ...], paragraphs: Groups, places: Places) -> list[Stretch]:
    """Repeated paragraphs with words that no stretch with as many places contains."""
    untold = ~_told(stretches, paragraphs)
    found = []
    for position in range(len(paragraphs.number)):
        members = paragraphs.members(position)
        if untold[members].any():
            counts = tuple(paragraphs.count[members].tolist())
            stretch = Stretch(counts[0], tuple(paragraphs.start[members].tolist()), counts)
            if is_worded(places.text(places.place(stretch.starts[0], counts[0]))):
                found.append(stretch)
    return found


def book_entries(
    repeats: list[Stretch], places: Places, *, anchors: int, limit: int = ENTRIES
) -> list[dict[str, Any]]:
    """Book by book: how many passages recur, and the longest of them in document order.

    Args:
        repeats: stretches and lone paragraphs, ranked; the first `anchors` of them have a card in the page.
        limit: entries in the whole page, spread evenly over the books.
    """
    books = len(places.release.book_chapters)
    found: list[list[_Run]] = [[] for _ in range(books)]
    for rank, stretch in enumerate(repeats, 1):
        anchor = f"r{rank}" if rank <= anchors else ""
        for at, count in stretch.places:
            found[int(places.book_of[at])].append(_Run(at, count, stretch, anchor))
    each = max(limit // max(books, 1), 5)
    return [_book(one, places, each) for one in found]


def _book(found: list[_Run], places: Places, each: int) -> dict[str, Any]:
    end, start = places.release.sentence_end, places.release.sentence_start
    kept = sorted(found, key=lambda run: (-int(end[run.at + run.length - 1] - start[run.at]), run.at))[:each]
    chapters: dict[int, list[Entry]] = {}
    for run in sorted(kept, key=lambda run: (run.at, -run.length)):
        place = places.place(run.at, run.length)
        if not is_worded(places.text(place)):
            continue
        nearest = islice(run.stretch.places, PEERS_SHOWN + 1)
        others = [peer for peer in nearest if peer[0] != run.at][:PEERS_SHOWN]
        entry = Entry(
            place=place,
            opening=places.opening(place, 60),
            peers=tuple(places.place(*peer) for peer in others),
            peers_total=len(run.stretch.starts) - 1,
            anchor=run.anchor,
        )
        chapters.setdefault(place.chapter, []).append(entry)
    return {"found": len(found), "shown": len(kept), "chapters": chapters}


def _told(stretches: tuple[Stretch, ...], paragraphs: Groups) -> NDArray[np.bool_]:
    """Members that stand inside a stretch which has at least as many places as their class."""
    order = np.argsort(paragraphs.start, kind="stable")
    start = paragraphs.start[order]
    end = start + paragraphs.count[order]
    places_told = np.zeros(len(order), np.int64)
    for stretch in stretches:
        for at in stretch.starts:
            inside = slice(*np.searchsorted(start, [at, at + stretch.count]).tolist())
            within = end[inside] <= at + stretch.count
            places_told[inside] = np.maximum(places_told[inside], within * len(stretch.starts))
    told = np.zeros(len(order), bool)
    told[order] = places_told >= np.repeat(paragraphs.size, paragraphs.size)[order]
    return told
