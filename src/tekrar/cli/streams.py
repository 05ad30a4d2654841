"""Standard streams as a process finds them: closed ones stand in for themselves, failing ones are silenced.

A closed standard output (`>&-`) is no reason to leave work undone; it is an error only where the answer had
to go there.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress

from tekrar.errors import StorageError


class ClosedStream(io.TextIOWrapper):
    """Takes the place of a standard stream that was closed when the process began."""


def fill_closed() -> None:
    """Put stand-ins in the place of closed standard streams.

    Their file descriptors are taken too: the next file that is opened would get one, and what a library
    writes to a standard stream would end up in that file.
    """
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        if getattr(sys, name) is not None:
            continue
        try:
            os.fstat(number)
        except OSError:
            sink = os.open(os.devnull, os.O_RDWR)
            if sink == number:
                os.set_inheritable(sink, True)
            else:
                os.dup2(sink, number)
                os.close(sink)
        sink_file = open(os.devnull, "rb" if name == "stdin" else "wb")  # noqa: SIM115  (never closed)
        setattr(sys, name, ClosedStream(sink_file, encoding="utf-8"))


def require_stdout() -> None:
    """Refuse to work out an answer that can go nowhere.

    Raises:
        StorageError: standard output is closed.
    """
    if isinstance(sys.stdout, ClosedStream):
        raise StorageError(
            "standard output is closed",
            where="standard output",
            expected="an open standard output: the answer goes there",
            mend="leave it open, or send it to a file or to /dev/null",
            kind=errno.errorcode[errno.EBADF].lower(),
        )


def silence_stdout() -> None:
    """Point stdout at nothing, so that the interpreter's last flush finds no broken pipe or full disk."""
    with suppress(OSError, ValueError, AttributeError):
        sink = os.open(os.devnull, os.O_WRONLY)
        os.dup2(sink, sys.stdout.fileno())
        os.close(sink)
