"""A text release as rows of the core tables: its bytes once, the tree over them, the annotation datasets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import ANNOTATION_KINDS
from tekrar.core.release import dataset_root, span_selections
from tekrar.core.text import ANNOTATION_OF, DATASETS, TextRelease
from tekrar.store.load.columns import TEXTS, Column

#: Bytes of a block of the text; the last one may be shorter.
BLOCK_BYTES: Final = 32768

#: Numbers of the datasets, those of their annotation kinds.
KIND: Final = {name: ANNOTATION_KINDS[ANNOTATION_OF[name]] for name in DATASETS}

Tables = dict[str, list[Column]]
#: Of every book the name and the SHA-256 (32 bytes) of the file it was read from; None where not known.
Sources = Sequence[tuple[bytes, bytes] | None]


def text_tables(release: TextRelease, *, identity: bytes, sources: Sources) -> Tables:
    """Columns of the core tables of a release (UUID bytes), by table, without `release_key`."""
    text = release.text
    blocks = [text[at : at + BLOCK_BYTES] for at in range(0, len(text), BLOCK_BYTES)]
    separators = np.flatnonzero(release.atom_kind)
    return {
        "core.text_block": [_number("block", len(blocks)), Column("data", TEXTS, blocks)],
        "core.book": _books(release),
        "core.chapter": _chapters(release),
        "core.paragraph": _paragraphs(release, sources),
        "core.sentence": [
            _number("sentence", len(release.sentence_atom)),
            Column("paragraph", "int4", sentence_paragraph(release)),
            Column("atom", "int4", release.sentence_atom),
            Column("start_byte", "int8", release.sentence_start),
            Column("end_byte", "int8", release.sentence_end),
        ],
        "core.separator": [
            Column("atom", "int4", separators),
            Column("kind", "int2", release.atom_kind[separators].astype(np.int64)),
            Column("start_byte", "int8", release.atom_start[separators]),
            Column("end_byte", "int8", release.atom_end[separators]),
        ],
        **_datasets(release, identity),
    }


def with_key(columns: list[Column], name: str, key: int) -> list[Column]:
    """The columns after one of the same key in every row."""
    return [Column(name, "int4", np.full(len(columns[0].values), key, np.int64)), *columns]


def sentence_paragraph(release: TextRelease) -> NDArray[np.int64]:
    """Paragraph ordinal of every sentence."""
    return np.repeat(np.arange(len(release.paragraph_sentences)), release.paragraph_sentences)


def ends_of(
    release: TextRelease, paragraph: NDArray[np.int64], last: NDArray[np.int64], end: NDArray[np.int64]
) -> list[Column]:
    """Of extents from one paragraph to another the source's number of the last one and the end in it.

    Args:
        release: the text.
        paragraph, last: ordinals of the first and the last paragraph.
        end: bytes of the release.
    """
    later = last > paragraph
    ord = _label("ord", release.labels.ord)
    given = np.asarray(ord.present)[last] & later
    return [
        Column("last_ord", "int8", np.where(given, np.asarray(ord.values)[last], 0), given),
        Column("last_end", "int4", np.where(later, end - release.paragraph_start[last], 0), later),
    ]


def _books(release: TextRelease) -> list[Column]:
    labels, count = release.labels, len(release.book_chapters)
    # A book's bytes begin with the separator before it and end with the last one in it: books tile the text.
    atoms = np.maximum(2 * release.paragraph_sentences, 1)
    first = np.concatenate([[0], np.cumsum(atoms)])
    paragraph = release.chapter_paragraph_start[release.book_chapter_start]
    befores = np.concatenate([[0], np.cumsum(release.book_before.astype(np.int64))])
    bounds = np.concatenate([release.atom_start, [len(release.text)]])[first[paragraph] + befores]
    return [
        _number("book", count),
        Column("label", TEXTS, _texts(labels.book)),
        Column("title", TEXTS, _texts(labels.book_title)),
        Column("has_before", "bool", release.book_before),
        Column("first_chapter", "int4", release.book_chapter_start[:-1]),
        Column("chapters", "int4", release.book_chapters),
        Column("start_byte", "int8", bounds[:-1]),
        Column("end_byte", "int8", bounds[1:]),
    ]


def _chapters(release: TextRelease) -> list[Column]:
    labels, count = release.labels, len(release.chapter_paragraphs)
    start, end = release.chapter_extent
    sentences = release.chapter_sentence_start
    return [
        _number("chapter", count),
        Column("book", "int4", release.chapter_book),
        _label("number", labels.chapter_number),
        Column("title", TEXTS, _texts(labels.chapter_title)),
        Column("first_paragraph", "int4", release.chapter_paragraph_start[:-1]),
        Column("paragraphs", "int4", release.chapter_paragraphs),
        Column("first_sentence", "int4", sentences[:-1]),
        Column("sentences", "int4", np.diff(sentences)),
        Column("start_byte", "int8", start),
        Column("end_byte", "int8", end),
    ]


def _paragraphs(release: TextRelease, sources: Sources) -> list[Column]:
    labels, count = release.labels, len(release.paragraph_sentences)
    return [
        _number("paragraph", count),
        Column("chapter", "int4", release.paragraph_chapter),
        _label("para", labels.para),
        _label("ord", labels.ord),
        Column("given", "bool", release.paragraph_given),
        Column("first_sentence", "int4", release.paragraph_sentence_start[:-1]),
        Column("sentences", "int4", release.paragraph_sentences),
        Column("first_atom", "int4", release.paragraph_first_atom),
        Column("start_byte", "int8", release.paragraph_start),
        Column("end_byte", "int8", release.paragraph_end),
        *_names(release),
        *_places(release, sources),
    ]


def _names(release: TextRelease) -> list[Column]:
    """Beside every paragraph its book and the names of book and chapter: an anchor is read by one key."""
    labels, chapter = release.labels, release.paragraph_chapter.tolist()
    book = release.chapter_book[release.paragraph_chapter]
    named, titled = _texts(labels.book), _texts(labels.chapter_title)
    return [
        Column("book", "int4", book),
        Column("book_label", TEXTS, [named[at] for at in book.tolist()]),
        _label("chapter_number", tuple(labels.chapter_number[at] for at in chapter)),
        Column("chapter_title", TEXTS, [titled[at] for at in chapter]),
    ]


def _places(release: TextRelease, sources: Sources) -> list[Column]:
    """Beside every paragraph its chapter's number in the book and its own in the chapter, both from 1, and
    the source file of its book."""
    chapter = release.paragraph_chapter
    book = release.chapter_book[chapter]
    paragraph = np.arange(len(release.paragraph_sentences))
    of_book = [sources[at] for at in book.tolist()]
    none = bytes(32)
    return [
        Column("chapter_no", "int4", chapter - release.book_chapter_start[book] + 1),
        Column("para_no", "int4", paragraph - release.chapter_paragraph_start[chapter] + 1),
        Column("source_name", TEXTS, [None if one is None else one[0] for one in of_book]),
        Column(
            "source_digest",
            "digest",
            _digests([none if one is None else one[1] for one in of_book], 32),
            np.array([one is not None for one in of_book], bool),
        ),
    ]


def _datasets(release: TextRelease, identity: bytes) -> Tables:
    found = [(KIND[name], one) for name in DATASETS if (one := release.datasets.get(name)) is not None]
    kinds = np.array([kind for kind, _ in found], np.int64)
    sizes = np.array([len(one.start) for _, one in found], np.int64)
    nothing = np.empty(0, np.int64)
    start = np.concatenate([nothing, *(one.start for _, one in found)])
    end = np.concatenate([nothing, *(one.end for _, one in found)])
    roots = [dataset_root(one, release=identity) for _, one in found]
    return {
        "core.dataset": [
            Column("kind", "int2", kinds),
            Column("root", "digest", _digests(roots, 32)),
            Column("core_root", "digest", _digests([one.core_root for _, one in found], 32)),
            Column("spans", "int4", sizes),
        ],
        "core.annotation": [
            Column("kind", "int2", np.repeat(kinds, sizes)),
            Column("span", "int4", np.concatenate([nothing, *(np.arange(size) for size in sizes)])),
            Column("start_byte", "int8", start),
            Column("end_byte", "int8", end),
            Column("selection", "uuid", _digests(span_selections(identity, start, end), 16)),
            Column("status", "int2", np.concatenate([nothing, *(one.status for _, one in found)])),
            Column("link", TEXTS, [link.encode() for _, one in found for link in one.link]),
        ],
    }


def _number(name: str, count: int) -> Column:
    return Column(name, "int4", np.arange(count))


def _label(name: str, values: tuple[int | None, ...]) -> Column:
    present = np.array([value is not None for value in values], bool)
    return Column(name, "int8", np.array([value or 0 for value in values], np.int64), present)


def _texts(values: tuple[str | None, ...]) -> list[bytes | None]:
    return [None if value is None else value.encode() for value in values]


def _digests(values: list[Any], width: int) -> NDArray[np.uint8]:
    return np.frombuffer(b"".join(values), np.uint8).reshape(-1, width)
