"""`tekrar choices`: canonical choices in force in a release."""

from __future__ import annotations

import argparse

from tekrar.cli.inventories import list_them, listing_arguments


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar choices`."""
    listing_arguments(parser, "choice")
    parser.add_argument("--of", metavar="ID", help="only those of this class or family")
    parser.add_argument("--policy", metavar="NAME", help="only those under this policy")


def run(args: argparse.Namespace) -> int:
    """List a page."""
    return list_them(
        args,
        "choice",
        lambda asker: asker.choices(
            args.release, args.of, policy=args.policy, after=args.after, page=args.page
        ),
        lambda one: (
            f"{one['choice']}  {one['member']} of {one['tag']} {one['structure']}"
            f"  {one['policy']} {one['policy_version']}  {one['rule']}"
        ),
        addressed={"member": "address"},
    )
