"""Byte sources, deferral lists, and the release a build works on.

`ByteSource` is where the witness bytes come from: the release's own text by default. Ranges it reports
unreadable make the items that touch them fail; bytes that read but differ from the certified digest refuse
the build (AMB-37).
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.address import Address, locate, parse_address
from tekrar.core.atoms import intervals, unreadable_atoms
from tekrar.core.identity import parse_uuid
from tekrar.core.occurrence import Paragraphs, Runs
from tekrar.core.policy import MAX_RUN, MIN_RUN
from tekrar.core.release import atom_digests, atoms_root
from tekrar.core.rows import TextDigests
from tekrar.core.text import TextRelease
from tekrar.errors import IntegrityError, UsageError


@dataclass(frozen=True)
class ByteSource:
    """The release bytes as some medium gives them.

    Attributes:
        data: a buffer of the release's length; what stands at unreadable places does not matter.
        unreadable: half-open byte ranges that could not be read.
    """

    data: bytes | bytearray | memoryview
    unreadable: tuple[tuple[int, int], ...] = ()


class Witness:
    """The one buffer of a build: read once, its digest checked at the start and at the end."""

    def __init__(self, release: TextRelease, source: ByteSource | None) -> None:
        self.source = source or ByteSource(release.text)
        self.view = memoryview(self.source.data).cast("B")
        if len(self.view) != len(release.text):
            raise IntegrityError(
                f"the byte source gives {len(self.view)} bytes",
                where="byte source",
                expected=f"{len(release.text)} bytes",
                kind="source_differs",
            )
        ranges = _checked_ranges(self.source.unreadable, size=len(release.text))
        self.unreadable_start, self.unreadable_end = intervals(ranges)
        self.unreadable = unreadable_atoms(release, ranges)
        self._before = hashlib.sha256(self.view).digest()

    def certify(self, release: TextRelease, *, certified: bytes, digests: TextDigests) -> None:
        """Check the buffer against the certified digest; with unreadable ranges, every readable atom
        against its own digest.

        Raises:
            IntegrityError: bytes differ, the first differing atom is named.
        """
        stated = atom_digests(release, digests)
        if atoms_root(release, stated) != certified:
            raise IntegrityError(
                "the release's bytes do not have its certified digest",
                where="text",
                expected=f"certified digest {certified.hex()}",
                mend="import the source again, or fetch the release again",
                kind="certified_digest",
            )
        if self.source.data is release.text:
            return
        for atom in np.flatnonzero(~self.unreadable).tolist():
            low, high = int(release.atom_start[atom]), int(release.atom_end[atom])
            if hashlib.sha256(self.view[low:high]).digest() != stated[atom].tobytes():
                raise IntegrityError(
                    "the byte source gives other bytes than were certified",
                    where=f"release bytes {low}..{high}",
                    expected="the bytes of the text release",
                    kind="source_differs",
                )

    def check_unchanged(self) -> None:
        """Compare the buffer's digest with the one taken at the start (EX-12)."""
        if hashlib.sha256(self.view).digest() != self._before:
            raise IntegrityError(
                "the release bytes changed while they were being evaluated",
                where="text",
                expected="one immutable buffer from the first digest to the last comparison",
                mend="build again from an unchanging release",
                kind="witness_changed",
            )


def _checked_ranges(ranges: Sequence[Any], *, size: int) -> list[tuple[int, int]]:
    """Unreadable ranges as pairs inside the text; a range of no byte says nothing and is dropped.

    Raises:
        UsageError: no pair of integers, reversed, or outside the text.
    """
    checked = []
    for entry in ranges:
        pair = tuple(entry) if isinstance(entry, (tuple, list)) else ()
        if (
            len(pair) != 2
            or any(type(place) is not int for place in pair)
            or not 0 <= pair[0] <= pair[1] <= size
        ):
            raise UsageError(
                f"unreadable range {entry!r}",
                where="byte source",
                expected=f"(start, end) with 0 <= start <= end <= {size}",
                kind="bad_range",
            )
        if pair[0] < pair[1]:
            checked.append((pair[0], pair[1]))
    return checked


def address_row(address: Address, release: TextRelease, universe: Paragraphs | Runs) -> int | None:
    """Row of an address in a universe; None when the universe emits no occurrence there (never "unique").

    Raises:
        NotFoundError: the release has no such place.
    """
    place = locate(address, release)
    if isinstance(universe, Runs):
        length = place.last - place.first
        if place.paragraph is not None or not MIN_RUN <= length <= MAX_RUN:
            return None
        return int(universe.first_row[place.first]) + length - MIN_RUN
    if place.paragraph is None:
        return None
    row = int(np.searchsorted(universe.ordinal, place.paragraph))
    return row if row < universe.rows and universe.ordinal[row] == place.paragraph else None


class Deferral:
    """Items put off by the caller: addresses (every profile that holds them) and occurrence IDs."""

    def __init__(self, items: Iterable[str]) -> None:
        self.items = [item.strip() for item in items if item.strip()]
        self._addresses = [parse_address(item) for item in self.items if "/" in item]
        self._ids = {
            parse_uuid(item, what="deferred occurrence"): item for item in self.items if "/" not in item
        }
        self._found: set[str] = set()

    def rows(
        self, release: TextRelease, universe: Paragraphs | Runs, occurrence: NDArray[np.uint8]
    ) -> NDArray[np.bool_]:
        """Deferred rows of one profile's universe."""
        mask = np.zeros(universe.rows, bool)
        for address in self._addresses:
            row = address_row(address, release, universe)
            if row is not None:
                mask[row] = True
                self._found.add(str(address))
        if self._ids:
            for row, value in enumerate(_ids(occurrence)):
                if value in self._ids:
                    mask[row] = True
                    self._found.add(self._ids[value])
        return mask

    def check_found(self) -> None:
        """Every deferred item must exist in some profile (UsageError): a list that puts nothing off is a
        mistake."""
        for item in self.items:
            known = str(parse_address(item)) if "/" in item else item
            if known not in self._found:
                raise UsageError(
                    f"deferred item {item!r} is no occurrence of this release", kind="unknown_deferral"
                )


def _ids(occurrence: NDArray[np.uint8]) -> Sequence[Any]:
    data = occurrence.tobytes()
    return [data[at : at + 16] for at in range(0, len(data), 16)]
