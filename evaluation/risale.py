"""The Risale: silver pairs by class, silver runs by one stretch (README, "Risale")."""

from __future__ import annotations

import csv
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from pathlib import Path

from evaluation.entries import Entry, Index, find, touches, two_sided
from evaluation.figures import Figure, at_queue
from evaluation.passages import Passages, Span, length
from evaluation.words import placed_words

QUEUE = 5000
QUEUES: tuple[int | None, ...] = (1000, QUEUE, None)
TARGETS = {"exact": 1.0, "near": 1.0, "punct_case": 1.0, "variant": 0.99, "contained": 0.99, "partial": 0.98}
RUN_PERCENT = 90


def rows(path: Path) -> list[dict[str, str]]:
    """Rows of a tab-separated gold file."""
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))


def score(corpus: str, folder: Path, passages: Passages, entries: Sequence[Entry]) -> list[Figure]:
    """Every figure of the Risale."""
    index = Index(entries, passages)
    silver = rows(folder / "silver_pairs.tsv")
    figures = pairs(corpus, silver, passages, index)
    if any(entry.is_group for entry in entries):
        alone = pairs(corpus, silver, passages, Index(two_sided(entries), passages))
        named = [figure for figure in alone if figure.queue == QUEUE and figure.what in TARGETS]
        figures += [replace(f, what=f"{f.what}, left and right alone", target=None) for f in named]
    figures += runs(corpus, rows(folder / "silver_runs.tsv"), passages, entries)
    return [*figures, Figure(corpus, "entries", number=len(entries))]


def pairs(corpus: str, silver: list[dict[str, str]], passages: Passages, index: Index) -> list[Figure]:
    """Recall of silver pairs by class: by extents, and (told only) by a touch of both."""
    ranks: dict[str, list[int | None]] = defaultdict(list)
    loose: dict[str, list[int | None]] = defaultdict(list)
    by_run: list[int | None] = []
    for row in silver:
        a, b = (passages.paragraph(int(row[f"{s}_ord"]), row[f"{s}_book"]) for s in "ab")
        left, right = (
            (passages.inside(p, int(row[f"{s}_start"]), int(row[f"{s}_end"])),)
            for p, s in ((a, "a"), (b, "b"))
        )
        rank: int | None = None
        near: int | None = None
        if passages.representative[a] == passages.representative[b]:
            rank = near = 0
        elif row["cls"] != "exact":
            shorter = min(length(left), length(right))
            hit = find(index.cover(left), index.cover(right), shorter)
            rank = hit.rank if hit else None
            near = rank if rank is not None and rank <= QUEUE else touches(index, left, right)
        ranks[row["cls"]].append(rank)
        if row["cls"] == "partial":
            by_run.append(rank if rank is not None and rank <= QUEUE else around_run(index, a, b))
        loose[row["cls"]].append(near)
    figures = []
    for name, mine in sorted(ranks.items()):
        for queue in QUEUES:
            target = TARGETS.get(name) if queue == QUEUE else None
            figures.append(at_queue(corpus, name, mine, queue=queue, target=target))
        figures.append(at_queue(corpus, f"{name}, touched", loose[name], queue=QUEUE))
    what = "partial, or its longest common run of words"
    figures.append(at_queue(corpus, what, by_run, queue=QUEUE, target=TARGETS["partial"]))
    return figures


def around_run(index: Index, a: int, b: int) -> int | None:
    """Rank of the best entry that covers the longest common run of words of two paragraphs, whole."""
    passages = index.passages
    texts = [passages.text[low:high].decode() for low, high in (passages.extent(a), passages.extent(b))]
    left, right = (placed_words(text, "tr") for text in texts)
    run = SequenceMatcher(
        None, [w[0] for w in left], [w[0] for w in right], autojunk=False
    ).find_longest_match()
    if not run.size:
        return None
    one = (passages.inside(a, left[run.a][1], left[run.a + run.size - 1][2]),)
    other = (passages.inside(b, right[run.b][1], right[run.b + run.size - 1][2]),)
    return touches(index, one, other, least=(length(one), length(other)), percent=RUN_PERCENT)


def runs(
    corpus: str, silver: list[dict[str, str]], passages: Passages, entries: Sequence[Entry]
) -> list[Figure]:
    """Silver runs of which one entry covers 90 % on both sides."""
    best: list[float] = []
    ranks: list[int | None] = []
    for row in silver:
        extents = [
            (
                passages.start[passages.paragraph(int(row[f"{s}_ord_first"]), row[f"{s}_book"])],
                passages.end[passages.paragraph(int(row[f"{s}_ord_last"]), row[f"{s}_book"])],
            )
            for s in "ab"
        ]
        shares = [(covered(entry, extents), entry.rank) for entry in entries]
        share, _ = max(shares, key=lambda one: (one[0], -one[1]), default=(0.0, 0))
        best.append(share)
        ranks.append(min((rank for mine, rank in shares if 100 * mine >= RUN_PERCENT), default=None))
    what = f"silver runs covered to {RUN_PERCENT} % by one stretch"
    least = Figure(
        corpus, "least coverage of a silver run by its best stretch", number=min(best, default=0.0)
    )
    return [
        at_queue(corpus, what, ranks, queue=QUEUE, target=1.0),
        at_queue(corpus, what, ranks, queue=None),
        least,
    ]


def covered(entry: Entry, extents: list[Span]) -> float:
    """The smaller of the shares of two extents that the sides of an entry cover, in the better order."""
    left, right = entry.sides[:2]
    a, b = extents
    return max(min(_share(left, a), _share(right, b)), min(_share(right, a), _share(left, b)))


def _share(side: Span, extent: Span) -> float:
    return max(0, min(side[1], extent[1]) - max(side[0], extent[0])) / (extent[1] - extent[0])
