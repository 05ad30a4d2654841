"""What a build found in the demo's corpus, counted from the artifact; nothing here is known beforehand."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Final

import numpy as np

from tekrar.view.open import Corpus
from tekrar.view.profile import PUBLISHED, ProfileView

#: A class with more members than this is a formula; pairing all its chapters would say little and take long.
FORMULA: Final = 100
SHOWN: Final = 5


@dataclass(frozen=True)
class Repetition:
    """A published class, described.

    Attributes:
        address: of its first member, to give to `tekrar show`.
        places: of every member, in the source's words, in document order.
        length: sentences (1 for a paragraph).
        text: exact text of its first member.
    """

    address: str
    places: tuple[str, ...]
    length: int
    text: str


@dataclass(frozen=True)
class Parallel:
    """Two chapters and how many paragraphs, and bytes of them, they have in common under full context.

    Attributes:
        left, right: titles of the chapters, in document order.
        address: of the longest paragraph they share, in the left one.
    """

    left: str
    right: str
    paragraphs: int
    bytes: int
    address: str


@dataclass(frozen=True)
class Findings:
    """Everything the demo tells.

    Attributes:
        longest: published runs, most sentences first.
        frequent: published paragraphs, most members first.
        parallels: pairs of chapters, most shared paragraphs first.
    """

    longest: tuple[Repetition, ...]
    frequent: tuple[Repetition, ...]
    parallels: tuple[Parallel, ...]

    def as_record(self) -> dict[str, Any]:
        """As JSON."""
        return {
            "longest": [vars(item) for item in self.longest],
            "frequent": [vars(item) for item in self.frequent],
            "parallel_chapters": [vars(item) for item in self.parallels],
        }


def find(corpus: Corpus) -> Findings:
    """Read an artifact for what a person would want to know first."""
    runs, paragraphs = corpus.view("FS"), corpus.view("FP")
    return Findings(
        longest=tuple(_described(corpus, runs, _longest(runs))),
        frequent=tuple(_described(corpus, paragraphs, _largest(paragraphs))),
        parallels=tuple(_parallels(corpus, paragraphs)),
    )


def published(view: ProfileView) -> list[int]:
    """Numbers of the published classes (those that no other class dominates)."""
    return [int(number) for number in np.flatnonzero(view.classes["winner"] == PUBLISHED)]


def _longest(view: ProfileView) -> list[int]:
    """Published run classes: most sentences, then most bytes, then document order."""
    start, end = view.extents(view.first_member)
    order = np.lexsort((view.first_member, start - end, -view.class_length))
    chosen = set(published(view))
    return [int(number) for number in order if int(number) in chosen][:SHOWN]


def _largest(view: ProfileView) -> list[int]:
    size = view.classes["size"]
    return sorted(published(view), key=lambda number: (-int(size[number]), number))[:SHOWN]


def _described(corpus: Corpus, view: ProfileView, numbers: Iterable[int]) -> Iterator[Repetition]:
    for number in numbers:
        rows = view.profile.class_members(number)
        start, end = view.extents(rows[:1])
        yield Repetition(
            address=str(corpus.places.addresses(view, rows[:1])[0]),
            places=tuple(_verse(corpus, view, int(row)) for row in rows),
            length=int(view.class_length[number]),
            text=corpus.places.text(int(start[0]), int(end[0])),
        )


def _verse(corpus: Corpus, view: ProfileView, row: int) -> str:
    """The place of a row in the source's own words, such as `Ezra 2:36-39`."""
    places = corpus.places
    first, last = (
        int(places.sentence_paragraph[edge[0]]) for edge in places.sentences(view, np.array([row]))
    )
    low, high = (corpus.release.labels.para[paragraph] for paragraph in (first, last))
    return f"{_chapter_title(corpus, int(places.paragraph_chapter[first]))}:{low}" + (
        f"-{high}" if first != last else ""
    )


def _chapter_title(corpus: Corpus, chapter: int) -> str:
    return corpus.release.labels.chapter_title[chapter] or f"chapter {chapter + 1}"


def _parallels(corpus: Corpus, view: ProfileView) -> list[Parallel]:
    """Chapters by how many different repeated paragraphs both hold."""
    shared: dict[tuple[int, int], list[tuple[int, int]]] = defaultdict(list)
    for number in published(view):
        rows = view.profile.class_members(number)
        if len(rows) > FORMULA:
            continue
        start, end = view.extents(rows[:1])
        paragraphs, _ = view.units(rows)
        chapters, first = np.unique(corpus.places.paragraph_chapter[paragraphs], return_index=True)
        for left, right in combinations(range(len(chapters)), 2):
            pair = (int(chapters[left]), int(chapters[right]))
            shared[pair].append((int(end[0] - start[0]), -int(rows[first[left]])))
    ranked = sorted(shared.items(), key=lambda item: (-len(item[1]), -sum(n for n, _ in item[1]), item[0]))
    return [
        Parallel(
            left=_chapter_title(corpus, left),
            right=_chapter_title(corpus, right),
            paragraphs=len(found),
            bytes=sum(size for size, _ in found),
            address=str(corpus.places.addresses(view, np.array([-max(found)[1]]))[0]),
        )
        for (left, right), found in ranked[: 2 * SHOWN]
    ]
