"""The hashing limit: how many compressions a build cannot avoid, and how fast each engine compresses.

A run and projection costs two SHA-256 blocks (its last member record, and the count with the padding), an
occurrence one SHA-1 block, a selection two. Manifests, members digests and witnesses come on top and are not
counted, so no build can reach the limit.
"""

from __future__ import annotations

import hashlib
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass

SHA256_BLOCKS_A_RUN = 2
SHA1_BLOCKS_AN_OCCURRENCE = 1
SHA1_BLOCKS_A_SELECTION = 2
_MINIMUM_SECONDS = 0.2
_LANES = 2048


@dataclass(frozen=True)
class Work:
    """What a build has to hash: fingerprints of runs, occurrence IDs, selection IDs."""

    runs: int
    occurrences: int
    selections: int

    @property
    def sha256(self) -> int:
        """SHA-256 compressions."""
        return SHA256_BLOCKS_A_RUN * self.runs

    @property
    def sha1(self) -> int:
        """SHA-1 compressions."""
        return SHA1_BLOCKS_AN_OCCURRENCE * self.occurrences + SHA1_BLOCKS_A_SELECTION * self.selections


def work_of(emitted: Mapping[str, int]) -> Work:
    """The work of four profiles with so many occurrences each: the two of a granularity share selections."""
    return Work(
        runs=emitted["FS"] + emitted["PS"],
        occurrences=sum(emitted.values()),
        selections=emitted["FS"] + emitted["FP"],
    )


@dataclass(frozen=True)
class Rates:
    """How fast one engine is here, each a second: SHA-256 and SHA-1 compressions."""

    sha256: float
    sha1: float

    def limit(self, work: Work) -> float:
        """CPU seconds below which the engine cannot do this work."""
        return work.sha256 / self.sha256 + work.sha1 / self.sha1


def bare_rates() -> Rates:
    """Compressions of hashlib over one long message: no call, no state to copy."""
    data = bytes(1 << 22)
    blocks = len(data) // 64
    return Rates(
        blocks * _a_second(lambda: hashlib.sha256(data)),
        blocks * _a_second(lambda: hashlib.sha1(data, usedforsecurity=False)),
    )


def hashlib_rates() -> Rates:
    """Compressions of hashlib as an identity needs them: copy a midstate, update, digest, a call each."""
    fingerprint, name, record = hashlib.sha256(bytes(64)), hashlib.sha1(bytes(64)), bytes(64)
    tail = bytes(36)

    def fingerprints() -> None:
        chain = fingerprint.copy()
        for _ in range(1000):
            chain.update(record)
            state = chain.copy()
            state.update(b"1234")
            state.digest()

    def names() -> None:
        for _ in range(1000):
            state = name.copy()
            state.update(tail)
            state.digest()

    return Rates(SHA256_BLOCKS_A_RUN * 1000 * _a_second(fingerprints), 1000 * _a_second(names))


def sha_ni_rates() -> Rates | None:
    """Compressions of the batch engine, or None where it does not work."""
    import numpy as np

    from tekrar.build import sha_ni

    if not sha_ni.available():
        return None
    engine = sha_ni.ShaNi()
    blocks = np.zeros((_LANES, 64), np.uint8)
    wide, narrow = np.zeros((_LANES, 8), np.uint32), np.zeros((_LANES, 5), np.uint32)
    return Rates(
        _LANES * _a_second(lambda: engine.sha256_blocks(wide, blocks, wide)),
        _LANES * _a_second(lambda: engine.sha1_blocks(narrow, blocks, narrow)),
    )


def _a_second(work: Callable[[], object]) -> float:
    """Calls a second of CPU time, after one call to warm up."""
    work()
    calls, begun = 0, time.process_time()
    while (spent := time.process_time() - begun) < _MINIMUM_SECONDS:
        work()
        calls += 1
    return calls / spent
