"""The whole generator on invented text: what it finds, what it leaves out, and that it is deterministic."""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.core.feature.authority import AUTHORITY_CLASSES
from tekrar.core.token import TOKENIZER
from tekrar.discover.lines import lines
from tekrar.discover.order import ordered
from tekrar.discover.pipeline import generate
from tekrar.discover.places import places_of
from tests.discover.made import source_of

ROOT = Path(__file__).parents[2]


@cache
def vocabulary() -> list[str]:
    made = random.Random(11)
    letters = "abcçdefgğhıijklmnoöprsştuüvyz"
    return ["".join(made.choice(letters) for _ in range(made.randint(3, 9))) for _ in range(3000)]


def words(rng: random.Random, count: int) -> list[str]:
    known = vocabulary()
    return [known[min(int(rng.expovariate(1) * len(known) / 8), len(known) - 1)] for _ in range(count)]


def entries(books: list[list[str]], *, language: str = "tr") -> list[dict[str, Any]]:
    source = source_of(books, language=language)
    return [json.loads(line) for line in lines(source, generate(source))]


def sides(entry: dict[str, Any]) -> tuple[int, int]:
    return entry["left"]["para"], entry["right"]["para"]


def text_of(books: list[list[str]], side: dict[str, Any]) -> str:
    book = books[int(side["book"][4:])]
    assert side["ord"] == side["end_ord"]
    return book[side["para"] - 1].encode()[side["para_start"] : side["para_end"]].decode()


def corpus(seed: int = 1) -> list[list[str]]:
    """Two books: a changed paragraph, a passage inside a larger one, a reused section, a formula."""
    rng = random.Random(seed)
    plain = [[" ".join(words(rng, 40)) + "." for _ in range(60)] for _ in range(2)]
    near = words(rng, 40)
    changed = near.copy()
    changed[20] = "değişmiş"
    plain[0][5], plain[1][7] = " ".join(near) + ".", " ".join(changed) + "."
    inner = words(rng, 14)
    plain[0][20] = " ".join([*words(rng, 30), *inner, *words(rng, 30)])
    plain[1][30] = " ".join([*words(rng, 10), *inner, *words(rng, 50)])
    section = [words(rng, 35) for _ in range(5)]
    for at, paragraph in enumerate(section):
        other = paragraph.copy()
        if at != 2:
            other[at + 3] = "başka"
        plain[0][40 + at], plain[1][45 + at] = " ".join(paragraph), " ".join(other)
    formula = "Aziz ve sıddık yolcu arkadaşlarım"
    for at in range(0, 15):
        plain[at % 2][at + 8 if at + 8 not in (20, 30) else 55] += f" {formula}."
    return plain


def test_finds_each_kind_with_its_extents() -> None:
    books = corpus()
    found = entries(books)
    near = next(e for e in found if sides(e) == (6, 8) and e["metrics"]["kind"] == "pair")
    assert near["disposition"] == "probable_near_exact"
    inner = next(e for e in found if sides(e) == (21, 31))
    assert text_of(books, inner["left"]) == text_of(books, inner["right"])
    assert len(text_of(books, inner["left"]).split()) == 14
    section = next(e for e in found if e["metrics"]["kind"] == "stretch")
    assert (section["left"]["para"], section["left"]["end_ord"]) == (41, 45)
    assert (section["right"]["para"], section["right"]["end_ord"]) == (46, 50)
    assert found.index(section) < 3
    group = next(e for e in found if e["metrics"]["kind"] == "group")
    assert len(group["places"]) == group["metrics"]["parts.1"] == 15


@pytest.mark.req("CND-09")
def test_interpreted_or_compiled_hash_seed_or_run_the_lines_are_the_same() -> None:
    """Field reports 13, 14, 16."""
    script = (
        "from tests.discover.test_generate import corpus\n"
        "from tests.discover.made import source_of\n"
        "from tekrar.discover.lines import lines\n"
        "from tekrar.discover.pipeline import generate\n"
        "books = corpus(2)\n"
        "books[1].append(' '.join(sorted(books[0][0].split())))  # met by its signature alone\n"
        "s = source_of(books)\n"
        "import hashlib\n"
        "print(hashlib.sha256('\\n'.join(lines(s, generate(s))).encode()).hexdigest())\n"
    )
    digests = set()
    for more in ({}, {"PYTHONHASHSEED": "7"}, {"TEKRAR_INTERPRETED": "1", "PYTHONHASHSEED": "1"}):
        environment = os.environ | {"PYTHONPATH": str(ROOT)} | more
        run = subprocess.run(
            [sys.executable, "-c", script],
            capture_output=True,
            text=True,
            check=True,
            env=environment,
            cwd=ROOT,
        )
        digests.add(run.stdout)
    assert len(digests) == 1


@pytest.mark.req("CND-02")
def test_what_an_entry_says_depends_on_no_other_entry() -> None:
    """Every second one taken off, the places of the others change and not what is said of them."""
    rng = random.Random(12)
    base = words(rng, 30)
    changed = [[*base[:at], "başka", *base[at + 1 :]] for at in range(0, 24, 3)]
    source = source_of([[" ".join(one) for one in changed] + [" ".join(words(rng, 30)) for _ in range(20)]])
    generated = generate(source)
    every = [json.loads(line) | {"rank": 0} for line in lines(source, generated)]
    kept = generated.entries.take(np.arange(1, len(every), 2))
    fewer = ordered(kept, places_of(source, kept))
    assert fewer.rank.max() < generated.entries.rank.max()
    found = [json.loads(line) | {"rank": 0} for line in lines(source, replace(generated, entries=fewer))]
    assert len(found) > 8
    assert all(one in every for one in found)


def test_toy_units_are_neither_lost_nor_lumped() -> None:
    """Field reports 1, 4, 5, 8, 10: empty, tiny and punctuation-only units."""
    assert entries([[]]) == []
    assert entries([["***", "•", "…", ""]]) == []
    found = entries([["Evet efendim.", "Evet, efendim!", "Hayır efendim", "kat", "göz", "Kat"]])
    assert [sides(e) for e in found] == [(1, 2), (4, 6)]
    assert found[0]["metrics"]["difference.2"] == ["punctuation"]


def test_units_of_one_word_are_neither_lost_nor_lumped() -> None:
    """Field reports 4 and 5: two in a text of three, and a hundred spellings of one word."""
    found = entries([["Evet.", "EVET!", "Sonra yola çıktık."]])
    assert [sides(e) for e in found] == [(1, 2)]
    assert found[0]["metrics"]["difference.2"] == ["case", "punctuation"]
    assert found[0]["disposition"] == "probable_near_exact"
    many = generate(source_of([["Evet" + "!" * at for at in range(100)] + ["Hayır.", "Evet."]]))
    assert set(np.bincount(np.stack([many.pairs.left, many.pairs.right]).ravel())) <= {0, *range(6, 13)}
    assert many.bounds["left_out"]["pairs_of_one_word_units"] > 4000


@pytest.mark.req("CND-09")
def test_nfc_and_nfd_meet() -> None:
    """Field report 41: distinct exactly, met as a candidate that differs in normalisation only."""
    found = entries([["Bediüzzaman Said Nursî böyle dedi", "Bediüzzaman Said Nursi\u0302 böyle dedi"]])
    assert [sides(e) for e in found] == [(1, 2)]
    assert found[0]["metrics"]["difference.2"] == ["normalisation"]


def test_containment_is_told_both_ways_as_multisets() -> None:
    """Field reports 25, 26."""
    once = "kara kedi dama çıktı ve orada uzun uzun uyudu"
    found = entries([[" ".join([once] * 5), once]])
    pair = next(e for e in found if sides(e) == (1, 2))
    common, left = pair["metrics"]["containment_left.1"]
    assert pair["metrics"]["containment_right.1"][0] == pair["metrics"]["containment_right.1"][1] == common
    assert left > 4 * common


def test_a_chain_of_halves_is_pairs_and_no_family() -> None:
    """Field report 11: A~B~C gives two pairs, nothing joins A and C."""
    rng = random.Random(5)
    a, c = words(rng, 30), words(rng, 30)
    found = entries([[" ".join(a), " ".join(a[15:] + c[:15]), " ".join(c)]])
    assert {sides(e) for e in found if e["metrics"]["kind"] == "pair"} == {(1, 2), (2, 3)}


def test_identical_units_make_no_pair() -> None:
    """Field report 17: 4,000 identical paragraphs are one class and no pair."""
    assert entries([["Bu paragraf her yerde aynen böyle durur."] * 4000]) == []


def test_a_crowd_links_every_member_to_few() -> None:
    rng = random.Random(9)
    base = words(rng, 40)
    made = []
    for number in range(1500):
        one = base.copy()
        one[rng.randrange(40)] = f"değişik{number}"
        one[rng.randrange(40)] = f"başka{number}"
        made.append(" ".join(one))
    source = source_of([made])
    generated = generate(source)
    partners: dict[int, set[int]] = {}
    for line in lines(source, generated):
        one, other = sides(json.loads(line))
        partners.setdefault(one, set()).add(other)
        partners.setdefault(other, set()).add(one)
    assert len(partners) == 1500
    assert max(map(len, partners.values())) <= 12
    assert generated.bounds["left_out"]["pairs_of_crowds"] > 0


def test_a_formula_keeps_its_group_where_pairs_are_left_to_it() -> None:
    """Half of the neighbouring places share more and are listed; the rest only stand in the group."""
    rng = random.Random(5)
    formula = rng.sample(vocabulary()[:150], 8)
    book = []
    for _ in range(7):
        shared = words(rng, 16)
        for _ in range(2):
            book.append(" ".join([*words(rng, 25), *shared, *words(rng, 5), *formula, *words(rng, 20)]) + ".")
    found = entries([book, [" ".join(words(rng, 40)) + "." for _ in range(400)]])
    pairs = {sides(entry) for entry in found if not entry.get("places")}
    assert {(n, n + 1) for n in range(1, 14, 2)} <= pairs
    assert (1, 4) not in pairs
    assert any({p["para"] for p in entry.get("places", ())} == set(range(1, 15)) for entry in found)


def test_what_bounds_left_out_is_counted_and_named() -> None:
    """Field report 1: an empty or short list says why."""
    generated = generate(source_of(corpus()))
    assert {"features", "constants", "thresholds", "left_out"} == set(generated.bounds)
    assert generated.bounds["constants"]["suffix.PARTNERS"] == 6
    assert all(isinstance(v, int) for v in generated.bounds["left_out"].values())
    assert {"links_inside_large_classes", "seeds_of_further_bands"} < set(generated.bounds["left_out"])
    json.dumps(generated.bounds)


@pytest.mark.req("CND-03", "CND-09")
def test_every_feature_is_named_with_version_label_and_parameters() -> None:
    features = generate(source_of([["Bir iki üç dört."]])).bounds["features"]
    links = [*features["joins"], *features["folding"], *features["forms"], features["signature"]]
    assert all(set(one) >= {"name", "version", "authority"} for one in [*links, *features["others"]])
    assert {one["authority"] for one in [*links, *features["others"]]} <= set(AUTHORITY_CLASSES)
    assert features["tokenizer"] == TOKENIZER
    assert [one["name"] for one in features["folding"]][:4] == [
        "zero-width",
        "soft-hyphen",
        "nfc",
        "case-turkish",
    ]
    signature = features["signature"]
    assert [signature[key] for key in ("authority", "seed", "bands", "rows")] == ["minhash", 1, 20, 3]
    english = generate(source_of([["One two."]], language="en")).bounds["features"]
    assert english["folding"][3]["name"] == "case-default"


def test_a_changed_passage_ends_where_its_sentences_do() -> None:
    """The last words of both sentences differ; in one pair nothing says that the sentences go on alike."""
    rng = random.Random(31)
    plain = [
        [f"{' '.join(words(rng, 20))}. {' '.join(words(rng, 20))}." for _ in range(40)] for _ in range(2)
    ]
    for at in range(12):
        same = words(rng, 20)
        last = [words(rng, 2 + 8 * (at == 11) * side) for side in range(2)]
        for side in range(2):
            around = [" ".join(words(rng, 12)) + "." for _ in range(2)]
            plain[side][3 * at] = f"{around[0]} {' '.join([*same, *last[side]])}. {around[1]}"
    found = [
        e for e in entries(plain) if e["left"]["para"] == e["right"]["para"] and e["right"]["para"] % 3 == 1
    ]
    texts = {e["left"]["para"] // 3: [text_of(plain, e[side]) for side in ("left", "right")] for e in found}
    assert len(texts) == 12
    assert all(text.endswith(".") for at in range(11) for text in texts[at])
    assert [len(text.split()) for text in texts[0]] == [22, 22]
    assert [len(text.split()) for text in texts[11]] == [20, 20]


def test_a_repeat_inside_one_paragraph() -> None:
    rng = random.Random(21)
    twice = words(rng, 12)
    books = [[" ".join([*twice, *words(rng, 20), *twice]), *(" ".join(words(rng, 40)) for _ in range(20))]]
    inside = [e for e in entries(books) if sides(e) == (1, 1)]
    assert len(inside) == 1
    assert text_of(books, inside[0]["left"]) == text_of(books, inside[0]["right"]) == " ".join(twice)


def test_a_repeat_across_a_paragraph_end() -> None:
    rng = random.Random(22)
    run = words(rng, 16)
    books = [[" ".join(words(rng, 40)) for _ in range(30)] for _ in range(2)]
    books[0][10] = " ".join([*words(rng, 10), *run, *words(rng, 10)])
    books[1][20] = " ".join([*words(rng, 20), *run[:8]])
    books[1][21] = " ".join([*run[8:], *words(rng, 20)])
    found = next(e for e in entries(books) if e["left"]["para"] == 11)
    assert found["metrics"]["kind"] == "stretch"
    assert (found["right"]["para"], found["right"]["end_ord"]) == (21, 22)


def test_every_extent_lies_in_its_paragraphs_and_splits_no_character() -> None:
    for entry in entries(corpus(4)):
        for side in (entry["left"], entry["right"]):
            assert side["start"] < side["end"]
            assert side["para_start"] >= 0
        assert "confidence" not in entry["metrics"]
        assert not any(isinstance(value, float) for value in entry["metrics"].values())


def invented(seed: int, count: int) -> list[str]:
    made = random.Random(seed)
    return ["".join(made.choice("abcdefghijklmnoprstuvyz") for _ in range(7)) for _ in range(count)]


def inside(books: list[list[str]]) -> list[tuple[str, str]]:
    """Texts of the two sides of the pairs of the first paragraph with itself."""
    found = [e for e in entries(books) if sides(e) == (1, 1) and e["metrics"]["kind"] == "pair"]
    for entry in found:
        assert entry["left"]["end"] <= entry["right"]["start"], "sides lie over each other"
    return [(text_of(books, e["left"]), text_of(books, e["right"])) for e in found]


@pytest.mark.parametrize("gap", range(7))
def test_a_repeat_inside_a_paragraph_is_found_however_near(gap: int) -> None:
    said, other = invented(1, 8), [" ".join(invented(9 + n, 6)) for n in range(4)]
    text = " ".join([*invented(2, 5), *said, *invented(3, gap), *said, *invented(4, 4)])
    assert inside([[text, *other]]) == [(" ".join(said), " ".join(said))]
    said = invented(5, 11)
    text = f"{' '.join(said)}, {' '.join(said)}."
    assert inside([[text, *other]]) == [(f"{' '.join(said)},", f"{' '.join(said)}.")]


@pytest.mark.parametrize(("words_", "times"), [(6, 3), (25, 3), (25, 4), (4, 3)])
def test_every_place_of_a_repeat_inside_a_paragraph_is_told(words_: int, times: int) -> None:
    said = " ".join(invented(6, words_)) + "."
    books = [[" ".join([said] * times), " ".join(invented(7, 9))]]
    found = [e for e in entries(books) if sides(e) == (1, 1)]
    told = {(e[side]["start"], e[side]["end"]) for e in found for side in ("left", "right")}
    step = len(said.encode()) + 1
    assert told == {(n * step, n * step + step - 1) for n in range(times)}
    assert len(found) == times - 1


def test_more_repeats_inside_a_paragraph_than_are_told_are_counted() -> None:
    parts = [" ".join(invented(20 + n, 9)) for n in range(6)]
    text = " ".join([*parts, *reversed(parts)])
    source = source_of([[text, *(" ".join(words(random.Random(n), 40)) for n in range(9))]])
    generated = generate(source)
    found = [json.loads(line) for line in lines(source, generated)]
    told = sum(e["left"]["para"] == e["right"]["para"] == 1 for e in found)
    assert told == 3
    assert generated.bounds["left_out"]["repeats_inside_one_paragraph"] > 0


def test_a_name_with_another_suffix_beside_a_passage_belongs_to_it() -> None:
    rng = random.Random(31)
    said = " ".join(words(rng, 12))
    texts = [" ".join(words(rng, 30)) for _ in range(12)]
    texts[3] = f"{' '.join(words(rng, 20))} Şehzade’nin {said} Bağdat’tan {' '.join(words(rng, 20))}"
    texts[8] = f"{' '.join(words(rng, 15))} Şehzade'ye {said} Bağdat'a {' '.join(words(rng, 25))}"
    texts[10] += " Şehzade Bağdat"
    found = next(e for e in entries([texts]) if sides(e) == (4, 9))
    assert text_of([texts], found["left"]) == f"Şehzade’nin {said} Bağdat’tan"
    assert text_of([texts], found["right"]) == f"Şehzade'ye {said} Bağdat'a"
    texts[10] = texts[10].removesuffix(" Şehzade Bağdat")
    found = next(e for e in entries([texts]) if sides(e) == (4, 9))
    assert text_of([texts], found["left"]) == said, "what is no word of this text by itself is no name"


def test_two_rare_words_with_others_between_propose_verses_and_nothing_else() -> None:
    """In a text of verses: what no run of equal words meets; in longer paragraphs chance meets it."""
    rng = random.Random(41)
    one, other = invented(42, 2)
    verses = [words(rng, 12) for _ in range(400)]
    verses[100][4:7] = [one, "kırmızı", other]
    verses[300][7:10] = [one, "yeşil", other]
    assert (101, 301) in {sides(e) for e in entries([[" ".join(verse) for verse in verses]])}
    texts = [[*words(rng, 40), *verse] for verse in verses]
    assert (101, 301) not in {sides(e) for e in entries([[" ".join(text) for text in texts]])}
    verses[200][2:5] = verses[210][2:5] = verses[220][2:5] = [one, "mor", other]
    source = source_of([[" ".join(verse) for verse in verses]])
    assert generate(source).bounds["left_out"]["pairs_of_frequent_word_pairs"] == 10
