"""What a build commits, accepts and refuses before any class is issued."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.build import ByteSource, build, pipeline, records
from tekrar.errors import IntegrityError, UsageError
from tests.oracle.run import build_document, release_of
from tests.small import document

SOURCE = document([[["A.", "B.", "C."]], [["A.", "B.", "C."]], [["D.", "E."]]])


@pytest.mark.req("COV-01")
def test_an_item_dropped_after_the_commit_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    """The work root stands before evaluation; a universe that loses its last run afterwards is refused."""
    real = pipeline.Pipeline._decide_runs

    def shorter(self: Any, profile: Any, projection: Any, runs: Any, *rest: Any, **more: Any) -> Any:
        result = real(self, profile, projection, runs, *rest, **more)
        if profile.spec.short == "PS":
            reach = result.universe.reach.copy()
            reach[np.flatnonzero(reach > 1)[-1]] -= 1
            result.universe = type(runs)(runs.start, runs.end, reach)
            result.partition = _without_last(result.partition)
            result.evaluated = result.evaluated[:-1]
        return result

    monkeypatch.setattr(pipeline.Pipeline, "_decide_runs", shorter)
    monkeypatch.setattr(pipeline, "verify_atoms", lambda *args, **more: None)
    with pytest.raises(IntegrityError) as refused:
        build_document(SOURCE)
    assert refused.value.kind == "work_root"


def _without_last(partition: Any) -> Any:
    from dataclasses import replace

    last = max(int(rows[-1]) for rows in (partition.matched, partition.unique) if len(rows))
    keep = partition.matched != last
    return replace(
        partition,
        matched=partition.matched[keep],
        matched_class=partition.matched_class[keep],
        unique=partition.unique[partition.unique != last],
        published=partition.published[partition.published != last],
        dominated=partition.dominated[partition.dominated != last],
    )


@pytest.mark.req("CL-05", "COV-10", "REL-02")
@pytest.mark.parametrize("name", ["profile", "text-release", "inventory-count", "compiler-vectors"])
def test_without_a_certification_no_class_is_accepted(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A record that is missing before acceptance leaves groups provisional and nothing certified unique."""
    real = records.validation_records

    def without(*args: Any, **more: Any) -> dict[str, bytes]:
        return {key: value for key, value in real(*args, **more).items() if key != name}

    monkeypatch.setattr(pipeline, "validation_records", without)
    result = build_document(SOURCE)
    for profile in result.profiles:
        assert str(profile.coverage.status) == "partial"  # type: ignore[union-attr]
        assert not len(profile.classes.id)
        assert not len(profile.partition.unique)
        assert len(profile.partition.provisional) == len(profile.partition.matched) > 0


@pytest.mark.req("PRJ-11")
def test_unreadable_ranges_of_no_byte_say_nothing(tmp_path: Path) -> None:
    release = release_of(SOURCE, tmp_path / "r")
    text = _text(release)
    plain = build(release, engine="hashlib")
    for ranges in (((3, 3),), ((0, 0), (len(text), len(text)))):
        assert (
            build(release, source=ByteSource(text, ranges), engine="hashlib").artifact_root
            == plain.artifact_root
        )


@pytest.mark.parametrize(
    "bad", [(5, 2), (-5, 3), (0, 10**9), (0.0, 3.5), (0, 2**70), (1, 2, 3), "ab", (True, 3)]
)
def test_odd_unreadable_ranges_are_refused(bad: Any, tmp_path: Path) -> None:
    release = release_of(SOURCE, tmp_path / "r")
    with pytest.raises(UsageError) as refused:
        build(release, source=ByteSource(_text(release), (bad,)), engine="hashlib")
    assert refused.value.kind == "bad_range"


@pytest.mark.parametrize("given", [b"", b"x", b"x" * 31, b"x" * 64, None, "x" * 32, 7, bytearray(32)])
@pytest.mark.parametrize("purpose", ["member", "fingerprint"])
def test_a_digest_of_another_shape_is_refused(purpose: str, given: Any, tmp_path: Path) -> None:
    release = release_of(SOURCE, tmp_path / "r")

    def digest(asked: str, data: bytes) -> Any:
        return given if asked == purpose else bytes(31) + data[-1:]

    with pytest.raises(UsageError) as refused:
        build(release, digest=digest, out=tmp_path / "a")
    assert refused.value.kind == "bad_digest"
    assert purpose in refused.value.message
    assert sorted(p.name for p in tmp_path.iterdir()) == ["r"]


@pytest.mark.parametrize(
    "arguments",
    [
        {"workers": "x"},
        {"workers": 1.5},
        {"workers": None},
        {"workers": 0},
        {"batch": True},
        {"defer": None},
        {"defer": [1]},
        {"defer": "b1/1:1+2"},
        {"out": 3},
        {"out": "a\x00b"},
        {"source": b"text"},
        {"source": ByteSource("text")},  # type: ignore[arg-type]
    ],
)
def test_arguments_of_another_kind_are_refused(arguments: dict[str, Any], tmp_path: Path) -> None:
    release = release_of(SOURCE, tmp_path / "r")
    with pytest.raises(UsageError) as refused:
        build(release, **arguments)
    assert refused.value.kind == "bad_argument"


def _text(release: Path) -> bytes:
    from tekrar.corpus.release_package import open_release

    return open_release(release).release.text
