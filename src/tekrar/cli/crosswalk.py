"""`tekrar crosswalk`: the names that others gave to structures, recorded and listed; they change no ID."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from typing import Any, Final

from tekrar.cli.arguments import page_size, words
from tekrar.cli.curation import asking, common_options, role_arguments
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK, UsageError
from tekrar.view.plain import safe

ACTIONS: Final = {
    "add": "record the name that somebody else gave to a structure; its own ID stays",
    "list": "list such names, by namespace and name",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar crosswalk`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        common_options(one)
        if action == "add":
            one.add_argument("structure", metavar="STRUCTURE", help="a family, quotation or canonical choice")
            one.add_argument("namespace", metavar="NAMESPACE", help="whose names they are: a-z 0-9 . _ : -")
            one.add_argument("external", type=words, metavar="EXTERNAL", help="the name, in one line")
            actor_argument(one)
            database_argument(one)
            continue
        one.add_argument("--structure", metavar="ID", help="only those of this structure")
        one.add_argument("--namespace", type=words, metavar="NAMESPACE", help="only those of this namespace")
        one.add_argument("--external", type=words, metavar="EXTERNAL", help="only this name in the namespace")
        one.add_argument("--after", metavar="NAMESPACE=EXTERNAL", help="behind this name")
        page_size(one, default=100, what="names")
        role_arguments(one, reader=True)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def external_name(text: str, *, where: str) -> tuple[str, str]:
    """Namespace and name of `NAMESPACE=EXTERNAL`; a name may hold further `=`, a namespace none.

    Raises:
        UsageError: it is none.
    """
    namespace, sign, external = text.partition("=")
    if not (namespace and sign and external):
        raise UsageError(
            f"{text[:80]!r} is no name of a namespace",
            where=where,
            expected="NAMESPACE=EXTERNAL",
            mend="tekrar crosswalk list shows names so",
            kind="bad_arguments",
        )
    return namespace, external


def _add(args: argparse.Namespace) -> int:
    from tekrar.store.curation.workflow import crosswalk

    with acting(args) as (connection, actor):
        done = crosswalk(connection, args.structure, args.namespace, args.external, actor=actor)
    record = {"namespace": args.namespace, "external": args.external, **done}
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(safe(_line(record)) + f"  {done['outcome'].replace('_', ' ')}")
    return EXIT_OK


def _list(args: argparse.Namespace) -> int:
    if args.external is not None and args.namespace is None:
        raise UsageError(
            "--external is a name in a namespace", expected="--namespace N --external X", kind="bad_arguments"
        )
    after = None if args.after is None else external_name(args.after, where="--after")
    with asking(args, reader=True) as ask:
        found = ask.public_last()(
            lambda asker: asker.crosswalk(
                args.structure,
                namespace=args.namespace,
                external=args.external,
                after=after,
                page=args.page,
            )
        )
    last = found[-1] if len(found) == args.page else None
    following = None if last is None else f"{last['namespace']}={last['external']}"
    if args.json:
        for one in found:
            print_json(one)
        print_json({"listed": len(found), "next": following})
        return EXIT_OK
    for one in found:
        by = f"  {one['recorded_by']}" if one["recorded_by"] else ""
        say(safe(_line(one) + by))
    if not args.quiet:
        more = "" if following is None else f"; more: --after {safe(following)}"
        say(f"{len(found)} names{more}", file=sys.stderr)
    return EXIT_OK


def _line(one: dict[str, Any]) -> str:
    return f"{one['namespace']}={one['external']}  {one['structure']}"


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"add": _add, "list": _list}
