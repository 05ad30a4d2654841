"""`tekrar repeats`: where a passage recurs in a release, in every layer, each row naming its layer."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any

from tekrar.cli.arguments import page_size, words
from tekrar.cli.database import WITHDRAWN, database_argument, reading, say, tell_withdrawn
from tekrar.core.curation.vocabulary import LAYERS


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar repeats`."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument(
        "passage", type=words, metavar="PASSAGE",
        help="ID of an occurrence, or its address (book/chapter/pN, book/chapter:start+length)",
    )  # fmt: skip
    parser.add_argument(
        "--layer", choices=LAYERS, action="append", default=[], help="only this layer; may be repeated"
    )
    parser.add_argument("--cursor", metavar="CURSOR", help="where the page before ended, as it printed it")
    page_size(parser, default=100, what="rows")
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """List a page."""
    from tekrar.store.repeats import RepeatsReader

    with reading(args) as plain:
        reader = RepeatsReader(plain.connection, plain.role, plain.claims, plain.key)
        found = reader.repeats(
            args.release, args.passage, layers=args.layer, page=args.page, cursor=args.cursor
        )
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    return say(args, found, "\n".join(_lines(found, args)), always=True)


def _lines(found: dict[str, Any], args: argparse.Namespace) -> Iterator[str]:
    from tekrar.view.plain import isolated

    why = found["code"] or ", ".join(found["reasons"] or ())
    exact = f"{found['status']}{f' ({why})' if why else ''}"
    if found["code"] == WITHDRAWN:
        yield f"{exact}: nothing is listed"
        return
    yield f"{found['occurrence']}  {exact} in the exact work"
    if not found["repeats"]:
        end = "here" if args.cursor is None else "after this page"
        yield f"no {' or '.join(args.layer) or 'layer'} has a repeat of it {end}"
    heading = None
    for one in found["repeats"]:
        name = one["structure"] or f"group {one['group_key']}"
        if heading != (one["layer"], name):
            heading = (one["layer"], name)
            kind = f"  {one['kind']}" if one["layer"] == "quotation" else ""
            yield f"{one['layer']}  {name}{kind}  {one['state']}"
        asked = "  asked for" if one["asked"] else ""
        yield (
            f"  {one['layer']}  {one['role']:<8}  {one['occurrence']}  {isolated(one['address'])}"
            f"  bytes {one['start_byte']}-{one['end_byte']}{asked}"
        )
    if found["next"]:
        yield f"more: --cursor {found['next']}"
