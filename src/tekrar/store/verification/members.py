"""Members of classes, compared byte by byte with the stored text (EX-08, CL-04): no digest is asked.

Contents of atoms are numbered by a dictionary on their own bytes, so equal numbers are equal bytes. A run is
the sequence of its sentences and of what stands between them; a paragraph is its bytes. Masked spans are
typed markers, as docs/encoding.md section 5 has it.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.atoms import marker_places
from tekrar.core.policy import scope_policy
from tekrar.core.preimage import masked_items
from tekrar.core.projection import Treated, materialize
from tekrar.core.text import DATASETS
from tekrar.store.load.read_back import differs
from tekrar.store.load.stored_profile import StoredProfile
from tekrar.store.load.stored_text import StoredText

Ints = NDArray[np.int64]


def check_members(stored: StoredProfile, text: StoredText) -> int:
    """Members of a class equal its first member, and first members of two classes differ.

    Returns:
        How many members were compared.

    Raises:
        IntegrityError: names the class and the row.
    """
    release = text.release
    datasets = {name: one for name in DATASETS if (one := release.datasets.get(name)) is not None}
    policy = scope_policy(release.language)
    name = stored.spec.projection
    masks = materialize(name, policy=policy, datasets=datasets, release=text.identity).masks
    present: Any = stored.occurrences["class_no"].present
    rows = np.flatnonzero(present)
    number = stored.occurrences["class_no"].values[rows]
    first = stored.classes["first_row"].values
    place = f"profile {stored.spec.short}, repetition.class"
    if stored.spec.short in ("FS", "PS"):
        content = _runs(stored, text, masks, rows)
    else:
        content = _paragraphs(stored, text, masks, rows)
    firsts = [content[i] for i in np.searchsorted(rows, first).tolist()]
    for row, own, bytes_ in zip(rows.tolist(), number.tolist(), content, strict=True):
        if firsts[own] != bytes_:
            raise differs(
                f"{place} {own}", f"member {row} has other bytes than its first member", "equal bytes"
            )
    known: dict[Hashable, int] = {}
    for own, bytes_ in enumerate(firsts):
        if known.setdefault(bytes_, own) != own:
            raise differs(f"{place} {own}", f"equal to class {known[bytes_]}", "classes of unequal bytes")
    return len(rows)


def _runs(stored: StoredProfile, text: StoredText, masks: Treated | None, rows: Ints) -> list[Hashable]:
    """Numbers of a run's first sentence, then of each gap and sentence after it, as bytes."""
    steps = _steps(text, masks)
    unit = stored.occurrences["unit"].values[rows].tolist()
    length = stored.occurrences["length"].values[rows].tolist()
    data, width = steps.tobytes(), steps.itemsize * 2
    half = steps.itemsize  # the gap before a run's first sentence is no part of it
    return [data[at * width + half : (at + n) * width] for at, n in zip(unit, length, strict=True)]


def _steps(text: StoredText, masks: Treated | None) -> NDArray[np.int32]:
    """Numbers of the gap before each sentence and of the sentence, int32 (sentences, 2)."""
    release = text.release
    in_sentence, in_separator = marker_places(release, masks)
    starts, ends = release.atom_start.tolist(), release.atom_end.tolist()
    kinds, atoms = release.atom_kind.tolist(), release.sentence_atom.tolist()
    numbers: dict[Hashable, int] = {}

    def content(atom: int, spans: Iterable[tuple[int, int]]) -> bytes:
        return masked_items(release.text[starts[atom] : ends[atom]], list(spans))[0]

    found = np.empty((len(atoms), 2), np.int32)
    last = -1
    for sentence, atom in enumerate(atoms):
        between = tuple(
            (kinds[one], content(one, in_separator.get(one, ()))) for one in range(last + 1, atom)
        )
        own = content(atom, in_sentence.get(sentence, ()))
        found[sentence] = numbers.setdefault(between, len(numbers)), numbers.setdefault(own, len(numbers))
        last = atom
    return found


def _paragraphs(stored: StoredProfile, text: StoredText, masks: Treated | None, rows: Ints) -> list[Hashable]:
    """Items of the bytes of each paragraph."""
    starts = stored.occurrences["start_byte"].values[rows]
    ends = starts + stored.occurrences["extent"].values[rows]
    low, high = np.zeros((2, len(rows)), np.int64)
    if masks is not None:
        low = np.searchsorted(masks.end, starts, side="right")
        high = np.searchsorted(masks.start, ends, side="left")
    found: list[Hashable] = []
    data = text.release.text
    for start, end, a, b in zip(starts.tolist(), ends.tolist(), low.tolist(), high.tolist(), strict=True):
        spans = []
        if masks is not None:
            spans = [(int(masks.start[i]) - start, int(masks.end[i]) - start) for i in range(a, b)]
        found.append(masked_items(data[start:end], spans)[0])
    return found
