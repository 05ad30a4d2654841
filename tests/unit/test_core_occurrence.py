"""The two enumerators and the occurrences they emit."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from tekrar.build import build
from tekrar.core.occurrence import enumerate_paragraphs, enumerate_runs, run_universe
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.errors import UsageError
from tests.oracle.run import build_document, release_of
from tests.small import Built, document, in_books, text_release


def letters(count: int) -> list[str]:
    return [f"{chr(65 + i)}." for i in range(count)]


@pytest.mark.req("EN-06", "EN-12")
@pytest.mark.parametrize(
    ("count", "items"), [(0, 0), (1, 0), (2, 1), (12, 66), (13, 77), (14, 88), (40, 374)]
)
def test_the_number_of_runs_of_a_chapter(count: int, items: int, tmp_path: Path) -> None:
    source = document([[letters(count)]])
    runs = enumerate_runs(text_release(source))
    assert runs.rows == items == run_universe(np.array([count]))
    assert items == sum(count - k + 1 for k in range(2, min(12, count) + 1))
    built = Built(source, tmp_path)
    for short in ("FS", "PS"):
        assert built.artifact.manifest["profiles"][short]["coverage"]["emitted"] == items
        assert built.rows(short, "excluded") == set()


@pytest.mark.req("EN-07", "EN-09", "DOM-02")
def test_runs_are_ordered_by_start_then_length_and_stay_in_their_chapter(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B."], ["C."]], [["D."]], [], [["E.", "F."]]]), tmp_path)
    runs = enumerate_runs(text_release(built.source))
    listed = list(zip(runs.row_sentence.tolist(), runs.row_length.tolist(), strict=True))
    assert listed == [(0, 2), (0, 3), (1, 2), (4, 2)]
    text = text_release(built.source).text.decode()
    low, extent = runs.extents(0, 4)
    shown = [text[a : a + n] for a, n in zip(low.tolist(), extent.tolist(), strict=True)]
    assert shown == ["A. B.", "A. B.\n\nC.", "B.\n\nC.", "E. F."]


@pytest.mark.req("EN-01", "EN-02", "EN-03", "EN-04", "EN-05")
def test_every_paragraph_once_and_empty_ones_as_exclusions(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B."], [], [" "], ["***"]], [[], ["A.", "B."]]]), tmp_path)
    universe = enumerate_paragraphs(text_release(built.source))
    assert universe.ordinal.tolist() == [0, 2, 3, 5]
    assert universe.empty.tolist() == [1, 4]
    for short in ("FP", "PP"):
        coverage = built.artifact.manifest["profiles"][short]["coverage"]
        assert (coverage["emitted"], coverage["enumeration_exclusions"], coverage["inventory"]) == (4, 2, 6)
        assert built.classes(short) == {frozenset({"b1/1/p1", "b1/2/p2"})}
    for short in ("FS", "PS"):
        assert built.artifact.manifest["profiles"][short]["coverage"]["enumeration_exclusions"] == 0
    assert built.artifact.columns("units/empty-paragraphs")["ordinal"].tolist() == [1, 4]


@pytest.mark.req("EN-08")
def test_an_empty_paragraph_inside_a_run_is_two_separators(tmp_path: Path) -> None:
    built = Built(document([[["A."], [], ["B."]], [["A."], ["B."]], [["A."], [], ["B."]]]), tmp_path)
    assert built.classes("FS") == {frozenset({"b1/1:1+2", "b1/3:1+2"})}


@pytest.mark.req("EN-10", "OCC-07")
def test_the_same_text_as_paragraph_and_as_run_is_four_occurrences(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B."]], [["A.", "B."]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/2/p1"})}
    assert built.classes("FS") == {frozenset({"b1/1:1+2", "b1/2:1+2"})}
    ids = {built.id(s, a) for s in ("FP", "FS") for a in built.addresses(s)}
    assert len(ids) == 4
    classes = {built.artifact.profile(s).classes["class"][0].tobytes() for s in ("FP", "FS")}
    assert len(classes) == 2


@pytest.mark.req("EN-11")
def test_one_sentence_paragraphs_are_found_by_the_paragraph_profile_alone(tmp_path: Path) -> None:
    built = Built(document([[["A."], ["B."]], [["A."], ["C."]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/2/p1"})}
    assert not built.classes("FS")


@pytest.mark.req("PRO-14")
def test_matches_lie_in_one_chapter_across_chapters_and_across_books(tmp_path: Path) -> None:
    built = Built(in_books({"b1": [[["A."], ["A."]], [["A."]]], "b2": [[["A."]]]}), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/1/p2", "b1/2/p1", "b2/1/p1"})}


@pytest.mark.req("OCC-03", "PRO-05", "OCC-01")
def test_one_id_for_one_profile_selection_granularity_and_mask(tmp_path: Path) -> None:
    source = document([[letters(6)], [letters(4), ["A."]], [["A."]]])
    release = release_of(source, tmp_path / "r")
    first = build(release, engine="hashlib")
    again = build(release, engine="hashlib", workers=2, batch=2)
    seen: dict[bytes, tuple[object, ...]] = {}
    for one, two in zip(first.profiles, again.profiles, strict=True):
        assert one.occurrence.tobytes() == two.occurrence.tobytes()
        selections = [row.tobytes() for row in one.selection]
        assert len(set(selections)) == len(selections)
        for row, selection in enumerate(selections):
            mask = one.witnesses.root[int(one.witnesses.of_row[row])]
            facts = (one.profile.id, selection, one.profile.spec.granularity, mask)
            assert seen.setdefault(one.occurrence[row].tobytes(), facts) == facts
    assert len(seen) == sum(p.rows for p in first.profiles)


@pytest.mark.req("PRO-05", "CL-01")
def test_an_enumerator_that_yields_a_selection_twice_makes_no_class(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from tekrar.build import pipeline
    from tekrar.core.occurrence import Paragraphs
    from tekrar.core.text import TextRelease

    def twice(release: TextRelease) -> Paragraphs:
        found = enumerate_paragraphs(release)
        return Paragraphs(*(np.repeat(c, 2) for c in (found.ordinal, found.start, found.end)), found.empty)

    release = release_of(document([[["A."]]]), tmp_path / "r")
    monkeypatch.setattr(pipeline, "enumerate_paragraphs", twice)
    result = build(release, engine="hashlib")
    assert [p.rows for p in result.profiles if p.profile.spec.short == "FP"] == [1]
    assert all(not len(p.classes.groups) for p in result.profiles)


@pytest.mark.req("OCC-04", "OCC-05", "VAL-06", "OCC-06", "CL-06")
def test_nested_and_overlapping_occurrences_are_all_there_and_mean_nothing_more(tmp_path: Path) -> None:
    built = Built(document([[letters(4)], [letters(4)], [["A.", "A.", "A.", "A."]]]), tmp_path)
    assert built.id("FS", "b1/1:1+2") != built.id("FS", "b1/1:1+3") != built.id("FS", "b1/1:2+2")
    assert built.part("FS", "b1/1:1+2") == built.part("FS", "b1/1:1+3") == "matched"
    listed = {f"{short}/{name}" for short in ("FP", "FS", "PP", "PS") for name in PROFILE_TABLES}
    assert set(built.artifact.package.names) == {*COMMON_TABLES, *listed, "provenance"}
    for name in built.artifact.package.names:
        if name != "provenance":
            columns = built.artifact.package.read_table(name).column_names
            assert not [c for c in columns if RELATION.search(c)], name
    kinds = {name.split("/")[-1] for name, _ in built.artifact.roots}
    assert kinds == ROOT_KINDS
    assert not [key for key in keys(built.artifact.manifest) if RELATION.search(key)]


#: Every table of an artifact, written out: a table of relations would have to be added here.
COMMON_TABLES = ("units/sentences", "units/paragraphs", "units/empty-paragraphs", "selections/paragraphs",
                 "selections/runs")  # fmt: skip
PROFILE_TABLES = (
    "occurrences", "matched", "evaluated-unique", "not-evaluated", "excluded", "failed", "published",
    "dominated", "provisional", "classes", "class-ids", "witnesses", "witness-spans",
)  # fmt: skip
ROOT_KINDS = {
    "text-release", "headings", "note-bodies", "note-markers", "policy", "work", "inventory", "evidence",
    "matched", "evaluated-unique", "not-evaluated", "failed", "excluded", "published", "provisional",
    "classes", "membership", "dominated-items", "dominated-classes", "enumeration-exclusions",
    "dataset-headings", "dataset-note-bodies", "dataset-note-markers", "validation", "compiler",
}  # fmt: skip
RELATION = re.compile("famil|quot|canonical|choice|relation|review|recommend")


def keys(document: object) -> list[str]:
    """Every key of a JSON document, whatever it is nested in."""
    if isinstance(document, dict):
        return [*document, *(key for value in document.values() for key in keys(value))]
    return [key for value in document for key in keys(value)] if isinstance(document, list) else []


@pytest.mark.req("PRO-04", "EN-13", "COV-11")
@pytest.mark.parametrize(
    "address", ["b1/1:1+13", "b1/1:1+1", "b1/1:0+2", "b1/1/s1", "b1:1-9", "bounded_span"]
)
def test_a_span_no_enumerator_emits_is_no_occurrence_and_never_unique(address: str) -> None:
    assert (MIN_RUN, MAX_RUN) == (2, 12)
    with pytest.raises(UsageError):
        build_document(document([[letters(14)]]), defer=[address])


@pytest.mark.req("PRO-04", "EN-13", "EN-12")
def test_coverage_names_its_enumerator_and_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("TEKRAR_MAX_RUN", "MAXRUN", "MAX_RUN", "TEKRAR_MAXRUN"):
        monkeypatch.setenv(name, "13")
    built = Built(document([[letters(13)]]), tmp_path)
    told = {s: built.artifact.manifest["profiles"][s]["coverage"] for s in ("FP", "FS")}
    assert told["FP"]["enumerator"] == "whole_paragraph_v1"
    assert told["FS"]["enumerator"] == "sentence_run_2_12_v1"
    assert (told["FP"]["emitted"], told["FS"]["emitted"]) == (1, 77)
    assert told["FS"]["excluded"] == told["FS"]["enumeration_exclusions"] == 0
