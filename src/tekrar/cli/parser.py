"""An argument parser whose refusals are `UsageError`s."""

from __future__ import annotations

import argparse
from typing import Any, NoReturn

from tekrar.errors import UsageError


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` where argparse would write and exit."""

    def parse_args(self, args: Any = None, namespace: Any = None) -> Any:
        """As argparse's, with the sub-verb named where a word is left over that only it can have been for."""
        found, left = self.parse_known_args(args, namespace)
        if left:
            action = getattr(found, "action", None)
            self.prog = f"{self.prog} {action}" if action else self.prog
            self.error(f"unrecognized arguments: {' '.join(left)}")
        return found

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`."""
        raise UsageError(message, where=self.prog, mend=f"{self.prog} --help", kind="bad_arguments")
