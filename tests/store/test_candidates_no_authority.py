"""In the database too a candidate is evidence: no score, no disposition reaches a structure or an answer."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import psycopg
import pytest

from tekrar.core.candidate import DISPOSITIONS, Candidate, Participants, candidate_of, evidence_of
from tekrar.core.candidate.record import sha
from tekrar.core.candidate.vectors import sample_generator, sample_pair
from tekrar.store.session import Connection
from tests.store.matrix import GRANTABLE, OWNER, READER
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
GENERATOR = sample_generator()


def certain(admin: Connection, published: Published) -> tuple[Candidate, list[Any], Any]:
    """A candidate whose every token is equal, between two occurrences of a published profile."""
    one, _ = published
    who = [one.occurrence("FP", row) for row in (0, 2)]
    result, _ = sample_pair()
    result = replace(
        result, metrics={"cover_left": (1, 1)}, disposition="probable_near_exact", direction=None
    )
    sides = Participants(((who[0].bytes,), (who[1].bytes,)))
    row = admin.execute(
        "SELECT profile FROM repetition.profile WHERE profile_key = %s", (one.profiles["FP"],)
    ).fetchone()
    assert row is not None
    return candidate_of(result, sides, profile=row[0].bytes, generator=GENERATOR), who, row[0]


def recorded(session: Connection, candidate: Candidate, who: list[Any], profile: Any) -> None:
    session.execute(
        "INSERT INTO curation.candidate VALUES (%s, %s, %s, %s, %s, %s)",
        (
            candidate.id.hex(),
            profile,
            GENERATOR.digest,
            sha(candidate.participants),
            sha(candidate.result),
            candidate.result,
        ),
    )
    for position, occurrence in enumerate(who):
        session.execute(
            "INSERT INTO curation.candidate_participant VALUES (%s, %s, %s)",
            (candidate.id.hex(), position, occurrence),
        )
    held = evidence_of(candidate, [(bytes(32), bytes(32))] * 2, generator=GENERATOR)
    session.execute(
        "INSERT INTO curation.evidence VALUES (%s, 'lexical-similarity', %s, %s, %s, %s)",
        (held.id.hex(), sha(candidate.participants), GENERATOR.digest, sha(held.payload), held.payload),
    )


def disposed(session: Connection, candidate: Candidate, disposition: str) -> None:
    session.execute(
        "INSERT INTO curation.disposition (candidate, disposition, author, recorded_at)"
        " SELECT %s, %s, min(actor_key), now() FROM curation.actor",
        (candidate.id.hex(), disposition),
    )


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


@pytest.mark.req("CND-07", "CND-11", "VAL-07", "LAY-04", "CND-01")
@pytest.mark.parametrize("disposition", DISPOSITIONS)
def test_no_disposition_and_no_score_reaches_a_structure_or_an_answer(
    admin: Connection, published: Published, disposition: str
) -> None:
    candidate, who, profile = certain(admin, published)
    with admin.transaction():
        before = answers(admin, published, who)
    assert before
    admin.execute("BEGIN")
    try:
        admin.execute(f"SET LOCAL SESSION AUTHORIZATION {OWNER}".encode())
        recorded(admin, candidate, who, profile)
        disposed(admin, candidate, disposition)
        counts = {
            table: admin.execute(f"SELECT count(*) FROM {table}".encode()).fetchone() for table in EFFECTIVE
        }
        assert counts == dict.fromkeys(EFFECTIVE, (0,))
        assert answers(admin, published, who) == before
    finally:
        admin.execute("ROLLBACK")


@pytest.mark.req("CND-06")
def test_another_disposition_is_refused_by_the_database(admin: Connection, published: Published) -> None:
    candidate, who, profile = certain(admin, published)
    with acting_as(admin, OWNER) as session:
        recorded(session, candidate, who, profile)
        with pytest.raises(psycopg.errors.CheckViolation):
            disposed(session, candidate, "accepted")


@pytest.mark.req("CND-01", "CND-10")
@pytest.mark.parametrize("table", ["candidate", "candidate_participant", "disposition", "evidence"])
def test_what_was_recorded_cannot_be_changed(admin: Connection, published: Published, table: str) -> None:
    candidate, who, profile = certain(admin, published)
    with acting_as(admin, OWNER) as session:
        recorded(session, candidate, who, profile)
        disposed(session, candidate, "uncertain")
        column = "evidence" if table == "evidence" else "candidate"
        for statement in (
            f"UPDATE curation.{table} SET {column} = {column}",
            f"DELETE FROM curation.{table}",
            f"TRUNCATE curation.{table} CASCADE",
        ):
            assert refusal(session, statement) in ("TK001", "TK002")


@pytest.mark.req("CND-10")
def test_a_payload_that_is_not_its_digest_is_refused(admin: Connection, published: Published) -> None:
    candidate, who, profile = certain(admin, published)
    with acting_as(admin, OWNER) as session:
        recorded(session, candidate, who, profile)
        for table in ("candidate", "evidence"):
            row = session.execute(f"SELECT * FROM curation.{table}".encode()).fetchone()
            assert row is not None
            changed = [*row[:-1], b"other"]
            changed[0] = "00000000-0000-5000-8000-000000000000"
            marks = ", ".join(["%s"] * len(row))
            assert (
                refusal(session, f"INSERT INTO curation.{table} VALUES ({marks})", tuple(changed)) == "23514"
            )


@pytest.mark.req("CND-11", "VAL-07", "LAY-04")
@pytest.mark.parametrize("role", GRANTABLE)
def test_no_granted_role_writes_a_disposition_or_a_structure(
    admin: Connection, published: Published, role: str
) -> None:
    del published
    with acting_as(admin, role) as session:
        for table in (*EFFECTIVE, "curation.candidate", "curation.disposition"):
            assert refusal(session, f"INSERT INTO {table} DEFAULT VALUES") == "42501"


@pytest.mark.req("CND-11", "VAL-07")
def test_no_function_of_the_database_reads_a_candidate(admin: Connection) -> None:
    """Nothing that decides, publishes or answers can take a score into account: no routine names them."""
    bodies = admin.execute(
        "SELECT p.oid::regprocedure::text, pg_get_functiondef(p.oid) FROM pg_proc AS p"
        " JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
        " AND p.prokind IN ('f', 'p')"
    ).fetchall()
    assert len(bodies) > 50
    tables = ("curation.candidate", "curation.disposition", "curation.evidence", "candidate_participant")
    assert [name for name, body in bodies if any(table in body for table in tables)] == []


def test_the_answers_compared_are_answers(admin: Connection, published: Published) -> None:
    _, who, _ = certain(admin, published)
    one, releases = published
    with as_login(admin, READER, "") as reader:
        found = reader.execute(
            "SELECT status FROM api.occurrence_status(%s, %s)", (releases["FP"], who[0])
        ).fetchall()
    assert found == [("matched",)]
    assert one.occurrence("FP", 0) == who[0]
