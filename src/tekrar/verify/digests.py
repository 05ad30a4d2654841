"""Bulk IDs and fingerprints of rows: tight loops over hash states that are copied midway.

This is the plain reference path: `hashlib` only, one process. Layouts are those of docs/encoding.md
sections 6, 7 and 9.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import lp, u16, u32, u64
from tekrar.verify.passages import MASK_FORMAT, Projected
from tekrar.verify.universe import LONGEST_RUN, Universe, selection_state
from tekrar.verify.uuid5 import uuid_texts, uuids

Bytes2D = NDArray[np.uint8]
Flags = NDArray[np.bool_]
BLOCK_UNITS: Final = 4096
BLOCK_ROWS: Final = 1 << 15
NO_DIGEST: Final = bytes(32)
_TRAILER: Final = [u32(n) for n in range(LONGEST_RUN + 1)]
_RUN_TAG: Final = b"tekrar/run-preimage/v1".ljust(44, b"\x00")
_RUN_WITNESS_TAG: Final = b"tekrar/run-witness/v1".ljust(60, b"\x00")
_RUN_PREDICATE: Final = u16(2)
_PASSAGE_PREDICATE: Final = u16(1)


def run_selections(release_id: bytes, universe: Universe) -> Bytes2D:
    """Selection UUIDs of all runs; rows of one start share the state after `ranges=start-`."""
    base = selection_state(release_id)
    found = np.empty((len(universe), 16), np.uint8)
    ends = [b"%d" % end for end in universe.end.tolist()]
    starts = universe.start.tolist()
    rows = universe.first_row.tolist()
    for low in range(0, len(starts), BLOCK_UNITS):
        high = min(low + BLOCK_UNITS, len(starts))
        digests = []
        for sentence in range(low, high):
            size = rows[sentence + 1] - rows[sentence]
            if not size:
                continue
            head = base.copy()
            head.update(b"%d-" % starts[sentence])
            for end in ends[sentence + 1 : sentence + 1 + size]:
                state = head.copy()
                state.update(end)
                digests.append(state.digest())
        found[rows[low] : rows[high]] = uuids(digests)
    return found


def occurrence_ids(states: Sequence[Any], which: NDArray[np.int64], selections: Bytes2D) -> Bytes2D:
    """Occurrence UUIDs: the state of each row's mask witness, then the selection's text."""
    found = np.empty((len(selections), 16), np.uint8)
    for low in range(0, len(selections), BLOCK_ROWS):
        block = selections[low : low + BLOCK_ROWS]
        texts = uuid_texts(block)
        digests = []
        at = 0
        for number in which[low : low + BLOCK_ROWS].tolist():
            state = states[number].copy()
            state.update(texts[at : at + 36])
            digests.append(state.digest())
            at += 36
        found[low : low + len(block)] = uuids(digests)
    return found


def run_fingerprints(profile: bytes, projected: Projected, universe: Universe, wanted: Flags) -> Bytes2D:
    """Fingerprints of all wanted runs, zeros elsewhere; each run extends the state of the shorter one."""
    header = hashlib.sha256(_RUN_TAG + _RUN_PREDICATE + profile + MASK_FORMAT)
    found = np.empty((len(universe), 32), np.uint8)
    rows = universe.first_row.tolist()
    first, inner, trailer = projected.first, projected.inner, _TRAILER
    for low in range(0, len(first), BLOCK_UNITS):
        high = min(low + BLOCK_UNITS, len(first))
        flags = wanted[rows[low] : rows[high]].tolist()
        digests = []
        row = 0
        for sentence in range(low, high):
            size = rows[sentence + 1] - rows[sentence]
            if not size:
                continue
            state = header.copy()
            state.update(first[sentence])
            for length in range(2, size + 2):
                state.update(inner[sentence + length - 1])
                if flags[row]:
                    ended = state.copy()
                    ended.update(trailer[length])
                    digests.append(ended.digest())
                else:
                    digests.append(NO_DIGEST)
                row += 1
        found[rows[low] : rows[high]] = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)
    return found


def run_witness(projected: Projected, first: int, last: int) -> bytes:
    """Class witness of a run: its preimage without the profile, under a tag of its own."""
    members = projected.first[first] + b"".join(projected.inner[first + 1 : last + 1])
    head = _RUN_WITNESS_TAG + _RUN_PREDICATE + MASK_FORMAT
    return hashlib.sha256(head + members + _TRAILER[last - first + 1]).digest()


def passage_fingerprints(profile: bytes, items: Iterable[tuple[bytes, int]]) -> list[bytes]:
    """Fingerprints of paragraphs."""
    head = lp(b"tekrar/passage-preimage/v1") + _PASSAGE_PREDICATE + profile + MASK_FORMAT + u32(1)
    base = hashlib.sha256(head)
    return [_passage_digest(base, *one) for one in items]


def passage_witness(items: bytes, length: int) -> bytes:
    """Class witness of a paragraph."""
    head = lp(b"tekrar/passage-witness/v1") + _PASSAGE_PREDICATE + MASK_FORMAT + u32(1)
    return _passage_digest(hashlib.sha256(head), items, length)


def _passage_digest(base: Any, items: bytes, length: int) -> bytes:
    state = base.copy()
    state.update(u64(length) + items)
    digest: bytes = state.digest()
    return digest
