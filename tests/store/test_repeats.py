"""Where a passage recurs, in every layer: a reading that names the layer of each row and writes nothing."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tekrar.cli import main
from tekrar.core.curation.vocabulary import LAYERS
from tekrar.errors import NotFoundError, UsageError
from tekrar.store.evidence.marks import Mark, mark_candidates
from tekrar.store.repeats import RepeatsReader
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.conftest import ROOT
from tests.store.curation_scenario import Scenario, environment
from tests.store.curation_small import packages
from tests.store.matrix import GRANTABLE, OWNER, ROLES, SELECT
from tests.store.place import url_of
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_publication import as_login
from tests.store.test_curation_rebuild import played

KEY = bytes(range(32))
#: Where what the view reads stands; every relation that it may name.
STORED = {
    "exact_class": ("repetition.occurrence", "repetition.class"),
    "family": ("curation.family", "curation.effective_membership"),
    "quotation": ("curation.quotation", "curation.supersession"),
    "candidate": ("curation.candidate_set", "curation.candidate_entry", "curation.candidate_participant",
                  "curation.candidate"),
    "release": ("repetition.repetition_release", "repetition.incident", "core.chapter", "core.paragraph"),
}  # fmt: skip


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory, database: Embedded) -> Scenario:
    """Two books; one near_exact family, one quotation, one exact class, and what nobody decided."""
    scenario = packages(tmp_path_factory.mktemp("katman"), {"TEKRAR_DATABASE_URL": url_of(database)})
    played(scenario, url_of(database), database)
    scenario.database = {"TEKRAR_DATABASE_URL": url_of(database, user=LOGIN), "TEKRAR_CURSOR_KEY": KEY.hex()}
    said = {
        "operation": "accept_quotation", "kind": "adapted_quotation", "source": "liman/1/p2",
        "quoting": "tarla/1/p1", "attribution": "kaptan", "rationale": "tırnak içinde",
    }  # fmt: skip
    scenario.quotations = scenario.decide(scenario.propose(said))
    scenario.publish()
    scenario.run("publish", scenario.folder / "artifact", "--profile", "FS", actor="basan")
    return scenario


@pytest.fixture
def reader(database: Embedded) -> Iterator[RepeatsReader]:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield RepeatsReader(connection, key=KEY)


def asked(one: Scenario, passage: str, *words: str, release: int = -1) -> list[dict[str, Any]]:
    found = one.run("repeats", one.releases[release], passage, *words)
    return list(found["repeats"])


def told(rows: list[dict[str, Any]]) -> list[tuple[str, str, str, str]]:
    return [(row["layer"], row["role"], row["state"], row["address"]) for row in rows]


@pytest.mark.req("LAY-08", "LAY-07", "LAY-10", "CND-07")
def test_every_row_names_its_layer(one: Scenario) -> None:
    exact = asked(one, "liman/1/p4", "--layer", "exact_class", "--layer", "quotation")
    assert told(exact) == [
        ("exact_class", "member", "published", "liman/1/p4"),
        ("exact_class", "member", "published", "tarla/1/p4"),
    ]
    assert [row["asked"] for row in exact] == [True, False]
    family = asked(one, "tarla/1/p2")
    assert told(family)[:2] == [
        ("near_exact_family", "member", "effective", "liman/1/p1"),
        ("near_exact_family", "member", "effective", "tarla/1/p2"),
    ]
    assert told(asked(one, "liman/1/p2"))[:2] == [
        ("quotation", "source", "effective", "liman/1/p2"),
        ("quotation", "quoting", "effective", "tarla/1/p1"),
    ]
    # What nobody decided is a candidate and nothing else, whatever its generator says of it.
    waiting = asked(one, "liman/1/p3")
    assert waiting
    assert {(row["layer"], row["state"], row["kind"]) for row in waiting} == {("candidate", "pending", None)}
    assert {row["role"] for row in waiting} == {"left", "right"}
    # One candidate that became a family stands in both layers, each row under its own.
    assert {row["layer"] for row in family} == {"near_exact_family", "candidate"}
    # As of its release: before the decisions there was no family and no quotation.
    assert {row["layer"] for row in asked(one, "tarla/1/p2", release=0)} == {"candidate"}
    # Lines say it too: none without a layer.
    words = ("repeats", one.releases[-1], "tarla/1/p2")
    found = one.run(*words)
    assert all(row["layer"] in LAYERS for row in found["repeats"])
    assert (found["status"], found["next"]) == ("unique", None)


@pytest.mark.req("LAY-08")
def test_the_lines_name_the_layer_and_what_is_asked(
    one: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    with environment(**one.database):
        assert main(["repeats", one.releases[-1], "liman/1/p1"]) == 0
        lines = capsys.readouterr().out.splitlines()
        assert main(["repeats", one.releases[-1], "liman/1/p2", "--layer", "exact_class"]) == 0
        nothing = capsys.readouterr().out.splitlines()
        assert main(["repeats", one.releases[-1], "liman/9/p1"]) == 5
        assert "no occurrence at liman/9/p1" in capsys.readouterr().err
    assert lines[0].endswith("  unique in the exact work")
    assert lines[1].startswith("near_exact_family  ")
    assert all(line.split()[0] in LAYERS for line in lines[1:])
    assert sum("asked for" in line for line in lines) == 2
    assert nothing[1:] == ["no exact_class has a repeat of it here"]


@pytest.mark.req("LAY-08", "QRY-03")
def test_nothing_listed_is_no_status(one: Scenario, reader: RepeatsReader) -> None:
    """A passage without a row keeps the status of its partition; one that is not there is an error."""
    (fs,) = {row["release"] for row in reader.releases() if row["short"] == "FS"}
    found = reader.repeats(one.releases[-1], "liman/1/p2", layers=["exact_class"])
    assert (found["status"], found["repeats"]) == ("unique", [])
    for place in ("liman/1/p9", "yok/1/p1", "liman/1:1+2", "liman/0/p1", f"liman/{1 << 40}/p1", "#1/1/p1"):
        with pytest.raises(NotFoundError) as error:
            reader.repeats(one.releases[-1], place)
        assert error.value.kind == "no_such_place"
    for wrong in ("liman", "liman/1/p01", "0"):
        with pytest.raises(UsageError):
            reader.repeats(one.releases[-1], wrong)
    with pytest.raises(UsageError):
        reader.repeats(one.releases[-1], "liman/1/p1", layers=["uncertain"])
    with pytest.raises(NotFoundError):
        reader.repeats(one.quotations[0].replace("-7", "-5", 1), "liman/1/p1")
    with pytest.raises(NotFoundError):
        reader.repeats(fs, "liman/1/p1")


def test_every_address_finds_its_own_occurrence(
    one: Scenario, reader: RepeatsReader, admin: Connection
) -> None:
    """Both enumerators, every place: halving the rows finds each, and the answer says it back."""
    places = 0
    for row in reader.releases():
        query = (
            "SELECT o.occurrence::text, convert_from(g.book_label, 'UTF8'), g.chapter_no, g.para_no,"
            " o.length, o.unit + 1 - c.first_sentence FROM repetition.repetition_release r"
            " JOIN repetition.occurrence o USING (profile_key)"
            " JOIN core.paragraph g ON g.release_key = r.release_key AND g.paragraph = o.paragraph"
            " JOIN core.chapter c ON c.release_key = r.release_key AND c.chapter = g.chapter"
            " WHERE r.release = %s"
        )
        for own, book, chapter, paragraph, length, sentence in admin.execute(
            query.encode(), (row["release"],)
        ):
            run = row["short"].endswith("S")
            address = f"{book}/{chapter}:{sentence}+{length}" if run else f"{book}/{chapter}/p{paragraph}"
            assert reader.at(row["release"], address) == own
            places += 1
            listed = reader.repeats(row["release"], own)["repeats"]
            assert {one["address"] for one in listed if one["asked"]} <= {address}
    assert places > 16


@pytest.mark.req("LAY-08", "QRY-05")
def test_pages_hold_each_row_once_and_a_cursor_is_bound(one: Scenario, reader: RepeatsReader) -> None:
    release = one.releases[-1]
    for passage in ("liman/1/p1", "liman/1/p2", "liman/1/p3", "liman/1/p4", "tarla/1/p1"):
        whole = reader.repeats(release, passage)["repeats"]
        for page in (1, 2, 3):
            rows, cursor, pages = [], None, 0
            while pages == 0 or cursor:
                found = reader.repeats(release, passage, page=page, cursor=cursor)
                rows += found["repeats"]
                cursor, pages = found["next"], pages + 1
            assert rows == whole
            assert pages == max(1, -(-len(whole) // page))
    cursor = reader.repeats(release, "liman/1/p1", page=1)["next"]
    assert cursor
    for other in (("liman/1/p2", release), ("liman/1/p1", one.releases[0])):
        with pytest.raises(UsageError) as error:
            reader.repeats(other[1], other[0], cursor=cursor)
        assert error.value.kind == "foreign_cursor"
    with pytest.raises(UsageError):
        reader.repeats(release, "liman/1/p1", cursor=cursor, layers=["candidate"])
    with pytest.raises(UsageError) as error:
        reader.repeats(release, "liman/1/p1", cursor=cursor[:-4] + "AAAA")
    assert error.value.kind == "bad_cursor"


@pytest.mark.req("LAY-08", "CORE-02", "CUR-05")
@pytest.mark.parametrize("role", [*ROLES, LOGIN, OWNER, "superuser"])
def test_writing_through_the_view_fails(one: Scenario, admin: Connection, role: str) -> None:
    """The union itself takes no row, of a superuser neither, and no role has a privilege but SELECT."""
    assert one.releases
    statements = (
        "INSERT INTO api.repeats (release, layer) VALUES (gen_random_uuid(), 'variant_family')",
        "INSERT INTO api.repeats SELECT * FROM api.repeats",
        "UPDATE api.repeats SET layer = 'variant_family' WHERE layer = 'candidate'",
        "UPDATE api.repeats SET layer = layer WHERE false",
        "DELETE FROM api.repeats",
        "DELETE FROM api.repeats WHERE false",
    )

    # PostgreSQL refuses it before it looks for a privilege, of whoever may name the schema at all.
    with acting_as(admin, role) if role != "superuser" else nullcontext(admin) as session:
        found = {refusal(session, text) for text in statements}
        assert found == {"42501" if role == LOGIN else "55000"}
        assert refusal(session, "TRUNCATE api.repeats") in ("42501", "42809")
    if role in ("superuser", OWNER):
        return
    for verb in ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"):
        held = admin.execute("SELECT has_table_privilege(%s, 'api.repeats', %s)", (role, verb)).fetchone()
        assert held == (verb == "SELECT" and role in SELECT["curation.family"],), verb


@pytest.mark.req("LAY-08", "LAY-09", "LAY-10")
def test_stored_authority_stays_separate(admin: Connection) -> None:
    """The view holds no rows, no trigger and no rule of its own; it reads the tables of the layers, and
    nothing that writes, decides or publishes reads it."""
    row = admin.execute(
        "SELECT relkind::text, relhastriggers, reloptions, pg_relation_is_updatable('api.repeats', true)"
        " FROM pg_class WHERE oid = 'api.repeats'::regclass"
    ).fetchone()
    assert row == ("v", False, ["security_invoker=true"], 0)
    rules = admin.execute(
        "SELECT rulename FROM pg_rewrite WHERE ev_class = 'api.repeats'::regclass"
    ).fetchall()
    assert rules == [("_RETURN",)]
    read = admin.execute(
        "SELECT DISTINCT d.refobjid::regclass::text FROM pg_depend d JOIN pg_rewrite w ON w.oid = d.objid"
        " WHERE w.ev_class = 'api.repeats'::regclass AND d.refclassid = 'pg_class'::regclass"
        " AND d.refobjid <> w.ev_class"
    ).fetchall()
    assert {name for (name,) in read} == {name for names in STORED.values() for name in names}
    readers = admin.execute(
        "SELECT p.oid::regproc::text, p.provolatile::text, p.prosecdef FROM pg_proc p"
        " JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'tekrar_meta')"
        " AND p.prosrc LIKE '%repeats%'"
    ).fetchall()
    # Stable, so that it can write nothing, and as its caller.
    assert readers == [("api.list_repeats", "s", False)]
    policies = admin.execute(
        "SELECT count(*) FROM pg_policy WHERE pg_get_expr(polqual, polrelid) LIKE '%repeats%'"
    ).fetchone()
    assert policies == (0,)


@pytest.mark.req("LAY-08", "LAY-07", "CND-11")
def test_no_program_but_the_reading_verb_asks_for_it() -> None:
    source = ROOT / "src" / "tekrar"
    asking = set()
    for path in sorted(source.rglob("*.py")):
        words = {
            node.value
            for node in ast.walk(ast.parse(path.read_text("utf-8")))
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
        }
        if any("api.list_repeats" in word or "api.repeats" in word for word in words):
            asking.add(path.relative_to(source).as_posix())
    assert asking == {"store/repeats.py"}


@pytest.mark.req("LAY-08")
def test_row_level_security_of_the_tables_holds(one: Scenario, admin: Connection) -> None:
    """A grant for another edition shows nothing; nobody finds more through the view than beside it."""
    assert one.releases
    everything = admin.execute("SELECT count(*) FROM api.repeats").fetchone()
    assert everything is not None
    assert everything[0] > 10
    one.run("actor", "yabancı", actor="yönetici")
    for role in ("curator", "reviewer", "publisher", "auditor"):
        one.run("grant", "yabancı", role, "--scope", "başka", actor="yönetici")
        with as_login(admin, f"tekrar_{role}", "yabancı") as session:
            assert session.execute("SELECT count(*) FROM api.repeats").fetchone() == (0,), role
            with pytest.raises(psycopg.Error):
                session.execute(
                    "SELECT * FROM api.list_repeats(%s, %s, NULL, 0, 0, %s, -1, -1, 9)",
                    (one.releases[-1], one.releases[-1], one.releases[-1]),
                )
            session.execute("ROLLBACK")
    with as_login(admin, "tekrar_reader", "") as session:
        assert session.execute("SELECT count(*) FROM api.repeats").fetchone() == everything
    for page in (None, 0, -5, 10001):
        query = "SELECT * FROM api.list_repeats(%s, %s, NULL, 0, 0, NULL, -1, -1, %s::integer)"
        with as_login(admin, "tekrar_reader", "") as session:
            with pytest.raises(psycopg.Error) as error:
                session.execute(query, (one.releases[-1], one.releases[-1], page))
            session.execute("ROLLBACK")
        assert error.value.sqlstate == "TK012"
    assert "tekrar_administrator" in GRANTABLE


@pytest.mark.req("LAY-08", "LAY-07")
def test_the_verb_says_what_the_view_says(one: Scenario, admin: Connection, reader: RepeatsReader) -> None:
    """All rows of the view are asked for, passage by passage, and none comes from elsewhere."""
    query = "SELECT layer, structure::text, role, occurrence::text, state FROM api.repeats WHERE release = %s"
    rows = admin.execute(query.encode(), (one.releases[-1],)).fetchall()
    viewed = {row[:4] for row in rows}
    states = {(row[0], row[4]) for row in rows}
    named = {"exact_class": "published", "quotation": "accepted", "near_exact_family": "accepted"}
    assert states == {*named.items(), ("candidate", "evidence")}
    listed = set()
    for own in {row[3] for row in rows}:
        found = reader.repeats(one.releases[-1], own)["repeats"]
        listed |= {(row["layer"], row["structure"], row["role"], row["occurrence"]) for row in found}
    assert listed == viewed


@pytest.mark.req("LAY-08", "LAY-07", "CND-07")
def test_a_rejected_candidate_is_a_candidate_still(one: Scenario, reader: RepeatsReader) -> None:
    waiting = reader.repeats(one.releases[-1], "liman/1/p3", layers=["candidate"])["repeats"]
    said = [Mark(row["structure"], "false_positive", "aynı değil") for row in waiting[:1]]
    mark_candidates(reader.connection, said, actor="yazar")
    again = reader.repeats(one.releases[-1], "liman/1/p3", layers=["candidate"])["repeats"]
    assert again == waiting  # as of its release
    later = one.publish()
    found = reader.repeats(later, "liman/1/p3")["repeats"]
    assert {row["layer"] for row in found} == {"candidate"}
    states = {row["structure"]: row["state"] for row in found}
    assert states[waiting[0]["structure"]] == "rejected"
    assert set(states.values()) <= {"rejected", "pending"}


@pytest.mark.req("LAY-08")
def test_every_reading_role_gets_the_same_rows(one: Scenario, database: Embedded) -> None:
    found = []
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        people = {
            "READER": None,
            "CURATOR": "yazar",
            "REVIEWER": "okur",
            "PUBLISHER": "basan",
            "AUDITOR": "bakan",
        }
        for role, actor in people.items():
            reader = RepeatsReader(connection, Role[role], {"actor": actor} if actor else None, KEY)
            found.append(reader.repeats(one.releases[-1], "liman/1/p1")["repeats"])
    assert found[0]
    assert all(rows == found[0] for rows in found)


@pytest.mark.req("LAY-08")
def test_a_withdrawn_release_lists_nothing(one: Scenario, admin: Connection, reader: RepeatsReader) -> None:
    """Last in the module: an incident stays."""
    before = admin.execute(
        "SELECT count(*) FROM api.repeats WHERE release = %s", (one.releases[0],)
    ).fetchone()
    assert before != (0,)
    one.run("withdraw", one.releases[0], "--reason", "kaynak yanlış", actor="basan")
    found = reader.repeats(one.releases[0], "liman/1/p4")
    assert (found["status"], found["code"], found["repeats"]) == ("integrity_error", "withdrawn_release", [])
    after = admin.execute(
        "SELECT count(*) FROM api.repeats WHERE release = %s", (one.releases[0],)
    ).fetchone()
    assert after == (0,)
    assert one.run("repeats", one.releases[0], "liman/1/p4")["code"] == "withdrawn_release"


def test_the_files_of_the_view_say_how_it_is_made_again() -> None:
    text = Path(ROOT / "src/tekrar/store/sql/functions/api.repeats.sql").read_text("utf-8")
    assert "INSTEAD OF" not in text
    assert text.count("UNION ALL") == 5
