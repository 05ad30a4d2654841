"""`tekrar why`: how the status of an occurrence came about, in plain sentences with roots and counts."""

from __future__ import annotations

import argparse

from tekrar.cli.database import occurrence_arguments, reading, say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar why`."""
    occurrence_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Give the account."""
    from tekrar.store.account import account
    from tekrar.view.plain import safe

    with reading(args) as reader:
        facts = reader.why(args.release, args.occurrence)
    lines = account(facts)
    return say(args, {**facts, "account": lines}, "\n".join(map(safe, lines)), always=True)
