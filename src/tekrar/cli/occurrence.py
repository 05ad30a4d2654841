"""`tekrar occurrence`: one occurrence of a published release, with its place and exact bytes."""

from __future__ import annotations

import argparse
from base64 import b64encode

from tekrar.cli.database import WITHDRAWN, occurrence_arguments, reading, say, table, tell_withdrawn


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar occurrence`."""
    occurrence_arguments(parser)
    parser.add_argument("--text", action="store_true", help="write the exact bytes and nothing else")


def run(args: argparse.Namespace) -> int:
    """Show it; in JSON `content` is base64, for bytes of a range need not be text."""
    import sys

    from tekrar.errors import EXIT_OK

    with reading(args) as reader:
        found = reader.occurrence(args.release, args.occurrence)
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    content = found.pop("content")
    if args.text and not args.json:
        sys.stdout.flush()
        sys.stdout.buffer.write(content)
        return EXIT_OK
    words = f"{table(found)}\n\n{content.decode(errors='backslashreplace')}"
    return say(args, {**found, "content": b64encode(content).decode()}, words, always=True)
