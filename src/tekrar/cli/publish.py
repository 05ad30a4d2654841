"""`tekrar publish`: make profiles of a loaded artifact visible, whole or not at all."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tekrar.cli.arguments import path
from tekrar.cli.database import acting, actor_argument, database_argument, say
from tekrar.errors import UsageError

if TYPE_CHECKING:
    from tekrar.store.publish import Plan

#: Bytes of a plan at most: four profiles with every fact take a tenth of it.
MAX_PLAN: Final = 1 << 20


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar publish`."""
    parser.add_argument(
        "artifact",
        nargs="?",
        metavar="ARTIFACT",
        help="root of a loaded artifact (64 hex digits), or the artifact itself; a plan names its own",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--profile", action="append", metavar="FP|FS|PP|PS", help="a profile; may be repeated")
    which.add_argument("--all", action="store_true", help="all four, as one release set in one transaction")
    which.add_argument(
        "--prepared",
        type=path,
        metavar="FILE",
        help="what --plan wrote there, if every fact of it still holds",
    )
    parser.add_argument("--plan", type=path, metavar="FILE", help="write the plan there and publish nothing")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Prepare the plan or read it, publish it, and say what is visible now."""
    from tekrar.cli.progress import progress
    from tekrar.package.storage import storing
    from tekrar.store.publish import prepare, publish

    plan = _prepared(args)
    wanted = None if plan is not None else _wanted(args)
    with acting(args) as (connection, actor):
        if wanted is not None:
            plan = prepare(connection, *wanted, actor=actor)
        assert plan is not None
        if args.plan is not None:
            with storing(args.plan):
                args.plan.write_bytes(plan.as_json())
            record = {"outcome": "prepared", "plan": str(args.plan)}
            return say(args, record, f"prepared, nothing published: {args.plan}")
        with progress(args, "reading rows back") as advance:
            done = publish(connection, plan, actor=actor, progress=advance)
    lines = [
        f"{short}  {release}  {'published' if outcome == 'publish' else 'was visible already'}"
        for short, release, outcome in done.releases
    ]
    if done.release_set is not None:
        lines.append(f"release set  {done.release_set}")
    return say(args, done.as_record(), "\n".join(lines))


def _wanted(args: argparse.Namespace) -> tuple[str, list[str] | None]:
    """Root of the artifact and the profiles of it; None for all of them as one set."""
    from tekrar.store.publish import chosen_profiles

    if args.artifact is None:
        raise UsageError(
            "no artifact is named",
            where="command line",
            expected="ARTIFACT",
            mend="tekrar publish --all ARTIFACT",
            kind="bad_arguments",
        )
    return artifact_root(args.artifact), None if args.all else list(chosen_profiles(args.profile))


def _prepared(args: argparse.Namespace) -> Plan | None:
    """The plan of `--prepared`, or None where it is not given."""
    from tekrar.package.storage import reading
    from tekrar.store.publish import plan_from_json

    if args.prepared is None:
        return None
    if args.artifact is not None or args.plan is not None:
        raise UsageError(
            "a prepared plan names its artifact, and is written already",
            where="command line",
            expected="--prepared FILE alone",
            mend="leave ARTIFACT and --plan away",
            kind="bad_arguments",
        )
    with reading(args.prepared), open(args.prepared, "rb") as file:
        data = file.read(MAX_PLAN + 1)
    try:
        return plan_from_json(data if len(data) <= MAX_PLAN else b"")
    except UsageError as error:
        error.where = str(args.prepared)
        raise


def artifact_root(word: str) -> str:
    """The root that a word names, in hex: itself, or that of an artifact.

    Raises:
        UsageError: it is neither.
    """
    if len(word) == 64 and set(word.lower()) <= set("0123456789abcdef"):
        return word.lower()
    if not os.path.exists(word):
        raise UsageError(
            f"{word[:80]!r} is neither the root of an artifact nor an artifact",
            expected="64 hex digits, as tekrar load printed them, or the path of an artifact",
            mend="copy the root whole, or correct the path",
            kind="bad_artifact",
        )
    from tekrar.artifact import Artifact

    return Artifact(Path(word)).artifact_root.hex()
