"""Which candidates `tekrar candidates list` and `export` choose: filters for reading that change nothing."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.errors import UsageError

KINDS: Final = ("pair", "stretch", "group")


def add_choosing(parser: argparse.ArgumentParser) -> None:
    """The options by which `list` and `export` choose."""
    from tekrar.core.candidate.disposition import DISPOSITIONS

    parser.add_argument("--disposition", choices=tuple(DISPOSITIONS), help="only those of this disposition")
    parser.add_argument("--kind", choices=KINDS, help="only those of this kind")
    parser.add_argument(
        "--not-kind", choices=KINDS, action="append", default=[], metavar="KIND",
        help="none of this kind, such as group: formulas with their places; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--book", action="append", default=[], metavar="BOOK",
        help="only those with a side in this book; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--not-book", action="append", default=[], metavar="BOOK",
        help="none with a side in this book; may be repeated",
    )  # fmt: skip
    parser.add_argument(
        "--min-words", type=arguments.number(0), default=0, metavar="N", help="at least so many equal words"
    )
    parser.add_argument(
        "--min-score", type=arguments.number(0), default=0, metavar="N",
        help="a score of at least so many 1/16 bits",
    )  # fmt: skip
    parser.add_argument("--suppressed", action="store_true", help="only those that a false positive hides")


def chosen(args: argparse.Namespace, reading: Any) -> Iterator[int]:
    """Positions that the options choose, best first."""
    inventory = reading.inventory
    wanted, unwanted = (_books(names, reading) for names in (args.book, args.not_book))
    for at in range(len(inventory.stored.candidates)):
        if (at in inventory.suppressed) != args.suppressed:
            continue
        if args.disposition and inventory.disposition(at) != args.disposition:
            continue
        heading = inventory.stored.heading(at)
        if (args.kind and heading.kind != args.kind) or heading.kind in args.not_kind:
            continue
        sides = (heading.left, heading.right)
        if heading.kind == "group" and (args.book or args.not_book):
            sides = reading.result(at).places
        if (args.book and not any(wanted(*side) for side in sides)) or any(unwanted(*side) for side in sides):
            continue
        if args.min_words or args.min_score:
            words, score = map(reading.whole(at).get, ("equal_tokens", "score"))
            if (words or 0) < args.min_words or (score or 0) < args.min_score:
                continue
        yield at


def _books(wanted: list[str], reading: Any) -> Callable[[int, int], bool]:
    """Whether an extent begins in one of the books that are named."""
    if not wanted:
        return lambda start, end: False
    from tekrar.core.address import book_names

    release = reading.opened.release
    names = list(book_names(release))
    for name in wanted:
        if name not in names:
            raise UsageError(
                f"there is no book {name!r}", expected=", ".join(names[:20]), kind="no_such_book"
            )
    books = {names.index(name) for name in wanted}

    def holds(start: int, end: int) -> bool:
        paragraph, _ = reading.anchors.touched(start, end)
        return int(release.chapter_book[release.paragraph_chapter[paragraph]]) in books

    return holds
