"""A load that is killed, on either side and at any step, leaves nothing to be seen, and is run again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tekrar.artifact import Artifact
from tekrar.corpus.release_package import open_release
from tekrar.errors import DatabaseError
from tekrar.store.embedded import database_of
from tekrar.store.load import load
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.load_corpus import make
from tests.store.load_killer import Step, named
from tests.store.matrix import READER
from tests.store.place import drop_database, environment, make_database_from, settings_in, url_of
from tests.store.schema_database import acting_as

#: Kills, races and time limits of real processes: `make faults`, not every run.
pytestmark = pytest.mark.faults

SEED = 20240229
PARTITIONS = (
    "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
    " WHERE n.nspname = %s AND c.relkind = 'r' AND c.relname ~ '_[0-9]+$'"
)


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("load"))


@pytest.fixture(scope="module")
def steps(template: Embedded, made: tuple[Path, Path]) -> list[Step]:
    """Every step of an undisturbed load."""
    place, found = make_database_from(template, "tekrar_steps"), []
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        load(connection, Artifact(made[1]), open_release(made[0]), at_step=named(found.append))
    drop_database(place)
    assert len(found) == len(set(found))
    return found


@pytest.fixture
def killer(database: Embedded, made: tuple[Path, Path], tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    words = [sys.executable, "-m", "tests.store.load_killer", url_of(database), *map(str, made)]
    root = Path(__file__).resolve().parents[2]
    child = subprocess.Popen(
        words, env=environment(tmp_path), cwd=root, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    yield child
    child.stdin.close()  # type: ignore[union-attr]
    assert child.wait(60) == 0
    child.stdout.close()  # type: ignore[union-attr]


def nothing_of(schema: str, connection: Connection) -> None:
    """No row and no partition of a schema, for the superuser, whom no policy holds back."""
    table = {"core": "core.release", "repetition": "repetition.artifact"}[schema]
    assert connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,)
    assert connection.execute(PARTITIONS.encode(), (schema,)).fetchone() == (0,)


def readers_see_nothing(connection: Connection) -> None:
    with acting_as(connection, READER) as reader:
        for table in (
            "core.release",
            "core.text_block",
            "core.sentence",
            "repetition.occurrence",
            "repetition.class",
        ):
            assert reader.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() == (0,), table


def test_a_client_killed_at_any_step_leaves_nothing(
    killer: subprocess.Popen[str], steps: list[Step], administrator: Connection, made: tuple[Path, Path]
) -> None:
    assert killer.stdin is not None
    assert killer.stdout is not None
    text_steps = steps[: steps.index(("artifact: begin", 1))]
    assert len(text_steps) > 15
    assert len(steps) > 50
    for step in steps[:-1]:
        killer.stdin.write(f"{step[0]}\t{step[1]}\n")
        killer.stdin.flush()
        assert json.loads(killer.stdout.readline()) == {"signal": signal.SIGKILL}, step
        if step in text_steps:
            nothing_of("core", administrator)
        nothing_of("repetition", administrator)
        readers_see_nothing(administrator)
    done = load(administrator, Artifact(made[1]), open_release(made[0]))
    assert (done.text_loaded, done.artifact_loaded) == (False, True)  # the text was whole before the artifact
    _sealed(administrator, made[1])
    readers_see_nothing(administrator)


@pytest.mark.parametrize("nth", range(5))
def test_a_server_killed_in_the_middle_leaves_nothing(
    data_dir: Path, steps: list[Step], made: tuple[Path, Path], nth: int
) -> None:
    at = random.Random(SEED).sample(steps[1:-1], 5)[nth]
    settings = settings_in(data_dir)
    one = Launcher(settings)
    place = database_of(settings)
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        server, backend = one.ensure().pid, connection.info.backend_pid

        def kill(step: Step) -> None:
            if step == at:
                os.kill(server, signal.SIGKILL)
                os.kill(backend, signal.SIGKILL)

        with pytest.raises(DatabaseError) as lost:
            load(connection, Artifact(made[1]), open_release(made[0]), at_step=named(kill))
        assert lost.value.kind == "connection_lost"
    with open_target(of_embedded(database_of(settings), user=SUPERUSER)) as connection:
        assert one.ensure().pid != server
        nothing_of("repetition", connection)
        readers_see_nothing(connection)
        if at in steps[: steps.index(("artifact: begin", 1))]:
            nothing_of("core", connection)
        assert load(connection, Artifact(made[1]), open_release(made[0])).artifact_loaded
        _sealed(connection, made[1])


def _sealed(connection: Connection, artifact: Path) -> None:
    rows = connection.execute(b"SELECT artifact_root FROM repetition.seal").fetchall()
    assert [bytes(root) for (root,) in rows] == [Artifact(artifact).artifact_root]
