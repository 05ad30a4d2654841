"""Refusals of the file system as typed errors, and the fsync that makes a write last."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from tekrar.errors import NotFoundError, StorageError, UsageError

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
    errno.ELOOP: "the links lead in a circle; correct them or the path",
    errno.EIO: "the device reports an error; check it before you trust it with a release",
}
#: What differs where a path was to be read.
_MEND_READING: Final = dict.fromkeys(
    (errno.EACCES, errno.EPERM),
    "ask for permission to read it: r on the file (r and x on a folder), and x on every folder above it",
)
_BLOCK: Final = 1 << 20
#: Bytes of a list or a document that is read whole beside a corpus.
MAX_DOCUMENT_BYTES: Final = 64 << 20


def storage_error(error: OSError, path: Path | str, *, read: bool = False) -> StorageError:
    """The typed error of an `OSError` met at a path; `read`: it was to be read, not written."""
    number = error.errno or 0
    mends = _MEND | _MEND_READING if read else _MEND
    return StorageError(
        error.strerror or str(error) or type(error).__name__,
        where=str(path),
        mend=mends.get(number, "mend what the system reports, then run again"),
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
        raise storage_error(error, path, read=True) from error


def regular_bytes(path: Path, *, limit: int = MAX_DOCUMENT_BYTES) -> bytes:
    """The bytes of a regular file; a pipe, a device or a folder is refused and never waited for.

    Raises:
        NotFoundError: nothing at the path.
        StorageError: it cannot be read.
        UsageError: it is no regular file (`not_a_file`) or has more bytes than `limit` (`file_too_large`).
    """
    with reading(path):
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        try:
            if not stat.S_ISREG(os.fstat(handle).st_mode):
                raise UsageError(
                    "this is no regular file",
                    where=str(path),
                    expected="a file; pipes, devices and folders are not read",
                    mend="save it as a file first",
                    kind="not_a_file",
                )
            data = bytearray()
            while len(data) <= limit and (block := os.read(handle, _BLOCK)):
                data += block
        finally:
            os.close(handle)
    if len(data) > limit:
        raise UsageError(
            f"the file has more than {limit} bytes",
            where=str(path),
            expected=f"at most {limit} bytes",
            mend="name the right file, or split it",
            kind="file_too_large",
        )
    return bytes(data)


def sync_folder(path: Path | str) -> None:
    """Make the entries of a folder last (a rename is durable only after this)."""
    handle = os.open(path, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
