"""The page of a diff in a real browser: exact text, UTF-16 offsets, directions, labels, no request."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tekrar.core.diff import Endpoint, PassageDiff, diff_of, units_of
from tekrar.view.changes import changes_of
from tekrar.view.diff_page import diff_page
from tekrar.view.endpoints import Passage
from tests.web.test_report_browser import WIDTHS, Seen, browser  # noqa: F401

LEFT = "📉📰 Ekvador'da <b>rüzgâr</b> & بِسْمِ ٱللَّهِ dedi; sonra bu\u200cdur \u202e" + "gök" * 90 + " bitti."
RIGHT = (
    "📉📰 Ekvador’da <b>rüzgâr</b> & بِسْمُ ٱللَّهِ dedi. Bitti sonra budur \u202e" + "gök" * 90 + "\u0001 bitti."
)


def made(left: str, right: str) -> tuple[PassageDiff, bytes]:
    sides = [
        Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(text.encode()))
        for text in (left, right)
    ]
    diff = diff_of(sides[0], sides[1])
    named = Passage(sides[0], "Kıyı <i>/1/p1", "FP"), Passage(sides[1], "Kıyı/1/p2", "FP")
    return diff, diff_page(diff, named, changes_of(diff))


@pytest.fixture(scope="module")
def page(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Any:  # noqa: F811
    file = tmp_path_factory.mktemp("diff") / "diff.html"
    file.write_bytes(made(LEFT, RIGHT)[1])
    return lambda width: Seen(browser, file, width)


@pytest.mark.parametrize("width", WIDTHS)
def test_it_fits_asks_nothing_and_says_nothing(page: Any, width: int) -> None:
    seen = page(width)
    assert seen.overflow() <= 0
    assert seen.said == []
    assert [url for url in seen.asked if not url.startswith(("file:", "data:"))] == []
    assert seen.page.evaluate("document.scripts.length") == 0


def test_the_text_is_exact_and_offsets_hold_in_utf16(page: Any) -> None:
    """Field row 37: emoji before a span shift nothing."""
    seen = page(1280)
    for side, text in (("left", LEFT), ("right", RIGHT.replace("\u0001", "\ufffd"))):
        assert seen.page.evaluate(f"document.getElementById('{side}').textContent") == text
        pieces = seen.page.evaluate(
            f"[...document.querySelectorAll('#{side} [data-op]')].map(e => [+e.dataset.startUtf16, "
            "+e.dataset.startBytes, +e.dataset.endBytes, e.textContent])"
        )
        coded = text.encode("utf-16-le")
        source = (LEFT if side == "left" else RIGHT).encode()
        for utf16, start, end, shown in pieces:
            size = len(shown.encode("utf-16-le"))
            assert coded[2 * utf16 : 2 * utf16 + size].decode("utf-16-le") == shown
            assert source[start:end].decode().replace("\u0001", "\ufffd") == shown


def test_arabic_words_are_marked_whole_and_keep_their_order(page: Any) -> None:
    """Field row 62: one vowel sign differs; the mark holds the word, the verse runs right to left."""
    seen = page(1280)
    marked = seen.page.evaluate("[...document.querySelectorAll('#right ins')].map(e => e.textContent.trim())")
    assert any(text.endswith(" بِسْمُ") for text in marked)
    assert seen.page.evaluate("document.getElementById('left').dir") == "auto"
    for side, word in (("left", "بِسْمِ"), ("right", "بِسْمُ")):
        first, second = (_place(seen, side, text) for text in (word, "ٱللَّهِ"))
        assert first["top"] == second["top"]
        assert first["left"] >= second["right"] - 1


def _place(seen: Seen, side: str, text: str) -> Any:
    """Where a text is drawn, in pixels."""
    return seen.page.evaluate(
        """([side, text]) => {
          const walk = document.createTreeWalker(document.getElementById(side), NodeFilter.SHOW_TEXT);
          for (let node = walk.nextNode(); node; node = walk.nextNode()) {
            const at = node.data.indexOf(text);
            if (at < 0) continue;
            const range = document.createRange();
            range.setStart(node, at); range.setEnd(node, at + text.length);
            return range.getBoundingClientRect().toJSON();
          }
        }""",
        [side, text],
    )


def test_every_paragraph_has_its_direction_and_an_override_stays_in_its_mark(
    browser: Any,  # noqa: F811
    tmp_path: Path,
) -> None:
    file = tmp_path / "diff.html"
    file.write_bytes(made("gemi \u202edoğu batı\n\nقال نعم", "gemi \u202edoğu batı\nقال لا")[1])
    seen = Seen(browser, file, 1280)
    assert _place(seen, "left", "doğu")["right"] <= _place(seen, "left", "batı")["left"]
    box = seen.page.evaluate("document.getElementById('left').getBoundingClientRect().toJSON()")
    assert _place(seen, "left", "قال")["left"] > box["left"] + box["width"] / 2
    assert _place(seen, "left", "gemi")["left"] < box["left"] + box["width"] / 2


def test_a_changed_line_end_is_drawn(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    file = tmp_path / "diff.html"
    file.write_bytes(made("gemi\nkıyı bir  iki \ufe0f\u200d", "gemi kıyı bir iki")[1])
    seen = Seen(browser, file, 1280)
    drawn = "[...document.querySelectorAll('#{} .edge .inv')].map(e => e.dataset.name)"
    assert seen.page.evaluate(drawn.format("left"))[:3] == ["↵", "␣", "␣"]
    assert seen.page.evaluate(drawn.format("right")) == ["␣", "␣"]
    assert seen.page.evaluate(
        "[...document.querySelectorAll('td .inv')].filter(e => e.dataset.name === '↵').length"
    )
    assert "VARIATION SELECTOR-16" in seen.page.evaluate("document.querySelector('table').textContent")


def test_invisible_characters_are_drawn_by_name(page: Any) -> None:
    seen = page(1280)
    drawn = seen.page.evaluate(
        "[...document.querySelectorAll('#left .inv')].map(e => getComputedStyle(e, '::before').content)"
    )
    assert any("U+200C" in one for one in drawn)
    assert any("U+202E" in one for one in drawn)
    assert "ZERO WIDTH NON-JOINER" in seen.page.evaluate("document.querySelector('table').textContent")


def test_a_direction_control_turns_nothing_beyond_itself(browser: Any, tmp_path: Path) -> None:  # noqa: F811
    """Letters after an override stand in the order in which they are stored, in both passages."""
    file = tmp_path / "diff.html"
    file.write_bytes(made("önce \u202eabc def\u2069 ghi", "önce \u202eabc xyz\u2069 ghi")[1])
    seen = Seen(browser, file, 1280)
    edges = seen.page.evaluate(
        """['left', 'right'].map(id => {
            const found = [], top = document.getElementById(id);
            const walk = document.createTreeWalker(top, NodeFilter.SHOW_TEXT);
            while (walk.nextNode()) for (let at = 0; at < walk.currentNode.length; at++) {
                if (!/[a-z]/.test(walk.currentNode.data[at])) continue;
                const range = document.createRange();
                range.setStart(walk.currentNode, at); range.setEnd(walk.currentNode, at + 1);
                found.push(range.getBoundingClientRect().left);
            }
            return found;
        })"""
    )
    for side in edges:
        assert len(side) == len("nceabcdefghi")
        assert side == sorted(side)


def test_changes_have_labels_and_markup_is_escaped(page: Any) -> None:
    seen = page(1280)
    assert seen.page.evaluate("document.querySelectorAll('#left b, h2 i').length") == 0
    marks = seen.page.evaluate(
        "[...document.querySelectorAll('.passage del, .passage ins, .passage .move, .passage .edge')]"
        ".filter(e => !e.getAttribute('aria-label')).length"
    )
    assert marks == 0
    assert seen.page.evaluate("document.querySelectorAll('.passage del').length") > 0
    assert seen.page.evaluate("document.querySelectorAll('.passage ins').length") > 0


def test_empty_and_equal_passages_have_a_page() -> None:
    for left, right in (("", ""), ("", "x"), ("x", "x")):
        diff, page = made(left, right)
        assert b"<!doctype html>" in page
        assert (b"None." in page) == (left == right)
        assert diff.id is None
