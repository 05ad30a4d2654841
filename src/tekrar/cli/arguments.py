"""Types of the command line's arguments: paths that name something, numbers within stated bounds."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Final

#: No count of sentences, members, classes or pages that this program can meet is larger.
MOST: Final = 10**9
_DIGITS: Final = 20
#: Entries that one page of a listing of the store may hold.
MOST_ON_A_PAGE: Final = 1000


def path(text: str) -> Path:
    """A path as given; an empty one is refused, which would mean the current folder."""
    if not text:
        raise argparse.ArgumentTypeError("an empty path; name the current folder as .")
    if "\0" in text:
        raise argparse.ArgumentTypeError("a path with a NUL character")
    return Path(text)


def words(text: str) -> str:
    """Text that is kept or compared: bytes of the command line that are no UTF-8 are refused."""
    if not text.isprintable() and any("\ud800" <= one <= "\udfff" for one in text):
        raise argparse.ArgumentTypeError("it is not UTF-8; give it as text")
    return text


def number(low: int, high: int = MOST) -> Callable[[str], int]:
    """The type of a whole number from `low` to `high`, in ASCII digits."""

    def read(text: str) -> int:
        digits = text.removeprefix("-")
        value = int(text) if digits.isascii() and digits.isdigit() and len(digits) <= _DIGITS else None
        if value is None or not low <= value <= high:
            shown = text if len(text) <= _DIGITS else text[:_DIGITS] + "…"
            raise argparse.ArgumentTypeError(f"{shown!r} is no whole number from {low} to {high}")
        return value

    return read


def page_size(parser: argparse.ArgumentParser, *, default: int, what: str) -> None:
    """How many entries a page has, as `args.page`. Such a page is turned by where the one before ended.

    `--page N` was the word for it, and means which page in the listings that count their pages; it is taken
    on.
    """
    read = number(1, MOST_ON_A_PAGE)
    parser.add_argument(
        "--page-size", dest="page", type=read, default=default, metavar="N",
        help=f"{what} a page, at most {MOST_ON_A_PAGE} (default {default})",
    )  # fmt: skip
    parser.add_argument("--page", dest="page", type=read, default=default, help=argparse.SUPPRESS)
