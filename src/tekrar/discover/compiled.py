"""Compilation of inner loops: numba where it is installed, the same source interpreted where it is not.

Kernels are plain functions over typed numpy arrays; integers only, so that both ways give the same bytes.
numba is imported when the first kernel runs, never when this module is imported: other verbs of the command
line do not pay for it.

Compiled code is kept in `$NUMBA_CACHE_DIR`, else in `$XDG_CACHE_HOME/tekrar/kernels`, else in
`~/.cache/tekrar/kernels`, in a folder named by the digest of what it was compiled from: numba itself tells
sources apart by time and size, which is too little for code that identities depend on. Where nothing can be
written there, numba keeps it beside the source or not at all.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from contextlib import suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import FunctionType
from typing import Any

from tekrar.settings import interpreted, kernel_folder


def numba_present() -> bool:
    """Whether kernels are compiled: numba can be imported and is not switched off by `TEKRAR_INTERPRETED`."""
    if interpreted():
        return False
    try:
        import_module("numba")
    except ImportError:
        return False
    return True


#: Told once a process, with the folder, before kernels are compiled that no earlier run has kept.
told: list[Callable[[Path], None]] = []


@cache
def _first_time(told_to: Callable[[Path], None], folder: Path) -> None:
    told_to(folder)


@cache
def _source_digest(module: str) -> bytes:
    path = sys.modules[module].__file__
    return hashlib.sha256(Path(path).read_bytes()).digest() if path else b""


class Kernel:
    """A function that is compiled at its first call; it may call other kernels by their names.

    Args:
        function: the loop.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain = function
        self._ready: Callable[..., Any] | None = None

    def ready(self) -> Callable[..., Any]:
        """The compiled function, or the plain one where nothing compiles."""
        if self._ready is None:
            self._ready = self._compiled() if numba_present() else self.plain
        return self._ready

    def __call__(self, *arguments: Any) -> Any:
        """Run it, compiling it before the first time."""
        ready = self.ready()
        try:
            return ready(*arguments)
        except OSError:
            # the compiled code could not be kept (a full disk); it is in memory, and kernels read no files
            return ready(*arguments)

    def digest(self) -> str:
        """Hex digest of what the compiled code depends on: the module's source, constants, kernels called."""
        found = hashlib.sha256(_source_digest(self.plain.__module__))
        for name, value in sorted(self._names().items()):
            said = value.digest() if isinstance(value, Kernel) else repr(value)
            if isinstance(value, Kernel | int | tuple):
                found.update(f"{name}={said}\n".encode())
        return found.hexdigest()

    def _names(self) -> dict[str, Any]:
        plain = self.plain
        return {name: value for name, value in plain.__globals__.items() if name in plain.__code__.co_names}

    def _compiled(self) -> Callable[..., Any]:
        plain = self.plain
        names = {
            name: value.ready() if isinstance(value, Kernel) else value
            for name, value in self._names().items()
        }
        rebound = FunctionType(plain.__code__, names, plain.__name__)
        rebound.__module__, rebound.__qualname__ = plain.__module__, plain.__qualname__
        numba = import_module("numba")
        base = kernel_folder()
        if base is not None:
            folder = base / self.digest()[:24]
            if not folder.is_dir():
                for tell in told:
                    _first_time(tell, base)
                with suppress(OSError):
                    folder.mkdir(mode=0o700, parents=True)
            numba.config.CACHE_DIR = str(folder)
        try:
            compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(rebound)
        except RuntimeError:
            # no folder to keep compiled code in can be written: it is compiled again in every process
            compiled = numba.njit(nogil=True)(rebound)
        return compiled


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function as an inner loop."""
    return Kernel(function)
