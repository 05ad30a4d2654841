"""Annotation evidence is present, current and sound in geometry, or nothing is built (AMB-06, AMB-08)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tekrar.build.pipeline import evaluate
from tekrar.core.annotation import check_datasets
from tekrar.core.release import certified_digest
from tekrar.core.text import DATASETS, TextRelease, dataset_of
from tekrar.errors import IntegrityError
from tests.small import Built, document, mark, text_release
from tests.unit.test_core_text import stated

#: bytes: A. = 0..2, separator 2..3, xş = 3..6, after 6..8 | chapter 2: B. = 8..10, after 10..12
SOURCE = document([[["A.", "xş"]], [["B."]]])
RELEASE = text_release(SOURCE)
ROOT = certified_digest(RELEASE)


def with_spans(kind: str, *spans: tuple[int, int]) -> TextRelease:
    made = dataset_of(kind, [(a, b, 0, "") for a, b in spans], core_root=ROOT)
    return replace(RELEASE, datasets={**RELEASE.datasets, kind: made})


@pytest.mark.req("PRJ-02", "PRJ-11")
@pytest.mark.parametrize("kind", DATASETS)
@pytest.mark.parametrize(
    ("spans", "flaw"),
    [
        ([(1, 1)], "empty_span"),
        ([(2, 1)], "empty_span"),
        ([(-1, 1)], "span_out_of_range"),
        ([(11, 13)], "span_out_of_range"),
        ([(4, 5)], "split_character"),
        ([(5, 6)], "split_character"),
        ([(6, 9)], "outside_chapter"),
        ([(0, 2), (1, 2)], "overlapping_annotations"),
        ([(0, 2), (0, 2)], "overlapping_annotations"),
    ],
)
def test_bad_geometry_is_a_typed_failure_of_the_whole_build(
    kind: str, spans: list[tuple[int, int]], flaw: str
) -> None:
    bad = with_spans(kind, *spans)
    with pytest.raises(IntegrityError) as caught:
        check_datasets(bad, certified=ROOT)
    assert caught.value.kind == flaw
    assert kind in caught.value.where
    with pytest.raises(IntegrityError) as caught:
        evaluate(bad, stated=stated(RELEASE))
    assert caught.value.kind == flaw


@pytest.mark.req("PRJ-02")
@pytest.mark.parametrize("span", [(0, 3), (1, 6), (2, 6), (6, 8), (3, 8)])
def test_only_a_marker_is_bound_to_one_atom(span: tuple[int, int]) -> None:
    for kind in ("headings", "note_bodies"):
        check_datasets(with_spans(kind, span), certified=ROOT)
    if span != (6, 8):
        with pytest.raises(IntegrityError) as caught:
            check_datasets(with_spans("note_markers", span), certified=ROOT)
        assert caught.value.kind == "marker_across_boundary"


@pytest.mark.req("PRJ-02")
def test_touching_spans_and_markers_in_separators_are_legal() -> None:
    for kind in DATASETS:
        check_datasets(with_spans(kind, (0, 1), (1, 2), (2, 3), (6, 7), (7, 8)), certified=ROOT)


@pytest.mark.req("PRJ-02")
@pytest.mark.parametrize("kind", DATASETS)
def test_a_missing_or_stale_dataset_stops_all_four_profiles(kind: str) -> None:
    missing = replace(RELEASE, datasets={**RELEASE.datasets, kind: None})
    stale = replace(
        RELEASE, datasets={**RELEASE.datasets, kind: dataset_of(kind, [(0, 2, 0, "")], core_root=bytes(32))}
    )
    for release, flaw in ((missing, "missing_dataset"), (stale, "stale_dataset")):
        with pytest.raises(IntegrityError) as caught:
            evaluate(release, stated=stated(RELEASE))
        assert caught.value.kind == flaw


@pytest.mark.req("PRJ-01", "REL-01")
def test_full_context_binds_the_dataset_roots_it_does_not_use(tmp_path: Path) -> None:
    plain = Built(SOURCE, tmp_path / "1")
    headed = Built(mark(SOURCE, "headings", "B."), tmp_path / "2")
    assert plain.artifact.artifact_root != headed.artifact.artifact_root
    for name, root in plain.artifact.roots:
        other = dict(headed.artifact.roots)[name]
        if name.endswith("/dataset-headings") or name == "dataset/headings":
            assert root != other
        elif name.startswith("full_context_v1") or name.startswith("dataset/"):
            assert root == other, name


@pytest.mark.req("PRJ-01", "PRJ-09")
def test_a_source_gap_changes_the_dataset_root_and_no_witness(tmp_path: Path) -> None:
    text = document([[["Bu bir[1] söz."]], [["Bu bir[2] söz."]]])
    matched = mark(mark(text, "note_markers", "[1]"), "note_markers", "[2]")
    gap: dict[str, Any] = mark(mark(text, "note_markers", "[1]"), "note_markers", "[2]", status="source_gap")
    one, two = Built(matched, tmp_path / "1"), Built(gap, tmp_path / "2")
    first, second = dict(one.artifact.roots), dict(two.artifact.roots)
    changed = {name for name in first if first[name] != second[name]}
    assert {name.rpartition("/")[2] for name in changed} == {"note-markers", "dataset-note-markers"}
    assert first["dataset/note-bodies"] == second["dataset/note-bodies"]
    for built in (one, two):
        assert built.classes("PP") == {frozenset(built.addresses("PP"))}
        assert built.rows("PP", "excluded") == set()
