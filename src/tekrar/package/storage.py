"""Refusals of the file system as typed errors, and the fsync that makes a write last."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tekrar.errors import NotFoundError, StorageError

_MEND: Final = {
    errno.ENOSPC: "free space on that file system or choose another place, then run again",
    errno.EDQUOT: "free part of your quota or choose another place, then run again",
    errno.EFBIG: "raise the file-size limit (ulimit -f) or choose a file system that allows larger files",
    errno.EACCES: "choose a place where you may write, or mend the permissions",
    errno.EPERM: "choose a place where you may write, or mend the permissions",
    errno.EROFS: "the file system is mounted read-only; choose another place",
    errno.ENOENT: "make the folder first, or correct the path",
    errno.ENOTDIR: "a part of the path is a file; correct the path",
    errno.ENAMETOOLONG: "choose a shorter name",
    errno.EMFILE: "raise the limit of open files (ulimit -n)",
    errno.EIO: "the device reports an error; check it before you trust it with a release",
}


def storage_error(error: OSError, path: Path | str) -> StorageError:
    """The typed error of an `OSError` met at a path."""
    number = error.errno or 0
    return StorageError(
        error.strerror or str(error) or type(error).__name__,
        where=str(path),
        mend=_MEND.get(number, "mend what the system reports, then run again"),
        kind=errno.errorcode.get(number, "os_error").lower(),
    )


@contextmanager
def storing(path: Path | str) -> Iterator[None]:
    """Turn any `OSError` of the block into a `StorageError` that names the path."""
    try:
        yield
    except OSError as error:
        raise storage_error(error, path) from error


@contextmanager
def reading(path: Path | str) -> Iterator[None]:
    """As `storing`, with a missing path as `NotFoundError`."""
    try:
        yield
    except FileNotFoundError as error:
        raise NotFoundError("no such file or folder", where=str(path), mend="correct the path") from error
    except OSError as error:
        raise storage_error(error, path) from error


def sync_folder(path: Path | str) -> None:
    """Make the entries of a folder last (a rename is durable only after this)."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
