"""Two file locks: one lets a single process start or stop a server; the other is held by the server itself.

A lock belongs to an open file and is inherited with it. The server and all its children inherit the second
one and hold it until the last of them is gone, whatever killed them, so it tells what a process number
cannot: a number may be a zombie's, or may have been given to somebody else.
"""

from __future__ import annotations

import errno
import fcntl
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError, StorageError
from tekrar.package.storage import storing

#: How long a start waits for another start or stop of the same server.
WAIT_SECONDS: Final = 120.0

_NO_LOCKS: Final = (errno.ENOTSUP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL)


@contextmanager
def alone(path: Path, *, seconds: float = WAIT_SECONDS) -> Iterator[int]:
    """Hold a lock file; waits while another process does.

    Gives the handle: a child that inherits it holds the lock on when this process is killed.

    Raises:
        DatabaseError: it did not get free (`server_busy`).
        StorageError: the file cannot be made, or the file system has no locks.
    """
    handle = opened(path)
    try:
        until = time.monotonic() + seconds
        while not taken(handle, path):
            if time.monotonic() > until:
                raise DatabaseError(
                    f"another process has been starting or stopping the server for {seconds:.0f} s",
                    where=str(path),
                    mend="wait for it or end it, then run it again",
                    kind="server_busy",
                )
            time.sleep(0.02)
        yield handle
    finally:
        os.close(handle)


def opened(path: Path) -> int:
    """A lock file, made if missing, as a handle that no child inherits unasked."""
    with storing(path):
        return os.open(path, os.O_CREAT | os.O_RDWR | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def taken(handle: int, path: Path, *, how: int = fcntl.LOCK_EX) -> bool:
    """Take the lock if it is free; whether it was."""
    try:
        fcntl.flock(handle, how | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    except OSError as error:
        if error.errno in _NO_LOCKS:
            raise StorageError(
                "the file system knows no locks, so a database on it would not be safe",
                where=str(path),
                mend="name a folder on a local file system in TEKRAR_DATA_DIR",
                kind="no_locks",
            ) from error
        raise
    return True


def is_held(path: Path) -> bool:
    """Whether another process holds the lock at this moment."""
    if not path.exists():
        return False
    handle = opened(path)
    try:
        return not taken(handle, path, how=fcntl.LOCK_SH)  # two who only look do not meet
    finally:
        os.close(handle)
