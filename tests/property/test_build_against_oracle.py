"""Random documents: the build and the slow oracle agree on every fact, every ID and every root (ADR-009
whole)."""

from __future__ import annotations

import hashlib
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle.compare import assert_equal, expected, rules_of, told
from tests.oracle.document import read
from tests.oracle.documents import documents
from tests.oracle.evaluation import Evaluation
from tests.oracle.roots import artifact_root
from tests.oracle.run import MEMORY, both
from tests.small import Built, document, mark


@pytest.mark.req("EN-01", "EN-02", "EN-03", "EN-04", "EN-05", "EN-06", "EN-07", "EN-08", "EN-09", "EN-11")
@pytest.mark.req("PRJ-03", "PRJ-04", "PRJ-05", "PRJ-06", "PRJ-07", "PRJ-08", "OCC-01", "OCC-08", "VAL-02")
@pytest.mark.req("EX-01", "EX-02", "EX-03", "EX-07", "CL-01", "CL-02", "CL-04", "VAL-05")
@pytest.mark.req("DOM-01", "DOM-02", "DOM-03", "DOM-04", "DOM-05", "DOM-06", "DOM-11", "COV-02", "COV-08")
@pytest.mark.req("ID-01", "ID-02", "ID-06", "REL-10", "COV-01", "COV-06")
@settings(max_examples=120)
@given(source=documents())
def test_every_fact_id_and_root(source: dict[str, Any]) -> None:
    result, evaluation = both(source)
    assert_equal(result, evaluation)


@st.composite
def long_documents(draw: st.DrawFn) -> dict[str, Any]:
    """One long passage, in up to three chapters, each time perhaps cut, doubled or with one sentence
    changed."""
    words = draw(st.sampled_from([["A."], ["A.", "B."], [f"{i}." for i in range(15)]]))
    passage = (words * 15)[: draw(st.integers(11, 15))]
    chapters: list[list[list[str]]] = []
    for _ in range(draw(st.integers(1, 3))):
        low = draw(st.integers(0, 2))
        taken = passage[low:]
        if draw(st.booleans()):
            taken[draw(st.integers(0, len(taken) - 1))] = draw(st.sampled_from(["A.", "x[1]", "Z."]))
        cut = draw(st.integers(0, len(taken)))
        chapters.append([part for part in (taken[:cut], taken[cut:]) if part])
    source = document(chapters)
    if b"[1]" in read(source).text:
        source = mark(source, "note_markers", "[1]")
    if b"Z." in read(source).text:
        source = mark(source, draw(st.sampled_from(["headings", "note_bodies"])), "Z.", only=0)
    return source


@pytest.mark.req("DOM-02", "DOM-03", "DOM-04", "DOM-05", "DOM-06", "DOM-11", "EN-12")
@settings(max_examples=40)
@given(source=long_documents())
def test_repeats_longer_than_the_bound(source: dict[str, Any]) -> None:
    result, evaluation = both(source)
    assert_equal(result, evaluation)


@pytest.mark.req("COV-03", "OCC-01", "PRO-07", "ID-02")
@settings(max_examples=12)
@given(source=documents())
def test_the_artifact_on_disk_says_the_same(source: dict[str, Any]) -> None:
    with TemporaryDirectory(dir=MEMORY) as place:
        built = Built(source, Path(place))
        evaluation = Evaluation(read(source), rules_of(built.result))
        assert built.artifact.artifact_root == artifact_root(evaluation)
        for short, truth in evaluation.profiles.items():
            assert_on_disk(built, short, expected(truth))


def assert_on_disk(built: Built, short: str, wanted: dict[str, Any]) -> None:
    """The tables of one profile hold what is expected, row by row."""
    profile = built.artifact.profile(short)
    rows = range(profile.rows)
    assert [profile.extent(row) for row in rows] == wanted["extents"]
    assert [row.tobytes() for row in profile.occurrences["occurrence"]] == wanted["occurrences"]
    assert [row.tobytes() for row in profile.selection] == wanted["selections"]
    roots = [row.tobytes() for row in profile.table("witnesses")["root"]]
    assert [roots[w] for w in profile.occurrences["witness"].tolist()] == wanted["mask_roots"]
    spans = profile.table("witness-spans")
    names = ("start", "end", "kind", "treatment", "reason")
    listed = list(zip(spans["witness"].tolist(), *(spans[name].tolist() for name in names), strict=True))
    for row, witness in zip(rows, profile.occurrences["witness"].tolist(), strict=True):
        assert sorted(s[1:] for s in listed if s[0] == witness) == wanted["witnesses"][row]
    assert profile.matched["row"].tolist() == wanted["matched"]
    for table, fact in (("evaluated-unique", "unique"), ("excluded", "excluded"), ("published", "published")):
        assert profile.table(table)["row"].tolist() == wanted[fact]
    numbers = range(len(profile.classes["size"]))
    assert [profile.class_members(number).tolist() for number in numbers] == wanted["classes"]
    assert [row.tobytes() for row in profile.classes["class"]] == wanted["class_ids"]
    dominated = {
        n: tuple(int(profile.classes[name][n]) for name in ("winner", "left", "right"))
        for n in numbers
        if profile.classes["winner"][n] >= 0
    }
    assert dominated == wanted["dominated"]


def addresses(source: dict[str, Any]) -> list[str]:
    """Every paragraph and run of a document, as the oracle calls them."""
    document = read(source)
    found = []
    for chapter in document.chapters:
        found += [p.address for p in chapter.paragraphs if p.sentences]
        n = len(chapter.sentences)
        found += [f"{chapter.address}:{i + 1}+{k}" for i in range(n) for k in range(2, min(12, n - i) + 1)]
    return found


@st.composite
def open_documents(draw: st.DrawFn) -> tuple[dict[str, Any], tuple[tuple[int, int], ...], tuple[str, ...]]:
    """A document with some occurrences put off and some bytes, of sentences or of separators, unreadable."""
    source = draw(documents())
    defer: list[str] = []
    ranges: list[tuple[int, int]] = []
    if names := addresses(source):
        defer = draw(st.lists(st.sampled_from(names), max_size=3, unique=True))
    atoms = [a for a in read(source).atoms if a.end > a.start]
    if atoms:
        for atom in draw(st.lists(st.sampled_from(atoms), max_size=2)):
            low = draw(st.integers(atom.start, atom.end - 1))
            ranges.append((low, draw(st.integers(low + 1, atom.end + 2))))
    return source, tuple((a, min(b, len(read(source).text))) for a, b in ranges), tuple(defer)


@pytest.mark.req("COV-04", "COV-05", "COV-07", "PRJ-11", "VAL-11", "REL-02", "REL-03", "COV-11")
@settings(max_examples=100)
@given(case=open_documents())
def test_deferred_and_unreadable_items(case: Any) -> None:
    source, unreadable, defer = case
    result, evaluation = both(source, unreadable=unreadable, defer=defer)
    assert_equal(result, evaluation)


def weak(purposes: tuple[str, ...], bits: int) -> Any:
    """SHA-256 cut to some bits for the purposes named, whole for the others."""

    def digest(purpose: str, data: bytes) -> bytes:
        value = hashlib.sha256(data).digest()
        if purpose not in purposes:
            return value
        return (bytes([value[0] >> (8 - bits)]) if bits else b"\0") + bytes(31)

    return digest


@pytest.mark.req("EX-08", "EX-09", "VAL-03", "CL-05", "COV-10")
@settings(max_examples=60)
@given(source=documents(), bits=st.sampled_from([0, 3, 8]))
def test_a_weak_fingerprint_fails_whole_buckets(source: dict[str, Any], bits: int) -> None:
    result, evaluation = both(source, digest=weak(("fingerprint",), bits))
    assert_equal(result, evaluation)


@pytest.mark.req("EX-08", "EX-09", "VAL-03", "CL-05")
@settings(max_examples=60)
@given(source=documents(markers=False), bits=st.sampled_from([0, 2, 8]))
def test_a_weak_member_digest_fails_every_run_with_the_member(source: dict[str, Any], bits: int) -> None:
    result, evaluation = both(source, digest=weak(("member",), bits))
    assert_equal(result, evaluation)


@pytest.mark.req("EX-08", "EX-09")
@settings(max_examples=60)
@given(case=open_documents(), bits=st.sampled_from([0, 1, 4]))
def test_no_weak_digest_makes_a_class_of_unequal_members(case: Any, bits: int) -> None:
    source, unreadable, defer = case
    result, evaluation = both(
        source, unreadable=unreadable, defer=defer, digest=weak(("member", "fingerprint"), bits)
    )
    for profile in result.profiles:
        rows = evaluation.profiles[profile.profile.spec.short].occurrences
        for members in told(profile)["classes"]:
            assert len({rows[i].preimage for i in members}) == 1


@pytest.mark.req("EX-08", "EX-09")
def test_a_collision_with_the_other_projection_is_none_of_this_one() -> None:
    """Full context has one sentence content, prose_only has one: a constant member digest collides in
    neither."""
    source = mark(document([[["x[1]", "x[1]"]], [["x[1]", "x[1]"]]]), "note_markers", "[1]")
    result, evaluation = both(source, digest=weak(("member",), 0))
    assert_equal(result, evaluation)


@pytest.mark.req("EX-09")
def test_what_stands_at_unreadable_places_does_not_matter() -> None:
    source = document([[["A.", "B.", "B."]], [["B.", "B."]]])
    result, evaluation = both(source, unreadable=((0, 2),), digest=weak(("member",), 0))
    assert_equal(result, evaluation)


@pytest.mark.req("COV-04")
def test_an_unreadable_range_of_no_byte_hides_nothing() -> None:
    """Its runs are readable, so they must be grouped: equal ones are matched, never unique."""
    source = document([[["A.", "A.", "A."]]])
    result, evaluation = both(source, unreadable=((1, 1),))
    assert_equal(result, evaluation)
