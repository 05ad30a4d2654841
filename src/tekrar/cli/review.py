"""`tekrar review`: say of proposals what one thinks of them; what would be approved is shown first."""

from __future__ import annotations

import argparse
import re
from typing import Final

from tekrar.cli.curation import Asked, note_argument, note_of
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.cli.proposals import show_one
from tekrar.errors import EXIT_OK, UsageError

VERDICTS: Final = ("approve", "reject", "request-changes")
_HEX: Final = re.compile(r"[0-9A-Fa-f]{8}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar review`."""
    parser.usage = f"%(prog)s [options] (--next | DIGEST [DIGEST ...] [{'|'.join(VERDICTS)}])"
    parser.add_argument(
        "words",
        nargs="*",
        metavar="DIGEST",
        help="digests of proposals, then approve, reject or request-changes; without one they are shown only",
    )
    parser.add_argument(
        "--next", action="store_true", help="show the first proposal that waits for one's own review"
    )
    note_argument(parser, "--note", default="", help="why (Markdown)")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Show each proposal, then record the verdict on it; each is a review of its own."""
    verdict = args.words.pop() if args.words and args.words[-1] in VERDICTS else None
    if args.next:
        return _next(args, verdict)
    _check_words(args, verdict)
    note = note_of(args.note, option="--note")
    with acting(args) as (connection, actor):
        ask = Asked(connection, actor, "reviewer")
        if not args.quiet and not (args.json and verdict):
            for one in args.words:
                show_one(args, ask, one)
        if verdict is not None:
            return _record(args, ask, verdict, note)
    if not (args.json or args.quiet):
        say_next("tekrar", "review", *args.words, "|".join(VERDICTS))
    return EXIT_OK


def _check_words(args: argparse.Namespace, verdict: str | None) -> None:
    from tekrar.store.curation.calling import digest_text

    if not args.words:
        raise UsageError(
            "no proposal is named",
            expected=f"DIGEST… {'|'.join(VERDICTS)}",
            mend="copy the digest as tekrar proposals queue prints it; tekrar review --next shows what waits",
            kind="bad_arguments",
        )
    if verdict is None and len(args.words) > 1 and not _HEX.match(args.words[-1]):
        raise UsageError(
            f"{args.words[-1]!r} is no verdict",
            expected="|".join(VERDICTS),
            mend="write one of these words behind the digests",
            kind="bad_arguments",
        )
    for one in args.words:
        digest_text(one)
    if verdict is None and args.note:
        raise UsageError("a note without a verdict", expected=", ".join(VERDICTS), kind="bad_arguments")


def _record(args: argparse.Namespace, ask: Asked, verdict: str, note: str) -> int:
    from tekrar.store.curation.workflow import OUTCOMES, review

    outcome = OUTCOMES[VERDICTS.index(verdict)]
    done = []
    for one in args.words:
        found = review(ask.connection, one, outcome, note=note, actor=ask.actor)
        done.append({"proposal": one, "verdict": verdict, **found.__dict__})
        if not args.json:
            again = "" if found.outcome == "reviewed" else " (was reviewed so already)"
            say(f"{one}  {verdict}{again}  review {found.review}  now {found.state}")
    if args.json:
        for record in done[:-1]:
            print_json(record)
        print_json({**done[-1], "reviews": [one["review"] for one in done]})
    elif verdict == "approve" and not args.quiet:
        ready = [one["proposal"] for one in done if one["state"] == "approved"]
        if len(ready) < len(done):
            say("where more than one approval is asked for, another reviewer approves too")
        if ready:
            say_next("tekrar", "apply", *ready)
    return EXIT_OK


def _next(args: argparse.Namespace, verdict: str | None) -> int:
    """Show what waits first. No verdict goes with it: it would be on what nobody has seen yet."""
    if args.words or verdict or args.note:
        raise UsageError(
            "--next shows a proposal, and takes no verdict on it unseen",
            expected="tekrar review --next, then tekrar review DIGEST VERDICT",
            kind="bad_arguments",
        )
    with acting(args) as (connection, actor):
        ask = Asked(connection, actor, "reviewer")
        waiting = ask(lambda asker: asker.proposals(queue=True, page=1))
        if waiting:
            show_one(args, ask, waiting[0]["proposal"])
    if not waiting:
        if args.json:
            print_json({"proposal": None})
        elif not args.quiet:
            say("nothing waits for your review")
    elif not (args.json or args.quiet):
        say_next("tekrar", "review", waiting[0]["proposal"], "|".join(VERDICTS))
    return EXIT_OK
