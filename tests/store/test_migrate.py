"""Migrations: whole or not at all, once, never changed; functions and policies again by every run."""

import signal
import threading
import time
from pathlib import Path

import pytest

from tekrar.errors import DatabaseError
from tekrar.store.migrate import State, migrate, require_current, state_of
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.schema_files import SchemaFiles, program_schema, read_schema
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.snapshot import snapshot
from tekrar.store.target import Embedded, of_embedded
from tests.store.place import process, tekrar, url_of

ONE = "CREATE SCHEMA box; CREATE TABLE box.thing (n int4 PRIMARY KEY);"
TWO = "ALTER TABLE box.thing ADD COLUMN word text; DO $$ BEGIN NULL; END $$;"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for kind in ("migrations", "functions", "policies"):
        (tmp_path / kind).mkdir()
    (tmp_path / "migrations" / "0001_one.sql").write_text(ONE)
    (tmp_path / "migrations" / "0002_two.sql").write_text(TWO)
    return tmp_path


@pytest.fixture
def connection(empty_database: Embedded) -> Connection:
    with open_target(of_embedded(empty_database, user=SUPERUSER)) as one:
        yield one  # type: ignore[misc]


def bare(text: str) -> str:
    return text.translate({ord(sign): None for sign in "() "})


def refused(connection: Connection, folder: Path, kind: str) -> DatabaseError:
    before = snapshot(connection)
    with pytest.raises(DatabaseError) as caught:
        migrate(connection, read_schema(folder))
    assert caught.value.kind == kind, str(caught.value)
    assert caught.value.mend
    assert snapshot(connection) == before
    return caught.value


class TestRun:
    def test_each_is_applied_once_and_in_order(self, connection: Connection, folder: Path) -> None:
        files = read_schema(folder)
        assert state_of(connection) == State()
        assert migrate(connection, files).applied == ("0001_one.sql", "0002_two.sql")
        assert migrate(connection, files).applied == ()
        (folder / "migrations" / "0003_three.sql").write_text("CREATE TABLE box.other ()")
        assert migrate(connection, read_schema(folder)).applied == ("0003_three.sql",)
        assert state_of(connection).head == 3
        assert require_current(connection, read_schema(folder)).head == 3

    def test_everything_belongs_to_the_owner(self, connection: Connection, folder: Path) -> None:
        (folder / "functions" / "box.f.sql").write_text(
            "CREATE OR REPLACE FUNCTION box.f() RETURNS int4 LANGUAGE sql AS 'SELECT 1'"
        )
        migrate(connection, read_schema(folder))
        said = snapshot(connection)
        assert "owner postgres" not in said
        assert "table box.thing owner tekrar_owner" in said
        assert "grant EXECUTE on function box.f() to public" not in said

    def test_functions_and_policies_are_applied_again(self, connection: Connection, folder: Path) -> None:
        place = folder / "functions" / "box.f.sql"
        for n in (1, 2):
            place.write_text(f"CREATE OR REPLACE FUNCTION box.f() RETURNS int4 LANGUAGE sql AS 'SELECT {n}'")
            if n == 2:
                with pytest.raises(DatabaseError, match="not this program's") as caught:
                    require_current(connection, read_schema(folder))
                assert caught.value.kind == "schema_behind"
            assert migrate(connection, read_schema(folder)).head == 2
            assert connection.execute("SELECT box.f()").fetchone() == (n,)
            require_current(connection, read_schema(folder))

    def test_two_runs_at_once(self, empty_database: Embedded, folder: Path) -> None:
        (folder / "migrations" / "0003_slow.sql").write_text("SELECT pg_sleep(0.3); CREATE TABLE box.slow ()")
        files = read_schema(folder)
        done: list[tuple[str, ...]] = []

        def run() -> None:
            with open_target(of_embedded(empty_database, user=SUPERUSER)) as one:
                done.append(migrate(one, files).applied)

        threads = [threading.Thread(target=run) for _ in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        assert sorted(map(len, done)) == [0, 0, 3]

    @pytest.mark.faults
    def test_a_killed_run_leaves_whole_migrations(
        self, empty_database: Embedded, connection: Connection, folder: Path, tmp_path: Path
    ) -> None:
        slow = folder / "migrations" / "0002_two.sql"
        slow.write_text("CREATE TABLE box.half (); SELECT pg_sleep(3600)")
        program = f"""
from pathlib import Path
from tekrar.settings import read_settings
from tekrar.store.migrate import migrate
from tekrar.store.schema_files import read_schema
from tekrar.store.session import connect
migrate(connect(read_settings()), read_schema(Path({str(folder)!r})))
"""
        child = process(tmp_path, program, TEKRAR_DATABASE_URL=url_of(empty_database))
        busy = (
            "SELECT pid FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'PgSleep'"
        )
        until = time.monotonic() + 30
        while not (found := connection.execute(busy).fetchone()):
            assert time.monotonic() < until
            assert child.poll() is None
            time.sleep(0.02)
        child.kill()
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        # The server notices a dead client when it next reads; here the test ends the wait.
        connection.execute("SELECT pg_terminate_backend(%s, 5000)", found)
        assert state_of(connection).head == 1
        assert "box.half" not in snapshot(connection)
        slow.write_text(TWO)
        assert migrate(connection, read_schema(folder)).applied == ("0002_two.sql",)


class TestRefused:
    def test_a_changed_file(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        (folder / "migrations" / "0001_one.sql").write_text(ONE + " ")
        assert "0001_one.sql" in refused(connection, folder, "migration_changed").where

    def test_a_renamed_file(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        (folder / "migrations" / "0001_one.sql").rename(folder / "migrations" / "0001_uno.sql")
        refused(connection, folder, "migration_changed")

    def test_a_schema_newer_than_the_program(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        (folder / "migrations" / "0002_two.sql").unlink()
        refused(connection, folder, "schema_newer")
        with pytest.raises(DatabaseError) as caught:
            require_current(connection, read_schema(folder))
        assert caught.value.kind == "schema_newer"

    @pytest.mark.parametrize("name", ["0004_four.sql", "0002_again.sql"])
    def test_a_gap_among_the_files(self, connection: Connection, folder: Path, name: str) -> None:
        (folder / "migrations" / name).write_text("SELECT 1")
        refused(connection, folder, "migration_gap")

    def test_a_gap_in_the_record(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        connection.execute("DELETE FROM tekrar_meta.migration WHERE n = 1")
        refused(connection, folder, "migration_gap")

    def test_a_wrong_name(self, connection: Connection, folder: Path) -> None:
        (folder / "migrations" / "3_three.sql").write_text("SELECT 1")
        refused(connection, folder, "bad_migration")

    def test_sql_that_fails_half_way(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        (folder / "migrations" / "0003_bad.sql").write_text(
            "CREATE TABLE box.new ();\n\nSELECT nothing_here;\n"
        )
        said = refused(connection, folder, "sqlstate_42703")
        assert said.where == "sql/migrations/0003_bad.sql, line 3"
        assert state_of(connection).head == 2

    def test_a_function_that_fails_undoes_all_of_them(self, connection: Connection, folder: Path) -> None:
        migrate(connection, read_schema(folder))
        (folder / "functions" / "box.a.sql").write_text(
            "CREATE FUNCTION box.a() RETURNS int4 LANGUAGE sql AS 'SELECT 1'"
        )
        (folder / "policies" / "box.sql").write_text("CREATE POLICY p ON box.absent")
        assert refused(connection, folder, "sqlstate_42p01").where.startswith("sql/policies/box.sql")

    @pytest.mark.parametrize("text", ["COMMIT", "CREATE TABLE box.x (); ROLLBACK"])
    def test_a_file_that_ends_its_transaction(self, connection: Connection, folder: Path, text: str) -> None:
        migrate(connection, read_schema(folder))
        (folder / "migrations" / "0003_bad.sql").write_text(text)
        refused(connection, folder, "bad_migration")

    def test_a_name_without_its_schema(self, connection: Connection, folder: Path) -> None:
        (folder / "migrations" / "0003_bad.sql").write_text("CREATE TABLE loose ()")
        with pytest.raises(DatabaseError) as caught:
            migrate(connection, read_schema(folder))
        assert caught.value.where.startswith("sql/migrations/0003_bad.sql")

    def test_a_user_who_may_not(self, database: Embedded) -> None:
        with open_target(of_embedded(database, user=LOGIN)) as login:
            with pytest.raises(DatabaseError) as caught:
                migrate(login)
            assert caught.value.kind == "permission_denied"
            assert require_current(login).head == len(program_schema().migrations)

    def test_an_empty_database_is_not_current(self, connection: Connection) -> None:
        with pytest.raises(DatabaseError) as caught:
            require_current(connection)
        assert caught.value.kind == "schema_missing"


class TestSnapshot:
    def test_a_second_run_changes_nothing(self, database: Embedded) -> None:
        with open_target(of_embedded(database, user=SUPERUSER)) as connection:
            before = snapshot(connection)
            assert migrate(connection).applied == ()
            assert snapshot(connection) == before
        assert before == "".join(sorted(before.splitlines(keepends=True), key=lambda line: line.encode()))

    @pytest.mark.parametrize(
        ("change", "line"),
        [
            ("ALTER TABLE box.thing ADD COLUMN x int4 DEFAULT 3", "column box.thing.x integer default 3"),
            (
                "CREATE INDEX i ON box.thing (n) WHERE n > 1",
                "index CREATE INDEX i ON box.thing USING btree (n)",
            ),
            ("ALTER TABLE box.thing ENABLE ROW LEVEL SECURITY", "table box.thing owner tekrar_owner rls"),
            (
                "GRANT SELECT ON box.thing TO tekrar_reader",
                "grant SELECT on relation box.thing to tekrar_reader",
            ),
            ("GRANT UPDATE (n) ON box.thing TO PUBLIC", "grant UPDATE on column box.thing.n to public"),
            (
                "CREATE POLICY p ON box.thing USING (n > 1)",
                "policy box.thing p permissive all to public using",
            ),
            ("CREATE TYPE box.e AS ENUM ('b', 'a')", "type box.e enum b,a"),
            ("CREATE VIEW box.v WITH (security_invoker) AS SELECT 1 AS a", "view box.v owner postgres with"),
            ("GRANT tekrar_owner TO tekrar_login", "member tekrar_login of tekrar_owner"),
        ],
    )
    def test_it_sees(self, connection: Connection, folder: Path, change: str, line: str) -> None:
        migrate(connection, read_schema(folder))
        before = snapshot(connection)
        connection.execute("BEGIN")
        connection.execute(change.encode())
        after = snapshot(connection)
        connection.execute("ROLLBACK")
        assert any(one.startswith(line) for one in set(after.splitlines()) - set(before.splitlines()))


class TestCommands:
    def test_backup_and_restore(self, launcher: Launcher, empty_database: Embedded, tmp_path: Path) -> None:
        if launcher.binaries().program("pg_dump") is None:
            pytest.skip("needs pg_dump")
        url = url_of(empty_database)
        more = {"TEKRAR_DATABASE_URL": url, "TEKRAR_PG_BIN": str(launcher.binaries().folder)}
        assert tekrar(tmp_path, "db", "migrate", "--json", **more).returncode == 0
        with open_target(of_embedded(empty_database, user=SUPERUSER)) as connection:
            connection.execute("CREATE TABLE tekrar_meta.kept AS SELECT 'ş' AS word")
            before = snapshot(connection)
            file = tmp_path / "b.dump"
            done = tekrar(tmp_path, "db", "backup", str(file), **more)
            assert done.returncode == 0, done.stderr
            assert file.stat().st_mode & 0o077 == 0
            assert tekrar(tmp_path, "db", "backup", str(file), **more).returncode == 2
            refused = tekrar(tmp_path, "db", "restore", str(file), **more)
            assert "database_not_empty" in refused.stderr
            assert snapshot(connection) == before
            connection.execute("CREATE DATABASE again TEMPLATE template0")
        again = Embedded(empty_database.socket_dir, empty_database.server_user, "again")
        try:
            more["TEKRAR_DATABASE_URL"] = url_of(again)
            done = tekrar(tmp_path, "db", "restore", str(file), **more)
            assert done.returncode == 0, done.stderr
            with open_target(of_embedded(again, user=SUPERUSER)) as connection:
                # An expression that was printed and read again has other parentheses, and nothing else.
                assert bare(snapshot(connection)) == bare(before)
                assert connection.execute("SELECT word FROM tekrar_meta.kept").fetchone() == ("ş",)
                require_current(connection)
        finally:
            with open_target(of_embedded(empty_database, user=SUPERUSER)) as connection:
                connection.execute("DROP DATABASE again WITH (FORCE)")

    def test_what_is_no_backup(self, empty_database: Embedded, tmp_path: Path) -> None:
        (tmp_path / "x").write_text("x")
        done = tekrar(
            tmp_path, "db", "restore", str(tmp_path / "x"), TEKRAR_DATABASE_URL=url_of(empty_database)
        )
        assert (done.returncode, "not_a_backup" in done.stderr) == (2, True)

    def test_the_server_of_a_url_is_not_ours_to_stop(self, empty_database: Embedded, tmp_path: Path) -> None:
        done = tekrar(tmp_path, "db", "stop", TEKRAR_DATABASE_URL=url_of(empty_database))
        assert (done.returncode, "not_embedded" in done.stderr) == (2, True)

    def test_the_url_of_a_word_comes_before_the_environment(
        self, empty_database: Embedded, tmp_path: Path
    ) -> None:
        url, nowhere = url_of(empty_database), "postgresql://somebody@127.0.0.1:1/in-use"
        for words in (("migrate",), ("init", "--administrator", "Defne"), ("status",)):
            done = tekrar(
                tmp_path, "db", *words, "--database-url", url, "--json", TEKRAR_DATABASE_URL=nowhere
            )
            assert done.returncode == 0, done.stderr
        with open_target(of_embedded(empty_database, user=SUPERUSER)) as connection:
            assert connection.execute("SELECT name FROM curation.actor").fetchall() == [("Defne",)]
        assert tekrar(tmp_path, "db", "stop", "--database-url", url).returncode == 2

    def test_status_says_what_is_there(self, empty_database: Embedded, tmp_path: Path) -> None:
        done = tekrar(tmp_path, "db", "status", "--json", TEKRAR_DATABASE_URL=url_of(empty_database))
        assert '"schema": "schema_missing"' in done.stdout
        assert '"durable": true' in done.stdout

    def test_a_missing_client_program(self, empty_database: Embedded, tmp_path: Path) -> None:
        more = {"TEKRAR_DATABASE_URL": url_of(empty_database), "PATH": "", "TEKRAR_PG_BIN": ""}
        done = tekrar(tmp_path, "db", "backup", str(tmp_path / "b"), **more)
        assert "no_client_program" in done.stderr
        assert not (tmp_path / "b").exists()


def test_the_program_s_own_files_are_a_schema() -> None:
    files: SchemaFiles = program_schema()
    assert [migration.n for migration in files.migrations] == list(range(1, len(files.migrations) + 1))
