"""`tekrar release`: what a published release binds, its coverage, its verification."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from tekrar.cli.database import acting, actor_argument, database_argument, reading, say, table
from tekrar.errors import UsageError

if TYPE_CHECKING:
    from tekrar.store.verification import Verified

_HELP: Final = {
    "show": "everything that the release binds, its state and the moves of its pointer",
    "coverage": "what was enumerated, excluded, matched and unique",
    "verify": "recompute everything that releases bind from the rows of the database",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar release`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in _HELP.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        named = one.add_argument("release", metavar="ID", help="ID of a published release (tekrar releases)")
        if action == "verify":
            named.nargs, named.required = "?", False
            one.add_argument(
                "--all", action="store_true", help="every release, and everything that is loaded"
            )
            actor_argument(one)
        database_argument(one)
        for option in ("--json", "--quiet"):
            one.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


def run(args: argparse.Namespace) -> int:
    """Show it, or verify it."""
    if args.action == "verify":
        return _verify(args)
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


def _verify(args: argparse.Namespace) -> int:
    from tekrar.cli.outcome import print_json
    from tekrar.cli.progress import progress
    from tekrar.store.publish import claims_of
    from tekrar.store.verification import DatabaseDiffers, verify_releases

    if (args.release is None) != args.all:
        raise UsageError(
            "one release, or all of them",
            expected="ID or --all",
            mend="tekrar releases lists the releases",
            kind="bad_arguments",
        )
    with acting(args) as (connection, actor), progress(args, "verifying") as advance:
        try:
            done = verify_releases(connection, args.release, claims=claims_of(actor), progress=advance)
        except DatabaseDiffers as error:
            if args.json:
                print_json(error.verified.as_record())
            elif not args.quiet:
                print(_words(error.verified))
            raise
    return say(args, done.as_record(), _words(done))


def _words(done: Verified) -> str:
    from tekrar.store.verification import CHECKS

    lines = [f"{name:<12}  {count:>9}  {CHECKS[name]}" for name, count in done.counts.items()]
    for one in done.findings:
        lines += [f"{one.check}: {one.place}", f"  expected  {one.expected}", f"  found     {one.found}"]
    if done.more:
        lines.append(f"and {done.more} findings more")
    what = f"{len(done.releases)} releases, {done.artifacts} artifacts, {done.texts} texts"
    lines.append(f"{what}: {'not as published' if done.findings else 'the rows give what was published'}")
    return "\n".join(lines)
