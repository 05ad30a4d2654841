"""`tekrar check-proof`: check an inclusion proof against an artifact root, without the artifact."""

from __future__ import annotations

import argparse

from tekrar.cli import arguments
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar check-proof`."""
    parser.add_argument("proof", type=arguments.path, help="proof, as `tekrar prove` wrote it")
    parser.add_argument(
        "--root", required=True, metavar="ARTIFACT_ROOT", help="the root you trust, 64 hex digits"
    )


def run(args: argparse.Namespace) -> int:
    """Check the proof, and say what it proves."""
    from tekrar.package.storage import regular_bytes
    from tekrar.verify.proof_check import MAX_BYTES, check_proof, parse_root

    root = parse_root(args.root)
    data = regular_bytes(args.proof, limit=MAX_BYTES)
    proved = check_proof(data, artifact_root=root, where=str(args.proof))
    record = proved.as_record()
    if args.json:
        print_json(record)
    elif not args.quiet:
        print(f"proved under artifact_root {root.hex()}")
        for name in record:
            if name not in ("proved", "artifact_root", "reasons"):
                say(f"  {name:<13} {record[name]}")
        for row in record.get("reasons", ()):
            print(f"  {row['reason']} by selection {row['selection']}")
    return EXIT_OK
