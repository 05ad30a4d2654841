"""Whole paragraphs: items, fingerprints, verification and class witnesses of `exact_passage_bytes`.

Paragraph profiles use no member digest. Numbers come from a dictionary on the projected items' own bytes, so
grouping is by bytes; verification reads the core buffer again.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tekrar.core.atoms import Digest, standard_digest
from tekrar.core.encoding import u64
from tekrar.core.exact import Groups
from tekrar.core.occurrence import Paragraphs
from tekrar.core.preimage import masked_items, passage_head, passage_witness_head
from tekrar.core.projection import Treated
from tekrar.core.rows import TextDigests, big_endian, slices
from tekrar.errors import IntegrityError

Bytes2D = NDArray[np.uint8]
Ints = NDArray[np.int64]
_ONE_ITEM = b"\x00\x00\x00\x01\x01"  # item count 1, BYTES


class NamedParagraphs:
    """Projected paragraphs of one projection.

    Attributes:
        number: per row, equal for equal items.
    """

    def __init__(
        self,
        text: memoryview,
        universe: Paragraphs,
        masks: Treated | None,
        *,
        plain: NamedParagraphs | None = None,
    ) -> None:
        """Name every row; `plain` are the unmasked paragraphs of the same universe, whose numbers hold
        wherever no mask lies."""
        self._text = text
        self._start, self._end = universe.start, universe.end
        self._masks = _masks_of(universe, masks)
        if plain is None:
            self._known: dict[bytes, int] = {}
            known = self._known
            found = [known.setdefault(data, len(known)) for data in slices(text, self._start, self._end)]
            self.number = np.array(found, np.int64)
        else:
            self._known, self.number = plain._known, plain.number.copy()
        self._is_masked = np.zeros(universe.rows, bool)
        self._is_masked[list(self._masks)] = True
        for row in self._masks:
            self.number[row] = self._known.setdefault(self.content(row), len(self._known))

    def content(self, row: int) -> bytes:
        """The projected paragraph read from the buffer: its bytes, or 0xff and its items when a mask lies
        in it."""
        spans = self._masks.get(row)
        return self._bytes(row) if spans is None else b"\xff" + masked_items(self._bytes(row), spans)[0]

    def _bytes(self, row: int) -> bytes:
        return bytes(self._text[int(self._start[row]) : int(self._end[row])])

    def digests(
        self, purpose: str | None, head: bytes, rows: Ints, *, digests: TextDigests, digest: Digest
    ) -> Bytes2D:
        """Digests, uint8 (rows, 32), of head ‖ projected length ‖ items of every row.

        Args:
            purpose: `fingerprint` where `digest` may replace SHA-256, else None and the standard digest.
        """
        out = np.empty((len(rows), 32), np.uint8)
        masked = self._is_masked[rows]
        for at in np.flatnonzero(masked).tolist():
            row = int(rows[at])
            items, length = masked_items(self._bytes(row), self._masks[row])
            out[at] = np.frombuffer(digest(str(purpose), head + u64(length) + items), np.uint8)
        chosen = rows[~masked]
        start, end = self._start[chosen], self._end[chosen]
        size, at = end - start, len(head)
        frames = np.empty((len(chosen), at + 17), np.uint8)
        frames[:, :at] = np.frombuffer(head, np.uint8)
        frames[:, at : at + 8] = big_endian(size, 8)
        frames[:, at + 8 : at + 13] = np.frombuffer(_ONE_ITEM, np.uint8)
        frames[:, at + 13 :] = big_endian(size, 4)
        out[~masked] = digests(purpose, frames, self._text, start, end)
        return out

    def verify(self, groups: Groups) -> None:
        """Compare every member's bytes, read again, with its representative's.

        Raises:
            IntegrityError: they differ now: the buffer changed after it was fingerprinted.
        """
        bounds, rows = groups.offset.tolist(), groups.rows.tolist()
        for low, high in pairwise(bounds):
            expected = self.content(rows[low])
            for row in rows[low + 1 : high]:
                if self.content(row) != expected:
                    raise IntegrityError(
                        "witness bytes changed between fingerprint and verification",
                        where=f"release byte {self._start[row]}",
                        expected="the bytes that were fingerprinted",
                        mend="build again from an unchanging text release",
                        kind="witness_changed",
                    )


def _masks_of(universe: Paragraphs, masks: Treated | None) -> dict[int, list[tuple[int, int]]]:
    """Mask spans by row, relative to the paragraph they lie in."""
    found: dict[int, list[tuple[int, int]]] = {}
    if masks is None or not universe.rows:
        return found
    rows = np.searchsorted(universe.end, masks.start, side="right")
    for row, low, high in zip(rows.tolist(), masks.start.tolist(), masks.end.tolist(), strict=True):
        if row < universe.rows and low >= universe.start[row]:
            base = int(universe.start[row])
            found.setdefault(row, []).append((low - base, high - base))
    return found


def paragraph_fingerprints(
    named: NamedParagraphs, profile: bytes, evaluated: Ints, *, digests: TextDigests, digest: Digest
) -> Bytes2D:
    """Fingerprints, uint8 (rows, 32), of the evaluated rows under a profile (UUID bytes); zero elsewhere.

    Each distinct content is hashed once."""
    out = np.zeros((len(named.number), 32), np.uint8)
    _, first, which = np.unique(named.number[evaluated], return_index=True, return_inverse=True)
    head = passage_head(profile)
    made = named.digests("fingerprint", head, evaluated[first], digests=digests, digest=digest)
    out[evaluated] = made.take(which, axis=0)
    return out


def paragraph_witnesses(named: NamedParagraphs, groups: Groups, *, digests: TextDigests) -> Bytes2D:
    """Class witnesses, uint8 (groups, 32), from the representatives."""
    return named.digests(None, passage_witness_head(), groups.first, digests=digests, digest=standard_digest)
