"""Each fact of REL-04 changed between prepare and commit: before the call, and while a publisher waits."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import psycopg
import pytest

from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import ADMINISTRATOR, OWNER, PUBLISHER
from tests.store.publication_state import until, waiting_for_a_lock, wholly
from tests.store.schema_load import Loaded
from tests.store.schema_publication import Published, call, everything, new_load, plan_of, publish

ROOTS = (
    *("work", "inventory", "evidence", "matched", "evaluated-unique", "not-evaluated", "failed", "excluded"),
    *("published", "provisional", "classes", "membership", "dominated-items", "dominated-classes"),
    *("enumeration-exclusions", "dataset-headings", "dataset-note-bodies", "dataset-note-markers"),
    *("validation", "compiler"),
)
GLOBAL_HEADS = ("curation", "propagation-policies", "provenance", "transformation")
#: Heads whose value is computed from rows; tests/store/test_publish_inventories.py changes each of them.
INVENTORIES = (
    *("candidates", "false-positives", "families", "quotations", "canonical-choices", "unresolved-review"),
)

_HEAD = "UPDATE curation.head SET value = sha256('x'), version = version + 1 WHERE name = '{}' AND scope = {}"
_ROOT = "UPDATE repetition.root SET root = sha256('y') WHERE artifact_key = %(artifact)s AND name LIKE '{}'"
_PROFILE = "UPDATE repetition.profile SET {} WHERE profile_key = %(key)s"
_RELEASE = "UPDATE core.release SET {} WHERE release_key = %(release)s"

#: What the workflow moves, as the owner's functions would.
HEADS: dict[str, str] = {
    "repetition-head": _HEAD.format("repetition", "''"),
    **{f"head/{name}": _HEAD.format(name, "''") for name in GLOBAL_HEADS},
    "head/public-projection": _HEAD.format("public-projection", "%(profile)s"),
}
POINTER = (
    "UPDATE repetition.visible SET release = NULL, version = version + 1 WHERE series_key ="
    " (SELECT s.series_key FROM repetition.series s JOIN repetition.profile p USING (projection, enumerator)"
    "  WHERE p.profile_key = %(key)s)"
)
#: What only a superuser who switches triggers off changes: a damaged database.
DAMAGE: dict[str, str] = {
    "seal": "UPDATE repetition.seal SET counts = 'x' WHERE artifact_key = %(artifact)s",
    "text-seal": "UPDATE core.release_seal SET counts = 'y' WHERE release_key = %(release)s",
    "text-release": _RELEASE.format("text_release = gen_random_uuid()"),
    "certified-digest": _RELEASE.format("certified_digest = sha256('y')"),
    "core-release-manifest-root": _RELEASE.format("manifest = 'y', manifest_root = sha256('y')"),
    "policy": "UPDATE repetition.artifact SET policy_digest = sha256('y') WHERE artifact_key = %(artifact)s",
    "profile": _PROFILE.format("profile = gen_random_uuid()"),
    "rule": _PROFILE.format("document = 'y', rule = sha256('y')"),
    "projection-root": _PROFILE.format("projection_root = sha256('y')"),
    "exact-status": _PROFILE.format("exact_status = 'partial'"),
    **{f"root/{kind}": _ROOT.format(f"full%%whole%%/{kind}") for kind in ROOTS},
    "rows/occurrence": "DELETE FROM repetition.occurrence WHERE profile_key = %(key)s AND row_no = 3",
    "rows/class": "DELETE FROM repetition.class WHERE profile_key = %(key)s",
}
#: Facts of which the database holds no other value: the form's name, and the root by which the artifact is
#: found (another one in the database is an artifact that is not there).
PLAN_ONLY = ("format", "artifact-root")
#: Moved by functions of the workflow, below; approvals in tests/store/test_publish_approvals.py.
BY_FUNCTION = ("approvals", "freeze-epoch", "publisher-grant", "visible")


def values_of(one: Loaded) -> dict[str, Any]:
    return {
        "profile": str(one.profile_ids["FP"]),
        "release": one.release_key,
        "artifact": one.artifact_key,
        "key": one.profiles["FP"],
    }


def counts(connection: Connection) -> list[tuple[Any, ...]]:
    """Rows of every table of the store."""
    tables = connection.execute(
        "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE n.nspname IN ('core', 'repetition', 'curation', 'restricted') AND c.relkind IN ('r', 'p')"
        " AND NOT c.relispartition"
    ).fetchall()
    assert len(tables) > 30
    union = " UNION ALL ".join(f"SELECT '{table}', count(*) FROM {table}" for (table,) in tables)
    return connection.execute(union.encode()).fetchall()


def refused(connection: Connection, plan: str, *, actor: str = "yayıncı") -> dict[str, Any]:
    """Publish a plan that must be refused; no row count, no head and no pointer is another (REL-05)."""
    before = (everything(connection), counts(connection))
    with pytest.raises(psycopg.Error) as error:
        call(connection, PUBLISHER, actor, "api.publish", plan)
    assert (everything(connection), counts(connection)) == before
    message, detail = error.value.diag.message_primary, json.loads(error.value.diag.message_detail or "{}")
    return {"state": error.value.sqlstate, "message": message, **detail}


def mismatch(found: dict[str, Any], fact: str, plan: str) -> None:
    """The refusal names the fact, what the plan expected and what was found."""
    assert (found["state"], found["kind"], found["fact"]) == ("TK020", "fact_mismatch", fact)
    assert found["expected"] == json.loads(plan)["publications"][0]["facts"][fact]
    assert found["expected"] != found["found"]
    for value in (fact, found["expected"], found["found"] or "none"):
        assert value in found["message"]


@pytest.fixture(scope="module")
def one(admin: Connection, published: Published) -> Loaded:
    """A successor of the visible releases that is never published."""
    return new_load(admin, "gerçek ")


@pytest.mark.req("REL-04")
def test_every_fact_of_a_plan_is_in_the_tables(admin: Connection, one: Loaded) -> None:
    facts = json.loads(plan_of(admin, one, "FP"))["publications"][0]["facts"]
    tables = [*HEADS, *DAMAGE, *PLAN_ONLY, *BY_FUNCTION, *(f"head/{name}" for name in INVENTORIES)]
    assert sorted(tables) == sorted(facts)
    assert len(facts) == 50


@pytest.mark.req("REL-04", "REL-05", "VAL-12")
@pytest.mark.parametrize("fact", [*HEADS, *DAMAGE])
def test_a_fact_that_changed_after_the_plan_publishes_nothing(
    admin: Connection, one: Loaded, fact: str
) -> None:
    plan = plan_of(admin, one, "FP")
    with admin.transaction(force_rollback=True):
        if fact in DAMAGE:
            for (table,) in admin.execute(
                "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid ="
                " c.relnamespace"
                " WHERE n.nspname IN ('core', 'repetition') AND c.relkind IN ('r', 'p') AND c.relhastriggers"
            ).fetchall():
                admin.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
        else:
            admin.execute("SET LOCAL ROLE tekrar_owner")
        changed = admin.execute((DAMAGE.get(fact) or HEADS[fact]).encode(), values_of(one))
        assert changed.rowcount > 0
        admin.execute("RESET ROLE")
        mismatch(refused(admin, plan), fact, plan)
    assert plan_of(admin, one, "FP") == plan


@pytest.mark.req("REL-04", "REL-05")
@pytest.mark.parametrize("fact", PLAN_ONLY)
def test_a_plan_that_expects_something_else_publishes_nothing(
    admin: Connection, one: Loaded, fact: str
) -> None:
    plan = json.loads(plan_of(admin, one, "FP"))
    plan["publications"][0]["facts"][fact] = "başka"
    mismatch(refused(admin, json.dumps(plan)), fact, json.dumps(plan))


@pytest.mark.req("REL-05")
def test_an_artifact_whose_root_was_changed_is_not_found(admin: Connection, one: Loaded) -> None:
    plan = plan_of(admin, one, "FP")
    with admin.transaction(force_rollback=True):
        admin.execute("ALTER TABLE repetition.artifact DISABLE TRIGGER ALL")
        admin.execute("ALTER TABLE repetition.seal DISABLE TRIGGER ALL")
        admin.execute(
            "UPDATE repetition.artifact SET artifact_root = sha256('y') WHERE artifact_key = %s",
            (one.artifact_key,),
        )
        assert refused(admin, plan)["kind"] == "not_found"


@pytest.mark.req("REL-04", "REL-05")
def test_a_pointer_that_moved_after_the_plan_publishes_nothing(admin: Connection, one: Loaded) -> None:
    plan = plan_of(admin, one, "FP")
    with admin.transaction(force_rollback=True):
        admin.execute("SET LOCAL ROLE tekrar_owner")
        assert admin.execute(POINTER.encode(), values_of(one)).rowcount == 1
        admin.execute("RESET ROLE")
        mismatch(refused(admin, plan), "visible", plan)


# --- while a publisher waits for the lock ---------------------------------------------------------------


@pytest.fixture
def other(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


def refused_after_waiting(
    admin: Connection,
    other: Connection,
    plan: str,
    change: Callable[[Connection], object],
    *,
    actor: str = "yayıncı",
) -> dict[str, Any]:
    """Publish while another transaction holds the heads, makes its change and commits it."""

    def attempt() -> dict[str, Any]:
        try:
            call(other, PUBLISHER, actor, "api.publish", plan)
        except psycopg.Error as error:
            return {
                "state": error.sqlstate,
                "message": error.diag.message_primary,
                **json.loads(error.diag.message_detail or "{}"),
            }
        raise AssertionError("it was published")

    with ThreadPoolExecutor(1) as pool:
        with admin.transaction():
            admin.execute("SELECT FROM curation.head ORDER BY scope, name FOR UPDATE")
            waiting = pool.submit(attempt)
            until(lambda: waiting_for_a_lock(admin))
            change(admin)
            admin.execute("RESET SESSION AUTHORIZATION")
            admin.execute("RESET ROLE")
            after = (everything(admin), counts(admin))
        found = waiting.result(30)
    assert (everything(admin), counts(admin)) == after
    wholly(admin)
    return found


@pytest.mark.req("REL-04", "REL-05", "REL-07", "VAL-12")
@pytest.mark.parametrize("fact", HEADS)
def test_a_head_that_moves_while_a_publisher_waits(
    admin: Connection, other: Connection, one: Loaded, fact: str
) -> None:
    plan = plan_of(admin, one, "FP")

    def move(connection: Connection) -> None:
        connection.execute(f"SET LOCAL ROLE {OWNER}".encode())
        statement = HEADS[fact].replace("sha256('x')", "sha256(value)")
        assert connection.execute(statement.encode(), values_of(one)).rowcount == 1
        connection.execute("RESET ROLE")

    mismatch(refused_after_waiting(admin, other, plan, move), fact, plan)


@pytest.mark.req("CUR-11", "REL-07")
def test_a_freeze_while_a_publisher_waits(admin: Connection, other: Connection, one: Loaded) -> None:
    plan = plan_of(admin, one, "FP")
    found = refused_after_waiting(
        admin, other, plan, lambda c: call(c, ADMINISTRATOR, "yönetici", "api.freeze", "deneme")
    )
    mismatch(found, "freeze-epoch", plan)


@pytest.mark.req("CUR-11")
def test_a_freeze_after_the_plan_publishes_nothing(admin: Connection, one: Loaded) -> None:
    plan = plan_of(admin, one, "FP")
    call(admin, ADMINISTRATOR, "yönetici", "api.freeze", "deneme")
    mismatch(refused(admin, plan), "freeze-epoch", plan)


def granted(admin: Connection, actor: str, until_then: str | None = None) -> int:
    """A publisher with a grant, and the grant's number."""
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", actor, None)
    given = call(
        admin, ADMINISTRATOR, "yönetici", "api.grant_role", actor, "publisher", "*", None, until_then
    )
    return int(given["grant"])


def plan_by(admin: Connection, actor: str, one: Loaded) -> str:
    entry = call(admin, PUBLISHER, actor, "api.prepare_publication", one.artifact_root.hex(), "FP")
    return json.dumps({"publications": [entry], "set": False})


@pytest.mark.req("CUR-06", "REL-07")
@pytest.mark.parametrize("again", [False, True], ids=["revoked", "another grant"])
def test_a_grant_revoked_while_a_publisher_waits(
    admin: Connection, other: Connection, one: Loaded, again: bool
) -> None:
    """Another grant of the same actor is another fact than the plan's."""
    actor = f"geçici {again}"
    number = granted(admin, actor)
    plan = plan_by(admin, actor, one)

    def revoke(connection: Connection) -> None:
        call(connection, ADMINISTRATOR, "yönetici", "api.revoke_grant", number)
        if again:
            granted(connection, actor)

    found = refused_after_waiting(admin, other, plan, revoke, actor=actor)
    if again:
        mismatch(found, "publisher-grant", plan)
    else:
        assert (found["state"], found["kind"], found["fact"]) == ("TK032", "grant_revoked", "publisher-grant")


@pytest.mark.req("CUR-06", "REL-07")
def test_a_grant_that_expires_while_a_publisher_waits(
    admin: Connection, other: Connection, one: Loaded
) -> None:
    row = admin.execute("SELECT (clock_timestamp() + interval '1 second')::text").fetchone()
    assert row is not None
    granted(admin, "süreli", row[0])
    plan = plan_by(admin, "süreli", one)
    found = refused_after_waiting(
        admin, other, plan, lambda c: c.execute("SELECT pg_sleep(1.1)"), actor="süreli"
    )
    assert (found["state"], found["kind"], found["fact"]) == ("TK031", "grant_expired", "publisher-grant")


@pytest.mark.req("REL-04", "REL-07")
def test_a_pointer_that_moves_while_a_publisher_waits(
    admin: Connection, other: Connection, one: Loaded, published: Published
) -> None:
    """By the publication of another successor, then by its withdrawal."""
    successor = new_load(admin, "ardıl ")
    plan, theirs = plan_of(admin, one, "FP"), plan_of(admin, successor, "FP")
    mismatch(refused_after_waiting(admin, other, plan, lambda c: publish(c, theirs)), "repetition-head", plan)
    release = json.loads(theirs)["publications"][0]["release"]
    plan = plan_of(admin, one, "FP")
    found = refused_after_waiting(
        admin, other, plan, lambda c: call(c, PUBLISHER, "yayıncı", "api.withdraw", release, "deneme")
    )
    mismatch(found, "repetition-head", plan)


@pytest.mark.req("REL-04", "VAL-12")
def test_the_pointer_alone_moves_while_a_publisher_waits(
    admin: Connection, other: Connection, published: Published
) -> None:
    one = new_load(admin, "işaret ")
    assert publish(admin, plan_of(admin, one, "FP"))["outcome"] == "published"
    later = new_load(admin, "işaret sonra ")
    plan = plan_of(admin, later, "FP")

    def move(connection: Connection) -> None:
        connection.execute(f"SET LOCAL ROLE {OWNER}".encode())
        assert connection.execute(POINTER.encode(), values_of(one)).rowcount == 1
        connection.execute("RESET ROLE")

    mismatch(refused_after_waiting(admin, other, plan, move), "visible", plan)
    assert publish(admin, plan_of(admin, later, "FP"))["outcome"] == "published"
