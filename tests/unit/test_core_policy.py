"""The scope policy and the four profiles: ten declared fields, one row of the matrix each, no silent
default."""

from __future__ import annotations

import copy
import hashlib
import inspect
import itertools
import json
from pathlib import Path
from typing import Any

import pytest

import tekrar
from tekrar.build import build
from tekrar.cli import build as cli_build
from tekrar.core import policy
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import issue
from tekrar.core.policy import (
    ANNOTATION_KINDS,
    MATRIX,
    TREATMENTS,
    check_pinned,
    pinned_document,
    scope_policy,
)
from tekrar.core.profile import RULE_FIELDS, load_rule, profile_for, rule_document, scope_root, spec_by_name
from tekrar.errors import IntegrityError, UsageError
from tests.small import Built, document

TR = scope_policy("tr")
ONE = (bytes.fromhex("111111112222533384445555555555aa"), b"1" * 32)
TWO = (bytes.fromhex("111111112222533384445555555555bb"), b"2" * 32)
SPECS = {spec.short: spec for spec in MATRIX}


def rule(short: str = "PS") -> dict[str, Any]:
    return copy.deepcopy(rule_document(TR, SPECS[short], [ONE]))


def id_of(rule_: dict[str, Any]) -> bytes:
    return issue(
        "repetition-profile",
        {"rule": hashlib.sha256(canonical_json(rule_)).hexdigest(), "semver": "1.0.0"},
    )


@pytest.mark.req("PRO-01")
@pytest.mark.parametrize("field", RULE_FIELDS)
def test_each_of_the_ten_fields_must_be_declared(field: str) -> None:
    assert len(RULE_FIELDS) == 10
    whole = rule()
    assert load_rule(whole, TR).id == id_of(whole)
    del whole[field]
    with pytest.raises(UsageError, match=f"'{field}' is missing"):
        load_rule(whole, TR)


@pytest.mark.req("PRO-01", "PRO-06", "PRO-17")
@pytest.mark.parametrize("field", RULE_FIELDS)
def test_a_field_that_differs_from_the_policy_is_refused(field: str) -> None:
    changed = rule()
    value = changed[field]
    changed[field] = f"{value}x" if isinstance(value, str) else {**value, "more": "x"}
    named = "no row of the matrix" if field == "predicate" else f"the field '{field}' differs"
    with pytest.raises(UsageError, match=named):
        load_rule(changed, TR)


@pytest.mark.req("PRO-01")
def test_a_profile_never_states_its_own_id_nor_an_unknown_field() -> None:
    profile = load_rule(rule(), TR)
    assert str(profile.id.hex()) not in json.dumps(profile.document).replace("-", "")
    with pytest.raises(UsageError, match="unknown field 'id'"):
        load_rule({**rule(), "id": "x"}, TR)


@pytest.mark.req("PRO-22", "PRO-01")
def test_features_and_requirements_hold_no_software_version() -> None:
    for short in SPECS:
        document_ = rule(short)
        assert document_["candidate_features"] == "bound-by-generator"
        assert tekrar.__version__ not in json.dumps(document_["requirements"])
        assert "semver" not in document_["requirements"]


@pytest.mark.req("PRO-02")
def test_another_order_of_releases_is_another_profile() -> None:
    forward = rule_document(TR, SPECS["FP"], [ONE, TWO])
    backward = rule_document(TR, SPECS["FP"], [TWO, ONE])
    assert id_of(forward) != id_of(backward)
    assert scope_root([ONE, TWO]) != scope_root([TWO, ONE])


@pytest.mark.req("PRO-10", "PRO-15")
@pytest.mark.parametrize("releases", [[], [ONE, TWO], [ONE, ONE]])
def test_a_v1_profile_binds_exactly_one_release(releases: list[tuple[bytes, bytes]]) -> None:
    with pytest.raises(UsageError, match=f"{len(releases)} releases in scope"):
        load_rule(rule_document(TR, SPECS["FP"], releases), TR)


@pytest.mark.req("PRO-15")
def test_the_turkish_policy_refuses_another_language() -> None:
    facts = {"release": ONE[0], "manifest_root": ONE[1]}
    profile_for(TR, SPECS["FP"], language="tr-TR", **facts)
    with pytest.raises(UsageError, match="a release in 'en' under repetition-scope-policy-v1"):
        profile_for(TR, SPECS["FP"], language="en", **facts)
    english = scope_policy("en")
    assert profile_for(english, SPECS["FP"], language="en", **facts).id != load_rule(rule("FP"), TR).id
    with pytest.raises(UsageError):
        load_rule(rule("FP"), english)


#: The initial matrix of the ADR, written out: no row may take the place of another.
FOUR = [
    "full_context_v1/whole_paragraph_v1/exact_passage_bytes",
    "full_context_v1/sentence_run_2_12_v1/exact_sentence_sequence",
    "prose_only_v1/whole_paragraph_v1/exact_passage_bytes",
    "prose_only_v1/sentence_run_2_12_v1/exact_sentence_sequence",
]


@pytest.mark.req("PRO-12")
def test_four_of_the_eight_combinations_load() -> None:
    projections = ("full_context_v1", "prose_only_v1")
    enumerators = ("whole_paragraph_v1", "sentence_run_2_12_v1")
    predicates = ("exact_passage_bytes", "exact_sentence_sequence")
    loaded = []
    for p, e, q in itertools.product(projections, enumerators, predicates):
        base = rule({"whole_paragraph_v1": "FP", "sentence_run_2_12_v1": "FS"}[e])
        base["annotation_treatments"] = {"projection": p, **TR.document["projections"][p]}
        base["predicate"] = q
        base["profile"]["name"] = f"{TR.name}/{p}/{e}/{q}"
        if f"{p}/{e}/{q}" in FOUR:
            loaded.append(load_rule(base, TR).spec.name)
        else:
            with pytest.raises(UsageError, match="no row of the matrix"):
                load_rule(base, TR)
    assert loaded == FOUR == [spec.name for spec in MATRIX]
    assert len({load_rule(rule(s), TR).id for s in SPECS}) == 4
    columns = ("projection", "enumerator", "predicate")
    assert ["/".join(row[c] for c in columns) for row in TR.document["matrix"]] == FOUR


@pytest.mark.req("PRO-10")
@pytest.mark.parametrize("projection", [None, ["full_context_v1", "prose_only_v1"], "all"])
def test_a_profile_has_exactly_one_projection(projection: Any) -> None:
    changed = rule()
    changed["annotation_treatments"]["projection"] = projection
    with pytest.raises(UsageError, match="no row of the matrix"):
        load_rule(changed, TR)
    del changed["annotation_treatments"]["projection"]
    with pytest.raises(UsageError, match="not stated"):
        load_rule(changed, TR)


@pytest.mark.req("PRO-06")
def test_every_annotation_kind_has_one_of_four_treatments() -> None:
    assert list(TREATMENTS) == [
        "included", "excluded_from_extent", "masked_with_boundary", "separate_analysis",
    ]  # fmt: skip
    for treatments in TR.document["projections"].values():
        assert set(treatments) == {*ANNOTATION_KINDS, "separator"}
        assert set(treatments.values()) <= set(TREATMENTS)
    for short in SPECS:
        for kind in (*ANNOTATION_KINDS, "separator"):
            missing, stripped = rule(short), rule(short)
            del missing["annotation_treatments"][kind]
            stripped["annotation_treatments"][kind] = "strip"
            for bad in (missing, stripped):
                with pytest.raises(UsageError, match="annotation_treatments"):
                    load_rule(bad, TR)
    with pytest.raises(KeyError):
        TR.treatment("prose_only_v1", "footnote")


@pytest.mark.req("PRO-09")
def test_one_changed_byte_of_the_policy_is_refused() -> None:
    data = pinned_document()
    for at in range(0, len(data), 97):
        changed = data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :]
        with pytest.raises(IntegrityError, match="policy document was changed"):
            check_pinned(changed)
    with pytest.raises(IntegrityError):
        check_pinned(data + b"\n")


@pytest.mark.req("PRO-09", "CL-05")
def test_a_build_refuses_a_policy_that_is_not_the_pinned_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = pinned_document()
    monkeypatch.setattr("tekrar.build.certify.pinned_document", lambda: data + b" ")
    with pytest.raises(IntegrityError, match="not the pinned one"):
        Built(document([[["A."]]]), tmp_path)
    assert not (tmp_path / "artifact").exists()


@pytest.mark.req("PRO-17")
def test_each_successor_edit_gives_another_profile_id() -> None:
    edits: list[tuple[str, str, Any]] = [
        ("annotation_treatments", "note_marker", "included"),
        ("granularity", "maximum", 13),
        ("enumerator", "order", "run_length_then_start_sentence"),
        ("dominance", "policy", "all_qualified"),
    ]
    seen = {id_of(rule())}
    for field, key, value in edits:
        changed = rule()
        assert changed[field][key] != value
        changed[field][key] = value
        seen.add(id_of(changed))
    seen.add(id_of({**rule(), "predicate": "exact_passage_bytes"}))
    seen.add(id_of(rule_document(TR, SPECS["PS"], [TWO])))
    assert len(seen) == 7


@pytest.mark.req("PRO-21")
@pytest.mark.parametrize(
    ("short", "mode"),
    [
        ("FP", "maximal_only"),
        ("FS", "structural_units"),
        ("PS", "all_qualified"),
        ("PP", "none"),
        ("PS", None),
    ],
)
def test_the_dominance_policy_is_the_one_of_the_row(short: str, mode: str | None) -> None:
    assert policy.DOMINANCE_MODES == ("maximal_only", "structural_units", "all_qualified")
    changed = rule(short)
    changed["dominance"]["policy"] = mode
    with pytest.raises(UsageError, match="dominance"):
        load_rule(changed, TR)
    del changed["dominance"]["policy"]
    with pytest.raises(UsageError, match="not stated"):
        load_rule(changed, TR)


@pytest.mark.req("PRO-19", "EN-13", "PRO-11")
def test_no_option_limits_filters_or_lengthens_anything() -> None:
    import argparse

    assert TR.document["frequency_cap"] == TR.document["stop_text"] == "none"
    assert set(inspect.signature(build).parameters) == {
        "release", "out", "source", "defer", "digest", "engine", "workers", "batch", "progress",
    }  # fmt: skip
    parser = argparse.ArgumentParser()
    cli_build.add_arguments(parser)
    assert {a.dest for a in parser._actions} == {
        "help",
        "release",
        "out",
        "workers",
        "engine",
        "batch",
        "defer",
    }


@pytest.mark.req("PRO-19", "CL-07")
def test_frequency_does_not_change_what_is_exact(tmp_path: Path) -> None:
    many = [[["Aziz, sıddık kardeşlerim!"]] for _ in range(361)]
    built = Built(document(many), tmp_path)
    (members,) = built.classes("FP", published=True)
    assert len(members) == 361


@pytest.mark.req("CL-07", "PRO-19")
def test_paging_reaches_everything_and_changes_nothing(tmp_path: Path) -> None:
    from tekrar.view.classes import Choice, choose, class_records, page_of
    from tekrar.view.open import open_corpus

    built = Built(document([[[f"{n}."] for n in range(5)] * 7]), tmp_path)
    corpus = open_corpus(built.path, built.release)
    view = corpus.view("FP")
    listed = choose(corpus, view, Choice())
    pages = [page_of([(view, listed)], page=n, size=2) for n in (1, 2, 3, 4)]
    assert [sum(len(part) for _, part in page) for page in pages] == [2, 2, 1, 0]
    records = [record for page in pages for _, part in page for record in class_records(corpus, view, part)]
    assert len({record["class_id"] for record in records}) == 5
    assert [record["size"] for record in records] == [len(record["members"]) for record in records] == [7] * 5
    assert corpus.artifact.artifact_root == built.result.artifact_root


def test_other_languages_get_a_policy_of_their_own() -> None:
    english, arabic = scope_policy("en-GB"), scope_policy("ar")
    assert {TR.name, english.name, arabic.name} == {
        "repetition-scope-policy-v1", "repetition-scope-policy-v1-en", "repetition-scope-policy-v1-ar",
    }  # fmt: skip
    assert len({TR.digest, english.digest, arabic.digest}) == 3
    assert scope_policy("EN").digest == english.digest
    assert TR.digest.hex() == policy.POLICY_DIGEST
    assert english.document["matrix"] == TR.document["matrix"]


@pytest.mark.parametrize("tag", ["und", "", "x", "1a", "tr_TR", "tür", "i-klingon"])
def test_what_names_no_language_is_refused(tag: str) -> None:
    with pytest.raises(UsageError, match="names no language"):
        scope_policy(tag)


def test_an_unknown_profile_is_named() -> None:
    assert spec_by_name("ps") is spec_by_name(SPECS["PS"].name) is SPECS["PS"]
    with pytest.raises(UsageError, match="unknown profile 'XX'"):
        spec_by_name("XX")
