"""Candidates for reading: lists, one candidate with its texts, metrics, reasons and diff, hits of a query.

Texts are cut from the release now and stored nowhere. What a number means stands beside it.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Final

from tekrar.candidates.inventory import Inventory
from tekrar.candidates.lines import Anchors, line_of
from tekrar.core.address import Address, book_names
from tekrar.core.candidate import Result
from tekrar.core.candidate.record import Extent
from tekrar.core.diff import Endpoint, PassageDiff, diff_of, units_of
from tekrar.core.diff.units import boundaries_of
from tekrar.core.identity import uuid_text
from tekrar.core.policy import FULL_CONTEXT, scope_policy
from tekrar.core.projection import materialize
from tekrar.corpus.release_package import OpenRelease
from tekrar.errors import UsageError
from tekrar.view.changes import changes_of, summary_of
from tekrar.view.diff_text import diff_lines, marked_passage
from tekrar.view.endpoints import Passage
from tekrar.view.plain import counted, isolated, quoted, safe, shortened

#: Places of a group and segments that are shown to people; JSON has all of them.
SHOWN: Final = 20


@dataclass(frozen=True)
class Reading:
    """A package of candidates with its release.

    Attributes:
        inventory: the package under its events.
        opened: the release it was made from.
    """

    inventory: Inventory
    opened: OpenRelease

    @cached_property
    def anchors(self) -> Anchors:
        """Places of extents."""
        return Anchors(self.opened.release)

    @cached_property
    def _books(self) -> tuple[str, ...]:
        return tuple(book_names(self.opened.release))

    def address(self, start: int, end: int) -> str:
        """Where an extent stands: a paragraph's address, or those of its first and last."""
        first, last = (self._address(at) for at in self.anchors.touched(start, end))
        return first if first == last else f"{first} … {last}"

    def _address(self, paragraph: int) -> str:
        release = self.opened.release
        chapter = int(release.paragraph_chapter[paragraph])
        book = int(release.chapter_book[chapter])
        number = chapter - int(release.book_chapter_start[book]) + 1
        place = paragraph - int(release.chapter_paragraph_start[chapter]) + 1
        return str(Address(self._books[book], number, place, 0))

    def text(self, start: int, end: int) -> str:
        """Exact text of an extent."""
        return self.opened.release.text[start:end].decode("utf-8")

    def result(self, position: int) -> Result:
        """What a candidate says, when its places are places of the release.

        Raises:
            IntegrityError: its bytes are no result, or an extent leaves the text or cuts a character.
        """
        stored, text = self.inventory.stored, self.opened.release.text
        found = stored.result(position)
        for start, end in (
            (found.left.start, found.left.end),
            (found.right.start, found.right.end),
            *found.places,
            *(place for both in found.segments for place in both),
        ):
            if not start < end <= len(text) or any(
                at < len(text) and text[at] & 0xC0 == 0x80 for at in (start, end)
            ):
                stored.refuse(
                    f"candidate {position + 1} speaks of bytes {start}..{end}, no passage of the release",
                    "bad_result",
                    f"whole characters within {len(text)} bytes",
                )
        return found

    def whole(self, position: int) -> dict[str, int]:
        """Those metrics of a candidate that are whole numbers."""
        metrics = self.inventory.stored.result(position).metrics
        return {name: value for name, value in metrics.items() if isinstance(value, int)}

    def line(self, position: int) -> dict[str, Any]:
        """A candidate as contract C10 has it, with its current disposition."""
        stored = self.inventory.stored
        return line_of(
            position + 1,
            stored.candidates[position].id,
            self.result(position),
            anchors=self.anchors,
            generator=stored.generator,
            disposition=self.inventory.disposition(position),
        )

    def row(self, position: int, *, width: int) -> Iterator[str]:
        """A candidate in a list for people."""
        result = self.result(position)
        said = self.inventory.disposition(position)
        hidden = "  suppressed" if position in self.inventory.suppressed else ""
        if result.places:
            size = f"a formula, {len(result.places)} places"
        else:
            equal, often = (self.whole(position).get(name, 0) for name in ("equal_tokens", "formula_tokens"))
            size = counted(equal, "equal word", "equal words") + (f", {often} in formulas" if often else "")
        yield f"{position + 1:>6}  {said:<19}  {result.kind:<7}  {size}{hidden}"
        left, right = result.left, result.right
        yield f"        {isolated(self.address(left.start, left.end))}"
        yield f"        {isolated(self.address(right.start, right.end))}"
        yield f"        {shortened(self.text(left.start, left.end), width=max(20, width - 8))}"


def endpoint(opened: OpenRelease, start: int, end: int) -> Endpoint:
    """An extent of the release as an endpoint of a diff: full context, no occurrence of its own."""
    release = opened.release
    units = units_of(
        release.text, start=start, end=end, boundaries=boundaries_of(release, start, end, masks=[])
    )
    held = materialize(FULL_CONTEXT, policy=scope_policy(release.language), datasets={}, release=opened.id)
    return Endpoint(opened.id, None, held.witness_root([]), FULL_CONTEXT, units)


def diff_between(reading: Reading, result: Result) -> PassageDiff | None:
    """The diff of both sides; None where a side has more units than a diff takes.

    Raises:
        VerificationError: the script does not hold, which is a fault of this program.
    """
    try:
        sides = [endpoint(reading.opened, side.start, side.end) for side in (result.left, result.right)]
    except UsageError as error:
        if error.kind == "diff_too_large":
            return None
        raise
    return diff_of(*sides)


def shown_record(reading: Reading, position: int, *, diff: bool) -> dict[str, Any]:
    """Everything about one candidate as JSON: its C10 line and what stands behind it."""
    inventory = reading.inventory
    stored, result = inventory.stored, reading.result(position)
    own = uuid_text(stored.candidates[position].id)
    record = reading.line(position) | {
        "kind": result.kind,
        "why": result.why,
        "stated": result.disposition,
        "suppressed": position in inventory.suppressed,
        "texts": [reading.text(start, end) for start, end in result.sides[:2]],
        "segments": [{"left": list(left), "right": list(right)} for left, right in result.segments],
        "evidence": uuid_text(stored.evidence_of(position)),
        "events": [_event(event) for event in inventory.events.rows if event.candidate == own],
    }
    if diff:
        made = diff_between(reading, result)
        record["diff"] = None if made is None else made.as_record()
    return record


def _event(event: Any) -> dict[str, str]:
    return {
        "disposition": event.disposition,
        "author": event.author,
        "recorded_at": event.recorded_at,
        "note": event.note,
    }


def shown_lines(
    reading: Reading, position: int, *, diff: bool, width: int, colour: bool, marks: bool
) -> Iterator[str]:
    """One candidate for people."""
    inventory = reading.inventory
    stored, result = inventory.stored, reading.result(position)
    yield f"candidate    {uuid_text(stored.candidates[position].id)}  rank {position + 1}, {result.kind}"
    yield f"generator    {safe(stored.generator.label)}  {stored.generator.digest.hex()}"
    yield f"evidence     {uuid_text(stored.evidence_of(position))}"
    yield f"disposition  {inventory.disposition(position)}"
    yield f"stated       {result.disposition}: {safe(result.why) or 'no rule holds'}"
    if result.direction:
        quoted_side, quoting = ("left", "right") if result.direction == "left_to_right" else ("right", "left")
        yield f"direction    probably {quoting} quotes {quoted_side}"
    if position in inventory.suppressed:
        yield "suppressed   a false positive has the same participants, generator and profile"
    for name, side in (("left", result.left), ("right", result.right)):
        yield ""
        yield f"{name:<12} {isolated(reading.address(side.start, side.end))}"
        anchor = reading.anchors.side(side.start, side.end, side.exact)
        source = ", ".join(
            f"{k} {anchor[k]}" for k in ("chapter", "para", "ord", "end_ord") if anchor[k] is not None
        )
        yield f"             bytes {side.start}..{side.end}" + (
            f"; in the source: {source}" if source else ""
        )
        if side.exact:
            yield f"             stands for exact class {anchor['class_id']}"
        yield from quoted(
            reading.text(side.start, side.end), width=width, indent="  ┃ ", show_invisible=marks
        )
    yield ""
    yield from _metrics(reading, result)
    yield from _parts(reading, result)
    own = uuid_text(stored.candidates[position].id)
    for event in inventory.events.rows:
        if event.candidate == own:
            note = f": {safe(event.note)}" if event.note else ""
            yield f"event        {event.recorded_at}  {safe(event.author)}  {event.disposition}{note}"
    if diff and not result.places:
        yield ""
        yield from _diff(reading, result, colour=colour)


def _metrics(reading: Reading, result: Result) -> Iterator[str]:
    generator = reading.inventory.stored.generator
    number = generator.metric_number
    for name in sorted(result.metrics):
        value, one = result.metrics[name], generator.metric(number[name])
        if isinstance(value, tuple):
            told = ", ".join(map(str, value)) if isinstance(value[0], str) else f"{value[0]}/{value[1]}"
        else:
            told = str(value)
        line = f"metric       {name}.{one['version']} = {told}  [{one['scale']}]  {one['meaning']}"
        yield safe(line)


def _parts(reading: Reading, result: Result) -> Iterator[str]:
    if len(result.segments) > 1:
        for (a, b), (c, d) in result.segments[:SHOWN]:
            yield f"segment      bytes {a}..{b} = {c}..{d}"
        if len(result.segments) > SHOWN:
            yield f"             and {len(result.segments) - SHOWN} more (--json has all)"
    for start, end in result.places[:SHOWN]:
        yield f"place        {isolated(reading.address(start, end))}  bytes {start}..{end}"
    if len(result.places) > SHOWN:
        yield f"             and {len(result.places) - SHOWN} more (--json has all)"


def _diff(reading: Reading, result: Result, *, colour: bool) -> Iterator[str]:
    made = diff_between(reading, result)
    if made is None:
        yield "diff         none: a side has more words, gaps and boundaries than a diff takes"
        return
    sides = [
        Passage(one, reading.address(side.start, side.end), "")
        for one, side in zip((made.left, made.right), (result.left, result.right), strict=True)
    ]
    yield from diff_lines(made, (sides[0], sides[1]), changes_of(made), colour=colour)


# -- hits of a query ------------------------------------------------------


def hit_diff(opened: OpenRelease, query: bytes, asked: Extent, place: Extent) -> PassageDiff:
    """The diff from a part of a query to a place of the release; an answer, bound to nothing."""
    left = Endpoint(bytes(16), None, bytes(32), FULL_CONTEXT, units_of(query, start=asked[0], end=asked[1]))
    return diff_of(left, endpoint(opened, *place))


def hit_record(made: PassageDiff) -> dict[str, Any]:
    """A diff of a hit as JSON: operations with byte spans of the query and of the release, and a summary."""
    changes = changes_of(made)
    return {
        "said": summary_of(changes)["said"],
        "operations": [
            {"op": change.op, "query": list(change.left), "release": list(change.right)} for change in changes
        ],
    }


def hit_lines(made: PassageDiff, *, colour: bool) -> Iterator[str]:
    """A diff of a hit for people: what differs in words, and the passage with its changes marked."""
    changes = changes_of(made)
    same = all(change.op == "equal" for change in changes)
    yield "     the same here, byte for byte" if same else f"     {summary_of(changes)['said']}"
    yield from marked_passage(changes, colour=colour)
