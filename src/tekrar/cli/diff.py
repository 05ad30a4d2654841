"""`tekrar diff`: the exact edit script between two passages, shown, written or verified."""

from __future__ import annotations

import argparse
import sys
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json, say
from tekrar.cli.outside import check_outside
from tekrar.errors import EXIT_OK, UsageError, VerificationError

#: Bytes of a foreign script at most: a diff of as many units as there may be stays below.
MAX_SCRIPT: Final = 1 << 26


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar diff`."""
    for side in ("left", "right"):
        parser.add_argument(
            side,
            metavar=side.upper(),
            help="an address, an occurrence ID, or START-END, bytes of the release",
        )
    parser.add_argument(
        "--artifact", required=True, type=arguments.path, help="artifact, as `tekrar build` made it"
    )
    parser.add_argument("--release", type=arguments.path, metavar="RELEASE", help=RELEASE_HELP)
    parser.add_argument(
        "--profile", metavar="FP|FS|PP|PS", help="profile of both passages (default: full context)"
    )
    parser.add_argument(
        "--html", type=arguments.path, metavar="FILE", help="write a page that shows the diff"
    )
    parser.add_argument("--force", action="store_true", help="replace the page if it exists")
    parser.add_argument(
        "--script",
        type=arguments.path,
        metavar="FILE",
        help="verify this record (as --json gives it) or script (canonical bytes) against the two passages",
    )


def run(args: argparse.Namespace) -> int:
    """Make the diff, or verify a foreign one, and show it."""
    from tekrar.core.diff import diff_of
    from tekrar.view.changes import changes_of
    from tekrar.view.endpoints import passage
    from tekrar.view.open import open_corpus

    release = release_for(args)
    corpus = open_corpus(args.artifact, release)
    left, right = (passage(corpus, words, profile=args.profile) for words in (args.left, args.right))
    if args.script is None:
        made = diff_of(left.endpoint, right.endpoint)
    else:
        made = _foreign(args, left.endpoint, right.endpoint)
        if not (args.quiet or args.json):
            say(f"verified  {args.script}: it replays, and is the canonical script", file=sys.stderr)
    if args.html is not None:
        _write(args, made, (left, right))
    if args.json:
        print_json(made.as_record())
    elif args.html is None and not (args.quiet and args.script):
        from tekrar.view.diff_text import diff_lines

        for line in diff_lines(made, (left, right), changes_of(made), colour=sys.stdout.isatty()):
            print(line)
    return EXIT_OK


def _foreign(args: argparse.Namespace, left: Any, right: Any) -> Any:
    """A record or script from a file, verified; the error says which file."""
    from tekrar.core.diff import PassageDiff, decode, verified, verify
    from tekrar.core.diff.script import SCRIPT_TAG
    from tekrar.core.strict_json import JsonFlaw, parse
    from tekrar.package.storage import regular_bytes

    data = regular_bytes(args.script, limit=MAX_SCRIPT)
    try:
        if data[4 : 4 + len(SCRIPT_TAG)] == SCRIPT_TAG:
            script = decode(data)
            verify(script, left.units, right.units)
            return PassageDiff(left, right, script)
        return verified(parse(data), left, right)
    except JsonFlaw as flaw:
        raise VerificationError(
            f"neither a script nor a JSON record: {flaw.message}",
            where=f"{args.script}, {flaw.place}",
            expected="what `tekrar diff --json` prints",
            kind="diff_malformed",
        ) from None
    except VerificationError as error:
        error.where = f"{args.script}, {error.where}"
        error.mend = error.mend or "make the script anew with `tekrar diff --json`"
        raise


def _write(args: argparse.Namespace, made: Any, sides: Any) -> None:
    from tekrar.package import write_file
    from tekrar.package.atomic import target_exists
    from tekrar.view.changes import changes_of
    from tekrar.view.diff_page import diff_page

    check_outside(args.html, "--html")
    if args.html.is_dir():
        raise UsageError(f"{args.html} is a folder", expected="a file name", mend="--html diff.html")
    if not args.force and (args.html.exists() or args.html.is_symlink()):
        error = target_exists(args.html)
        error.mend = "give --force to replace it, or choose another name"
        raise error
    page = diff_page(made, sides, changes_of(made))
    write_file(args.html, page, replace=args.force)
    if not (args.quiet or args.json):
        say(f"page      {args.html}  ({len(page):,} bytes): open it in a browser; it needs no network")
