"""Folded text whose every character knows its source bytes.

Serves CND-03 and the reports about drifting offsets: a fold may drop, join, split or replace characters, so a
place in the folded text is no place in the source; the map is.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from tekrar.errors import IntegrityError

#: One folded character with the first and end byte of the source it stands for.
Placed = tuple[str, int, int]


@dataclass(frozen=True)
class Folded:
    """A folded text.

    Attributes:
        text: the folded characters.
        start, end: for each of them the source bytes it stands for, half-open, on character boundaries;
            neither ever descends. Characters that come from one source character share its span.
        size: bytes of the source.
    """

    text: str
    start: tuple[int, ...]
    end: tuple[int, ...]
    size: int

    def source_span(self, first: int, last: int) -> tuple[int, int]:
        """The source bytes of the folded characters first..last (half-open).

        An empty range lies where its character would begin.

        Raises:
            IndexError: the range lies outside the folded text.
        """
        if not 0 <= first <= last <= len(self.text):
            raise IndexError(f"folded range {first}..{last} outside 0..{len(self.text)}")
        if first == last:
            at = self.start[first] if first < len(self.text) else self.size
            return at, at
        return self.start[first], self.end[last - 1]

    def folded_span(self, start: int, end: int) -> tuple[int, int]:
        """The folded characters that stand for any of the source bytes start..end (half-open)."""
        return bisect_right(self.end, start), max(bisect_right(self.end, start), bisect_left(self.start, end))

    def dropped(self) -> tuple[tuple[int, int], ...]:
        """Source bytes that no folded character stands for, maximal spans ascending."""
        found = []
        at = 0
        for start, end in zip(self.start, self.end, strict=True):
            if start > at:
                found.append((at, start))
            at = end
        if self.size > at:
            found.append((at, self.size))
        return tuple(found)


def unfolded(data: bytes) -> Folded:
    """A text as it stands: one character, its own bytes.

    Raises:
        IntegrityError: the bytes are no UTF-8.
    """
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise IntegrityError(
            f"byte {error.start} is not UTF-8 ({error.reason})",
            where=f"a text of {len(data)} bytes",
            expected="UTF-8 from one character boundary to another",
            kind="not_utf8",
        ) from None
    if len(text) == len(data):
        return Folded(text, tuple(range(len(data))), tuple(range(1, len(data) + 1)), len(data))
    starts = [at for at, byte in enumerate(data) if byte & 0xC0 != 0x80]
    return Folded(text, tuple(starts), (*starts[1:], len(data)), len(data))


def placed(characters: Iterable[Placed], size: int) -> Folded:
    """Folded text from characters with their spans."""
    rows = list(characters)
    text = "".join(row[0] for row in rows)
    return Folded(text, tuple(row[1] for row in rows), tuple(row[2] for row in rows), size)


def mapped(source: Folded, table: Mapping[str, str]) -> Folded:
    """Every character replaced by what the table says of it (nothing, one or more characters)."""
    if not any(character in table for character in source.text):
        return source
    return placed(
        (
            (new, start, end)
            for old, start, end in zip(source.text, source.start, source.end, strict=True)
            for new in table.get(old, old)
        ),
        source.size,
    )
