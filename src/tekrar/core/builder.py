"""Making a text release: an importer tells its parts in document order and gets the columns (contract C1).

Serves ADR-009 *Annotation boundary*: atoms tile every paragraph as it is added, and the datasets of a
finished release are bound to its own certified digest.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from tekrar.core.policy import ATOM_INTER_PARAGRAPH, ATOM_INTER_SENTENCE, ATOM_SENTENCE
from tekrar.core.release import certified_digest
from tekrar.core.text import DATASETS, Labels, TextRelease, dataset_of
from tekrar.errors import SourceError


class ReleaseBuilder:
    """Collects a release in document order; an importer calls it and adds no rule of identity of its own.

    Call `begin_book`, `begin_chapter`, `add_paragraph` and `annotate` in document order, then `finish`.
    """

    def __init__(self, *, edition: str, language: str) -> None:
        self.edition = edition
        self.language = language
        self._text = bytearray()
        self._kinds = bytearray()
        self._lengths: list[int] = []
        self._book_chapters: list[int] = []
        self._book_before = bytearray()
        self._chapter_paragraphs: list[int] = []
        self._paragraph_sentences: list[int] = []
        self._given = bytearray()
        self._labels: dict[str, list[Any]] = {
            k: [] for k in ("book", "book_title", "chapter_number", "chapter_title", "para", "ord")
        }
        self._spans: dict[str, list[tuple[int, int, int, str]]] = {kind: [] for kind in DATASETS}

    @property
    def position(self) -> int:
        """Bytes so far: the offset at which the next paragraph starts."""
        return len(self._text)

    @property
    def paragraphs(self) -> int:
        """Paragraphs so far: the ordinal of the next one."""
        return len(self._paragraph_sentences)

    def begin_book(self, book: str | None, *, title: str | None = None, before: bytes | None = None) -> None:
        """Open a book; `before` is its leading inter_paragraph separator (None: it has none)."""
        self._book_chapters.append(0)
        self._book_before.append(before is not None)
        self._labels["book"].append(book)
        self._labels["book_title"].append(title)
        if before is not None:
            self._atom(ATOM_INTER_PARAGRAPH, before)

    def begin_chapter(self, *, number: int | None = None, title: str | None = None) -> None:
        """Open a chapter in the current book."""
        self._book_chapters[-1] += 1
        self._chapter_paragraphs.append(0)
        self._labels["chapter_number"].append(number)
        self._labels["chapter_title"].append(title)

    def add_paragraph(
        self,
        text: bytes,
        *,
        sentences: Sequence[tuple[int, int]],
        after: bytes,
        given: bool,
        para: int | None = None,
        ord: int | None = None,
        where: str = "",
    ) -> int:
        """Add a paragraph and the separator after it; return its first byte's offset in the release.

        Args:
            text: the paragraph's bytes; b"" for an empty paragraph.
            sentences: ascending half-open byte spans; the first starts at 0, the last ends at len(text);
                what lies between two is one inter_sentence separator, possibly of no byte.
            after: the inter_paragraph separator, possibly of no byte.
            given: whether the source brought the sentences.

        Raises:
            SourceError: spans overlap, leave the text, are empty or do not reach its ends.
        """
        start = len(self._text)
        at = 0
        for index, (low, high) in enumerate(sentences):
            if low < at or high <= low or high > len(text) or (index == 0 and low != 0):
                raise SourceError(
                    f"sentence {index} at bytes {low}..{high} does not tile its paragraph",
                    where=where,
                    expected="ascending, non-empty spans from 0 to the paragraph's end",
                    kind="sentence_tiling",
                )
            if index:
                self._atom(ATOM_INTER_SENTENCE, text[at:low])
            self._atom(ATOM_SENTENCE, text[low:high])
            at = high
        if at != len(text):
            raise SourceError(
                f"sentences end at byte {at} of {len(text)}",
                where=where,
                expected="the last sentence ends at the paragraph's end",
                kind="sentence_tiling",
            )
        self._atom(ATOM_INTER_PARAGRAPH, after)
        self._chapter_paragraphs[-1] += 1
        self._paragraph_sentences.append(len(sentences))
        self._given.append(bool(given and sentences))
        self._labels["para"].append(para)
        self._labels["ord"].append(ord)
        return start

    def annotate(
        self, dataset: str, start: int, end: int, *, source_gap: bool = False, link: str = ""
    ) -> None:
        """Add one span (release offsets) to `headings`, `note_bodies` or `note_markers`."""
        self._spans[dataset].append((start, end, int(source_gap), link))

    def finish(self, *, segmenter: str) -> TextRelease:
        """The release; its datasets carry its own certified digest. `segmenter` is `source` or a name and
        version."""
        release = TextRelease(
            edition=self.edition,
            language=self.language,
            segmenter=segmenter,
            text=bytes(self._text),
            atom_kind=np.frombuffer(bytes(self._kinds), np.uint8),
            atom_length=np.array(self._lengths, np.int64),
            book_chapters=np.array(self._book_chapters, np.int64),
            book_before=np.frombuffer(bytes(self._book_before), np.uint8),
            chapter_paragraphs=np.array(self._chapter_paragraphs, np.int64),
            paragraph_sentences=np.array(self._paragraph_sentences, np.int64),
            paragraph_given=np.frombuffer(bytes(self._given), np.uint8),
            labels=Labels(**{name: tuple(column) for name, column in self._labels.items()}),
            datasets={},
        )
        release.check_tiling()
        root = certified_digest(release)
        for kind, spans in self._spans.items():
            release.datasets[kind] = dataset_of(kind, spans, core_root=root)
        return release

    def _atom(self, kind: int, data: bytes) -> None:
        self._kinds.append(kind)
        self._lengths.append(len(data))
        self._text += data
