"""`tekrar freeze`: refuse every publication and apply that was prepared before."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar freeze`."""
    parser.add_argument("--reason", type=words, required=True, metavar="TEXT", help="why; kept in the ledger")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Raise the epoch."""
    from tekrar.store.curate import freeze

    with acting(args) as (connection, actor):
        done = freeze(connection, args.reason, actor=actor)
    return say(args, done, f"freeze epoch {done['epoch']}: what was prepared before is refused")
