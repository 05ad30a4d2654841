"""Candidates as contract C10 writes them, one object a line, best first."""

from __future__ import annotations

from typing import Any

import numpy as np

from tekrar.core.candidate import Generator, Result
from tekrar.core.candidate.record import Value
from tekrar.core.identity import uuid_text
from tekrar.core.text import TextRelease


class Anchors:
    """Extents of a release as sides of contract C10: the source's own places beside bytes."""

    def __init__(self, release: TextRelease) -> None:
        self.release = release
        #: Paragraphs with a byte in them, by which extents are found.
        self.paragraph = np.flatnonzero(release.paragraph_sentences > 0)
        self.start = release.paragraph_start[self.paragraph]
        self.end = release.paragraph_end[self.paragraph]

    def touched(self, start: int, end: int) -> tuple[int, int]:
        """First and last paragraph (ordinals of the release) that an extent touches."""
        first = int(np.searchsorted(self.end, start, side="right"))
        last = int(np.searchsorted(self.start, end, side="left")) - 1
        first, last = min(first, len(self.start) - 1), max(last, 0)
        return int(self.paragraph[min(first, last)]), int(self.paragraph[max(first, last)])

    def side(self, start: int, end: int, exact: bytes | None = None) -> dict[str, Any]:
        """One side."""
        release, labels = self.release, self.release.labels
        low, high = self.touched(start, end)
        chapter = int(release.paragraph_chapter[low])
        return {
            "book": labels.book[int(release.chapter_book[chapter])],
            "chapter": labels.chapter_number[chapter],
            "para": labels.para[low],
            "ord": labels.ord[low],
            "end_ord": labels.ord[high],
            "start": start,
            "end": end,
            "para_start": start - int(release.paragraph_start[low]),
            "para_end": end - int(release.paragraph_start[high]),
            "class_id": None if exact is None else uuid_text(exact),
        }


def named_metrics(metrics: dict[str, Value], generator: Generator) -> dict[str, Any]:
    """Metrics by name, each with its value, version and scale (CND-04).

    A whole number stands as itself, a ratio as [numerator, denominator], kinds as a list of names.
    """
    number = generator.metric_number
    found: dict[str, Any] = {}
    for name in sorted(metrics):
        value, one = metrics[name], generator.metric(number[name])
        shown = list(value) if isinstance(value, tuple) else value
        found[name] = {"value": shown, "version": one["version"], "scale": one["scale"]}
    return found


def line_of(
    rank: int, own: bytes, result: Result, *, anchors: Anchors, generator: Generator, disposition: str
) -> dict[str, Any]:
    """A candidate as contract C10 has it; a group has `places` besides.

    Args:
        rank: from 1.
        own: candidate UUID (16 bytes).
        result: what it says.
        anchors: of the release.
        generator: what made it.
        disposition: the current one.
    """
    line = {
        "rank": rank,
        "id": uuid_text(own),
        "left": anchors.side(result.left.start, result.left.end, result.left.exact),
        "right": anchors.side(result.right.start, result.right.end, result.right.exact),
        "generator": generator.label,
        "disposition": disposition,
        "direction": result.direction,
        "metrics": named_metrics(result.metrics, generator),
    }
    if result.places:
        line["places"] = [anchors.side(start, end) for start, end in result.places]
    return line
