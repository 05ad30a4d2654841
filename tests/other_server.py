"""The store's tests once more on the other PostgreSQL of the machine: `python -m tests.other_server [-n N]`.

`make test` runs everything on the first version that is found, usually the system's. Where there is a second
one, of the distribution or of the extra `embedded`, the modules below run on that one too: launcher,
migration, catalog, role matrix, load, publication and queries. Where there is only one, a line says so.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError
from tekrar.settings import Settings, read_settings
from tekrar.store.server.account import Account, server_account
from tekrar.store.server.binaries import DISTRIBUTIONS, Binaries, find_binaries
from tekrar.store.server.wheel import for_account, wheel_folder
from tests.conftest import ROOT

MODULES: Final = (
    "test_load",
    "test_migrate",
    "test_publish_cli",
    "test_restored",
    "test_schema_catalog",
    "test_schema_matrix",
    "test_schema_publish",
    "test_schema_queries",
    "test_schema_snapshot",
    "test_server",
    "test_session",
)


def other_server(settings: Settings, account: Account) -> tuple[Binaries | None, str]:
    """A version that the whole run did not use, or None; and a line about both."""
    try:
        first = find_binaries(settings, account)
    except DatabaseError as error:
        return None, f"no second PostgreSQL is tested: {error.message}"
    for folder in _folders(account):
        try:
            other = find_binaries(replace(settings, pg_bin=folder), account)
        except DatabaseError:
            continue
        if other.major != first.major:
            return other, f"the store on PostgreSQL {other.version} too, after {first.version}"
    return None, f"no second PostgreSQL is tested: {first.version} is the only version here"


def _folders(account: Account) -> Iterator[Path]:
    if folder := wheel_folder():
        yield for_account(folder, account)
    for pattern in DISTRIBUTIONS:
        yield from sorted(Path("/").glob(pattern.lstrip("/")), reverse=True)


def main(words: list[str]) -> int:
    """Run the modules on the other version; the status is pytest's, and 0 where there is no other."""
    other, line = other_server(read_settings(), server_account(None))
    print(line, flush=True)
    if other is None:
        return 0
    paths = [path for name in MODULES if (path := ROOT / "tests" / "store" / f"{name}.py").is_file()]
    command = [sys.executable, "-m", "pytest", "-q", "-m", "not faults", *words, *map(str, paths)]
    return subprocess.run(
        command, cwd=ROOT, env={**os.environ, "TEKRAR_PG_BIN": str(other.folder)}, check=False
    ).returncode


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
