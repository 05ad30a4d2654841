"""The `fast` engine against hashlib: the same digests for every shape, stride and number of lanes."""

from __future__ import annotations

import hashlib
import os
import platform
import uuid
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tekrar.build import sha_ni
from tekrar.build.lanes import SHA1_H0
from tekrar.build.sha_ir import REQUIRED_FEATURES
from tekrar.build.sha_ni import SHA256_H0, ShaNi, sha256_pad

LANE_COUNTS = [0, 1, 2, 3, 4, 5, 7, 1000]
U32 = NDArray[np.uint32]
U8 = NDArray[np.uint8]


@pytest.fixture(scope="module")
def engine() -> ShaNi:
    if not sha_ni.available():
        pytest.skip("no x86 SHA instructions or no llvmlite here")
    return ShaNi()


def random_rows(seed: int, n: int, width: int) -> U8:
    return np.random.default_rng(seed).integers(0, 256, (n, width), dtype=np.uint8)


def padded(messages: U8) -> U8:
    """Whole blocks and padding of equally long messages, shape (n, blocks, 64)."""
    n, length = messages.shape
    whole = length // 64 * 64
    rows = [row.tobytes()[:whole] + sha256_pad(length, row.tobytes()[whole:]) for row in messages]
    return np.frombuffer(b"".join(rows), np.uint8).reshape(n, -1, 64)


def digests(name: str, messages: U8) -> list[bytes]:
    return [hashlib.new(name, row.tobytes()).digest() for row in messages]


def version5(digest: bytes) -> bytes:
    return uuid.UUID(bytes=digest[:16], version=5).bytes


def big_endian(states: U32) -> list[bytes]:
    return [row.astype(">u4").tobytes() for row in states]


def as_bytes(rows: U8) -> list[bytes]:
    return [row.tobytes() for row in rows]


def start(h0: U32, n: int) -> U32:
    return np.repeat(h0[None, :], n, axis=0)


@pytest.mark.parametrize("n", LANE_COUNTS)
@pytest.mark.parametrize("length", [0, 55, 56, 64, 119, 200])
def test_in_place_block_by_block_equals_hashlib(engine: ShaNi, n: int, length: int) -> None:
    messages = random_rows(length, n, length)
    blocks = padded(messages) if n else np.zeros((0, 1, 64), np.uint8)
    long_states, short_states = start(SHA256_H0, n), start(SHA1_H0, n)
    for k in range(blocks.shape[1]):
        engine.sha256_blocks(long_states, blocks[:, k], long_states)
        engine.sha1_blocks(short_states, blocks[:, k], short_states)
    assert big_endian(long_states) == digests("sha256", messages)
    assert big_endian(short_states) == digests("sha1", messages)


@pytest.mark.parametrize("n", LANE_COUNTS)
def test_digest_bytes_equal_hashlib(engine: ShaNi, n: int) -> None:
    messages = random_rows(7, n, 40)
    blocks = padded(messages)[:, 0] if n else np.zeros((0, 64), np.uint8)
    out32, out16 = (np.full((n, width), 0xEE, np.uint8) for width in (32, 16))
    engine.sha256_final(SHA256_H0, blocks, out32)
    engine.uuid5_final(SHA1_H0, blocks, out16)
    assert as_bytes(out32) == digests("sha256", messages)
    assert as_bytes(out16) == [version5(digest) for digest in digests("sha1", messages)]


@pytest.mark.parametrize("n", LANE_COUNTS)
@pytest.mark.parametrize("length", [64, 119, 1000])
def test_rows_of_several_blocks_are_hashed_in_one_call(engine: ShaNi, n: int, length: int) -> None:
    messages = random_rows(length, n, length)
    rows = padded(messages).reshape(n, -1) if n else np.zeros((0, 128), np.uint8)
    out32, out16 = np.empty((n, 32), np.uint8), np.empty((n, 16), np.uint8)
    engine.sha256_final(SHA256_H0, rows, out32)
    engine.uuid5_final(SHA1_H0, rows, out16)
    assert as_bytes(out32) == digests("sha256", messages)
    assert as_bytes(out16) == [version5(digest) for digest in digests("sha1", messages)]


@pytest.mark.parametrize("n", [1, 5, 9])
def test_odd_and_negative_strides_touch_nothing_else(engine: ShaNi, n: int) -> None:
    messages = random_rows(11, n, 50)
    store = np.full((n, 131), 0xAA, np.uint8)
    store[:, 3:67] = padded(messages)[:, 0]
    backwards = store[::-1, 3:67]
    wide = np.zeros((2 * n, 11), np.uint32)
    wide[::2, 1:9] = SHA256_H0
    words = np.full((n, 13), 0xEEEEEEEE, np.uint32)
    engine.sha256_blocks(wide[::2, 1:9], backwards, words[::-1, 2:10])
    assert big_endian(words[:, 2:10]) == digests("sha256", messages)
    assert (words[:, :2] == 0xEEEEEEEE).all()
    assert (words[:, 10:] == 0xEEEEEEEE).all()

    record = np.full((n, 57), 0xEE, np.uint8)
    engine.sha256_final(SHA256_H0, backwards[::-1], record[:, 5:37])
    assert as_bytes(record[:, 5:37]) == digests("sha256", messages)
    assert (np.delete(record, slice(5, 37), axis=1) == 0xEE).all()
    record = np.full((n, 57), 0xEE, np.uint8)
    engine.uuid5_final(SHA1_H0, backwards[::-1], record[:, 5:21])
    assert as_bytes(record[:, 5:21]) == [version5(digest) for digest in digests("sha1", messages)]
    assert (np.delete(record, slice(5, 21), axis=1) == 0xEE).all()

    five = np.full((n, 9), 0xEEEEEEEE, np.uint32)
    engine.sha1_blocks(SHA1_H0, store[:, 3:67], five[:, 1:6])
    assert big_endian(five[:, 1:6]) == digests("sha1", messages)
    assert (np.delete(five, slice(1, 6), axis=1) == 0xEEEEEEEE).all()


def test_one_block_for_all_lanes(engine: ShaNi) -> None:
    heads = random_rows(3, 6, 64)
    tail = np.frombuffer(sha256_pad(64 + 10, b"same close"), np.uint8)
    states, short_states = np.empty((6, 8), np.uint32), np.empty((6, 5), np.uint32)
    engine.sha256_blocks(SHA256_H0, heads, states)
    engine.sha1_blocks(SHA1_H0, heads, short_states)
    out, short_out = np.empty((6, 32), np.uint8), np.empty((6, 16), np.uint8)
    engine.sha256_final(states, tail, out)
    engine.uuid5_final(short_states, tail, short_out)
    whole = np.hstack([heads, np.tile(np.frombuffer(b"same close", np.uint8), (6, 1))])
    assert as_bytes(out) == digests("sha256", whole)
    assert as_bytes(short_out) == [version5(digest) for digest in digests("sha1", whole)]


@pytest.mark.parametrize("shared_blocks", [1, 2])
def test_uuid5_equals_the_standard_library(engine: ShaNi, shared_blocks: int) -> None:
    namespace = uuid.UUID("6f2d8a52-0b6e-5c1e-9c1b-1b2f54a7d3e0")
    prefix = "p" * (64 * shared_blocks - 16)
    names = [f"{prefix}/{i:05d}" for i in range(1000)]
    state = SHA1_H0.copy()[None, :]
    opening = np.frombuffer(namespace.bytes + prefix.encode(), np.uint8).reshape(-1, 64)
    for block in opening:
        engine.sha1_blocks(state, block, state)
    closing = b"".join(sha256_pad(64 * shared_blocks + 6, f"/{i:05d}".encode()) for i in range(1000))
    out = np.empty((1000, 16), np.uint8)
    engine.uuid5_final(state[0], np.frombuffer(closing, np.uint8).reshape(-1, 64), out)
    assert as_bytes(out) == [uuid.uuid5(namespace, name).bytes for name in names]


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_child_uses_the_inherited_code(engine: ShaNi) -> None:
    messages = random_rows(5, 9, 20)
    expected = digests("sha256", messages)
    blocks, out = padded(messages)[:, 0], np.zeros((9, 32), np.uint8)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            engine.sha256_final(SHA256_H0, blocks, out)
            code = 0 if as_bytes(out) == expected else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert not out.any()


def test_wrong_arguments_are_refused_before_any_read(engine: ShaNi) -> None:
    states, blocks, out = start(SHA256_H0, 3), random_rows(0, 3, 64), np.zeros((3, 8), np.uint32)
    frozen = out.copy()
    frozen.flags.writeable = False
    wide = random_rows(0, 3, 128)
    wrong: list[tuple[NDArray[Any], NDArray[Any], NDArray[Any]]] = [
        (states[:2], blocks, out),
        (states[:1], blocks, out),
        (states.astype(np.int64), blocks, out),
        (states.astype(">u4"), blocks, out),
        (states, blocks[:, :63], out),
        (states, wide[:, ::2], out),
        (states, wide[0, ::2], out),
        (states, blocks, out[:, :5]),
        (states, blocks, out[0]),
        (states, blocks, frozen),
        (states, np.ones((), np.uint8), out),
    ]
    for bad in wrong:
        with pytest.raises(ValueError, match=r"expected|must be"):
            engine.sha256_blocks(*bad)
    for width in (15, 20, 32):
        with pytest.raises(ValueError, match="expected"):
            engine.uuid5_final(SHA1_H0, blocks, np.zeros((3, width), np.uint8))


@pytest.mark.parametrize("n", [0, 1, 4, 50])
def test_slices_of_a_text_are_laid_behind_their_frames(engine: ShaNi, n: int) -> None:
    text = random_rows(1, 1, 5000)[0]
    random = np.random.default_rng(n)
    start = random.integers(0, 4900, n)
    length = random.integers(0, 100, n)
    out = np.full((n, 128), 0xEE, np.uint8)
    engine.lay(text, start, length, at=7, out=out)
    for row, low, size in zip(out, start.tolist(), length.tolist(), strict=True):
        assert (row[:7] == 0xEE).all()
        assert row[7:].tobytes() == text[low : low + size].tobytes() + b"\x80" + bytes(120 - size)


@pytest.mark.parametrize(
    ("start", "length", "at"), [(-1, 1, 0), (96, 5, 0), (0, 64, 0), (0, 60, 4), (0, -1, 0), (0, 1, -1)]
)
def test_a_slice_without_room_is_refused(engine: ShaNi, start: int, length: int, at: int) -> None:
    text, out = random_rows(0, 1, 100)[0], np.zeros((1, 64), np.uint8)
    with pytest.raises(ValueError, match="expected"):
        engine.lay(text, np.array([start]), np.array([length]), at=at, out=out)
    assert not out.any()


@pytest.mark.parametrize("missing", REQUIRED_FEATURES)
def test_without_the_cpu_flag_nothing_is_compiled(monkeypatch: pytest.MonkeyPatch, missing: str) -> None:
    compiled: list[str] = []
    monkeypatch.setattr(sha_ni, "cpu_flags", lambda: frozenset(REQUIRED_FEATURES) - {missing})
    monkeypatch.setattr(sha_ni, "_compile", lambda: compiled.append("compiled"))
    assert not sha_ni.available()
    with pytest.raises(RuntimeError, match="hashlib"):
        ShaNi()
    assert compiled == []


def test_other_machines_and_a_missing_llvmlite_are_not_available(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(sha_ni, "cpu_flags", lambda: frozenset(REQUIRED_FEATURES))
        patch.setattr(platform, "machine", lambda: "x86_64")
        assert sha_ni.available()
        patch.setattr(platform, "machine", lambda: "aarch64")
        assert not sha_ni.available()

    def absent(name: str) -> None:
        raise ModuleNotFoundError(name)

    monkeypatch.setattr(sha_ni, "import_module", absent)
    assert sha_ni.cpu_flags() == frozenset()
    assert not sha_ni.available()


def test_a_flag_hidden_by_the_kernel_counts_as_missing(
    engine: ShaNi, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "sha" in sha_ni.cpu_flags()
    monkeypatch.setattr(Path, "read_text", lambda *_, **__: "flags : fpu ssse3 sse4_1\n")
    assert "sha" not in sha_ni.cpu_flags()
    assert not sha_ni.available()


@pytest.mark.parametrize("length", [0, 1, 55, 56, 63, 64, 127, 2**33 + 5])
def test_padding_closes_a_message(length: int) -> None:
    tail = b"t" * (length % 64)
    closing = sha256_pad(length, tail)
    assert len(closing) == (64 if len(tail) < 56 else 128)
    assert closing.startswith(tail + b"\x80")
    assert not any(closing[len(tail) + 1 : -8])
    assert int.from_bytes(closing[-8:], "big") == 8 * length
    with pytest.raises(ValueError, match="tail"):
        sha256_pad(length + 1, tail)


def test_initial_states_cannot_be_changed() -> None:
    with pytest.raises(ValueError, match="read-only"):
        SHA256_H0[0] = 0
    with pytest.raises(ValueError, match="read-only"):
        SHA1_H0[0] = 0
