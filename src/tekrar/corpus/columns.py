"""A text release as tables: what `tekrar.core.text.TextRelease` holds, as Arrow columns and back.

    text          the bytes
    atoms         kind u8, length i64
    books         chapters i64, before u8, label, title, metadata
    chapters      paragraphs i64, number i64, title, metadata
    paragraphs    sentences i64, given u8, para i64, ord i64, metadata
    headings, note_bodies, note_markers      start i64, end i64, status u8, link, metadata

A missing dataset has no table. Ordinals are row numbers; offsets are bytes. `metadata` is the source's other
facts, canonical JSON text or null.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from tekrar.core.encoding import Record, lp, manifest_root, no_scope, u8, u64
from tekrar.core.text import DATASETS, Dataset, Labels, TextRelease
from tekrar.corpus.imported import METADATA_TABLES
from tekrar.errors import IntegrityError

Metadata = Mapping[str, Sequence[str | None]]

#: Parquet encodings of the integer columns; text columns are plain and compressed.
ENCODING: Final = {
    "atoms": {"kind": "PLAIN", "length": "DELTA_BINARY_PACKED"},
    "datasets": {"start": "DELTA_BINARY_PACKED", "end": "DELTA_BINARY_PACKED"},
}


def tables_of(release: TextRelease, metadata: Metadata) -> dict[str, pa.Table]:
    """The tables of a release by name; a missing dataset has none."""
    labels = release.labels
    tables = {
        "atoms": pa.table({"kind": release.atom_kind, "length": release.atom_length}),
        "books": pa.table(
            {
                "chapters": release.book_chapters,
                "before": release.book_before,
                "label": _text(labels.book),
                "title": _text(labels.book_title),
            }
        ),
        "chapters": pa.table(
            {
                "paragraphs": release.chapter_paragraphs,
                "number": _integers(labels.chapter_number),
                "title": _text(labels.chapter_title),
            }
        ),
        "paragraphs": pa.table(
            {
                "sentences": release.paragraph_sentences,
                "given": release.paragraph_given,
                "para": _integers(labels.para),
                "ord": _integers(labels.ord),
            }
        ),
    }
    for kind in DATASETS:
        dataset = release.datasets.get(kind)
        if dataset is not None:
            tables[kind] = pa.table(
                {
                    "start": dataset.start,
                    "end": dataset.end,
                    "status": dataset.status,
                    "link": _text(dataset.link),
                }
            )
    for name in METADATA_TABLES:
        if name in tables:
            rows = tables[name].num_rows
            column = list(metadata.get(name) or [None] * rows)
            if len(column) != rows:
                raise ValueError(f"metadata of {name}: {len(column)} entries for {rows} elements")
            tables[name] = tables[name].append_column("metadata", _text(column))
    return tables


def metadata_root(metadata: Metadata) -> bytes:
    """Root of the source metadata: u8 table, u64 ordinal -> lp text.

    Tables are numbered in the order of `METADATA_TABLES`; nulls are left out.
    """

    def records() -> Iterable[Record]:
        for number, name in enumerate(METADATA_TABLES):
            for ordinal, value in enumerate(metadata.get(name) or ()):
                if value is not None:
                    yield u8(number) + u64(ordinal), lp(value.encode("utf-8"))

    return manifest_root("source-metadata", no_scope(), records())


def release_of(
    text: bytes,
    read: Callable[[str], pa.Table],
    *,
    facts: Mapping[str, str],
    core_roots: Mapping[str, bytes | None],
) -> TextRelease:
    """The release that tables hold, its shape checked; roots are not.

    Args:
        text: the release bytes.
        read: gives the table of a name.
        facts: edition, language and segmenter.
        core_roots: for each dataset the certified digest it was made for, None where it is missing.

    Raises:
        IntegrityError: a table lacks a column, has nulls or negative counts, or the tables do not fit each
            other.
    """
    atoms, books, chapters, paragraphs = (read(name) for name in ("atoms", "books", "chapters", "paragraphs"))
    release = TextRelease(
        edition=facts["edition"],
        language=facts["language"],
        segmenter=facts["segmenter"],
        text=text,
        atom_kind=_column(atoms, "atoms", "kind", np.uint8),
        atom_length=_column(atoms, "atoms", "length", np.int64),
        book_chapters=_column(books, "books", "chapters", np.int64),
        book_before=_column(books, "books", "before", np.uint8),
        chapter_paragraphs=_column(chapters, "chapters", "paragraphs", np.int64),
        paragraph_sentences=_column(paragraphs, "paragraphs", "sentences", np.int64),
        paragraph_given=_column(paragraphs, "paragraphs", "given", np.uint8),
        labels=Labels(
            book=_labels(books, "books", "label", str),
            book_title=_labels(books, "books", "title", str),
            chapter_number=_labels(chapters, "chapters", "number", int),
            chapter_title=_labels(chapters, "chapters", "title", str),
            para=_labels(paragraphs, "paragraphs", "para", int),
            ord=_labels(paragraphs, "paragraphs", "ord", int),
        ),
        datasets={
            kind: None if root is None else _dataset(kind, read(kind), core_root=root)
            for kind, root in core_roots.items()
        },
    )
    _check_shape(release)
    return release


def _dataset(kind: str, table: pa.Table, *, core_root: bytes) -> Dataset:
    link = _labels(table, kind, "link", str)
    if None in link:
        raise _malformed(kind, "column link holds a null")
    dataset = Dataset(
        kind=kind,
        core_root=core_root,
        start=_column(table, kind, "start", np.int64),
        end=_column(table, kind, "end", np.int64),
        status=_column(table, kind, "status", np.uint8),
        link=tuple(str(value) for value in link),
    )
    if (dataset.status > (kind == "note_markers")).any():
        raise _malformed(kind, "column status holds an unknown value")
    order = np.lexsort((dataset.end, dataset.start))
    if not np.array_equal(order, np.arange(len(order))):
        raise _malformed(kind, "spans do not ascend")
    return dataset


def _check_shape(release: TextRelease) -> None:
    for name, values, below in (
        ("books", release.book_chapters, len(release.chapter_paragraphs)),
        ("chapters", release.chapter_paragraphs, len(release.paragraph_sentences)),
        ("paragraphs", release.paragraph_sentences, len(release.atom_kind)),
        ("atoms", release.atom_length, len(release.text)),
    ):
        if len(values) and (int(values.min()) < 0 or int(values.max()) > below):
            raise _malformed(name, "a count is negative or larger than what it counts")
    for name, flags, highest in (
        ("books", release.book_before, 1),
        ("paragraphs", release.paragraph_given, 1),
        ("atoms", release.atom_kind, 2),
    ):
        if len(flags) and int(flags.max()) > highest:
            raise _malformed(name, "a flag or kind is unknown")
    atoms = int(np.maximum(2 * release.paragraph_sentences, 1).sum()) + int(release.book_before.sum())
    for name, held, stated in (
        ("chapters", len(release.chapter_paragraphs), int(release.book_chapters.sum())),
        ("paragraphs", len(release.paragraph_sentences), int(release.chapter_paragraphs.sum())),
        ("atoms", len(release.atom_kind), atoms),
        ("text", len(release.text), int(release.atom_length.sum())),
    ):
        if held != stated:
            raise _malformed(name, f"holds {held}, the tree says {stated}")


def _column(table: pa.Table, name: str, column: str, dtype: type[np.generic]) -> NDArray[Any]:
    values = _raw(table, name, column)
    if values.null_count or not pa.types.is_integer(values.type):
        raise _malformed(name, f"column {column} is not of plain integers")
    array: NDArray[Any] = values.to_numpy()
    if array.dtype != dtype:
        raise _malformed(name, f"column {column} has type {values.type}")
    return array


def _labels(table: pa.Table, name: str, column: str, kind: type) -> tuple[Any, ...]:
    values = _raw(table, name, column)
    wanted = pa.string() if kind is str else pa.int64()
    if values.type != wanted:
        raise _malformed(name, f"column {column} has type {values.type}")
    if values.null_count == len(values):
        return (None,) * len(values)
    try:
        return tuple(values.to_pylist())
    except UnicodeDecodeError:
        raise _malformed(name, f"column {column} is not UTF-8") from None


def _raw(table: pa.Table, name: str, column: str) -> Any:
    if column not in table.column_names:
        raise _malformed(name, f"has no column {column}")
    return table.column(column)


def _malformed(name: str, message: str) -> IntegrityError:
    return IntegrityError(
        message, where=f"table {name}", mend="import the source again", kind="malformed_columns"
    )


def _text(values: Sequence[str | None]) -> pa.Array:
    return pa.array(values, pa.string())


def _integers(values: Sequence[int | None]) -> pa.Array:
    return pa.array(values, pa.int64())
