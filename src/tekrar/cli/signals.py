"""Ctrl-C and SIGTERM: both travel up as exceptions, so that everything half-written is removed on the way.

Code in C that is interrupted while it is imported turns a KeyboardInterrupt into an ImportError of its own;
`Signals.received` still tells what really happened.
"""

from __future__ import annotations

import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import FrameType
    from typing import Final

#: A second SIGTERM within so many seconds is the first one again: `timeout` sends it to the group as well.
REPEATED_WITHIN: Final = 1.0


class Termination(KeyboardInterrupt):
    """SIGTERM on its way up."""


class Signals:
    """What was received from the system since `watch`.

    Attributes:
        received: number of the last signal, 0 while there was none.
    """

    def __init__(self) -> None:
        self.received = 0
        self._at = 0.0

    def watch(self) -> None:
        """Handle both signals from here on; one that the process was started to ignore stays ignored."""
        if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            signal.signal(signal.SIGINT, self._handle)
        if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, self._handle)

    def end(self) -> None:
        """The work is over and told: nothing is left that a signal could stop."""
        for number in (signal.SIGINT, signal.SIGTERM):
            if signal.getsignal(number) == self._handle:
                signal.signal(number, signal.SIG_IGN)

    def _handle(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if number == self.received == signal.SIGTERM and now - self._at < REPEATED_WITHIN:
            return
        self.received, self._at = number, now
        if number == signal.SIGTERM:
            raise Termination
        raise KeyboardInterrupt


def stopped_early(stop: KeyboardInterrupt) -> int:
    """Say that a signal came before or after everything else stood, and give the exit status."""
    name, status = ("terminated", 143) if isinstance(stop, Termination) else ("interrupted", 130)
    if sys.stderr is not None:
        print(f"tekrar: error [{name}]: stopped", file=sys.stderr, flush=True)
    return status
