"""Properties of folding: maps that hold, texts that agree, names that are stable under repetition."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.feature.folded import Folded
from tekrar.core.feature.normalizers import NORMALIZERS, chain, whole_folding

MARKS = "\u0301\u0302\u0307\u0323\u064b\u064e\u0651\u0653\u0654\u0670\u06d6\u0640\u200b\u200c\u00ad\u00a0"
LETTERS = "aIiİıßÂÎÛâîûşğΣςẞÅأإآٱةىئؤابي١۵각\u1100\u1161\u11a8\u09c7\u09be😀"
LETTERS += "\U0001f468\u200d\U0001f469’“”«…,.-\U00010efd"
TEXTS = st.one_of(
    st.text(st.sampled_from(MARKS + LETTERS + " "), max_size=12),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.text(max_size=8)
    .map(lambda text: unicodedata.normalize("NFD", text))
    .filter(lambda t: t.isprintable()),
    st.text(st.characters(max_codepoint=127), max_size=12),
)
KEYS = st.sampled_from(sorted(NORMALIZERS))
CHAINS = st.sampled_from([whole_folding(language) for language in ("tr", "en", "ar")]) | KEYS.map(chain)


def check_map(found: Folded, source: bytes) -> None:
    boundaries = {at for at in range(len(source) + 1) if at == len(source) or source[at] & 0xC0 != 0x80}
    assert len(found.text) == len(found.start) == len(found.end)
    assert found.size == len(source)
    assert list(found.start) == sorted(found.start)
    assert list(found.end) == sorted(found.end)
    assert set(found.start) | set(found.end) <= boundaries
    assert all(start < end for start, end in zip(found.start, found.end, strict=True))
    covered = set()
    for start, end in zip(found.start, found.end, strict=True):
        covered.update(range(start, end))
    left_out = [at for start, end in found.dropped() for at in range(start, end)]
    assert sorted([*covered, *left_out]) == list(range(len(source)))
    assert all(start in boundaries and end in boundaries for start, end in found.dropped())


@given(TEXTS, CHAINS)
def test_every_byte_is_stood_for_or_dropped_and_no_character_is_split(text: str, folding) -> None:  # type: ignore[no-untyped-def]
    source = text.encode()
    found = folding.fold(source)
    check_map(found, source)
    assert folding.fold_text(text) == found.text


@given(TEXTS, CHAINS, st.data())
def test_a_folded_range_and_its_source_bytes_lead_to_each_other(text: str, folding, data) -> None:  # type: ignore[no-untyped-def]
    found = folding.fold(text.encode())
    first = data.draw(st.integers(0, len(found.text)))
    last = data.draw(st.integers(first, len(found.text)))
    low, high = found.source_span(first, last)
    back = found.folded_span(low, high)
    if first < last:
        assert back[0] <= first < last <= back[1]
        assert found.source_span(*back) == (low, high)


@given(TEXTS, KEYS)
def test_a_normalizer_changes_nothing_the_second_time(text: str, key: str) -> None:
    once = chain(key).fold_text(text)
    assert chain(key).fold_text(once) == once


@given(st.lists(TEXTS, max_size=4), CHAINS)
def test_no_folding_works_across_a_line_feed(texts: list[str], folding) -> None:  # type: ignore[no-untyped-def]
    texts = [text.replace("\n", " ") for text in texts]
    assert folding.fold_text("\n".join(texts)) == "\n".join(folding.fold_text(text) for text in texts)


@given(TEXTS)
def test_canonically_equal_texts_fold_alike(text: str) -> None:
    known = text.replace("\U00010efd", "")
    forms = {unicodedata.normalize(form, known) for form in ("NFC", "NFD")}
    forms = {form for form in forms if not set(form) & set("\u200b\u200c\u00ad")}
    for language in ("tr", "en", "ar"):
        assert len({whole_folding(language).fold_text(form) for form in forms}) <= 1


@pytest.mark.parametrize("language", ["tr", "en"])
def test_ascii_folds_to_small_letters_without_punctuation(language: str) -> None:
    text = "The Quick, brown (fox) 'jumps' 12."
    expected = "the quick brown fox jumps 12"
    assert whole_folding(language).fold_text(text) == expected
