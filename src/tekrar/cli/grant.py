"""`tekrar grant`: grant a role to an actor, or list the grants."""

from __future__ import annotations

import argparse
from datetime import datetime

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument, say
from tekrar.errors import UsageError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar grant`."""
    parser.add_argument(
        "actor", type=words, nargs="?", metavar="ACTOR", help="to whom; without it the grants are listed"
    )
    parser.add_argument(
        "role",
        nargs="?",
        metavar="ROLE",
        help="reader, curator, reviewer, publisher, auditor or administrator",
    )
    parser.add_argument(
        "--scope", type=words, default="*", metavar="EDITION", help="one edition (default: * for all)"
    )
    parser.add_argument("--from", dest="start", metavar="TIME", help="ISO 8601 with a zone (default: now)")
    parser.add_argument("--to", dest="end", metavar="TIME", help="ISO 8601 with a zone (default: for good)")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Grant or list."""
    from tekrar.store.curate import Validity, grant, grants
    from tekrar.view.plain import safe

    if args.actor is not None and args.role is None:
        raise UsageError("a grant needs a role", mend="tekrar grant ACTOR ROLE", kind="bad_arguments")
    validity = Validity(_time(args.start, "--from"), _time(args.end, "--to"))
    with acting(args) as (connection, actor):
        if args.actor is None:
            found = grants(connection, actor=actor)
            lines = [
                f"{g['grant']:>4}  {safe(g['actor'])}  {g['role']}  {safe(g['scope'])}  {g['state']}"
                for g in found
            ]
            return say(args, {"grants": found}, "\n".join(lines) or "nothing is granted", always=True)
        done = grant(connection, args.actor, args.role, scope=args.scope, validity=validity, actor=actor)
    return say(args, done, safe(f"grant {done['grant']}: {args.actor} is {args.role} of {args.scope}"))


def _time(text: str | None, option: str) -> datetime | None:
    """An aware time; a zone is asked for, so that none is guessed."""
    if text is None:
        return None
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.tzinfo is None:
        raise UsageError(
            f"{text[:80]!r} is no time with a zone",
            where=option,
            expected="like 2031-05-01T12:00:00+03:00",
            mend=f"correct {option}",
            kind="bad_arguments",
        )
    return found
