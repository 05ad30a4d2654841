"""Whole paragraphs: items, fingerprints, verification and class witnesses of `exact_passage_bytes`.

Paragraph profiles use no member digest. Numbers come from a dictionary on the projected items' own bytes,
so grouping is by bytes; verification
reads the core buffer again.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from tekrar.core.atoms import Digest
from tekrar.core.encoding import u64
from tekrar.core.exact import Groups
from tekrar.core.occurrence import Paragraphs
from tekrar.core.preimage import masked_items, passage_head, passage_witness_head, sha256
from tekrar.core.projection import Treated
from tekrar.core.text import TextRelease
from tekrar.errors import IntegrityError

Bytes2D = NDArray[np.uint8]


class NamedParagraphs:
    """Projected paragraphs of one projection.

    Attributes:
        number: per row, equal for equal items.
    """

    def __init__(
        self, release: TextRelease, text: memoryview, universe: Paragraphs, masks: Treated | None
    ) -> None:
        self._text = text
        self._start, self._end = universe.start.tolist(), universe.end.tolist()
        self._masks: dict[int, list[tuple[int, int]]] = {}
        if masks is not None and universe.rows:
            rows = np.searchsorted(universe.end, masks.start, side="right")
            for row, low, high in zip(rows.tolist(), masks.start.tolist(), masks.end.tolist(), strict=True):
                if row < universe.rows and low >= self._start[row]:
                    base = self._start[row]
                    self._masks.setdefault(row, []).append((low - base, high - base))
        known: dict[bytes, int] = {}
        number = []
        for row, (start, end) in enumerate(zip(self._start, self._end, strict=True)):
            content = self.content(row) if row in self._masks else bytes(text[start:end])
            number.append(known.setdefault(content, len(known)))
        self.number = np.array(number, np.int64)

    def content(self, row: int) -> bytes:
        """The projected paragraph read from the buffer: its bytes, or 0xff and its items when a mask lies
        in it."""
        data = bytes(self._text[self._start[row] : self._end[row]])
        spans = self._masks.get(row)
        return data if spans is None else b"\xff" + masked_items(data, spans)[0]

    def length_and_items(self, row: int) -> bytes:
        """Projected length (u64) and items of one row: all of its preimage that depends on it."""
        data = bytes(self._text[self._start[row] : self._end[row]])
        spans = self._masks.get(row)
        if spans is None:
            size = len(data)
            return size.to_bytes(8, "big") + b"\x00\x00\x00\x01\x01" + size.to_bytes(4, "big") + data
        items, length = masked_items(data, spans)
        return u64(length) + items

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


def paragraph_fingerprints(
    named: NamedParagraphs, profile: bytes, evaluated: NDArray[np.int64], digest: Digest
) -> Bytes2D:
    """Fingerprints, uint8 (rows, 32), of the evaluated rows under a profile (UUID bytes); zero elsewhere."""
    out = np.zeros((len(named.number), 32), np.uint8)
    head = passage_head(profile)
    made: dict[int, bytes] = {}
    found = []
    for row, number in zip(evaluated.tolist(), named.number[evaluated].tolist(), strict=True):
        fingerprint = made.get(number)
        if fingerprint is None:
            fingerprint = made[number] = digest("fingerprint", head + named.length_and_items(row))
        found.append(fingerprint)
    if found:
        out[evaluated] = np.frombuffer(b"".join(found), np.uint8).reshape(-1, 32)
    return out


def paragraph_witnesses(named: NamedParagraphs, groups: Groups) -> Bytes2D:
    """Class witnesses, uint8 (groups, 32), from the representatives."""
    head = passage_witness_head()
    out = []
    for row in groups.first.tolist():
        out.append(sha256(head + named.length_and_items(row)))
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, 32)
