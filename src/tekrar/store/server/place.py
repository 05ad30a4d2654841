"""The folder of the embedded server, its socket's folder, and whose they are.

<data folder>/server/        the caller's, 0700
    data/                    PostgreSQL's data, the server user's, 0700
    log                      what the server says
    lock, alive              see `tekrar.store.server.lock`
    database                 present once the database was made and migrated
"""

from __future__ import annotations

import hashlib
import os
import pwd
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError, StorageError
from tekrar.package.storage import storing
from tekrar.settings import Settings
from tekrar.store.server.account import Account, foreign, server_account
from tekrar.store.server.config import PORT
from tekrar.store.server.wheel import reachable

#: Sockets live here and not under XDG_RUNTIME_DIR, which is emptied when its user logs out; the server stays.
#: A path of a socket may have 107 bytes, which a data folder's own may exceed.
SOCKETS: Final = Path("/tmp")

#: A process's own open files: a folder among them is reached even where the folders above it are closed.
HANDLES: Final = Path("/proc/self/fd")


@dataclass(frozen=True)
class Place:
    """Where one embedded server lives.

    Attributes:
        folder: absolute; `server` in the data folder.
        account: the OS user that runs it.
    """

    folder: Path
    account: Account

    @property
    def data(self) -> Path:
        """PostgreSQL's data."""
        return self.folder / "data"

    @property
    def log(self) -> Path:
        """What the server says."""
        return self.folder / "log"

    @property
    def lock(self) -> Path:
        """Held while the server is started or stopped."""
        return self.folder / "lock"

    @property
    def alive(self) -> Path:
        """Held by the server and its children."""
        return self.folder / "alive"

    @property
    def database(self) -> Path:
        """Present once the database was made and migrated."""
        return self.folder / "database"

    @property
    def socket_dir(self) -> Path:
        """Folder of the socket: short, and one for each data folder however it is named."""
        digest = hashlib.sha256(os.fsencode(self.folder.resolve())).hexdigest()
        return SOCKETS / f"tekrar-{os.geteuid()}-{digest[:12]}"

    def make(self) -> None:
        """Make the folder, and refuse one that somebody else owns or can write.

        Raises:
            DatabaseError: `data_folder_foreign`.
            StorageError: it cannot be made.
        """
        try:
            with storing(self.folder):
                os.makedirs(self.folder.parent, mode=0o700, exist_ok=True)
                with suppress(FileExistsError):
                    os.mkdir(self.folder, 0o700)
        except StorageError as error:
            if error.kind in ("eacces", "eperm", "erofs", "enoent", "enotdir"):
                error.mend = f"{error.mend}: name a folder of yours in TEKRAR_DATA_DIR"
            raise
        self.check()

    def check(self) -> None:
        """Refuse an existing folder that somebody else owns or can write."""
        with storing(self.folder):
            found = os.lstat(self.folder)
        if found.st_uid != os.geteuid():
            raise foreign(found.st_uid, str(self.folder))
        if not stat.S_ISDIR(found.st_mode) or found.st_mode & 0o022:
            raise _unsafe(self.folder, "a folder of the caller, mode 0700")

    def make_socket_dir(self) -> None:
        """Make the folder of the socket for the server's user alone.

        Raises:
            StorageError: something else stands there, as anybody may put it under /tmp.
        """
        path = self.socket_dir
        with storing(path):
            with suppress(FileExistsError):
                os.mkdir(path, 0o700)
            found = os.lstat(path)
            if not stat.S_ISDIR(found.st_mode) or found.st_uid not in (os.geteuid(), self.account.uid):
                raise _unsafe(path, f"a folder of {self.account.name}")
            self.hand_over(path)

    def hand_over(self, path: Path) -> None:
        """Give a folder of the caller to the server's user, 0700."""
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
        try:
            os.fchmod(handle, 0o700)
            if self.account.dropped:
                os.fchown(handle, self.account.uid, self.account.gid)
        finally:
            os.close(handle)

    @contextmanager
    def as_server_sees(self, path: Path) -> Iterator[tuple[Path, tuple[int, ...]]]:
        """How a child that runs as the server's user can name a folder, and the handles that it must inherit
        for it.

        Root's own folders are closed to that user and stay so: the child inherits the opened folder, and
        calls it by the handle's number.

        Raises:
            StorageError: the folder cannot be reached and the system has no such names.
        """
        if not self.account.dropped or reachable(path, self.account):
            yield path, ()
            return
        if not HANDLES.exists():
            raise StorageError(
                f"user {self.account.name}, who runs the server, cannot reach the data folder",
                where=str(path),
                mend="name a folder in TEKRAR_DATA_DIR whose parents everybody may pass",
                kind="eacces",
            )
        handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC)
        try:
            yield HANDLES / str(handle), (handle,)
        finally:
            os.close(handle)

    def forget_killed(self) -> None:
        """Remove the files by which a server that is certainly dead keeps the next one from starting."""
        for folder, names in (
            (self.socket_dir, (f".s.PGSQL.{PORT}.lock", f".s.PGSQL.{PORT}")),
            (self.data, ("postmaster.pid",)),
        ):
            with suppress(FileNotFoundError):
                handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
                try:
                    for name in names:
                        with suppress(FileNotFoundError):
                            os.unlink(name, dir_fd=handle)
                finally:
                    os.close(handle)

    def sweep(self) -> None:
        """Remove what a killed initdb left; the lock is held."""
        for leftover in self.folder.glob("new-*"):
            shutil.rmtree(leftover, ignore_errors=True)

    def major(self) -> int | None:
        """Major version of the data; None where there are none yet.

        Raises:
            DatabaseError: there is a folder, but not of PostgreSQL (`data_folder_damaged`).
        """
        if not self.data.exists():
            return None
        try:
            return int((self.data / "PG_VERSION").read_text("ascii"))
        except (OSError, ValueError) as error:
            raise DatabaseError(
                "the data folder is not one of PostgreSQL",
                where=str(self.data),
                expected="a file PG_VERSION in it",
                mend="restore it from a backup, or name another folder in TEKRAR_DATA_DIR",
                kind="data_folder_damaged",
            ) from error


def place_of(settings: Settings) -> Place:
    """The place that the settings name; makes nothing.

    Raises:
        DatabaseError: it belongs to another user, or there is no user to run a server.
    """
    folder = (settings.data_dir or Path(_home()) / ".local" / "share" / "tekrar") / "server"
    return Place(folder, server_account(_owner_of_data(folder)))


def _owner_of_data(folder: Path) -> int | None:
    try:
        found = os.lstat(folder)
        if found.st_uid != os.geteuid():
            raise foreign(found.st_uid, str(folder))
        return os.lstat(folder / "data").st_uid
    except FileNotFoundError:
        return None
    except PermissionError as error:
        for path in folder.parents:
            with suppress(OSError):
                raise foreign(os.stat(path).st_uid, str(path)) from error
        raise
    except OSError as error:
        with storing(folder):
            raise error


def _home() -> str:
    with suppress(KeyError):
        return pwd.getpwuid(os.geteuid()).pw_dir
    return "/"


def _unsafe(path: Path, expected: str) -> StorageError:
    return StorageError(
        "not a folder that the server may trust",
        where=str(path),
        expected=expected,
        mend="remove it or mend its owner and mode",
        kind="unsafe_path",
    )
