"""The hidden folder in which a package grows, and the sweeping of those that a killed writer left.

A temporary is live while its writer holds the lock file in it. Making, sweeping and renaming take a short
lock on the parent folder, so that no temporary is ever seen between its making and its locking.
"""

from __future__ import annotations

import errno
import fcntl
import os
import secrets
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Final

from tekrar.package.layout import LOCK, OBJECTS, is_temporary, temporary_prefix

#: How long a writer waits for the parent's lock before it goes on without sweeping.
WAIT_SECONDS: Final = 5.0

_NO_LOCKS: Final = (errno.ENOTSUP, errno.ENOLCK, errno.ENOSYS, errno.EINVAL)


class TemporaryFolder:
    """A locked hidden sibling of a target; see the module.

    Args:
        target: absolute path of the package to be.

    Raises:
        OSError: the parent is missing or refuses.
    """

    def __init__(self, target: Path) -> None:
        self.target = target
        self.path = target.with_name(f"{temporary_prefix(target.name)}{secrets.token_hex(8)}")
        self._lock = -1
        with parent_locked(target.parent) as alone:
            if alone:
                sweep(target)
            os.mkdir(self.path)
            try:
                self._lock = os.open(
                    self.path / LOCK, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_CLOEXEC, 0o644
                )
                with suppress(OSError):  # a file system without locks is never swept
                    fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                os.mkdir(self.path / OBJECTS)
            except BaseException:
                self.remove()
                raise

    def give_name(self) -> None:
        """Rename to the target.

        Raises:
            OSError: the target exists (ENOTEMPTY, EEXIST, ENOTDIR) or the file system refuses.
        """
        with parent_locked(self.target.parent):
            os.unlink(self.path / LOCK)  # under the parent's lock: a sweep cannot take it for a leftover now
            os.rename(self.path, self.target)
        self._release()

    def remove(self) -> None:
        """Remove the folder; what the file system refuses to remove stays for the next sweep."""
        shutil.rmtree(self.path, ignore_errors=True)
        self._release()

    def _release(self) -> None:
        if self._lock >= 0:
            os.close(self._lock)
            self._lock = -1


@contextmanager
def parent_locked(parent: Path) -> Iterator[bool]:
    """Hold a folder's own lock; yields whether it was got.

    Someone else may hold it for long (`flock FOLDER tekrar …`), and some file systems know no locks: then the
    work goes on and only the sweeping is left out, which is all that the lock guards.
    """
    handle = os.open(parent, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield _locked(handle)
    finally:
        os.close(handle)


def _locked(handle: int) -> bool:
    until = time.monotonic() + WAIT_SECONDS
    while True:
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() > until:
                return False
            time.sleep(0.02)
        except OSError as error:
            if error.errno not in _NO_LOCKS:
                raise
            return False
        else:
            return True


def sweep(target: Path) -> None:
    """Remove the temporaries of a target whose writer is gone; the parent's lock is held."""
    prefix = temporary_prefix(target.name)
    for name in sorted(os.listdir(target.parent)):
        if not (name.startswith(prefix) and is_temporary(name) and len(name) == len(prefix) + 16):
            continue
        folder = target.parent / name
        if not folder.is_symlink() and folder.is_dir() and _is_free(folder / LOCK):
            shutil.rmtree(folder, ignore_errors=True)


def _is_free(lock: Path) -> bool:
    try:
        handle = os.open(lock, os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC)
    except FileNotFoundError:
        return True
    except OSError:
        return False
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    finally:
        os.close(handle)
    return True
