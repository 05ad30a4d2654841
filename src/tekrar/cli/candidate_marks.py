"""`tekrar candidates mark --database` and `record`: marks as entries of the store's ledger."""

from __future__ import annotations

import argparse

from tekrar.cli.database import acting
from tekrar.cli.outcome import print_json, say
from tekrar.core.identity import uuid_text
from tekrar.errors import EXIT_OK, UsageError


def mark_in_database(args: argparse.Namespace) -> int:
    """Record one mark, as a curator with a grant for the edition."""
    from tekrar.candidates.stored import open_stored
    from tekrar.store.evidence.marks import Mark, mark_candidates

    if args.events is not None:
        raise UsageError(
            "a mark in the database stands in no file",
            expected="--database, or --events FILE",
            mend="leave one of them away",
            kind="bad_arguments",
        )
    stored = open_stored(args.candidates)
    own = uuid_text(stored.candidates[stored.position(args.which)].id)
    args.acting = args.author
    with acting(args) as (connection, actor):
        (done,) = mark_candidates(connection, [Mark(own, args.disposition, args.note)], actor=actor)
    if args.json:
        print_json({**done, "disposition": args.disposition})
    elif not args.quiet:
        say(f"marked  {own}  {args.disposition}, in ledger entry {done['seq']}")
    return EXIT_OK


def record_in_database(args: argparse.Namespace) -> int:
    """Record the events of a package's file, oldest first; those that are there already are left alone."""
    from tekrar.candidates.events import log_beside, read_events
    from tekrar.candidates.stored import open_stored
    from tekrar.store.evidence.marks import Mark, mark_candidates

    stored = open_stored(args.candidates)
    events = read_events(args.events or log_beside(args.candidates))
    known = {uuid_text(one.id) for one in stored.candidates}
    marks = [
        Mark(one.candidate, one.disposition, one.note, (one.hash, one.author, one.recorded_at))
        for one in events.rows
        if one.candidate in known
    ]
    with acting(args) as (connection, actor):
        done = mark_candidates(connection, marks, actor=actor)
    marked = sum(one["outcome"] == "marked" for one in done)
    record = {
        "events": len(events.rows),
        "marked": marked,
        "already_marked": len(done) - marked,
        "of_other_packages": len(events.rows) - len(done),
    }
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(f"recorded  {marked:,} of {len(events.rows):,} events in the ledger")
        for name in ("already_marked", "of_other_packages"):
            if record[name]:
                say(f"left      {record[name]:,} {name.replace('_', ' ')}")
    return EXIT_OK
