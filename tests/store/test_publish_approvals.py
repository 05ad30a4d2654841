"""Whose approvals stand when what they let through is published: a revoked reviewer stops it (AMB-30)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError
from tekrar.store.publish import prepare
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curated import REVIEWER_ONE, Bench, Body, people
from tests.store.matrix import ADMINISTRATOR, PUBLISHER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import call, new_load, plan_of, publish
from tests.store.test_publish_facts import mismatch, refused, refused_after_waiting


@pytest.fixture(scope="module")
def ready(admin: Connection, actors: Loaded) -> Connection:
    people(admin)
    assert actors.release_key
    return admin


@pytest.fixture
def other(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        yield connection


class Case:
    """An edition of its own, with a reviewer of its own whose grant can be revoked."""

    def __init__(self, admin: Connection, name: str) -> None:
        self.admin, self.name = admin, name
        self.bench = self.another(name)
        call(admin, ADMINISTRATOR, "yönetici", "api.actor", name, None)
        self.grant = self.granted()

    def another(self, prefix: str) -> Bench:
        """Another text of the same edition."""
        made = new_load(self.admin, f"{prefix} ", edition=self.name)
        return Bench(self.admin, made, edition=self.name)

    def granted(self, until: Any = None) -> int:
        words = (self.name, "reviewer", self.name, None, until)
        return int(call(self.admin, ADMINISTRATOR, "yönetici", "api.grant_role", *words)["grant"])

    def revoke(self, connection: Connection | None = None) -> None:
        call(connection or self.admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", self.grant)

    def decide(self, action: bytes, *by: str) -> Body:
        proposal = self.bench.submit(action)
        for one in by or (self.name,):
            self.bench.review(proposal, actor=one)
        return self.bench.apply(proposal)

    def family(self, *by: str) -> Body:
        return self.decide(self.bench.accept(("o", 1), ("o", 3)), *by)

    def retire(self, family: str, *by: str) -> Body:
        moves = {("o", 1): "residue", ("o", 3): "residue"}
        return self.decide(self.bench.supersede("retire", [family], [], moves), *by)

    def plan(self) -> str:
        return plan_of(self.admin, self.bench.loaded, "FP")

    def publish(self) -> str:
        done = publish(self.admin, self.plan())
        assert done["outcome"] == "published"
        return str(done["releases"][0]["release"])

    def stopped(self) -> dict[str, Any]:
        """Nothing can be prepared; the refusal's detail."""
        with pytest.raises(psycopg.Error) as error:
            self.plan()
        detail = dict(json.loads(error.value.diag.message_detail or "{}"))
        assert (error.value.sqlstate, detail["kind"], detail["fact"]) == (
            "TK032",
            "grant_revoked",
            "approvals",
        )
        assert error.value.diag.message_primary == detail["found"]
        return detail


@pytest.fixture
def case(ready: Connection, request: pytest.FixtureRequest) -> Case:
    return Case(ready, f"okur {request.node.name}"[:60])


@pytest.mark.req("REL-04", "REL-05", "CUR-06")
def test_a_reviewer_revoked_after_the_plan_stops_the_publication(case: Case, database: Embedded) -> None:
    done = case.family()
    plan = case.plan()
    assert json.loads(plan)["publications"][0]["facts"]["approvals"] == "valid"
    case.revoke()
    mismatch(refused(case.admin, plan), "approvals", plan)

    detail = case.stopped()
    (family,) = done["structures"]
    assert (detail["decision"], detail["structure"], detail["reviewer"]) == (done["seq"], family, case.name)
    with open_target(of_embedded(database, user=LOGIN)) as login, pytest.raises(DatabaseError) as error:
        prepare(login, case.bench.loaded.artifact_root.hex(), ["FP"], actor="yayıncı")
    said = str(error.value)
    assert error.value.kind == "grant_revoked"
    for part in (f"decision {done['seq']}", family, case.name, "tekrar grant", "retire"):
        assert part in said, part

    # A plan that somebody wrote who knows the words.
    entry = json.loads(plan)
    entry["publications"][0]["facts"]["approvals"] = detail["found"]
    found = refused(case.admin, json.dumps(entry))
    assert (found["state"], found["kind"], found["decision"]) == ("TK032", "grant_revoked", done["seq"])

    case.granted()
    assert case.publish() == json.loads(plan)["publications"][0]["release"]


@pytest.mark.req("REL-04", "REL-05", "REL-07", "CUR-06")
def test_a_reviewer_revoked_while_a_publisher_waits(case: Case, other: Connection) -> None:
    case.family()
    plan = case.plan()
    mismatch(refused_after_waiting(case.admin, other, plan, case.revoke), "approvals", plan)


@pytest.mark.req("CUR-06")
def test_what_is_published_stands_when_its_reviewer_is_revoked(case: Case) -> None:
    case.family()
    first = case.publish()
    case.revoke()
    assert publish(case.admin, case.plan())["outcome"] == "already_visible"
    case.decide(case.bench.accept(("o", 0), ("o", 2)), REVIEWER_ONE)
    assert case.publish() != first


@pytest.mark.req("CUR-06")
def test_another_approval_is_enough(case: Case) -> None:
    case.family(case.name, REVIEWER_ONE)
    case.revoke()
    case.publish()


@pytest.mark.req("CUR-06")
def test_a_policy_of_two_asks_for_two(case: Case) -> None:
    """No policy asks for two yet; the one there is made to, behind its guard."""
    case.family(case.name, REVIEWER_ONE)
    case.revoke()
    with case.admin.transaction(force_rollback=True):
        case.admin.execute("ALTER TABLE curation.review_policy DISABLE TRIGGER USER")
        case.admin.execute("UPDATE curation.review_policy SET approvals = 2")
        assert case.stopped()["reviewer"] == case.name
    case.publish()


@pytest.mark.req("CUR-06")
@pytest.mark.parametrize("revoked", [False, True])
def test_expiry_alone_is_no_revocation(case: Case, revoked: bool) -> None:
    """A grant that ended counts when it held at the apply; revoked, before or after its end, it does not."""
    case.revoke()
    row = case.admin.execute("SELECT clock_timestamp() + interval '2 seconds'").fetchone()
    assert row is not None
    case.grant = case.granted(row[0])
    case.family()
    case.admin.execute("SELECT pg_sleep_until(%s)", row)
    if revoked:
        case.revoke()
        case.stopped()
    else:
        case.publish()


@pytest.mark.req("CUR-06")
def test_what_a_later_decision_ended_is_left_out_and_that_decision_counts(case: Case) -> None:
    (family,) = case.family()["structures"]
    case.revoke()
    case.stopped()
    case.grant = case.granted()
    ending = case.retire(family)
    case.revoke()
    found = case.stopped()
    assert (found["decision"], found["operation"], found["structure"]) == (ending["seq"], "retire", family)


@pytest.mark.req("CUR-06")
def test_a_mistake_is_mended_by_retiring_it(case: Case) -> None:
    (family,) = case.family()["structures"]
    case.revoke()
    case.stopped()
    case.retire(family, REVIEWER_ONE)
    case.publish()


def _quotation(case: Case) -> Body:
    body = case.bench.quotation(case.bench.end(0), case.bench.end(1), kind="adapted_quotation")
    return case.decide(case.bench.action("accept_quotation", "quotation", body))


def _choice(case: Case, *by: str) -> Body:
    first = case.bench.occurrences(("c", 0))[0]
    body = case.bench.choice(uuid.UUID(case.publish()), ("c", 0), first)
    return case.decide(case.bench.action("choose_canonical", "choice", body), *by)


def _compensation(case: Case) -> Body:
    (choice,) = _choice(case, REVIEWER_ONE)["structures"]
    body = {"choice": choice, "reason": "yanlış"}
    done = case.decide(case.bench.action("compensate_choice", "compensation", body))
    return done | {"structures": [choice]}


@pytest.mark.req("CUR-06")
@pytest.mark.parametrize("act", [_quotation, _choice, _compensation])
def test_every_operation_counts(case: Case, act: Callable[[Case], Body]) -> None:
    done = act(case)
    case.revoke()
    found = case.stopped()
    assert [found["decision"], found["structure"]] == [done["seq"], *done["structures"]]


@pytest.mark.req("CUR-06")
def test_a_compensated_choice_is_left_out(case: Case) -> None:
    (choice,) = _choice(case)["structures"]
    case.revoke()
    body = {"choice": choice, "reason": "yanlış"}
    case.decide(case.bench.action("compensate_choice", "compensation", body), REVIEWER_ONE)
    case.publish()


@pytest.mark.req("CUR-06")
def test_decisions_about_the_series_count_and_those_of_others_do_not(case: Case) -> None:
    done = case.family()
    text = case.another(f"{case.name} sonra")
    case.revoke()
    with pytest.raises(psycopg.Error, match=f"decision {done['seq']} "):
        plan_of(case.admin, text.loaded, "FP")
    for short in ("FS", "PP", "PS"):
        assert publish(case.admin, plan_of(case.admin, text.loaded, short))["outcome"] == "published"
    elsewhere = Case(case.admin, f"{case.name} başka")
    elsewhere.publish()


@pytest.mark.req("CUR-06", "CUR-09")
def test_a_release_withdrawn_for_what_was_decided_binds_nothing(case: Case) -> None:
    done = case.family()
    release = case.publish()
    case.revoke()
    call(case.admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yanlış aile", "curation")
    assert case.stopped()["decision"] == done["seq"]
