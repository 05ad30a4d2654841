"""The pinned roots hold; a change of one is a change of identity."""

from __future__ import annotations

import json

import pytest

from tests.golden import CORPORA, PLACE, ROOTS, differences
from tests.oracle.roots import artifact_root
from tests.oracle.run import both


@pytest.mark.req("REB-01", "REL-01", "PRJ-13", "ID-06")
@pytest.mark.parametrize("name", CORPORA)
def test_the_pinned_roots_hold(name: str) -> None:
    found = differences(name)
    assert not found, "an identity changed; if that is meant: make golden, and announce it\n" + "\n".join(
        found
    )


@pytest.mark.req("CL-01", "PRJ-05", "DOM-02")
def test_the_golden_corpora_hold_what_they_are_for() -> None:
    pinned = json.loads(ROOTS.read_text("utf-8"))
    assert set(pinned) == set(CORPORA)
    for short in ("FP", "FS", "PP", "PS"):
        counts = [pinned[name]["profiles"][short]["coverage"] for name in CORPORA]
        assert all(c["matched"] for c in counts)
        assert all(c["evaluated_unique"] for c in counts)
        assert all(c["exact_status"] == "complete" for c in counts)
    for short in ("PP", "PS"):
        assert any(pinned[name]["profiles"][short]["coverage"]["excluded"] for name in CORPORA)
    assert any(pinned[name]["profiles"]["FS"]["coverage"]["dominated_classes"] for name in CORPORA)


@pytest.mark.req("REB-01", "ID-06")
def test_the_slow_oracle_computes_the_pinned_root_too() -> None:
    source = json.loads((PLACE / "annotated.json").read_text("utf-8"))
    pinned = json.loads(ROOTS.read_text("utf-8"))["annotated.json"]
    _, evaluation = both(source)
    assert artifact_root(evaluation).hex() == pinned["artifact_root"]
    assert str(evaluation.release.id) == pinned["text_release"]
    for short, truth in evaluation.profiles.items():
        assert str(truth.profile) == pinned["profiles"][short]["id"]
