"""The loaded tables read back from the database: their columns, in the order of their keys.

A table without texts comes by COPY BINARY; one with texts (labels, links, blocks) is small and comes row by
row.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.errors import IntegrityError
from tekrar.store.load.columns import TEXTS, TYPES, Column, copy_out
from tekrar.store.session import Connection

#: table -> its columns as "name type", "?" behind a type that may be null; the first of them are the key.
COLUMNS: Final[dict[str, tuple[str, ...]]] = {
    "core.text_block": ("block int4", "data texts"),
    "core.book": (
        *("book int4", "label texts", "title texts", "has_before bool", "first_chapter int4"),
        *("chapters int4", "start_byte int8", "end_byte int8"),
    ),
    "core.chapter": (
        *("chapter int4", "book int4", "number int8?", "title texts", "first_paragraph int4"),
        *("paragraphs int4", "first_sentence int4", "sentences int4", "start_byte int8", "end_byte int8"),
    ),
    "core.paragraph": (
        *("paragraph int4", "chapter int4", "para int8?", "ord int8?", "given bool", "first_sentence int4"),
        *("sentences int4", "first_atom int4", "start_byte int8", "end_byte int8", "book int4"),
        *(
            "book_label texts",
            "chapter_number int8?",
            "chapter_title texts",
            "chapter_no int4",
            "para_no int4",
        ),
        *("source_name texts", "source_digest digest?"),
    ),
    "core.sentence": ("sentence int4", "paragraph int4", "atom int4", "start_byte int8", "end_byte int8"),
    "core.separator": ("atom int4", "kind int2", "start_byte int8", "end_byte int8"),
    "core.dataset": ("kind int2", "root digest", "core_root digest", "spans int4"),
    "core.annotation": (
        *("kind int2", "span int4", "start_byte int8", "end_byte int8", "selection uuid", "status int2"),
        "link texts",
    ),
    "repetition.occurrence": (
        *("row_no int4", "occurrence uuid", "selection uuid", "start_byte int8", "extent int4", "unit int4"),
        *("witness int4", "class_no int4?", "length int2", "part int2", "code int2?", "presentation int2?"),
        *("fingerprint digest?", "paragraph int4", "last_paragraph int4", "class uuid?", "group_key digest?"),
        *("class_size int4?", "reasons int2?", "last_ord int8?", "last_end int4?"),
    ),
    "repetition.class": (
        *("class_no int4", "class uuid?", "size int4", "length int2", "members digest?", "witness digest"),
        *("winner int4?", "left_extension int2?", "right_extension int2?", "first_row int4"),
    ),
    "repetition.witness": ("witness int4", "root digest"),
    "repetition.witness_span": (
        *("witness int4", "start_byte int8", "end_byte int8", "kind int2", "treatment int2", "reason int2"),
        "selection uuid",
    ),
    "repetition.enumeration_exclusion": ("paragraph int4", "reason int2"),
}
#: Number of leading columns that order a table; 1 elsewhere.
KEYS: Final = {"core.annotation": 2, "repetition.witness_span": 4}

Columns = dict[str, Column]


def read_table(connection: Connection, table: str, key: int, *, source: str = "") -> Columns:
    """The columns of one release's or profile's rows of a table, by name.

    Args:
        connection: of a role that may read the rows.
        table: name of the table whose columns they are.
        key: `release_key` or `profile_key`.
        source: the table to read, where it is a partition that is not attached yet.

    Raises:
        IntegrityError: a row has another form than the schema says.
        psycopg.Error: the server refused, or was lost.
    """
    named = [(name, kind) for name, _, kind in (column.partition(" ") for column in COLUMNS[table])]
    if any(kind == TEXTS for _, kind in named):
        columns = _by_rows(connection, source or table, key, named)
    else:
        chosen = ", ".join(name for name, _ in named)
        query = f"SELECT {chosen} FROM {source or table} WHERE {_where(table)} = {key:d}"
        columns = copy_out(connection, query.encode(), named)
    return {column.name: column for column in _in_order(columns, KEYS.get(table, 1))}


def compare_tables(found: Columns, expected: Sequence[Column], *, table: str) -> None:
    """Compare what the database holds with what should be there.

    Raises:
        IntegrityError: names the table, the column and the row.
    """
    for column in expected:
        ours, theirs = column, found[column.name]
        count = len(ours.values)
        if len(theirs.values) != count:
            raise differs(table, f"{len(theirs.values)} rows", f"{count}")
        if column.type == TEXTS:
            odd = [i for i in range(count) if ours.values[i] != theirs.values[i]]
        else:
            odd = np.flatnonzero(_unequal(ours, theirs)).tolist()
        if odd:
            raise differs(table, f"column {column.name} of row {odd[0]} is another value", "the release's")


def differs(place: str, message: str, expected: str) -> IntegrityError:
    """The refusal of rows that are not those of the release or artifact."""
    return IntegrityError(
        message,
        where=f"database, {place}",
        expected=expected,
        mend="nothing was sealed; load it again, and check the disk and memory of the server if it recurs",
        kind="stored_rows_differ",
    )


def _unequal(ours: Column, theirs: Column) -> NDArray[np.bool_]:
    one = _presence(ours)
    other = _presence(theirs)
    unequal = np.asarray(ours.values) != np.asarray(theirs.values)
    if unequal.ndim == 2:
        unequal = unequal.any(axis=1)
    return np.asarray((one != other) | (one & unequal))


def _presence(column: Column) -> NDArray[np.bool_]:
    return np.ones(len(column.values), bool) if column.present is None else column.present


def _where(table: str) -> str:
    return "release_key" if table.startswith("core.") else "profile_key"


def _by_rows(connection: Connection, table: str, key: int, named: Sequence[tuple[str, str]]) -> list[Column]:
    chosen = ", ".join(f"uuid_send({name})" if kind == "uuid" else name for name, kind in named)
    query = f"SELECT {chosen} FROM {table} WHERE {_where(table)} = %s"
    rows = connection.execute(query.encode(), (key,), binary=True).fetchall()
    fields: list[list[Any]] = [list(field) for field in zip(*rows, strict=True)] or [[] for _ in named]
    return [_column(name, kind, values) for (name, kind), values in zip(named, fields, strict=True)]


def _column(name: str, kind: str, values: list[Any]) -> Column:
    base = kind.rstrip("?")
    if base == TEXTS:
        return Column(name, base, [None if value is None else bytes(value) for value in values])
    width, form = TYPES[base]
    present = np.array([value is not None for value in values], bool) if base != kind else None
    if form.startswith("V"):
        data = b"".join(bytes(width) if value is None else value for value in values)
        return Column(name, base, np.frombuffer(data, np.uint8).reshape(-1, width), present)
    return Column(name, base, np.array([value or 0 for value in values], np.int64), present)


def _in_order(columns: list[Column], keys: int) -> list[Column]:
    """Rows by their key. The server sends them as they lie, which is almost always this order."""
    if keys == 1 and (np.diff(np.asarray(columns[0].values)) > 0).all():
        return columns
    order = np.lexsort([np.asarray(column.values) for column in reversed(columns[:keys])])
    if (order == np.arange(len(order))).all():
        return columns
    return [
        Column(
            c.name,
            c.type,
            [c.values[i] for i in order.tolist()] if c.type == TEXTS else c.values[order],
            None if c.present is None else c.present[order],
        )
        for c in columns
    ]
