"""What the verbs that use the database share: their options, who acts, one checked connection."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Final

from tekrar.cli import outcome
from tekrar.cli.arguments import words
from tekrar.cli.outcome import print_json
from tekrar.errors import EXIT_OK
from tekrar.settings import Settings, read_settings, with_url

if TYPE_CHECKING:
    from tekrar.store.read import Reader
    from tekrar.store.session import Connection


def database_argument(parser: argparse.ArgumentParser) -> None:
    """The option that names another database."""
    parser.add_argument(
        "--database-url", type=words, metavar="URL", help="the database to use instead of TEKRAR_DATABASE_URL"
    )


def actor_argument(parser: argparse.ArgumentParser) -> None:
    """The option that says who acts."""
    parser.add_argument(
        "--as",
        type=words,
        dest="acting",
        metavar="ACTOR",
        help="who acts (default: TEKRAR_ACTOR, else the login's own)",
    )


def settings_of(args: argparse.Namespace) -> Settings:
    """Settings of the environment and of the verb's own options."""
    return with_url(read_settings(), args.database_url, named="--database-url")


@contextmanager
def acting(args: argparse.Namespace) -> Iterator[tuple[Connection, str | None]]:
    """A connection as the login, to a database of this program's schema, and the name of who acts."""
    from tekrar.store.migrate import require_current
    from tekrar.store.session import connect

    settings = settings_of(args)
    with connect(settings) as connection:
        require_current(connection)
        yield connection, args.acting or settings.actor


@contextmanager
def reading(args: argparse.Namespace) -> Iterator[Reader]:
    """A reader of published releases; a key for its cursors comes with `args.cursor`."""
    from tekrar.store.cursor import cursor_key
    from tekrar.store.migrate import require_current
    from tekrar.store.read import Reader
    from tekrar.store.session import connect

    settings = settings_of(args)
    with connect(settings) as connection:
        require_current(connection)
        yield Reader(connection, key=cursor_key(settings) if hasattr(args, "cursor") else None)


def occurrence_arguments(parser: argparse.ArgumentParser) -> None:
    """A release and an occurrence in it."""
    parser.add_argument("release", metavar="RELEASE", help="ID of a published release (tekrar releases)")
    parser.add_argument("occurrence", metavar="ID", help="ID of an occurrence")
    database_argument(parser)


def tell_withdrawn(reader: Reader, release: str, *, withdrawn: bool) -> None:
    """One line on standard error that a release was withdrawn, and why: its status is a result, no error."""
    if withdrawn:
        shown = reader.release(release)
        cause, reason = shown["incident_cause"], shown["incident_reason"]
        outcome.say(f"tekrar: release {release} was withdrawn ({cause}): {reason}", file=sys.stderr)


def place_words(record: Mapping[str, Any]) -> str:
    """Where an occurrence stands: our own ordinals from 1 in book and chapter, and in brackets the source's
    own numbers, as `tekrar show` says both."""
    from tekrar.view.plain import isolated

    numbers = {"chapter": "chapter_number", "para": "para", "ord": "ord", "end_ord": "end_ord"}
    source = [f"{name} {record[key]}" for name, key in numbers.items() if record[key] is not None]
    book = isolated(record["book_label"] or "book")
    own = f"{book}  chapter {record['chapter_no']}  paragraph {record['para_no']}"
    return f"{own}  [{', '.join(source)}]" if source else own


def say(args: argparse.Namespace, record: Mapping[str, Any], words: str, *, always: bool = False) -> int:
    """Print a result; `always` where it is what was asked for."""
    if args.json:
        print_json(record)
    elif always or not args.quiet:
        from tekrar.view.plain import safe_lines

        print(safe_lines(words))
    return EXIT_OK


#: What a question about a withdrawn release says in its `code`.
WITHDRAWN: Final = "withdrawn_release"


def table(record: Mapping[str, Any]) -> str:
    """A record as aligned lines; what is None is left out."""
    known = {name: value for name, value in record.items() if value is not None}
    width = max(map(len, known), default=0)
    return "\n".join(f"{name:<{width}}  {_plain(value)}" for name, value in known.items())


def _plain(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    from tekrar.view.plain import safe_lines

    # No value makes a line of its own, which could pass for one of ours.
    told = ", ".join(map(str, value)) if isinstance(value, list) else str(value)
    return safe_lines(told.replace("\n", "↵"))
