"""T23 and what else a session could try: hostile names, shadowing, settings, roles, files of the server."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.snapshot import snapshot
from tekrar.store.target import of_embedded
from tests.store.matrix import ADMINISTRATOR, AUDITOR, GRANTABLE, PUBLISHER, READER, SELECT
from tests.store.schema_authority import World
from tests.store.schema_database import refusal
from tests.store.schema_logins import as_role, ask_as, error_of, everything_kept, prove_login
from tests.store.schema_publication import new_load

DENIED = "42501"
LOGINS = (*GRANTABLE, LOGIN)

#: Statements that would make a role more than it is, or write where it may not. {me} is the current role.
HOSTILE = (
    "SET LOCAL session_replication_role = replica",
    "SET LOCAL SESSION AUTHORIZATION postgres",
    "SET LOCAL ROLE postgres",
    "SET LOCAL ROLE tekrar_owner",
    "SET LOCAL ROLE tekrar_builder",
    "SELECT set_config('role', 'tekrar_owner', true)",
    "SELECT set_config('session_authorization', 'postgres', true)",
    "ALTER ROLE CURRENT_USER SUPERUSER",
    "ALTER ROLE CURRENT_USER BYPASSRLS",
    "ALTER ROLE tekrar_owner LOGIN",
    "ALTER ROLE tekrar_reader BYPASSRLS",
    "ALTER ROLE tekrar_owner SET search_path = public",
    "CREATE ROLE mine SUPERUSER",
    "DROP ROLE tekrar_auditor",
    "GRANT tekrar_owner TO CURRENT_USER",
    "GRANT tekrar_auditor TO SESSION_USER",
    "GRANT tekrar_administrator TO tekrar_reader",
    "GRANT SELECT ON curation.ledger TO tekrar_reader",
    "GRANT ALL ON ALL TABLES IN SCHEMA repetition TO SESSION_USER",
    "REVOKE ALL ON repetition.occurrence FROM tekrar_reader",
    "ALTER DEFAULT PRIVILEGES FOR ROLE tekrar_owner GRANT ALL ON TABLES TO PUBLIC",
    "REASSIGN OWNED BY tekrar_owner TO CURRENT_USER",
    "DROP OWNED BY tekrar_owner",
    "ALTER SCHEMA api OWNER TO CURRENT_USER",
    "ALTER FUNCTION api.publish(jsonb) OWNER TO CURRENT_USER",
    "ALTER FUNCTION api.publish(jsonb) SECURITY INVOKER",
    "ALTER FUNCTION api.publish(jsonb) RESET search_path",
    "CREATE OR REPLACE FUNCTION api.releases() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "DROP FUNCTION api.publish(jsonb)",
    *(
        f"CREATE TABLE {schema}.mine (n int)"
        for schema in (
            "api",
            "core",
            "curation",
            "repetition",
            "restricted",
            "tekrar_meta",
            "public",
            "pg_catalog",
        )
    ),
    *(
        f"CREATE FUNCTION {schema}.mine() RETURNS int LANGUAGE sql SECURITY DEFINER AS 'SELECT 1'"
        for schema in ("api", "core", "public", "pg_catalog")
    ),
    "CREATE OPERATOR public.= (LEFTARG = uuid, RIGHTARG = uuid, FUNCTION = uuid_ne)",
    "CREATE SCHEMA mine",
    "CREATE TEMP TABLE mine (n int)",
    "CREATE FUNCTION pg_temp.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    "CREATE EXTENSION plpgsql_check",
    "CREATE EXTENSION dblink",
    "CREATE LANGUAGE plpython3u",
    "CREATE DATABASE mine",
    "CREATE TABLESPACE mine LOCATION '/tmp'",
    "CREATE EVENT TRIGGER mine ON ddl_command_start EXECUTE FUNCTION tekrar_meta.refuse_change()",
    "CREATE PUBLICATION mine FOR ALL TABLES",
    "CREATE SUBSCRIPTION mine CONNECTION 'dbname=x' PUBLICATION y WITH (connect = false)",
    "CREATE SERVER mine FOREIGN DATA WRAPPER x",
    "ALTER SYSTEM SET fsync = off",
    "ALTER DATABASE postgres SET search_path = public",
    "COPY (SELECT 1) TO PROGRAM 'true'",
    "COPY (SELECT 1) TO '/tmp/mine'",
    "COPY repetition.occurrence FROM '/etc/passwd'",
    "COPY repetition.occurrence FROM PROGRAM 'true'",
    "SELECT pg_read_file('/etc/passwd')",
    "SELECT pg_read_binary_file('PG_VERSION')",
    "SELECT pg_ls_dir('.')",
    "SELECT pg_stat_file('PG_VERSION')",
    "SELECT lo_import('/etc/passwd')",
    "SELECT pg_reload_conf()",
    "SELECT pg_rotate_logfile()",
    "SELECT pg_switch_wal()",
    "SELECT pg_create_restore_point('x')",
    "SELECT pg_create_logical_replication_slot('x', 'pgoutput')",
    "SELECT pg_replication_origin_create('x')",
    "SELECT * FROM pg_authid",
    "SELECT * FROM pg_statistic",
    "SELECT * FROM pg_hba_file_rules",
    "SELECT * FROM pg_ident_file_mappings",
    "SET LOCAL log_statement = 'all'",
    "SET LOCAL lc_messages = 'tr_TR'",
    "SET LOCAL shared_preload_libraries = 'x'",
    "LOAD '/tmp/mine.so'",
    "CHECKPOINT",
    "DO $$ BEGIN DELETE FROM curation.ledger; END $$",
    "DO $$ BEGIN EXECUTE 'SET LOCAL ROLE tekrar_owner'; END $$",
    "DO $$ BEGIN PERFORM curation.append('grant', '{}'); END $$",
    "DO $$ BEGIN PERFORM curation.synchronize_roles(); END $$",
    "WITH gone AS (DELETE FROM repetition.visible RETURNING *) SELECT * FROM gone",
    "EXPLAIN ANALYZE DELETE FROM repetition.visible",
    "DECLARE mine CURSOR FOR SELECT * FROM repetition.visible FOR UPDATE",
    "SECURITY LABEL ON TABLE core.release IS 'x'",
    "CLUSTER core.release USING release_pkey",
    "REINDEX TABLE core.release",
    "REFRESH MATERIALIZED VIEW core.release",
)
#: Refused, but not for want of a privilege: there is nothing of that name or kind here to be had.
OTHERWISE = frozenset(
    {"42704", "58P01", "0A000", "55006", "22023", "42P13", "42809", "25001", "55000", "55P02", "42939"}
)


@pytest.fixture(params=LOGINS)
def session(world: World, request: pytest.FixtureRequest) -> Iterator[tuple[Connection, str]]:
    """An open transaction of each login: the actors' own as their roles, the program's as reader."""
    role = READER if request.param == LOGIN else request.param
    if request.param == LOGIN:
        connection = open_target(of_embedded(world.place, user=LOGIN))
    else:
        connection = world.logins.connect(world.place, world.actor(role, "all"))
    with connection:
        connection.execute("BEGIN")
        prove_login(connection, connection.info.user, connection.info.user)
        connection.execute(f"SET LOCAL ROLE {role}".encode())
        prove_login(connection, connection.info.user, role)
        yield connection, role
        connection.execute("ROLLBACK")


@pytest.mark.req("ID-09", "CORE-02")
def test_no_session_makes_itself_more_than_it_is(world: World, session: tuple[Connection, str]) -> None:
    connection, _ = session
    before = everything_kept(world.admin), snapshot(world.admin)
    for statement in HOSTILE:
        found = refusal(connection, statement)
        # Whoever holds a privilege and may not pass it on is only warned; the snapshot shows that.
        vain = found is None and statement.startswith(("GRANT", "REVOKE"))
        assert vain or found == DENIED or found in OTHERWISE, (statement, found)
    connection.execute("COMMIT")
    assert (everything_kept(world.admin), snapshot(world.admin)) == before
    connection.execute("BEGIN")


def test_row_security_is_not_switched_off(session: tuple[Connection, str]) -> None:
    """The setting turns a policy into an error for whoever is bound by it; it opens nothing."""
    connection, role = session
    connection.execute("SET LOCAL row_security = off")
    for relation in sorted(relation for relation, roles in SELECT.items() if role in roles):
        assert refusal(connection, f"SELECT * FROM {relation}") == DENIED


def test_statistics_and_sessions_of_others_tell_nothing(
    world: World, session: tuple[Connection, str]
) -> None:
    connection, _ = session
    schemas = ["api", "core", "curation", "repetition", "restricted", "tekrar_meta"]
    assert (
        connection.execute("SELECT * FROM pg_stats WHERE schemaname = ANY (%s)", (schemas,)).fetchall() == []
    )
    world.admin.execute("SELECT 'a statement of another'")
    others = connection.execute(
        "SELECT query FROM pg_stat_activity WHERE pid = %s", (world.admin.info.backend_pid,)
    ).fetchone()
    assert others == ("<insufficient privilege>",)
    assert refusal(connection, f"SELECT pg_terminate_backend({world.admin.info.backend_pid})") == DENIED


def test_messages_and_large_objects_are_none_of_the_store_s(
    world: World, session: tuple[Connection, str]
) -> None:
    """PostgreSQL lets any session send messages and keep large objects; no fact of the store is in either."""
    connection, _ = session
    before = everything_kept(world.admin)
    refusal(connection, "LISTEN tekrar")
    refusal(connection, "NOTIFY tekrar, 'x'")
    refusal(connection, "SELECT lo_from_bytea(0, 'x')")
    assert refusal(connection, "SELECT lo_export(1, '/tmp/mine')") == DENIED
    assert everything_kept(world.admin) == before


def test_nothing_of_a_session_stands_before_the_store_s_names(world: World) -> None:
    """With the right to make temporary objects, which no role has: definers and policies do not see them."""
    one = new_load(world.admin, "gölge")
    login = world.actor(PUBLISHER, "all")
    world.admin.execute(f"GRANT TEMPORARY ON DATABASE {world.place.database} TO {PUBLISHER}".encode())
    try:
        with world.logins.connect(world.place, login) as connection:
            entry = ask_as(
                connection, PUBLISHER, "SELECT api.prepare_publication(%s, 'FS')", one.artifact_root.hex()
            )
            plan = json.dumps({"publications": [entry[0][0]], "set": False})
            with as_role(connection, PUBLISHER):
                for name in (
                    "grant_entry",
                    "actor",
                    "head",
                    "ledger",
                    "repetition_release",
                    "visible",
                    "release",
                ):
                    connection.execute(f"CREATE TEMP TABLE {name} (LIKE pg_class)".encode())
                for signature, body in (
                    ("now() RETURNS timestamptz", "SELECT ''2001-01-01''::timestamptz"),
                    ("clock_timestamp() RETURNS timestamptz", "SELECT ''2001-01-01''::timestamptz"),
                    ("sha256(bytea) RETURNS bytea", "SELECT ''x''::bytea"),
                    ("current_setting(text, boolean) RETURNS text", "SELECT ''{}''::text"),
                    ("scopes(name) RETURNS text[]", "SELECT ARRAY[''*'']"),
                ):
                    connection.execute(
                        f"CREATE FUNCTION pg_temp.{signature} LANGUAGE sql AS '{body}'".encode()
                    )
                connection.execute("SET search_path = pg_temp, pg_catalog")
            assert ask_as(connection, PUBLISHER, "SELECT count(*) FROM api.releases()")[0][0] >= 8
            done = ask_as(connection, PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)
            assert done[0][0]["outcome"] == "published"
        row = world.admin.execute(
            "SELECT recorded_at > '2020-01-01' AND roots = sha256(bound) FROM repetition.repetition_release"
            " WHERE release = %s",
            (entry[0][0]["release"],),
        ).fetchone()
        assert row == (True,)
    finally:
        world.admin.execute(f"REVOKE TEMPORARY ON DATABASE {world.place.database} FROM {PUBLISHER}".encode())


def test_a_definer_of_one_s_own_outlives_no_grant(world: World) -> None:
    """A function made while the role was open runs as that role for ever; the ledger is asked again."""
    login = world.logins.make()
    world.name(login, login)
    number = world.grant(login, AUDITOR)
    world.admin.execute(f"GRANT TEMPORARY ON DATABASE {world.place.database} TO {AUDITOR}".encode())
    try:
        with world.logins.connect(world.place, login) as connection:
            with as_role(connection, AUDITOR):
                connection.execute(
                    "CREATE FUNCTION pg_temp.all_entries() RETURNS bigint LANGUAGE sql SECURITY DEFINER"
                    " AS 'SELECT count(*) FROM curation.ledger'"
                )
                connection.execute("GRANT EXECUTE ON FUNCTION pg_temp.all_entries() TO PUBLIC")
            row = connection.execute("SELECT pg_temp.all_entries() > 0").fetchone()
            assert row == (True,)
            world.revoke(number)
            assert connection.execute("SELECT pg_temp.all_entries()").fetchone() == (0,)
    finally:
        world.admin.execute(f"REVOKE TEMPORARY ON DATABASE {world.place.database} FROM {AUDITOR}".encode())


HOSTILE_WORDS = (
    "'; DROP TABLE curation.ledger; --",
    'x" OR "1"="1',
    "%_\\%",
    "$$; SELECT 1; $$",
    "{actor}%s%I%%",
    "a\u0301",
    "*",
    "null",
    "E'\\x00'",
)


@pytest.mark.parametrize("word", HOSTILE_WORDS)
def test_t23_hostile_names_are_only_names(world: World, word: str) -> None:
    connection = world.connect(ADMINISTRATOR)
    named = ask_as(connection, ADMINISTRATOR, "SELECT api.actor(%s, NULL)", word)
    assert named[0][0]["outcome"] == "named"
    number = world.grant(word, READER, word)
    query = "SELECT actor, scope FROM api.grants() WHERE grant_key = %s"
    assert ask_as(connection, ADMINISTRATOR, query, number) == [(word, word)]
    with open_target(of_embedded(world.place, user=LOGIN)) as program:
        # The scope is a name and no pattern: only `*` is all of them.
        seen = ask_as(program, READER, "SELECT count(*) > 0 FROM repetition.series", actor=word)
        assert seen == [(word == "*",)]
    ask_as(connection, ADMINISTRATOR, "SELECT api.freeze(%s)", word)
    row = world.admin.execute("SELECT reason FROM curation.freeze ORDER BY epoch DESC LIMIT 1").fetchone()
    assert row == (word,)
    checked = ask_as(connection, ADMINISTRATOR, "SELECT first_broken, head_matches FROM api.verify_ledger()")
    assert checked == [(None, True)]


def test_t23_a_hostile_edition_is_only_an_edition(world: World) -> None:
    edition = "bahçe' OR 'a' LIKE '%"
    one = new_load(world.admin, "tırnak", edition=edition)
    login = world.logins.make()
    world.name(login, login)
    world.grant(login, PUBLISHER, edition)
    with world.logins.connect(world.place, login) as connection:
        prepare = "SELECT api.prepare_publication(%s, 'FP')"
        entry = ask_as(connection, PUBLISHER, prepare, one.artifact_root.hex())[0][0]
        plan = json.dumps({"publications": [entry], "set": False})
        assert (
            ask_as(connection, PUBLISHER, "SELECT api.publish(%s::jsonb)", plan)[0][0]["outcome"]
            == "published"
        )
        assert ask_as(connection, PUBLISHER, "SELECT DISTINCT edition FROM repetition.series") == [(edition,)]
        error = error_of(connection, PUBLISHER, prepare, world.near.artifact_root.hex())
        assert error.sqlstate == "TK010"


@pytest.mark.parametrize("name", ['Kul % "q', "kul'; --", "KUL", "kul.nokta"])
def test_t23_a_hostile_login_is_only_a_login(world: World, name: str) -> None:
    """Membership is written by GRANT, which takes no parameters: the name is quoted."""
    quoted = '"' + name.replace('"', '""') + '"'
    world.admin.execute(f"CREATE ROLE {quoted} LOGIN NOINHERIT".encode())
    world.name("login " + name, name)
    number = world.grant("login " + name, READER)
    member = "SELECT pg_has_role(%s, 'tekrar_reader', 'MEMBER'), has_database_privilege(%s, %s, 'CONNECT')"
    words = (name, name, world.place.database)
    assert world.admin.execute(member, words).fetchone() == (True, True)
    world.revoke(number)
    assert world.admin.execute(member, words).fetchone() == (False, False)
