"""The policy of review that asks for two approvals, of two people besides the author (contract C5)."""

from __future__ import annotations

import psycopg
import pytest

from tekrar.store.curation.ledger import replay_ledger
from tekrar.store.session import Connection
from tekrar.store.target import Embedded
from tekrar.store.verification.authorship import check_authorship
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import read_ledger
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, people
from tests.store.matrix import ADMINISTRATOR, CURATOR, REVIEWER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import as_login, call, new_load
from tests.store.test_choice_policies import modelled
from tests.store.test_replay import everything, exported, places, rebuilt
from tests.store.test_workflow_approvals import revoked
from tests.store.test_workflow_refusals import refused

PREFIX, TWO = "iki onay ", "two-approvals.v1"


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded, database: Embedded) -> Bench:
    places(admin, database)
    people(admin)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    return Bench(admin, new_load(admin, PREFIX))


def proposed(bench: Bench, *rows: int) -> str:
    body = bench.family(*(("o", row) for row in rows))
    return bench.submit(bench.action("accept_family", "family", body, policy_of_review=TWO))


def listed(bench: Bench, role: str, actor: str, proposal: str) -> tuple[object, ...]:
    query = "SELECT proposal, state, approvals, needed FROM api.list_proposals(NULL, NULL, false, -1, 1000)"
    with as_login(bench.admin, role, actor) as session:
        rows = session.execute(query.encode()).fetchall()
    return next(row[1:] for row in rows if row[0] == proposal)


@pytest.mark.req("CUR-06", "CUR-09", "CUR-10", "ID-07")
def test_two_people_approve_or_nothing_is_applied(bench: Bench, template: Embedded) -> None:
    proposal = proposed(bench, 2, 3)
    opened = "SELECT state FROM curation.open_proposals(%s, NULL) WHERE proposal_digest = decode(%s, 'hex')"
    assert bench.review(proposal, actor=REVIEWER_ONE)["state"] == "submitted"
    assert bench.value(opened, bench.profile, proposal) == "submitted"
    assert refused(bench, lambda: bench.apply(proposal)) == "not_approved"
    # The same person again is one approval still.
    assert bench.review(proposal, actor=REVIEWER_ONE)["outcome"] == "already_reviewed"
    assert refused(bench, lambda: bench.apply(proposal)) == "not_approved"
    # How many there are is a verdict of somebody: whoever may still review it is told how many are needed.
    assert listed(bench, CURATOR, AUTHOR, proposal) == ("submitted", 1, 2)
    assert listed(bench, REVIEWER, REVIEWER_ONE, proposal) == ("submitted", 1, 2)
    assert listed(bench, REVIEWER, REVIEWER_TWO, proposal) == ("open", None, 2)
    assert bench.review(proposal, actor=REVIEWER_TWO)["state"] == "approved"
    assert bench.value(opened, bench.profile, proposal) == "approved"
    for who, other in ((REVIEWER_ONE, REVIEWER_TWO), (REVIEWER_TWO, REVIEWER_ONE)):
        with revoked(bench, who), pytest.raises(psycopg.Error, match=f"of {who} is revoked"):
            bench.apply(proposal)
        assert other != who
    done = bench.apply(proposal)
    assert (done["outcome"], len(done["reviews"])) == ("applied", 2)
    quotation = bench.quotation(bench.end(0), bench.end(1))
    one_only = bench.submit(bench.action("accept_quotation", "quotation", quotation))
    bench.review(one_only)
    assert bench.apply(one_only)["outcome"] == "applied"
    findings = Findings()
    entries = read_ledger(bench.admin, findings)
    check_authorship(bench.admin, entries, findings)
    assert findings.found == []
    lines = exported(bench.admin)
    with rebuilt(template, (PREFIX,)) as connection:
        replay_ledger(connection, lines)
        assert everything(connection) == everything(bench.admin)
    modelled(lines)


@pytest.mark.req("CUR-09")
def test_no_other_policy_is_known(bench: Bench) -> None:
    body = bench.family(("o", 0), ("o", 2))
    for word in ("three-approvals.v1", "two-approvals.v2", "default.v10", ""):
        action = bench.action("accept_family", "family", body, policy_of_review=word)
        assert refused(bench, lambda given=action: bench.submit(given)) == "malformed"  # type: ignore[misc]
