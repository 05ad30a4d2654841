"""A small world for the rules: a text, its occurrences and classes, and an inventory of decisions."""

from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tekrar.core.curation.action import Action, Body, Expected, canonical_bytes, expected_occurrences, parse
from tekrar.core.curation.choice import Choice, ChoicePolicy, Compensation
from tekrar.core.curation.decision import Decision
from tekrar.core.curation.effective import Effective, effective, expanded
from tekrar.core.curation.family import Family, Member, RequiredDiff
from tekrar.core.curation.family_rules import required_diffs
from tekrar.core.curation.inventory import Applied, Inventory
from tekrar.core.curation.quotation import End, Mapped, Quotation
from tekrar.core.curation.rules import check_action, check_applicable
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.curation.vectors import PROFILE, RECORDED, RELEASE, REPETITION, of_five, of_seven, witness
from tekrar.core.curation.view import (
    CandidateFacts,
    ClassFacts,
    DiffFacts,
    OccurrenceFacts,
    PolicyFacts,
    ProfileFacts,
    StructureFacts,
)
from tekrar.core.encoding import sha256
from tekrar.core.identity import members_digest, selection_id

#: Paragraphs; equal ones are a class.
LINES = (
    "Gemi limana indi.",
    "Gemi limana girdi.",
    "Gemi limana indi.",
    "Küçük gemi limana indi.",
    "Yol uzundur.",
    "Yol uzun mu?",
    "Yol uzundur.",
    "Yol uzundur, dedi: “Gemi limana indi.”",
    "Taş durur.",
    "Su akar.",
)


def occurrence(number: int) -> bytes:
    """UUID of the paragraph of this number."""
    return of_five(0x1000 + number)


@dataclass
class World:
    """A view of a text and of what was decided on it."""

    inventory: Inventory = field(default_factory=Inventory)
    occurrences: dict[bytes, OccurrenceFacts] = field(default_factory=dict)
    classes: dict[bytes, ClassFacts] = field(default_factory=dict)
    diffs: dict[bytes, DiffFacts] = field(default_factory=dict)
    candidates: dict[bytes, CandidateFacts] = field(default_factory=dict)
    evidence: set[bytes] = field(default_factory=set)
    releases: dict[bytes, set[bytes]] = field(default_factory=dict)
    applied: list[Applied] = field(default_factory=list)
    policies: dict[tuple[str, str], tuple[bytes, str]] = field(default_factory=dict)
    data: bytes = "\n\n".join(LINES).encode()

    def __post_init__(self) -> None:
        at, equal = 0, dict[str, list[int]]()
        for number, line in enumerate(LINES):
            equal.setdefault(line, []).append(number)
            end = at + len(line.encode())
            self.occurrences[occurrence(number)] = OccurrenceFacts(PROFILE, at, end, witness(number % 2))
            at = end + 2
        for numbers in equal.values():
            if len(numbers) < 2:
                continue
            own = of_five(0x2000 + numbers[0])
            self.classes[own] = ClassFacts(
                PROFILE, tuple(map(occurrence, numbers)), sha256(own), dominated=numbers[0] == 4
            )
            for one in map(occurrence, numbers):
                self.occurrences[one] = replace(self.occurrences[one], exact=own)
        for left in self.occurrences:
            for right in self.occurrences:
                witnesses = self.occurrences[left].witness, self.occurrences[right].witness
                self.diffs[diff_of(left, right)] = DiffFacts(left, right, *witnesses)
        self.releases[REPETITION] = set(self.classes)
        for name in ("editorial", "placement", "other"):
            self.policies[name, "1.0.0"] = (witness(7), "editorially_designated")

    # -- the view
    def profile(self, profile: bytes) -> ProfileFacts | None:
        return ProfileFacts(RELEASE, "deneme") if profile == PROFILE else None

    def occurrence(self, occurrence: bytes) -> OccurrenceFacts | None:
        return self.occurrences.get(occurrence)

    def exact_class(self, exact: bytes) -> ClassFacts | None:
        return self.classes.get(exact)

    def text(self, release: bytes, start: int, end: int) -> bytes:
        assert release == RELEASE
        return self.data[start:end]

    def diff(self, diff: bytes) -> DiffFacts | None:
        return self.diffs.get(diff)

    def candidate(self, candidate: bytes) -> CandidateFacts | None:
        return self.candidates.get(candidate)

    def has_evidence(self, evidence: bytes) -> bool:
        return evidence in self.evidence

    def family_of(self, occurrence: bytes) -> bytes | None:
        return self.now().family_of(occurrence)

    def structure(self, structure: bytes) -> StructureFacts | None:
        record = self.inventory.records.get(structure)
        if record is None:
            return None
        expansion = expanded(record.body, Released(self)) if isinstance(record.body, Family) else None
        state = self.inventory.state(structure)
        return StructureFacts(record.profile, record.body, state, expansion or frozenset())

    def choice_in_force(self, structure: bytes, policy: str) -> bytes | None:
        return self.inventory.choice_in_force(structure, policy)

    def choice_policy(self, policy: str, version: str) -> PolicyFacts | None:
        said = self.policies.get((policy, version))
        if said is not None:
            return PolicyFacts(*said)
        said = self.inventory.policies.get((policy, version))
        return None if said is None else PolicyFacts(*said, registered=False)

    def policy_versions(self, policy: str) -> tuple[str, ...]:
        return tuple(version for name, version in self.policies if name == policy)

    def released(self, release: bytes, structure: bytes) -> bool | None:
        held = self.releases.get(release)
        return None if held is None else structure in held

    # -- making and applying
    def now(self) -> Effective:
        return effective(self.inventory, Released(self))

    def member(self, one: bytes) -> Member:
        if one in self.classes:
            held = self.classes[one]
            inventory = members_digest(list(held.members))
            return Member("class", one, held.witness, len(held.members), inventory)
        return Member("occurrence", one, self.occurrences[one].witness)

    def family(self, members: Iterable[bytes], kind: str = "variant", **change: Any) -> Family:
        """A right family of these members."""
        tagged = [self.member(one) for one in members]
        parts = [self.classes[m.id].members if m.tag == "class" else (m.id,) for m in tagged]
        whole = {one for part in parts for one in part}
        firsts = [
            min((self.occurrences[o].start, self.occurrences[o].end, o) for o in part) for part in parts
        ]
        made = Family(
            kind=kind,
            members=tuple(tagged),
            expansion_count=len(whole),
            expansion_root=members_digest(list(whole)),
            diffs=tuple(RequiredDiff(a, b, diff_of(a, b)) for a, b in required_diffs(firsts)),
            allow_dominated=any(self.classes[m.id].dominated for m in tagged if m.tag == "class"),
        )
        return replace(made, **change)

    def action(self, operation: str, body: Body, **change: Any) -> Action:
        """An action written against the present state."""
        made = Action(
            operation=operation,
            edition="deneme",
            profile=PROFILE,
            text_release=RELEASE,
            rationale="…",
            expected=Expected(bytes(32), ()),
            body=body,
        )
        occurrences = {one for family in made.families for one in self.expansion(family)}
        expected = Expected(
            expected_occurrences({one: self.family_of(one) for one in occurrences}),
            tuple((one, "effective") for one in made.named),
        )
        return replace(made, **({"expected": expected} | change))

    def expansion(self, family: Family) -> set[bytes]:
        found: set[bytes] = set()
        for member in family.members:
            known = self.classes.get(member.id)
            found.update(known.members if member.tag == "class" and known is not None else (member.id,))
        return found

    def check(self, action: Action) -> None:
        check_action(parse(canonical_bytes(action)), self)

    def apply(self, action: Action) -> tuple[bytes, ...]:
        """Check and apply; the IDs count up from the number of decisions."""
        check_action(parse(canonical_bytes(action)), self)
        check_applicable(action)
        seq = len(self.applied)
        issued = tuple(of_seven(0x100000 + 100 * seq + n) for n in range(action.issued))
        digest = sha256(canonical_bytes(action) + bytes([seq]))
        decision = Decision(action.operation, digest, (of_seven(0x200000 + seq),), issued, RECORDED)
        self.inventory.add(Applied(seq, action, decision))
        self.applied.append(Applied(seq, action, decision))
        return issued

    def accept(self, *numbers: int) -> bytes:
        """A family of paragraphs, applied."""
        return self.apply(self.action("accept_family", self.family(map(occurrence, numbers))))[0]

    def supersession(
        self, predecessors: Iterable[bytes], successors: Iterable[Family], *, reason: str = "…"
    ) -> Supersession:
        """A supersession of families with the mapping that its members say."""
        before, after = tuple(predecessors), tuple(successors)
        expansions = [self.expansion(one) for one in after]
        moves = []
        for one in before:
            body = self.inventory.records[one].body
            assert isinstance(body, Family)
            for member in body.members:
                own = self.expansion(replace(body, members=(member,)))
                to = tuple(n for n, found in enumerate(expansions) if found & own)
                moves.append(MemberMove(member.tag, member.id, to))
        return Supersession(before, after, tuple(moves), reason)

    def choice(self, structure: bytes, member: bytes, policy: str = "editorial", **change: Any) -> Choice:
        tag = "class" if structure in self.classes else "family"
        self.releases[REPETITION].add(structure)
        made = Choice(
            tag=tag,
            structure=structure,
            release=REPETITION,
            member=member,
            policy=ChoicePolicy(policy, "1.0.0", "editorially_designated", witness(7)),
            supersedes=self.inventory.choice_in_force(structure, policy),
            allow_dominated=tag == "class",
        )
        return replace(made, **change)

    def compensation(self, choice: bytes) -> Compensation:
        return Compensation(choice, "Yanlış.")

    def end(self, number: int, text: str) -> End:
        """A selection of a text inside a paragraph."""
        held = self.occurrences[occurrence(number)]
        at = held.start + self.data[held.start : held.end].index(text.encode())
        ranges = ((at, at + len(text.encode())),)
        return End(occurrence(number), held.witness, selection_id(RELEASE, list(ranges)), ranges)

    def quotation(self, **change: Any) -> Quotation:
        """Paragraph 7 quotes paragraph 0, verbatim."""
        source, quoting = self.end(0, LINES[0]), self.end(7, LINES[0])
        pair = Mapped(source.ranges[0], quoting.ranges[0])
        return replace(Quotation("verbatim_quotation", source, quoting, (pair,), "Yer: 1"), **change)


@dataclass
class Released:
    """A release over a world's exact layer; `lost` are classes and occurrences that it has not."""

    world: World
    lost: frozenset[bytes] = frozenset()
    profile: bytes = PROFILE

    def members_of(self, exact: bytes) -> tuple[bytes, ...] | None:
        held = self.world.classes.get(exact)
        return None if held is None or exact in self.lost else held.members

    def has(self, occurrence: bytes) -> bool:
        return occurrence in self.world.occurrences and occurrence not in self.lost


def diff_of(left: bytes, right: bytes) -> bytes:
    """A made-up diff UUID."""
    return of_five(0x1000000 + int.from_bytes(left[-2:], "big") * 0x10000 + int.from_bytes(right[-2:], "big"))
