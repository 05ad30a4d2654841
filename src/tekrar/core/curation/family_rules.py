"""Rules of families: complete inventories, current witnesses, one membership an occurrence, required diffs
(FAM-02, FAM-04 to FAM-07, FAM-11, AMB-18, AMB-49)."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from tekrar.core.curation.family import Family, Member
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.view import OccurrenceFacts, View
from tekrar.core.identity import members_digest, uuid_text

Facts = dict[bytes, OccurrenceFacts]


def check_family(family: Family, view: View, *, profile: bytes, item: str) -> frozenset[bytes]:
    """The occurrences that a family expands to.

    Raises:
        CurationRefusal: unknown_member, tag_mismatch, foreign_profile, excluded_occurrence,
            witness_mismatch, incomplete_inventory, dominated_class, double_membership, one_exact_class,
            unknown_diff, stale_diff, missing_diff.
    """
    facts: Facts = {}
    firsts: list[bytes] = []
    for number, member in enumerate(family.members):
        place = f"{item}.members[{number}]"
        expanded = _expand(member, family, view, profile, place)
        for one, held in expanded.items():
            if one in facts:
                refuse(
                    "double_membership",
                    f"{uuid_text(one)} is a member twice",
                    item=place,
                    expected="an occurrence directly, or through one exact class, and never both",
                )
            facts[one] = held
        firsts.append(min(expanded, key=lambda one: _order(one, expanded)))
    _check_expansion(family, facts, f"{item}.expansion")
    classes = {held.same for held in facts.values()}
    if len(classes) == 1 and None not in classes:
        refuse(
            "one_exact_class",
            "all members are exactly equal, which the exact class says already",
            item=f"{item}.members",
            expected="members that differ",
        )
    _check_diffs(family, facts, firsts, view, f"{item}.diffs")
    return frozenset(facts)


def required_diffs(firsts: Iterable[tuple[int, int, bytes]]) -> list[tuple[bytes, bytes]]:
    """The ordered pairs that a family needs diffs of: from the reference to every other tagged member.

    Args:
        firsts: for each tagged member the start, end and UUID of its first occurrence in document order.
    """
    reference, *others = [one for _, _, one in sorted(firsts)]
    return [(reference, other) for other in others]


def check_competing(
    expansions: Iterable[tuple[str, frozenset[bytes]]], view: View, *, leaving: frozenset[bytes]
) -> None:
    """Refuse an occurrence that is in another family in force, or in two families of one action (FAM-08).

    Args:
        expansions: path and occurrences of every family of the action.
        view: the state.
        leaving: families that the action supersedes.
    """
    seen: dict[bytes, str] = {}
    for item, expansion in expansions:
        for one in sorted(expansion):
            if one in seen:
                refuse(
                    "double_membership",
                    f"{uuid_text(one)} is in {seen[one]} too",
                    item=item,
                    expected="successors that share no occurrence",
                )
            seen[one] = item
            other = view.family_of(one)
            if other is not None and other not in leaving:
                refuse(
                    "competing_membership",
                    f"{uuid_text(one)} is in family {uuid_text(other)}, which is in force",
                    item=item,
                    expected="at most one family in force for an occurrence",
                    mend="supersede that family in the same action",
                )


def check_occurrence(occurrence: bytes, view: View, *, profile: bytes, item: str) -> OccurrenceFacts:
    """Facts of an occurrence that an action names.

    Raises:
        CurationRefusal: unknown_member, tag_mismatch, foreign_profile, excluded_occurrence.
    """
    held = view.occurrence(occurrence)
    if held is None:
        if view.exact_class(occurrence) is not None:
            refuse(
                "tag_mismatch",
                f"{uuid_text(occurrence)} is an exact class",
                item=item,
                expected="an occurrence",
                mend='tag it "class", with count and inventory',
            )
        refuse("unknown_member", f"there is no occurrence {uuid_text(occurrence)}", item=item)
    _check_profile(held.profile, profile, item)
    if held.status in ("excluded", "failed"):
        refuse(
            "excluded_occurrence",
            f"{uuid_text(occurrence)} is {held.status} under this profile",
            item=item,
            expected="an occurrence that the profile compares",
        )
    return held


def check_witness(stated: bytes, current: bytes, *, item: str) -> None:
    """Refuse a witness that is not the current one (CUR-04)."""
    if stated != current:
        refuse(
            "witness_mismatch",
            f"the witness is {stated.hex()}",
            item=f"{item}.witness",
            expected=current.hex(),
            mend="write the proposal again from the records as they are",
        )


def _expand(member: Member, family: Family, view: View, profile: bytes, item: str) -> Facts:
    if member.tag == "occurrence":
        held = check_occurrence(member.id, view, profile=profile, item=f"{item}.id")
        check_witness(member.witness, held.witness, item=item)
        return {member.id: held}
    exact = view.exact_class(member.id)
    if exact is None:
        if view.occurrence(member.id) is not None:
            refuse(
                "tag_mismatch",
                f"{uuid_text(member.id)} is an occurrence",
                item=f"{item}.id",
                expected="an exact class",
                mend='tag it "occurrence"',
            )
        refuse("unknown_member", f"there is no exact class {uuid_text(member.id)}", item=f"{item}.id")
    _check_profile(exact.profile, profile, f"{item}.id")
    check_witness(member.witness, exact.witness, item=item)
    inventory = members_digest(list(exact.members))
    if (member.count, member.inventory) != (len(exact.members), inventory):
        refuse(
            "incomplete_inventory",
            f"class {uuid_text(member.id)} is given with {member.count} members",
            item=item,
            expected=f"all {len(exact.members)}, inventory {inventory.hex()}",
            mend="an exact class is a member whole, or some of its occurrences are, by themselves",
        )
    if exact.dominated and not family.allow_dominated:
        refuse(
            "dominated_class",
            f"class {uuid_text(member.id)} is dominated by a larger one",
            item=item,
            expected='allow_dominated: "yes" when this is meant',
        )
    return {one: check_occurrence(one, view, profile=profile, item=item) for one in exact.members}


def _check_expansion(family: Family, facts: Facts, item: str) -> None:
    root = members_digest(list(facts))
    if (family.expansion_count, family.expansion_root) != (len(facts), root):
        refuse(
            "incomplete_inventory",
            f"the expansion is given as {family.expansion_count} occurrences, {family.expansion_root.hex()}",
            item=item,
            expected=f"{len(facts)} occurrences, {root.hex()}",
        )


def _check_diffs(family: Family, facts: Facts, firsts: list[bytes], view: View, item: str) -> None:
    for number, one in enumerate(family.diffs):
        check_diff(
            one.diff,
            (one.left, one.right),
            {end: facts.get(end) for end in (one.left, one.right)},
            view,
            item=f"{item}[{number}]",
        )
    given = {(one.left, one.right) for one in family.diffs}
    for left, right in required_diffs(_order(one, facts) for one in firsts):
        if (left, right) not in given:
            refuse(
                "missing_diff",
                f"there is no diff from {uuid_text(left)} to {uuid_text(right)}",
                item=item,
                expected="one from the first member in document order to every other tagged member",
            )


def check_diff(
    diff: bytes,
    ends: tuple[bytes, bytes],
    facts: dict[bytes, OccurrenceFacts | None],
    view: View,
    *,
    item: str,
) -> None:
    """Refuse a diff that is unknown, of other passages, or of a witness that is not the current one (DIF-08).

    Args:
        diff: its UUID.
        ends: the occurrences it must run between, in order.
        facts: their facts; None for one that has no place in the assertion.
        view: the records.
        item: path of the reference.
    """
    held = view.diff(diff)
    if held is None:
        refuse("unknown_diff", f"there is no diff {uuid_text(diff)}", item=item)
    if (held.left, held.right) != ends:
        _stale(f"it runs from {uuid_text(held.left)} to {uuid_text(held.right)}", diff, item)
    for end, witness in zip(ends, (held.left_witness, held.right_witness), strict=True):
        known = facts[end]
        if known is None:
            _stale(f"{uuid_text(end)} is no member", diff, item)
        if known.witness != witness:
            _stale(f"{uuid_text(end)} has another witness now", diff, item)


def _stale(what: str, diff: bytes, item: str) -> NoReturn:
    refuse(
        "stale_diff",
        f"diff {uuid_text(diff)} is of other passages: {what}",
        item=item,
        expected="a diff of these occurrences as they are",
        mend="derive it again",
    )


def _check_profile(found: bytes, profile: bytes, item: str) -> None:
    if found != profile:
        refuse(
            "foreign_profile",
            f"this is of profile {uuid_text(found)}",
            item=item,
            expected=uuid_text(profile),
            mend="an assertion is about one profile of one text release",
        )


def _order(one: bytes, facts: Facts) -> tuple[int, int, bytes]:
    return facts[one].start, facts[one].end, one
