"""What is in force in a release, and what became of an ID: pure functions of a decision inventory, never of
"now" (AMB-28, AMB-30, AMB-31, AMB-39)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from tekrar.core.curation.choice import Choice
from tekrar.core.curation.family import Family
from tekrar.core.curation.inventory import Inventory, Record
from tekrar.core.curation.quotation import Quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.identity import members_digest, uuid_text


class Bound(Protocol):
    """What a release binds of the exact layer."""

    @property
    def profile(self) -> bytes:
        """Its repetition-profile UUID (16 bytes)."""

    def members_of(self, exact: bytes) -> tuple[bytes, ...] | None:
        """All members of a class of the release, or None."""

    def has(self, occurrence: bytes) -> bool:
        """Whether the release's inventory has this occurrence."""


@dataclass(frozen=True)
class Effective:
    """What is in force in a release.

    Attributes:
        families: UUID -> every occurrence of it.
        quotations: UUIDs, oldest first.
        choices: (structure, name of the policy) -> choice UUID.
        needs_successor: families that no decision ended and whose members the release has not (AMB-28).
    """

    families: dict[bytes, frozenset[bytes]]
    quotations: tuple[bytes, ...]
    choices: dict[tuple[bytes, str], bytes]
    needs_successor: tuple[bytes, ...]

    def family_of(self, occurrence: bytes) -> bytes | None:
        """The family in force that an occurrence is in."""
        return next((one for one, members in self.families.items() if occurrence in members), None)


@dataclass(frozen=True)
class Resolution:
    """What an ID names, for ever: the record as it was made, how it stands, and what took its place.

    Successors are named and never followed.
    """

    record: Record
    state: str
    operation: str | None
    successors: tuple[bytes, ...]


@dataclass(frozen=True)
class Current:
    """What stands in the place of an ID now.

    Attributes:
        status: effective, ambiguous (several took its place) or unavailable (nothing did).
        id: the structure in force, or None.
        through: IDs passed on the way, the asked one first.
        candidates: of an ambiguous one, all that took its place.
    """

    status: str
    id: bytes | None
    through: tuple[bytes, ...]
    candidates: tuple[bytes, ...] = ()


@dataclass(frozen=True)
class Step:
    """One thing that happened to a structure: `seq` of its ledger entry, what, and with which others."""

    seq: int
    what: str
    others: tuple[bytes, ...]


def effective(inventory: Inventory, bound: Bound) -> Effective:
    """What is in force in a release that binds this inventory.

    Raises:
        CurationRefusal: competing_membership: two families in force share an occurrence.
    """
    families: dict[bytes, frozenset[bytes]] = {}
    needing: list[bytes] = []
    holder: dict[bytes, bytes] = {}
    quotations: list[bytes] = []
    mine = [one for one in inventory.in_force() if one.profile == bound.profile]
    for one in mine:
        if isinstance(one.body, Family):
            found = expanded(one.body, bound)
            if found is None:
                needing.append(one.id)
                continue
            families[one.id] = found
            for occurrence in found:
                if (other := holder.setdefault(occurrence, one.id)) != one.id:
                    refuse(
                        "competing_membership",
                        f"{uuid_text(occurrence)} is in {uuid_text(other)} and {uuid_text(one.id)}",
                        item="effective families",
                        expected="at most one family in force for an occurrence",
                    )
        elif isinstance(one.body, Quotation) and all(
            bound.has(end.occurrence) for end in (one.body.source, one.body.quoting)
        ):
            quotations.append(one.id)
    choices: dict[tuple[bytes, str], bytes] = {}
    for one in mine:
        if isinstance(one.body, Choice) and one.body.member in _members(one.body, families, bound):
            choices[one.body.structure, one.body.policy.name] = one.id
    return Effective(families, tuple(quotations), choices, tuple(needing))


def expanded(family: Family, bound: Bound) -> frozenset[bytes] | None:
    """Every occurrence of a family in a release; None where the release does not have exactly these."""
    found: set[bytes] = set()
    for member in family.members:
        if member.tag == "occurrence":
            if not bound.has(member.id):
                return None
            found.add(member.id)
            continue
        members = bound.members_of(member.id)
        if members is None or members_digest(list(members)) != member.inventory:
            return None
        found.update(members)
    whole = (len(found), members_digest(list(found)))
    return frozenset(found) if whole == (family.expansion_count, family.expansion_root) else None


def resolve(inventory: Inventory, structure: bytes) -> Resolution:
    """What an ID names: the old record, its state, its successors; it never follows (CAN-06, CUR-07).

    Raises:
        CurationRefusal: unknown_structure.
    """
    record = inventory.record(structure)
    ending = inventory.endings.get(structure)
    if ending is None:
        return Resolution(record, "effective", None, ())
    return Resolution(record, ending.state, ending.operation, ending.successors)


def current(inventory: Inventory, structure: bytes) -> Current:
    """What stands in the place of an ID: through a split it is ambiguous, through a retirement unavailable.

    Raises:
        CurationRefusal: unknown_structure.
    """
    through: list[bytes] = []
    while True:
        found = resolve(inventory, structure)
        if found.state == "effective":
            return Current("effective", structure, tuple(through))
        through.append(structure)
        # The state decides, and never that no successor is listed (QRY-03).
        if found.state != "superseded":
            return Current("unavailable", None, tuple(through), found.successors)
        if len(found.successors) > 1:
            return Current("ambiguous", None, tuple(through), found.successors)
        (structure,) = found.successors


def history(inventory: Inventory, structure: bytes) -> tuple[Step, ...]:
    """What happened to an ID: what it came from, and how it ended.

    Raises:
        CurationRefusal: unknown_structure.
    """
    record = inventory.record(structure)
    before = tuple(one for one, end in inventory.endings.items() if structure in end.successors)
    made = inventory.endings[before[0]].operation if before else f"accept_{record.kind}"
    if record.kind == "choice":
        made = "choose_canonical"
    steps = [Step(record.seq, made, before)]
    ending = inventory.endings.get(structure)
    if ending is not None:
        steps.append(Step(ending.seq, ending.operation, ending.successors))
    return tuple(steps)


def _members(
    choice: Choice, families: dict[bytes, frozenset[bytes]], bound: Bound
) -> frozenset[bytes] | tuple[bytes, ...]:
    if choice.tag == "family":
        return families.get(choice.structure, frozenset())
    return bound.members_of(choice.structure) or ()
