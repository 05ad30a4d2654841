"""The OS user that runs the server: the caller, or one that root drops to, for PostgreSQL refuses root."""

from __future__ import annotations

import os
import pwd
from dataclasses import dataclass
from typing import Any, Final

from tekrar.errors import DatabaseError

#: Whom root drops to, the first that exists; initdb needs an entry in the user database, so no bare number
#: will do.
DROP_TO: Final = ("postgres", "nobody")


@dataclass(frozen=True)
class Account:
    """An OS user.

    Attributes:
        name: its name in the user database.
        uid: its number.
        gid: number of its first group.
        caller: name of the user who runs tekrar.
    """

    name: str
    uid: int
    gid: int
    caller: str

    @property
    def dropped(self) -> bool:
        """Whether the server runs as another user than the caller."""
        return self.uid != os.geteuid()

    def popen(self) -> dict[str, Any]:
        """Arguments of `Popen` that make a child of this user: no su, no shell, none of root's groups."""
        return {"user": self.uid, "group": self.gid, "extra_groups": []} if self.dropped else {}

    def may_pass(self, mode: int, uid: int, gid: int) -> bool:
        """Whether mode bits let this user go through a folder; an access list may allow more."""
        if uid == self.uid:
            return bool(mode & 0o100)
        return bool(mode & (0o010 if gid == self.gid else 0o001))


def server_account(data_owner: int | None) -> Account:
    """The user for a server whose data belong to `data_owner` (None: there are no data yet).

    Raises:
        DatabaseError: `no_user_name`, `no_server_user`, `data_folder_foreign`.
    """
    caller = _named(os.geteuid())
    if os.geteuid() != 0:
        if data_owner not in (None, caller.uid):
            raise foreign(data_owner)
        return caller
    for name in DROP_TO:
        try:
            found = pwd.getpwnam(name)
        except KeyError:
            continue
        if found.pw_uid != 0 and data_owner in (None, found.pw_uid):
            return Account(found.pw_name, found.pw_uid, found.pw_gid, caller.name)
    if data_owner is not None:
        raise foreign(data_owner)
    raise DatabaseError(
        "PostgreSQL does not run as root, and there is no other user to run it",
        where="user database of the system",
        expected=" or ".join(DROP_TO),
        mend="run tekrar as another user, or add a user named postgres",
        kind="no_server_user",
    )


def foreign(owner: int | None, where: str = "data folder") -> DatabaseError:
    """The error of a data folder of another user."""
    try:
        name = pwd.getpwuid(owner).pw_name if owner is not None else "somebody else"
    except KeyError:
        name = f"user number {owner}"
    return DatabaseError(
        f"the data folder belongs to {name}",
        where=where,
        expected=f"a folder of {_named(os.geteuid()).name}",
        # Nobody is told to become root.
        mend=f"{'' if owner == 0 else f'run tekrar as {name}, or '}name another folder in TEKRAR_DATA_DIR",
        kind="data_folder_foreign",
    )


def _named(uid: int) -> Account:
    try:
        found = pwd.getpwuid(uid)
    except KeyError:
        raise DatabaseError(
            f"user number {uid} has no name, and PostgreSQL needs one",
            where="user database of the system",
            expected=f"an entry for {uid}",
            mend="add the user, run as one that has a name, or set TEKRAR_DATABASE_URL",
            kind="no_user_name",
        ) from None
    return Account(found.pw_name, found.pw_uid, found.pw_gid, found.pw_name)
