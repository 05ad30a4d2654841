"""kill -9 of the server while candidates are loaded, and while a ledger is replayed: nothing of it stays."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tekrar.candidates.stored import open_stored
from tekrar.errors import DatabaseError
from tekrar.store.curation.compared import compare
from tekrar.store.embedded import database_of
from tekrar.store.evidence.loading import CandidatePackage, load_candidates
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curation_scenario import Scenario
from tests.store.curation_small import packages
from tests.store.place import make_database_from, settings_in, url_of
from tests.store.publication_state import held_at_a_step, until
from tests.store.publish_killer import killer_in
from tests.store.server_killer import kill_server
from tests.store.ten_operations import decide_all, prepare_in, texts
from tests.store.test_replay import everything

pytestmark = pytest.mark.faults

#: Steps of a load of candidates; the test that counts them holds this.
LOAD_STEPS = (
    *("begin", "begin_candidates"),
    *(
        f"{when}copy curation.{table}"
        for table in ("candidate", "candidate_participant", "evidence")
        for when in ("", "inside ")
    ),
    *("read back", "attach_candidates", "seal_candidates", "commit"),
)
#: Where a replay is held: a step of each kind of row.
REPLAY_STEPS = (
    *("apply/decision", "apply/reviews", "apply/family", "apply/members", "apply/expansion"),
    *("apply/quotation", "apply/choice", "apply/in_force", "apply/compensation", "apply/override"),
    *("apply/superseded", "apply/memberships_ended", "apply/mapping", "apply/succession"),
)
_SETS = "SELECT count(*) FROM curation.candidate_set"
_PARTITIONS = (
    "SELECT count(*) FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind = 'r'"
    " AND n.nspname = 'curation' AND c.relname ~ '^(candidate|candidate_participant|evidence)_[0-9]+$'"
)


@dataclass(frozen=True)
class Own:
    """A server that this process started, with the artifact of the two books loaded."""

    scenario: Scenario
    launcher: Launcher

    def place(self, name: str = "") -> Embedded:
        found = database_of(self.launcher.settings)
        return replace(found, database=name) if name else found

    def connect(self, name: str = "") -> Connection:
        return open_target(of_embedded(self.place(name), user=SUPERUSER))


@pytest.fixture(scope="module")
def own(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Own]:
    folder = tmp_path_factory.mktemp("evidence")
    settings = settings_in(folder / "data")
    try:
        one = packages(folder, texts=texts())
        one.run("load", folder / "artifact", "--release", folder / "release")
        yield Own(one, Launcher(settings))
    finally:
        Launcher(settings).stop()


def load(own: Own, connection: Connection, at_step: Callable[[int, str], None] | None = None) -> bool:
    folder = own.scenario.folder / "candidates"
    stored = open_stored(folder)
    rows = [
        (one.id, one.participants, one.result, proof.id, proof.payload)
        for one, proof in zip(stored.candidates, stored.evidence, strict=True)
    ]
    package = CandidatePackage(str(folder), stored.manifest, rows)
    return load_candidates(connection, package, at_step=at_step).loaded


@pytest.mark.parametrize("at", LOAD_STEPS)
@pytest.mark.req("CND-10", "REL-06")
def test_a_server_killed_while_candidates_are_loaded_has_none(own: Own, at: str) -> None:
    def kill(number: int, name: str) -> None:
        if name == at:
            kill_server(own.launcher.ensure().pid)

    with own.connect() as connection, pytest.raises(DatabaseError) as lost:
        load(own, connection, kill)
    assert lost.value.kind == "connection_lost"
    with own.connect() as connection:
        assert connection.execute(_SETS.encode()).fetchone() == (0,)
        assert connection.execute(_PARTITIONS.encode()).fetchone() == (0,)


def test_after_the_kills_they_are_loaded(own: Own) -> None:
    steps: list[str] = []
    with own.connect() as connection:
        assert load(own, connection, lambda _, name: steps.append(name))
        assert tuple(steps) == (*LOAD_STEPS, "end")
        kill_server(own.launcher.ensure().pid)
    with own.connect() as connection:
        assert not load(own, connection)
        assert connection.execute(_PARTITIONS.encode()).fetchone() == (3,)


@pytest.fixture(scope="module")
def ledger(own: Own) -> Path:
    """The export of a ledger with every operation; the database EMPTY has the packages and no entry."""
    own.scenario.load()
    make_database_from(own.place(), "tekrar_empty")
    decide_all(prepare_in(own.scenario))
    file = own.scenario.folder / "ledger.jsonl"
    own.scenario.run("ledger", "export", "--out", file, actor="bakan")
    return file


@pytest.mark.req("CUR-12", "ID-07", "REB-01")
def test_a_server_killed_while_a_ledger_is_replayed_has_no_entry(
    own: Own, ledger: Path, tmp_path: Path
) -> None:
    with killer_in(tmp_path) as killer:
        for at in REPLAY_STEPS:
            with own.connect("tekrar_empty") as admin:
                before, url = everything(admin), url_of(own.place("tekrar_empty"))
                killer.start(url, "ledger", "replay", str(ledger), stop_at=at)
                until(lambda: held_at_a_step(admin))
                kill_server(own.launcher.ensure().pid)
                assert killer.ended() == {"exit": 8}, at
            with own.connect("tekrar_empty") as admin:
                assert everything(admin) == before, at
                assert admin.execute(b"SELECT count(*) FROM curation.ledger").fetchone() == (0,)
    url = url_of(own.place("tekrar_empty"))
    again = Scenario(own.scenario.folder, {**own.scenario.database, "TEKRAR_DATABASE_URL": url})
    assert again.run("ledger", "replay", ledger)["entries"] > 50
    kill_server(own.launcher.ensure().pid)
    with own.connect() as one, own.connect("tekrar_empty") as other:
        assert compare(one, other)[1] == []
