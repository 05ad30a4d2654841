"""One profile for reading: rows, classes and parts as checked columns.

Only the columns that an answer needs are loaded. Whatever would make an answer point outside its universe
is refused when it is read.
"""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import MIN_RUN, ArtifactProfile
from tekrar.core.policy import MATRIX, ProfileSpec
from tekrar.errors import IntegrityError
from tekrar.view.status import Presentation

Ints = NDArray[np.int64]
PUBLISHED = -1


class ProfileView:
    """Rows and classes of one profile.

    Attributes:
        profile: the artifact's columns.
        spec: its row of the matrix.
    """

    def __init__(self, profile: ArtifactProfile) -> None:
        self.profile = profile
        self.short = profile.short
        self.spec: ProfileSpec = next(spec for spec in MATRIX if spec.short == profile.short)

    @property
    def id(self) -> str:
        """UUID text of the profile."""
        return str(self.profile.manifest["id"])

    @property
    def coverage(self) -> dict[str, Any]:
        """The profile's coverage record, from the manifest: the one source of every count shown."""
        return dict(self.profile.manifest["coverage"])

    @cached_property
    def rows(self) -> int:
        """Size of the universe.

        Raises:
            IntegrityError: the units give another number than the manifest.
        """
        artifact = self.profile.artifact
        found = (
            int(self.profile.first_row[-1]) if self.profile.is_runs else len(artifact.paragraphs["ordinal"])
        )
        if found != self.coverage["emitted"]:
            raise self.broken(f"the units give {found} occurrences", expected=f"{self.coverage['emitted']}")
        return found

    @cached_property
    def ids(self) -> NDArray[np.uint8]:
        """Occurrence UUIDs, uint8 (rows, 16)."""
        return self._digests("occurrences", "occurrence", 16)

    @cached_property
    def mask_witness(self) -> NDArray[np.int32]:
        """Mask witness number of every row."""
        package = self.profile.artifact.package
        column = package.read_table(f"{self.short}/occurrences", ["witness"]).column(0).combine_chunks()
        if str(column.type) != "int32" or column.null_count or len(column) != self.rows:
            raise self.broken("column witness is malformed", expected=f"{self.rows} plain int32 numbers")
        return np.asarray(column.to_numpy(zero_copy_only=True))

    @cached_property
    def witness_spans(self) -> dict[str, NDArray[Any]]:
        """The spans of every mask witness, grouped by witness number."""
        table = self.profile.table("witness-spans")
        if (np.diff(table["witness"]) < 0).any():
            raise self.broken("mask witnesses are out of order", expected="spans by witness number")
        return table

    @cached_property
    def classes(self) -> dict[str, NDArray[Any]]:
        """size, witness, winner, left, right per class, and class and members when IDs were issued.

        Raises:
            IntegrityError: members, sizes, IDs or winners do not fit each other or the manifest's counts.
        """
        table = self.profile.classes
        count, coverage = len(table["size"]), self.coverage
        if count != coverage["discovered_classes"] + coverage["provisional_groups"]:
            raise self.broken(f"the table holds {count} classes", expected="as many as the manifest counts")
        if len(table["class"]) != (0 if self.profile.partial else count):
            raise self.broken("class IDs do not fit the status", expected="an ID a class, none when partial")
        rows, which = self.profile.matched["row"], self.profile.matched["class"]
        if len(rows) and (min(int(rows.min()), int(which.min())) < 0 or int(rows.max()) >= self.rows):
            raise self.broken("a matched row is outside the universe", expected=f"rows 0 to {self.rows - 1}")
        if not np.array_equal(np.bincount(which, minlength=count), table["size"]):
            raise self.broken("members do not add up to the class sizes", expected="every member once")
        winner = table["winner"]
        if count and (int(winner.min()) < PUBLISHED or int(winner.max()) >= count):
            raise self.broken("a dominator is no class", expected=f"class numbers below {count}")
        dominated = int((winner != PUBLISHED).sum())
        if dominated != coverage["dominated_classes"]:
            raise self.broken(
                f"{dominated} classes have a dominator", expected=f"{coverage['dominated_classes']}"
            )
        return table

    @property
    def count(self) -> int:
        """Number of classes, or of provisional groups."""
        return len(self.classes["size"])

    @cached_property
    def first_member(self) -> Ints:
        """First member row of every class."""
        offset, rows = self.profile.members
        return rows[offset[:-1]] if self.count else np.empty(0, np.int64)

    @cached_property
    def class_length(self) -> Ints:
        """Sentences of every class's members; 1 for paragraphs."""
        return self.units(self.first_member)[1]

    def members_of(self, numbers: Ints) -> tuple[Ints, Ints]:
        """Member rows of several classes: offsets with a final total, and rows, ascending in a class."""
        offset, rows = self.profile.members
        size = np.diff(offset)[numbers]
        bounds = np.concatenate([[0], np.cumsum(size)]).astype(np.int64)
        within = np.arange(int(bounds[-1])) - np.repeat(bounds[:-1], size)
        return bounds, rows[np.repeat(offset[:-1][numbers], size) + within]

    def units(self, rows: Ints) -> tuple[Ints, Ints]:
        """Start sentence and length of run rows; paragraph ordinal and 1 of paragraph rows."""
        if not self.profile.is_runs:
            ordinal = self.profile.artifact.paragraphs["ordinal"]
            return ordinal[rows], np.ones(len(rows), np.int64)
        first = self.profile.first_row
        sentence = np.searchsorted(first, rows, side="right") - 1
        return sentence, rows - first[sentence] + MIN_RUN

    def extents(self, rows: Ints) -> tuple[Ints, Ints]:
        """First and end byte of the given rows."""
        artifact = self.profile.artifact
        if not self.profile.is_runs:
            return artifact.paragraphs["start"][rows], artifact.paragraphs["end"][rows]
        sentence, length = self.units(rows)
        return artifact.sentences["start"][sentence], artifact.sentences["end"][sentence + length - 1]

    def presentation(self, number: int) -> Presentation:
        """How a class is presented."""
        if self.profile.partial:
            return Presentation.PROVISIONAL
        dominated = int(self.classes["winner"][number]) != PUBLISHED
        return Presentation.DOMINATED if dominated else Presentation.PUBLISHED

    def row_of(self, occurrence: bytes) -> int | None:
        """Row of an occurrence UUID, or None."""
        return _find(self.ids, occurrence)

    def class_of(self, identity: bytes) -> int | None:
        """Number of a class by its UUID (16 bytes) or its witness (32 bytes), or None."""
        return _find(self.classes["class" if len(identity) == 16 else "witness"], identity)

    def broken(self, message: str, *, expected: str) -> IntegrityError:
        """The refusal of columns that contradict themselves."""
        return IntegrityError(
            message,
            where=f"{self.profile.artifact.path}: profile {self.short}",
            expected=expected,
            mend="verify the artifact, and build it again",
            kind="bad_columns",
        )

    def _digests(self, table: str, column: str, width: int) -> NDArray[np.uint8]:
        package = self.profile.artifact.package
        found = package.read_table(f"{self.short}/{table}", [column]).column(0).combine_chunks()
        if str(found.type) != f"fixed_size_binary[{width}]" or found.null_count or len(found) != self.rows:
            raise self.broken(
                f"column {column} is malformed", expected=f"{self.rows} values of {width} bytes"
            )
        data = np.frombuffer(found.buffers()[1] or b"", np.uint8)
        return data[found.offset * width : (found.offset + len(found)) * width].reshape(-1, width)


def _find(column: NDArray[np.uint8], value: bytes) -> int | None:
    """Row of a fixed-width value, or None; compares the first eight bytes before all."""
    if not len(column):
        return None
    head = np.ascontiguousarray(column[:, :8]).view("<u8").reshape(-1)
    for row in np.flatnonzero(head == np.frombuffer(value[:8], "<u8")[0]).tolist():
        if column[row].tobytes() == value:
            return int(row)
    return None
