"""The manifests of one profile over its rows in the database (docs/encoding.md section 8)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import (
    CHUNK_RECORDS,
    manifest_root,
    no_scope,
    profile_scope,
    seal_root,
    tree_head,
    u8,
    u32,
    u64,
    witness_scope,
)
from tekrar.core.identity import COORDINATE_PROFILE
from tekrar.core.policy import MASK_FORMAT, TREATMENTS, ProfileSpec
from tekrar.core.rows import Part, chunk_hashes, fixed_rows
from tekrar.store.load.artifact import PARTS, PRESENTATIONS, evaluated
from tekrar.store.load.read_back import Columns, differs

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
BLOCK_ROWS: Final = 64 * CHUNK_RECORDS
#: Spans of a witness: (start, end, kind, selection, treatment, reason), in key order.
Spans = list[tuple[int, int, int, bytes, int, int]]


@dataclass
class StoredProfile:
    """Rows of one profile and what its manifests need besides.

    Attributes:
        spec, id: row of the matrix and profile UUID (16 bytes).
        partial: whether the profile is partial.
        occurrences, classes, witnesses, witness_spans, exclusions: the five tables.
        validation: (position, name, digest), ascending.
        compiler: name -> value.
        datasets: the roots of headings, note bodies and note markers.
    """

    spec: ProfileSpec
    id: bytes
    partial: bool
    occurrences: Columns
    classes: Columns
    witnesses: Columns
    witness_spans: Columns
    exclusions: Columns
    validation: Sequence[tuple[int, str, bytes]]
    compiler: dict[str, bytes]
    datasets: Sequence[bytes]

    def roots(self) -> Iterator[tuple[str, bytes]]:
        """The twenty roots by kind, in the order of their positions."""
        row, keyed = self._column("row_no"), self._key_of_class
        part, presentation = self._column("part"), self._column("presentation")
        code, fingerprint = self._column("code"), self._column("fingerprint")
        yield "work", self._rows("work", row, lambda rows: [])
        masks = self.witnesses["root"].values
        selection, witness = self._column("selection"), self._column("witness")
        yield "inventory", self._rows("inventory", row, lambda rows: [selection[rows], masks[witness[rows]]])
        certain = np.flatnonzero(evaluated(part, code))
        yield "evidence", self._rows("evidence", certain, lambda rows: [fingerprint[rows]])
        yield "matched", self._rows("matched", self._in("matched"), keyed)
        unique = self._in("evaluated-unique")
        yield "evaluated-unique", self._rows("evaluated-unique", unique, lambda rows: [fingerprint[rows]])
        for kind in ("not-evaluated", "failed"):
            yield kind, self._rows(kind, self._in(kind), lambda rows: [(code[rows], 1)])
        yield "excluded", self._excluded()
        for name in ("published", "provisional"):
            yield name, self._rows(name, np.flatnonzero(presentation == PRESENTATIONS[name]), keyed)
        yield "classes", self._classes()
        yield "membership", self._membership()
        dominated = np.flatnonzero(presentation == PRESENTATIONS["dominated"])
        yield "dominated-items", self._rows("dominated-items", dominated, keyed)
        yield "dominated-classes", self._dominated_classes()
        yield "enumeration-exclusions", self._exclusions()
        yield from zip(
            ("dataset-headings", "dataset-note-bodies", "dataset-note-markers"), self.datasets, strict=True
        )
        records = [
            (u8(position) + name.encode("ascii"), digest) for position, name, digest in self.validation
        ]
        yield "validation", manifest_root("validation", self._scope, records)
        values = sorted((name.encode("ascii"), value) for name, value in self.compiler.items())
        yield "compiler", manifest_root("compiler", no_scope(), values)

    def witness_roots(self) -> list[bytes]:
        """Root of every witness from its spans (docs/encoding.md section 7)."""
        scope = witness_scope(self.spec.projection, MASK_FORMAT, COORDINATE_PROFILE)
        return [
            manifest_root(
                "mask-witness",
                scope,
                (
                    (u64(start) + u64(end) + u8(kind) + selection, u8(treatment) + u8(reason))
                    for start, end, kind, selection, treatment, reason in spans
                ),
            )
            for spans in self.spans
        ]

    @cached_property
    def spans(self) -> list[Spans]:
        """Spans by witness number."""
        found: list[Spans] = [[] for _ in self.witnesses["root"].values]
        table = self.witness_spans
        names = ("witness", "start_byte", "end_byte", "kind", "treatment", "reason")
        columns = [table[name].values.tolist() for name in names]
        for at, (witness, start, end, kind, treatment, reason) in enumerate(zip(*columns, strict=True)):
            if not 0 <= witness < len(found):
                raise differs("repetition.witness_span", f"witness {witness}", f"below {len(found)}")
            selection = table["selection"].values[at].tobytes()
            found[witness].append((start, end, kind, selection, treatment, reason))
        return [sorted(spans) for spans in found]

    # -- rows ---------------------------------------------------------------------------------------------

    def _column(self, name: str) -> Any:
        return self.occurrences[name].values

    def _in(self, part: str) -> Ints:
        return np.flatnonzero(self._column("part") == PARTS[part])

    @property
    def _scope(self) -> bytes:
        return profile_scope(self.id, self.spec.predicate)

    @cached_property
    def _keys(self) -> Bytes2D:
        """Work keys, uint8 (n, 32)."""
        keys = np.empty(len(self._column("row_no")), [("start", ">u8"), ("extent", ">u8"), ("id", "V16")])
        keys["start"], keys["extent"] = self._column("start_byte"), self._column("extent")
        keys["id"] = np.ascontiguousarray(self._column("occurrence")).view("V16")[:, 0]
        return keys.view(np.uint8).reshape(-1, 32)

    def _rows(self, kind: str, rows: Ints, value: Callable[[Ints], list[Part]]) -> bytes:
        def records(low: int, high: int) -> Bytes2D:
            some = rows[low:high]
            return fixed_rows([self._keys.take(some, axis=0)], value(some))

        return self._root(kind, len(rows), records)

    def _root(self, kind: str, count: int, records: Callable[[int, int], Bytes2D]) -> bytes:
        leaves: list[bytes] = []
        for low in range(0, count, BLOCK_ROWS):
            hashes = chunk_hashes(records(low, min(count, low + BLOCK_ROWS)))
            leaves += [digest.tobytes() for digest in hashes]
        return seal_root(kind, self._scope, count, tree_head(leaves))

    def _key_of_class(self, rows: Ints) -> list[Part]:
        """Class UUID, or the class witness in a partial profile."""
        column = self.classes["witness" if self.partial else "class"].values
        return [column.take(self._column("class_no")[rows], axis=0)]

    def _excluded(self) -> bytes:
        rows = self._in("excluded")
        witness, code = self._column("witness")[rows], self._column("code")[rows]
        known: dict[tuple[int, int], bytes] = {}
        for number, primary in set(zip(witness.tolist(), code.tolist(), strict=True)):
            known[number, primary] = _exclusion_value(self.spans[number], primary)
        values = (known[pair] for pair in zip(witness.tolist(), code.tolist(), strict=True))
        data = self._keys.take(rows, axis=0).tobytes()
        keys = (data[at : at + 32] for at in range(0, len(data), 32))
        return manifest_root("excluded", self._scope, zip(keys, values, strict=True))

    # -- classes ------------------------------------------------------------------------------------------

    @cached_property
    def _by_id(self) -> Ints:
        """Class numbers by ascending UUID; none in a partial profile, which issues no class."""
        if self.partial:
            return np.empty(0, np.int64)
        words = np.ascontiguousarray(self.classes["class"].values).view(">u8").reshape(-1, 2)
        return np.lexsort((words[:, 1], words[:, 0]))

    def _classes(self) -> bytes:
        table, order = self.classes, self._by_id

        def records(low: int, high: int) -> Bytes2D:
            some = order[low:high]
            size: Part = (table["size"].values[some], 8)
            value = [size, table["members"].values[some], table["witness"].values[some]]
            return fixed_rows([table["class"].values[some]], value)

        return self._root("classes", len(order), records)

    def _membership(self) -> bytes:
        rows, ids = self._in("matched"), self.classes["class"].values
        if self.partial:
            rows = rows[:0]
        rank = np.empty(len(self._by_id), np.int64)
        rank[self._by_id] = np.arange(len(rank))
        number = self._column("class_no")[rows]
        order = np.argsort(rank[number], kind="stable")
        rows, number = rows[order], number[order]

        def records(low: int, high: int) -> Bytes2D:
            key = [ids.take(number[low:high], axis=0), self._keys.take(rows[low:high], axis=0)]
            return fixed_rows(key, [])

        return self._root("membership", len(rows), records)

    def _dominated_classes(self) -> bytes:
        table = self.classes
        dominated: Any = table["winner"].present
        order = self._by_id[dominated[self._by_id]] if len(self._by_id) else self._by_id

        def records(low: int, high: int) -> Bytes2D:
            some = order[low:high]
            extensions: list[Part] = [
                (table[f"{side}_extension"].values[some], 4) for side in ("left", "right")
            ]
            winner = table["class"].values.take(table["winner"].values[some], axis=0)
            return fixed_rows([table["class"].values[some]], [winner, *extensions])

        return self._root("dominated-classes", len(order), records)

    def _exclusions(self) -> bytes:
        paragraph, reason = self.exclusions["paragraph"].values, self.exclusions["reason"].values

        def records(low: int, high: int) -> Bytes2D:
            return fixed_rows([(paragraph[low:high], 8)], [(reason[low:high], 1)])

        return self._root("enumeration-exclusions", len(paragraph), records)


def _exclusion_value(spans: Spans, primary: int) -> bytes:
    """Primary reason as the row states it, then every excluding span by reason, start, end and selection."""
    excluded = TREATMENTS["excluded_from_extent"]
    found = sorted((reason, start, end, one) for start, end, _, one, how, reason in spans if how == excluded)
    return u8(primary) + u32(len(found)) + b"".join(u8(reason) + one for reason, _, _, one in found)
