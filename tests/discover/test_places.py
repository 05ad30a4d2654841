"""Where entries stand and what that does to their order: affinity of books, echoes, marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from tekrar.discover.entries import GROUP, PAIR, Entries
from tekrar.discover.order import ordered, square_roots
from tekrar.discover.places import AFFINITY, ONE, PART, Places, affinities, places_of
from tests.discover.made import source_of


def numbers(*values: int) -> np.ndarray:
    return np.array(values, np.int64)


def pairs_at(spans: list[tuple[int, int, int, int]], *, score: int = 800) -> Entries:
    """Pairs of passages given by tokens, alike in everything else."""
    a0, a1, b0, b1 = (numbers(*column) for column in zip(*spans, strict=True))
    one = np.ones(len(spans), np.int64)
    equal = a1 - a0
    return Entries(
        PAIR * one, a0, a1, b0, b1, score * one, equal, 0 * one, 0 * one, score * one, 40 * one, 40 * one,
        score * one, 0 * one, 0 * one, one,
    )  # fmt: skip


def standing(count: int) -> Places:
    """Entries between books of which nothing else is known, each in paragraphs of its own."""
    none = np.zeros(count, np.int64)
    return Places(
        np.arange(count), np.arange(count) + count, np.ones(count, bool), none + ONE, none, none, none > 0
    )


def best_of(entries: Entries, places: Places) -> int:
    """First token of the best entry."""
    return int(ordered(entries, places).a0[0])


FOUR = [(n * 100, n * 100 + 8, 5000 + n * 100, 5008 + n * 100) for n in range(4)]


def test_alike_entries_keep_the_order_of_the_text() -> None:
    assert ordered(pairs_at(FOUR), standing(4)).a0.tolist() == [0, 100, 200, 300]


@pytest.mark.parametrize("affinity", [ONE * 4, ONE // 4])
def test_books_that_share_much_or_hardly_anything_come_first(affinity: int) -> None:
    places = standing(4)
    places.affinity[2] = affinity
    assert best_of(pairs_at(FOUR), places) == 200


def test_what_many_books_echo_comes_later() -> None:
    places = standing(4)
    places.echoes_left[[0, 1, 3]] = 6 * PART
    assert best_of(pairs_at(FOUR), places) == 200
    groups = replace(pairs_at(FOUR), kind=np.full(4, GROUP))
    assert best_of(groups, places) == 0, "a group speaks of all its places"


def test_a_clause_comes_before_a_phrase_but_not_inside_one_book() -> None:
    places = standing(4)
    places.marked[2] = True
    assert best_of(pairs_at(FOUR), places) == 200
    assert best_of(pairs_at(FOUR), replace(places, between=np.zeros(4, bool))) == 0


def test_a_book_repeats_itself_before_it_is_reuse() -> None:
    places = standing(4)
    places.between[[0, 1]] = False
    assert best_of(pairs_at(FOUR), places) == 200


def test_sides_mostly_unequal_are_shown_later() -> None:
    entries = replace(pairs_at(FOUR), equal=numbers(3, 8, 8, 8))
    assert best_of(replace(entries, equal=numbers(3, 3, 3, 3)), standing(4)) == 0
    assert best_of(entries, standing(4)) == 100


def test_affinity_counts_other_entries_only_and_is_bounded() -> None:
    alone = affinities(numbers(0), numbers(1), numbers(10_000))
    assert alone.tolist() == [ONE]
    # Two books share ten entries, two others as many with each other, one entry goes across.
    left = numbers(*[0] * 10, *[2] * 10, 0)
    right = numbers(*[1] * 10, *[3] * 10, 2)
    found = affinities(left, right, np.full(21, 1_000_000))
    assert (found[:20] > 3 * ONE).all()
    assert found[20] == ONE // AFFINITY
    few = affinities(left, right, np.full(21, 16))
    assert (abs(few - ONE) < ONE // 8).all(), "a few bits tell nothing of two books"


def test_affinity_of_huge_sums_does_not_overflow() -> None:
    left = np.repeat(numbers(0, 2), 1000)
    right = np.repeat(numbers(1, 3), 1000)
    found = affinities(left, right, np.full(2000, 1 << 40))
    assert (found > 3 * ONE).all()
    assert (found <= AFFINITY * ONE).all()


def test_affinity_does_not_depend_on_which_side_is_left() -> None:
    left, right, score = numbers(0, 1, 2, 0), numbers(1, 0, 3, 2), numbers(5000, 9000, 4000, 70)
    assert affinities(left, right, score).tolist() == affinities(right, left, score).tolist()


def test_marks_and_edges_of_a_passage() -> None:
    left = "bir iki, üç dört beş; altı yedi"
    right = "sekiz üç dört beş dokuz: altı yedi on"
    source = source_of([[left], [right]])
    # «üç dört beş»: begins at a mark on the left alone, ends at one on the left alone.
    # «altı yedi»: begins at a mark on both sides. «yedi»/«on»: the ends of the two paragraphs.
    entries = pairs_at([(2, 5, 8, 11), (5, 7, 12, 14), (6, 7, 14, 15)])
    assert places_of(source, entries).marked.tolist() == [False, True, True]


def test_echoes_are_counted_between_books_and_by_the_verse() -> None:
    word = ["kelime"]
    books = [[" ".join(word * 20)], [" ".join(word * 280)], [" ".join(word * 20)]]
    source = source_of(books)
    # Rows start at tokens 0, 20 and 300: three entries between books, one inside the second, one group.
    entries = pairs_at([(0, 4, 20, 24), (0, 4, 300, 304), (4, 8, 40, 44), (50, 54, 90, 94), (0, 4, 60, 64)])
    entries.kind[4] = GROUP
    found = places_of(source, entries)
    assert found.between.tolist() == [True, True, True, False, False]
    assert found.echoes_left.tolist() == [3 * PART, 3 * PART, 3 * PART, 2 * PART // 10, 3 * PART]
    assert found.echoes_right.tolist() == [
        2 * PART // 10,
        PART,
        2 * PART // 10,
        2 * PART // 10,
        2 * PART // 10,
    ]


def test_no_entries() -> None:
    entries = pairs_at(FOUR).take(np.zeros(0, np.intp))
    source = source_of([["bir iki"], ["üç"]])
    assert len(ordered(entries, places_of(source, entries)).a0) == 0


def test_square_roots_are_exact() -> None:
    values = numbers(0, 1, 2, 3, 4, (1 << 62) - 1, 1 << 60, (1 << 31) ** 2 - 1)
    roots = square_roots(values)
    assert all(r * r <= v < (r + 1) * (r + 1) for r, v in zip(roots.tolist(), values.tolist(), strict=True))
