"""What the embedded server is told: to be durable, in UTF-8, in byte order, on a socket, by peer alone."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import Final

from tekrar.errors import DatabaseError
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.account import Account

#: Name of the map from OS users to database users.
MAP: Final = "tekrar"

PORT: Final = 5432

_HBA: Final = f"""\
# Written by tekrar at every start. Only OS users of the map get in, only over the socket.
local all all peer map={MAP}
local replication all reject
host all all all reject
"""


def initdb_arguments(data: Path) -> list[str]:
    """Arguments of initdb. No locale decides an order; a page that the disk changed is found."""
    return [
        f"--pgdata={data}",
        f"--username={SUPERUSER}",
        "--encoding=UTF8",
        "--locale=C",
        "--auth-local=peer",
        "--auth-host=reject",
        "--data-checksums",
        "--no-instructions",
    ]


def server_arguments(data: Path, socket_dir: Path) -> list[str]:
    """Arguments of postgres. Given here they hold against every file and every ALTER SYSTEM."""
    settings = {
        "listen_addresses": "",
        "port": PORT,
        "unix_socket_directories": socket_dir,
        "unix_socket_permissions": "0700",
        "fsync": "on",
        "full_page_writes": "on",
        "synchronous_commit": "on",
        "timezone": "UTC",
        "log_timezone": "UTC",
        "lc_messages": "C",
        "cluster_name": "tekrar",
        "logging_collector": "off",
        "log_destination": "stderr",
        "log_line_prefix": "%m [%p] ",
        # A statement may hold restricted text; the log is no place for it.
        "log_min_error_statement": "panic",
    }
    words = ["-D", str(data)]
    for name, value in settings.items():
        words += ["-c", f"{name}={value}"]
    return words


def mark_of(socket_dir: Path) -> bytes:
    """The argument by which a process is known to be the server of this data folder."""
    return b"unix_socket_directories=" + os.fsencode(socket_dir)


def write_access_files(data: Path, account: Account) -> None:
    """Write pg_hba.conf and pg_ident.conf anew, whatever was made of them.

    Raises:
        DatabaseError: the caller's name cannot stand in pg_ident.conf.
        OSError: they cannot be written.
    """
    folder = os.open(data, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW)
    try:
        _replace(folder, "pg_hba.conf", _HBA, account)
        _replace(folder, "pg_ident.conf", ident(account.caller), account)
    finally:
        os.close(folder)


def ident(caller: str) -> str:
    """The text of pg_ident.conf: the caller may be the superuser and the login; nobody else is let in.

    Root needs no entry beside: it is mapped where it is the caller, and another user's folder it refuses.
    """
    if caller.startswith("/") or any(sign in caller for sign in '"\n\r\\'):
        raise DatabaseError(
            f"the user name {caller!r} cannot stand in pg_ident.conf",
            where="user database of the system",
            mend="run tekrar as a user with a plain name, or set TEKRAR_DATABASE_URL",
            kind="no_user_name",
        )
    lines = [f'{MAP} "{caller}" {user}\n' for user in (SUPERUSER, LOGIN)]
    return "# Written by tekrar at every start.\n" + "".join(lines)


def _replace(folder: int, name: str, text: str, account: Account) -> None:
    # The folder is the server user's: root follows no link in it and opens no file that stands there.
    temporary = f".tekrar-{secrets.token_hex(8)}"
    handle = os.open(
        temporary, os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600, dir_fd=folder
    )
    try:
        with open(handle, "w", encoding="utf-8", newline="\n") as file:
            if account.dropped:
                os.fchown(file.fileno(), account.uid, account.gid)
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.rename(temporary, name, src_dir_fd=folder, dst_dir_fd=folder)
    except BaseException:
        os.unlink(temporary, dir_fd=folder)
        raise
