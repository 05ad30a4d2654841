"""`tekrar classes`: list exact classes, a page for people or contract C10's lines for programs."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, release_for
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from tekrar.view.open import Corpus
    from tekrar.view.profile import ProfileView

PAGE_SIZE = 20
#: Members named in one entry of a page; the whole list is in `tekrar show` and in --json.
NAMED_MEMBERS = 6


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar classes`."""
    parser.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
    parser.add_argument(
        "--release",
        type=arguments.path,
        metavar="RELEASE",
        help=f"{RELEASE_HELP}; texts, places and --json need it",
    )
    parser.add_argument("--profile", metavar="FP|FS|PP|PS", help="one profile (default: all four in turn)")
    parser.add_argument(
        "--min-length", type=arguments.number(0), metavar="N", help="at least N sentences (a paragraph is 1)"
    )
    parser.add_argument("--max-length", type=arguments.number(0), metavar="N", help="at most N sentences")
    parser.add_argument("--min-size", type=arguments.number(0), metavar="N", help="at least N members")
    parser.add_argument("--max-size", type=arguments.number(0), metavar="N", help="at most N members")
    parser.add_argument(
        "--book", action="append", default=[], metavar="NAME", help="with a member in a book; may be repeated"
    )
    parser.add_argument(
        "--not-book", action="append", default=[], metavar="NAME",
        help="with no member in a book; may be repeated",
    )  # fmt: skip
    parser.add_argument("--text", metavar="SUBSTRING", help="with a member that holds exactly this text")
    parser.add_argument(
        "--status",
        default="presented",
        metavar="STATUS",
        help="presented (default: published classes, and in a partial profile its provisional groups), "
        "published, dominated, provisional or all",
    )
    parser.add_argument(
        "--sort", default="length", metavar="KEY", help="length (default), size, or order (of the document)"
    )
    parser.add_argument("--page", type=arguments.number(1), default=1, metavar="N", help="page, from 1")
    parser.add_argument(
        "--page-size",
        type=arguments.number(0),
        metavar="N",
        help=f"classes a page; 0 = all (default {PAGE_SIZE}, --json all)",
    )
    parser.add_argument("--hide-blank", action="store_true", help="leave out texts without letter or digit")


def run(args: argparse.Namespace) -> int:
    """List classes."""
    from tekrar.view.classes import choose, class_records, page_of
    from tekrar.view.open import open_corpus

    choice = _choice(args)
    release = release_for(args, needed=args.json or choice.needs_release)
    size = args.page_size
    if size is None:
        size = 0 if args.json and args.page == 1 else PAGE_SIZE
    corpus = open_corpus(args.artifact, release)
    chosen = [(view, choose(corpus, view, choice)) for view in corpus.views(args.profile)]
    page = page_of(chosen, page=args.page, size=size)
    if told := _unlisted(chosen):
        print(told, file=sys.stderr)
    if args.json:
        for view, numbers in page:
            for record in class_records(corpus, view, numbers):
                print_json(record)
        return EXIT_OK
    for line in _listing(corpus, page):
        print(line)
    if not args.quiet:
        print("\n".join(_footer(chosen, page=args.page, size=size)))
    return EXIT_OK


def _choice(args: argparse.Namespace) -> Any:
    from tekrar.view.classes import Choice

    return Choice(
        min_length=args.min_length,
        max_length=args.max_length,
        min_size=args.min_size,
        max_size=args.max_size,
        books=tuple(args.book),
        but_books=tuple(args.not_book),
        text=args.text,
        status=args.status,
        hide_blank=args.hide_blank,
        sort=args.sort,
    )


def _listing(corpus: Corpus, page: Sequence[tuple[ProfileView, NDArray[np.int64]]]) -> Iterator[str]:
    from tekrar.view.classes import class_record
    from tekrar.view.plain import isolated, shortened, terminal_width

    width = terminal_width()
    for view, numbers in page:
        for number in numbers.tolist():
            record = class_record(view, number)
            unit = "paragraph" if not view.profile.is_runs else f"{record['length']} sentences"
            yield f"{view.short}  {unit} × {record['size']}  {record['status']}  {named(record)}"
            if corpus.opened is None:
                continue
            rows = view.profile.class_members(number)
            shown = corpus.places.addresses(view, rows[:NAMED_MEMBERS])
            more = f"  and {len(rows) - len(shown)} more" if len(rows) > len(shown) else ""
            yield "    " + "  ".join(isolated(str(address)) for address in shown) + more
            start, end = (int(v[0]) for v in view.extents(rows[:1]))
            yield "    " + shortened(corpus.places.text(start, end), width=width - 6)


def named(record: dict[str, Any]) -> str:
    """A class's ID, or the group key of a class that has none."""
    return str(record["class_id"] or f"group {record['group']}")


def _unlisted(chosen: Sequence[tuple[ProfileView, NDArray[np.int64]]]) -> str:
    """What to say when nothing is chosen although groups exist: nothing listed is not nothing found."""
    if any(len(numbers) for _, numbers in chosen):
        return ""
    groups = {view.short: view.coverage["provisional_groups"] for view, _ in chosen}
    held = ", ".join(f"{short} {count}" for short, count in groups.items() if count)
    return f"nothing fits; provisional groups of partial profiles: {held}" if held else ""


def _footer(
    chosen: Sequence[tuple[ProfileView, NDArray[np.int64]]], *, page: int, size: int
) -> Iterator[str]:
    from tekrar.view.plain import counted, page_said

    total = sum(len(numbers) for _, numbers in chosen)
    pages = max(1, -(-total // size)) if size else 1
    listed = f"{page_said(page, pages)}: {counted(total, 'class', 'classes')}"
    yield listed + (f"; next: --page {page + 1}" if page < pages else "")
    for view, numbers in chosen:
        counts = view.coverage
        yield (
            f"{view.short}: {len(numbers)} chosen of {counts['published_classes']} published, "
            f"{counts['dominated_classes']} dominated, {counts['provisional_groups']} provisional"
        )
