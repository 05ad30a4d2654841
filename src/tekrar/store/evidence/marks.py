"""What curators say of candidates: events of the ledger (CND-06, CND-08; AMB-36, AMB-46)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.store.absence import absence
from tekrar.store.permission import claims_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask

_MARK: Final = b"SELECT api.mark_candidates(%s::jsonb)"


@dataclass(frozen=True)
class Mark:
    """One thing said of a candidate.

    Attributes:
        candidate: its UUID as text.
        disposition: of the closed list.
        note: words for people, in one line; they enter no ID.
        source: of an event that stood in a file beside a package: its hash there, its author, its time.
    """

    candidate: str
    disposition: str
    note: str = ""
    source: tuple[str, str, str] | None = None

    def as_record(self) -> dict[str, str]:
        """The mark as `api.mark_candidates` takes it."""
        named = zip(("source_event", "source_author", "source_time"), self.source or (), strict=False)
        return {
            "candidate": self.candidate,
            "disposition": self.disposition,
            "note": self.note,
            **dict(named),
        }


def mark_candidates(
    connection: Connection, marks: Sequence[Mark], *, actor: str | None = None
) -> list[dict[str, Any]]:
    """Record marks in one transaction, each an entry of the ledger; nothing is accepted by one.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        marks: in this order.
        actor: the curator; needed where several speak through one login.

    Returns:
        For each its candidate, `outcome` (`marked`, or `already_marked` for an event of a file that was
        brought before), the hash of its event and the number of its entry.

    Raises:
        NotFoundError: a candidate that is not loaded, or not in the curator's editions.
        DatabaseError: no valid grant of curator; an unknown disposition or a note that is none.
        None of the marks was recorded.
    """
    with absence():
        rows = ask(
            connection,
            _MARK,
            (json.dumps([mark.as_record() for mark in marks]),),
            role=Role.CURATOR,
            claims=claims_of(actor),
            read_only=False,
        )
    return list(rows[0][0])
