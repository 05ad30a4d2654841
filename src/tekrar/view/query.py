"""From what a person types to rows and classes: an ID, a group key, or an address."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np

from tekrar.core.address import Address, Located, find_chapter, locate, parse_address
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.text import TextRelease
from tekrar.errors import NotFoundError, UsageError
from tekrar.view.open import Corpus
from tekrar.view.profile import ProfileView

_DIGEST = re.compile(r"[0-9a-f]{64}", re.ASCII)


@dataclass(frozen=True)
class Found:
    """What a query names.

    Attributes:
        rows: (profile, row) of occurrences.
        classes: (profile, class number) of classes.
        uncovered: why no enumerator emits an occurrence at the address, or "".
        empty_paragraph: the address is an empty paragraph, an enumeration exclusion.
    """

    rows: tuple[tuple[ProfileView, int], ...] = ()
    classes: tuple[tuple[ProfileView, int], ...] = ()
    uncovered: str = ""
    empty_paragraph: bool = False


def find(corpus: Corpus, query: str, *, profile: str | None = None) -> Found:
    """Resolve an occurrence ID, a class ID, a group key (64 hex digits) or an address.

    Args:
        corpus: the artifact with its release.
        query: the words of the user.
        profile: short name of one profile; None for every profile that holds it.

    Raises:
        UsageError: no ID and no address, or an unknown profile.
        NotFoundError: an ID that the artifact does not hold, a place that the release does not have.
    """
    views = corpus.views(profile)
    if "/" in query:
        return _at_address(corpus.release, views, parse_address(query))
    identity = bytes.fromhex(query) if _DIGEST.fullmatch(query) else _uuid(query)
    classes = tuple((view, number) for view in views if (number := view.class_of(identity)) is not None)
    if classes:
        return Found(classes=classes)
    rows = () if len(identity) == 32 else _rows_with(views, identity)
    if not rows:
        raise NotFoundError(
            f"no occurrence or class has the ID {query}",
            where=str(corpus.artifact.path),
            expected=f"an ID issued under {', '.join(view.short for view in views)} of this artifact",
            mend="an unknown ID says nothing about any text: ask by address, or another artifact",
            kind="unknown_id",
        )
    return Found(rows=rows)


def _uuid(query: str) -> bytes:
    try:
        return parse_uuid(query)
    except UsageError as error:
        raise UsageError(
            f"{query!r} is neither an address nor an ID",
            expected="book/chapter:start+length (a run of sentences) or book/chapter/pN (a paragraph), "
            "counted from 1; or an occurrence or class ID, a UUID in lower case",
            mend="copy an address or an ID as `tekrar classes` prints it",
            kind=error.kind,
        ) from None


def _rows_with(views: list[ProfileView], identity: bytes) -> tuple[tuple[ProfileView, int], ...]:
    return tuple((view, row) for view in views if (row := view.row_of(identity)) is not None)


def _at_address(release: TextRelease, views: list[ProfileView], address: Address) -> Found:
    find_chapter(address, release)
    fitting = [view for view in views if view.profile.is_runs == address.is_run]
    if not fitting:
        what = "runs of sentences" if address.is_run else "paragraphs"
        return Found(uncovered=f"the profile {views[0].short} does not enumerate {what}")
    if address.is_run and not MIN_RUN <= address.length <= MAX_RUN:
        run = f"a run of {address.length} sentences" if address.length > 1 else "a single sentence"
        return Found(uncovered=f"{run} is outside the universe of runs of {MIN_RUN} to {MAX_RUN} sentences")
    place = locate(address, release)
    if place.paragraph is not None and place.first == place.last:
        return Found(empty_paragraph=True)
    return Found(rows=tuple((view, row_at(view, place)) for view in fitting))


def row_at(view: ProfileView, place: Located) -> int:
    """Row of a place that the profile's enumerator emits.

    Raises:
        IntegrityError: the artifact's units do not hold it.
    """
    if place.paragraph is not None:
        ordinal = view.profile.artifact.paragraphs["ordinal"]
        row = int(np.searchsorted(ordinal, place.paragraph))
        if row < len(ordinal) and ordinal[row] == place.paragraph:
            return row
    else:
        first = view.profile.first_row
        row = int(first[place.first]) + place.last - place.first - MIN_RUN
        if row < int(first[place.first + 1]):
            return row
    raise view.broken("the universe lacks an occurrence of its release", expected="every run and paragraph")
