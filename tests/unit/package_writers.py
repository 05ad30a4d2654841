"""Writers that meet their end, run as a process of their own: `python package_writers.py MODE TARGET`.

Modes: `kill` kills a writer before each step that it takes on the file system in turn and prints as JSON what
each left; `small-files` and `small-tables` write under a file-size limit; `race` writes once.
"""

from __future__ import annotations

import json
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from tekrar.errors import TekrarError
from tekrar.package import Package, PackageWriter

FORMAT = "test/package/v1"
MANIFEST = {"format": FORMAT, "says": "the same"}
STEPS = ("mkdir", "open", "fsync", "replace", "unlink", "rename", "close")


def write(target: Path, *, exist_ok: bool = False) -> None:
    """A package of three names and two objects."""
    with PackageWriter(target, format=FORMAT, exist_ok=exist_ok) as writer:
        writer.add_bytes("one", b"1" * 5000)
        writer.add_bytes("deep/two", b"22")
        writer.add_bytes("deep/again", b"22")
        writer.commit(MANIFEST)


def _die_at(step: int) -> None:
    """Count the steps on the file system and die by SIGKILL before the given one."""
    taken = 0

    def counted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*args: Any, **named: Any) -> Any:
            nonlocal taken
            taken += 1
            if taken == step:
                os.kill(os.getpid(), signal.SIGKILL)
            return real(*args, **named)

        return call

    for name in STEPS:
        setattr(os, name, counted(getattr(os, name)))


def kill_everywhere(target: Path) -> list[dict[str, Any]]:
    """For each step: was the writer killed, does the target then open, what else lies there and opens."""
    seen = []
    for step in range(1, 200):
        child = os.fork()
        if child == 0:
            _die_at(step)
            write(target)
            os._exit(0)
        killed = os.WIFSIGNALED(os.waitpid(child, 0)[1])
        rest = [path for path in target.parent.iterdir() if path != target]
        seen.append(
            {
                "killed": killed,
                "target": target.exists() and _opens(target),
                "broken_target": target.exists() and not _opens(target),
                "rest": len(rest),
                "rest_opens": any(_opens(path) for path in rest),
            }
        )
        write(target, exist_ok=True)
        seen[-1]["after_next_run"] = [path.name for path in target.parent.iterdir()]
        for path in sorted(target.rglob("*"), reverse=True):
            path.rmdir() if path.is_dir() else path.unlink()
        target.rmdir()
        if not killed:
            break
    return seen


def _opens(path: Path) -> bool:
    try:
        Package(path, format=FORMAT).check_transport()
    except TekrarError:
        return False
    return True


def _limited(target: Path, *, table: bool) -> dict[str, str]:
    import pyarrow as pa

    numbers = pa.table({"n": list(range(100_000))})
    resource.setrlimit(resource.RLIMIT_FSIZE, (20_000, 20_000))
    try:
        with PackageWriter(target, format=FORMAT) as writer:
            if table:
                writer.add_table("n", numbers)
            else:
                writer.add_bytes("n", b"x" * 100_000)
            writer.commit(MANIFEST)
    except TekrarError as error:
        return error.as_record()
    return {}


if __name__ == "__main__":
    mode, where = sys.argv[1], Path(sys.argv[2])
    if mode == "kill":
        print(json.dumps(kill_everywhere(where)))
    elif mode == "race":
        write(where)
    else:
        print(json.dumps(_limited(where, table=mode == "small-tables")))
