"""Rules of quotations: extents inside their occurrences, equal bytes where it is verbatim (QUO-01, QUO-08,
AMB-40)."""

from __future__ import annotations

from itertools import pairwise

from tekrar.core.curation.family_rules import check_diff, check_occurrence, check_witness
from tekrar.core.curation.fields import Span
from tekrar.core.curation.quotation import End, Quotation
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.view import OccurrenceFacts, View
from tekrar.core.identity import selection_id, uuid_text


def check_quotation(quotation: Quotation, view: View, *, profile: bytes, release: bytes, item: str) -> None:
    """Refuse a quotation that the records do not bear.

    Raises:
        CurationRefusal: unknown_member, tag_mismatch, foreign_profile, excluded_occurrence,
            witness_mismatch, outside_occurrence, not_a_character, selection_mismatch, self_quotation,
            unequal_verbatim, incomplete_mapping, unknown_diff, stale_diff.
    """
    facts: dict[bytes, OccurrenceFacts | None] = {}
    for name, end in (("source", quotation.source), ("quoting", quotation.quoting)):
        facts[end.occurrence] = _check_end(end, view, profile=profile, release=release, item=f"{item}.{name}")
    _check_apart(quotation, item)
    spans = [span for one in quotation.mapping for span in (one.source, one.quoting)]
    _check_characters(spans, view, release, f"{item}.mapping")
    if quotation.kind == "verbatim_quotation":
        _check_verbatim(quotation, view, release, f"{item}.mapping")
    if quotation.diff is not None:
        ends = (quotation.source.occurrence, quotation.quoting.occurrence)
        check_diff(quotation.diff, ends, facts, view, item=f"{item}.diff")


def _check_end(end: End, view: View, *, profile: bytes, release: bytes, item: str) -> OccurrenceFacts:
    held = check_occurrence(end.occurrence, view, profile=profile, item=f"{item}.occurrence")
    check_witness(end.witness, held.witness, item=item)
    first, last = end.ranges[0][0], end.ranges[-1][1]
    if first < held.start or last > held.end:
        refuse(
            "outside_occurrence",
            f"bytes {first} to {last} reach beyond {uuid_text(end.occurrence)}",
            item=f"{item}.ranges",
            expected=f"bytes {held.start} to {held.end}",
        )
    own = selection_id(release, list(end.ranges))
    if end.selection != own:
        refuse(
            "selection_mismatch",
            f"{uuid_text(end.selection)} is the selection of other ranges",
            item=f"{item}.selection",
            expected=uuid_text(own),
        )
    _check_characters(end.ranges, view, release, f"{item}.ranges")
    return held


def _check_characters(spans: tuple[Span, ...] | list[Span], view: View, release: bytes, item: str) -> None:
    for start, end in spans:
        data = view.text(release, start, end)
        try:
            data.decode("utf-8")
        except UnicodeDecodeError:
            refuse(
                "not_a_character",
                f"bytes {start} to {end} begin or end inside a character",
                item=item,
                expected="ends between characters",
            )


def _check_apart(quotation: Quotation, item: str) -> None:
    # No two ranges of one side overlap, so neighbours that do are of both.
    for one, other in pairwise(sorted((*quotation.source.ranges, *quotation.quoting.ranges))):
        if other[0] < one[1]:
            refuse(
                "self_quotation",
                f"bytes {other[0]} to {min(one[1], other[1])} would quote themselves",
                item=item,
                expected="two extents that share no byte",
            )


def _check_verbatim(quotation: Quotation, view: View, release: bytes, item: str) -> None:
    for number, one in enumerate(quotation.mapping):
        if view.text(release, *one.source) != view.text(release, *one.quoting):
            refuse(
                "unequal_verbatim",
                f"bytes {one.quoting[0]} to {one.quoting[1]} are not those of the source",
                item=f"{item}[{number}]",
                expected="equal bytes, or the kind adapted_quotation",
            )
    for name, end, spans in (
        ("source", quotation.source, [one.source for one in quotation.mapping]),
        ("quoting", quotation.quoting, [one.quoting for one in quotation.mapping]),
    ):
        mapped = sum(b - a for a, b in spans)
        whole = sum(b - a for a, b in end.ranges)
        if mapped != whole:
            refuse(
                "incomplete_mapping",
                f"{whole - mapped} of {whole} bytes of the {name} correspond to nothing",
                item=item,
                expected="a verbatim quotation maps both selections whole",
            )
