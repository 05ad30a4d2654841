"""Stages of the generator on invented text: folding, tokens, suffix order, weights, alignment, rules."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from tekrar.discover import fold
from tekrar.discover.align import align_pairs
from tekrar.discover.bits import BIT, log2_sixteenths
from tekrar.discover.difference import differs_only_in
from tekrar.discover.extents import with_marks
from tekrar.discover.fold import folding_of, joined_forms
from tekrar.discover.metrics import METRICS
from tekrar.discover.rules import DISPOSITIONS, RULES, Rule, check_rules, disposition_of, quoting_side
from tekrar.discover.suffix import PARTNERS, places_of, suffix_order
from tekrar.discover.thresholds import thresholds
from tekrar.discover.tokens import tokenize
from tekrar.errors import UsageError


def tokens_of(text: str, language: str = "tr") -> list[str]:
    data = text.encode()
    found = tokenize(data, np.array([0]), np.array([len(data)]), language=language)
    return [data[a:b].decode() for a, b in zip(found.start, found.end, strict=True)]


def test_logarithms_are_exact_to_the_table() -> None:
    numbers = np.array([1, 2, 3, 5, 1000, 1023, 1024, 123_456_789, (1 << 51) + 12345])
    for number, found in zip(numbers.tolist(), log2_sixteenths(numbers).tolist(), strict=True):
        assert found <= BIT * math.log2(number) < found + 1.1


@pytest.mark.parametrize(
    ("language", "surface", "fold"),
    [
        ("tr", "IŞIK", "ışık"),
        ("tr", "Işık", "ışık"),
        ("tr", "işik", "işik"),
        ("tr", "İstanbul’da", "istanbulda"),
        ("tr", "I\u0307zmir", "izmir"),
        ("tr", "Nursî", "nursi"),
        ("tr", "Nursi\u0302", "nursi"),
        ("en", "THINE", "thine"),
        ("ar", "ٱلرَّحۡمَٰنِ", "الرحمن"),
        ("tr", "صادق\u200c", "صادق"),
    ],
)
def test_folding(language: str, surface: str, fold: str) -> None:
    """Field reports 41, 43, 44: one folded form for what is written in several ways."""
    assert folding_of(language).fold_text(surface) == fold


def test_folding_keeps_different_words_apart() -> None:
    """Field report 46."""
    assert len({folding_of("ar").fold_text(word) for word in ("إِلَىٰ", "إلا")}) == 2


def test_arabic_conjunctions_are_taken_off_known_words_only() -> None:
    assert joined_forms(["هو", "وهو", "و", "ورد"]) == ["هو", "هو", "", "ورد"]


def test_tokens_are_spans_of_the_source() -> None:
    assert tokens_of("İnebolu’da 1.506 ehl-i insaf, “evet”… x") == [
        "İnebolu’da",
        "1.506",
        "ehl-i",
        "insaf",
        "evet",
        "x",
    ]
    assert tokens_of("*** • …") == []
    assert tokens_of("iki-beş nur-u-iman bâ‑yı a--b") == ["iki", "beş", "nur-u", "iman", "bâ‑yı", "a", "b"]


def test_tokens_of_paragraphs_without_a_line_feed_between_stay_apart() -> None:
    data = "bir ikiüç dört\nbaşlık\nbeş".encode()
    edges = [(0, 7), (7, 17), (27, 31)]
    start, end = (np.array(column) for column in zip(*edges, strict=True))
    found = tokenize(data, start, end, language="tr")
    assert [data[a:b].decode() for a, b in zip(found.start, found.end, strict=True)] == [
        "bir", "iki", "üç", "dört", "beş",
    ]  # fmt: skip
    assert found.first.tolist() == [0, 2, 4, 5]


def test_nothing_asks_the_interpreter_what_a_character_is() -> None:
    """Its version of Unicode is not the generator's; `difference` asks for characters of Unicode 14 only."""
    asked = ("unicodedata", ".lower()", ".upper()", "casefold", "isalpha", "isspace", "isupper", "isalnum")
    for path in sorted(Path(fold.__file__).parent.glob("*.py")):
        text = path.read_text(encoding="utf-8")
        if path.name == "difference.py":
            assert "is_known(character)" in text
        else:
            for known in ("name.isupper()", 'language.split("-")[0].lower()'):  # ASCII names and tags
                text = text.replace(known, "")
            assert not [name for name in asked if name in text], path.name


def test_suffix_order_pairs_all_places_or_the_next_ones() -> None:
    stream = np.array([1, 2, 3, 0] * 5 + [7, 8, 0] * 40, np.int32)
    order = suffix_order(stream)
    assert sorted(order.order.tolist()) == list(range(len(stream)))
    assert places_of(order, 3)[0] == 5
    assert places_of(order, 2)[20] == 40
    reach = order.reach - np.arange(len(stream)) - 1
    many = [int(reach[order.rank[p]]) for p in range(20, 140, 3)]
    assert max(many) <= 64
    assert sum(many) >= PARTNERS * 20


def test_alignment_finds_the_changed_passage_with_its_ends() -> None:
    left = [11, 12, 1, 2, 3, 4, 5, 6, 7, 8, 13]
    right = [21, 1, 2, 3, 9, 5, 6, 7, 8, 22, 23]
    stream = np.array([*left, 0, *right, 0], np.int32)
    rarity = np.where(stream > 0, 10 * BIT, 0).astype(np.int32)
    limits = np.array([0, len(left) + 1, len(stream)], np.int64)
    at, to = np.array([2, 6], np.int32), np.array([13, 17], np.int32)
    seeds = (at, to, np.array([3, 4], np.int32), np.array([30 * BIT, 40 * BIT], np.int32))
    none = np.zeros(len(stream), np.int32)
    one = np.array([0], np.int32)
    found, _ = align_pairs(
        stream, (rarity, rarity), (none, none), limits, seeds, np.array([0, 2]), (one, one + 1)
    )
    assert (found.a0[0, 0], found.a1[0, 0], found.b0[0, 0], found.b1[0, 0]) == (2, 10, 13, 21)
    assert (found.equal[0, 0], found.longest[0, 0], found.edits[0, 0]) == (7, 4, 1)
    assert found.score[0, 0] == 7 * 10 * BIT - 3 * BIT


def test_marks_cling_to_a_passage() -> None:
    text = "dedi: “Gel bak!” sonra".encode()
    start = text.index(b"Gel")
    low, high = with_marks(text, start, start + len(b"Gel bak"), low=0, high=len(text))
    assert text[low:high].decode() == "“Gel bak!”"
    assert with_marks(text, start, start + 3, low=start, high=start + 3) == (start, start + 3)


@pytest.mark.parametrize(
    ("left", "right", "equal", "kinds"),
    [
        ("Nursî", "Nursi\u0302", True, ["normalisation"]),
        ("Evet efendim.", "evet Efendim.", True, ["case"]),
        ("Evet, efendim!", "Evet efendim.", True, ["punctuation"]),
        ("Nur’un yolu", "Nurun yolu", True, ["apostrophes"]),
        ("hâlâ", "hala", True, ["diacritics"]),
        ("1506. Mektup", "1507. Mektup", False, ["numerals"]),
        ("وقال ربك", "قال ربك", True, ["conjunction"]),
        ("وَقَالَ رَبُّكَ", "قال ربك", True, ["diacritics", "conjunction"]),
        ("kara kedi", "kara köpek", False, []),
        ("aynı", "aynı", True, []),
    ],
)
def test_what_alone_differs(left: str, right: str, equal: bool, kinds: list[str]) -> None:
    """Field report 22 and the metric's own cases."""
    assert differs_only_in(left, right, tokens_equal=equal) == kinds


@pytest.mark.req("CND-04")
def test_no_metric_is_a_confidence_or_without_a_scale() -> None:
    assert not any("confidence" in name for name in METRICS)
    assert all(metric.version >= 1 and metric.scale and metric.meaning for metric in METRICS.values())


@pytest.mark.req("CND-06")
def test_rules_give_known_dispositions_only() -> None:
    check_rules()
    assert {rule.disposition for rule in RULES} <= set(DISPOSITIONS)
    with pytest.raises(UsageError) as caught:
        check_rules((*RULES, Rule("accepted", {})))
    assert caught.value.kind == "unknown_disposition"


def test_the_first_rule_that_holds_decides() -> None:
    assert disposition_of({"unit_ratio": (9, 10)}, frozenset())[0] == "probable_near_exact"
    assert disposition_of({"unit_ratio": (6, 10)}, frozenset())[0] == "probable_variant"
    assert disposition_of({"cover_shorter": (6, 10)}, frozenset({"marked"}))[0] == "probable_quotation"
    assert disposition_of({"unit_ratio": (1, 10)}, frozenset()) == ("uncertain", "")


def test_signs_of_quoting() -> None:
    assert quoting_side("Sonra şöyle diyor ki: “", "” ve gider", "söz", language="tr") == {
        "marked",
        "introduced",
    }
    assert quoting_side("Bir ", " gün", "söz", language="tr") == frozenset()


def test_seeds_do_not_depend_on_the_order_of_equal_keys() -> None:
    rng = random.Random(3)
    stream = np.array([rng.randint(0, 5) for _ in range(400)] + [0], np.int32)
    first, second = suffix_order(stream), suffix_order(stream.copy())
    assert (first.order == second.order).all()
    assert (first.reach == second.reach).all()


def test_bounds_are_tied_to_the_size_of_the_corpus() -> None:
    """Up to 2^20 tokens seeds and links weigh what they always did; above, more with every doubling."""
    small, large, larger = (thresholds(np.full(1 << n, 64)) for n in (13, 17, 18))
    assert (small.seeds, small.link) == (20 * BIT, 16 * BIT)
    assert (large.seeds, large.link) == (21 * BIT + BIT // 2, 19 * BIT)
    assert (larger.seeds, larger.link) == (22 * BIT, 20 * BIT)
    verses = thresholds(np.full(1 << 17, 16))
    assert (verses.seeds, verses.link) == (20 * BIT + BIT // 2, 17 * BIT)
