"""The Qur'an: similar verse pairs that people named, at four queue lengths (README, "Qur'an")."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from evaluation.entries import Entry, Index, touches
from evaluation.figures import Figure, at_queue
from evaluation.passages import Passages, Spans
from evaluation.risale import rows

TARGETS: tuple[tuple[int | None, float | None], ...] = (
    (3000, 0.66),
    (6000, 0.78),
    (12000, 0.86),
    (30000, 0.92),
    (None, None),
)
#: An entry must hold this many bytes of a verse to speak of it: more than one Arabic letter with its marks.
LEAST_BYTES = 8


def score(corpus: str, folder: Path, passages: Passages, entries: Sequence[Entry]) -> list[Figure]:
    """Recall of the named pairs, all of them and those that share words in order."""
    index = Index(entries, passages)
    ranks: list[int | None] = []
    lexical: list[int | None] = []
    for row in rows(folder / "gold_mutashabihat.tsv"):
        a, b = (extents(row[f"{side}_ord"], passages) for side in "ab")
        rank = 0 if same(a, b, passages) else touches(index, a, b, least=(LEAST_BYTES, LEAST_BYTES))
        ranks.append(rank)
        if float(row["ratio"]) >= 0.5 or int(row["longest_run"]) >= 4:
            lexical.append(rank)
    figures = [
        at_queue(corpus, "named pairs", ranks, queue=queue, target=target) for queue, target in TARGETS
    ]
    figures += [
        at_queue(corpus, "named pairs, half shared or 4 words in a row", lexical, queue=queue)
        for queue, _ in TARGETS
    ]
    return [*figures, Figure(corpus, "entries", number=len(entries))]


def extents(ords: str, passages: Passages) -> Spans:
    """The paragraphs of a range of source numbers `first-last`, a span each."""
    first, _, last = ords.partition("-")
    numbers = range(int(first), int(last or first) + 1)
    return tuple(passages.extent(passages.paragraph(number)) for number in numbers)


def same(a: Spans, b: Spans, passages: Passages) -> bool:
    """Whether two ranges are byte-equal, paragraph for paragraph (one exact class each)."""
    left, right = passages.pieces(a), passages.pieces(b)
    return left == right
