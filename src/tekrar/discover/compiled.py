"""Compilation of inner loops: numba where it is installed, the same source interpreted where it is not.

Kernels are plain functions over typed numpy arrays; integers only, so that both ways give the same bytes.
numba is imported when the first kernel runs, never when this module is imported: other verbs of the command
line do not pay for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from types import FunctionType
from typing import Any, Final

OFF: Final = "TEKRAR_INTERPRETED"


def numba_present() -> bool:
    """Whether kernels are compiled: numba can be imported and is not switched off by `TEKRAR_INTERPRETED`."""
    if os.environ.get(OFF):
        return False
    try:
        import_module("numba")
    except ImportError:
        return False
    return True


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
        return self.ready()(*arguments)

    def _compiled(self) -> Callable[..., Any]:
        plain = self.plain
        names = {
            name: value.ready() if isinstance(value, Kernel) else value
            for name, value in plain.__globals__.items()
            if name in plain.__code__.co_names
        }
        rebound = FunctionType(plain.__code__, names, plain.__name__)
        rebound.__module__, rebound.__qualname__ = plain.__module__, plain.__qualname__
        numba = import_module("numba")
        try:
            compiled: Callable[..., Any] = numba.njit(cache=True, nogil=True)(rebound)
        except RuntimeError:
            # no folder to keep compiled code in can be written: it is compiled again in every process
            compiled = numba.njit(nogil=True)(rebound)
        return compiled


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function as an inner loop."""
    return Kernel(function)
