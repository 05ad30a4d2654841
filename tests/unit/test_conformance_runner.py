"""The conformance runner: our own fixtures, the shared ones where they are present, and that it can fail."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.artifact import Artifact
from tekrar.build import build
from tekrar.corpus.release_package import write_release
from tekrar.corpus.structured import import_structured
from tests.conformance.expectations import check_profile
from tests.conformance.fixture import FixtureFlaw, addresses, load, places
from tests.conformance.observed import Observed, observe
from tests.conformance.paragraph_lines import NotWritable, write_lines
from tests.conformance.runner import main, run_fixture
from tests.conftest import ROOT, shared_place

OWN = ROOT / "tests" / "conformance_own"
SHARED = shared_place() / "conformance" / "exact"
FP = "full_context_v1/whole_paragraph_v1/exact_passage_bytes"
FS = "full_context_v1/sentence_run_2_12_v1/exact_sentence_sequence"
req = pytest.mark.req

#: How many of our own fixtures there are: one that is lost is noticed.
OWN_FIXTURES = 80


def passes(path: Path, workspace: Path) -> None:
    report = run_fixture(path, workspace)
    assert not report.differences, "\n".join(str(difference) for difference in report.differences)


@req("EN-01", "EN-02", "EN-03", "EN-04", "EN-05", "EN-06", "EN-07", "EN-11", "EN-12", "PRO-13", "PRO-14")
@pytest.mark.parametrize("path", sorted(OWN.glob("enum-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_of_enumeration(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


@req("EX-01", "EX-02", "EX-03", "EX-04", "EX-07", "EX-10", "EN-08", "PRJ-06", "CL-02")
@pytest.mark.parametrize("path", sorted(OWN.glob("exact-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_of_exactness(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


@req("DOM-02", "DOM-03", "DOM-04", "DOM-05", "DOM-06", "DOM-11", "EN-09", "EN-10", "OCC-05", "PRO-19")
@pytest.mark.parametrize("path", sorted(OWN.glob("dom-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_of_dominance(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


@req("PRJ-03", "PRJ-04", "PRJ-05", "PRJ-07", "PRJ-08", "PRJ-12", "EX-11", "COV-08", "OCC-07")
@pytest.mark.parametrize("path", sorted(OWN.glob("proj-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_of_projection(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


@req("PRJ-02", "PRJ-11", "COV-04", "COV-05", "COV-07", "COV-10")
@pytest.mark.parametrize("path", sorted(OWN.glob("int-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_of_integrity(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


@req("EX-08", "EX-09", "COV-05", "COV-10", "PRJ-02", "PRJ-11", "DOM-03", "DOM-05")
@pytest.mark.parametrize("path", sorted(OWN.glob("own-*.json")), ids=lambda path: path.stem)
def test_own_fixtures_beyond_the_named_ones(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


def test_every_own_fixture_is_run_above() -> None:
    prefixes = ("enum-", "exact-", "dom-", "proj-", "int-", "own-")
    names = [path.stem for path in OWN.glob("*")]
    assert len(names) == OWN_FIXTURES
    assert [name for name in names if not name.startswith(prefixes)] == []
    assert all(json.loads((OWN / f"{name}.json").read_text())["id"] == name for name in names)


@pytest.mark.shared
@req(
    "DOM-01", "DOM-03", "DOM-04", "DOM-05", "DOM-07", "EX-01", "EX-04", "PRJ-09", "COV-04", "COV-09", "REL-03"
)
@pytest.mark.parametrize("path", sorted(SHARED.glob("*.json")) or [SHARED], ids=lambda path: path.stem)
def test_shared_fixtures(path: Path, tmp_path: Path) -> None:
    passes(path, tmp_path)


Change = Callable[[dict[str, Any]], object]


def changed(tmp_path: Path, name: str, change: Change) -> Path:
    record = json.loads((OWN / f"{name}.json").read_text(encoding="utf-8"))
    change(record)
    folder = tmp_path / "fixtures"
    folder.mkdir(exist_ok=True)
    path = folder / f"{name}.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    return path


def seen_runs(name: str, folder: Path) -> Observed:
    """What the artifact of one of our own fixtures says of its sentence runs."""
    fixture = load(OWN / f"{name}.json")
    imported = import_structured(fixture.source, where=name, edition=None, language=None)
    write_release(imported, folder / "release")
    build(folder / "release", out=folder / "artifact")
    return observe(Artifact(folder / "artifact"), "FS", places(fixture.document))


@pytest.fixture(scope="module")
def dom_04(tmp_path_factory: pytest.TempPathFactory) -> Observed:
    return seen_runs("dom-04-one-goes-on-otherwise", tmp_path_factory.mktemp("dom-04"))


AB, ABC = ["b1/c1:0+2", "b1/c2:0+2", "b1/c3:0+2"], ["b1/c1:0+3", "b1/c2:0+3"]
BC = ["b1/c1:1+2", "b1/c2:1+2"]


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("published", [AB, ABC]),
        ("published", [ABC[::-1], AB]),
        ("published_some", [AB]),
        ("provisional", []),
        ("classes", [AB, ABC, BC]),
        ("dominated", [{"members": BC, "by_any_of": [ABC]}]),
        ("dominated", [{"members": BC, "by_any_of": [ABC], "left": 1, "right": 0}]),
        ("dominated", [BC]),
        ("dominated_some", []),
        ("matched", [*AB, *ABC, *BC]),
        ("unique", ["b1/c3:1+2", "b1/c3:0+3"]),
        ("exact_status", "complete"),
        ("counts", {"work_items": 9, "matched": 7, "evaluated_unique": 2, "discovered_classes": 3}),
    ],
)
def test_a_statement_that_holds_is_accepted(key: str, value: Any, dom_04: Observed) -> None:
    assert check_profile({key: value}, dom_04, where=FS) == []


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("published", [AB]),
        ("published", [AB, ABC, BC]),
        ("published", [AB[:2], ABC]),
        ("published", "AB"),
        ("published_some", [BC]),
        ("provisional", [AB]),
        ("classes", [AB, ABC]),
        ("dominated", []),
        ("dominated", [{"members": BC, "by_any_of": [AB]}]),
        ("dominated", [{"members": BC, "by_any_of": [ABC, BC[:1]]}]),
        ("dominated", [{"members": BC, "by_any_of": [ABC], "left": 0}]),
        ("dominated", [{"members": BC, "by": [ABC]}]),
        ("dominated_some", [{"members": AB, "by_any_of": [ABC]}]),
        ("enumerated", ["b1/c1:0+2"]),
        ("matched", AB),
        ("unique", []),
        ("unique_some", ["b1/c1:0+2"]),
        ("excluded", [["b1/c1:0+2", ["heading_marker_intersection"]]]),
        ("failed", [["b1/c1:0+2", "digest_collision"]]),
        ("not_evaluated", ["b1/c1:0+2"]),
        ("enumeration_exclusions", [["b1/c1/p1", "empty_core_extent"]]),
        ("exact_status", "partial"),
        ("counts", {"work_items": 8}),
        ("counts", {"ghosts": 0}),
        ("no_such_key", []),
    ],
)
def test_a_statement_that_does_not_hold_is_reported(key: str, value: Any, dom_04: Observed) -> None:
    differences = check_profile({key: value}, dom_04, where=FS)
    assert {difference.key for difference in differences} == {key}
    shown = str(differences[0])
    assert all(part in shown for part in (FS, "expected:", "found:"))


@req("DOM-06")
def test_the_winner_is_the_lowest_class_id_of_all_candidates(tmp_path: Path) -> None:
    """Of three tied dominators, only to leave out the winner makes the statement false."""
    seen = seen_runs("dom-21-bound-14", tmp_path)
    tied = [[f"b1/c1:{first}+12", f"b1/c2:{first}+12"] for first in range(3)]
    false = []
    for gone in range(3):
        candidates = [one for i, one in enumerate(tied) if i != gone]
        stated = [{"members": ["b1/c1:5+2", "b1/c2:5+2"], "by_any_of": candidates}]
        if check_profile({"dominated_some": stated}, seen, where=FS):
            false.append(gone)
    ids = {one.members: one.id for one in seen.classes if len(one.members) == 2}
    lowest = min(range(3), key=lambda first: ids[tuple(tied[first])] or b"")
    assert false == [lowest]


@pytest.mark.parametrize(
    ("change", "says"),
    [
        (lambda record: record.update(inject={"flip": [0, 1]}), "unknown injection 'flip'"),
        (lambda record: record.update(outcome="fine"), "unknown outcome 'fine'"),
        (lambda record: record.update(shuffled=True), "unknown key 'shuffled'"),
        (lambda record: record["expect"].update({FP.replace("full", "half"): {}}), "unknown profile"),
        (lambda record: record.pop("annotations"), "'annotations' is missing"),
        (lambda record: record.update(inject={"defer": ["b1/c9/p1"]}), "'b1/c9/p1', which is no place"),
    ],
)
def test_a_fixture_that_cannot_be_checked_fails(change: Change, says: str, tmp_path: Path) -> None:
    report = run_fixture(changed(tmp_path, "exact-07-order", change), tmp_path)
    assert [says in str(difference) for difference in report.differences] == [True]


def test_a_complete_release_is_no_integrity_failure(tmp_path: Path) -> None:
    path = changed(tmp_path, "exact-07-order", lambda record: record.update(outcome="integrity_failure"))
    (difference,) = run_fixture(path, tmp_path).differences
    assert difference.key == "outcome"
    assert "complete: FP, FS, PP, PS" in difference.found


def test_a_refusal_is_no_success(tmp_path: Path) -> None:
    path = changed(tmp_path, "int-06-overlapping-markers", lambda record: record.update(outcome="ok"))
    (difference,) = run_fixture(path, tmp_path).differences
    assert difference.expected == "ok"
    assert "overlapping_annotations" in difference.found


def test_the_command_ends_with_the_count_and_its_status(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    good = changed(tmp_path, "exact-08-concatenation", lambda record: None)
    assert main([str(good.parent)]) == 0
    assert capsys.readouterr().out.endswith("\n1 passed, 0 failed\n")
    changed(tmp_path, "exact-07-order", lambda record: record["expect"][FS].update(unique=[]))
    (good.parent / "broken.json").write_text('{"id": 1, "id": 2}')
    assert main([str(good.parent)]) == 1
    out = capsys.readouterr().out
    assert out.endswith("\n1 passed, 2 failed\n")
    assert "FAILED broken\n" in out
    assert "FAILED exact-07-order\n" in out


@pytest.mark.parametrize("arguments", [[], ["--help"], ["/nowhere/at/all"]])
def test_the_command_without_fixtures_passes_nothing(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(arguments) == 2
    assert capsys.readouterr().out == ""


def test_names_are_counted_from_the_document() -> None:
    document = load(OWN / "exact-15-document-order.json").document
    named = places(document)
    assert [unit.name for unit in named.paragraphs] == ["b2/c10/p1", "b2/c9/p1", "b1/c1/p2", "b1/c1/p1"]
    assert named.run_name(4, 3) == "b1/c1:0+3"
    assert "runs on" in named.run_name(0, 3)
    assert addresses(document, ["b2/c9:0+2", "b1/c1/p1", "b1/c1:1+3"]) == ["b2/2:1+2", "b1/1/p2", "b1/1:2+3"]
    with pytest.raises(FixtureFlaw):
        addresses(document, ["b2/c9:0+3"])


def test_documents_as_paragraph_lines_and_the_reasons_where_they_have_no_such_form() -> None:
    lines = write_lines(load(OWN / "own-15-note-with-continuation.json"))
    first = lines.records[:5]
    assert [record["kind"] for record in first] == ["body", "note", "note", "note", "body"]
    assert [record.get("note_cont", False) for record in first] == [False, False, True, True, False]
    assert first[0]["note_markers"] == [
        {"start": 10, "end": 13, "resolved": True, "note_id": first[1]["note_id"]}
    ]
    assert lines.unresolved == 0
    assert write_lines(load(OWN / "proj-02-marker-lengths.json")).unresolved == 2
    reasons = {
        "proj-19-heading-over-paragraphs": "a heading goes over several paragraphs",
        "proj-16-span-in-separator": "a separator after a paragraph is not two line feeds",
        "proj-12-two-byte-heading": "a heading is not made of whole paragraphs",
        "own-12-before-and-order-mark": "a book has a `before`",
        "enum-12-empty-book-and-chapter": "a book or chapter is empty",
        "int-11-unique-beside-pending": "it injects a failure",
        "int-06-overlapping-markers": "its outcome is a refusal",
    }
    for name, reason in reasons.items():
        with pytest.raises(NotWritable, match=reason):
            write_lines(load(OWN / f"{name}.json"))
