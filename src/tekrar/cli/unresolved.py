"""`tekrar unresolved`: evidence of a release that no decision took up, a page at a time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from tekrar.cli.arguments import page_size
from tekrar.cli.database import WITHDRAWN, database_argument, reading, say, tell_withdrawn

STATUSES = ("pending", "rejected", "superseded")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar unresolved`."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument("--status", choices=STATUSES, help="only these (default: all)")
    parser.add_argument("--cursor", metavar="CURSOR", help="where the page before ended, as it printed it")
    page_size(parser, default=20, what="candidates")
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """List a page."""
    from tekrar.store.evidence.unresolved import EvidenceReader

    with reading(args) as plain:
        reader = EvidenceReader(plain.connection, plain.role, plain.claims, plain.key)
        found = reader.unresolved(args.release, status=args.status, page=args.page, cursor=args.cursor)
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    return say(args, found, "\n".join(_lines(found)), always=True)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if found["status"] != "listed":
        yield f"{found['status']} ({found['code']}): nothing is listed"
        return
    told = found["semantic"]
    yield (
        f"semantic status {told['status']}: {told['candidates']:,} candidates, {told['pending']:,} pending, "
        f"{told['rejected']:,} rejected"
    )
    for one in found["candidates"]:
        left, right = one["left"], one["right"]
        yield (
            f"{one['candidate']}  {one['status']}  {one['disposition']}  {one['kind']}"
            f"  bytes {left['start']}-{left['end']} and {right['start']}-{right['end']}"
        )
    for name, what in (("proposals", "waits for a decision"), ("families", "needs a successor")):
        open_ones = found[name] or {"total": 0, "listed": []}
        for one in open_ones["listed"]:
            yield f"{one.get('proposal') or one['family']}  {one['status']}: {what}"
        if open_ones["total"] > len(open_ones["listed"]):
            yield f"and {open_ones['total'] - len(open_ones['listed']):,} more {name}"
    if found["next"]:
        yield f"more: --cursor {found['next']}"
