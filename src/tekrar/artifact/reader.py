"""Reading an artifact: its manifest, roots and columns, without the text and without the builder."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.schema import FORMAT, PARAGRAPH_PROFILES, PROFILES, table_columns
from tekrar.errors import IntegrityError, UsageError
from tekrar.package import Package

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]
MIN_RUN = 2


class Artifact:
    """An opened artifact.

    Attributes:
        manifest: the canonical manifest document.
        package: the folder it stands in.

    Raises:
        NotFoundError: nothing at the path.
        IntegrityError: the folder is no artifact, or its manifest is malformed.
    """

    def __init__(self, path: Path) -> None:
        self.package = Package(path, format=FORMAT)
        self.path = path
        self.manifest: dict[str, Any] = self.package.manifest
        self._profiles: dict[str, ArtifactProfile] = {}

    @property
    def artifact_root(self) -> bytes:
        """The root the manifest states (32 bytes); verification recomputes it."""
        return bytes.fromhex(self.manifest["artifact_root"])

    @property
    def roots(self) -> list[tuple[str, bytes]]:
        """(name, root) in artifact order, as stated."""
        return [(name, bytes.fromhex(root)) for name, root in self.manifest["roots"]]

    @property
    def text_release(self) -> str:
        """UUID text of the text release this artifact was built from."""
        return str(self.manifest["release"]["text_release"])

    def profile(self, short: str) -> ArtifactProfile:
        """One profile by its short name.

        Raises:
            UsageError: an unknown profile.
        """
        if short not in PROFILES:
            raise UsageError(
                f"unknown profile {short!r}", expected=", ".join(PROFILES), kind="unknown_profile"
            )
        return self._profiles.setdefault(short, ArtifactProfile(self, short))

    def columns(self, name: str) -> dict[str, NDArray[Any]]:
        """Every column of a table: digests as uint8 (n, width), numbers as their numpy type.

        Raises:
            IntegrityError: a column has another type or holds a null.
        """
        schema = table_columns(name)
        table = self.package.read_table(name, [c.name for c in schema])
        found = {}
        for column in schema:
            chunk = table.column(column.name).combine_chunks()
            token = {"uint8": "u8", "int32": "i32", "int64": "i64"}.get(str(chunk.type), str(chunk.type))
            wanted = f"fixed_size_binary[{column.type[5:]}]" if column.is_digest else column.type
            if token != wanted or chunk.null_count:
                raise IntegrityError(
                    f"column {column.name} is {chunk.type} with {chunk.null_count} nulls",
                    where=f"{self.path}: {name}",
                    expected=f"{wanted} without nulls",
                    kind="bad_table",
                )
            if column.is_digest:
                width = int(column.type[5:])
                data = np.frombuffer(chunk.buffers()[1] or b"", np.uint8)
                begin = chunk.offset * width
                found[column.name] = data[begin : begin + len(chunk) * width].reshape(-1, width)
            else:
                found[column.name] = chunk.to_numpy(zero_copy_only=True)
        return found

    @cached_property
    def sentences(self) -> dict[str, NDArray[Any]]:
        """start, end and reach per sentence: the geometry of run rows."""
        return self.columns("units/sentences")

    @cached_property
    def paragraphs(self) -> dict[str, NDArray[Any]]:
        """ordinal, start and end per non-empty paragraph: the geometry of paragraph rows."""
        return self.columns("units/paragraphs")


class ArtifactProfile:
    """Columns of one profile; rows are its universe in document order.

    Run rows count by start sentence, then length 2..reach; paragraph rows by non-empty paragraph.
    """

    def __init__(self, artifact: Artifact, short: str) -> None:
        self.artifact = artifact
        self.short = short
        self.manifest: dict[str, Any] = artifact.manifest["profiles"][short]
        self.is_runs = short not in PARAGRAPH_PROFILES

    def table(self, name: str) -> dict[str, NDArray[Any]]:
        """Columns of one of the profile's tables."""
        return self.artifact.columns(f"{self.short}/{name}")

    @cached_property
    def occurrences(self) -> dict[str, NDArray[Any]]:
        """occurrence, fingerprint and witness per row."""
        return self.table("occurrences")

    @cached_property
    def selection(self) -> Bytes2D:
        """Selection UUIDs per row."""
        name = "selections/runs" if self.is_runs else "selections/paragraphs"
        return np.asarray(self.artifact.columns(name)["selection"])

    @property
    def rows(self) -> int:
        """Number of occurrences."""
        return len(self.occurrences["occurrence"])

    @property
    def partial(self) -> bool:
        """Whether an item is failed or pending."""
        return bool(self.manifest["partial"])

    @cached_property
    def matched(self) -> dict[str, NDArray[Any]]:
        """row and class (number) of matched items."""
        return self.table("matched")

    @cached_property
    def classes(self) -> dict[str, NDArray[Any]]:
        """size, witness, winner (-1 = published), left, right per class number; class and members when
        complete."""
        found = self.table("classes")
        ids = self.table("class-ids")
        return found | ids

    @cached_property
    def members(self) -> tuple[Ints, Ints]:
        """Member rows by class number: (offsets with a final total, rows ascending inside a class)."""
        rows, which = self.matched["row"], self.matched["class"]
        order = np.argsort(which, kind="stable")
        size = np.bincount(which, minlength=len(self.classes["size"]))
        return np.concatenate([[0], np.cumsum(size)]).astype(np.int64), rows[order]

    def class_members(self, number: int) -> Ints:
        """Member rows of one class in document order."""
        offset, rows = self.members
        return rows[int(offset[number]) : int(offset[number + 1])]

    @cached_property
    def first_row(self) -> Ints:
        """First row of the runs that start at each sentence, with a final total (run profiles)."""
        reach = self.artifact.sentences["reach"].astype(np.int64)
        return np.concatenate([[0], np.cumsum(reach - 1)]).astype(np.int64)

    def unit(self, row: int) -> tuple[int, int]:
        """(start sentence ordinal, length) of a run row, or (paragraph ordinal, 1) of a paragraph row."""
        if not self.is_runs:
            return int(self.artifact.paragraphs["ordinal"][row]), 1
        sentence = int(np.searchsorted(self.first_row, row, side="right")) - 1
        return sentence, row - int(self.first_row[sentence]) + MIN_RUN

    def extent(self, row: int) -> tuple[int, int]:
        """First and end byte of a row in the release."""
        if not self.is_runs:
            units = self.artifact.paragraphs
            return int(units["start"][row]), int(units["end"][row])
        sentence, length = self.unit(row)
        units = self.artifact.sentences
        return int(units["start"][sentence]), int(units["end"][sentence + length - 1])

    def extents(self) -> tuple[Ints, Ints]:
        """First byte and end byte of every row."""
        if not self.is_runs:
            return self.artifact.paragraphs["start"], self.artifact.paragraphs["end"]
        reach = self.artifact.sentences["reach"].astype(np.int64)
        sentence = np.repeat(np.arange(len(reach)), reach - 1)
        length = np.arange(self.rows) - np.repeat(self.first_row[:-1], reach - 1) + MIN_RUN
        return self.artifact.sentences["start"][sentence], self.artifact.sentences["end"][
            sentence + length - 1
        ]

    def row_of(self, occurrence: bytes) -> int | None:
        """Row of an occurrence UUID (16 bytes), or None when this profile has none such."""
        found = np.flatnonzero(
            (self.occurrences["occurrence"] == np.frombuffer(occurrence, np.uint8)).all(axis=1)
        )
        return int(found[0]) if len(found) else None

    def part_of(self, row: int) -> tuple[str, int | None]:
        """The part a row stands in and what it carries: class number, code, or None.

        Raises:
            IntegrityError: the row stands in no part or in several: never taken for unique (COV-11).
        """
        hits: list[tuple[str, int | None]] = []
        for part, value in (
            ("matched", "class"),
            ("evaluated-unique", None),
            ("not-evaluated", "code"),
            ("excluded", None),
            ("failed", "code"),
        ):
            columns = self.matched if part == "matched" else self.table(part)
            at = int(np.searchsorted(columns["row"], row))
            if at < len(columns["row"]) and columns["row"][at] == row:
                hits.append((part, None if value is None else int(columns[value][at])))
        if len(hits) != 1:
            raise IntegrityError(
                f"row {row} stands in {len(hits)} parts",
                where=f"{self.artifact.path}: profile {self.short}",
                expected="exactly one of matched, evaluated-unique, not-evaluated, excluded, failed",
                mend="verify the artifact, and build it again",
                kind="partition",
            )
        return hits[0]
