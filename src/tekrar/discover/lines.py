"""Entries as lines of contract C10, best first."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np

from tekrar.discover.assemble import tokens_at
from tekrar.discover.entries import GROUP, PAIR
from tekrar.discover.extents import with_marks
from tekrar.discover.judge import Judge
from tekrar.discover.pipeline import GENERATOR, Generated, rows_at
from tekrar.discover.source import Source


def lines(source: Source, generated: Generated) -> Iterator[str]:
    """One JSON object an entry, without line ends."""
    entries = generated.entries
    side, judge = Sides(source), Judge(source, generated)
    encoded = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
    names = ("kind", "a0", "a1", "b0", "b1", "equal", "count", "first")
    columns = [getattr(entries, name).tolist() for name in names]
    for number, (kind, a0, a1, b0, b1, equal, count, first) in enumerate(zip(*columns, strict=True)):
        found = judge.of(number)
        whole = kind == PAIR
        record: dict[str, Any] = {
            "rank": number + 1,
            "id": None,
            "left": side.of(a0, a1, whole, found.left),
            "right": side.of(b0, b1, whole, found.right),
            "generator": GENERATOR,
            "disposition": found.disposition,
            "direction": found.direction,
            "why": found.why,
            "metrics": found.metrics,
        }
        if kind == GROUP:
            token = tokens_at(generated.stream, generated.formulas.place[first : first + count]).tolist()
            record["places"] = [side.of(t, t + equal, False) for t in token]
        yield encoded(record)


class Sides:
    """Sides of entries as contract C10 writes them."""

    def __init__(self, source: Source) -> None:
        self._source = source
        labels = source.release.labels
        self._book = [labels.book[b] for b in source.book.tolist()]
        self._chapter = [labels.chapter_number[c] for c in source.chapter.tolist()]
        self._para = [labels.para[p] for p in source.ordinal.tolist()]
        self._ord = [labels.ord[p] for p in source.ordinal.tolist()]
        self.of = lru_cache(maxsize=1 << 14)(self._of)

    def _of(self, first: int, end: int, whole: bool, extent: tuple[int, int] | None = None) -> dict[str, Any]:
        """`of`: the side of tokens first..end; `whole` = it may stand for an exact class."""
        source = self._source
        low, high = rows_at(source, np.array([first, end - 1])).tolist()
        start, stop = extent or with_marks(
            source.release.text,
            int(source.tokens.start[first]),
            int(source.tokens.end[end - 1]),
            low=int(source.start[low]),
            high=int(source.end[high]),
        )
        exact = int(source.exact[low]) if whole and low == high else -1
        return {
            "book": self._book[low],
            "chapter": self._chapter[low],
            "para": self._para[low],
            "ord": self._ord[low],
            "end_ord": self._ord[high],
            "start": start,
            "end": stop,
            "para_start": start - int(source.start[low]),
            "para_end": stop - int(source.start[high]),
            "class_id": str(uuid.UUID(bytes=source.class_id[exact].tobytes())) if exact >= 0 else None,
        }
