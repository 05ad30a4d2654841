"""The diff as a record: its ordered endpoints, the script, and the ID that both decide.

Serves ADR-009 *Candidate and diff evidence* and *Identity contracts*: a `passage-diff` is named by left
occurrence, right occurrence, algorithm and script digest, in this order, so the reverse is another diff. It
says nothing about membership: no function of a class, family or quotation takes one. A passage that is no
occurrence (a smaller selection) has a diff and no ID.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from tekrar.core.diff.check import verify
from tekrar.core.diff.derive import diff
from tekrar.core.diff.script import ALGORITHM, NAMES, OPERATIONS, Operation, Script
from tekrar.core.diff.units import Units
from tekrar.core.identity import COORDINATE_PROFILE, issue, selection_id, uuid_text
from tekrar.core.token import TOKENIZER
from tekrar.errors import VerificationError

FORMAT: Final = "tekrar/passage-diff/v1"
_KEYS: Final = ("format", "id", "algorithm", "tokenizer", "left", "right", "script_digest", "operations")


@dataclass(frozen=True)
class Endpoint:
    """One passage of a diff.

    Attributes:
        release: text-release UUID (16 bytes).
        occurrence: occurrence UUID, or None for a passage that no enumerator emits.
        witness_root: mask witness root (32 bytes) of the passage under its profile's projection.
        projection: full_context_v1 or prose_only_v1.
        units: its units.
    """

    release: bytes
    occurrence: bytes | None
    witness_root: bytes
    projection: str
    units: Units

    @property
    def selection(self) -> bytes | None:
        """Selection UUID (16 bytes); None for a passage of no bytes, which no selection can hold."""
        start, end = self.units.start, self.units.end
        return selection_id(self.release, [(start, end)]) if start < end else None

    def as_record(self) -> dict[str, Any]:
        """The endpoint's facts; `start` and `end` are bytes of the release."""
        selection = self.selection
        return {
            "release": uuid_text(self.release),
            "occurrence": None if self.occurrence is None else uuid_text(self.occurrence),
            "selection": None if selection is None else uuid_text(selection),
            "coordinates": COORDINATE_PROFILE,
            "start": self.units.start,
            "end": self.units.end,
            "projection": self.projection,
            "witness_root": self.witness_root.hex(),
        }


@dataclass(frozen=True)
class PassageDiff:
    """A diff bound to its ordered endpoints."""

    left: Endpoint
    right: Endpoint
    script: Script

    @property
    def id(self) -> bytes | None:
        """`passage-diff` UUID (16 bytes); None unless both endpoints are occurrences."""
        return diff_id(self.left.occurrence, self.right.occurrence, self.script.digest)

    def as_record(self) -> dict[str, Any]:
        """The record: endpoints, algorithm, digest and every operation with its byte spans, and no text."""
        own = self.id
        return {
            "format": FORMAT,
            "id": None if own is None else uuid_text(own),
            "algorithm": ALGORITHM,
            "tokenizer": TOKENIZER,
            "left": self.left.as_record(),
            "right": self.right.as_record(),
            "script_digest": self.script.digest.hex(),
            "operations": [
                {"op": NAMES[code], "left": [a, b], "right": [c, d]}
                for code, a, b, c, d in self.script.operations
            ],
        }


def diff_id(left: bytes | None, right: bytes | None, digest: bytes) -> bytes | None:
    """ID of a diff from its ordered occurrences and the digest of its script."""
    if left is None or right is None:
        return None
    return issue(
        "passage-diff",
        {
            "left": uuid_text(left),
            "right": uuid_text(right),
            "algorithm": ALGORITHM,
            "script": digest.hex(),
        },
    )


def diff_of(left: Endpoint, right: Endpoint) -> PassageDiff:
    """The diff of two passages, replayed and checked before it is given out.

    Raises:
        VerificationError: the script does not hold, which is a fault of this program.
    """
    script = diff(left.units, right.units)
    verify(script, left.units, right.units, canonical=script)
    return PassageDiff(left, right, script)


def verified(document: Mapping[str, Any], left: Endpoint, right: Endpoint) -> PassageDiff:
    """A foreign record, checked against the two passages it must be about.

    Raises:
        VerificationError: another format, algorithm or endpoint, no script, an operation that breaks a rule,
            a digest or ID that is not the script's. The message names the first one.
    """
    _check_head(document)
    for side, endpoint in (("left", left), ("right", right)):
        _check_endpoint(document[side], endpoint, side)
    found = document["operations"]
    script = Script(tuple(_operation(number, one) for number, one in enumerate(found, 1)))
    verify(script, left.units, right.units)
    made = PassageDiff(left, right, script)
    record = made.as_record()
    for key, what in (("script_digest", "diff_digest"), ("id", "diff_id")):
        if document[key] != record[key]:
            _refuse(f"{key} is {document[key]!r}", str(record[key]), what)
    return made


def _check_head(document: Mapping[str, Any]) -> None:
    if not isinstance(document, Mapping):
        _refuse("the record is no object", "an object with " + ", ".join(_KEYS), "diff_malformed")
    if not isinstance(document.get("operations"), list):
        _refuse(
            "there is no script; a summary or a count of edits does not stand for one",
            "operations: a list",
            "diff_no_script",
        )
    if tuple(sorted(document)) != tuple(sorted(_KEYS)):
        odd = sorted(set(document) ^ set(_KEYS))
        _refuse(f"missing or unknown: {', '.join(odd)}", ", ".join(_KEYS), "diff_malformed")
    stated = {"format": FORMAT, "algorithm": ALGORITHM, "tokenizer": TOKENIZER}
    for key, value in stated.items():
        if document[key] != value:
            _refuse(f"{key} is {document[key]!r}", value, "diff_algorithm")


#: What says where a passage is and how it is read.
_PLACE: Final = frozenset(("release", "coordinates", "start", "end", "projection"))


def _check_endpoint(stated: Any, endpoint: Endpoint, side: str) -> None:
    """Compare a stated endpoint with the passage at hand.

    A diff is stale when it is about the same occurrence or the same place, whose selection or witness root is
    another now (DIF-08). The ID of an occurrence hangs on both, so one whose notes changed has another.
    """
    record = endpoint.as_record()
    if not isinstance(stated, Mapping) or sorted(stated) != sorted(record):
        _refuse(f"{side} is no endpoint", "an object with " + ", ".join(record), "diff_malformed")
    other = [k for k, value in record.items() if stated[k] != value or type(stated[k]) is not type(value)]
    if not other:
        return
    same = ("occurrence" not in other and endpoint.occurrence is not None) or _PLACE.isdisjoint(other)
    moved = [key for key in ("witness_root", "selection") if key in other]
    key = moved[0] if same and moved else other[0]
    _refuse(
        f"{side} {key} is {stated[key]!r}",
        f"{record[key]}, as the {side} passage has it",
        "diff_stale" if same and moved else "diff_endpoint",
    )


def _operation(number: int, stated: Any) -> Operation:
    if not isinstance(stated, Mapping) or sorted(stated) != ["left", "op", "right"]:
        _refuse(
            f"operation {number} is none", '{"op", "left": [from, to], "right": [from, to]}', "diff_malformed"
        )
    code = OPERATIONS.get(stated["op"]) if isinstance(stated["op"], str) else None
    if code is None:
        _refuse(
            f"operation {number}: {stated['op']!r} is no operation", ", ".join(OPERATIONS), "diff_operation"
        )
    places = []
    for side in ("left", "right"):
        span = stated[side]
        plain = isinstance(span, list) and len(span) == 2 and all(type(place) is int for place in span)
        if not plain or not 0 <= min(span) <= max(span) < 1 << 64:
            _refuse(f"operation {number}: {side} is no span", "[from, to] in bytes", "diff_malformed")
        places += span
    a, b, c, d = places
    return (code, a, b, c, d)


def _refuse(message: str, expected: str, kind: str) -> NoReturn:
    raise VerificationError(
        message,
        where="diff record",
        expected=expected,
        kind=kind,
    )
