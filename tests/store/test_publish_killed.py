"""kill -9 of the publishing client at every step and every statement: all or nothing, and soon free."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from tekrar.store.publish import prepare, submit
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.place import environment, url_of
from tests.store.publication_state import alone, held_at_a_step, publish_steps, published_whole, until, wholly
from tests.store.publish_killer import Killer, killer_in
from tests.store.relay import PORT, STATEMENTS, Cut, Relay
from tests.store.schema_load import Loaded
from tests.store.schema_publication import everything, new_load

#: Seconds after the death of a client within which its locks are gone; it is looked for every half second.
FREE_SECONDS = 3.0
ALL_MESSAGES = b"PBDECSHQX"
_numbers = count(1)


@pytest.fixture(scope="module")
def killer(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Killer]:
    with killer_in(tmp_path_factory.mktemp("killer")) as one:
        yield one


@pytest.fixture
def relay(database: Embedded) -> Iterator[tuple[Relay, Path]]:
    folder = Path(
        tempfile.mkdtemp(prefix="tekrar-relay-", dir="/tmp")
    )  # a socket's path has 107 bytes at most
    one = Relay(database.socket_dir, folder)
    yield one, folder
    one.close()
    shutil.rmtree(folder)


def fresh(admin: Connection) -> Loaded:
    """An artifact that nobody has published, of the series of all the others."""
    return new_load(admin, f"öldür {next(_numbers)} ")


def publish_again(database: Embedded, one: Loaded) -> str:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        return submit(
            connection, prepare(connection, one.artifact_root.hex(), None, actor="yayıncı"), actor="yayıncı"
        ).outcome


def committing(said: list[str]) -> bool:
    """Whether a client that sent these messages has asked for the COMMIT of its publication."""
    asked = [n for n, one in enumerate(said) if one.startswith("E SELECT api.publish")]
    return bool(asked) and "E COMMIT" in said[asked[-1] :]


@pytest.mark.req("REL-05", "REL-06")
def test_a_client_killed_at_any_step_has_published_nothing(
    admin: Connection, actors: Loaded, database: Embedded, killer: Killer
) -> None:
    one = fresh(admin)
    steps = publish_steps(admin, one)
    assert len(steps) == 3 + 4 * 5 + 2
    assert len(set(steps)) == 3 + 4 + 4 + 2
    slowest = 0.0
    for n in range(1, len(steps) + 1):
        before = everything(admin)
        pid = killer.start(url_of(database, user=LOGIN), "submit", one.artifact_root.hex(), stop_at=str(n))
        until(lambda: held_at_a_step(admin))
        os.kill(pid, signal.SIGKILL)
        assert killer.ended() == {"signal": signal.SIGKILL}, steps[n - 1]
        slowest = max(slowest, until(lambda: alone(admin)))
        assert everything(admin) == before, steps[n - 1]
    wholly(admin)
    assert slowest < FREE_SECONDS
    before = everything(admin)
    assert publish_again(database, one) == "published"
    published_whole(admin, before, one)
    wholly(admin)


@pytest.mark.parametrize(
    "kinds",
    [STATEMENTS, pytest.param(ALL_MESSAGES, marks=pytest.mark.faults)],
    ids=["statements", "messages"],
)
@pytest.mark.req("REL-05", "REL-06")
def test_a_client_killed_between_its_statements_has_published_all_or_nothing(
    admin: Connection,
    actors: Loaded,
    database: Embedded,
    killer: Killer,
    relay: tuple[Relay, Path],
    kinds: bytes,
) -> None:
    url = f"postgresql://{LOGIN}@/{database.database}?host={relay[1]}&port={PORT}"

    def run(cut: Cut, one: Loaded) -> dict[str, int]:
        thread = relay[0].start(cut)
        process = os.pidfd_open(killer.start(url, "submit", one.artifact_root.hex()))
        cut.kill.put(lambda: signal.pidfd_send_signal(process, signal.SIGKILL))
        ended = killer.ended()
        os.close(process)
        thread.join()
        until(lambda: alone(admin))
        return ended

    one, whole = fresh(admin), Cut(kinds=kinds)
    assert run(whole, one) == {"exit": 0}
    assert committing(whole.said)
    one, seen = fresh(admin), []
    # One place more, for how many messages end a batch depends on time.
    for n in range(1, len(whole.said) + 2):
        for forwarded in (False, True):
            before, cut = everything(admin), Cut(at=n, forwarded=forwarded, kinds=kinds)
            ended = run(cut, one)
            wholly(admin)
            done = everything(admin) != before
            seen.append(done)
            finished = cut.said[-1].startswith("X")  # the client had the answer, and may have ended by itself
            assert ended == {"signal": signal.SIGKILL} or (finished and ended == {"exit": 0})
            if not committing(cut.said if forwarded else cut.said[:-1]):
                assert not done, (n, cut.said)
            elif finished:
                assert done, (n, cut.said)
            # else COMMIT was sent and not answered: it may have happened or not
            if done:
                published_whole(admin, before, one)
                assert publish_again(database, one) == "already_visible"
                one = fresh(admin)
    assert set(seen) == {False, True}
    assert publish_again(database, one) == "published"


@pytest.mark.faults
@pytest.mark.req("REL-06")
def test_a_process_of_its_own_killed_at_moments_of_chance(
    admin: Connection, actors: Loaded, database: Embedded, tmp_path: Path
) -> None:
    """No fork and no seam: a process that prepares and submits, killed after a part of its time."""
    whole = 0.0
    for part in [None, *(n / 16 for n in range(20))]:
        one = fresh(admin)
        before = everything(admin)
        begun = time.monotonic()
        child = subprocess.Popen(
            [sys.executable, "-m", "tests.store.publish_submit", one.artifact_root.hex()],
            env=environment(
                tmp_path, TEKRAR_DATABASE_URL=url_of(database, user=LOGIN), TEKRAR_ACTOR="yayıncı"
            ),
            cwd=Path(__file__).resolve().parents[2],
            stdout=subprocess.DEVNULL,
        )
        if part is None:
            assert child.wait() == 0
            whole = time.monotonic() - begun
        else:
            time.sleep(part * whole)
            child.kill()
            assert child.wait() in (-signal.SIGKILL, 0)
        until(lambda: alone(admin))
        wholly(admin)
        done = everything(admin) != before
        if done:
            published_whole(admin, before, one)
        if part is None or child.returncode == 0:
            assert done
        if part == 0:
            assert (child.returncode, done) == (-signal.SIGKILL, False)
        assert publish_again(database, one) == ("already_visible" if done else "published")
