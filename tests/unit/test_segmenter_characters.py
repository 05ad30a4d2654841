"""`tekrar-rules/1` reads the characters of Unicode 14 alike under every Python (contract C9, Segmenter).

The digests were taken under Python 3.11, whose table is that of Unicode 14; 3.12 and 3.13 gave
the same. Characters assigned later are outside the promise, and so is a newer table that changes an old
character: then these tests fail, and the rules need either an exception, as `is_small` has five, or a new
version.
"""

import hashlib
import unicodedata
from collections.abc import Iterator

from tekrar.corpus.segmenter import segment
from tekrar.corpus.segmenter.arabic import ARABIC
from tekrar.corpus.segmenter.characters import has_arabic, has_other_letter, is_small, next_content
from tekrar.corpus.segmenter.turkish import TURKISH
from tests.conftest import ROOT

#: Ranges of code points assigned in Unicode 14, surrogates and private use left out.
ASSIGNED = ROOT / "tests" / "data" / "segmentation" / "unicode-14.txt"
CLASSES = "26892d1a640a75dc876304d7fb2f9583f315d93b68819a51e64aa47b70dbc963"
CUTS = "543d5a9b068c6b6f50a36d68a453fa583ebfd36c021a294102653d06c58a4d13"


def assigned() -> Iterator[str]:
    for span in ASSIGNED.read_text("ascii").split():
        low, _, high = span.partition("-")
        yield from map(chr, range(int(low, 16), int(high or low, 16) + 1))


def test_the_table_is_that_of_unicode_14() -> None:
    characters = list(assigned())
    assert len(characters) == 144_762
    if unicodedata.unidata_version == "14.0.0":
        left_out = {"Cn", "Cs", "Co"}
        found = [chr(c) for c in range(0x110000) if unicodedata.category(chr(c)) not in left_out]
        assert found == characters


def test_each_character_is_classed_as_it_was_in_version_1() -> None:
    digest = hashlib.sha256()
    for char in assigned():
        classes = (
            next_content(char, 0) == 0,
            has_arabic(char),
            has_other_letter(char),
            is_small(char),
            char.isupper(),
            char.isalnum(),
            char.isdecimal(),
            char.isspace(),
        )
        digest.update(bytes(classes) + f"{TURKISH.fold(char)} {ARABIC.fold(char)};".encode())
    assert digest.hexdigest() == CLASSES


def test_paragraphs_with_any_kind_of_character_are_cut_as_they_were_in_version_1() -> None:
    digest = hashlib.sha256()
    every_97th = list(assigned())[::97]
    for char in [*every_97th, "\u10fc", "\ua7f2", "\ua7f3", "\ua7f4", "\uab69"]:
        for text in (f"Bir {char}. {char}ki üç.", f"şu{char}.{char}u 3. {char} (1{char}.) {char}! A"):
            for language in ("tr", "en", "ar", "de"):
                digest.update(repr(segment(text.encode(), language=language)).encode())
    assert digest.hexdigest() == CUTS
