"""Text for terminals: exact words, safe to print, in lines that fit.

Quoted text stands between first-strong isolates (U+2068, U+2069), a pair a line, so right-to-left text
keeps its order beside numbers and IDs. Control characters and direction marks that could leave the
quotation are always shown as marks; other invisible characters on request. Only the display changes: JSON
output and the release carry the exact characters.
"""

from __future__ import annotations

import json
import os
import re
import sys
import unicodedata
from collections.abc import Iterator
from typing import Any, Final

FSI: Final = "\u2068"
PDI: Final = "\u2069"
PIPED_WIDTH: Final = 100
_ISOLATES: Final = frozenset("\u2066\u2067\u2068")
DIRECTION: Final = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_BREAK: Final = "\n\r\x0b\x0c\x85\u2028\u2029"
_BREAKS: Final = re.compile(f"[^{_BREAK}]*[{_BREAK}]|[^{_BREAK}]+")
_WORDS: Final = re.compile("[^ ]+ *| +")
#: What a terminal would act on in a JSON string, JSON's own escapes not being enough: DEL and C1 controls,
#: line separators, and every character of Bidi_Control.
_RAW_IN_JSON: Final = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")
_PICTURES: Final = {"\n": "↵", "\t": "⇥", "\r": "␍"}


def terminal_width() -> int:
    """Columns of the terminal on stdout; a fixed width when stdout is none."""
    try:
        return max(40, os.get_terminal_size(sys.stdout.fileno()).columns)
    except (OSError, ValueError, AttributeError):
        return PIPED_WIDTH


def counted(count: int, one: str, many: str, *, form: str = "") -> str:
    """So many things in words; `form` is the number's format, such as `,` or `>7`."""
    return f"{count:{form}} {one if count == 1 else many}"


def approval_words(given: int | None, needed: int) -> str:
    """How many approvals there are of how many; None where that is not to be told."""
    many = counted(needed, "approval", "approvals")
    return f"{many} needed" if given is None else f"{given} of {many}"


def page_said(page: int, pages: int) -> str:
    """Which page of how many; one past the end is said to be none, for it lists nothing."""
    if page <= pages:
        return f"page {page} of {pages}"
    return f"there is no page {page}, the last is page {pages}"


def isolated(text: str) -> str:
    """A short text of the source inside a line of ours."""
    return f"{FSI}{safe(text)}{PDI}"


def safe(text: str, *, show_invisible: bool = False) -> str:
    """The text with every character that could disturb a terminal shown as a mark."""
    if text.isprintable():  # neither control, format nor space character but U+0020
        return text
    return "".join(_shown(c, show_invisible) for c in text)


def safe_lines(text: str) -> str:
    """Lines of ours with what stands in isolates: what could still disturb a terminal is a mark. Isolates
    stay in a line in which each is ended, for they do nothing beyond it.

    A last guard: a value from outside is made safe where it enters a line, for only there its own line breaks
    are told from ours.
    """
    return text if text.isprintable() else "\n".join(map(_safe_line, text.split("\n")))


def _safe_line(line: str) -> str:
    depth = 0
    for character in line:
        depth += (character in _ISOLATES) - (character == PDI)
        if depth < 0:
            break
    if depth:
        return safe(line)
    return "".join(c if c in _ISOLATES or c == PDI else _shown(c, False) for c in line)


def _shown(character: str, show_invisible: bool) -> str:
    if character in DIRECTION or unicodedata.category(character) in ("Cc", "Zl", "Zp"):
        if character == "\t" and not show_invisible:
            return " "
        return _PICTURES.get(character, _mark(character))
    if show_invisible and character != " " and unicodedata.category(character) in ("Cf", "Zs", "Cn", "Co"):
        return _mark(character)
    return character


def _mark(character: str) -> str:
    return f"⟨U+{ord(character):04X}⟩"


def json_text(value: Any, *, separators: tuple[str, str]) -> str:
    """A value as JSON that is readable and safe to print: the strings that it holds are the exact ones, and
    what would steer a terminal stands as an escape of JSON."""
    return escaped_json(json.dumps(value, ensure_ascii=False, separators=separators))


def escaped_json(text: str) -> str:
    """The same JSON with what would steer a terminal written as escapes; it is in strings only."""
    return _RAW_IN_JSON.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def quoted(text: str, *, width: int, indent: str = "", show_invisible: bool = False) -> Iterator[str]:
    """Lines of a quotation: broken at the text's own line breaks and at spaces, each line isolated.

    A word longer than a line is broken anywhere between characters. Blank lines of the text are left out
    unless invisible characters are shown, when every break is marked.
    """
    for line in _own_lines(text, show_invisible):
        for piece in _filled(safe(line, show_invisible=show_invisible), max(8, width - len(indent))):
            yield f"{indent}{FSI}{piece}{PDI}"


def _own_lines(text: str, show_invisible: bool) -> Iterator[str]:
    for line in _BREAKS.findall(text):
        held = line if show_invisible else line.rstrip(_BREAK)
        if held.strip(" \t"):
            yield held


def _filled(line: str, width: int) -> Iterator[str]:
    held, used = "", 0
    for word in _words(line):
        size = display_width(word)
        if held and used + size > width:
            yield held
            held, used = "", 0
        while size > width:
            cut = _cut(word, width)
            yield word[:cut]
            word = word[cut:]
            size = display_width(word)
        held, used = held + word, used + size
    if held:
        yield held


def _words(line: str) -> list[str]:
    """Words with the spaces after them."""
    return _WORDS.findall(line)


def _cut(word: str, width: int) -> int:
    used = 0
    for at, character in enumerate(word):
        used += display_width(character)
        if used > width and at:
            return at
    return len(word)


def display_width(text: str) -> int:
    """Columns a text takes: none for combining marks and format characters, two for wide ones."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.category(c) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(c) in "WF"
        else 1
        for c in text
    )


def shortened(text: str, *, width: int) -> str:
    """The first words of a text on one isolated line, with an ellipsis where it goes on."""
    flat = safe(" ".join(text[: 4 * width].split()))
    if display_width(flat) <= width and len(text) <= 4 * width:
        return f"{FSI}{flat}{PDI}"
    return f"{FSI}{flat[: _cut(flat, max(1, width - 1))]}{PDI}…"
