"""`tekrar release`: one published release - what it binds, its coverage, its classes, its verification."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from tekrar.cli.arguments import number, page_size
from tekrar.cli.database import (
    WITHDRAWN,
    acting,
    actor_argument,
    database_argument,
    reading,
    say,
    table,
    tell_withdrawn,
)
from tekrar.cli.release_coverage import covered
from tekrar.errors import UsageError

if TYPE_CHECKING:
    from tekrar.store.verification import Verified

_HELP: Final = {
    "show": "everything that the release binds, its state and the moves of its pointer",
    "coverage": "what was enumerated, excluded, matched and unique",
    "classes": "its exact classes, longest and then largest first, a page at a time",
    "verify": "recompute everything that releases bind from the rows of the database",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar release`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in _HELP.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        named = one.add_argument("release", metavar="ID", help="ID of a published release (tekrar releases)")
        if action == "classes":
            _add_choice(one)
        if action == "verify":
            named.nargs, named.required = "?", False
            one.add_argument(
                "--all", action="store_true", help="every release, and everything that is loaded"
            )
            actor_argument(one)
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
    page_size(parser, default=20, what="classes")


def run(args: argparse.Namespace) -> int:
    """Show it, or verify it."""
    if args.action == "classes":
        return _classes(args)
    if args.action == "verify":
        return _verify(args)
    with reading(args) as reader:
        found = reader.release(args.release) if args.action == "show" else reader.coverage(args.release)
        tell_withdrawn(reader, args.release, withdrawn=bool(found.get("withdrawn")))
    lines = _shown(found) if args.action == "show" else covered(found)
    return say(args, found, "\n".join(lines), always=True)


def _shown(found: dict[str, Any]) -> Iterator[str]:
    flat = dict(found)
    flat |= flat.pop("bound")
    moves = flat.pop("pointer_moves") or []
    yield table(flat)
    for move in moves:
        yield f"pointer {move['version']}: {move['previous'] or 'nothing'} -> {move['release'] or 'nothing'}"


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
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
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


def _verify(args: argparse.Namespace) -> int:
    from tekrar.cli.outcome import print_json
    from tekrar.cli.progress import progress
    from tekrar.store.permission import claims_of
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
    from tekrar.view.plain import safe

    lines = [f"{name:<12}  {count:>9}  {CHECKS[name]}" for name, count in done.counts.items()]
    for one in done.findings:
        lines += [f"{one.check}: {one.place}", f"  expected  {one.expected}", f"  found     {one.found}"]
    for one in done.notices:
        lines += [
            f"notice, {one.check}: {one.place}",
            f"  of the text  {one.expected}",
            f"  stored       {one.found}",
        ]
    if done.more:
        lines.append(f"and {done.more} findings more")
    what = f"{len(done.releases)} releases, {done.artifacts} artifacts, {done.texts} texts"
    lines.append(f"{what}: {'not as published' if done.findings else 'the rows give what was published'}")
    return "\n".join(map(safe, lines))
