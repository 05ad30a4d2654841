"""What a question about a withdrawn release is answered: that it was, since when and why, and nothing else.

That is a result and no error (docs/store.md): the status is 0, and standard error says so too.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from typing import Any, Final

from tekrar.cli import outcome
from tekrar.cli.database import WITHDRAWN
from tekrar.errors import EXIT_OK, DatabaseError

#: What an incident tells: when, about what, why, and the number of its ledger entry.
_FACTS: Final = ("since", "cause", "reason", "entry")


def answer_withdrawn(args: argparse.Namespace, error: DatabaseError, **more: Any) -> int:
    """Answer with the incident that the database told; `more` belongs to the record.

    Raises:
        DatabaseError: this one, where it is about something else.
    """
    from tekrar.store.curation.calling import detail_of

    if error.kind != "withdrawn":
        raise error
    detail = detail_of(error)
    incident = {name: detail[name] for name in _FACTS}
    tell_incident(args.release, incident)
    if args.json:
        answer = {"release": args.release, "status": "integrity_error", "code": WITHDRAWN}
        outcome.print_json({**answer, "withdrawn": incident, **more})
    else:
        outcome.say(f"integrity_error ({WITHDRAWN}): nothing is listed; {incident_words(incident)}")
    return EXIT_OK


def tell_incident(release: str, incident: Mapping[str, Any] | None) -> None:
    """One line on standard error that a release was withdrawn; nothing of one that was not."""
    if incident is not None:
        outcome.say(
            f"tekrar: release {release} was withdrawn ({incident['cause']}): {incident['reason']}",
            file=sys.stderr,
        )


def incident_words(incident: Mapping[str, Any]) -> str:
    """Since when, about what and why, in one line."""
    since, cause, reason, entry = (incident[name] for name in _FACTS)
    return f"withdrawn {since} ({cause}), ledger entry {entry}: {reason}"
