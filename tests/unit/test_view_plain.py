"""Text for terminals: nothing of the source can leave its quotation, and nothing visible is lost."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.view.plain import (
    FSI,
    PDI,
    display_width,
    isolated,
    json_text,
    quoted,
    safe,
    safe_lines,
    shortened,
)

HOSTILE = "ab\x1b[31m\u202ecd\u2069\u2066ef\x07\x9b"


def test_control_and_direction_characters_become_marks() -> None:
    shown = safe(HOSTILE)
    assert shown == "ab⟨U+001B⟩[31m⟨U+202E⟩cd⟨U+2069⟩⟨U+2066⟩ef⟨U+0007⟩⟨U+009B⟩"
    assert isolated(HOSTILE) == f"{FSI}{shown}{PDI}"


def test_invisible_characters_are_shown_on_request_only() -> None:
    text = "الباب\u200cمفتوح\u00a0\ufeff\tson"
    assert "\u200c" in safe(text)
    assert safe(text, show_invisible=True) == "الباب⟨U+200C⟩مفتوح⟨U+00A0⟩⟨U+FEFF⟩⇥son"


def test_every_line_is_isolated_and_breaks_of_the_text_part_lines() -> None:
    assert list(quoted("bir iki\n\nüç", width=40, indent="| ")) == [f"| {FSI}bir iki{PDI}", f"| {FSI}üç{PDI}"]
    marked = list(quoted("bir\n\nüç", width=40, show_invisible=True))
    assert marked == [f"{FSI}bir↵{PDI}", f"{FSI}↵{PDI}", f"{FSI}üç{PDI}"]


def test_lines_are_wrapped_at_words_and_long_words_are_cut() -> None:
    lines = [line[1:-1] for line in quoted("bir iki üçüncü " + "x" * 25, width=10)]
    assert lines == ["bir iki ", "üçüncü ", "x" * 10, "x" * 10, "x" * 5]


@given(st.text(max_size=80), st.integers(8, 30))
def test_quotations_fit_and_keep_all_words(text: str, width: int) -> None:
    lines = list(quoted(text, width=width))
    inner = [line[1:-1] for line in lines]
    assert all(line[0] == FSI and line[-1] == PDI for line in lines)
    assert not any(FSI in line or PDI in line for line in inner)
    assert "".join("".join(inner).split()) == "".join(
        "".join(safe(part) for part in text.splitlines() if part.strip(" \t")).split()
    ) or any(c in text for c in "\x1c\x1d\x1e")
    assert all(display_width(line) <= max(width, 8) for line in inner)


@pytest.mark.parametrize(("text", "width"), [("e\u0301", 1), ("日本", 4), ("ab", 2), ("الب\u200c", 3)])
def test_display_width(text: str, width: int) -> None:
    assert display_width(text) == width


def test_a_shortened_text_says_that_it_goes_on() -> None:
    assert shortened("bir iki", width=20) == f"{FSI}bir iki{PDI}"
    assert shortened("bir iki üç dört", width=8) == f"{FSI}bir iki{PDI}…"


@pytest.mark.parametrize(
    "at", [*range(0x20), *range(0x7F, 0xA0), 0x61C, 0x200E, 0x200F, *range(0x2028, 0x202F)]
)
def test_json_holds_nothing_that_steers_a_terminal(at: int) -> None:
    value = {"söz": f"a{chr(at)}\u2066b\u2069 “ç” \U0001f600"}
    text = json_text(value, separators=(", ", ": "))
    assert json.loads(text) == value
    assert chr(at) not in text
    assert "\u2066" not in text
    assert "“ç” \U0001f600" in text


def test_lines_of_ours_keep_their_isolates_and_nothing_else() -> None:
    assert safe_lines(f"a {FSI}b{PDI}\nc") == f"a {FSI}b{PDI}\nc"
    assert safe_lines(f"a {FSI}b\nc{PDI}") == "a ⟨U+2068⟩b\nc⟨U+2069⟩"
    assert safe_lines(f"{PDI}a{FSI}") == "⟨U+2069⟩a⟨U+2068⟩"
    assert safe_lines("a\x1b[31m\x9b\u202e\u2028b") == "a⟨U+001B⟩[31m⟨U+009B⟩⟨U+202E⟩⟨U+2028⟩b"
