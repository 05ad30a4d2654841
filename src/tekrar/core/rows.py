"""Manifest records in bulk: fixed-width rows as numpy bytes, hashed chunk by chunk.

The same records as `tekrar.core.encoding.manifest_root`, for columns of millions of rows. A row is the delimited record
`lp(key) ‖ lp(value)` of fixed key and value widths (`docs/encoding.md` section 3).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import CHUNK_RECORDS, seal_root, tree_head, u32

Bytes2D = NDArray[np.uint8]


def big_endian(values: NDArray[Any], width: int) -> Bytes2D:
    """Integers as big-endian bytes, shape (n, width); width 1, 2, 4 or 8."""
    kind = {1: ">u1", 2: ">u2", 4: ">u4", 8: ">u8"}[width]
    return np.ascontiguousarray(values.astype(kind)).view(np.uint8).reshape(len(values), width)


def fixed_rows(key: Sequence[Bytes2D], value: Sequence[Bytes2D]) -> Bytes2D:
    """Delimited records, shape (n, 8 + key width + value width), from byte columns of shape (n, w)."""
    key_width = sum(part.shape[1] for part in key)
    value_width = sum(part.shape[1] for part in value)
    rows = np.empty((len(key[0]), 8 + key_width + value_width), np.uint8)
    rows[:, 0:4] = np.frombuffer(u32(key_width), np.uint8)
    at = 4
    for part in key:
        rows[:, at : at + part.shape[1]] = part
        at += part.shape[1]
    rows[:, at : at + 4] = np.frombuffer(u32(value_width), np.uint8)
    at += 4
    for part in value:
        rows[:, at : at + part.shape[1]] = part
        at += part.shape[1]
    return rows


def row_chunk_digests(rows: Bytes2D) -> list[bytes]:
    """Chunk digests of delimited rows; the first row must begin a chunk of the manifest."""
    full = hashlib.sha256(b"\x00" + u32(CHUNK_RECORDS))
    digests = []
    for start in range(0, len(rows), CHUNK_RECORDS):
        chunk = rows[start : start + CHUNK_RECORDS]
        state = full.copy() if len(chunk) == CHUNK_RECORDS else hashlib.sha256(b"\x00" + u32(len(chunk)))
        state.update(chunk)
        digests.append(state.digest())
    return digests


def rows_root(kind: str, scope: bytes, rows: Bytes2D) -> bytes:
    """Manifest root of delimited rows in key order."""
    return seal_root(kind, scope, len(rows), tree_head(row_chunk_digests(rows)))
