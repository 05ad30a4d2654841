"""maximal_only dominance inside the bounded universe; suppression is neither rejection nor deletion."""

from __future__ import annotations

import time
from pathlib import Path

import numpy as np
import pytest

from tests.oracle.run import build_document
from tests.small import Built, document, mark


def letters(count: int, prefix: str = "") -> list[str]:
    return [f"{prefix}{i}." for i in range(count)]


@pytest.mark.req("DOM-07", "COV-09", "DOM-03", "DOM-09")
def test_a_contained_run_is_dominated_evidence(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B.", "C."]], [["A.", "B.", "C."]]]), tmp_path)
    assert built.classes("FS", published=True) == {frozenset({"b1/1:1+3", "b1/2:1+3"})}
    assert built.rows("FS", "dominated") == {"b1/1:1+2", "b1/2:1+2", "b1/1:2+2", "b1/2:2+2"}
    assert built.rows("FS", "published") == {"b1/1:1+3", "b1/2:1+3"}
    assert len(built.rows("FS", "matched")) == 6
    assert built.rows("FS", "provisional") == set()
    profile = built.artifact.profile("FS")
    names = built.addresses("FS")
    for number, winner in enumerate(profile.classes["winner"].tolist()):
        members = {names[i] for i in profile.class_members(number).tolist()}
        if winner >= 0:
            assert {names[i] for i in profile.class_members(winner).tolist()} == {"b1/1:1+3", "b1/2:1+3"}
            left, right = int(profile.classes["left"][number]), int(profile.classes["right"][number])
            assert (left, right) == ((0, 1) if "b1/1:1+2" in members else (1, 0))
    assert built.part("FS", "b1/1:1+2") == "matched"
    coverage = built.artifact.manifest["profiles"]["FS"]["coverage"]
    assert (
        coverage["discovered_classes"] == coverage["dominated_classes"] + coverage["published_classes"] == 3
    )
    assert coverage["rejected_candidates"] == 0


@pytest.mark.req("DOM-08", "DOM-07")
def test_the_words_for_a_dominated_item_do_not_reject_it(tmp_path: Path) -> None:
    from tekrar.view.answer import answer_for
    from tekrar.view.open import open_corpus

    built = Built(document([[["A.", "B.", "C."]], [["A.", "B.", "C."]]]), tmp_path)
    view = open_corpus(built.path).view("FS")
    answer = answer_for(view, built.row("FS", "b1/1:1+2"))
    assert (str(answer.status), str(answer.presentation)) == ("matched", "dominated")
    assert "reject" not in repr(answer)
    assert not {name for name in built.artifact.package.names if "reject" in name}


@pytest.mark.req("DOM-04")
def test_one_additional_occurrence_keeps_a_class_published(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B.", "C."]], [["A.", "B.", "C."]], [["A.", "B."]]]), tmp_path)
    assert built.classes("FS", published=True) == {
        frozenset({"b1/1:1+3", "b1/2:1+3"}),
        frozenset({"b1/1:1+2", "b1/2:1+2", "b1/3:1+2"}),
    }


@pytest.mark.req("DOM-05")
def test_the_longest_dominator_wins_and_not_the_nearest(tmp_path: Path) -> None:
    built = Built(document([[letters(5)], [letters(5)]]), tmp_path)
    profile = built.artifact.profile("FS")
    winners = {w for w in profile.classes["winner"].tolist() if w >= 0}
    assert len(winners) == 1
    (longest,) = winners
    assert profile.unit(int(profile.class_members(longest)[0]))[1] == 5


@pytest.mark.req("DOM-02", "DOM-06")
def test_a_repeat_of_thirteen_gives_two_published_classes_and_lowest_id_ties(tmp_path: Path) -> None:
    built = Built(document([[letters(13)], [letters(13)]]), tmp_path)
    assert built.classes("FS", published=True) == {
        frozenset({"b1/1:1+12", "b1/2:1+12"}),
        frozenset({"b1/1:2+12", "b1/2:2+12"}),
    }
    profile = built.artifact.profile("FS")
    ids = [row.tobytes() for row in profile.classes["class"]]
    published = [n for n, w in enumerate(profile.classes["winner"].tolist()) if w < 0]
    lowest = min(published, key=lambda n: ids[n])
    inner = {n for n in range(len(ids)) if n not in published}
    both = {
        n
        for n in inner
        if "b1/1:2+11" in {built.addresses("FS")[i] for i in profile.class_members(n).tolist()}
    }
    assert both
    assert all(profile.classes["winner"][n] == lowest for n in both)


@pytest.mark.req("DOM-01", "PRO-21")
def test_paragraph_classes_are_never_dominated(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B."], ["A."], ["B."]], [["A.", "B."], ["A."], ["B."]]]), tmp_path)
    for short in ("FP", "PP"):
        assert len(built.classes(short, published=True)) == 3
        assert built.rows(short, "dominated") == set()


@pytest.mark.req("DOM-11")
def test_an_excluded_extension_does_not_dominate(tmp_path: Path) -> None:
    source = document([[["H.", "A.", "B."]], [["H.", "A.", "B."]]])
    built = Built(mark(source, "headings", "H."), tmp_path)
    assert built.classes("PS", published=True) == {frozenset({"b1/1:2+2", "b1/2:2+2"})}
    assert frozenset({"b1/1:2+2", "b1/2:2+2"}) not in built.classes("FS", published=True)


@pytest.mark.req("DOM-03")
@pytest.mark.parametrize(
    ("chapters", "published"),
    [
        ([["A.", "A.", "A.", "A."]], {(2, 3), (3, 2)}),
        ([["A.", "B.", "A.", "B."], ["A.", "B.", "A.", "B."]], {(2, 4), (4, 2)}),
        ([["A.", "B.", "A.", "B.", "A."]], {(3, 2)}),
    ],
)
def test_one_to_one_mapping_of_complete_inventories(
    chapters: list[list[str]], published: set[tuple[int, int]], tmp_path: Path
) -> None:
    built = Built(document([[sentences] for sentences in chapters]), tmp_path)
    found = set()
    for members in built.classes("FS", published=True):
        found.add((int(next(iter(members)).rpartition("+")[2]), len(members)))
    assert found == published


@pytest.mark.req("DOM-02", "DOM-05")
def test_equal_sentences_and_a_doubled_text_have_the_known_numbers() -> None:
    n = 60
    runs = next(p for p in build_document(document([[["A."] * n]])).profiles if p.profile.spec.short == "FS")
    assert sorted(runs.classes.groups.size.tolist()) == [n - k for k in range(11, 0, -1)]
    assert not runs.classes.is_dominated.any()
    m = 30
    doubled = build_document(document([[letters(m) * 2]]))
    runs = next(p for p in doubled.profiles if p.profile.spec.short == "FS")
    assert len(runs.classes.groups) == 11 * m - 66
    published = np.flatnonzero(~runs.classes.is_dominated)
    assert len(published) == m - 11
    assert set(runs.universe.row_length[runs.classes.groups.first[published]].tolist()) == {12}


@pytest.mark.req("DOM-02")
def test_a_chapter_of_equal_sentences_costs_no_more_than_linear_time() -> None:
    """Twice the sentences may take three times as long (T19), best of three, and a fixed tenth of a
    second."""

    def cost(count: int) -> float:
        source = document([[["A."] * count]])
        times = []
        for _ in range(3):
            start = time.process_time()
            build_document(source, batch=512)
            times.append(time.process_time() - start)
        return min(times)

    assert cost(4000) <= 3 * cost(2000) + 0.1
