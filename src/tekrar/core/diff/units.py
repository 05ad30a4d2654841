"""The units of a passage: words, gaps and boundaries, each with its byte range.

A boundary is a separator of the structure (inter_sentence, inter_paragraph) or a masked note marker; a word
is a token of `TOKENIZER`, cut sentence by sentence and never across a boundary; a gap is all the bytes
between two neighbours of those kinds. Separators of no bytes are no units: there is nothing to cover. Two
units are equal when their keys are: a word or gap by its exact bytes, a separator by its kind and bytes, a
mask by its kind alone, which is all that the projection keeps of it (ADR-009 *Annotation projections*).
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import accumulate, compress, count
from typing import Final

import numpy as np

from tekrar.core.diff.lcs import places_of
from tekrar.core.policy import ATOM_INTER_SENTENCE, ATOM_SENTENCE
from tekrar.core.text import TextRelease
from tekrar.core.token import Ints, pieces, tokens
from tekrar.errors import UsageError

#: Most units of one endpoint. Part of the algorithm: above it there is no diff, never another algorithm.
MAX_UNITS: Final = 1 << 16

GAP: Final = 0
WORD: Final = 1
BOUNDARY: Final = 2
#: Kinds of what `pieces` gives.
_IN_TURN: Final = bytes([GAP, WORD])

#: No UTF-8 holds this byte, so that a boundary's key is no word's and no gap's.
_TYPED: Final = b"\xff"

#: Byte range and kind: inter_sentence, inter_paragraph or note_marker.
Boundary = tuple[int, int, str]


@dataclass(frozen=True)
class Units:
    """A passage cut into units that tile it.

    Attributes:
        text: bytes that hold the passage: those of its release, from `base` on.
        start, end: the passage, in bytes of the release.
        edge: first byte of every unit, then `end`.
        kind: GAP, WORD or BOUNDARY per unit, a byte each.
        key: per unit what it is compared by.
        base: where `text` begins in its release.
    """

    text: bytes
    start: int
    end: int
    edge: list[int]
    kind: bytes
    key: list[bytes]
    base: int = 0

    def moved(self, by: int) -> Units:
        """The same units of a text that begins at byte `by` of its release: only places change."""
        edge = [place + by for place in self.edge]
        return replace(self, start=self.start + by, end=self.end + by, edge=edge, base=self.base + by)

    def bytes_of(self, start: int, end: int) -> bytes:
        """The bytes between two places of the release, both inside the passage."""
        return self.text[start - self.base : end - self.base]

    def at(self, byte: int) -> int:
        """Position of the unit that begins at a byte, that after the last for `end`, -1 inside a unit."""
        edge = self.edge
        place = bisect_right(edge, byte) - 1  # of a byte before the first the last edge, which is beyond it
        return place if edge[place] == byte else -1

    @cached_property
    def solid(self) -> Sequence[int]:
        """Positions of the words and boundaries."""
        kind = self.kind
        first = 0 if kind and kind[0] else 1
        if GAP not in kind[first::2] and not kind[1 - first :: 2].strip(b"\0"):
            return range(first, len(kind), 2)  # every other unit is a gap
        return list(compress(count(), kind))  # GAP is 0

    @cached_property
    def solid_key(self) -> list[bytes]:
        """Keys of the words and boundaries."""
        places = self.solid
        return (
            self.key[places.start :: 2] if isinstance(places, range) else list(compress(self.key, self.kind))
        )

    @cached_property
    def places(self) -> dict[Hashable, int]:
        """Bits of the places of each word and boundary among them (`lcs.places_of`)."""
        return places_of(self.solid_key)

    def witness(self) -> bytes:
        """The bytes that a profile compares, masks replaced by their typed marker."""
        return b"".join(self.key)


def units_of(
    text: bytes,
    *,
    start: int = 0,
    end: int | None = None,
    boundaries: Sequence[Boundary] = (),
    words: Ints | None = None,
) -> Units:
    """The units of a byte range.

    Args:
        text: the bytes that hold it.
        start, end: the passage; the whole text by default.
        boundaries: separators and masks inside it, ascending and disjoint.
        words: the words, ascending, none across a boundary, when they are known already.

    Raises:
        UsageError: more than `MAX_UNITS` units (kind diff_too_large).
        IntegrityError: the range is no UTF-8 or cuts a character.
    """
    stop = len(text) if end is None else end
    if stop - start > MAX_UNITS:  # shorter ones cannot have too many: a unit has a byte
        _refuse_longer(text, start, stop, boundaries, words)
    edge: list[int] = []
    kind = bytearray()
    key: list[bytes] = []
    at = start
    for low, high, name in [*boundaries, (stop, stop, "")]:
        if at < low:
            _cut(text, at, low, words, into=(edge, kind, key))
        if high > low:
            edge.append(low)
            kind.append(BOUNDARY)
            key.append(_boundary_key(name, text[low:high]))
        at = high
    edge.append(stop)
    if len(key) > MAX_UNITS:
        raise _too_large(start, stop, len(key))
    return Units(text, start, stop, edge, bytes(kind), key)


def _cut(
    text: bytes, start: int, end: int, words: Ints | None, *, into: tuple[list[int], bytearray, list[bytes]]
) -> None:
    """First bytes, kinds and keys of the words and gaps of a stretch between boundaries."""
    if words is None:
        found = pieces(text, start=start, end=end)
    else:
        bounds = _between(words, start, end).ravel().tolist()
        found = [text[a:b] for a, b in zip([start, *bounds], [*bounds, end], strict=True)]
    kinds = _IN_TURN * (len(found) // 2) + _IN_TURN[:1]
    low, high = (0 if found[0] else 1), (len(found) if found[-1] else len(found) - 1)
    if b"" in found[low:high]:  # words side by side
        kinds = bytes(compress(kinds, found))
        found = list(filter(None, found))
    else:
        kinds, found = kinds[low:high], found[low:high]
    edge, kind, key = into
    kind += kinds
    key += found
    del found[-1]
    edge += accumulate(map(len, found), initial=start)


def _between(words: Ints, start: int, end: int) -> Ints:
    low, high = np.searchsorted(words[:, 0], [start, end])
    return words[low:high]


def _boundary_key(name: str, content: bytes) -> bytes:
    kept = b"" if name == "note_marker" else content
    return _TYPED + name.encode("ascii") + _TYPED + kept + _TYPED


def _refuse_longer(
    text: bytes, start: int, end: int, boundaries: Sequence[Boundary], words: Ints | None
) -> None:
    """Refuse a passage of too many words before lists are made of them."""
    known = tokens(text, start=start, end=end) if words is None else words
    if max(len(known) - 1, 0) + len(boundaries) > MAX_UNITS:
        raise _too_large(start, end, len(known) + len(boundaries))


def _too_large(start: int, end: int, count: int) -> UsageError:
    return UsageError(
        "the passage has too many units for a diff",
        where=f"bytes {start}..{end}, {count} words, gaps and boundaries or more",
        expected=f"at most {MAX_UNITS} on either side",
        mend="compare smaller passages, such as the paragraphs inside",
        kind="diff_too_large",
    )


def boundaries_of(
    release: TextRelease, start: int, end: int, *, masks: Sequence[tuple[int, int]] = ()
) -> list[Boundary]:
    """Structural separators of a range of a release, and the masks of a projection in it.

    A range that begins or ends inside a separator holds that part of it. A separator of no bytes stays in
    the list, as a place that no word crosses.

    Args:
        release: the release.
        start, end: the range, in bytes.
        masks: masked spans, ascending and disjoint; a separator that meets one is cut round it.
    """
    first = int(np.searchsorted(release.atom_end, start, side="left"))
    last = int(np.searchsorted(release.atom_start, end, side="right"))
    columns = (release.atom_kind, release.atom_start, release.atom_end)
    atoms = zip(*(column[first:last].tolist() for column in columns), strict=True)
    return boundaries_in(atoms, start, end, masks=masks)


def boundaries_in(
    atoms: Iterable[tuple[int, int, int]], start: int, end: int, *, masks: Sequence[tuple[int, int]] = ()
) -> list[Boundary]:
    """As `boundaries_of`, from the kind, start and end of every separator that meets the range."""
    found: list[Boundary] = []
    spans = [(max(a, start), min(b, end)) for a, b in masks if a < end and start < b]
    for code, low, high in atoms:
        if code != ATOM_SENTENCE and low <= end and start <= high:
            name = "inter_sentence" if code == ATOM_INTER_SENTENCE else "inter_paragraph"
            found += [(a, b, name) for a, b in _outside(max(low, start), min(high, end), spans)]
    found += [(a, b, "note_marker") for a, b in spans]
    return sorted(found)


def _outside(low: int, high: int, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
    """What is left of a range without some spans; an empty range stays as it is."""
    pieces, at = [], low
    for a, b in spans:
        if a < high and low < b:
            if a > at:
                pieces.append((at, a))
            at = b
    return [*pieces, (at, high)] if at < high or (not pieces and at == low) else pieces
