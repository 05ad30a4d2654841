"""Roots of a profile's manifests, chunk by chunk (`docs/encoding.md` section 8; ADR-009: "individually rooted manifests").

A manifest is a count and a function that gives the delimited records of a range, so shards can hash ranges apart. The ranges are whole chunks; the
tree over the chunk digests is the same whoever hashed them.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.result import ProfileResult
from tekrar.build.shards import Shards
from tekrar.core.encoding import CHUNK_RECORDS, lp, profile_scope, seal_root, tree_head, u8, u32
from tekrar.core.policy import REASONS
from tekrar.core.rows import big_endian, fixed_rows

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
TASK_CHUNKS = 32

#: Manifest kinds of a profile in root-list order; datasets, validation and compiler follow them.
PROFILE_KINDS = (
    "work",
    "inventory",
    "evidence",
    "matched",
    "evaluated-unique",
    "not-evaluated",
    "failed",
    "excluded",
    "published",
    "provisional",
    "classes",
    "membership",
    "dominated-items",
    "dominated-classes",
    "enumeration-exclusions",
)


@dataclass(frozen=True)
class Manifest:
    """One manifest as a count and its records: fixed-width rows (n, w), or (flat bytes, offsets) for ragged ones."""

    kind: str
    count: int
    records: Callable[[int, int], Bytes2D | tuple[Bytes2D, Ints]]

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.count // CHUNK_RECORDS)


class ProfileManifests:
    """The fifteen manifests of one evaluated profile, in root-list order."""

    def __init__(self, result: ProfileResult) -> None:
        self.result = result
        self._roots = np.frombuffer(b"".join(result.witnesses.root), np.uint8).reshape(-1, 32)
        self._classes_by_id = (
            np.argsort(result.classes.rank) if len(result.classes.id) else np.empty(0, np.int64)
        )

    def all(self) -> list[Manifest]:
        """The manifests in the order of `PROFILE_KINDS`."""
        result, part, classes = self.result, self.result.partition, self.result.classes
        key_of_class = classes.witness if result.partial else classes.id
        class_of_row = np.zeros(result.rows, np.int32)
        class_of_row[part.matched] = part.matched_class
        everything = result.rows
        issued = len(classes.id)
        winners = (
            self._classes_by_id[classes.is_dominated[self._classes_by_id]] if issued else self._classes_by_id
        )
        return [
            Manifest("work", everything, lambda a, b: fixed_rows(self._keys(slice(a, b)), [])),
            Manifest("inventory", everything, self._inventory),
            self._rows("evidence", result.evaluated, lambda rows: [result.fingerprint[rows]]),
            Manifest(
                "matched",
                len(part.matched),
                lambda a, b: fixed_rows(
                    self._keys(part.matched[a:b]), [key_of_class[part.matched_class[a:b]]]
                ),
            ),
            self._rows("evaluated-unique", part.unique, lambda rows: [result.fingerprint[rows]]),
            self._coded("not-evaluated", part.not_evaluated, part.pending),
            self._coded("failed", part.failed, part.failure),
            Manifest("excluded", len(part.excluded), self._excluded),
            self._rows("published", part.published, lambda rows: [key_of_class[class_of_row[rows]]]),
            self._rows("provisional", part.provisional, lambda rows: [key_of_class[class_of_row[rows]]]),
            Manifest("classes", issued, self._class_rows),
            Manifest("membership", len(classes.groups.rows) if issued else 0, self._membership()),
            self._rows("dominated-items", part.dominated, lambda rows: [key_of_class[class_of_row[rows]]]),
            Manifest("dominated-classes", len(winners), lambda a, b: self._dominated_rows(winners[a:b])),
            self._enumeration_exclusions(),
        ]

    def _keys(self, rows: Ints | slice) -> list[Bytes2D]:
        result = self.result
        if isinstance(rows, slice):
            start, extent = result.extents(rows.start, rows.stop)
        elif len(rows):
            low, high = int(rows[0]), int(rows[-1]) + 1
            start, extent = result.extents(low, high)
            start, extent = start[rows - low], extent[rows - low]
        else:
            start = extent = np.empty(0, np.int64)
        return [big_endian(start, 8), big_endian(extent, 8), result.occurrence[rows]]

    def _rows(self, kind: str, rows: Ints, value: Callable[[Ints], list[Bytes2D]]) -> Manifest:
        def records(low: int, high: int) -> Bytes2D:
            return fixed_rows(self._keys(rows[low:high]), value(rows[low:high]))

        return Manifest(kind, len(rows), records)

    def _coded(self, kind: str, rows: Ints, code: NDArray[np.uint8]) -> Manifest:
        def records(low: int, high: int) -> Bytes2D:
            return fixed_rows(self._keys(rows[low:high]), [code[low:high].reshape(-1, 1)])

        return Manifest(kind, len(rows), records)

    def _inventory(self, low: int, high: int) -> Bytes2D:
        result = self.result
        mask = self._roots[result.witnesses.of_row[low:high]]
        return fixed_rows(self._keys(slice(low, high)), [result.selection[low:high], mask])

    def _excluded(self, low: int, high: int) -> tuple[Bytes2D, Ints]:
        """Ragged records: the value lists every exclusion reason of the row's witness."""
        rows = self.result.partition.excluded[low:high]
        which = self.result.witnesses.of_row[rows]
        used, inverse = np.unique(which, return_inverse=True)
        values = [np.frombuffer(lp(excluded_value(self.result, int(w))), np.uint8) for w in used.tolist()]
        keys = np.concatenate([part for part in self._keys(rows)], axis=1)
        size = np.array([4 + 32 + len(v) for v in values], np.int64)
        offset = np.concatenate([[0], np.cumsum(size[inverse])]).astype(np.int64)
        flat = np.empty(int(offset[-1]), np.uint8)
        for index, value in enumerate(values):
            mine = np.flatnonzero(inverse == index)
            block = np.empty((len(mine), 36 + len(value)), np.uint8)
            block[:, :4] = np.frombuffer(u32(32), np.uint8)
            block[:, 4:36] = keys[mine]
            block[:, 36:] = value
            flat[offset[mine][:, None] + np.arange(36 + len(value))] = block
        return flat, offset

    def _class_rows(self, low: int, high: int) -> Bytes2D:
        classes = self.result.classes
        which = self._classes_by_id[low:high]
        size = big_endian(classes.groups.size[which], 8)
        return fixed_rows([classes.id[which]], [size, classes.members[which], classes.witness[which]])

    def _membership(self) -> Callable[[int, int], Bytes2D]:
        groups, classes = self.result.classes.groups, self.result.classes
        if not len(classes.id):
            return lambda low, high: np.empty((0, 56), np.uint8)
        size = groups.size[self._classes_by_id]
        which = np.repeat(self._classes_by_id, size)
        begin = np.concatenate([[0], np.cumsum(size)])[:-1]
        within = np.arange(len(which)) - np.repeat(begin, size)
        rows = groups.rows[groups.offset[which] + within]

        def records(low: int, high: int) -> Bytes2D:
            part = rows[low:high]
            order = np.argsort(part, kind="stable")
            keys = [np.empty_like(column) for column in self._keys(part[order])]
            for target, column in zip(keys, self._keys(part[order]), strict=True):
                target[order] = column
            return fixed_rows([classes.id[which[low:high]], *keys], [])

        return records

    def _dominated_rows(self, which: Ints) -> Bytes2D:
        classes, dominated = self.result.classes, self.result.classes.dominated
        return fixed_rows(
            [classes.id[which]],
            [
                classes.id[dominated.winner[which]],
                big_endian(dominated.left[which], 4),
                big_endian(dominated.right[which], 4),
            ],
        )

    def _enumeration_exclusions(self) -> Manifest:
        empty = getattr(self.result.universe, "empty", np.empty(0, np.int64))

        def records(low: int, high: int) -> Bytes2D:
            reason = np.full((high - low, 1), REASONS["empty_core_extent"], np.uint8)
            return fixed_rows([big_endian(empty[low:high], 8)], [reason])

        return Manifest("enumeration-exclusions", len(empty), records)


def excluded_value(result: ProfileResult, witness: int) -> bytes:
    """Value of an excluded record: primary reason, then every (reason, selection) in the ADR's order (AMB-11)."""
    treated = result.projection.treated
    found = sorted(
        (treated[w].reason, int(treated[w].start[i]), int(treated[w].end[i]), treated[w].selection[i])
        for w, i in result.witnesses.hits[witness]
        if treated[w].treatment == "excluded_from_extent"
    )
    return (
        u8(found[0][0])
        + u32(len(found))
        + b"".join(u8(reason) + selection for reason, _, _, selection in found)
    )


def hash_profiles(results: Sequence[ProfileResult], shards: Shards) -> None:
    """Fill `roots` of every result with its fifteen manifest roots."""
    manifests = [(r, m) for r in results for m in ProfileManifests(r).all()]
    chunks = [shards.empty((m.chunks, 32), np.uint8) for _, m in manifests]
    tasks: list[Any] = []
    for index, (_, manifest) in enumerate(manifests):
        tasks += [(index, at) for at in range(0, manifest.chunks, TASK_CHUNKS)]

    def work(task: tuple[int, int]) -> None:
        index, at = task
        manifest = manifests[index][1]
        low = at * CHUNK_RECORDS
        high = min(manifest.count, low + TASK_CHUNKS * CHUNK_RECORDS)
        digests = chunk_hashes(manifest.records(low, high), high - low)
        chunks[index][at : at + len(digests)] = digests

    shards.run("roots", tasks, work)
    for (result, manifest), digests in zip(manifests, chunks, strict=True):
        scope = profile_scope(result.profile.id, result.profile.spec.predicate)
        head = tree_head([row.tobytes() for row in digests])
        result.roots[manifest.kind] = seal_root(manifest.kind, scope, manifest.count, head)


def chunk_hashes(records: Bytes2D | tuple[Bytes2D, Ints], count: int) -> Bytes2D:
    """Chunk digests, uint8 (chunks, 32), of a range of records that begins with a chunk."""
    full = hashlib.sha256(b"\x00" + u32(CHUNK_RECORDS))
    out = []
    if isinstance(records, tuple):
        flat, offset = memoryview(records[0]), records[1].tolist()
    else:
        width = records.shape[1]
        flat, offset = memoryview(records.reshape(-1)), range(0, count * width + 1, width) if width else [0]
    for low in range(0, count, CHUNK_RECORDS):
        high = min(count, low + CHUNK_RECORDS)
        state = full.copy() if high - low == CHUNK_RECORDS else hashlib.sha256(b"\x00" + u32(high - low))
        state.update(flat[offset[low] : offset[high]])
        out.append(state.digest())
    return np.frombuffer(b"".join(out), np.uint8).reshape(-1, 32)
