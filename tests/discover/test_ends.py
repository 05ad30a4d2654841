"""Ends of passages: what is taken in after an alignment stopped."""

from __future__ import annotations

import numpy as np
import pytest

from tekrar.discover.align import SEGMENTS, Segments
from tekrar.discover.bits import BIT
from tekrar.discover.ends import carried, quoted
from tekrar.discover.pairs import Pairs
from tekrar.discover.stream import stream_of
from tests.discover.made import source_of


def extents(left: str, right: str, aligned: tuple[int, int, int, int], *, edits: int = 0) -> list[int]:
    """First and end token on both sides of a passage that the alignment found at `aligned`."""
    source = source_of([[left, right]])
    stream = stream_of(source)
    columns = {name: np.zeros((1, SEGMENTS), np.int32) for name in Segments.__dataclass_fields__}
    first = stream.first.tolist()
    for name, place, base in zip(("a0", "a1", "b0", "b1"), aligned, (0, 0, first[1], first[1]), strict=True):
        columns[name][0, 0] = base + place
    columns["score"][0, 0], columns["equal"][0, 0], columns["edits"][0, 0] = 90 * BIT, 12, edits
    one = np.array([0], np.int32)
    pairs = Pairs(one, one + 1, np.array([90 * BIT]), Segments(**columns), np.zeros(2, np.int64))
    rarity = np.full(len(stream.words), 7 * BIT, np.int32)
    held = carried(source, stream, rarity, pairs, np.ones(1, bool))[0].segments
    ends = [int(column[0, 0]) for column in (held.a0, held.a1, held.b0, held.b1)]
    return [ends[0], ends[1], ends[2] - first[1], ends[3] - first[1]]


SAME = "bir iki üç dört beş altı yedi"


@pytest.mark.parametrize(
    ("left", "right", "aligned", "wanted"),
    [
        # rests alike in length, and one far longer on the right
        (f"{SAME} kara kedi. Son", f"{SAME} sarı köpek. Ara", (0, 7, 0, 7), [0, 9, 0, 9]),
        (f"{SAME} kara. Son", f"{SAME} {'x y z ' * 4}. Ara", (0, 7, 0, 7), [0, 7, 0, 7]),
        # the next sentence of both: two of three words, and none
        (f"{SAME}. Uzak kara içinde.", f"{SAME}. Uzak sarı içinde.", (0, 7, 0, 7), [0, 10, 0, 10]),
        (f"{SAME}. Uzak kara içinde.", f"{SAME}. Yakın sarı dışında.", (0, 7, 0, 7), [0, 7, 0, 7]),
        # a quotation ends where its marks are, before the sentence does
        (f"Dedi: “{SAME} sekiz” ve gitti", f"Diyor: “{SAME} dokuz” dedi o", (1, 8, 1, 8), [1, 9, 1, 9]),
    ],
)
def test_what_is_taken_in(
    left: str, right: str, aligned: tuple[int, int, int, int], wanted: list[int]
) -> None:
    assert extents(left, right, aligned, edits=6) == wanted


def test_a_word_in_quotation_marks_is_no_passage() -> None:
    source = source_of([["Dedi ki “gel” ve “haydi gel buraya artık,” dedi."]])
    opens, closes = quoted(source, stream_of(source))
    assert (np.flatnonzero(opens).tolist(), np.flatnonzero(closes).tolist()) == ([0, 4], [7, 8])
