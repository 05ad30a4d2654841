"""Reading an artifact's columns strictly, and comparing them with recomputed ones row by row."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact
from tekrar.artifact.schema import PARAGRAPH_PROFILES, table_columns, table_names
from tekrar.errors import IntegrityError
from tekrar.verify.result import Findings

Columns = dict[str, NDArray[Any]]
BLOCK_ROWS: Final = 1 << 18
PROVENANCE: Final = "provenance"
_ARROW: Final = {"u8": "uint8", "i32": "int32", "i64": "int64"}
#: The manifest a table's difference is told under, where it is not the table's own name.
KIND_OF: Final = {
    "occurrences/occurrence": "work",
    "occurrences/fingerprint": "evidence",
    "occurrences/witness": "inventory",
    "witnesses": "inventory",
    "witness-spans": "inventory",
    "dominated": "dominated-items",
    "classes/winner": "dominated-classes",
    "classes/left": "dominated-classes",
    "classes/right": "dominated-classes",
    "class-ids": "classes",
    "units/sentences": "work",
    "units/paragraphs": "work",
    "units/empty-paragraphs": "enumeration-exclusions",
    "selections/paragraphs": "inventory",
    "selections/runs": "inventory",
}


def check_names(artifact: Artifact) -> None:
    """Check that the artifact holds its tables and nothing else.

    Raises:
        IntegrityError: a name is missing or unknown.
    """
    odd = sorted(set(artifact.package.names) ^ {*table_names(), PROVENANCE})
    if odd:
        raise IntegrityError(
            f"{odd[0]!r} is {'unknown' if odd[0] in artifact.package else 'missing'}",
            where=f"{artifact.path}/files.json",
            expected="the tables of an artifact and its provenance",
            mend="take the artifact from its maker again, or build it anew",
            kind="bad_table",
        )


def check_provenance(artifact: Artifact) -> None:
    """Check that the provenance can be read: a JSON object. What it tells is outside every root.

    Raises:
        IntegrityError: it is none.
    """
    data = artifact.package.read_bytes(PROVENANCE)
    try:
        document = json.loads(data.decode("utf-8"))
        flaw = "" if isinstance(document, dict) else f"holds {type(document).__name__}"
    except (ValueError, RecursionError) as error:
        flaw = f"cannot be read: {error}"
    if flaw:
        raise IntegrityError(
            f"{PROVENANCE} {flaw}",
            where=f"{artifact.path}: {PROVENANCE}",
            expected="a JSON object in UTF-8",
            mend="take the artifact from its maker again, or build it anew",
            kind="bad_provenance",
        )


def stated_columns(artifact: Artifact, name: str) -> Columns:
    """Every column of a table, exactly those of the schema: a further column could hide text (CORE-06).

    Raises:
        IntegrityError: columns are missing, unknown, of another type, hold a null or differ in length.
    """
    table = artifact.package.read_table(name)
    schema = table_columns(name)
    wanted = [column.name for column in schema]
    if table.column_names != wanted:
        raise _bad_table(artifact, name, f"columns {table.column_names}", f"columns {wanted}")
    found = {}
    for column in schema:
        width = int(column.type[5:]) if column.is_digest else 0
        arrow = f"fixed_size_binary[{width}]" if width else _ARROW[column.type]
        data = table.column(column.name)
        if str(data.type) != arrow or data.null_count:
            raise _bad_table(
                artifact, name, f"column {column.name} is {data.type} with {data.null_count} nulls", arrow
            )
        array = data.combine_chunks()
        if width:
            raw = np.frombuffer(array.buffers()[1] or b"", np.uint8)
            begin = array.offset * width
            found[column.name] = raw[begin : begin + len(array) * width].reshape(-1, width)
        else:
            found[column.name] = array.to_numpy(zero_copy_only=True)
    return found


def _bad_table(artifact: Artifact, name: str, message: str, expected: str) -> IntegrityError:
    return IntegrityError(
        message,
        where=f"{artifact.path}: table {name}",
        expected=expected,
        mend="take the artifact from its maker again, or build it anew",
        kind="bad_table",
    )


def profile_of_table(name: str) -> str:
    """The profile that a table belongs to; for common tables the two that share them."""
    head, tail = name.split("/", 1)
    if head in ("units", "selections"):
        paragraphs = "paragraphs" in tail
        return ",".join(p for p in ("FP", "FS", "PP", "PS") if (p in PARAGRAPH_PROFILES) == paragraphs)
    return head


def kind_of(name: str, column: str) -> str:
    """The manifest kind under which a difference in a column is told."""
    tail = name if name in KIND_OF else name.split("/", 1)[1]
    return KIND_OF.get(f"{tail}/{column}") or KIND_OF.get(tail) or tail


def compare_table(
    findings: Findings, name: str, *, expected: Mapping[str, NDArray[Any]], stated: Mapping[str, NDArray[Any]]
) -> None:
    """Compare every column of a table; differences name table, column and row.

    Raises:
        IntegrityError: the expected columns, some of which come from the artifact, are of several lengths.
    """
    lengths = sorted({len(expected[column]) for column in expected})
    if len(lengths) != 1:
        raise IntegrityError(
            f"columns of {' and '.join(map(str, lengths))} rows",
            where=f"table {name}",
            expected="one length for all columns of a table",
            mend="take the artifact from its maker again, or build it anew",
            kind="bad_table",
        )
    findings.rows += lengths[0]
    for column in expected:
        ours, theirs = expected[column], stated[column]
        common = min(len(ours), len(theirs))
        row = _first_difference(ours[:common], theirs[:common])
        if row is None and len(ours) != len(theirs):
            row = common
        if row is not None:
            findings.add(
                profile=profile_of_table(name),
                kind=kind_of(name, column),
                place=f"{name}, column {column}",
                row=row,
                expected=_cell(ours, row),
                found=_cell(theirs, row),
            )


def _first_difference(ours: NDArray[Any], theirs: NDArray[Any]) -> int | None:
    for low in range(0, len(ours), BLOCK_ROWS):
        a, b = ours[low : low + BLOCK_ROWS], theirs[low : low + BLOCK_ROWS]
        if not np.array_equal(a, b):
            differs = (a != b).any(axis=1) if a.ndim == 2 else a != b
            return low + int(np.flatnonzero(differs)[0])
    return None


def _cell(values: NDArray[Any], row: int) -> object:
    if row >= len(values):
        return f"no row {row} ({len(values)} rows)"
    return values[row].tobytes() if values.ndim == 2 else int(values[row])
