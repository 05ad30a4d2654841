"""`tekrar prove`: write the inclusion proof of one occurrence, named by its ID or by its address."""

from __future__ import annotations

import argparse
import sys
import uuid
from typing import TYPE_CHECKING

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json, say
from tekrar.errors import EXIT_OK, NotFoundError, UsageError

if TYPE_CHECKING:
    from tekrar.view.profile import ProfileView
    from tekrar.view.query import Found


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar prove`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument(
        "occurrence",
        metavar="ID|ADDRESS",
        help="an occurrence ID, book/chapter:start+length or book/chapter/pN (counted from 1)",
    )
    parser.add_argument(
        "--profile", metavar="FP|FS|PP|PS", help="with an address: which profile's occurrence there"
    )
    parser.add_argument(
        "--release",
        type=arguments.path,
        metavar="RELEASE",
        help=f"with an address: {RELEASE_HELP}; an ID needs none",
    )
    parser.add_argument(
        "--out", type=arguments.path, metavar="FILE", help="where to write it (default: standard output)"
    )


def run(args: argparse.Namespace) -> int:
    """Write the proof."""
    from tekrar.core.encoding import canonical_json
    from tekrar.package import write_file
    from tekrar.verify.proof import prove

    proof = prove(args.artifact, _occurrence(args))
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


def _occurrence(args: argparse.Namespace) -> str:
    """The ID to prove; an address is resolved in the release.

    Raises:
        UsageError: the address is ambiguous between two profiles, or an option does not go with an ID.
        NotFoundError: no enumerator emits an occurrence at the address.
    """
    if "/" not in args.occurrence:
        if args.profile is not None:
            raise UsageError(
                "--profile goes with an address; an ID belongs to one profile",
                where=args.occurrence,
                mend="leave --profile out",
            )
        return str(args.occurrence)
    from tekrar.view.open import open_corpus
    from tekrar.view.query import find

    rows = _rows(find(open_corpus(args.artifact, release_for(args)), args.occurrence, profile=args.profile))
    shorts = [view.short for view, _ in rows]
    if len(rows) == 1:
        view, row = rows[0]
        return str(uuid.UUID(bytes=view.profile.occurrences["occurrence"][row].tobytes()))
    raise UsageError(
        f"{args.occurrence} names an occurrence in each of {', '.join(shorts)}",
        expected="one occurrence",
        mend=f"say which: --profile {shorts[0]}",
        kind="several_occurrences",
    )


def _rows(found: Found) -> tuple[tuple[ProfileView, int], ...]:
    if not found.rows:
        raise NotFoundError(
            f"no occurrence stands there: {found.uncovered or 'the paragraph is empty'}",
            expected="a run of 2 to 12 sentences, or a paragraph that is not empty",
            mend="copy an address as `tekrar classes` prints it",
            kind="not_covered",
        )
    return found.rows
