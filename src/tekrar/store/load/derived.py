"""What stands in an occurrence's row so that a question reads few relations, compared with what it
follows from: paragraphs from the text, class and size from the class's row, reasons from the witness's spans.

No root covers these columns, and every one of them is implied by columns that a root does cover.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import TREATMENTS
from tekrar.store.load.artifact import PARTS
from tekrar.store.load.columns import Column
from tekrar.store.load.read_back import Columns, compare_tables, differs
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText
from tekrar.store.load.text import ends_of, sentence_paragraph

Ints = NDArray[np.int64]


def check_derived(stored: StoredProfile, text: StoredText, place: str) -> None:
    """Compare the derived columns of a profile's occurrences.

    Raises:
        IntegrityError: names the column and the row.
    """
    rows = stored.occurrences
    unit, length = rows["unit"].values.astype(np.int64), rows["length"].values.astype(np.int64)
    end = rows["start_byte"].values + rows["extent"].values
    first, last = unit, unit
    if stored.spec.short in ("FS", "PS"):
        of_sentence = sentence_paragraph(text.release)
        first, last = of_sentence[unit], of_sentence[unit + length - 1]
    excluded = rows["part"].values == PARTS["excluded"]
    reasons = _reasons(stored)[rows["witness"].values]
    if (reasons[excluded] == 0).any():
        raise differs(place, "a row excluded by no span of its witness", "a heading or a note body")
    expected = [
        Column("paragraph", "int4", first),
        Column("last_paragraph", "int4", last),
        Column("reasons", "int2", reasons, excluded),
        *ends_of(text.release, first, last, end),
        *_classes(stored),
    ]
    compare_tables(rows, expected, table=f"repetition.occurrence of {place}")


def _classes(stored: StoredProfile) -> list[Column]:
    rows, classes = stored.occurrences, stored.classes
    matched = rows["part"].values == PARTS["matched"]
    if not len(classes["size"].values):
        matched = np.zeros(len(matched), bool)
    number: Ints = np.where(matched, rows["class_no"].values, 0).astype(np.int64)
    issued = _present(classes, "class")
    if not len(issued):  # no class: any value will do where none is
        return [Column(name, kind, rows[name].values, matched) for name, kind in _KINDS]
    return [
        Column("class", "uuid", classes["class"].values[number], matched & issued[number]),
        Column("group_key", "digest", classes["witness"].values[number], matched & ~issued[number]),
        Column("class_size", "int4", classes["size"].values[number], matched),
    ]


_KINDS = (("class", "uuid"), ("group_key", "digest"), ("class_size", "int4"))


def _present(table: Columns, name: str) -> NDArray[np.bool_]:
    present = table[name].present
    return np.ones(len(table[name].values), bool) if present is None else present


def _reasons(stored: StoredProfile) -> Ints:
    """Set of exclusion reasons of every witness: 1 heading, 2 note body, 3 both."""
    spans = stored.witness_spans
    found = np.zeros(len(stored.witnesses["root"].values), np.int64)
    excludes = spans["treatment"].values == TREATMENTS["excluded_from_extent"]
    np.bitwise_or.at(
        found, spans["witness"].values[excludes], spans["reason"].values[excludes].astype(np.int64) - 1
    )
    return found
