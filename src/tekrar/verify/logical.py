"""The twenty manifests of a profile, from columns (docs/encoding.md section 8).

The columns may be recomputed ones (verification) or an artifact's own (`--quick`, inclusion proofs): the
records are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import profile_scope, u8
from tekrar.core.policy import ProfileSpec
from tekrar.verify.manifests import Bytes2D, FixedManifest, ListManifest, Manifest, big_endian
from tekrar.verify.universe import Universe
from tekrar.verify.witnesses import Touched, exclusion_value

Ints = NDArray[np.int64]
Columns = Mapping[str, NDArray[Any]]

#: Kinds in the order of their positions 1..20.
KINDS: Final = (
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
    "dataset-headings",
    "dataset-note-bodies",
    "dataset-note-markers",
    "validation",
    "compiler",
)
DATASET_KINDS: Final = KINDS[15:18]
PARTS: Final = ("matched", "evaluated-unique", "not-evaluated", "failed", "excluded")
VALIDATIONS: Final = ("profile", "text-release", "inventory-count", "compiler-vectors", "preimages-verified")
EMPTY_PARAGRAPH: Final = 1
COLLISION: Final = 2
PEERS: Final = 2


@dataclass
class LogicalProfile:
    """Columns of one profile as its manifests need them.

    Attributes:
        spec: row of the matrix; id: profile UUID; partial: whether it is a partial profile.
        universe: geometry; selection: selection UUIDs of all rows.
        tables: columns by table, named as in `tekrar.artifact.schema` without the profile's prefix.
        spans: spans of every witness number; empty: ordinals of empty paragraphs (paragraph profiles).
        validation: name -> digest; compiler: name -> value.
        dataset_roots: the three dataset roots, computed where there is a release.
    """

    spec: ProfileSpec
    id: bytes
    partial: bool
    universe: Universe
    selection: Bytes2D
    tables: Mapping[str, Columns]
    spans: list[list[Touched]]
    empty: Ints
    validation: Mapping[str, bytes]
    compiler: Mapping[str, bytes]
    dataset_roots: Mapping[str, bytes]

    @property
    def scope(self) -> bytes:
        """Scope bytes of the profile's manifests."""
        return profile_scope(self.id, self.spec.predicate)

    def keys(self, rows: Ints | slice) -> Bytes2D:
        """Work keys of rows: first byte, extent length, occurrence UUID."""
        start = self.universe.start[self.universe.first[rows]]
        end = self.universe.end[self.universe.last[rows]]
        occurrence = self.tables["occurrences"]["occurrence"][rows]
        return np.hstack([big_endian(start, 8), big_endian(end - start, 8), occurrence])

    @cached_property
    def evaluated(self) -> Ints:
        """Rows that have a fingerprint: matched, unique, without peers yet, or failed by a collision."""
        pending, failed = self.tables["not-evaluated"], self.tables["failed"]
        return np.sort(
            np.concatenate(
                [
                    self.tables["matched"]["row"],
                    self.tables["evaluated-unique"]["row"],
                    pending["row"][pending["code"] == PEERS],
                    failed["row"][failed["code"] == COLLISION],
                ]
            )
        )

    @cached_property
    def class_rank(self) -> Ints:
        """Class numbers in ascending order of their UUIDs."""
        words = np.ascontiguousarray(self.tables["class-ids"]["class"]).view(">u8").reshape(-1, 2)
        return np.lexsort((words[:, 1], words[:, 0]))

    def manifest(self, kind: str) -> Manifest:
        """One manifest by its kind (datasets excepted, whose records the artifact does not hold)."""
        maker: Callable[[], Manifest] = getattr(self, "_" + kind.replace("-", "_"))
        return maker()

    def root(self, kind: str) -> bytes:
        """Root of one kind."""
        return self.dataset_roots[kind] if kind in DATASET_KINDS else self.manifest(kind).root()

    # -- rows ------------------------------------------------------------------------------------------------

    def _rows(
        self, kind: str, rows: Ints | None = None, values: Callable[[int, int], Bytes2D] | None = None
    ) -> Manifest:
        """A manifest of work keys, of all rows or of some."""
        if rows is None:
            count = len(self.universe)
            return FixedManifest(
                kind, self.scope, count, keys=lambda low, high: self.keys(slice(low, high)), values=values
            )
        some = rows
        return FixedManifest(
            kind, self.scope, len(some), keys=lambda low, high: self.keys(some[low:high]), values=values
        )

    def _work(self) -> Manifest:
        return self._rows("work")

    def _inventory(self) -> Manifest:
        root, which = self.tables["witnesses"]["root"], self.tables["occurrences"]["witness"]
        return self._rows(
            "inventory",
            values=lambda low, high: np.hstack([self.selection[low:high], root[which[low:high]]]),
        )

    def _evidence(self) -> Manifest:
        return self._fingerprints("evidence", self.evaluated)

    def _fingerprints(self, kind: str, rows: Ints) -> Manifest:
        column = self.tables["occurrences"]["fingerprint"]
        return self._rows(kind, rows, lambda low, high: column[rows[low:high]])

    def _matched(self) -> Manifest:
        return self._classed("matched", self.tables["matched"]["row"])

    def _published(self) -> Manifest:
        return self._classed("published", self.tables["published"]["row"])

    def _provisional(self) -> Manifest:
        return self._classed("provisional", self.tables["provisional"]["row"])

    def _dominated_items(self) -> Manifest:
        return self._classed("dominated-items", self.tables["dominated"]["row"])

    def _classed(self, kind: str, rows: Ints) -> Manifest:
        """Work key -> class UUID, or class witness in a partial profile."""
        value = self.tables["classes"]["witness"] if self.partial else self.tables["class-ids"]["class"]
        matched = self.tables["matched"]
        at = np.minimum(np.searchsorted(matched["row"], rows), max(len(matched["row"]) - 1, 0))
        number = matched["class"][at] if len(rows) else np.zeros(0, np.int64)
        return self._rows(kind, rows, lambda low, high: value[number[low:high]])

    def _evaluated_unique(self) -> Manifest:
        return self._fingerprints("evaluated-unique", self.tables["evaluated-unique"]["row"])

    def _not_evaluated(self) -> Manifest:
        return self._coded("not-evaluated")

    def _failed(self) -> Manifest:
        return self._coded("failed")

    def _coded(self, kind: str) -> Manifest:
        rows, code = self.tables[kind]["row"], self.tables[kind]["code"]
        return self._rows(kind, rows, lambda low, high: code[low:high].reshape(-1, 1))

    def _excluded(self) -> Manifest:
        rows = self.tables["excluded"]["row"]
        which = self.tables["occurrences"]["witness"][rows]
        known: dict[int, bytes] = {}
        for number in np.unique(which).tolist():
            known[number] = exclusion_value(self.spans[number])
        keys = self.keys(rows)
        pairs = [(key.tobytes(), known[number]) for key, number in zip(keys, which.tolist(), strict=True)]
        return ListManifest("excluded", self.scope, pairs)

    # -- classes ---------------------------------------------------------------------------------------------

    def _classes(self) -> Manifest:
        ids, classes = self.tables["class-ids"], self.tables["classes"]
        order = self.class_rank

        def values(low: int, high: int) -> Bytes2D:
            some = order[low:high]
            return np.hstack(
                [big_endian(classes["size"][some], 8), ids["members"][some], classes["witness"][some]]
            )

        return FixedManifest(
            "classes",
            self.scope,
            len(order),
            keys=lambda low, high: ids["class"][order[low:high]],
            values=values,
        )

    def _membership(self) -> Manifest:
        ids, order = self.tables["class-ids"]["class"], self.class_rank
        if self.partial:
            return ListManifest("membership", self.scope, [])
        rows, number = self.tables["matched"]["row"], self.tables["matched"]["class"]
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order))
        by_class = np.argsort(place[number], kind="stable")
        rows, number = rows[by_class], number[by_class]
        return FixedManifest(
            "membership",
            self.scope,
            len(rows),
            keys=lambda low, high: np.hstack([ids[number[low:high]], self.keys(rows[low:high])]),
        )

    def _dominated_classes(self) -> Manifest:
        ids, classes = self.tables["class-ids"]["class"], self.tables["classes"]
        order = self.class_rank
        order = order[classes["winner"][order] >= 0] if len(order) else order

        def values(low: int, high: int) -> Bytes2D:
            some = order[low:high]
            return np.hstack(
                [
                    ids[classes["winner"][some]],
                    big_endian(classes["left"][some], 4),
                    big_endian(classes["right"][some], 4),
                ]
            )

        return FixedManifest(
            "dominated-classes",
            self.scope,
            len(order),
            keys=lambda low, high: ids[order[low:high]],
            values=values,
        )

    # -- the rest --------------------------------------------------------------------------------------------

    def _enumeration_exclusions(self) -> Manifest:
        reason = np.full((len(self.empty), 1), EMPTY_PARAGRAPH, np.uint8)
        return FixedManifest(
            "enumeration-exclusions",
            self.scope,
            len(self.empty),
            keys=lambda low, high: big_endian(self.empty[low:high], 8),
            values=lambda low, high: reason[low:high],
        )

    def _validation(self) -> Manifest:
        pairs = [
            (u8(position) + name.encode("ascii"), self.validation[name])
            for position, name in enumerate(VALIDATIONS, start=1)
            if name in self.validation
        ]
        return ListManifest("validation", self.scope, pairs)

    def _compiler(self) -> Manifest:
        pairs = [(name.encode("ascii"), self.compiler[name]) for name in sorted(self.compiler)]
        return ListManifest("compiler", b"\x00", pairs)
