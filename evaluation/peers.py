"""Neighbouring tools on the same machine in the same run (README, "Peers")."""

from __future__ import annotations

from pathlib import Path

from evaluation.corpora import Tell
from evaluation.figures import Figure


def figures(cache: Path, tell: Tell) -> list[Figure]:
    """Nothing yet."""
    return []
