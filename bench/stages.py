"""CPU of each stage of a build, told by the build's own progress calls. Run as a process of its own:

python -m bench.stages RELEASE ARTIFACT ENGINE

Prints one JSON object: `total`, the CPU seconds of the process so far, and `stages`, those of every stage.
Every stage that progress reports is run by `Shards` and shared out among workers; what lies between is
serial.
"""

from __future__ import annotations

import json
import os
import sys

from tekrar.build import build


def cpu_seconds() -> float:
    """User and system time of this process and of the children it waited for."""
    used = os.times()
    return used.user + used.system + used.children_user + used.children_system


class StageClock:
    """A progress sink: a stage begins with its call at 0 and ends with its last call at the total."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._begun: dict[str, float] = {}

    def __call__(self, stage: str, done: int, total: int) -> None:
        now = cpu_seconds()
        if stage not in self._begun:
            self._begun[stage] = now
        if done >= total:
            self.seconds[stage] = now - self._begun[stage]


def parallel_share(record: dict[str, object]) -> float:
    """Share of CPU in the parallel stages, of what `main` printed."""
    stages = record["stages"]
    assert isinstance(stages, dict)
    total = record["total"]
    assert isinstance(total, int | float)
    return float(sum(stages.values())) / total


def main() -> None:
    """Build with one worker and print the record."""
    clock = StageClock()
    build(sys.argv[1], out=sys.argv[2], engine=sys.argv[3], progress=clock)
    print(json.dumps({"total": cpu_seconds(), "stages": clock.seconds}))


if __name__ == "__main__":
    main()
