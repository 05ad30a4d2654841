"""`tekrar canonical`: the canonical occurrence of a class or family, under a policy in a release."""

from __future__ import annotations

import argparse

from tekrar.cli.arguments import words
from tekrar.cli.curation import asking, role_arguments
from tekrar.cli.database import say


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar canonical`."""
    parser.add_argument("structure", metavar="ID", help="an exact class or a family")
    parser.add_argument(
        "--policy", type=words, required=True, metavar="NAME", help="the policy; none is implied"
    )
    parser.add_argument("--release", required=True, metavar="RELEASE", help="the published release")
    role_arguments(parser, reader=True)


def run(args: argparse.Namespace) -> int:
    """Say which, or that nobody chose one."""
    with asking(args, reader=True) as ask:
        found = ask(lambda asker: asker.canonical(args.release, args.structure, policy=args.policy))
    told = "unselected: nobody chose one"
    if found["status"] in ("retired", "ambiguous"):
        after = ", ".join(found["successors"]) or "nothing"
        told = f"{found['status']}: the family is {found['state']}; in its place: {after}"
    elif found["status"] == "resolved":
        policy = f"{found['policy']} {found['policy_version']}, {found['rule']}"
        told = f"{found['member']}  choice {found['choice']}  {policy}"
    return say(args, found, told, always=True)
