"""The end of the demo: its artifact published by a PostgreSQL server of the demo's own, and asked.

The server's data lie in the demo's folder. TEKRAR_DATABASE_URL, TEKRAR_DATA_DIR and TEKRAR_ACTOR are left
alone: no demo writes into a database that somebody uses. TEKRAR_PG_BIN holds.
"""

from __future__ import annotations

import os
import shlex
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

from tekrar.cli.typed import Typed
from tekrar.demo import folder
from tekrar.errors import DatabaseError, TekrarError
from tekrar.settings import environment_with, read_settings

ADMINISTRATOR: Final = "Ada"
PUBLISHER: Final = "Bede"

#: Without these the demo ends with the report and says what is missing.
MISSING: Final = ("driver_missing", "no_server_binaries", "no_server_user")
#: The database is of another tekrar or another PostgreSQL, or was tried out since: the demo makes it anew.
OUTDATED: Final = (
    "data_folder_damaged",
    "data_folder_version",
    "migration_changed",
    "migration_gap",
    "schema_newer",
    "already_published",
    "withdrawn",
)


def publish_and_ask(typed: Typed, out: Path, occurrence: str) -> dict[str, Any]:
    """Load and publish the demo's artifact, and ask for an occurrence what a reader would ask.

    Args:
        typed: runs the verbs.
        out: the demo's folder, with release and artifact.
        occurrence: ID of an occurrence of FP.

    Returns:
        `releases` by profile, `release_set`, `occurrence`, the answers `status`, `duplicates`, `coverage` and
        `why`, `environment` (what to type first) and `next` (commands that go on from here); or `missing` and
        `mend` alone where there is no PostgreSQL.

    Raises:
        DatabaseError: the server does not start or refuses; what this run made of a database is gone again.
    """
    try:
        try:
            return _published(typed, out, occurrence)
        except DatabaseError as error:
            if error.kind not in OUTDATED:
                raise
            typed.tell(f"the database of an earlier demo is made anew: {error.message}")
            shutil.rmtree(out / folder.DATABASE)
            return _published(typed, out, occurrence)
    except DatabaseError as error:
        if error.kind not in MISSING:
            raise
        return {"missing": error.message, "mend": error.mend}


def _published(typed: Typed, out: Path, occurrence: str) -> dict[str, Any]:
    artifact = str(out / folder.ARTIFACT)
    with _server(typed, out / folder.DATABASE):
        typed.run("load", artifact, "--release", str(out / folder.RELEASE))
        _authorize(typed)
        done = typed.record("publish", "--all", artifact, "--as", PUBLISHER, told=True)
        releases = {row["profile"]: row["release"] for row in done["releases"]}
        place = (releases["FP"], occurrence)
        questions = {
            "status": ("status", *place),
            "duplicates": ("duplicates", *place),
            "coverage": ("release", "coverage", releases["FP"]),
            "why": ("why", *place),
        }
        answers = {name: typed.record(*words) for name, words in questions.items()}
    return {
        "releases": releases,
        "release_set": done["release_set"],
        "occurrence": occurrence,
        "questions": {name: _typed(*words) for name, words in questions.items()},
        **answers,
        "environment": _environment(out),
        "next": [
            _typed("releases"),
            _typed("occurrence", *place),
            _typed("release", "show", releases["FS"]),
            _typed("db", "status"),
            _typed("db", "stop"),
        ],
    }


@contextmanager
def _server(typed: Typed, data: Path) -> Iterator[None]:
    """The demo's server in the environment that one would export; left running only where it ran before."""
    from tekrar.store.server.launcher import Launcher

    new = not os.path.lexists(data)
    ours = {"TEKRAR_DATA_DIR": str(data.absolute()), "TEKRAR_DATABASE_URL": None, "TEKRAR_ACTOR": None}
    with environment_with(ours):
        launcher = Launcher(read_settings())
        ran = launcher.answering() is not None
        try:
            typed.run("db", "start")
            typed.run("db", "migrate")
            yield
        except BaseException:
            # Stopped even if it ran: what is to be made anew or taken away must not be in use.
            with suppress(TekrarError):
                launcher.stop()
            if new:
                shutil.rmtree(data, ignore_errors=True)
            raise
        if not ran:
            typed.run("db", "stop")


def _authorize(typed: Typed) -> None:
    """An administrator and a publisher with a grant, each made where it is not there yet."""
    try:
        typed.run("db", "init", "--administrator", ADMINISTRATOR)
    except DatabaseError as error:
        if error.kind != "already_initialized":
            raise
    typed.run("actor", PUBLISHER, "--as", ADMINISTRATOR)
    given = typed.record("grant", "--as", ADMINISTRATOR)["grants"]
    wanted = (PUBLISHER, "publisher", "*", "valid")
    if wanted not in [(one["actor"], one["role"], one["scope"], one["state"]) for one in given]:
        typed.run("grant", PUBLISHER, "publisher", "--as", ADMINISTRATOR)


def _environment(out: Path) -> list[str]:
    """What to type before the commands, so that they reach the demo's database from any folder."""
    reset = ["unset TEKRAR_DATABASE_URL"] if read_settings().database_url is not None else []
    return [*reset, f"export TEKRAR_DATA_DIR={shlex.quote(str((out / folder.DATABASE).absolute()))}"]


def _typed(*words: str) -> str:
    return f"tekrar {shlex.join(words)}"
