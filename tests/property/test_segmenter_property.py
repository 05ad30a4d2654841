"""Whatever the text and the markers: the sentences tile it, no marker is cut, nothing depends on chance."""

import itertools
import re
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.corpus.segmenter import segment

WHITE = frozenset("\t\n\x0b\x0c\r \x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000") | {
    chr(point) for point in range(0x2000, 0x200B)
}
CLOSING_OR_STOP = ".!?…)]}»”’\"'؟"

LANGUAGES = st.sampled_from(["tr", "en", "ar", "de", "tr-Latn-TR", "EN", "zxx", ""])
# Pieces that make the rules fire, between any text at all.
PIECES = st.sampled_from(
    [
        *("geldi", "Sonra", "Hz", "Ali", "vb", "s.a.v", "IV", "5", "1950", "www.Bir.Yer", "The", "Mr", "no"),
        *("قال", "ثم", "اَلْحَمْدُ", "١٢", "۞", "۝", "﴿٧﴾", "،", "ـ"),
        *(".", "!", "?", "…", "...", "؟", "۔", "。", ":", ";", ",", "“", "”", "«", "»", "’", "'", '"'),
        *("(", ")", "[", "]", "[4]", "–", "-", "*", "_", "\u200c", "\u200f", "\ufeff", "\u0307", "²", "½"),
        *(" ", "  ", "\n", "\u00a0", "\u3000", "\t", "\x1c", "😀", "漢"),
    ]
)
SCALARS = st.characters(exclude_categories=["Cs"])
TEXTS = st.lists(st.one_of(PIECES, PIECES, PIECES, st.text(SCALARS, max_size=4)), max_size=30).map("".join)


@st.composite
def marked_paragraphs(draw: st.DrawFn) -> tuple[bytes, list[tuple[int, int]]]:
    """A paragraph with marker spans that neither overlap nor split a character; some touch."""
    paragraph, markers = b"", []
    for piece in draw(st.lists(st.tuples(TEXTS, st.booleans()), max_size=8)):
        text, is_marker = piece
        start = len(paragraph)
        paragraph += text.encode("utf-8")
        if is_marker and len(paragraph) > start:
            markers.append((start, len(paragraph)))
    return paragraph, draw(st.permutations(markers))


def unmarked(paragraph: bytes, markers: list[tuple[int, int]]) -> str:
    """The paragraph's text without its markers."""
    kept, at = b"", 0
    for start, end in sorted(markers):
        kept, at = kept + paragraph[at:start], end
    return (kept + paragraph[at:]).decode("utf-8")


def is_content(char: str) -> bool:
    return char.isalpha() or char.isdecimal()


@pytest.mark.req("CORE-10")
@given(marked_paragraphs(), LANGUAGES)
def test_the_sentences_and_white_space_tile_the_paragraph(
    marked: tuple[bytes, list[tuple[int, int]]], language: str
) -> None:
    paragraph, markers = marked
    spans = segment(paragraph, language=language, markers=markers)
    if not paragraph:
        assert spans == []
        return
    assert spans[0][0] == 0
    assert spans[-1][1] == len(paragraph)
    for start, end in spans:
        assert start < end
        paragraph[start:end].decode("utf-8")
    for (_, end), (start, _) in itertools.pairwise(spans):
        assert end <= start
        assert set(paragraph[end:start].decode("utf-8")) <= WHITE


@given(marked_paragraphs(), LANGUAGES)
def test_a_marker_stays_whole_in_the_sentence_that_it_follows(
    marked: tuple[bytes, list[tuple[int, int]]], language: str
) -> None:
    paragraph, markers = marked
    spans = segment(paragraph, language=language, markers=markers)
    starts = {start for start, _ in spans} - {0}
    for start, end in markers:
        assert any(a <= start and end <= z for a, z in spans)
        # Neither the marker, nor what closes after it, opens a sentence.
        assert start not in starts
        following = paragraph[end:].decode("utf-8")
        if following and following[0] in CLOSING_OR_STOP:
            assert end not in starts


@given(marked_paragraphs(), LANGUAGES)
def test_every_one_of_several_sentences_holds_a_letter_or_digit(
    marked: tuple[bytes, list[tuple[int, int]]], language: str
) -> None:
    paragraph, markers = marked
    spans = segment(paragraph, language=language, markers=markers)
    if not any(map(is_content, unmarked(paragraph, markers))):
        assert len(spans) == bool(paragraph)
    if len(spans) > 1:
        for start, end in spans:
            inside = [(a - start, z - start) for a, z in markers if start <= a and z <= end]
            assert any(map(is_content, unmarked(paragraph[start:end], inside)))


@given(marked_paragraphs(), st.sampled_from(["tr", "en", "de"]))
def test_no_cut_between_two_arabic_letters_of_a_mixed_paragraph(
    marked: tuple[bytes, list[tuple[int, int]]], language: str
) -> None:
    paragraph, markers = marked
    letters = [char for char in unmarked(paragraph, markers) if char.isalpha()]
    if all("ARABIC" in unicodedata.name(char, "") for char in letters):
        return
    spans = segment(paragraph, language=language, markers=markers)
    for (_, end), (start, _) in itertools.pairwise(spans):
        left = [(a, z) for a, z in markers if z <= end]
        right = [(a - start, z - start) for a, z in markers if a >= start]
        before = [char for char in unmarked(paragraph[:end], left) if char.isalpha()]
        after = [char for char in unmarked(paragraph[start:], right) if char.isalpha()]
        assert not (
            before
            and after
            and re.match("[\u0620-\u064a\u0671-\u06d3]", before[-1])
            and re.match("[\u0620-\u064a\u0671-\u06d3]", after[0])
        )


@given(marked_paragraphs(), LANGUAGES)
def test_the_same_input_gives_the_same_sentences(
    marked: tuple[bytes, list[tuple[int, int]]], language: str
) -> None:
    paragraph, markers = marked
    first = segment(paragraph, language=language, markers=markers)
    assert segment(paragraph, language=language, markers=sorted(markers, reverse=True)) == first
    assert segment(bytes(bytearray(paragraph)), language=language, markers=tuple(markers)) == first
