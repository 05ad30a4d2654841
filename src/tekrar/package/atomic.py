"""One file, whole or not at all."""

from __future__ import annotations

import os
import secrets
from contextlib import suppress
from pathlib import Path

from tekrar.errors import UsageError
from tekrar.package.storage import storing, sync_folder


def write_file(path: Path, data: bytes | memoryview, *, replace: bool = False) -> None:
    """Write a file beside its target, fsync it and give it its name in one step.

    Raises:
        UsageError: the file exists and `replace` is not given.
        StorageError: the file system refuses; nothing is left at the target.
    """
    path = Path(os.path.abspath(path))
    temporary = path.with_name(f".{path.name}.tmp-{secrets.token_hex(8)}")
    if not replace and os.path.lexists(path):
        raise target_exists(path)
    with storing(path):
        try:
            with open(temporary, "xb") as file:
                file.write(data)
                file.flush()
                os.fsync(file.fileno())
            _name_file(temporary, path, replace=replace)
            sync_folder(path.parent)
        finally:
            with suppress(FileNotFoundError):
                os.unlink(temporary)


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
