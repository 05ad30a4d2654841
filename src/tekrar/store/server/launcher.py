"""Starts, finds and stops the embedded server.

A start is safe against everything that dies: data are made under another name and renamed, one process starts
while others wait, a server that was killed is told from one that lives by the lock that it holds (`lock`), by
what its process is (`process`) and by a connection whose peer is that process; never by a process number
alone.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import time
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psycopg

from tekrar.errors import DatabaseError
from tekrar.package.storage import storing, sync_folder
from tekrar.settings import Settings
from tekrar.store.roles import SUPERUSER
from tekrar.store.server.binaries import ENVIRONMENT, Binaries, find_binaries
from tekrar.store.server.config import PORT, initdb_arguments, server_arguments, write_access_files
from tekrar.store.server.diagnosis import STILL_LEAVING, why_not
from tekrar.store.server.lock import alone, is_held, opened, taken
from tekrar.store.server.place import Place, place_of
from tekrar.store.server.process import (
    Child,
    PostmasterFile,
    Seen,
    interrupt,
    look,
    number_exists,
    peer_of,
    read_postmaster,
    someone_in,
)

#: Seconds until a start that still works (a long recovery) is left to itself; it goes on.
START_SECONDS: Final = 300.0
#: Seconds that children of a killed server have to notice it and leave.
LEAVE_SECONDS: Final = 15.0
#: Seconds in which a process that let go of its lock is gone; a killed one closes its files a moment before.
GONE_SECONDS: Final = 3.0
#: Seconds that a fast stop may take.
STOP_SECONDS: Final = 90.0

_TRIES: Final = 10
_LOG_BYTES: Final = 8 << 20


@dataclass(frozen=True)
class Running:
    """A server that answers.

    Attributes:
        pid: its process.
        socket_dir: folder of its socket.
        server_user: the OS user that runs it.
        database: the file that says that the database was made.
    """

    pid: int
    socket_dir: Path
    server_user: str
    database: Path

    @property
    def database_ready(self) -> bool:
        """Whether the database was made and migrated."""
        return self.database.exists()

    def remember_database(self) -> None:
        """Write down that the database was made and migrated."""
        with storing(self.database):
            self.database.touch(mode=0o600)


class Launcher:
    """The embedded server of one data folder.

    Args:
        settings: `data_dir`, `pg_bin` and `search_path` count.

    Raises:
        DatabaseError: the data folder is another user's, or there is no user to run a server.
    """

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.place: Place = place_of(settings)

    def ensure(self) -> Running:
        """The running server; started, and its data made, where there is none.

        Raises:
            DatabaseError: no programs, data of another version or in use, a server that does not start.
            StorageError: no space, no permission.
        """
        self.place.make()
        if running := self.answering():
            return running
        with alone(self.place.lock) as lock, storing(self.place.folder):
            return self._attached() or self._start(self._initialized(lock))

    def answering(self) -> Running | None:
        """The server if it answers at this moment; starts nothing and waits for nothing."""
        found = read_postmaster(self.place.data)
        if found and found.ready and self._look(found) is Seen.OURS and self._answers(found):
            return self._running(found)
        return None

    def stop(self) -> bool:
        """Stop the server, its open sessions too; whether one ran.

        Raises:
            DatabaseError: it was started by somebody else (`data_folder_in_use`), or does not stop.
        """
        place = self.place
        if not place.folder.is_dir():
            return False
        place.check()
        with alone(place.lock), storing(place.folder):
            found = self._left(Seen.HERE)
            ran = bool(found and interrupt(found.pid, data=place.data, socket_dir=place.socket_dir))
            until = time.monotonic() + STOP_SECONDS
            while is_held(place.alive) or (ran and found and self._look(found) is Seen.OURS):
                if time.monotonic() > until:
                    raise DatabaseError(
                        f"the server has not stopped within {STOP_SECONDS:.0f} s",
                        where=str(place.log),
                        mend="look into the log; a stop goes on by itself",
                        kind="stop_timeout",
                    )
                time.sleep(0.02)
            place.sweep()
            with suppress(OSError):
                os.rmdir(place.socket_dir)
            return ran

    def binaries(self) -> Binaries:
        """The programs of the server, of the version of the data where there are any."""
        return find_binaries(self.settings, self.place.account, major=self.place.major())

    def _attached(self) -> Running | None:
        """A server that another process started, once it is ready; None when it is certain that none runs."""
        place = self.place
        until = time.monotonic() + LEAVE_SECONDS
        while is_held(place.alive):
            found = read_postmaster(place.data)
            if found and self._look(found) is Seen.OURS:
                if running := self._wait(found.pid):
                    return running
                until = time.monotonic() + LEAVE_SECONDS
            elif time.monotonic() > until:
                raise self._in_use(found.pid if found else None)
            time.sleep(0.05)
        found = self._left(Seen.HERE, Seen.OURS, children=True)
        if found and number_exists(found.pid):
            # A zombie's, or some other program's by now. PostgreSQL would take it for a server.
            place.forget_killed()
        return None

    def _left(self, *living: Seen, children: bool = False) -> PostmasterFile | None:
        """postmaster.pid, once its process is none of `living` any more.

        Raises:
            DatabaseError: it stays, so it is no dying server but somebody else's (`data_folder_in_use`).
        """
        until = time.monotonic() + GONE_SECONDS
        while found := read_postmaster(self.place.data):
            if self._look(found) not in living and not (children and someone_in(self.place.data)):
                break
            if time.monotonic() > until:
                raise self._in_use(found.pid)
            time.sleep(0.02)
        return found

    def _initialized(self, lock: int) -> Binaries:
        """The programs, and data made by them where there were none.

        initdb inherits the lock: when this process is killed, the next one waits until the orphan has ended,
        and what it leaves is swept when nobody writes into it any more.
        """
        place, account = self.place, self.place.account
        place.sweep()
        programs = self.binaries()
        if place.data.exists():
            return programs
        new = place.folder / f"new-{secrets.token_hex(8)}"
        os.mkdir(new, 0o700)
        try:
            place.hand_over(new)
            with place.as_server_sees(new) as (seen, handles):
                done = subprocess.run(
                    [programs.folder / "initdb", *initdb_arguments(seen)],
                    cwd="/",
                    env=ENVIRONMENT,
                    stdin=subprocess.DEVNULL,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.STDOUT,
                    pass_fds=(lock, *handles),
                    check=False,
                    **account.popen(),
                )
            if done.returncode != 0:
                said = done.stdout.decode("utf-8", errors="replace")
                raise why_not(said, what="initdb", where=place.data, account=account)
            place.database.unlink(missing_ok=True)
            os.rename(new, place.data)
            sync_folder(place.folder)
        finally:
            shutil.rmtree(new, ignore_errors=True)
        return programs

    def _start(self, programs: Binaries) -> Running:
        place = self.place
        held = opened(place.alive)
        try:
            until = time.monotonic() + LEAVE_SECONDS
            while not taken(held, place.alive):  # somebody looks at it
                if time.monotonic() > until:
                    raise self._in_use(None)
                time.sleep(0.02)
            place.make_socket_dir()
            write_access_files(place.data, place.account)
            said = ""
            for _ in range(_TRIES):
                begun = self._rotated_log()
                child = self._spawn(programs, held)
                if running := self._wait(child.pid, child):
                    return running
                said = _read_from(place.log, begun)
                if STILL_LEAVING not in said:
                    break
                time.sleep(0.2)
            raise why_not(said, what="the server", where=place.log, account=place.account)
        finally:
            os.close(held)  # the server has it

    def _spawn(self, programs: Binaries, held: int) -> Child:
        place = self.place
        with (
            open(place.log, "ab", opener=_private) as log,
            place.as_server_sees(place.data) as (seen, handles),
        ):
            return Child(
                [programs.folder / "postgres", *server_arguments(seen, place.socket_dir)],
                cwd="/",
                env=ENVIRONMENT,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                pass_fds=(held, *handles),
                start_new_session=True,  # the terminal's interrupt is not for it
                umask=0o077,
                **place.account.popen(),
            )

    def _wait(self, pid: int, child: Child | None = None) -> Running | None:
        """The server of that very process, once it answers; None when it is dead."""
        until = time.monotonic() + START_SECONDS
        while True:
            if child is not None and child.poll() is not None:
                return None
            found = read_postmaster(self.place.data)
            if found and found.pid == pid and found.ready and self._answers(found):
                return self._running(found)
            seen = look(pid, data=self.place.data, socket_dir=self.place.socket_dir)
            # A child is not yet called postgres between fork and exec; its own handle tells whether it lives.
            if child is None and seen is not Seen.OURS:
                return None
            if time.monotonic() > until:
                raise DatabaseError(
                    f"the server is not ready after {START_SECONDS:.0f} s and goes on starting",
                    where=str(self.place.log),
                    mend="look into the log; run it again when the recovery is done",
                    kind="start_timeout",
                )
            time.sleep(0.02)

    def _answers(self, found: PostmasterFile) -> bool:
        """Whether a connection is taken by the process that the file names."""
        try:
            with psycopg.connect(
                host=str(found.socket_dir),
                port=PORT,
                user=SUPERUSER,
                dbname=SUPERUSER,
                requirepeer=self.place.account.name,
                connect_timeout=10,
                application_name="tekrar start",
            ) as connection:
                return peer_of(connection.fileno()) in (None, found.pid)
        except psycopg.Error as error:
            text = " ".join(str(error).split())
            if "authentication failed" in text or "no pg_hba.conf entry" in text or "requirepeer" in text:
                raise DatabaseError(
                    f"the server refuses its own administrator: {text}",
                    where=str(found.socket_dir),
                    mend="tekrar db stop, then tekrar db start, as the user whose data folder it is",
                    kind="login_refused",
                ) from error
            return False

    def _running(self, found: PostmasterFile) -> Running:
        socket_dir = found.socket_dir or self.place.socket_dir
        return Running(found.pid, socket_dir, self.place.account.name, self.place.database)

    def _look(self, found: PostmasterFile) -> Seen:
        return look(found.pid, data=self.place.data, socket_dir=self.place.socket_dir)

    def _in_use(self, pid: int | None) -> DatabaseError:
        who = f"process {pid}" if pid else "a process"
        return DatabaseError(
            f"{who} that tekrar did not start, or that is still ending, uses the data folder",
            where=str(self.place.data),
            mend="stop that server, or name another folder in TEKRAR_DATA_DIR",
            kind="data_folder_in_use",
        )

    def _rotated_log(self) -> int:
        """Size of the log before a start; a long one becomes `log.1`."""
        log = self.place.log
        try:
            size = log.stat().st_size
        except FileNotFoundError:
            return 0
        if size > _LOG_BYTES:
            os.replace(log, log.with_name("log.1"))
            return 0
        return size


def _private(path: str, flags: int) -> int:
    return os.open(path, flags | os.O_NOFOLLOW, 0o600)


def _read_from(path: Path, begun: int) -> str:
    with open(path, "rb") as file:
        file.seek(begun)
        return file.read().decode("utf-8", errors="replace")
