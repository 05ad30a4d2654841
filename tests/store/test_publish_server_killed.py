"""kill -9 of the server, all of its processes, at every step of a publication and of a withdrawal."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tekrar.store.embedded import database_of
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import ADMINISTRATOR, PUBLISHER
from tests.store.place import settings_in, url_of
from tests.store.publication_state import (
    alone,
    held_at_a_step,
    publish_steps,
    published_whole,
    steps_of,
    until,
    wholly,
)
from tests.store.publish_killer import Killer, killer_in
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, call, everything, new_load, plan_of, publish
from tests.store.server_killer import kill_server

SEED = 20240229
#: Steps of a publication of four, and of a withdrawal; the tests below hold both numbers.
PUBLISH_STEPS = 25
WITHDRAW_STEPS = 5
CHOSEN = random.Random(SEED).sample(range(1, PUBLISH_STEPS + 1), 5)
_numbers = count(1)


class Server:
    """A server of its own, started by this process, with a database of actors."""

    def __init__(self, folder: Path) -> None:
        self.launcher = Launcher(settings_in(folder))
        self.database: Embedded = database_of(self.launcher.settings)

    def connect(self) -> Connection:
        """A superuser's connection; starts the server where it was killed."""
        database_of(self.launcher.settings)
        return open_target(of_embedded(self.database, user=SUPERUSER))


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory, pristine: Path) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("killed")
    subprocess.run(["cp", "-a", str(pristine / "server"), str(folder)], check=True)
    one = Server(folder)
    with one.connect() as admin:
        admin.execute(
            "SET ROLE tekrar_owner; SELECT curation.init_administrator('yönetici', NULL); RESET ROLE"
        )
        call(admin, ADMINISTRATOR, "yönetici", "api.actor", "yayıncı", None)
        call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "publisher", "*", None, None)
    yield one
    one.launcher.stop()


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with killer_in(tmp_path_factory.mktemp("killer")) as one:
        yield one


def fresh(admin: Connection) -> Loaded:
    return new_load(admin, f"sunucu {next(_numbers)} ")


def killed_at(server: Server, killer: Killer, words: tuple[str, ...], stop_at: str, *, client: bool) -> None:
    """Run a command line up to a step and kill the server, or the client; nothing must have changed."""
    with server.connect() as admin:
        before = everything(admin)
        pid = killer.start(url_of(server.database, user=LOGIN), *words, stop_at=stop_at)
        until(lambda: held_at_a_step(admin))
        if client:
            os.kill(pid, signal.SIGKILL)
            assert killer.ended() == {"signal": signal.SIGKILL}
            until(lambda: alone(admin))
        else:
            kill_server(server.launcher.ensure().pid)
            assert killer.ended() == {"exit": 8}
    with server.connect() as admin:
        assert everything(admin) == before
        wholly(admin)


@pytest.fixture(scope="module")
def waiting(server: Server) -> Loaded:
    """An artifact that nobody publishes to the end."""
    with server.connect() as admin:
        one = fresh(admin)
        assert len(publish_steps(admin, one)) == PUBLISH_STEPS
    return one


@pytest.mark.parametrize(
    "n",
    [pytest.param(n, marks=() if n in CHOSEN else pytest.mark.faults) for n in range(1, PUBLISH_STEPS + 1)],
)
@pytest.mark.req("REL-05", "REL-06")
def test_a_server_killed_at_a_step_of_publishing_has_published_nothing(
    server: Server, killer: Killer, waiting: Loaded, n: int
) -> None:
    words = ("submit", waiting.artifact_root.hex())
    killed_at(server, killer, words, str(n), client=False)


@pytest.mark.req("REL-05", "REL-06")
def test_after_the_kills_it_is_published_whole(server: Server, killer: Killer, waiting: Loaded) -> None:
    killed_at(server, killer, ("submit", waiting.artifact_root.hex()), "publish/done", client=False)
    with server.connect() as admin:
        before = everything(admin)
        plan = plan_of(admin, waiting, *PROFILES, together=True)
        assert publish(admin, plan)["outcome"] == "published"
        kill_server(server.launcher.ensure().pid)  # what was answered is on the disk
    with server.connect() as admin:
        published_whole(admin, before, waiting)
        assert publish(admin, plan)["outcome"] == "already_visible"
        wholly(admin)


@pytest.mark.faults
@pytest.mark.req("REL-06")
@pytest.mark.parametrize("n", range(12))
def test_a_server_killed_around_commit_has_published_all_or_nothing(
    server: Server, killer: Killer, n: int
) -> None:
    """Half a millisecond more each time from the last step on, so that it falls before, into, after it."""
    with server.connect() as admin:
        one = fresh(admin)
        before = everything(admin)
        words = ("submit", one.artifact_root.hex())
        killer.start(url_of(server.database, user=LOGIN), *words, stop_at="publish/done", stop_for=0.05)
        until(lambda: held_at_a_step(admin))
        pid = server.launcher.ensure().pid
        until(lambda: not held_at_a_step(admin))
        time.sleep(n * 0.0005)
        kill_server(pid)
        ended = killer.ended()
        assert ended in ({"exit": 8}, {"exit": 0})
    with server.connect() as admin:
        wholly(admin)
        done = everything(admin) != before
        assert done or ended == {"exit": 8}, "it was answered and is not there"
        if done:
            published_whole(admin, before, one)
        again = publish(admin, plan_of(admin, one, *PROFILES, together=True))["outcome"]
        assert again == ("already_visible" if done else "published")


@pytest.fixture(scope="module")
def visible(server: Server) -> str:
    """A visible release that nobody withdraws to the end."""
    with server.connect() as admin:
        one = fresh(admin)
        plan = plan_of(admin, one, *PROFILES, together=True)
        release: str = publish(admin, plan)["releases"][0]["release"]
        assert len(steps_of(admin, "api.withdraw", release, "deneme")) == WITHDRAW_STEPS
    return release


@pytest.mark.faults
@pytest.mark.req("REL-06")
@pytest.mark.parametrize("client", [True, False], ids=["client", "server"])
@pytest.mark.parametrize("n", range(1, WITHDRAW_STEPS + 1))
def test_a_kill_at_a_step_of_withdrawing_has_withdrawn_nothing(
    server: Server, killer: Killer, visible: str, n: int, client: bool
) -> None:
    killed_at(server, killer, ("withdraw", visible, "--reason", "deneme"), str(n), client=client)


@pytest.mark.faults
def test_after_the_kills_it_is_withdrawn(server: Server, visible: str) -> None:
    with server.connect() as admin:
        assert call(admin, PUBLISHER, "yayıncı", "api.withdraw", visible, "deneme")["outcome"] == "withdrawn"
        wholly(admin)
