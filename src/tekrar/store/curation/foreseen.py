"""Which proposal a submission would make, told before it is submitted (CUR-02)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.curation.action import proposal_digest
from tekrar.store.curation.propose import Drafted
from tekrar.store.permission import snapshot_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection

# No role that proposes reads the names of actors. It need not: a digest binds its author's name, so one's
# own revisions are told by making their digests again.
_REVISIONS: Final = b"""
    SELECT p.draft, p.revision, p.action, p.proposal_digest, p.freeze_epoch
    FROM curation.proposal p WHERE p.draft = ANY (%s) ORDER BY p.draft, p.revision
"""
_EPOCH: Final = b"SELECT coalesce(max(epoch), 0) FROM curation.freeze"
_STATE: Final = b"SELECT api.proposal(%s) ->> 'state'"


@dataclass(frozen=True)
class Foreseen:
    """What a submission would answer now.

    Attributes:
        outcome: `submitted`, or `already_submitted`; `edit_conflict` where the draft has another newest
            revision than the line edits, `draft_closed` where that was applied.
        revision: of the draft; the newest one where nothing would be submitted.
        proposal: its digest in hex.

    All are None where it was not said who acts: a digest binds the name.
    """

    outcome: str | None = None
    revision: int | None = None
    proposal: str | None = None

    def as_record(self) -> dict[str, Any]:
        """As JSON; what is not known is absent."""
        record = {"outcome": self.outcome, "revision": self.revision, "proposal": self.proposal}
        return {name: value for name, value in record.items() if value is not None}


@dataclass(frozen=True)
class _Revision:
    number: int
    action: bytes
    digest: bytes
    open: bool
    applied: bool = False


def foresee(connection: Connection, drafted: Sequence[Drafted], *, actor: str | None) -> list[Foreseen]:
    """What submitting these now, in this order, would answer, as far as the actor's grants reach.

    Args:
        connection: of the store.
        drafted: as `draft_lines` gives them.
        actor: who would submit.
    """
    if actor is None:
        return [Foreseen() for _ in drafted]
    latest = _latest(connection, {one.draft for one in drafted}, actor)
    found: list[Foreseen] = []
    own: dict[str, int] = {}
    for one in drafted:
        before = latest.get(one.draft)
        outcome = _outcome(one, before, own.get(one.draft, one.revises))
        if outcome == "submitted":
            number = 1 + (before.number if before else 0)
            digest = proposal_digest(one.action, author=actor, draft=one.draft, revision=number)
            latest[one.draft] = _Revision(number, one.action, digest, open=True)
        elif before is None:
            found.append(Foreseen(outcome))
            continue
        else:
            number, digest = before.number, before.digest
        own[one.draft] = number
        found.append(Foreseen(outcome, number, digest.hex()))
    return found


def _outcome(one: Drafted, before: _Revision | None, revises: int | None) -> str:
    newest, same = (before.number, before.action == one.action) if before else (0, False)
    if before is not None and same and before.open:
        return "already_submitted"
    if before is not None and before.applied:
        return "draft_closed"
    stated = revises if revises is not None else newest if same else 0
    return "submitted" if stated == newest else "edit_conflict"


def _latest(connection: Connection, names: set[str], actor: str) -> dict[str, _Revision]:
    """The newest revision of each of the actor's drafts."""
    with snapshot_of(connection, Role.CURATOR, actor):
        rows = connection.execute(_REVISIONS, (sorted(names),)).fetchall()
        row = connection.execute(_EPOCH).fetchone()
        assert row is not None
        newest = {}
        for draft, number, action, digest, frozen in rows:
            own = proposal_digest(bytes(action), author=actor, draft=draft, revision=number)
            if own == bytes(digest):
                newest[draft] = (number, bytes(action), own, frozen == row[0])
        found = {}
        for draft, (number, action, digest, current) in newest.items():
            state = connection.execute(_STATE, (digest.hex(),)).fetchone()
            assert state is not None
            applied = state[0] == "applied"
            is_open = applied or (state[0] in ("submitted", "approved") and current)
            found[draft] = _Revision(number, action, digest, is_open, applied)
    return found
