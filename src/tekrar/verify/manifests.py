"""Manifests as the verifier hashes them: records in key order, chunks of 256, one root (docs/encoding.md
section 3).

Serves ADR-009 *Publication and rebuild closure* ("individually rooted manifests"). Records are laid out
block by block, so that a manifest of many million rows needs no more memory than one block. The same object
gives roots (verification) and single chunks with their path (inclusion proofs).
"""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import CHUNK_RECORDS, chunk_digest, lp, seal_root, tree_head

Bytes2D = NDArray[np.uint8]
BLOCK_ROWS: Final = 256 * CHUNK_RECORDS


class Manifest(ABC):
    """A manifest: `kind`, `scope` bytes, `count` records.

    `records(low, high)` gives some of them, length-delimited.
    """

    def __init__(self, kind: str, scope: bytes, count: int) -> None:
        self.kind = kind
        self.scope = scope
        self.count = count

    @abstractmethod
    def records(self, low: int, high: int) -> list[bytes]:
        """Records low..high-1, each `lp(key) lp(value)`."""

    def leaves(self) -> list[bytes]:
        """Digests of the chunks, in order."""
        return [
            chunk_digest(self.records(low, min(low + CHUNK_RECORDS, self.count)))
            for low in range(0, self.count, CHUNK_RECORDS)
        ]

    def root(self) -> bytes:
        """The manifest's root."""
        return seal_root(self.kind, self.scope, self.count, tree_head(self.leaves()))


class FixedManifest(Manifest):
    """Records of one width; keys and values come as byte matrices for any range of rows.

    Args:
        keys: called with (low, high), gives (high - low, key width).
        values: likewise; None for empty values.
    """

    def __init__(
        self,
        kind: str,
        scope: bytes,
        count: int,
        *,
        keys: Callable[[int, int], Bytes2D],
        values: Callable[[int, int], Bytes2D] | None = None,
    ) -> None:
        super().__init__(kind, scope, count)
        self._keys = keys
        self._values = values

    def _laid_out(self, low: int, high: int) -> Bytes2D:
        keys = self._keys(low, high)
        values = np.zeros((high - low, 0), np.uint8) if self._values is None else self._values(low, high)
        width, extra = keys.shape[1], values.shape[1]
        rows = np.empty((high - low, 8 + width + extra), np.uint8)
        rows[:, :4] = big_endian(width, 4)
        rows[:, 4 : 4 + width] = keys
        rows[:, 4 + width : 8 + width] = big_endian(extra, 4)
        rows[:, 8 + width :] = values
        return rows

    def records(self, low: int, high: int) -> list[bytes]:
        """Records low..high-1."""
        return [row.tobytes() for row in self._laid_out(low, high)]

    def leaves(self) -> list[bytes]:
        """Digests of the chunks, hashed from one buffer a block."""
        found = []
        for low in range(0, self.count, BLOCK_ROWS):
            rows = self._laid_out(low, min(low + BLOCK_ROWS, self.count))
            data = rows.data.cast("B")
            width = rows.shape[1]
            for at in range(0, len(rows), CHUNK_RECORDS):
                size = min(CHUNK_RECORDS, len(rows) - at)
                state = hashlib.sha256(b"\x00" + size.to_bytes(4, "big"))
                state.update(data[at * width : (at + size) * width])
                found.append(state.digest())
        return found


class ListManifest(Manifest):
    """Records that were listed one by one: (key, value) pairs in key order."""

    def __init__(self, kind: str, scope: bytes, pairs: Sequence[tuple[bytes, bytes]]) -> None:
        super().__init__(kind, scope, len(pairs))
        self._pairs = pairs

    def records(self, low: int, high: int) -> list[bytes]:
        """Records low..high-1."""
        return [lp(key) + lp(value) for key, value in self._pairs[low:high]]


def big_endian(values: NDArray[Any] | int, width: int) -> Bytes2D:
    """Unsigned big-endian bytes of numbers, shape (n, width); width 1, 4 or 8."""
    kind = {1: ">u1", 4: ">u4", 8: ">u8"}[width]
    return np.atleast_1d(np.asarray(values)).astype(kind).view(np.uint8).reshape(-1, width)
