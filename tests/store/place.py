"""Data folders and databases of the tests."""

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from psycopg import sql

from tekrar.settings import Settings, read_settings
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import open_target
from tekrar.store.target import Embedded, of_embedded

_KEPT = ("PATH", "TEKRAR_PG_BIN")


def environment(data_dir: Path, **more: str) -> dict[str, str]:
    """The environment of a process whose embedded server lives in a data folder."""
    kept = {name: os.environ[name] for name in _KEPT if name in os.environ}
    source = Path(__file__).resolve().parents[2] / "src"
    return {**kept, "PYTHONPATH": str(source), "TEKRAR_DATA_DIR": str(data_dir), **more}


def settings_in(data_dir: Path, **more: str) -> Settings:
    """Settings of the embedded server in a data folder."""
    return read_settings(environment(data_dir, **more))


def tekrar(data_dir: Path, *words: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command line to its end."""
    return subprocess.run(
        [sys.executable, "-m", "tekrar", *words],
        env=environment(data_dir, **more),
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )


def process(data_dir: Path, program: str, **more: str) -> subprocess.Popen[bytes]:
    """Start a Python program that uses the store."""
    return subprocess.Popen(
        [sys.executable, "-c", program],
        env=environment(data_dir, **more),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
    )


def make_database_from(template: Embedded, name: str) -> Embedded:
    """A copy of a database that nobody is connected to; who may connect is not copied."""
    name_of = sql.Identifier
    with open_target(_postgres(template)) as connection:
        connection.execute(
            sql.SQL("CREATE DATABASE {} TEMPLATE {}").format(name_of(name), name_of(template.database))
        )
        connection.execute(sql.SQL("REVOKE ALL ON DATABASE {} FROM PUBLIC").format(name_of(name)))
        connection.execute(
            sql.SQL(
                "GRANT CONNECT ON DATABASE {0} TO tekrar_login; GRANT CREATE ON DATABASE {0} TO tekrar_owner;"
                " GRANT CONNECT ON DATABASE {0} TO tekrar_owner WITH GRANT OPTION"
            ).format(name_of(name))
        )
    return Embedded(template.socket_dir, template.server_user, name)


def drop_database(place: Embedded) -> None:
    """Drop a database, whoever is connected."""
    with open_target(_postgres(place)) as connection:
        connection.execute(sql.SQL("DROP DATABASE {} WITH (FORCE)").format(sql.Identifier(place.database)))


def url_of(place: Embedded, **more: Any) -> str:
    """A database of the embedded server as a URL."""
    user = more.pop("user", SUPERUSER)
    return f"postgresql://{user}@/{place.database}?host={place.socket_dir}"


def _postgres(place: Embedded) -> Any:
    return of_embedded(Embedded(place.socket_dir, place.server_user, SUPERUSER), user=SUPERUSER)
