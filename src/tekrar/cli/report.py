"""`tekrar report`: write one self-contained page that shows what repeats and where."""

from __future__ import annotations

import argparse
from pathlib import Path

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json, say
from tekrar.cli.outside import check_outside
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar report`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument("--release", type=arguments.path, metavar="RELEASE", help=RELEASE_HELP)
    parser.add_argument(
        "--out", required=True, type=arguments.path, metavar="FILE", help="page to write, e.g. report.html"
    )
    parser.add_argument(
        "--force",
        action="store_true",
        help="replace a file that exists, or the file that a link leads to; never a pipe or a device",
    )


def run(args: argparse.Namespace) -> int:
    """Write the page and say where it is."""
    from tekrar.package import write_file
    from tekrar.package.atomic import replaceable, target_exists
    from tekrar.view.report import open_pair, report_page

    release = release_for(args)
    _check_target(args.out)
    if args.force:  # before the work, not after it
        replaceable(args.out)
    elif args.out.exists() or args.out.is_symlink():
        error = target_exists(args.out)
        error.mend = "give --force to replace it, or choose another name"
        raise error
    with progress(args, "writing the report"):
        page, record = report_page(*open_pair(args.artifact, release))
        write_file(args.out, page, replace=args.force)
    if args.json:
        print_json({"report": str(args.out), **record})
    elif not args.quiet:
        say(f"report  {args.out}  ({len(page):,} bytes): open it in a browser; it needs no network")
    return EXIT_OK


def _check_target(out: Path) -> None:
    """Refuse a folder, and a place inside a package: another file there would break it."""
    if out.is_dir():
        raise UsageError(f"{out} is a folder", expected="a file name", mend=f"--out {out / 'report.html'}")
    check_outside(out, "--out")
