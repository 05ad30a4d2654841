"""What a proposal says of one quotation: two directed extents and how they correspond (ADR-009 *Quotation
relations*; QUO-01, QUO-08, AMB-40)."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from tekrar.core.curation import fields
from tekrar.core.curation.fields import Span
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.vocabulary import QUOTATION_KINDS
from tekrar.core.encoding import Json
from tekrar.core.identity import uuid_text


@dataclass(frozen=True)
class End:
    """One end: a selection inside a named occurrence; no occurrence of its own is made (AMB-40).

    Attributes:
        occurrence: occurrence UUID (16 bytes).
        witness: its mask witness root (32 bytes).
        selection: selection UUID of the ranges.
        ranges: bytes of the release, half-open, ascending and coalesced.
    """

    occurrence: bytes
    witness: bytes
    selection: bytes
    ranges: tuple[Span, ...]

    def as_json(self) -> Json:
        """The end as it stands in an action."""
        return {
            "occurrence": uuid_text(self.occurrence),
            "witness": self.witness.hex(),
            "selection": uuid_text(self.selection),
            "ranges": [fields.span_json(one) for one in self.ranges],
        }


@dataclass(frozen=True)
class Mapped:
    """An extent of the source and the one that takes it up."""

    source: Span
    quoting: Span

    def as_json(self) -> Json:
        """The pair as it stands in an action."""
        return {"source": fields.span_json(self.source), "quoting": fields.span_json(self.quoting)}


@dataclass(frozen=True)
class Quotation:
    """A directed relation between two exact extents.

    Attributes:
        kind: one of `QUOTATION_KINDS`.
        source, quoting: what is quoted and what quotes it.
        mapping: which extents correspond, in the order of the source.
        attribution: where the source is known from, Markdown as given.
        diff: `passage-diff` UUID from the source's occurrence to the quoting one, or None.
    """

    kind: str
    source: End
    quoting: End
    mapping: tuple[Mapped, ...]
    attribution: str
    diff: bytes | None = None

    def as_json(self) -> Json:
        """The body as it stands in an action."""
        found: dict[str, Json] = {
            "kind": self.kind,
            "source": self.source.as_json(),
            "quoting": self.quoting.as_json(),
            "mapping": [one.as_json() for one in sorted(self.mapping, key=lambda one: one.source)],
            "attribution": self.attribution,
        }
        return found | ({} if self.diff is None else {"diff": uuid_text(self.diff)})


def read_quotation(value: object, item: str) -> Quotation:
    """A quotation body; its own form is checked, nothing that lies outside it.

    Raises:
        CurationRefusal: another form, a kind outside the closed list, ranges that are not ascending and
            coalesced, a mapping whose pairs overlap or lie outside the selections.
    """
    held = fields.an_object(
        value,
        item=item,
        required=("kind", "source", "quoting", "mapping", "attribution"),
        optional=("diff",),
    )
    made = Quotation(
        kind=fields.one_of(held["kind"], QUOTATION_KINDS, item=f"{item}.kind"),
        source=_end(held["source"], f"{item}.source"),
        quoting=_end(held["quoting"], f"{item}.quoting"),
        mapping=fields.a_list(held["mapping"], _pair, item=f"{item}.mapping"),
        attribution=fields.a_text(held["attribution"], item=f"{item}.attribution"),
        diff=fields.an_id(held["diff"], item=f"{item}.diff", version=5) if "diff" in held else None,
    )
    _check_mapping(made, item)
    return made


def _end(value: object, item: str) -> End:
    held = fields.an_object(value, item=item, required=("occurrence", "witness", "selection", "ranges"))
    ranges = fields.a_list(
        held["ranges"], lambda one, place: fields.a_span(one, item=place), item=f"{item}.ranges"
    )
    apart = all(before[1] < after[0] for before, after in pairwise(ranges))
    if not ranges or not apart:
        refuse(
            "bad_extent",
            "the ranges are no selection",
            item=f"{item}.ranges",
            expected="at least one range, ascending, neighbours that touch written as one",
        )
    return End(
        occurrence=fields.an_id(held["occurrence"], item=f"{item}.occurrence", version=5),
        witness=fields.a_digest(held["witness"], item=f"{item}.witness"),
        selection=fields.an_id(held["selection"], item=f"{item}.selection", version=5),
        ranges=ranges,
    )


def _pair(value: object, item: str) -> Mapped:
    held = fields.an_object(value, item=item, required=("source", "quoting"))
    return Mapped(
        fields.a_span(held["source"], item=f"{item}.source"),
        fields.a_span(held["quoting"], item=f"{item}.quoting"),
    )


def _check_mapping(made: Quotation, item: str) -> None:
    place = f"{item}.mapping"
    if not made.mapping:
        refuse(
            "incomplete_mapping", "nothing corresponds", item=place, expected="at least one pair of extents"
        )
    fields.ascending([one.source for one in made.mapping], item=place)
    for name, end, spans in (
        ("source", made.source, [one.source for one in made.mapping]),
        ("quoting", made.quoting, sorted(one.quoting for one in made.mapping)),
    ):
        for before, after in pairwise(spans):
            if before[1] > after[0]:
                refuse(
                    "overlapping_mapping",
                    f"{name} {list(after)} overlaps {list(before)}",
                    item=place,
                    expected="each byte mapped at most once",
                )
        for span in spans:
            if not inside(span, end.ranges):
                refuse(
                    "outside_selection",
                    f"{name} {list(span)} is outside the selection",
                    item=place,
                    expected="an extent inside one range of its side",
                )


def inside(span: Span, ranges: Sequence[Span]) -> bool:
    """Whether one of the ranges, which ascend, holds the span: only the last that begins before it can."""
    at = bisect_right(ranges, span[0], key=lambda one: one[0])
    return at > 0 and span[1] <= ranges[at - 1][1]
