"""`tekrar canonical`: the canonical occurrence of a class or family, under a policy in a release."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING, Final

from tekrar.cli.arguments import words
from tekrar.cli.curation import asking, out, role_arguments
from tekrar.cli.inventories import Record, passage_line, with_places
from tekrar.cli.outcome import print_json, say
from tekrar.cli.withdrawn import incident_words, tell_incident
from tekrar.errors import EXIT_OK

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker
    from tekrar.store.curation.passages import StoredPassage


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar canonical`."""
    parser.add_argument("structure", metavar="ID", help="an exact class or a family")
    parser.add_argument(
        "--policy", type=words, required=True, metavar="NAME", help="the policy; none is implied"
    )
    parser.add_argument("--release", required=True, metavar="RELEASE", help="the published release")
    role_arguments(parser, reader=True)


#: Reason of an answer `unavailable` -> what it means.
REASONS: Final = {
    "an_occurrence": "this is an occurrence; a choice is of a class or a family",
    "certified_unique": "this occurrence is unique, so there is nothing to choose from",
    "not_evaluated": "this occurrence was not evaluated",
    "excluded": "this occurrence is excluded by the profile",
    "not_in_release": "the release has no such class or family",
    "needs_successor": "the release no longer has the family's members",
    "choice_outside_release": "the choice names a member that the release has not",
    "policy_not_registered": "there is no policy of this name (tekrar policies list)",
    "policy_not_in_release": "the policy was registered after this release was published",
    "policy_text_not_kept": "choices name this policy, and its text is not kept (tekrar policies add)",
}


def run(args: argparse.Namespace) -> int:
    """Say which, or that nobody chose one, or why there is no answer."""
    with asking(args, reader=True) as ask:
        found, places = ask.public_last()(lambda asker: _asked(asker, args))
    tell_incident(args.release, found.get("withdrawn"))
    if args.json:
        print_json(found)
        return EXIT_OK
    say(_told(found))
    if passage := places.get(str(found.get("member"))):
        out([passage_line(passage)])
    return EXIT_OK


def _asked(asker: Asker, args: argparse.Namespace) -> tuple[Record, dict[str, StoredPassage]]:
    found = asker.canonical(args.release, args.structure, policy=args.policy)
    if found["status"] != "resolved":
        return found, {}
    (found,), places = with_places(asker, args.release, [found], {"member": "address"})
    return found, places


def _told(found: Record) -> str:
    status = str(found["status"])
    if status == "resolved":
        policy = f"{found['policy']} {found['policy_version']}, {found['rule']}"
        kept = "" if found["policy_text"] == "kept" else "  its text is not kept (tekrar policies add)"
        return f"{found['member']}  choice {found['choice']}  {policy}{kept}"
    if status == "unselected":
        return "unselected: nobody chose one"
    if "withdrawn" in found:
        return f"{status} ({found['code']}): {incident_words(found['withdrawn'])}"
    if "successors" in found:
        after = ", ".join(found["successors"]) or "nothing"
        return f"{status}: the family is {found['state']}; in its place: {after}"
    reason = str(found.get("reason") or found.get("code"))
    code = f" ({found['code']})" if "reason" in found and "code" in found else ""
    more = f"; its class is {found['class']}" if "class" in found else ""
    return f"{status} ({reason}): {REASONS.get(reason, 'it failed')}{code}{more}"
