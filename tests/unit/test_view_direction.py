"""Lines of pieces in both directions: what is isolated with what."""

from __future__ import annotations

import re

import pytest

from tekrar.view.direction import LRI, RLI, Piece, direction_of, laid_out, plain_pieces
from tekrar.view.plain import FSI, PDI


def shown(*pieces: Piece) -> str:
    """The line with readable isolates: <…> in its own direction, R<…> and L<…>."""
    line = laid_out(pieces)
    for mark, letter in ((FSI, "<"), (RLI, "R<"), (LRI, "L<"), (PDI, ">")):
        line = line.replace(mark, letter)
    return line


def line(text: str) -> str:
    """Plain text with marks: `[word]` is a piece that is marked."""
    pieces: list[Piece] = []
    for part in re.findall(r"\[[^]]*\]|[^\[]+", text):
        if part.startswith("["):
            pieces.append(Piece(part, direction_of(part)))
        else:
            pieces += plain_pieces(part)
    return shown(*pieces)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", ""),
        ("gemi, kıyı.", "<gemi, kıyı.>"),
        ("gemi [kıyı] yol", "<gemi >[kıyı]< yol>"),
        ("gemi [,] yol", "<gemi >[,]< yol>"),
        # a phrase from right to left in a line from left to right stays together with its marks
        ("esti: [با] تا ثا dedi.", "<esti: >R<[با]< تا ثا>>< dedi.>"),
        ("esti: با [،] تا dedi", "<esti: >R<<با >[،]< تا>>< dedi>"),
        ("[با] ve [تا]", "R<[با]L<< ve >>[تا]>".replace("L<< ve >>", "< >L<<ve>>< >")),
        # a line that begins from right to left runs so as a whole, and words of the other direction inside
        ("با [تا] ثا.", "R<<با >[تا]< ثا.>>"),
        ("با gemi [yol] تا", "R<<با >L<<gemi >[yol]>< تا>>"),
        ("12 [7] با", "R<<12 >[7]< با>>"),
        ("esti: [بِ] تِ dedi", "<esti: >R<[بِ]< تِ>>< dedi>"),
        ("12 [7].", "<12 >[7]<.>"),
    ],
)
def test_neighbours_of_a_direction_are_isolated_together(text: str, expected: str) -> None:
    assert line(text) == expected


@pytest.mark.parametrize("text", ["", "a با b", " با, 12 gemi\u00a0", "\u202eters با", "بت abc 1 בא"])
def test_plain_pieces_are_the_text(text: str) -> None:
    pieces = list(plain_pieces(text))
    assert "".join(piece.text for piece in pieces) == text
    assert all(piece.text and piece.plain for piece in pieces)
    assert all(direction_of(piece.text) == piece.direction for piece in pieces)
