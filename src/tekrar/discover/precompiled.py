"""Compiling every inner loop before there is work: `make setup` does it, so that no first run has to.

A loop is compiled for the types it is called with, so a small invented text goes the whole way.
"""

from __future__ import annotations

import numpy as np

from tekrar.core.builder import ReleaseBuilder
from tekrar.discover.compiled import numba_present
from tekrar.discover.pipeline import generate
from tekrar.discover.source import columns

#: Paragraphs that differ in one word: more than a crowd has places.
_MANY = 300


def precompile() -> bool:
    """Compile what is not kept yet; False where nothing compiles (no numba, or `TEKRAR_INTERPRETED`)."""
    if not numba_present():
        return False
    builder = ReleaseBuilder(edition="invented", language="en")
    builder.begin_book("invented")
    builder.begin_chapter(number=1, title=None)
    for number in range(_MANY):
        text = f"one two three four five six seven eight nine ten {number}".encode()
        builder.add_paragraph(
            text, sentences=[(0, len(text))], after=b"\n\n", given=True, para=number + 1, ord=number + 1
        )
    rows = np.arange(_MANY, dtype=np.int64)
    release = builder.finish(segmenter="source")
    generate(columns(release, rows, np.full(_MANY, -1, np.int64), rows, np.zeros((0, 16), np.uint8)))
    return True
