"""Typed supersession: what takes the place of what, and where each member went (ADR-009 *Review and
correction*; CUR-07, AMB-31).

| operation | predecessors | successors |
|---|---|---|
| replace | 1 | 1 |
| split | 1 | 2 or more, disjoint |
| merge | 2 or more | 1 |
| restructure | 1 or more | 2 or more, and it is no split: several predecessors, or a class divided |
| retire | 1 | none |
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final

from tekrar.core.curation import fields
from tekrar.core.curation.family import Family, read_family
from tekrar.core.curation.quotation import Quotation, read_quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.encoding import Json, canonical_json
from tekrar.core.identity import uuid_text

RESIDUE: Final = "residue"
#: Tags of a mapped member: those of a family's members, and a quotation as a whole.
MAPPED_TAGS: Final = ("class", "occurrence", "quotation")

Body = Family | Quotation


@dataclass(frozen=True)
class MemberMove:
    """Where one member of the predecessors goes.

    Attributes:
        tag: class, occurrence, or quotation for a whole quotation.
        id: UUID (16 bytes).
        to: places in the list of successors; none of them is the residue.
    """

    tag: str
    id: bytes
    to: tuple[int, ...]

    @property
    def key(self) -> tuple[str, bytes]:
        """Place in the canonical order."""
        return self.tag, self.id

    def as_json(self) -> Json:
        """The line as it stands in an action."""
        to: Json = [str(one) for one in sorted(self.to)] if self.to else RESIDUE
        return {"member": {"tag": self.tag, "id": uuid_text(self.id)}, "to": to}


@dataclass(frozen=True)
class Supersession:
    """What takes the place of what.

    Attributes:
        predecessors: UUIDs of the structures that go (16 bytes each).
        successors: bodies of those that come; their UUIDs are made when the decision is applied.
        mapping: one line for every member of the predecessors.
        reason: why, Markdown as given.
    """

    predecessors: tuple[bytes, ...]
    successors: tuple[Body, ...]
    mapping: tuple[MemberMove, ...]
    reason: str

    @property
    def ordered(self) -> Supersession:
        """The same in canonical order; the mapping follows its successors."""
        order = sorted(range(len(self.successors)), key=lambda n: _wrapped_bytes(self.successors[n]))
        place = {old: new for new, old in enumerate(order)}
        moves = [replace(one, to=tuple(sorted(place.get(n, n) for n in one.to))) for one in self.mapping]
        return Supersession(
            tuple(sorted(self.predecessors)),
            tuple(self.successors[n] for n in order),
            tuple(sorted(moves, key=lambda one: one.key)),
            self.reason,
        )

    def as_json(self) -> Json:
        """The body as it stands in an action."""
        held = self.ordered
        return {
            "predecessors": fields.id_list(held.predecessors),
            "successors": [_wrapped(one) for one in held.successors],
            "mapping": [one.as_json() for one in held.mapping],
            "reason": held.reason,
        }


def read_supersession(value: object, item: str, operation: str) -> Supersession:
    """A supersession body of one operation; its form and shape are checked.

    Raises:
        CurationRefusal: another form, or a shape that is not the operation's (`shape`).
    """
    required = ("predecessors", "successors", "mapping", "reason")
    held = fields.an_object(value, item=item, required=required)
    made = Supersession(
        predecessors=fields.a_list(
            held["predecessors"],
            lambda one, place: fields.an_id(one, item=place, version=7),
            item=f"{item}.predecessors",
        ),
        successors=fields.a_list(held["successors"], _successor, item=f"{item}.successors"),
        mapping=fields.a_list(held["mapping"], _move, item=f"{item}.mapping"),
        reason=fields.a_text(held["reason"], item=f"{item}.reason"),
    )
    fields.ascending(made.predecessors, item=f"{item}.predecessors")
    fields.ascending([_wrapped_bytes(one) for one in made.successors], item=f"{item}.successors")
    fields.ascending([one.key for one in made.mapping], item=f"{item}.mapping")
    check_shape(
        operation,
        before=len(made.predecessors),
        after=len(made.successors),
        divided=any(len(one.to) > 1 for one in made.mapping),
        item=item,
    )
    if not made.mapping:
        refuse(
            "incomplete_mapping", "no member is mapped", item=f"{item}.mapping", expected="one line a member"
        )
    if len({type(one) for one in made.successors}) > 1:
        refuse(
            "mixed_kinds", "families and quotations take no place of each other", item=f"{item}.successors"
        )
    _check_targets(operation, made, item)
    return made


def check_shape(operation: str, *, before: int, after: int, divided: bool, item: str) -> None:
    """Refuse numbers of predecessors and successors that are not the operation's.

    Args:
        operation: one of `SUPERSESSIONS`.
        before, after: how many go and how many come.
        divided: whether a member goes to more than one successor.
        item: path of the body.
    """
    shapes = {
        "replace": before == 1 and after == 1,
        "split": before == 1 and after >= 2 and not divided,
        "merge": before >= 2 and after == 1,
        "restructure": after >= 2 and (before >= 2 or (before == 1 and divided)),
        "retire": before == 1 and after == 0,
    }
    if not shapes[operation]:
        right = [name for name, fits in shapes.items() if fits]
        refuse(
            "shape",
            f"{operation} does not take {before} to {after}",
            item=item,
            expected="replace 1 to 1, split 1 to 2 or more, merge 2 or more to 1, restructure 2 or more to"
            " 2 or more, or 1 to 2 or more when a class is divided; retire 1 to none",
            mend=f"this is a {right[0]}" if right else "name what goes and what comes",
        )


def check_complete(held: Supersession, members: Set[tuple[str, bytes]], *, item: str) -> None:
    """Refuse a mapping that leaves out a member of the predecessors, or has one that is none.

    Args:
        held: the supersession.
        members: tag and UUID of every member of all predecessors.
        item: path of the body.
    """
    mapped = {one.key for one in held.mapping}
    for what, keys in (("left out", members - mapped), ("no member", mapped - members)):
        for tag, one in sorted(keys):
            refuse(
                "incomplete_mapping",
                f"{tag} {uuid_text(one)} is {what}",
                item=f"{item}.mapping",
                expected="every member of the predecessors, each once, to a successor or to the residue",
            )


def check_acyclic(edges: Mapping[bytes, Sequence[bytes]], *, item: str = "supersession") -> None:
    """Refuse a structure that takes its own place, directly or through others.

    Args:
        edges: predecessor -> successors.
        item: what is named in the refusal.
    """
    done: set[bytes] = set()
    for start in edges:
        if start in done:
            continue
        path: dict[bytes, None] = {start: None}
        stack = [iter(edges[start])]
        while stack:
            following = next(stack[-1], None)
            if following is None:
                stack.pop()
                done.add(path.popitem()[0])
            elif following in path:
                refuse(
                    "cyclic_supersession",
                    f"{uuid_text(following)} takes its own place",
                    item=item,
                    expected="successors that are new",
                )
            elif following not in done:
                path[following] = None
                stack.append(iter(edges.get(following, ())))


def _check_targets(operation: str, held: Supersession, item: str) -> None:
    for number, one in enumerate(held.mapping):
        place = f"{item}.mapping[{number}].to"
        if one.to and one.to[-1] >= len(held.successors):
            refuse(
                "incomplete_mapping",
                f"there is no successor {one.to[-1]}",
                item=place,
                expected=f"0 to {len(held.successors) - 1}" if held.successors else RESIDUE,
            )
        divided = (operation == "restructure" and one.tag == "class") or one.tag == "quotation"
        if len(one.to) > 1 and not divided:
            refuse(
                "double_membership",
                f"{one.tag} {uuid_text(one.id)} goes to {len(one.to)} successors",
                item=place,
                expected="exactly one, or the residue",
            )


def _wrapped(body: Body) -> Json:
    return {"family" if isinstance(body, Family) else "quotation": body.as_json()}


def _wrapped_bytes(body: Body) -> bytes:
    return canonical_json(_wrapped(body))


def _successor(value: object, item: str) -> Body:
    if isinstance(value, dict) and list(value) == ["family"]:
        return read_family(value["family"], f"{item}.family")
    held = fields.an_object(value, item=item, required=("quotation",))
    return read_quotation(held["quotation"], f"{item}.quotation")


def _move(value: object, item: str) -> MemberMove:
    held = fields.an_object(value, item=item, required=("member", "to"))
    member = fields.an_object(held["member"], item=f"{item}.member", required=("tag", "id"))
    tag = fields.one_of(member["tag"], MAPPED_TAGS, item=f"{item}.member.tag", kind="unknown_tag")
    to: tuple[int, ...] = ()
    if held["to"] != RESIDUE:
        to = fields.a_list(held["to"], lambda one, place: fields.a_number(one, item=place), item=f"{item}.to")
        fields.ascending(to, item=f"{item}.to")
        if not to:
            refuse("malformed", "no place is named", item=f"{item}.to", expected=f'["0"] or "{RESIDUE}"')
    version = 7 if tag == "quotation" else 5
    return MemberMove(tag, fields.an_id(member["id"], item=f"{item}.member.id", version=version), to)
