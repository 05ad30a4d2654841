"""What may be published after a withdrawal: by what the incident says is at fault (CL-08)."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from tekrar.store.session import Connection
from tests.store.curated import Bench, people
from tests.store.matrix import PUBLISHER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call, new_load, plan_of, publish, refused


@pytest.fixture(scope="module")
def ready(admin: Connection, actors: Loaded) -> Connection:
    people(admin)
    assert actors.release_key
    return admin


@pytest.fixture
def bench(ready: Connection, request: pytest.FixtureRequest) -> Bench:
    """A text of an edition of its own."""
    edition = str(request.node.name)
    return Bench(ready, new_load(ready, "neden ", edition=edition), edition=edition)


def published(bench: Bench, short: str = "FP") -> str:
    done = publish(bench.admin, plan_of(bench.admin, bench.loaded, short))
    assert done["outcome"] == "published"
    return str(done["releases"][0]["release"])


def withdraw(bench: Bench, release: str, *cause: str | None) -> dict[str, Any]:
    return dict(call(bench.admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yanlış", *cause))


def stopped(bench: Bench, release: str, cause: str) -> None:
    """A plan that is made now is refused, and says for which release and why."""
    found = refused(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))
    said = {name: found[name] for name in ("state", "kind", "release", "cause", "reason")}
    assert said == {
        "state": "TK023",
        "kind": "withdrawn",
        "release": release,
        "cause": cause,
        "reason": "yanlış",
    }


@pytest.mark.req("REL-06")
def test_nothing_of_a_profile_that_was_wrong_is_published_again(bench: Bench) -> None:
    """Whatever is decided: the artifact says the same. Its other profiles and a corrected text are others."""
    release = published(bench)
    assert withdraw(bench, release)["outcome"] == "withdrawn"
    stopped(bench, release, "exact")
    for rows in ((0, 2), (1, 3)):
        bench.decide(bench.accept(*(("o", row) for row in rows)))
        stopped(bench, release, "exact")
    published(bench, "FS")
    corrected = new_load(bench.admin, "neden düzeltilmiş ", edition=bench.edition)
    successor = Bench(bench.admin, corrected, edition=bench.edition)
    published(successor)
    stopped(bench, release, "exact")


@pytest.mark.req("REL-06")
def test_an_earlier_release_that_was_wrong_stops_what_would_follow(bench: Bench) -> None:
    first = published(bench)
    bench.decide(bench.accept(("o", 1), ("o", 3)))
    second = published(bench)
    withdraw(bench, first, "exact")
    again = publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))
    assert (again["outcome"], again["releases"][0]["release"]) == ("already_visible", second)
    bench.decide(bench.accept(("o", 0), ("o", 2)))
    stopped(bench, first, "exact")


@pytest.mark.req("REL-06")
def test_after_a_wrong_decision_other_inventories_are_published(bench: Bench) -> None:
    """Not the same release, and not the same inventories under another ID."""
    done = bench.decide(bench.accept(("o", 1), ("o", 3)))
    release = published(bench)
    withdraw(bench, release, "curation")
    stopped(bench, release, "curation")
    beside = Bench(bench.admin, bench.loaded, short="FS", edition=bench.edition)
    beside.decide(beside.accept(("o", 0), ("o", 1)))
    plan = json.loads(plan_of(bench.admin, bench.loaded, "FP"))
    assert plan["publications"][0]["release"] != release
    stopped(bench, release, "curation")
    moves = {("o", 1): "residue", ("o", 3): "residue"}
    bench.decide(bench.supersede("retire", done["structures"], [], moves))
    assert published(bench) != release


@pytest.mark.req("REL-06")
@pytest.mark.parametrize("cause", ["", "başka", None])
def test_a_cause_is_one_of_two(bench: Bench, cause: str | None) -> None:
    release = published(bench)
    with pytest.raises(psycopg.Error) as error:
        withdraw(bench, release, cause)
    detail = json.loads(error.value.diag.message_detail or "{}")
    assert (error.value.sqlstate, detail["kind"], detail["argument"]) == ("TK012", "bad_argument", "cause")
    assert withdraw(bench, release, "curation")["outcome"] == "withdrawn"
    assert withdraw(bench, release, "exact")["outcome"] == "already_withdrawn"
