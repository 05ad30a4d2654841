"""Writing an artifact's tables from numpy columns; Parquet bytes are transport, the logical rows are what
roots cover."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.schema import FORMAT, Column, table_columns
from tekrar.package import PackageWriter
from tekrar.package.layout import OBJECTS

if TYPE_CHECKING:
    import pyarrow as pa

_NUMPY = {"u8": np.uint8, "i32": np.int32, "i64": np.int64}
ROW_GROUP = 1 << 20


def arrow_column(column: Column, values: NDArray[Any]) -> pa.Array:
    """An Arrow array over the values, without a copy where the types allow."""
    import pyarrow as pa

    if column.is_digest:
        kind = pa.binary(int(column.type.removeprefix("fixed")))
        data = np.ascontiguousarray(values, np.uint8)
    else:
        data = np.ascontiguousarray(values, _NUMPY[column.type])
        kind = pa.from_numpy_dtype(data.dtype)
    return pa.Array.from_buffers(kind, len(data), [None, pa.py_buffer(data.reshape(-1))])


class _Package(PackageWriter):
    """A package whose files may be written by forked children: a child's entry is told to the parent."""

    def entry(self, name: str) -> tuple[bytes, int]:
        """Digest and size of a table that this process wrote."""
        entry = self._files[name]
        return bytes.fromhex(str(entry["sha256"])), int(entry["bytes"])

    def adopt(self, name: str, digest: bytes, size: int) -> None:
        """Take in a table that a child wrote."""
        place = f"{OBJECTS}/{digest.hex()}.parquet"
        self._files[name] = {"object": place, "sha256": digest.hex(), "bytes": size}

    def number_parts_from(self, number: int) -> None:
        """Number temporary files from here on; children must not use each other's names."""
        self._parts = number


class ArtifactWriter:
    """Writes tables into a temporary package that gets its name on `commit`, or leaves nothing (see
    `PackageWriter`)."""

    def __init__(self, target: Path) -> None:
        self._package = _Package(target, format=FORMAT, exist_ok=target.is_dir())

    def __enter__(self) -> ArtifactWriter:
        self._package.__enter__()
        return self

    def __exit__(self, *error: Any) -> None:
        self._package.__exit__(*error)

    def table(self, name: str, columns: dict[str, NDArray[Any]]) -> None:
        """Write one table; its columns must be those of the schema.

        No column holds a null, and the file says so: without the levels that mark nulls, writing costs half.
        """
        import pyarrow as pa

        schema = table_columns(name)
        arrays = [arrow_column(column, columns[column.name]) for column in schema]
        fields = [
            pa.field(c.name, array.type, nullable=False) for c, array in zip(schema, arrays, strict=True)
        ]
        plain = [c.name for c in schema if not c.is_digest]
        self._package.add_table(
            name,
            pa.Table.from_arrays(arrays, schema=pa.schema(fields)),
            compression={c.name: "none" if c.is_digest else "zstd" for c in schema},
            column_encoding={
                c.name: "DELTA_BINARY_PACKED" for c in schema if c.name in plain and c.type != "u8"
            }
            or None,
            row_group_size=ROW_GROUP,
        )

    def table_of_child(self, number: int, name: str, columns: dict[str, NDArray[Any]]) -> tuple[bytes, int]:
        """Write table `number` of many, maybe in a forked child; the parent gives the digest and size that
        this returns to `adopt`."""
        self._package.number_parts_from(number)
        self.table(name, columns)
        return self._package.entry(name)

    def adopt(self, name: str, digest: bytes, size: int) -> None:
        """Take in a table that a child wrote; nothing changes for one that this process wrote."""
        self._package.adopt(name, digest, size)

    def document(self, name: str, data: bytes) -> None:
        """Write one document beside the tables."""
        self._package.add_bytes(name, data)

    def commit(self, manifest: dict[str, Any]) -> None:
        """Fsync everything and give the artifact its name."""
        self._package.commit(manifest)
