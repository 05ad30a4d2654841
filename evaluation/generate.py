"""Making the candidates of a corpus as a process of its own, and what it used."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.process import Usage, measured
from evaluation.corpora import Built


@dataclass(frozen=True)
class Generated:
    """The list, what making it used, and what the generator says of its bounds (None: nothing)."""

    path: Path
    usage: Usage | None
    bounds: dict[str, Any] | None = None


def can_generate(python: str) -> bool:
    """Whether the tekrar of a Python has a generator."""
    asked = "import importlib.util, sys; sys.exit(importlib.util.find_spec('tekrar.discover') is None)"
    return subprocess.run([python, "-c", asked], check=False, capture_output=True).returncode == 0


def compile_loops(python: str) -> None:
    """Have a Python's tekrar compile its inner loops, where it can, so that no figure holds it."""
    subprocess.run([python, "-m", "tekrar.discover", "--compile"], check=False, capture_output=True)


def generate(built: Built, folder: Path, *, python: str = sys.executable) -> Generated:
    """Run the generator on a built corpus.

    Args:
        built: release and artifact.
        folder: where the list is written.
        python: the interpreter whose tekrar makes it.

    Raises:
        CommandFailed: it ended with another status than 0.
    """
    path = folder / f"{built.corpus.name}.jsonl"
    command = [python, "-m", "tekrar.discover", str(built.artifact), str(built.release), str(path)]
    usage = measured(command)
    return Generated(path, usage, bounds_of(path))


def bounds_of(path: Path) -> dict[str, Any] | None:
    """The bounds report that the generator wrote beside the list."""
    beside = path.with_suffix(".bounds.json")
    if not beside.is_file():
        return None
    found: dict[str, Any] = json.loads(beside.read_text(encoding="utf-8"))
    return found
