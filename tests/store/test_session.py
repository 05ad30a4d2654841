"""Sessions: what is refused, what a transaction is, and that nothing runs as the login itself."""

import os
import socket
import struct
import threading
import time
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tekrar.errors import DatabaseError, TekrarError, UsageError
from tekrar.settings import read_settings
from tekrar.store.roles import GRANTABLE, LOGIN, SUPERUSER, Role
from tekrar.store.session import Connection, ask, connect, open_target, transaction
from tekrar.store.target import Embedded, of_embedded, of_url
from tests.store.place import url_of

WHO = b"SELECT current_user::text, session_user::text, current_setting('tekrar.claims')"


def refused(url: str, kind: str) -> TekrarError:
    with pytest.raises(TekrarError) as caught:
        connect(read_settings({"TEKRAR_DATABASE_URL": url}))
    assert caught.value.kind == kind, str(caught.value)
    assert caught.value.where
    assert caught.value.mend
    return caught.value


class FakeServer:
    """Speaks just enough of the protocol to be taken for a server of some version and encoding."""

    def __init__(self, version: str, encoding: str) -> None:
        self.said = self.message(b"R", struct.pack("!i", 0))
        parameters = {"server_version": version, "server_encoding": encoding, "client_encoding": "UTF8"}
        for name, value in parameters.items():
            self.said += self.message(b"S", name.encode() + b"\0" + value.encode() + b"\0")
        self.said += self.message(b"K", struct.pack("!ii", 1, 1)) + self.message(b"Z", b"I")
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self.serve)
        self.thread.start()

    @staticmethod
    def message(kind: bytes, body: bytes) -> bytes:
        return kind + struct.pack("!i", len(body) + 4) + body

    def serve(self) -> None:
        end, _ = self.listener.accept()
        with end:
            end.recv(4096)
            end.sendall(self.said)
            end.recv(4096)

    def close(self) -> None:
        self.thread.join(10)
        self.listener.close()


class TestRefused:
    @pytest.mark.parametrize(
        ("version", "encoding", "kind"),
        [
            ("14.13", "UTF8", "server_too_old"),
            ("9.6.24", "UTF8", "server_too_old"),
            ("19.0", "UTF8", "server_too_new"),
            ("16.4", "LATIN5", "database_not_utf8"),
        ],
    )
    def test_a_server_that_the_store_cannot_stand_on(self, version: str, encoding: str, kind: str) -> None:
        fake = FakeServer(version, encoding)
        try:
            url = f"postgresql://u:secret@127.0.0.1:{fake.port}/d?sslmode=disable&gssencmode=disable"
            assert "secret" not in str(refused(url, kind))
        finally:
            fake.close()

    def test_a_real_database_that_is_not_utf8(self, empty_database: Embedded) -> None:
        with open_target(of_embedded(empty_database, user=SUPERUSER)) as connection:
            connection.execute(
                "CREATE DATABASE plain TEMPLATE template0 ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        plain = Embedded(empty_database.socket_dir, empty_database.server_user, "plain")
        try:
            assert "SQL_ASCII" in str(refused(url_of(plain), "database_not_utf8"))
        finally:
            with open_target(of_embedded(empty_database, user=SUPERUSER)) as connection:
                connection.execute("DROP DATABASE plain")

    def test_nobody_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
        said = refused(f"postgresql://u:secret@127.0.0.1:{port}/d", "unreachable")
        assert "secret" not in str(said)
        assert f"port={port}" in said.where

    def test_a_host_without_an_address(self) -> None:
        refused("postgresql://u@no-such-host.invalid/d", "unreachable")

    def test_somebody_else_listens(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:

            def serve() -> None:
                end, _ = other.accept()
                with end:
                    end.recv(4096)
                    end.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")

            thread = threading.Thread(target=serve)
            thread.start()
            port = other.getsockname()[1]
            refused(f"postgresql://u@127.0.0.1:{port}/d?sslmode=disable&gssencmode=disable", "unreachable")
            thread.join(10)

    def test_a_server_that_says_nothing(self) -> None:
        with socket.create_server(("127.0.0.1", 0)) as other:
            port = other.getsockname()[1]
            refused(f"postgresql://u@127.0.0.1:{port}/d?connect_timeout=2", "unreachable")

    @pytest.mark.parametrize(
        "url",
        ["postgresql://u:secret@h:port/d", "postgresql://u:secret@h/d?nonsense=1", "postgres://u:se%zz@h/d"],
    )
    def test_a_malformed_url_is_not_repeated(self, url: str) -> None:
        with pytest.raises(UsageError) as caught:
            connect(read_settings({"TEKRAR_DATABASE_URL": url}))
        assert "secret" not in str(caught.value)
        assert "se%zz" not in str(caught.value)

    def test_another_kind_of_database(self) -> None:
        with pytest.raises(UsageError, match="TEKRAR_DATABASE_URL") as caught:
            read_settings({"TEKRAR_DATABASE_URL": "mysql://u:secret@h/d"})
        assert "secret" not in str(caught.value)

    def test_no_such_database(self, database: Embedded) -> None:
        absent = Embedded(database.socket_dir, database.server_user, "absent")
        refused(url_of(absent), "no_such_database")

    def test_no_such_user(self, database: Embedded) -> None:
        refused(url_of(database, user="nobody_here"), "login_refused")

    @pytest.mark.skipif(not hasattr(socket, "SO_PEERCRED"), reason="needs peer credentials of sockets")
    def test_a_socket_of_another_user(self, database: Embedded) -> None:
        other = Embedded(database.socket_dir, "daemon", database.database)
        with pytest.raises(DatabaseError) as caught:
            open_target(of_embedded(other, user=LOGIN))
        assert caught.value.kind == "foreign_server"

    def test_the_settings_do_not_show_the_url(self) -> None:
        assert "secret" not in repr(read_settings({"TEKRAR_DATABASE_URL": "postgresql://u:secret@h/d"}))

    def test_the_password_goes_to_programs_by_the_environment(self) -> None:
        target = of_url("postgresql://u:secret@h/d")
        assert "secret" not in target.conninfo()
        assert "secret" not in target.shown
        assert target.parameters["password"] == "secret"


class TestTransaction:
    @pytest.mark.parametrize("role", GRANTABLE)
    def test_it_is_the_role_with_the_claims(self, login: Connection, role: Role) -> None:
        with transaction(login, role=role, claims={"b": 1, "actor": "ş'\"\\"}):
            said = login.execute(WHO).fetchone()
        assert said == (role.value, LOGIN, '{"actor":"\\u015f\'\\"\\\\","b":1}')

    @pytest.mark.parametrize("role", [Role.OWNER, Role.BUILDER])
    def test_the_login_cannot_be_owner_or_builder(self, login: Connection, role: Role) -> None:
        with pytest.raises(DatabaseError) as caught, transaction(login, role=role):
            pass
        assert caught.value.kind == "permission_denied"
        assert login.info.transaction_status is psycopg.pq.TransactionStatus.IDLE

    def test_nothing_of_it_stays(self, login: Connection) -> None:
        with transaction(login, role=Role.READER, claims={"actor": "a"}):
            pass
        assert ask(login, b"SELECT current_setting('tekrar.claims')", role=Role.CURATOR) == [("{}",)]
        row = login.execute("SELECT current_user::text, current_setting('tekrar.claims', true)").fetchone()
        assert row == (LOGIN, "")

    def test_an_exception_undoes_it(self, administrator: Connection) -> None:
        administrator.execute(
            "CREATE TABLE public.scratch (n int4); GRANT ALL ON public.scratch TO tekrar_curator"
        )
        insert = b"INSERT INTO public.scratch VALUES (1) RETURNING 1 / 0"
        with pytest.raises(DatabaseError), transaction(administrator, role=Role.CURATOR):
            administrator.execute(insert)
        with transaction(administrator, role=Role.CURATOR):
            administrator.execute("INSERT INTO public.scratch VALUES (2)")
        assert administrator.execute("SELECT n FROM public.scratch").fetchall() == [(2,)]
        with (
            pytest.raises(DatabaseError) as caught,
            transaction(administrator, role=Role.CURATOR, read_only=True),
        ):
            administrator.execute("INSERT INTO public.scratch VALUES (3)")
        assert caught.value.kind == "read_only"
        administrator.execute("DROP TABLE public.scratch")

    def test_a_superuser_in_a_role_is_no_superuser(self, administrator: Connection) -> None:
        row = ask(
            administrator,
            b"SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user",
            role=Role.READER,
        )
        assert row == [(False,)]

    def test_a_commit_waits_for_the_disk(self, administrator: Connection, login: Connection) -> None:
        login.execute("SET synchronous_commit = off")
        said = ask(login, b"SELECT current_setting('synchronous_commit')", role=Role.READER, read_only=False)
        assert said == [("on",)]

    @pytest.mark.parametrize("isolation", ["read committed", "repeatable read", "serializable"])
    def test_isolation(self, login: Connection, isolation: str) -> None:
        with transaction(login, role=Role.READER, isolation=isolation):  # type: ignore[arg-type]
            assert login.execute("SHOW transaction_isolation").fetchone() == (isolation,)

    def test_a_lost_connection_is_said_so(self, login: Connection, administrator: Connection) -> None:
        administrator.execute("SELECT pg_terminate_backend(%s, 5000)", (login.info.backend_pid,))
        with pytest.raises(DatabaseError) as caught, transaction(login, role=Role.READER):
            login.execute("SELECT 1")
        assert caught.value.kind == "connection_lost"


class TestAsk:
    def test_rows_come_back(self, login: Connection) -> None:
        rows = ask(login, b"SELECT n, %s::bytea FROM generate_series(1, 3) AS n", (b"\0x",), role=Role.READER)
        assert rows == [(1, b"\0x"), (2, b"\0x"), (3, b"\0x")]

    def test_it_is_one_round_trip(self, login: Connection, tmp_path: Path) -> None:
        """The client waits at each Sync, and sends one; before and after the point where psycopg prepares."""
        for n in range(8):
            with (tmp_path / f"trace{n}").open("wb") as trace:
                login.pgconn.trace(trace.fileno())
                assert ask(login, WHO, role=Role.READER)[0][0] == "tekrar_reader"
                login.pgconn.untrace()
            said = [line.split("\t") for line in (tmp_path / f"trace{n}").read_text().splitlines()]
            assert sum(line[1] == "F" and line[3].strip() == "Sync" for line in said) == 1

    def test_an_error_leaves_the_connection_usable(self, login: Connection) -> None:
        for _ in range(3):
            with pytest.raises(DatabaseError) as caught:
                ask(login, b"SELECT 1/0", role=Role.READER)
            assert caught.value.kind == "sqlstate_22012"
            assert ask(login, b"SELECT 1", role=Role.READER) == [(1,)]

    def test_the_store_s_own_errors_keep_their_words(self, login: Connection) -> None:
        detail = '{"kind": "head_moved", "expected": "12", "relation": "a.b"}'
        raising = (
            "DO $$ BEGIN RAISE EXCEPTION USING ERRCODE = 'TK042', MESSAGE = 'the head moved',"
            f" HINT = 'prepare again', DETAIL = '{detail}'; END $$"
        ).encode()
        with pytest.raises(DatabaseError) as caught, transaction(login, role=Role.READER):
            login.execute(raising)
        assert caught.value.as_record() == {
            "code": "database_error",
            "kind": "head_moved",
            "message": "the head moved",
            "where": "a.b",
            "expected": "12",
            "mend": "prepare again",
        }

    def test_a_reader_writes_nothing(self, login: Connection) -> None:
        with pytest.raises(DatabaseError) as caught:
            ask(login, b"CREATE TABLE public.mine (n int4)", role=Role.READER)
        assert caught.value.kind in ("read_only", "permission_denied")


def test_the_environment_is_read_in_order() -> None:
    assert str(read_settings({"TEKRAR_DATA_DIR": "/a", "HOME": "/h"}).data_dir) == "/a"
    assert str(read_settings({"XDG_DATA_HOME": "/x", "HOME": "/h"}).data_dir) == "/x/tekrar"
    assert str(read_settings({"XDG_DATA_HOME": "x", "HOME": "/h"}).data_dir) == "/h/.local/share/tekrar"
    assert str(read_settings({"TEKRAR_DATA_DIR": "b"}).data_dir) == os.path.abspath("b")
    assert read_settings({}).data_dir is None


def test_a_connection_is_good_after_any_number_of_refusals(login: Connection) -> None:
    """The driver prepares a statement when it was used often enough, also in a pipeline that is aborted."""
    for _ in range(20):
        with pytest.raises(DatabaseError) as refused:
            ask(login, b"SELECT 1 / 0", role=Role.READER)
        assert refused.value.kind == "sqlstate_22012"
        assert ask(login, b"SELECT 1", role=Role.READER) == [(1,)]
        with transaction(login, role=Role.READER) as connection:
            assert connection.execute(b"SELECT 1").fetchone() == (1,)


def test_a_refusal_that_arrives_before_all_is_sent_is_the_only_word(
    login: Connection, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """psycopg logs what it meets when it leaves an aborted pipeline, and that would reach standard error."""
    execute = login.execute

    def slowly(*words: Any, **more: Any) -> Any:
        cursor = execute(*words, **more)
        time.sleep(0.05)
        return cursor

    monkeypatch.setattr(login, "execute", slowly)
    with pytest.raises(DatabaseError) as error:
        ask(login, b"SELECT api.freeze('x')", role=Role.ADMINISTRATOR, read_only=False)
    assert error.value.kind == "unknown_actor"
    assert [record for record in caplog.records if record.name.startswith("psycopg")] == []
    monkeypatch.undo()
    assert ask(login, b"SELECT 1", role=Role.READER) == [(1,)]
