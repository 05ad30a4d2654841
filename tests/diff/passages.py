"""Passages for the tests of diffs: random ones with few words, and pairs of the King James Bible."""

from __future__ import annotations

import random
from collections.abc import Iterator

from tekrar.core.diff import Units, units_of
from tekrar.core.diff.script import NAMES, Script
from tekrar.core.diff.units import Boundary
from tests.diff import oracle

KINDS = ("inter_sentence", "inter_paragraph", "note_marker")


def passage(text: str, boundaries: list[Boundary] | None = None) -> Units:
    return units_of(text.encode(), boundaries=boundaries or ())


def random_passage(pick: random.Random, words: int) -> tuple[str, list[Boundary]]:
    """Few words and gaps, so that much recurs; boundaries with and without gaps beside them."""
    text, boundaries = "", []
    for _ in range(words):
        text += pick.choice(["a", "b", "çş", "d"])
        if pick.random() < 0.2:
            start = len(text.encode())
            text += pick.choice([" ", "\n"])
            boundaries.append((start, start + 1, pick.choice(KINDS)))
            text += pick.choice(["", "", "- "])
        else:
            text += pick.choice([" ", " ", ", ", "  "])
    return text, boundaries


def random_pair(pick: random.Random, words: int = 14) -> tuple[Units, Units]:
    """Two passages, half of the time one of them a part of the other."""
    text, boundaries = random_passage(pick, pick.randint(0, words))
    other, others = random_passage(pick, pick.randint(0, words))
    if pick.random() < 0.5:
        shift = len(other.encode())
        others += [(a + shift, b + shift, kind) for a, b, kind in boundaries]
        other += text
    return passage(text, boundaries), passage(other, others)


def oracle_units(units: Units) -> list[oracle.Unit]:
    return [("gwb"[kind], key) for kind, key in zip(units.kind, units.key, strict=True)]


def in_units(script: Script, left: Units, right: Units) -> list[oracle.Step]:
    a, b = left.at, right.at
    return [(NAMES[c], a(p), a(q), b(r), b(s)) for c, p, q, r, s in script.operations]


def kjv_pairs(count: int, *, seed: int) -> Iterator[tuple[bytes, bytes]]:
    """Pairs of verses and of stretches of verses: near, far, changed, turned round, equal, empty."""
    from tekrar.demo.kjv import installed_module, read_bible, records

    verses = [record["text"] for record in records(read_bible(installed_module()))]
    pick = random.Random(seed)
    for _ in range(count):
        at = pick.randrange(len(verses) - 8)
        left = " ".join(verses[at : at + pick.randint(1, 6)])
        way = pick.randrange(5)
        if way == 0:
            other = pick.randrange(len(verses) - 8)
            right = " ".join(verses[other : other + pick.randint(1, 6)])
        elif way == 1:
            words = left.split(" ")
            for _ in range(pick.randint(1, 6)):
                words[pick.randrange(len(words))] = pick.choice(["", "thee,", "LORD", "and the", "1,000"])
            right = " ".join(words)
        elif way == 2:
            parts = left.split(", ")
            pick.shuffle(parts)
            right = ", ".join(parts)
        elif way == 3:
            right = left.replace("the ", "The ").replace(":", ";")
        else:
            right = pick.choice([left, "", left[: len(left) // 2], left.upper()])
        yield left.encode(), right.encode()
