"""Words by Unicode's boundaries and one tailoring: against the rules one by one, ICU, and by example."""

from __future__ import annotations

import itertools
import random
import re
import time
from collections.abc import Iterable, Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core import token
from tekrar.core.token import TOKENIZER, pieces, tokens, word_break_table
from tekrar.errors import IntegrityError

#: A pattern of re or of the regex package.
Pattern = Any
RARE = ("ZWJ", "Hebrew_Letter", "Extend_word")


def words(text: str) -> list[str]:
    data = text.encode()
    return [data[a:b].decode() for a, b in tokens(data).tolist()]


@pytest.mark.req("DIF-09")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        (" … *** ", []),
        ("evet", ["evet"]),
        ("İstanbul’da Kur'an'ın", ["İstanbul’da", "Kur'an'ın"]),
        ("‘ev’ 'ev'", ["ev", "ev"]),
        ("1950’de 3’üncü 1990's 3,14'ü ١٩٥٠’te", ["1950’de", "3’üncü", "1990's", "3,14'ü", "١٩٥٠’te"]),
        ("1950\u0301’\u0301de 1'a2'b 5'10 1'שא", ["1950\u0301’\u0301de", "1'a2'b", "5'10", "1'שא"]),
        (
            "1‘de 1.de a’1 '1950' 1’ de 1_’de ½’si",
            ["1", "de", "1", "de", "a", "1", "1950", "1", "de", "1_", "de", "½", "si"],
        ),
        ("3,14 1.000.000 5. a.m.", ["3,14", "1.000.000", "5", "a.m"]),
        ("Nurs\u0131\u0302 Nursî", ["Nursı\u0302", "Nursî"]),
        ("بِسْمِ ٱللَّهِ ٱلرَّحْمَـٰنِ", ["بِسْمِ", "ٱللَّهِ", "ٱلرَّحْمَـٰنِ"]),
        ("\ufeffa\u00adb c\u200cd", ["a\u00adb", "c\u200cd"]),
        ("ab😀😀cd 📉📰 Ekvador", ["ab", "cd", "Ekvador"]),
        ("👩\u200d👧 🇹🇷", []),
        ("a\u0000b", ["a", "b"]),
        ("__a_b__ ___", ["__a_b__"]),
        ("漢字", ["漢", "字"]),
        ("H₂O x² ½ Ⅳ", ["H", "₂", "O", "x", "²", "½", "Ⅳ"]),
        ("mektup[1] tekrar", ["mektup", "1", "tekrar"]),
        ("צה\"ל ג' אב", ['צה"ל', "ג'", "אב"]),
    ],
)
def test_words_of_examples(text: str, expected: list[str]) -> None:
    assert words(text) == expected


def _texts(seed: int, count: int, *, rare: bool) -> Iterator[str]:
    """Random short texts; every class is as likely as another."""
    pick, table = random.Random(seed), word_break_table()
    names = [n for n in table if rare or n not in RARE] + ["ExtendNumLet", "Katakana"]
    for _ in range(count):
        drawn = [pick.choice(table[pick.choice(names)]) for _ in range(pick.randint(1, 12))]
        points = [pick.choice(" -\n") if pick.random() < 0.1 else chr(pick.randint(*span)) for span in drawn]
        yield "".join(c for c in points if rare or c not in "\uff9e\uff9f")


@pytest.mark.parametrize("rare", [False, True])
def test_the_expression_says_what_the_rules_say(rare: bool) -> None:
    for text in _texts(7, 8000, rare=rare):
        by_rules = [line[a:b] for line in text.split("\n") for a, b in token._by_rules(line)]
        assert words(text) == by_rules, ascii(text)


def _tailored(pieces: Iterable[str], *, number: Pattern, apostrophe: Pattern, letter: Pattern) -> list[str]:
    """Default segments, those joined that an apostrophe between a number and a letter keeps together."""
    found: list[str] = []
    for piece in pieces:
        if (
            len(found) > 1
            and number.search(found[-2])
            and apostrophe.fullmatch(found[-1])
            and letter.match(piece)
        ):
            found[-2:] = ["".join(found[-2:]) + piece]
        else:
            found.append(piece)
    return found


def test_words_of_unicode_as_another_library_finds_them() -> None:
    regex = pytest.importorskip("regex", reason="needs the regex package, which is not in the locks")
    wordy = regex.compile(r"[\p{L}\p{N}\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{WB=Katakana}]")
    skip, letter = r"[\p{WB=Extend}\p{WB=Format}\p{WB=ZWJ}]*", r"[\p{WB=ALetter}\p{WB=Hebrew_Letter}]"
    tailoring = {
        "number": regex.compile(rf"\p{{WB=Numeric}}{skip}$(?!\n)"),
        "apostrophe": regex.compile(f"['’]{skip}"),
        "letter": regex.compile(letter),
    }
    for text in _texts(8, 20_000, rare=True):
        cuts = sorted({0, len(text)} | {m.start() for m in regex.finditer(r"(?w)\b", text)})
        pieces = _tailored((text[a:b] for a, b in itertools.pairwise(cuts)), **tailoring)
        assert words(text) == [piece for piece in pieces if wordy.search(piece)], ascii(text)


def test_words_of_ordinary_text_as_icu_finds_them() -> None:
    pytest.importorskip("icu4py")
    breakers: Any = import_module("icu4py.breakers")
    pick = random.Random(29)
    # ICU tailors the colon, looks Asian words up in dictionaries, counts UTF-16: none of it is among these
    alphabet = "aıİşğâ éßЖжαΩ بتٱ\u064e\u0651\u0670ـ١٢٣12 .,;'’‘“”\"()!?-–…_\u00a0\u00ad\u200c\n\t\u0301·"
    skip = "[\u064e\u0651\u0670\u00ad\u200c\u0301]*"
    tailoring = {
        "number": re.compile(rf"\d{skip}\Z"),
        "apostrophe": re.compile(f"['’]{skip}"),
        "letter": re.compile(r"[^\W\d_]"),
    }
    for _ in range(3000):
        text = "".join(pick.choices(alphabet, k=pick.randint(1, 40)))
        pieces = _tailored((text[a:b] for a, b in breakers.WordBreaker(text, "en").segments()), **tailoring)
        assert words(text) == [p for p in pieces if any(c.isalpha() or c.isnumeric() for c in p)], repr(text)


#: What spaces, gaps and the rules make of one another shows here.
ODD = " aı1“’'.-\n_\u00a0\u0301\u00ad漢😀שׁ\u200d"


@given(st.lists(st.text(ODD, max_size=5) | st.sampled_from(["ev", "“ev”", "-", "1’de"]), max_size=9))
def test_pieces_are_the_tokens_and_what_is_between(parts: list[str]) -> None:
    data = " ".join(parts).encode()
    bounds = tokens(data, start=0).ravel().tolist()
    expected = [data[a:b] for a, b in itertools.pairwise([0, *bounds, len(data)])]
    assert pieces(data) == expected
    assert pieces(b"bu " + data + b" o", start=3, end=3 + len(data)) == expected


def test_what_pieces_remembers_is_bounded_and_does_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ("Bir “iki” üç.\nDört’ü — beş  " * 9).encode()
    whole = pieces(data)
    monkeypatch.setattr(token, "_MOST_KEPT", 2)
    token._cuts.cache_clear()
    assert pieces(data) == whole
    assert len(token._cuts()) <= 2
    monkeypatch.setattr(token, "_LONGEST_KEPT", 0)
    token._cuts.cache_clear()
    assert pieces(data) == whole
    assert not any(token._cuts())
    with pytest.raises(IntegrityError, match="byte 4 is not UTF-8"):
        pieces(b"ab c\xff d")


@given(st.text(st.characters(codec="utf-8"), max_size=40), st.text(st.characters(codec="utf-8"), max_size=9))
def test_a_range_is_a_text_of_its_own(text: str, before: str) -> None:
    data, ahead = text.encode(), before.encode()
    alone = tokens(data)
    inside = tokens(ahead + data + b"ya", start=len(ahead), end=len(ahead) + len(data))
    assert (inside - len(ahead)).tolist() == alone.tolist()
    bounds = alone.ravel().tolist()
    assert bounds == sorted(bounds)
    for start, end in alone.tolist():
        data[start:end].decode()
        assert start < end


def test_blocks_do_not_show(monkeypatch: pytest.MonkeyPatch) -> None:
    data = ("Bir iki üç.\nDört’ü beş\r\n" * 50).encode()
    whole = tokens(data).tolist()
    monkeypatch.setattr(token, "_BLOCK", 7)
    assert tokens(data).tolist() == whole


def test_a_cut_character_is_refused() -> None:
    with pytest.raises(IntegrityError, match="not UTF-8"):
        tokens("şu".encode(), start=1)
    with pytest.raises(IntegrityError, match="byte 2 is not UTF-8"):
        tokens(b"ab\xed\xa0\x80")


def test_another_table_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(token, "TABLE_DIGEST", "0" * 64)
    word_break_table.cache_clear()
    with pytest.raises(IntegrityError, match="word-break classes"):
        word_break_table()
    monkeypatch.undo()
    assert TOKENIZER == "uax29-18.0.0-apostrophe.1"


@pytest.mark.parametrize("piece", ["_", "\u200d", "'", "a'", "🇹🇷\u200d", "א\u200d", "a\u0301", "_\u0301"])
def test_long_odd_lines_take_linear_time(piece: str) -> None:
    data = (piece * 60_000).encode()
    began = time.process_time()
    tokens(data)
    assert time.process_time() - began < 4
