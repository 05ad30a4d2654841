"""`tekrar status`: the closed status of one occurrence under one published release."""

from __future__ import annotations

import argparse

from tekrar.cli.database import WITHDRAWN, occurrence_arguments, reading, say, table, tell_withdrawn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar status`."""
    occurrence_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Say it."""
    with reading(args) as reader:
        found = reader.status(args.release, args.occurrence)
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    return say(args, found, table(found), always=True)
