"""`tekrar prove`: write the inclusion proof of one occurrence."""

from __future__ import annotations

import argparse
import sys

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar prove`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument("occurrence", help="occurrence ID, as `tekrar show` and `tekrar classes` print it")
    parser.add_argument(
        "--out", type=arguments.path, metavar="FILE", help="where to write it (default: standard output)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the proof."""
    from tekrar.core.encoding import canonical_json
    from tekrar.package import write_file
    from tekrar.verify.proof import prove

    proof = prove(args.artifact, args.occurrence)
    data = canonical_json(proof) + b"\n"
    if args.out is None:
        sys.stdout.write(data.decode("ascii"))
        return EXIT_OK
    write_file(args.out, data)
    record = {
        "proof": str(args.out),
        "bytes": len(data),
        "occurrence": proof["occurrence"],
        "part": proof["part"],
        "artifact_root": proof["artifact_root"],
    }
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(f"{args.out}: {proof['occurrence']} is in {proof['part']}")
        say(f"check it with: tekrar check-proof {args.out} --root {proof['artifact_root']}")
    return EXIT_OK
