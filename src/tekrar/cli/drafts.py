"""`tekrar drafts`: what one is still writing, kept in every version; nothing of it is proposed."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from tekrar.cli import arguments
from tekrar.cli.curation import common_options, out, told
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.cli.outcome import print_json, say, say_next
from tekrar.errors import EXIT_OK, NotFoundError, UsageError

if TYPE_CHECKING:
    from tekrar.store.curation.workflow import Draft, EditConflictError
    from tekrar.store.session import Connection

ACTIONS: Final = {
    "list": "list one's own drafts at their newest versions",
    "show": "show a draft, or write its exact bytes to a file",
    "save": "save a draft on top of the version that it was read at",
}
#: Bytes of a draft that the store takes.
MOST: Final = 16 << 20
#: Characters of each version that a conflict shows; `show` gives the whole.
SHOWN: Final = 8192


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `tekrar drafts`."""
    actions = parser.add_subparsers(dest="action", required=True, metavar="ACTION")
    for action, text in ACTIONS.items():
        one = actions.add_parser(action, help=text, description=text, allow_abbrev=False)
        common_options(one)
        if action != "list":
            one.add_argument("name", type=arguments.words, metavar="NAME", help="name of the draft")
        if action == "show":
            one.add_argument(
                "--version",
                type=arguments.number(1),
                metavar="N",
                help="an earlier version (default: newest)",
            )
            one.add_argument("--out", type=arguments.path, metavar="FILE", help="write its exact bytes there")
        if action == "save":
            one.add_argument("file", metavar="FILE|-", help="what to save; - reads standard input")
            one.add_argument(
                "--on", type=arguments.number(0), default=0, metavar="N",
                help="the version that the file was read at (default 0: a new draft)",
            )  # fmt: skip
        actor_argument(one)
        database_argument(one)


def run(args: argparse.Namespace) -> int:
    """Do what the action says."""
    return _RUN[args.action](args)


def draft_named(connection: Connection, name: str, version: int | None, *, actor: str | None) -> Draft:
    """A draft of the actor's, at its newest version or at an earlier one.

    Raises:
        NotFoundError: there is none.
    """
    from tekrar.store.curation.workflow import drafts

    found = drafts(connection, name, actor=actor)
    for one in found:
        if version in (None, one.version):
            return one
    raise NotFoundError(
        f"there is no draft {name}" if not found else f"draft {name} has no version {version}",
        where="database",
        expected=f"a version from 1 to {found[0].version}" if found else "a draft that one saved oneself",
        mend="tekrar drafts list",
        kind="not_found",
    )


def _list(args: argparse.Namespace) -> int:
    from tekrar.store.curation.workflow import drafts

    with acting(args) as (connection, actor):
        found = drafts(connection, actor=actor)
    if args.json:
        for one in found:
            print_json(_record(one))
        print_json({"drafts": len(found)})
        return EXIT_OK
    for one in found:
        submitted = "" if one.submitted is None else f"  submitted as revision {one.submitted}"
        size = f"{len(one.document)} bytes"
        say(f"{one.name}  version {one.version}  {one.recorded_at}  {size}{submitted}")
    if not args.quiet:
        say(f"{len(found)} drafts", file=sys.stderr)
    return EXIT_OK


def _show(args: argparse.Namespace) -> int:
    from tekrar.package.atomic import write_file

    with acting(args) as (connection, actor):
        one = draft_named(connection, args.name, args.version, actor=actor)
    if args.out is not None:
        write_file(args.out, one.document)
    if args.json:
        print_json({**_record(one), "document": _text(one.document)})
        return EXIT_OK
    if args.out is None:
        out(told(_text(one.document), indent="  ┃ "))
    if not args.quiet:
        say(f"{one.name}  version {one.version}", file=sys.stderr)
        if args.out is not None:
            say_next("tekrar", "drafts", "save", one.name, args.out, "--on", one.version)
    return EXIT_OK


def _save(args: argparse.Namespace) -> int:
    from tekrar.store.curation.workflow import EditConflictError, save_draft

    document = _document(args.file)
    with acting(args) as (connection, actor):
        try:
            version = save_draft(connection, args.name, document, version=args.on, actor=actor)
        except EditConflictError as error:
            if error.version:
                newest = draft_named(connection, args.name, None, actor=actor)
                _both(args, newest, document)
            raise _conflict(args, error) from error
        submitted = draft_named(connection, args.name, version, actor=actor).submitted
    if args.json:
        print_json({"draft": args.name, "version": version})
    elif not args.quiet:
        say(f"{args.name}  version {version}")
        edited = [] if submitted is None else ["--revises", submitted]
        say_next("tekrar", "propose", "--from-draft", args.name, *edited)
    return EXIT_OK


def _conflict(args: argparse.Namespace, error: EditConflictError) -> EditConflictError:
    """In words of the command line."""
    if error.version:
        error.mend = f"bring both together in FILE; tekrar drafts save NAME FILE --on {error.version}"
    else:
        error.message = f"there is no draft {args.name} to save version {args.on + 1} of"
        error.expected, error.mend = "--on 0 for a new draft", "tekrar drafts list"
    return error


def _both(args: argparse.Namespace, newest: Draft, document: bytes) -> None:
    """Show the version that was saved meanwhile and the one that was not saved."""
    theirs, yours = _text(newest.document), _text(document)
    if args.json:
        print_json({"draft": newest.name, "version": newest.version, "theirs": theirs, "yours": yours})
        return
    _side(f"version {newest.version}, saved {newest.recorded_at}", theirs)
    _side("yours", yours)


def show_both(error: EditConflictError, *, json: bool) -> None:
    """Show the newest revision or version of a draft, and what was not submitted."""
    theirs, yours = error.theirs, error.yours
    if json:
        print_json(
            {"draft": error.draft, error.of: error.version, "theirs": theirs, "yours": yours, **error.facts}
        )
        return
    by = [
        error.facts[key]
        for key in ("theirs_recorded_at", "theirs_author", "theirs_digest")
        if key in error.facts
    ]
    _side("  ".join([f"{error.of} {error.version}", *by]), theirs)
    _side("yours", yours)


def _side(title: str, text: str) -> None:
    say(title, file=sys.stderr)
    for line in told(text[:SHOWN], indent="  ┃ "):
        print(line, file=sys.stderr)
    if len(text) > SHOWN:
        say(f"  … {len(text) - SHOWN} characters more", file=sys.stderr)


def _document(file: str) -> bytes:
    if file == "-":
        data = sys.stdin.buffer.read(MOST + 1)
        name = "standard input"
    else:
        from tekrar.package.storage import regular_bytes

        name = file
        data = regular_bytes(Path(arguments.path(file)), limit=MOST)
    if len(data) > MOST:
        raise UsageError(
            f"{len(data)} bytes of a draft", where=name, expected=f"at most {MOST}", kind="too_large"
        )
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{name} is not UTF-8", where=name, expected="text in UTF-8", kind="not_utf8"
        ) from None
    return data


def _record(one: Draft) -> dict[str, Any]:
    return {
        "draft": one.name,
        "version": one.version,
        "recorded_at": one.recorded_at,
        "bytes": len(one.document),
        "submitted": one.submitted,
    }


def _text(document: bytes) -> str:
    return document.decode("utf-8", errors="backslashreplace")


_RUN: Final[dict[str, Callable[[argparse.Namespace], int]]] = {"list": _list, "show": _show, "save": _save}
