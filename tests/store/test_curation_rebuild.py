"""`tekrar rebuild --check` on a server that a URL names: as a superuser and as one who only makes roles and
databases; and what one that was ended leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tekrar.settings import read_settings
from tekrar.store.curation.scratch import scratch_database
from tekrar.store.migrate import migrate
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curation_scenario import ADMINISTRATOR, Scenario
from tests.store.curation_small import packages
from tests.store.place import url_of
from tests.store.schema_logins import Logins
from tests.store.test_grants import roles_made_for

SECONDS = 60


def named(url: str) -> dict[str, str]:
    return {"TEKRAR_DATABASE_URL": url}


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, database: Embedded) -> Scenario:
    """Published through the logins of docs/database.md, in a database that a URL names."""
    one = packages(tmp_path_factory.mktemp("yeniden"), named(url_of(database)))
    return played(one, url_of(database), database)


def played(one: Scenario, owner: str, place: Embedded) -> Scenario:
    """The packages loaded and published, one family decided; commands go through the owner's URL then."""
    one.database = named(owner)
    one.run("db", "init", "--administrator", ADMINISTRATOR, "--login", LOGIN)
    one.load()
    one.database = named(url_of(place, user=LOGIN))
    one.people()
    one.publish()
    said = {"operation": "accept_family", "kind": "near_exact", "members": ["liman/1/p1", "tarla/1/p2"]}
    one.decide(one.propose(said | {"rationale": "aynı haber"}))
    one.database = named(owner)
    return one


def scratches(connection: Connection) -> list[str]:
    query = b"SELECT datname FROM pg_database WHERE datname LIKE 'tekrar_rebuild%' ORDER BY 1"
    return [name for (name,) in connection.execute(query)]


@pytest.fixture
def server(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


@pytest.mark.req("REB-01")
def test_a_rebuild_beside_the_database_of_a_url(
    small: Scenario, server: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    done = small.run("rebuild", "--check", small.folder / "release")
    assert (done["outcome"], done["compared"]["structures"]) == ("equal", 1)
    assert scratches(server) == []
    assert list(tmp_path.iterdir()) == []


def test_a_login_that_may_not_is_told_what_it_needs(
    small: Scenario, database: Embedded, server: Connection
) -> None:
    release = small.folder / "release"
    url = url_of(database, user=LOGIN)
    error = small.run("rebuild", "--check", release, "--database-url", url, status=8)["error"]
    assert (error["kind"], "rebuild" in error["message"]) == ("permission_denied", True)
    assert scratches(server) == []


@pytest.mark.req("REB-01")
def test_whoever_makes_roles_and_databases_is_enough(
    small: Scenario, empty_database: Embedded, logins: Logins
) -> None:
    """Neither superuser nor BYPASSRLS; without CREATEDB it is said what is missing."""
    migrator = logins.make("kuran", "LOGIN CREATEROLE")
    with open_target(of_embedded(empty_database, user=SUPERUSER)) as admin:
        admin.execute(f'ALTER DATABASE {empty_database.database} OWNER TO "{migrator}"'.encode())
        roles_made_for(admin, migrator)
        with logins.connect(empty_database, migrator) as connection:
            migrate(connection)
        one = Scenario(small.folder, {})
        played(one, url_of(empty_database, user=migrator), empty_database)
        ask = ("rebuild", "--check", small.folder / "release")
        error = one.run(*ask, status=8)["error"]
        assert (error["kind"], "CREATEDB" in error["expected"]) == ("permission_denied", True)
        admin.execute(f'ALTER ROLE "{migrator}" CREATEDB'.encode())
        assert one.run(*ask)["outcome"] == "equal"
        assert scratches(admin) == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_what_an_ended_rebuild_leaves_is_gone_after_the_next(
    small: Scenario, server: Connection, tmp_path: Path, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-m", "tekrar", "rebuild", "--check", str(small.folder / "release")],
        env={**os.environ, **small.database, "TMPDIR": str(tmp_path)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    until = time.monotonic() + SECONDS
    while not scratches(server) and process.poll() is None and time.monotonic() < until:
        time.sleep(0.02)
    (made,) = scratches(server)
    process.send_signal(number)
    status = process.wait(timeout=SECONDS)
    if number != signal.SIGKILL:
        assert status in (130, 143)
        assert scratches(server) == []
        assert list(tmp_path.iterdir()) == []
        return
    assert scratches(server) == [made]
    assert len(list(tmp_path.iterdir())) == 1
    while held(server, made) and time.monotonic() < until:
        time.sleep(0.02)
    with scratch_database(read_settings(small.database)) as url:
        assert made not in url
        (own,) = scratches(server)
        assert own in url
        with scratch_database(read_settings(small.database)):  # one that is at work is left alone
            assert len(scratches(server)) == 2
        assert scratches(server) == [own]
    assert scratches(server) == []
    env = {**os.environ, **small.database, "TMPDIR": str(tmp_path)}
    words = [sys.executable, "-m", "tekrar", "rebuild", "--check", str(small.folder / "release"), "--quiet"]
    assert subprocess.run(words, env=env, check=False, timeout=SECONDS).returncode == 0
    assert list(tmp_path.iterdir()) == []


def held(connection: Connection, name: str) -> bool:
    query = (
        b"SELECT EXISTS (SELECT FROM pg_stat_activity WHERE %s::text IN (application_name, datname::text))"
    )
    row = connection.execute(query, (name,)).fetchone()
    return bool(row and row[0])
