"""Rule of the candidates that an action names as its grounds: each is of passages that the action is about
(FAM-02, QUO-01)."""

from __future__ import annotations

from collections.abc import Iterable

from tekrar.core.curation.action import Action
from tekrar.core.curation.choice import Choice, Compensation, Override
from tekrar.core.curation.family import Family
from tekrar.core.curation.quotation import Quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import Supersession
from tekrar.core.curation.view import OccurrenceFacts, View
from tekrar.core.identity import uuid_text


def check_candidates(action: Action, view: View, members: frozenset[bytes]) -> None:
    """Refuse a candidate of passages that have nothing to do with the action. Naming none is allowed.

    A passage of the candidate has to do with it where it is one that the action is about, shares a byte with
    one, or is exactly equal to one: a side of a candidate stands for its whole class.

    Args:
        action: candidates of it are all known.
        view: the records.
        members: occurrences of the families that it brings.

    Raises:
        CurationRefusal: candidate_mismatch.
    """
    if not action.candidates:
        return
    about = members.union(_about(action, view))
    facts: list[OccurrenceFacts] | None = None
    for number, own in enumerate(action.candidates):
        held = view.candidate(own)
        touched = () if held is None else held.touched
        if not about.isdisjoint(touched):
            continue
        facts = _read(about, view, action.profile) if facts is None else facts
        if not any(_meet(one, other) for one in _read(touched, view, action.profile) for other in facts):
            refuse(
                "candidate_mismatch",
                f"candidate {uuid_text(own)} is of other passages: {', '.join(map(uuid_text, touched))}",
                item=f"$.candidates[{number}]",
                expected="a candidate of a passage that the action is about",
                mend="name the candidate that was looked at, or none",
            )


def _about(action: Action, view: View) -> Iterable[bytes]:
    """Occurrences that an action is about, besides the members of families that it brings."""
    body = action.body
    if isinstance(body, Override):
        held = view.candidate(body.candidate)
        yield from () if held is None else held.touched
    elif isinstance(body, Choice):
        yield from _chosen(body, view)
    elif isinstance(body, Compensation):
        made = view.structure(body.choice)
        if made is not None and isinstance(made.body, Choice):
            yield from _chosen(made.body, view)
    for quotation in action.quotations:
        yield from _ends(quotation)
    for own in body.predecessors if isinstance(body, Supersession) else ():
        ended = view.structure(own)
        if ended is not None and isinstance(ended.body, Family):
            yield from ended.expansion
        elif ended is not None and isinstance(ended.body, Quotation):
            yield from _ends(ended.body)


def _chosen(choice: Choice, view: View) -> Iterable[bytes]:
    """A choice's member and, of a family, the others; those of a class are exactly equal to it."""
    yield choice.member
    if choice.tag == "family" and (held := view.structure(choice.structure)) is not None:
        yield from held.expansion


def _ends(quotation: Quotation) -> tuple[bytes, bytes]:
    return quotation.source.occurrence, quotation.quoting.occurrence


def _read(ids: Iterable[bytes], view: View, profile: bytes) -> list[OccurrenceFacts]:
    found = (view.occurrence(one) for one in sorted(ids))
    return [one for one in found if one is not None and one.profile == profile]


def _meet(one: OccurrenceFacts, other: OccurrenceFacts) -> bool:
    shared = one.start < other.end and other.start < one.end
    return shared or (one.exact is not None and one.exact == other.exact)
