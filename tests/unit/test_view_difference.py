"""Differences between artifacts: the first reason, classes by witness, and what became of members."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tekrar.view.causes import causes, same_geometry
from tekrar.view.difference import ProfileDifference, compare
from tekrar.view.open import Corpus, open_corpus
from tests.unit.reading_corpus import altered, built, garden, text_of

Make = Callable[..., Corpus]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    return open_corpus(*built(garden(), tmp_path_factory.mktemp("base")))


@pytest.fixture
def make(tmp_path: Path) -> Make:
    return lambda source, *options: open_corpus(*built(source, tmp_path / "other", *options))


def differences(a: Corpus, b: Corpus) -> dict[str, ProfileDifference]:
    places = same_geometry(a.artifact, b.artifact)
    return {v.short: compare(v, b.view(v.short), same_places=places) for v in a.views()}


def test_an_artifact_equals_itself(base: Corpus) -> None:
    assert causes(base.artifact, base.artifact) == []
    for difference in differences(base, base).values():
        assert difference.changes == []
        assert difference.transitions == {}
        assert difference.unchanged == difference.a.count


def test_another_dataset_over_the_same_text(base: Corpus, make: Make) -> None:
    unmarked = make(garden(marked=False))
    found = causes(base.artifact, unmarked.artifact)
    assert [(c.what, c.where) for c in found] == [("dataset", "note-markers")]
    by_profile = differences(base, unmarked)
    assert not by_profile["FP"].changes
    assert not by_profile["FS"].changes
    (change,) = by_profile["PP"].changes
    assert (change["change"], change["b"], change["rows"]) == ("gone", None, {"evaluated-unique": 2})
    assert by_profile["PP"].transitions == {("matched", "evaluated-unique"): 2}
    (back,) = differences(unmarked, base)["PP"].changes
    assert (back["change"], back["a"], back["b"]["class_id"]) == ("appeared", None, change["a"]["class_id"])


def test_a_heading_dataset_that_excludes_more(base: Corpus, make: Make) -> None:
    source = garden()
    ornament = source["annotations"]["headings"]
    text = base.release.text
    at = text.index("…".encode())
    ornament.append({"start": at, "end": at + 3})
    other = make(source)
    assert [(c.what, c.where) for c in causes(base.artifact, other.artifact)] == [("dataset", "headings")]
    changes = differences(base, other)["PP"]
    (change,) = changes.changes
    assert change["rows"] == {"evaluated-unique": 1, "excluded": 1}
    assert changes.transitions == {("matched", "evaluated-unique"): 1, ("matched", "excluded"): 1}


def test_another_text_is_matched_by_witness(base: Corpus, make: Make) -> None:
    source = garden()
    yol = source["corpus"]["books"][1]["chapters"][1]["paragraphs"]
    yol.append(
        {"id": "p3", "sentences": ["Kuyunun suyu serindi.", "Kova yavaşça indi."], "seps": [" "], "after": ""}
    )
    other = make(source)
    found = causes(base.artifact, other.artifact)
    assert found[0].what == "text"
    assert "dataset" not in {c.what for c in found}
    result = differences(base, other)["FS"]
    assert not result.same_places
    assert result.as_record()["rows"] is None
    kinds = result.counts()
    assert kinds == {"unchanged": 5, "grown": 1}
    (grown,) = result.changes
    assert (grown["a"]["size"], grown["b"]["size"], grown["why"]) == (3, 4, "3 members in A, 4 in B")
    assert grown["a"]["class_id"] != grown["b"]["class_id"]
    assert grown["a"]["witness"] == grown["b"]["witness"]
    assert differences(other, base)["FS"].counts() == {"unchanged": 5, "shrunk": 1}


def test_a_class_that_is_no_longer_dominated(base: Corpus, make: Make) -> None:
    source = garden()
    middle = {"id": "p3", "sentences": ["Kova yavaşça indi.", "Ip gıcırdadı."], "seps": [" "], "after": ""}
    source["corpus"]["books"][1]["chapters"][1]["paragraphs"].append(middle)
    result = differences(base, make(source))["FS"]
    (change,) = result.changes
    assert change["change"] == "grown"
    assert change["why"] == "2 members in A, 3 in B; dominated in A, published in B"


def test_open_items_are_a_reason(base: Corpus, make: Make, tmp_path: Path) -> None:
    (tmp_path / "later").write_text("Bahçe/1/p4\n", "utf-8")
    other = make(garden(), "--defer", str(tmp_path / "later"))
    found = causes(base.artifact, other.artifact)
    assert [(c.what, c.where) for c in found] == [("open_items", "FP"), ("open_items", "PP")]
    result = differences(base, other)["FP"]
    assert result.counts() == {"unchanged": 0, "gone": 1, "changed": 1}
    assert {c["why"] for c in result.changes if c["change"] == "changed"} == {
        "published in A, provisional in B"
    }


def test_masks_that_change_the_bytes_of_one_class(make: Make, base: Corpus, tmp_path: Path) -> None:
    source = garden()
    for part in source["corpus"]["books"][1]["chapters"]:
        part["paragraphs"][1]["sentences"] = ["Su[1] az."]
    text = text_of(source)
    spans = [{"start": at, "end": at + 3} for at in places(text, b"[1]")]
    source["annotations"]["note_markers"] = spans
    masked = make(source)
    bare = open_corpus(
        *built(source | {"annotations": source["annotations"] | {"note_markers": []}}, tmp_path / "b")
    )
    (change,) = differences(masked, bare)["PP"].changes
    assert (change["change"], change["a"]["size"], change["b"]["size"]) == ("recast", 2, 2)
    assert change["a"]["witness"] != change["b"]["witness"]


def test_equal_inputs_with_unequal_roots_have_no_honest_reason(base: Corpus, tmp_path: Path) -> None:
    copy = altered(base.artifact.path, tmp_path / "copy", "FS/published", {})
    other = open_corpus(copy)
    other.artifact.manifest["artifact_root"] = "0" * 64
    (cause,) = causes(base.artifact, other.artifact)
    assert cause.what == "unexplained"
    assert "tekrar verify" in cause.why


def test_a_rule_document_that_differs_is_named_by_its_path(base: Corpus, tmp_path: Path) -> None:
    other = open_corpus(altered(base.artifact.path, tmp_path / "copy", "FS/published", {}))
    other.artifact.manifest["artifact_root"] = "0" * 64
    other.artifact.manifest["profiles"]["FS"]["document"]["granularity"]["maximum"] = 13
    (cause,) = causes(base.artifact, other.artifact)
    assert (cause.what, cause.where, cause.a, cause.b) == ("profile_rule", "FS", "12", "13")
    assert "granularity.maximum" in cause.why


def places(text: bytes, needle: bytes) -> list[int]:
    found, at = [], text.find(needle)
    while at >= 0:
        found.append(at)
        at = text.find(needle, at + 1)
    return found
