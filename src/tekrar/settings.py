"""The environment, read once into a frozen value; the only reader of the environment.

No setting changes a byte of a release or an artifact, and none accepts or publishes anything (threat T21).
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Final

from tekrar.errors import UsageError

#: Processes at most: more than any machine gains from, and few enough to start and watch.
MAX_WORKERS: Final = 256

#: variable -> what it does; `tekrar --help` lists them.
VARIABLES: Final = {
    "TEKRAR_DATABASE_URL": "the PostgreSQL database to use (postgresql://…); unset: an embedded server",
    "TEKRAR_DATA_DIR": "folder of the embedded server (default: tekrar in the user's data folder)",
    "TEKRAR_ACTOR": "who acts where --as is not given: the name of an actor of the ledger",
    "TEKRAR_CURSOR_KEY": "key that signs cursors, 64 hex digits (default: made in the data folder)",
    "TEKRAR_PG_BIN": "folder with the PostgreSQL programs that the embedded server uses",
    "TEKRAR_INTERPRETED": "1 runs the loops of discovery uncompiled (slow; the same candidates)",
    "TEKRAR_TRACEBACK": "1 shows the traceback of an internal error",
    "TEKRAR_WORKERS": "worker processes when --workers is not given",
}


@dataclass(frozen=True)
class Settings:
    """What the environment says.

    Attributes:
        traceback: show tracebacks of internal errors.
        workers: worker processes, or None where it says nothing.
        database_url: URL of a PostgreSQL database, or None for the embedded server. May hold a password.
        url_named: what gave the URL, for messages: the variable, or a verb's option.
        data_dir: absolute folder of the embedded server; None where not even a home is named.
        pg_bin: absolute folder of PostgreSQL programs to use and no other, or None.
        actor: name of the actor who acts, or None.
        cursor_key: 32 bytes that sign cursors, or None for the data folder's.
        search_path: where programs are looked for, as PATH writes it.
    """

    traceback: bool = False
    workers: int | None = None
    database_url: str | None = field(default=None, repr=False)
    url_named: str = "TEKRAR_DATABASE_URL"
    data_dir: Path | None = None
    pg_bin: Path | None = None
    search_path: str = ""
    actor: str | None = None
    cursor_key: bytes | None = field(default=None, repr=False)


def read_settings(environment: Mapping[str, str] | None = None) -> Settings:
    """Settings from an environment (the process's own when none is given).

    Raises:
        UsageError: a variable has a value that it cannot have; the variable is named.
    """
    found = os.environ if environment is None else environment
    return Settings(
        traceback=_flag(found, "TEKRAR_TRACEBACK"),
        workers=_count(found, "TEKRAR_WORKERS"),
        database_url=_url(found, "TEKRAR_DATABASE_URL"),
        data_dir=_data_dir(found),
        pg_bin=_folder(found, "TEKRAR_PG_BIN"),
        search_path=found.get("PATH", ""),
        actor=found.get("TEKRAR_ACTOR") or None,
        cursor_key=_key(found, "TEKRAR_CURSOR_KEY"),
    )


def with_url(settings: Settings, url: str | None, *, named: str) -> Settings:
    """The settings with the URL of a verb's option; as they are where it was not given.

    Raises:
        UsageError: it is no URL of PostgreSQL; the option is named, and the URL, which may hold a password,
            is not shown.
    """
    if not url:
        return settings
    return replace(settings, database_url=_url({named: url}, named), url_named=named)


@contextmanager
def environment_with(changes: Mapping[str, str | None]) -> Iterator[None]:
    """The process's environment with some variables set, or unset where the value is None, and back again.

    For a verb that runs other verbs for a place of its own, as one would after `export` in a shell.
    """
    before = {name: os.environ.get(name) for name in changes}
    try:
        _set(changes)
        yield
    finally:
        _set(before)


def _set(values: Mapping[str, str | None]) -> None:
    for name, value in values.items():
        if value is None:
            os.environ.pop(name, None)
        else:
            os.environ[name] = value


def _flag(found: Mapping[str, str], name: str) -> bool:
    value = found.get(name, "")
    if value not in ("", "0", "1"):
        raise _refuse(name, value, "0 or 1")
    return value == "1"


def _count(found: Mapping[str, str], name: str) -> int | None:
    value = found.get(name, "")
    if not value:
        return None
    if not (value.isascii() and value.isdigit() and len(value) <= 4 and 0 < int(value) <= MAX_WORKERS):
        raise _refuse(name, value, f"a number from 1 to {MAX_WORKERS}")
    return int(value)


def _url(found: Mapping[str, str], name: str) -> str | None:
    value = found.get(name, "")
    if not value:
        return None
    if not value.startswith(("postgresql://", "postgres://")):
        # Not shown: it may hold a password.
        raise _refuse(name, None, "postgresql://USER@HOST/DATABASE")
    return value


def _key(found: Mapping[str, str], name: str) -> bytes | None:
    value = found.get(name, "")
    if not value:
        return None
    if len(value) != 64 or not set(value) <= set("0123456789abcdefABCDEF"):
        raise _refuse(name, None, "64 hex digits")  # not shown: it is secret
    return bytes.fromhex(value)


def _folder(found: Mapping[str, str], name: str) -> Path | None:
    value = found.get(name, "")
    if "\0" in value or "\n" in value:
        raise _refuse(name, value, "the path of a folder")
    return Path(value).absolute() if value else None


def _data_dir(found: Mapping[str, str]) -> Path | None:
    """TEKRAR_DATA_DIR, else `tekrar` in the XDG data home, where a relative one does not count."""
    if named := _folder(found, "TEKRAR_DATA_DIR"):
        return named
    if (shared := Path(found.get("XDG_DATA_HOME", ""))).is_absolute():
        return shared / "tekrar"
    if (home := Path(found.get("HOME", ""))).is_absolute():
        return home / ".local" / "share" / "tekrar"
    return None


def _refuse(name: str, value: str | None, expected: str) -> UsageError:
    return UsageError(
        f"{name} is {value[:40]!r}" if value is not None else f"{name} has the wrong form",
        where="command line" if name.startswith("--") else "environment",
        expected=expected,
        mend=f"correct {name}" if name.startswith("--") else f"correct or unset {name}",
        kind="bad_setting",
    )


def interpreted() -> bool:
    """Whether `TEKRAR_INTERPRETED` asks for uncompiled loops; they give the same bytes."""
    return bool(os.environ.get("TEKRAR_INTERPRETED"))


def kernel_folder() -> Path | None:
    """Where compiled loops are kept: `$NUMBA_CACHE_DIR`, else `tekrar/kernels` in the user's cache folder.

    Returns:
        The folder, or None where a user has no home.
    """
    given = os.environ.get("NUMBA_CACHE_DIR")
    if given:
        return Path(given)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "tekrar" / "kernels"
    except RuntimeError:
        return None
