"""The embedded server: for root and for a plain user, after kill -9, and what it refuses."""

import os
import pwd
import signal
import stat
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import psycopg
import pytest

from tekrar.errors import DatabaseError, StorageError
from tekrar.store.roles import SUPERUSER
from tekrar.store.server import account, binaries, place, wheel
from tekrar.store.server.account import Account
from tekrar.store.server.binaries import Binaries, find_binaries
from tekrar.store.server.launcher import Launcher
from tekrar.store.server.lock import alone, is_held
from tekrar.store.server.process import Seen, look, read_postmaster
from tekrar.store.session import Connection, connect, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.place import environment, process, settings_in, tekrar
from tests.store.server_killer import children_of

#: Kills, races and time limits of real processes: `make faults`, not every run.
pytestmark = pytest.mark.faults

AS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="needs root")

ENSURE = """
from tekrar.settings import read_settings
from tekrar.store.server.launcher import Launcher

print(Launcher(read_settings()).ensure().pid, flush=True)
"""


def superuser(one: Launcher) -> Connection:
    """A connection to the server's own database, which needs no schema."""
    running = one.ensure()
    place = Embedded(running.socket_dir, running.server_user, SUPERUSER)
    return open_target(of_embedded(place, user=SUPERUSER))


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0]


def wait_for(pid: int, state: str) -> None:
    until = time.monotonic() + 20
    while state_of(pid) != state:
        assert time.monotonic() < until
        time.sleep(0.01)


@pytest.fixture(autouse=True)
def programs(launcher: Launcher) -> Binaries:
    """Skips without programs, and says which are used."""
    return launcher.binaries()


class TestStart:
    def test_it_is_durable_and_not_on_the_network(self, launcher: Launcher) -> None:
        wanted = {
            "fsync": "on",
            "full_page_writes": "on",
            "synchronous_commit": "on",
            "listen_addresses": "",
            "TimeZone": "UTC",
            "data_checksums": "on",
            "server_encoding": "UTF8",
            "unix_socket_permissions": "0700",
        }
        with connect(launcher.settings, administrator=True) as connection:
            said = {
                name: connection.execute("SELECT current_setting(%s)", (name,)).fetchone()[0]  # type: ignore[index]
                for name in wanted
            }
            order = connection.execute(
                "SELECT datcollate, datctype FROM pg_database WHERE datname = current_database()"
            ).fetchone()
        assert said == wanted
        assert order == ("C", "C")

    def test_the_next_command_finds_it(self, launcher: Launcher) -> None:
        assert Launcher(launcher.settings).ensure() == launcher.ensure()

    def test_it_outlives_the_command_and_stops_by_one(self, new_data_dir: Path) -> None:
        started = tekrar(new_data_dir, "db", "start")
        assert started.returncode == 0, started.stderr
        assert tekrar(new_data_dir, "db", "status", "--json").stdout.count('"state": "running"') == 1
        assert "already running" in tekrar(new_data_dir, "db", "start").stdout
        assert tekrar(new_data_dir, "db", "stop").stdout == "stopped\n"
        assert tekrar(new_data_dir, "db", "stop").stdout == "no server was running\n"
        assert not Launcher(settings_in(new_data_dir)).place.socket_dir.exists()

    def test_a_long_path_is_no_hindrance(self, tmp_path: Path) -> None:
        deep = tmp_path.joinpath(*["a-folder-with-a-long-name"] * 6)
        one = Launcher(settings_in(deep))
        try:
            assert len(str(deep)) > 107
            assert one.ensure().pid
        finally:
            one.stop()

    def test_four_at_once_start_one(self, new_data_dir: Path) -> None:
        children = [process(new_data_dir, ENSURE) for _ in range(4)]
        said = {child.communicate(timeout=60)[0] for child in children}
        assert [child.returncode for child in children] == [0] * 4
        assert len(said) == 1

    def test_open_sessions_do_not_keep_it(self, data_dir: Path) -> None:
        one = Launcher(settings_in(data_dir))
        with superuser(one) as connection:
            assert one.stop()
            with pytest.raises(psycopg.Error):
                connection.execute("SELECT 1")

    def test_no_mode_of_a_folder_above_is_changed(self, tmp_path: Path) -> None:
        closed = tmp_path / "closed"
        closed.mkdir(mode=0o700)
        above = {path: path.stat().st_mode for path in (closed, *closed.parents)}
        one = Launcher(settings_in(closed / "data"))
        try:
            one.ensure()
            assert {path: path.stat().st_mode for path in above} == above
            found = one.place.data.stat()
            assert stat.S_IMODE(found.st_mode) == 0o700
            assert found.st_uid == one.place.account.uid
        finally:
            one.stop()


class TestKilled:
    def test_a_killed_server_starts_again_at_once_with_its_rows(self, data_dir: Path) -> None:
        one = Launcher(settings_in(data_dir))
        for n in range(3):
            with superuser(one) as connection:
                connection.execute("CREATE TABLE IF NOT EXISTS public.kept (n int4)")
                connection.execute("INSERT INTO public.kept VALUES (%s)", (n,))
                killed = one.ensure().pid
                os.kill(killed, signal.SIGKILL)
            with superuser(one) as connection:
                assert connection.execute("SELECT array_agg(n ORDER BY n) FROM public.kept").fetchone() == (
                    list(range(n + 1)),
                )
            assert one.ensure().pid != killed

    @pytest.mark.parametrize("verb", ["ensure", "stop"])
    def test_a_server_not_quite_dead_is_not_somebody_elses(
        self, data_dir: Path, monkeypatch: pytest.MonkeyPatch, verb: str
    ) -> None:
        """A killed process lets go of its files before it is gone; it then looks like a stranger."""
        one = Launcher(settings_in(data_dir))
        killed = one.ensure().pid
        os.kill(killed, signal.SIGKILL)
        until = time.monotonic() + 20
        while is_held(one.place.alive):
            assert time.monotonic() < until
            time.sleep(0.01)
        seen = [Seen.HERE] * 5
        look_now = Launcher._look
        monkeypatch.setattr(
            Launcher, "_look", lambda self, found: seen.pop() if seen else look_now(self, found)
        )
        if verb == "stop":
            assert not one.stop()
        else:
            monkeypatch.setattr(Launcher, "answering", lambda self: None)
            assert one.ensure().pid != killed
        assert not seen

    def test_a_zombie_is_not_a_server(self, data_dir: Path) -> None:
        program = ENSURE + "import time; time.sleep(600)"
        parent = process(data_dir, program)
        try:
            assert parent.stdout is not None
            killed = int(parent.stdout.readline())
            os.kill(killed, signal.SIGKILL)
            wait_for(killed, "Z")  # its parent lives and never asks for it
            one = Launcher(settings_in(data_dir))
            assert one.answering() is None
            assert one.ensure().pid != killed
            assert state_of(killed) == "Z"
        finally:
            parent.kill()
            parent.communicate()

    @pytest.mark.parametrize("after", [0.25, 0.6, 1.2])
    def test_a_killed_start_leaves_nothing_in_the_way(self, new_data_dir: Path, after: float) -> None:
        child = process(new_data_dir, ENSURE)
        time.sleep(after)
        child.kill()
        child.communicate()
        assert child.returncode in (-signal.SIGKILL, 0)
        with superuser(Launcher(settings_in(new_data_dir))) as connection:
            assert connection.execute("SELECT 1").fetchone() == (1,)
        assert not list((new_data_dir / "server").glob("new-*"))

    def test_a_start_killed_before_it_is_ready_is_taken_over(
        self, data_dir: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """Killed by its own hand right after the fork of the server, which lives on."""
        program = (
            "import os, signal\nfrom tekrar.store.server import launcher\n"
            "launcher.Launcher._wait = lambda self, pid, child=None: os.kill(os.getpid(), signal.SIGKILL)\n"
        )
        child = process(data_dir, program + ENSURE)
        child.communicate(timeout=60)
        assert child.returncode == -signal.SIGKILL
        one = Launcher(settings_in(data_dir))
        running = one.ensure()
        found = read_postmaster(one.place.data)
        assert found is not None
        assert found.pid == running.pid

    def test_a_number_given_to_another_program_is_not_a_server(self, data_dir: Path) -> None:
        one = Launcher(settings_in(data_dir))
        one.ensure()
        text = (one.place.data / "postmaster.pid").read_text()
        one.stop()
        with subprocess.Popen(["sleep", "60"], **one.place.account.popen()) as other:
            try:
                wait_for(other.pid, "S")
                stale = text.replace(text.split("\n")[0], str(other.pid), 1)
                (one.place.data / "postmaster.pid").write_text(stale)
                assert look(other.pid, data=one.place.data, socket_dir=one.place.socket_dir) is Seen.OTHER
                assert one.answering() is None
                assert one.ensure().pid != other.pid
                assert one.stop()
                assert other.poll() is None
            finally:
                other.kill()

    @pytest.mark.parametrize("after", ["start", "stop"])
    def test_an_initdb_whose_start_was_killed_is_waited_for(self, new_data_dir: Path, after: str) -> None:
        one = Launcher(settings_in(new_data_dir))
        child = process(new_data_dir, ENSURE)
        made: list[Path] = []
        until = time.monotonic() + 30
        while not made:
            made = list(one.place.folder.glob("new-*/PG_VERSION"))
            assert time.monotonic() < until
            time.sleep(0.002)
        (orphan,) = children_of(child.pid)
        os.kill(orphan, signal.SIGSTOP)
        child.kill()
        child.communicate()
        assert child.returncode == -signal.SIGKILL
        assert made
        with ThreadPoolExecutor(1) as pool:
            next_one = pool.submit(one.ensure if after == "start" else one.stop)
            time.sleep(0.3)
            waited = not next_one.done()
            os.kill(orphan, signal.SIGCONT)
            assert next_one.result(60) or after == "stop"
        assert waited
        assert one.place.data.exists() == (after == "start")
        assert not list(one.place.folder.glob("new-*"))

    def test_a_kill_in_the_middle_of_initdb_is_swept(self, new_data_dir: Path) -> None:
        place = Launcher(settings_in(new_data_dir)).place
        place.make()
        (place.folder / "new-0123456789abcdef").mkdir()
        Launcher(settings_in(new_data_dir)).ensure()
        assert not list(place.folder.glob("new-*"))


class TestRefused:
    def refused(self, one: Launcher, kind: str) -> DatabaseError | StorageError:
        with pytest.raises((DatabaseError, StorageError)) as caught:
            one.ensure()
        assert caught.value.kind == kind, str(caught.value)
        assert caught.value.mend
        assert caught.value.where
        return caught.value

    def test_a_server_that_somebody_else_started_there(self, data_dir: Path, programs: Binaries) -> None:
        one = Launcher(settings_in(data_dir))
        one.place.make_socket_dir()
        other = one.place.socket_dir.with_name(one.place.socket_dir.name + "-other")
        other.mkdir()
        one.place.hand_over(other)
        with one.place.as_server_sees(one.place.data) as (seen, handles):
            foreign = subprocess.Popen(
                [programs.folder / "postgres", "-D", seen, "-k", other, "-c", "listen_addresses="],
                cwd="/",
                pass_fds=handles,
                stderr=subprocess.DEVNULL,
                **one.place.account.popen(),
            )
        try:
            until = time.monotonic() + 30
            while not ((found := read_postmaster(one.place.data)) and found.ready):
                assert time.monotonic() < until
                time.sleep(0.02)
            self.refused(one, "data_folder_in_use")
            with pytest.raises(DatabaseError, match="did not start"):
                one.stop()
            assert foreign.poll() is None
        finally:
            foreign.send_signal(signal.SIGINT)
            foreign.wait(30)
            other.rmdir()

    @AS_ROOT
    def test_data_of_another_user(self, new_data_dir: Path) -> None:
        one = Launcher(settings_in(new_data_dir))
        one.place.make()
        one.place.data.mkdir()
        os.chown(one.place.data, pwd.getpwnam("daemon").pw_uid, -1)
        with pytest.raises(DatabaseError, match="belongs to daemon") as caught:
            Launcher(settings_in(new_data_dir))
        assert caught.value.kind == "data_folder_foreign"
        os.chown(one.place.data, one.place.account.uid, -1)
        os.chown(one.place.folder, pwd.getpwnam("daemon").pw_uid, -1)
        with pytest.raises(DatabaseError, match="belongs to daemon"):
            Launcher(settings_in(new_data_dir))
        os.chown(one.place.folder, 0, 0)

    @pytest.mark.parametrize(
        ("version", "kind"), [("14", "data_folder_version"), ("x", "data_folder_damaged")]
    )
    def test_data_of_another_version(self, new_data_dir: Path, version: str, kind: str) -> None:
        one = Launcher(settings_in(new_data_dir))
        one.place.make()
        one.place.data.mkdir()
        (one.place.data / "PG_VERSION").write_text(version)
        one.place.hand_over(one.place.data)
        self.refused(Launcher(settings_in(new_data_dir)), kind)

    def test_data_that_postgresql_cannot_read(self, data_dir: Path) -> None:
        one = Launcher(settings_in(data_dir))
        control = one.place.data / "global" / "pg_control"
        control.rename(control.with_name("elsewhere"))
        assert "pg_control" in str(self.refused(one, "server_failed"))
        control.with_name("elsewhere").rename(control)
        assert one.ensure()

    def test_a_trap_in_the_place_of_the_socket(self, data_dir: Path) -> None:
        one = Launcher(settings_in(data_dir))
        trap = one.place.socket_dir
        trap.symlink_to(data_dir)
        try:
            self.refused(one, "unsafe_path")
        finally:
            trap.unlink()

    def test_a_folder_that_others_can_write(self, new_data_dir: Path) -> None:
        (new_data_dir / "server").mkdir()
        (new_data_dir / "server").chmod(0o777)
        self.refused(Launcher(settings_in(new_data_dir)), "unsafe_path")
        (new_data_dir / "server").chmod(0o700)

    def test_no_programs(self, tmp_path: Path) -> None:
        self.refused(Launcher(settings_in(tmp_path, TEKRAR_PG_BIN=str(tmp_path))), "no_server_binaries")

    def test_programs_of_a_version_that_is_not_supported(self, tmp_path: Path, launcher: Launcher) -> None:
        old = tmp_path / "bin"
        old.mkdir()
        for name in ("postgres", "initdb"):
            (old / name).write_text("#!/bin/sh\necho 'postgres (PostgreSQL) 14.2'\n")
            (old / name).chmod(0o755)
        me = Account("root", os.geteuid(), os.getegid(), "root")  # runs as we do, so that the folder is open
        with pytest.raises(DatabaseError, match="no PostgreSQL server") as caught:
            find_binaries(settings_in(tmp_path, TEKRAR_PG_BIN=str(old)), me)
        assert "14.2 is not one of 15 to 18" in caught.value.where

    def test_a_folder_that_cannot_be_made(self, tmp_path: Path) -> None:
        (tmp_path / "file").write_text("")
        with pytest.raises(StorageError):
            Launcher(settings_in(tmp_path / "file" / "data")).ensure()

    def test_a_start_that_never_ends_is_not_waited_for(self, tmp_path: Path) -> None:
        with (
            alone(tmp_path / "lock"),
            pytest.raises(DatabaseError, match="another process") as caught,
            alone(tmp_path / "lock", seconds=0.05),
        ):
            pass
        assert caught.value.kind == "server_busy"

    @AS_ROOT
    def test_a_full_disk(self, tmp_path: Path) -> None:
        small = tmp_path / "small"
        small.mkdir()
        mount = ["mount", "-t", "tmpfs", "-o", "size=12m", "tmpfs", str(small)]
        if subprocess.run(mount, capture_output=True, check=False).returncode != 0:
            pytest.skip("needs the right to mount")
        try:
            self.refused(Launcher(settings_in(small / "data")), "enospc")
            assert not list((small / "data" / "server").glob("new-*"))
        finally:
            subprocess.run(["umount", str(small)], check=True)


class TestPeer:
    @AS_ROOT
    def test_another_user_of_the_system_is_let_in_as_nobody(self, launcher: Launcher) -> None:
        """Even the one who runs the server, who can reach the socket."""
        running = launcher.ensure()
        user = launcher.place.account.name
        program = (
            "import sys, psycopg\n"
            "for user in ('postgres', 'tekrar_login'):\n"
            "    try:\n"
            f"        psycopg.connect(host={str(running.socket_dir)!r}, user=user, dbname='postgres')\n"
            "        print('in')\n"
            "    except psycopg.OperationalError as error:\n"
            "        print('peer' if 'Peer authentication failed' in str(error) else error)\n"
        )
        done = run_as(user, program)
        assert done.stdout.split() == ["peer", "peer"], done.stdout + done.stderr

    def test_the_login_is_neither_superuser_nor_owner(self, launcher: Launcher) -> None:
        with connect(launcher.settings) as connection:
            row = connection.execute(
                "SELECT session_user, rolsuper, rolbypassrls, rolcreaterole, rolinherit,"
                " pg_has_role(session_user, 'tekrar_owner', 'MEMBER'),"
                " pg_has_role(session_user, 'tekrar_builder', 'MEMBER')"
                " FROM pg_roles WHERE rolname = session_user"
            ).fetchone()
        assert row == ("tekrar_login", False, False, False, False, False, False)


def run_as(user: str, program: str, data_dir: Path | None = None) -> subprocess.CompletedProcess[str]:
    """Run a Python program as another user, by an interpreter that this user can reach."""
    found = pwd.getpwnam(user)
    site = Path(psycopg.__file__).parents[1]
    env = environment(data_dir or Path("/nonexistent"))
    env["PYTHONPATH"] += f":{site}"
    for interpreter in (sys.executable, "/usr/bin/python3"):
        try:
            done = subprocess.run(
                [interpreter, "-c", "import psycopg, tekrar\n" + program],
                env=env,
                cwd="/",
                user=found.pw_uid,
                group=found.pw_gid,
                extra_groups=[],
                capture_output=True,
                text=True,
                timeout=120,
                check=False,
            )
        except PermissionError:
            continue
        if "ModuleNotFoundError" not in done.stderr and "PermissionError: [Errno 13]" not in done.stderr:
            return done
    pytest.skip(f"no interpreter and packages that {user} can reach")


class TestPlainUser:
    @pytest.fixture
    def folder(self) -> Iterator[Path]:
        path = Path(f"/tmp/tekrar-test-{os.getpid()}")
        path.mkdir(mode=0o700)
        nobody = pwd.getpwnam("nobody")
        os.chown(path, nobody.pw_uid, nobody.pw_gid)
        yield path
        subprocess.run(["rm", "-rf", str(path)], check=True)

    @AS_ROOT
    def test_it_starts_dies_starts_and_stops(self, folder: Path) -> None:
        program = """
import os, signal
from tekrar.settings import read_settings
from tekrar.store.session import connect
from tekrar.store.server.launcher import Launcher
settings = read_settings()
with connect(settings, administrator=True) as connection:
    connection.execute("CREATE TABLE public.kept AS SELECT 7 AS n")
running = Launcher(settings).ensure()
print(os.stat(f"/proc/{running.pid}").st_uid, oct(os.stat(Launcher(settings).place.data).st_mode))
os.kill(running.pid, signal.SIGKILL)
with connect(settings, administrator=True) as connection:
    print(connection.execute("SELECT n FROM public.kept").fetchone()[0])
print(Launcher(settings).stop())
"""
        done = run_as("nobody", program, folder)
        assert done.stderr == ""
        assert done.stdout.split() == [str(pwd.getpwnam("nobody").pw_uid), "0o40700", "7", "True"]
        with pytest.raises(DatabaseError, match="belongs to nobody") as caught:
            Launcher(settings_in(folder)).ensure()
        assert caught.value.kind == "data_folder_foreign"

    @AS_ROOT
    def test_root_drops_to_nobody_where_there_is_no_postgres(
        self, new_data_dir: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(account, "DROP_TO", ("nobody-of-that-name", "nobody"))
        one = Launcher(settings_in(new_data_dir))
        running = one.ensure()
        assert os.stat(f"/proc/{running.pid}").st_uid == pwd.getpwnam("nobody").pw_uid
        monkeypatch.undo()
        assert Launcher(settings_in(new_data_dir)).ensure() == running  # whose the data are decides

    @AS_ROOT
    def test_roots_folder_is_refused_to_it(self, tmp_path_factory: pytest.TempPathFactory) -> None:
        path = Path(f"/tmp/tekrar-test-root-{os.getpid()}")
        path.mkdir(mode=0o755)
        try:
            Launcher(settings_in(path)).place.make()
            program = """
from tekrar.settings import read_settings
from tekrar.store.server.launcher import Launcher
from tekrar.errors import TekrarError

try:
    Launcher(read_settings()).ensure()
except TekrarError as error:
    print(error.kind, "root" in error.message)
"""
            assert run_as("nobody", program, path).stdout.split() == ["data_folder_foreign", "True"]
        finally:
            subprocess.run(["rm", "-rf", str(path)], check=True)


class TestWheel:
    @pytest.fixture
    def folder(self) -> Path:
        found = wheel.wheel_folder()
        if found is None:
            pytest.skip("needs the extra `embedded`")
        return found

    def test_its_server_starts(self, folder: Path, new_data_dir: Path) -> None:
        settings = settings_in(new_data_dir, TEKRAR_PG_BIN=str(folder))
        with connect(settings, administrator=True) as connection:
            assert connection.info.server_version // 10000 == 18
        os.kill(Launcher(settings).ensure().pid, signal.SIGKILL)
        with connect(settings) as connection:
            assert connection.execute("SELECT session_user").fetchone() == ("tekrar_login",)

    def test_it_is_found_where_nothing_else_is(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(binaries, "DISTRIBUTIONS", ())
        settings = settings_in(tmp_path, PATH="", TEKRAR_PG_BIN="")
        found = find_binaries(settings, Launcher(settings).place.account)
        assert (found.source, found.major) == ("embedded extra", 18)

    @AS_ROOT
    def test_it_is_copied_out_of_a_closed_folder(
        self, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        closed = tmp_path / "closed" / "pginstall18"
        for part in ("bin", "lib", "share"):
            (closed / part).mkdir(parents=True)
        (closed / "bin" / "postgres").write_text("#!/bin/sh\n")
        (closed / "bin" / "postgres").chmod(0o700)
        closed.parent.chmod(0o700)
        monkeypatch.setattr(wheel, "PUBLIC_CACHE", tmp_path / "cache")
        user = Launcher(settings_in(tmp_path)).place.account
        copy = wheel.for_account(closed / "bin", user)
        assert copy.is_relative_to(tmp_path / "cache")
        assert stat.S_IMODE((copy / "postgres").stat().st_mode) == 0o755
        assert wheel.for_account(closed / "bin", user) == copy
        (tmp_path / "cache").chmod(0o777)
        with pytest.raises(StorageError, match="others can write"):
            wheel.for_account(closed / "bin", user)


def test_the_folder_of_the_socket_is_short_and_private(launcher: Launcher) -> None:
    folder = launcher.ensure().socket_dir
    assert len(os.fsencode(folder / ".s.PGSQL.5432")) < 108
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    assert folder.parent == place.SOCKETS
