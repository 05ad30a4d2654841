"""A plan that was made for one caller serves no other: who asks is decided at every run (T14, PUB-06)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from tekrar.errors import NotFoundError, TekrarError
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import of_embedded
from tests.store.matrix import READER
from tests.store.schema_authority import FAR, NEAR, World
from tests.store.schema_publication import new_load, plan_of, publish

#: Name -> question of a release with an occurrence and a class of it.
QUESTIONS: dict[str, Callable[[Reader, str, str, str], Any]] = {
    "status": lambda reader, release, id, _: reader.status(release, id),
    "occurrence": lambda reader, release, id, _: reader.occurrence(release, id),
    "why": lambda reader, release, id, _: reader.why(release, id),
    "duplicates": lambda reader, release, _, exact: reader.duplicates(release, exact),
    "duplicates of one": lambda reader, release, id, _: reader.duplicates(release, id),
    "classes": lambda reader, release, *_: reader.classes(release, counted=True),
    "no classes": lambda reader, release, *_: reader.classes(release, min_size=9, counted=True),
    "coverage": lambda reader, release, *_: reader.coverage(release),
    "release": lambda reader, release, *_: reader.release(release),
}


@pytest.fixture
def program(world: World) -> Iterator[Connection]:
    with open_target(of_embedded(world.place, user=LOGIN)) as connection:
        yield connection


def outcome(ask: Callable[[], Any]) -> str:
    """`answered`, or the kind of the refusal."""
    try:
        ask()
    except NotFoundError:
        return "not_published"
    except TekrarError as error:
        return error.kind
    return "answered"


@pytest.mark.req("PUB-06", "QRY-05")
@pytest.mark.parametrize("question", QUESTIONS)
@pytest.mark.parametrize("first", ["public", "near", "far", "none"])
def test_callers_take_turns_on_one_connection(
    world: World, program: Connection, question: str, first: str
) -> None:
    """Whoever was first and made the plan: public, granted here, granted elsewhere, not granted."""
    for actor, scope in (("yakın", NEAR), ("uzak", FAR), ("kimse", None)):
        if world.admin.execute("SELECT FROM curation.actor WHERE name = %s", (actor,)).fetchone() is None:
            world.name(actor, None)
            if scope is not None:
                world.grant(actor, READER, scope)
    readers = {
        "public": Reader(program, key=bytes(32)),
        "near": Reader(program, claims={"actor": "yakın"}, key=bytes(32)),
        "far": Reader(program, claims={"actor": "uzak"}, key=bytes(32)),
        "none": Reader(program, claims={"actor": "kimse"}, key=bytes(32)),
    }
    near = (
        str(world.releases["FP"]),
        str(world.near.occurrence("FP", 0)),
        str(world.near.exact_class("FP", 0)),
    )
    far = (
        str(world.far_releases["FP"]),
        str(world.far.occurrence("FP", 0)),
        str(world.far.exact_class("FP", 0)),
    )
    expected = {
        "public": ("answered", "answered"),
        "near": ("answered", "not_published"),
        "far": ("not_published", "answered"),
        "none": ("grant_missing", "grant_missing"),
    }
    order = [first, *(name for name in readers if name != first)]
    for turn in range(8):  # past the five runs after which PostgreSQL may keep a plan of its own choice
        for name in order if turn % 2 == 0 else reversed(order):
            found = tuple(
                outcome(lambda w=which, n=name: QUESTIONS[question](readers[n], *w))  # type: ignore[misc]
                for which in (near, far)
            )
            assert found == expected[name], (turn, name)


@pytest.mark.req("PUB-06")
def test_a_plan_over_all_partitions_sees_what_is_published_later(world: World, program: Connection) -> None:
    """What a kept plan holds as published is never all that is asked: a later release is seen at once."""
    query = "SELECT count(*) FROM repetition.occurrence"
    count = "SELECT count(*) FROM api.get_occurrence(%s, %s)"
    program.execute("SET plan_cache_mode = force_generic_plan")

    def run(statement: str, *parameters: object) -> int:
        with program.transaction():
            program.execute("SET LOCAL ROLE tekrar_reader")
            row = program.execute(statement.encode(), parameters, prepare=True).fetchone()
            assert row is not None
            return int(row[0])

    old = world.releases["FP"], world.near.occurrence("FP", 0)
    for _ in range(3):
        before = run(query)
        assert run(count, *old) == 1
    later = new_load(world.admin, "sonra ")
    assert run(query) == before  # loaded and sealed is not published
    done = publish(world.admin, plan_of(world.admin, later, "FP"))
    assert done["outcome"] == "published"
    assert run(query) == before + 4
    release = world.admin.execute(
        "SELECT release FROM repetition.repetition_release WHERE profile_key = %s", (later.profiles["FP"],)
    ).fetchone()
    assert release is not None
    assert run(count, release[0], later.occurrence("FP", 0)) == 1


def test_a_publication_that_is_undone_stays_in_no_plan(world: World) -> None:
    """A plan that was made while the publication was not yet committed does not take it for published."""
    later = new_load(world.admin, "belki ")
    admin = world.admin
    admin.execute("SET plan_cache_mode = force_generic_plan")
    key = later.profiles["FP"]
    admin.execute(
        f"PREPARE counting AS SELECT count(*) FROM repetition.occurrence WHERE profile_key = {key}".encode()
    )

    def counted() -> int:
        admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        admin.execute("SELECT set_config('tekrar.claims', '{}', true)")
        admin.execute("SET LOCAL ROLE tekrar_reader")
        row = admin.execute("EXECUTE counting").fetchone()
        admin.execute("RESET SESSION AUTHORIZATION")
        assert row is not None
        return int(row[0])

    # Past the driver, which forgets what is prepared when a transaction is undone.
    admin.pgconn.exec_(b"BEGIN")
    publish(admin, plan_of(admin, later, "FP"))
    assert counted() == 4
    admin.pgconn.exec_(b"ROLLBACK")
    admin.pgconn.exec_(b"BEGIN")
    assert counted() == 0
    admin.pgconn.exec_(b"ROLLBACK")
    admin.execute("DEALLOCATE counting")
    admin.execute("RESET plan_cache_mode")
