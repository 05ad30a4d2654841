"""`tekrar history`: every submission, review and apply about an ID."""

from __future__ import annotations

import argparse

from tekrar.cli.curation import asking, role_arguments, told
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar history`."""
    parser.add_argument(
        "id",
        metavar="ID",
        help="a structure, class, occurrence, candidate, review or release, or the digest of a proposal",
    )
    role_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Tell it in the order of the ledger."""
    with asking(args) as ask:
        found = ask(lambda asker: asker.history(args.id))
    if args.json:
        for one in found:
            print_json(one)
        print_json({"id": args.id, "entries": len(found)})
        return EXIT_OK
    for one in found:
        facts = dict(one["facts"])
        note = facts.pop("note", "")
        shown = "  ".join(
            f"{name} {', '.join(value) if isinstance(value, list) else value}"
            for name, value in facts.items()
            if value not in ("", [])
        )
        say(f"{one['seq']:>6}  {one['recorded_at']}  {one['actor']}  {one['kind']}  {shown}")
        if one["proposal"]:
            say(f"        proposal {one['proposal']}")
        for line in told(note, indent="        ┃ "):
            print(line)
    return EXIT_OK
