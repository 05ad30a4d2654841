"""Readers in a tight loop beside publications and a withdrawal: each answer is of before or of after."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import pytest

from tekrar.errors import NotFoundError
from tekrar.store.publish import prepare, submit, withdraw
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.publication_state import wholly
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, new_load

READERS = 3
#: What a reader sees: a value that stands for the whole answer.
Seen = Callable[[Reader], Any]


@dataclass
class Polled:
    """Answers of one reader's loop: the different ones in their order, and how many there were."""

    answers: list[Any] = field(default_factory=list)
    count: int = 0


@contextmanager
def polling(database: Embedded, *questions: Seen) -> Iterator[list[Polled]]:
    """Readers that ask the same questions again and again until the block ends."""
    stop, polled = threading.Event(), [Polled() for _ in questions for _ in range(READERS)]

    def poll(question: Seen, into: Polled) -> None:
        with open_target(of_embedded(database, user=LOGIN)) as connection:
            reader = Reader(connection, key=b"k" * 32)
            while True:
                last = stop.is_set()  # once more after the end
                answer = question(reader)
                into.count += 1
                if not into.answers or into.answers[-1] != answer:
                    into.answers.append(answer)
                if last:
                    return

    asked = [question for question in questions for _ in range(READERS)]
    with ThreadPoolExecutor(len(asked)) as pool:
        running = [pool.submit(poll, question, into) for question, into in zip(asked, polled, strict=True)]
        try:
            while not all(one.count > 2 for one in polled):
                assert not any(one.done() for one in running), [
                    one.exception() for one in running if one.done()
                ]
            yield polled
        finally:
            stop.set()
        for one in running:
            one.result(60)


def visible(reader: Reader) -> tuple[tuple[str, str, bool], ...]:
    """Artifact and profile of each visible release, and whether it is named by a set."""
    return tuple(
        sorted(
            (one["artifact_root"], one["short"], one["release_set"] is not None)
            for one in reader.releases()
            if one["state"] == "visible"
        )
    )


def whole_set(one: Loaded, *, without: str = "") -> tuple[tuple[str, str, bool], ...]:
    return tuple((one.artifact_root.hex(), short, True) for short in PROFILES if short != without)


def status_of(release: str, occurrence: str) -> Seen:
    def ask(reader: Reader) -> Any:
        try:
            found = reader.status(release, occurrence)
        except NotFoundError:
            return "not_found"
        return (found["status"], found["code"])

    return ask


def duplicates_of(release: str, id: str) -> Seen:
    def ask(reader: Reader) -> Any:
        try:
            found = reader.duplicates(release, id)
        except NotFoundError:
            return "not_found"
        return (found["status"], len(found["members"]))

    return ask


def slow(connection: Connection, step: str) -> None:
    """Every transaction of a connection lingers at a step, so that many answers fall into it."""
    connection.execute(f"SET tekrar.stop_at = '{step}'; SET tekrar.stop_for = 0.3".encode())


@pytest.mark.req("REL-06", "VAL-12")
def test_readers_see_old_or_new_and_nothing_between(
    admin: Connection, actors: Loaded, database: Embedded
) -> None:
    first, second = actors, new_load(admin, "ardıl ")
    with open_target(of_embedded(database, user=LOGIN)) as connection:

        def plan_and_ids(one: Loaded) -> tuple[Any, dict[str, str]]:
            plan = prepare(connection, one.artifact_root.hex(), None, actor="yayıncı")
            return plan, {entry.short: entry.release for entry in plan.publications}

        slow(connection, "publish/PP")
        plan, releases = plan_and_ids(first)
        matched = str(first.occurrence("FP", 0))
        questions = (
            visible,
            status_of(releases["FP"], matched),
            status_of(releases["PS"], str(first.occurrence("PS", 0))),
            duplicates_of(releases["FP"], matched),
        )
        with polling(database, *questions) as polled:
            assert submit(connection, plan, actor="yayıncı").outcome == "published"
        expected: list[list[Any]] = [
            [(), whole_set(first)],
            ["not_found", ("matched", None)],
            ["not_found", ("not_evaluated", "pending_evaluation")],
            ["not_found", ("matched", 2)],
        ]
        check(polled, expected)

        # A successor over the visible one: the old release still answers.
        plan, releases = plan_and_ids(second)
        questions = (visible, *questions[1:3], status_of(releases["FP"], str(second.occurrence("FP", 0))))
        with polling(database, *questions) as polled:
            assert submit(connection, plan, actor="yayıncı").outcome == "published"
        check(
            polled,
            [
                [whole_set(first), whole_set(second)],
                [("matched", None)],
                expected[2][1:],
                ["not_found", ("matched", None)],
            ],
        )

        slow(connection, "withdraw/incident")
        occurrence = str(second.occurrence("FP", 0))
        questions = (
            visible,
            status_of(releases["FP"], occurrence),
            duplicates_of(releases["FP"], occurrence),
            status_of(releases["FS"], str(second.occurrence("FS", 0))),
        )
        with polling(database, *questions) as polled:
            assert withdraw(connection, releases["FP"], "deneme", actor="yayıncı") == "withdrawn"
        withdrawn = "integrity_error"
        check(
            polled,
            [
                [whole_set(second), whole_set(second, without="FP")],
                [("matched", None), (withdrawn, "withdrawn_release")],
                [("matched", 2), (withdrawn, 0)],
                [("matched", None)],
            ],
        )
    wholly(admin)


def check(polled: list[Polled], expected: list[list[Any]]) -> None:
    """Each reader saw its expected answers in their order, and nothing else, often."""
    for number, one in enumerate(polled):
        assert one.answers == expected[number // READERS], number
        assert one.count > 5
