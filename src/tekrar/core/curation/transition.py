"""States of a proposal and of a structure, as tables (ADR-009 *Review and correction*; contract C5).

`stale` is no state: whether the expected state still holds is asked each time (`rules.check_expected`).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from tekrar.core.curation.refusal import refuse

#: State of a proposal -> what may happen to it -> the state after. A state without events is final.
PROPOSAL: Final[dict[str, dict[str, str]]] = {
    "draft": {"save": "draft", "submit": "submitted"},
    "submitted": {
        "approve": "approved",
        "reject": "rejected",
        "request_changes": "changes_requested",
        "resubmit": "outdated",
    },
    "approved": {
        "approve": "approved",
        "reject": "rejected",
        "request_changes": "changes_requested",
        "apply": "applied",
        "resubmit": "outdated",
    },
    "changes_requested": {"resubmit": "outdated"},
    "rejected": {"resubmit": "outdated"},
    "outdated": {},
    "applied": {"compensate": "compensated", "supersede": "superseded"},
    "compensated": {},
    "superseded": {},
}
#: State of a structure -> what may happen to it -> the state after.
STRUCTURE: Final[dict[str, dict[str, str]]] = {
    "effective": {"supersede": "superseded", "retire": "retired", "compensate": "compensated"},
    "superseded": {},
    "retired": {},
    "compensated": {},
}
OUTCOMES: Final = ("approve", "reject", "request_changes")
#: Policy of review -> how many must approve.
APPROVALS: Final[dict[str, int]] = {"default.v1": 1, "two-approvals.v1": 2}

_KINDS: Final = {
    ("outdated", "apply"): "outdated",
    ("applied", "apply"): "already_applied",
    ("applied", "compensate"): "superseded_twice",
    ("compensated", "compensate"): "superseded_twice",
}


def moved(state: str, event: str, *, item: str = "proposal") -> str:
    """State of a proposal after an event.

    Raises:
        CurationRefusal: the table has no such move: outdated, not_approved, already_applied or illegal_move.
    """
    return _moved(PROPOSAL, state, event, item=item)


def structure_moved(state: str, event: str, *, item: str) -> str:
    """State of a structure after an event.

    Raises:
        CurationRefusal: superseded_twice: it is in force no more.
    """
    return _moved(STRUCTURE, state, event, item=item)


def reviewed(outcomes: Iterable[str], *, policy: str) -> str:
    """State of a submitted proposal after reviews by different people, in their order.

    Args:
        outcomes: approve, reject or request_changes.
        policy: the policy of review.

    Raises:
        CurationRefusal: a review after one that ended the revision.
    """
    state, approvals = "submitted", 0
    for outcome in outcomes:
        after = moved(state, outcome)
        approvals += outcome == "approve"
        enough = approvals >= APPROVALS[policy]
        state = after if outcome != "approve" or enough else "submitted"
    return state


def _moved(table: dict[str, dict[str, str]], state: str, event: str, *, item: str) -> str:
    after = table[state].get(event)
    if after is None:
        kind = _KINDS.get((state, event), "")
        if not kind:
            kind = "not_approved" if event == "apply" else "illegal_move"
            kind = "outdated" if state == "outdated" else kind
            kind = "superseded_twice" if table is STRUCTURE else kind
        refuse(
            kind,
            f"{event} cannot follow on {state}",
            item=item,
            expected=", ".join(sorted(name for name, moves in table.items() if event in moves)) or "no state",
        )
    return after
