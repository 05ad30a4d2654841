"""Grants decide every read: row-level security itself asks the ledger, for the edition and at this moment."""

from __future__ import annotations

import uuid
from collections.abc import Iterator

import pytest

from tekrar.errors import DatabaseError, NotFoundError, UsageError
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, ask, open_target
from tekrar.store.target import of_embedded
from tests.store.matrix import ADMINISTRATOR, AUDITOR, EXECUTE, GRANTABLE, PUBLISHER, READER, SELECT
from tests.store.schema_authority import FAR, NEAR, WRONG, World
from tests.store.schema_database import refusal
from tests.store.schema_logins import ask_as, error_of, said

#: Columns that tell of which edition a row is, when its relation has one of them.
TELLING = (
    "release_key",
    "artifact_key",
    "profile_key",
    "series_key",
    "release",
    "text_release",
    "edition",
    "profile",
)

#: Queries that take a release, and a second ID in it.
ASKING = {
    "api.occurrence_status(%s, %s)": "occurrence",
    "api.get_occurrence(%s, %s)": "occurrence",
    "api.why(%s, %s)": "occurrence",
    "api.list_duplicates(%s, %s, NULL, NULL, NULL, -1, 10)": "class",
    "api.list_classes(%s, 'published', 2::smallint, 2, 32767::smallint, 2147483647, -1, 10, true)": "",
    "api.coverage(%s)": "",
    "api.release_show(%s)": "",
}
CORPUS_ROLES = sorted(EXECUTE["api.why"])


def far_values(world: World) -> dict[str, set[object]]:
    """Every value by which a row could be told to belong to the far edition."""
    rows = {
        "release_key": "SELECT release_key FROM core.release WHERE edition = %s",
        "text_release": "SELECT text_release FROM core.release WHERE edition = %s",
        "artifact_key": "SELECT artifact_key FROM repetition.artifact JOIN core.release USING (release_key)"
        " WHERE edition = %s",
        "profile_key": "SELECT profile_key FROM repetition.profile JOIN repetition.artifact USING"
        " (artifact_key) JOIN core.release USING (release_key) WHERE edition = %s",
        "profile": "SELECT profile FROM repetition.profile JOIN repetition.artifact USING (artifact_key)"
        " JOIN core.release USING (release_key) WHERE edition = %s",
        "series_key": "SELECT series_key FROM repetition.series WHERE edition = %s",
        "release": "SELECT release FROM repetition.repetition_release JOIN repetition.series USING"
        " (series_key) WHERE edition = %s",
    }
    found = {
        c: {row[0] for row in world.admin.execute(q.encode(), (FAR,)).fetchall()} for c, q in rows.items()
    }
    assert all(found.values())
    return {**found, "edition": {FAR}, "scope": {FAR, *map(str, found["profile"])}}


@pytest.mark.req("PUB-06")
@pytest.mark.parametrize("role", GRANTABLE)
def test_a_narrow_grant_shows_no_row_of_another_edition(world: World, role: str) -> None:
    far = far_values(world)
    wide, narrow = world.connect(role, "all"), world.connect(role, "near")
    compared = 0
    for relation in sorted(relation for relation, roles in SELECT.items() if role in roles):
        columns = [
            row[0]
            for row in world.admin.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0", (relation,)
            ).fetchall()
        ]
        telling = [
            c
            for c in (*TELLING, *(["scope"] if relation.startswith("curation.head") else []))
            if c in columns
        ]
        if not telling:
            continue
        query = f"SELECT {', '.join(telling)} FROM {relation}"
        all_rows, seen = ask_as(wide, role, query), ask_as(narrow, role, query)
        of_far = [row for row in all_rows if any(v in far[c] for c, v in zip(telling, row, strict=True))]
        expected = sorted(map(str, (row for row in all_rows if row not in of_far)))
        assert sorted(map(str, seen)) == expected, relation
        assert bool(of_far) == bool(all_rows), relation
        compared += len(of_far)
    assert compared > 0


@pytest.mark.req("PUB-06")
@pytest.mark.parametrize("role", GRANTABLE)
def test_without_a_valid_grant_no_table_shows_a_row(world: World, role: str) -> None:
    for kind in WRONG:
        connection = world.connect(role, kind)
        for relation in sorted(relation for relation, roles in SELECT.items() if role in roles):
            assert ask_as(connection, role, f"SELECT * FROM {relation}") == [], (kind, relation)
            # Nor by asking for the row behind the row: a condition of one's own is tried on none.
            assert (
                ask_as(connection, role, f"SELECT FROM {relation} AS t WHERE 1 / length(t::text) > 5") == []
            )


@pytest.mark.req("PUB-06")
@pytest.mark.parametrize("kind", WRONG)
@pytest.mark.parametrize("role", CORPUS_ROLES)
def test_a_query_without_a_valid_grant_says_what_is_wrong_with_it(world: World, role: str, kind: str) -> None:
    connection = world.connect(role, kind)
    for query, what in ASKING.items():
        for release in (world.releases["FP"], world.far_releases["FP"], uuid.uuid4()):
            ids = [release, *([world.near.occurrence("FP", 0)] if what == "occurrence" else [])]
            ids += [world.near.exact_class("FP", 0)] if what == "class" else []
            error = error_of(connection, role, f"SELECT * FROM {query}", *ids)
            assert error.sqlstate == WRONG[kind], query
            assert str(release) not in " ".join(map(str, said(error)))
    assert error_of(connection, role, "SELECT * FROM api.releases()").sqlstate == WRONG[kind]
    assert error_of(connection, role, "SELECT api.text_slice(1, 0, 1)").sqlstate == WRONG[kind]


@pytest.mark.parametrize("kind", WRONG)
def test_the_authority_s_own_records_ask_for_a_grant(world: World, kind: str) -> None:
    for role in (AUDITOR, ADMINISTRATOR):
        connection = world.connect(role, kind)
        for query in ("api.grants()", "api.verify_ledger()"):
            assert error_of(connection, role, f"SELECT * FROM {query}").sqlstate == WRONG[kind]
    narrow = world.connect(AUDITOR, "near")
    # One chain for all editions: who may see one edition cannot judge it.
    assert error_of(narrow, AUDITOR, "SELECT * FROM api.verify_ledger()").sqlstate == "TK030"
    assert {row[0] for row in ask_as(narrow, AUDITOR, "SELECT scope FROM api.grants()")} == {NEAR}
    wide = world.connect(AUDITOR, "all")
    assert ask_as(wide, AUDITOR, "SELECT first_broken, head_matches FROM api.verify_ledger()") == [
        (None, True)
    ]
    assert {row[0] for row in ask_as(wide, AUDITOR, "SELECT scope FROM api.grants()")} >= {"*", NEAR}


@pytest.mark.req("QRY-03")
@pytest.mark.parametrize("role", CORPUS_ROLES)
def test_what_is_out_of_scope_is_not_there(world: World, role: str) -> None:
    """The hidden and the missing: one and the same error but for the ID that was asked (T14, T15)."""
    narrow, wide = world.connect(role, "near"), world.connect(role, "all")
    hidden, missing = world.far_releases["FP"], uuid.uuid4()
    for query, what in ASKING.items():
        inner = {
            "occurrence": world.far.occurrence("FP", 0),
            "class": world.far.exact_class("FP", 0),
        }
        more = [inner[what]] if what else []
        assert ask_as(wide, role, f"SELECT * FROM {query}", hidden, *more)
        errors = [said(error_of(narrow, role, f"SELECT * FROM {query}", r, *more)) for r in (hidden, missing)]
        assert errors[0][0] == "TK010"
        assert str(errors[0]).replace(str(hidden), "ID") == str(errors[1]).replace(str(missing), "ID")
        if what:  # an ID of another release under one that is in scope
            near = said(error_of(narrow, role, f"SELECT * FROM {query}", world.releases["FP"], *more))
            other = said(error_of(narrow, role, f"SELECT * FROM {query}", world.releases["FP"], missing))
            assert str(near).replace(str(more[0]), "ID") == str(other).replace(str(missing), "ID")
    shown = {row[0] for row in ask_as(narrow, role, "SELECT release FROM api.releases()")}
    assert shown == set(world.releases.values())
    texts = (world.far.release_key, 2**31 - 1)
    slices = [said(error_of(narrow, role, "SELECT api.text_slice(%s, 0, 2)", key)) for key in texts]
    assert slices[0] == slices[1]


def test_a_publisher_s_hidden_artifact_is_not_there(world: World) -> None:
    narrow = world.connect(PUBLISHER, "near")
    root, missing = world.hidden.artifact_root.hex(), "00" * 32
    query = "SELECT api.prepare_publication(%s, 'FP')"
    found = [said(error_of(narrow, PUBLISHER, query, r)) for r in (root, missing)]
    assert found[0][0] == "TK010"
    assert str(found[0]).replace(root, missing) == str(found[1])
    query = "SELECT api.withdraw(%s, 'x')"
    ids = world.far_releases["FP"], uuid.uuid4()
    found = [said(error_of(narrow, PUBLISHER, query, i)) for i in ids]
    assert found[0][0] == "TK010"
    assert str(found[0]).replace(str(ids[0]), str(ids[1])) == str(found[1])
    numbers = world.grants[PUBLISHER, "all"], 2**31 - 1
    scoped = world.connect(ADMINISTRATOR, "near")
    found = [said(error_of(scoped, ADMINISTRATOR, "SELECT api.revoke_grant(%s)", n)) for n in numbers]
    assert found[0][0] == "TK010"
    assert str(found[0]).replace(str(numbers[0]), str(numbers[1])) == str(found[1])


@pytest.fixture
def program(world: World) -> Iterator[Connection]:
    with open_target(of_embedded(world.place, user=LOGIN)) as connection:
        yield connection


@pytest.mark.req("PUB-06")
def test_the_program_reads_for_the_public_as_reader_alone(world: World, program: Connection) -> None:
    assert len(Reader(program).releases()) == 8
    for claims in ({}, {"request": "7"}):
        assert len(ask(program, b"SELECT * FROM api.releases()", role=Role.READER, claims=claims)) == 8
    for role in CORPUS_ROLES:
        if role != READER:
            assert ask(program, b"SELECT * FROM repetition.occurrence", role=Role(role)) == []
            with open_target(of_embedded(world.place, user=LOGIN)) as another:
                with pytest.raises(DatabaseError) as caught:
                    Reader(another, role=Role(role)).releases()
                assert caught.value.kind == "unknown_actor"


@pytest.mark.req("PUB-06", "CUR-06")
def test_an_actor_who_speaks_through_the_program_reads_by_his_grant(
    world: World, program: Connection
) -> None:
    world.name("okur", None)
    asked = Reader(program, claims={"actor": "okur"})
    with pytest.raises(DatabaseError) as caught:
        asked.releases()
    assert caught.value.kind == "grant_missing"
    number = world.grant("okur", READER, NEAR)
    assert {one["edition"] for one in asked.releases()} == {NEAR}
    with pytest.raises(NotFoundError):
        asked.coverage(str(world.far_releases["FP"]))
    world.revoke(number)
    with pytest.raises(DatabaseError) as caught:
        asked.releases()
    assert caught.value.kind == "grant_revoked"
    with pytest.raises(DatabaseError) as caught:
        Reader(program, claims={"actor": "hiç kimse"}).releases()
    assert caught.value.kind == "unknown_actor"


@pytest.mark.req("PUB-06", "QRY-05")
def test_a_cursor_does_not_outlive_the_grant(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    number = world.grant(login, READER, NEAR)
    release, id = str(world.releases["FP"]), str(world.near.exact_class("FP", 0))
    with world.logins.connect(world.place, login) as connection:
        reader = Reader(connection, key=b"k" * 32)
        first = reader.duplicates(release, id, page=1)
        assert first["next"]
        assert reader.duplicates(release, id, page=1, cursor=first["next"])["members"]
        with pytest.raises(UsageError) as caught:
            Reader(connection, role=Role.AUDITOR, key=b"k" * 32).duplicates(release, id, cursor=first["next"])
        assert caught.value.kind == "foreign_cursor"
        # The role stays open by a grant to come, so that it is the ledger that refuses.
        world.grant(login, READER, FAR, start="2999-01-01")
        world.revoke(number)
        with pytest.raises(DatabaseError) as refused:
            reader.duplicates(release, id, page=1, cursor=first["next"])
        assert refused.value.kind in ("grant_revoked", "grant_not_yet_valid")
        # And with the last grant the role itself is gone.
        for row in ask_as(
            world.connect(AUDITOR), AUDITOR, "SELECT grant_key FROM api.grants() WHERE actor = %s", login
        ):
            world.revoke(row[0])
        with pytest.raises(DatabaseError) as refused:
            reader.duplicates(release, id, page=1, cursor=first["next"])
        assert refused.value.kind == "permission_denied"


@pytest.mark.req("PUB-06")
def test_a_grant_that_ends_in_the_middle_of_a_session_ends_there(world: World) -> None:
    login = world.logins.make()
    world.name(login, login)
    row = world.admin.execute("SELECT clock_timestamp() + interval '700 milliseconds'").fetchone()
    assert row is not None
    world.grant(login, READER, "*", end=row[0])
    with world.logins.connect(world.place, login) as connection, connection.transaction():
        connection.execute("SET LOCAL ROLE tekrar_reader")
        count = "SELECT count(*) FROM repetition.repetition_release"
        assert connection.execute(count).fetchone() == (8,)
        connection.execute("SELECT pg_sleep_until(%s)", row)
        assert connection.execute(count).fetchone() == (0,)  # within one transaction


def test_a_set_of_releases_is_seen_whole_or_not(world: World) -> None:
    admin = world.admin
    with admin.transaction(force_rollback=True):
        admin.execute("SET LOCAL ROLE tekrar_owner")
        mixed = [world.releases["FP"], world.far_releases["FP"]]
        admin.execute("SELECT repetition.insert_set(%s)", (mixed,))
        admin.execute("RESET ROLE")
        login = world.actor(READER, "near")
        admin.execute(f'SET LOCAL SESSION AUTHORIZATION "{login}"'.encode())
        admin.execute("SET LOCAL ROLE tekrar_reader")
        assert admin.execute("SELECT count(*) FROM repetition.release_set").fetchone() == (1,)


def test_claims_that_cannot_be_read_are_refused_typed(world: World) -> None:
    connection = world.connect(READER)
    for claims in ("x", "{", '{"actor": "a"', "\\"):
        with connection.transaction():
            connection.execute("SELECT set_config('tekrar.claims', %s, true)", (claims,))
            connection.execute("SET LOCAL ROLE tekrar_reader")
            assert refusal(connection, "SELECT * FROM api.releases()") == "TK012"
