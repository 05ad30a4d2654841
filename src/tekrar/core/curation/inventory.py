"""The decision inventory: which structures decisions brought, and which of them ended what (AMB-30, AMB-31).

A pure fold over applied decisions up to a head. It reads no clock and no release: what is effective in a
release is asked in `effective`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from tekrar.core.curation.action import Action
from tekrar.core.curation.choice import Choice, Compensation, Override
from tekrar.core.curation.decision import START, Decision, moved_head
from tekrar.core.curation.family import Family
from tekrar.core.curation.quotation import Quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import Supersession, check_acyclic
from tekrar.core.curation.transition import structure_moved
from tekrar.core.identity import uuid_text


@dataclass(frozen=True)
class Applied:
    """One decision with the action that it applied; `seq` is its ledger entry."""

    seq: int
    action: Action
    decision: Decision


@dataclass(frozen=True)
class Record:
    """One structure as its decision made it; it never changes.

    Attributes:
        id: UUIDv7 (16 bytes).
        body: what it says.
        profile: repetition-profile UUID.
        seq: ledger entry of its decision.
        decision: digest of the decision (32 bytes).
    """

    id: bytes
    body: Family | Quotation | Choice
    profile: bytes
    seq: int
    decision: bytes

    @property
    def kind(self) -> str:
        """family, quotation or choice."""
        names = {Family: "family", Quotation: "quotation", Choice: "choice"}
        return names[type(self.body)]


@dataclass(frozen=True)
class Ending:
    """How a structure ended.

    Attributes:
        state: superseded, retired or compensated.
        operation: what ended it.
        successors: UUIDs of what took its place; none of them is followed by itself.
        seq: ledger entry of that decision.
    """

    state: str
    operation: str
    successors: tuple[bytes, ...]
    seq: int


@dataclass
class Inventory:
    """What a sequence of decisions amounts to.

    Attributes:
        head: the head of curation after the last of them.
        records: UUID -> structure.
        endings: UUID -> how it ended.
        overridden: hashes of the disposition events that decisions overrode.
        policies: (name, version) -> document digest and rule of every policy that a choice named.
    """

    head: bytes = START
    records: dict[bytes, Record] = field(default_factory=dict)
    endings: dict[bytes, Ending] = field(default_factory=dict)
    overridden: set[bytes] = field(default_factory=set)
    policies: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    _choices: dict[bytes, list[bytes]] = field(default_factory=dict)

    def state(self, structure: bytes) -> str:
        """State of a structure: effective, superseded, retired or compensated.

        Raises:
            CurationRefusal: unknown_structure.
        """
        self.record(structure)
        return self.endings[structure].state if structure in self.endings else "effective"

    def record(self, structure: bytes) -> Record:
        """A structure as it was made.

        Raises:
            CurationRefusal: unknown_structure.
        """
        found = self.records.get(structure)
        if found is None:
            refuse("unknown_structure", f"there is no structure {uuid_text(structure)}", item="inventory")
        return found

    def in_force(self) -> Iterator[Record]:
        """Structures that no decision ended, oldest first."""
        return (one for one in self.records.values() if one.id not in self.endings)

    def add(self, one: Applied) -> None:
        """Take one decision more; refused, it changes nothing.

        Raises:
            CurationRefusal: an ID issued twice, another number of IDs than bodies, a predecessor that is
                unknown or ended already, a choice beside the one in force.
        """
        item = f"ledger entry {one.seq}"
        body, issued = one.action.body, one.decision.structures
        if len(issued) != one.action.issued:
            refuse(
                "structures",
                f"{len(issued)} structures were issued",
                item=item,
                expected=f"{one.action.issued} for {one.action.operation}",
            )
        for number, structure in enumerate(issued):
            if structure in self.records or structure in issued[:number]:
                refuse("issued_twice", f"{uuid_text(structure)} is issued twice", item=item)
        bodies: tuple[Family | Quotation | Choice, ...] = (
            (body,) if isinstance(body, Choice) else one.action.structures
        )
        if isinstance(body, Choice):
            self._leave_choice(body, issued[0], one, item)
        elif isinstance(body, Compensation):
            self._end(body.choice, Ending("compensated", one.action.operation, (), one.seq), item)
        elif isinstance(body, Supersession):
            self._supersede(body, one, item)
        elif isinstance(body, Override):
            self.overridden.add(body.event)
        for structure, held in zip(issued, bodies, strict=True):
            self.records[structure] = Record(
                structure, held, one.action.profile, one.seq, one.decision.digest
            )
            if isinstance(held, Choice):
                self._choices.setdefault(held.structure, []).append(structure)
        self.head = moved_head(self.head, one.decision.digest)

    def choice_in_force(self, structure: bytes, policy: str) -> bytes | None:
        """The choice in force for a structure under the policy of this name, or None (CAN-01)."""
        for one in self._choices.get(structure, ()):
            body = self.records[one].body
            if one not in self.endings and isinstance(body, Choice) and body.policy.name == policy:
                return one
        return None

    def _leave_choice(self, body: Choice, successor: bytes, one: Applied, item: str) -> None:
        current = self.choice_in_force(body.structure, body.policy.name)
        if current != body.supersedes:
            refuse(
                "expected_state_mismatch",
                "another choice is in force" if current else "no choice is in force",
                item=item,
                expected=uuid_text(current) if current else "no choice superseded",
            )
        version, said = (body.policy.name, body.policy.version), (body.policy.document, body.policy.rule)
        if self.policies.setdefault(version, said) != said:
            refuse("policy_differs", f"policy {body.policy.name} has another document or rule", item=item)
        if current is not None:
            self._end(current, Ending("superseded", one.action.operation, (successor,), one.seq), item)

    def _supersede(self, body: Supersession, one: Applied, item: str) -> None:
        operation, held = one.action.operation, body.ordered
        owner: dict[tuple[str, bytes], bytes] = {}
        event = "retire" if operation == "retire" else "supersede"
        for predecessor in held.predecessors:
            structure_moved(self.state(predecessor), event, item=f"{item}, {uuid_text(predecessor)}")
            known = self.record(predecessor).body
            keys = (
                [m.key for m in known.members] if isinstance(known, Family) else [("quotation", predecessor)]
            )
            owner |= dict.fromkeys(keys, predecessor)
        reached: dict[bytes, set[int]] = {}
        for move in held.mapping:
            if move.key in owner:
                reached.setdefault(owner[move.key], set()).update(move.to)
        for predecessor in held.predecessors:
            state = "retired" if operation == "retire" else "superseded"
            # A predecessor all of whose members went to the residue still has the decision's successors.
            places = reached.get(predecessor) or set(range(len(held.successors)))
            successors = tuple(one.decision.structures[n] for n in sorted(places))
            self._end(predecessor, Ending(state, operation, successors, one.seq), item)
            for choice in self._choices.get(predecessor, ()):
                if choice not in self.endings:
                    self._end(choice, Ending("retired", operation, (), one.seq), item)

    def _end(self, structure: bytes, ending: Ending, item: str) -> None:
        event = {"superseded": "supersede", "retired": "retire", "compensated": "compensate"}[ending.state]
        structure_moved(self.state(structure), event, item=f"{item}, {uuid_text(structure)}")
        self.endings[structure] = ending


def fold(applied: Iterable[Applied], *, head: bytes | None = None) -> Inventory:
    """The inventory of decisions, up to a head.

    Args:
        applied: decisions in the order of the ledger.
        head: where to stop; None for all of them. 32 zero bytes are before the first.

    Raises:
        CurationRefusal: a decision that cannot follow on those before it; unknown_head: no decision leads
            to the head; cyclic_supersession.
    """
    made = Inventory()
    for one in applied:
        if made.head == head:
            break
        made.add(one)
    if head is not None and made.head != head:
        refuse(
            "unknown_head",
            f"no decision leads to the head {head.hex()}",
            item="inventory",
            expected=made.head.hex(),
        )
    check_acyclic({one: ending.successors for one, ending in made.endings.items()})
    return made
