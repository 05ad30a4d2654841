"""Records of candidates: every fact is in the ID, nothing unnamed or unscaled gets in."""

import copy
import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.candidate import (
    DISPOSITIONS,
    Participants,
    Result,
    Side,
    candidate_of,
    check_disposition,
    checked_generator,
    decode_result,
    evidence_of,
)
from tekrar.core.candidate.record import encode_result, evidence_id, heading_of, participants_sides, sha
from tekrar.core.candidate.vectors import (
    OCCURRENCES,
    PROFILE,
    compute_candidate_vectors,
    sample_document,
    sample_generator,
    sample_group,
    sample_pair,
)
from tekrar.core.identity import issue, uuid_text
from tekrar.errors import IntegrityError, UsageError

GENERATOR = sample_generator()


def own_id(result: Result | None = None, **facts: Any) -> bytes:
    made, who = sample_pair()
    known = {"profile": PROFILE, "generator": GENERATOR, "participants": who} | facts
    return candidate_of(
        result or made, known["participants"], profile=known["profile"], generator=known["generator"]
    ).id


def test_the_vectors_hold() -> None:
    stated = json.loads(files("tekrar.core").joinpath("data/candidate-vectors.json").read_bytes())
    assert compute_candidate_vectors() == stated


@pytest.mark.req("CND-02", "ID-02")
def test_ids_follow_the_path_grammar() -> None:
    result, who = sample_pair()
    one = candidate_of(result, who, profile=PROFILE, generator=GENERATOR)
    facts = {
        "profile": uuid_text(PROFILE),
        "participants": sha(who.encoded).hex(),
        "generator": GENERATOR.digest.hex(),
        "result": sha(one.result).hex(),
    }
    assert one.id == issue("repeat-candidate", facts)
    assert encode_result(result, GENERATOR) == one.result
    held = evidence_of(one, [(bytes(32), bytes(32))] * 2, generator=GENERATOR)
    named = {
        "evidence-kind": "lexical-similarity",
        "participants": facts["participants"],
        "producer": facts["generator"],
        "payload": sha(held.payload).hex(),
    }
    assert held.id == issue("repeat-evidence", named)


CHANGES: dict[str, Callable[[Result], Result]] = {
    "release": lambda r: replace(r, release=bytes(16)),
    "features": lambda r: replace(r, features=bytes(32)),
    "fingerprints": lambda r: replace(r, fingerprints=bytes(32)),
    "extent": lambda r: replace(r, left=replace(r.left, end=41)),
    "class": lambda r: replace(r, left=replace(r.left, exact=None)),
    "sides": lambda r: replace(r, left=r.right, right=r.left),
    "segments": lambda r: replace(r, segments=r.segments[:1]),
    "metric": lambda r: replace(r, metrics=r.metrics | {"score": -8}),
    "no metric": lambda r: replace(r, metrics={}),
    "disposition": lambda r: replace(r, disposition="uncertain"),
    "direction": lambda r: replace(r, direction=None),
    "why": lambda r: replace(r, why=""),
    "kind": lambda r: replace(r, kind="stretch"),
}


@pytest.mark.req("CND-02", "ID-02")
@pytest.mark.parametrize("name", CHANGES)
def test_each_fact_of_a_result_changes_the_id(name: str) -> None:
    result, _ = sample_pair()
    assert own_id(CHANGES[name](result)) != own_id()


@pytest.mark.req("CND-02", "ID-02")
def test_profile_participants_and_generator_change_the_id() -> None:
    _, who = sample_pair()
    document = sample_document()
    document["constants"]["seeds.LEAST"] = 319
    found = {
        own_id(),
        own_id(profile=bytes(16)),
        own_id(generator=checked_generator(document)),
        own_id(participants=Participants((who.sides[0][:1], who.sides[1]))),
        own_id(participants=Participants((who.sides[1], who.sides[0]))),
        own_id(participants=Participants((OCCURRENCES[:1], OCCURRENCES[1:]))),
    }
    assert len(found) == 6


@pytest.mark.req("ID-02")
def test_the_order_of_participants_inside_a_side_is_no_fact() -> None:
    turned = Participants((OCCURRENCES[1::-1], OCCURRENCES[2:]))
    assert own_id(participants=turned) == own_id()
    assert participants_sides(turned.encoded) == (tuple(sorted(OCCURRENCES[:2])), OCCURRENCES[2:])


@pytest.mark.req("CND-02")
@pytest.mark.parametrize("name", ["release", "features", "fingerprints"])
def test_a_dropped_root_is_refused(name: str) -> None:
    result, _ = sample_pair()
    with pytest.raises(UsageError) as refused:
        own_id(replace(result, **{name: b""}))
    assert refused.value.kind == "unbound_fact"


@pytest.mark.req("CND-02")
def test_a_side_without_participants_is_refused() -> None:
    for sides in ((OCCURRENCES, ()), (OCCURRENCES,), ()):
        with pytest.raises(UsageError) as refused:
            own_id(participants=Participants(sides))
        assert refused.value.kind == "no_participant"


@pytest.mark.req("CND-02", "CND-03", "CND-09")
@pytest.mark.parametrize("key", sorted(sample_document()))
def test_a_generator_document_without_a_fact_is_refused(key: str) -> None:
    document = sample_document()
    del document[key]
    with pytest.raises(UsageError):
        checked_generator(document)


@pytest.mark.req("CND-05", "PRO-22")
def test_each_part_of_the_document_makes_another_generator() -> None:
    seen = {GENERATOR.digest}
    for path, value in (
        (("constants", "seeds.LEAST"), 321),
        (("semver",), "1.0.1"),
        (("tokenizer",), "example-tokens.2"),
        (("normalizers", 0, "version"), 2),
        (("features", 0, "version"), 2),
        (("metrics", 0, "scale"), "percent"),
        (("rules", "table", 0, "least", "cover_left", 0), 4),
    ):
        document = copy.deepcopy(sample_document())
        at: Any = document
        for step in path[:-1]:
            at = at[step]
        at[path[-1]] = value
        seen.add(checked_generator(document).digest)
    assert len(seen) == 8


@pytest.mark.req("CND-03")
@pytest.mark.parametrize("where", ["features", "normalizers"])
def test_a_feature_without_an_authority_class_is_refused(where: str) -> None:
    document = sample_document()
    del document[where][0]["authority"]
    with pytest.raises(UsageError) as refused:
        checked_generator(document)
    assert refused.value.kind == "unknown_authority_class"
    document[where][0]["authority"] = "proof"
    with pytest.raises(UsageError) as refused:
        checked_generator(document)
    assert refused.value.kind == "unknown_authority_class"


@pytest.mark.req("CND-04")
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"name": "confidence"}, "unnamed_metric"),
        ({"name": "probability"}, "unnamed_metric"),
        ({"scale": ""}, "unscaled_metric"),
        ({"version": 0}, "unscaled_metric"),
    ],
)
def test_a_metric_without_name_scale_or_version_is_refused(change: dict[str, Any], kind: str) -> None:
    document = sample_document()
    document["metrics"] = [document["metrics"][0] | change]
    with pytest.raises(UsageError) as refused:
        checked_generator(document)
    assert refused.value.kind == kind


@pytest.mark.req("CND-04")
@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        ("confidence", 1, "unscaled_metric"),
        ("unscaled", 3, "unscaled_metric"),
        ("score", 0.5, "bad_metric"),
        ("score", True, "bad_metric"),
        ("cover_left", (1, 0), "bad_metric"),
        ("cover_left", (1, 2, 3), "bad_metric"),
    ],
)
def test_a_payload_with_an_unnamed_or_inexact_metric_is_refused(name: str, value: Any, kind: str) -> None:
    result, _ = sample_pair()
    with pytest.raises(UsageError) as refused:
        own_id(replace(result, metrics={name: value}))
    assert refused.value.kind == kind


@pytest.mark.req("CND-04")
def test_a_float_among_the_constants_is_refused() -> None:
    document = sample_document()
    document["constants"]["threshold"] = 0.8
    with pytest.raises(UsageError) as refused:
        checked_generator(document)
    assert refused.value.kind == "generator_float"


@pytest.mark.req("CND-06")
def test_the_list_of_dispositions_is_closed() -> None:
    assert list(DISPOSITIONS) == [
        "pending_review",
        "probable_near_exact",
        "probable_variant",
        "probable_quotation",
        "uncertain",
        "false_positive",
        "superseded_candidate",
    ]
    for name in ("accepted", "", "Uncertain", None, 5):
        with pytest.raises(UsageError) as refused:
            check_disposition(name)
        assert refused.value.kind == "unknown_disposition"


@pytest.mark.req("CND-06")
@pytest.mark.parametrize("name", ["accepted", "false_positive", "superseded_candidate", "pending_review"])
def test_no_rule_and_no_result_says_what_only_an_event_may(name: str) -> None:
    document = sample_document()
    document["rules"]["table"][0]["disposition"] = name
    result, _ = sample_pair()
    for refused_by in (
        lambda: checked_generator(document),
        lambda: own_id(replace(result, disposition=name)),
    ):
        with pytest.raises(UsageError) as refused:
            refused_by()
        assert refused.value.kind == "unknown_disposition"


def test_result_bytes_are_read_back_and_nothing_else_is() -> None:
    for result, _ in (sample_pair(), sample_group()):
        data = encode_result(result, GENERATOR)
        assert decode_result(data, GENERATOR) == result
        heading = heading_of(data)
        assert (heading.kind, heading.disposition) == (result.kind, result.disposition)
        assert heading.left == (result.left.start, result.left.end)
        assert heading.right == (result.right.start, result.right.end)
        for broken in (data[:-1], data + b"\0", b"", data[:40], data.replace(b"candidate", b"candidatf")):
            with pytest.raises(IntegrityError):
                decode_result(broken, GENERATOR)


@given(st.data())
def test_any_result_is_read_back(data: st.DataObject) -> None:
    number = st.integers(0, 2**40)
    extent = st.tuples(number, st.integers(1, 1000)).map(lambda t: (t[0], t[0] + t[1]))
    result, _ = sample_pair()
    left, right = data.draw(extent), data.draw(extent)
    made = replace(
        result,
        left=Side(*left, data.draw(st.sampled_from([None, bytes(range(16))]))),
        right=Side(*right),
        segments=tuple(data.draw(st.lists(st.tuples(extent, extent), max_size=4))),
        why=data.draw(st.text(max_size=20)),
        metrics={
            "score": data.draw(st.integers(-(2**63), 2**63 - 1)),
            "cover_left": (data.draw(st.integers(0, 99)), data.draw(st.integers(1, 2**64 - 1))),
        },
    )
    assert decode_result(encode_result(made, GENERATOR), GENERATOR) == made


@given(st.binary(max_size=300))
def test_bytes_from_anywhere_are_a_typed_error(noise: bytes) -> None:
    good = encode_result(sample_pair()[0], GENERATOR)
    for data in (noise, good[:40] + noise, good + noise):
        if data != good:
            with pytest.raises(IntegrityError):
                decode_result(data, GENERATOR)
    with pytest.raises(IntegrityError):
        participants_sides(noise)


@pytest.mark.req("CND-10", "ID-02")
def test_each_fact_of_evidence_changes_its_id() -> None:
    a, b = bytes(32), bytes([1] * 32)
    found = {
        evidence_id("lexical-similarity", a, a, a),
        evidence_id("alignment", a, a, a),
        evidence_id("lexical-similarity", b, a, a),
        evidence_id("lexical-similarity", a, b, a),
        evidence_id("lexical-similarity", a, a, b),
    }
    assert len(found) == 5
