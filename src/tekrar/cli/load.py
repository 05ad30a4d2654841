"""`tekrar load`: verify an artifact with its text release, or candidates, and bring it into the database."""

from __future__ import annotations

import argparse
from pathlib import Path

from tekrar.cli.arguments import path
from tekrar.cli.database import database_argument, settings_of
from tekrar.cli.outcome import print_json
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar load`."""
    parser.add_argument(
        "artifact",
        type=path,
        metavar="ARTIFACT|CANDIDATES",
        help="artifact, as `tekrar build` made it, or candidates, as `tekrar candidates` made them",
    )
    parser.add_argument(
        "--release",
        type=path,
        metavar="RELEASE",
        help="the text release it was built from; needed unless that is loaded already",
    )
    parser.add_argument(
        "--full",
        action="store_true",
        help="before loading recompute the artifact from its text, not only its roots from its columns",
    )
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Verify, load, and say what is there now."""
    from tekrar.artifact import Artifact
    from tekrar.corpus.release_package import open_release
    from tekrar.errors import UsageError
    from tekrar.store.load import load
    from tekrar.store.migrate import require_current
    from tekrar.store.permission import require_role
    from tekrar.store.roles import Role
    from tekrar.store.session import connect
    from tekrar.verify import verify_full, verify_quick

    settings = settings_of(args)
    if _is_candidates(args.artifact):
        return _candidates(args)
    if args.full and args.release is None:
        raise UsageError(
            "a full verification recomputes the artifact from its text",
            expected="--release RELEASE",
            mend="give the release, or leave --full away",
            kind="bad_arguments",
        )
    if args.full:
        with progress(args, "verifying") as advance:
            verify_full(args.artifact, args.release, progress=advance)
    else:
        verify_quick(args.artifact, args.release)
    release = None if args.release is None else open_release(args.release)
    # The embedded server's login may take no role that writes; elsewhere the URL names who loads.
    with connect(settings, administrator=True) as connection:
        require_role(connection, Role.BUILDER)
        require_current(connection)
        with progress(args, "loading") as advance:
            done = load(
                connection, Artifact(args.artifact), release, at_step=lambda step, name: advance(step, 0)
            )
    record = done.as_record()
    if args.json:
        print_json(record)
    elif not args.quiet:
        print(f"text release   {record['text_release']}  {_WORDS[record['text']]}")
        print(f"artifact_root  {record['artifact_root']}  {_WORDS[record['artifact']]}")
        print(
            f"{done.rows} rows written; visible to nobody before tekrar publish"
            if done.artifact_loaded
            else _BEFORE
        )
    return EXIT_OK


def _is_candidates(path: Path) -> bool:
    """Whether a folder states the format of candidates; its own reader says what is wrong with another."""
    from tekrar.candidates.stored import FORMAT
    from tekrar.errors import TekrarError
    from tekrar.package import Package

    try:
        Package(path, format=FORMAT)
    except TekrarError:
        return False
    return True


def _candidates(args: argparse.Namespace) -> int:
    """Load a package of candidates over its artifact."""
    from tekrar.candidates.compared import verify_ids
    from tekrar.candidates.stored import open_stored
    from tekrar.errors import UsageError
    from tekrar.store.evidence.loading import CandidatePackage, load_candidates
    from tekrar.store.migrate import require_current
    from tekrar.store.permission import require_role
    from tekrar.store.roles import Role
    from tekrar.store.session import connect

    if args.full or args.release is not None:
        raise UsageError(
            "candidates are compared with the text that is loaded",
            expected="tekrar load CANDIDATES",
            mend="leave --release and --full away; `tekrar candidates verify` makes candidates again",
            kind="bad_arguments",
        )
    stored = open_stored(args.artifact)
    verify_ids(stored)
    rows = [
        (one.id, one.participants, one.result, proof.id, proof.payload)
        for one, proof in zip(stored.candidates, stored.evidence, strict=True)
    ]
    package = CandidatePackage(str(args.artifact), stored.manifest, rows)
    with connect(settings_of(args), administrator=True) as connection:
        require_role(connection, Role.BUILDER)
        require_current(connection)
        with progress(args, "loading") as advance:
            done = load_candidates(connection, package, at_step=lambda step, name: advance(step, 0))
    record = done.as_record()
    if args.json:
        print_json(record)
    elif not args.quiet:
        print(f"candidates_root  {record['candidates_root']}  {_WORDS[record['outcome']]}")
        print(f"{done.candidates:,} candidates; each is evidence, and nothing is accepted by being loaded")
        if not done.announced:
            print("there is no ledger yet: load them again after tekrar db init, or replay one that has them")
    return EXIT_OK


# What was loaded before may have been published since; a login that loads need not be able to read releases.
_BEFORE = "nothing to write; tekrar releases says what of it is published"
_WORDS = {"loaded": "loaded and sealed", "already_loaded": "was loaded already"}
