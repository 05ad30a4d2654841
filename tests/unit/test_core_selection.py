"""Selections: half-open byte ranges on character boundaries of one release; offsets of two releases never
compare."""

from __future__ import annotations

import pytest

from tekrar.core.selection import select
from tekrar.errors import IntegrityError, UsageError
from tests.oracle import encoding as oracle

R1, R2 = (bytes.fromhex(f"111111112222533384445555555555a{n}") for n in (1, 2))
TEXT = "xş y".encode()


@pytest.mark.req("CORE-07")
def test_equal_numbers_in_two_releases_are_a_typed_error_and_no_answer() -> None:
    with pytest.raises(IntegrityError) as caught:
        select(R1, [(0, 5)]).intersects(select(R2, [(0, 5)]))
    assert caught.value.kind == "cross_release_selection"
    assert select(R1, [(0, 5)]).id != select(R2, [(0, 5)]).id


@pytest.mark.req("CORE-07")
@pytest.mark.parametrize(
    ("one", "two", "shared"),
    [
        ([(0, 2)], [(1, 3)], True), ([(0, 2)], [(2, 4)], False), ([(0, 1), (4, 5)], [(1, 4)], False),
        ([(0, 9)], [(3, 4)], True), ([(0, 1), (8, 9)], [(3, 4), (8, 10)], True),
    ],
)  # fmt: skip
def test_touching_is_not_sharing(
    one: list[tuple[int, int]], two: list[tuple[int, int]], shared: bool
) -> None:
    left, right = select(R1, one), select(R1, two)
    assert left.intersects(right) is right.intersects(left) is shared


@pytest.mark.parametrize(
    "ranges",
    [
        [],
        [(1, 1)],
        [(2, 1)],
        [(-1, 1)],
        [(0, 2), (2, 3)],
        [(0, 2), (1, 3)],
        [(3, 4), (0, 1)],
        [(0, 2)],
        [(2, 3)],
        [(0, 6)],
    ],
)
def test_nothing_is_clipped_or_repaired(ranges: list[tuple[int, int]]) -> None:
    with pytest.raises(UsageError):
        select(R1, ranges, text=TEXT)


@pytest.mark.req("ID-02")
def test_the_id_is_that_of_the_grammar() -> None:
    import uuid

    made = select(R1, [(0, 1), (3, 5)], text=TEXT)
    facts = ("release", str(uuid.UUID(bytes=R1))), ("coord", "utf8-byte.v1"), ("ranges", "0-1,3-5")
    assert made.id == oracle.identity("selection", *facts).bytes
