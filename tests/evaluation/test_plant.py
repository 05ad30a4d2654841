"""Our own planted corpus: places that hold, and the same bytes from the same seed."""

from __future__ import annotations

import gzip
import hashlib
import json
from collections import Counter
from pathlib import Path

import pytest

from evaluation.plant import RATES, write_planted
from tekrar.demo.kjv import installed_module
from tekrar.errors import TekrarError


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    try:
        installed_module()
    except TekrarError:
        pytest.skip("the demo's text is not installed")
    place = tmp_path_factory.mktemp("own")
    write_planted(place, seed=7, words=80_000)
    return place


def rows(path: Path) -> list[dict]:  # type: ignore[type-arg]
    with gzip.open(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def test_every_planted_place_holds_its_words(planted: Path) -> None:
    texts = {row["ord"]: row["text"].encode() for row in rows(planted / "corpus.jsonl.gz")}
    truth = rows(planted / "truth.jsonl.gz")
    for row in truth:
        (place,) = row["segments"]
        passage = texts[place["ord"]][place["start"] : place["end"]]
        assert hashlib.sha256(passage).hexdigest()[:16] == row["sha"]
        assert len(passage.split()) == row["words"]
    kinds = Counter(row["type"] for row in truth)
    assert set(kinds) == {"exact_run", "near", "variant", "nested", "nested_inner", "quotation", "formula"}
    assert {row["rate"] for row in truth if row["type"] == "variant"} == set(RATES)
    exact = {(row["family"], row["sha"]) for row in truth if row["type"] == "exact_run"}
    assert len(exact) == len({family for family, _ in exact})


def test_the_same_seed_gives_the_same_corpus_and_another_another(planted: Path, tmp_path: Path) -> None:
    for seed in (7, 8):
        (tmp_path / str(seed)).mkdir()
        write_planted(tmp_path / str(seed), seed=seed, words=80_000)
    name = "corpus.jsonl.gz"
    assert rows(tmp_path / "7" / name) == rows(planted / name)
    assert rows(tmp_path / "8" / name) != rows(planted / name)
