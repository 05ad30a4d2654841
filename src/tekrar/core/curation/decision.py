"""A decision: what apply did, in bytes, and how the head of curation moves with it (`docs/encoding.md`
section 13)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from tekrar.core.curation import fields
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import DECISION_FORMAT, OPERATIONS
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.strict_json import JsonFlaw
from tekrar.core.strict_json import parse as parse_json

INSTANT: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9]{2}:[0-9]{2}:[0-9]{2}\.[0-9]{6}Z", re.ASCII)
#: The head of curation before any decision.
START: Final = bytes(32)


@dataclass(frozen=True)
class Decision:
    """An applied proposal.

    Attributes:
        operation: that of the action.
        proposal: the proposal's digest (32 bytes).
        reviews: UUIDv7 of the approvals (16 bytes each).
        structures: UUIDv7 issued, in the order of the action's bodies.
        recorded_at: the time that was recorded, `YYYY-MM-DDTHH:MM:SS.ffffffZ`.
    """

    operation: str
    proposal: bytes
    reviews: tuple[bytes, ...]
    structures: tuple[bytes, ...]
    recorded_at: str

    @property
    def encoded(self) -> bytes:
        """Canonical bytes."""
        return canonical_json(
            {
                "format": DECISION_FORMAT,
                "operation": self.operation,
                "proposal": self.proposal.hex(),
                "recorded_at": self.recorded_at,
                "reviews": fields.id_list(sorted(self.reviews)),
                "structures": fields.id_list(self.structures),
            }
        )

    @property
    def digest(self) -> bytes:
        """SHA-256 of the bytes."""
        return sha256(self.encoded)


def parse_decision(data: bytes) -> Decision:
    """The decision of its bytes.

    Raises:
        CurationRefusal: they are none.
    """
    try:
        document = parse_json(data)
    except JsonFlaw as flaw:
        refuse(flaw.kind, flaw.message, item=flaw.place or "decision", expected="canonical JSON")
    keys = ("format", "operation", "proposal", "recorded_at", "reviews", "structures")
    held = fields.an_object(document, item="$", required=keys)
    fields.one_of(held["format"], (DECISION_FORMAT,), item="$.format", kind="unknown_format")
    made = Decision(
        operation=fields.one_of(held["operation"], OPERATIONS, item="$.operation", kind="unknown_operation"),
        proposal=fields.a_digest(held["proposal"], item="$.proposal"),
        reviews=_ids(held["reviews"], "$.reviews"),
        structures=_ids(held["structures"], "$.structures"),
        recorded_at=fields.matching(
            held["recorded_at"], INSTANT, item="$.recorded_at", expected="YYYY-MM-DDTHH:MM:SS.ffffffZ"
        ),
    )
    fields.ascending(made.reviews, item="$.reviews")
    if made.encoded != data:
        refuse("not_canonical", "the bytes are not the canonical ones", item="decision")
    return made


def moved_head(head: bytes, decision: bytes) -> bytes:
    """The head of curation after a decision of this digest."""
    return sha256(head + decision)


def _ids(value: object, item: str) -> tuple[bytes, ...]:
    return fields.a_list(value, lambda one, place: fields.an_id(one, item=place, version=7), item=item)
