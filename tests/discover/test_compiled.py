"""Compiled kernels: where they are kept, and that no old one is ever used."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tekrar.discover import compiled, seeds
from tekrar.discover.compiled import Kernel
from tekrar.discover.lines import lines
from tekrar.discover.pipeline import generate
from tekrar.discover.precompiled import precompile
from tekrar.settings import kernel_folder
from tests.discover.made import source_of
from tests.discover.test_generate import corpus

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


def test_everything_is_compiled_before_there_is_work(monkeypatch: pytest.MonkeyPatch) -> None:
    """After `precompile`, another text asks for no loop and no types that were not there."""
    monkeypatch.setenv("TEKRAR_INTERPRETED", "1")
    assert not precompile()
    monkeypatch.delenv("TEKRAR_INTERPRETED")
    assert precompile()
    found = {
        (name, at): value
        for name, module in sys.modules.items()
        if name.startswith("tekrar.discover.")
        for at, value in vars(module).items()
        if isinstance(value, Kernel)
    }
    types = {key: list(value.ready().signatures) for key, value in found.items()}  # type: ignore[attr-defined]
    assert len(found) > 10
    source = source_of(corpus(6))
    list(lines(source, generate(source)))
    assert {key: list(value.ready().signatures) for key, value in found.items()} == types  # type: ignore[attr-defined]
    assert sum(map(bool, types.values())) > 10  # kept code names no types of the loops that it calls
