"""The action of a proposal: typed, frozen, and one sequence of bytes (`docs/encoding.md` section 13).

A proposal freezes exact IDs and action bytes; reviews bind those bytes, apply does what they say and nothing
else (ADR-009 *Review and correction*; CUR-02, CUR-03). The bytes are RFC 8785 JSON of objects, arrays and
strings alone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from tekrar.core import strict_json
from tekrar.core.curation import fields
from tekrar.core.curation.choice import (
    Choice,
    Compensation,
    Override,
    read_choice,
    read_compensation,
    read_override,
)
from tekrar.core.curation.family import Family, read_family
from tekrar.core.curation.quotation import Quotation, read_quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession import Supersession, read_supersession
from tekrar.core.curation.vocabulary import (
    ACTION_FORMAT,
    BODIES,
    EXPECTED_STATES,
    OPERATIONS,
    REVIEW_POLICIES,
)
from tekrar.core.encoding import Json, canonical_json, lp, sha256, u64
from tekrar.core.identity import uuid_text

PROPOSAL_TAG: Final = b"tekrar/proposal/v1"
EXPECTED_TAG: Final = b"tekrar/expected-occurrences/v1"
NO_FAMILY: Final = bytes(16)
_EDITION_BYTES: Final = 1000

Body = Family | Quotation | Choice | Compensation | Override | Supersession
_COMMON: Final = (
    "format",
    "operation",
    "edition",
    "profile",
    "text_release",
    "rationale",
    "expected",
    "candidates",
    "evidence",
    "policy_of_review",
)
_TYPES: Final[dict[str, type]] = {
    "family": Family,
    "quotation": Quotation,
    "choice": Choice,
    "compensation": Compensation,
    "override": Override,
    "supersession": Supersession,
}


@dataclass(frozen=True)
class Expected:
    """What must still be so when the action is applied (CUR-04, AMB-29).

    Attributes:
        occurrences: digest over the expanded occurrences and the family that each is in
            (`expected_occurrences`).
        structures: UUID and state of every structure that the action names.
    """

    occurrences: bytes
    structures: tuple[tuple[bytes, str], ...]


@dataclass(frozen=True)
class Action:
    """One decision that somebody proposes.

    Attributes:
        operation: one of `OPERATIONS`.
        edition: name of the edition, the scope of grants.
        profile: repetition-profile UUID (16 bytes).
        text_release: text-release UUID (16 bytes).
        rationale: why, Markdown as given.
        expected: the state it was written against.
        candidates, evidence: UUIDs of what it rests on; may be empty.
        body: what it does.
        policy_of_review: how many must agree.
    """

    operation: str
    edition: str
    profile: bytes
    text_release: bytes
    rationale: str
    expected: Expected
    body: Body
    candidates: tuple[bytes, ...] = ()
    evidence: tuple[bytes, ...] = ()
    policy_of_review: str = "default.v1"

    @property
    def families(self) -> tuple[Family, ...]:
        """The families that it would bring into force, in the order of their IDs in the decision."""
        return tuple(one for one in self.structures if isinstance(one, Family))

    @property
    def quotations(self) -> tuple[Quotation, ...]:
        """The quotations that it would bring into force, in the order of their IDs in the decision."""
        return tuple(one for one in self.structures if isinstance(one, Quotation))

    @property
    def issued(self) -> int:
        """How many structures get a UUIDv7 when it is applied."""
        return len(self.structures) + isinstance(self.body, Choice)

    @property
    def named(self) -> tuple[bytes, ...]:
        """UUIDs of the structures whose state it expects, ascending (AMB-29)."""
        body = self.body
        if isinstance(body, Supersession):
            return tuple(sorted(body.predecessors))
        if isinstance(body, Compensation):
            return (body.choice,)
        if isinstance(body, Choice):
            of = [body.structure] if body.tag == "family" else []
            return tuple(sorted([*of, *([] if body.supersedes is None else [body.supersedes])]))
        return ()

    @property
    def structures(self) -> tuple[Family | Quotation, ...]:
        """Families and quotations that it would bring into force, in the order of their IDs."""
        if isinstance(self.body, Supersession):
            return self.body.ordered.successors
        return (self.body,) if isinstance(self.body, Family | Quotation) else ()


def canonical_bytes(action: Action) -> bytes:
    """The action's bytes: whatever order its members came in, the same.

    Raises:
        CurationRefusal: the record is none that `parse` would take back.
    """
    body = BODIES.get(action.operation, "")
    document: dict[str, Json] = {
        "format": ACTION_FORMAT,
        "operation": action.operation,
        "edition": action.edition,
        "profile": uuid_text(action.profile),
        "text_release": uuid_text(action.text_release),
        "rationale": action.rationale,
        "expected": {
            "occurrences": action.expected.occurrences.hex(),
            "structures": [
                {"id": uuid_text(one), "state": state} for one, state in sorted(action.expected.structures)
            ],
        },
        "candidates": fields.id_list(sorted(action.candidates)),
        "evidence": fields.id_list(sorted(action.evidence)),
        "policy_of_review": action.policy_of_review,
    }
    if not isinstance(action.body, _TYPES.get(body, ())):
        fields.one_of(action.operation, OPERATIONS, item="$.operation", kind="unknown_operation")
        refuse("tag_mismatch", f"{type(action.body).__name__} is no body of {action.operation}", item="$")
    made = document | {body: action.body.as_json()}
    read_action(made)
    return canonical_json(made)


def parse(data: bytes) -> Action:
    """The action of its bytes.

    Raises:
        CurationRefusal: no UTF-8, a key twice, a float, another form or order, bytes that are not the
            canonical ones; the item and the rule are named.
    """
    try:
        document = strict_json.parse(data)
    except strict_json.JsonFlaw as flaw:
        refuse(flaw.kind, flaw.message, item=flaw.place or "action", expected="canonical JSON")
    action = read_action(document)
    if canonical_json(document) != data:
        refuse(
            "not_canonical",
            "the bytes are not the canonical ones of this action",
            item="action",
            expected="RFC 8785: keys ascending, no white space, the shortest escapes",
        )
    return action


def read_action(document: object) -> Action:
    """The action of a JSON document; objects may have their keys in any order, lists may not.

    Raises:
        CurationRefusal: as `parse`, but for what only bytes show.
    """
    if not isinstance(document, Mapping):
        refuse("malformed", "an action is an object", item="$", expected=", ".join(_COMMON))
    operation = fields.one_of(
        document.get("operation"), OPERATIONS, item="$.operation", kind="unknown_operation"
    )
    name = BODIES[operation]
    held = fields.an_object(document, item="$", required=(*_COMMON, name))
    fields.one_of(held["format"], (ACTION_FORMAT,), item="$.format", kind="unknown_format")
    return Action(
        operation=operation,
        edition=fields.a_text(held["edition"], item="$.edition", most=_EDITION_BYTES),
        profile=fields.an_id(held["profile"], item="$.profile", version=5),
        text_release=fields.an_id(held["text_release"], item="$.text_release", version=5),
        rationale=fields.a_text(held["rationale"], item="$.rationale"),
        expected=_expected(held["expected"]),
        body=_body(held[name], f"$.{name}", operation),
        candidates=_ids(held["candidates"], "$.candidates"),
        evidence=_ids(held["evidence"], "$.evidence"),
        policy_of_review=fields.one_of(
            held["policy_of_review"], REVIEW_POLICIES, item="$.policy_of_review", kind="unknown_policy"
        ),
    )


def proposal_digest(action: bytes, *, author: str, draft: str, revision: int) -> bytes:
    """What a review and an apply bind: the action, who wrote it, and which revision of which draft it is."""
    parts = (
        PROPOSAL_TAG,
        action,
        author.encode("utf-8"),
        draft.encode("utf-8"),
        str(revision).encode("ascii"),
    )
    return sha256(b"".join(lp(part) for part in parts))


def expected_occurrences(families: Mapping[bytes, bytes | None]) -> bytes:
    """Digest of the family that each expanded occurrence is in (AMB-29).

    Args:
        families: occurrence UUID -> UUID of the family in force that it is in, or None.
    """
    parts = [one + (families[one] or NO_FAMILY) for one in sorted(families)]
    return sha256(lp(EXPECTED_TAG) + u64(len(parts)) + b"".join(parts))


def _body(value: object, item: str, operation: str) -> Body:
    if BODIES[operation] == "supersession":
        return read_supersession(value, item, operation)
    readers: dict[str, Callable[[object, str], Body]] = {
        "accept_family": read_family,
        "accept_quotation": read_quotation,
        "choose_canonical": read_choice,
        "compensate_choice": read_compensation,
        "override_false_positive": read_override,
    }
    return readers[operation](value, item)


def _ids(value: object, item: str) -> tuple[bytes, ...]:
    found = fields.a_list(value, lambda one, place: fields.an_id(one, item=place, version=5), item=item)
    fields.ascending(found, item=item)
    return found


def _expected(value: object) -> Expected:
    held = fields.an_object(value, item="$.expected", required=("occurrences", "structures"))
    place = "$.expected.structures"
    structures = fields.a_list(held["structures"], _state, item=place)
    fields.ascending([one for one, _ in structures], item=place)
    return Expected(fields.a_digest(held["occurrences"], item="$.expected.occurrences"), structures)


def _state(value: object, item: str) -> tuple[bytes, str]:
    held = fields.an_object(value, item=item, required=("id", "state"))
    return (
        fields.an_id(held["id"], item=f"{item}.id", version=7),
        fields.one_of(held["state"], EXPECTED_STATES, item=f"{item}.state", kind="unknown_state"),
    )
