"""Probable dispositions by a table of rules over named metrics; the table belongs to the generator's version.

A disposition is evidence (CND-06, CND-07): no rule here makes a family, a quotation or a choice. The first
rule
that holds decides. Where nobody can tell, it says `uncertain`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from tekrar.core.feature.normalizers import case_of, chain
from tekrar.errors import UsageError

VERSION: Final = "adr009.rules.1"
DISPOSITIONS: Final = ("probable_near_exact", "probable_variant", "probable_quotation", "uncertain")
LEFT_TO_RIGHT, RIGHT_TO_LEFT, UNKNOWN = "left_to_right", "right_to_left", None


@dataclass(frozen=True)
class Rule:
    """One rule: every condition holds.

    Attributes:
        disposition: what it says.
        least: metric -> (numerator, denominator) that the ratio reaches at least.
        flags: flags that are set.
        why: the reason that is told with it.
    """

    disposition: str
    least: Mapping[str, tuple[int, int]]
    flags: tuple[str, ...] = ()
    why: str = ""


RULES: Final = (
    Rule("probable_near_exact", {}, ("tokens_equal", "whole_units"), "equal words, other marks"),
    Rule("probable_near_exact", {"unit_ratio": (9, 10)}, (), "nine of ten words of both units are equal"),
    Rule("probable_near_exact", {"cover_longer": (19, 20)}, ("stretch",), "a section with few changes"),
    Rule("probable_quotation", {"cover_shorter": (3, 5)}, ("marked",), "one side stands in quotation marks"),
    Rule("probable_quotation", {"cover_shorter": (3, 5)}, ("introduced",), "words of saying before one side"),
    Rule("probable_quotation", {"unit_cover": (4, 5)}, ("much_longer",), "one stands in a much longer one"),
    Rule("probable_variant", {"unit_ratio": (3, 5)}, (), "three of five words of both units are equal"),
    Rule("probable_variant", {"cover_longer": (1, 2)}, ("stretch",), "a section with changes"),
    Rule("probable_near_exact", {"cover_longer": (19, 20)}, ("long",), "a passage with hardly a change"),
    Rule("probable_variant", {"cover_longer": (3, 5)}, ("long",), "a passage with changes"),
)  # fmt: skip


def check_rules(rules: tuple[Rule, ...] = RULES) -> None:
    """Refuse a table that names another disposition.

    Raises:
        UsageError: an unknown disposition.
    """
    for number, rule in enumerate(rules, 1):
        if rule.disposition not in DISPOSITIONS:
            raise UsageError(
                f"rule {number} gives the disposition {rule.disposition!r}",
                where=f"rule table {VERSION}",
                expected=", ".join(DISPOSITIONS),
                kind="unknown_disposition",
            )


def disposition_of(
    ratios: Mapping[str, tuple[int, int]], flags: frozenset[str], rules: tuple[Rule, ...] = RULES
) -> tuple[str, str]:
    """The disposition and why; (`uncertain`, "") when no rule holds.

    Args:
        ratios: metric -> (numerator, denominator).
        flags: what is set.
        rules: the table.
    """
    for rule in rules:
        if all(flag in flags for flag in rule.flags) and all(
            name in ratios and ratios[name][0] * low[1] >= low[0] * ratios[name][1]
            for name, low in rule.least.items()
        ):
            return rule.disposition, rule.why
    return "uncertain", ""


#: Words that introduce what somebody else says, folded, by primary language.
SAYING: Final = {
    "tr": (
        "der ki",
        "diyor ki",
        "dedi ki",
        "demiş ki",
        "demişler ki",
        "deriz ki",
        "buyurmuş",
        "ferman",
        "diye",
    ),
    "en": ("saith", "said", "saying", "it is written", "says", "spoken by"),
    "ar": ("قال", "يقول", "قالوا", "قيل"),
}
OPEN_MARKS: Final = '“«‹"﴿„'
CLOSE_MARKS: Final = '”»›"﴾'


def quoting_side(before: str, after: str, passage: str, *, language: str) -> frozenset[str]:
    """What says that a side quotes: `marked` by quotation marks, `introduced` by words of saying.

    Args:
        before, after: some text before and after the passage in its paragraph.
        passage: the passage.
        language: primary subtag.
    """
    found = set()
    opened = before.rstrip()[-1:] or " "
    closed = after.lstrip()[:1] or " "
    inside = passage[:1] in OPEN_MARKS or opened in OPEN_MARKS
    if inside and (passage.rstrip(".,;!?…")[-1:] in CLOSE_MARKS or closed in CLOSE_MARKS):
        found.add("marked")
    small = chain(case_of(language)).fold_text(before)
    tail = " ".join(small.replace(":", " ").replace(",", " ").split())[-32:].rstrip(OPEN_MARKS + " ")
    if tail and any(tail.endswith(words) for words in SAYING.get(language, ())):
        found.add("introduced")
    return frozenset(found)
