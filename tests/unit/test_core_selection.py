"""Selections: one release, ascending ranges, no comparison across releases."""

from __future__ import annotations

import pytest

from tekrar.core.identity import selection_id
from tekrar.core.selection import select
from tekrar.errors import IntegrityError, UsageError

ONE = bytes.fromhex("11111111222253338444555555555555")
TWO = bytes.fromhex("11111111222253338444555555555556")


@pytest.mark.req("CORE-07")
def test_offsets_of_two_releases_do_not_compare() -> None:
    """Equal numbers in two releases are neither the same place nor different places."""
    here, there = select(ONE, [(3, 9)]), select(TWO, [(3, 9)])
    assert here.intersects(select(ONE, [(8, 10)]))
    with pytest.raises(IntegrityError) as refused:
        here.intersects(there)
    assert refused.value.kind == "cross_release_selection"
    assert here.id != there.id


def test_touching_is_not_intersecting() -> None:
    """Half-open ranges that meet share no byte."""
    assert not select(ONE, [(0, 3)]).intersects(select(ONE, [(3, 4)]))
    assert select(ONE, [(0, 3), (5, 6)]).intersects(select(ONE, [(4, 6)]))


def test_identity_is_the_path_grammars() -> None:
    """The ID is that of the grammar's `ranges` fact."""
    assert select(ONE, [(0, 5), (9, 12)]).id == selection_id(ONE, [(0, 5), (9, 12)])


@pytest.mark.parametrize(
    "ranges",
    [
        [],
        [(3, 3)],
        [(5, 2)],
        [(-1, 2)],
        [(0, 3), (3, 5)],
        [(0, 3), (2, 5)],
        [(6, 9), (1, 2)],
        [(0, 99)],
        [(0, 2)],
    ],
)
def test_refused_ranges(ranges: list[tuple[int, int]]) -> None:
    """Empty, reversed, touching, overlapping, descending, outside, inside a character: all refused."""
    with pytest.raises(UsageError) as refused:
        select(ONE, ranges, text="aş biter".encode())
    assert refused.value.kind == "bad_selection"
