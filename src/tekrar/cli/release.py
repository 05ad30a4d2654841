"""`tekrar release`: one published release - what it binds, or its coverage."""

from __future__ import annotations

import argparse
from typing import Final

from tekrar.cli.database import database_argument, reading, say, table

_HELP: Final = {
    "show": "everything that the release binds, its state and the moves of its pointer",
    "coverage": "what was enumerated, excluded, matched and unique",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar release`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in _HELP.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        one.add_argument("release", metavar="ID", help="ID of a published release (tekrar releases)")
        database_argument(one)
        for option in ("--json", "--quiet"):
            one.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Show it."""
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
