"""kill -9 of a whole PostgreSQL server, its postmaster and all children, for tests that started it."""

from __future__ import annotations

import os
import signal
from contextlib import suppress
from pathlib import Path

from tests.store.publication_state import until


def children_of(pid: int) -> list[int]:
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        with suppress(OSError, IndexError):
            if int((folder / "stat").read_text().rpartition(") ")[2].split()[1]) == pid:
                found.append(int(folder.name))
    return found


def _dead(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(") ")[2][0] in "ZX"
    except OSError:
        return True


def kill_server(pid: int) -> None:
    """End a server that this process started, and prove that it was this signal.

    The postmaster is stopped first, so that it cannot mend what the death of a child means.
    """
    os.kill(pid, signal.SIGSTOP)
    children = children_of(pid)
    assert len(children) > 3, "the server has no children: this is not the postmaster"
    for child in children:
        os.kill(child, signal.SIGKILL)
    os.kill(pid, signal.SIGKILL)
    _, status = os.waitpid(pid, 0)
    assert os.WIFSIGNALED(status)
    assert os.WTERMSIG(status) == signal.SIGKILL
    for child in children:
        until(lambda child=child: _dead(child))  # type: ignore[misc]
