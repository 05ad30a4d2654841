"""Rows of curation that the ledger does not explain are found, whoever wrote them (CUR-05, VAL-15)."""

from __future__ import annotations

import pytest

from tekrar.store.session import Connection
from tekrar.store.target import Embedded
from tekrar.store.verification.decisions import check_decisions
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import check_heads, read_ledger
from tests.store.schema_load import Loaded
from tests.store.test_replay import places, world

#: One member of each of two families, exchanged: every count stays (REL-10).
EXCHANGE = (
    "WITH two AS (SELECT a.family AS a, a.position AS at, a.occurrence AS mine,"
    " b.family AS b, b.position AS bt, b.occurrence AS yours FROM curation.family_member a"
    " JOIN curation.family_member b ON a.family < b.family AND a.occurrence <> b.occurrence"
    " WHERE a.occurrence <> ALL (SELECT o.occurrence FROM curation.family_member o"
    " WHERE o.family = b.family AND o.occurrence IS NOT NULL)"
    " AND b.occurrence <> ALL (SELECT o.occurrence FROM curation.family_member o"
    " WHERE o.family = a.family AND o.occurrence IS NOT NULL)"
    " ORDER BY 1, 2, 4, 5 LIMIT 1)"
    " UPDATE curation.family_member m SET occurrence = CASE m.family WHEN two.a THEN yours ELSE mine END"
    " FROM two WHERE (m.family, m.position) IN ((two.a, two.at), (two.b, two.bt))"
)
SEVEN = "'0190a0a0-0000-7000-8000-000000000000'"
#: What a superuser who takes the guards away can do -> the table that is named.
HANDS = {
    f"INSERT INTO curation.family SELECT {SEVEN}, profile, text_release, kind, members, expansion,"
    " size, decision FROM curation.family LIMIT 1": "family",
    "UPDATE curation.family SET kind = 'near_exact'": "family",
    "UPDATE curation.family_member SET witness = sha256('')": "family_member",
    EXCHANGE: "family_member",
    "DELETE FROM curation.family_diff": "family_diff",
    "UPDATE curation.effective_membership SET until = until + 1"
    " WHERE until IS NOT NULL": "effective_membership",
    "DELETE FROM curation.effective_membership": "effective_membership",
    "UPDATE curation.quotation SET attribution = 'x'": "quotation",
    "UPDATE curation.canonical_choice SET member = gen_random_uuid()": "canonical_choice",
    "UPDATE curation.effective_choice SET policy = 'x'": "effective_choice",
    "UPDATE curation.choice_policy SET document = document || ' ',"
    " digest = sha256(convert_to(document || ' ', 'UTF8'))": "choice_policy",
    "UPDATE curation.choice_policy SET rule = 'fullest_context'": "choice_policy",
    "DELETE FROM curation.choice_policy": "choice_policy",
    "UPDATE curation.compensation SET reason = 'x'": "compensation",
    "UPDATE curation.supersession SET reason = 'x'": "supersession",
    "DELETE FROM curation.succession": "succession",
    "UPDATE curation.succession_member SET successor = NULL": "succession_member",
    "UPDATE curation.proposal SET action = 'x'": "proposal",
    "UPDATE curation.proposal SET freeze_epoch = 7": "proposal",
    "UPDATE curation.review SET outcome = 'reject' WHERE outcome = 'approve'": "review",
    "UPDATE curation.review SET note = 'x'": "review",
    "UPDATE curation.decision SET applied_by = 1": "decision",
    "DELETE FROM curation.decision_review": "decision_review",
    "UPDATE curation.crosswalk SET external = 'x'": "crosswalk",
}


@pytest.fixture(scope="module")
def decided(admin: Connection, actors: Loaded, database: Embedded) -> Connection:
    places(admin, database)
    world(admin, actors)
    return admin


def found(connection: Connection) -> Findings:
    findings = Findings()
    check_decisions(connection, read_ledger(connection, findings), findings)
    return findings


@pytest.mark.req("CUR-05")
def test_what_was_decided_is_explained(decided: Connection) -> None:
    findings = found(decided)
    assert findings.found == []
    assert findings.counts["decisions"] > 50
    check_heads(decided, read_ledger(decided, findings), findings, releases=[])
    assert [one for one in findings.found if one.place.startswith("curation.head curation")] == []


@pytest.mark.req("CUR-05", "ID-09", "REL-10")
@pytest.mark.parametrize("hand", list(HANDS), ids=[f"{n} {one}" for n, one in enumerate(HANDS.values())])
def test_what_no_entry_explains_is_found(decided: Connection, hand: str) -> None:
    table = HANDS[hand]
    with decided.transaction(force_rollback=True):
        decided.execute(f"ALTER TABLE curation.{table} DISABLE TRIGGER ALL".encode())
        done = decided.execute(hand.encode())
        assert done.rowcount > 0, "the hand changed nothing"
        places_named = {one.place for one in found(decided).found}
    assert f"curation.{table}" in places_named
