"""`tekrar policies`: the texts of choice policies, registered once and kept; choices name them."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.cli.curation import asking, common_options, out, role_arguments, told
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say
from tekrar.core.curation.vocabulary import POLICY_RULES, TEXT_BYTES
from tekrar.errors import EXIT_OK, NotFoundError

ACTIONS: Final = {
    "add": "register the text of a policy: one version has one text and rule for ever",
    "list": "list the policies whose texts are kept",
    "show": "show the text of one, or write its exact bytes to a file",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar policies`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        common_options(one)
        if action == "add":
            one.add_argument("file", metavar="FILE|-", help="the text, UTF-8, at most 64 KiB; - reads stdin")
            one.add_argument("--name", type=arguments.words, required=True, help="how choices name it")
            one.add_argument("--policy-version", required=True, metavar="VERSION", help="such as 1.0.0")
            one.add_argument("--rule", choices=POLICY_RULES, required=True, help="what it goes by")
            actor_argument(one)
            database_argument(one)
            continue
        if action == "show":
            one.add_argument("name", type=arguments.words, metavar="NAME", help="name of the policy")
            one.add_argument("version", metavar="VERSION", help="its version")
            one.add_argument("--out", type=arguments.path, metavar="FILE", help="write its exact bytes there")
        role_arguments(one, reader=True)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def _add(args: argparse.Namespace) -> int:
    from tekrar.package.storage import regular_bytes
    from tekrar.store.curation.policies import register_policy

    if args.file == "-":
        document = sys.stdin.buffer.read(TEXT_BYTES + 1)
    else:
        document = regular_bytes(Path(args.file), limit=TEXT_BYTES)
    with acting(args) as (connection, actor):
        done = register_policy(
            connection, args.name, args.policy_version, rule=args.rule, document=document, actor=actor
        )
    if args.json:
        print_json(done)
    elif not args.quiet:
        words = done["outcome"].replace("_", " ")
        say(f"{done['name']} {done['version']}  {done['rule']}  {words}  {done['digest']}")
    return EXIT_OK


def _list(args: argparse.Namespace) -> int:
    with asking(args, reader=True) as ask:
        found = ask.public_last()(lambda asker: asker.policies())
    if args.json:
        for one in found:
            print_json(one)
        print_json({"policies": len(found)})
        return EXIT_OK
    for one in found:
        say(_line(one))
    if not args.quiet:
        say(f"{len(found)} policies", file=sys.stderr)
    return EXIT_OK


def _show(args: argparse.Namespace) -> int:
    from tekrar.package.atomic import write_file

    with asking(args, reader=True) as ask:
        found = ask.public_last()(lambda asker: asker.policies(args.name))
    one = next((policy for policy in found if policy["version"] == args.version), None)
    if one is None:
        versions = ", ".join(policy["version"] for policy in found)
        raise NotFoundError(
            f"policy {args.name} {args.version} is not registered",
            where="database",
            expected=f"version {versions}" if versions else "a policy whose text is kept",
            mend="tekrar policies list",
            kind="not_found",
        )
    if args.out is not None:
        write_file(args.out, one["document"].encode())
    if args.json:
        print_json(one)
    elif args.out is None:
        say(_line(one))
        out(told(one["document"]))
    return EXIT_OK


def _line(one: dict[str, Any]) -> str:
    by = f"  {one['author']}" if one["author"] else ""
    return f"{one['name']} {one['version']}  {one['rule']}  {one['digest']}{by}"


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"add": _add, "list": _list, "show": _show}
