"""One file, whole or not at all."""

from __future__ import annotations

import os
import secrets
import stat
from contextlib import suppress
from pathlib import Path

from tekrar.errors import UsageError
from tekrar.package.storage import storing, sync_folder


def write_file(path: Path, data: bytes | memoryview, *, replace: bool = False) -> None:
    """Write a file beside its target, fsync it and give it its name in one step.

    Args:
        path: the file to be.
        data: its bytes.
        replace: take the place of a regular file, keeping its permissions. Where the path is a symbolic link
            to a regular file, that file is replaced and the link stays. Pipes, sockets, devices, folders and
            links that lead nowhere are never replaced.

    Raises:
        UsageError: the file exists and `replace` is not given, or what is there is no regular file.
        StorageError: the file system refuses; nothing is left at the target.
    """
    path = Path(os.path.abspath(path))
    if replace:
        path, mode = replaceable(path)
    elif os.path.lexists(path):
        raise target_exists(path)
    else:
        mode = None
    temporary = path.with_name(f".{path.name}.tmp-{secrets.token_hex(8)}")
    with storing(path):
        try:
            with open(temporary, "xb") as file:
                if mode is not None:
                    os.fchmod(file.fileno(), mode)
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            _name_file(temporary, path, replace=replace)
            sync_folder(path.parent)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


def replaceable(path: Path) -> tuple[Path, int | None]:
    """The regular file that a replacing write to a path replaces, and its permission bits.

    Returns:
        the path with links followed, and the permissions; None where nothing is there yet.

    Raises:
        UsageError: something else than a regular file is there; it is left alone.
        StorageError: it cannot be looked at.
    """
    with storing(path):
        if not os.path.lexists(path):
            return path, None
        try:
            found = Path(os.path.realpath(path, strict=True))
            mode = found.lstat().st_mode
        except FileNotFoundError:
            raise _not_regular(path, "a link that leads nowhere") from None
    if not stat.S_ISREG(mode):
        raise _not_regular(path, "no regular file")
    return found, stat.S_IMODE(mode)


def _name_file(temporary: Path, path: Path, *, replace: bool) -> None:
    if replace:
        os.replace(temporary, path)
        return
    try:
        os.link(temporary, path)  # refuses a name that appeared meanwhile, which rename does not
    except FileExistsError:
        raise target_exists(path) from None
    except OSError:  # a file system without hard links
        if os.path.lexists(path):
            raise target_exists(path) from None
        os.rename(temporary, path)


def target_exists(path: Path) -> UsageError:
    """The refusal to write over something."""
    return UsageError(
        "the target exists already",
        where=str(path),
        expected="a name that is free",
        mend="choose another name, or remove what is there",
        kind="target_exists",
    )


def _not_regular(path: Path, what: str) -> UsageError:
    return UsageError(
        f"what stands at the target is {what}, and only a regular file is ever replaced",
        where=str(path),
        expected="a name that is free, a file, or a link to a file",
        mend="choose another name; what is there was not touched",
        kind="not_a_regular_file",
    )
