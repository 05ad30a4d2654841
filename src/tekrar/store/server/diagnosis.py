"""Why a server did not start, from what it said; its messages are English, for we set `lc_messages`."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError, StorageError, TekrarError
from tekrar.store.server.account import Account

#: Words of a server whose killed predecessor's children are still leaving.
STILL_LEAVING: Final = "shared memory block"

#: words -> (kind, what is wrong, mend)
_KNOWN: Final = (
    (
        "is another postmaster",
        "data_folder_in_use",
        "another server uses the data folder",
        "stop that server, or name another folder in TEKRAR_DATA_DIR",
    ),
    (
        STILL_LEAVING,
        "data_folder_in_use",
        "processes of an earlier server still use the data folder",
        "end them, or wait, then run it again",
    ),
    (
        "database files are incompatible with server",
        "data_folder_version",
        "the data folder was made by another version of PostgreSQL",
        "name that version's programs in TEKRAR_PG_BIN; to move on, back up with it and restore",
    ),
    (
        "wrong ownership",
        "data_folder_foreign",
        "the data folder belongs to another user",
        "run tekrar as that user, or name another folder in TEKRAR_DATA_DIR",
    ),
)
_FULL: Final[dict[str, str]] = {
    "No space left on device": "enospc",
    "Disk quota exceeded": "edquot",
    "File too large": "efbig",
    "Check free disk space": "enospc",
}
#: Bytes of a segment of the server's log of writes; with less it may not start, and its own words may be
#: lost, for they go to a file on the same disk.
_SEGMENT: Final = 16 << 20
_FATAL: Final = re.compile(r"(?:FATAL|PANIC|error): +(.*)")


def why_not(said: str, *, what: str, where: Path, account: Account) -> TekrarError:
    """The typed error of a server or an initdb that failed.

    Args:
        said: what it wrote.
        what: the program, for the message.
        where: its log or its data folder.
        account: who ran it.
    """
    for words, kind in _FULL.items():
        if words in said:
            return StorageError(
                f"{what}: {words}",
                where=str(where),
                mend="free space there or name another folder in TEKRAR_DATA_DIR, then run it again",
                kind=kind,
            )
    low = said.lower()
    for words, kind, wrong, mend in _KNOWN:
        if words in low:
            return DatabaseError(wrong, where=str(where), mend=mend, kind=kind)
    if _free(where) < _SEGMENT:
        return StorageError(
            f"{what} failed, and there is hardly any space left",
            where=str(where),
            expected=f"{_SEGMENT >> 20} MB for its log of writes",
            mend="free space there or name another folder in TEKRAR_DATA_DIR, then run it again",
            kind="enospc",
        )
    found = _FATAL.findall(said)
    last = found[-1] if found else (said.strip().splitlines() or ["it said nothing"])[-1]
    return DatabaseError(
        f"{what} failed as user {account.name}: {last[:300]}",
        where=str(where),
        mend="mend what the log says, then run it again",
        kind="server_failed",
    )


def _free(where: Path) -> int:
    """Bytes that are free on the disk of a file or folder that may not exist yet."""
    for path in (where, *where.parents):
        try:
            found = os.statvfs(path)
        except FileNotFoundError:
            continue
        except OSError:
            break
        return found.f_bavail * found.f_frsize
    return _SEGMENT
