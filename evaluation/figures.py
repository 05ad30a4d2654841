"""Figures beside their targets, as Markdown and as JSON."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from bench.table import markdown


@dataclass(frozen=True)
class Figure:
    """One measured figure.

    Attributes:
        corpus, what: of what.
        found, of: the counts it comes from (0 of 0: nothing to find).
        queue: how far the list was read, None = whole.
        target: its bound, None when there is none.
        at_least: the figure must not be smaller; else not larger.
        number: the figure where it is no share of counts.
        unit: of `number`.
    """

    corpus: str
    what: str
    found: int = 0
    of: int = 0
    queue: int | None = None
    target: float | None = None
    at_least: bool = True
    number: float | None = None
    unit: str = ""

    @property
    def value(self) -> float | None:
        """The figure; None when there was nothing to count."""
        if self.number is not None:
            return self.number
        return self.found / self.of if self.of else None

    @property
    def verdict(self) -> str:
        """met, by how much it falls short, or a dash without a target or anything to count."""
        if self.target is None or self.value is None:
            return "-"
        short = self.target - self.value if self.at_least else self.value - self.target
        return "met" if short <= 0 else f"short by {short:.4g}"

    def as_record(self) -> dict[str, Any]:
        """Flat JSON record."""
        return asdict(self) | {"value": self.value, "verdict": self.verdict}

    def cells(self) -> list[str]:
        """The row of the table."""
        value = "-" if self.value is None else f"{self.value:.4g}{' ' + self.unit if self.unit else ''}"
        counts = f"{self.found} of {self.of}" if self.number is None else "-"
        bound = "-" if self.target is None else f"{'≥' if self.at_least else '≤'} {self.target:g}"
        queue = "all" if self.queue is None else str(self.queue)
        return [self.corpus, self.what, queue, counts, value, bound, self.verdict]


HEADER = ("corpus", "figure", "queue", "counts", "measured", "target", "")


def at_queue(
    corpus: str, what: str, ranks: Sequence[int | None], *, queue: int | None, target: float | None = None
) -> Figure:
    """Recall at a queue length: of the ranks (0 = an exact class, None = not found), those inside it."""
    found = sum(rank is not None and (queue is None or rank <= queue) for rank in ranks)
    return Figure(corpus, what, found, len(ranks), queue, target)


def table(figures: Iterable[Figure]) -> str:
    """All figures as one Markdown table."""
    return markdown(HEADER, (figure.cells() for figure in figures))


def summary(figures: Sequence[Figure]) -> str:
    """How many targets are met, and the names of those that are not."""
    judged = [figure for figure in figures if figure.verdict != "-"]
    missed = [figure for figure in judged if figure.verdict != "met"]
    told = f"{len(judged) - len(missed)} of {len(judged)} targets met"
    names = "; ".join(f"{f.corpus}: {f.what} ({f.verdict})" for f in missed)
    return told + (f"; not met: {names}" if missed else "")
