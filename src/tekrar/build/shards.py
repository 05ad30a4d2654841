"""Shards: the same work in one process or in several forked ones, into arrays that all of them share.

Task t goes to worker t modulo the worker count, each task writes only its own rows, and nothing is merged by
order of arrival, so the worker count cannot change a byte (REB-02). Workers are forked: they inherit the
columns, and no object is ever serialized. A worker that dies, or whose parent dies, ends the build; nothing
it wrote is kept.
"""

from __future__ import annotations

import gc
import json
import mmap
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from tekrar.errors import IntegrityError, StorageError, TekrarError

Progress = Callable[[str, int, int], None]

#: Rows of a task of `Shards.rows`; a stage of one task forks nothing.
ROWS_A_TASK = 1 << 16


@dataclass(frozen=True)
class WorkerReport:
    """What one worker did: provenance that enters no root."""

    worker: int
    pid: int
    tasks: int
    notes: dict[str, int]


def no_progress(stage: str, done: int, total: int) -> None:
    """A progress sink that shows nothing."""


@contextmanager
def no_collector() -> Iterator[None]:
    """Switch the cyclic collector off: millions of short-lived bytes objects hold no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


class Shards:
    """Runs tasks over a fixed number of workers.

    Args:
        workers: processes; 1 works in the calling process.
        progress: called as (stage, done, total) now and then.
    """

    def __init__(self, workers: int, progress: Progress = no_progress) -> None:
        self.workers = max(1, workers)
        self.progress = progress
        self.reports: dict[str, list[WorkerReport]] = {}

    def empty(self, shape: tuple[int, ...], dtype: DTypeLike) -> NDArray[Any]:
        """An array all workers write into; plain memory when there is only one."""
        size = int(np.prod(shape)) * np.dtype(dtype).itemsize
        if self.workers == 1 or not size:
            return np.zeros(shape, dtype)
        return np.frombuffer(mmap.mmap(-1, size), dtype).reshape(shape)

    def run(self, stage: str, tasks: Sequence[Any], work: Callable[[Any], dict[str, int] | None]) -> None:
        """Do every task; `work` writes into shared arrays and may return counts that are summed per worker.

        Raises:
            TekrarError: what a worker raised, or a StorageError when one was killed.
        """
        self.progress(stage, 0, len(tasks))
        if self.workers == 1 or len(tasks) < 2:
            report = self._do(stage, 0, 1, tasks, work, lambda done: self.progress(stage, done, len(tasks)))
            self.reports[stage] = [report]
        else:
            self.reports[stage] = self._fork(stage, tasks, work)
        self.progress(stage, len(tasks), len(tasks))

    def rows(
        self, stage: str, shape: tuple[int, int], make: Callable[[int, int], NDArray[np.uint8]]
    ) -> NDArray[np.uint8]:
        """An array of bytes, uint8 of that shape, made range by range: `make(low, high)` gives its rows."""
        count = shape[0]
        out = self.empty(shape, np.uint8)

        def work(low: int) -> None:
            high = min(count, low + ROWS_A_TASK)
            out[low:high] = make(low, high)

        self.run(stage, range(0, count, ROWS_A_TASK), work)
        return out

    @staticmethod
    def _do(
        stage: str,
        worker: int,
        workers: int,
        tasks: Sequence[Any],
        work: Callable[[Any], dict[str, int] | None],
        tell: Callable[[int], None],
    ) -> WorkerReport:
        notes: dict[str, int] = {}
        mine = tasks[worker::workers]
        for done, task in enumerate(mine, 1):
            for key, value in (work(task) or {}).items():
                notes[key] = notes.get(key, 0) + value
            tell(done * workers)
        return WorkerReport(worker, os.getpid(), len(mine), notes)

    def _fork(
        self, stage: str, tasks: Sequence[Any], work: Callable[[Any], dict[str, int] | None]
    ) -> list[WorkerReport]:
        children: list[tuple[int, int, int]] = []
        try:
            for worker in range(self.workers):
                reading, writing = os.pipe()
                pid = os.fork()
                if pid == 0:
                    os.close(reading)
                    self._child(stage, worker, tasks, work, writing)
                os.close(writing)
                children.append((worker, pid, reading))
            return self._gather(stage, children, len(tasks))
        except BaseException:
            for _, pid, _ in children:
                _kill(pid)
            raise

    def _child(
        self,
        stage: str,
        worker: int,
        tasks: Sequence[Any],
        work: Callable[[Any], dict[str, int] | None],
        writing: int,
    ) -> None:
        """Do this worker's tasks and leave by `os._exit`, so nothing of the parent is flushed twice."""
        status = 1
        parent = os.getppid()
        try:
            signal.signal(signal.SIGINT, signal.SIG_DFL)

            def tell(done: int) -> None:
                if os.getppid() != parent:
                    os._exit(2)

            report = self._do(stage, worker, self.workers, tasks, work, tell)
            os.write(writing, json.dumps({"tasks": report.tasks, "notes": report.notes}).encode())
            status = 0
        except TekrarError as error:
            os.write(writing, json.dumps({"error": error.as_record()}).encode())
        except BaseException as error:
            os.write(writing, json.dumps({"bug": f"{type(error).__name__}: {error}"}).encode())
        finally:
            os._exit(status)

    def _gather(self, stage: str, children: list[tuple[int, int, int]], total: int) -> list[WorkerReport]:
        reports = []
        for done, (worker, pid, reading) in enumerate(children, 1):
            with os.fdopen(reading, "rb") as pipe:
                data = pipe.read()
            _, status = os.waitpid(pid, 0)
            if not data:
                raise StorageError(
                    f"worker {worker} of stage {stage!r} was killed (status {status})",
                    expected="every worker to finish",
                    mend="see whether the machine ran out of memory; build again, or with fewer --workers",
                    kind="worker_killed",
                )
            message = json.loads(data)
            if "error" in message:
                raise _restored(message["error"])
            if "bug" in message:
                raise RuntimeError(f"worker {worker} of stage {stage!r}: {message['bug']}")
            reports.append(WorkerReport(worker, pid, message["tasks"], message["notes"]))
            self.progress(stage, total * done // len(children), total)
        return reports


def _kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)
    except (ProcessLookupError, ChildProcessError):
        pass


def _restored(record: dict[str, str]) -> TekrarError:
    family = next((c for c in TekrarError.__subclasses__() if c.code == record["code"]), IntegrityError)
    return family(
        record["message"],
        where=record["where"],
        expected=record["expected"],
        mend=record["mend"],
        kind=record["kind"],
    )
