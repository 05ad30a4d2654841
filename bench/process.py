"""One command as a new process, measured by the operating system's own accounting.

CPU is user plus system time of the process and of every child it waited for (`wait4`). Peak memory is the
kernel's high-water mark of resident size (`ru_maxrss`). With forked workers that mark is the largest single
process only, so the proportional size (PSS: a shared page counts once) of the whole process tree is sampled
too, and the larger of the two is given.
"""

from __future__ import annotations

import os
import signal
import subprocess
import tempfile
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

SAMPLE_SECONDS = 0.1


class CommandFailed(Exception):
    """A measured command ended with another status than 0."""


@dataclass(frozen=True)
class Usage:
    """What one process used: seconds of CPU and of wall time, peak resident bytes, and what it printed."""

    cpu: float
    wall: float
    peak: int
    output: str = ""


def measured(command: Sequence[str], *, tree: bool = False) -> Usage:
    """Run a command to its end.

    Args:
        command: program and arguments.
        tree: it forks workers, so sample the memory of the tree.

    Raises:
        CommandFailed: its status was not 0; the message ends with the last lines it printed.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        begun = time.perf_counter()
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=err)
        sampler = _Sampler(child.pid) if tree else None
        try:
            _, status, used = os.wait4(child.pid, 0)
        except BaseException:
            child.send_signal(signal.SIGTERM)
            child.wait()
            raise
        finally:
            if sampler is not None:
                sampler.stop()
        wall = time.perf_counter() - begun
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            shown = " ".join(Path(word).name or word for word in command)
            raise CommandFailed(f"status {child.returncode} of: {shown}\n{_tail(err)}{_tail(out)}")
        out.seek(0)
        peak = max(used.ru_maxrss * 1024, sampler.peak if sampler is not None else 0)
        return Usage(used.ru_utime + used.ru_stime, wall, peak, out.read().decode("utf-8", "replace"))


def _tail(file: IO[bytes]) -> str:
    file.seek(0)
    return file.read().decode("utf-8", "replace")[-2000:]


class _Sampler:
    """Reads the proportional size of a process tree every now and then, in a thread."""

    def __init__(self, pid: int) -> None:
        self.peak = 0
        self._pid = pid
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch, daemon=True)
        self._thread.start()

    def stop(self) -> None:
        """End sampling."""
        self._over.set()
        self._thread.join()

    def _watch(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, sum(proportional_bytes(pid) for pid in tree_of(self._pid)))


def tree_of(pid: int) -> list[int]:
    """A process and all below it; those that end meanwhile are left out."""
    found = [pid]
    for parent in found:
        try:
            threads = list(Path(f"/proc/{parent}/task").iterdir())
            for thread in threads:
                found += [int(word) for word in (thread / "children").read_text().split()]
        except OSError:
            continue
    return found


def proportional_bytes(pid: int) -> int:
    """PSS of a process, or 0 where the kernel does not tell."""
    try:
        return pss_of(Path(f"/proc/{pid}/smaps_rollup").read_text())
    except OSError:
        return 0


def pss_of(text: str) -> int:
    """The `Pss:` line of a smaps_rollup file, in bytes."""
    for line in text.splitlines():
        if line.startswith("Pss:"):
            return int(line.split()[1]) * 1024
    return 0
