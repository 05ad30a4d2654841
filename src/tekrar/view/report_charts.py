"""Pictures as numbers: where the bars and cells of the report's SVGs stand. The template draws them."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tekrar.view.report_places import Places
from tekrar.view.report_spread import Matrix
from tekrar.view.stitch import Groups

CELL: Final = 36
#: Up to this many books a cell has room for its number.
NUMBERED: Final = 20
#: (label, smallest, largest) of the class sizes told apart.
SIZE_STEPS: Final = (
    ("2", 2, 2), ("3", 3, 3), ("4", 4, 4), ("5", 5, 5), ("6–10", 6, 10),
    ("11–20", 11, 20), ("21–50", 21, 50), ("51–100", 51, 100), ("over 100", 101, 1 << 62),
)  # fmt: skip


@dataclass(frozen=True)
class Bar:
    """One bar of a histogram: its value, and its length as a share of the longest."""

    label: str
    value: int
    share: float


@dataclass(frozen=True)
class Cell:
    """One cell of the heat map; `share` is its part of the row book, `depth` its colour: 1 is the most."""

    row: int
    column: int
    sentences: int
    bytes: int
    share: float
    depth: float
    x: int
    y: int

    @property
    def percent(self) -> str:
        """The share as shown: whole per cents, `<1` for little."""
        return percent(self.share)

    @property
    def figure(self) -> str:
        """The share as the cell has room for it: a dot for little."""
        return "·" if self.percent == "<1" else self.percent


def percent(share: float) -> str:
    """A share in whole per cents; `<1` where it would round to nothing, and never 100 unless it is all."""
    if 0 < share < 0.005:
        return "<1"
    return str(99 if 0.99 < share < 1 else math.floor(share * 100 + 0.5))


def bars(values: list[tuple[str, int]]) -> list[Bar]:
    """Bars on a square-root scale, so that small counts stay visible beside large ones."""
    top = max([value for _, value in values], default=0)
    return [Bar(label, value, math.sqrt(value / top) if top else 0.0) for label, value in values]


def length_bars(groups: Groups, *, runs: bool) -> list[Bar]:
    """Published classes by length in sentences, 2..12."""
    if not runs:
        return []
    lengths = groups.count[groups.offset[:-1]] if len(groups.number) else groups.count
    counts = np.bincount(lengths, minlength=13)
    return bars([(str(length), int(counts[length])) for length in range(2, 13)])


def size_bars(groups: Groups) -> list[Bar]:
    """Published classes by number of places."""
    size = groups.size
    return bars([(label, int(((size >= low) & (size <= high)).sum())) for label, low, high in SIZE_STEPS])


def heat_map(matrix: Matrix, places: Places) -> dict[str, Any]:
    """Cells, size and row names of the book x book picture; empty cells are left out."""
    cells = []
    top = float((matrix.bytes / np.maximum(matrix.total, 1)[:, None]).max(initial=0.0)) or 1.0
    for row, column in zip(*np.nonzero(matrix.sentences), strict=True):
        share = int(matrix.bytes[row, column]) / max(int(matrix.total[row]), 1)
        cells.append(
            Cell(
                row=int(row),
                column=int(column),
                sentences=int(matrix.sentences[row, column]),
                bytes=int(matrix.bytes[row, column]),
                share=share,
                depth=round(0.05 + 0.95 * math.sqrt(share / top), 3),
                x=CELL * (int(column) + 1),
                y=CELL * (int(row) + 1),
            )
        )
    return {
        "cells": cells,
        "cell": CELL,
        "side": CELL * (len(matrix.books) + 1),
        "numbered": len(matrix.books) <= NUMBERED,
        "rows": [(book, places.book_name(book)) for book in matrix.books],
        "by_place": {(cell.row, cell.column): cell for cell in cells},
        "shown": len(matrix.books),
        "books": len(places.release.book_chapters),
    }


def strip_path(shares: list[tuple[float, float]], *, which: int, height: int = 30) -> str:
    """SVG path of one band of a book's strip: one unit a bin.

    Band 0 stands on the ground, band 1 on band 0.
    """
    path = []
    for at, pair in enumerate(shares):
        low = 0.0 if which == 0 else pair[0] * height
        high = pair[0] * height if which == 0 else (pair[0] + pair[1]) * height
        if high - low >= 0.2:
            path.append(f"M{at} {height - low:.4g}V{height - high:.4g}h1V{height - low:.4g}z")
    return "".join(path)
