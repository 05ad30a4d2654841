"""`tekrar families`: families in force in a release, or what one of them expands to."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING

from tekrar.cli.arguments import number
from tekrar.cli.curation import asking, out
from tekrar.cli.inventories import Record, list_them, listing_arguments
from tekrar.cli.outcome import print_json
from tekrar.cli.withdrawn import answer_withdrawn
from tekrar.errors import EXIT_OK, DatabaseError, UsageError
from tekrar.view.plain import terminal_width

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker
    from tekrar.store.curation.passages import Readable


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar families`."""
    listing_arguments(parser, "family")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--of", metavar="ID", help="only those that this occurrence or class is in")
    which.add_argument("--members", metavar="FAMILY", help="the occurrences that this one expands to")
    parser.add_argument(
        "--diffs", action="store_true", help="with --members: how each differs from the first in the document"
    )
    parser.add_argument(
        "--after-row", type=number(-1), default=-1, metavar="N", help="with --members: behind row N"
    )


def run(args: argparse.Namespace) -> int:
    """List a page."""
    if args.diffs and not args.members:
        raise UsageError("diffs are of one family", expected="--members FAMILY", kind="bad_arguments")
    if args.diffs:
        return _diffs(args)
    if args.members:
        return list_them(
            args,
            "row_no",
            lambda asker: asker.members(args.release, args.members, after=args.after_row, page=args.page),
            _member,
            addressed={"occurrence": "address"},
        )
    return list_them(
        args,
        "family",
        lambda asker: asker.families(args.release, args.of, after=args.after, page=args.page),
        lambda one: (
            f"{one['family']}  {one['kind']}  {one['state']}"
            f"  {one['tagged']} members, {one['size']} occurrences"
        ),
        addressed={"first": "address"},
    )


def _diffs(args: argparse.Namespace) -> int:
    """The exact diffs that the family was accepted with: from its first occurrence to every other member."""
    try:
        with asking(args, reader=True) as ask:
            firsts, readable = ask(lambda asker: _read(asker, args))
    except DatabaseError as error:
        return answer_withdrawn(args, error, family=args.members)
    pairs = list(readable.diffs)
    if args.json:
        for pair in pairs:
            print_json(readable.diffs[pair].as_record())
        print_json({"family": args.members, "members": len(firsts), "diffs": len(pairs)})
        return EXIT_OK
    from tekrar.view.proposal import difference_lines, passage_lines

    width, colour = terminal_width(), sys.stdout.isatty()
    for own in firsts:
        out(passage_lines(readable.passages.get(own), width=width))
    for pair in pairs:
        out(["", *difference_lines(pair, readable, colour=colour)])
    return EXIT_OK


def _read(asker: Asker, args: argparse.Namespace) -> tuple[list[str], Readable]:
    """First occurrences of the tagged members on this page, and the diffs from the first of them all."""
    from tekrar.store.curation.passages import read_passages

    rows = asker.members(args.release, args.members, after=args.after_row, page=args.page)
    (reference,) = (one["occurrence"] for one in asker.members(args.release, args.members, page=1))
    firsts = list({one["position"]: one["occurrence"] for one in reversed(rows)}.values())[::-1]
    profile = asker.resolve(args.members)["record"]["profile"]
    readable = read_passages(
        asker.connection,
        profile,
        occurrences=firsts,
        pairs=[(reference, one) for one in firsts if one != reference],
        role=asker.role,
        actor=asker.actor,
    )
    return firsts, readable


def _member(one: Record) -> str:
    exact = (
        f"  exact class {one['exact_class']}, {one['duplicates']} others here" if one["exact_class"] else ""
    )
    return f"{one['row_no']:>8}  {one['occurrence']}  {one['tag']}{exact}"
