"""`tekrar load CANDIDATES`: what stands in the database is the package, whole or not at all."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tekrar.artifact import Artifact
from tekrar.candidates.stored import open_stored
from tekrar.cli import main
from tekrar.corpus.release_package import open_release
from tekrar.errors import DatabaseError, IntegrityError, TekrarError
from tekrar.store.evidence.loading import CandidatePackage, LoadedCandidates, load_candidates
from tekrar.store.evidence.stored_set import TABLES, read_set
from tekrar.store.load import load
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.candidates.conftest import BOOKS, Place, built
from tests.store.candidate_package import Maker, every_kind, rows_of
from tests.store.matrix import BUILDER, CURATOR, OWNER, READER
from tests.store.place import drop_database, make_database_from, tekrar, url_of
from tests.store.schema_database import acting_as, refusal


@pytest.fixture(scope="module")
def harbour(tmp_path_factory: pytest.TempPathFactory) -> Place:
    place = built(tmp_path_factory.mktemp("harbour"), BOOKS)
    assert main(["candidates", str(place.artifact), "--out", str(place.candidates), "--quiet"]) == 0
    return place


def of_folder(place: Place) -> CandidatePackage:
    stored = open_stored(place.candidates)
    return CandidatePackage(
        str(place.candidates),
        stored.manifest,
        rows_of(list(zip(stored.candidates, stored.evidence, strict=True))),
    )


@pytest.fixture(scope="module")
def source(template: Embedded, harbour: Place) -> Iterator[Embedded]:
    """A database with the artifact and an administrator, to be copied."""
    place = make_database_from(template, "tekrar_candidates_source")
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        load(connection, Artifact(harbour.artifact), open_release(harbour.release))
    yield place
    drop_database(place)


@pytest.fixture
def apart(source: Embedded) -> Iterator[Connection]:
    """A superuser's connection to a database of a test's own, with the artifact and without a ledger."""
    place = make_database_from(source, "tekrar_candidates_apart")
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        yield connection
    drop_database(place)


def begun(connection: Connection) -> Connection:
    """With a ledger."""
    with connection.transaction():
        connection.execute(f"SET LOCAL ROLE {OWNER}".encode())
        connection.execute("SELECT curation.init_administrator('yönetici', NULL)")
    return connection


def counts(connection: Connection) -> dict[str, int]:
    found = {}
    names = (*TABLES, "candidate_set", "candidate_seal", "candidate_entry", "ledger")
    for name in names:
        row = connection.execute(f"SELECT count(*) FROM curation.{name}".encode()).fetchone()
        assert row is not None
        found[name] = row[0]
    return found


def made_over(connection: Connection) -> Maker:
    row = connection.execute("SELECT artifact_root FROM repetition.artifact").fetchone()
    assert row is not None
    return every_kind(connection, row[0])


@pytest.mark.req("CND-01", "CND-10")
def test_what_the_generator_found_is_loaded_and_found_the_same(apart: Connection, harbour: Place) -> None:
    package = of_folder(harbour)
    assert len(package.rows) >= 4
    done = load_candidates(begun(apart), package)
    assert (done.loaded, done.announced, done.candidates) == (True, True, len(package.rows))
    found = counts(apart)
    assert found["candidate"] == found["evidence"] == len(package.rows)
    rows = apart.execute(
        "SELECT uuid_send(c.candidate), c.result, uuid_send(e.evidence), e.payload FROM curation.candidate c"
        " JOIN curation.evidence e USING (set_key, rank) ORDER BY c.rank"
    ).fetchall()
    assert rows == [(c, r, e, p) for c, _, r, e, p in package.rows]
    entry = apart.execute(
        "SELECT kind, convert_from(payload, 'UTF8') FROM curation.ledger WHERE seq = 1"
    ).fetchone()
    assert entry is not None
    assert entry[0] == "candidates"
    payload = json.loads(entry[1])
    assert payload.pop("recorded_at")
    assert payload == {
        "package": package.manifest["candidates_root"],
        "profile": package.manifest["profile"]["id"],
        "generator": package.manifest["roots"]["generator"],
        "artifact": package.manifest["roots"]["artifact"],
    }


@pytest.mark.req("CND-01")
def test_every_kind_of_candidate_is_kept_with_its_sides_apart(apart: Connection) -> None:
    maker = made_over(apart)
    load_candidates(apart, maker.package())
    sides = apart.execute(
        "SELECT c.rank, p.side, count(*) FROM curation.candidate c JOIN curation.candidate_participant p"
        " USING (set_key, candidate) GROUP BY 1, 2 ORDER BY 1, 2"
    ).fetchall()
    assert sides == [
        *((1, 0, 1), (1, 1, 1), (2, 0, 1), (2, 1, 1), (3, 0, 1), (3, 1, 1)),
        *((4, 0, 1), (4, 1, 1), (4, 2, 1), (5, 0, 2), (5, 1, 2)),
    ]
    once = apart.execute(
        "SELECT count(DISTINCT occurrence) FROM curation.candidate_participant"
        " JOIN curation.candidate USING (set_key, candidate) WHERE rank = 3"
    ).fetchone()
    assert once == (1,)  # both sides stand in one paragraph


def test_a_second_load_writes_nothing(apart: Connection, harbour: Place) -> None:
    first = load_candidates(begun(apart), of_folder(harbour))
    before = counts(apart)
    again = load_candidates(apart, of_folder(harbour))
    assert again == replace(first, loaded=False)
    assert counts(apart) == before


def test_before_there_is_a_ledger_a_set_has_no_entry(apart: Connection, harbour: Place) -> None:
    """A ledger is replayed into a database in which the packages are loaded already."""
    done = load_candidates(apart, of_folder(harbour))
    assert (done.loaded, done.announced) == (True, False)
    assert counts(apart)["candidate_entry"] == counts(apart)["ledger"] == 0
    again = load_candidates(begun(apart), of_folder(harbour))
    assert (again.loaded, again.announced) == (False, True)
    assert counts(apart)["candidate_entry"] == 1


class _Stop(Exception):
    """Ends a load at a step."""


def test_a_load_that_stops_at_any_step_leaves_nothing(apart: Connection, harbour: Place) -> None:
    package, before, names = of_folder(harbour), counts(begun(apart)), []
    stop_at = 0

    def at_step(number: int, name: str) -> None:
        names.append(name)
        if number == stop_at:
            raise _Stop

    for stop_at in range(1, 40):  # noqa: B007 - `at_step` reads it
        names.clear()
        try:
            done: LoadedCandidates = load_candidates(apart, package, at_step=at_step)
        except _Stop:
            # After the commit the rows are there; before it nothing is.
            assert (counts(apart) == before) == (names[-1] != "end")
            if names[-1] == "end":
                break
    assert stop_at == len(names) > 9
    done = load_candidates(apart, package)
    assert not done.loaded
    parts = apart.execute(
        "SELECT count(*) FROM pg_inherits WHERE inhparent = 'curation.candidate'::regclass"
    ).fetchone()
    assert parts == (1,)


def altered(package: CandidatePackage, rank: int, column: int, change: Any) -> CandidatePackage:
    rows = [list(row) for row in package.rows]
    rows[rank - 1][column] = change(rows[rank - 1][column])
    return replace(package, rows=[tuple(row) for row in rows])


def last_bit(data: bytes) -> bytes:
    return data[:-1] + bytes([data[-1] ^ 1])


@pytest.mark.req("CND-10", "ID-09")
@pytest.mark.parametrize("rank", range(1, 6))
@pytest.mark.parametrize(
    "column", range(5), ids=("candidate", "participants", "result", "evidence", "payload")
)
def test_a_row_that_is_not_what_its_facts_give_is_refused(apart: Connection, rank: int, column: int) -> None:
    package = made_over(apart).package()
    with pytest.raises(TekrarError) as error:
        load_candidates(apart, altered(package, rank, column, last_bit))
    assert error.value.kind in ("stored_rows_differ", "seal_mismatch", "bad_candidates")
    assert set(counts(apart).values()) == {0}


@pytest.mark.req("CND-10")
def test_participants_that_the_places_do_not_touch_are_refused(apart: Connection) -> None:
    maker = made_over(apart)
    package = maker.package()
    other = package.rows[3][1]  # a group's, of three sides
    with pytest.raises(IntegrityError) as error:
        load_candidates(apart, altered(package, 1, 1, lambda _: other))
    assert error.value.kind == "stored_rows_differ"
    assert "rank 1" in error.value.where


@pytest.mark.req("CND-02")
@pytest.mark.parametrize(
    ("name", "kind"),
    [("artifact", "artifact_not_loaded"), ("text-release", "stored_rows_differ"),
     ("bounds", "stored_rows_differ"), ("features", "stored_rows_differ"),
     ("order", "stored_rows_differ"), ("evidence", "stored_rows_differ")],
)  # fmt: skip
def test_a_stated_root_of_something_else_is_refused(apart: Connection, name: str, kind: str) -> None:
    package = made_over(apart).package()
    package.manifest["roots"][name] = "ab" * 32
    with pytest.raises(TekrarError) as error:
        load_candidates(apart, package)
    assert error.value.kind == kind
    assert set(counts(apart).values()) == {0}


@pytest.mark.req("CND-02")
@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (
            lambda m: m["release"].update(text_release="11111111-2222-5333-8444-555555555555"),
            "other_text_release",
        ),
        (lambda m: m["profile"].update(id="11111111-2222-5333-8444-555555555555"), "other_profile"),
        (lambda m: m["profile"].update(name="FS"), "other_profile"),
        (lambda m: m["generator"].update(semver="2.0.0"), "stored_rows_differ"),
        (lambda m: m["roots"].update(generator="ab" * 32), "stored_rows_differ"),
    ],
    ids=("release", "profile", "another profile", "generator document", "generator"),
)
def test_another_release_profile_or_generator_is_refused_with_its_place(
    apart: Connection, change: Any, kind: str
) -> None:
    package = made_over(apart).package()
    change(package.manifest)
    with pytest.raises(TekrarError) as error:
        load_candidates(apart, package)
    assert error.value.kind == kind
    assert error.value.where
    assert error.value.expected
    assert set(counts(apart).values()) == {0}


@pytest.mark.req("CND-02", "CND-09")
def test_a_generator_has_one_package_of_an_artifact_and_another_generator_its_own(apart: Connection) -> None:
    maker = made_over(apart)
    load_candidates(apart, maker.package())
    with pytest.raises(DatabaseError) as error:
        load_candidates(apart, maker.package(left_out={"pairs": 13}))
    assert error.value.kind == "other_candidates"
    row = apart.execute("SELECT artifact_root FROM repetition.artifact").fetchone()
    assert row is not None
    later = every_kind(apart, row[0], semver="1.1.0")
    assert load_candidates(apart, later.package()).loaded
    assert counts(apart)["candidate"] == 10


@pytest.mark.req("CND-01", "CND-10")
def test_no_row_of_a_sealed_set_changes(apart: Connection) -> None:
    load_candidates(apart, made_over(apart).package())
    with acting_as(apart, OWNER) as session:
        columns = dict.fromkeys(TABLES, "set_key") | dict.fromkeys(
            ("candidate_set", "candidate_seal"), "package_root"
        )
        for name, column in columns.items():
            for statement in (
                f"UPDATE curation.{name} SET {column} = {column}",
                f"DELETE FROM curation.{name}",
                f"TRUNCATE curation.{name} CASCADE",
            ):
                assert refusal(session, statement) == "TK001", statement
        for name in TABLES:
            assert refusal(session, f"INSERT INTO curation.{name} SELECT * FROM curation.{name}") == "TK001"
    with acting_as(apart, BUILDER) as session:
        assert (
            refusal(session, "INSERT INTO curation.candidate_1 SELECT * FROM curation.candidate") == "42501"
        )
        assert session.execute("SELECT count(*) FROM curation.candidate").fetchone() == (5,)


def test_an_unsealed_set_does_not_commit(apart: Connection) -> None:
    package = made_over(apart).package()
    facts = {
        "package_root": package.manifest["candidates_root"],
        "artifact_root": package.manifest["roots"]["artifact"],
        "short": "FP",
        "profile": package.manifest["profile"]["id"],
        "text_release": package.manifest["release"]["text_release"],
        "generator": package.manifest["roots"]["generator"],
    }
    apart.execute("BEGIN")
    apart.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
    apart.execute("SELECT api.begin_candidates(%s::jsonb, 'x')", (json.dumps(facts),))
    with pytest.raises(psycopg.Error) as error:
        apart.execute("COMMIT")
    assert error.value.sqlstate == "TK004"


def test_before_publication_nobody_else_sees_a_candidate(apart: Connection) -> None:
    load_candidates(apart, made_over(apart).package())
    for role in (READER, CURATOR):
        with acting_as(apart, role) as session:
            assert session.execute("SELECT count(*) FROM curation.candidate").fetchone() == (0,)


def test_a_change_behind_the_guards_is_found_when_the_set_is_read(apart: Connection) -> None:
    done = load_candidates(apart, made_over(apart).package())
    assert len(read_set(apart, done.set_key).candidates) == 5
    for statement in (
        "UPDATE curation.candidate_participant_1 SET position = position + 9",
        "UPDATE curation.candidate_participant_1 SET side = side + 9",
        "DELETE FROM curation.candidate_participant_1 WHERE side = 1",
        "DELETE FROM curation.evidence_1 WHERE rank = 2",
        "DELETE FROM curation.candidate_1 WHERE rank = 5",
        "UPDATE curation.candidate_1 SET rank = 9 WHERE rank = 5",
        "UPDATE curation.candidate_set SET manifest = '{}'",
    ):
        apart.execute("BEGIN")
        apart.execute("SET LOCAL session_replication_role = replica")
        for (table,) in apart.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE n.nspname = 'curation' AND c.relkind = 'r' AND c.relhastriggers"
        ).fetchall():
            apart.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
        assert apart.execute(statement.encode()).rowcount > 0
        with pytest.raises(IntegrityError):
            read_set(apart, done.set_key)
        apart.execute("ROLLBACK")


def curated(place: Embedded, harbour: Place, tmp_path: Path) -> None:
    """Marks by the command line: in the file, in the ledger, and brought from the file into the ledger."""
    acting = ("--as", "yönetici", "--database-url", url_of(place, user=LOGIN))
    for words in (("actor", "derleyen"), ("grant", "derleyen", "curator")):
        assert tekrar(tmp_path, *words, *acting).returncode == 0
    events, folder = tmp_path / "events.jsonl", str(harbour.candidates)
    for number, what in (("1", "false_positive"), ("2", "uncertain")):
        words = ("candidates", "mark", folder, number, what, "--as", "elle", "--events", str(events))
        assert tekrar(tmp_path, *words).returncode == 0
    mine = ("--as", "derleyen", "--database-url", url_of(place, user=LOGIN), "--json")
    done = tekrar(tmp_path, "candidates", "mark", folder, "3", "uncertain", "--database", *mine)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["outcome"] == "marked"
    for marked in (2, 0):
        done = tekrar(tmp_path, "candidates", "record", folder, "--events", str(events), *mine)
        assert done.returncode == 0, done.stderr
        record = json.loads(done.stdout)
        assert (record["events"], record["marked"], record["already_marked"]) == (2, marked, 2 - marked)
    refused = tekrar(
        tmp_path, "candidates", "mark", folder, "3", "uncertain", "--events", str(events), "--database", *mine
    )
    assert refused.returncode == 2


@pytest.mark.req("CND-08")
def test_the_verb(source: Embedded, harbour: Place, tmp_path: Path) -> None:
    place = make_database_from(source, "tekrar_candidates_verb")
    try:
        with open_target(of_embedded(place, user=SUPERUSER)) as connection:
            begun(connection)
        url = url_of(place, user=SUPERUSER)
        for outcome in ("loaded", "already_loaded"):
            done = tekrar(tmp_path, "load", str(harbour.candidates), "--database-url", url, "--json")
            assert done.returncode == 0, done.stderr
            record = json.loads(done.stdout)
            assert (record["outcome"], record["in_ledger"]) == (outcome, True)
        refused = tekrar(
            tmp_path,
            "load",
            str(harbour.candidates),
            "--release",
            str(harbour.release),
            "--database-url",
            url,
        )
        assert refused.returncode == 2
        assert "bad_arguments" in refused.stderr
        curated(place, harbour, tmp_path)
    finally:
        drop_database(place)
