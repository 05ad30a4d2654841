"""Every engine and every bulk path gives the bytes that hashlib and `uuid` give one by one."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from functools import cache
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from tekrar.build import engine as engines_module
from tekrar.build import sha_ni
from tekrar.build.engine import Engine, HashlibEngine, SeamEngine, pick_engine, sharded_digests
from tekrar.build.lanes import SHA1_H0, NumpySha1, padded_size
from tekrar.build.shards import ROWS_A_TASK, Shards
from tekrar.build.universe import SHARED_ROWS, suspects_in_shards
from tekrar.core.encoding import CHUNK_RECORDS, record_bytes, u64
from tekrar.core.exact import repeated_words, sharing_head
from tekrar.core.occurrence import Runs
from tekrar.core.rows import ChunkMessages, chunk_hashes, distinct_slices, fixed_rows, slices

U8 = NDArray[np.uint8]
Ints = NDArray[np.int64]


def seam() -> SeamEngine:
    return SeamEngine(lambda purpose, data: hashlib.sha256(data).digest())


@cache
def fast() -> Engine:
    if not sha_ni.available():
        pytest.skip("no x86 SHA instructions or no llvmlite here")
    return pick_engine("sha-ni", None)


EVERY = pytest.mark.parametrize("make", [HashlibEngine, seam, fast], ids=["hashlib", "seam", "sha-ni"])


def octets(seed: int, *shape: int) -> U8:
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


def as_bytes(rows: U8) -> list[bytes]:
    return [row.tobytes() for row in rows]


def uuid5(data: bytes) -> bytes:
    return uuid.UUID(bytes=hashlib.sha1(data).digest()[:16], version=5).bytes


def runs_from(offset: int, count: int, chapter: int) -> Runs:
    """Sentences of one byte to forty in chapters of one length, from a byte offset on."""
    size = np.random.default_rng(count).integers(1, 41, count)
    end = offset + np.cumsum(size)
    left = chapter - np.arange(count) % chapter
    return Runs(end - size, end, np.minimum(12, np.minimum(left, np.arange(count, 0, -1))))


@EVERY
@pytest.mark.req("REB-02", "VAL-04")
@pytest.mark.parametrize("length", [0, 1, 55, 56, 64, 119, 120, 700])
@pytest.mark.parametrize("n", [0, 1, 2, 3, 7, 400])
def test_rows_of_one_length(make: Callable[[], Engine], length: int, n: int) -> None:
    rows = octets(length, n, length)
    assert as_bytes(make().sha256_rows(rows)) == [hashlib.sha256(row).digest() for row in as_bytes(rows)]
    for prefix in (b"", b"p" * 40, b"p" * 64, b"p" * 130):
        found = make().uuid5_rows(prefix, rows)
        assert as_bytes(found) == [uuid5(prefix + row) for row in as_bytes(rows)]


@EVERY
@pytest.mark.req("REB-02", "VAL-04", "EX-05")
@pytest.mark.parametrize("frame", [0, 27, 64, 90])
@pytest.mark.parametrize("n", [0, 1, 5, 300])
def test_digests_of_framed_slices(make: Callable[[], Engine], frame: int, n: int) -> None:
    text = octets(1, 4000).tobytes()
    random = np.random.default_rng(n)
    start = random.integers(0, 3000, n)
    end = start + random.integers(0, 1000, n) // random.integers(1, 20, n)
    for heads in (octets(2, n, frame), octets(3, 1, frame)):
        if n == 0 and len(heads) != 1:
            continue
        wanted = [
            hashlib.sha256(heads[j % len(heads)].tobytes() + text[a:b]).digest()
            for j, (a, b) in enumerate(zip(start.tolist(), end.tolist(), strict=True))
        ]
        for view in (memoryview(text), memoryview(bytearray(text))):
            for purpose in (None, "member", "fingerprint"):
                found = make().text_digests(purpose, heads, view, start, end)
                assert as_bytes(found) == wanted


@EVERY
@pytest.mark.req("REB-02", "ID-06")
@pytest.mark.parametrize("offset", [0, 9_700, 99_990, 999_000, 9_999_999_990])
def test_selections_where_offsets_gain_a_digit(make: Callable[[], Engine], offset: int) -> None:
    runs = runs_from(offset, 64, chapter=29)
    prefix = b"n" * 16 + b"v1/kind=selection/ranges="
    wanted = {
        (i, k): uuid5(prefix + b"%d-%d" % (runs.start[i], runs.end[i + k - 1]))
        for i in range(64)
        for k in range(2, int(runs.reach[i]) + 1)
    }
    made = make()
    for low, high in ((0, 64), (0, 1), (10, 43), (28, 30), (63, 64), (5, 5)):
        found = as_bytes(made.fan_selections(prefix, runs, low, high))
        assert found == [value for (i, _), value in wanted.items() if low <= i < high]
    spans = as_bytes(made.span_selections(prefix, runs.start, runs.end))
    assert spans == [
        uuid5(prefix + b"%d-%d" % pair) for pair in zip(runs.start.tolist(), runs.end.tolist(), strict=True)
    ]
    assert made.span_selections(prefix, runs.start[:0], runs.end[:0]).shape == (0, 16)


@EVERY
@pytest.mark.req("REB-02", "VAL-04")
@pytest.mark.parametrize("chapter", [1, 2, 11, 12, 13, 64])
def test_fingerprints_of_chapters_of_every_kind(make: Callable[[], Engine], chapter: int) -> None:
    runs = runs_from(0, 64, chapter=chapter)
    header, first, inner = octets(4, 64).tobytes(), octets(5, 64, 64), octets(6, 64, 64)
    made = make()
    for low, high in ((0, 64), (7, 9), (63, 64), (3, 3)):
        wanted = [
            hashlib.sha256(
                header + first[i].tobytes() + inner[i + 1 : i + k].tobytes() + k.to_bytes(4, "big")
            ).digest()
            for i in range(low, high)
            for k in range(2, int(runs.reach[i]) + 1)
        ]
        assert as_bytes(made.fan_fingerprints(header, first, inner, runs, low, high)) == wanted


@EVERY
@pytest.mark.req("REB-02", "VAL-04")
@pytest.mark.parametrize("length", [64, 91, 128, 290])
@pytest.mark.parametrize("n", [0, 1, 9, engines_module.NAMES_IN_LANES + 3])
def test_occurrences_of_one_and_of_several_witnesses(make: Callable[[], Engine], length: int, n: int) -> None:
    tail = b"t" * (length % 64)
    prefixes = [bytes([65 + i]) * (length - len(tail)) + tail for i in range(3)]
    selections = octets(7, n, 16)
    made = make()
    for which in (np.zeros(n, np.int32), np.arange(n, dtype=np.int32) % 3):
        wanted = [
            uuid5(prefixes[w] + str(uuid.UUID(bytes=row)).encode())
            for w, row in zip(which.tolist(), as_bytes(selections), strict=True)
        ]
        assert as_bytes(made.occurrence_ids(prefixes, which, selections)) == wanted


@pytest.mark.req("REB-02")
def test_sha1_in_numpy_columns() -> None:
    sha1 = NumpySha1()
    for length in (0, 55, 56, 64, 200):
        messages = octets(length, 40, length)
        blocks = np.zeros((40, padded_size(length)), np.uint8)
        blocks[:, :length] = messages
        blocks[:, length] = 0x80
        blocks[:, -8:] = np.frombuffer((8 * length).to_bytes(8, "big"), np.uint8)
        states = np.empty((40, 5), np.uint32)
        sha1.sha1_blocks(SHA1_H0, blocks, states)
        wanted = [hashlib.sha1(row).digest() for row in as_bytes(messages)]
        assert [row.astype(">u4").tobytes() for row in states] == wanted
        ids = np.empty((40, 16), np.uint8)
        sha1.uuid5_final(SHA1_H0, blocks, ids)
        assert as_bytes(ids) == [uuid5(row) for row in as_bytes(messages)]


@EVERY
@pytest.mark.req("REB-02", "REB-04")
def test_chunks_assembled_in_place(make: Callable[[], Engine]) -> None:
    messages = ChunkMessages(3)
    for chunks in (3, 1, 2):
        count = CHUNK_RECORDS * chunks
        numbers, ids = np.arange(count) + chunks, octets(chunks, count, 16)
        value: list[list[Any]] = [[], [octets(9, count, 32)], [(numbers, 1)]]
        for parts in value:
            padded, length = messages.of([(numbers, 8), ids], parts)
            found = make().sha256_padded(padded, length)
            assert as_bytes(found) == as_bytes(chunk_hashes(fixed_rows([(numbers, 8), ids], parts)))
    numbers, ids = np.full(CHUNK_RECORDS, 2), octets(0, CHUNK_RECORDS, 16)
    padded, _ = messages.of([(numbers, 8), ids], [(numbers, 1)])
    record = record_bytes(u64(2) + ids[0].tobytes(), b"\x02")
    assert padded[0].tobytes().startswith(b"\x00\x00\x00\x01\x00" + record)


@pytest.mark.req("EX-08", "EX-09")
def test_a_given_digest_is_asked_for_every_preimage_and_only_for_them() -> None:
    asked: list[tuple[str, bytes]] = []

    def digest(purpose: str, data: bytes) -> bytes:
        asked.append((purpose, data))
        return hashlib.sha512(data).digest()[:32]

    made = SeamEngine(digest)
    text = memoryview(b"one two three")
    start, end = np.array([0, 4, 8]), np.array([3, 7, 13])
    frames = np.frombuffer(b"abc", np.uint8).reshape(3, 1)
    plain = made.text_digests(None, frames, text, start, end)
    assert asked == []
    assert as_bytes(plain) == [hashlib.sha256(m).digest() for m in (b"aone", b"btwo", b"cthree")]
    given = made.text_digests("member", frames, text, start, end)
    assert asked == [("member", b"aone"), ("member", b"btwo"), ("member", b"cthree")]
    assert as_bytes(given) == [hashlib.sha512(data).digest()[:32] for _, data in asked]


@pytest.mark.req("REB-02")
@pytest.mark.parametrize("workers", [1, 2])
def test_sharded_digests_are_the_engine_s(workers: int) -> None:
    count = 2 * ROWS_A_TASK + 5
    text = memoryview(octets(1, 1000).tobytes())
    start = np.arange(count) % 900
    end = start + np.arange(count) % 100
    shards = Shards(workers)
    for frames in (octets(2, count, 3), octets(2, 1, 3)):
        shared = sharded_digests(HashlibEngine(), shards, "digests")(None, frames, text, start, end)
        assert np.array_equal(shared, HashlibEngine().text_digests(None, frames, text, start, end))
    assert len(shards.reports["digests"]) == workers


@pytest.mark.req("EX-09")
@pytest.mark.parametrize("workers", [1, 2])
def test_equal_heads_are_found_in_shards_as_in_one(workers: int) -> None:
    count = SHARED_ROWS + 10
    fingerprint = np.zeros((count, 32), np.uint8)
    fingerprint[:, :4] = np.arange(count, dtype=np.uint32).view(np.uint8).reshape(-1, 4)
    rows = np.arange(3, count)
    assert not len(sharing_head(fingerprint, rows))
    for low, high in ((10, 90_000), (11, count - 1), (10, 70_000)):
        fingerprint[high] = fingerprint[low]
    wanted = [10, 11, 70_000, 90_000, count - 1]
    assert sharing_head(fingerprint, rows).tolist() == wanted
    assert suspects_in_shards(Shards(workers), "collisions")(fingerprint, rows).tolist() == wanted


@pytest.mark.req("EX-09")
def test_words_that_stand_more_than_once() -> None:
    words = np.array([5, 7, 5, 1 << 20, 9, 5, (1 << 20) + (1 << 16), 7], np.uint32)
    assert repeated_words(words).tolist() == [0, 1, 2, 5, 7]
    assert repeated_words(words[:2]).tolist() == []
    assert repeated_words(words[:0]).tolist() == []


@pytest.mark.req("EX-05", "EX-11")
@pytest.mark.parametrize(
    "parts",
    [
        [],
        [b" "],
        [b"", b" ", b"", b"\n\n", b" ", b"\n", b"\n \n", b"\n\n", b"\n \n", b"\x00", b"\x00\x00", b""],
        [b"\r\n\r\n", b"   ", b"\r\n\r\n"],
        [b" ", b"    ", b" "],
    ],
)
def test_numbers_of_separators_are_equal_exactly_for_equal_bytes(parts: list[bytes]) -> None:
    text = memoryview(b"".join(parts))
    size = np.array([len(part) for part in parts], np.int64)
    end = np.cumsum(size)
    which, bearer = distinct_slices(text, end - size, end)
    assert list(slices(text, (end - size)[bearer], end[bearer])) == [
        parts[which.tolist().index(number)] for number in range(len(bearer))
    ]
    assert [[a == b for b in parts] for a in parts] == (which[:, None] == which[None, :]).tolist()
    assert sorted(set(which.tolist())) == list(range(len(bearer)))


@pytest.mark.req("REB-02")
def test_auto_takes_what_pays(monkeypatch: pytest.MonkeyPatch) -> None:
    assert pick_engine("auto", None, occurrences=10).name == "hashlib"
    monkeypatch.setattr(sha_ni, "available", lambda: False)
    assert pick_engine("auto", None).name == "hashlib"
    monkeypatch.undo()
    if sha_ni.available():
        assert pick_engine("auto", None).name == "sha-ni"
        assert pick_engine("sha-ni", None, occurrences=10).name == "sha-ni"
