"""Regular expressions say the same under every Python 3.11: no group is repeated possessively.

Python 3.11.2 (Debian 12) matches a group that is repeated possessively wrongly, which would cut other words
and sentences, with other IDs. Possessive repeats of one character class are sound.
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tekrar.core import token

#: A group or an inserted piece of pattern repeated possessively, or an atomic group.
WRONG = re.compile(r"[)}][*+?][+]|\)\{[0-9,]*\}[+]|\(\?>")


@pytest.mark.parametrize(
    "pattern", ["(?:ab|c)*+", "(ab)++", "(?:a)?+", "(?:ab){2,3}+", "{_TAIL}*+", "(?>ab)"]
)
def test_the_search_finds_them(pattern: str) -> None:
    assert WRONG.search(pattern)
    assert not WRONG.search(f"[{pattern[1:3]}]*+ [ab]++ \\d?+ (?:ab)* (?:ab)+ {{low}}+")


@pytest.mark.req("REB-05")
def test_no_source_repeats_a_group_possessively(repo_root: str) -> None:
    sources = sorted(Path(repo_root).glob("src/**/*.py"))
    assert len(sources) > 100
    found = [
        f"{source.name}:{number}"
        for source in sources
        for number, line in enumerate(source.read_text("utf-8").splitlines(), 1)
        if WRONG.search(line)
    ]
    assert found == []


def test_the_expressions_of_words_hold_none() -> None:
    assert not [most for most in (0xFFFF, 0x10FFFF) if WRONG.search(token._words(most).pattern)]
