"""Compilation of inner loops: numba where it is installed, the same source interpreted where it is not.

Kernels are plain functions over typed numpy arrays; integers only, so that both ways give the same bytes.
numba is imported when the first kernel runs, never when this module is imported: other verbs of the command
line do not pay for it.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final, TypeVar

OFF: Final = "TEKRAR_INTERPRETED"
F = TypeVar("F", bound=Callable[..., Any])


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
    """A function that is compiled at its first call.

    Args:
        function: the loop; other kernels that it calls are reached by their `plain` functions' names.
    """

    def __init__(self, function: Callable[..., Any]) -> None:
        self.plain = function
        self._ready: Callable[..., Any] | None = None

    def __call__(self, *arguments: Any) -> Any:
        if self._ready is None:
            self._ready = self.plain
            if numba_present():
                self._ready = import_module("numba").njit(cache=True, nogil=True)(self.plain)
        return self._ready(*arguments)


def kernel(function: Callable[..., Any]) -> Kernel:
    """Mark a function as an inner loop."""
    return Kernel(function)
