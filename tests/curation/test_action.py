"""Bytes of actions: one sequence for one assertion, and nothing else is taken back."""

import json
from collections.abc import Callable
from dataclasses import replace
from importlib.resources import files
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.curation.action import (
    Action,
    canonical_bytes,
    expected_occurrences,
    parse,
    proposal_digest,
    read_action,
)
from tekrar.core.curation.decision import parse_decision
from tekrar.core.curation.family import Family
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.curation.vectors import (
    compute_curation_vectors,
    of_five,
    of_seven,
    sample_action,
    sample_family,
    sample_small,
)
from tekrar.core.curation.vocabulary import OPERATIONS
from tekrar.core.encoding import canonical_json

STATED: dict[str, str] = json.loads(files("tekrar.core").joinpath("data/curation-vectors.json").read_bytes())


def refused(work: Callable[[], object]) -> tuple[str, str]:
    """Kind and place of the refusal."""
    with pytest.raises(CurationRefusal) as caught:
        work()
    assert caught.value.where
    assert caught.value.exit_status == 2
    return caught.value.kind, caught.value.where


def altered(operation: str, change: Callable[[Any], object]) -> bytes:
    document = json.loads(canonical_bytes(sample_action(operation)))
    change(document)
    return json.dumps(document, ensure_ascii=False, sort_keys=True, separators=(",", ":")).encode()


def test_the_vectors_hold() -> None:
    assert compute_curation_vectors() == STATED


@pytest.mark.parametrize("operation", OPERATIONS)
def test_every_operation_comes_back_from_its_bytes(operation: str) -> None:
    data = STATED[f"action_{operation}"].encode()
    made = parse(data)
    assert made.operation == operation
    assert canonical_bytes(made) == data
    decision = parse_decision(STATED[f"decision_{operation}"].encode())
    assert len(decision.structures) == made.issued
    assert decision.proposal.hex() == STATED[f"proposal_{operation}"]


@pytest.mark.req("FAM-09")
@given(order=st.permutations(range(3)), swapped=st.booleans())
def test_the_order_of_members_is_no_part_of_a_family(order: list[int], swapped: bool) -> None:
    family = sample_family()
    diffs = family.diffs[::-1] if swapped else family.diffs
    shuffled = replace(family, members=tuple(family.members[n] for n in order), diffs=diffs)
    action = replace(sample_action("accept_family"), body=shuffled)
    assert canonical_bytes(action) == STATED["action_accept_family"].encode()


@given(order=st.permutations(range(3)))
def test_the_order_of_successors_is_no_part_of_a_split(order: list[int]) -> None:
    families = [sample_small(1, 2), sample_small(3, 4), sample_small(5, 6)]
    moves = [(of_five(n), (n - 1) // 2) for n in range(1, 7)]

    def made(places: list[int]) -> bytes:
        body = Supersession(
            (of_seven(1),),
            tuple(families[n] for n in places),
            tuple(MemberMove("occurrence", one, (places.index(to),)) for one, to in moves),
            "…",
        )
        return canonical_bytes(replace(sample_action("split"), body=body))

    assert made(order) == made([0, 1, 2])


@pytest.mark.req("FAM-02")
@pytest.mark.parametrize(
    "key",
    ["family", "rationale", "expected", "candidates", "evidence", "policy_of_review", "profile", "edition"],
)
def test_a_family_without_one_of_its_facts_is_none(key: str) -> None:
    assert refused(lambda: parse(altered("accept_family", lambda d: d.pop(key)))) == ("missing_key", "$")


@pytest.mark.req("FAM-02", "LAY-05")
@pytest.mark.parametrize("key", ["kind", "members", "expansion", "diffs"])
def test_a_family_body_without_one_of_its_facts_is_none(key: str) -> None:
    data = altered("accept_family", lambda d: d["family"].pop(key))
    assert refused(lambda: parse(data)) == ("missing_key", "$.family")


@pytest.mark.req("QUO-01")
@pytest.mark.parametrize("key", ["kind", "source", "quoting", "mapping", "attribution"])
def test_a_quotation_without_one_of_its_facts_is_none(key: str) -> None:
    data = altered("accept_quotation", lambda d: d["quotation"].pop(key))
    assert refused(lambda: parse(data)) == ("missing_key", "$.quotation")


@pytest.mark.req("FAM-01", "LAY-06", "LAY-07")
@pytest.mark.parametrize("kind", ["exact", "quotation", "uncertain", "Variant", ""])
def test_kinds_of_families_are_closed(kind: str) -> None:
    data = altered("accept_family", lambda d: d["family"].update(kind=kind))
    assert refused(lambda: parse(data)) == ("unknown_kind", "$.family.kind")


@pytest.mark.req("QUO-02", "LAY-07")
@pytest.mark.parametrize("kind", ["exact", "variant", "uncertain", "quotation"])
def test_kinds_of_quotations_are_closed(kind: str) -> None:
    data = altered("accept_quotation", lambda d: d["quotation"].update(kind=kind))
    assert refused(lambda: parse(data)) == ("unknown_kind", "$.quotation.kind")


@pytest.mark.req("CAN-04")
@pytest.mark.parametrize(
    "rule", ["corpus_order", "shortest_uuid", "highest_similarity", "earliest_discovery"]
)
def test_a_rule_that_chooses_by_itself_is_refused_by_name(rule: str) -> None:
    data = altered("choose_canonical", lambda d: d["choice"]["policy"].update(rule=rule))
    assert refused(lambda: parse(data)) == ("silent_rule", "$.choice.policy.rule")


@pytest.mark.req("FAM-04", "ID-01")
def test_a_member_says_what_it_is() -> None:
    def member(**change: Any) -> bytes:
        def work(document: Any) -> None:
            one = document["family"]["members"][1]
            one.update(change)
            for key in [k for k, v in change.items() if v is None]:
                del one[key]

        return altered("accept_family", work)

    place = "$.family.members[1]"
    assert refused(lambda: parse(member(tag=None))) == ("untagged_member", place)
    assert refused(lambda: parse(member(tag="passage"))) == ("unknown_tag", f"{place}.tag")
    assert refused(lambda: parse(member(tag="class"))) == ("missing_key", place)
    family = "00000000-0000-7000-8000-000000000001"
    assert refused(lambda: parse(member(id=family))) == ("tag_mismatch", f"{place}.id")
    assert refused(lambda: parse(member(id="{" + family + "}"))) == ("not_a_uuid", f"{place}.id")
    assert refused(lambda: parse(member(witness=None))) == ("missing_key", place)
    bare = altered("accept_family", lambda d: d["family"]["members"].append(d["profile"]))
    assert refused(lambda: parse(bare)) == ("untagged_member", "$.family.members[3]")


@pytest.mark.req("FAM-06")
def test_a_member_stands_once() -> None:
    data = altered("accept_family", lambda d: d["family"]["members"].append(d["family"]["members"][-1]))
    assert refused(lambda: parse(data)) == ("double_membership", "$.family.members")


@pytest.mark.parametrize(
    ("data", "kind"),
    [
        (b'{"a":"1","a":"2"}', "duplicate_key"),
        (b'{"operation":1.0}', "float"),
        (b'{"operation":NaN}', "float"),
        (b"\xef\xbb\xbf{}", "bom"),
        (b'{"operation":"\xff"}', "not_utf8"),
        (b"[" * 100, "too_deep"),
        (b"[]", "malformed"),
        (b"{}", "malformed"),
        (b'{"operation":"accept_class"}', "unknown_operation"),
        (b'{"operation":"accept_exact_class"}', "unknown_operation"),
        (b'{"operation":7}', "malformed"),
    ],
)
def test_what_is_no_action_is_refused(data: bytes, kind: str) -> None:
    assert refused(lambda: parse(data))[0] == kind


@pytest.mark.req("LAY-01")
def test_no_operation_accepts_an_exact_class() -> None:
    assert not [name for name in OPERATIONS if "class" in name or "exact" in name]


@pytest.mark.req("CUR-02")
@pytest.mark.parametrize("operation", OPERATIONS)
def test_other_bytes_of_the_same_action_are_refused(operation: str) -> None:
    data = canonical_bytes(sample_action(operation))
    document = json.loads(data)
    spaced = json.dumps(document, ensure_ascii=False, sort_keys=True).encode()
    turned = json.dumps(dict(reversed(document.items())), ensure_ascii=False, separators=(",", ":")).encode()
    escaped = json.dumps(document, sort_keys=True, separators=(",", ":")).encode()
    for other in (spaced, turned, escaped, data + b"\n"):
        assert other != data
        assert refused(lambda given=other: parse(given)) == ("not_canonical", "action")


@given(st.data())
def test_any_changed_byte_is_another_action_or_none(data: st.DataObject) -> None:
    held = canonical_bytes(sample_action(data.draw(st.sampled_from(OPERATIONS))))
    place = data.draw(st.integers(0, len(held) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda b: b != held[place]))
    changed = held[:place] + bytes([byte]) + held[place + 1 :]
    try:
        made = parse(changed)
    except CurationRefusal:
        return
    assert canonical_bytes(made) == changed


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda d: d.update(note="x"), "unknown_key"),
        (lambda d: d["family"].update(rank="1"), "unknown_key"),
        (lambda d: d["family"]["expansion"].update(count=4), "malformed"),
        (lambda d: d["family"]["expansion"].update(count="04"), "malformed"),
        (lambda d: d["family"]["expansion"].update(count="-4"), "malformed"),
        (lambda d: d["family"]["expansion"].update(count="9223372036854775808"), "bad_number"),
        (lambda d: d["family"]["expansion"].update(root="A" * 64), "malformed"),
        (lambda d: d["family"].update(allow_dominated="no"), "malformed"),
        (lambda d: d["family"].update(allow_dominated=True), "malformed"),
        (lambda d: d["family"]["members"].reverse(), "not_canonical"),
        (lambda d: d["family"]["diffs"].reverse(), "not_canonical"),
        (lambda d: d["family"]["diffs"].append(d["family"]["diffs"][1]), "duplicate_item"),
        (lambda d: d["family"].update(members=d["family"]["members"][:1]), "too_few_members"),
        (lambda d: d["candidates"].reverse(), "not_canonical"),
        (lambda d: d.update(rationale=""), "bad_text"),
        (lambda d: d.update(rationale="\x00"), "bad_text"),
        (lambda d: d.update(rationale="ş" * 32769), "bad_text"),
        (lambda d: d.update(rationale=None), "malformed"),
        (lambda d: d.update(policy_of_review="none.v1"), "unknown_policy"),
        (lambda d: d.update(format="tekrar/curation-action/v2"), "unknown_format"),
        (
            lambda d: d["expected"]["structures"].append({"id": d["profile"], "state": "effective"}),
            "tag_mismatch",
        ),
    ],
)
def test_each_field_has_one_form(change: Callable[[Any], object], kind: str) -> None:
    assert refused(lambda: parse(altered("accept_family", change)))[0] == kind


def test_half_a_character_is_no_text() -> None:
    data = canonical_bytes(sample_action("accept_family")).replace(b"Gerek", b"\\ud800Gerek")
    assert refused(lambda: parse(data)) == ("lone_surrogate", "$.rationale")


@pytest.mark.req("QUO-08")
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda q: q.update(mapping=[]), "incomplete_mapping"),
        (lambda q: q["mapping"][0].update(source=["9", "30"]), "outside_selection"),
        (lambda q: q["mapping"][0].update(source=["10", "31"]), "outside_selection"),
        (lambda q: q["mapping"][1].update(quoting=["100", "112"]), "overlapping_mapping"),
        (lambda q: q["mapping"].reverse(), "not_canonical"),
        (lambda q: q["mapping"][0].update(source=["30", "30"]), "bad_extent"),
        (lambda q: q["mapping"][0].update(source=["30", "10"]), "bad_extent"),
        (lambda q: q["source"].update(ranges=[]), "bad_extent"),
        (lambda q: q["source"].update(ranges=[["10", "30"], ["30", "50"]]), "bad_extent"),
        (lambda q: q["source"].update(ranges=[["40", "50"], ["10", "30"]]), "bad_extent"),
    ],
)
def test_extents_of_a_quotation(change: Callable[[Any], object], kind: str) -> None:
    assert refused(lambda: parse(altered("accept_quotation", lambda d: change(d["quotation"]))))[0] == kind


@pytest.mark.req("CUR-07")
@pytest.mark.parametrize(
    ("operation", "as_what", "kind"),
    [
        ("replace", "split", "shape"),
        ("split", "replace", "shape"),
        ("split", "restructure", "shape"),
        ("merge", "replace", "shape"),
        ("merge", "restructure", "shape"),
        ("restructure", "split", "shape"),
        ("retire", "replace", "shape"),
        ("replace", "retire", "shape"),
    ],
)
def test_a_supersession_has_the_shape_of_its_operation(operation: str, as_what: str, kind: str) -> None:
    data = altered(operation, lambda d: d.update(operation=as_what))
    assert refused(lambda: parse(data)) == (kind, "$.supersession")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda s: s["mapping"][1].update(to=["2"]), "incomplete_mapping"),
        (lambda s: s["mapping"].clear(), "incomplete_mapping"),
        (lambda s: s["mapping"][1].update(to=[]), "malformed"),
        (lambda s: s["mapping"][1].update(to="rest"), "malformed"),
        (lambda s: s["mapping"][1].update(to=["1", "0"]), "not_canonical"),
        (lambda s: s["successors"].reverse(), "not_canonical"),
        (lambda s: s["successors"].append(s["successors"][1]), "duplicate_item"),
        (lambda s: s["successors"].append({"choice": {}}), "missing_key"),
        (lambda s: s["mapping"].append(s["mapping"][2]), "duplicate_item"),
        (lambda s: s["mapping"][1]["member"].update(tag="quotation"), "tag_mismatch"),
        (lambda s: s["predecessors"].append(s["predecessors"][0]), "duplicate_item"),
    ],
)
def test_the_mapping_of_a_supersession(change: Callable[[Any], object], kind: str) -> None:
    assert refused(lambda: parse(altered("split", lambda d: change(d["supersession"]))))[0] == kind


def test_an_occurrence_goes_to_one_successor() -> None:
    def change(document: Any) -> None:
        document["supersession"]["mapping"][1]["to"] = ["0", "1"]

    place = "$.supersession.mapping[1].to"
    assert refused(lambda: parse(altered("restructure", change))) == ("double_membership", place)


@pytest.mark.req("CUR-03")
def test_the_proposal_digest_binds_author_draft_and_revision() -> None:
    facts: dict[str, Any] = {"author": "Ayşe", "draft": "7", "revision": 1}
    action = canonical_bytes(sample_action("accept_family"))
    changes: tuple[dict[str, Any], ...] = ({}, {"author": "Ay"}, {"draft": "71"}, {"revision": 11})
    digests = {proposal_digest(action, **(facts | change)) for change in changes}
    digests.add(proposal_digest(action + b" ", **facts))
    assert len(digests) == 5


def test_the_expected_digest_follows_membership_alone() -> None:
    none = {of_five(2): None, of_five(1): None}
    assert expected_occurrences(none) == expected_occurrences(dict(reversed(none.items())))
    assert expected_occurrences(none) != expected_occurrences(none | {of_five(1): of_seven(1)})


def test_a_record_that_cannot_be_read_back_is_not_written() -> None:
    def write(action: Action) -> tuple[str, str]:
        return refused(lambda: canonical_bytes(action))

    action = sample_action("accept_family")
    body = action.body
    assert isinstance(body, Family)
    assert write(replace(action, body=replace(body, kind="exact")))[0] == "unknown_kind"
    assert write(replace(action, operation="accept_quotation"))[0] == "tag_mismatch"
    assert write(replace(action, operation="accept"))[0] == "unknown_operation"
    assert write(replace(action, profile=of_seven(1)))[0] == "tag_mismatch"
    assert (
        read_action(json.loads(canonical_bytes(action))).body
        == read_action(json.loads(canonical_json(json.loads(canonical_bytes(action))))).body
    )
