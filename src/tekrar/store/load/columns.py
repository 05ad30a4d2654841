"""Columns to COPY BINARY and back: packed big-endian records; a row costs no Python call on its way in.

A record of the format is `i16 fields`, then for each field `i32 length` and its bytes; a null is length -1
and no byte. Rows of fixed fields are one numpy struct; nulls are cut out of it afterwards. Tables with texts
in them are small and are written row by row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import compress, islice
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray
from psycopg import sql

from tekrar.errors import IntegrityError
from tekrar.store.round_trip import copied_out
from tekrar.store.session import Connection

Bytes2D = NDArray[np.uint8]
Part = Callable[[str], None]

SIGNATURE: Final = b"PGCOPY\n\xff\r\n\0" + bytes(8)
TRAILER: Final = b"\xff\xff"
#: Rows packed at once: a block stays in the processor's cache.
BLOCK_ROWS: Final = 8192
#: Rows of a read collected before they are taken apart; messages held at a time, for many at once cost more.
READ_ROWS: Final = 1 << 13
READ_MESSAGES: Final = 128

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


def copy_out(connection: Connection, query: bytes, named: Sequence[tuple[str, str]]) -> list[Column]:
    """Columns of a query, read by COPY BINARY: native integers (n,), digests uint8 (n, width).

    Args:
        connection: inside a transaction.
        query: its columns are those of `named`, in that order.
        named: name and token of `TYPES` of each column; "?" behind a token that may be null.

    Raises:
        IntegrityError: a row has another form than the types say.
        psycopg.Error: the server refused the query, or was lost.
    """
    types = tuple(token for _, token in named)
    parts: list[list[Column]] = [[] for _ in named]
    statement = b"COPY (" + query + b") TO STDOUT (FORMAT BINARY)"
    for rows in _rows(copied_out(connection, statement)):
        for part, column in zip(parts, _taken_apart(rows, types, named), strict=True):
            part.append(column)
    return [_joined(name, token, part) for (name, token), part in zip(named, parts, strict=True)]


def _rows(messages: Iterator[Any]) -> Iterator[_Rows]:
    """The rows that COPY sends, some at a time, without signature and trailer; a message is a row."""
    start, found, block = len(SIGNATURE), _Rows(), list(islice(messages, READ_MESSAGES))
    while block:
        if start:
            block[0], start = block[0][start:], 0
        following = list(islice(messages, READ_MESSAGES))
        if not following:
            block.pop()  # the last message is the trailer
        found.add(block)
        block = following
        if len(found.lengths) >= READ_ROWS or not block:
            yield found
            found = _Rows()


class _Rows:
    """Rows joined by their length, so that few objects live at a time.

    Attributes:
        lengths: of every row, in order.
        of_length: the bytes of all rows of a length, in order.
    """

    def __init__(self) -> None:
        self.lengths: list[int] = []
        self.of_length: dict[int, list[bytes]] = {}

    def add(self, rows: list[Any]) -> None:
        """Join some rows."""
        lengths = list(map(len, rows))
        self.lengths += lengths
        sizes = set(lengths)
        for size in sizes:
            some = rows if len(sizes) == 1 else compress(rows, map(size.__eq__, lengths))
            self.of_length.setdefault(size, []).append(b"".join(some))


def _taken_apart(rows: _Rows, types: tuple[str, ...], named: Sequence[tuple[str, str]]) -> list[Column]:
    """Rows of one length have mostly the same nulls, and then they are one numpy struct."""
    found = [_empty(name, token, len(rows.lengths)) for name, token in named]
    length = np.array(rows.lengths, np.int64)
    for size, data in rows.of_length.items():
        place = np.flatnonzero(length == size)
        flat = np.frombuffer(b"".join(data), np.uint8).reshape(len(place), size)
        while len(place):
            layout, widths = _form(flat[0].tobytes(), types)
            structs = flat.view(layout)[:, 0]
            same = structs["fields"] == len(types)
            for i, width in enumerate(widths):
                same &= structs[f"n{i}"] == width
            if not same.all():
                structs = structs[same]
            _fill(found, structs, place[same], widths)
            place, flat = place[~same], flat[~same]
    return found


def _form(row: bytes, types: tuple[str, ...]) -> tuple[np.dtype[Any], list[int]]:
    """The struct of a row and of all others with its nulls, and its fields' lengths (-1 for null)."""
    fields: list[tuple[str, str]] = [("fields", ">i2")]
    widths: list[int] = []
    at = 2
    for i, token in enumerate(types):
        width, form = TYPES[token.rstrip("?")]
        found = int.from_bytes(row[at : at + 4], "big", signed=True)
        fields.append((f"n{i}", ">i4"))
        if found == width:
            fields.append((f"v{i}", form))
        elif found != -1 or not token.endswith("?"):
            raise _row_form(types)
        widths.append(found)
        at += 4 + max(found, 0)
    if at != len(row) or int.from_bytes(row[:2], "big") != len(types):
        raise _row_form(types)
    return np.dtype(fields), widths


def _fill(found: list[Column], structs: NDArray[Any], place: NDArray[np.int64], widths: list[int]) -> None:
    for i, (column, width) in enumerate(zip(found, widths, strict=True)):
        if width < 0:
            continue
        values = structs[f"v{i}"]
        if column.values.ndim == 2:
            values = np.ascontiguousarray(values).view(np.uint8).reshape(-1, width)
        column.values[place] = values
        if column.present is not None:
            column.present[place] = True


def _empty(name: str, token: str, count: int) -> Column:
    width, form = TYPES[token.rstrip("?")]
    shape = (count, width) if form.startswith("V") else (count,)
    values = np.zeros(shape, np.uint8 if form.startswith("V") else form[1:])
    return Column(name, token.rstrip("?"), values, np.zeros(count, bool) if token.endswith("?") else None)


def _joined(name: str, token: str, parts: list[Column]) -> Column:
    parts = parts or [_empty(name, token, 0)]
    present = [part.present for part in parts if part.present is not None]
    values = np.concatenate([part.values for part in parts])
    return Column(name, parts[0].type, values, np.concatenate(present) if present else None)


def _row_form(types: Sequence[str]) -> IntegrityError:
    return IntegrityError(
        "the database sent a row of another form",
        where="database",
        expected=", ".join(types),
        mend="run tekrar db migrate, then load it again",
        kind="row_form",
    )
