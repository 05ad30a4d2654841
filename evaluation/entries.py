"""The candidates as they are exported (contract C10, best first), and which occurrences an entry covers.

An entry has two sides; one that carries `places` (a list of sides) is a *group* and speaks of each of them.
"""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from evaluation.passages import EvaluationError, Passages, Span, Spans, enough, length


@dataclass(frozen=True)
class Entry:
    """One line of the list.

    Attributes:
        rank: its place in the list, from 1.
        sides: spans of left and right; of a group, those of all its places after them.
        record: the line.
    """

    rank: int
    sides: tuple[Span, ...]
    record: dict[str, Any] = field(default_factory=dict, compare=False)

    @property
    def is_group(self) -> bool:
        """Whether the entry lists more places than two."""
        return bool(self.record.get("places"))


def two_sided(entries: Iterable[Entry]) -> list[Entry]:
    """The entries as a reader sees them who knows of no groups: left and right alone."""
    return [Entry(entry.rank, entry.sides[:2]) for entry in entries]


def read_entries(path: Path, passages: Passages) -> list[Entry]:
    """All entries of a JSON-lines file in the order of the file, which is their rank.

    Raises:
        EvaluationError: a line is no C10 record, or its extents are not those of this corpus.
    """
    found = []
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                record = json.loads(line)
                sides = [record["left"], record["right"], *record.get("places", ())]
                spans = tuple(_span(side, passages) for side in sides)
            except (KeyError, TypeError, ValueError) as error:
                raise EvaluationError(
                    f"{path.name}, line {number}: {error!r}; expected a candidate as contract C10 says"
                ) from error
            if record.get("rank", number) != number:
                raise EvaluationError(
                    f"{path.name}, line {number}: rank {record['rank']}; expected ranks 1, 2, 3 … in order"
                )
            found.append(Entry(number, spans, record))
    return found


def _span(side: dict[str, Any], passages: Passages) -> Span:
    start, end = int(side["start"]), int(side["end"])
    if not 0 <= start < end <= len(passages.text):
        raise ValueError(f"extent {start}..{end} outside the text of {len(passages.text)} bytes")
    for at in (start, end):
        if at < len(passages.text) and passages.text[at] & 0xC0 == 0x80:
            raise ValueError(f"byte {at} lies inside a character")
    if side.get("para_start") is not None:
        touched = passages.touched((start, end))
        if not touched or passages.start[touched[0]] + int(side["para_start"]) != start:
            raise ValueError(f"start {start} is not para_start {side['para_start']} of its paragraph")
        if side.get("ord") != passages.ord[touched[0]]:
            raise ValueError(f"ord {side.get('ord')} is not the paragraph of byte {start}")
    return start, end


#: Bytes of an occurrence that each side of each entry covers: rank -> side -> bytes.
Cover = dict[int, dict[int, int]]


class Index:
    """Entries by the paragraphs (representatives) that their sides have bytes of."""

    def __init__(self, entries: Iterable[Entry], passages: Passages) -> None:
        self.passages = passages
        self.entries: dict[int, Entry] = {}
        self._at: dict[int, list[tuple[int, int, int, int]]] = defaultdict(list)
        for entry in entries:
            self.entries[entry.rank] = entry
            for number, span in enumerate(entry.sides):
                for paragraph, low, high in passages.pieces([span]):
                    self._at[paragraph].append((entry.rank, number, low, high))

    def cover(self, spans: Spans) -> Cover:
        """What covers an occurrence, exact copies of its paragraphs counting as it."""
        found: Cover = {}
        for paragraph, low, high in self.passages.pieces(spans):
            here: dict[tuple[int, int], int] = {}
            for rank, side, first, end in self._at.get(paragraph, ()):
                shared = min(high, end) - max(low, first)
                if shared > here.get((rank, side), 0):
                    here[rank, side] = shared
            for (rank, side), shared in here.items():
                sides = found.setdefault(rank, {})
                sides[side] = sides.get(side, 0) + shared
        return found


@dataclass(frozen=True)
class Found:
    """Where a pair was found: in which entry, and by which of its sides."""

    rank: int
    left: int
    right: int


def find(a: Cover, b: Cover, shorter: int) -> Found | None:
    """The best entry that covers enough of one occurrence on one side and of the other on another side."""
    small, large = (a, b) if len(a) <= len(b) else (b, a)
    for rank in sorted(small):
        if rank not in large:
            continue
        for left, covered in a[rank].items():
            for right, other in b[rank].items():
                if left != right and enough(covered, other, shorter):
                    return Found(rank, left, right)
    return None


def find_pairs(
    index: Index, pairs: Sequence[tuple[Spans, Spans]], *, share_of_both: bool = False
) -> Iterator[Found | None]:
    """Each pair's best entry; with `share_of_both` half of each occurrence counts, not of the shorter."""
    for left, right in pairs:
        if share_of_both:
            yield _find_halves(index.cover(left), index.cover(right), length(left), length(right))
        else:
            yield find(index.cover(left), index.cover(right), min(length(left), length(right)))


def _find_halves(a: Cover, b: Cover, of_a: int, of_b: int) -> Found | None:
    for rank in sorted(a.keys() & b.keys()):
        for left, covered in a[rank].items():
            for right, other in b[rank].items():
                if left != right and enough(covered, covered, of_a) and enough(other, other, of_b):
                    return Found(rank, left, right)
    return None


def touches(
    index: Index, a: Spans, b: Spans, *, least: tuple[int, int] = (1, 1), percent: int = 100
) -> int | None:
    """Rank of the best entry that holds, on two sides, this many bytes (or percent of them) of each."""
    one, other = index.cover(a), index.cover(b)
    for rank in sorted(one.keys() & other.keys()):
        for left, covered in one[rank].items():
            for right, also in other[rank].items():
                if left != right and 100 * covered >= percent * least[0] and 100 * also >= percent * least[1]:
                    return rank
    return None
