"""From what a person types to a passage of a diff: an address, an occurrence ID, or `START-END` in bytes."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

import numpy as np

from tekrar.core.diff import Endpoint, units_of
from tekrar.core.diff.units import boundaries_of
from tekrar.core.identity import COORDINATE_PROFILE, issue, parse_uuid, selection_id, uuid_text
from tekrar.core.policy import FULL_CONTEXT, MATRIX, scope_policy
from tekrar.core.projection import Projection, materialize
from tekrar.core.selection import select
from tekrar.errors import NotFoundError, UsageError
from tekrar.view.open import Corpus
from tekrar.view.profile import ProfileView
from tekrar.view.query import find

_EXTENT: Final = re.compile(r"(0|[1-9][0-9]{0,17})-(0|[1-9][0-9]{0,17})", re.ASCII)


@dataclass(frozen=True)
class Passage:
    """A resolved passage.

    Attributes:
        endpoint: what a diff binds.
        address: its address, or `bytes START-END`.
        profile: short name of its profile; "" for a byte range.
    """

    endpoint: Endpoint
    address: str
    profile: str


def passage(corpus: Corpus, query: str, *, profile: str | None = None) -> Passage:
    """The passage that a query names.

    Args:
        corpus: the artifact with its release.
        query: an address or occurrence ID as `find` takes them, or START-END, bytes of the release.
        profile: short name of one profile; None takes the first of the matrix that holds the passage.

    Raises:
        UsageError: a class, a range that leaves the release or cuts a character, too many units.
        NotFoundError: nothing there, or no enumerator emits it.
    """
    if extent := _EXTENT.fullmatch(query):
        return _range(corpus, int(extent[1]), int(extent[2]), profile=profile)
    found = find(corpus, query, profile=profile)
    if found.classes:
        raise UsageError(
            f"{query} is a class; a diff takes one occurrence on either side",
            expected="an address, an occurrence ID, or START-END in bytes",
            kind="no_passage",
        )
    if not found.rows:
        raise NotFoundError(
            f"there is no occurrence at {query}",
            expected=found.uncovered or "a paragraph with a byte in it",
            mend="name the passage by its bytes, START-END",
            kind="no_passage",
        )
    return _occurrence(corpus, *found.rows[0])


def _occurrence(corpus: Corpus, view: ProfileView, row: int) -> Passage:
    rows = np.array([row])
    start, end = (int(column[0]) for column in view.extents(rows))
    held = view.ids[row].tobytes()
    endpoint = _endpoint(corpus, start, end, projection=view.spec.projection, occurrence=held)
    facts = {
        "coord": COORDINATE_PROFILE,
        "profile": view.id,
        "release": uuid_text(endpoint.release),
        "granularity": view.spec.granularity,
        "mask": endpoint.witness_root.hex(),
        "selection": uuid_text(selection_id(endpoint.release, [(start, end)])),
    }
    if issue("passage-occurrence", facts) != held:
        raise view.broken(
            f"occurrence {uuid_text(held)} is not the passage at its place",
            expected="the ID that profile, release, selection and mask witness give",
        )
    return Passage(endpoint, str(corpus.places.addresses(view, rows)[0]), view.short)


def _range(corpus: Corpus, start: int, end: int, *, profile: str | None) -> Passage:
    release = parse_uuid(corpus.artifact.text_release)
    text = corpus.release.text
    if start == end <= len(text):
        select(release, [(0, start)] if start else [(0, len(text))], text=text)  # a place between characters
    else:
        select(release, [(start, end)], text=text)
    projection = corpus.view(profile or MATRIX[0].short).spec.projection
    return Passage(
        _endpoint(corpus, start, end, projection=projection, occurrence=None), f"bytes {start}-{end}", ""
    )


def _endpoint(corpus: Corpus, start: int, end: int, *, projection: str, occurrence: bytes | None) -> Endpoint:
    release = corpus.release
    identity = parse_uuid(corpus.artifact.text_release)
    held = _projection(corpus, identity, projection)
    hits: list[tuple[int, int]] = []
    masks: list[tuple[int, int]] = []
    for which, spans in enumerate(held.treated):
        low = int(np.searchsorted(spans.end, start, side="right"))
        high = max(low, int(np.searchsorted(spans.start, end, side="left")))
        hits += [(which, at) for at in range(low, high)]
        if spans.treatment == "masked_with_boundary":
            masks += zip(spans.start[low:high].tolist(), spans.end[low:high].tolist(), strict=True)
    boundaries = boundaries_of(release, start, end, masks=masks)
    units = units_of(release.text, start=start, end=end, boundaries=boundaries)
    return Endpoint(identity, occurrence, held.witness_root(hits), projection, units)


def _projection(corpus: Corpus, identity: bytes, name: str) -> Projection:
    policy = scope_policy(corpus.release.language)
    datasets = {kind: one for kind, one in corpus.release.datasets.items() if one is not None}
    if name == FULL_CONTEXT:
        datasets = {}
    return materialize(name, policy=policy, datasets=datasets, release=identity)
