"""Where a connection goes: libpq parameters, and how the place is shown without its password."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import psycopg
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from tekrar.errors import UsageError

#: Seconds until a server that says nothing counts as unreachable, where the URL does not say.
CONNECT_SECONDS: Final = 10

_ALWAYS: Final = {"client_encoding": "UTF8", "application_name": "tekrar"}
_SHOWN: Final = ("user", "host", "port", "dbname")


@dataclass(frozen=True)
class Embedded:
    """A database of an embedded server that is known to answer.

    Attributes:
        socket_dir: folder of the server's socket.
        server_user: the OS user that runs it; libpq checks it against the socket's peer.
        database: name of the database.
    """

    socket_dir: Path
    server_user: str
    database: str


@dataclass(frozen=True)
class Target:
    """A place to connect to.

    Attributes:
        parameters: libpq connection parameters; may hold a password.
        shown: the place for messages, without it.
        named: what gave the URL, for messages.
    """

    parameters: dict[str, Any]
    shown: str
    named: str = "TEKRAR_DATABASE_URL"

    def conninfo(self) -> str:
        """The parameters as one string for `psql` and `pg_dump`; without the password, which goes apart."""
        return make_conninfo("", **{k: v for k, v in self.parameters.items() if k != "password"})

    def malformed(self) -> UsageError:
        """The error of a URL that libpq cannot read; never shows the URL."""
        return _malformed(self.named)


def of_url(url: str, *, named: str = "TEKRAR_DATABASE_URL") -> Target:
    """The target of a URL that a variable or an option gave.

    Raises:
        UsageError: libpq cannot read it.
    """
    try:
        given = conninfo_to_dict(url)
    except psycopg.Error as error:
        raise _malformed(named) from error
    if any(port and not _is_port(port) for port in str(given.get("port", "")).split(",")):
        raise _malformed(named)
    parameters = {"connect_timeout": CONNECT_SECONDS, **given, **_ALWAYS}
    shown = " ".join(f"{key}={given[key]}" for key in _SHOWN if given.get(key))
    return Target(parameters, f"{named} ({shown or 'defaults'})", named)


def of_embedded(place: Embedded, *, user: str) -> Target:
    """The target of an embedded database as one of its database users."""
    parameters = {
        "host": str(place.socket_dir),
        "port": 5432,
        "user": user,
        "dbname": place.database,
        "requirepeer": place.server_user,
        "connect_timeout": CONNECT_SECONDS,
        **_ALWAYS,
    }
    return Target(parameters, f"embedded server ({place.socket_dir}, database {place.database}, user {user})")


def _is_port(text: str) -> bool:
    return text.isascii() and text.isdigit() and 0 < int(text) < 1 << 16


def _malformed(named: str) -> UsageError:
    option = named.startswith("--")
    return UsageError(
        f"{named} cannot be read",
        where="command line" if option else "environment",
        expected="postgresql://USER:PASSWORD@HOST:PORT/DATABASE, with special characters as %XX",
        mend=f"correct {named}" if option else f"correct or unset {named}",
        kind="bad_setting",
    )
