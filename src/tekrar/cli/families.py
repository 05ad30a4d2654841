"""`tekrar families`: families in force in a release, or what one of them expands to."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import number
from tekrar.cli.inventories import Record, list_them, listing_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar families`."""
    listing_arguments(parser, "family")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--of", metavar="ID", help="only those that this occurrence or class is in")
    which.add_argument("--members", metavar="FAMILY", help="the occurrences that this one expands to")
    parser.add_argument(
        "--after-row", type=number(-1), default=-1, metavar="N", help="with --members: behind row N"
    )


def run(args: argparse.Namespace) -> int:
    """List a page."""
    if args.members:
        return list_them(
            args,
            "row_no",
            lambda asker: asker.members(args.release, args.members, after=args.after_row, page=args.page),
            _member,
        )
    return list_them(
        args,
        "family",
        lambda asker: asker.families(args.release, args.of, after=args.after, page=args.page),
        lambda one: (
            f"{one['family']}  {one['kind']}  {one['state']}"
            f"  {one['tagged']} members, {one['size']} occurrences"
        ),
    )


def _member(one: Record) -> str:
    exact = (
        f"  exact class {one['exact_class']}, {one['duplicates']} others here" if one["exact_class"] else ""
    )
    return f"{one['row_no']:>8}  {one['occurrence']}  {one['tag']}{exact}"
