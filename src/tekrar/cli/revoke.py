"""`tekrar revoke`: revoke a grant by its number."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import number
from tekrar.cli.database import acting, actor_argument, database_argument, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar revoke`."""
    parser.add_argument(
        "grant", type=number(1), metavar="NUMBER", help="number of the grant (tekrar grant lists them)"
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Revoke it."""
    from tekrar.store.curate import revoke

    with acting(args) as (connection, actor):
        done = revoke(connection, args.grant, actor=actor)
    words = "revoked" if done["outcome"] == "revoked" else "was revoked already"
    return say(args, done, f"grant {args.grant}: {words}")
