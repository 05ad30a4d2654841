"""Find the stops of a paragraph, have each decided, and give the sentences as byte spans."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from .arabic import ARABIC
from .characters import (
    BULLET,
    CLOSER,
    COMBINING,
    DASH,
    EITHER_SIDE,
    INVISIBLE,
    MARK,
    OPENER,
    SPACE,
    STOP,
    arabic_stretches,
    has_arabic,
    has_other_letter,
    last_content,
    next_content,
)
from .decision import Stop, ends_sentence, window_start
from .english import ENGLISH
from .places import VERSE_SIGN_STARTS, places
from .rules import GENERIC, Rules
from .turkish import TURKISH

_BY_LANGUAGE: Final = {rules.name: rules for rules in (TURKISH, ENGLISH, ARABIC)}

# What may open the next sentence before its first word, within a bound that keeps long runs linear.
_LEAD: Final = f"[{SPACE}{OPENER}{EITHER_SIDE}{DASH}{BULLET}{INVISIBLE}{STOP}{MARK}]{{0,64}}+"
_NEXT_WORD: Final = re.compile(f"{_LEAD}([^\\W\\d_](?:[^\\W_]|[{COMBINING}])*|\\d++|)")
_IN_TAIL_CLOSED: Final = re.compile(f"[{CLOSER}{EITHER_SIDE}]")
# Brackets that hold more are text of their own.
_BRACKETED: Final = 200
# Long enough for a name of two words and a verb.
_AFTER: Final = 64
_NO_STOP: Final = re.compile(f"[^{STOP}]+")


def segment(
    paragraph: bytes, *, language: str, markers: Sequence[tuple[int, int]] = ()
) -> list[tuple[int, int]]:
    """Split one paragraph into sentences (contract C9, Segmenter).

    Args:
        paragraph: UTF-8 bytes of the paragraph, as imported.
        language: BCP 47 tag; its primary subtag picks the rules, unknown ones have general rules.
        markers: half-open byte spans of the annotated note markers in the paragraph, in any order.

    Returns:
        Half-open byte spans, ascending. The first starts at 0 and the last ends at ``len(paragraph)``;
        between two lies nothing or white space. ``b""`` gives an empty list.

    Raises:
        UnicodeDecodeError: the bytes are not UTF-8.
        ValueError: a marker lies outside the paragraph or starts or ends inside a character.
    """
    if not paragraph:
        return []
    text = paragraph.decode("utf-8")
    shadow, marker_starts = _mask(paragraph, text, markers) if markers else (text, {})
    cuts = list(_cuts(shadow, marker_starts, language))
    if not cuts:
        return [(0, len(paragraph))]
    if len(text) == len(paragraph):
        return _spans(cuts, len(paragraph))
    return _spans(_to_bytes(text, cuts), len(paragraph))


def _mask(paragraph: bytes, text: str, markers: Sequence[tuple[int, int]]) -> tuple[str, dict[int, int]]:
    """Return the text with every marker scalar made ``MARK``, and marker end -> start in code points."""
    pieces: list[str] = []
    starts: dict[int, int] = {}
    at_byte = at_point = 0
    for start, end in sorted(markers):
        if not 0 <= start <= end <= len(paragraph):
            raise ValueError(f"marker {start}..{end} lies outside a paragraph of {len(paragraph)} bytes")
        if any(p < len(paragraph) and paragraph[p] & 0xC0 == 0x80 for p in (start, end)):
            raise ValueError(f"marker {start}..{end} starts or ends inside a character")
        start = max(start, at_byte)
        if end <= start:
            continue
        before = paragraph[at_byte:start].decode("utf-8")
        inside = len(paragraph[start:end].decode("utf-8"))
        pieces += before, MARK * inside
        at_point += len(before) + inside
        starts[at_point] = at_point - inside
        at_byte = end
    pieces.append(text[at_point:])
    return "".join(pieces), starts


def _rules_of(shadow: str, language: str, *, arabic: bool) -> Rules:
    """Return the rules of a paragraph: the Arabic ones if all its letters are Arabic, else the language's."""
    if arabic and not has_other_letter(shadow):
        return ARABIC
    return _BY_LANGUAGE.get(language.replace("_", "-").split("-", 1)[0].lower(), GENERIC)


def _cuts(shadow: str, marker_starts: dict[int, int], language: str) -> Iterator[tuple[int, int]]:
    """Yield each separator between two sentences as (end of one, start of the next), in code points."""
    arabic = not shadow.isascii() and has_arabic(shadow)
    rules = _rules_of(shadow, language, arabic=arabic)
    # In a wholly Arabic paragraph the Arabic rules decide; elsewhere a stretch is never cut inside.
    stretches = arabic_stretches(shadow) if arabic and rules is not ARABIC else []
    first, last, stretch = next_content(shadow, 0), last_content(shadow), 0
    for match in places(shadow, verse_signs=rules.verse_signs).finditer(shadow):
        at, end, following = match.start(), match.end(2), match.end()
        if first >= at:
            continue
        if end > last:
            return
        while stretch < len(stretches) and stretches[stretch][1] <= end:
            stretch += 1
        if stretch < len(stretches) and stretches[stretch][0] < end:
            continue
        if _is_end(shadow, match, first, marker_starts, rules):
            yield end, following
            first = next_content(shadow, following)


def _is_end(
    shadow: str, match: re.Match[str], first: int, marker_starts: dict[int, int], rules: Rules
) -> bool:
    """Gather what stands around a stop and have it decided."""
    stops, following = match.group(1), match.end()
    if not stops or stops[0] in VERSE_SIGN_STARTS:
        return True
    tail = match.group(2)
    right = _NEXT_WORD.match(shadow, following)
    before = _before_markers(shadow, match.start(), marker_starts)
    left = shadow[window_start(before) : before]
    quoted = bool(tail) and _IN_TAIL_CLOSED.search(tail) is not None
    return ends_sentence(
        Stop(
            left=left,
            stops=stops + _NO_STOP.sub("", tail) if tail else stops,
            bracketed=left[-1:] in {"(", "["} and tail[:1] in {")", "]"},
            after=shadow[following : following + _AFTER] if quoted else "",
            embedded=_embedded(shadow, match.start(), first),
            gap=match.end(2) < following,
            right=right.group(1) if right else "",
            depth=_depth(left, first - (before - len(left))),
        ),
        rules,
    )


def _before_markers(shadow: str, at: int, marker_starts: dict[int, int]) -> int:
    """Return where the text before a stop ends, the markers right before the stop left out."""
    while at in marker_starts:
        at = marker_starts[at]
        while at and shadow[at - 1].isspace():
            at -= 1
    return at


def _embedded(shadow: str, at: int, first: int) -> bool:
    """Tell whether a stop lies in short round brackets inside a sentence: `O (ah! Ne iyi!) geldi`."""
    opened = shadow.rfind("(", max(first, at - _BRACKETED), at)
    if opened <= first or shadow.find(")", opened, at) >= 0:
        return False
    closed = shadow.find(")", at, opened + _BRACKETED)
    # Brackets that close right after the stop end what they hold: then the stop is judged as usual.
    return closed > at and next_content(shadow[at:closed], 0) < closed - at


def _depth(left: str, first: int) -> int:
    """Return how many words of the sentence come before the last one of ``left``: 0, 1, or 2 for more.

    ``first`` is where the sentence's first letter or digit lies in ``left``, negative if before it.
    """
    return 2 if first < 0 else min(2, max(0, len(left[first:].split()) - 1))


def _to_bytes(text: str, cuts: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Turn code-point cuts into byte cuts, measuring every stretch of text once."""
    out: list[tuple[int, int]] = []
    at_point = at_byte = 0
    for end, start in cuts:
        end_byte = at_byte + len(text[at_point:end].encode("utf-8"))
        at_byte = end_byte + len(text[end:start].encode("utf-8"))
        at_point = start
        out.append((end_byte, at_byte))
    return out


def _spans(cuts: list[tuple[int, int]], length: int) -> list[tuple[int, int]]:
    """Turn the separators into the spans of the sentences around them."""
    starts = [0, *(start for _, start in cuts)]
    ends = [*(end for end, _ in cuts), length]
    return list(zip(starts, ends, strict=True))
