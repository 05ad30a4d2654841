"""Pieces of one line in the order in which they are read, on terminals that lay out both directions.

A piece between isolates is one neutral object to what is outside, so pieces of a phrase from right to left
would stand from left to right. Here neighbours that run against their line are isolated together, in their
direction, and a line that begins from right to left is isolated so as a whole (UAX #9, over whole pieces).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Final

from tekrar.view.plain import FSI, PDI, safe

LRI: Final = "\u2066"
RLI: Final = "\u2067"
_LEFT: Final = "L"
_RIGHT: Final = "R"
#: Marks and joiners belong to the character before them.
_CARRIED: Final = ("NSM", "BN")


@dataclass(frozen=True)
class Piece:
    """A stretch of a line.

    Attributes:
        text: of the source where it is plain, else ready to be shown.
        direction: L, R, or "" where nothing in it has one.
        plain: whether neighbours that are plain too may be shown in one.
    """

    text: str
    direction: str
    plain: bool = False


def direction_of(text: str) -> str:
    """Direction of the first character that has one: L, R or ""."""
    return next(filter(None, map(_strong, text)), "")


def plain_pieces(text: str) -> Iterator[Piece]:
    """A text of the source, cut where its direction changes; what has none in pieces of its own."""
    begun = end = 0
    running = ""
    for at, character in enumerate(text):
        found = _strong(character)
        if not found:
            if end == at and unicodedata.bidirectional(character) in _CARRIED:
                end = at + 1
            continue
        if found != running:
            yield from (
                Piece(text[a:b], d, True) for a, b, d in ((begun, end, running), (end, at, "")) if a < b
            )
            begun, running = at, found
        end = at + 1
    yield from (
        Piece(text[a:b], d, True) for a, b, d in ((begun, end, running), (end, len(text), "")) if a < b
    )


def laid_out(pieces: Sequence[Piece]) -> str:
    """A line of pieces, isolated so that it is read in its order."""
    base = next((piece.direction for piece in pieces if piece.direction), _LEFT)
    resolved = list(zip(_resolved(pieces, base), pieces, strict=True))
    found = []
    for direction, group in groupby(resolved, key=lambda pair: pair[0]):
        line = "".join(_shown([piece for _, piece in group]))
        found.append(line if direction == base else f"{RLI if direction == _RIGHT else LRI}{line}{PDI}")
    return f"{RLI}{''.join(found)}{PDI}" if base == _RIGHT else "".join(found)


def _shown(pieces: Sequence[Piece]) -> Iterator[str]:
    for plain, group in groupby(pieces, key=lambda piece: piece.plain):
        text = "".join(piece.text for piece in group)
        yield f"{FSI}{safe(text)}{PDI}" if plain else text


def _resolved(pieces: Sequence[Piece], base: str) -> list[str]:
    """Directions, those of pieces without one from their neighbours where these agree, else from the line."""
    after: list[str] = []
    following = base
    for piece in reversed(pieces):
        following = piece.direction or following
        after.append(following)
    found: list[str] = []
    before = base
    for piece, following in zip(pieces, reversed(after), strict=True):
        before_it, before = before, piece.direction or before
        found.append(piece.direction or (before_it if before_it == following else base))
    return found


def _strong(character: str) -> str:
    return {"L": _LEFT, "R": _RIGHT, "AL": _RIGHT}.get(unicodedata.bidirectional(character), "")
