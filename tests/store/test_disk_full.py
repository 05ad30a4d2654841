"""A disk that is really full: nothing is visible, the error says so, the same command works afterwards."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tekrar.store.embedded import database_of, make_database
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.load_corpus import make
from tests.store.place import settings_in, tekrar, url_of
from tests.store.publication_state import wholly
from tests.store.schema_publication import everything

pytestmark = pytest.mark.faults

MEGABYTES = 180


class Disk:
    """A small disk with the data folder of an embedded server on it."""

    def __init__(self, root: Path) -> None:
        self.root, self.data_dir = root, root / "data"

    def run(self, *words: str, status: int = 0, **more: str) -> dict[str, Any]:
        done = tekrar(self.data_dir, *words, "--json", **more)
        assert done.returncode == status, (words, done.stdout, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    def url(self, user: str = SUPERUSER) -> str:
        return url_of(database_of(settings_in(self.data_dir)), user=user)

    @contextmanager
    def full(self) -> Iterator[None]:
        """Not one more byte."""
        ballast = self.root / "ballast"
        with open(ballast, "wb", buffering=0) as file, suppress(OSError):
            for size in (1 << 20, 1 << 12, 1):
                with suppress(OSError):
                    while True:
                        file.write(b"\1" * size)
        free = os.statvfs(self.root)
        assert free.f_bavail == 0
        try:
            yield
        finally:
            ballast.unlink()

    def refused(self, *words: str, kind: str = "disk_full", **more: str) -> None:
        """The command ends with the error of a full disk."""
        with self.full():
            error = self.run(*words, status=6, **more)["error"]
            assert (error["code"], error["kind"]) == ("storage_error", kind)
            assert error["mend"]


@pytest.fixture(scope="module")
def disk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Disk]:
    root = tmp_path_factory.mktemp("small")
    mount = ["mount", "-t", "tmpfs", "-o", f"size={MEGABYTES}m", "tmpfs", str(root)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("needs the right to mount a small disk")
    try:
        one = Disk(root)
        try:
            one.run("db", "start")
            yield one
        finally:
            Launcher(settings_in(one.data_dir)).stop()
    finally:
        subprocess.run(["umount", str(root)], check=True)


@pytest.fixture
def admin(disk: Disk) -> Iterator[Connection]:
    with open_target(of_embedded(database_of(settings_in(disk.data_dir)), user=SUPERUSER)) as connection:
        yield connection


@pytest.fixture(scope="module")
def made(disk: Disk, tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    disk.run("db", "init", "--administrator", "Defne", "--login", LOGIN, TEKRAR_DATABASE_URL=disk.url())
    disk.run("actor", "Ege", TEKRAR_ACTOR="Defne")
    disk.run("grant", "Ege", "publisher", TEKRAR_ACTOR="Defne")
    return make(tmp_path_factory.mktemp("made"))


def test_migrate(disk: Disk) -> None:
    place = database_of(settings_in(disk.data_dir))
    empty = Embedded(place.socket_dir, place.server_user, "empty")
    make_database(empty)
    disk.refused("db", "migrate", TEKRAR_DATABASE_URL=url_of(empty))
    disk.run("db", "migrate", TEKRAR_DATABASE_URL=url_of(empty))
    with open_target(of_embedded(empty, user=SUPERUSER)) as connection:
        wholly(connection)


@pytest.mark.req("REL-05")
def test_load_then_publish(disk: Disk, made: tuple[Path, Path], admin: Connection) -> None:
    load = ("load", str(made[1]), "--release", str(made[0]))
    disk.refused(*load, TEKRAR_DATABASE_URL=disk.url())
    for table in ("core.release", "core.sentence", "repetition.artifact", "repetition.occurrence"):
        assert admin.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)
    disk.run(*load, TEKRAR_DATABASE_URL=disk.url())

    before = everything(admin)
    disk.refused("publish", "--all", str(made[1]), TEKRAR_ACTOR="Ege")
    assert everything(admin) == before
    assert disk.run("releases")["releases"] == []
    assert disk.run("publish", "--all", str(made[1]), TEKRAR_ACTOR="Ege")["outcome"] == "published"
    wholly(admin)


def test_backup(disk: Disk) -> None:
    file = disk.root / "backup"
    disk.refused("db", "backup", str(file), kind="enospc")
    assert [path.name for path in disk.root.iterdir()] == ["data"]
    disk.run("db", "backup", str(file))
    file.unlink()


def test_a_log_of_writes_that_finds_no_space_ends_the_server_and_not_the_data(
    disk: Disk, admin: Connection
) -> None:
    """PostgreSQL gives up when its log cannot grow; with space it starts, with all that was answered."""
    before = everything(admin)
    with disk.full():
        message = "pg_logical_emit_message(true, 'x', repeat('x', 1000000))"
        with pytest.raises(psycopg.Error):
            admin.execute(f"SELECT count({message}) FROM generate_series(1, 200)".encode())
        error = disk.run("releases", status=6)["error"]
        assert (error["code"], error["kind"]) == ("storage_error", "enospc")
    disk.run("releases")
    with open_target(of_embedded(database_of(settings_in(disk.data_dir)), user=SUPERUSER)) as connection:
        assert everything(connection) == before
        wholly(connection)
