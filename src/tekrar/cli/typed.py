"""Verbs run by another verb: shown as one would type them, timed, their own words held back."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import time
from dataclasses import dataclass
from typing import Any

from tekrar.errors import EXIT_OK


class Unsuccessful(Exception):
    """A verb ended with another status than 0 and raised no error.

    Attributes:
        status: its exit status.
    """

    def __init__(self, status: int) -> None:
        super().__init__(status)
        self.status = status


@dataclass(frozen=True)
class Typed:
    """How verbs are run.

    Attributes:
        silent: say nothing of them.
    """

    silent: bool = False

    def tell(self, *lines: str) -> None:
        """Lines for people."""
        if not self.silent:
            for line in lines:
                print(line, flush=True)

    def run(self, *words: str) -> str:
        """Run a verb, and tell its words and how many seconds it took.

        Returns:
            What it printed.

        Raises:
            TekrarError: as the verb does.
            Unsuccessful: it ended with another status; what it printed was told.
        """
        begun = time.monotonic()
        held, status = self._held([*words, *(["--quiet"] if self.silent else [])])
        self.tell(f"{time.monotonic() - begun:5.1f} s  tekrar {shlex.join(words)}")
        if status:
            self.tell(held)
            raise Unsuccessful(status)
        return held

    def record(self, *words: str, told: bool = False) -> dict[str, Any]:
        """Run a verb and give its JSON; errors as in `run`."""
        begun = time.monotonic()
        held, status = self._held([*words, "--json"])
        if told:
            self.tell(f"{time.monotonic() - begun:5.1f} s  tekrar {shlex.join(words)}")
        if status:
            raise Unsuccessful(status)
        found: dict[str, Any] = json.loads(held.splitlines()[-1])
        return found

    @staticmethod
    def _held(words: list[str]) -> tuple[str, int]:
        from tekrar.cli import verb_module, verb_parser

        module = verb_module(words[0])
        parsed = verb_parser(words[0], module).parse_args(words[1:])
        with contextlib.redirect_stdout(io.StringIO()) as held:
            status = int(module.run(parsed) or EXIT_OK)
        return held.getvalue(), status
