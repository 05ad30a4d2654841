"""Grouping is by compared bytes; digests index and never decide; verification reads the core again."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.artifact.reader import Artifact
from tekrar.build import ByteSource, build
from tekrar.build.source import Witness
from tekrar.core.exact import collect_groups, colliding_rows
from tekrar.errors import IntegrityError
from tests.oracle.document import read
from tests.oracle.run import both, build_document, release_of
from tests.property.test_build_against_oracle import weak
from tests.small import Built, document, mark

SOURCE = document([[["A.", "B."], ["C."]], [["A.", "B."]], [["D.", "E."]]])


def told(result: Any, short: str) -> Any:
    return next(p for p in result.profiles if p.profile.spec.short == short)


@pytest.mark.req("CL-04", "VAL-05", "CL-01", "CL-03")
def test_classes_are_an_equivalence_over_complete_preimages() -> None:
    source = mark(
        document([[["A.", "x[1]"], ["A.", "x[1]"]], [["A.", "x[2]"]], [["A.", "x"]], [["A.", "Y."]] * 2]),
        "note_markers",
        "[1]",
    )
    source = mark(source, "note_markers", "[2]")
    result, evaluation = both(source)
    for profile in result.profiles:
        truth = evaluation.profiles[profile.profile.spec.short]
        groups, seen = profile.classes.groups, set()
        assert not profile.partial
        offset = groups.offset.tolist()
        contents = []
        for low, high in itertools.pairwise(offset):
            members = groups.rows[low:high].tolist()
            assert len(set(members)) == len(members) >= 2
            assert not seen & set(members)
            seen |= set(members)
            shown = {truth.occurrences[i].preimage for i in members}
            assert len(shown) == 1
            contents += shown
        assert len(set(contents)) == len(contents)


@pytest.mark.req("CL-02")
def test_members_stand_in_document_order(tmp_path: Path) -> None:
    built = Built(document([[["B."], ["A."], ["B."], ["A."], ["B."]]]), tmp_path)
    profile = built.artifact.profile("FP")
    starts = [[profile.extent(r)[0] for r in profile.class_members(n).tolist()] for n in range(2)]
    assert starts == [sorted(s) for s in starts] == [[0, 8, 16], [4, 12]]


@pytest.mark.req("EX-08", "EX-09", "VAL-03")
@pytest.mark.parametrize("purposes", [("fingerprint",), ("member",), ("fingerprint", "member")])
def test_a_constant_digest_makes_no_class_of_unequal_members(purposes: tuple[str, ...]) -> None:
    result = build_document(SOURCE, digest=weak(purposes, 0))
    for short in ("FS", "PS"):
        profile = told(result, short)
        assert not len(profile.classes.groups)
        assert len(profile.partition.failed) == profile.rows
        assert set(profile.partition.failure.tolist()) == {2}
        assert str(result.status[short]) == "partial"
    for short in ("FP", "PP"):
        paragraphs = told(result, short)
        if "fingerprint" in purposes:
            assert len(paragraphs.partition.failed) == paragraphs.rows
        else:
            assert str(result.status[short]) == "complete"
            assert len(paragraphs.classes.groups) == 1


@pytest.mark.req("EX-09")
def test_a_bucket_is_never_split_by_bytes() -> None:
    """A and B collide: the two equal A are no class either; C, in a bucket of its own, is pending."""

    def digest(purpose: str, data: bytes) -> bytes:
        collide = purpose == "fingerprint" and (data.endswith(b"A.") or data.endswith(b"B."))
        return b"\1" * 32 if collide else hashlib.sha256(data).digest()

    source = document([[["A."], ["B."], ["A."], ["C."], ["C."], ["D."]]])
    result = build_document(source, digest=digest)
    profile = told(result, "FP")
    assert profile.partition.failed.tolist() == [0, 1, 2]
    assert profile.partition.provisional.tolist() == [3, 4]
    assert profile.partition.not_evaluated.tolist() == [5]
    assert profile.partition.pending.tolist() == [2]
    assert not len(profile.classes.id)


@pytest.mark.req("EX-09", "EX-08")
@pytest.mark.parametrize("workers", [1, 2, 5])
def test_a_collision_of_unique_items_is_found_across_shards(workers: int) -> None:
    """Two runs that have no equal, the first and the last of all, share a fingerprint."""
    source = document([[[f"{c}{i}." for i in range(20)]] for c in "xyz"])
    plain = {s: told(build_document(source), s).fingerprint for s in ("FS", "PS")}
    chosen = {value[row].tobytes() for value in plain.values() for row in (0, len(value) - 1)}
    assert len(chosen) == 4

    def digest(purpose: str, data: bytes) -> bytes:
        value = hashlib.sha256(data).digest()
        return b"\7" * 32 if purpose == "fingerprint" and value in chosen else value

    result = build_document(source, digest=digest, workers=workers, batch=4)
    for short, value in plain.items():
        assert told(result, short).partition.failed.tolist() == [0, len(value) - 1]
        assert str(result.status[short]) == "partial"


@pytest.mark.req("EX-09")
def test_a_digest_that_is_no_function_of_its_bytes_is_refused() -> None:
    calls = iter(range(10**6))

    def digest(purpose: str, data: bytes) -> bytes:
        return hashlib.sha256(data + bytes([next(calls) % 256]) * (purpose == "fingerprint")).digest()

    with pytest.raises(IntegrityError, match="different fingerprints"):
        build_document(SOURCE, digest=digest)


def corrupting(data: bytearray, at: int, when: Callable[[str, int], bool]) -> Callable[[str, bytes], bytes]:
    """A digest function that flips one core byte once, at the call chosen."""
    count = {"member": 0, "fingerprint": 0}
    done: list[bool] = []

    def digest(purpose: str, preimage: bytes) -> bytes:
        value = hashlib.sha256(preimage).digest()
        count[purpose] += 1
        if when(purpose, count[purpose]) and not done:
            data[at] ^= 1
            done.append(True)
        return value

    return digest


@pytest.mark.req("EX-12", "EX-08")
@pytest.mark.parametrize("purpose", ["member", "fingerprint"])
@pytest.mark.parametrize("place", [0, 3, -4])
def test_a_core_byte_that_changes_under_the_build_is_an_integrity_error(
    purpose: str, place: int, tmp_path: Path
) -> None:
    data = bytearray(read(SOURCE).text)
    release = release_of(SOURCE, tmp_path / "r")
    digest = corrupting(data, place, lambda p, n: p == purpose and n == 3)
    with pytest.raises(IntegrityError) as caught:
        build(release, out=tmp_path / "a", source=ByteSource(data), digest=digest, engine="hashlib")
    assert caught.value.kind == "witness_changed"
    assert not (tmp_path / "a").exists()


@pytest.mark.req("EX-12", "EX-08")
@pytest.mark.parametrize("stage", ["paragraphs", "runs"])
def test_verification_reads_the_core_and_no_copy_of_it(
    stage: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With the buffer's last digest switched off, the comparison of members alone finds the changed byte."""
    data = bytearray(read(SOURCE).text)
    release = release_of(SOURCE, tmp_path / "r")
    calls: list[str] = []

    def counting(purpose: str, preimage: bytes) -> bytes:
        calls.append(purpose)
        return hashlib.sha256(preimage).digest()

    build(release, source=ByteSource(bytes(data)), digest=counting, engine="hashlib")
    fingerprints = {"paragraphs": calls.index("member"), "runs": calls.count("fingerprint")}
    monkeypatch.setattr(Witness, "check_unchanged", lambda self: None)
    seen = {"n": 0}

    def digest(purpose: str, preimage: bytes) -> bytes:
        seen["n"] += purpose == "fingerprint"
        if seen["n"] == fingerprints[stage] and purpose == "fingerprint":
            data[0] ^= 1
        return hashlib.sha256(preimage).digest()

    with pytest.raises(IntegrityError) as caught:
        build(release, source=ByteSource(data), digest=digest, engine="hashlib")
    assert caught.value.kind == "witness_changed"
    assert seen["n"] == fingerprints[stage]


@pytest.mark.req("CL-05", "REL-02")
def test_a_source_with_other_bytes_is_refused_and_a_short_one_too(tmp_path: Path) -> None:
    release = release_of(SOURCE, tmp_path / "r")
    text = bytearray(read(SOURCE).text)
    for bad in (bytes(text[:-1]), bytes(text) + b"x", bytes(text[:5]) + b"?" + bytes(text[6:])):
        with pytest.raises(IntegrityError) as caught:
            build(release, source=ByteSource(bad), engine="hashlib")
        assert caught.value.kind == "source_differs"
    with pytest.raises(IntegrityError) as caught:
        build(
            release, source=ByteSource(bytes(text[:5]) + b"?" + bytes(text[6:]), ((0, 2),)), engine="hashlib"
        )
    assert caught.value.kind == "source_differs"


@pytest.mark.req("CL-05", "COV-10")
@pytest.mark.parametrize(
    "name", ["profile", "text-release", "inventory-count", "compiler-vectors", "preimages-verified"]
)
def test_each_missing_certification_leaves_a_profile_incomplete(name: str) -> None:
    from tekrar.build.certify import RECORDS
    from tekrar.core.coverage import exact_status

    result = build_document(SOURCE)
    for profile in result.profiles:
        assert set(profile.validation) == set(RECORDS)
        facts = {k: v for k, v in profile.validation.items() if k != name}
        assert str(exact_status(profile.partition, validation=facts, required=RECORDS)) == "partial"
        assert (
            str(exact_status(profile.partition, validation=profile.validation, required=RECORDS))
            == "complete"
        )


@pytest.mark.req("CL-05")
def test_a_wrong_vector_or_inventory_stops_the_build(monkeypatch: pytest.MonkeyPatch) -> None:
    from tekrar.build import certify

    monkeypatch.setattr(certify, "run_universe", lambda counts: 1)
    with pytest.raises(IntegrityError) as caught:
        build_document(SOURCE)
    assert caught.value.kind == "inventory_count"
    monkeypatch.undo()
    certify.vectors_digest.cache_clear()
    monkeypatch.setattr(certify, "check_vectors", _refuse)
    with pytest.raises(IntegrityError, match="vector"):
        build_document(SOURCE)
    monkeypatch.undo()
    certify.vectors_digest.cache_clear()
    build_document(SOURCE)


def _refuse(stated: object) -> None:
    raise IntegrityError("a vector does not hold")


def test_groups_and_collisions_of_numbers() -> None:
    import numpy as np

    groups = collect_groups(np.array([5, -1, 5, 7, 7, 5, 9]), np.array([1, 1, 1, 1, 0, 1, 1], bool))
    assert groups.rows.tolist() == [0, 2, 5]
    assert groups.offset.tolist() == [0, 3]
    prints = np.zeros((7, 32), np.uint8)
    for row in (1, 3, 6):
        prints[row, 0] = row
    assert colliding_rows(prints, groups, np.array([1, 3, 6])).tolist() == []
    prints[6] = prints[0]
    assert colliding_rows(prints, groups, np.array([1, 3, 6])).tolist() == [0, 2, 5, 6]


@pytest.mark.req("COV-03", "CL-03")
def test_every_matched_item_carries_exactly_one_class(tmp_path: Path) -> None:
    artifact = Artifact(Built(SOURCE, tmp_path).path)
    for short in ("FP", "FS", "PP", "PS"):
        matched, classes = artifact.profile(short).matched, artifact.profile(short).classes
        rows = matched["row"].tolist()
        assert len(set(rows)) == len(rows)
        assert all(0 <= c < len(classes["size"]) for c in matched["class"].tolist())
        assert classes["witness"].any(axis=1).all()


def test_the_oracle_finds_a_dominator_only_by_bijection() -> None:
    from tests.oracle.evaluation import dominates

    assert dominates({(0, 0, 3), (1, 0, 3)}, {(0, 1, 2), (1, 1, 2)}) == (1, 0)
    assert dominates({(0, 0, 3), (1, 0, 3)}, {(0, 1, 2), (1, 0, 2)}) is None
    assert dominates({(0, 0, 3)}, {(0, 0, 2), (1, 0, 2)}) is None
    assert dominates({(0, 0, 2)}, {(0, 0, 2)}) is None
