"""A busy loop of fixed work, to learn what two processes at once are worth on this machine.

python -m bench.spin TURNS
"""

from __future__ import annotations

import subprocess
import sys
import time

TURNS = 12_000_000


def aggregate_speed(turns: int = TURNS) -> float:
    """Work of two loops at once beside one alone, in the same time: 2 on two free processors, 1 on one."""
    return 2 * _wall(1, turns) / _wall(2, turns)


def _wall(processes: int, turns: int) -> float:
    begun = time.perf_counter()
    running: list[subprocess.Popen[bytes]] = []
    try:
        for _ in range(processes):
            running.append(subprocess.Popen([sys.executable, "-m", "bench.spin", str(turns)]))
        for process in running:
            process.wait()
    finally:
        for process in running:
            if process.poll() is None:
                process.kill()
                process.wait()
    return time.perf_counter() - begun


def main() -> None:
    """Spin."""
    value = 1
    for _ in range(int(sys.argv[1])):
        value = value * 1103515245 + 12345 & 0x7FFFFFFF


if __name__ == "__main__":
    main()
