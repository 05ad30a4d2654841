"""Metrics, disposition and direction of entries, one record an entry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, NamedTuple

from tekrar.discover.difference import differs_only_in
from tekrar.discover.entries import GROUP, KINDS, PAIR, STRETCH
from tekrar.discover.extents import with_marks
from tekrar.discover.metrics import METRICS, numbers_of
from tekrar.discover.pipeline import Generated, rows_at
from tekrar.discover.rules import (
    LEFT_TO_RIGHT,
    RIGHT_TO_LEFT,
    UNKNOWN,
    check_rules,
    disposition_of,
    quoting_side,
)
from tekrar.discover.source import Source

#: Bytes of text before and after a passage that are searched for signs of quoting; a passage longer than
#: `LONG`
#: bytes is not compared letter by letter.
AROUND: Final = 96
LONG: Final = 20_000
#: The longer unit has at least this many times the tokens of the shorter one.
MUCH: Final = 2
#: Equal tokens that make a passage long enough to be told from a phrase.
LONG_PASSAGE: Final = 12

#: Sides kept at hand; changes nothing.
_KNOWN: Final = 1 << 14


#: Metrics by the name with version that they are told by.
_NAMED: Final = {name: f"{name}.{metric.version}" for name, metric in METRICS.items()}


class _Row(NamedTuple):
    """What an entry is judged by: its numbers, and the rows of its first and last tokens."""

    kind: int
    a0: int
    a1: int
    b0: int
    b1: int
    score: int
    plain: int
    equal: int
    often: int
    rare: int
    parts: int
    left_unit: int
    right_unit: int
    longest_run: int
    alignment_edits: int
    common_grams: int
    left_grams: int
    right_grams: int
    phrase_places: int
    la: int
    lb: int
    ra: int
    rb: int


@dataclass(frozen=True)
class Judgement:
    """What is told of an entry.

    Attributes:
        metrics: name with version -> whole number, [numerator, denominator] or list of kinds.
        disposition, direction, why: as the rule table says.
        left, right: byte extents.
    """

    metrics: dict[str, Any]
    disposition: str
    direction: str | None
    why: str
    left: tuple[int, int]
    right: tuple[int, int]


class Judge:
    """Judges the entries of one run."""

    def __init__(self, source: Source, generated: Generated) -> None:
        check_rules()
        self._source = source
        entries = generated.entries
        numbers = numbers_of(entries, generated.pairs, generated.grams)
        seats = {
            name: rows_at(source, column)
            for name, column in (
                ("la", entries.a0),
                ("lb", entries.a1 - 1),
                ("ra", entries.b0),
                ("rb", entries.b1 - 1),
            )
        }
        columns = vars(entries) | {"parts": entries.count} | numbers | seats
        self._table = list(zip(*(columns[name].tolist() for name in _Row._fields), strict=True))
        self._language = source.release.language.split("-")[0].lower()
        # neighbouring entries speak of the same sides again and again
        self._extent = lru_cache(maxsize=_KNOWN)(self._extent_of)
        self._signs = lru_cache(maxsize=_KNOWN)(self._signs_of)

    def of(self, number: int) -> Judgement:
        """The judgement of one entry, by its position."""
        e = _Row(*self._table[number])
        left, right = self._extent(e.a0, e.a1, e.la, e.lb), self._extent(e.b0, e.b1, e.ra, e.rb)
        long_left, long_right = e.a1 - e.a0, e.b1 - e.b0
        metrics: dict[str, Any] = {
            "kind": KINDS[e.kind],
            _NAMED["score"]: e.score,
            _NAMED["plain_score"]: e.plain,
            _NAMED["equal_tokens"]: e.equal,
            _NAMED["cover_left"]: [e.equal, max(long_left, e.equal)],
            _NAMED["cover_right"]: [e.equal, max(long_right, e.equal)],
            _NAMED["formula_tokens"]: e.often,
            _NAMED["rare_tokens"]: e.rare,
            _NAMED["parts"]: e.parts,
            _NAMED["paragraphs_between"]: e.ra - e.la,
        }
        if e.phrase_places >= 0:
            metrics[_NAMED["phrase_places"]] = e.phrase_places
        if e.kind == PAIR:
            metrics[_NAMED["longest_run"]] = e.longest_run
            metrics[_NAMED["alignment_edits"]] = e.alignment_edits
            metrics[_NAMED["jaccard_3"]] = [e.common_grams, e.left_grams + e.right_grams - e.common_grams]
            metrics[_NAMED["containment_left"]] = [e.common_grams, e.left_grams]
            metrics[_NAMED["containment_right"]] = [e.common_grams, e.right_grams]
        tokens_equal = e.equal == long_left == long_right
        difference = self._difference(left, right, tokens_equal)
        if difference:
            metrics[_NAMED["difference"]] = difference
        signs = _UNSIGNED if e.kind == STRETCH else (self._signs(left), self._signs(right))
        disposition, direction, why = _decided(
            e.kind, e.equal, (e.left_unit, e.right_unit), (long_left, long_right), signs
        )
        return Judgement(metrics, disposition, direction, why, left, right)

    def _extent_of(self, first: int, end: int, low: int, high: int) -> tuple[int, int]:
        source = self._source
        return with_marks(
            source.release.text,
            int(source.tokens.start[first]),
            int(source.tokens.end[end - 1]),
            low=int(source.start[low]),
            high=int(source.end[high]),
        )

    def _difference(self, left: tuple[int, int], right: tuple[int, int], tokens_equal: bool) -> list[str]:
        text = self._source.release.text
        sizes = left[1] - left[0], right[1] - right[0]
        if max(sizes) > LONG or (not tokens_equal and abs(sizes[0] - sizes[1]) > 12):
            return []
        return differs_only_in(
            text[left[0] : left[1]].decode(), text[right[0] : right[1]].decode(), tokens_equal=tokens_equal
        )

    def _signs_of(self, extent: tuple[int, int]) -> frozenset[str]:
        text = self._source.release.text
        before = text[max(0, extent[0] - AROUND) : extent[0]].decode("utf-8", "ignore")
        after = text[extent[1] : extent[1] + AROUND].decode("utf-8", "ignore")
        passage = text[extent[0] : extent[1]].decode()
        return quoting_side(before, after, passage, language=self._language)


#: A stretch stands in many paragraphs: what is said before its first one says nothing.
_UNSIGNED: Final = (frozenset[str](), frozenset[str]())


@lru_cache(maxsize=_KNOWN)
def _decided(
    kind: int,
    equal: int,
    units: tuple[int, int],
    sides: tuple[int, int],
    signs: tuple[frozenset[str], frozenset[str]],
) -> tuple[str, str | None, str]:
    """Disposition, direction and why; neighbours in a family ask for the same again and again."""
    if kind == GROUP:
        return "uncertain", UNKNOWN, "a formula: see its places"
    ratios = {
        "unit_ratio": (2 * equal, sum(units)),
        "unit_cover": (equal, min(units)),
        "cover_shorter": (equal, min(sides)),
        "cover_longer": (equal, max(sides)),
    }
    flags = {"stretch"} if kind == STRETCH else set()
    if equal == sides[0] == sides[1]:
        flags.add("tokens_equal")
    if sides == units:
        flags.add("whole_units")
    if equal >= LONG_PASSAGE:
        flags.add("long")
    if max(units) >= MUCH * min(units):
        flags.add("much_longer")
    for sign in ("marked", "introduced"):
        if (sign in signs[0]) != (sign in signs[1]):
            flags.add(sign)
    disposition, why = disposition_of(ratios, frozenset(flags))
    if disposition != "probable_quotation":
        return disposition, UNKNOWN, why
    for sign in ("marked", "introduced"):
        if sign in flags:
            return disposition, LEFT_TO_RIGHT if sign in signs[1] else RIGHT_TO_LEFT, why
    return disposition, LEFT_TO_RIGHT if units[0] < units[1] else RIGHT_TO_LEFT, why
