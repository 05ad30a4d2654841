"""`tekrar apply`: apply approved proposals, each whole or not at all."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING

from tekrar.cli.curation import is_ungranted
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK, DatabaseError, UsageError

if TYPE_CHECKING:
    from tekrar.store.curation.workflow import Applied
    from tekrar.store.session import Connection


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar apply`."""
    parser.add_argument("proposals", nargs="+", metavar="DIGEST", help="digests of approved proposals")
    parser.add_argument("--review", metavar="UUID", help="the approval that is acted on, of one proposal")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Apply them in their order; the first that is refused ends it, and those before stand."""
    from tekrar.store.curation.calling import digest_text

    if args.review is not None and len(args.proposals) > 1:
        raise UsageError(
            "a review is of one proposal", expected="one DIGEST with --review", kind="bad_arguments"
        )
    for one in args.proposals:
        digest_text(one)
    structures: list[str] = []
    count = 0
    with acting(args) as (connection, actor):
        done_all = _apply_all(connection, args.proposals, args.review, actor)
        for one, done in zip(args.proposals, done_all, strict=True):
            structures += done.structures
            count += 1
            record = {"proposal": one, **done.__dict__}
            if args.json and count < len(args.proposals):
                print_json(record)
            elif args.json:
                print_json({**record, "all_structures": structures})
            else:
                again = "" if done.outcome == "applied" else " (was applied already)"
                ids = "  ".join(done.structures) or "no new structure"
                say(f"{one}  {done.operation}{again}  {ids}")
    return EXIT_OK


def _apply_all(
    connection: Connection, proposals: list[str], review: str | None, actor: str | None
) -> Iterator[Applied]:
    """As a curator; what a curator may not, as a reviewer."""
    from tekrar.store.curation.workflow import apply, apply_all
    from tekrar.store.roles import Role

    left = list(proposals)
    while left:
        try:
            for done in apply_all(connection, left, review, actor=actor):
                del left[0]
                yield done
        except DatabaseError as error:
            if not is_ungranted(error):
                raise
            try:
                done = apply(connection, left[0], review, actor=actor, role=Role.REVIEWER)
            except DatabaseError as again:
                raise (error if is_ungranted(again) else again) from None
            del left[0]
            yield done
