"""`tekrar quotations`: quotations in force in a release, by source or by what quotes."""

from __future__ import annotations

import argparse

from tekrar.cli.inventories import Record, list_them, listing_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar quotations`."""
    listing_arguments(parser, "quotation")
    which = parser.add_mutually_exclusive_group()
    which.add_argument("--source", metavar="ID", help="only those of this source occurrence")
    which.add_argument("--quoting", metavar="ID", help="only those that this occurrence makes")


def run(args: argparse.Namespace) -> int:
    """List a page."""
    return list_them(
        args,
        "quotation",
        lambda asker: asker.quotations(
            args.release, source=args.source, quoting=args.quoting, after=args.after, page=args.page
        ),
        _line,
        addressed={"source_occurrence": "source_address", "quoting_occurrence": "quoting_address"},
    )


def _line(one: Record) -> str:
    return (
        f"{one['quotation']}  {one['kind']}  {one['source_occurrence']} {_told(one['source_ranges'])}"
        f"  quoted by {one['quoting_occurrence']} {_told(one['quoting_ranges'])}"
    )


def _told(ranges: list[int]) -> str:
    return ", ".join(f"{a}..{b}" for a, b in zip(ranges[::2], ranges[1::2], strict=True))
