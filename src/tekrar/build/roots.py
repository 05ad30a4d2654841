"""Roots of a profile's manifests, chunk by chunk (`docs/encoding.md` section 8; ADR-009: "individually
rooted manifests").

A manifest is a count and a function that gives the delimited records of a range, so shards can hash ranges
apart. The ranges are whole chunks; the
tree over the chunk digests is the same whoever hashed them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.result import ProfileResult
from tekrar.build.shards import Shards
from tekrar.core.encoding import CHUNK_RECORDS, profile_scope, seal_root, tree_head, u8, u32
from tekrar.core.policy import REASONS
from tekrar.core.rows import Part, chunk_hashes, fixed_rows

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
    """One manifest as a count and its records: fixed-width rows (n, w), or (flat bytes, offsets) for ragged
    ones."""

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
            self._rows("evidence", result.evaluated, lambda rows: [result.fingerprint.take(rows, axis=0)]),
            Manifest(
                "matched",
                len(part.matched),
                lambda a, b: fixed_rows(
                    self._keys(part.matched[a:b]), [key_of_class.take(part.matched_class[a:b], axis=0)]
                ),
            ),
            self._rows("evaluated-unique", part.unique, lambda rows: [result.fingerprint.take(rows, axis=0)]),
            self._coded("not-evaluated", part.not_evaluated, part.pending),
            self._coded("failed", part.failed, part.failure),
            Manifest("excluded", len(part.excluded), self._excluded),
            self._rows(
                "published", part.published, lambda rows: [key_of_class.take(class_of_row[rows], axis=0)]
            ),
            self._rows(
                "provisional", part.provisional, lambda rows: [key_of_class.take(class_of_row[rows], axis=0)]
            ),
            Manifest("classes", issued, self._class_rows),
            Manifest("membership", len(classes.groups.rows) if issued else 0, self._membership()),
            self._rows(
                "dominated-items",
                part.dominated,
                lambda rows: [key_of_class.take(class_of_row[rows], axis=0)],
            ),
            Manifest("dominated-classes", len(winners), lambda a, b: self._dominated_rows(winners[a:b])),
            self._enumeration_exclusions(),
        ]

    def _keys(self, rows: Ints | slice) -> list[Part]:
        result = self.result
        start, extent = result.extents(rows)
        ids = result.occurrence[rows] if isinstance(rows, slice) else result.occurrence.take(rows, axis=0)
        return [(start, 8), (extent, 8), ids]

    def _rows(self, kind: str, rows: Ints, value: Callable[[Ints], list[Part]]) -> Manifest:
        def records(low: int, high: int) -> Bytes2D:
            return fixed_rows(self._keys(rows[low:high]), value(rows[low:high]))

        return Manifest(kind, len(rows), records)

    def _coded(self, kind: str, rows: Ints, code: NDArray[np.uint8]) -> Manifest:
        def records(low: int, high: int) -> Bytes2D:
            return fixed_rows(self._keys(rows[low:high]), [(code[low:high], 1)])

        return Manifest(kind, len(rows), records)

    def _inventory(self, low: int, high: int) -> Bytes2D:
        result = self.result
        mask = self._roots.take(result.witnesses.of_row[low:high], axis=0)
        return fixed_rows(self._keys(slice(low, high)), [result.selection[low:high], mask])

    def _excluded(self, low: int, high: int) -> tuple[Bytes2D, Ints]:
        """Ragged records: the value lists every exclusion reason of the row's witness."""
        rows = self.result.partition.excluded[low:high]
        which = self.result.witnesses.of_row[rows]
        used, inverse = np.unique(which, return_inverse=True)
        values = [np.frombuffer(excluded_value(self.result, int(w)), np.uint8) for w in used.tolist()]
        width = np.array([len(v) for v in values], np.int64)[inverse]
        offset = np.concatenate([[0], np.cumsum(40 + width)]).astype(np.int64)
        flat = np.empty(int(offset[-1]), np.uint8)
        for size in np.unique(width).tolist():
            mine = np.flatnonzero(width == size)
            table = np.zeros((len(values), size), np.uint8)
            for index, value in enumerate(values):
                if len(value) == size:
                    table[index] = value
            block = fixed_rows(self._keys(rows[mine]), [table.take(inverse[mine], axis=0)])
            if len(mine) == len(rows):
                return block.reshape(-1), offset
            flat[offset[mine][:, None] + np.arange(40 + size)] = block
        return flat, offset

    def _class_rows(self, low: int, high: int) -> Bytes2D:
        classes = self.result.classes
        which = self._classes_by_id[low:high]
        size = (classes.groups.size[which], 8)
        return fixed_rows(
            [classes.id.take(which, axis=0)],
            [size, classes.members.take(which, axis=0), classes.witness.take(which, axis=0)],
        )

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
            keys = self._keys(rows[low:high])
            return fixed_rows([classes.id.take(which[low:high], axis=0), *keys], [])

        return records

    def _dominated_rows(self, which: Ints) -> Bytes2D:
        classes, dominated = self.result.classes, self.result.classes.dominated
        return fixed_rows(
            [classes.id[which]],
            [
                classes.id[dominated.winner[which]],
                (dominated.left[which], 4),
                (dominated.right[which], 4),
            ],
        )

    def _enumeration_exclusions(self) -> Manifest:
        empty = getattr(self.result.universe, "empty", np.empty(0, np.int64))

        def records(low: int, high: int) -> Bytes2D:
            reason = np.full(high - low, REASONS["empty_core_extent"], np.uint8)
            return fixed_rows([(empty[low:high], 8)], [(reason, 1)])

        return Manifest("enumeration-exclusions", len(empty), records)


def excluded_value(result: ProfileResult, witness: int) -> bytes:
    """Value of an excluded record: primary reason, then every (reason, selection) in the ADR's order
    (AMB-11)."""
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
        digests = chunk_hashes(manifest.records(low, high))
        chunks[index][at : at + len(digests)] = digests

    shards.run("roots", tasks, work)
    for (result, manifest), digests in zip(manifests, chunks, strict=True):
        scope = profile_scope(result.profile.id, result.profile.spec.predicate)
        head = tree_head([row.tobytes() for row in digests])
        result.roots[manifest.kind] = seal_root(manifest.kind, scope, manifest.count, head)
