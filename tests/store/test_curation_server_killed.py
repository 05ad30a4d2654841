"""kill -9 of the server, or of the client, at every step of everything that curation writes (CUR-12)."""

from __future__ import annotations

import json
import os
import random
import re
import shutil
import signal
import tempfile
import time
from collections import Counter
from collections.abc import Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from tekrar.store.curation.workflow import crosswalk
from tekrar.store.embedded import database_of
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, connect, open_target
from tekrar.store.target import of_embedded
from tests.store.matrix import CURATOR
from tests.store.place import settings_in, url_of
from tests.store.publication_state import alone, held_at_a_step, until, wholly
from tests.store.publish_killer import Killer, killer_in
from tests.store.relay import PORT, Cut, Relay
from tests.store.server_killer import kill_server
from tests.store.ten_operations import APPLIES, Prepared, prepare
from tests.store.test_replay import everything

SEED = 20240229
_APPLY = "locked checked ledger decision reviews"
_FAMILY = "family members expansion"
_ENDS = "superseded memberships_ended choices_ended"
#: Every step of every act, in order; a test below holds this to the functions.
STEPS = {
    "policy": "policy/locked policy/ledger policy/done".split(),
    "propose": "propose/locked propose/ledger propose/done".split(),
    "review": "review/locked review/ledger review/done".split(),
    "draft": "draft/checked draft/done".split(),
    "crosswalk": "crosswalk/locked crosswalk/ledger crosswalk/done".split(),
    "mark": "mark/locked mark/ledger mark/done".split(),
} | {
    name: [f"apply/{step}" for step in f"{_APPLY} {own} head done".split()]
    for name, own in {
        "accept_family": _FAMILY,
        "accept_quotation": "quotation",
        "choose_canonical": "ended choice in_force",
        "compensate_choice": "compensation ended",
        "override_false_positive": "override",
        "replace": f"{_ENDS} {_FAMILY} mapping succession",
        "split": f"{_ENDS} {_FAMILY} {_FAMILY} mapping succession",
        "merge": f"{_ENDS} {_FAMILY} mapping succession",
        "restructure": f"{_ENDS} {_FAMILY} {_FAMILY} mapping succession",
        "retire": f"{_ENDS} mapping succession",
    }.items()
}
PLACES = [(act, n) for act, steps in STEPS.items() for n in range(1, len(steps) + 1)]
CHOSEN = random.Random(SEED).sample(PLACES, 5)
FUNCTIONS = {
    "policy": "api.register_policy",
    "propose": "api.submit_proposal",
    "review": "api.review",
    "draft": "api.save_draft",
    "crosswalk": "api.crosswalk",
    "mark": "api.mark_candidates",
}


class Killed:
    """What is prepared in a server that this process started and kills."""

    def __init__(self, prepared: Prepared, folder: Path) -> None:
        self.prepared = prepared
        self.settings = settings_in(folder / "data")
        self.launcher = Launcher(self.settings)

    def connect(self) -> Connection:
        """A superuser's connection; starts the server where it was killed."""
        return open_target(of_embedded(database_of(self.settings), user=SUPERUSER))

    def start(self, killer: Killer, act: str, **more: Any) -> int:
        url = more.pop("url", None) or url_of(database_of(self.settings), user=LOGIN)
        return killer.start(url, *self.prepared.words[act], actor=self.prepared.by[act], **more)

    def kill(self) -> None:
        kill_server(self.launcher.ensure().pid)

    def again(self, act: str) -> dict[str, Any]:
        """Do an act in this process; what it answers."""
        words, actor = self.prepared.words[act], self.prepared.by[act]
        if act != "crosswalk":
            return self.prepared.scenario.run(*words, actor=actor)
        with connect(self.settings) as connection:
            return crosswalk(connection, *words[1:], actor=actor)


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Killed]:
    folder = tmp_path_factory.mktemp("curation")
    try:
        yield Killed(prepare(folder), folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with killer_in(tmp_path_factory.mktemp("killer")) as one:
        yield one


def state(admin: Connection) -> dict[str, list[str]]:
    """Every row of curation and of what is published, drafts too."""
    drafts = admin.execute("SELECT * FROM curation.draft").fetchall()
    return everything(admin) | {"curation.draft": sorted(map(str, drafts))}


def added(before: dict[str, list[str]], after: dict[str, list[str]]) -> Counter[str]:
    """How many rows of each kind there are more; none that is no head, end or pointer was changed."""
    changing = {"curation.head", "curation.effective_membership", "curation.effective_choice"}
    for name in before.keys() - changing:
        assert set(before[name]) <= set(after[name]), name
    return Counter({name: len(after[name]) - len(before[name]) for name in before})


@pytest.mark.req("CUR-12")
def test_the_steps_are_all_there_are(killed: Killed) -> None:
    folder = files("tekrar.store") / "sql" / "functions"
    named = {
        name
        for file in folder.iterdir()
        for name in re.findall(r"tekrar_meta\.step\('([a-z]+/[a-z_]+)'\)", file.read_text("utf-8"))
    }
    assert {one for one in named if not one.startswith(("publish/", "withdraw/"))} == {
        step for steps in STEPS.values() for step in steps
    }
    with killed.connect() as admin:
        for act in APPLIES:
            assert applied_and_rolled_back(admin, killed.prepared.words[act][1]) == STEPS[act], act


def applied_and_rolled_back(admin: Connection, proposal: str) -> list[str]:
    with admin.transaction(force_rollback=True):
        admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        admin.execute(
            "SELECT set_config('tekrar.claims', %s, true), set_config('tekrar.stop_at', 'none', true)",
            (json.dumps({"actor": "yazar"}),),
        )
        admin.execute(f"SET LOCAL ROLE {CURATOR}".encode())
        admin.execute("SELECT api.apply(%s, NULL)", (proposal,))
        row = admin.execute("SELECT current_setting('tekrar.steps')").fetchone()
    assert row is not None
    return str(row[0]).split()


@pytest.mark.parametrize(
    "client", [False, pytest.param(True, marks=pytest.mark.faults)], ids=["server", "client"]
)
@pytest.mark.parametrize(
    ("act", "n"), [pytest.param(*one, marks=() if one in CHOSEN else pytest.mark.faults) for one in PLACES]
)
@pytest.mark.req("CUR-04", "CUR-12", "REL-06")
def test_a_kill_at_a_step_has_written_nothing(
    killed: Killed, killer: Killer, act: str, n: int, client: bool
) -> None:
    with killed.connect() as admin:
        before = state(admin)
        pid = killed.start(killer, act, stop_at=str(n))
        until(lambda: held_at_a_step(admin))
        if client:
            os.kill(pid, signal.SIGKILL)
            assert killer.ended() == {"signal": signal.SIGKILL}
            until(lambda: alone(admin))
        else:
            killed.kill()
            assert killer.ended() == {"exit": 8}
    with killed.connect() as admin:
        assert state(admin) == before
        wholly(admin)


@pytest.fixture(scope="module", params=["client", "server"])
def lost(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, launcher: Launcher
) -> Iterator[tuple[str, Killed]]:
    """Who is killed when COMMIT was sent, and what is prepared for that."""
    folder = tmp_path_factory.mktemp("lost")
    try:
        yield request.param, Killed(prepare(folder), folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


@pytest.mark.faults
@pytest.mark.parametrize("act", STEPS)
@pytest.mark.req("CUR-09", "CUR-12", "REL-06")
def test_a_lost_answer_is_given_again(lost: tuple[str, Killed], killer: Killer, act: str) -> None:
    """COMMIT is sent and nobody hears what came of it: the act is there whole, or not at all; again it is
    done, and once."""
    who, killed = lost
    with killed.connect() as admin:
        before = state(admin)
        if who == "client":
            cut_at_commit(killed, killer, act, forwarded=False)
            until(lambda: alone(admin))
            assert state(admin) == before
            cut_at_commit(killed, killer, act, forwarded=True)
            until(lambda: alone(admin))
        else:
            killed.start(killer, act, stop_at=str(len(STEPS[act])), stop_for=0.05)
            until(lambda: held_at_a_step(admin))
            pid = killed.launcher.ensure().pid
            until(lambda: not held_at_a_step(admin))
            time.sleep(list(STEPS).index(act) * 0.0004)
            kill_server(pid)
            heard = killer.ended()
    with killed.connect() as admin:
        wholly(admin)
        once = state(admin)
        done = once != before
        assert done or who == "client" or heard == {"exit": 8}, "it was answered and is not there"
        answer = killed.again(act)
        wholly(admin)
        after = state(admin)
        if done and act != "mark":
            assert after == once
        if act in APPLIES:
            assert answer["outcome"] == ("already_applied" if done else "applied")
            query = "SELECT document FROM curation.decision WHERE proposal_digest = decode(%s, 'hex')"
            ((document,),) = admin.execute(query, (killed.prepared.words[act][1],)).fetchall()
            assert answer["structures"] == json.loads(document)["structures"]
    if act == list(STEPS)[-1]:
        assert killed.prepared.scenario.run("release", "verify", "--all", actor="bakan")["findings"] == []


def cut_at_commit(killed: Killed, killer: Killer, act: str, *, forwarded: bool) -> None:
    """Kill the client where it sends the COMMIT of an act, before the message goes on or after."""
    # A socket's path has 107 bytes at most.
    folder = Path(tempfile.mkdtemp(prefix="tekrar-relay-", dir="/tmp"))
    place = database_of(killed.settings)
    relay = Relay(place.socket_dir, folder)
    try:
        cut = Cut(forwarded=forwarded, commit_of=FUNCTIONS.get(act, "api.apply"))
        thread = relay.start(cut)
        url = f"postgresql://{LOGIN}@/{place.database}?host={folder}&port={PORT}"
        process = os.pidfd_open(killed.start(killer, act, url=url))
        cut.kill.put(lambda: signal.pidfd_send_signal(process, signal.SIGKILL))
        assert killer.ended() == {"signal": signal.SIGKILL}, cut.said
        os.close(process)
        thread.join()
    finally:
        relay.close()
        shutil.rmtree(folder)


@pytest.mark.req("CUR-09", "CUR-12", "REL-06")
def test_after_the_kills_everything_is_done_once(killed: Killed) -> None:
    for act in STEPS:
        with killed.connect() as admin:
            before = state(admin)
        first = killed.again(act)
        killed.kill()  # what was answered is on the disk
        with killed.connect() as admin:
            once = state(admin)
            assert added(before, once).total(), act
            again = killed.again(act)
            wholly(admin)
            # Who marks a candidate twice has said it twice; everything else is there once.
            assert (state(admin) == once) == (act != "mark"), act
        if act in APPLIES:
            assert (first["outcome"], again["outcome"]) == ("applied", "already_applied")
            assert again["all_structures"] == first["all_structures"]
    assert killed.prepared.scenario.run("release", "verify", "--all", actor="bakan")["findings"] == []
