"""Words by Unicode's default boundaries: against the rules one by one, against ICU, and by example."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Iterator
from importlib import import_module
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core import token
from tekrar.core.token import TOKENIZER, tokens, word_break_table
from tekrar.errors import IntegrityError

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
        ("1950’de", ["1950", "de"]),
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


def test_words_of_unicode_as_another_library_finds_them() -> None:
    regex = pytest.importorskip("regex", reason="needs the regex package, which is not in the locks")
    wordy = regex.compile(r"[\p{L}\p{N}\p{WB=ALetter}\p{WB=Hebrew_Letter}\p{WB=Numeric}\p{WB=Katakana}]")
    for text in _texts(8, 20_000, rare=True):
        cuts = sorted({0, len(text)} | {m.start() for m in regex.finditer(r"(?w)\b", text)})
        pieces = [(a, b) for a, b in itertools.pairwise(cuts) if wordy.search(text, a, b)]
        assert words(text) == [text[a:b] for a, b in pieces], ascii(text)


def test_words_of_ordinary_text_as_icu_finds_them() -> None:
    pytest.importorskip("icu4py")
    breakers: Any = import_module("icu4py.breakers")
    pick = random.Random(29)
    # ICU tailors the colon, looks Asian words up in dictionaries, counts UTF-16: none of it is among these
    alphabet = "aıİşğâ éßЖжαΩ بتٱ\u064e\u0651\u0670ـ١٢٣12 .,;'’‘“”\"()!?-–…_\u00a0\u00ad\u200c\n\t\u0301·"
    for _ in range(3000):
        text = "".join(pick.choices(alphabet, k=pick.randint(1, 40)))
        pieces = [text[a:b] for a, b in breakers.WordBreaker(text, "en").segments()]
        assert words(text) == [p for p in pieces if any(c.isalpha() or c.isnumeric() for c in p)], repr(text)


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
    assert TOKENIZER == "uax29-18.0.0"


@pytest.mark.parametrize("piece", ["_", "\u200d", "'", "a'", "🇹🇷\u200d", "א\u200d", "a\u0301", "_\u0301"])
def test_long_odd_lines_take_linear_time(piece: str) -> None:
    data = (piece * 60_000).encode()
    began = time.process_time()
    tokens(data)
    assert time.process_time() - began < 4
