"""`tekrar completion`: a completion script for bash, zsh or tcsh, made from the parsers themselves."""

from __future__ import annotations

import argparse

from tekrar.errors import EXIT_OK, UsageError

SHELLS = ("bash", "zsh", "tcsh")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar completion`."""
    parser.add_argument("shell", choices=SHELLS, help='use as: eval "$(tekrar completion bash)"')


def run(args: argparse.Namespace) -> int:
    """Print the script."""
    import shtab

    print(shtab.complete(whole_parser(), shell=args.shell))
    return EXIT_OK


def whole_parser() -> argparse.ArgumentParser:
    """One parser with every verb of this version."""
    from tekrar.cli import VERBS, fill_parser, verb_module

    parser = argparse.ArgumentParser(prog="tekrar", allow_abbrev=False)
    parser.add_argument("--version", action="store_true", help="print the version")
    verbs = parser.add_subparsers(dest="verb")
    for verb, (_, text) in VERBS.items():
        try:
            module = verb_module(verb)
        except UsageError:  # a verb of a later version
            continue
        fill_parser(verbs.add_parser(verb, help=text, description=text, allow_abbrev=False), module)
    return parser
