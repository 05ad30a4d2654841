"""What the verbs of curation share: as which role somebody asks, words of notes, how records are told."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

from tekrar.cli.arguments import words
from tekrar.cli.database import acting, actor_argument, database_argument
from tekrar.errors import DatabaseError, NotFoundError, TekrarError, UsageError

if TYPE_CHECKING:
    from tekrar.store.curation.listing import Asker
    from tekrar.store.session import Connection

#: Roles in the order in which they are tried: who may review sees no verdict of others before their own.
_ORDER: Final = ("reviewer", "curator", "publisher", "auditor")
#: Bytes of a file of words.
MOST_WORDS: Final = 65536
_T = TypeVar("_T")


def role_arguments(parser: argparse.ArgumentParser, *, reader: bool = False) -> None:
    """Who asks, and as what."""
    first = ("reader",) if reader else ()
    parser.add_argument(
        "--role", choices=(*first, *_ORDER),
        help="as what to ask (default: the first of these that the actor has a grant of)",
    )  # fmt: skip
    actor_argument(parser)
    database_argument(parser)


def common_options(parser: argparse.ArgumentParser) -> None:
    """Common options, legal before and after an action; absent here, the outer default stands."""
    for option in ("--json", "--quiet"):
        parser.add_argument(option, action="store_true", default=argparse.SUPPRESS, help=argparse.SUPPRESS)


@contextmanager
def asking(args: argparse.Namespace, *, reader: bool = False) -> Iterator[Asked]:
    """Questions on one checked connection."""
    with acting(args) as (connection, actor):
        yield Asked(connection, actor, args.role, reader=reader)


class Asked:
    """Asks as the first role that answers.

    Args:
        connection: of the store.
        actor: who asks.
        role: the role that was named, or None.
        reader: whether the public may ask too.
    """

    def __init__(
        self, connection: Connection, actor: str | None, role: str | None, *, reader: bool = False
    ) -> None:
        self.connection = connection
        self.actor = actor
        first = ("reader",) if reader else ()
        self.roles: Sequence[str] = (role,) if role else (*first, *_ORDER)

    def public_last(self) -> Asked:
        """Ask as what the actor was granted before asking as the public, which reads less of some answers."""
        if self.actor is not None and len(self.roles) > 1:
            self.roles = (*_ORDER, "reader")
        return self

    def __call__(self, question: Callable[[Asker], _T]) -> _T:
        """The answer, as the first role that has a grant and finds what is asked for.

        Raises:
            TekrarError: what the last role with a grant was told, else what the first role was.
        """
        from tekrar.store.curation.listing import Asker
        from tekrar.store.roles import Role

        refused: TekrarError | None = None
        for name in self.roles:
            try:
                return question(Asker(self.connection, Role[name.upper()], self.actor))
            except NotFoundError as error:
                refused = error
            except DatabaseError as error:
                if not is_ungranted(error):
                    raise
                refused = refused or error
        assert refused is not None
        raise refused


def is_ungranted(error: TekrarError) -> bool:
    """Whether the database missed a grant."""
    return error.kind.startswith("grant_") or error.kind in ("no_grant", "unknown_actor")


def note_of(text: str, *, option: str) -> str:
    """Words of an option: as given, or those of a file named with @; @@ stands for an @."""
    if text.startswith("@@"):
        return text[1:]
    if not text.startswith("@"):
        return text
    from tekrar.package.storage import regular_bytes

    try:
        return regular_bytes(Path(text[1:]), limit=MOST_WORDS).decode("utf-8")
    except UnicodeDecodeError:
        raise UsageError(
            f"{text[1:]} is not UTF-8", where=option, expected="Markdown in UTF-8", kind="not_utf8"
        ) from None


def note_argument(parser: argparse.ArgumentParser, name: str, **more: Any) -> None:
    """An option with words for people."""
    parser.add_argument(name, type=words, metavar="TEXT|@FILE", **more)


def told(text: str, *, indent: str = "  ") -> Iterator[str]:
    """Markdown as given, safe to print: control and direction characters are marks, every line indented."""
    from tekrar.view.plain import quoted, terminal_width

    yield from quoted(text, width=terminal_width(), indent=indent)


def out(lines: Iterable[str]) -> None:
    """Lines for people that are safe already."""
    for line in lines:
        print(line)
    sys.stdout.flush()
