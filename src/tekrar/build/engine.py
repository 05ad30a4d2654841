"""Engines: who computes the bulk of selection IDs, occurrence IDs and run fingerprints.

`HashlibEngine` is the reference and needs nothing but Python. `SeamEngine` asks a given digest function for
every fingerprint. The SHA-NI engine lives in `tekrar.build.fast`. All give equal bytes (ADR-009 *Publication
and rebuild closure*: two clean builds are equal); an engine's name is provenance and enters no root.

A *fan* is all runs that start at the sentences low..high: rows by start, then by run length 2..reach.
"""

from __future__ import annotations

import hashlib
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from tekrar.build.lanes import BulkNames, NumpySha1
from tekrar.build.shards import Shards
from tekrar.core import rows
from tekrar.core.atoms import Digest
from tekrar.core.occurrence import Runs
from tekrar.core.policy import MAX_RUN
from tekrar.core.rows import TextDigests
from tekrar.errors import UsageError

Bytes2D = NDArray[np.uint8]
Ints = NDArray[np.int64]
_HEX = np.array([f"{value:02x}" for value in range(256)], dtype="S2").view(np.uint8).reshape(256, 2)
_HEX16 = np.ascontiguousarray(_HEX).view(np.uint16).reshape(256)
#: From so many occurrences on, compiling the kernels (a tenth of a second) pays.
COMPILED_FROM = 100_000
#: From so many rows on, occurrences are named in numpy columns: hashlib would take twice as long.
NAMES_IN_LANES = 2048
_TRAILERS = [count.to_bytes(4, "big") for count in range(MAX_RUN + 1)]


class Engine(Protocol):
    """Bulk identity bytes; every method fills rows in the order given."""

    name: str

    def fan_selections(self, prefix: bytes, runs: Runs, low: int, high: int) -> Bytes2D:
        """Selection UUIDs, uint8 (rows, 16), of a fan; `prefix` is namespace and name up to `ranges=`."""
        ...

    def span_selections(self, prefix: bytes, start: Ints, end: Ints) -> Bytes2D:
        """Selection UUIDs, uint8 (n, 16), of any spans."""
        ...

    def fan_fingerprints(
        self, header: bytes, first: Bytes2D, inner: Bytes2D, runs: Runs, low: int, high: int
    ) -> Bytes2D:
        """Fingerprints, uint8 (rows, 32), of a fan over member records."""
        ...

    def occurrence_ids(self, prefixes: list[bytes], which: NDArray[Any], selections: Bytes2D) -> Bytes2D:
        """Occurrence UUIDs, uint8 (rows, 16): prefix `which[row]` and the text of the row's selection, uint8
        (rows, 16); the prefixes are of one length and differ inside their whole blocks."""
        ...

    def sha256_rows(self, rows: Bytes2D) -> Bytes2D:
        """SHA-256, uint8 (n, 32), of messages of one length, uint8 (n, length)."""
        ...

    def sha256_padded(self, messages: Bytes2D, length: int) -> Bytes2D:
        """SHA-256, uint8 (n, 32), of messages of `length` bytes in padded blocks, uint8 (n, 64 b)."""
        ...

    def text_digests(
        self, purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints
    ) -> Bytes2D:
        """Digests, uint8 (n, 32), of frame j ‖ text[start[j] : end[j]]; one frame stands for all.

        A purpose (`member` or `fingerprint`) marks digests that a caller's function may replace; None is
        SHA-256 always."""
        ...

    def uuid5_rows(self, prefix: bytes, rows: Bytes2D) -> Bytes2D:
        """UUIDv5, uint8 (n, 16), of a namespace-and-name prefix and tails of one length, uint8 (n,
        length)."""
        ...


def hex_texts(digests: Bytes2D) -> Bytes2D:
    """Lower-case hex text, uint8 (n, 2 w), of bytes (n, w)."""
    return np.ascontiguousarray(_HEX16.take(digests)).view(np.uint8).reshape(len(digests), -1)


def uuid_texts(ids: Bytes2D) -> Bytes2D:
    """Canonical UUID text, uint8 (n, 36), of UUID bytes (n, 16)."""
    digits = _HEX16.take(ids).view(np.uint8).reshape(len(ids), 32)
    text = np.full((len(ids), 36), ord("-"), np.uint8)
    at = source = 0
    for width in (8, 4, 4, 4, 12):
        text[:, at : at + width] = digits[:, source : source + width]
        at += width + 1
        source += width
    return text


def stamp_version(ids: Bytes2D) -> Bytes2D:
    """UUIDv5 version and variant bits set in place on SHA-1 prefixes (n, 16)."""
    ids[:, 6] = ids[:, 6] & 0x0F | 0x50
    ids[:, 8] = ids[:, 8] & 0x3F | 0x80
    return ids


def _collect(digests: list[bytes], width: int) -> Bytes2D:
    size = len(digests[0]) if digests else width
    return np.frombuffer(b"".join(digests), np.uint8).reshape(-1, size)[:, :width].copy()


def _rows(rows: Bytes2D) -> list[bytes]:
    """Every row as bytes."""
    data, width = rows.tobytes(), rows.shape[1]
    return [data[at : at + width] for at in range(0, len(data), width)] if width else [b""] * len(rows)


class LastTexts:
    """Texts of the selections asked for last: both projections name their occurrences by the same ones."""

    def __init__(self) -> None:
        self._last: tuple[Bytes2D, Bytes2D] | None = None

    def of(self, selections: Bytes2D) -> Bytes2D:
        """UUID text, uint8 (n, 36), of an array that is not changed afterwards."""
        if self._last is None or self._last[0] is not selections:
            self._last = selections, uuid_texts(selections)
        return self._last[1]


class HashlibEngine:
    """The reference engine: hashlib midstates, copied once a start and once a run."""

    name = "hashlib"

    def __init__(self) -> None:
        self._texts = LastTexts()
        self._names = BulkNames(NumpySha1())

    def fan_selections(self, prefix: bytes, runs: Runs, low: int, high: int) -> Bytes2D:
        """Selection UUIDs of a fan; see `Engine`."""
        base = hashlib.sha1(prefix, usedforsecurity=False)
        starts = runs.start[low:high].tolist()
        ends = [b"%d" % end for end in runs.end[low : high + MAX_RUN].tolist()]
        out: list[bytes] = []
        add = out.append
        for i, (start, reach) in enumerate(zip(starts, runs.reach[low:high].tolist(), strict=True)):
            opened = base.copy()
            opened.update(b"%d-" % start)
            fork = opened.copy
            for end in ends[i + 1 : i + reach]:
                state = fork()
                state.update(end)
                add(state.digest())
        return stamp_version(_collect(out, 16))

    def span_selections(self, prefix: bytes, start: Ints, end: Ints) -> Bytes2D:
        """Selection UUIDs of spans; see `Engine`."""
        fork = hashlib.sha1(prefix, usedforsecurity=False).copy
        out: list[bytes] = []
        for low, high in zip(start.tolist(), end.tolist(), strict=True):
            state = fork()
            state.update(b"%d-%d" % (low, high))
            out.append(state.digest())
        return stamp_version(_collect(out, 16))

    def fan_fingerprints(
        self, header: bytes, first: Bytes2D, inner: Bytes2D, runs: Runs, low: int, high: int
    ) -> Bytes2D:
        """Fingerprints of a fan; see `Engine`."""
        base = hashlib.sha256(header)
        rest = _rows(inner[low + 1 : high + MAX_RUN])
        reaches = runs.reach[low:high].tolist()
        out: list[bytes] = []
        add = out.append
        for i, (head, reach) in enumerate(zip(_rows(first[low:high]), reaches, strict=True)):
            chain = base.copy()
            chain.update(head)
            extend, fork = chain.update, chain.copy
            for record, trailer in zip(rest[i : i + reach - 1], _TRAILERS[2:], strict=False):
                extend(record)
                state = fork()
                state.update(trailer)
                add(state.digest())
        return _collect(out, 32)

    def occurrence_ids(self, prefixes: list[bytes], which: NDArray[Any], selections: Bytes2D) -> Bytes2D:
        """Occurrence UUIDs; see `Engine`."""
        if len(selections) >= NAMES_IN_LANES:
            return self._names.ids(prefixes, which, self._texts.of(selections))
        forks = [hashlib.sha1(prefix, usedforsecurity=False).copy for prefix in prefixes]
        out: list[bytes] = []
        add = out.append
        for index, text in zip(which.tolist(), _rows(self._texts.of(selections)), strict=True):
            state = forks[index]()
            state.update(text)
            add(state.digest())
        return stamp_version(_collect(out, 16))

    def sha256_rows(self, rows: Bytes2D) -> Bytes2D:
        """SHA-256 of messages of one length; see `Engine`."""
        sha256 = hashlib.sha256
        return _collect([sha256(row).digest() for row in _rows(rows)], 32)

    def sha256_padded(self, messages: Bytes2D, length: int) -> Bytes2D:
        """SHA-256 of messages that are padded already; see `Engine`."""
        sha256 = hashlib.sha256
        return _collect([sha256(message[:length]).digest() for message in messages], 32)

    def text_digests(
        self, purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints
    ) -> Bytes2D:
        """Digests of framed slices of a text; see `Engine`."""
        return rows.text_digests(purpose, frames, text, start, end)

    def uuid5_rows(self, prefix: bytes, rows: Bytes2D) -> Bytes2D:
        """UUIDv5 of tails of one length; see `Engine`."""
        fork = hashlib.sha1(prefix, usedforsecurity=False).copy
        out: list[bytes] = []
        for row in _rows(rows):
            state = fork()
            state.update(row)
            out.append(state.digest())
        return stamp_version(_collect(out, 16))


class SeamEngine(HashlibEngine):
    """Member digests and fingerprints by a given function over whole preimages; the rest stays as it is
    (requirements 3.1)."""

    name = "digest-seam"

    def __init__(self, digest: Digest) -> None:
        super().__init__()
        self._digest = digest

    def fan_fingerprints(
        self, header: bytes, first: Bytes2D, inner: Bytes2D, runs: Runs, low: int, high: int
    ) -> Bytes2D:
        """Fingerprints of a fan; see `Engine`."""
        heads, rest = _rows(first[low:high]), inner[low : high + MAX_RUN].tobytes()
        out: list[bytes] = []
        for i, reach in enumerate(runs.reach[low:high].tolist()):
            for length in range(2, reach + 1):
                body = rest[64 * (i + 1) : 64 * (i + length)]
                out.append(self._digest("fingerprint", header + heads[i] + body + _TRAILERS[length]))
        return _collect(out, 32)

    def text_digests(
        self, purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints
    ) -> Bytes2D:
        """Digests of framed slices of a text; see `Engine`."""
        if purpose is None:
            return super().text_digests(purpose, frames, text, start, end)
        return _collect([self._digest(purpose, data) for data in rows.framed(frames, text, start, end)], 32)


def sharded_digests(engine: Engine, shards: Shards, stage: str) -> TextDigests:
    """The engine's digests of slices, as a stage that is shared out."""

    def digests(purpose: str | None, frames: Bytes2D, text: memoryview, start: Ints, end: Ints) -> Bytes2D:
        def make(low: int, high: int) -> Bytes2D:
            part = frames if len(frames) == 1 else frames[low:high]
            return engine.text_digests(purpose, part, text, start[low:high], end[low:high])

        return shards.rows(stage, (len(start), 32), make)

    return digests


def checked_digest(digest: Digest) -> Digest:
    """A caller's digest function that must give 32 bytes each time.

    Raises (when called):
        UsageError: it gave something else; the purpose and what came are named.
    """

    def checked(purpose: str, data: bytes) -> bytes:
        found: object = digest(purpose, data)
        if not isinstance(found, bytes) or len(found) != 32:
            what = f"{len(found)} bytes" if isinstance(found, bytes) else type(found).__name__
            raise UsageError(
                f"the digest function gave {what} for the purpose {purpose!r}",
                expected="32 bytes",
                kind="bad_digest",
            )
        return found

    return checked


def pick_engine(name: str, digest: Digest | None, *, occurrences: int | None = None) -> Engine:
    """The engine by name: `auto` takes SHA-NI where it works and pays, `hashlib` and `sha-ni` insist.

    Args:
        name: auto, hashlib or sha-ni.
        digest: a caller's digest function, which decides alone.
        occurrences: how many there will be; None is many.

    Raises:
        UsageError: an unknown name, or `sha-ni` on a machine that cannot run it.
    """
    from tekrar.build import fast, sha_ni

    if digest is not None:
        return SeamEngine(digest)
    few = occurrences is not None and occurrences < COMPILED_FROM
    if name == "hashlib" or (name == "auto" and (few or not sha_ni.available())):
        return HashlibEngine()
    if name not in ("auto", "sha-ni"):
        raise UsageError(f"unknown engine {name!r}", expected="auto, hashlib or sha-ni")
    if not sha_ni.available():
        raise UsageError(
            "the sha-ni engine does not work here",
            expected="an x86-64 CPU with the SHA extensions and the `fast` extra",
            mend="pip install 'tekrar[fast]', or leave --engine at auto",
        )
    return fast.FastEngine()
