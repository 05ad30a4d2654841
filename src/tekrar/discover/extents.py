"""Byte extents of entries: from first to last token, with the punctuation that clings to them.

A passage ends where its closing marks end and begins where its opening marks begin, never outside its
paragraph.
"""

from __future__ import annotations

from typing import Final

CLOSING: Final = tuple(mark.encode() for mark in ".,;:!?…”’»›)]}'\"؛؟،۔﴾")
OPENING: Final = tuple(mark.encode() for mark in "“‘«‹([{'\"¿¡﴿")


def with_marks(text: bytes, start: int, end: int, *, low: int, high: int) -> tuple[int, int]:
    """An extent widened over the marks that touch it.

    Args:
        text: the release bytes.
        start, end: bytes of the first and last token.
        low, high: bytes that may not be left: those of the paragraphs.
    """
    while end < high:
        step = next((len(mark) for mark in CLOSING if text.startswith(mark, end)), 0)
        if not step or end + step > high:
            break
        end += step
    while start > low:
        step = next((len(mark) for mark in OPENING if text.endswith(mark, low, start)), 0)
        if not step:
            break
        start -= step
    return start, end
