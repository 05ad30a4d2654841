"""What waits and what was rejected: counts and roots of a package under its events (COV-13, COV-14, DOM-09).

The semantic status says whether candidates wait for review. It never follows from the exact status, and it is
`open` even when none waits: that somebody looked at every candidate does not say that every similar passage
was found.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from tekrar.candidates.events import Events, matching
from tekrar.candidates.stored import Stored
from tekrar.core.candidate.disposition import CLOSING
from tekrar.core.candidate.roots import listed_root
from tekrar.core.identity import uuid_text

#: The only semantic status there is before reviews exist.
SEMANTIC_OPEN: Final = "open"


@dataclass(frozen=True)
class Inventory:
    """Candidates of a package by what the events say.

    Attributes:
        stored, events: the package and its events.
        suppressed: positions that a false positive suppresses.
        said: position -> disposition of the candidate's last event, for those that have one.
    """

    stored: Stored
    events: Events
    suppressed: frozenset[int]
    said: dict[int, str]

    def disposition(self, position: int) -> str:
        """The current disposition: the last event's, else what the generator states."""
        return self.said.get(position) or self.stored.heading(position).disposition

    @property
    def closed(self) -> frozenset[int]:
        """Positions that no longer wait: false positives with what they suppress, and superseded ones."""
        return self.suppressed | frozenset(at for at, said in self.said.items() if said in CLOSING)

    def record(self) -> dict[str, Any]:
        """Counts and roots as one JSON record."""
        closed = self.closed
        total = len(self.stored.candidates)
        rejected = self.suppressed | {at for at, said in self.said.items() if said == "false_positive"}
        return {
            "generator_digest": self.stored.generator.digest.hex(),
            "candidates": total,
            "pending": total - len(closed),
            "rejected": len(rejected),
            "pending_root": self._root("candidates-pending", frozenset(range(total)) - closed),
            "rejected_root": self._root("candidates-rejected", rejected),
            "events": len(self.events.rows),
            "events_head": self.events.head,
            "events_unfinished": self.events.unfinished,
            "semantic_status": SEMANTIC_OPEN,
        }

    def _root(self, kind: str, positions: frozenset[int]) -> str:
        stored = self.stored
        ids = (stored.candidates[at].id for at in positions)
        return listed_root(kind, stored.profile, stored.predicate, ids).hex()


def inventory_of(stored: Stored, events: Events) -> Inventory:
    """The inventory of a package under its events."""
    current = events.current()
    said: dict[int, str] = {}
    if current:
        for at, one in enumerate(stored.candidates):
            if (found := current.get(uuid_text(one.id))) is not None:
                said[at] = found
    return Inventory(stored, events, matching(stored, events.suppressed()), said)
