"""What a proposal says of a canonical choice, of taking one back, and of a candidate that was called false
(ADR-009 *Canonical occurrence choice*; CAN-03, CAN-04, CAN-08, AMB-46)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tekrar.core.curation import fields
from tekrar.core.curation.family import allowed
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import POLICY_RULES, SILENT_RULES, STRUCTURE_TAGS
from tekrar.core.encoding import Json
from tekrar.core.identity import uuid_text

_NAME: Final = re.compile(r"[a-z0-9][a-z0-9._-]{0,99}", re.ASCII)
_VERSION: Final = re.compile(r"(0|[1-9][0-9]{0,8})(\.(0|[1-9][0-9]{0,8})){2}", re.ASCII)


@dataclass(frozen=True)
class ChoicePolicy:
    """A versioned policy of choosing.

    Attributes:
        name, version: how it is called; the version has three numbers.
        rule: what it goes by, from the closed list.
        document: SHA-256 of its text (32 bytes).
    """

    name: str
    version: str
    rule: str
    document: bytes

    def as_json(self) -> Json:
        """The policy as it stands in an action."""
        return {
            "name": self.name,
            "version": self.version,
            "rule": self.rule,
            "document": self.document.hex(),
        }


@dataclass(frozen=True)
class Choice:
    """One member of one structure, named as the canonical one.

    Attributes:
        tag: class or family.
        structure: its UUID (16 bytes).
        release: the repetition release that the structure is named from (16 bytes).
        member: occurrence UUID.
        policy: the policy it is chosen under.
        supersedes: the choice in force that it takes the place of, or None.
        allow_dominated: whether the class may be a dominated one (AMB-18).
    """

    tag: str
    structure: bytes
    release: bytes
    member: bytes
    policy: ChoicePolicy
    supersedes: bytes | None = None
    allow_dominated: bool = False

    def as_json(self) -> Json:
        """The body as it stands in an action."""
        found: dict[str, Json] = {
            "structure": {
                "tag": self.tag,
                "id": uuid_text(self.structure),
                "release": uuid_text(self.release),
            },
            "member": uuid_text(self.member),
            "policy": self.policy.as_json(),
        }
        if self.supersedes is not None:
            found["supersedes"] = uuid_text(self.supersedes)
        return found | ({"allow_dominated": "yes"} if self.allow_dominated else {})


@dataclass(frozen=True)
class Compensation:
    """A choice that is taken back: `choice` is its UUID, and none is in force afterwards."""

    choice: bytes
    reason: str

    def as_json(self) -> Json:
        """The body as it stands in an action."""
        return {"choice": uuid_text(self.choice), "reason": self.reason}


@dataclass(frozen=True)
class Override:
    """A candidate that was called false and is not.

    Attributes:
        candidate: candidate UUID (16 bytes).
        generator, participants: digests (32 bytes); with the profile they are what was suppressed (AMB-46).
        event: hash of the disposition event that is overridden.
    """

    candidate: bytes
    generator: bytes
    participants: bytes
    event: bytes

    def as_json(self) -> Json:
        """The body as it stands in an action."""
        return {
            "candidate": uuid_text(self.candidate),
            "generator": self.generator.hex(),
            "participants": self.participants.hex(),
            "event": self.event.hex(),
        }


def read_choice(value: object, item: str) -> Choice:
    """A choice body; its own form is checked, nothing that lies outside it.

    Raises:
        CurationRefusal: another form, an ID of another kind of record, a rule outside the closed list; one
            that would choose silently is refused by its name.
    """
    held = fields.an_object(
        value,
        item=item,
        required=("structure", "member", "policy"),
        optional=("supersedes", "allow_dominated"),
    )
    place = f"{item}.structure"
    structure = fields.an_object(held["structure"], item=place, required=("tag", "id", "release"))
    tag = fields.one_of(structure["tag"], STRUCTURE_TAGS, item=f"{place}.tag", kind="unknown_tag")
    return Choice(
        tag=tag,
        structure=fields.an_id(structure["id"], item=f"{place}.id", version=5 if tag == "class" else 7),
        release=fields.an_id(structure["release"], item=f"{place}.release", version=5),
        member=fields.an_id(held["member"], item=f"{item}.member", version=5),
        policy=read_policy(held["policy"], f"{item}.policy"),
        supersedes=(
            fields.an_id(held["supersedes"], item=f"{item}.supersedes", version=7)
            if "supersedes" in held
            else None
        ),
        allow_dominated=allowed(held, item=item),
    )


def read_compensation(value: object, item: str) -> Compensation:
    """A compensation body."""
    held = fields.an_object(value, item=item, required=("choice", "reason"))
    return Compensation(
        fields.an_id(held["choice"], item=f"{item}.choice", version=7),
        fields.a_text(held["reason"], item=f"{item}.reason"),
    )


def read_override(value: object, item: str) -> Override:
    """An override body."""
    digests = ("generator", "participants", "event")
    held = fields.an_object(value, item=item, required=("candidate", *digests))
    generator, participants, event = (fields.a_digest(held[k], item=f"{item}.{k}") for k in digests)
    candidate = fields.an_id(held["candidate"], item=f"{item}.candidate", version=5)
    return Override(candidate, generator, participants, event)


def read_policy(value: object, item: str) -> ChoicePolicy:
    """A policy as an action names it.

    Raises:
        CurationRefusal: another form, or a rule outside the closed list; one that would choose silently is
            refused by its name (CAN-04).
    """
    held = fields.an_object(value, item=item, required=("name", "version", "rule", "document"))
    rule = fields.a_string(held["rule"], item=f"{item}.rule")
    if rule in SILENT_RULES:
        refuse(
            "silent_rule",
            f"{rule} chooses by itself, and no rule that does may name what is canonical",
            item=f"{item}.rule",
            expected=", ".join(POLICY_RULES),
            mend="somebody names the member, by one of these rules, and another one reviews it",
        )
    return ChoicePolicy(
        name=fields.matching(held["name"], _NAME, item=f"{item}.name", expected="a-z 0-9 . _ -, at most 100"),
        version=fields.matching(held["version"], _VERSION, item=f"{item}.version", expected="1.0.0"),
        rule=fields.one_of(rule, POLICY_RULES, item=f"{item}.rule"),
        document=fields.a_digest(held["document"], item=f"{item}.document"),
    )
