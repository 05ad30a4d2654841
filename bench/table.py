"""Rows of measured figure, target and verdict, and the Markdown that shows them."""

from __future__ import annotations

import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from bench.process import Usage

GB = 10**9


@dataclass(frozen=True)
class Row:
    """One figure beside its target.

    Attributes:
        corpus, what: of what it is the figure.
        measured: the figure; `unit` is appended when shown.
        target: its bound, or None when there is none.
        at_least: the figure must not be smaller than the bound; else not larger.
        note: how it was measured, where that is not plain.
    """

    corpus: str
    what: str
    measured: float
    target: float | None = None
    unit: str = ""
    at_least: bool = False
    note: str = ""

    @property
    def verdict(self) -> str:
        """met, missed, or a dash without a target."""
        if self.target is None:
            return "-"
        good = self.measured >= self.target if self.at_least else self.measured <= self.target
        return "met" if good else "missed"

    def as_record(self) -> dict[str, Any]:
        """Flat JSON record."""
        return {
            "corpus": self.corpus,
            "what": self.what,
            "measured": round(self.measured, 4),
            "unit": self.unit,
            "target": self.target,
            "bound": "at least" if self.at_least else "at most",
            "verdict": self.verdict,
            "note": self.note,
        }

    def cells(self) -> list[str]:
        """The row of the Markdown table."""
        bound, digits = "-", None
        if self.target is not None:
            # One more digit where rounding would make a missed figure look like its bound.
            hidden = self.verdict == "missed" and shown(self.measured, "") == shown(self.target, "")
            digits = 4 if hidden else None
            bound = f"{'≥' if self.at_least else '≤'} {shown(self.target, self.unit)}"
        what = f"{self.what} ({self.note})" if self.note else self.what
        return [self.corpus, what, shown(self.measured, self.unit, digits), bound, self.verdict]


@dataclass(frozen=True)
class Sample:
    """All counted runs of one command."""

    corpus: str
    command: str
    runs: tuple[Usage, ...]

    @property
    def cpu(self) -> float:
        """Median CPU seconds."""
        return statistics.median(run.cpu for run in self.runs)

    @property
    def wall(self) -> float:
        """Median wall seconds."""
        return statistics.median(run.wall for run in self.runs)

    @property
    def peak(self) -> int:
        """Largest peak of resident bytes."""
        return max(run.peak for run in self.runs)

    def as_record(self) -> dict[str, Any]:
        """JSON record with every run."""
        return {
            "corpus": self.corpus,
            "command": self.command,
            "cpu": [round(run.cpu, 3) for run in self.runs],
            "wall": [round(run.wall, 3) for run in self.runs],
            "peak_bytes": [run.peak for run in self.runs],
        }

    def cells(self) -> list[str]:
        """The row of the Markdown table."""
        cpus = [run.cpu for run in self.runs]
        spread = f"{min(cpus):.2f}..{max(cpus):.2f}" if len(cpus) > 1 else "-"
        peak = f"{self.peak / GB:.2f}"
        return [self.corpus, self.command, f"{self.cpu:.2f}", spread, f"{self.wall:.2f}", peak]


def shown(value: float, unit: str, digits: int | None = None) -> str:
    """A number with two to four digits that mean something (or so many decimals), and its unit."""
    if digits is None:
        digits = 0 if abs(value) >= 100 else 1 if abs(value) >= 20 else 2
    text = f"{value:.{digits}f}"
    return text + (unit if unit in ("", "x", "%") else f" {unit}")


def markdown(header: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """A Markdown table; a bar inside a cell is escaped."""
    lines = [header, ["---"] * len(header), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in lines)


SAMPLE_HEADER = ("corpus", "process", "CPU s", "least..most", "wall s", "peak GB")
ROW_HEADER = ("corpus", "figure", "measured", "target", "")
