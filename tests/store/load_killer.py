"""Loads that stop at a named step by SIGKILL: `python -m tests.store.load_killer URL RELEASE ARTIFACT`.

Reads one step a line (its name, a tab, which of that name), forks a process that loads and kills itself
there, and answers with how that process ended, as the kernel tells it: {"signal": 9} or {"exit": 0}.
"""

from __future__ import annotations

import json
import os
import re
import signal
import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path

from tekrar.artifact import Artifact
from tekrar.corpus.release_package import open_release
from tekrar.store.load import load
from tekrar.store.session import open_target
from tekrar.store.target import of_url

Step = tuple[str, int]


def named(step: Callable[[Step], object]) -> Callable[[int, str], None]:
    """An `at_step` that tells a step by its name without keys, and which of that name it is."""
    seen: Counter[str] = Counter()

    def at_step(number: int, name: str) -> None:
        plain = re.sub(r"_[0-9]+$", "", name)
        seen[plain] += 1
        step((plain, seen[plain]))

    return at_step


def load_and_die(url: str, release: Path, artifact: Path, *, at: Step) -> None:
    """Load, and kill this process at a step."""

    def step(found: Step) -> None:
        if found == at:
            os.kill(os.getpid(), signal.SIGKILL)

    with open_target(of_url(url)) as connection:
        load(connection, Artifact(artifact), open_release(release), at_step=named(step))


def main(url: str, release: str, artifact: str) -> None:
    for line in sys.stdin:
        name, which = line.rstrip("\n").split("\t")
        child = os.fork()
        if child == 0:
            try:
                load_and_die(url, Path(release), Path(artifact), at=(name, int(which)))
            finally:
                os._exit(0 if sys.exc_info()[0] is None else 1)
        _, status = os.waitpid(child, 0)
        killed = os.WIFSIGNALED(status)
        print(
            json.dumps({"signal": os.WTERMSIG(status)} if killed else {"exit": os.WEXITSTATUS(status)}),
            flush=True,
        )


if __name__ == "__main__":
    main(*sys.argv[1:])
