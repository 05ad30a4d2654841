"""The `fast` engine: the same identity bytes as hashlib's, through batches of SHA-NI compressions.

Every name and preimage shares its leading blocks with its neighbours, so a run costs two SHA-256 blocks and
an occurrence one SHA-1 block.
Equal vectors are tested; where a batch is irregular (offsets that gain a digit inside it) the reference
engine computes it.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.engine import Bytes2D, HashlibEngine, uuid_texts
from tekrar.build.sha_ni import SHA1_H0, SHA256_H0, ShaNi, sha256_pad
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN

FAN = MAX_RUN - MIN_RUN + 1
LANES = 2048
Words = NDArray[np.uint32]


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
        self._many: dict[int, tuple[list[bytes], Words]] = {}

    def fan_selections(self, prefix: bytes, runs: Runs, low: int, high: int) -> Bytes2D:
        """Selection UUIDs of a fan; see `Engine`."""
        ends = runs.end[low : high + MAX_RUN]
        digits_start, digits_end = _digits(runs.start[low:high]), _digits(ends[1:] if len(ends) > 1 else ends)
        if not digits_start or not digits_end:
            return self._reference.fan_selections(prefix, runs, low, high)
        count = high - low
        whole = len(prefix) // 64 * 64
        tail = prefix[whole:]
        size = len(tail) + digits_start + 1 + digits_end
        blocks = (size + 9 + 63) // 64
        template = np.frombuffer(_sha1_tail(len(prefix) + size - len(tail), tail, size, blocks), np.uint8)
        buffer = np.empty((count, FAN, 64 * blocks), np.uint8)
        buffer[:] = template
        at = len(tail)
        buffer[:, :, at : at + digits_start] = _decimal(runs.start[low:high], digits_start)[:, None, :]
        buffer[:, :, at + digits_start] = ord("-")
        at += digits_start + 1
        table = _padded(_decimal(ends[1:], digits_end), count + FAN)
        for k in range(FAN):
            buffer[:, k, at : at + digits_end] = table[k : k + count]
        rows = buffer[self._valid(runs, low, high)]
        state: Words = self._leading(prefix[:whole])
        for block in range(blocks - 1):
            following = np.empty((len(rows), 5), np.uint32)
            self._sha.sha1_blocks(state, rows[:, 64 * block : 64 * block + 64], following)
            state = following
        out = np.empty((len(rows), 16), np.uint8)
        self._sha.sha1_final(state, rows[:, 64 * (blocks - 1) :], out, uuid5=True)
        return out

    def fan_fingerprints(
        self, header: bytes, first: Bytes2D, inner: Bytes2D, runs: Runs, low: int, high: int
    ) -> Bytes2D:
        """Fingerprints of a fan; see `Engine`."""
        count = high - low
        start = np.empty((1, 8), np.uint32)
        self._sha.sha256_blocks(SHA256_H0, np.frombuffer(header, np.uint8).reshape(1, 64), start)
        chain = np.empty((count, 8), np.uint32)
        self._sha.sha256_blocks(start[0], first[low:high], chain)
        rest = _padded(inner[low + 1 : high + FAN], count + FAN)
        out = np.empty((count, FAN, 32), np.uint8)
        for k in range(FAN):
            self._sha.sha256_blocks(chain, rest[k : k + count], chain)
            self._sha.sha256_final(chain, self._trailers[k + MIN_RUN], out[:, k, :])
        return out[self._valid(runs, low, high)]

    def occurrence_ids(self, prefixes: list[bytes], which: NDArray[Any], selections: Bytes2D) -> Bytes2D:
        """Occurrence UUIDs; see `Engine`."""
        out = np.empty((len(selections), 16), np.uint8)
        if not len(selections):
            return out
        whole = len(prefixes[0]) // 64 * 64
        tail = prefixes[0][whole:]
        size = len(tail) + 36
        blocks = (size + 9 + 63) // 64
        block = np.empty((len(selections), 64 * blocks), np.uint8)
        block[:] = np.frombuffer(_sha1_tail(len(prefixes[0]) + 36, tail, size, blocks), np.uint8)
        block[:, len(tail) : size] = uuid_texts(selections)
        states = self._leading_all(prefixes, whole)
        only = int(which[0])
        state = states[only] if (which == only).all() else states.take(which, axis=0)
        for i in range(blocks - 1):
            following = np.empty((len(selections), 5), np.uint32)
            self._sha.sha1_blocks(state, block[:, 64 * i : 64 * i + 64], following)
            state = following
        self._sha.sha1_final(state, block[:, 64 * (blocks - 1) :], out, uuid5=True)
        return out

    def sha256_rows(self, rows: Bytes2D) -> Bytes2D:
        """SHA-256 of messages of one length; see `Engine`."""
        out = np.empty((len(rows), 32), np.uint8)
        for low in range(0, len(rows), LANES):
            part = _padded_messages(rows[low : low + LANES], rows.shape[1])
            state: Words = SHA256_H0
            for at in range(0, part.shape[1] - 64, 64):
                following = np.empty((len(part), 8), np.uint32)
                self._sha.sha256_blocks(state, part[:, at : at + 64], following)
                state = following
            self._sha.sha256_final(state, part[:, -64:], out[low : low + LANES])
        return out

    def uuid5_rows(self, prefix: bytes, rows: Bytes2D) -> Bytes2D:
        """UUIDv5 of tails of one length; see `Engine`."""
        out = np.empty((len(rows), 16), np.uint8)
        whole = len(prefix) // 64 * 64
        tail = np.frombuffer(prefix[whole:], np.uint8)
        for low in range(0, len(rows), LANES):
            part = rows[low : low + LANES]
            body = np.concatenate([np.broadcast_to(tail, (len(part), len(tail))), part], axis=1)
            blocks = _padded_messages(body, len(prefix) + rows.shape[1])
            state: Words = self._leading(prefix[:whole])
            for at in range(0, blocks.shape[1] - 64, 64):
                following = np.empty((len(blocks), 5), np.uint32)
                self._sha.sha1_blocks(state, blocks[:, at : at + 64], following)
                state = following
            self._sha.sha1_final(state, blocks[:, -64:], out[low : low + LANES], uuid5=True)
        return out

    def _leading_all(self, prefixes: list[bytes], whole: int) -> Words:
        """SHA-1 states, uint32 (prefixes, 5), after the whole leading blocks of prefixes of one length,
        remembered."""
        key = id(prefixes)
        found = self._many.get(key)
        if found is None or found[0] is not prefixes:
            rows = np.frombuffer(b"".join(prefix[:whole] for prefix in prefixes), np.uint8).reshape(-1, whole)
            state: Words = np.broadcast_to(SHA1_H0, (len(rows), 5)).copy()
            for at in range(0, whole, 64):
                self._sha.sha1_blocks(state, rows[:, at : at + 64], state)
            found = self._many[key] = (prefixes, state)
        return found[1]

    def _leading(self, data: bytes) -> Words:
        """SHA-1 state after whole leading blocks, remembered."""
        state = self._prefix_states.get(data)
        if state is None:
            state = SHA1_H0.copy()
            for at in range(0, len(data), 64):
                following = np.empty((1, 5), np.uint32)
                self._sha.sha1_blocks(
                    state, np.frombuffer(data[at : at + 64], np.uint8).reshape(1, 64), following
                )
                state = following[0].copy()
            self._prefix_states[data] = state
        return state

    @staticmethod
    def _valid(runs: Runs, low: int, high: int) -> NDArray[np.bool_]:
        return np.asarray(np.arange(MIN_RUN, MAX_RUN + 1)[None, :] <= runs.reach[low:high, None])


def _sha1_tail(message: int, tail: bytes, size: int, blocks: int) -> bytes:
    """The last blocks of a message with room for its variable bytes: tail, zeros, padding and bit length."""
    body = tail.ljust(size, b"\x00") + b"\x80"
    return body.ljust(64 * blocks - 8, b"\x00") + (8 * message).to_bytes(8, "big")


def _padded_messages(rows: Bytes2D, message: int) -> Bytes2D:
    """Final blocks, uint8 (n, 64 b), of messages of one whole length whose leading whole blocks are hashed
    already."""
    width = rows.shape[1]
    blocks = (width + 9 + 63) // 64
    out = np.zeros((len(rows), 64 * blocks), np.uint8)
    out[:, :width] = rows
    out[:, width] = 0x80
    out[:, -8:] = np.frombuffer((8 * message).to_bytes(8, "big"), np.uint8)
    return out


def _digits(values: NDArray[Any]) -> int:
    """Decimal digits that all values share, or 0 when they differ (or there is no value)."""
    if not len(values):
        return 0
    low, high = len(str(int(values.min()))), len(str(int(values.max())))
    return low if low == high else 0


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
