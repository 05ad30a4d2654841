"""The inventories of evidence that a release binds, from rows alone (docs/encoding.md section 14).

SQL computes them for a publication (`curation.inventory_roots`); this is the other computation, for whoever
verifies one. Neither reads what a candidate measured.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from tekrar.core.encoding import lp, manifest_root, profile_scope, sha256, u64

#: Dispositions that take a candidate out of those that wait.
REJECTED: Final = "false_positive"
CLOSING: Final = (REJECTED, "superseded_candidate")
EVENT_TAG: Final = b"tekrar/disposition-event/v1"
#: Heads of a profile whose value is a root over rows.
EVIDENCE_HEADS: Final = ("candidates", "false-positives", "unresolved-review")


@dataclass(frozen=True)
class CandidateSet:
    """A set of candidates that counts from an entry of the ledger on.

    Attributes:
        seq: of its entry.
        profile_key: the profile it hangs on.
        root: package root; generator: digest.
        candidates: (ID, result digest); participants: digest of each, in the same order.
    """

    seq: int
    profile_key: int
    root: bytes
    generator: bytes
    candidates: Sequence[tuple[bytes, bytes]]
    participants: Sequence[bytes]


@dataclass(frozen=True)
class DispositionEvent:
    """An event about a candidate, by the number of its entry."""

    seq: int
    candidate: bytes
    profile: bytes
    generator: bytes
    participants: bytes
    disposition: str
    event: bytes


def event_hash(payload: bytes) -> bytes:
    """Hash of a disposition event from the canonical payload of its entry."""
    return sha256(lp(EVENT_TAG) + payload)


def closed(
    sets: Sequence[CandidateSet],
    events: Sequence[DispositionEvent],
    overridden: Collection[bytes] = (),
) -> dict[bytes, tuple[str, bytes]]:
    """Candidates that no longer wait -> what says so, and its event: their own last event, or the last false
    positive of the same participants under the same generator (AMB-46).

    `overridden` are events that a decision overrides: they close nothing, and stay the last ones.
    """
    said_by = [(one, "" if one.event in overridden else one.disposition) for one in events]
    own = {one.candidate: (said, one.event) for one, said in said_by}
    key = {(one.participants, one.generator): (said, one.event) for one, said in said_by}
    found: dict[bytes, tuple[str, bytes]] = {}
    for one in sets:
        for (candidate, _), who in zip(one.candidates, one.participants, strict=True):
            said = own.get(candidate)
            suppressed = key.get((who, one.generator))
            if said is not None and said[0] == REJECTED:
                found[candidate] = said
            elif suppressed is not None and suppressed[0] == REJECTED:
                found[candidate] = suppressed
            elif said is not None and said[0] in CLOSING:
                found[candidate] = said
    return found


def evidence_roots(
    profile: bytes,
    predicate: str,
    *,
    sets: Sequence[CandidateSet],
    events: Sequence[DispositionEvent],
    open_records: Mapping[bytes, bytes],
    overridden: Collection[bytes] = (),
) -> dict[str, bytes]:
    """Roots of `EVIDENCE_HEADS` for the sets of a profile and all events of it, oldest first.

    Args:
        profile: repetition-profile UUID (16 bytes); predicate: its token.
        sets: those that count; events: those that count.
        open_records: further records of the unresolved-review inventory: proposals, families.
        overridden: events that a decision overrides.
    """
    scope = profile_scope(profile, predicate)
    out = closed(sets, events, overridden)
    listed = sorted(record for one in sets for record in one.candidates)
    rejected = sorted((own, event) for own, (said, event) in out.items() if said == REJECTED)
    records = dict(open_records)
    if sets:
        waiting = [(own, b"") for own, _ in listed if own not in out]
        pending = manifest_root("candidates-pending", scope, waiting)
        records[lp(b"pending-candidates")] = u64(len(waiting)) + pending
        for one in sets:
            records[lp(b"candidate-set") + one.root] = u64(len(one.candidates))
    if events:
        records[lp(b"disposition-events")] = u64(len(events)) + events[-1].event
    return {
        "candidates": manifest_root("candidates", scope, listed),
        "false-positives": manifest_root("false-positives", scope, rejected),
        "unresolved-review": manifest_root("unresolved-review", scope, sorted(records.items())),
    }
