"""What the listings of families, quotations and choices of a release share."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

from tekrar.cli.arguments import page_size
from tekrar.cli.curation import asking, out, role_arguments
from tekrar.cli.outcome import print_json, say
from tekrar.cli.withdrawn import answer_withdrawn
from tekrar.errors import EXIT_OK, DatabaseError

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker
    from tekrar.store.curation.passages import StoredPassage

Record = dict[str, Any]
#: Key of a record that names an occurrence -> the key of its address.
Addressed = Mapping[str, str]


def listing_arguments(parser: argparse.ArgumentParser, what: str) -> None:
    """A release, and a page of what it has."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument("--after", metavar="ID", help=f"behind this {what}, as the page before ended")
    page_size(parser, default=100, what="entries")
    role_arguments(parser, reader=True)


def list_them(
    args: argparse.Namespace,
    key: str,
    question: Callable[[Asker], list[Record]],
    line: Callable[[Record], str],
    *,
    addressed: Addressed,
) -> int:
    """Print a page and where the next one begins; of a withdrawn release that it was.

    Args:
        args: of the verb.
        key: of a record that the next page begins behind.
        question: gives the page.
        line: a record for people.
        addressed: which occurrences of a record are shown with address and text.
    """
    try:
        with asking(args, reader=True) as ask:
            found, places = ask(lambda asker: with_places(asker, args.release, question(asker), addressed))
    except DatabaseError as error:
        return answer_withdrawn(args, error, listed=0, next=None)
    following = found[-1][key] if len(found) == args.page else None
    if args.json:
        for one in found:
            print_json(one)
        print_json({"release": args.release, "listed": len(found), "next": following})
        return EXIT_OK
    for one in found:
        say(line(one))
        out(_passages(one, addressed, places))
    if not args.quiet:
        more = "" if following is None else f"; more: --after {following}"
        say(f"{len(found)} listed{more}", file=sys.stderr)
    return EXIT_OK


def with_places(
    asker: Asker, release: str, records: list[Record], addressed: Addressed
) -> tuple[list[Record], dict[str, StoredPassage]]:
    """Records with the addresses of their occurrences, and the passages by ID; none of what is not there."""
    from tekrar.store.curation.passages import places_in

    named = [one[key] for one in records for key in addressed if one.get(key)]
    places = places_in(asker.connection, release, named, role=asker.role, actor=asker.actor)
    for one in records:
        for key, address in addressed.items():
            passage = places.get(one.get(key) or "")
            one[address] = None if passage is None else passage.address
    return records, places


def passage_line(passage: StoredPassage, ranges: list[int] | None = None) -> str:
    """Address and first words of a passage, or of its ranges (start, end, start, end … in bytes of the
    release), safe to print."""
    from tekrar.view.plain import safe, shortened, terminal_width

    parts = [passage.content]
    if ranges:
        parts = [passage.slice(a, b) for a, b in zip(ranges[::2], ranges[1::2], strict=True)]
    text = " … ".join(one.decode(errors="backslashreplace") for one in parts)
    address = safe(passage.address)
    return f"    {address}  {shortened(text, width=max(16, terminal_width() - len(address) - 8))}"


def _passages(one: Record, addressed: Addressed, places: Mapping[str, StoredPassage]) -> Iterator[str]:
    for key in addressed:
        if passage := places.get(one[key] or ""):
            yield passage_line(passage, one.get(f"{key.removesuffix('_occurrence')}_ranges"))
