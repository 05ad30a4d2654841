"""Decisions in sequence: what is in force, what became of each ID, and what never happens."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import event, given, settings
from hypothesis import strategies as st

from tekrar.core.curation.action import Action
from tekrar.core.curation.decision import START
from tekrar.core.curation.effective import current, effective, history, resolve
from tekrar.core.curation.family import Family
from tekrar.core.curation.inventory import Applied, fold
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.supersession import MemberMove, Supersession, check_acyclic
from tekrar.core.curation.transition import PROPOSAL, STRUCTURE, moved, reviewed, structure_moved
from tekrar.core.curation.vectors import of_five, of_seven
from tests.curation.world import LINES, Released, World, occurrence

SHIP = of_five(0x2000)
SHAPES = {"replace": (1, 1), "split": (1, 2), "merge": (2, 1), "restructure": (2, 2), "retire": (1, 0)}
STEPS = ("accept_family", "replace", "split", "merge", "restructure", "retire", "choose", "back")


def kind_of(work: Callable[[], object]) -> str:
    with pytest.raises(CurationRefusal) as caught:
        work()
    assert caught.value.where
    return caught.value.kind


@pytest.fixture
def world() -> World:
    return World()


@pytest.mark.req("CUR-07", "CAN-06")
def test_old_ids_resolve_to_what_they_were(world: World) -> None:
    one = world.accept(0, 1, 3)
    before = resolve(world.inventory, one)
    assert (before.state, before.successors) == ("effective", ())
    choice = world.apply(world.action("choose_canonical", world.choice(one, occurrence(1))))[0]
    body = world.supersession([one], [world.family([occurrence(0), occurrence(1)])])
    (other,) = world.apply(world.action("replace", body))
    after = resolve(world.inventory, one)
    assert after.record is before.record
    assert (after.state, after.operation, after.successors) == ("superseded", "replace", (other,))
    assert current(world.inventory, one).id == other
    ended = resolve(world.inventory, choice)
    assert (ended.state, ended.successors) == ("retired", ())
    assert isinstance(before.record.body, Family)
    assert [step.what for step in history(world.inventory, one)] == ["accept_family", "replace"]
    assert history(world.inventory, other)[0].others == (one,)
    assert kind_of(lambda: resolve(world.inventory, of_seven(1))) == "unknown_structure"


@pytest.mark.req("CUR-07")
def test_current_through_a_split_is_ambiguous_and_through_a_retirement_nothing(world: World) -> None:
    first = world.accept(0, 1, 3, 8, 9)
    parts = [world.family([occurrence(0), occurrence(1)]), world.family([occurrence(3), occurrence(8)])]
    whole = world.supersession([first], [world.family(map(occurrence, (0, 1, 3, 8)))])
    (second,) = world.apply(world.action("replace", whole))
    split = world.apply(world.action("split", world.supersession([second], parts)))
    found = current(world.inventory, first)
    assert (found.status, found.id, found.through) == ("ambiguous", None, (first, second))
    assert set(found.candidates) == set(split)
    merged = world.supersession(split, [world.family(map(occurrence, (0, 1, 3, 8)))])
    (last,) = world.apply(world.action("merge", merged))
    assert current(world.inventory, split[0]).id == last
    assert current(world.inventory, first).status == "ambiguous"
    world.apply(world.action("retire", world.supersession([last], [])))
    gone = current(world.inventory, split[1])
    assert (gone.status, gone.through) == ("unavailable", (split[1], last))
    assert resolve(world.inventory, last).state == "retired"
    assert not world.now().families


def test_successors_are_those_that_members_went_to(world: World) -> None:
    one, other = world.accept(0, 1), world.accept(4, 5)
    parts = [world.family(map(occurrence, (0, 1, 3))), world.family(map(occurrence, (4, 5, 8)))]
    new = world.apply(world.action("restructure", world.supersession([one, other], parts)))
    bodies = [world.inventory.records[structure].body for structure in new]
    place = next(n for n, body in enumerate(bodies) if occurrence(0) in world.expansion(body))  # type: ignore[arg-type]
    assert resolve(world.inventory, one).successors == (new[place],)
    assert resolve(world.inventory, other).successors == (new[1 - place],)


def test_a_quotation_is_retired(world: World) -> None:
    (one,) = world.apply(world.action("accept_quotation", world.quotation()))
    assert world.now().quotations == (one,)
    body = Supersession((one,), (), (MemberMove("quotation", one, ()),), "Alıntı değil.")
    world.apply(world.action("retire", body))
    assert world.now().quotations == ()
    assert resolve(world.inventory, one).state == "retired"


@pytest.mark.req("QUO-03", "QUO-05", "QUO-06")
def test_quotations_join_nothing(world: World) -> None:
    world.apply(world.action("accept_quotation", world.quotation()))
    source, quoting = world.end(7, "Yol uzundur"), world.end(4, "Yol uzundur")
    pair = replace(world.quotation().mapping[0], source=source.ranges[0], quoting=quoting.ranges[0])
    second = world.quotation(source=source, quoting=quoting, mapping=(pair,))
    world.apply(world.action("accept_quotation", second))
    found = world.now()
    assert len(found.quotations) == 2
    assert not found.families
    assert not found.choices


@pytest.mark.req("CAN-02")
def test_no_choice_chooses_nothing(world: World) -> None:
    world.accept(0, 1)
    assert world.now().choices == {}


def test_a_family_of_a_class_that_a_release_has_not_needs_a_successor(world: World) -> None:
    (family,) = world.apply(world.action("accept_family", world.family([SHIP, occurrence(1)])))
    (choice,) = world.apply(world.action("choose_canonical", world.choice(family, occurrence(1))))
    held = effective(world.inventory, Released(world))
    assert set(held.families) == {family}
    assert held.choices == {(family, "editorial"): choice}
    without = effective(world.inventory, Released(world, frozenset({SHIP})))
    assert (without.families, without.needs_successor, without.choices) == ({}, (family,), {})
    changed = replace(world.classes[SHIP], members=(occurrence(0), occurrence(2), occurrence(8)))
    world.classes[SHIP] = changed
    assert effective(world.inventory, Released(world)).needs_successor == (family,)
    other = effective(world.inventory, Released(world, profile=of_five(5)))
    assert (other.families, other.needs_successor) == ({}, ())


def test_what_is_effective_hangs_on_the_head_alone(world: World) -> None:
    one = world.accept(0, 1)
    head = world.inventory.head
    then = effective(fold(world.applied, head=head), Released(world))
    world.apply(world.action("retire", world.supersession([one], [])))
    world.accept(4, 5)
    assert effective(fold(world.applied, head=head), Released(world)) == then
    assert fold(world.applied).head == world.inventory.head
    assert fold(world.applied, head=START).records == {}
    assert kind_of(lambda: fold(world.applied, head=bytes(31) + b"\x01")) == "unknown_head"


@pytest.mark.req("ID-07")
def test_an_id_is_issued_once_and_for_each_body(world: World) -> None:
    one = world.accept(0, 1)
    last = world.applied[-1]
    other = world.action("accept_family", world.family([occurrence(4), occurrence(5)]))
    again = Applied(1, other, replace(last.decision, structures=(one,)))
    assert kind_of(lambda: fold([last, again])) == "issued_twice"
    none = Applied(1, other, replace(last.decision, structures=()))
    assert kind_of(lambda: fold([last, none])) == "structures"
    retired = Applied(
        1, world.action("retire", world.supersession([one], [])), replace(last.decision, structures=())
    )
    assert kind_of(lambda: fold([last, retired, retired])) == "superseded_twice"


def test_what_takes_its_own_place_is_refused() -> None:
    a, b, c = of_seven(1), of_seven(2), of_seven(3)
    check_acyclic({a: (b, c), b: (c,), c: ()})
    for edges in ({a: (a,)}, {a: (b,), b: (a,)}, {a: (b,), b: (c,), c: (b,)}):
        assert kind_of(lambda given=edges: check_acyclic(given)) == "cyclic_supersession"  # type: ignore[misc]


def test_the_tables_of_states_are_closed() -> None:
    for table in (PROPOSAL, STRUCTURE):
        assert {after for moves in table.values() for after in moves.values()} <= set(table)
    legal = {(state, one) for state, moves in PROPOSAL.items() for one in moves}
    happenings = {one for _, one in legal}
    for state in PROPOSAL:
        for one in happenings:
            if (state, one) in legal:
                assert moved(state, one) in PROPOSAL
            else:
                assert kind_of(lambda s=state, e=one: moved(s, e)) in (  # type: ignore[misc]
                    "illegal_move",
                    "not_approved",
                    "outdated",
                    "already_applied",
                    "superseded_twice",
                )
    assert kind_of(lambda: moved("submitted", "apply")) == "not_approved"
    assert kind_of(lambda: moved("outdated", "apply")) == "outdated"
    assert kind_of(lambda: moved("applied", "apply")) == "already_applied"
    assert kind_of(lambda: structure_moved("retired", "supersede", item="x")) == "superseded_twice"


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        ([], "submitted"),
        (["approve"], "approved"),
        (["approve", "approve"], "approved"),
        (["approve", "request_changes"], "changes_requested"),
        (["approve", "reject"], "rejected"),
        (["request_changes"], "changes_requested"),
    ],
)
def test_what_reviews_amount_to(outcomes: list[str], state: str) -> None:
    assert reviewed(outcomes, policy="default.v1") == state


@pytest.mark.parametrize(
    ("outcomes", "state"),
    [
        (["approve"], "submitted"),
        (["approve", "approve"], "approved"),
        (["approve", "request_changes"], "changes_requested"),
        (["approve", "reject"], "rejected"),
    ],
)
def test_two_approvals_are_two(outcomes: list[str], state: str) -> None:
    assert reviewed(outcomes, policy="two-approvals.v1") == state


def test_a_review_after_the_end_is_refused() -> None:
    for ended in ("reject", "request_changes"):
        assert kind_of(lambda e=ended: reviewed([e, "approve"], policy="default.v1"))  # type: ignore[misc]


def check_invariants(world: World, owner: dict[bytes, bytes], earlier: list[tuple[bytes, object]]) -> None:
    inventory = world.inventory
    found = world.now()
    assert {one: family for family, members in found.families.items() for one in members} == owner
    assert sum(map(len, found.families.values())) == len(owner)
    in_force = [one.body for one in inventory.in_force() if one.kind == "choice"]
    keys = [(body.structure, body.policy.name) for body in in_force]  # type: ignore[union-attr]
    assert len(keys) == len(set(keys))
    check_acyclic({one: ending.successors for one, ending in inventory.endings.items()})
    for one in inventory.records:
        assert resolve(inventory, one).record.id == one
        now = current(inventory, one)
        assert now.id is None or inventory.state(now.id) == "effective"
        assert all(step.seq < len(world.applied) for step in history(inventory, one))
    for head, then in earlier:
        assert effective(fold(world.applied, head=head), Released(world)) == then


def draw_action(world: World, data: st.DataObject) -> Action:
    """An action that is often right: shapes fit, members are those that leave and some others."""
    items = [occurrence(n) for n in range(len(LINES))] + list(world.classes)
    families = [one.id for one in world.inventory.in_force() if one.kind == "family"]
    choices = [one.id for one in world.inventory.in_force() if one.kind == "choice"]
    operation = data.draw(st.sampled_from(STEPS))
    if operation == "choose":
        structure = data.draw(st.sampled_from([*families, *world.classes]))
        known = {one: held.members for one, held in world.classes.items()} | world.now().families
        inside = sorted(known[structure])
        return world.action(
            "choose_canonical", world.choice(structure, data.draw(st.sampled_from([*inside, items[0]])))
        )
    if operation == "back":
        chosen = data.draw(st.sampled_from(choices)) if choices else of_seven(1)
        return world.action("compensate_choice", world.compensation(chosen))
    if operation == "accept_family":
        some = st.lists(st.sampled_from(items), min_size=2, max_size=4, unique=True)
        return world.action(operation, world.family(data.draw(some)))
    leaving, coming = SHAPES[operation]
    before = data.draw(st.permutations(families))[:leaving]
    free = [one for one in items[: len(LINES)] if world.family_of(one) is None]
    mine = sorted(one for family in before for one in world.now().families[family])
    parts = data.draw(st.permutations([*mine, *free[: data.draw(st.integers(0, 3))]]))
    cut = len(parts) // 2 if coming == 2 else len(parts)
    bodies = [world.family(part) for part in (parts[:cut], parts[cut:])[:coming] if part]
    return world.action(operation, world.supersession(before, bodies))


@pytest.mark.req("FAM-03", "FAM-08", "CAN-01", "LAY-02")
@settings(deadline=None, max_examples=60)
@given(st.data())
def test_sequences_of_decisions_keep_what_must_hold(data: st.DataObject) -> None:
    """An owner of every occurrence is kept beside, by the plainest reading: last decision says."""
    world = World()
    owner: dict[bytes, bytes] = {}
    earlier: list[tuple[bytes, object]] = []
    for start in ((0, 1, 3), (4, 5, 8)):
        owner |= dict.fromkeys(map(occurrence, start), world.accept(*start))
    for _ in range(data.draw(st.integers(1, 8))):
        action = draw_action(world, data)
        try:
            issued = world.apply(action)
        except CurationRefusal as refusal:
            event(f"{action.operation} refused: {refusal.kind}")
        else:
            event(f"{action.operation} applied")
            if isinstance(action.body, Supersession):
                owner = {one: held for one, held in owner.items() if held not in action.named}
            for structure, body in zip(issued, action.families, strict=False):
                owner |= dict.fromkeys(world.expansion(body), structure)
            earlier.append((world.inventory.head, world.now()))
        check_invariants(world, owner, earlier)
