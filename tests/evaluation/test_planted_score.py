"""The planted scorer on lists whose score is known: it must be able to fail."""

from __future__ import annotations

import gzip
import json
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from evaluation.entries import read_entries
from evaluation.figures import Figure
from evaluation.passages import EvaluationError, Passages
from evaluation.planted import Planted, read_truth, score
from tekrar.build import build
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import write_release
from tekrar.corpus.sources import read_source

SAME = "Küçük kuşlar sabah erkenden uzak bahçelere doğru uçtu."
CHANGED = "Küçük kuşlar akşam erkenden uzak tarlalara doğru uçtu."
LONG = "Eski saat kulesi her akşam aynı türküyü çalar ve bütün mahalle susar."
PART = "saat kulesi her akşam aynı türküyü çalar"
FORMULA = "Vesselam hepinize."
FILL = [
    "Yarın pazara gideceğiz.",
    "Deniz bugün çok dalgalı.",
    "Kitap rafta durmuyor.",
    "Masa örtüsü yeşil renkte.",
    "Kapı açık kalmış.",
    "Çay soğudu bile.",
]


def occurrence(family: str, kind: str, ord_: int, whole: str, text: str, **more: Any) -> dict[str, Any]:
    start = len(whole[: whole.index(text)].encode())
    segment = {"ord": ord_, "start": start, "end": start + len(text.encode())}
    row = {
        "family": family,
        "type": kind,
        "role": "member",
        "rate": 0.0,
        "ops": [],
        "words": len(text.split()),
    }
    return row | {"segments": [segment], "sha": ""} | more


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Passages]:
    place = tmp_path_factory.mktemp("planted")
    texts = [
        f"{FILL[0]} {SAME}",
        f"{SAME} {FILL[1]}",
        f"{FILL[2]} {CHANGED}",
        LONG,
        f"{FILL[3]} Dedim ki {PART} işte.",
        f"{FORMULA} {FILL[4]}",
        f"{FORMULA} {FILL[5]}",
    ]
    truth = [
        occurrence("f1", "variant", 1, texts[0], SAME, rate=0.2),
        occurrence("f1", "variant", 2, texts[1], SAME, rate=0.2),
        occurrence("f1", "variant", 3, texts[2], CHANGED, rate=0.2),
        occurrence("f2", "quotation", 4, texts[3], LONG, role="source"),
        occurrence("f2", "quotation", 5, texts[4], PART, role="quote", ops=[["cut", 1, 6]], words=8),
        occurrence("f3", "formula", 6, texts[5], FORMULA),
        occurrence("f3", "formula", 7, texts[6], FORMULA),
    ]
    with gzip.open(place / "corpus.jsonl.gz", "wt", encoding="utf-8") as file:
        for number, text in enumerate(texts, start=1):
            record = {"book": "b", "chapter": 1, "para": number, "ord": number, "kind": "body", "text": text}
            file.write(json.dumps(record) + "\n")
    (place / "truth.jsonl").write_text("".join(json.dumps(row) + "\n" for row in truth), encoding="utf-8")
    made = import_jsonl([read_source(place / "corpus.jsonl.gz")], edition=None, language="tr")
    write_release(made, place / "release")
    build(place / "release", out=place / "artifact")
    return place, Passages(place / "release", place / "artifact")


def side(passages: Passages, start: int, end: int) -> dict[str, Any]:
    first = passages.touched((start, end))[0]
    return {
        "start": start,
        "end": end,
        "ord": passages.ord[first],
        "para_start": start - passages.start[first],
    }


def write(path: Path, passages: Passages, pairs: list[tuple[tuple[int, int], ...]]) -> Path:
    rows = []
    for rank, spans in enumerate(pairs, start=1):
        sides = [side(passages, *span) for span in spans]
        row = {"rank": rank, "left": sides[0], "right": sides[1]}
        rows.append(row | ({"places": sides} if len(sides) > 2 or spans[0] in spans[2:] else {}))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def perfect(truth: list[Planted]) -> list[tuple[tuple[int, int], ...]]:
    return [
        (a.spans[0], b.spans[0])
        for a, b in combinations(truth, 2)
        if a.family == b.family and a.kind != "formula"
    ]


def scored(corpus: tuple[Path, Passages], path: Path) -> dict[tuple[str, int | None], Figure]:
    place, passages = corpus
    figures = score("small", place, passages, read_entries(path, passages))
    return {(figure.what, figure.queue): figure for figure in figures}


def test_a_perfect_list_scores_one_everywhere(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    place, passages = corpus
    truth = read_truth(place, passages)
    pairs = perfect(truth)
    formula = tuple(one.spans[0] for one in truth if one.kind == "formula")
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, [*pairs, (*formula, *formula)]))
    assert (found["variant ≤ 20 %", None].found, found["variant ≤ 20 %", None].of) == (3, 3)
    assert found["source to quotation", None].value == 1.0
    assert found["strays", None].value == 0.0
    assert found["ends within 2 tokens: variant ≤ 20 %", None].value == 1.0
    assert found["ends within 2 tokens: source to quotation", None].of == 2
    assert found["formula occurrences in a class or group", None].value == 1.0
    assert all(figure.verdict in ("met", "-") for figure in found.values())


def test_an_empty_list_scores_nothing(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    found = scored(corpus, write(tmp_path / "list.jsonl", corpus[1], []))
    assert (found["variant ≤ 20 %", None].found, found["variant ≤ 20 %", None].of) == (0, 3)
    assert found["source to quotation", None].value == 0.0
    assert found["strays", None].value is None
    assert found["formula occurrences in a class or group", None].value == 0.0
    assert "short by 0.95" in found["source to quotation", None].verdict


@pytest.mark.parametrize(("percent", "hits"), [(45, 3), (55, 0)])
def test_extents_shifted_by_more_than_half_find_nothing(
    corpus: tuple[Path, Passages], tmp_path: Path, percent: int, hits: int
) -> None:
    place, passages = corpus
    pairs = []
    for spans in perfect(read_truth(place, passages))[:3]:
        moved = []
        for start, end in spans:
            low = start + (end - start) * percent // 100
            while passages.text[low] & 0xC0 == 0x80:
                low -= 1
            moved.append((low, end))
        pairs.append(tuple(moved))
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, pairs))
    assert found["variant ≤ 20 %", None].found == hits
    if hits:
        ends = found["ends within 2 tokens: variant ≤ 20 %", None]
        assert (ends.found, ends.of) == (6, 12)
        assert found["all ends of a pair within 2 tokens: variant ≤ 20 %", None].found == 0


def test_one_good_side_is_not_enough_and_makes_a_stray(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    place, passages = corpus
    truth = read_truth(place, passages)
    lone = passages.extent(passages.paragraph(7))
    pairs = [(truth[0].spans[0], lone), (truth[0].spans[0], truth[1].spans[0])]
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, pairs))
    assert found["variant ≤ 20 %", None].found == 1
    assert (found["strays", None].found, found["strays", None].of) == (1, 2)


def test_a_side_over_both_occurrences_is_no_pair(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    place, passages = corpus
    truth = read_truth(place, passages)
    both = (truth[0].spans[0][0], truth[1].spans[0][1])
    other = passages.extent(passages.paragraph(4))
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, [(both, other)]))
    assert found["variant ≤ 20 %", None].found == 0


def test_a_formula_pair_is_neither_a_stray_nor_counted(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    place, passages = corpus
    formula = [one.spans[0] for one in read_truth(place, passages) if one.kind == "formula"]
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, [(formula[0], formula[1])]))
    assert found["strays", None].of == 0
    assert found["formula occurrences in a class or group", None].found == 0


def test_recall_is_read_at_the_queue_length(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    place, passages = corpus
    pairs = perfect(read_truth(place, passages))
    lone = (passages.extent(passages.paragraph(6)), passages.extent(passages.paragraph(3)))
    found = scored(corpus, write(tmp_path / "list.jsonl", passages, [lone] * 999 + pairs))
    assert found["variant ≤ 20 %", 1000].found == 1
    assert found["variant ≤ 20 %", None].found == 3
    assert found["strays", 1000].found == 999


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"rank": 2}, "rank 2"),
        ({"left": {"start": 5, "end": 5}}, "outside the text"),
        ({"left": {"start": 1, "end": 2}}, ""),
        ({"left": {"start": 0, "end": 3, "para_start": 2, "ord": 1}}, "para_start 2"),
        ({"left": {"start": 0, "end": 3, "para_start": 0, "ord": 9}}, "ord 9"),
        ({"right": None}, "C10"),
    ],
)
def test_a_line_that_is_no_candidate_of_this_corpus_stops_the_run(
    corpus: tuple[Path, Passages], tmp_path: Path, change: dict[str, Any], told: str
) -> None:
    passages = corpus[1]
    row = {"rank": 1, "left": side(passages, 0, 3), "right": side(passages, 5, 9)} | change
    path = tmp_path / "list.jsonl"
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    if not told:
        assert len(read_entries(path, passages)) == 1
        return
    with pytest.raises(EvaluationError, match=rf"(?s)line 1: .*{told}"):
        read_entries(path, passages)


def test_an_extent_inside_a_character_is_refused(corpus: tuple[Path, Passages], tmp_path: Path) -> None:
    passages = corpus[1]
    inside = passages.text.index("ü".encode()) + 1
    path = tmp_path / "list.jsonl"
    row = {"rank": 1, "left": {"start": 0, "end": inside}, "right": {"start": 0, "end": 3}}
    path.write_text(json.dumps(row) + "\n", encoding="utf-8")
    with pytest.raises(EvaluationError, match="inside a character"):
        read_entries(path, passages)
