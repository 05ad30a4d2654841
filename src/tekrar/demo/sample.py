"""The invented Turkish sample, and what each profile makes of it, paragraph by paragraph.

A record of the sample may carry a key `look`, a remark for the reader, which the import keeps as source
metadata. Every status is read from the artifact.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from typing import Final

import numpy as np

from tekrar.core.address import Address
from tekrar.core.policy import REASONS, TREATMENTS
from tekrar.view.open import Corpus
from tekrar.view.profile import ProfileView
from tekrar.view.status import Presentation

LANGUAGE: Final = "tr"
NAME: Final = "sample.jsonl"
_REASON_NAMES: Final = {code: name for name, code in REASONS.items()}


def source_bytes() -> bytes:
    """The sample's source."""
    return files("tekrar.demo").joinpath(f"data/{NAME}").read_bytes()


@dataclass(frozen=True)
class Line:
    """One paragraph of the sample.

    Attributes:
        address: `book/chapter/pN`.
        text: exact text, "" for an empty paragraph.
        look: the sample's own remark, or "".
        verdicts: profile short name -> what it makes of the paragraph and of the runs that start in it.
    """

    address: str
    text: str
    look: str
    verdicts: dict[str, str]


def explain(corpus: Corpus) -> Iterator[Line]:
    """Every paragraph in document order with what each profile makes of it."""
    release = corpus.release
    remarks = corpus.opened.metadata("paragraphs") if corpus.opened else []
    readings = [Reading(corpus, view) for view in corpus.views()]
    for ordinal in range(len(release.paragraph_sentences)):
        start, end = int(release.paragraph_start[ordinal]), int(release.paragraph_end[ordinal])
        remark = remarks[ordinal] if remarks else None
        yield Line(
            address=_paragraph_address(corpus, ordinal),
            text=corpus.places.text(start, end),
            look=str(json.loads(remark).get("look", "")) if remark else "",
            verdicts={reading.view.short: reading.verdict(ordinal) for reading in readings},
        )


def _paragraph_address(corpus: Corpus, ordinal: int) -> str:
    release, places = corpus.release, corpus.places
    chapter = int(places.paragraph_chapter[ordinal])
    book = int(places.chapter_book[chapter])
    number = chapter - int(release.book_chapter_start[book]) + 1
    return str(
        Address(places.books[book], number, ordinal - int(release.chapter_paragraph_start[chapter]) + 1, 0)
    )


class Reading:
    """One profile read row by row."""

    def __init__(self, corpus: Corpus, view: ProfileView) -> None:
        self.corpus, self.view, self.profile = corpus, view, view.profile
        self.classes = dict(
            zip(*(self.profile.matched[key].tolist() for key in ("row", "class")), strict=True)
        )
        self.excluded = set(self.profile.table("excluded")["row"].tolist())
        self.unique = set(self.profile.table("evaluated-unique")["row"].tolist())

    def verdict(self, paragraph: int) -> str:
        """What the profile makes of a paragraph, or of the runs that start in it."""
        if self.profile.is_runs:
            return self._runs(paragraph)
        units = self.profile.artifact.paragraphs["ordinal"]
        row = int(np.searchsorted(units, paragraph))
        if row == len(units) or units[row] != paragraph:
            return "excluded while enumerating: empty_core_extent"
        return f"= {self._peers(row)}" if row in self.classes else self._unmatched(row)

    def _runs(self, paragraph: int) -> str:
        """Published runs that start in a paragraph; where there is none, the runs by status."""
        bounds = self.corpus.release.paragraph_sentence_start
        low, high = (int(self.profile.first_row[int(at)]) for at in bounds[paragraph : paragraph + 2])
        found, counts = [], Counter[str]()
        for row in range(low, high):
            if row not in self.classes:
                counts[self._unmatched(row)] += 1
            elif self.view.presentation(self.classes[row]) is Presentation.PUBLISHED:
                found.append(f"{self._addresses([row])} = {self._peers(row)}")
            else:
                counts["dominated (part of a longer one)"] += 1
        if found:
            return "; ".join(found)
        told = ", ".join(f"{count} {status}" for status, count in sorted(counts.items()))
        return f"runs that start here: {told or 'none'}"

    def _peers(self, row: int) -> str:
        members = self.profile.class_members(self.classes[row]).tolist()
        return self._addresses([member for member in members if member != row])

    def _addresses(self, rows: list[int]) -> str:
        return ", ".join(map(str, self.corpus.places.addresses(self.view, np.array(rows, np.int64))))

    def _unmatched(self, row: int) -> str:
        if row in self.unique:
            return "unique"
        return f"excluded ({self._reason(row)})" if row in self.excluded else "not evaluated or failed"

    def _reason(self, row: int) -> str:
        """First reason, in the ADR's order, for which an excluded row was excluded."""
        spans = self.profile.table("witness-spans")
        here = spans["witness"] == self.view.mask_witness[row]
        here &= spans["treatment"] == TREATMENTS["excluded_from_extent"]
        return _REASON_NAMES[int(spans["reason"][here].min())]
