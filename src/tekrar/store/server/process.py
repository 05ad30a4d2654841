"""What a process number in postmaster.pid stands for: never trusted by itself.

The number may be a zombie's (the server was killed, nobody has reaped it), or some other program's by now. A
process is the server when it lives, is called postgres and was given our socket's folder as an argument.
"""

from __future__ import annotations

import os
import signal
import socket
import struct
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Final

from tekrar.store.server.config import mark_of

_PROC: Final = Path("/proc")
_NAMES: Final = (b"postgres", b"postmaster")
_READY: Final = ("ready", "standby")


@dataclass(frozen=True)
class PostmasterFile:
    """What postmaster.pid says.

    Attributes:
        pid: process number of the server that wrote it.
        socket_dir: folder of its socket, or None before it has one.
        status: "starting", "ready", "stopping", or "" before it says so.
    """

    pid: int
    socket_dir: Path | None
    status: str

    @property
    def ready(self) -> bool:
        """Whether it says that connections are taken."""
        return self.status in _READY


class Seen(Enum):
    """What a process number stands for."""

    GONE = "no process, or a dead one that nobody has reaped"
    OURS = "the server that we started on this data folder"
    HERE = "a server that somebody else started on this data folder"
    OTHER = "some other program"


class Child(subprocess.Popen[bytes]):
    """A server that outlives the process that starts it."""

    def __del__(self) -> None:
        """Say nothing about a child that still runs: it is meant to. `look` reaps it when it is dead."""


def read_postmaster(data: Path) -> PostmasterFile | None:
    """postmaster.pid of a data folder; None where there is none, or one that was only begun."""
    try:
        lines = (data / "postmaster.pid").read_text("utf-8", errors="replace").split("\n")
    except OSError:
        return None
    lines += [""] * (8 - len(lines))
    if not lines[0].strip().lstrip("-").isdigit():
        return None
    place = lines[4].strip()
    return PostmasterFile(abs(int(lines[0])), Path(place) if place else None, lines[7].strip())


def look(pid: int, *, data: Path, socket_dir: Path) -> Seen:
    """What a process number stands for, now."""
    with suppress(ChildProcessError):
        os.waitpid(pid, os.WNOHANG)  # a dead child of this very process would stay a zombie
    if not (_PROC / "self").exists():
        return _look_without_proc(pid)
    try:
        name, _, rest = (_PROC / str(pid) / "stat").read_bytes().partition(b" (")[2].rpartition(b") ")
        words = (_PROC / str(pid) / "cmdline").read_bytes().split(b"\0")
    except OSError:
        return Seen.GONE
    if rest[:1] in b"ZXx":
        return Seen.GONE
    if name not in _NAMES:
        return Seen.OTHER
    if mark_of(socket_dir) in words:
        return Seen.OURS
    try:
        folder = os.readlink(_PROC / str(pid) / "cwd")
    except OSError:  # another user's; better to take it for a server here than to start a second one
        return Seen.HERE
    return Seen.HERE if Path(folder) == data.resolve() else Seen.OTHER


def _look_without_proc(pid: int) -> Seen:
    # The lock that the server holds, and the peer of its socket, have to tell the rest.
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return Seen.GONE
    except PermissionError:
        return Seen.OTHER
    return Seen.OURS


def number_exists(pid: int) -> bool:
    """Whether the system knows the number; all that PostgreSQL asks, and true of a zombie."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        pass
    return True


def someone_in(data: Path) -> bool:
    """Whether a PostgreSQL process works in the data folder, as children of a killed foreign server do."""
    wanted = str(data.resolve())
    for folder in _PROC.glob("[0-9]*") if (_PROC / "self").exists() else ():
        with suppress(OSError):
            if (folder / "comm").read_bytes().strip() in _NAMES and os.readlink(folder / "cwd") == wanted:
                return True
    return False


def interrupt(pid: int, *, data: Path, socket_dir: Path) -> bool:
    """Ask a server for a fast stop; whether it was ours to ask.

    The process is held by a handle while it is looked at, so that the signal cannot reach a later owner of
    the number.
    """
    try:
        handle = os.pidfd_open(pid)
    except ProcessLookupError:
        return False
    except (AttributeError, OSError):
        handle = -1
    try:
        if look(pid, data=data, socket_dir=socket_dir) is not Seen.OURS:
            return False
        with suppress(ProcessLookupError):
            if handle >= 0:
                signal.pidfd_send_signal(handle, signal.SIGINT)
            else:
                os.kill(pid, signal.SIGINT)
        return True
    finally:
        if handle >= 0:
            os.close(handle)


def peer_of(handle: int) -> int | None:
    """Process number of whoever listens at the other end; None where the system does not say."""
    option = getattr(socket, "SO_PEERCRED", None)
    if option is None:
        return None
    with socket.socket(fileno=os.dup(handle)) as end:
        pid: int = struct.unpack("3i", end.getsockopt(socket.SOL_SOCKET, option, struct.calcsize("3i")))[0]
    return pid or None
