"""Checks that the hand-labelled sentence sample is well formed; says nothing about any segmenter."""

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

SAMPLE = Path(__file__).parents[1] / "data" / "segmentation" / "sample.jsonl"


def load_sample() -> list[dict[str, Any]]:
    """Return the records of the sample, one per paragraph, in file order."""
    return [json.loads(line) for line in SAMPLE.read_bytes().decode("utf-8").split("\n") if line]


def paragraph_text(record: dict[str, Any]) -> str:
    """Return the paragraph that the record's sentences and gaps spell out."""
    return "".join(
        sentence + gap for sentence, gap in zip(record["sentences"], [*record["gaps"], ""], strict=True)
    )


@pytest.fixture(scope="module")
def sample() -> list[dict[str, Any]]:
    return load_sample()


def test_records_have_the_stated_fields_and_unique_ids(sample: list[dict[str, Any]]) -> None:
    required = {"id", "language", "kind", "sentences", "gaps"}
    for record in sample:
        assert required <= set(record) <= required | {"markers"}, record["id"]
        assert record["id"].startswith(record["language"] + "-")
    assert len({record["id"] for record in sample}) == len(sample)


def test_gaps_lie_between_non_empty_sentences(sample: list[dict[str, Any]]) -> None:
    for record in sample:
        sentences, gaps = record["sentences"], record["gaps"]
        assert len(gaps) == len(sentences) - 1, record["id"]
        assert all(sentences), record["id"]
        assert all(gap == "" or gap.isspace() for gap in gaps), record["id"]
        # White space at an inner edge would belong to the gap, and the label would be ambiguous.
        if len(sentences) > 1:
            assert all(sentence == sentence.strip() for sentence in sentences), record["id"]


def test_markers_lie_on_character_boundaries_inside_one_sentence(sample: list[dict[str, Any]]) -> None:
    marked = [record for record in sample if record.get("markers")]
    assert marked
    for record in marked:
        text = paragraph_text(record).encode("utf-8")
        spans, position = [], 0
        for sentence, gap in zip(record["sentences"], [*record["gaps"], ""], strict=True):
            end = position + len(sentence.encode("utf-8"))
            spans.append((position, end))
            position = end + len(gap.encode("utf-8"))
        previous_end = 0
        for start, end in record["markers"]:
            assert previous_end <= start < end <= len(text), record["id"]
            marker = text[start:end].decode("utf-8")  # raises when an offset splits a character
            assert (marker[0], marker[-1]) in {("[", "]"), ("(", ")")}, record["id"]
            assert any(low <= start and end <= high for low, high in spans), record["id"]
            previous_end = end


def test_sample_is_large_and_varied_enough(sample: list[dict[str, Any]]) -> None:
    inner: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for record in sample:
        inner[record["language"]] += len(record["gaps"])
        ends[record["language"]] += len(record["sentences"])
    assert sum(inner.values()) >= 300
    assert set(ends) == {"tr", "ar", "en"}
    assert ends["tr"] >= 170
    assert ends["ar"] >= 80
    assert ends["en"] >= 80
    assert len({record["kind"] for record in sample}) >= 20
