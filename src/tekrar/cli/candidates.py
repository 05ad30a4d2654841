"""`tekrar candidates`: find what is nearly the same, list, show, export, verify and mark it."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial
from typing import Any, Final

from tekrar.cli import arguments
from tekrar.cli.beside import RELEASE_HELP, beside, lies_beside, release_beside, release_for
from tekrar.cli.candidates_chosen import add_choosing, chosen
from tekrar.cli.compiling import tell_compiling
from tekrar.cli.database import actor_argument, database_argument
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.cli.outside import check_outside, check_package_target
from tekrar.cli.progress import progress
from tekrar.errors import EXIT_OK, UsageError
from tekrar.settings import MAX_WORKERS, read_settings

ACTIONS: Final = {
    "build": "find the candidates of an artifact; `tekrar candidates ARTIFACT` is the same",
    "list": "list candidates, best first",
    "show": "show one candidate: both texts, metrics, reasons, diff",
    "export": "write candidates as JSON lines, best first",
    "verify": "make the candidates again and compare",
    "mark": "say what a candidate is; nothing is accepted by it",
    "record": "bring the events beside a package into the database's ledger",
}
PAGE_SIZE: Final = 20
_COMMON: Final = ("--json", "--quiet")


def as_given(given: list[str]) -> list[str]:
    """The words of the command line with the action in its place: `build` where none is named.

    Only the first word that is no common option can be an action, so an artifact that is called like one is
    named `./list`, or after `build`.
    """
    at = next((at for at, word in enumerate(given) if word not in _COMMON), len(given))
    if at == len(given) or given[at] in ACTIONS or given[at] in ("-h", "--help"):
        return given
    return [*given[:at], "build", *given[at:]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar candidates`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        for option in _COMMON:
            one.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)
        if action == "build":
            one.add_argument("artifact", type=arguments.path, help="artifact, as `tekrar build` made it")
            one.add_argument(
                "--out", required=True, type=arguments.path, metavar="CANDIDATES",
                help="folder to make; an equal package that exists is success, anything else is refused",
            )  # fmt: skip
            one.add_argument(
                "--workers", type=arguments.number(0, MAX_WORKERS), metavar="N",
                help="processes, at most 256; 0 = one a processor (default: TEKRAR_WORKERS, else 1)",
            )  # fmt: skip
        else:
            one.add_argument(
                "candidates", type=arguments.path, help="package, as `tekrar candidates ARTIFACT` made it"
            )
            one.add_argument(
                "--events", type=arguments.path, metavar="FILE",
                help="the events (default: CANDIDATES.dispositions.jsonl beside the package)",
            )  # fmt: skip
        if action in ("show", "mark"):
            one.add_argument("which", metavar="RANK|ID", help="a candidate by its rank or its ID")
        if action not in ("mark", "record"):
            one.add_argument("--release", type=arguments.path, metavar="RELEASE", help=RELEASE_HELP)
        if action in _ARGUMENTS:
            _ARGUMENTS[action](one)


def _listing(parser: argparse.ArgumentParser) -> None:
    add_choosing(parser)
    parser.add_argument("--page", type=arguments.number(1), default=1, metavar="N", help="which page")
    parser.add_argument(
        "--page-size", type=arguments.number(1), default=PAGE_SIZE, metavar="N",
        help=f"candidates a page (default {PAGE_SIZE})",
    )  # fmt: skip


def _showing(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--no-diff", action="store_true", help="leave the diff out")
    parser.add_argument("--show-invisible", action="store_true", help="show invisible characters as marks")


def _exporting(parser: argparse.ArgumentParser) -> None:
    add_choosing(parser)
    parser.add_argument("--format", choices=("jsonl",), default="jsonl", help="JSON lines (contract C10)")
    parser.add_argument("--out", type=arguments.path, metavar="FILE", help="a new file (default: stdout)")


def _verifying(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--artifact", type=arguments.path, metavar="ARTIFACT",
        help="the artifact it was made from (default: the one of that root beside the package)",
    )  # fmt: skip


def _marking(parser: argparse.ArgumentParser) -> None:
    from tekrar.core.candidate.disposition import DISPOSITIONS

    parser.add_argument("disposition", choices=tuple(DISPOSITIONS), help="what it is")
    parser.add_argument("--as", dest="author", metavar="NAME", help="who says so (default: TEKRAR_ACTOR)")
    parser.add_argument("--note", default="", metavar="TEXT", help="words for people; they enter no ID")
    parser.add_argument(
        "--database", action="store_true",
        help="in the ledger of the database, as a curator, not in the file beside the package",
    )  # fmt: skip
    database_argument(parser)


def _recording(parser: argparse.ArgumentParser) -> None:
    actor_argument(parser)
    database_argument(parser)


_ARGUMENTS: Final[dict[str, Callable[[argparse.ArgumentParser], None]]] = {
    "list": _listing,
    "show": _showing,
    "export": _exporting,
    "verify": _verifying,
    "mark": _marking,
    "record": _recording,
}


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def _build(args: argparse.Namespace) -> int:
    from tekrar.candidates.basis import open_basis
    from tekrar.candidates.made import make
    from tekrar.candidates.present import present_generator
    from tekrar.candidates.stored import FORMAT, write_stored
    from tekrar.cli.build import processors

    check_package_target(args.out, FORMAT)
    tell_compiling(args)
    release = release_for(args)
    workers = read_settings().workers or 1 if args.workers is None else args.workers
    with progress(args, "finding") as advance:
        basis = open_basis(args.artifact, release)
        generator = present_generator(basis.opened.release.language)
        work = partial(make, basis, generator, advance, workers=workers or processors())
        manifest = write_stored(basis, args.out, work)
    record = {
        "candidates": str(args.out),
        "candidates_root": manifest["candidates_root"],
        "generator": generator.label,
        "count": manifest["counts"]["candidates"],
        "left_out": manifest["bounds"]["left_out"],
    }
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(
            f"candidates       {args.out}",
            f"candidates_root  {record['candidates_root']}",
            f"generator        {generator.label}",
            f"count            {record['count']:,}, best first; nothing is accepted by being listed",
        )
        for name, count in record["left_out"].items():
            if count:
                say(f"left out         {count:,} {name.replace('_', ' ')}")
        alone = args.release and not lies_beside(args.out, str(manifest["release"]["text_release"]))
        say_next("tekrar", "candidates", "list", args.out, *(("--release", args.release) if alone else ()))
    return EXIT_OK


def _opened(args: argparse.Namespace) -> Any:
    """The package under its events."""
    from tekrar.candidates.events import log_beside, read_events
    from tekrar.candidates.inventory import inventory_of
    from tekrar.candidates.stored import open_stored

    stored = open_stored(args.candidates)
    events = read_events(args.events or log_beside(args.candidates))
    if events.unfinished and not args.quiet:
        say(
            f"{events.path}: its last line was cut off while it was written, and is no event; "
            "the next mark takes it away",
            file=sys.stderr,
        )
    return inventory_of(stored, events)


def _reading(args: argparse.Namespace) -> Any:
    """The package with its release: named, or found beside it."""
    from tekrar.corpus.release_package import open_release
    from tekrar.errors import IntegrityError
    from tekrar.view.candidates import Reading

    inventory = _opened(args)
    wanted = inventory.stored.text_release
    path = args.release or release_beside(args.candidates, wanted)
    opened = open_release(path)
    if opened.manifest_root.hex() != inventory.stored.manifest["roots"]["text-release"]:
        raise IntegrityError(
            "the candidates were made from another text release",
            where=f"{path}: {opened.package_manifest['text_release']}",
            expected=wanted,
            mend="name the release that they were made from",
            kind="other_text_release",
        )
    return Reading(inventory, opened)


def _list(args: argparse.Namespace) -> int:
    from tekrar.view.plain import page_said, terminal_width

    reading = _reading(args)
    positions = list(chosen(args, reading))
    pages = max(1, -(-len(positions) // args.page_size))
    first = (args.page - 1) * args.page_size
    page = positions[first : first + args.page_size]
    if args.json:
        for at in page:
            print_json(reading.line(at))
        print_json(
            {"listed": len(page), "chosen": len(positions), "pages": pages, **reading.inventory.record()}
        )
        return EXIT_OK
    width = terminal_width()
    for at in page:
        for line in reading.row(at, width=width):
            print(line)
    if not args.quiet:
        told = reading.inventory.record()
        say(
            f"{page_said(args.page, pages)}: {len(page)} of {len(positions):,} chosen; "
            f"{told['candidates']:,} candidates, {told['pending']:,} wait, {told['rejected']:,} rejected",
        )
        if hidden := len(reading.inventory.suppressed):
            say(f"{hidden:,} suppressed as false positives: list them with --suppressed")
    return EXIT_OK


def _show(args: argparse.Namespace) -> int:
    from tekrar.view.candidates import shown_lines, shown_record
    from tekrar.view.plain import terminal_width

    reading = _reading(args)
    at = reading.inventory.stored.position(args.which)
    if args.json:
        print_json(shown_record(reading, at, diff=not args.no_diff))
        return EXIT_OK
    for line in shown_lines(
        reading,
        at,
        diff=not args.no_diff,
        width=terminal_width(),
        colour=sys.stdout.isatty(),
        marks=args.show_invisible,
    ):
        print(line)
    return EXIT_OK


def _export(args: argparse.Namespace) -> int:
    from tekrar.package import write_file
    from tekrar.view.plain import json_text

    if args.out is not None:
        check_outside(args.out, "--out")
    reading = _reading(args)
    found = chosen(args, reading)
    lines = (json_text(reading.line(at), separators=(",", ":")) for at in found)
    count = 0
    if args.out is None:
        for line in lines:
            print(line)
            count += 1
    else:
        text = "".join(f"{line}\n" for line in lines)
        count = text.count("\n")
        write_file(args.out, text.encode())
    if not args.quiet:
        hidden = 0 if args.suppressed else len(reading.inventory.suppressed)
        more = f"; {hidden:,} suppressed as false positives are left out" if hidden else ""
        say(f"exported  {count:,} candidates{more}", file=sys.stderr)
    return EXIT_OK


def _verify(args: argparse.Namespace) -> int:
    from tekrar.artifact.schema import FORMAT
    from tekrar.candidates.basis import open_basis
    from tekrar.candidates.compared import verify

    inventory = _opened(args)
    wanted = inventory.stored.manifest["roots"]["artifact"]
    if args.artifact is None:
        args.artifact = beside(
            args.candidates,
            FORMAT,
            lambda m: m.get("artifact_root") == wanted,
            "artifact",
            "--artifact ARTIFACT",
        )
    basis = open_basis(args.artifact, release_for(args))
    tell_compiling(args)
    with progress(args, "comparing") as advance:
        record = verify(inventory.stored, basis, advance)
    if args.json:
        print_json(record)
    elif not args.quiet:
        say(f"verified  {args.candidates}: {record['candidates']:,} candidates made again, every root equal")
    return EXIT_OK


def _mark(args: argparse.Namespace) -> int:
    if args.database or args.database_url is not None:
        from tekrar.cli.candidate_marks import mark_in_database

        return mark_in_database(args)
    from tekrar.candidates.events import log_beside, mark
    from tekrar.candidates.stored import open_stored

    stored = open_stored(args.candidates)
    author = args.author or read_settings().actor
    if not author:
        raise UsageError(
            "nobody is named as the author",
            expected="--as NAME",
            mend="give --as NAME, or set TEKRAR_ACTOR",
            kind="author_needed",
        )
    log = args.events or log_beside(args.candidates)
    check_outside(log, "--events")
    at = stored.position(args.which)
    event = mark(stored, at, args.disposition, author=author, note=args.note, log=log)
    if args.json:
        print_json({"candidate": event.candidate, "disposition": event.disposition, "author": event.author,
                    "recorded_at": event.recorded_at, "events": str(log), "hash": event.hash})  # fmt: skip
    elif not args.quiet:
        say(f"marked  {event.candidate}  {event.disposition} by {event.author}, in {log}")
    return EXIT_OK


def _record(args: argparse.Namespace) -> int:
    from tekrar.cli.candidate_marks import record_in_database

    return record_in_database(args)


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {
    "build": _build,
    "list": _list,
    "show": _show,
    "export": _export,
    "verify": _verify,
    "mark": _mark,
    "record": _record,
}
