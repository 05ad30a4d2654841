"""`tekrar proposals`: list proposals, what waits for one's own review, and one of them whole."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from tekrar.cli.arguments import number, page_size, words
from tekrar.cli.curation import Asked, asking, common_options, role_arguments
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK
from tekrar.view.plain import approval_words

if TYPE_CHECKING:
    from tekrar.store.curation.passages import Readable

ACTIONS: Final = {
    "list": "list proposals in the order of their submission",
    "queue": "list what one may still review, without anybody's verdict",
    "show": "show one proposal: members, texts side by side, diffs",
}
STATES: Final = ("submitted", "approved", "changes_requested", "rejected", "outdated", "applied")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar proposals`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        common_options(one)
        if action == "show":
            one.add_argument("proposal", metavar="DIGEST", help="digest of a proposal")
            one.add_argument("--all", action="store_true", help="show every member and diff")
        else:
            if action == "list":
                one.add_argument(
                    "--state", action="append", choices=STATES, help="only those; may be repeated"
                )
            one.add_argument("--edition", type=words, metavar="NAME", help="only those of this edition")
            one.add_argument("--after", type=number(-1), default=-1, metavar="N", help="behind entry N")
            page_size(one, default=100, what="proposals")
        role_arguments(one)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def _list(args: argparse.Namespace) -> int:
    queue = args.action == "queue"
    if queue:
        args.role = args.role or "reviewer"
    states = None if queue else args.state
    with asking(args) as ask:
        found = ask(
            lambda asker: asker.proposals(
                states, edition=args.edition, queue=queue, after=args.after, page=args.page
            )
        )
    following = found[-1]["seq"] if len(found) == args.page else None
    if args.json:
        for one in found:
            print_json(one)
        print_json({"listed": len(found), "next": following})
        return EXIT_OK
    for one in found:
        stale = "  stale" if one["stale"] else ""
        state = f"{one['state']}{stale}{_approvals(one)}"
        say(f"{one['proposal']}  {state}  {one['operation']}  {one['author']}  {one['draft']}")
    if not args.quiet:
        more = "" if following is None else f"; more: --after {following}"
        say(f"{len(found)} proposals{more}", file=sys.stderr)
    return EXIT_OK


def _approvals(one: dict[str, Any]) -> str:
    """How many approvals there are of how many, where more than one is asked for."""
    needed = one["approvals_needed"]
    return f"  {approval_words(one['approvals'], needed)}" if needed > 1 else ""


def _show(args: argparse.Namespace) -> int:
    with asking(args) as ask:
        show_one(args, ask, args.proposal, every=args.all)
    return EXIT_OK


def show_one(args: argparse.Namespace, ask: Asked, digest: str, *, every: bool = False) -> dict[str, Any]:
    """Print a proposal, and give its record."""
    from tekrar.view.plain import terminal_width
    from tekrar.view.proposal import SHOWN, proposal_lines

    most = None if every else SHOWN
    record, readable = ask(lambda asker: _read(asker, digest, most))
    if args.json:
        print_json({**record, "action": json.loads(record["action"]), "texts": _texts(readable)})
        return record
    for line in proposal_lines(
        record, readable, width=terminal_width(), colour=sys.stdout.isatty(), most=most
    ):
        print(line)
    return record


def _read(asker: Any, digest: str, most: int | None) -> tuple[dict[str, Any], Readable]:
    from tekrar.store.curation.passages import participants_of, read_passages
    from tekrar.view.proposal import wanted_of

    record = asker.proposal(digest)
    action = json.loads(record["action"])
    if "choice" in action:
        policy = action["choice"]["policy"]
        kept = asker.policies(policy["name"], policy["version"])
        texts = [one["document"] for one in kept if one["digest"] == policy["document"]]
        record = {**record, "policy_text": texts[0] if texts else None}
    wanted = wanted_of(action, most=most)
    touched: tuple[str, ...] = ()
    if "override" in action:
        own = action["override"]["candidate"]
        touched = participants_of(asker.connection, own, role=asker.role, actor=asker.actor)
    readable = read_passages(
        asker.connection,
        record["profile"],
        occurrences=(*wanted.occurrences, *touched),
        classes=wanted.classes,
        pairs=wanted.pairs,
        role=asker.role,
        actor=asker.actor,
    )
    return record, readable


def _texts(readable: Readable) -> dict[str, Any]:
    return {
        one.occurrence: {
            "address": one.address,
            "start": one.start,
            "end": one.end,
            "text": one.content.decode(errors="backslashreplace"),
        }
        for one in readable.passages.values()
    }


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"list": _list, "queue": _list, "show": _show}
