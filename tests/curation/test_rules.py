"""Every rule of an action, asked of a small world: each refusal names its item and its rule."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tekrar.core.curation.choice import Override
from tekrar.core.curation.family import Family, Member, RequiredDiff
from tekrar.core.curation.quotation import End, Mapped
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.rules import check_action, check_applicable
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.curation.vectors import PROFILE, RELEASE, of_five, of_seven, witness
from tekrar.core.curation.view import CandidateFacts
from tekrar.core.identity import selection_id
from tests.curation.world import LINES, World, diff_of, occurrence

SHIP = of_five(0x2000)  # the class of paragraphs 0 and 2
ROAD = of_five(0x2004)  # the dominated class of paragraphs 4 and 6


def refused(work: Callable[[], object]) -> tuple[str, str]:
    with pytest.raises(CurationRefusal) as caught:
        work()
    assert caught.value.where
    assert caught.value.message
    return caught.value.kind, caught.value.where


def family_refused(world: World, family: Family) -> tuple[str, str]:
    return refused(lambda: check_action(world.action("accept_family", family), world))


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.req("FAM-05")
def test_a_class_and_occurrences_expand_to_all(world: World) -> None:
    family = world.family([SHIP, occurrence(1), occurrence(3)])
    (found,) = check_action(world.action("accept_family", family), world)
    assert found == {occurrence(n) for n in (0, 1, 2, 3)}
    assert family.expansion_count == 4


@pytest.mark.req("FAM-11")
def test_an_inventory_is_complete(world: World) -> None:
    whole = world.family([SHIP, occurrence(1)])
    partly = replace(whole.members[0], count=1)
    other = replace(whole.members[0], inventory=bytes(32))
    for member in (partly, other):
        family = replace(whole, members=(member, whole.members[1]))
        assert family_refused(world, family) == ("incomplete_inventory", "$.family.members[0]")
    for change in ({"expansion_count": 2}, {"expansion_root": bytes(32)}):
        family = replace(whole, **change)
        assert family_refused(world, family) == ("incomplete_inventory", "$.family.expansion")


@pytest.mark.req("FAM-06")
def test_no_occurrence_is_a_member_twice(world: World) -> None:
    both = world.family([SHIP, occurrence(1)])
    direct = replace(both, members=(*both.members, world.member(occurrence(2))))
    assert family_refused(world, direct) == ("double_membership", "$.family.members[2]")
    other = of_five(0x2999)
    world.classes[other] = replace(world.classes[SHIP], members=(occurrence(2), occurrence(8)))
    through = replace(both, members=(*both.members, world.member(other)))
    assert family_refused(world, through) == ("double_membership", "$.family.members[2]")


@pytest.mark.req("FAM-04")
def test_a_tag_that_is_not_the_records_is_refused(world: World) -> None:
    whole = world.family([SHIP, occurrence(1)])
    as_occurrence = Member("occurrence", SHIP, whole.members[0].witness)
    as_class = replace(whole.members[0], id=occurrence(1))
    for member in (as_occurrence, as_class):
        family = replace(whole, members=(member, whole.members[1]))
        assert family_refused(world, family) == ("tag_mismatch", "$.family.members[0].id")
    for tag in ("occurrence", "class"):
        family = replace(whole, members=(replace(whole.members[0], tag=tag, id=of_five(9)),))
        assert family_refused(world, family)[0] == "unknown_member"


@pytest.mark.req("CUR-04")
def test_a_witness_is_the_current_one(world: World) -> None:
    family = world.family([SHIP, occurrence(1)])
    action = world.action("accept_family", family)
    check_action(action, world)
    held = world.occurrences[occurrence(1)]
    world.occurrences[occurrence(1)] = replace(held, witness=bytes(32))
    assert refused(lambda: check_action(action, world)) == (
        "witness_mismatch",
        "$.family.members[1].witness",
    )
    world.occurrences[occurrence(1)] = held
    world.classes[SHIP] = replace(world.classes[SHIP], witness=bytes(32))
    assert refused(lambda: check_action(action, world))[0] == "witness_mismatch"


def test_a_family_is_of_one_profile_and_of_what_it_compares(world: World) -> None:
    family = world.family([occurrence(0), occurrence(1)])
    for change, kind in (
        ({"profile": of_five(1)}, "foreign_profile"),
        ({"status": "excluded"}, "excluded_occurrence"),
        ({"status": "failed"}, "excluded_occurrence"),
    ):
        held = world.occurrences[occurrence(1)]
        world.occurrences[occurrence(1)] = replace(held, **change)
        assert family_refused(world, family)[0] == kind
        world.occurrences[occurrence(1)] = held


def test_a_dominated_class_needs_a_word(world: World) -> None:
    family = world.family([ROAD, occurrence(5)])
    check_action(world.action("accept_family", family), world)
    assert family_refused(world, replace(family, allow_dominated=False)) == (
        "dominated_class",
        "$.family.members[0]",
    )


def test_one_exact_class_is_no_family(world: World) -> None:
    assert family_refused(world, world.family([occurrence(0), occurrence(2)]))[0] == "one_exact_class"


@pytest.mark.req("FAM-07", "LAY-05", "DIF-08")
def test_required_diffs(world: World) -> None:
    family = world.family([SHIP, occurrence(1), occurrence(3)])
    assert [(d.left, d.right) for d in family.diffs] == [
        (occurrence(0), occurrence(1)),
        (occurrence(0), occurrence(3)),
    ]
    for kind in ("near_exact", "variant"):
        for diffs in ((), family.diffs[:1], family.diffs[1:]):
            assert family_refused(world, replace(family, kind=kind, diffs=diffs)) == (
                "missing_diff",
                "$.family.diffs",
            )

    def last(left: bytes, right: bytes, diff: bytes) -> tuple[str, str]:
        return family_refused(world, replace(family, diffs=(*family.diffs, RequiredDiff(left, right, diff))))

    one, three, eight = occurrence(1), occurrence(3), occurrence(8)
    place = "$.family.diffs[2]"
    assert last(one, three, of_five(5)) == ("unknown_diff", place)
    assert last(one, three, diff_of(three, one)) == ("stale_diff", place)
    assert last(one, eight, diff_of(one, eight)) == ("stale_diff", place)
    extra = RequiredDiff(one, three, diff_of(one, three))
    check_action(world.action("accept_family", replace(family, diffs=(*family.diffs, extra))), world)
    old = world.diffs[family.diffs[0].diff]
    for change in ({"left_witness": bytes(32)}, {"right_witness": bytes(32)}):
        world.diffs[family.diffs[0].diff] = replace(old, **change)
        assert family_refused(world, family) == ("stale_diff", "$.family.diffs[0]")


@pytest.mark.req("FAM-08")
def test_two_families_that_share_an_occurrence_through_a_class(world: World) -> None:
    first = world.action("accept_family", world.family([SHIP, occurrence(1)]))
    second = world.action("accept_family", world.family([occurrence(2), occurrence(3)]))
    check_action(first, world)
    check_action(second, world)
    world.apply(first)
    assert refused(lambda: check_action(second, world)) == (
        "expected_state_mismatch",
        "$.expected.occurrences",
    )
    again = world.action("accept_family", world.family([occurrence(2), occurrence(3)]))
    assert refused(lambda: check_action(again, world)) == ("competing_membership", "$.family")


@pytest.mark.req("FAM-03", "LAY-02")
def test_two_families_in_a_chain_are_never_one(world: World) -> None:
    world.accept(0, 1)
    beside = world.action("accept_family", world.family([occurrence(1), occurrence(3)]))
    assert refused(lambda: check_action(beside, world))[0] == "competing_membership"
    assert world.family_of(occurrence(3)) is None
    assert all(len(members) == 2 for members in world.now().families.values())


@pytest.mark.req("CUR-04")
def test_unrelated_decisions_outdate_nothing(world: World) -> None:
    waiting = world.action("accept_family", world.family([occurrence(0), occurrence(1)]))
    world.accept(4, 5)
    check_action(waiting, world)


def test_expected_structures_are_those_that_are_named(world: World) -> None:
    one = world.accept(0, 1)
    action = world.action("retire", world.supersession([one], []))
    for structures in ((), ((of_seven(5), "effective"),), (*action.expected.structures, (of_seven(5), "x"))):
        expected = replace(action.expected, structures=structures)
        changed = replace(action, expected=expected)
        assert refused(lambda given=changed: check_action(given, world)) == (
            "expected_state_mismatch",
            "$.expected.structures",
        )


def test_cited_evidence_is_known(world: World) -> None:
    family = world.family([occurrence(0), occurrence(1)])
    for name in ("candidates", "evidence"):
        action = world.action("accept_family", family, **{name: (of_five(77),)})
        kind = "unknown_candidate" if name == "candidates" else "unknown_evidence"
        assert refused(lambda given=action: check_action(given, world)) == (kind, f"$.{name}[0]")
    world.evidence.add(of_five(77))
    check_action(world.action("accept_family", family, evidence=(of_five(77),)), world)


@pytest.mark.req("FAM-02", "QUO-01")
def test_a_cited_candidate_is_of_passages_that_the_action_is_about(world: World) -> None:
    first, second = of_five(60), of_five(61)

    def of(own: bytes, *numbers: int) -> None:
        touched = tuple(map(occurrence, numbers))
        world.candidates[own] = CandidateFacts(
            PROFILE, witness(5), witness(6), "false_positive", witness(4), touched
        )

    def check(operation: str, body: Any, *cited: bytes) -> None:
        check_action(world.action(operation, body, candidates=cited), world)

    wrong = ("candidate_mismatch", "$.candidates[1]")
    family = world.family([occurrence(1), occurrence(3)])
    for body, operation, near, far in (
        (family, "accept_family", (1, 8), (8, 9)),
        (world.family([SHIP, occurrence(1)]), "accept_family", (2, 8), (8, 9)),
        # What is exactly equal to a member: a side of a candidate stands for its class.
        (world.family([occurrence(0), occurrence(1)]), "accept_family", (2, 8), (8, 9)),
        (world.quotation(), "accept_quotation", (7, 8), (1, 3)),
        (world.choice(SHIP, occurrence(0)), "choose_canonical", (2, 9), (1, 3)),
    ):
        of(first, *near)
        of(second, *far)
        check(operation, body)
        check(operation, body, first)
        assert refused(lambda b=body, o=operation: check(o, b, first, second)) == wrong
    # One that shares bytes with a member, and is none.
    of(second, 8, 9)
    inside = replace(world.occurrences[occurrence(8)], start=world.occurrences[occurrence(3)].end - 1)
    world.occurrences[occurrence(8)] = inside
    check("accept_family", family, second)
    world.occurrences[occurrence(8)] = replace(inside, start=inside.start + 1)
    assert refused(lambda: check("accept_family", family, second))[0] == "candidate_mismatch"
    override = Override(first, witness(5), witness(6), witness(4))
    of(first, 1, 3)
    check("override_false_positive", override, first)
    assert refused(lambda: check("override_false_positive", override, first, second)) == wrong
    # Of a supersession: what ends, and what takes its place.
    ended = world.accept(1, 3)
    retired = Supersession((ended,), (), (MemberMove("occurrence", occurrence(1), ()),
                                          MemberMove("occurrence", occurrence(3), ())), "…")  # fmt: skip
    check("retire", retired, first)
    assert refused(lambda: check("retire", retired, first, second)) == wrong
    moved = world.supersession([ended], [world.family([occurrence(1), occurrence(9)])])
    check("replace", moved, first, second)


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        ({"profile": of_five(9)}, "unknown_profile"),
        ({"text_release": of_five(9)}, "foreign_profile"),
        ({"edition": "başka"}, "foreign_profile"),
    ],
)
def test_an_action_is_of_one_profile(world: World, change: dict[str, Any], kind: str) -> None:
    action = world.action("accept_family", world.family([occurrence(0), occurrence(1)]), **change)
    assert refused(lambda: check_action(action, world))[0] == kind


@pytest.mark.req("QUO-08")
def test_a_quotation_lies_inside_and_is_equal(world: World) -> None:
    def check(**change: Any) -> tuple[str, str]:
        action = world.action("accept_quotation", world.quotation(**change))
        return refused(lambda: check_action(action, world))

    right = world.quotation()
    check_action(world.action("accept_quotation", right), world)
    start, end = right.source.ranges[0]

    def source(*ranges: tuple[int, int]) -> End:
        return replace(right.source, ranges=ranges, selection=selection_id(RELEASE, list(ranges)))

    assert check(source=source((start, end + 1))) == ("outside_occurrence", "$.quotation.source.ranges")
    assert check(source=replace(right.source, selection=of_five(3))) == (
        "selection_mismatch",
        "$.quotation.source.selection",
    )
    assert check(source=replace(right.source, witness=bytes(32)))[0] == "witness_mismatch"
    other = world.end(1, "Gemi limana")
    pair = Mapped(other.ranges[0], right.quoting.ranges[0])
    assert check(source=other, mapping=(pair,)) == ("unequal_verbatim", "$.quotation.mapping[0]")
    word = Mapped((start, start + 4), (right.quoting.ranges[0][0], right.quoting.ranges[0][0] + 4))
    assert check(mapping=(word,)) == ("incomplete_mapping", "$.quotation.mapping")
    check_action(
        world.action("accept_quotation", world.quotation(kind="adapted_quotation", mapping=(word,))), world
    )
    assert check(diff=of_five(5)) == ("unknown_diff", "$.quotation.diff")
    assert check(diff=diff_of(occurrence(7), occurrence(0)))[0] == "stale_diff"
    check_action(
        world.action("accept_quotation", world.quotation(diff=diff_of(occurrence(0), occurrence(7)))), world
    )
    assert check(quoting=right.source, mapping=(Mapped((start, end), (start, end)),)) == (
        "self_quotation",
        "$.quotation",
    )


def test_an_extent_ends_between_characters(world: World) -> None:
    held = world.occurrences[occurrence(3)]  # Küçük …: the second byte begins a letter of two
    ranges = ((held.start, held.start + 2),)
    half = End(occurrence(3), held.witness, selection_id(RELEASE, list(ranges)), ranges)
    pair = Mapped(ranges[0], world.quotation().quoting.ranges[0])
    action = world.action(
        "accept_quotation", world.quotation(kind="adapted_quotation", source=half, mapping=(pair,))
    )
    assert refused(lambda: check_action(action, world)) == ("not_a_character", "$.quotation.source.ranges")


@pytest.mark.req("QUO-04")
def test_an_uncertain_source_is_proposed_and_never_applied(world: World) -> None:
    action = world.action("accept_quotation", world.quotation(kind="source_uncertain"))
    check_action(action, world)
    assert refused(lambda: check_applicable(action)) == ("source_uncertain", "$.quotation.kind")
    assert refused(lambda: world.apply(action))[0] == "source_uncertain"
    assert not world.now().quotations


def test_an_excluded_occurrence_quotes_nothing(world: World) -> None:
    world.occurrences[occurrence(7)] = replace(world.occurrences[occurrence(7)], status="excluded")
    action = world.action("accept_quotation", world.quotation())
    assert refused(lambda: check_action(action, world)) == (
        "excluded_occurrence",
        "$.quotation.quoting.occurrence",
    )


@pytest.mark.req("FAM-02")
def test_equal_occurrences_of_a_provisional_group_are_no_family(world: World) -> None:
    group = witness(9)
    for number in (8, 9):
        held = world.occurrences[occurrence(number)]
        world.occurrences[occurrence(number)] = replace(held, group=group)
    action = world.action("accept_family", world.family([occurrence(8), occurrence(9)]))
    assert refused(lambda: check_action(action, world)) == ("one_exact_class", "$.family.members")
    world.occurrences[occurrence(9)] = replace(world.occurrences[occurrence(9)], group=witness(8))
    check_action(action, world)


@pytest.mark.req("CAN-03")
def test_a_choice_is_a_member_of_what_it_names(world: World) -> None:
    def check(**change: Any) -> tuple[str, str]:
        body = replace(world.choice(SHIP, occurrence(0)), **change)
        return refused(lambda: check_action(world.action("choose_canonical", body), world))

    check_action(world.action("choose_canonical", world.choice(SHIP, occurrence(2))), world)
    assert check(member=occurrence(1)) == ("not_a_member", "$.choice.member")
    assert check(structure=of_five(3)) == ("unknown_structure", "$.choice.structure")
    assert check(release=of_five(3)) == ("unknown_release", "$.choice.structure.release")
    world.releases[of_five(4)] = set()
    assert check(release=of_five(4)) == ("not_in_release", "$.choice.structure.release")
    held = world.classes[SHIP]
    world.classes[SHIP] = replace(held, profile=of_five(1))
    assert check() == ("foreign_profile", "$.choice.structure")
    world.classes[SHIP] = replace(held, dominated=True)
    assert check(allow_dominated=False) == ("dominated_class", "$.choice.structure")
    world.classes[SHIP] = held
    family = world.accept(4, 5)
    world.apply(world.action("choose_canonical", world.choice(family, occurrence(5))))
    assert check(tag="family", structure=of_seven(1))[0] == "expected_state_mismatch"
    action = world.action("choose_canonical", world.choice(family, occurrence(6), policy="other"))
    assert refused(lambda: check_action(action, world))[0] == "not_a_member"


@pytest.mark.req("CAN-01", "CAN-05", "CAN-08")
def test_one_choice_is_in_force_under_one_policy(world: World) -> None:
    first = world.action("choose_canonical", world.choice(SHIP, occurrence(0)))
    second = world.action("choose_canonical", world.choice(SHIP, occurrence(2)))
    (one,) = world.apply(first)
    assert refused(lambda: check_action(second, world)) == (
        "expected_state_mismatch",
        "$.choice.supersedes",
    )
    (other,) = world.apply(world.action("choose_canonical", world.choice(SHIP, occurrence(2))))
    assert other != one
    assert world.now().choices == {(SHIP, "editorial"): other}
    assert world.inventory.state(one) == "superseded"
    (beside,) = world.apply(world.action("choose_canonical", world.choice(SHIP, occurrence(0), "placement")))
    assert world.now().choices == {(SHIP, "editorial"): other, (SHIP, "placement"): beside}
    members = world.classes[SHIP].members
    world.apply(world.action("compensate_choice", world.compensation(other)))
    assert world.now().choices == {(SHIP, "placement"): beside}
    assert world.classes[SHIP].members == members
    assert world.inventory.state(other) == "compensated"
    again = world.action("compensate_choice", world.compensation(other))
    assert refused(lambda: check_action(again, world))[0] == "expected_state_mismatch"


def test_a_policy_of_one_version_has_one_document(world: World) -> None:
    world.apply(world.action("choose_canonical", world.choice(SHIP, occurrence(0))))
    body = world.choice(SHIP, occurrence(2))
    other = replace(body, policy=replace(body.policy, document=witness(8)))
    assert refused(lambda: check_action(world.action("choose_canonical", other), world)) == (
        "policy_differs",
        "$.choice.policy.document",
    )
    ruled = replace(body, policy=replace(body.policy, rule="fullest_context"))
    assert refused(lambda: check_action(world.action("choose_canonical", ruled), world)) == (
        "policy_differs",
        "$.choice.policy.rule",
    )
    newer = replace(body, policy=replace(body.policy, document=witness(8), version="1.1.0"))
    assert refused(lambda: check_action(world.action("choose_canonical", newer), world)) == (
        "policy_not_registered",
        "$.choice.policy",
    )
    world.policies["editorial", "1.1.0"] = (witness(8), "editorially_designated")
    world.apply(world.action("choose_canonical", newer))


@pytest.mark.req("CAN-03")
def test_a_policy_of_before_texts_were_kept_takes_no_new_choice(world: World) -> None:
    world.apply(world.action("choose_canonical", world.choice(SHIP, occurrence(0))))
    world.policies.clear()
    again = world.action("choose_canonical", world.choice(SHIP, occurrence(2)))
    assert refused(lambda: check_action(again, world)) == ("policy_not_registered", "$.choice.policy")


def test_what_is_taken_back_is_a_choice(world: World) -> None:
    family = world.accept(0, 1)
    action = world.action("compensate_choice", world.compensation(family))
    assert refused(lambda: check_action(action, world)) == ("tag_mismatch", "$.compensation.choice")


def test_an_override_names_the_event_in_force(world: World) -> None:
    candidate = of_five(60)
    facts = CandidateFacts(PROFILE, witness(5), witness(6), "false_positive", witness(4))
    right = Override(candidate, witness(5), witness(6), witness(4))

    def check(body: Override = right) -> tuple[str, str]:
        action = world.action("override_false_positive", body)
        return refused(lambda: check_action(action, world))

    assert check()[0] == "unknown_candidate"
    world.candidates[candidate] = facts
    check_action(world.action("override_false_positive", right), world)
    assert check(replace(right, generator=witness(1))) == ("candidate_mismatch", "$.override.generator")
    assert check(replace(right, participants=witness(1))) == ("candidate_mismatch", "$.override.participants")
    assert check(replace(right, event=witness(1))) == ("expected_state_mismatch", "$.override.event")
    world.candidates[candidate] = replace(facts, disposition="uncertain")
    assert check() == ("not_false_positive", "$.override.candidate")
    world.candidates[candidate] = replace(facts, profile=of_five(1))
    assert check() == ("candidate_mismatch", "$.profile")


@pytest.mark.req("CUR-07", "FAM-10")
def test_predecessors_are_in_force_and_mapped_whole(world: World) -> None:
    one = world.accept(0, 1, 3)
    body = world.supersession([one], [world.family([occurrence(0), occurrence(1)])])

    def check(**change: Any) -> tuple[str, str]:
        action = world.action("replace", replace(body, **change))
        return refused(lambda: check_action(action, world))

    assert check(mapping=body.mapping[:2]) == ("incomplete_mapping", "$.supersession.mapping")
    extra = MemberMove("occurrence", occurrence(8), (0,))
    assert check(mapping=(*body.mapping, extra)) == ("incomplete_mapping", "$.supersession.mapping")
    wrong = tuple(replace(move, to=()) for move in body.mapping)
    assert check(mapping=wrong) == ("mapping_differs", "$.supersession.mapping[0].to")
    residue = tuple(replace(move, to=(0,)) for move in body.mapping)
    assert check(mapping=residue) == ("mapping_differs", "$.supersession.mapping[2].to")
    assert check(predecessors=(of_seven(4),)) == ("unknown_structure", "$.supersession.predecessors[0]")
    (new,) = world.apply(world.action("replace", body))
    assert refused(lambda: check_action(world.action("replace", body), world)) == (
        "superseded_twice",
        "$.supersession.predecessors[0]",
    )
    assert world.now().families == {new: frozenset({occurrence(0), occurrence(1)})}
    quotation = world.apply(world.action("accept_quotation", world.quotation()))[0]
    mixed = replace(
        world.supersession([new], [world.family([occurrence(0), occurrence(3)])]),
        predecessors=(quotation,),
        mapping=(MemberMove("quotation", quotation, (0,)),),
    )
    action = world.action("replace", mixed)
    assert refused(lambda: check_action(action, world)) == ("mixed_kinds", "$.supersession")
    choice = world.apply(world.action("choose_canonical", world.choice(new, occurrence(0))))[0]
    retired = Supersession((choice,), (), (MemberMove("quotation", choice, ()),), "…")
    action = world.action("retire", retired)
    assert refused(lambda: check_action(action, world))[0] == "tag_mismatch"


def test_successors_share_nothing_and_take_nothing_from_others(world: World) -> None:
    one, other = world.accept(0, 1, 3), world.accept(4, 5)
    shared = world.supersession(
        [one],
        [world.family([occurrence(0), occurrence(1)]), world.family([occurrence(1), occurrence(3)])],
    )
    moves = tuple(replace(move, to=move.to[:1]) for move in shared.mapping)
    action = world.action("split", replace(shared, mapping=moves))
    assert refused(lambda: check_action(action, world))[0] == "double_membership"
    taking = world.supersession([one], [world.family([occurrence(0), occurrence(1), occurrence(4)])])
    action = world.action("replace", taking)
    assert refused(lambda: check_action(action, world))[0] == "competing_membership"
    both = world.supersession([one, other], [world.family(map(occurrence, (0, 1, 3, 4, 5)))])
    world.apply(world.action("merge", both))


def test_a_class_is_divided_by_a_restructure(world: World) -> None:
    (one,) = world.apply(world.action("accept_family", world.family([SHIP, occurrence(1), occurrence(3)])))
    parts = [world.family([occurrence(0), occurrence(1)]), world.family([occurrence(2), occurrence(3)])]
    body = world.supersession([one], parts)
    assert refused(lambda: world.check(world.action("split", body)))[0] == "shape"
    partly = tuple(replace(m, to=(0,)) if m.tag == "class" else m for m in body.mapping)
    kind, _ = refused(lambda: world.check(world.action("restructure", replace(body, mapping=partly))))
    assert kind == "shape"
    dropping = world.supersession([one], [parts[0], world.family([occurrence(3), occurrence(8)])])
    action = world.action("split", dropping)
    assert refused(lambda: check_action(action, world)) == ("mapping_differs", "$.supersession.mapping[0].to")
    assert len(world.apply(world.action("restructure", body))) == 2


def test_the_lines_are_what_the_tests_say() -> None:
    assert LINES[0] == LINES[2] != LINES[1]
    assert LINES[4] == LINES[6]
