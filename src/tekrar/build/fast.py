"""The `fast` engine: the same identity bytes as hashlib's, through batches of SHA-NI compressions.

Every name and preimage shares its leading blocks with its neighbours, so a run costs two SHA-256 blocks and
an occurrence one SHA-1 block. Equal vectors are tested; where a batch is irregular (offsets that gain a digit
inside it) the reference engine computes it.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.engine import Bytes2D, HashlibEngine, LastTexts
from tekrar.build.lanes import SHA1_H0, BulkNames, closing, padded_size
from tekrar.build.sha_ni import SHA256_H0, ShaNi, sha256_pad
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN

FAN = MAX_RUN - MIN_RUN + 1
#: Bytes of padded messages that are hashed at a time: they stay in the processor's cache.
PART_BYTES = 1 << 18
Words = NDArray[np.uint32]
Ints = NDArray[np.int64]


class FastEngine:
    """Batches over a `ShaNi`; falls back to hashlib for irregular batches only."""

    name = "sha-ni"

    def __init__(self) -> None:
        self._sha = ShaNi()
        self._reference = HashlibEngine()
        self._trailers = [
            np.frombuffer(sha256_pad(64 + 64 * count + 4, count.to_bytes(4, "big")), np.uint8)
            for count in range(MAX_RUN + 1)
        ]
        self._prefix_states: dict[bytes, Words] = {}
        self._texts = LastTexts()
        self._names = BulkNames(self._sha)

    def fan_selections(self, prefix: bytes, runs: Runs, low: int, high: int) -> Bytes2D:
        """Selection UUIDs of a fan; see `Engine`."""
        count = high - low
        ends = runs.end[low : high + MAX_RUN]
        digits_start, digits_end = _digits(runs.start[low:high]), _digits(ends[1:] if len(ends) > 1 else ends)
        if not digits_start or not digits_end:
            if count <= MAX_RUN:
                return self._reference.fan_selections(prefix, runs, low, high)
            middle = (low + high) // 2
            halves = ((low, middle), (middle, high))
            return np.concatenate([self.fan_selections(prefix, runs, a, b) for a, b in halves])
        whole = len(prefix) // 64 * 64
        tail = prefix[whole:]
        size = len(tail) + digits_start + 1 + digits_end
        buffer = np.empty((count, FAN, padded_size(size)), np.uint8)
        buffer[:] = closing(len(prefix) + size - len(tail), tail, size)
        at = len(tail)
        buffer[:, :, at : at + digits_start] = _decimal(runs.start[low:high], digits_start)[:, None, :]
        buffer[:, :, at + digits_start] = ord("-")
        at += digits_start + 1
        table = _padded(_decimal(ends[1:], digits_end), count + FAN)
        for k in range(FAN):
            buffer[:, k, at : at + digits_end] = table[k : k + count]
        rows = self._valid(buffer, runs, low, high)
        out = np.empty((len(rows), 16), np.uint8)
        self._sha.uuid5_final(self._leading(prefix[:whole]), rows, out)
        return out

    def span_selections(self, prefix: bytes, start: Ints, end: Ints) -> Bytes2D:
        """Selection UUIDs of spans; see `Engine`. Texts of one length go together."""
        out = np.empty((len(start), 16), np.uint8)
        digits = 32 * _digits_of(start) + _digits_of(end)
        for both in np.flatnonzero(np.bincount(digits)).tolist():
            mine = np.flatnonzero(digits == both)
            low, high = _decimal(start[mine], both // 32), _decimal(end[mine], both % 32)
            dash = np.full((len(mine), 1), ord("-"), np.uint8)
            out[mine] = self.uuid5_rows(prefix, np.concatenate([low, dash, high], axis=1))
        return out

    def fan_fingerprints(
        self, header: bytes, first: Bytes2D, inner: Bytes2D, runs: Runs, low: int, high: int
    ) -> Bytes2D:
        """Fingerprints of a fan; see `Engine`."""
        count = high - low
        start = np.empty((1, 8), np.uint32)
        self._sha.sha256_blocks(SHA256_H0, np.frombuffer(header, np.uint8), start)
        chain = np.empty((count, 8), np.uint32)
        self._sha.sha256_blocks(start[0], first[low:high], chain)
        rest = _padded(inner[low + 1 : high + FAN], count + FAN)
        out = np.empty((count, FAN, 32), np.uint8)
        for k in range(FAN):
            self._sha.sha256_blocks(chain, rest[k : k + count], chain)
            self._sha.sha256_final(chain, self._trailers[k + MIN_RUN], out[:, k, :])
        return self._valid(out, runs, low, high)

    def occurrence_ids(self, prefixes: list[bytes], which: NDArray[Any], selections: Bytes2D) -> Bytes2D:
        """Occurrence UUIDs; see `Engine`."""
        return self._names.ids(prefixes, which, self._texts.of(selections))

    def sha256_rows(self, rows: Bytes2D) -> Bytes2D:
        """SHA-256 of messages of one length; see `Engine`."""
        out = np.empty((len(rows), 32), np.uint8)
        step = max(1, PART_BYTES // padded_size(rows.shape[1]))
        for low in range(0, len(rows), step):
            part = _padded_messages(rows[low : low + step], rows.shape[1])
            self._sha.sha256_final(SHA256_H0, part, out[low : low + step])
        return out

    def sha256_padded(self, messages: Bytes2D, length: int) -> Bytes2D:
        """SHA-256 of messages that are padded already; see `Engine`."""
        out = np.empty((len(messages), 32), np.uint8)
        self._sha.sha256_final(SHA256_H0, messages, out)
        return out

    def text_digests(
        self, purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints
    ) -> Bytes2D:
        """Digests of framed slices of a text; see `Engine`. Messages of as many blocks go together."""
        out = np.empty((len(start), 32), np.uint8)
        octets = np.frombuffer(text, np.uint8)
        head = frames.shape[1]
        size = end - start
        blocks = (head + size + 72) // 64
        order = np.argsort(blocks, kind="stable")
        bounds = np.flatnonzero(np.diff(blocks[order], prepend=-1, append=-1)).tolist()
        for first, stop in pairwise(bounds):
            width = 64 * int(blocks[order[first]])
            step = max(1, PART_BYTES // width)
            buffer = np.empty((min(step, stop - first), width), np.uint8)
            for low in range(first, stop, step):
                rows = order[low : min(low + step, stop)]
                part = buffer[: len(rows)]
                part[:, :head] = frames if len(frames) == 1 else frames.take(rows, axis=0)
                self._sha.lay(octets, start[rows], size[rows], at=head, out=part)
                part[:, -8:] = (8 * (head + size[rows])).astype(">u8").view(np.uint8).reshape(-1, 8)
                digests = np.empty((len(rows), 32), np.uint8)
                self._sha.sha256_final(SHA256_H0, part, digests)
                out[rows] = digests
        return out

    def uuid5_rows(self, prefix: bytes, rows: Bytes2D) -> Bytes2D:
        """UUIDv5 of tails of one length; see `Engine`."""
        out = np.empty((len(rows), 16), np.uint8)
        whole = len(prefix) // 64 * 64
        tail = np.frombuffer(prefix[whole:], np.uint8)
        step = max(1, PART_BYTES // padded_size(len(tail) + rows.shape[1]))
        for low in range(0, len(rows), step):
            part = rows[low : low + step]
            body = np.concatenate([np.broadcast_to(tail, (len(part), len(tail))), part], axis=1)
            blocks = _padded_messages(body, len(prefix) + rows.shape[1])
            self._sha.uuid5_final(self._leading(prefix[:whole]), blocks, out[low : low + step])
        return out

    def _leading(self, data: bytes) -> Words:
        """SHA-1 state after whole leading blocks, remembered."""
        state = self._prefix_states.get(data)
        if state is None:
            state = SHA1_H0.reshape(1, 5).copy()
            if data:
                self._sha.sha1_blocks(state, np.frombuffer(data, np.uint8), state)
            state = self._prefix_states[data] = state[0]
        return state

    @staticmethod
    def _valid(fan: NDArray[np.uint8], runs: Runs, low: int, high: int) -> Bytes2D:
        """The rows of a full fan, uint8 (starts, FAN, w), whose runs do not leave their chapter."""
        reach = runs.reach[low:high]
        if len(reach) and int(reach.min()) == MAX_RUN:
            return fan.reshape(-1, fan.shape[2])
        return np.asarray(fan[np.arange(MIN_RUN, MAX_RUN + 1)[None, :] <= reach[:, None]])


def _padded_messages(rows: Bytes2D, message: int) -> Bytes2D:
    """Final blocks, uint8 (n, 64 b), of messages of one whole length whose leading whole blocks are hashed
    already."""
    width = rows.shape[1]
    out = np.empty((len(rows), padded_size(width)), np.uint8)
    out[:] = closing(message, b"", width)
    out[:, :width] = rows
    return out


def _digits(values: NDArray[Any]) -> int:
    """Decimal digits that all values share, or 0 when they differ (or there is no value)."""
    if not len(values):
        return 0
    low, high = len(str(int(values.min()))), len(str(int(values.max())))
    return low if low == high else 0


def _digits_of(values: Ints) -> Ints:
    """Decimal digits of each value."""
    return 1 + np.searchsorted(10 ** np.arange(1, 19), values, side="right")


def _decimal(values: NDArray[Any], width: int) -> Bytes2D:
    """Decimal text, uint8 (n, width), of values of exactly that many digits."""
    out = np.empty((len(values), width), np.uint8)
    rest = values.astype(np.int64)
    for at in range(width - 1, -1, -1):
        rest, digit = np.divmod(rest, 10)
        out[:, at] = digit + ord("0")
    return out


def _padded(rows: Bytes2D, count: int) -> Bytes2D:
    """Rows extended with zeros to a count, contiguous."""
    if len(rows) >= count:
        return np.ascontiguousarray(rows[:count])
    out = np.zeros((count, rows.shape[1]), np.uint8)
    out[: len(rows)] = rows
    return out
