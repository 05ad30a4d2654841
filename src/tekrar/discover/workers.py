"""Tasks in one process or in several forked ones, their results in the order of the tasks.

Task t goes to worker t modulo the number of workers, and results are read by task and not by arrival. What a
task makes is written, as numbers with their type and shape, to a file without a name in `TMPDIR`: no process
holds the results of more than one task while it works, no object is serialized, and nothing stays behind,
however a run ends. A worker that dies, or whose parent dies, ends the run.
"""

from __future__ import annotations

import json
import os
import signal
import tempfile
from collections.abc import Callable
from contextlib import suppress
from typing import IO, Any

import numpy as np
from numpy.typing import NDArray

from tekrar.errors import StorageError

Columns = list[NDArray[Any]]


def joined(results: list[Columns]) -> Columns:
    """Results one after another, column by column; a column's parts are let go as soon as it is made.

    Args:
        results: columns of every task, at least one; emptied.
    """
    parts = [list(column) for column in zip(*results, strict=True)]
    results.clear()
    return [np.concatenate(parts.pop(0)) for _ in range(len(parts))]


def run_tasks(work: Callable[[int], Columns], *, tasks: int, workers: int) -> list[Columns]:
    """The results of work(0), work(1), ….

    Raises:
        StorageError: a worker was killed, or results could not be kept.
    """
    workers = min(workers, tasks)
    if workers < 2:
        return _alone(work, tasks)
    files: list[IO[bytes]] = []
    children: list[int] = []
    try:
        for worker in range(workers):
            files.append(tempfile.TemporaryFile())  # noqa: SIM115 - closed below, whatever happens
            pid = os.fork()
            if pid == 0:
                _work(work, range(worker, tasks, workers), files[worker])
            children.append(pid)
        for worker in range(workers):
            _, status = os.waitpid(children[0], 0)
            children.pop(0)
            if status:
                raise _failed(worker, status, files[worker])
        found: list[Columns] = [[] for _ in range(tasks)]
        for worker, file in enumerate(files):
            file.seek(0)
            for task in range(worker, tasks, workers):
                found[task] = _read(file)
        return found
    finally:
        for pid in children:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
        for file in files:
            file.close()


def _alone(work: Callable[[int], Columns], tasks: int) -> list[Columns]:
    """Every task in this process."""
    file = tempfile.TemporaryFile()  # noqa: SIM115 - closed below, whatever happens
    task = 0
    try:
        for task in range(tasks):
            columns = work(task)
            _write(file, columns)
        file.seek(0)
        return [_read(file) for _ in range(tasks)]
    except OSError as error:
        raise StorageError(
            f"the results of task {task} of discovery could not be kept: {error}",
            where=tempfile.gettempdir(),
            expected="room for a temporary file",
            mend="make room, or set TMPDIR to a folder that has it, and run again",
            kind="disk_full",
        ) from error
    finally:
        with suppress(OSError):
            file.close()


def _work(work: Callable[[int], Columns], mine: range, file: IO[bytes]) -> None:
    """Do a worker's tasks and leave by `os._exit`, so that nothing of the parent is flushed twice."""
    parent, status = os.getppid(), 1
    try:
        for task in mine:
            _write(file, work(task))
            if os.getppid() != parent:
                os._exit(2)
        file.flush()
        status = 0
    except BaseException as error:
        file.seek(0)
        file.truncate()
        file.write(f"{type(error).__name__}: {error}".encode())
        file.flush()
    finally:
        os._exit(status)


def _write(file: IO[bytes], columns: Columns) -> None:
    head = json.dumps([[column.dtype.str, column.shape] for column in columns]).encode()
    file.write(head + b"\n")
    for column in columns:
        file.write(np.ascontiguousarray(column).tobytes())


def _read(file: IO[bytes]) -> Columns:
    found: Columns = []
    for kind, shape in json.loads(file.readline()):
        kept = np.dtype(kind)
        size = int(np.prod(shape)) * kept.itemsize
        found.append(np.frombuffer(bytearray(file.read(size)), kept).reshape(shape))
    return found


def _failed(worker: int, status: int, file: IO[bytes]) -> StorageError:
    file.seek(0)
    said = file.read(500).decode("utf-8", "replace") if os.WIFEXITED(status) else f"status {status}"
    return StorageError(
        f"worker {worker} of discovery ended before its work: {said}",
        expected="every worker to finish",
        mend="see whether memory or the temporary folder is full; run again, or with fewer workers",
        kind="worker_killed",
    )
