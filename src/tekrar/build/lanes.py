"""SHA-1 of many messages at once in plain numpy, and the bulk names of occurrences on top of a bulk SHA-1.

hashlib copies its state twice for every name, which costs more than the one block a name needs. A numpy
operation costs some hundred nanoseconds however long its columns are, so from some thousand names on, going
through the eighty rounds column by column takes half the time. Equal bytes are tested; hashlib stays the
reference, and the verifier's only way.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, Protocol

import numpy as np
from numpy.typing import NDArray

Bytes2D = NDArray[np.uint8]
Words = NDArray[np.uint32]

SHA1_H0: Final[Words] = np.array([0x67452301, 0xEFCDAB89, 0x98BADCFE, 0x10325476, 0xC3D2E1F0], np.uint32)
SHA1_H0.flags.writeable = False
_ROUND_KEYS: Final = tuple(map(np.uint32, (0x5A827999, 0x6ED9EBA1, 0x8F1BBCDC, 0xCA62C1D6)))
_SHIFTS: Final = {n: (np.uint32(n), np.uint32(32 - n)) for n in (1, 5, 30)}
#: Rows a pass: enough to make numpy's own cost small, few enough for the processor's cache.
_PASS: Final = 16384


class BulkSha1(Protocol):
    """Compressions of whole blocks, one row a message; `tekrar.build.sha_ni.ShaNi` is the fast one."""

    def sha1_blocks(self, states_in: Words, blocks: Bytes2D, states_out: Words) -> None:
        """Compress blocks, uint8 (n, 64 b), into states, (n, 5) words; one state or row of blocks stands for
        all."""
        ...

    def uuid5_final(self, states_in: Words, blocks: Bytes2D, out: Bytes2D) -> None:
        """Compress the last blocks and write version 5 UUIDs, uint8 (n, 16)."""
        ...


class NumpySha1:
    """`BulkSha1` in numpy columns."""

    def sha1_blocks(self, states_in: Words, blocks: Bytes2D, states_out: Words) -> None:
        """Compress blocks into states; see `BulkSha1`."""
        for rows, state in _passes(states_in, blocks, len(states_out)):
            for i, column in enumerate(state):
                states_out[rows, i] = column

    def uuid5_final(self, states_in: Words, blocks: Bytes2D, out: Bytes2D) -> None:
        """Compress the last blocks and write UUIDs; see `BulkSha1`."""
        words = np.empty((len(out), 4), ">u4")
        for rows, (a, b, c, d, _) in _passes(states_in, blocks, len(out)):
            stamped = (a, b & 0xFFFF0FFF | 0x5000, c & 0x3FFFFFFF | 0x80000000, d)
            for i, column in enumerate(stamped):
                words[rows, i] = column
        out[:] = words.view(np.uint8)


def _passes(states_in: Words, blocks: Bytes2D, count: int) -> Iterator[tuple[slice, list[Words]]]:
    """Rows, some thousand at a time, and the five columns of their states after all their blocks."""
    states = np.broadcast_to(states_in, (count, 5))
    blocks = np.broadcast_to(blocks, (count, blocks.shape[-1]))
    for low in range(0, count, _PASS):
        rows = slice(low, min(low + _PASS, count))
        state = [np.ascontiguousarray(column) for column in states[rows].T]
        for at in range(0, blocks.shape[1], 64):
            state = _compressed(state, _words(blocks[rows, at : at + 64]))
        yield rows, state


def _words(blocks: Bytes2D) -> list[Words]:
    """Sixteen columns of the words of blocks, uint8 (n, 64); the caller may change them."""
    columns = np.ascontiguousarray(blocks).view(">u4").T.astype(np.uint32, order="C")
    return list(columns)


def _rotate(word: Words, count: int, out: Words, spare: Words) -> None:
    """Rotate left; `out` may be `word`."""
    left, right = _SHIFTS[count]
    np.right_shift(word, right, out=spare)
    np.left_shift(word, left, out=out)
    np.bitwise_or(out, spare, out=out)


def _compressed(state: Sequence[Words], words: list[Words]) -> list[Words]:
    """One block (FIPS 180-4, 6.1.2): five new columns; `words` are used up.

    Every round makes one new column `a` and turns `b`; the column that falls out is written over.
    """
    a, b, c, d, e = (column.copy() for column in state)
    mixed, spare = np.empty_like(a), np.empty_like(a)
    for i in range(80):
        word = words[i % 16]
        if i >= 16:
            for other in (i - 3, i - 8, i - 14):
                np.bitwise_xor(word, words[other % 16], out=word)
            _rotate(word, 1, word, spare)
        _choose(i // 20, (b, c, d), mixed, spare)
        np.add(e, mixed, out=e)
        np.add(e, word, out=e)
        np.add(e, _ROUND_KEYS[i // 20], out=e)
        _rotate(a, 5, mixed, spare)
        np.add(e, mixed, out=e)
        _rotate(b, 30, b, spare)
        a, b, c, d, e = e, a, b, c, d
    return [np.add(new, old, out=new) for new, old in zip((a, b, c, d, e), state, strict=True)]


def _choose(quarter: int, bcd: tuple[Words, Words, Words], out: Words, spare: Words) -> None:
    """The round function: choice, parity, majority, parity."""
    b, c, d = bcd
    if quarter == 0:
        np.bitwise_xor(c, d, out=out)
        np.bitwise_and(out, b, out=out)
        np.bitwise_xor(out, d, out=out)
    elif quarter == 2:
        np.bitwise_or(b, c, out=out)
        np.bitwise_and(out, d, out=out)
        np.bitwise_and(b, c, out=spare)
        np.bitwise_or(out, spare, out=out)
    else:
        np.bitwise_xor(b, c, out=out)
        np.bitwise_xor(out, d, out=out)


def padded_size(size: int) -> int:
    """Bytes of the whole blocks that hold so many bytes and the padding."""
    return (size + 9 + 63) // 64 * 64


def closing(message: int, tail: bytes, size: int) -> Bytes2D:
    """The last blocks of a message of so many bytes, with room for its variable bytes: tail, zeros up to
    `size`, padding and bit length."""
    body = tail.ljust(size, b"\x00") + b"\x80"
    block = body.ljust(padded_size(size) - 8, b"\x00") + (8 * message).to_bytes(8, "big")
    return np.frombuffer(block, np.uint8)


class BulkNames:
    """UUIDv5 names that share their leading blocks, by a bulk SHA-1."""

    def __init__(self, sha1: BulkSha1) -> None:
        self._sha1 = sha1
        self._states: dict[int, tuple[list[bytes], Words]] = {}

    def ids(self, prefixes: list[bytes], which: NDArray[Any], texts: Bytes2D) -> Bytes2D:
        """UUIDs, uint8 (n, 16), of prefix `which[j]` ‖ texts[j]; prefixes of one length that differ inside
        their whole blocks."""
        out = np.empty((len(texts), 16), np.uint8)
        if not len(texts):
            return out
        whole = len(prefixes[0]) // 64 * 64
        tail = prefixes[0][whole:]
        size = len(tail) + texts.shape[1]
        blocks = np.empty((len(texts), padded_size(size)), np.uint8)
        blocks[:] = closing(whole + size, tail, size)
        blocks[:, len(tail) : size] = texts
        states = self._leading(prefixes, whole)
        only = int(which[0])
        state = states[only] if (which == only).all() else states.take(which, axis=0)
        self._sha1.uuid5_final(state, blocks, out)
        return out

    def _leading(self, prefixes: list[bytes], whole: int) -> Words:
        """States, (prefixes, 5) words, after the whole leading blocks; remembered, for every batch needs
        them."""
        found = self._states.get(id(prefixes))
        if found is None or found[0] is not prefixes:
            states = np.broadcast_to(SHA1_H0, (len(prefixes), 5)).copy()
            if whole:
                rows = np.frombuffer(b"".join(prefix[:whole] for prefix in prefixes), np.uint8)
                self._sha1.sha1_blocks(states, rows.reshape(-1, whole), states)
            found = self._states[id(prefixes)] = prefixes, states
        return found[1]
