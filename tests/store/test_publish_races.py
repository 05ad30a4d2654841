"""Two publishers in a loop, and a publisher beside everybody else who changes what it rests on."""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from tekrar.errors import DatabaseError
from tekrar.store.backup import backup, restore
from tekrar.store.publish import Published as Outcome
from tekrar.store.publish import prepare, submit
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import ADMINISTRATOR, PUBLISHER
from tests.store.place import environment, settings_in, url_of
from tests.store.publication_state import held_at_a_step, published_whole, until, waiting_for_a_lock, wholly
from tests.store.publish_racer import MOVE
from tests.store.schema_load import Loaded
from tests.store.schema_publication import Published, call, everything, new_load, plan_of, publish

ROOT = Path(__file__).resolve().parents[2]
_numbers = count(1)


@contextmanager
def racer(database: Embedded, folder: Path, roots: list[str]) -> Iterator[Callable[[str], list[str]]]:
    """A process that publishes; gives what asks it and waits for its answer."""
    words = [
        sys.executable,
        "-m",
        "tests.store.publish_racer",
        url_of(database, user=LOGIN),
        url_of(database),
    ]
    child = subprocess.Popen(
        [*words, *roots],
        env=environment(folder),
        cwd=ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    stdin, stdout = child.stdin, child.stdout
    assert stdin is not None
    assert stdout is not None

    def ask(command: str) -> list[str]:
        stdin.write(command + "\n")
        stdin.flush()
        answer: list[str] = json.loads(stdout.readline())
        return answer

    try:
        yield ask
    finally:
        stdin.close()
        assert child.wait(30) == 0
        stdout.close()


def numbers_of(admin: Connection) -> tuple[Any, ...]:
    row = admin.execute(
        "SELECT (SELECT count(*) FROM curation.ledger WHERE kind = 'publication'),"
        " (SELECT count(*) FROM repetition.pointer_move), (SELECT sum(version) FROM repetition.visible),"
        " (SELECT count(*) FROM repetition.repetition_release)"
    ).fetchone()
    assert row is not None
    return row


@pytest.mark.parametrize("rounds", [20, pytest.param(200, marks=pytest.mark.faults)])
@pytest.mark.req("REL-04", "REL-05", "REL-07")
def test_two_publishers_in_a_loop_lose_nothing(
    admin: Connection, published: Published, database: Embedded, tmp_path: Path, rounds: int
) -> None:
    """Field-report row 82: the heads are compared where they stand, in the transaction that moves them."""
    roots = [new_load(admin, f"yarış {next(_numbers)} ").artifact_root.hex() for _ in range(2)]
    before = numbers_of(admin)
    with (
        racer(database, tmp_path, roots) as first,
        racer(database, tmp_path, roots) as second,
        ThreadPoolExecutor(2) as pool,
    ):

        def both(one: str, two: str) -> list[str]:
            answers: list[Future[list[str]]] = [pool.submit(first, one), pool.submit(second, two)]
            return [outcome for answer in answers for outcome in answer.result(300)]

        seen: Counter[str] = Counter()
        # Side by side: both have the same state in their plan, so exactly one publishes.
        for n in range(rounds // 2):
            admin.execute(MOVE)
            both(f"prepare {n % 2}", f"prepare {n % 2 if n % 3 else 1 - n % 2}")
            outcomes = both("publish", "publish")
            assert sorted(outcomes) == sorted(
                ["published", "already_visible" if n % 3 else "fact_mismatch"]
            ), n
            seen.update(outcomes)
        # Free running: whoever comes second by a hair has a stale plan.
        outcomes = both(f"free {rounds - rounds // 2} 1", f"free {rounds - rounds // 2} 2")
        assert set(outcomes) <= {"published", "fact_mismatch", "already_visible"}
        assert "published" in outcomes
        seen.update(outcomes)
    assert sum(seen.values()) == 2 * rounds
    done = seen["published"]
    entries, moves, versions, releases = numbers_of(admin)
    assert (entries, moves, versions, releases) == (
        before[0] + done,
        before[1] + 4 * done,
        before[2] + 4 * done,
        before[3] + 4 * done,
    )
    wholly(admin)


# --- beside others: held after its checks, before it writes ---------------------------------------------


@pytest.fixture
def login(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield connection


@contextmanager
def publishing(
    admin: Connection,
    login: Connection,
    one: Loaded,
    *,
    at: str = "publish/checked",
    seconds: float = 0.4,
    actor: str = "yayıncı",
) -> Iterator[Future[Outcome]]:
    """A publication that is held at a step for a while; between its checks and its writes, unless said."""
    plan = prepare(login, one.artifact_root.hex(), None, actor=actor)
    login.execute(f"SET tekrar.stop_at = '{at}'; SET tekrar.stop_for = {seconds}".encode())
    with ThreadPoolExecutor(1) as pool:
        future = pool.submit(submit, login, plan, actor=actor)
        until(lambda: held_at_a_step(admin))
        yield future
        future.result(60)
    login.execute("RESET tekrar.stop_at; RESET tekrar.stop_for")


@pytest.fixture
def other(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


def after_the_publication(
    admin: Connection, other: Connection, login: Connection, act: Callable[[Connection], Any], actor: str
) -> tuple[Loaded, Any]:
    """Act while a publication is held; the act must wait for it and then be done."""
    one = new_load(admin, f"yan yana {next(_numbers)} ")
    with (
        publishing(admin, login, one, actor=actor) as publication,
        ThreadPoolExecutor(1) as pool,
    ):
        acting = pool.submit(act, other)
        until(lambda: waiting_for_a_lock(admin) or publication.done())
        assert not acting.done()
        assert publication.result(30).outcome == "published"
        done = acting.result(30)
    wholly(admin)
    return one, done


def place_in_ledger(admin: Connection, kind: str) -> int:
    row = admin.execute("SELECT max(seq) FROM curation.ledger WHERE kind = %s", (kind,)).fetchone()
    assert row is not None
    return int(row[0])


@pytest.mark.req("REL-07", "CUR-11")
def test_a_freeze_beside_a_publication_comes_after_it(
    admin: Connection, other: Connection, login: Connection, published: Published
) -> None:
    after_the_publication(
        admin, other, login, lambda c: call(c, ADMINISTRATOR, "yönetici", "api.freeze", "deneme"), "yayıncı"
    )
    assert place_in_ledger(admin, "freeze") == place_in_ledger(admin, "publication") + 1


@pytest.mark.req("REL-07", "CUR-06")
def test_a_revocation_beside_a_publication_comes_after_it(
    admin: Connection, other: Connection, login: Connection, published: Published
) -> None:
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "ikinci", None)
    grant = call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "ikinci", "publisher", "*", None, None)
    _, done = after_the_publication(
        admin,
        other,
        login,
        lambda c: call(c, ADMINISTRATOR, "yönetici", "api.revoke_grant", grant["grant"]),
        "ikinci",
    )
    assert done["outcome"] == "revoked"
    assert place_in_ledger(admin, "revocation") == place_in_ledger(admin, "publication") + 1
    with pytest.raises(DatabaseError) as error:
        prepare(login, published[0].artifact_root.hex(), ["FP"], actor="ikinci")
    assert error.value.kind == "grant_revoked"


@pytest.mark.req("REL-07")
def test_a_canonical_choice_beside_a_publication_is_not_in_it(
    admin: Connection, other: Connection, login: Connection, published: Published
) -> None:
    moved: list[bytes] = []

    def choose(connection: Connection) -> None:
        with connection.transaction():
            connection.execute("SET LOCAL ROLE tekrar_owner")
            moved.extend(
                bytes(value)
                for (value,) in connection.execute(
                    "UPDATE curation.head SET value = sha256(value), version = version + 1"
                    " WHERE name = 'canonical-choices' RETURNING value"
                ).fetchall()
            )

    one, _ = after_the_publication(admin, other, login, choose, "yayıncı")
    assert moved
    bound = admin.execute(
        "SELECT convert_from(bound, 'UTF8')::jsonb ->> 'head/canonical-choices'"
        " FROM repetition.repetition_release WHERE artifact_key = %s",
        (one.artifact_key,),
    ).fetchall()
    assert len(bound) == 4
    assert not {bytes.fromhex(value) for (value,) in bound} & set(moved)


def test_a_withdrawal_beside_a_publication_comes_after_it(
    admin: Connection, other: Connection, login: Connection, published: Published
) -> None:
    """Of the release that the publication replaces: it is withdrawn, and what is visible stays."""
    old = new_load(admin, f"eski {next(_numbers)} ")
    release = publish(admin, plan_of(admin, old, "FP"))["releases"][0]["release"]
    one, done = after_the_publication(
        admin, other, login, lambda c: call(c, PUBLISHER, "yayıncı", "api.withdraw", release, "x"), "yayıncı"
    )
    assert done["outcome"] == "withdrawn"
    visible = admin.execute(
        "SELECT count(*) FROM repetition.visible v JOIN repetition.repetition_release r USING (release)"
        " WHERE r.artifact_key = %s",
        (one.artifact_key,),
    ).fetchone()
    assert visible == (4,)


def without_waiting(admin: Connection, act: Callable[[], Any]) -> Any:
    """Do something that never waits for a lock of anybody."""
    with ThreadPoolExecutor(1) as pool:
        acting = pool.submit(act)
        while not acting.done():
            assert not waiting_for_a_lock(admin)
    return acting.result()


@pytest.mark.parametrize("step", ["publish/locked", "publish/done"])
@pytest.mark.req("REL-07")
def test_a_load_beside_a_publication_waits_for_nothing(
    admin: Connection, other: Connection, login: Connection, published: Published, step: str
) -> None:
    one = new_load(admin, f"yan yana {next(_numbers)} ")
    before = everything(admin)
    with publishing(admin, login, one, at=step, seconds=1.5) as publication:
        loaded = without_waiting(admin, lambda: new_load(other, f"yüklenen {next(_numbers)} "))
        assert publication.result(30).outcome == "published"
    published_whole(admin, before, one)
    assert publish(admin, plan_of(admin, loaded, "FP"))["outcome"] == "published"
    wholly(admin)


@pytest.mark.faults
@pytest.mark.req("REL-06")
def test_a_backup_beside_a_publication_waits_for_nothing_and_is_whole(
    admin: Connection,
    login: Connection,
    published: Published,
    database: Embedded,
    empty_database: Embedded,
    tmp_path: Path,
) -> None:
    one = new_load(admin, f"yan yana {next(_numbers)} ")
    before = everything(admin)
    with publishing(admin, login, one, at="publish/done", seconds=3) as publication:
        place = settings_in(tmp_path, TEKRAR_DATABASE_URL=url_of(database))
        without_waiting(admin, lambda: backup(place, tmp_path / "backup"))
        assert publication.result(30).outcome == "published"
    restore(settings_in(tmp_path, TEKRAR_DATABASE_URL=url_of(empty_database)), tmp_path / "backup")
    with open_target(of_embedded(empty_database, user=SUPERUSER)) as restored:
        wholly(restored)
        if everything(restored) == before:
            plan = plan_of(restored, one, "FP", "FS", "PP", "PS", together=True)
            assert publish(restored, plan)["outcome"] == "published"
        published_whole(restored, before, one)
