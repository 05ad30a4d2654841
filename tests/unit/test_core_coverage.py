"""The work universe is partitioned exactly, every part says why, and completeness is earned."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.build import ByteSource, artifact_root, build
from tekrar.core.coverage import Partition, check_partition
from tekrar.core.policy import FAILURE_CODES, PENDING_CODES
from tekrar.errors import IntegrityError, UsageError
from tests.oracle.document import read
from tests.oracle.run import build_document, release_of
from tests.small import Built, document, mark

I64 = np.int64


def ints(*values: int) -> Any:
    return np.array(values, I64)


def codes(*values: int) -> Any:
    return np.array(values, np.uint8)


GOOD = Partition(
    matched=ints(0, 1, 5, 6),
    matched_class=ints(0, 0, 1, 1),
    unique=ints(2),
    not_evaluated=ints(),
    pending=codes(),
    excluded=ints(3),
    failed=ints(4),
    failure=codes(1),
    published=ints(0, 1),
    dominated=ints(5, 6),
    provisional=ints(),
)


@pytest.mark.req("COV-02", "COV-08", "COV-09", "COV-11")
@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"unique": ints()}, "row 2 stands in no part"),
        ({"unique": ints(2, 3)}, "row 3 stands in evaluated_unique and excluded"),
        ({"failed": ints(4, 9)}, "part failed is not strictly ascending"),
        ({"not_evaluated": ints(2)}, "row 2 stands in evaluated_unique and not_evaluated"),
        ({"matched": ints(0, 1, 6, 5)}, "not strictly ascending"),
        ({"matched": ints(0, 0, 1, 5, 6)}, "not strictly ascending"),
        ({"published": ints(0)}, "row 1 stands in no part"),
        ({"dominated": ints(1, 5, 6)}, "row 1 stands in published and dominated"),
        ({"provisional": ints(2)}, "row 2 stands in provisional"),
    ],
)
def test_parts_must_be_disjoint_and_exhaustive(change: dict[str, Any], message: str) -> None:
    check_partition(7, GOOD, where="x")
    with pytest.raises(IntegrityError, match=message):
        check_partition(7, replace(GOOD, **change), where="x")


SOURCE = mark(document([[["H."], ["A.", "B."], []], [["A.", "B."]], [["C."]]]), "headings", "H.")


@pytest.mark.req("COV-12", "COV-09", "DOM-09")
def test_coverage_counts_five_parts_apart_and_they_add_up(tmp_path: Path) -> None:
    built = Built(SOURCE, tmp_path)
    for short in ("FP", "FS", "PP", "PS"):
        c = built.artifact.manifest["profiles"][short]["coverage"]
        parts = [c[n] for n in ("matched", "evaluated_unique", "excluded", "failed", "not_evaluated")]
        assert c["emitted"] == sum(parts) == len(built.addresses(short))
        assert c["inventory"] == c["emitted"] + c["enumeration_exclusions"]
        assert c["matched"] == c["published_items"] + c["dominated_items"] + c["provisional_items"]
        assert c["discovered_classes"] == c["dominated_classes"] + c["published_classes"]
        assert {"rejected_candidates", "provisional_groups"} <= set(c)
        tables = {
            "matched": "matched", "evaluated-unique": "evaluated_unique", "excluded": "excluded",
            "failed": "failed", "not-evaluated": "not_evaluated",
        }  # fmt: skip
        for table, name in tables.items():
            assert len(built.rows(short, table)) == c[name]
    assert built.artifact.manifest["profiles"]["PP"]["coverage"]["excluded"] == 1


@pytest.mark.req("COV-13", "COV-14", "REL-02")
def test_semantic_status_is_apart_and_never_follows_from_exact_status(tmp_path: Path) -> None:
    complete = build_document(SOURCE)
    partial = build_document(SOURCE, defer=["b1/1/p2"])
    assert str(complete.status["FP"]) == "complete"
    assert str(partial.status["FP"]) == "partial"
    told = [r.coverage["FP"].as_record()["semantic_status"] for r in (complete, partial)]
    assert told == ["not_assessed", "not_assessed"]


@pytest.mark.req("COV-04", "COV-05", "REL-03", "VAL-11", "COV-10")
def test_a_deferred_item_leaves_nothing_unique_and_nothing_published(tmp_path: Path) -> None:
    built = Built(SOURCE, tmp_path, defer=["b1/3/p1"])
    assert built.rows("FP", "not-evaluated") == {"b1/3/p1", "b1/1/p1"}
    assert built.rows("FP", "evaluated-unique") == built.rows("FP", "published") == set()
    assert built.rows("FP", "provisional") == {"b1/1/p2", "b1/2/p1"}
    profile = built.artifact.profile("FP")
    table = profile.table("not-evaluated")
    held = dict(zip(table["row"].tolist(), table["code"].tolist(), strict=True))
    assert held[built.row("FP", "b1/3/p1")] == PENDING_CODES["pending_evaluation"]
    assert held[built.row("FP", "b1/1/p1")] == PENDING_CODES["pending_peer_universe"]
    assert len(profile.classes["class"]) == 0
    assert profile.partial
    statuses = {
        s: built.artifact.manifest["profiles"][s]["coverage"]["exact_status"]
        for s in ("FP", "FS", "PP", "PS")
    }
    assert statuses == {"FP": "partial", "FS": "complete", "PP": "partial", "PS": "complete"}


@pytest.mark.req("COV-07", "PRJ-11", "COV-04")
def test_an_unreadable_byte_is_a_typed_failure_and_no_exclusion(tmp_path: Path) -> None:
    text = read(SOURCE).text
    low = text.index(b"C.")
    broken = ByteSource(text[:low] + b"\0\0" + text[low + 2 :], ((low, low + 2),))
    built = Built(SOURCE, tmp_path, source=broken)
    for short in ("FP", "PP"):
        assert built.rows(short, "failed") == {"b1/3/p1"}
        assert built.artifact.profile(short).table("failed")["code"].tolist() == [
            FAILURE_CODES["missing_witness_bytes"]
        ]
        assert built.rows(short, "evaluated-unique") == set()
    assert built.rows("PP", "excluded") == {"b1/1/p1"}
    for short, whole in (("FP", False), ("FS", True), ("PP", False), ("PS", True)):
        stated = built.artifact.manifest["profiles"][short]
        assert ("text-release" in stated["validation"]) is whole
        assert stated["coverage"]["exact_status"] == ("complete" if whole else "partial")


@pytest.mark.req("COV-05", "COV-07", "PRJ-10")
def test_the_reason_lists_are_closed_and_a_build_writes_no_other(tmp_path: Path) -> None:
    assert list(PENDING_CODES) == ["pending_evaluation", "pending_peer_universe", "pending_verification"]
    assert list(FAILURE_CODES) == ["missing_witness_bytes", "digest_collision"]
    built = Built(SOURCE, tmp_path, defer=["b1/3/p1"])
    for short in ("FP", "FS", "PP", "PS"):
        profile = built.artifact.profile(short)
        assert set(profile.table("not-evaluated")["code"].tolist()) <= {1, 2, 3}
        assert set(profile.table("failed")["code"].tolist()) <= {1, 2}


@pytest.mark.req("COV-08")
def test_an_item_excluded_for_two_reasons_is_one_row(tmp_path: Path) -> None:
    source = mark(mark(document([[["H. N.", "A."]]]), "headings", "H."), "note_bodies", "N.")
    built = Built(source, tmp_path)
    assert built.rows("PP", "excluded") == {"b1/1/p1"}
    assert len(built.artifact.profile("PP").table("excluded")["row"]) == 1


@pytest.mark.req("COV-11")
def test_a_row_in_no_part_is_an_integrity_error_and_never_unique(tmp_path: Path) -> None:
    built = Built(SOURCE, tmp_path)
    profile = built.artifact.profile("FP")
    row = built.row("FP", "b1/3/p1")
    assert profile.part_of(row) == ("evaluated-unique", None)
    with pytest.raises(IntegrityError, match="stands in 0 parts"):
        profile.part_of(10_000)


@pytest.mark.req("COV-01", "REL-01", "REL-10")
def test_the_artifact_root_binds_every_named_root() -> None:
    result = build_document(SOURCE)
    names = [name for name, _ in result.roots]
    kinds = {name.rpartition("/")[2] for name in names[5:]}
    assert len(names) == 5 + 4 * 20
    assert names[:5] == [
        "text-release",
        "dataset/headings",
        "dataset/note-bodies",
        "dataset/note-markers",
        "policy",
    ]
    assert {"work", "inventory", "evidence", "classes", "membership", "validation", "compiler"} <= kinds
    base = artifact_root(result.roots)
    assert base == result.artifact_root
    for i, (name, root) in enumerate(result.roots):
        flipped = bytes([root[0] ^ 1]) + root[1:]
        assert artifact_root([*result.roots[:i], (name, flipped), *result.roots[i + 1 :]]) != base
        assert artifact_root([*result.roots[:i], *result.roots[i + 1 :]]) != base


@pytest.mark.req("COV-01")
def test_the_work_root_is_fixed_by_geometry_alone(tmp_path: Path) -> None:
    """Whatever the evaluation gives, the committed universe is the same."""
    release = release_of(SOURCE, tmp_path / "r")
    runs = [
        build(release, engine="hashlib"),
        build(release, engine="hashlib", defer=["b1/3/p1", "b1/1:1+2"]),
        build(release, engine="hashlib", digest=lambda purpose, data: bytes(32)),
    ]
    for kind in ("work", "inventory"):
        roots = [{name: root for name, root in r.roots if name.endswith("/" + kind)} for r in runs]
        assert roots[0] == roots[1] == roots[2]
        assert len(roots[0]) == 4
    assert len({r.artifact_root for r in runs}) == 3


@pytest.mark.parametrize("item", ["b1/9/p1", "b9/1/p1", "b1/1/p3", "b1/1/p9", "b1/3:1+2", "x", "12"])
def test_a_deferral_that_puts_nothing_off_is_refused(item: str) -> None:
    from tekrar.errors import TekrarError

    with pytest.raises(TekrarError) as caught:
        build_document(SOURCE, defer=[item])
    assert caught.value.code in (UsageError.code, "not_found")


@pytest.mark.req("COV-05")
def test_an_occurrence_id_defers_in_its_own_profile_only(tmp_path: Path) -> None:
    from tekrar.core.identity import uuid_text

    plain = Built(SOURCE, tmp_path / "1")
    deferred = uuid_text(plain.id("FP", "b1/3/p1"))
    built = Built(SOURCE, tmp_path / "2", defer=[deferred])
    assert "b1/3/p1" in built.rows("FP", "not-evaluated")
    assert built.rows("PP", "not-evaluated") == set()
