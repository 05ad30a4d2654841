"""`tekrar review`: say of proposals what one thinks of them; what would be approved is shown first."""

from __future__ import annotations

import argparse
import re
from typing import TYPE_CHECKING, Final

from tekrar.cli.curation import Asked, note_argument, note_of
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.errors import EXIT_OK, UsageError

if TYPE_CHECKING:
    from tekrar.store.curation.workflow import Outcome

_OUTCOMES: Final[dict[str, Outcome]] = {
    "approve": "approve",
    "reject": "reject",
    "request-changes": "request_changes",
}
VERDICTS: Final = tuple(_OUTCOMES)
_HEX: Final = re.compile(r"[0-9A-Fa-f]{8}")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar review`."""
    parser.usage = f"%(prog)s [options] DIGEST [DIGEST ...] [{'|'.join(VERDICTS)}]"
    parser.add_argument(
        "words",
        nargs="+",
        metavar="DIGEST",
        help="digests of proposals, then approve, reject or request-changes; without one they are shown only",
    )
    note_argument(parser, "--note", default="", help="why (Markdown)")
    actor_argument(parser)
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """Show each proposal, then record the verdict on it; each is a review of its own."""
    from tekrar.cli.proposals import show_one
    from tekrar.store.curation.calling import digest_text
    from tekrar.store.curation.workflow import review

    verdict = _verdict(args.words)
    for one in args.words:
        digest_text(one)
    if verdict is None and args.note:
        raise UsageError("a note without a verdict", expected=", ".join(VERDICTS), kind="bad_arguments")
    note = note_of(args.note, option="--note")
    done = []
    with acting(args) as (connection, actor):
        ask = Asked(connection, actor, "reviewer")
        if not args.quiet and not (args.json and verdict):
            for one in args.words:
                show_one(args, ask, one)
        if verdict is None:
            if not (args.json or args.quiet):
                say_next("tekrar", "review", *args.words, "|".join(VERDICTS))
            return EXIT_OK
        for one in args.words:
            found = review(connection, one, _OUTCOMES[verdict], note=note, actor=actor)
            record = {"proposal": one, "verdict": verdict, **found.__dict__}
            done.append(record)
            if not args.json:
                again = "" if found.outcome == "reviewed" else " (was reviewed so already)"
                say(f"{one}  {verdict}{again}  review {found.review}  now {found.state}")
    if args.json:
        for record in done[:-1]:
            print_json(record)
        print_json({**done[-1], "reviews": [one["review"] for one in done]})
    return EXIT_OK


def _verdict(words: list[str]) -> str | None:
    """The verdict behind the digests, taken off; None where they are shown only.

    Raises:
        UsageError: there is no digest, or the last word is neither.
    """
    verdict = words.pop() if words[-1] in VERDICTS else None
    if not words:
        raise UsageError(
            "no proposal is named",
            expected=f"DIGEST… {'|'.join(VERDICTS)}",
            mend="copy the digest as tekrar proposals queue prints it",
            kind="bad_arguments",
        )
    if verdict is None and len(words) > 1 and not _HEX.match(words[-1]):
        raise UsageError(
            f"{words[-1]!r} is no verdict",
            expected="|".join(VERDICTS),
            mend="write one of these words behind the digests",
            kind="bad_arguments",
        )
    return verdict
