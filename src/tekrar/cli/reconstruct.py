"""`tekrar reconstruct`: the exact bytes of a text release, verified before the first is given (CORE-01)."""

from __future__ import annotations

import argparse
import sys

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK, UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar reconstruct`."""
    parser.add_argument("release", type=arguments.path, help="a text release")
    parser.add_argument(
        "--out", type=arguments.path, metavar="FILE", help="file to make (default: standard output)"
    )


def run(args: argparse.Namespace) -> int:
    """Verify the release and give its bytes."""
    from tekrar.corpus.release_package import open_release
    from tekrar.package import write_file

    if args.json and args.out is None:
        raise UsageError(
            "--json and the text cannot both go to standard output",
            mend="give --out FILE",
            kind="bad_arguments",
        )
    opened = open_release(args.release)
    text = opened.release.text
    if args.out is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        sys.stdout.buffer.flush()
        return EXIT_OK
    write_file(args.out, text)
    if args.json:
        print_json(
            {
                "file": str(args.out),
                "bytes": len(text),
                "certified_digest": opened.certified.hex(),
                "text_release": opened.package_manifest["text_release"],
            }
        )
    elif not args.quiet:
        say(f"{args.out}: {len(text):,} bytes, certified digest {opened.certified.hex()}")
    return EXIT_OK
