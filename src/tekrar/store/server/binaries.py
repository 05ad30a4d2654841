"""Where the server's programs are: TEKRAR_PG_BIN, PATH, pg_config, the distribution's folders, the wheel."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError
from tekrar.settings import Settings
from tekrar.store.server.account import Account
from tekrar.store.server.wheel import for_account, wheel_folder
from tekrar.store.session import MAJORS

#: Where distributions put each major version's programs.
DISTRIBUTIONS: Final = ("/usr/lib/postgresql/*/bin", "/usr/pgsql-*/bin", "/opt/homebrew/opt/postgresql@*/bin")

#: Everything a child of ours gets to see of an environment.
ENVIRONMENT: Final = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "TZ": "UTC"}

_VERSION: Final = re.compile(rb"\(PostgreSQL\) ((\d+)[^\s]*)")
_MEND: Final = (
    "install PostgreSQL 15 to 18 (Debian, Ubuntu: apt install postgresql), or pip install 'tekrar[embedded]',"
    " or set TEKRAR_PG_BIN, or TEKRAR_DATABASE_URL for a server elsewhere"
)


@dataclass(frozen=True)
class Binaries:
    """A folder of PostgreSQL programs that run here.

    Attributes:
        folder: absolute, links resolved.
        version: as the server states it, e.g. "15.18".
        major: its first number.
        source: where it was found, for messages.
    """

    folder: Path
    version: str
    major: int
    source: str

    def program(self, name: str) -> Path | None:
        """A program of this version, or None where the folder has none of that name."""
        path = self.folder / name
        return path if os.access(path, os.X_OK) else None


def find_binaries(settings: Settings, account: Account, *, major: int | None = None) -> Binaries:
    """The first programs that the server's user can run and that are of a version in use here.

    Args:
        settings: `pg_bin` is used and nothing else when it is set; `search_path` otherwise comes first.
        account: who will run them.
        major: the only version that will do, when there are data of it.

    Raises:
        DatabaseError: `no_server_binaries`, or `data_folder_version` when there are some but of other
            versions.
    """
    refused = []
    for source, folder in _candidates(settings):
        found = _probe(source, folder, account)
        if isinstance(found, str):
            refused.append(f"{folder}: {found}")
        elif major not in (None, found.major):
            refused.append(f"{folder}: PostgreSQL {found.version}")
        else:
            return found
    if major is not None and any(": PostgreSQL" in text for text in refused):
        raise DatabaseError(
            f"the data folder was made by PostgreSQL {major}, which is not installed",
            where="; ".join(refused),
            expected=f"programs of PostgreSQL {major}",
            mend=f"install PostgreSQL {major} or name its folder in TEKRAR_PG_BIN;"
            " to move on, back up with it and restore into a new TEKRAR_DATA_DIR",
            kind="data_folder_version",
        )
    if settings.pg_bin is not None:
        raise DatabaseError(
            "TEKRAR_PG_BIN names no PostgreSQL server that can be used",
            where="; ".join(refused),
            expected=f"a folder with postgres and initdb, version {MAJORS[0]} to {MAJORS[-1]}, that the user"
            f" {account.name} may reach and run",
            mend="name such a folder (every folder above it must let that user pass), or unset TEKRAR_PG_BIN",
            kind="no_server_binaries",
        )
    where = "; ".join(refused) or "PATH, the distribution's folders, the extra `embedded`"
    raise DatabaseError("no PostgreSQL server was found", where=where, mend=_MEND, kind="no_server_binaries")


def _candidates(settings: Settings) -> Iterator[tuple[str, Path]]:
    """Folders that have a server, each once, best first."""
    if settings.pg_bin is not None:
        yield "TEKRAR_PG_BIN", settings.pg_bin
        return
    seen: set[Path] = set()
    for source, folder in _places(settings):
        if folder not in seen and (folder / "postgres").is_file() and (folder / "initdb").is_file():
            seen.add(folder)
            yield source, folder


def _places(settings: Settings) -> Iterator[tuple[str, Path]]:
    if found := shutil.which("postgres", path=settings.search_path):
        # A link to one program of a folder; the program itself has its neighbours beside it.
        yield "PATH", Path(found).resolve().parent
    if found := shutil.which("pg_config", path=settings.search_path):
        said = subprocess.run(
            [found, "--bindir"], env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True, check=False
        )
        yield "pg_config", Path(os.fsdecode(said.stdout.strip()) or "/nonexistent")
    for pattern in DISTRIBUTIONS:
        folders = Path("/").glob(pattern.lstrip("/"))
        yield from (("distribution", path) for path in sorted(folders, key=_newest_first))
    if folder := wheel_folder():
        yield "embedded extra", folder


def _newest_first(folder: Path) -> tuple[int, str]:
    number = re.search(r"(\d+)", folder.parent.name)
    return (-int(number[1]) if number else 0, str(folder))


def _probe(source: str, folder: Path, account: Account) -> Binaries | str:
    """The programs of a folder, or why they cannot be used; found out by running the server's --version."""
    if not (folder / "initdb").is_file():
        return "has no initdb"
    if source == "embedded extra":
        folder = for_account(folder, account)
    try:
        said = subprocess.run(
            [folder / "postgres", "--version"],
            env=ENVIRONMENT,
            cwd="/",
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=20,
            check=False,
            **account.popen(),
        )
    except PermissionError:
        return f"user {account.name} cannot run it"
    except (OSError, subprocess.SubprocessError) as error:
        return f"does not run here ({error})"
    matched = _VERSION.search(said.stdout)
    if said.returncode != 0 or matched is None:
        return "does not run here"
    version, major = matched[1].decode(), int(matched[2])
    if major not in MAJORS:
        return f"PostgreSQL {version} is not one of {MAJORS[0]} to {MAJORS[-1]}"
    return Binaries(folder, version, major, source)
