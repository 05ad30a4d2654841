"""Selections: ordered byte ranges of one text release (ADR-005 stand-in, contract C3).

Coordinate profile `utf8-byte.v1`: half-open ranges on character boundaries, ascending and coalesced. Offsets
of different releases do not compare: asking is a typed error, never true or false (ADR-009 *Passage
occurrence*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from tekrar.core.identity import selection_id, uuid_text
from tekrar.errors import IntegrityError, UsageError

Range = tuple[int, int]


@dataclass(frozen=True)
class Selection:
    """A checked selection.

    Attributes:
        release: text-release UUID (16 bytes).
        ranges: ascending, coalesced, half-open byte ranges; at least one.
    """

    release: bytes
    ranges: tuple[Range, ...]

    @property
    def id(self) -> bytes:
        """Selection UUID (16 bytes): a function of release, coordinate profile and ranges."""
        return selection_id(self.release, list(self.ranges))

    def intersects(self, other: Selection) -> bool:
        """Whether two selections of one release share a byte; touching is not sharing (AMB-08).

        Raises:
            IntegrityError: the selections lie in different releases, whose offsets do not compare (CORE-07).
        """
        if self.release != other.release:
            raise IntegrityError(
                "selections of different text releases do not compare",
                where=f"{uuid_text(self.release)} and {uuid_text(other.release)}",
                expected="two selections of one release",
                mend="compare the texts, or use a crosswalk between the releases",
                kind="cross_release_selection",
            )
        return any(a < d and c < b for a, b in self.ranges for c, d in other.ranges)


def select(release: bytes, ranges: Sequence[Range], *, text: bytes | None = None) -> Selection:
    """A selection from ranges.

    Args:
        release: text-release UUID (16 bytes).
        ranges: ascending, coalesced half-open byte ranges.
        text: the release's bytes; when given, bounds and character boundaries are checked too.

    Raises:
        UsageError: no range, an empty or reversed one, ranges that overlap, touch or descend, that leave
            the text or split a character. Nothing is clipped or repaired.
    """
    if not ranges:
        raise _refuse("a selection without a range", "at least one range")
    last = -1
    for start, end in ranges:
        if not 0 <= start < end:
            raise _refuse(f"range {start}..{end} has no byte", "0 <= start < end")
        if start <= last:
            raise _refuse(f"range {start}..{end} does not follow byte {last}", "ascending, coalesced ranges")
        last = end
    if text is not None:
        if last > len(text):
            raise _refuse(f"byte {last} lies outside the text", f"at most {len(text)}")
        for place in (place for bounds in ranges for place in bounds):
            if place < len(text) and text[place] & 0xC0 == 0x80:
                raise _refuse(f"byte {place} splits a character", "UTF-8 character boundaries")
    return Selection(release, tuple((start, end) for start, end in ranges))


def _refuse(message: str, expected: str) -> UsageError:
    return UsageError(message, where="selection", expected=expected, kind="bad_selection")
