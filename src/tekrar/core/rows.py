"""Manifest records in bulk: fixed-width rows as numpy bytes, hashed chunk by chunk.

The same records as `tekrar.core.encoding.manifest_root`, for columns of millions of rows. A row is the
delimited record `lp(key) ‖ lp(value)` of fixed key and value widths (`docs/encoding.md` section 3). A part of
a record is a byte column, uint8 (n, w), or a pair (integers, width) that is written big-endian. Rows are
assembled as packed structs, which is many times faster than by slices.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import repeat
from operator import add
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import CHUNK_RECORDS, seal_root, tree_head, u32

Bytes2D = NDArray[np.uint8]
Ints = NDArray[np.int64]
TextDigests = Callable[[str | None, Bytes2D, memoryview, Ints, Ints], Bytes2D]
_CHUNK_HEAD = b"\x00" + u32(CHUNK_RECORDS)
Part = Bytes2D | tuple[NDArray[Any], int]


def slices(text: memoryview, start: Ints, end: Ints) -> Iterator[bytes]:
    """The bytes text[start[j] : end[j]], read one after the other."""
    whole = text.obj
    places = map(slice, start.tolist(), end.tolist())
    if type(whole) is bytes and len(whole) == text.nbytes:
        return map(whole.__getitem__, places)  # saves one object a slice
    return map(bytes, map(text.__getitem__, places))


def distinct_slices(text: memoryview, start: Ints, end: Ints) -> tuple[Ints, Ints]:
    """Numbers of slices, equal for equal bytes, and the first slice that bears each number.

    Meant for separators: slices of one or two bytes are numbered without an object each.
    """
    size = end - start
    octets = np.concatenate([np.frombuffer(text, np.uint8), np.zeros(2, np.uint8)])
    first, second = octets[start].astype(np.int64), octets[start + 1].astype(np.int64)
    code = np.choose(np.minimum(size, 2), [np.zeros_like(size), 1 + first, 257 + 256 * first + second])
    which, count = dense_numbers(np.where(size <= 2, code, 0))
    longer = np.flatnonzero(size > 2)
    known: dict[bytes, int] = {}
    which[longer] = [
        known.setdefault(data, count + len(known)) for data in slices(text, start[longer], end[longer])
    ]
    bearer = np.full(count + len(known), -1, np.int64)
    bearer[which[::-1]] = np.arange(len(which))[::-1]  # the last write, that of the first slice, stays
    if count and bearer[0] < 0:  # only longer slices were given the code of no byte
        which, bearer = which - 1, bearer[1:]
    return which, bearer


def dense_numbers(code: Ints) -> tuple[Ints, int]:
    """Small non-negative codes renumbered without holes, in their order, and how many there are."""
    seen = np.zeros(int(code.max(initial=-1)) + 1, bool)
    seen[code] = True
    return (np.cumsum(seen) - 1)[code], int(seen.sum())


def framed(frames: Bytes2D, text: memoryview, start: Ints, end: Ints) -> Iterator[bytes]:
    """The messages frame j ‖ text[start[j] : end[j]]; one frame, uint8 (1, w), stands for all."""
    data, width = frames.tobytes(), frames.shape[1]
    own = [data[i * width : (i + 1) * width] for i in range(len(frames))]
    heads = repeat(data) if len(frames) == 1 else own
    return map(add, heads, slices(text, start, end))


def text_digests(purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints) -> Bytes2D:
    """SHA-256, uint8 (n, 32), of the messages of `framed`, whatever the purpose: the reference of every
    engine's."""
    sha256 = hashlib.sha256
    found = [sha256(message).digest() for message in framed(frames, text, start, end)]
    return np.frombuffer(b"".join(found), np.uint8).reshape(-1, 32)


def big_endian(values: Ints, width: int) -> Bytes2D:
    """Unsigned big-endian bytes, uint8 (n, width)."""
    return np.ascontiguousarray(values).astype(f">u{width}").view(np.uint8).reshape(-1, width)


def _width(part: Part) -> int:
    return part[1] if isinstance(part, tuple) else int(part.shape[1])


def _length(part: Part) -> int:
    return len(part[0] if isinstance(part, tuple) else part)


@cache
def _layout(key: tuple[tuple[int, bool], ...], value: tuple[tuple[int, bool], ...]) -> np.dtype[Any]:
    """Packed struct of one record; a part is (width, is an integer)."""
    fields: list[tuple[str, str]] = [("key", ">u4")]
    for name, parts in (("k", key), ("v", value)):
        if name == "v":
            fields.append(("value", ">u4"))
        fields += [
            (f"{name}{i}", f">u{width}" if number else f"V{width}") for i, (width, number) in enumerate(parts)
        ]
    return np.dtype(fields)


def _record(key: Sequence[Part], value: Sequence[Part]) -> np.dtype[Any]:
    shapes = [tuple((_width(part), isinstance(part, tuple)) for part in parts) for parts in (key, value)]
    return _layout(*shapes)


def _frame(rows: NDArray[Any]) -> None:
    """Write the two lengths of every record."""
    names = rows.dtype.names or ()
    for length, parts in (("key", "k"), ("value", "v")):
        rows[length] = sum(rows.dtype[n].itemsize for n in names if n[0] == parts and n[1:].isdigit())


def _fill(rows: NDArray[Any], key: Sequence[Part], value: Sequence[Part]) -> None:
    """Write the parts of records of any shape, rows in C order."""
    for name, parts in (("k", key), ("v", value)):
        for i, part in enumerate(parts):
            if isinstance(part, tuple):
                column = part[0]
            else:
                column = np.ascontiguousarray(part).view(f"V{part.shape[1]}")
            rows[f"{name}{i}"] = column.reshape(rows.shape)


def fixed_rows(key: Sequence[Part], value: Sequence[Part]) -> Bytes2D:
    """Delimited records, uint8 (n, 8 + key width + value width)."""
    rows = np.empty(_length(key[0]), _record(key, value))
    _frame(rows)
    _fill(rows, key, value)
    return rows.view(np.uint8).reshape(len(rows), rows.dtype.itemsize)


class ChunkMessages:
    """Padded SHA-256 messages of whole chunks, assembled in place; one buffer a layout, used again and again.

    What is equal in all chunks of a layout (count, lengths, padding) is written once.
    """

    def __init__(self, chunks: int) -> None:
        self._chunks = chunks
        self._buffers: dict[np.dtype[Any], tuple[Bytes2D, NDArray[Any]]] = {}

    def of(self, key: Sequence[Part], value: Sequence[Part]) -> tuple[Bytes2D, int]:
        """Messages, uint8 (n / 256, 64 b), of n records and their length in bytes; valid until the next call.

        Args:
            key, value: parts of n records, a multiple of 256 and no more than the buffer's chunks.
        """
        layout = _record(key, value)
        size = 5 + CHUNK_RECORDS * layout.itemsize
        if layout not in self._buffers:
            self._buffers[layout] = self._made(layout, size)
        messages, records = self._buffers[layout]
        chunks = _length(key[0]) // CHUNK_RECORDS
        _fill(records[:chunks], key, value)
        return messages[:chunks], size

    def _made(self, layout: np.dtype[Any], size: int) -> tuple[Bytes2D, NDArray[Any]]:
        messages = np.zeros((self._chunks, (size + 9 + 63) // 64 * 64), np.uint8)
        messages[:, :5] = np.frombuffer(_CHUNK_HEAD, np.uint8)
        messages[:, size] = 0x80
        messages[:, -8:] = np.frombuffer((8 * size).to_bytes(8, "big"), np.uint8)
        records = np.ndarray(
            (self._chunks, CHUNK_RECORDS),
            layout,
            buffer=messages,
            offset=5,
            strides=(messages.shape[1], layout.itemsize),
        )
        _frame(records)
        return messages, records


def chunk_hashes(records: Bytes2D | tuple[Bytes2D, NDArray[np.int64]]) -> Bytes2D:
    """Chunk digests, uint8 (chunks, 32), of delimited records that begin with a chunk.

    `records` are rows of one width, or flat bytes and the offsets of ragged records with a final total.
    """
    full = hashlib.sha256(_CHUNK_HEAD)
    if isinstance(records, tuple):
        count, offset = len(records[1]) - 1, records[1].tolist()
        flat = memoryview(records[0].data)
    else:
        count, width = records.shape
        flat, offset = memoryview(records.reshape(-1).data), range(0, count * width + 1, width)
    out = []
    for low in range(0, count, CHUNK_RECORDS):
        high = min(count, low + CHUNK_RECORDS)
        state = full.copy() if high - low == CHUNK_RECORDS else hashlib.sha256(b"\x00" + u32(high - low))
        state.update(flat[offset[low] : offset[high]])
        out.append(state.digest())
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, 32)


def rows_root(kind: str, scope: bytes, rows: Bytes2D) -> bytes:
    """Manifest root of delimited rows in key order."""
    leaves = [digest.tobytes() for digest in chunk_hashes(rows)]
    return seal_root(kind, scope, len(rows), tree_head(leaves))
