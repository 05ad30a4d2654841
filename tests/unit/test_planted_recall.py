"""The recall measure itself: it finds what is there, and says so when something is not."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from tests.planted_recall import measure

RUN = ["Bir söz.", "İki söz.", "Üç söz."]


def planted(place: Path, *, second: list[str]) -> Path:
    """A corpus with one planted run in two paragraphs; the second holds `second` in its place."""
    rows, truth = [], []
    for ord_, sentences in enumerate((["Önce.", *RUN], [*second, "Sonra."]), 1):
        text, spans = "", []
        for sentence in sentences:
            text += " " if text else ""
            spans.append([len(text.encode()), len(text.encode()) + len(sentence.encode())])
            text += sentence
        rows.append(
            {"book": "b", "chapter": 1, "chapter_title": "", "para": ord_, "ord": ord_, "kind": "body",
             "text": text, "sents": spans, "note_markers": []}
        )  # fmt: skip
        low = spans[1][0] if ord_ == 1 else 0
        high = spans[-1][1] if ord_ == 1 else spans[-2][1]
        sha = hashlib.sha256(" ".join(RUN).encode()).hexdigest()[:16]
        segment = {"ord": ord_, "book": "b", "chapter": 1, "para": ord_, "start": low, "end": high}
        truth.append(
            {"family": "f", "type": "exact_run", "occ": ord_, "role": "member", "zone": "body", "sha": sha,
             "segments": [segment]}
        )  # fmt: skip
    for name, content in (("corpus.jsonl", rows), ("truth.jsonl", truth)):
        (place / name).write_text("".join(json.dumps(r, ensure_ascii=False) + "\n" for r in content), "utf-8")
    return place


def tally(place: Path, **options: Any) -> tuple[int, int, float]:
    found = measure(place, ignore_sents=False, language="tr", **options)["exact_run"]
    return found.groups, found.whole, found.covered / found.planted


def test_a_planted_run_that_is_there_is_found_whole(tmp_path: Path) -> None:
    assert tally(planted(tmp_path, second=RUN)) == (1, 1, 1.0)


def test_one_that_is_half_there_is_not_whole_and_half_covered(tmp_path: Path) -> None:
    groups, whole, share = tally(planted(tmp_path, second=["Bir söz.", "İki söz.", "Başka."]))
    assert (groups, whole) == (1, 0)
    assert 0.5 < share < 0.9


def test_one_that_is_not_there_is_missed(tmp_path: Path) -> None:
    assert tally(planted(tmp_path, second=["Hiç.", "Yok.", "Dahi."])) == (1, 0, 0.0)
