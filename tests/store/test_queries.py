"""The questions of the store: paging, filters, withdrawal, IDs; what a question locks and leaves behind."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError, NotFoundError, UsageError
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN, Role
from tekrar.store.round_trip import MOST_PREPARED
from tekrar.store.session import Connection, ask, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.matrix import READER
from tests.store.schema_database import prove_powerless
from tests.store.schema_load import sha
from tests.store.schema_publication import Published, as_login, call, new_load, plan_of, publish

_KEY = b"k" * 32


@pytest.fixture
def reader(login: Connection) -> Reader:
    return Reader(login, key=_KEY)


def classes_of(reader: Reader, release: uuid.UUID, **choice: Any) -> list[dict[str, Any]]:
    """Every page of one class each, joined."""
    found, cursor = [], None
    while True:
        page = reader.classes(str(release), page=1, cursor=cursor, **choice)
        found += page["classes"]
        if (cursor := page["next"]) is None:
            return found


@pytest.mark.req("QRY-01", "QRY-05")
def test_classes_are_paged_and_counted_as_they_are_listed(reader: Reader, published: Published) -> None:
    one, releases = published
    for short, presentation, ids in (
        ("FS", "published", [str(one.exact_class("FS", 1))]),
        ("FS", "dominated", [str(one.exact_class("FS", 0))]),
        ("FP", "published", [str(one.exact_class("FP", 0))]),
        ("PP", "published", []),
        ("PP", "provisional", [None]),
    ):
        found = classes_of(reader, releases[short], presentation=presentation)
        assert [row["class"] for row in found] == ids
        counted = reader.classes(str(releases[short]), presentation=presentation, counted=True)
        assert (counted["status"], counted["total"]) == ("listed", len(found))
    groups = classes_of(reader, releases["PP"], presentation="provisional")
    assert groups[0]["group_key"] == sha("witness", "PP", "0").hex()
    dominated = classes_of(reader, releases["FS"], presentation="dominated")
    assert dominated[0]["winner"] == str(one.exact_class("FS", 1))
    assert classes_of(reader, releases["FS"], min_length=4) == []
    assert classes_of(reader, releases["FS"], min_size=3) == []
    assert reader.classes(str(releases["FS"]), min_size=3, counted=True)["total"] == 0


@pytest.mark.req("QRY-05")
def test_a_cursor_is_of_one_listing(login: Connection, reader: Reader, published: Published) -> None:
    one, releases = published
    release, id = str(releases["FP"]), str(one.exact_class("FP", 0))
    cursor = reader.duplicates(release, id, page=1)["next"]
    assert len(reader.duplicates(release, id, page=1, cursor=cursor)["members"]) == 1
    for wrong in (
        lambda: reader.duplicates(str(releases["FS"]), id, cursor=cursor),
        lambda: reader.duplicates(release, str(one.occurrence("FP", 0)), cursor=cursor),
        lambda: reader.duplicates(release, id, books=["x"], cursor=cursor),
        lambda: reader.duplicates(release, id, but_books=["x"], cursor=cursor),
        lambda: reader.classes(release, cursor=cursor),
        lambda: Reader(login, Role.AUDITOR, key=_KEY).duplicates(release, id, cursor=cursor),
    ):
        with pytest.raises(UsageError) as error:
            wrong()
        assert error.value.kind == "foreign_cursor"
    for key, forged in ((b"x" * 32, cursor), (_KEY, cursor[:-2]), (_KEY, cursor[:9] + "A" + cursor[10:])):
        with pytest.raises(UsageError) as error:
            Reader(login, key=key).duplicates(release, id, cursor=forged)
        assert error.value.kind == "bad_cursor"


@pytest.mark.req("CORE-03", "QRY-02", "QRY-03")
def test_members_keep_their_own_anchors_and_a_status_is_never_an_empty_list(
    reader: Reader, published: Published
) -> None:
    one, releases = published
    for named in (one.exact_class("FP", 0), one.occurrence("FP", 1)):
        found = reader.duplicates(str(releases["FP"]), str(named))
        assert (found["status"], found["size"], found["chosen"]) == ("matched", 2, 2)
        assert [(m["occurrence"], m["paragraph"], m["book_label"]) for m in found["members"]] == [
            (str(one.occurrence("FP", row)), row, "bah\0ce") for row in (0, 1)
        ]
    for short, row, status in (
        ("FP", 2, "unique"),
        ("PP", 2, "not_evaluated"),
        ("PP", 3, "excluded"),
        ("PS", 3, "integrity_error"),
    ):
        found = reader.duplicates(str(releases[short]), str(one.occurrence(short, row)))
        assert (found["status"], found["members"]) == (status, [])
    with pytest.raises(NotFoundError):
        reader.duplicates(str(releases["FP"]), str(one.occurrence("PP", 0)))


def test_members_of_some_books_and_not_of_others(reader: Reader, published: Published) -> None:
    one, releases = published
    release, id = str(releases["FP"]), str(one.exact_class("FP", 0))
    inside = reader.duplicates(release, id, books=["bah\0ce"], page=1)
    assert (inside["size"], inside["chosen"], len(inside["members"])) == (2, 2, 1)
    again = reader.duplicates(release, id, books=["bah\0ce"], page=1, cursor=inside["next"])
    assert again["members"][0]["row_no"] == 1
    outside = reader.duplicates(release, id, but_books=["bah\0ce"])
    assert (outside["status"], outside["chosen"], outside["members"]) == ("matched", 0, [])
    for choice in ({"books": ["yok"]}, {"but_books": ["yok"]}):
        with pytest.raises(DatabaseError) as error:
            reader.duplicates(release, id, **choice)  # type: ignore[arg-type]
        assert error.value.kind == "bad_argument"


@pytest.mark.req("ID-04", "ID-05")
def test_only_ids_as_they_are_printed_are_looked_up(
    admin: Connection, reader: Reader, published: Published
) -> None:
    one, releases = published
    release, good = str(releases["FP"]), str(one.occurrence("FP", 0))
    row = admin.execute(
        "SELECT encode(fingerprint, 'hex'), selection::text FROM repetition.occurrence WHERE occurrence = %s",
        (good,),
    ).fetchone()
    assert row is not None
    wrong = [good.upper(), "{" + good + "}", "urn:uuid:" + good, good.replace("-", ""), " " + good, "0", "1"]
    wrong += [good[:14] + "4" + good[15:], good[:19] + "c" + good[20:], "", row[0][:32], good + "\n"]
    questions = (reader.status, reader.occurrence, reader.why, reader.duplicates)
    for id in wrong:
        for ask_for in questions:
            with pytest.raises(UsageError) as error:
                ask_for(release, id)
            assert error.value.kind == "bad_id", id
            with pytest.raises(UsageError) as error:
                ask_for(id, good)
            assert error.value.kind == "bad_id", id
        with pytest.raises(UsageError):
            reader.classes(id)
    # A fingerprint is no group's witness, a selection no occurrence and no class.
    for id in (row[0], row[1]):
        with pytest.raises(NotFoundError):
            reader.duplicates(release, id)
    with pytest.raises(NotFoundError):
        reader.status(release, row[1])


@pytest.mark.req("PRO-11")
def test_no_function_takes_a_projection_beside_the_release(admin: Connection) -> None:
    named = admin.execute(
        "SELECT p.proname, p.proargnames FROM pg_proc AS p WHERE p.pronamespace = 'api'::regnamespace"
        " AND p.proname = ANY (ARRAY['list_classes', 'list_duplicates', 'occurrence_status',"
        " 'get_occurrence', 'why', 'coverage'])"
    ).fetchall()
    assert len(named) == 6
    for name, arguments in named:
        assert arguments[0] == "release", name
        takes = set(arguments[: {"list_classes": 9, "list_duplicates": 7, "coverage": 1}.get(name, 2)])
        assert not takes & {"projection", "enumerator", "profile", "predicate", "short"}, name


@pytest.mark.req("COV-11")
def test_a_row_that_was_taken_away_is_never_unique(
    admin: Connection, reader: Reader, published: Published
) -> None:
    one, releases = published
    victim, release = one.occurrence("FP", 2), str(releases["FP"])
    assert reader.status(release, str(victim))["status"] == "unique"
    partition = f"repetition.occurrence_{one.profiles['FP']}"
    paragraph = f"core.paragraph_{one.release_key}"
    for table, row, kind in (
        (partition, "occurrence = %s", "not_found"),
        (
            paragraph,
            "paragraph = (SELECT paragraph FROM repetition.occurrence WHERE occurrence = %s)",
            "TK011",
        ),
        (f"core.text_block_{one.release_key}", "%s::uuid IS NOT NULL", "TK011"),
    ):
        with admin.transaction(force_rollback=True):
            admin.execute("SET LOCAL session_replication_role = replica")
            admin.execute(f"ALTER TABLE {table} DISABLE TRIGGER ALL")
            gone = admin.execute(f"DELETE FROM {table} WHERE {row}", (victim,)).rowcount
            assert gone == 1
            admin.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
            admin.execute("SET LOCAL ROLE tekrar_reader")
            for function in ("occurrence_status", "get_occurrence"):
                if kind == "TK011" and function == "occurrence_status":
                    continue
                with pytest.raises(psycopg.Error) as error, admin.transaction():
                    admin.execute(f"SELECT * FROM api.{function}(%s, %s)", (release, victim))
                assert error.value.sqlstate in ("TK010", "TK011")
                detail = json.loads(error.value.diag.message_detail or "{}")
                assert detail["kind"] in ("not_found", "missing_rows", "missing_bytes")


def test_a_question_leaves_nothing_behind(login: Connection) -> None:
    who = (
        b"SELECT current_user::text, current_setting('tekrar.claims', true),"
        b" current_setting('transaction_read_only')"
    )
    for _ in range(3):
        inside = ask(login, who, role=Role.READER, claims={"actor": "a"})
        assert inside == [("tekrar_reader", '{"actor":"a"}', "on")]
        assert login.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
        after = login.execute(who).fetchone()
        assert after is not None
        assert after[0] == LOGIN
        assert not after[1]
        assert after[2] == "off"
        mode = login.execute("SELECT current_setting('plan_cache_mode')").fetchone()
        assert mode == ("auto",)
    assert ask(login, who, role=Role.CURATOR)[0][:2] == ("tekrar_curator", "{}")
    with pytest.raises(psycopg.errors.InsufficientPrivilege):
        login.execute("SELECT * FROM api.releases()")


def test_a_question_writes_nothing_and_fails_whole(administrator: Connection) -> None:
    administrator.execute(
        "CREATE TABLE public.scratch (n int4); GRANT ALL ON public.scratch TO tekrar_curator"
    )
    try:
        for query, kind in (
            (b"INSERT INTO public.scratch VALUES (1) RETURNING n", "read_only"),
            (b"SELECT set_config('transaction_read_only', 'off', true)", "sqlstate_25001"),
            (b"SELECT 1 / 0", "sqlstate_22012"),
            (b"SELECT FROM nowhere", "sqlstate_42p01"),
        ):
            for _ in range(2):
                with pytest.raises(DatabaseError) as error:
                    ask(administrator, query, role=Role.CURATOR)
                assert error.value.kind == kind
                assert administrator.info.transaction_status is psycopg.pq.TransactionStatus.IDLE
                assert ask(administrator, b"SELECT %s::text", ("x",), role=Role.CURATOR) == [("x",)]
        assert administrator.execute("SELECT count(*) FROM public.scratch").fetchone() == (0,)
        written = ask(
            administrator,
            b"INSERT INTO public.scratch VALUES (1) RETURNING n",
            role=Role.CURATOR,
            read_only=False,
        )
        assert written == [(1,)]
    finally:
        administrator.execute("DROP TABLE public.scratch")


def test_what_is_kept_prepared_is_bounded_and_may_be_forgotten(login: Connection) -> None:
    for n in range(MOST_PREPARED + 20):
        assert ask(login, b"SELECT %d" % n, role=Role.READER) == [(n,)]
    kept = login.execute("SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^tekrar_'").fetchone()
    assert kept == (MOST_PREPARED,)
    login.execute("DEALLOCATE ALL")
    for _ in range(2):
        assert ask(login, b"SELECT 0", role=Role.READER) == [(0,)]
    for _ in range(3):
        with pytest.raises(DatabaseError):
            ask(login, b"SELECT broken", role=Role.READER)
    kept = login.execute("SELECT count(*) FROM pg_prepared_statements WHERE name ~ '^tekrar_'").fetchone()
    assert kept is not None
    assert kept[0] <= 3


def test_a_question_locks_the_partitions_of_its_release_alone(
    admin: Connection, login: Connection, published: Published
) -> None:
    """However many are loaded: a plan over every partition would lock all, and run out of locks."""
    one, releases = published
    new_load(admin, "başka")
    others = set(one.profiles.values()) - {one.profiles["FP"]}
    for question in (
        f"api.occurrence_status('{releases['FP']}', %s)",
        f"api.get_occurrence('{releases['FP']}', %s)",
        f"api.list_duplicates('{releases['FP']}', %s, NULL, NULL, NULL, -1, 10)",
    ):
        login.execute("BEGIN")
        login.execute("SET LOCAL ROLE tekrar_reader; SET LOCAL plan_cache_mode = force_generic_plan")
        prove_powerless(login, READER)
        for _ in range(3):
            login.execute(f"SELECT * FROM {question}".encode(), (one.occurrence("FP", 0),), prepare=True)
        locked = login.execute(
            "SELECT DISTINCT relation::regclass::text FROM pg_locks WHERE pid = pg_backend_pid()"
            " AND relation IS NOT NULL"
        ).fetchall()
        login.execute("ROLLBACK")
        names = {row[0].partition("_profile_key")[0].partition("_pkey")[0] for row in locked}
        assert f"repetition.occurrence_{one.profiles['FP']}" in names
        assert not names & {f"repetition.occurrence_{key}" for key in others}


@pytest.fixture
def other_login(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield connection


@pytest.mark.req("QRY-05", "QRY-02")
def test_pages_go_on_under_a_successor_and_end_with_a_withdrawal(
    admin: Connection, reader: Reader, other_login: Connection, published: Published
) -> None:
    one, releases = published
    release, id = str(releases["FP"]), str(one.exact_class("FP", 0))
    whole = reader.duplicates(release, id)
    cursor = reader.duplicates(release, id, page=1)["next"]
    successor = new_load(admin, "yeni ")
    done = publish(admin, plan_of(admin, successor, "FP"))
    assert done["outcome"] == "published"
    states = {row["release"]: row["state"] for row in Reader(other_login).releases()}
    assert states[release] == "earlier"
    for asking in (reader, Reader(other_login, key=_KEY)):
        page = asking.duplicates(release, id, page=1, cursor=cursor)
        assert page["members"] == whole["members"][1:]
    call(admin, "tekrar_publisher", "yayıncı", "api.withdraw", release, "yanlış sayfa")
    page = reader.duplicates(release, id, page=1, cursor=cursor)
    assert (page["status"], page["code"], page["members"]) == ("integrity_error", "withdrawn_release", [])
    listed = reader.classes(release, counted=True)
    assert (listed["status"], listed["code"], listed["total"]) == (
        "integrity_error",
        "withdrawn_release",
        None,
    )
    assert listed["classes"] == []
    with as_login(admin, READER, "") as direct:
        rows = direct.execute(
            "SELECT status, row_no FROM api.list_duplicates(%s, %s, NULL, NULL, NULL, -1, 10)", (release, id)
        ).fetchall()
        assert rows == [("integrity_error", None)]
        listing = direct.execute(
            "SELECT status, class_no FROM api.list_classes(%s, 'published', 1::smallint, 2,"
            " 32767::smallint, 2147483647, -1, 10, false)",
            (release,),
        ).fetchall()
        assert listing == [("integrity_error", None)]
    assert reader.status(release, str(one.occurrence("FP", 2)))["status"] == "integrity_error"
