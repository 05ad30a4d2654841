"""The attack list of the requirements, section 4, as each role, by logins that prove what they are."""

from __future__ import annotations

import json
import uuid

import psycopg
import pytest

from tekrar.store.roles import LOGIN
from tekrar.store.session import open_target
from tekrar.store.snapshot import snapshot
from tekrar.store.target import of_embedded
from tests.store.matrix import (
    ADMINISTRATOR,
    AUDITOR,
    BUILDER,
    CURATOR,
    EXECUTE,
    GRANTABLE,
    OWNER,
    PUBLISHER,
    READER,
    REVIEWER,
    SELECT,
)
from tests.store.schema_authority import FAR, NEAR, WRONG, World
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_logins import as_role, ask_as, error_of, everything_kept, prove_login, said
from tests.store.schema_publication import new_load, plan_of, publish

DENIED = "42501"

#: Where an attacker would write: structures, classes, releases, grants, the ledger.
TARGETS = tuple(
    relation
    for relation in sorted(SELECT)
    if relation.split(".")[0] in ("curation", "repetition", "restricted", "core")
)
#: Raw SQL past the functions of `api`.
RAW = (
    "INSERT INTO {0} OVERRIDING SYSTEM VALUE SELECT * FROM {0}",
    "INSERT INTO {0} DEFAULT VALUES ON CONFLICT DO NOTHING",
    "UPDATE {0} SET {1} = {1}",
    "DELETE FROM {0}",
    "DELETE FROM ONLY {0} WHERE true",
    "TRUNCATE {0} CASCADE",
    "MERGE INTO {0} USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE",
    "MERGE INTO {0} USING (SELECT 1) AS one ON false WHEN NOT MATCHED THEN INSERT DEFAULT VALUES",
    "COPY {0} FROM STDIN",
    "SELECT * FROM {0} FOR UPDATE",
    "SELECT * FROM {0} FOR KEY SHARE",
    "LOCK TABLE {0} IN EXCLUSIVE MODE",
    "ALTER TABLE {0} DISABLE TRIGGER ALL",
    "ALTER TABLE {0} DISABLE ROW LEVEL SECURITY",
    "ALTER TABLE {0} NO FORCE ROW LEVEL SECURITY",
    "ALTER TABLE {0} OWNER TO CURRENT_USER",
    "CREATE POLICY mine ON {0} USING (true)",
    "CREATE RULE mine AS ON SELECT TO {0} DO INSTEAD NOTHING",
    "CREATE TRIGGER mine BEFORE INSERT ON {0} EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "CREATE INDEX ON {0} (({1}))",
    "DROP TABLE {0} CASCADE",
    "COMMENT ON TABLE {0} IS 'x'",
)


@pytest.mark.req("CORE-02", "ID-09")
@pytest.mark.parametrize("role", GRANTABLE)
def test_t1_no_role_writes_to_a_table(world: World, role: str) -> None:
    connection = world.connect(role)
    before = everything_kept(world.admin)
    with as_role(connection, role) as session:
        for relation in TARGETS:
            row = world.admin.execute(
                "SELECT quote_ident(attname) FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " AND attidentity = '' ORDER BY attnum LIMIT 1",
                (relation,),
            ).fetchone()
            assert row is not None
            for statement in RAW:
                found = refusal(session, statement.format(relation, row[0]))
                assert found == DENIED, (relation, statement)
    assert everything_kept(world.admin) == before


@pytest.mark.req("CORE-02", "ID-09")
def test_t1_the_login_itself_may_do_nothing_at_all(world: World) -> None:
    for login in (world.actor(READER, "all"), world.actor(ADMINISTRATOR, "all"), LOGIN):
        with world.logins.connect(world.place, login) as connection, connection.transaction():
            prove_login(connection, login, login)
            for relation in TARGETS:
                assert refusal(connection, f"SELECT * FROM {relation}") == DENIED
                assert refusal(connection, f"DELETE FROM {relation}") == DENIED
            for call in ("api.releases()", "api.grants()", "tekrar_meta.state()"):
                assert refusal(connection, f"SELECT * FROM {call}") == DENIED


@pytest.mark.parametrize("role", GRANTABLE)
def test_functions_of_other_roles_are_refused(world: World, role: str) -> None:
    functions = world.admin.execute(
        "SELECT n.nspname || '.' || p.proname, p.oid::regprocedure::text,"
        " (SELECT coalesce(string_agg('NULL::' || t::regtype::text, ', ' ORDER BY place), '')"
        "  FROM unnest(p.proargtypes::oid[]) WITH ORDINALITY AS a(t, place))"
        " FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
        " AND p.prorettype <> 'trigger'::regtype ORDER BY 2"
    ).fetchall()
    before, tried = everything_kept(world.admin), 0
    with as_role(world.connect(role), role) as session:
        for name, _, arguments in functions:
            if role not in EXECUTE.get(name, frozenset()):
                assert refusal(session, f"SELECT {name}({arguments})") == DENIED, name
                tried += 1
    assert tried > 30
    assert everything_kept(world.admin) == before


@pytest.mark.req("CUR-06")
@pytest.mark.parametrize("kind", WRONG)
def test_t4_an_act_without_a_valid_grant_is_refused(world: World, kind: str) -> None:
    plan = plan_of(world.admin, world.near, "FP")
    before = everything_kept(world.admin)
    publisher, administrator = world.connect(PUBLISHER, kind), world.connect(ADMINISTRATOR, kind)
    before = everything_kept(world.admin)
    for query, parameters in (
        ("SELECT api.publish(%s::jsonb)", (plan,)),
        ("SELECT api.publish('{\"publications\": []}')", ()),
        ("SELECT api.prepare_publication(%s, 'FP')", (world.near.artifact_root.hex(),)),
        ("SELECT api.prepare_publication(%s, 'FP')", ("00" * 32,)),
        ("SELECT api.withdraw(%s, 'why')", (world.releases["FP"],)),
        ("SELECT api.withdraw(%s, 'why')", (uuid.uuid4(),)),
    ):
        assert error_of(publisher, PUBLISHER, query, *parameters).sqlstate == WRONG[kind], query
    for query in (
        "SELECT api.actor('biri', NULL)",
        "SELECT api.grant_role('yayıncı', 'reviewer', '*', NULL, NULL)",
        "SELECT api.revoke_grant(1)",
        "SELECT api.revoke_grant(2147483647)",
        "SELECT api.freeze('why')",
    ):
        assert error_of(administrator, ADMINISTRATOR, query).sqlstate == WRONG[kind], query
    assert everything_kept(world.admin) == before


@pytest.mark.req("CUR-06", "CUR-11")
@pytest.mark.parametrize("between", ["revoked", "frozen", "another scope"])
def test_t4_t8_what_changes_between_prepare_and_publish(world: World, between: str) -> None:
    one = new_load(world.admin, "arada " + between)
    login = world.logins.make()
    world.name(login, login)
    number = world.grant(login, PUBLISHER, NEAR)
    with world.logins.connect(world.place, login) as connection:
        query = "SELECT api.prepare_publication(%s, 'FP')"
        entry = ask_as(connection, PUBLISHER, query, one.artifact_root.hex())[0][0]
        plan = json.dumps({"publications": [entry], "set": False})
        if between == "frozen":
            ask_as(world.connect(ADMINISTRATOR), ADMINISTRATOR, "SELECT api.freeze('dur')")
            expected = ("TK020", "freeze-epoch")
        else:
            world.grant(login, PUBLISHER, FAR, start="2999-01-01" if between == "revoked" else None)
            world.revoke(number)
            expected = ("TK032", "publisher-grant") if between == "revoked" else ("TK010", "")
        before = everything_kept(world.admin)
        error = error_of(connection, PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)
        if between == "revoked":  # the nearest of a revoked and a future grant is named
            assert error.sqlstate in ("TK031", "TK032")
        else:
            assert error.sqlstate == expected[0]
        assert expected[1] in (error.diag.message_detail or "")
        assert everything_kept(world.admin) == before


@pytest.mark.parametrize("role", GRANTABLE)
def test_t4_a_grant_of_another_is_not_claimed(world: World, role: str) -> None:
    """By a login of one's own nobody speaks for anybody else, whatever the setting says."""
    mine = world.connect(role, "missing")
    query = {
        ADMINISTRATOR: "SELECT api.freeze('x')",
        PUBLISHER: "SELECT api.withdraw(gen_random_uuid(), 'x')",
    }.get(role, "SELECT * FROM api.releases()")
    for claimed in (world.actor(role, "all"), "yönetici", "yayıncı"):
        for relation in sorted(relation for relation, roles in SELECT.items() if role in roles)[:6]:
            assert ask_as(mine, role, f"SELECT * FROM {relation}", actor=claimed) == []
        assert error_of(mine, role, query, actor=claimed).sqlstate == "TK033"
    # Nor does the program's own login for an actor with a login of its own.
    with open_target(of_embedded(world.place, user=LOGIN)) as program:
        for claimed in (world.actor(role, "all"), world.actor(role, "near")):
            assert error_of(program, role, query, actor=claimed).sqlstate == "TK033"


SECRET = "gizli-yulaf-41"


def test_t13_no_error_tells_what_is_another_s(world: World) -> None:
    """Secrets planted where functions read them; every way to fail is tried, and none of them shows one."""
    secret_login = world.logins.make(SECRET.replace("-", "_"))
    world.name(SECRET, secret_login)
    world.grant(SECRET, READER, "edition " + SECRET)
    hidden = new_load(world.admin, SECRET, edition="edition " + SECRET)
    root, release = hidden.artifact_root.hex(), world.far_releases["FP"]
    calls: dict[str, list[tuple[str, tuple[object, ...]]]] = {
        READER: [
            ("SELECT * FROM api.get_occurrence(%s, %s)", (release, hidden.occurrence("FP", 0))),
            (
                "SELECT * FROM api.list_classes(%s, 'x', 1::smallint, 2, 9::smallint, 9, -1, 1, true)",
                (world.releases["FP"],),
            ),
            (
                "SELECT * FROM api.list_classes(%s, 'published', 1::smallint, 2, 9::int2, 9, -1, -1, true)",
                (world.releases["FP"],),
            ),
            ("SELECT api.text_slice(%s, 0, 8)", (hidden.release_key,)),
            ("SELECT api.text_slice(%s, 8, 0)", (world.near.release_key,)),
            ("SELECT api.text_slice(%s, -1, 1)", (world.near.release_key,)),
            ("SELECT * FROM api.list_duplicates(%s, NULL, NULL, NULL, NULL, 0, 1)", (world.releases["FP"],)),
        ],
        PUBLISHER: [
            ("SELECT api.prepare_publication(%s, 'FP')", (root,)),
            ("SELECT api.prepare_publication(%s, 'XX')", (world.near.artifact_root.hex(),)),
            ("SELECT api.publish('[]')", ()),
            ("SELECT api.publish('{\"publications\": 1}')", ()),
            ("SELECT api.publish('{\"publications\": [null]}')", ()),
            (
                "SELECT api.publish(%s::jsonb)",
                (json.dumps({"publications": [{"artifact_root": root, "short": "FP"}]}),),
            ),
            ("SELECT api.withdraw(%s, '')", (world.releases["FP"],)),
            ("SELECT api.withdraw(%s, NULL)", (world.releases["FP"],)),
            ("SELECT api.withdraw(NULL, 'x')", ()),
        ],
        ADMINISTRATOR: [
            ("SELECT api.actor('x', %s)", (secret_login.upper(),)),
            ("SELECT api.grant_role('yok', 'reader', %s, NULL, NULL)", (NEAR,)),
            ("SELECT api.grant_role('yayıncı', 'x', %s, NULL, NULL)", (NEAR,)),
            ("SELECT api.grant_role('yayıncı', 'reader', %s, '2002-01-01', '2001-01-01')", (NEAR,)),
            ("SELECT api.grant_role('yayıncı', 'reader', %s, 'infinity', NULL)", (NEAR,)),
            ("SELECT api.grant_role('yayıncı', NULL, %s, NULL, NULL)", (NEAR,)),
            ("SELECT api.grant_role(NULL, 'reader', %s, NULL, NULL)", (NEAR,)),
            ("SELECT api.grant_role('yayıncı', 'reader', NULL, NULL, NULL)", ()),
            ("SELECT api.freeze('')", ()),
            ("SELECT api.revoke_grant(NULL)", ()),
        ],
    }
    before = everything_kept(world.admin)
    for role, tried in calls.items():
        for kind in ("near", "missing"):
            for query, parameters in tried:
                error = error_of(world.connect(role, kind), role, query, *parameters)
                told = " ".join(map(str, said(error)))
                whole = told + str(error.diag.context or "")
                for hidden_word in (SECRET, SECRET.replace("-", "_")):
                    assert hidden_word not in whole, query
                for sql_text in ("SELECT ", "INSERT ", "UPDATE ", "EXECUTE "):
                    assert sql_text not in told, told
                assert "/" not in told.replace("head/", "").replace("root/", ""), told
    assert everything_kept(world.admin) == before


def test_t13_an_administrator_s_own_mistakes_are_typed(world: World) -> None:
    """What a constraint would say with the row beside it is said by a function instead."""
    connection = world.connect(ADMINISTRATOR)
    taken = world.actor(READER, "all")
    before = everything_kept(world.admin)
    for query, parameters, state in (
        ("SELECT api.actor('başkası', %s)", (taken,), "TK035"),
        ("SELECT api.actor(%s, 'nobody')", (taken,), "TK035"),
        ("SELECT api.actor('', NULL)", (), "TK012"),
        ("SELECT api.actor(NULL, NULL)", (), "TK012"),
        ("SELECT api.actor(E'a\\nb', NULL)", (), "TK012"),
        ("SELECT api.actor(repeat('x', 201), NULL)", (), "TK012"),
        ("SELECT api.grant_role(%s, 'owner', '*', NULL, NULL)", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'tekrar_reader', '*', NULL, NULL)", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '', NULL, NULL)", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', '2031-01-02', '2031-01-01')", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', NULL, '2001-01-01')", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', '-infinity', NULL)", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', NULL, 'infinity')", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', '2026-01-01 BC', NULL)", (taken,), "TK012"),
        ("SELECT api.grant_role(%s, 'reader', '*', NULL, '10000-01-01Z')", (taken,), "TK012"),
        ("SELECT api.grant_role('yok', 'reader', '*', NULL, NULL)", (), "TK033"),
        ("SELECT api.revoke_grant(2147483647)", (), "TK010"),
        ("SELECT api.freeze(' ')", (), "TK012"),
        ("SELECT api.freeze(NULL)", (), "TK012"),
    ):
        error = error_of(connection, ADMINISTRATOR, query, *parameters)
        assert error.sqlstate == state, (query, said(error))
        assert error.diag.message_hint or state == "TK035"
    assert everything_kept(world.admin) == before


@pytest.mark.req("ID-04")
def test_t16_one_thing_has_one_spelling_at_the_boundary(world: World) -> None:
    """A UUID in any spelling is the one value; where text names a thing, only the canonical text does."""
    reader, publisher = world.connect(READER), world.connect(PUBLISHER)
    release, id = world.releases["FP"], world.near.occurrence("FP", 0)
    query = "SELECT row_no FROM api.occurrence_status(%s::text::uuid, %s::text::uuid)"
    spellings = (str(id), str(id).upper(), "{" + str(id) + "}", str(id).replace("-", ""))
    assert {ask_as(reader, READER, query, str(release), text)[0] for text in spellings} == {(0,)}
    for text in (f"urn:uuid:{id}", f" {id}x", str(id)[:-1], str(id) + "0", "", "１" + str(id)[1:]):
        assert error_of(reader, READER, query, str(release), text).sqlstate == "22P02", text
    prepare = "SELECT api.prepare_publication(%s, %s)"
    root = world.near.artifact_root.hex()
    assert root != root.upper()
    for artifact, short in (
        (root.upper(), "FP"),
        ("0x" + root, "FP"),
        (root + " ", "FP"),
        (root, "fp"),
        (root, "FP "),
    ):
        assert error_of(publisher, PUBLISHER, prepare, artifact, short).sqlstate == "TK010"
    one = new_load(world.admin, "yazım")
    entry = json.loads(plan_of(world.admin, one, "FP"))["publications"][0]
    for fact, found in (
        ("rows/occurrence", "04"),
        ("rows/occurrence", "4.0"),
        ("rows/occurrence", "+4"),
        ("freeze-epoch", "00"),
        ("profile", entry["facts"]["profile"].upper()),
        ("text-release", "{" + entry["facts"]["text-release"] + "}"),
        ("artifact-root", entry["facts"]["artifact-root"].upper()),
        ("exact-status", "Complete"),
    ):
        altered = {**entry, "facts": {**entry["facts"], fact: found}}
        plan = json.dumps({"publications": [altered], "set": False})
        error = error_of(world.admin_as_publisher(), PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)
        assert error.sqlstate == "TK020", fact
    for release_text in (entry["release"].upper(), "{" + entry["release"] + "}"):
        plan = json.dumps({"publications": [{**entry, "release": release_text}], "set": False})
        error = error_of(world.admin_as_publisher(), PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)
        assert error.sqlstate in ("TK020", "TK021")


@pytest.mark.req("REL-09")
def test_t25_an_older_plan_is_not_published_again(world: World) -> None:
    older, newer = new_load(world.admin, "eski"), new_load(world.admin, "taze")
    old_plan = plan_of(world.admin, older, "PP")
    assert publish(world.admin, old_plan)["outcome"] == "published"
    assert publish(world.admin, plan_of(world.admin, newer, "PP"))["outcome"] == "published"
    again = plan_of(world.admin, older, "PP")
    for plan in (old_plan, again):
        before = everything_kept(world.admin)
        connection = world.admin_as_publisher()
        error = error_of(connection, PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)
        assert error.sqlstate in ("TK020", "TK022")
        assert everything_kept(world.admin) == before


@pytest.mark.req("ID-09", "CORE-02", "CORE-05")
def test_the_owner_changes_no_published_row(world: World) -> None:
    """Every path of ID-09 after publication, as the tables' owner, neither superuser nor BYPASSRLS."""
    before = everything_kept(world.admin)
    filled = [
        r for r in TARGETS if (world.admin.execute(f"SELECT FROM {r} LIMIT 1".encode()).rowcount or 0) > 0
    ]
    assert {"repetition.repetition_release", "core.sentence", "repetition.class", "curation.ledger"} <= set(
        filled
    )
    keys = {
        relation: world.admin.execute(
            "SELECT string_agg(quote_ident(a.attname), ', '),"
            " (SELECT min(quote_ident(c.attname)) FROM pg_attribute AS c"
            " WHERE c.attrelid = i.indrelid AND c.attnum > 0 AND c.attidentity = '') FROM pg_index AS i"
            " JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)"
            " WHERE i.indrelid = %s::regclass AND i.indisprimary GROUP BY i.indrelid",
            (relation,),
        ).fetchone()
        or ("", "")
        for relation in filled
    }
    for settings in ((), ("SET LOCAL session_replication_role = replica",)):
        for relation in filled:
            columns, first = keys[relation]
            with acting_as(world.admin, OWNER) as connection:
                if settings:  # a superuser lends the owner a setting that it may not set
                    connection.execute("RESET SESSION AUTHORIZATION")
                    connection.execute(settings[0].encode())
                    connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_owner")
                for statement in (
                    f"UPDATE {relation} SET {first} = {first}",
                    f"DELETE FROM {relation}",
                    f"TRUNCATE {relation} CASCADE",
                    f"INSERT INTO {relation} OVERRIDING SYSTEM VALUE SELECT * FROM {relation}"
                    f" ON CONFLICT ({columns}) DO UPDATE SET {first} = excluded.{first}",
                    f"MERGE INTO {relation} USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE",
                ):
                    found = refusal(connection, statement)
                    assert found in ("TK001", "TK002"), (relation, statement, found)
    assert everything_kept(world.admin) == before


def test_t26_what_the_owner_takes_away_the_schema_s_snapshot_finds(world: World) -> None:
    """An owner can drop a guard, and rows can then change; that is found."""
    whole = snapshot(world.admin)
    for removal, attack in (
        ("DROP TRIGGER append_only ON repetition.root", "UPDATE repetition.root SET root = sha256('x')"),
        ("ALTER TABLE repetition.root DISABLE TRIGGER USER", "DELETE FROM repetition.root"),
        (
            "ALTER TABLE repetition.repetition_release DROP CONSTRAINT roots_are_the_bound_facts,"
            " DISABLE TRIGGER USER",
            "UPDATE repetition.repetition_release SET bound = 'x'",
        ),
        ("DROP POLICY reads_granted ON curation.ledger", "SELECT 1"),
        ("ALTER TABLE core.release NO FORCE ROW LEVEL SECURITY", "SELECT 1"),
        ("GRANT SELECT ON curation.ledger TO tekrar_reader", "SELECT 1"),
    ):
        with acting_as(world.admin, OWNER) as connection:
            if attack != "SELECT 1":
                assert refusal(connection, attack) == "TK001"
            connection.execute(removal.encode())
            assert refusal(connection, attack) in (None, "23503")
            connection.execute("RESET SESSION AUTHORIZATION")
            assert snapshot(connection) != whole, removal
        assert snapshot(world.admin) == whole


def test_t24_one_login_is_one_actor(world: World) -> None:
    connection = world.connect(ADMINISTRATOR)
    taken = world.actor(REVIEWER, "all")
    for name in ("ikinci", taken + "x"):
        error = error_of(connection, ADMINISTRATOR, "SELECT api.actor(%s, %s)", name, taken)
        assert error.sqlstate == "TK035"
        assert "another actor" in str(error)
    again = ask_as(connection, ADMINISTRATOR, "SELECT api.actor(%s, %s)", taken, taken)
    assert again[0][0]["outcome"] == "already_named"
    # Two logins are two actors, and neither speaks for the other.
    mine = world.connect(CURATOR)
    assert error_of(mine, CURATOR, "SELECT * FROM api.releases()", actor=taken).sqlstate == "TK033"


def test_the_builder_and_the_owner_are_no_actor_s(world: World) -> None:
    for role in GRANTABLE:
        with world.connect(role).transaction():
            for wanted in (OWNER, BUILDER, "postgres", "pg_read_server_files", "pg_monitor", LOGIN):
                assert refusal(world.connect(role), f"SET LOCAL ROLE {wanted}") == DENIED
            others = [other for other in GRANTABLE if other != role]
            for other in others:
                assert refusal(world.connect(role), f"SET LOCAL ROLE {other}") == DENIED
    with acting_as(world.admin, AUDITOR) as connection:
        assert refusal(connection, "SET LOCAL ROLE tekrar_owner") == DENIED


def test_the_proof_of_a_login_can_fail(world: World) -> None:
    with pytest.raises(AssertionError):
        prove_login(world.admin, "postgres", "postgres")
    with pytest.raises(psycopg.Error), world.connect(READER).transaction():
        world.connect(READER).execute("SET LOCAL ROLE tekrar_owner")
