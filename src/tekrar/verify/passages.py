"""Projected content, written out from docs/encoding.md sections 5 and 6: items, members, folds, exact names.

Names are given by comparing the projected bytes themselves (the keys of a dictionary), never by a digest:
two rows have one name exactly when their preimages are equal (ADR-009 *Exact comparison*; requirements
3.3).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import lp, u8, u16, u32
from tekrar.core.text import TextRelease
from tekrar.verify.universe import LONGEST_RUN, MASKED, Spans

Ints = NDArray[np.int64]
MASK_FORMAT: Final = u16(1)
MASK_ITEM: Final = b"\x02" + lp(b"note_marker")
SENTENCE_TAG: Final = lp(b"tekrar/sentence/v1") + MASK_FORMAT
FOLD_TAG: Final = lp(b"tekrar/fold/v1") + MASK_FORMAT
INLINE_GAP: Final = 26
FOLDED: Final = 3


@dataclass(frozen=True)
class Projected:
    """Content of a run profile's sentences under one projection.

    Attributes:
        first: MEMBER record of every sentence as a run's first member.
        inner: MEMBER record of every sentence after the one before it; b"" where a chapter starts.
        sentence_name, step_name: equal numbers for equal items; a step is a gap and the sentence after it,
            -1 at a chapter's start.
    """

    first: list[bytes]
    inner: list[bytes]
    sentence_name: Ints
    step_name: Ints


def items_of(text: bytes, start: int, end: int, masks: Sequence[tuple[int, int]]) -> tuple[bytes, int]:
    """Item bytes (count first) and projected length of an extent; masks ascend and lie inside it."""
    if start == end:
        return u32(0), 0
    if not masks:
        data = text[start:end]
        return b"\x00\x00\x00\x01\x01" + lp(data), len(data)
    items, at, length = [], start, 0
    for low, high in masks:
        if low > at:
            items.append(b"\x01" + lp(text[at:low]))
            length += low - at
        items.append(MASK_ITEM)
        at = high
    if at < end:
        items.append(b"\x01" + lp(text[at:end]))
        length += end - at
    return u32(len(items)) + b"".join(items), length


class Masks:
    """Masked spans of a projection: which of them lie in an extent."""

    def __init__(self, spans: Sequence[Spans]) -> None:
        chosen = [s for s in spans if s.treatment == MASKED]
        self._spans = chosen[0] if chosen else None

    def inside(self, low: Ints, high: Ints) -> Iterator[Sequence[tuple[int, int]]]:
        """The masked spans of each extent."""
        if self._spans is None:
            for _ in range(len(low)):
                yield ()
            return
        a, b = self._spans.touched(low, high)
        start, end = self._spans.start.tolist(), self._spans.end.tolist()
        for i, j in zip(a.tolist(), b.tolist(), strict=True):
            yield [(start[n], end[n]) for n in range(i, j)] if i < j else ()


def project_sentences(release: TextRelease, masks: Masks) -> Projected:
    """Member records and names of every sentence and step."""
    text = release.text
    atom_of = release.sentence_atom
    opens = np.zeros(len(atom_of) + 1, bool)
    opens[release.chapter_sentence_start] = True
    gaps = _Gaps(release, masks)
    names: dict[bytes, int] = {}
    steps: dict[tuple[object, int], int] = {}
    first, inner, sentence_name, step_name = [], [], [], []
    low, high = release.sentence_start, release.sentence_end
    inside = masks.inside(low, high)
    previous = 0
    for start, end, atom, opened, masked in zip(
        low.tolist(), high.tolist(), atom_of.tolist(), opens[:-1].tolist(), inside, strict=True
    ):
        items, length = items_of(text, start, end, masked)
        name = names.setdefault(items, len(names))
        digest = hashlib.sha256(SENTENCE_TAG + items).digest()
        first.append(bytes(2) + u32(length) + bytes(INLINE_GAP) + digest)
        sentence_name.append(name)
        if opened:
            inner.append(b"")
            step_name.append(-1)
        else:
            gap, record = gaps.member(previous + 1, atom, u32(length), digest)
            inner.append(record)
            step_name.append(steps.setdefault((gap, name), len(steps)))
        previous = atom
    return Projected(first, inner, np.array(sentence_name, np.int64), np.array(step_name, np.int64))


class _Gaps:
    """The separators between two sentences of a chapter."""

    def __init__(self, release: TextRelease, masks: Masks) -> None:
        self._text = release.text
        self._kind = release.atom_kind.tolist()
        self._start = release.atom_start.tolist()
        self._end = release.atom_end.tolist()
        separators = np.flatnonzero(release.atom_kind != 0)
        found = masks.inside(release.atom_start[separators], release.atom_end[separators])
        self._masked = {
            atom: tuple(spans) for atom, spans in zip(separators.tolist(), found, strict=True) if spans
        }

    def member(self, low: int, high: int, length: bytes, digest: bytes) -> tuple[object, bytes]:
        """A name for the gap of atoms low..high-1, and the MEMBER record of the sentence after it."""
        if high - low == 1 and low not in self._masked:
            gap = self._text[self._start[low] : self._end[low]]
            if len(gap) <= INLINE_GAP:
                kind = self._kind[low]
                return (kind, gap), u8(kind) + u8(len(gap)) + length + gap.ljust(INLINE_GAP, b"\x00") + digest
        atoms = b"".join(
            u8(self._kind[atom])
            + items_of(self._text, self._start[atom], self._end[atom], self._masked.get(atom, ()))[0]
            for atom in range(low, high)
        )
        folded = u32(high - low) + atoms
        fold = hashlib.sha256(FOLD_TAG + folded + digest).digest()
        return folded, u8(FOLDED) + u8(0) + length + bytes(INLINE_GAP) + fold


def repeated_runs(projected: Projected, reach: NDArray[np.int32]) -> Iterator[tuple[int, Ints, Ints]]:
    """Runs whose content occurs more than once: (length, start sentences ascending, name).

    Equal names of one length mean equal sentences and equal gaps, by induction over the length: a name is
    interned from the shorter run's name and the next step. A run that is alone cannot have a longer one
    that is not, so it is left out.
    """
    steps = int(projected.step_name.max(initial=0)) + 1
    at = np.flatnonzero(reach >= 2)
    name = projected.sentence_name[at]
    for length in range(2, LONGEST_RUN + 1):
        code = name * steps + projected.step_name[at + length - 1]
        _, name, count = np.unique(code, return_inverse=True, return_counts=True)
        again = count[name] > 1
        at, name = at[again], name[again]
        yield length, at, name
        longer = reach[at] > length
        at, name = at[longer], name[longer]


def passage_items(release: TextRelease, start: Ints, end: Ints, masks: Masks) -> Iterator[tuple[bytes, int]]:
    """Item bytes and projected length of whole paragraphs."""
    for low, high, masked in zip(start.tolist(), end.tolist(), masks.inside(start, end), strict=True):
        yield items_of(release.text, low, high, masked)
