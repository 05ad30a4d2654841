"""Roots of a profile's manifests, chunk by chunk (`docs/encoding.md` section 8; ADR-009: "individually
rooted manifests").

A manifest is a count and a function that gives the delimited records of a range, so shards can hash ranges
apart. The ranges are whole chunks; the tree over the chunk digests is the same whoever hashed them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import repeat

import numpy as np
from numpy.typing import NDArray

from tekrar.build.engine import Engine
from tekrar.build.result import ProfileResult, extents_in
from tekrar.build.shards import Shards
from tekrar.core.encoding import CHUNK_RECORDS, profile_scope, seal_root, tree_head, u8, u32
from tekrar.core.occurrence import Paragraphs, Runs
from tekrar.core.policy import REASONS
from tekrar.core.profile import Profile
from tekrar.core.rows import ChunkMessages, Part, big_endian, chunk_hashes, fixed_rows

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
TASK_CHUNKS = 32
Parts = tuple[Sequence[Part], Sequence[Part]]

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
class Ragged:
    """Delimited records of different widths: flat bytes, and offsets with a final total."""

    flat: Bytes2D
    offset: Ints


@dataclass(frozen=True)
class Manifest:
    """One manifest as a count and its records: the parts of keys and of values, or (flat bytes, offsets) for
    ragged ones.

    `rowwise` manifests have record j for row j, so ranges of them share their keys.
    """

    kind: str
    count: int
    records: Callable[[int, int], Parts | Ragged]
    rowwise: bool = False

    @property
    def chunks(self) -> int:
        """Number of chunks."""
        return -(-self.count // CHUNK_RECORDS)


class ProfileManifests:
    """The fifteen manifests of one evaluated profile, in root-list order."""

    def __init__(self, result: ProfileResult) -> None:
        self.result = result
        self._roots = np.frombuffer(b"".join(result.witnesses.root), np.uint8).reshape(-1, 32)
        self._spans = {
            which: list(zip(repeat(t.reason), t.start.tolist(), t.end.tolist(), t.selection, strict=False))
            for which, t in enumerate(result.projection.treated)
            if t.treatment == "excluded_from_extent"
        }
        self._values: dict[int, bytes] = {}
        self._kept: tuple[tuple[int, int], list[Part]] | None = None
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
            Manifest("work", everything, lambda a, b: (self._keys(slice(a, b)), []), True),
            Manifest("inventory", everything, self._inventory, True),
            self._evidence(),
            Manifest(
                "matched",
                len(part.matched),
                lambda a, b: (
                    self._keys(part.matched[a:b]),
                    [key_of_class.take(part.matched_class[a:b], axis=0)],
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
        """Parts of the work keys of rows; those of a slice are kept for the next manifest that asks."""
        result = self.result
        if isinstance(rows, slice):
            place = rows.start, rows.stop
            if self._kept is None or self._kept[0] != place:
                start, extent = result.extents(rows)
                self._kept = place, [(start, 8), (extent, 8), result.occurrence[rows]]
            return self._kept[1]
        start, extent = result.extents(rows)
        return [(start, 8), (extent, 8), result.occurrence.take(rows, axis=0)]

    def _evidence(self) -> Manifest:
        result = self.result
        if len(result.evaluated) < result.rows:
            return self._rows(
                "evidence", result.evaluated, lambda rows: [result.fingerprint.take(rows, axis=0)]
            )

        def records(low: int, high: int) -> Parts:
            return self._keys(slice(low, high)), [result.fingerprint[low:high]]

        return Manifest("evidence", result.rows, records, True)

    def _rows(self, kind: str, rows: Ints, value: Callable[[Ints], list[Part]]) -> Manifest:
        def records(low: int, high: int) -> Parts:
            return self._keys(rows[low:high]), value(rows[low:high])

        return Manifest(kind, len(rows), records)

    def _coded(self, kind: str, rows: Ints, code: NDArray[np.uint8]) -> Manifest:
        def records(low: int, high: int) -> Parts:
            return self._keys(rows[low:high]), [(code[low:high], 1)]

        return Manifest(kind, len(rows), records)

    def _inventory(self, low: int, high: int) -> Parts:
        result = self.result
        mask = self._roots.take(result.witnesses.of_row[low:high], axis=0)
        return self._keys(slice(low, high)), [result.selection[low:high], mask]

    def _excluded(self, low: int, high: int) -> Ragged:
        """Ragged records: the value lists every exclusion reason of the row's witness."""
        pieces = [
            self._excluded_chunk(at, min(at + CHUNK_RECORDS, high)) for at in range(low, high, CHUNK_RECORDS)
        ]
        width = np.concatenate([width for _, width in pieces])
        offset = np.concatenate([[0], np.cumsum(width)]).astype(np.int64)
        return Ragged(np.concatenate([flat for flat, _ in pieces]), offset)

    def _excluded_chunk(self, low: int, high: int) -> tuple[Bytes2D, Ints]:
        """Flat records and their widths. All are written as wide as the widest, then cut."""
        rows = self.result.partition.excluded[low:high]
        used, inverse = np.unique(self.result.witnesses.of_row[rows], return_inverse=True)
        values = [self._excluded_value(witness) for witness in used.tolist()]
        size = np.array([len(value) for value in values], np.int64)
        widest = int(size.max())
        table = np.frombuffer(b"".join(value.ljust(widest, b"\x00") for value in values), np.uint8)
        records = fixed_rows(self._keys(rows), [table.reshape(-1, widest).take(inverse, axis=0)])
        width = records.shape[1] - widest + size[inverse]
        if (width == records.shape[1]).all():
            return records.reshape(-1), width
        records[:, -widest - 4 : records.shape[1] - widest] = big_endian(size[inverse], 4)
        return records[np.arange(records.shape[1]) < width[:, None]], width

    def _excluded_value(self, witness: int) -> bytes:
        """Value of an excluded record: primary reason, then every (reason, selection) in the ADR's order
        (AMB-11)."""
        value = self._values.get(witness)
        if value is None:
            hits = self.result.witnesses.hits[witness]
            found = sorted(self._spans[which][index] for which, index in hits if which in self._spans)
            listed = b"".join(u8(reason) + selection for reason, _, _, selection in found)
            value = self._values[witness] = u8(found[0][0]) + u32(len(found)) + listed
        return value

    def _class_rows(self, low: int, high: int) -> Parts:
        classes = self.result.classes
        which = self._classes_by_id[low:high]
        size = (classes.groups.size[which], 8)
        return (
            [classes.id.take(which, axis=0)],
            [size, classes.members.take(which, axis=0), classes.witness.take(which, axis=0)],
        )

    def _membership(self) -> Callable[[int, int], Parts]:
        groups, classes = self.result.classes.groups, self.result.classes
        if not len(classes.id):
            return lambda low, high: ([np.empty((0, 16), np.uint8)], [])
        size = groups.size[self._classes_by_id]
        which = np.repeat(self._classes_by_id, size)
        begin = np.concatenate([[0], np.cumsum(size)])[:-1]
        within = np.arange(len(which)) - np.repeat(begin, size)
        rows = groups.rows[groups.offset[which] + within]

        def records(low: int, high: int) -> Parts:
            keys = self._keys(rows[low:high])
            return [classes.id.take(which[low:high], axis=0), *keys], []

        return records

    def _dominated_rows(self, which: Ints) -> Parts:
        classes, dominated = self.result.classes, self.result.classes.dominated
        return (
            [classes.id[which]],
            [
                classes.id[dominated.winner[which]],
                (dominated.left[which], 4),
                (dominated.right[which], 4),
            ],
        )

    def _enumeration_exclusions(self) -> Manifest:
        empty = getattr(self.result.universe, "empty", np.empty(0, np.int64))

        def records(low: int, high: int) -> Parts:
            reason = np.full(high - low, REASONS["empty_core_extent"], np.uint8)
            return [(empty[low:high], 8)], [(reason, 1)]

        return Manifest("enumeration-exclusions", len(empty), records)


def hash_profiles(results: Sequence[ProfileResult], shards: Shards, engine: Engine) -> None:
    """Fill `roots` of every result with its fifteen manifest roots."""
    manifests = [(r, m) for r in results for m in ProfileManifests(r).all()]
    chunks = [shards.empty((m.chunks, 32), np.uint8) for _, m in manifests]
    hasher = ChunkHasher(engine)

    def work(task: list[tuple[int, int]]) -> None:
        for index, at in task:
            manifest = manifests[index][1]
            low = at * CHUNK_RECORDS
            high = min(manifest.count, low + TASK_CHUNKS * CHUNK_RECORDS)
            digests = hasher.digests(manifest, low, high)
            chunks[index][at : at + len(digests)] = digests

    shards.run("roots", _tasks(manifests), work)
    for (result, manifest), digests in zip(manifests, chunks, strict=True):
        scope = profile_scope(result.profile.id, result.profile.spec.predicate)
        head = hasher.head(digests)
        result.roots[manifest.kind] = seal_root(manifest.kind, scope, manifest.count, head)


def work_root(
    profile: Profile, universe: Paragraphs | Runs, occurrence: Bytes2D, *, shards: Shards, engine: Engine
) -> bytes:
    """Root of a profile's work universe: the first one, committed before any item is evaluated (COV-01)."""

    def records(low: int, high: int) -> Parts:
        start, extent = extents_in(universe, slice(low, high))
        return [(start, 8), (extent, 8), occurrence[low:high]], []

    manifest = Manifest("work", universe.rows, records, True)
    leaves = shards.empty((manifest.chunks, 32), np.uint8)
    hasher = ChunkHasher(engine)

    def work(at: int) -> None:
        low = at * CHUNK_RECORDS
        digests = hasher.digests(manifest, low, min(manifest.count, low + TASK_CHUNKS * CHUNK_RECORDS))
        leaves[at : at + len(digests)] = digests

    shards.run(f"work {profile.spec.short}", list(range(0, manifest.chunks, TASK_CHUNKS)), work)
    scope = profile_scope(profile.id, profile.spec.predicate)
    return seal_root("work", scope, manifest.count, hasher.head(leaves))


def _tasks(manifests: list[tuple[ProfileResult, Manifest]]) -> list[list[tuple[int, int]]]:
    """Ranges of chunks, (manifest, first chunk); rowwise manifests of one profile take theirs together."""
    groups: dict[tuple[int, int], list[int]] = {}
    for index, (result, manifest) in enumerate(manifests):
        groups.setdefault((id(result), -1 if manifest.rowwise else index), []).append(index)
    tasks = []
    for group in groups.values():
        chunks = manifests[group[0]][1].chunks
        tasks += [[(index, at) for index in group] for at in range(0, chunks, TASK_CHUNKS)]
    return tasks


class ChunkHasher:
    """Chunk digests by an engine: whole chunks of fixed-width records in place, what is left by hashlib."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._messages = ChunkMessages(TASK_CHUNKS)

    def digests(self, manifest: Manifest, low: int, high: int) -> Bytes2D:
        """Chunk digests, uint8 (chunks, 32), of the records low..high; `low` begins a chunk."""
        whole = low + (high - low) // CHUNK_RECORDS * CHUNK_RECORDS
        records = manifest.records(low, high)
        if isinstance(records, Ragged):
            return chunk_hashes((records.flat, records.offset))
        out = np.empty((-(-(high - low) // CHUNK_RECORDS), 32), np.uint8)
        if whole > low:
            messages, length = self._messages.of(*(_first(parts, whole - low) for parts in records))
            out[: len(messages)] = self._engine.sha256_padded(messages, length)
        if whole < high:
            rest = fixed_rows(*(_from(parts, whole - low) for parts in records))
            out[-1:] = chunk_hashes(rest)
        return out

    def head(self, leaves: Bytes2D) -> bytes:
        """Head of the tree over chunk digests, uint8 (chunks, 32), level by level: `encoding.tree_head` in
        bulk."""
        level = leaves
        while len(level) > 1:
            pairs = len(level) // 2
            nodes = np.ones((pairs, 65), np.uint8)
            nodes[:, 1:] = level[: 2 * pairs].reshape(pairs, 64)
            level = np.concatenate([self._engine.sha256_rows(nodes), level[2 * pairs :]])
        return tree_head([row.tobytes() for row in level])


def _first(parts: Sequence[Part], count: int) -> list[Part]:
    return [(p[0][:count], p[1]) if isinstance(p, tuple) else p[:count] for p in parts]


def _from(parts: Sequence[Part], count: int) -> list[Part]:
    return [(p[0][count:], p[1]) if isinstance(p, tuple) else p[count:] for p in parts]
