"""Planted corpora: recall by type and rate, strays, ends, formulas (README, "Planted")."""

from __future__ import annotations

import gzip
import json
from bisect import bisect_left
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import Any

from evaluation.entries import Entry, Found, Index, find, two_sided
from evaluation.figures import Figure, at_queue
from evaluation.passages import Passages, Span, Spans, length, union
from evaluation.words import words

QUEUES: tuple[int | None, ...] = (1000, 5000, None)
SLACK_TOKENS = 2
FAR_BYTES = 1000
PARTNERS = 12
QUOTED_WORDS = 8
#: Exact classes link a pair when they cover this part of the shorter occurrence on both sides.
CLASS_PERCENT = 90
#: (type, target of recall at the whole list, target of ends); variants are split by rate below.
TARGETS = {"exact": 0.995, "near": 0.995, "nested": 0.995, "variant ≤ 20 %": 0.99, "variant 30–40 %": 0.93}
QUOTATION = "source to quotation"
GROUP_OF_TYPE = {
    "exact_para": "exact",
    "exact_run": "exact",
    "exact_split": "exact",
    "exact_long": "exact",
    "marker_same": "exact",
    "marker_some": "near",
    "near": "near",
    "nested": "nested",
    "nested_inner": "nested",
    "quotation": QUOTATION,
    "formula": "formula",
    "decoy": "decoy",
}


@dataclass(frozen=True)
class Planted:
    """One planted occurrence: `kind` as the truth names it, `family` joined over nested ones."""

    family: str
    kind: str
    role: str
    rate: float
    words: int
    spans: Spans
    cut: bool
    sha: str


@dataclass(frozen=True)
class Pair:
    """Two occurrences of one family, the class of the measure they count in, and where they were found.

    Attributes:
        rank: 0 = an exact class links them, None = not found.
        ends: of the found entry, how many tokens each judged end lies off; empty when a class links them.
    """

    group: str
    kind: str
    rate: float
    family: str
    left: int
    right: int
    rank: int | None
    ends: tuple[int, ...] = ()


def lines(path: Path) -> Iterator[dict[str, Any]]:
    """Records of a JSON-lines file, plain or gzip (`path` without the `.gz`)."""
    packed = path.with_name(path.name + ".gz")
    with gzip.open(packed, "rb") if packed.exists() else path.open("rb") as file:
        for line in file:
            yield json.loads(line)


def read_truth(folder: Path, passages: Passages) -> list[Planted]:
    """All planted occurrences as spans of the release."""
    found = []
    for row in lines(folder / "truth.jsonl"):
        spans = tuple(
            passages.inside(passages.paragraph(s["ord"]), s["start"], s["end"]) for s in row["segments"]
        )
        cut = any(op[0] == "cut" for op in row["ops"])
        family = row.get("nested_in") or row["family"]
        found.append(
            Planted(family, row["type"], row["role"], row["rate"], row["words"], spans, cut, row["sha"])
        )
    return found


def group_of(a: Planted, b: Planted) -> str | None:
    """The class of the measure that a pair counts in; None for pairs that nobody is to find."""
    if "decoy" in (a.role, b.role):
        return None
    if a.kind == "variant":
        return "variant ≤ 20 %" if max(a.rate, b.rate) <= 0.2 else "variant 30–40 %"
    if a.kind == "quotation":
        quotes = [o for o in (a, b) if o.role == "quote"]
        if len(quotes) != 1:
            return "quotation to quotation"
        return QUOTATION if quotes[0].words >= QUOTED_WORDS else "source to quotation, short"
    return GROUP_OF_TYPE[a.kind]


def pairs_of(truth: Sequence[Planted], passages: Passages, index: Index) -> list[Pair]:
    """Every pair of every family with the place where it was found."""
    families: dict[str, list[int]] = defaultdict(list)
    for number, one in enumerate(truth):
        if one.kind != "formula":
            families[one.family].append(number)
    found = []
    for family, members in sorted(families.items()):
        cover = {n: index.cover(truth[n].spans) for n in members}
        classes = {n: passages.classes(truth[n].spans) for n in members}
        for a, b in combinations(members, 2):
            group = group_of(truth[a], truth[b])
            if group is None:
                continue
            one, other = truth[a], truth[b]
            shorter = min(length(one.spans), length(other.spans))
            rank: int | None = None
            ends: tuple[int, ...] = ()
            if linked(classes[a], classes[b], shorter):
                rank = 0
            else:
                hit = find(cover[a], cover[b], shorter)
                if hit is not None:
                    rank, ends = hit.rank, ends_off(one, other, hit, index, passages)
            kind = "nested" if group == "nested" else one.kind
            found.append(Pair(group, kind, max(one.rate, other.rate), family, a, b, rank, ends))
    return found


def linked(a: dict[tuple[str, int], list[Span]], b: dict[tuple[str, int], list[Span]], shorter: int) -> bool:
    """Whether common exact classes cover the shorter occurrence, nearly whole, on both sides."""
    common = a.keys() & b.keys()
    spans = [[span for key in common for span in side[key]] for side in (a, b)]
    return bool(common) and all(100 * union(side) >= CLASS_PERCENT * shorter for side in spans)


def ends_off(a: Planted, b: Planted, hit: Found, index: Index, passages: Passages) -> tuple[int, ...]:
    """Tokens between the true ends and the entry's; of a part inside a whole, the part's ends only."""
    sides = index.entries[hit.rank].sides
    judged = [(a, sides[hit.left]), (b, sides[hit.right])]
    if a.kind != b.kind or (a.kind == "quotation" and (a.cut or b.cut)):
        judged = [min(judged, key=lambda one: length(one[0].spans))]
    off: list[int] = []
    for one, side in judged:
        place = standing(one, side, passages)
        off += [tokens_between(passages.text, one.spans[0][0], place[0])]
        off += [tokens_between(passages.text, one.spans[-1][1], place[1])]
    return tuple(off)


def standing(one: Planted, side: Span, passages: Passages) -> Span:
    """An entry's side beside an occurrence, also where a copy of its paragraph stands for it."""
    if side[0] < one.spans[-1][1] and one.spans[0][0] < side[1]:
        return side
    mine = [paragraph for span in one.spans for paragraph in passages.touched(span)]
    its = passages.touched(side)
    for paragraph in mine:
        for other in its:
            if passages.representative[paragraph] == passages.representative[other]:
                shift = passages.start[paragraph] - passages.start[other]
                return side[0] + shift, side[1] + shift
    return side


def tokens_between(text: bytes, a: int, b: int) -> int:
    """Words, whole or broken, between two byte places; far ones are more than anyone forgives."""
    if abs(a - b) > FAR_BYTES:
        return FAR_BYTES
    return len(words(text[min(a, b) : max(a, b)].decode("utf-8", "ignore")))


class Touch:
    """Which occurrences a span has bytes of, exact copies of paragraphs counting as the paragraph."""

    def __init__(self, truth: Sequence[Planted], passages: Passages) -> None:
        self._passages = passages
        self._at: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
        for number, one in enumerate(truth):
            if one.role != "decoy":
                for paragraph, low, high in passages.pieces(one.spans):
                    self._at[paragraph].append((low, high, number))

    def of(self, span: Span) -> set[int]:
        """Numbers of the occurrences."""
        return {
            number
            for paragraph, low, high in self._passages.pieces([span])
            for first, end, number in self._at.get(paragraph, ())
            if first < high and low < end
        }


def judge_entry(entry: Entry, truth: Sequence[Planted], touch: Touch) -> str:
    """`family`, `formula` (only a formula in common: not counted) or `stray`."""
    met: dict[str, set[int]] = defaultdict(set)
    kinds: set[str] = set()
    sides = [touch.of(span) for span in entry.sides]
    for number in sides[0]:
        met[truth[number].family].add(number)
    for other in sides[1:]:
        for number in other:
            if met.get(truth[number].family, set()) - {number}:
                kinds.add(truth[number].kind)
    if kinds - {"formula"}:
        return "family"
    return "formula" if kinds else "stray"


def formula_occurrences(truth: Sequence[Planted], passages: Passages, index: Index) -> tuple[int, int]:
    """(occurrences of formulas in an exact class or a group that cover them whole, all occurrences)."""
    inside, count = 0, 0
    for one in truth:
        if one.kind != "formula":
            continue
        count += 1
        size = length(one.spans)
        grouped = any(
            covered == size
            for rank, sides in index.cover(one.spans).items()
            if index.entries[rank].is_group
            for covered in sides.values()
        )
        if grouped or union([s for spans in passages.classes(one.spans).values() for s in spans]) == size:
            inside += 1
    return inside, count


def capped(pairs: Iterable[Pair]) -> tuple[int, int]:
    """Found and wanted partners when nobody in a large family needs more than 12 of them."""
    wanted: dict[tuple[str, int], list[bool]] = defaultdict(list)
    for pair in pairs:
        for number in (pair.left, pair.right):
            wanted[pair.family, number].append(pair.rank is not None)
    found = sum(min(PARTNERS, sum(hits)) for hits in wanted.values())
    return found, sum(min(PARTNERS, len(hits)) for hits in wanted.values())


def score(corpus: str, folder: Path, passages: Passages, entries: Sequence[Entry]) -> list[Figure]:
    """Every figure of one planted corpus."""
    truth = read_truth(folder, passages)
    index = Index(entries, passages)
    pairs = pairs_of(truth, passages, index)
    figures = recall(corpus, pairs)
    if any(entry.is_group for entry in entries):
        alone = recall(corpus, pairs_of(truth, passages, Index(two_sided(entries), passages)))
        named = [f for f in alone if f.queue is None and f.what in (*TARGETS, QUOTATION)]
        figures += [replace(f, what=f"{f.what}, left and right alone", target=None) for f in named]
    figures += strays(corpus, entries, truth, Touch(truth, passages))
    found, count = formula_occurrences(truth, passages, index)
    figures.append(Figure(corpus, "formula occurrences in a class or group", found, count, target=1.0))
    return figures


def recall(corpus: str, pairs: Sequence[Pair]) -> list[Figure]:
    """Recall by group at every queue length, by type and rate at the whole list, and the ends."""
    figures: list[Figure] = []
    groups: dict[str, list[Pair]] = defaultdict(list)
    parts: dict[str, list[Pair]] = defaultdict(list)
    for pair in pairs:
        groups[pair.group].append(pair)
        name = f"{pair.kind} at {pair.rate:g}" if pair.kind == "variant" else pair.kind
        if pair.kind == "quotation":
            name = f"{pair.group}, {'adapted' if pair.rate else 'verbatim'}"
        parts[name].append(pair)
    targets = TARGETS | {QUOTATION: 0.95}
    for name, mine in sorted(groups.items()):
        ranks = [pair.rank for pair in mine]
        for queue in QUEUES:
            target = targets.get(name) if queue is None else None
            figures.append(at_queue(corpus, name, ranks, queue=queue, target=target))
        found, wanted = capped(mine)
        if wanted != 2 * len(mine):
            figures.append(Figure(corpus, f"{name}, at most {PARTNERS} partners each", found, wanted))
    for name, mine in sorted(parts.items()):
        figures.append(at_queue(corpus, f"type {name}", [pair.rank for pair in mine], queue=None))
    for name, mine in sorted(groups.items()):
        if name in targets:
            figures += ends(corpus, name, mine, None if name.startswith("variant") else 0.97)
    variants = [pair for pair in pairs if pair.kind == "variant"]
    return figures + ends(corpus, "variants of all rates", variants, 0.93)


def ends(corpus: str, name: str, pairs: Sequence[Pair], target: float | None) -> list[Figure]:
    """Single ends, and pairs with all ends, within two tokens; pairs that a class links are exact anyhow."""
    judged = [pair.ends for pair in pairs if pair.ends]
    single = [off for one in judged for off in one]
    good = sum(off <= SLACK_TOKENS for off in single)
    whole = sum(max(one) <= SLACK_TOKENS for one in judged)
    return [
        Figure(corpus, f"ends within {SLACK_TOKENS} tokens: {name}", good, len(single), target=target),
        Figure(corpus, f"all ends of a pair within {SLACK_TOKENS} tokens: {name}", whole, len(judged)),
    ]


def strays(corpus: str, entries: Sequence[Entry], truth: Sequence[Planted], touch: Touch) -> list[Figure]:
    """Share of entries that touch no common family; those with only a formula in common are left out."""
    kinds = [judge_entry(entry, truth, touch) for entry in entries]
    at = [number for number, kind in enumerate(kinds, start=1) if kind == "stray"]
    figures = []
    for queue in QUEUES:
        counted = sum(kind != "formula" for kind in kinds[:queue])
        found = len(at) if queue is None else bisect_left(at, queue + 1)
        target = 0.02 if queue is None else None
        figures.append(Figure(corpus, "strays", found, counted, queue, target, at_least=False))
    figures.append(Figure(corpus, "entries", number=len(entries)))
    figures.append(Figure(corpus, "entries with a formula only in common", number=kinds.count("formula")))
    return figures
