"""Facts that were written stay, whoever asks, and closed lists are closed in the database."""

from __future__ import annotations

import json
from typing import Any

import psycopg
import pytest

from tekrar.store.session import Connection
from tests.store.matrix import BUILDER, OWNER, READER
from tests.store.schema_database import acting_as, prove_owner, refusal
from tests.store.schema_load import Loaded, load
from tests.store.schema_publication import as_login

CHECK, UNIQUE = "23514", "23505"


@pytest.mark.req("PRO-18", "CORE-02")
@pytest.mark.parametrize(
    "attack",
    [
        "UPDATE repetition.occurrence SET part = 2",
        "UPDATE core.sentence SET end_byte = end_byte + 1",
        "DELETE FROM core.text_block",
        "DELETE FROM repetition.class WHERE class_no = 0",
        "TRUNCATE repetition.occurrence",
        "TRUNCATE core.release CASCADE",
        "TRUNCATE repetition.artifact, repetition.seal, repetition.profile CASCADE",
        "UPDATE repetition.profile SET exact_status = 'complete'",
        "DELETE FROM repetition.seal",
        "MERGE INTO repetition.profile p USING (SELECT 1 AS one) o ON true WHEN MATCHED THEN DELETE",
        "INSERT INTO repetition.profile OVERRIDING SYSTEM VALUE SELECT * FROM repetition.profile"
        " ON CONFLICT (profile_key) DO UPDATE SET exact_status = 'complete'",
        "DELETE FROM curation.head",
        "UPDATE curation.head SET value = decode(repeat('ff', 32), 'hex') WHERE name = 'repetition'",
        "UPDATE curation.head SET version = version + 2 WHERE name = 'repetition'",
        "DELETE FROM curation.head_move",
    ],
)
@pytest.mark.usefixtures("loaded")
def test_the_owner_cannot_edit_what_was_written(admin: Connection, attack: str) -> None:
    with acting_as(admin, OWNER) as connection:
        assert refusal(connection, attack) in ("TK001", "TK002")


@pytest.mark.usefixtures("loaded")
def test_no_session_setting_turns_the_guards_off(admin: Connection) -> None:
    with acting_as(admin, OWNER) as connection:
        assert refusal(connection, "SET LOCAL session_replication_role = replica") == "42501"
        # row_security = off turns policies into errors for whoever is bound by them; it opens nothing.
        connection.execute("SET LOCAL row_security = off")
        assert refusal(connection, "SELECT * FROM core.release") == "42501"
    admin.execute("BEGIN")
    admin.execute("SET LOCAL session_replication_role = replica")
    admin.execute("SET LOCAL ROLE tekrar_owner")
    assert refusal(admin, "DELETE FROM core.text_block") == "TK001"
    admin.execute("ROLLBACK")


def test_after_the_seal_nothing_of_the_artifact_is_added(admin: Connection, loaded: Loaded) -> None:
    with acting_as(admin, OWNER) as connection:
        key = loaded.artifact_key
        assert (
            refusal(connection, f"INSERT INTO repetition.root VALUES ({key}, 999, 'x', sha256(''))")
            == "TK002"
        )
        assert (
            refusal(
                connection,
                f"INSERT INTO repetition.validation VALUES ({loaded.profiles['FP']}, 5,"
                f" 'preimages-verified', sha256(''))",
            )
            == "TK002"
        )


def test_a_load_that_was_not_sealed_does_not_commit(admin: Connection) -> None:
    before = admin.execute("SELECT count(*) FROM pg_class").fetchone()
    with acting_as(admin, BUILDER) as connection:
        connection.execute(
            "SELECT api.begin_text(gen_random_uuid(), 'e', 'tr', 's', sha256(''), sha256('{}'), '{}', 0)"
        )
        with pytest.raises(psycopg.Error) as refused:
            connection.execute("COMMIT")
    assert refused.value.sqlstate == "TK004"
    assert admin.execute("SELECT count(*) FROM pg_class").fetchone() == before


def test_the_builder_fills_open_tables_of_its_key_only(admin: Connection) -> None:
    with acting_as(admin, BUILDER) as connection:
        row = connection.execute(
            "SELECT api.begin_text(gen_random_uuid(), 'e', 'tr', 's', sha256(''), sha256('{}'), '{}', 0)"
        ).fetchone()
        assert row is not None
        target, key = row[0]["targets"]["core.text_block"], row[0]["release_key"]
        assert refusal(connection, f"INSERT INTO {target} VALUES ({key + 1}, 0, 'x')") == CHECK
        assert refusal(connection, f"INSERT INTO {target} VALUES ({key}, 0, 'x')") is None
        connection.execute("SELECT api.attach_text(%s)", (key,))
        assert refusal(connection, f"INSERT INTO {target} VALUES ({key}, 0, 'x')") == "42501"


@pytest.mark.parametrize(
    ("change", "fact"),
    [
        ("data", "bytes"),
        ("sentence", "sentences"),
        ("class size", "FP class whose members are not its size"),
        ("part", "FP emitted"),
    ],
)
def test_a_seal_counts_the_rows(
    admin: Connection, monkeypatch: pytest.MonkeyPatch, change: str, fact: str
) -> None:
    from tests.store import schema_load

    plain = schema_load.copy

    def altered(
        connection: Connection, target: str, key: int, rows: list[tuple[object, ...]], columns: str = ""
    ) -> None:
        if change == "data" and target.startswith("core.text_block"):
            rows = []
        if change == "sentence" and target.startswith("core.sentence"):
            rows = rows[:-1]
        if change == "class size" and target.startswith("repetition.class"):
            rows = [(*row[:2], 3, *row[3:]) for row in rows]
        if change == "part" and target.startswith("repetition.occurrence"):
            rows = rows[:2] + rows[3:]
        plain(connection, target, key, rows, columns)

    monkeypatch.setattr(schema_load, "copy", altered)
    with acting_as(admin, BUILDER) as connection, pytest.raises(psycopg.Error) as refused:
        load(connection, edition="sayı", prefix=change)
    assert refused.value.sqlstate == "TK003"
    assert refused.value.diag.message_detail is not None
    assert f'"fact": "{fact}"' in refused.value.diag.message_detail


@pytest.mark.req("PRJ-10")
@pytest.mark.parametrize("reason", ["'too_short'", "4", "1", "16"])
def test_exclusion_reasons_are_closed(admin: Connection, reason: str) -> None:
    """`too_short`, an unknown number, and numbers that are no reason of an occurrence."""
    with acting_as(admin, OWNER) as connection:
        connection.execute("CREATE TABLE repetition.open (LIKE repetition.occurrence INCLUDING CONSTRAINTS)")
        row = (
            f"INSERT INTO repetition.open VALUES (1, 0, gen_random_uuid(), gen_random_uuid(), 0, 1,"
            f" 0, 0, NULL, 1, 4, {reason}, NULL, NULL, 0, 0, NULL, NULL, NULL, 1)"
        )
        assert refusal(connection, row) in ("22P02", CHECK)
        assert refusal(connection, row.replace(f"4, {reason}", "4, 2")) is None
        connection.execute(
            "CREATE TABLE repetition.empty (LIKE repetition.enumeration_exclusion INCLUDING CONSTRAINTS)"
        )
        if reason != "1":
            assert refusal(connection, f"INSERT INTO repetition.empty VALUES (1, 0, {reason})") in (
                "22P02",
                CHECK,
            )


@pytest.mark.req("COV-01")
@pytest.mark.parametrize(
    "state",
    [
        "0, NULL, NULL, sha256('')",  # no part of the partition
        "6, NULL, NULL, sha256('')",
        "NULL, NULL, NULL, sha256('')",
        "1, NULL, NULL, sha256('')",  # matched without a presentation
        "2, 1, NULL, sha256('')",  # unique with a pending code
        "2, NULL, NULL, NULL",  # unique without a fingerprint
        "3, NULL, NULL, NULL",  # not evaluated, and nothing says why
        "3, 4, NULL, NULL",
        "4, 2, NULL, sha256('')",  # excluded and compared
        "5, NULL, NULL, NULL",
        "5, 3, NULL, NULL",
        "5, 1, 1, NULL",
    ],
)
def test_an_occurrence_has_one_legal_state(admin: Connection, state: str) -> None:
    with acting_as(admin, OWNER) as connection:
        connection.execute("CREATE TABLE repetition.open (LIKE repetition.occurrence INCLUDING CONSTRAINTS)")
        row = (
            "INSERT INTO repetition.open VALUES (1, 0, gen_random_uuid(), gen_random_uuid(), 0, 1,"
            " 0, 0, NULL, 1, {}, 0, 0, NULL, NULL, NULL, NULL)"
        )
        assert refusal(connection, row.format(state)) in (CHECK, "23502")
        assert refusal(connection, row.format("2, NULL, NULL, sha256('')")) is None


@pytest.mark.parametrize(
    "derived",
    [
        "1, 0, NULL, NULL, NULL, NULL",  # paragraphs against their order
        "0, 0, gen_random_uuid(), NULL, 2, NULL",  # unique, and in a class
        "0, 0, NULL, NULL, 2, NULL",
        "0, 0, NULL, sha256(''), NULL, NULL",
        "0, 0, NULL, NULL, NULL, 1",  # excluded for a reason and unique
    ],
)
def test_what_stands_beside_an_occurrence_fits_its_state(admin: Connection, derived: str) -> None:
    with acting_as(admin, OWNER) as connection:
        connection.execute("CREATE TABLE repetition.open (LIKE repetition.occurrence INCLUDING CONSTRAINTS)")
        row = (
            "INSERT INTO repetition.open VALUES (1, 0, gen_random_uuid(), gen_random_uuid(), 0, 1,"
            " 0, 0, NULL, 1, 2, NULL, NULL, sha256(''), {})"
        )
        assert refusal(connection, row.format(derived)) == CHECK
        assert refusal(connection, row.format("0, 0, NULL, NULL, NULL, NULL")) is None


@pytest.mark.req("CL-01", "CL-03")
def test_classes_have_two_members_and_an_occurrence_one_class(admin: Connection) -> None:
    with acting_as(admin, OWNER) as connection:
        connection.execute("CREATE TABLE repetition.open (LIKE repetition.class INCLUDING CONSTRAINTS)")
        row = (
            "INSERT INTO repetition.open VALUES (1, 0, gen_random_uuid(), {}, 1, sha256(''),"
            " sha256(''), NULL, NULL, NULL, 0)"
        )
        assert refusal(connection, row.format(1)) == CHECK
        assert refusal(connection, row.format(2)) is None
    keys = admin.execute(
        "SELECT conrelid::regclass::text, pg_get_constraintdef(oid) FROM pg_constraint"
        " WHERE conrelid = 'repetition.occurrence'::regclass AND contype IN ('u', 'p') ORDER BY 2"
    ).fetchall()
    assert [definition for _, definition in keys] == [
        "PRIMARY KEY (profile_key, row_no)",
        "UNIQUE (profile_key, occurrence)",
    ]


@pytest.mark.req("LAY-06", "LAY-07")
@pytest.mark.parametrize("kind", ["quotation", "uncertain", "exact_class", "Variant", ""])
def test_family_kinds_are_closed(admin: Connection, kind: str) -> None:
    with acting_as(admin, OWNER) as connection:
        seven = "'0190a0a0-0000-7000-8000-000000000000'"
        row = (
            f"INSERT INTO curation.family VALUES ({seven}, gen_random_uuid(), gen_random_uuid(), %s,"
            " sha256(''), sha256(''), 2, 7000)"
        )
        assert refusal(connection, row, (kind,)) == CHECK
        assert refusal(connection, row, ("variant",)) == "23503"  # only the decision is missing


@pytest.mark.req("LAY-10", "LAY-09")
def test_each_layer_has_a_table_of_its_own(admin: Connection) -> None:
    stores = [
        "repetition.occurrence",
        "repetition.class",
        "curation.family",
        "curation.quotation",
        "curation.canonical_choice",
        "repetition.profile",
        "curation.candidate",
        "curation.evidence",
        "curation.passage_diff",
        "curation.review",
        "repetition.repetition_release",
        "curation.propagation_policy",
    ]
    assert len(set(stores)) == 12
    for store in stores:
        assert admin.execute("SELECT to_regclass(%s) IS NOT NULL", (store,)).fetchone() == (True,), store


def test_a_reader_sees_nothing_that_was_not_published(admin: Connection, loaded: Loaded) -> None:
    with acting_as(admin, READER) as connection:
        for relation in (
            "core.release",
            "core.text_block",
            "repetition.artifact",
            "repetition.profile",
            "repetition.occurrence",
            "repetition.class",
            "repetition.root",
            "repetition.seal",
        ):
            assert connection.execute(f"SELECT count(*) FROM {relation}").fetchone() == (0,), relation
    # Nor does a publisher who is no actor; one with a grant sees what is sealed.
    with acting_as(admin, "tekrar_publisher") as connection:
        assert connection.execute("SELECT count(*) FROM repetition.occurrence").fetchone() == (0,)


def test_a_publisher_sees_what_is_sealed(admin: Connection, actors: Loaded) -> None:
    with as_login(admin, "tekrar_publisher", "yayıncı") as connection:
        assert connection.execute("SELECT count(*) FROM repetition.occurrence").fetchone() == (18,)


def test_the_proof_of_the_connection_can_fail(admin: Connection) -> None:
    with pytest.raises(AssertionError):
        prove_owner(admin)


class _Sealing:
    """A connection whose seal is asked with another digest than the rows gave."""

    def __init__(self, connection: Connection, function: str, place: int) -> None:
        self._connection, self._function, self._place = connection, function, place

    def execute(self, query: Any, parameters: Any = None) -> Any:
        if self._function in str(query):
            parameters = [*parameters[: self._place], bytes(32), *parameters[self._place + 1 :]]
        return self._connection.execute(query, parameters)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._connection, name)


@pytest.mark.parametrize(
    ("function", "place", "fact"),
    [
        ("api.seal_text", 1, "certified digest"),
        ("api.seal_text", 2, "core release manifest root"),
        ("api.seal_artifact", 1, "artifact root"),
    ],
)
def test_a_seal_of_another_digest_than_was_stated_is_refused(
    admin: Connection, loaded: Loaded, function: str, place: int, fact: str
) -> None:
    """Requirements 3.9: the database itself compares what was recomputed with what the load stated."""

    def loading() -> None:
        with admin.transaction():
            admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_builder")
            load(_Sealing(admin, function, place), prefix=f"mühür {fact}")  # type: ignore[arg-type]

    with pytest.raises(psycopg.Error) as refused:
        loading()
    assert refused.value.sqlstate == "TK003"
    detail = json.loads(refused.value.diag.message_detail or "{}")
    assert (detail["kind"], detail["fact"], detail["found"]) == ("seal_mismatch", fact, bytes(32).hex())
