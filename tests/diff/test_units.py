"""Units over a real release: separators and masks are boundaries, and everything is tiled exactly."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

import pytest

from tekrar.core.diff import diff, units_of, verify
from tekrar.core.diff.units import BOUNDARY, GAP, WORD, boundaries_of
from tekrar.core.diff.vectors import compute_diff_vectors
from tests.small import document, text_release


def release_of(*, sep: str = " ") -> Any:
    return text_release(document([[["Bir gün, iki gün.", "Üç."], [], ["Son söz"]]], sep=sep))


def shown(units: Any) -> list[tuple[int, str]]:
    pairs = zip(units.edge, units.edge[1:], units.kind, strict=False)
    return [(kind, units.text[a:b].decode()) for a, b, kind in pairs]


@pytest.mark.req("DIF-05")
def test_separators_are_boundaries_and_units_tile() -> None:
    release = release_of()
    end = len(release.text)
    units = units_of(release.text, boundaries=boundaries_of(release, 0, end))
    assert "".join(text for _, text in shown(units)) == release.text.decode()
    assert [text for kind, text in shown(units) if kind == WORD] == "Bir gün iki gün Üç Son söz".split()
    assert [text for kind, text in shown(units) if kind == BOUNDARY] == [" ", "\n\n", "\n\n", "\n\n"]
    assert (GAP, ", ") in shown(units)
    assert all(release.text[edge] & 0xC0 != 0x80 for edge in units.edge[:-1])


def test_a_range_inside_a_separator_holds_its_part() -> None:
    release = release_of()
    at = release.text.index(b"\n\n")
    inside = units_of(
        release.text, start=at + 1, end=at + 4, boundaries=boundaries_of(release, at + 1, at + 4)
    )
    assert [kind for kind, _ in shown(inside)] == [BOUNDARY, BOUNDARY]
    assert shown(inside) == [(BOUNDARY, "\n"), (BOUNDARY, "\n\n")]
    nothing = units_of(
        release.text, start=at + 1, end=at + 1, boundaries=boundaries_of(release, at + 1, at + 1)
    )
    assert shown(nothing) == []


def test_words_never_run_over_a_sentence_end() -> None:
    release = text_release(document([[["bir", "iki"]]], sep=""))
    end = len("biriki")
    units = units_of(release.text, end=end, boundaries=boundaries_of(release, 0, end))
    assert shown(units) == [(WORD, "bir"), (WORD, "iki")]
    joined = units_of(b"biriki")
    verify(diff(units, joined), units, joined)


def test_a_mask_cuts_a_word_and_a_separator() -> None:
    release = release_of()
    text = release.text
    word, gap = text.index(b"g\xc3\xbcn"), text.index(b"\n\n")
    masks = [(word + 1, word + 3), (gap + 1, gap + 2)]
    units = units_of(text, boundaries=boundaries_of(release, 0, len(text), masks=masks))
    found = shown(units)
    assert "".join(part for _, part in found) == text.decode()
    assert found[2:5] == [(WORD, "g"), (BOUNDARY, "ü"), (WORD, "n")]
    assert units.key[3] == b"\xffnote_marker\xff\xff"
    assert units.key.count(units.key[3]) == 2


def test_kinds_of_separators_differ_where_their_bytes_do_not() -> None:
    one = units_of(b"a\nb", boundaries=[(1, 2, "inter_sentence")])
    other = units_of(b"a\nb", boundaries=[(1, 2, "inter_paragraph")])
    plain = units_of(b"a\nb")
    for right in (other, plain):
        assert [op[0] for op in diff(one, right).operations] == [1, 6, 1]


def test_the_shipped_vectors_hold() -> None:
    stated = json.loads(files("tekrar.core").joinpath("data/diff-vectors.json").read_bytes())
    assert compute_diff_vectors() == stated
