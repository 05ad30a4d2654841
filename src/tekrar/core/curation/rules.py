"""The rules of every action, asked of a view: the one function for the draft, the submission, the review and
apply (`docs/curation.md`; CUR-01 to CUR-04).

Order: what the action says of its members first, then whether the state it was written against still holds,
then what other decisions stand in its way. So a proposal that was overtaken is told so, and not that its
members compete.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

from tekrar.core.curation.action import Action, expected_occurrences
from tekrar.core.curation.candidate_rules import check_candidates
from tekrar.core.curation.choice import Choice, Compensation, Override
from tekrar.core.curation.choice_rules import check_choice, check_compensation, check_override
from tekrar.core.curation.family import Family
from tekrar.core.curation.family_rules import check_competing, check_family
from tekrar.core.curation.quotation import Quotation
from tekrar.core.curation.quotation_rules import check_quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import Supersession
from tekrar.core.curation.supersession_rules import check_moves, check_predecessors
from tekrar.core.curation.view import View
from tekrar.core.curation.vocabulary import UNCERTAIN
from tekrar.core.identity import uuid_text


def check_action(action: Action, view: View) -> tuple[frozenset[bytes], ...]:
    """The expansions of the families that an action brings, in their order.

    Raises:
        CurationRefusal: the first rule that does not hold, with its item.
    """
    _check_scope(action, view)
    for number, one in enumerate(action.candidates):
        if view.candidate(one) is None:
            _unknown("candidate", one, f"$.candidates[{number}]")
    for number, one in enumerate(action.evidence):
        if not view.has_evidence(one):
            _unknown("evidence", one, f"$.evidence[{number}]")
    body = action.body
    if isinstance(body, Supersession):
        check_predecessors(body, view)
    places = list(_places(action))
    expansions: list[tuple[str, frozenset[bytes]]] = []
    for item, structure in places:
        if isinstance(structure, Family):
            found = check_family(structure, view, profile=action.profile, item=item)
            expansions.append((item, found))
        else:
            check_quotation(structure, view, profile=action.profile, release=action.text_release, item=item)
    check_expected(action, view, [found for _, found in expansions])
    if isinstance(body, Choice):
        check_choice(body, view, profile=action.profile)
    elif isinstance(body, Compensation):
        check_compensation(body, view)
    elif isinstance(body, Override):
        check_override(body, view, profile=action.profile)
    leaving = frozenset(body.predecessors) if isinstance(body, Supersession) else frozenset[bytes]()
    check_competing(expansions, view, leaving=leaving)
    if isinstance(body, Supersession):
        check_moves(body.ordered, view, profile=action.profile, expansions=[found for _, found in expansions])
    check_candidates(action, view, frozenset[bytes]().union(*(found for _, found in expansions)))
    return tuple(found for _, found in expansions)


def check_applicable(action: Action) -> None:
    """Refuse an action that may be proposed and never applied: a quotation of an uncertain source
    (QUO-04)."""
    for item, structure in _places(action):
        if isinstance(structure, Quotation) and structure.kind == UNCERTAIN:
            refuse(
                "source_uncertain",
                "a quotation of an uncertain source stays open",
                item=f"{item}.kind",
                expected="verbatim_quotation, adapted_quotation or formulaic_reuse",
                mend="submit a revision with the kind that the reviewers find",
            )


def check_expected(action: Action, view: View, expansions: Iterable[frozenset[bytes]]) -> None:
    """Refuse an action whose expected state is not the state: bytes it binds were overtaken (CUR-04, AMB-29).

    Args:
        action: the action.
        view: the state.
        expansions: occurrences of the families it brings.

    Raises:
        CurationRefusal: expected_state_mismatch.
    """
    stated = dict(action.expected.structures)
    if tuple(sorted(stated)) != action.named:
        refuse(
            "expected_state_mismatch",
            "the structures whose state is expected are not those that the action names",
            item="$.expected.structures",
            expected=", ".join(map(uuid_text, action.named)) or "none",
        )
    for number, (one, state) in enumerate(action.expected.structures):
        held = view.structure(one)
        if held is None or held.state != state:
            refuse(
                "expected_state_mismatch",
                f"{uuid_text(one)} is {'unknown' if held is None else held.state}",
                item=f"$.expected.structures[{number}]",
                expected=state,
                mend="look at what was decided since, and propose anew",
            )
    families = {one: view.family_of(one) for expansion in expansions for one in expansion}
    if (found := expected_occurrences(families)) != action.expected.occurrences:
        refuse(
            "expected_state_mismatch",
            "members were in other families, or in none, when this was written",
            item="$.expected.occurrences",
            expected=found.hex(),
            mend="look at what was decided since, and propose anew",
        )


def _check_scope(action: Action, view: View) -> None:
    profile = view.profile(action.profile)
    if profile is None:
        _unknown("profile", action.profile, "$.profile")
    for item, stated, found in (
        ("$.text_release", uuid_text(action.text_release), uuid_text(profile.text_release)),
        ("$.edition", action.edition, profile.edition),
    ):
        if stated != found:
            refuse("foreign_profile", f"{stated} is not what the profile is over", item=item, expected=found)


def _places(action: Action) -> Iterable[tuple[str, Family | Quotation]]:
    body = action.body
    if isinstance(body, Family):
        yield "$.family", body
    elif isinstance(body, Quotation):
        yield "$.quotation", body
    elif isinstance(body, Supersession):
        for number, one in enumerate(body.ordered.successors):
            name = "family" if isinstance(one, Family) else "quotation"
            yield f"$.supersession.successors[{number}].{name}", one


def _unknown(what: str, one: bytes, item: str) -> NoReturn:
    refuse(f"unknown_{what}", f"there is no {what} {uuid_text(one)}", item=item)
