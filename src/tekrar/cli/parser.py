"""An argument parser whose refusals are `UsageError`s."""

from __future__ import annotations

import argparse
from typing import NoReturn

from tekrar.errors import UsageError


class Parser(argparse.ArgumentParser):
    """An argument parser that raises `UsageError` where argparse would write and exit."""

    def error(self, message: str) -> NoReturn:
        """Raise a `UsageError`."""
        raise UsageError(message, where=self.prog, mend=f"{self.prog} --help", kind="bad_arguments")
