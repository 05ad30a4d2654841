"""Rules of supersession that need the records: predecessors in force, every member mapped, and mapped to
where it is (AMB-28, AMB-31)."""

from __future__ import annotations

from collections.abc import Sequence

from tekrar.core.curation.choice import Choice
from tekrar.core.curation.family import Family
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import MemberMove, Supersession, check_complete
from tekrar.core.curation.view import StructureFacts, View
from tekrar.core.identity import uuid_text

_ITEM = "$.supersession"


def check_predecessors(held: Supersession, view: View) -> None:
    """Refuse predecessors that are no families or quotations in force, and a mapping that is not complete.

    Raises:
        CurationRefusal: unknown_structure, tag_mismatch, mixed_kinds, superseded_twice, incomplete_mapping.
    """
    keys: set[tuple[str, bytes]] = set()
    kinds = {type(one) for one in held.successors}
    for number, one in enumerate(held.predecessors):
        item = f"{_ITEM}.predecessors[{number}]"
        facts = view.structure(one)
        if facts is None:
            refuse("unknown_structure", f"there is no structure {uuid_text(one)}", item=item)
        if isinstance(facts.body, Choice):
            refuse(
                "tag_mismatch",
                f"{uuid_text(one)} is a canonical choice",
                item=item,
                expected="a family or a quotation",
                mend="a choice is superseded by another choice, or compensated",
            )
        check_in_force(one, facts, item=item)
        kinds.add(type(facts.body))
        if isinstance(facts.body, Family):
            keys |= {member.key for member in facts.body.members}
        else:
            keys.add(("quotation", one))
    if len(kinds) > 1:
        refuse("mixed_kinds", "families and quotations take no place of each other", item=_ITEM)
    check_complete(held, keys, item=_ITEM)


def check_in_force(own: bytes, facts: StructureFacts, *, item: str) -> None:
    """Refuse to end what ended already (`superseded_twice`): no decision is turned to another successor."""
    if facts.state != "effective":
        refuse(
            "superseded_twice",
            f"{uuid_text(own)} is {facts.state} already",
            item=item,
            expected="a structure in force; each is superseded at most once",
            mend="tekrar resolve ID --current says what stands in its place",
        )


def check_moves(
    held: Supersession, view: View, *, profile: bytes, expansions: Sequence[frozenset[bytes]]
) -> None:
    """Refuse a line of the mapping that names a successor without the member, or leaves one unnamed.

    A member of another profile has other occurrences in the successors; its line is what the reviewers say.

    Args:
        held: the supersession, its successors in canonical order.
        view: the records.
        profile: the action's.
        expansions: occurrences of each successor, when they are families.

    Raises:
        CurationRefusal: mapping_differs.
    """
    for number, move in enumerate(held.mapping):
        occurrences = _occurrences(move, view, profile)
        if not occurrences:
            continue
        reached = {place for place, found in enumerate(expansions) if found & occurrences}
        covered = not move.to or occurrences <= frozenset[bytes]().union(*(expansions[n] for n in move.to))
        if reached != set(move.to) or not covered:
            refuse(
                "mapping_differs",
                f"{move.tag} {uuid_text(move.id)} is in {_places(sorted(reached))}",
                item=f"{_ITEM}.mapping[{number}].to",
                expected="the successors whose members say so, with all of its occurrences",
            )


def _occurrences(move: MemberMove, view: View, profile: bytes) -> frozenset[bytes]:
    if move.tag == "occurrence":
        occurrence = view.occurrence(move.id)
        return frozenset([move.id] if occurrence is not None and occurrence.profile == profile else [])
    if move.tag == "class":
        exact = view.exact_class(move.id)
        return frozenset(exact.members if exact is not None and exact.profile == profile else ())
    return frozenset()


def _places(places: list[int]) -> str:
    return f"successor {', '.join(map(str, places))}" if places else "no successor"
