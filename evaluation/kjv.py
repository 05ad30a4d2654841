"""The KJV: verse pairs of parallel sections, pericopes, quotations, what the first entries share (README)."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from evaluation.entries import Entry, Index, find_pairs, touches
from evaluation.figures import Figure, at_queue
from evaluation.formulas import Formulas
from evaluation.passages import Passages, Spans
from evaluation.quran import extents, same
from evaluation.risale import rows
from evaluation.words import shared_in_order, words

SHORTER_PERCENT, LONGER_PERCENT = 60, 55
LEAST_WORDS = 4
LEAST_BYTES = 12
FIRST = 1000
LEXICAL = 5000


def score(corpus: str, folder: Path, passages: Passages, entries: Sequence[Entry]) -> list[Figure]:
    """Every figure of the KJV."""
    gold = rows(folder / "gold_parallels.tsv")
    index = Index(entries, passages)
    figures = sections(corpus, [row for row in gold if row["kind"] == "parallel_section"], passages, index)
    ranges = (
        ("synoptic_pericope", ((2000, 0.50), (5000, 0.68))),
        ("ot_quotation_in_nt", ((5000, 0.45), (None, None))),
        ("verse_hebrew_similar", ((5000, None), (None, None))),
    )
    for kind, targets in ranges:
        mine = [row for row in gold if row["kind"] == kind]
        figures += named(corpus, kind, mine, passages, index, targets)
    figures += lexical(corpus, entries[:LEXICAL], passages)
    return [*figures, *formulas(corpus, entries, passages), Figure(corpus, "entries", number=len(entries))]


def alike(left: Sequence[str], right: Sequence[str]) -> tuple[bool, bool]:
    """Whether words shared in order reach 60 % of the shorter side and 55 % of the longer one."""
    shared = shared_in_order(left, right)
    short, long = sorted((len(left), len(right)))
    return 100 * shared >= SHORTER_PERCENT * short, 100 * shared >= LONGER_PERCENT * long


def verse_pairs(row: dict[str, str], passages: Passages) -> Iterator[tuple[Spans, Spans]]:
    """Pairs of verses of two sections that pass both rules of `alike` and share at least four words."""
    a, b = (extents(row[f"{side}_ord"], passages) for side in "ab")
    text = {span: words(passages.text[span[0] : span[1]].decode()) for span in (*a, *b)}
    for left in a:
        for right in b:
            one, other = text[left], text[right]
            if min(len(one), len(other)) >= LEAST_WORDS and all(alike(one, other)):
                yield (left,), (right,)


def sections(corpus: str, gold: list[dict[str, str]], passages: Passages, index: Index) -> list[Figure]:
    """Strict recall: of verse pairs inside parallel sections, half of each verse by one entry."""
    pairs = sorted({pair for row in gold for pair in verse_pairs(row, passages)})
    ranks = [
        0 if same(*pair, passages) else hit.rank if hit else None
        for pair, hit in zip(pairs, find_pairs(index, pairs, share_of_both=True), strict=True)
    ]
    figures = [at_queue(corpus, "verse pairs in parallel sections", ranks, queue=FIRST, target=0.97)]
    figures.append(at_queue(corpus, "verse pairs in parallel sections", ranks, queue=5000))
    met = named(corpus, "parallel_section", gold, passages, index, ((FIRST, None),))
    return [*figures, *met]


def named(
    corpus: str,
    kind: str,
    gold: list[dict[str, str]],
    passages: Passages,
    index: Index,
    targets: Sequence[tuple[int | None, float | None]],
) -> list[Figure]:
    """Recall of named ranges by a touch of both; apart, those that share words in the translation."""
    ranks: list[int | None] = []
    worded: list[int | None] = []
    for row in gold:
        a, b = (extents(row[f"{side}_ord"], passages) for side in "ab")
        rank = 0 if same(a, b, passages) else touches(index, a, b, least=(LEAST_BYTES, LEAST_BYTES))
        ranks.append(rank)
        if int(row["kjv_shared5"] or 0) > 0 or float(row["kjv_ratio"] or 0) >= 0.5:
            worded.append(rank)
    figures = []
    for queue, target in targets:
        figures.append(at_queue(corpus, kind, ranks, queue=queue, target=target))
        figures.append(at_queue(corpus, f"{kind}, 5 words in a row or half shared", worded, queue=queue))
    return figures


def lexical(corpus: str, entries: Sequence[Entry], passages: Passages) -> list[Figure]:
    """Entries whose sides share enough words in order."""
    both = short = long = 0
    longer_sixty = 0
    for entry in entries:
        left, right = (words(passages.text[low:high].decode()) for low, high in entry.sides[:2])
        reaches_short, reaches_long = alike(left, right)
        short += reaches_short
        long += reaches_long
        both += reaches_short and reaches_long
        longer_sixty += 100 * shared_in_order(left, right) >= SHORTER_PERCENT * max(len(left), len(right))
    of = len(entries)
    shorter, longer = f"{SHORTER_PERCENT} % of the shorter side", f"{LONGER_PERCENT} % of the longer"
    return [
        Figure(corpus, f"entries that share in order {shorter} and {longer}", both, of, LEXICAL, 0.90),
        Figure(corpus, f"entries that share in order {shorter}", short, of, LEXICAL, 0.90),
        Figure(corpus, f"entries that share in order {longer}", long, of, LEXICAL),
        Figure(
            corpus,
            f"entries that share in order {SHORTER_PERCENT} % of the longer side",
            longer_sixty,
            of,
            LEXICAL,
            0.55,
        ),
    ]


def formulas(corpus: str, entries: Sequence[Entry], passages: Passages) -> list[Figure]:
    """Share of formula, list and census entries among the first thousand."""
    first = entries[:FIRST]
    if not first:
        return [Figure(corpus, "formula, list or census entries", 0, 0, FIRST, 0.20, at_least=False)]
    judge = Formulas(passages)
    kinds = [judge.kind(entry) for entry in first]
    figures = [
        Figure(corpus, f"{kind} entries", kinds.count(kind), len(first), FIRST)
        for kind in ("formula", "list", "census")
    ]
    count = sum(kind is not None for kind in kinds)
    total = Figure(corpus, "formula, list or census entries", count, len(first), FIRST, 0.20, at_least=False)
    return [*figures, total]
