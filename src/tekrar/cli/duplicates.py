"""`tekrar duplicates`: the equal occurrences of a class or of an occurrence, a page at a time."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from tekrar.cli.arguments import page_size, words
from tekrar.cli.database import WITHDRAWN, database_argument, place_words, reading, say, tell_withdrawn
from tekrar.cli.show import IN_A_ROW
from tekrar.errors import DatabaseError


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar duplicates`."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument(
        "id", metavar="ID", help="ID of a class or an occurrence, or a provisional group's witness"
    )
    parser.add_argument("--cursor", metavar="CURSOR", help="where the page before ended, as it printed it")
    page_size(parser, default=100, what="members")
    parser.add_argument(
        "--book",
        type=words,
        action="append",
        default=[],
        metavar="BOOK",
        help="members of this book; may be repeated",
    )
    parser.add_argument(
        "--not-book", type=words, action="append", default=[], metavar="BOOK", help="members of no such book"
    )
    database_argument(parser)


def run(args: argparse.Namespace) -> int:
    """List a page."""
    with _naming([*args.book, *args.not_book]), reading(args) as reader:
        found = reader.duplicates(
            args.release,
            args.id,
            page=args.page,
            cursor=args.cursor,
            books=args.book,
            but_books=args.not_book,
        )
        tell_withdrawn(reader, args.release, withdrawn=found["code"] == WITHDRAWN)
    return say(args, found, "\n".join(_lines(found)), always=True)


@contextmanager
def _naming(labels: list[str]) -> Iterator[None]:
    """Name the labels in the refusal of a book, which the database gives without them."""
    try:
        yield
    except DatabaseError as error:
        if labels and error.kind == "bad_argument" and error.message.endswith(" is no book"):
            given = ", ".join(sorted({repr(label[:80]) for label in labels}))
            error.message = (
                f"the release has no book {given}"
                if len(labels) == 1
                else (f"the release does not have all of the books {given}")
            )
            error.mend = "give a book's label as tekrar occurrence and tekrar duplicates print it"
        raise


def _beside(member: dict[str, Any]) -> str:
    from tekrar.view.plain import isolated

    source = f"  from {isolated(member['source']['name'])}" if member["source"] else ""
    return source + ("  repeated in a row" if member["adjacent"] else "")


def _lines(found: dict[str, Any]) -> list[str]:
    if found["status"] != "matched":
        why = found["code"] or ", ".join(found["reasons"] or ())
        told = (
            "nothing is listed" if found["status"] == "integrity_error" else "it has no class in this release"
        )
        return [f"{found['status']}{f' ({why})' if why else ''}: {told}"]
    name = found["class"] or f"group {found['group_key']}"
    lines = [f"{found['size']} equal occurrences of {name}"]
    if found["chosen"] != found["size"]:
        lines.append(f"{found['chosen']} of them in the books asked for")
    lines += [
        f"{one['occurrence']}  {place_words(one)}  bytes {one['start_byte']}-{one['end_byte']}{_beside(one)}"
        for one in found["members"]
    ]
    if any(one["adjacent"] for one in found["members"]):
        lines.append(f"repeated in a row: {IN_A_ROW}")
    if found["next"]:
        lines.append(f"more: --cursor {found['next']}")
    return lines
