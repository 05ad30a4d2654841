"""A real PostgreSQL server for the session, and a fresh migrated database for each test module.

TEKRAR_PG_BIN chooses the server's version; without server programs everything here is skipped.
"""

import itertools
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.store.place import drop_database, make_database_from, settings_in

psycopg = pytest.importorskip("psycopg", reason="needs the extra `store`")

from tekrar.errors import DatabaseError  # noqa: E402
from tekrar.store.embedded import make_database  # noqa: E402
from tekrar.store.migrate import migrate  # noqa: E402
from tekrar.store.roles import LOGIN, SUPERUSER  # noqa: E402
from tekrar.store.server.launcher import Launcher  # noqa: E402
from tekrar.store.session import Connection, open_target  # noqa: E402
from tekrar.store.target import Embedded, of_embedded  # noqa: E402
from tests.store.kept import kept  # noqa: E402, F401
from tests.store.schema_authority import world  # noqa: E402, F401
from tests.store.schema_database import admin, loaded  # noqa: E402, F401
from tests.store.schema_logins import Logins  # noqa: E402
from tests.store.schema_publication import actors, published  # noqa: E402, F401

_numbers = itertools.count(1)


@pytest.fixture(scope="session")
def launcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Launcher]:
    """The launcher of the session's server, which runs."""
    one = Launcher(settings_in(tmp_path_factory.mktemp("store")))
    try:
        one.ensure()
    except DatabaseError as error:
        if error.kind == "no_server_binaries":
            pytest.skip("needs PostgreSQL 15 to 18")
        raise
    yield one
    one.stop()


@pytest.fixture(scope="session")
def template(launcher: Launcher) -> Embedded:
    """A migrated database from which the others are copied; nothing connects to it."""
    running = launcher.ensure()
    place = Embedded(running.socket_dir, running.server_user, "tekrar_template")
    make_database(place)
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        migrate(connection)
    return place


@pytest.fixture(scope="session")
def logins(launcher: Launcher, template: Embedded) -> Logins:
    """Makes logins of actors' own on the session's server."""
    running = launcher.ensure()
    postgres = Embedded(running.socket_dir, running.server_user, SUPERUSER)
    return Logins(postgres, launcher.place.data, launcher.place.account.caller)


@pytest.fixture(scope="module")
def database(template: Embedded) -> Iterator[Embedded]:
    """A fresh migrated database for a test module."""
    place = make_database_from(template, f"tekrar_test_{next(_numbers)}")
    yield place
    drop_database(place)


@pytest.fixture
def empty_database(launcher: Launcher) -> Iterator[Embedded]:
    """A database without a schema, for one test."""
    running = launcher.ensure()
    place = Embedded(running.socket_dir, running.server_user, f"tekrar_empty_{next(_numbers)}")
    make_database(place)
    yield place
    drop_database(place)


@pytest.fixture
def administrator(database: Embedded) -> Iterator[Connection]:
    """A connection of the superuser, to arrange what a test needs."""
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


@pytest.fixture
def login(database: Embedded) -> Iterator[Connection]:
    """A connection of the login role, as the program has it."""
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield connection


@pytest.fixture(scope="session")
def pristine(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Path:
    """Data as initdb makes them, of a server that was stopped."""
    folder = tmp_path_factory.mktemp("pristine")
    one = Launcher(settings_in(folder))
    one.ensure()
    one.stop()
    return folder


@pytest.fixture
def new_data_dir(tmp_path: Path, launcher: Launcher) -> Iterator[Path]:
    """An empty data folder for a test that starts servers; none of them outlives the test."""
    yield tmp_path
    Launcher(settings_in(tmp_path)).stop()


@pytest.fixture
def data_dir(new_data_dir: Path, pristine: Path) -> Path:
    """A data folder with data, for a test that starts servers; none of them outlives the test."""
    subprocess.run(["cp", "-a", str(pristine / "server"), str(new_data_dir)], check=True)
    return new_data_dir
