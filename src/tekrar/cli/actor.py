"""`tekrar actor`: name an actor, to whom roles can be granted."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar actor`."""
    parser.add_argument("name", type=words, metavar="NAME", help="the actor's name")
    parser.add_argument(
        "--login",
        type=words,
        metavar="ROLE",
        help="the actor's database login (default: it speaks through tekrar_login)",
    )
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Name it."""
    from tekrar.store.curate import name_actor

    with acting(args) as (connection, actor):
        done = name_actor(connection, args.name, args.login, actor=actor)
    words = "named" if done["outcome"] == "named" else "was named already"
    return say(args, done, f"{args.name}: {words}")
