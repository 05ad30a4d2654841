"""Runs command lines for tests that kill them: `python -m tests.store.publish_killer`.

Reads one JSON object a line, {"words", "env"}; forks a process that runs the command line, answers with its
number, {"pid"}, and when it has ended with how, as the kernel tells it: {"signal": 9} or {"exit": 0}. The
fork spares the start of Python; what it runs is the whole verb of `tekrar`, connection included, or
`submit ROOT`, which prepares and publishes an artifact of invented roots, or `crosswalk STRUCTURE NAMESPACE
NAME`, which has no verb.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import tekrar.cli.apply
import tekrar.cli.candidates
import tekrar.cli.drafts
import tekrar.cli.propose
import tekrar.cli.review
import tekrar.cli.withdraw
import tekrar.store.publish
import tekrar.store.session  # noqa: F401  (imported before the forks)
from tekrar.cli import main
from tests.store.place import environment
from tests.store.publish_submit import crosswalk
from tests.store.publish_submit import main as submit


def run(words: list[str], env: dict[str, str]) -> int:
    os.environ.update(env)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for standard in (0, 1):
        os.dup2(nowhere, standard)
    own = {"submit": submit, "crosswalk": crosswalk}
    return own[words[0]](words[1:]) if words[0] in own else main(words)


def serve() -> None:
    for line in sys.stdin:
        wanted = json.loads(line)
        child = os.fork()
        if child == 0:
            status = 99
            try:
                status = run(wanted["words"], wanted["env"])
            finally:
                os._exit(status)
        print(json.dumps({"pid": child}), flush=True)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status)
        print(
            json.dumps({"signal": os.WTERMSIG(status)} if killed else {"exit": os.WEXITSTATUS(status)}),
            flush=True,
        )


class Killer:
    """The process that runs the command lines; one at a time."""

    def __init__(self, child: subprocess.Popen[str]) -> None:
        self._child = child

    def start(
        self, url: str, *words: str, stop_at: str = "", stop_for: float = 60, actor: str = "yayıncı"
    ) -> int:
        """Start a command line as an actor and give its process number."""
        options = f"-c tekrar.stop_at={stop_at} -c tekrar.stop_for={stop_for}" if stop_at else ""
        env = {"TEKRAR_DATABASE_URL": url, "TEKRAR_ACTOR": actor, "PGOPTIONS": options}
        assert self._child.stdin is not None
        self._child.stdin.write(json.dumps({"words": words, "env": env}) + "\n")
        self._child.stdin.flush()
        return int(self._answer()["pid"])

    def ended(self) -> dict[str, int]:
        """How the process ended: {"signal"} or {"exit"}."""
        return self._answer()

    def _answer(self) -> dict[str, Any]:
        assert self._child.stdout is not None
        found: dict[str, Any] = json.loads(self._child.stdout.readline())
        return found


@contextmanager
def killer_in(folder: Path) -> Iterator[Killer]:
    """A killer for a test; it ends with it."""
    child = subprocess.Popen(
        [sys.executable, "-m", "tests.store.publish_killer"],
        env=environment(folder),
        cwd=Path(__file__).resolve().parents[2],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert child.stdin is not None
    assert child.stdout is not None
    try:
        yield Killer(child)
    finally:
        child.stdin.close()
        child.wait(90)
        child.stdout.close()


if __name__ == "__main__":
    serve()
