"""Roots and ID of a text release and of its annotation datasets (`docs/encoding.md` section 4).

Serves ADR-009 *Publication and rebuild closure*: exact source release manifest roots and accepted dataset
roots are bound by every artifact. There is no third digest of a release: the certified digest covers bytes
and atoms, the manifest root covers that, the tree, the labels, the language and the segmenter.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.encoding import (
    Record,
    canonical_json,
    i64,
    lp,
    manifest_root,
    no_scope,
    opt,
    release_scope,
    u8,
    u32,
    u64,
)
from tekrar.core.identity import COORDINATE_PROFILE, name_prefix, text_release_id, uuid_text
from tekrar.core.rows import Part, TextDigests, distinct_slices, fixed_rows, rows_root, slices, text_digests
from tekrar.core.text import Dataset, TextRelease

FORMAT = "tekrar/core-release/v1"


def atom_digests(release: TextRelease, digests: TextDigests = text_digests) -> NDArray[np.uint8]:
    """SHA-256 of every atom's bytes, shape (atoms, 32); a separator's once a distinct one."""
    text = memoryview(release.text)
    out = np.empty((len(release.atom_kind), 32), np.uint8)
    no_frame = np.empty((1, 0), np.uint8)
    out[release.sentence_atom] = digests(None, no_frame, text, release.sentence_start, release.sentence_end)
    separators = np.flatnonzero(release.atom_kind)
    start, end = release.atom_start[separators], release.atom_end[separators]
    which, bearer = distinct_slices(text, start, end)
    distinct = [hashlib.sha256(data).digest() for data in slices(text, start[bearer], end[bearer])]
    out[separators] = np.frombuffer(b"".join(distinct), np.uint8).reshape(-1, 32).take(which, axis=0)
    return out


def atoms_root(release: TextRelease, digests: NDArray[np.uint8]) -> bytes:
    """Root of the `core-atoms` manifest from the atoms' digests."""
    count = len(release.atom_kind)
    rows = fixed_rows(
        [(np.arange(count), 8)],
        [(release.atom_kind, 1), (release.atom_start, 8), (release.atom_length, 8), digests],
    )
    return rows_root("core-atoms", no_scope(), rows)


def certified_digest(release: TextRelease) -> bytes:
    """The certified digest: the root over the atoms in document order (requirements 3.6)."""
    return atoms_root(release, atom_digests(release))


def core_manifest(release: TextRelease, *, certified: bytes) -> dict[str, Any]:
    """The core release manifest document; its canonical bytes hash to the manifest root."""
    return {
        "format": FORMAT,
        "certified_digest": certified.hex(),
        "tree": {name: root.hex() for name, root in _tree_roots(release)},
        "labels": {name: root.hex() for name, root in _label_roots(release)},
        "language": release.language,
        "segmenter": release.segmenter,
        "books": len(release.book_chapters),
        "chapters": len(release.chapter_paragraphs),
        "paragraphs": len(release.paragraph_sentences),
        "sentences": int(release.paragraph_sentences.sum()),
        "bytes": len(release.text),
    }


def manifest_root_of(manifest: dict[str, Any]) -> bytes:
    """Core release manifest root of a manifest document."""
    return hashlib.sha256(canonical_json(manifest)).digest()


def release_id(release: TextRelease, *, manifest_root: bytes) -> bytes:
    """Text-release UUID (16 bytes)."""
    return text_release_id(edition=release.edition, manifest_root=manifest_root)


def _tree_roots(release: TextRelease) -> Iterator[tuple[str, bytes]]:
    scope = no_scope()
    yield (
        "books",
        manifest_root(
            "core-books",
            scope,
            (
                (u64(i), u8(int(before)) + u32(int(chapters)))
                for i, (before, chapters) in enumerate(
                    zip(release.book_before, release.book_chapters, strict=True)
                )
            ),
        ),
    )
    count = len(release.chapter_paragraphs)
    yield (
        "chapters",
        rows_root(
            "core-chapters",
            scope,
            fixed_rows([(np.arange(count), 8)], [(release.chapter_paragraphs, 4)]),
        ),
    )
    count = len(release.paragraph_sentences)
    yield (
        "paragraphs",
        rows_root(
            "core-paragraphs",
            scope,
            fixed_rows(
                [(np.arange(count), 8)],
                [(release.paragraph_sentences, 4), (release.paragraph_given, 1)],
            ),
        ),
    )


def _label_roots(release: TextRelease) -> Iterator[tuple[str, bytes]]:
    labels = release.labels
    yield "books", _labels_root("core-book-labels", labels.book, labels.book_title)
    yield "chapters", _labels_root("core-chapter-labels", labels.chapter_number, labels.chapter_title)
    yield "paragraphs", _labels_root("core-paragraph-labels", labels.para, labels.ord)


def _labels_root(kind: str, *columns: Sequence[str | int | None]) -> bytes:
    if kind == "core-paragraph-labels" and all(None not in column for column in columns):
        present = np.ones(len(columns[0]), np.uint8)
        numbers = [np.array(column, np.int64).view(np.uint64) for column in columns]
        parts: list[Part] = [part for number in numbers for part in ((present, 1), (number, 8))]
        return rows_root(kind, no_scope(), fixed_rows([(np.arange(len(present)), 8)], parts))
    records: Iterator[Record] = (
        (u64(i), b"".join(_label(value) for value in row)) for i, row in enumerate(zip(*columns, strict=True))
    )
    return manifest_root(kind, no_scope(), records)


def _label(value: str | int | None) -> bytes:
    if value is None:
        return opt(None)
    return opt(i64(value) if isinstance(value, int) else lp(value.encode("utf-8")))


def span_selections(release: bytes, start: NDArray[Any], end: NDArray[Any]) -> list[bytes]:
    """Selection UUIDs (16 bytes) of single ranges of one release (UUID bytes), in the order given."""
    base = hashlib.sha1(
        name_prefix("selection", {"release": uuid_text(release), "coord": COORDINATE_PROFILE}),
        usedforsecurity=False,
    )
    fork = base.copy
    out = []
    for low, high in zip(start.tolist(), end.tolist(), strict=True):
        state = fork()
        state.update(b"%d-%d" % (low, high))
        out.append(state.digest())
    ids = np.frombuffer(b"".join(out), np.uint8).reshape(-1, 20)[:, :16].copy()
    ids[:, 6] = ids[:, 6] & 0x0F | 0x50
    ids[:, 8] = ids[:, 8] & 0x3F | 0x80
    data = ids.tobytes()
    return [data[at : at + 16] for at in range(0, len(data), 16)]


def dataset_root(dataset: Dataset, *, release: bytes) -> bytes:
    """Root of an annotation dataset under its release's UUID (16 bytes)."""
    selections = span_selections(release, dataset.start, dataset.end)
    markers = dataset.kind == "note_markers"

    def records() -> Iterator[Record]:
        for i, selection in enumerate(selections):
            status = u8(int(dataset.status[i])) if markers else b""
            key = u64(int(dataset.start[i])) + u64(int(dataset.end[i]))
            yield key, selection + status + lp(dataset.link[i].encode("utf-8"))

    return manifest_root("dataset-" + dataset.kind.replace("_", "-"), release_scope(release), records())
