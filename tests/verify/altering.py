"""Artifacts changed by hand and sealed again, so that only what they say can give them away."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from tekrar.artifact.schema import FORMAT
from tekrar.package import Package, PackageWriter


def sealed_again(
    artifact: Path,
    target: Path,
    *,
    tables: Mapping[str, pa.Table] | None = None,
    objects: Mapping[str, bytes | None] | None = None,
    manifest: Callable[[dict[str, Any]], None] | None = None,
) -> Path:
    """A copy with other tables, other bytes (None: left out) or another manifest, its digests in order."""
    package = Package(artifact, format=FORMAT)
    document = copy.deepcopy(package.manifest)
    if manifest is not None:
        manifest(document)
    replaced = dict(objects or {})
    with PackageWriter(target, format=FORMAT) as writer:
        for name, table in (tables or {}).items():
            writer.add_table(name, table)
        for name in package.names:
            if name not in (tables or {}) and name not in replaced:
                writer.add_bytes(name, package.read_bytes(name))
        for name, data in replaced.items():
            if data is not None:
                writer.add_bytes(name, data)
        writer.commit(document)
    return target


def with_cell(table: pa.Table, column: str) -> pa.Table:
    """The table with one bit of a column changed in its middle row, or with a row where it has none."""
    schema = table.schema
    rows = table.to_pylist()
    if not rows:
        zero = {
            f.name: bytes(f.type.byte_width) if pa.types.is_fixed_size_binary(f.type) else 0 for f in schema
        }
        return pa.Table.from_pylist([zero], schema=schema)
    row = rows[len(rows) // 2]
    value = row[column]
    row[column] = value[:-1] + bytes([value[-1] ^ 1]) if isinstance(value, bytes) else value ^ 1
    return pa.Table.from_pylist(rows, schema=schema)


def without_row(table: pa.Table, row: int) -> pa.Table:
    """The table without one of its rows."""
    return pa.concat_tables([table.slice(0, row), table.slice(row + 1)])
