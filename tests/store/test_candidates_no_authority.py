"""In the database too a candidate is evidence: no score, no disposition reaches a structure or an answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tekrar.core.candidate import DISPOSITIONS
from tekrar.core.candidate.record import sha
from tekrar.core.identity import uuid_text
from tekrar.store.evidence.loading import load_within
from tekrar.store.session import Connection
from tests.store.candidate_package import Maker
from tests.store.matrix import BUILDER, GRANTABLE, OWNER, READER
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_publication import Published, as_login

#: Where what is in force would stand.
EFFECTIVE = (
    "curation.proposal",
    "curation.review",
    "curation.decision",
    "curation.family",
    "curation.family_member",
    "curation.quotation",
    "curation.canonical_choice",
    "curation.supersession",
)


def certain(admin: Connection, published: Published) -> tuple[Maker, list[Any]]:
    """A candidate whose every token is equal, between two occurrences of a published profile."""
    one, _ = published
    maker = Maker(admin, one.artifact_root)
    maker.add(maker.extent(0), maker.extent(2), score=1 << 40)
    return maker, [one.occurrence("FP", row) for row in (0, 2)]


def recorded(session: Connection, maker: Maker) -> None:
    """Loaded by the builder in the transaction that is open."""
    session.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
    load_within(session, maker.package())
    session.execute("RESET SESSION AUTHORIZATION")


def disposed(session: Connection, maker: Maker, disposition: str) -> None:
    """Marked by the owner's function, as an entry of the ledger."""
    session.execute(f"SET LOCAL SESSION AUTHORIZATION {OWNER}".encode())
    payload = {
        "candidate": uuid_text(maker.made[0][0].id),
        "profile": maker.profile,
        "generator": maker.generator.digest.hex(),
        "participants": sha(maker.made[0][0].participants).hex(),
        "disposition": disposition,
        "note": "",
        "author": "yönetici",
        "recorded_at": "2026-01-02T03:04:05.000000Z",
        "previous": bytes(32).hex(),
    }
    session.execute(
        "SELECT curation.record_disposition(curation.append('disposition', p), p)"
        " FROM (SELECT %s::jsonb AS p) AS said",
        (json.dumps(payload),),
    )
    session.execute("RESET SESSION AUTHORIZATION")


def answers(session: Connection, published: Published, who: list[Any]) -> list[Any]:
    """What a reader is told about both occurrences."""
    _, releases = published
    session.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
    session.execute("SELECT set_config('tekrar.claims', '{}', true)")
    session.execute(f"SET LOCAL ROLE {READER}".encode())
    found: list[Any] = []
    for occurrence in who:
        for function in ("occurrence_status", "why"):
            asked = f"SELECT * FROM api.{function}(%s, %s)".encode()
            found += session.execute(asked, (releases["FP"], occurrence)).fetchall()
    return found


@contextmanager
def rolled_back(admin: Connection) -> Iterator[Connection]:
    """A transaction of the superuser of which nothing stays."""
    admin.execute("BEGIN")
    try:
        yield admin
    finally:
        admin.execute("ROLLBACK")


@pytest.mark.req("CND-07", "CND-11", "VAL-07", "LAY-04", "CND-01")
@pytest.mark.parametrize("disposition", DISPOSITIONS)
def test_no_disposition_and_no_score_reaches_a_structure_or_an_answer(
    admin: Connection, published: Published, disposition: str
) -> None:
    maker, who = certain(admin, published)
    with admin.transaction():
        before = answers(admin, published, who)
    assert before
    with rolled_back(admin) as session:
        recorded(session, maker)
        disposed(session, maker, disposition)
        counts = {
            table: session.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in EFFECTIVE
        }
        assert counts == dict.fromkeys(EFFECTIVE, (0,))
        assert answers(session, published, who) == before


@pytest.mark.req("CND-06")
def test_another_disposition_is_refused_by_the_database(admin: Connection, published: Published) -> None:
    maker, _ = certain(admin, published)
    with rolled_back(admin) as session:
        recorded(session, maker)
        with pytest.raises(psycopg.errors.CheckViolation):
            disposed(session, maker, "accepted")


@pytest.mark.req("CND-01", "CND-10")
@pytest.mark.parametrize("table", ["candidate", "candidate_participant", "disposition", "evidence"])
def test_what_was_recorded_cannot_be_changed(admin: Connection, published: Published, table: str) -> None:
    maker, _ = certain(admin, published)
    with rolled_back(admin) as session:
        recorded(session, maker)
        disposed(session, maker, "uncertain")
        session.execute(f"SET LOCAL SESSION AUTHORIZATION {OWNER}".encode())
        column = "evidence" if table == "evidence" else "candidate"
        for statement in (
            f"UPDATE curation.{table} SET {column} = {column}",
            f"DELETE FROM curation.{table}",
            f"TRUNCATE curation.{table} CASCADE",
        ):
            assert refusal(session, statement) in ("TK001", "TK002")


@pytest.mark.req("CND-11", "VAL-07", "LAY-04")
@pytest.mark.parametrize("role", GRANTABLE)
def test_no_granted_role_writes_a_disposition_or_a_structure(
    admin: Connection, published: Published, role: str
) -> None:
    del published
    with acting_as(admin, role) as session:
        for table in (*EFFECTIVE, "curation.candidate", "curation.disposition"):
            assert refusal(session, f"INSERT INTO {table} DEFAULT VALUES") == "42501"


#: Functions that name candidates: they load them, list them, count what waits, keep what is said of them. An
#: override is a decision about a disposition.
NAMING = {
    *("api.begin_candidates", "api.seal_candidates", "api.sets_to_read", "api.mark_candidates"),
    *("api.unresolved", "api.semantic_coverage", "api.unsealed_rows", "tekrar_meta.bulk_tables"),
    *("curation.announce_candidates", "curation.record_candidates", "curation.record_disposition"),
    *("curation.last_event", "curation.sets_of", "curation.closed_candidates", "curation.inventory_roots"),
    *("curation.unresolved_records", "curation.check_override", "curation.check_now"),
    "curation.check_candidates",
    "curation.refuse_unreviewed_override",
}
#: Of these, those that look into a result: its kind, places and stated disposition, for a list.
READING = {"api.unresolved"}


@pytest.mark.req("CND-11", "VAL-07")
def test_no_function_that_decides_or_answers_reads_a_candidate(admin: Connection) -> None:
    """A score stands in a result's bytes; nothing reads them but the list of what is not resolved."""
    bodies = admin.execute(
        "SELECT n.nspname || '.' || p.proname, p.prosrc FROM pg_proc AS p"
        " JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
        " AND p.prokind IN ('f', 'p')"
    ).fetchall()
    assert len(bodies) > 50
    tables = ("curation.candidate", "curation.disposition", "curation.evidence", "candidate_participant")
    assert {name for name, body in bodies if any(table in body for table in tables)} <= NAMING
    views = admin.execute(
        "SELECT schemaname || '.' || viewname, definition FROM pg_views WHERE schemaname IN"
        " ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
    ).fetchall()
    # The combined reading names the layer of each row and is read by its own listing alone (LAY-08).
    assert {name for name, body in views if "candidate" in body} == {"api.repeats"}
    assert not [
        name for name, body in views if "disposition" in body or "result" in body or "evidence." in body
    ]
    assert {name for name, body in bodies if "api.repeats" in body} == {"api.list_repeats"}
    assert {name for name, body in bodies if re.search(r"c\.result\b|get_byte\(p\.result", body)} == READING


def test_the_answers_compared_are_answers(admin: Connection, published: Published) -> None:
    _, who = certain(admin, published)
    one, releases = published
    with as_login(admin, READER, "") as reader:
        found = reader.execute(
            "SELECT status FROM api.occurrence_status(%s, %s)", (releases["FP"], who[0])
        ).fetchall()
    assert found == [("matched",)]
    assert one.occurrence("FP", 0) == who[0]
