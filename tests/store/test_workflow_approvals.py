"""Approvals that count at the apply, verdicts that nobody sees before their own, second reviews, and what
each refusal says."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psycopg
import pytest

from tekrar.errors import DatabaseError, NotFoundError
from tekrar.store.curation.ledger import replay_ledger
from tekrar.store.curation.workflow import apply, review
from tekrar.store.failures import database_error
from tekrar.store.refusal_words import CURATION_WORDS
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.authorship import check_authorship
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import read_ledger
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, people
from tests.store.matrix import ADMINISTRATOR, AUDITOR, CURATOR, OWNER, PUBLISHER, READER, REVIEWER
from tests.store.schema_database import acting_as
from tests.store.schema_load import Loaded
from tests.store.schema_publication import as_login, call, new_load
from tests.store.test_replay import exported, places, rebuilt
from tests.store.test_workflow_refusals import refused

FUNCTIONS = Path(__file__).resolve().parents[2] / "src/tekrar/store/sql/functions"
PREFIX = "onay "


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded, database: Embedded) -> Bench:
    places(admin, database)
    people(admin)
    for role in ("auditor", "reviewer"):
        call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", role, "*", None, None)
    return Bench(admin, new_load(admin, PREFIX))


@contextmanager
def revoked(bench: Bench, *who: str) -> Iterator[None]:
    """Reviewers whose grants are taken back, and given again."""
    for one in who:
        key = bench.value(
            "SELECT max(g.grant_key) FROM curation.grant_entry g JOIN curation.actor a USING (actor_key)"
            " WHERE a.name = %s AND g.role = 'reviewer'",
            one,
        )
        call(bench.admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", key)
    yield
    for one in who:
        call(bench.admin, ADMINISTRATOR, "yönetici", "api.grant_role", one, "reviewer", "*", None, None)


@pytest.mark.req("CUR-06", "CUR-09")
def test_a_revoked_approval_stands_in_nobody_s_way(bench: Bench, template: Embedded) -> None:
    proposal = bench.submit(bench.accept(("c", 0), ("o", 2)))
    first, second = (bench.review(proposal, actor=who)["review"] for who in (REVIEWER_ONE, REVIEWER_TWO))
    with revoked(bench, REVIEWER_ONE, REVIEWER_TWO):
        with pytest.raises(psycopg.Error, match=f"of {REVIEWER_ONE} is revoked") as error:
            bench.apply(proposal)
        assert error.value.sqlstate == "TK032"
    with revoked(bench, REVIEWER_ONE):
        # The one named must count; the other way round it is one of those that do.
        assert refused(bench, lambda: bench.apply(proposal, first)) == "grant_revoked"
        done = bench.apply(proposal, second)
    assert (done["outcome"], done["reviews"]) == ("applied", [second])
    bound = "SELECT review::text FROM curation.decision_review WHERE decision = %s"
    assert [bench.value(bound, done["seq"])] == [second]
    findings = Findings()
    check_authorship(bench.admin, read_ledger(bench.admin, findings), findings)
    assert findings.found == []
    with rebuilt(template, (PREFIX,)) as connection:
        replay_ledger(connection, exported(bench.admin))
        row = connection.execute(bound.encode(), (done["seq"],)).fetchone()
        assert row is not None
        assert row[0] == second


@pytest.mark.req("CUR-10")
@pytest.mark.parametrize("outcome", ["approve", "request_changes"])
def test_no_table_tells_a_verdict_to_whoever_may_still_review(bench: Bench, outcome: str) -> None:
    one = Bench(bench.admin, new_load(bench.admin, f"gizli {outcome} "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    one.review(proposal, actor=REVIEWER_ONE)

    def seen(role: str, actor: str, table: str = "review") -> list[tuple[str, ...]]:
        query = {
            "review": "SELECT outcome, note FROM curation.review WHERE proposal_digest = decode(%s, 'hex')",
            "ledger": "SELECT kind FROM curation.ledger WHERE payload <> convert_to(%s, 'UTF8')",
        }[table]
        with as_login(bench.admin, role, actor) as session:
            return session.execute(query.encode(), (proposal,)).fetchall()

    def told(actor: str) -> list[str]:
        with as_login(bench.admin, REVIEWER, actor) as session:
            rows = session.execute(b"SELECT kind FROM api.history(%s)", (proposal,)).fetchall()
        return [row[0] for row in rows if row[0] == "review"]

    assert seen(REVIEWER, REVIEWER_TWO) == []
    assert seen(REVIEWER, "yayıncı") == []
    assert told(REVIEWER_TWO) == []
    # Their own verdict, that on their own proposal, and those who review nothing.
    assert seen(REVIEWER, REVIEWER_ONE) == [("approve", "bakıldı")]
    assert told(REVIEWER_ONE) == ["review"]
    for role, actor in ((CURATOR, AUTHOR), (PUBLISHER, "yayıncı"), (AUDITOR, "yayıncı")):
        assert seen(role, actor) == [("approve", "bakıldı")]
    for role, actor, table in (
        (READER, "okur", "review"),
        (ADMINISTRATOR, "yönetici", "review"),
        (REVIEWER, REVIEWER_TWO, "ledger"),
    ):
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            seen(role, actor, table)
    one.review(proposal, outcome, actor=REVIEWER_TWO)
    assert len(seen(REVIEWER, REVIEWER_TWO)) == 2
    assert told(REVIEWER_TWO) == ["review", "review"]
    # It may be reviewed no more where changes are asked for, and is hidden from nobody.
    assert len(seen(REVIEWER, "yayıncı")) == (2 if outcome == "request_changes" else 0)
    if outcome == "approve":
        done = one.apply(proposal)
        with as_login(bench.admin, REVIEWER, "yayıncı") as session:
            query = b"SELECT count(*) FROM curation.decision_review WHERE decision = %s"
            assert session.execute(query, (done["seq"],)).fetchone() == (2,)
        assert len(seen(REVIEWER, "yayıncı")) == 2


@pytest.mark.req("CUR-10")
@pytest.mark.parametrize("outcome", ["approve", "reject", "request_changes"])
def test_a_verdict_that_is_taken_back_has_shown_nothing(bench: Bench, outcome: str) -> None:
    """Said, looked, and rolled back: of the others' verdicts nothing was seen, by table, list or function."""
    one = Bench(bench.admin, new_load(bench.admin, f"geri {outcome} "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    one.review(proposal, actor=REVIEWER_ONE)
    table = "SELECT count(*) FROM curation.review WHERE proposal_digest = decode(%s, 'hex')"
    shown = "SELECT api.proposal(%s) ->> 'reviews'"
    past = "SELECT count(*) FROM api.history(%s) WHERE kind = 'review'"

    def seen(session: Connection) -> list[object]:
        queries = (table, shown, past)
        return [(session.execute(q.encode(), (proposal,)).fetchone() or [0])[0] for q in queries]

    with as_login(bench.admin, REVIEWER, REVIEWER_TWO) as session:
        before = seen(session)
        session.execute(b"SELECT api.review(%s, %s, '')", (proposal, outcome))
        assert seen(session) == before == [0, None, 0]
        raise psycopg.Rollback
    one.review(proposal, outcome, actor=REVIEWER_TWO)
    with as_login(bench.admin, REVIEWER, REVIEWER_TWO) as session:
        assert seen(session)[::2] == [2, 2]


@pytest.mark.req("CUR-09", "CUR-10")
def test_a_second_note_is_refused_and_not_lost(bench: Bench, database: Embedded) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "ikinci söz "))
    proposal = one.submit(one.accept(("o", 2), ("o", 3)))
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        first = review(connection, proposal, "approve", note="ilk söz", actor=REVIEWER_ONE)
        again = review(connection, proposal, "approve", note="ilk söz", actor=REVIEWER_ONE)
        assert (again.outcome, again.review) == ("already_reviewed", first.review)
        with pytest.raises(DatabaseError, match=first.review) as caught:
            review(connection, proposal, "approve", note="başka söz", actor=REVIEWER_ONE)
        said = caught.value
        assert (said.kind, said.where, said.expected) == ("already_reviewed", "note", "ilk söz")
        assert said.mend == CURATION_WORDS["already_reviewed"][1]
        # A different verdict is another review, and ends the revision.
        assert review(connection, proposal, "reject", note="hayır", actor=REVIEWER_ONE).state == "rejected"


def _kinds() -> set[str]:
    """Kinds that curation's functions can refuse with, read from their text."""
    found: set[str] = set()
    for path in sorted(FUNCTIONS.glob("*.sql")):
        text = path.read_text(encoding="utf-8")
        found |= set(re.findall(r"curation\.refuse\(\s*'(\w+)'", text))
        for chosen in re.findall(r"curation\.refuse\(\s*CASE(.*?)END", text, re.DOTALL):
            found |= set(re.findall(r"(?:THEN|ELSE)\s+'(\w+)'", chosen))
        if re.search(r"curation\.refuse\(\s*(?![A-Z'])", text) and "FUNCTION curation.refuse" not in text:
            found |= _carried(path.name)
    return found


def _carried(name: str) -> set[str]:
    """Kinds that a function finds in a row before it refuses with them."""
    sources = {"curation.check_family.sql": "curation.tagged.sql", "curation.form_family.sql": name}
    text = (FUNCTIONS / sources[name]).read_text(encoding="utf-8")
    kinds = re.findall(r"(?:THEN|ELSE)\s+'(\w+)'", text)
    return {kind for kind in kinds if kind in CURATION_WORDS or kind == "not_found"}


@pytest.mark.parametrize("kind", sorted(_kinds()))
def test_every_refusal_has_a_place_and_what_mends_it(bench: Bench, kind: str) -> None:
    with acting_as(bench.admin, OWNER) as session, pytest.raises(psycopg.Error) as caught:
        session.execute(b"SELECT curation.refuse(%s, 'wrong', 'family.members[1]')", (kind,))
    typed = database_error(caught.value)
    assert (typed.kind, typed.where) == (kind, "family.members[1]")
    assert typed.expected
    assert typed.mend
    assert "nothing was changed" not in typed.mend
    assert typed.mend != typed.expected
    if kind != "not_found":
        assert (typed.expected, typed.mend) == CURATION_WORDS[kind]


def test_no_kind_is_explained_that_nothing_raises() -> None:
    assert set(CURATION_WORDS) <= _kinds()


@pytest.mark.req("QUO-04")
def test_what_an_apply_is_refused_for_is_said(bench: Bench, database: Embedded) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "neden "))

    def say(proposal: str, approval: str | None = None) -> DatabaseError | NotFoundError:
        with (
            open_target(of_embedded(database, user=LOGIN)) as connection,
            pytest.raises((DatabaseError, NotFoundError)) as caught,
        ):
            apply(connection, proposal, approval, actor=AUTHOR)
        return caught.value

    open_ = one.submit(one.accept(("o", 2), ("o", 3)))
    uncertain = one.quotation(one.end(0), one.end(1), kind="source_uncertain")
    proposal = one.submit(one.action("accept_quotation", "quotation", uncertain))
    one.review(proposal)
    facts = {
        say(open_): ("not_approved", 8, "proposal", "tekrar review"),
        say(proposal): ("source_uncertain", 8, "quotation.kind", "--draft"),
        say(proposal, "0190a0a0-0000-7000-8000-000000000000"): ("digest_mismatch", 8, "review", "show"),
        say("ab" * 32): ("not_found", 5, "database", "copy the ID"),
    }
    for error, (kind, status, where, mend) in facts.items():
        assert (error.kind, error.exit_status, error.where) == (kind, status, where)
        assert mend in error.mend


def test_an_argument_that_is_none_is_mended_by_its_name(bench: Bench) -> None:
    with pytest.raises(psycopg.Error) as raised:
        bench.admin.execute(b"SELECT tekrar_meta.bad_argument('note', 'few words', 'x')")
    typed = database_error(raised.value)
    assert (typed.where, typed.expected) == ("note", "few words")
    assert typed.mend == "correct the note, and run it again; nothing was changed"
