"""Ctrl-C and SIGTERM: both travel up as exceptions, so that everything half-written is removed on the way.

Code in C that is interrupted while it is imported turns a KeyboardInterrupt into an ImportError of its own;
`Signals.received` still tells what really happened. In a callback that can raise nothing (a weak reference, a
finalizer) the interpreter drops it; then it is sent again a moment later.
"""

from __future__ import annotations

import signal
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType
    from typing import Final

#: A second SIGTERM within so many seconds is the first one again: `timeout` sends it to the group as well.
REPEATED_WITHIN: Final = 1.0
#: Seconds after which a signal that the interpreter dropped is sent again.
AGAIN_AFTER: Final = 0.05


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
        sys.unraisablehook = self._not_dropped(sys.unraisablehook)

    def _not_dropped(
        self, usual: Callable[[sys.UnraisableHookArgs], object]
    ) -> Callable[[sys.UnraisableHookArgs], object]:
        def hook(dropped: sys.UnraisableHookArgs) -> None:
            if not (self.received and issubclass(dropped.exc_type, KeyboardInterrupt)):
                usual(dropped)
                return
            import threading

            self._at = 0.0
            main = threading.main_thread().ident  # so that it wakes from whatever it waits for
            again = threading.Timer(AGAIN_AFTER, signal.pthread_kill, [main, self.received])
            again.daemon = True
            again.start()

        return hook

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
