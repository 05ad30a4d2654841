"""Compiled kernels: where they are kept, and that no old one is ever used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tekrar.discover import compiled, seeds
from tekrar.discover.compiled import Kernel
from tekrar.settings import kernel_folder

pytest.importorskip("numba", reason="kernels are interpreted without numba")

SCRIPT = """
import numpy as np
from tekrar.discover import compiled
from tekrar.discover.suffix import _agree
compiled.told.append(lambda folder: print("once"))
common = np.zeros(4, np.uint8)
_agree(np.array([1, 1, 1, 0], np.int32), np.array([3, 2, 1, 0], np.int32), common, 9)
print(common.tolist(), sum(len(d.stats.cache_misses) for d in [_agree.ready()]))
"""


def run(**environment: str) -> list[str]:
    ours = ("NUMBA_CACHE_DIR", "TEKRAR_INTERPRETED")
    kept = {name: value for name, value in os.environ.items() if name not in ours}
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True, env=kept | environment
    )
    return done.stdout.splitlines()


def test_the_first_run_compiles_and_says_so_the_second_does_not(tmp_path: Path) -> None:
    assert run(XDG_CACHE_HOME=str(tmp_path)) == ["once", "[0, 1, 2, 0] 1"]
    assert run(XDG_CACHE_HOME=str(tmp_path)) == ["[0, 1, 2, 0] 0"]
    assert [path.name for path in tmp_path.iterdir()] == ["tekrar"]


def test_a_folder_that_can_not_be_made_changes_no_result(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_bytes(b"")
    assert run(XDG_CACHE_HOME=str(blocked))[-1].startswith("[0, 1, 2, 0]")


def test_the_users_own_folder_comes_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", "/cache")
    monkeypatch.delenv("NUMBA_CACHE_DIR", raising=False)
    assert kernel_folder() == Path("/cache/tekrar/kernels")
    monkeypatch.setenv("NUMBA_CACHE_DIR", "/own")
    assert kernel_folder() == Path("/own")


def test_another_source_constant_or_called_kernel_is_another_digest(monkeypatch: pytest.MonkeyPatch) -> None:
    known = {name: value.digest() for name, value in vars(seeds).items() if isinstance(value, Kernel)}
    assert len(known) >= 3
    monkeypatch.setattr(compiled, "_source_digest", lambda module: b"another")
    assert not set(known.values()) & {seeds._generate.digest(), seeds._between.digest()}
    space = {"LIMIT": 3, "inner": Kernel(lambda x: x)}
    exec("def outer(x):\n    return inner(x) + LIMIT", space)
    outer = Kernel(space["outer"])
    before = outer.digest()
    space["LIMIT"] = 4
    assert outer.digest() != before
