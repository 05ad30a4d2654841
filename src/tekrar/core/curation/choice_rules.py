"""Rules of canonical choices, of taking one back, and of overriding a false positive (CAN-01, CAN-03, CAN-08,
AMB-39, AMB-46)."""

from __future__ import annotations

from tekrar.core.curation.choice import Choice, ChoicePolicy, Compensation, Override
from tekrar.core.curation.family import Family
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.view import View
from tekrar.core.identity import uuid_text


def check_choice(choice: Choice, view: View, *, profile: bytes) -> None:
    """Refuse a choice that its structure does not bear.

    Raises:
        CurationRefusal: unknown_structure, tag_mismatch, foreign_profile, unknown_release, not_in_release,
            dominated_class, not_a_member, policy_not_registered, policy_differs, expected_state_mismatch.
    """
    if choice.member not in _members(choice, view, profile):
        refuse(
            "not_a_member",
            f"{uuid_text(choice.member)} is no member of {choice.tag} {uuid_text(choice.structure)}",
            item="$.choice.member",
            expected="an occurrence of the structure",
        )
    held = view.released(choice.release, choice.structure)
    if held is None:
        refuse(
            "unknown_release",
            f"no release {uuid_text(choice.release)} was published",
            item="$.choice.structure.release",
        )
    if not held:
        refuse(
            "not_in_release",
            f"release {uuid_text(choice.release)} does not hold {uuid_text(choice.structure)}",
            item="$.choice.structure.release",
            expected="the published release that the structure is named from",
        )
    _check_policy(choice.policy, view)
    current = view.choice_in_force(choice.structure, choice.policy.name)
    if current != choice.supersedes:
        refuse(
            "expected_state_mismatch",
            "no choice is in force" if current is None else f"choice {uuid_text(current)} is in force",
            item="$.choice.supersedes",
            expected="absent" if current is None else uuid_text(current),
        )


def _check_policy(policy: ChoicePolicy, view: View) -> None:
    """Refuse a policy whose text is not kept, or that says something else than its version did (CAN-03)."""
    known = view.choice_policy(policy.name, policy.version)
    if known is not None:
        for name, stated, found in (
            ("document", policy.document.hex(), known.document.hex()),
            ("rule", policy.rule, known.rule),
        ):
            if stated != found:
                refuse(
                    "policy_differs",
                    f"policy {policy.name} {policy.version} has another {name}",
                    item=f"$.choice.policy.{name}",
                    expected=found,
                    mend="give a changed policy another version",
                )
    if known is None or not known.registered:
        there = ", ".join(view.policy_versions(policy.name))
        refuse(
            "policy_not_registered",
            f"the text of policy {policy.name} {policy.version} is not registered",
            item="$.choice.policy",
            expected=f"a version whose text is kept: {there}" if there else "a policy whose text is kept",
            mend="register its text under this name, version and rule",
        )


def check_compensation(compensation: Compensation, view: View) -> None:
    """Refuse to take back what is no choice in force.

    Raises:
        CurationRefusal: unknown_structure, tag_mismatch, superseded_twice.
    """
    held = view.structure(compensation.choice)
    if held is None:
        refuse(
            "unknown_structure", f"there is no choice {uuid_text(compensation.choice)}", item="$.compensation"
        )
    if not isinstance(held.body, Choice):
        refuse(
            "tag_mismatch",
            f"{uuid_text(compensation.choice)} is no canonical choice",
            item="$.compensation.choice",
            mend="families and quotations are retired, not compensated",
        )
    if held.state != "effective":
        refuse(
            "superseded_twice",
            f"choice {uuid_text(compensation.choice)} is {held.state} already",
            item="$.compensation.choice",
        )


def check_override(override: Override, view: View, *, profile: bytes) -> None:
    """Refuse to override what is no false positive, or another event than the one in force.

    Raises:
        CurationRefusal: unknown_candidate, candidate_mismatch, not_false_positive, expected_state_mismatch.
    """
    held = view.candidate(override.candidate)
    if held is None:
        refuse(
            "unknown_candidate", f"there is no candidate {uuid_text(override.candidate)}", item="$.override"
        )
    for name, stated, found in (
        ("profile", profile, held.profile),
        ("generator", override.generator, held.generator),
        ("participants", override.participants, held.participants),
    ):
        if stated != found:
            refuse(
                "candidate_mismatch",
                f"{name} {stated.hex()} is not the candidate's",
                item="$.profile" if name == "profile" else f"$.override.{name}",
                expected=found.hex(),
            )
    if held.disposition != "false_positive" or held.event is None:
        refuse(
            "not_false_positive",
            f"the candidate is {held.disposition}",
            item="$.override.candidate",
            expected="one that was marked false_positive",
        )
    if held.event != override.event:
        refuse(
            "expected_state_mismatch",
            "the candidate was marked again since",
            item="$.override.event",
            expected=held.event.hex(),
        )


def _members(choice: Choice, view: View, profile: bytes) -> frozenset[bytes]:
    place = "$.choice.structure"
    if choice.tag == "class":
        exact = view.exact_class(choice.structure)
        if exact is None:
            refuse("unknown_structure", f"there is no exact class {uuid_text(choice.structure)}", item=place)
        found, members = exact.profile, frozenset(exact.members)
        if exact.dominated and not choice.allow_dominated:
            refuse(
                "dominated_class",
                f"class {uuid_text(choice.structure)} is dominated by a larger one",
                item=place,
                expected='allow_dominated: "yes" when this is meant',
            )
    else:
        held = view.structure(choice.structure)
        if held is None:
            refuse("unknown_structure", f"there is no family {uuid_text(choice.structure)}", item=place)
        if not isinstance(held.body, Family):
            refuse("tag_mismatch", f"{uuid_text(choice.structure)} is no family", item=place)
        found, members = held.profile, held.expansion
    if found != profile:
        refuse(
            "foreign_profile",
            f"the structure is of profile {uuid_text(found)}",
            item=place,
            expected=uuid_text(profile),
        )
    return members
