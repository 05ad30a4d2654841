"""Dispositions: the closed list of ADR-009 (CND-06; AMB-56).

A disposition says what a candidate probably is, or what somebody who looked at it says. None of them makes a
family, a quotation or a choice (CND-07).
"""

from __future__ import annotations

from typing import Final

from tekrar.errors import UsageError

#: name -> number in result bytes.
DISPOSITIONS: Final[dict[str, int]] = {
    "pending_review": 1,
    "probable_near_exact": 2,
    "probable_variant": 3,
    "probable_quotation": 4,
    "uncertain": 5,
    "false_positive": 6,
    "superseded_candidate": 7,
}
#: What a generator may say of its own candidates; the others are events (AMB-36).
STATED: Final = ("probable_near_exact", "probable_variant", "probable_quotation", "uncertain")
#: What takes a candidate out of the list of those that wait.
CLOSING: Final = ("false_positive", "superseded_candidate")

#: How a quotation probably runs: from the side that is quoted to the side that quotes; None = not told.
DIRECTIONS: Final[dict[str | None, int]] = {None: 0, "left_to_right": 1, "right_to_left": 2}


def check_disposition(name: object) -> str:
    """The disposition itself.

    Raises:
        UsageError: it is none of the closed list.
    """
    if not isinstance(name, str) or name not in DISPOSITIONS:
        raise UsageError(
            f"{name!r} is no disposition",
            expected=", ".join(DISPOSITIONS),
            mend="a candidate is accepted by a proposal and its review, never by a disposition",
            kind="unknown_disposition",
        )
    return name
