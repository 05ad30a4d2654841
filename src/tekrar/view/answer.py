"""What is known of one occurrence: its status from the partition, its class, its reasons.

Serves ADR-009 *Query behavior* (QRY-02, QRY-03). Every answer names its profile, predicate and release; a
bare `unique` says nothing, for the same text can be unique in one profile and matched in another (AMB-53).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tekrar.core.policy import ANNOTATION_KINDS, FAILURE_CODES, PENDING_CODES, REASONS, TREATMENTS
from tekrar.errors import IntegrityError
from tekrar.view.profile import ProfileView
from tekrar.view.status import STATUS_OF_PART, Presentation, QueryStatus

_PART_TABLES = ("published", "dominated", "provisional")
_CODES = {
    "not-evaluated": {number: name for name, number in PENDING_CODES.items()},
    "failed": {number: name for name, number in FAILURE_CODES.items()},
}
_KINDS = {number: name for name, number in ANNOTATION_KINDS.items()}
_TREATMENTS = {number: name for name, number in TREATMENTS.items()}
_REASONS = {number: name for name, number in REASONS.items()}
_NOWHERE = "in_no_part_or_several"


@dataclass(frozen=True)
class TreatedSpan:
    """An annotation span that masks or excludes bytes of an occurrence, with its policy reason (PRO-07).

    Attributes:
        start, end: the span's own bytes in the release.
        annotation: heading, note_body or note_marker.
        selection: the span's selection UUID, 16 bytes.
    """

    start: int
    end: int
    annotation: str
    treatment: str
    reason: str
    selection: bytes


@dataclass(frozen=True)
class Answer:
    """The status of one row under one profile.

    Attributes:
        view: the profile.
        row: the occurrence's row.
        status: one of the closed statuses.
        presentation: of a matched row; None otherwise.
        number: class (or group) number of a matched row; None otherwise.
        code: pending code of a row not evaluated, or type of the failure; "" otherwise.
        spans: what masks or excludes bytes of the extent.
        problem: why the artifact gives no answer, or "".
    """

    view: ProfileView
    row: int
    status: QueryStatus
    presentation: Presentation | None = None
    number: int | None = None
    code: str = ""
    spans: tuple[TreatedSpan, ...] = ()
    problem: str = ""

    @property
    def reasons(self) -> list[str]:
        """Distinct reasons of the excluding spans in the ADR's order, the primary one first (AMB-11)."""
        found = {s.reason for s in self.spans if s.treatment == "excluded_from_extent"}
        return sorted(found, key=REASONS.__getitem__)


def answer_for(view: ProfileView, row: int) -> Answer:
    """The answer for one row of a profile.

    A row that stands in no part or in several, or whose class or code cannot be resolved, is answered
    `integrity_error` (COV-11).
    """
    try:
        part, value = view.profile.part_of(row)
        spans = tuple(treated_spans(view, row))
        if part == "matched":
            number = _class_number(view, value)
            shown = _presentation(view, row, number)
            return Answer(view, row, QueryStatus.MATCHED, presentation=shown, number=number, spans=spans)
        code = _code(view, part, value)
        answer = Answer(view, row, STATUS_OF_PART[part], code=code, spans=spans)
        if part == "excluded" and not answer.reasons:
            raise view.broken(f"row {row} is excluded without a reason", expected="an excluding span")
        return answer
    except IntegrityError as error:
        kind = _NOWHERE if error.kind == "partition" else error.kind
        return Answer(view, row, QueryStatus.INTEGRITY_ERROR, code=kind, problem=error.message)


def _class_number(view: ProfileView, value: int | None) -> int:
    if value is None or not 0 <= value < view.count:
        raise view.broken(f"class {value} does not exist", expected=f"classes 0 to {view.count - 1}")
    return value


def _presentation(view: ProfileView, row: int, number: int) -> Presentation:
    """The one presentation table that holds the row, which must be that of its class."""
    hits = []
    for name in _PART_TABLES:
        rows = view.profile.table(name)["row"]
        at = int(np.searchsorted(rows, row))
        if at < len(rows) and rows[at] == row:
            hits.append(name)
    if hits != [str(view.presentation(number))]:
        raise view.broken(
            f"matched row {row} is presented as {' and '.join(hits) or 'nothing'}",
            expected=f"{view.presentation(number)}, as its class is",
        )
    return Presentation(hits[0])


def _code(view: ProfileView, part: str, value: int | None) -> str:
    if part not in _CODES:
        return ""
    if value not in _CODES[part]:
        raise view.broken(f"{part} code {value} is unknown", expected=", ".join(_CODES[part].values()))
    return _CODES[part][value]


def treated_spans(view: ProfileView, row: int) -> Sequence[TreatedSpan]:
    """The masks and exclusions in the mask witness of a row, by start."""
    table = view.witness_spans
    number = view.mask_witness[row]
    low, high = (int(np.searchsorted(table["witness"], number, side=side)) for side in ("left", "right"))
    found = []
    for at in range(low, high):
        kind, treatment, reason = (int(table[name][at]) for name in ("kind", "treatment", "reason"))
        if kind not in _KINDS or treatment not in _TREATMENTS or reason not in _REASONS:
            raise view.broken(f"mask witness of row {row} has an unknown code", expected="the policy's codes")
        found.append(
            TreatedSpan(
                int(table["start"][at]),
                int(table["end"][at]),
                _KINDS[kind],
                _TREATMENTS[treatment],
                _REASONS[reason],
                table["selection"][at].tobytes(),
            )
        )
    return found
