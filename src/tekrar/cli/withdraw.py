"""`tekrar withdraw`: withdraw a release by an integrity incident; nothing is deleted."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar withdraw`."""
    parser.add_argument("release", metavar="ID", help="ID of a published release (tekrar releases)")
    parser.add_argument(
        "--reason", type=words, required=True, metavar="TEXT", help="what is wrong; kept in the ledger"
    )
    parser.add_argument(
        "--cause",
        choices=("exact", "curation"),
        default="exact",
        help="exact (default): what the artifact says is at fault, and nothing of its profile is published"
        " again; curation: what was decided is at fault, and the artifact stands",
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Withdraw it."""
    from tekrar.store.publish import withdraw

    with acting(args) as (connection, actor):
        outcome = withdraw(connection, args.release, args.reason, cause=args.cause, actor=actor)
    words = "withdrawn" if outcome == "withdrawn" else "was withdrawn already"
    return say(args, {"outcome": outcome, "release": args.release}, f"{args.release}  {words}")
