"""The scorers of the named gold sets on small corpora with lists of known score."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from evaluation import kjv, quran, risale
from evaluation.entries import Entry
from evaluation.figures import Figure, at_queue
from evaluation.formulas import Formulas, masked, numbered
from evaluation.passages import Passages
from evaluation.speed import hostile_texts, partners
from evaluation.words import placed_words, shared_in_order, words
from tekrar.build import build
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import write_release
from tekrar.corpus.sources import read_source

BEGAT = "The sons of {}; {} and {} and their brethren."
TEXTS = [
    "The gardener planted a row of tall green poplars beside the old stone wall.",
    "The gardener planted a row of tall green willows beside the old stone wall.",
    "The gardener planted a row of tall green poplars beside the old stone wall.",
    "Nobody heard the second bell that rang across the wide valley.",
    *(BEGAT.format(f"Abc{letter}", f"Def{letter}", f"Ghi{letter}") for letter in "abcdefghij"),
    *(
        f"And it came to pass in those days that the {noun} spake."
        for noun in "ox cow ram ewe hen owl ant bee".split()
    ),
]


@pytest.fixture(scope="module")
def passages(tmp_path_factory: pytest.TempPathFactory) -> Passages:
    place = tmp_path_factory.mktemp("gold")
    rows = [
        {"book": "b", "chapter": 1, "para": n, "ord": n, "kind": "body", "text": text}
        for n, text in enumerate(TEXTS, start=1)
    ]
    (place / "c.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    made = import_jsonl([read_source(place / "c.jsonl")], edition="e", language="en")
    write_release(made, place / "release")
    build(place / "release", out=place / "artifact")
    return Passages(place / "release", place / "artifact")


def entry(passages: Passages, rank: int, *ords: int) -> Entry:
    return Entry(rank, tuple(passages.extent(passages.paragraph(number)) for number in ords))


def by_name(figures: list[Figure]) -> dict[tuple[str, int | None], Figure]:
    return {(figure.what, figure.queue): figure for figure in figures}


def silver(folder: Path, rows: list[tuple[int, int, str]]) -> Path:
    names = "a_book a_ord a_start a_end b_book b_ord b_start b_end cls".split()
    lines = ["\t".join(names)]
    for a, b, kind in rows:
        cells = ["b", a, 0, len(TEXTS[a - 1]), "b", b, 0, len(TEXTS[b - 1]), kind]
        lines.append("\t".join(map(str, cells)))
    (folder / "silver_pairs.tsv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    runs = "words\tparas\ta_book\ta_ord_first\ta_ord_last\tb_book\tb_ord_first\tb_ord_last\n"
    (folder / "silver_runs.tsv").write_text(runs + "9\t2\tb\t1\t2\tb\t5\t6\n", encoding="utf-8")
    return folder


def test_a_silver_pair_is_found_through_a_copy_and_an_exact_one_through_its_class(
    passages: Passages, tmp_path: Path
) -> None:
    folder = silver(tmp_path, [(1, 3, "exact"), (2, 3, "near"), (2, 4, "variant")])
    found = by_name(risale.score("r", folder, passages, [entry(passages, 1, 1, 2)]))
    assert found["exact", 5000].value == 1.0
    assert found["near", 5000].value == 1.0
    assert found["variant", 5000].value == 0.0
    empty = by_name(risale.score("r", folder, passages, []))
    assert (empty["exact", 5000].value, empty["near", 5000].value) == (1.0, 0.0)


@pytest.mark.parametrize(("last", "hits"), [(6, 1), (5, 0)])
def test_a_silver_run_needs_one_stretch_over_ninety_percent_of_both_sides(
    passages: Passages, tmp_path: Path, last: int, hits: int
) -> None:
    start = [passages.start[passages.paragraph(n)] for n in (1, 5)]
    end = [passages.end[passages.paragraph(n)] for n in (2, last)]
    stretch = Entry(1, ((start[0], end[0]), (start[1], end[1])))
    halves = [entry(passages, 2, 1, 5), entry(passages, 3, 2, 6)]
    found = by_name(risale.score("r", silver(tmp_path, []), passages, [stretch, *halves]))
    assert found["silver runs covered to 90 % by one stretch", 5000].found == hits


def test_named_verse_pairs_by_queue_length(passages: Passages, tmp_path: Path) -> None:
    head = "a_ord\tb_ord\tratio\tlongest_run\n"
    rows = "1-1\t3-3\t1.0\t9\n2-2\t4-4\t0.1\t1\n5-6\t7-8\t0.6\t5\n"
    (tmp_path / "gold_mutashabihat.tsv").write_text(head + rows, encoding="utf-8")
    noise = [entry(passages, rank, 9, 10) for rank in range(1, 3001)]
    found = by_name(quran.score("q", tmp_path, passages, [*noise, entry(passages, 3001, 5, 8)]))
    assert found["named pairs", 3000].found == 1
    assert found["named pairs", 6000].found == 2
    assert found["named pairs, half shared or 4 words in a row", 6000].value == 1.0


def test_verse_pairs_of_sections_need_half_of_each_verse(passages: Passages, tmp_path: Path) -> None:
    head = "kind\ta_ord\tb_ord\tkjv_shared5\tkjv_ratio\n"
    (tmp_path / "gold_parallels.tsv").write_text(
        head + "parallel_section\t1-1\t2-2\t3\t0.9\n", encoding="utf-8"
    )
    what = "verse pairs in parallel sections"
    whole = by_name(kjv.score("k", tmp_path, passages, [entry(passages, 1, 2, 3)]))
    assert (whole[what, 1000].found, whole[what, 1000].of) == (1, 1)
    low, high = passages.extent(passages.paragraph(1))
    part = Entry(1, ((low, low + (high - low) // 3), passages.extent(passages.paragraph(2))))
    assert by_name(kjv.score("k", tmp_path, passages, [part]))[what, 1000].found == 0


def test_shares_in_order_of_the_first_entries(passages: Passages) -> None:
    good, bad = entry(passages, 1, 1, 2), entry(passages, 2, 1, 4)
    low, high = passages.extent(passages.paragraph(1))
    one_sided = Entry(3, ((low, low + 40), (low, high)))
    found = {figure.what: figure for figure in kjv.lexical("k", [good, bad, one_sided], passages)}
    assert found["entries that share in order 60 % of the shorter side and 55 % of the longer"].found == 2
    assert found["entries that share in order 60 % of the shorter side"].found == 2
    assert found["entries that share in order 60 % of the longer side"].found == 1


def test_formulas_and_lists_are_told_from_reuse(passages: Passages) -> None:
    judge = Formulas(passages)
    assert judge.kind(entry(passages, 1, 1, 2)) is None
    assert judge.kind(entry(passages, 2, 5, 6)) == "list"
    assert judge.kind(entry(passages, 3, 15, 16)) == "formula"


def test_words_are_folded_and_counted_in_order() -> None:
    assert words("IŞIK İstanbul’da", "tr") == ["ışık", "istanbulda"]
    assert words("[was] Light, light") == ["was", "light", "light"]
    assert words("قَالَ إِلٰه") == ["قال", "اله"]
    assert placed_words("şu • İki", "tr") == [("şu", 0, 3), ("iki", 8, 12)]
    assert shared_in_order("a b c d".split(), "b x c a d".split()) == 3
    assert shared_in_order([], ["a"]) == 0
    assert shared_in_order("a a a".split(), ["a"]) == 1
    assert masked("And Abc begat twenty sons. Then Def died.") == "and @ begat # sons then @ died".split()
    assert numbered("Forty Days") == ["#", "days"]


def test_a_figure_tells_by_how_much_it_falls_short() -> None:
    assert at_queue("c", "w", [0, 3, 9, None], queue=5, target=0.75).verdict == "short by 0.25"
    assert at_queue("c", "w", [0, 3, 9, None], queue=None, target=0.75).verdict == "met"
    assert Figure("c", "w", target=2.0, at_least=False, number=2.5).verdict == "short by 0.5"
    assert Figure("c", "w", target=1.0).verdict == "-"


def test_partners_are_counted_by_paragraph(passages: Passages) -> None:
    low, high = passages.extent(passages.paragraph(1))
    part = Entry(2, ((low + 4, high), passages.extent(passages.paragraph(3))))
    group = Entry(3, tuple(passages.extent(passages.paragraph(n)) for n in (5, 6, 7)), {"places": [0]})
    most, alone = partners(passages, [entry(passages, 1, 1, 2), part, group])
    assert (most, alone) == (2, len(TEXTS) - 6)
    assert partners(passages, []) == (0, len(TEXTS))


def test_hostile_texts_have_the_sizes_they_are_named_after() -> None:
    sizes = {name: (len(rows), len(set(rows))) for name, rows in hostile_texts()}
    assert sizes["4000 identical"] == (4000, 1)
    assert sizes["400 x 10 near-identical"][0] == sizes["4000 of one family"][0] == 4000
    assert min(sizes["400 x 10 near-identical"][1], sizes["4000 of one family"][1]) > 3900
