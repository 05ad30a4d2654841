"""Stitching: maximal equal stretches put together from published classes, for display only.

A run has at most 12 sentences, so a long repeat is published as many overlapping classes (ADR-009 *Exact
comparison*: the enumerator is finite). A reader wants the whole of it. Two places that a class calls
equal, and two more that overlap them at the same distance, are equal from the first to the last
sentence: each sentence and each separator between lies in one of the classes. What is made here is a
view: it has no ID, enters no root and is no record (DOM: presentation changes no state).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import repeat
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import ArtifactProfile

Ints = NDArray[np.int64]

#: Classes of more places than this are chained from each place to the next one only.
ALL_PAIRS: Final = 40
#: Pairs of places in all; above it the limit per class is lowered.
PAIR_LIMIT: Final = 400_000


@dataclass(frozen=True)
class Groups:
    """Published classes as flat columns, by class and then in document order.

    Attributes:
        number: class number in its profile; shape (classes,).
        offset: first member of each class, with a final total; shape (classes + 1,).
        row: member's row in its profile; shape (members,).
        start: member's first sentence, as an ordinal in the release; shape (members,).
        count: member's sentences; shape (members,).
    """

    number: Ints
    offset: Ints
    row: Ints
    start: Ints
    count: Ints

    @property
    def size(self) -> Ints:
        """Members per class."""
        return np.diff(self.offset)

    @property
    def owner(self) -> Ints:
        """Position of its class for each member."""
        return np.repeat(np.arange(len(self.number)), self.size)

    def members(self, position: int) -> slice:
        """Where the members of one class stand."""
        return slice(int(self.offset[position]), int(self.offset[position + 1]))


@dataclass(frozen=True)
class Stretch:
    """Equal text at several places.

    Attributes:
        count: sentences.
        starts: first sentence of each place, ascending; at least two.
        counts: sentences of each place where a source may have cut equal bytes differently, else ().
    """

    count: int
    starts: tuple[int, ...]
    counts: tuple[int, ...] = ()

    @property
    def places(self) -> Iterator[tuple[int, int]]:
        """(first sentence, sentences) of each place."""
        return zip(self.starts, self.counts or repeat(self.count), strict=False)


@dataclass(frozen=True)
class Stitching:
    """All stretches of an artifact, in document order of their first place, and how they were paired."""

    stretches: tuple[Stretch, ...]
    all_pairs: int


def joined(one: Groups, other: Groups) -> Groups:
    """The classes of two profiles, side by side; numbers and rows still count in their own profiles."""
    return Groups(
        number=np.concatenate([one.number, other.number]),
        offset=np.concatenate([one.offset, other.offset[1:] + one.offset[-1]]),
        row=np.concatenate([one.row, other.row]),
        start=np.concatenate([one.start, other.start]),
        count=np.concatenate([one.count, other.count]),
    )


def published_groups(profile: ArtifactProfile, *, paragraph_sentences: Ints) -> Groups:
    """The published classes of a profile.

    Args:
        profile: run or paragraph profile.
        paragraph_sentences: first sentence of every paragraph of the release, with a final total.
    """
    matched = profile.matched
    shown = np.isin(matched["row"], profile.table("published")["row"], assume_unique=True)
    row, which = matched["row"][shown], matched["class"][shown].astype(np.int64)
    order = np.argsort(which, kind="stable")
    row, which = row[order], which[order]
    number, first = np.unique(which, return_index=True)
    if profile.is_runs:
        start = np.searchsorted(profile.first_row, row, side="right") - 1
        count = row - profile.first_row[start] + 2
    else:
        paragraph = profile.artifact.paragraphs["ordinal"][row]
        start = paragraph_sentences[paragraph]
        count = paragraph_sentences[paragraph + 1] - start
    offset = np.concatenate([first, [len(row)]]).astype(np.int64)
    return Groups(number, offset, row, start.astype(np.int64), count.astype(np.int64))


def stitch(groups: Groups, *, pair_limit: int = PAIR_LIMIT) -> Stitching:
    """The maximal equal stretches that published run classes make together."""
    limit = _all_pairs_up_to(groups.size, pair_limit)
    chains = _chain(_pairs(groups, limit))
    return Stitching(tuple(_gather(chains)), limit)


def _all_pairs_up_to(size: Ints, pair_limit: int) -> int:
    """The largest class size, at most `ALL_PAIRS`, up to which every pair is looked at within the limit."""
    amounts = np.bincount(np.minimum(size, ALL_PAIRS + 1), minlength=ALL_PAIRS + 2)[: ALL_PAIRS + 1]
    sizes = np.arange(ALL_PAIRS + 1)
    total = np.cumsum(amounts * sizes * (sizes - 1) // 2)
    return max(int(np.searchsorted(total, pair_limit, side="right")) - 1, 2)


def _pairs(groups: Groups, limit: int) -> Ints:
    """Equal pairs as rows of (distance in sentences, first sentence, end sentence)."""
    found = [np.empty((0, 3), np.int64)]
    length = groups.count[groups.offset[:-1]] if len(groups.number) else np.empty(0, np.int64)
    for size in np.unique(groups.size):
        chosen = np.flatnonzero(groups.size == size)
        if size > limit:
            for position in chosen:
                places = groups.start[groups.members(int(position))]
                found.append(_rows(places[:-1], places[1:], np.full(size - 1, length[position])))
            continue
        places = groups.start[groups.offset[chosen][:, None] + np.arange(size)]
        left, right = np.triu_indices(int(size), 1)
        lengths = np.repeat(length[chosen], len(left))
        found.append(_rows(places[:, left].ravel(), places[:, right].ravel(), lengths))
    return np.concatenate(found)


def _rows(left: Ints, right: Ints, length: Ints) -> Ints:
    return np.stack([right - left, left, left + length], axis=1)


def _chain(pairs: Ints) -> Ints:
    """Join pairs of one distance that share a sentence.

    Touching ones stay apart, for no class holds the gap between them.
    """
    if not len(pairs):
        return pairs
    pairs = pairs[np.lexsort((pairs[:, 2], pairs[:, 1], pairs[:, 0]))]
    distance = np.unique(pairs[:, 0], return_inverse=True)[1].ravel()
    base = distance * (int(pairs[:, 2].max()) + 1)
    reached = np.maximum.accumulate(pairs[:, 2] + base)
    first = np.flatnonzero(np.concatenate([[True], (pairs[:, 1] + base)[1:] >= reached[:-1]]))
    last = np.concatenate([first[1:], [len(pairs)]]) - 1
    return np.stack([pairs[first, 0], pairs[first, 1], (reached - base)[last]], axis=1)


def _gather(chains: Ints) -> list[Stretch]:
    """Stretches of one length that share a place become one stretch with all their places."""
    parent: dict[tuple[int, int], tuple[int, int]] = {}

    def root(key: tuple[int, int]) -> tuple[int, int]:
        parent.setdefault(key, key)
        while parent[key] != key:
            parent[key] = parent[parent[key]]
            key = parent[key]
        return key

    for distance, begin, end in chains.tolist():
        one, other = root((begin, end - begin)), root((begin + distance, end - begin))
        parent[max(one, other)] = min(one, other)
    places: dict[tuple[int, int], list[int]] = {}
    for key in sorted(parent):
        places.setdefault(root(key), []).append(key[0])
    return [Stretch(key[1], tuple(starts)) for key, starts in places.items()]
