"""How much of a diff is drawn: a page or a screen stays readable whatever the passages are made of.

What is over is counted and said, with the way to the whole; records are never cut.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from tekrar.view.change_kind import is_unseen

#: How the whole is got at.
WHOLE: Final = "--json has every operation"
#: Characters of one passage, or of all changes in a list, that are drawn at most.
PASSAGE: Final = 100_000
#: Pieces of one passage that are marked at most.
PIECES: Final = 5_000
#: Changes that are listed one by one at most, and characters of either side of one.
CHANGES: Final = 1_000
CHANGE: Final = 2_000
#: How many characters one that is drawn by its name counts as.
_NAMED: Final = 20


@dataclass
class Budget:
    """What may still be drawn of one passage or list.

    Attributes:
        characters: so many characters; one that is drawn by its name counts as 20.
        pieces: so many pieces.
        cut: whether a piece was drawn in part.
    """

    characters: int = PASSAGE
    pieces: int = PIECES
    cut: bool = False

    @property
    def spent(self) -> bool:
        """Whether nothing more is drawn."""
        return self.characters <= 0 or self.pieces <= 0

    def take(self, text: str, *, most: int = PASSAGE) -> str:
        """The beginning of a piece that is drawn: all of it while the budget lasts."""
        if not text:
            return ""
        self.pieces -= 1
        limit = max(0, min(most, self.characters))
        drawn, cost = text[:limit], min(len(text), limit)
        if not drawn.isprintable():
            cost = 0
            for at, character in enumerate(drawn):
                cost += _NAMED if is_unseen(character) else 1
                if cost > limit:
                    drawn = drawn[:at]
                    break
        self.characters -= cost
        self.cut |= len(drawn) < len(text)
        return drawn


def left_out(text: str, drawn: str) -> str:
    """What is said after a text of which only the beginning is drawn; "" after a whole one."""
    over = len(text) - len(drawn)
    return f"… {over:,} more character{'s' if over > 1 else ''}" if over else ""
