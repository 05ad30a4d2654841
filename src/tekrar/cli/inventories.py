"""What the listings of families, quotations and choices of a release share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from tekrar.cli.arguments import page_size
from tekrar.cli.curation import asking, role_arguments
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker

Record = dict[str, Any]


def listing_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """A release, and a page of what it has."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument("--after", metavar="ID", help=f"behind this {what}, as the page before ended")
    page_size(parser, default=100, what="entries")
    role_arguments(parser, reader=True)


def list_them(
    args: argparse.Namespace,
    key: str,
    question: Callable[[Asker], list[Record]],
    line: Callable[[Record], str],
) -> int:
    """Print a page and where the next one begins."""
    with asking(args, reader=True) as ask:
        found = ask(question)
    following = found[-1][key] if len(found) == args.page else None
    if args.json:
        for one in found:
            print_json(one)
        print_json({"release": args.release, "listed": len(found), "next": following})
        return EXIT_OK
    for one in found:
        say(line(one))
    if not args.quiet:
        more = "" if following is None else f"; more: --after {following}"
        say(f"{len(found)} listed{more}", file=sys.stderr)
    return EXIT_OK
