"""From a line that somebody wrote to the action it means (CUR-02).

Witnesses, inventories, expected state and diffs are filled in from the records; nothing is decided here.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tekrar.core.curation import fields
from tekrar.core.curation.action import Action, Body, Expected, expected_occurrences
from tekrar.core.curation.choice import Choice, Compensation, Override, read_choice
from tekrar.core.curation.family import Family, RequiredDiff
from tekrar.core.curation.family_rules import required_diffs
from tekrar.core.curation.quotation import End, Mapped, Quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.curation.view import DiffFacts
from tekrar.core.curation.vocabulary import REVIEW_POLICIES
from tekrar.core.diff.record import PassageDiff, diff_of
from tekrar.core.identity import members_digest, selection_id, uuid_text
from tekrar.store.curation import human_lines as human
from tekrar.store.curation.facts import StoredView
from tekrar.store.curation.parts import part_of_text, part_of_words
from tekrar.store.curation.policies import meant_policy
from tekrar.store.curation.references import Named, References, id_of
from tekrar.store.evidence.diffs import read_endpoints

#: Gives the bytes of a file that a line names with @.
ReadFile = Callable[[str], bytes]
Pair = tuple[bytes, bytes]


@dataclass
class Drafter:
    """Makes actions in one snapshot.

    Attributes:
        view: the snapshot.
        references: finds what lines name.
        read_file: the bytes of a file that a line names with @.
        diffs: every diff that the actions rest on, by (left, right).
        review_policy: the policy of review of lines that name none.
    """

    view: StoredView
    references: References
    read_file: ReadFile
    diffs: dict[Pair, PassageDiff] = field(default_factory=dict)
    review_policy: str = REVIEW_POLICIES[0]

    def action(self, line: human.HumanLine) -> Action:
        """The action that a line means.

        Raises:
            TekrarError: a word of it means nothing here; the item is named.
        """
        said, basis = line.said, self.view.basis
        self.references.candidates, self.references.evidence = set(), set()
        fields.a_list(said.get("candidates", []), self._rested_on, item="$.candidates")
        body = self._body(line)
        evidence = set(
            fields.a_list(
                said.get("evidence", []), lambda one, at: id_of(one, at, version=5), item="$.evidence"
            )
        )
        rationale = self.text(said["rationale"], "$.rationale")
        action = Action(
            operation=line.operation,
            edition=basis.edition,
            profile=basis.profile,
            text_release=basis.text_release,
            rationale=rationale,
            expected=Expected(bytes(32), ()),
            body=body,
            candidates=tuple(sorted(self.references.candidates)),
            evidence=tuple(sorted(evidence | self.references.evidence)),
            policy_of_review=fields.one_of(
                said.get("policy_of_review", self.review_policy),
                REVIEW_POLICIES,
                item="$.policy_of_review",
                kind="unknown_policy",
            ),
        )
        occurrences = {one for family in action.families for one in self._expanded(family)}
        families = {one: self.view.family_of(one) for one in occurrences}
        expected = Expected(expected_occurrences(families), tuple((one, "effective") for one in action.named))
        return Action(**{**action.__dict__, "expected": expected})

    def _rested_on(self, value: object, item: str) -> None:
        """A candidate that the line names beside what it proposes."""
        self.references.known_candidate(self.references.candidate(value, item), item)

    def text(self, value: object, item: str) -> str:
        """Text as given, or that of a file named with @; @@ stands for an @."""
        said = fields.a_string(value, item=item)
        if said.startswith("@@"):
            return fields.a_text(said[1:], item=item)
        if said.startswith("@"):
            try:
                said = self.read_file(said[1:]).decode("utf-8")
            except UnicodeDecodeError:
                refuse("not_utf8", f"{said[1:]} is not UTF-8", item=item, expected="Markdown in UTF-8")
        return fields.a_text(said, item=item)

    def _body(self, line: human.HumanLine) -> Body:
        said = line.said
        if line.operation == "accept_family":
            return self._family(said, "$")
        if line.operation == "accept_quotation":
            return self._quotation(said, "$")
        if line.operation == "choose_canonical":
            return self._choice(said)
        if line.operation == "compensate_choice":
            own = self._known(said["choice"], "$.choice")
            return Compensation(own, self.text(said["reason"], "$.reason"))
        if line.operation == "override_false_positive":
            return self._override(said)
        return self._supersession(said, line.operation)

    def _known(self, value: object, item: str) -> bytes:
        """UUID of a structure that a decision made."""
        own = id_of(value, item)
        if self.view.structure(own) is None:
            refuse(
                "unknown_structure",
                f"there is no structure {uuid_text(own)}",
                item=item,
                expected="a family, quotation or choice that a decision issued",
                mend="tekrar families, quotations and choices list those in force in a release",
            )
        return own

    # -- families ---------------------------------------------------------

    def _family(self, said: human.Object, item: str) -> Family:
        members = self.references.members(said["members"], f"{item}.members")
        expanded = [self._members(member.id, member.tag) for member in members]
        ids = {one for held in expanded for one in held}
        firsts = [min(map(self._order, held)) for held in expanded]
        pairs = [pair for pair in dict.fromkeys(required_diffs(firsts)) if pair[0] != pair[1]]
        self._derive(pairs)
        found = [RequiredDiff(left, right, self._diff(left, right)) for left, right in pairs]
        return Family(
            kind=fields.a_string(said["kind"], item=f"{item}.kind"),
            members=members,
            expansion_count=len(ids),
            expansion_root=members_digest(list(ids)),
            diffs=tuple(found),
            allow_dominated=human.is_allowed(said, item),
        )

    def _members(self, own: bytes, tag: str) -> tuple[bytes, ...]:
        if tag == "occurrence":
            return (own,)
        exact = self.view.exact_class(own)
        assert exact is not None
        return exact.members

    def _expanded(self, family: Family) -> Iterable[bytes]:
        return (one for member in family.members for one in self._members(member.id, member.tag))

    def _order(self, one: bytes) -> tuple[int, int, bytes]:
        facts = self.view.occurrence(one)
        assert facts is not None
        return facts.start, facts.end, one

    # -- quotations -------------------------------------------------------

    def _quotation(self, said: human.Object, item: str) -> Quotation:
        source, quoting = (self._end(said[name], f"{item}.{name}") for name in ("source", "quoting"))
        if "mapping" in said:
            mapping = fields.a_list(said["mapping"], _mapped, item=f"{item}.mapping")
        elif len(source.ranges) == len(quoting.ranges):
            mapping = tuple(
                Mapped(one, other) for one, other in zip(source.ranges, quoting.ranges, strict=True)
            )
        else:
            refuse(
                "incomplete_mapping",
                f"{len(source.ranges)} ranges and {len(quoting.ranges)} correspond in no way that is stated",
                item=item,
                expected='"mapping": [{"source": [start, end], "quoting": [start, end]}, …]',
            )
        ends, diff = (source.occurrence, quoting.occurrence), None
        if said.get("diff") not in (None, "none"):
            refuse("malformed", "a diff is derived or left out", item=f"{item}.diff", expected='"none"')
        if said.get("diff") is None and ends[0] != ends[1]:
            self._derive([ends])
            diff = self._diff(*ends)
        return Quotation(
            kind=fields.a_string(said["kind"], item=f"{item}.kind"),
            source=source,
            quoting=quoting,
            mapping=mapping,
            attribution=self.text(said["attribution"], f"{item}.attribution"),
            diff=diff,
        )

    def _end(self, value: object, item: str) -> End:
        part: dict[str, Any] = {}
        if isinstance(value, dict) and not value.keys().isdisjoint((*human.PARTS, *human.WHOLES)):
            value, part = human.part_of(value, item)
        named = self.references.occurrence(value, item)
        facts = self.view.occurrence(named.id)
        assert facts is not None
        ranges: tuple[fields.Span, ...] = (
            (facts.start, facts.end) if named.extent is None else named.extent,
        )
        if "ranges" in part:
            ranges = human.spans_of(part["ranges"], f"{item}.ranges")
        for key, find in (("text", part_of_text), ("words", part_of_words)):
            if key in part:
                content = self.view.text(self.view.basis.text_release, facts.start, facts.end)
                ranges = find(part[key], content, start=facts.start, item=f"{item}.{key}")
        own = selection_id(self.view.basis.text_release, list(ranges))
        return End(named.id, facts.witness, own, ranges)

    # -- choices and candidates -------------------------------------------

    def _choice(self, said: human.Object) -> Choice:
        structure = fields.a_string(said["structure"], item="$.structure")
        tag = "family" if structure[14:15] == "7" else "class"
        own = (
            self._known(structure, "$.structure")
            if tag == "family"
            else fields.an_id(structure, item="$.structure", version=5)
        )
        policy = meant_policy(said["policy"], self.view, text=self.text, read_file=self.read_file)
        name = policy.name
        current = self.view.choice_in_force(own, name)
        supersedes = id_of(said["supersedes"], "$.supersedes") if "supersedes" in said else None
        made = Choice(
            tag,
            own,
            self.view.basis.release,
            self.references.occurrence(said["member"], "$.member").id,
            policy,
            supersedes,
            human.is_allowed(said, "$"),
        )
        made = read_choice(made.as_json(), "$")
        if supersedes is None and current is not None:
            refuse(
                "expected_state_mismatch",
                f"choice {uuid_text(current)} is in force",
                item="$.supersedes",
                expected=uuid_text(current),
                mend="name it in supersedes, when this one is to take its place",
            )
        return made

    def _override(self, said: human.Object) -> Override:
        own = self.references.candidate(said["candidate"], "$.candidate")
        facts = self.view.candidate(own)
        if facts is None or facts.event is None:
            what = "there is no candidate" if facts is None else "nobody marked candidate"
            kind = "unknown_candidate" if facts is None else "not_false_positive"
            refuse(kind, f"{what} {uuid_text(own)}", item="$.candidate")
        self.references.known_candidate(own, "$.candidate")
        return Override(own, facts.generator, facts.participants, facts.event)

    # -- supersessions ----------------------------------------------------

    def _supersession(self, said: human.Object, operation: str) -> Supersession:
        before = self.references.ending(said["predecessors"], "$.predecessors")
        after = fields.a_list(said.get("successors", []), self._successor, item="$.successors")
        reason = self.text(said["reason"], "$.reason")
        held = self._held(before)
        residue = {
            one.id
            for one in fields.a_list(
                said.get("residue", []), lambda one, at: self._named(one, at, held), item="$.residue"
            )
        }
        if "mapping" in said:
            moves = fields.a_list(
                said["mapping"], lambda one, at: self._move(one, at, held), item="$.mapping"
            )
        else:
            moves = tuple(self._moves(before, after, residue, whole=operation == "retire"))
        return Supersession(before, after, moves, reason)

    def _successor(self, value: object, item: str) -> Family | Quotation:
        if isinstance(value, dict) and "members" in value:
            return self._family(human.family_of(value, item), item)
        return self._quotation(human.quotation_of(value, item), item)

    def _move(self, value: object, item: str, held_before: dict[str, str]) -> MemberMove:
        held = fields.an_object(value, item=item, required=("member", "to"))
        to: tuple[int, ...] = ()
        if held["to"] != "residue":
            if not isinstance(held["to"], list):
                refuse(
                    "malformed",
                    f"{held['to']!r} is no list of successors",
                    item=f"{item}.to",
                    expected='numbers of successors, from 0, such as [0]; or "residue"',
                )
            places = [str(n) if type(n) is int else n for n in held["to"]]
            to = fields.a_list(places, lambda one, at: fields.a_number(one, item=at), item=f"{item}.to")
        member = held["member"]
        if isinstance(member, str) and member[14:15] == "7":
            return MemberMove("quotation", id_of(member, f"{item}.member"), to)
        named = self._named(member, f"{item}.member", held_before)
        return MemberMove(named.tag, named.id, to)

    def _held(self, before: Iterable[bytes]) -> dict[str, str]:
        """Members of what ends, ID -> tag: those of an earlier text are in no record of the release."""
        found = (self.view.structure(own) for own in before)
        return {
            uuid_text(member.id): member.tag
            for one in found
            if one is not None and isinstance(one.body, Family)
            for member in one.body.members
        }

    def _named(self, value: object, item: str, held: dict[str, str]) -> Named:
        if isinstance(value, str) and value in held:
            return Named(id_of(value, item, version=5), held[value])
        return self.references.find(value, item)

    def _moves(
        self, before: Iterable[bytes], after: tuple[Any, ...], residue: set[bytes], *, whole: bool
    ) -> Iterable[MemberMove]:
        """Where each member went, as the successors' own members say; one that is in none of them must be
        named in `residue`."""
        expansions = [set(self._expanded(one)) if isinstance(one, Family) else set() for one in after]
        for number, own in enumerate(before):
            held = self.view.structure(own)
            if held is None:
                refuse(
                    "unknown_structure",
                    f"there is no structure {uuid_text(own)}",
                    item=f"$.predecessors[{number}]",
                )
            if not isinstance(held.body, Family):
                yield MemberMove("quotation", own, () if whole else tuple(range(len(after))))
                continue
            for member in held.body.members:
                here = self.view.exact_class(member.id) or self.view.occurrence(member.id)
                ids = set(self._members(member.id, member.tag)) if here is not None else set()
                to = tuple(n for n, found in enumerate(expansions) if found & ids)
                if not to and not whole and member.id not in residue:
                    refuse(
                        "incomplete_mapping",
                        f"{member.tag} {uuid_text(member.id)} goes to no successor",
                        item=f"$.predecessors[{number}]",
                        expected="every member in a successor, or named in residue",
                        mend=f'"residue": ["{uuid_text(member.id)}", …]',
                    )
                yield MemberMove(member.tag, member.id, to)

    # -- diffs ------------------------------------------------------------

    def _derive(self, pairs: list[Pair]) -> None:
        wanted = [pair for pair in pairs if pair not in self.diffs]
        names = {uuid_text(one) for pair in wanted for one in pair}
        ends = read_endpoints(self.view.connection, self.view.basis.profile_key, names) if names else {}
        for left, right in wanted:
            made = diff_of(ends[uuid_text(left)], ends[uuid_text(right)])
            own = made.id
            assert own is not None
            self.diffs[left, right] = made
            self.view.derived[own] = DiffFacts(left, right, made.left.witness_root, made.right.witness_root)

    def _diff(self, left: bytes, right: bytes) -> bytes:
        own = self.diffs[left, right].id
        assert own is not None
        return own


def _mapped(value: object, item: str) -> Mapped:
    held = fields.an_object(value, item=item, required=("source", "quoting"))
    return Mapped(
        human.span_of(held["source"], f"{item}.source"), human.span_of(held["quoting"], f"{item}.quoting")
    )


def _as_object(value: Any) -> dict[str, Any]:
    found: dict[str, Any] = value
    return found
