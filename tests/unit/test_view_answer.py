"""Answers about occurrences: the status comes from the partition, and a broken one never reads as unique."""

from pathlib import Path

import numpy as np
import pytest

from tekrar.artifact.reader import Artifact
from tekrar.build import ByteSource, build
from tekrar.core.coverage import PARTS
from tekrar.corpus.release_package import open_release
from tekrar.errors import IntegrityError, NotFoundError, UsageError
from tekrar.view.answer import Answer, answer_for
from tekrar.view.open import Corpus, open_corpus
from tekrar.view.query import find
from tekrar.view.records import absent_record, answer_record, full_class
from tekrar.view.status import STATUS_OF_PART, NoOccurrence, Presentation, QueryStatus
from tekrar.view.wording import why
from tests.unit.reading_corpus import altered, built, garden, imported, without

Paths = tuple[Path, Path]


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    return built(garden(), tmp_path_factory.mktemp("garden"))


@pytest.fixture(scope="module")
def corpus(paths: Paths) -> Corpus:
    return open_corpus(*paths)


def ask(corpus: Corpus, query: str, profile: str) -> Answer:
    ((view, row),) = find(corpus, query, profile=profile).rows
    return answer_for(view, row)


@pytest.mark.req("DOM-08")
def test_the_vocabulary_is_closed_and_every_part_has_one_status() -> None:
    wanted = (
        "matched unique not_evaluated excluded pending unselected rejected retired ambiguous integrity_error"
    )
    assert [str(status) for status in QueryStatus] == wanted.split()
    assert {part.replace("-", "_") for part in STATUS_OF_PART} == set(PARTS)
    assert STATUS_OF_PART["evaluated-unique"] is QueryStatus.UNIQUE
    assert STATUS_OF_PART["failed"] is QueryStatus.INTEGRITY_ERROR
    assert len(set(STATUS_OF_PART.values())) == len(PARTS)
    assert {str(p) for p in Presentation} == {"published", "dominated", "provisional"}
    assert str(NoOccurrence.NOT_COVERED) not in {str(status) for status in QueryStatus}


@pytest.mark.req("DOM-07")
def test_a_dominated_run_is_matched_and_says_by_what(corpus: Corpus) -> None:
    answer = ask(corpus, "Bahçe/1:3+2", "FS")
    assert (answer.status, answer.presentation) == (QueryStatus.MATCHED, Presentation.DOMINATED)
    assert answer.number is not None
    record = full_class(corpus, answer.view, answer.number, context=0)
    assert [m["address"] for m in record["members"]] == ["Bahçe/1:3+2", "Bahçe/2:2+2"]
    by = record["dominated_by"]
    assert (by["left"], by["right"], by["length"], by["size"]) == (1, 1, 4, 2)
    longest = ask(corpus, "Bahçe/1:2+4", "FS")
    assert longest.number is not None
    whole = full_class(corpus, longest.view, longest.number, context=0)
    assert by["class_id"] == record["dominator"] == whole["class_id"]
    assert (whole["dominated_by"], whole["dominates"], whole["status"]) == (None, 3, "published")
    assert "dominated" in why(answer)
    assert "rejected" not in why(answer)


def test_one_text_has_different_statuses_in_different_profiles(corpus: Corpus) -> None:
    found = find(corpus, "Yol/1/p2").rows
    statuses = {view.short: answer_for(view, row).status for view, row in found}
    assert statuses == {"FP": QueryStatus.UNIQUE, "PP": QueryStatus.MATCHED}
    unique = ask(corpus, "Yol/1/p2", "FP")
    for word in ("FP", "exact_passage_bytes", corpus.artifact.text_release):
        assert word in why(unique)
    record = answer_record(corpus, unique, context=0)
    assert (record["profile"], record["predicate"]) == ("FP", "exact_passage_bytes")
    assert record["release"] == corpus.artifact.text_release


@pytest.mark.req("PRO-07", "COV-06")
def test_an_excluded_occurrence_names_reason_and_span(corpus: Corpus) -> None:
    answer = ask(corpus, "Bahçe/1:1+2", "PS")
    assert answer.status is QueryStatus.EXCLUDED
    assert answer.reasons == ["heading_marker_intersection"]
    record = answer_record(corpus, answer, context=0)
    (span,) = record["spans"]
    assert (span["text"], span["annotation"], span["treatment"]) == (
        "Kuyu Başı",
        "heading",
        "excluded_from_extent",
    )
    assert record["class"] is None
    assert "neither unique nor repeated" in record["why"]


def test_masks_are_shown_in_members(corpus: Corpus) -> None:
    answer = ask(corpus, "Yol/2/p2", "PP")
    assert answer.number is not None
    members = full_class(corpus, answer.view, answer.number, context=1)["members"]
    assert [m["text"] for m in members] == ["Su[1] az.", "Su[2] az."]
    assert [[x["text"] for x in m["masks"]] for m in members] == [["[1]"], ["[2]"]]
    assert members[1]["before"].startswith("الباب")
    assert answer.reasons == []


@pytest.mark.req("PRO-04")
@pytest.mark.parametrize("query", ["Bahçe/2:1+13", "Bahçe/2:1+1", "Bahçe/1:2+200"])
def test_what_no_enumerator_emits_is_not_covered_and_not_unique(corpus: Corpus, query: str) -> None:
    found = find(corpus, query)
    assert not found.rows
    record = absent_record(corpus, found)
    assert record["status"] == "not_covered"
    assert [e["enumerator"] for e in record["enumerators"]] == ["whole_paragraph_v1", "sentence_run_2_12_v1"]
    assert [e["universe"] for e in record["enumerators"]] == [view.rows for view in corpus.views()[:2]]


def test_an_empty_paragraph_is_an_enumeration_exclusion(corpus: Corpus) -> None:
    record = absent_record(corpus, find(corpus, "Bahçe/1/p3"))
    assert (record["status"], record["reasons"]) == ("excluded", ["empty_core_extent"])


def test_a_profile_that_enumerates_other_things_does_not_cover(corpus: Corpus) -> None:
    assert absent_record(corpus, find(corpus, "Bahçe/1/p2", profile="FS"))["status"] == "not_covered"


def test_ids_are_found_in_their_profile_and_unknown_ones_are_not(corpus: Corpus) -> None:
    for view in corpus.views():
        answer = answer_for(view, view.rows - 1)
        record = answer_record(corpus, answer, context=0)
        identity = record["occurrence"]["id"]
        assert find(corpus, identity).rows == ((view, view.rows - 1),)
        assert find(corpus, record["occurrence"]["address"], profile=view.short).rows == (
            (view, view.rows - 1),
        )
    identity = "2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11"
    for unknown in ("2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11", "0" * 64):
        with pytest.raises(NotFoundError) as refusal:
            find(corpus, unknown)
        assert refusal.value.kind == "unknown_id"
    with pytest.raises(UsageError):
        find(corpus, identity.upper())


@pytest.mark.req("COV-11")
@pytest.mark.parametrize(
    ("query", "profile", "table"),
    [
        ("Bahçe/2:5+2", "FS", "evaluated-unique"),
        ("Bahçe/1:1+2", "PS", "excluded"),
        ("Bahçe/1:2+4", "FS", "matched"),
        ("Bahçe/1:2+4", "FS", "published"),
    ],
)
def test_a_missing_row_is_an_integrity_error(
    paths: Paths, tmp_path: Path, query: str, profile: str, table: str
) -> None:
    artifact, release = paths
    row = ask(open_corpus(artifact, release), query, profile).row
    broken = without(artifact, tmp_path / "broken", table=f"{profile}/{table}", row=row)
    answer = ask(open_corpus(broken, release), query, profile)
    assert answer.status is QueryStatus.INTEGRITY_ERROR
    assert answer.problem
    assert "unique" not in why(answer).lower()


@pytest.mark.req("COV-11")
def test_a_row_in_two_parts_is_an_integrity_error(paths: Paths, tmp_path: Path) -> None:
    artifact, release = paths
    row = ask(open_corpus(artifact, release), "Bahçe/1:2+4", "FS").row
    unique = Artifact(artifact).columns("FS/evaluated-unique")["row"]
    both = altered(artifact, tmp_path / "twice", "FS/evaluated-unique", {"row": np.sort([*unique, row])})
    answer = ask(open_corpus(both, release), "Bahçe/1:2+4", "FS")
    assert (answer.status, answer.code) == (QueryStatus.INTEGRITY_ERROR, "in_no_part_or_several")


def test_members_that_do_not_add_up_are_refused(paths: Paths, tmp_path: Path) -> None:
    artifact, release = paths
    size = Artifact(artifact).columns("FS/classes")["size"].copy()
    size[0] += 1
    broken = altered(artifact, tmp_path / "sizes", "FS/classes", {"size": size})
    with pytest.raises(IntegrityError) as refusal:
        _ = open_corpus(broken, release).view("FS").classes
    assert refusal.value.kind == "bad_columns"


def test_deferred_items_are_not_evaluated_and_their_groups_provisional(tmp_path: Path) -> None:
    (tmp_path / "later.txt").write_text("Bahçe/1:2+2\n", "utf-8")
    paths = built(garden(), tmp_path, "--defer", str(tmp_path / "later.txt"))
    corpus = open_corpus(*paths)
    put_off = ask(corpus, "Bahçe/1:2+2", "FS")
    assert (put_off.status, put_off.code) == (QueryStatus.NOT_EVALUATED, "pending_evaluation")
    lonely = ask(corpus, "Bahçe/2:5+2", "FS")
    assert (lonely.status, lonely.code) == (QueryStatus.NOT_EVALUATED, "pending_peer_universe")
    peer = ask(corpus, "Bahçe/2:1+2", "FS")
    assert (peer.status, peer.presentation) == (QueryStatus.MATCHED, Presentation.PROVISIONAL)
    assert peer.number is not None
    group = full_class(corpus, peer.view, peer.number, context=0)
    assert (group["class_id"], group["dominator"], group["size"]) == (None, None, 2)
    assert find(corpus, group["group"], profile="FS").classes == ((peer.view, peer.number),)
    for answer in (put_off, lonely):
        assert "not known to be unique" in why(answer)


def test_missing_witness_bytes_are_answered_integrity_error_with_their_type(
    paths: Paths, tmp_path: Path
) -> None:
    _, release = paths
    corpus = open_corpus(*paths)
    start = int(corpus.release.sentence_start[7])
    text = bytearray(corpus.release.text)
    text[start : start + 2] = b"??"
    build(release, out=tmp_path / "holes", source=ByteSource(bytes(text), ((start, start + 2),)))
    holes = open_corpus(tmp_path / "holes", release)
    answer = ask(holes, "Bahçe/2:1+2", "FS")
    assert (answer.status, answer.code, answer.problem) == (
        QueryStatus.INTEGRITY_ERROR,
        "missing_witness_bytes",
        "",
    )
    assert "could not be read" in why(answer)


@pytest.mark.req("QRY-02", "QRY-03")
def test_answers_without_a_member_have_four_statuses(tmp_path: Path) -> None:
    """Equal empty member lists, told apart by the part that holds the row and by nothing else."""
    release = imported(garden(), tmp_path)
    plain = open_release(release).release
    start = int(plain.sentence_start[plain.chapter_sentence_start[1] + 4])
    text = bytearray(plain.text)
    text[start : start + 2] = b"??"
    source = ByteSource(bytes(text), ((start, start + 2),))
    build(release, out=tmp_path / "a", source=source, defer=["Yol/2/p1"], engine="hashlib")
    build(release, out=tmp_path / "b", engine="hashlib")
    holes, whole = (open_corpus(tmp_path / name, release) for name in "ab")
    asked = (
        (holes, "Yol/2/p1", "FP", "not_evaluated"),
        (holes, "Bahçe/2:4+2", "FS", "integrity_error"),
        (whole, "Bahçe/1:1+2", "PS", "excluded"),
        (whole, "Bahçe/2:4+2", "FS", "unique"),
    )
    for corpus, query, profile, status in asked:
        answer = ask(corpus, query, profile)
        record = answer_record(corpus, answer, context=0)
        assert (record["status"], record["class"], answer.number) == (status, None, None)
        part, _ = answer.view.profile.part_of(answer.row)
        assert answer.status is STATUS_OF_PART[part]


def test_a_release_of_another_artifact_is_refused(paths: Paths, tmp_path: Path) -> None:
    artifact, _ = paths
    _, other = built(garden(extra="Kapı kapalıydı."), tmp_path)
    with pytest.raises(IntegrityError) as refusal:
        open_corpus(artifact, other)
    assert refusal.value.kind == "other_release"
    assert str(other) in refusal.value.where
