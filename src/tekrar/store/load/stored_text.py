"""A text release read back from the database, with every root recomputed from its rows.

Nothing of the package that was loaded is used: bytes, atoms, tree, labels and datasets come from the tables,
and give the certified digest, the manifest root, the release's UUID and the dataset roots (docs/encoding.md
section 4).
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tekrar.core.encoding import canonical_json
from tekrar.core.release import certified_digest, core_manifest, manifest_root_of, release_id
from tekrar.core.text import DATASETS, Dataset, Labels, TextRelease
from tekrar.errors import IntegrityError, TekrarError
from tekrar.store.load.read_back import Columns, compare_tables, differs, read_table
from tekrar.store.load.sources import book_sources
from tekrar.store.load.text import KIND, text_tables
from tekrar.store.session import Connection

TABLES: Final = (
    "core.text_block",
    "core.book",
    "core.chapter",
    "core.paragraph",
    "core.sentence",
    "core.separator",
    "core.dataset",
    "core.annotation",
)
#: Tables whose rows give what is compared; `core.release` the rest.
_TABLES_OF: Final = {
    "certified digest": "core.text_block, core.sentence and core.separator",
    "core root of a dataset": "core.dataset",
}
_RELEASE: Final = (
    b"SELECT uuid_send(text_release), edition, language, segmenter, certified_digest, manifest_root, manifest"
    b", sources FROM core.release WHERE release_key = %s"
)


@dataclass(frozen=True)
class StoredText:
    """A text release as the database has it, recomputed.

    Attributes:
        key: its `release_key`.
        release: its columns.
        identity: text-release UUID (16 bytes).
        certified, manifest_root: 32 bytes each.
        dataset_roots: by dataset, 32 bytes each.
        counts: canonical JSON of how many rows of what there are.
    """

    key: int
    release: TextRelease
    identity: bytes
    certified: bytes
    manifest_root: bytes
    dataset_roots: dict[str, bytes]
    counts: bytes


def read_text(connection: Connection, key: int) -> StoredText:
    """Read a release and recompute everything that is stated of it.

    Raises:
        IntegrityError: a row is missing, too many or another than its roots say.
        psycopg.Error: the server refused, or was lost.
    """
    row = connection.execute(_RELEASE, (key,), binary=True).fetchone()
    if row is None:
        raise differs("core.release", f"no row of release {key}", "one")
    identity, edition, language, segmenter, certified, root, manifest, listed = row
    tables = {table: read_table(connection, table, key) for table in TABLES}
    facts = {"edition": edition, "language": language, "segmenter": segmenter}
    try:
        release = _release(tables, facts)
        release.check_tiling()
    except (ValueError, IndexError, TekrarError) as error:
        message = error.message if isinstance(error, TekrarError) else str(error)
        raise differs(
            "core.text_block, core.sentence, core.separator and the tree's tables",
            message,
            "bytes, atoms and tree that fit each other",
        ) from error
    found = certified_digest(release)
    document = core_manifest(release, certified=found)
    _same("certified digest", found, bytes(certified))
    _same("core release manifest", canonical_json(document), bytes(manifest))
    _same("core release manifest root", manifest_root_of(document), bytes(root))
    _same("text release", release_id(release, manifest_root=bytes(root)), bytes(identity))
    for one in release.datasets.values():
        if one is not None:
            _same("core root of a dataset", one.core_root, found)
    spans = tables["core.annotation"]
    # The root of a dataset covers the status of note markers alone (docs/encoding.md section 4).
    stray = (spans["status"].values != 0) & (spans["kind"].values != KIND["note_markers"])
    if stray.any():
        raise differs(
            "core.annotation", f"a status of span {int(np.flatnonzero(stray)[0])}", "of a note marker"
        )
    try:
        sources = book_sources(json.loads(bytes(listed)), books=len(release.book_chapters))
    except (KeyError, TypeError, ValueError) as error:
        raise differs("core.release", f"sources that cannot be read: {error}", "names and digests") from error
    expected = text_tables(release, identity=bytes(identity), sources=sources)
    for table in TABLES:
        compare_tables(tables[table], expected[table], table=table)
    roots = tables["core.dataset"]
    by_kind = dict(zip(roots["kind"].values.tolist(), roots["root"].values, strict=True))
    counts = {table.split(".")[1]: len(next(iter(tables[table].values())).values) for table in TABLES}
    return StoredText(
        key=key,
        release=release,
        identity=bytes(identity),
        certified=found,
        manifest_root=bytes(root),
        dataset_roots={name: by_kind[KIND[name]].tobytes() for name in DATASETS if KIND[name] in by_kind},
        counts=canonical_json({**counts}),
    )


def _release(tables: dict[str, Columns], facts: dict[str, str]) -> TextRelease:
    sentences, separators = tables["core.sentence"], tables["core.separator"]
    books, chapters, paragraphs = (tables[f"core.{unit}"] for unit in ("book", "chapter", "paragraph"))
    count = len(sentences["atom"].values) + len(separators["atom"].values)
    kind, length = np.zeros(count, np.uint8), np.full(count, -1, np.int64)
    for table in (sentences, separators):
        length[table["atom"].values] = table["end_byte"].values - table["start_byte"].values
    kind[separators["atom"].values] = separators["kind"].values
    return TextRelease(
        **facts,
        text=b"".join(tables["core.text_block"]["data"].values),
        atom_kind=kind,
        atom_length=length,
        book_chapters=books["chapters"].values,
        book_before=books["has_before"].values.astype(np.uint8),
        chapter_paragraphs=chapters["paragraphs"].values.astype(np.int64),
        paragraph_sentences=paragraphs["sentences"].values.astype(np.int64),
        paragraph_given=paragraphs["given"].values.astype(np.uint8),
        labels=Labels(
            book=_texts(books["label"].values),
            book_title=_texts(books["title"].values),
            chapter_number=_numbers(chapters, "number"),
            chapter_title=_texts(chapters["title"].values),
            para=_numbers(paragraphs, "para"),
            ord=_numbers(paragraphs, "ord"),
        ),
        datasets=_datasets(tables["core.dataset"], tables["core.annotation"]),
    )


def _datasets(stated: Columns, spans: Columns) -> dict[str, Dataset | None]:
    core_roots = dict(zip(stated["kind"].values.tolist(), stated["core_root"].values, strict=True))
    found: dict[str, Dataset | None] = {}
    for name in DATASETS:
        mine = np.flatnonzero(spans["kind"].values == KIND[name])
        found[name] = None
        if KIND[name] in core_roots:
            links = [spans["link"].values[i].decode() for i in mine.tolist()]
            found[name] = Dataset(
                kind=name,
                core_root=core_roots[KIND[name]].tobytes(),
                start=spans["start_byte"].values[mine],
                end=spans["end_byte"].values[mine],
                status=spans["status"].values[mine].astype(np.uint8),
                link=tuple(links),
            )
    return found


def _texts(values: list[bytes | None]) -> tuple[str | None, ...]:
    return tuple(None if value is None else value.decode() for value in values)


def _numbers(table: Columns, name: str) -> tuple[int | None, ...]:
    column = table[name]
    given: Any = column.present
    return tuple(
        value if there else None for value, there in zip(column.values.tolist(), given.tolist(), strict=True)
    )


def _same(what: str, found: bytes, stated: bytes) -> None:
    if found != stated:
        raise IntegrityError(
            f"the {what} that the rows in the database give is another",
            where=f"database, {_TABLES_OF.get(what, 'core.release')}",
            expected=f"{stated.hex()[:64]}, found {found.hex()[:64]}",
            mend="nothing was sealed; load it again, and check the disk and memory of the server",
            kind="stored_rows_differ",
        )
