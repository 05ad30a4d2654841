"""`tekrar verify`: recompute an artifact from its text and compare; `--quick` checks it against itself."""

from __future__ import annotations

import argparse

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar verify`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument(
        "--release",
        type=arguments.path,
        metavar="RELEASE",
        help=f"{RELEASE_HELP}; --quick needs none",
    )
    parser.add_argument(
        "--quick", action="store_true", help="files, roots and partition only; does not read the text"
    )


def run(args: argparse.Namespace) -> int:
    """Verify, and say what was compared."""
    from tekrar.verify import ArtifactDiffers, verify_full, verify_quick

    try:
        if args.quick:
            outcome = verify_quick(args.artifact, args.release)
        else:
            release = args.release = release_for(args)
            with progress(args, "verifying") as advance:
                outcome = verify_full(args.artifact, release, progress=advance)
    except ArtifactDiffers as error:
        if args.json:
            for difference in error.differences:
                print_json({"difference": difference.as_record()})
        raise
    record = outcome.as_record()
    if args.json:
        print_json(record)
    elif not args.quiet:
        what = "holds" if outcome.mode == "full" else "agrees with itself (its text was not read)"
        say(f"{outcome.artifact} {what}")
        print(f"artifact_root  {outcome.artifact_root.hex()}")
        print(f"{outcome.roots} roots and {outcome.rows} rows compared")
        print("  ".join(f"{short} {status}" for short, status in outcome.status.items()))
        named = () if args.release is None else ("--release", args.release)
        say_next("tekrar", "report", args.artifact, *named, "--out", "report.html")
    return EXIT_OK
