"""Progress on a terminal: Rich, imported only where it is seen.

Nothing under --quiet, --json or without a terminal.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

#: Called with work done and work in all.
Progress = Callable[[int, int], None]


def _silent(done: int, total: int) -> None:
    """Say nothing."""


@contextmanager
def progress(args: argparse.Namespace, label: str) -> Iterator[Progress]:
    """A progress bar on stderr for one stage of work; the callback may be called at any rate."""
    if args.quiet or args.json or not sys.stderr.isatty():
        yield _silent
        return
    from rich.console import Console
    from rich.progress import Progress as Bar

    with Bar(console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task(label, total=None)

        def advance(done: int, total: int) -> None:
            bar.update(task, completed=done, total=total)

        yield advance
