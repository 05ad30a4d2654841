"""Metrics, disposition and direction of entries, one record an entry."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

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
        names = ("kind", "a0", "a1", "b0", "b1", "score", "plain", "equal", "often", "rare", "count",
                 "left_unit", "right_unit")  # fmt: skip
        self._columns = {name: getattr(entries, name).tolist() for name in names}
        numbers = numbers_of(entries, generated.pairs, generated.grams)
        self._columns |= {name: column.tolist() for name, column in numbers.items()}
        self._rows = [
            rows_at(source, c).tolist() for c in (entries.a0, entries.a1 - 1, entries.b0, entries.b1 - 1)
        ]
        self._language = source.release.language.split("-")[0].lower()
        # neighbouring entries speak of the same sides again and again
        self._extent = lru_cache(maxsize=_KNOWN)(self._extent_of)
        self._signs = lru_cache(maxsize=_KNOWN)(self._signs_of)

    def of(self, number: int) -> Judgement:
        """The judgement of one entry, by its position."""
        e = {name: column[number] for name, column in self._columns.items()}
        la, lb, ra, rb = (rows[number] for rows in self._rows)
        left, right = self._extent(e["a0"], e["a1"], la, lb), self._extent(e["b0"], e["b1"], ra, rb)
        long_left, long_right = e["a1"] - e["a0"], e["b1"] - e["b0"]
        metrics: dict[str, Any] = {
            "score": e["score"],
            "plain_score": e["plain"],
            "equal_tokens": e["equal"],
            "cover_left": [e["equal"], max(long_left, e["equal"])],
            "cover_right": [e["equal"], max(long_right, e["equal"])],
            "formula_tokens": e["often"],
            "rare_tokens": e["rare"],
            "parts": e["count"],
            "paragraphs_between": ra - la,
        }
        if e["phrase_places"] >= 0:
            metrics["phrase_places"] = e["phrase_places"]
        if e["kind"] == PAIR:
            common, grams = e["common_grams"], (e["left_grams"], e["right_grams"])
            metrics |= {
                "longest_run": e["longest_run"],
                "alignment_edits": e["alignment_edits"],
                "jaccard_3": [common, sum(grams) - common],
                "containment_left": [common, grams[0]],
                "containment_right": [common, grams[1]],
            }
        tokens_equal = e["equal"] == long_left == long_right
        difference = self._difference(left, right, tokens_equal)
        if difference:
            metrics["difference"] = difference
        disposition, direction, why = self._disposition(e, left, right, tokens_equal)
        named = {"kind": KINDS[e["kind"]]} | {f"{n}.{METRICS[n].version}": v for n, v in metrics.items()}
        return Judgement(named, disposition, direction, why, left, right)

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

    def _disposition(
        self, e: dict[str, Any], left: tuple[int, int], right: tuple[int, int], tokens_equal: bool
    ) -> tuple[str, str | None, str]:
        if e["kind"] == GROUP:
            return "uncertain", UNKNOWN, "a formula: see its places"
        units = e["left_unit"], e["right_unit"]
        sides = e["a1"] - e["a0"], e["b1"] - e["b0"]
        ratios = {
            "unit_ratio": (2 * e["equal"], sum(units)),
            "unit_cover": (e["equal"], min(units)),
            "cover_shorter": (e["equal"], min(sides)),
            "cover_longer": (e["equal"], max(sides)),
        }
        flags = {"stretch"} if e["kind"] == STRETCH else set()
        if tokens_equal:
            flags.add("tokens_equal")
        if sides == units:
            flags.add("whole_units")
        if e["equal"] >= LONG_PASSAGE:
            flags.add("long")
        if max(units) >= MUCH * min(units):
            flags.add("much_longer")
        signs = (
            (frozenset[str](), frozenset[str]())
            if e["kind"] == STRETCH
            else (self._signs(left), self._signs(right))
        )
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

    def _signs_of(self, extent: tuple[int, int]) -> frozenset[str]:
        text = self._source.release.text
        before = text[max(0, extent[0] - AROUND) : extent[0]].decode("utf-8", "ignore")
        after = text[extent[1] : extent[1] + AROUND].decode("utf-8", "ignore")
        passage = text[extent[0] : extent[1]].decode()
        return quoting_side(before, after, passage, language=self._language)
