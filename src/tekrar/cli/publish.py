"""`tekrar publish`: make profiles of a loaded artifact visible, whole or not at all."""

from __future__ import annotations

import argparse
import os
from pathlib import Path

from tekrar.cli.arguments import path
from tekrar.cli.database import acting, actor_argument, database_argument, say
from tekrar.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar publish`."""
    parser.add_argument(
        "artifact",
        metavar="ARTIFACT",
        help="root of a loaded artifact (64 hex digits), or the artifact itself",
    )
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--profile", action="append", metavar="FP|FS|PP|PS", help="a profile; may be repeated")
    which.add_argument("--all", action="store_true", help="all four, as one release set in one transaction")
    parser.add_argument("--plan", type=path, metavar="FILE", help="write the plan there and publish nothing")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Prepare the plan, publish it, and say what is visible now."""
    from tekrar.package.storage import storing
    from tekrar.store.publish import chosen_profiles, prepare, publish

    root = artifact_root(args.artifact)
    profiles = None if args.all else list(chosen_profiles(args.profile))
    with acting(args) as (connection, actor):
        plan = prepare(connection, root, profiles, actor=actor)
        if args.plan is not None:
            with storing(args.plan):
                args.plan.write_bytes(plan.as_json())
            record = {"outcome": "prepared", "plan": str(args.plan)}
            return say(args, record, f"prepared, nothing published: {args.plan}")
        done = publish(connection, plan, actor=actor)
    lines = [
        f"{short}  {release}  {'published' if outcome == 'publish' else 'was visible already'}"
        for short, release, outcome in done.releases
    ]
    if done.release_set is not None:
        lines.append(f"release set  {done.release_set}")
    return say(args, done.as_record(), "\n".join(lines))


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
