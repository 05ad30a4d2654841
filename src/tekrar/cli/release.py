"""`tekrar release`: one published release - what it binds, its coverage, or its classes."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import Any, Final

from tekrar.cli.arguments import number
from tekrar.cli.database import database_argument, reading, say, table

_HELP: Final = {
    "show": "everything that the release binds, its state and the moves of its pointer",
    "coverage": "what was enumerated, excluded, matched and unique",
    "classes": "its exact classes, longest and then largest first, a page at a time",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar release`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in _HELP.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        one.add_argument("release", metavar="ID", help="ID of a published release (tekrar releases)")
        if action == "classes":
            _add_choice(one)
        database_argument(one)
        for option in ("--json", "--quiet"):
            one.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--presentation",
        default="published",
        metavar="NAME",
        help="published (default), dominated, or provisional (groups of a partial profile)",
    )
    parser.add_argument(
        "--min-length", type=number(1, 12), default=1, metavar="N", help="of at least so many sentences"
    )
    parser.add_argument(
        "--min-size", type=number(2), default=2, metavar="N", help="of at least so many members"
    )
    parser.add_argument("--cursor", metavar="CURSOR", help="where the page before ended, as it printed it")
    parser.add_argument(
        "--page", type=number(1, 1000), default=20, metavar="N", help="classes a page (default 20)"
    )


def run(args: argparse.Namespace) -> int:
    """Show it."""
    if args.action == "classes":
        return _classes(args)
    with reading(args) as reader:
        found = reader.release(args.release) if args.action == "show" else reader.coverage(args.release)
    flat = dict(found)
    for name in ("bound", "stated", "counted"):
        if isinstance(part := flat.pop(name, None), dict):
            flat |= {key if name == "bound" else f"{name} {key}": value for key, value in part.items()}
    moves = flat.pop("pointer_moves", None) or []
    lines = [table(flat)]
    lines += [
        f"pointer {move['version']}: {move['previous'] or 'nothing'} -> {move['release'] or 'nothing'}"
        for move in moves
    ]
    return say(args, found, "\n".join(lines), always=True)


def _classes(args: argparse.Namespace) -> int:
    with reading(args) as reader:
        found = reader.classes(
            args.release,
            presentation=args.presentation,
            min_length=args.min_length,
            min_size=args.min_size,
            page=args.page,
            cursor=args.cursor,
            counted=True,
        )
    return say(args, found, "\n".join(_lines(found)), always=True)


def _lines(found: dict[str, Any]) -> Iterator[str]:
    if found["status"] != "listed":
        yield f"{found['status']} ({found['code']}): nothing is listed"
        return
    yield f"{found['total']} {found['presentation']}"
    for one in found["classes"]:
        inside = f"  inside {one['winner']}" if one["winner"] else ""
        name = one["class"] or f"group {one['group_key']}"
        yield f"{name}  length {one['length']}  {one['size']} members{inside}"
    if found["next"]:
        yield f"more: --cursor {found['next']}"
