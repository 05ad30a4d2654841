"""The wait of a first run is said: inner loops are compiled once, which takes longer than the work does."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path


def tell_compiling(args: argparse.Namespace) -> None:
    """Have it said on standard error when loops are compiled that no earlier run has kept.

    Args:
        args: of a verb with `quiet` and `json`, which ask for silence.
    """
    from tekrar.discover import compiled

    compiled.told[:] = [] if args.quiet or args.json else [_say]


def _say(folder: Path) -> None:
    from tekrar.cli.outcome import say

    say(f"compiling inner loops, once for all runs of this version; kept in {folder}", file=sys.stderr)
