"""Columns to COPY BINARY and back: packed big-endian records; a row costs no Python call on its way in.

A record of the format is `i16 fields`, then for each field `i32 length` and its bytes; a null is length -1
and no byte. Rows of fixed fields are one numpy struct; nulls are cut out of it afterwards. Tables with texts
in them are small and are written row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from tekrar.errors import IntegrityError
from tekrar.store.session import Connection

Bytes2D = NDArray[np.uint8]
Part = Callable[[str], None]

SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER: Final = b"\xff\xff"
#: Rows packed at once: a block stays in the processor's cache.
BLOCK_ROWS: Final = 8192
#: Rows of a read collected before they are taken apart.
READ_ROWS: Final = 1 << 11

#: Type token -> width in bytes and numpy type of the value.
TYPES: Final = {
    "bool": (1, ">u1"),
    "int2": (2, ">i2"),
    "int4": (4, ">i4"),
    "int8": (8, ">i8"),
    "uuid": (16, "V16"),
    "digest": (32, "V32"),
}
#: A column of texts: bytes or None a row.
TEXTS: Final = "texts"


@dataclass(frozen=True)
class Column:
    """One column of rows to load.

    Attributes:
        name: of the table's column.
        type: a token of `TYPES`, or `TEXTS`.
        values: integers (n,), digests uint8 (n, width), or a list of bytes and None.
        present: False where the value is null; None when no value is.
    """

    name: str
    type: str
    values: Any
    present: NDArray[np.bool_] | None = None


def copy_in(
    connection: Connection, target: str, columns: Sequence[Column], *, half_way: Callable[[], None]
) -> int:
    """COPY columns into a table that this transaction made; return the number of rows.

    `half_way` is called once, after the first block was sent.

    Raises:
        IntegrityError: a number is too large for its column.
        psycopg.Error: the server refused a row, or was lost.
    """
    count = len(columns[0].values)
    # Frozen: the table is this transaction's own, so nobody sees a row before its COMMIT.
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT BINARY, FREEZE)").format(
        sql.Identifier(*target.split(".")), sql.SQL(", ").join(sql.Identifier(c.name) for c in columns)
    )
    texts = any(c.type == TEXTS for c in columns)
    for column in columns:
        _check_range(column, target)
    with connection.cursor().copy(statement) as stream:
        stream.write(SIGNATURE)
        for low in range(0, count, BLOCK_ROWS):
            high = min(count, low + BLOCK_ROWS)
            stream.write(_written(columns, low, high) if texts else packed(columns, low, high))
            if low == 0:
                half_way()
        stream.write(TRAILER)
    return count


def packed(columns: Sequence[Column], low: int, high: int) -> bytes:
    """Rows low..high-1 of fixed columns as records."""
    layout = _layout(tuple(c.type for c in columns))
    rows = np.empty(high - low, layout)
    rows["fields"] = len(columns)
    keep: NDArray[np.bool_] | None = None
    for i, column in enumerate(columns):
        width = TYPES[column.type][0]
        values = column.values[low:high]
        if values.ndim == 2:
            rows[f"v{i}"] = np.ascontiguousarray(values).view(f"V{width}")[:, 0]
        else:
            rows[f"v{i}"] = values
        rows[f"n{i}"] = width
        present = None if column.present is None else column.present[low:high]
        if present is not None and not present.all():
            rows[f"n{i}"][~present] = -1
            if keep is None:
                keep = np.ones((high - low, layout.itemsize), bool)
            at = layout.fields[f"v{i}"][1]  # type: ignore[index]
            keep[:, at : at + width] = present[:, None]
    flat = rows.view(np.uint8).reshape(high - low, layout.itemsize)
    return (flat if keep is None else flat[keep]).tobytes()


def _written(columns: Sequence[Column], low: int, high: int) -> bytes:
    """Rows low..high-1 one by one, for tables with texts."""
    fields = [list(_fields(column, low, high)) for column in columns]
    head = len(columns).to_bytes(2, "big")
    return b"".join(head + b"".join(row) for row in zip(*fields, strict=True))


def _fields(column: Column, low: int, high: int) -> Iterator[bytes]:
    absent = b"\xff\xff\xff\xff"
    if column.type == TEXTS:
        for text in column.values[low:high]:
            yield absent if text is None else len(text).to_bytes(4, "big") + text
        return
    width, token = TYPES[column.type]
    values = column.values[low:high]
    data = (values if values.ndim == 2 else values.astype(token)).tobytes()
    head = width.to_bytes(4, "big")
    for at in range(high - low):
        null = column.present is not None and not column.present[low + at]
        yield absent if null else head + data[at * width : (at + 1) * width]


def _layout(types: tuple[str, ...]) -> np.dtype[Any]:
    fields: list[tuple[str, str]] = [("fields", ">i2")]
    for i, token in enumerate(types):
        fields += [(f"n{i}", ">i4"), (f"v{i}", TYPES[token][1])]
    return np.dtype(fields)


def _check_range(column: Column, target: str) -> None:
    """A number that its column cannot hold is refused here, before numpy would wrap it around."""
    if not column.type.startswith("int") or not len(column.values):
        return
    bits = 8 * TYPES[column.type][0] - 1
    low, high = int(column.values.min()), int(column.values.max())
    if low < -(1 << bits) or high >= 1 << bits:
        raise IntegrityError(
            f"{low if low < 0 else high} is too large for column {column.name}",
            where=f"table {target}",
            expected=f"a number below 2^{bits}",
            mend="load a smaller release",
            kind="too_large",
        )


def copy_out(
    connection: Connection, query: bytes, types: Sequence[str], parameters: Sequence[Any] = ()
) -> list[NDArray[Any]]:
    """Columns of a query without nulls, read by COPY BINARY: native integers (n,), digests uint8 (n, width).

    Raises:
        IntegrityError: a row has another form than the types say.
        psycopg.Error: the server refused the query, or was lost.
    """
    layout = _layout(tuple(types))
    parts: list[list[NDArray[Any]]] = [[] for _ in types]
    statement = b"COPY (" + query + b") TO STDOUT (FORMAT BINARY)"
    with connection.cursor().copy(statement, parameters) as stream:
        for data in _blocks(stream):
            rows = _records(data, layout, types)
            for i, token in enumerate(types):
                parts[i].append(_column(rows[f"v{i}"], token))
    return [_joined(part, token) for part, token in zip(parts, types, strict=True)]


def _blocks(stream: Any) -> Iterator[bytes]:
    """What COPY sends, some megabytes at a time, without signature and trailer; a message is a row."""
    messages = iter(stream)
    held, start = b"", len(SIGNATURE)
    while some := list(islice(messages, READ_ROWS)):
        data = b"".join(some)
        if held:
            yield held
        held, start = data[start:], 0
    # The trailer stands behind the last row.
    if len(held) > len(TRAILER):
        yield held[: -len(TRAILER)]


def _records(data: bytes, layout: np.dtype[Any], types: Sequence[str]) -> NDArray[Any]:
    sound = len(data) % layout.itemsize == 0
    rows = np.frombuffer(data, layout) if sound else np.empty(0, layout)
    sound = sound and bool((rows["fields"] == len(types)).all())
    for i, token in enumerate(types):
        sound = sound and bool((rows[f"n{i}"] == TYPES[token][0]).all())
    if not sound:
        raise IntegrityError(
            "the database sent a row of another form",
            where="database",
            expected=", ".join(types),
            mend="run tekrar db migrate, then load it again",
            kind="row_form",
        )
    return rows


def _column(values: NDArray[Any], token: str) -> NDArray[Any]:
    width, form = TYPES[token]
    if form.startswith("V"):
        return np.ascontiguousarray(values).view(np.uint8).reshape(-1, width)
    return values.astype(form[1:])


def _joined(parts: list[NDArray[Any]], token: str) -> NDArray[Any]:
    if parts:
        return np.concatenate(parts)
    width, form = TYPES[token]
    return np.empty((0, width), np.uint8) if form.startswith("V") else np.empty(0, form[1:])
