"""A text release as columns: one byte string, the atoms that tile it, the tree over them (contract C1).

Serves ADR-009 *Annotation boundary*: core bytes and order are facts that no repetition record can touch. An
atom is a sentence or a separator; every byte lies in exactly one. Ordinals count from 0 over the release and
are the document order; offsets are bytes. Labels are copied from the source and identify nothing but
themselves.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import ATOM_INTER_PARAGRAPH, ATOM_INTER_SENTENCE, ATOM_SENTENCE
from tekrar.errors import IntegrityError

Ints = NDArray[np.int64]
DATASETS = ("headings", "note_bodies", "note_markers")
ANNOTATION_OF = {"headings": "heading", "note_bodies": "note_body", "note_markers": "note_marker"}


@dataclass(frozen=True)
class Dataset:
    """One accepted annotation dataset: spans of one kind over one release (ADR-006, contract C9).

    Attributes:
        kind: headings, note_bodies or note_markers.
        core_root: certified digest (32 bytes) of the release the spans were made for.
        start, end: half-open byte ranges, ascending.
        status: per span 0 matched, 1 source_gap (markers; all 0 elsewhere).
        link: per span the source's note id, or "".
    """

    kind: str
    core_root: bytes
    start: Ints
    end: Ints
    status: NDArray[np.uint8]
    link: tuple[str, ...]


@dataclass(frozen=True)
class Labels:
    """What the source calls its books, chapters and paragraphs; None where it says nothing."""

    book: tuple[str | None, ...]
    book_title: tuple[str | None, ...]
    chapter_number: tuple[int | None, ...]
    chapter_title: tuple[str | None, ...]
    para: tuple[int | None, ...]
    ord: tuple[int | None, ...]


@dataclass(frozen=True)
class TextRelease:
    """Columns of one immutable text release.

    Attributes:
        text: the release bytes, UTF-8.
        atom_kind: u8 per atom: 0 sentence, 1 inter_sentence, 2 inter_paragraph.
        atom_length: bytes per atom; atoms stand in document order and tile `text`.
        book_chapters, book_before: chapters per book; whether the book starts with a separator.
        chapter_paragraphs: paragraphs per chapter.
        paragraph_sentences, paragraph_given: sentences per paragraph; 1 where the source brought them.
        datasets: the three annotation datasets by kind; None where missing.
    """

    edition: str
    language: str
    segmenter: str
    text: bytes
    atom_kind: NDArray[np.uint8]
    atom_length: Ints
    book_chapters: Ints
    book_before: NDArray[np.uint8]
    chapter_paragraphs: Ints
    paragraph_sentences: Ints
    paragraph_given: NDArray[np.uint8]
    labels: Labels
    datasets: dict[str, Dataset | None] = field(default_factory=dict)

    @cached_property
    def atom_end(self) -> Ints:
        """End offset of every atom."""
        return np.cumsum(self.atom_length, dtype=np.int64)

    @cached_property
    def atom_start(self) -> Ints:
        """Start offset of every atom."""
        return self.atom_end - self.atom_length

    @cached_property
    def sentence_atom(self) -> Ints:
        """Atom ordinal of every sentence."""
        return np.flatnonzero(self.atom_kind == ATOM_SENTENCE).astype(np.int64)

    @cached_property
    def sentence_start(self) -> Ints:
        """First byte of every sentence."""
        return self.atom_start[self.sentence_atom]

    @cached_property
    def sentence_end(self) -> Ints:
        """End byte of every sentence."""
        return self.atom_end[self.sentence_atom]

    @cached_property
    def paragraph_sentence_start(self) -> Ints:
        """First sentence ordinal of every paragraph, with a final total: shape (paragraphs + 1,)."""
        return _offsets(self.paragraph_sentences)

    @cached_property
    def chapter_paragraph_start(self) -> Ints:
        """First paragraph ordinal of every chapter, with a final total."""
        return _offsets(self.chapter_paragraphs)

    @cached_property
    def book_chapter_start(self) -> Ints:
        """First chapter ordinal of every book, with a final total."""
        return _offsets(self.book_chapters)

    @cached_property
    def chapter_sentence_start(self) -> Ints:
        """First sentence ordinal of every chapter, with a final total."""
        return self.paragraph_sentence_start[self.chapter_paragraph_start]

    @cached_property
    def paragraph_first_atom(self) -> Ints:
        """First atom ordinal of every paragraph (its separator when it is empty)."""
        atoms = 2 * self.paragraph_sentences - 1 + 1
        atoms[self.paragraph_sentences == 0] = 1
        first = _offsets(atoms)[:-1]
        books = np.repeat(np.arange(len(self.book_chapters)), self.book_chapters)
        paragraph_book = np.repeat(books, self.chapter_paragraphs)
        return first + np.cumsum(self.book_before.astype(np.int64))[paragraph_book]

    @cached_property
    def paragraph_start(self) -> Ints:
        """First byte of every paragraph."""
        return self._atom_start_or_end[self.paragraph_first_atom]

    @cached_property
    def paragraph_end(self) -> Ints:
        """End byte of every paragraph, its trailing separator excluded; equals the start when it is empty
        (AMB-02)."""
        last = self.paragraph_first_atom + np.maximum(2 * self.paragraph_sentences - 1, 0)
        return self._atom_start_or_end[last]

    @cached_property
    def _atom_start_or_end(self) -> Ints:
        return np.concatenate([self.atom_start, [len(self.text)]]).astype(np.int64)

    @cached_property
    def paragraph_chapter(self) -> Ints:
        """Chapter ordinal of every paragraph."""
        return np.repeat(np.arange(len(self.chapter_paragraphs)), self.chapter_paragraphs)

    @cached_property
    def chapter_book(self) -> Ints:
        """Book ordinal of every chapter."""
        return np.repeat(np.arange(len(self.book_chapters)), self.book_chapters)

    @cached_property
    def chapter_extent(self) -> tuple[Ints, Ints]:
        """First and end byte of every chapter, trailing separators included."""
        after = self.paragraph_first_atom + np.maximum(2 * self.paragraph_sentences - 1, 0)
        ends = np.concatenate([[0], self.atom_end[after]]) if len(after) else np.zeros(1, np.int64)
        starts = np.concatenate([self.paragraph_start, [len(self.text)]])
        low, high = self.chapter_paragraph_start[:-1], self.chapter_paragraph_start[1:]
        start = starts[low]
        return start, np.where(high > low, ends[high], start)

    def check_tiling(self) -> None:
        """Check that atoms tile the bytes and follow the tree (CORE-10).

        Raises:
            IntegrityError: an unknown kind, a zero-length sentence, a sum that is not the text's length, an
                atom order that the tree does not explain, invalid UTF-8, an atom that splits a character.
        """
        if int(self.atom_length.sum()) != len(self.text) or (self.atom_length < 0).any():
            raise IntegrityError(
                "atoms do not tile the text", where="atoms", expected=f"{len(self.text)} bytes"
            )
        if not np.array_equal(self.atom_kind, self._expected_kinds()):
            raise IntegrityError(
                "atom kinds do not follow the tree",
                where="atoms",
                expected="sentence, separator, sentence … then one inter_paragraph separator a paragraph",
            )
        zero = np.flatnonzero((self.atom_kind == ATOM_SENTENCE) & (self.atom_length == 0))
        if len(zero):
            raise IntegrityError(f"sentence at atom {int(zero[0])} has no byte", where="atoms")
        check_utf8(self.text, where="text")
        if len(self.text):
            octets = np.frombuffer(self.text, np.uint8)
            inner = self.atom_start[self.atom_start < len(self.text)]
            split = np.flatnonzero((octets[inner] & 0xC0) == 0x80)
            if len(split):
                raise IntegrityError("an atom splits a character", where=f"byte {int(inner[split[0]])}")

    def _expected_kinds(self) -> NDArray[np.uint8]:
        total = int(np.maximum(2 * self.paragraph_sentences, 1).sum() + self.book_before.sum())
        kinds = np.full(total, ATOM_INTER_SENTENCE, np.uint8)
        first = self.paragraph_first_atom
        kinds[first + np.maximum(2 * self.paragraph_sentences - 1, 0)] = ATOM_INTER_PARAGRAPH
        rank = np.arange(int(self.paragraph_sentences.sum())) - np.repeat(
            self.paragraph_sentence_start[:-1], self.paragraph_sentences
        )
        kinds[np.repeat(first, self.paragraph_sentences) + 2 * rank] = ATOM_SENTENCE
        atoms = np.maximum(2 * self.paragraph_sentences, 1)
        paragraph_offsets = _offsets(atoms)
        chapters = self.book_chapter_start[:-1]
        paragraphs_before = self.chapter_paragraph_start[chapters]
        befores = np.cumsum(self.book_before.astype(np.int64)) - self.book_before
        place = paragraph_offsets[paragraphs_before] + befores
        kinds[place[self.book_before == 1]] = ATOM_INTER_PARAGRAPH
        return kinds


def check_utf8(data: bytes, *, where: str) -> None:
    """Raise `IntegrityError` naming the first byte that is not UTF-8."""
    try:
        data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IntegrityError(
            f"byte {error.start} is not UTF-8 ({error.reason})", where=f"{where}, byte {error.start}"
        ) from None


def _offsets(counts: NDArray[Any]) -> Ints:
    return np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)


def dataset_of(kind: str, spans: Sequence[tuple[int, int, int, str]], *, core_root: bytes) -> Dataset:
    """A dataset from (start, end, status, link) spans, ordered by start and end."""
    ordered = sorted(spans, key=lambda span: span[:2])
    return Dataset(
        kind=kind,
        core_root=core_root,
        start=np.array([s[0] for s in ordered], np.int64),
        end=np.array([s[1] for s in ordered], np.int64),
        status=np.array([s[2] for s in ordered], np.uint8),
        link=tuple(s[3] for s in ordered),
    )
