"""`tekrar find`: exact places, near places, and whatever else a query may be."""

import json
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tekrar.candidates.finding import Finder
from tekrar.cli import main
from tests.candidates.conftest import BOOKS, Place, built
from tests.discover.test_generate import corpus, source_of


def asked(capsys: pytest.CaptureFixture[str], place: Place, *words: object) -> dict[str, Any]:
    status = main(["find", str(place.artifact), "--json", *map(str, words)])
    found: dict[str, Any] = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert status == 0, found
    return found


def refused(capsys: pytest.CaptureFixture[str], place: Place, *words: object) -> str:
    status = main(["find", str(place.artifact), *map(str, words)])
    said = capsys.readouterr().err
    assert status == 2
    assert "Traceback" not in said
    return said


def text_of(place: Place) -> bytes:
    from tekrar.corpus.release_package import open_release

    return open_release(place.release).release.text


def test_the_exact_place_of_a_passage(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    passage = "karada pişman olur ve yolunu iki kere yürür"
    found = asked(capsys, harbour, "--text", passage)
    assert (found["exact"], found["near"]) == (2, 0)
    for hit in found["hits"]:
        place = hit["place"]
        assert text_of(harbour)[place["start"] : place["end"]] == passage.encode()
        assert hit["match"] == "exact"


def test_a_near_place_with_its_extent_metrics_and_diff(
    harbour: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    query = "Denizde acele eden karada çok pişman olur, yolunu iki kere yürür"
    found = asked(capsys, harbour, "--text", query)
    assert (found["exact"], found["near"]) == (0, 2)
    text = text_of(harbour)
    for hit in found["hits"]:
        place, part = hit["place"], hit["query"]
        passage = text[place["start"] : place["end"]]
        assert passage.decode().strip("“”.") == BOOKS["liman"][1].strip(".")
        assert hit["metrics"]["equal_tokens"] == {"value": 10, "version": 1, "scale": "tokens"}
        told = b"".join(text[a:b] for a, b in (op["release"] for op in hit["diff"]["operations"]))
        assert told == passage
        asked_part = b"".join(
            query.encode()[a:b] for a, b in (op["query"] for op in hit["diff"]["operations"])
        )
        assert asked_part == query.encode()[part["start"] : part["end"]]


def test_a_passage_over_two_paragraphs_is_one_hit(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    query = f"{BOOKS['liman'][0]} {BOOKS['liman'][1]}"
    found = asked(capsys, harbour, "--text", query, "--limit", 1)
    text = text_of(harbour)
    best = found["hits"][0]["place"]
    assert text[best["start"] : best["end"]].decode() == f"{BOOKS['liman'][0]}\n\n{BOOKS['liman'][1]}"


def test_the_other_unicode_form_is_near_and_said(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    for form in ("NFC", "NFD"):
        found = asked(capsys, harbour, "--text", unicodedata.normalize(form, BOOKS["liman"][3]))
        assert (found["exact"], found["near"]) == (1, 1)
        near = next(hit for hit in found["hits"] if hit["match"] == "near")
        assert near["diff"]["said"] == "differs only in normalisation"


@pytest.mark.parametrize(("text", "exact", "near"), [("gemi", 2, 0), ("GEMİ", 0, 2), ("yoktur", 0, 0)])
def test_one_word(
    harbour: Place, capsys: pytest.CaptureFixture[str], text: str, exact: int, near: int
) -> None:
    found = asked(capsys, harbour, "--text", text)
    assert (found["exact"], found["near"]) == (exact, near)


def test_a_query_without_a_word(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, harbour, "--text", "”")
    assert (found["query"]["words"], found["exact"], found["near"]) == (0, 1, 0)
    assert main(["find", str(harbour.artifact), "--text", "***"]) == 0
    assert "no word" in capsys.readouterr().out


def test_what_cannot_be_looked_for_is_a_typed_error(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert "empty_query" in refused(capsys, harbour, "--text", "")
    assert "invalid_utf8" in refused(capsys, harbour, "--text", "a\udcff")
    file = tmp_path / "query"
    for data, kind in ((b"", "empty_query"), (b"\n", "empty_query"), (b"a\xff", "invalid_utf8")):
        file.write_bytes(data)
        assert kind in refused(capsys, harbour, "--file", file)
    file.write_bytes(b"a" * ((1 << 20) + 1))
    assert "query_too_large" in refused(capsys, harbour, "--file", file)
    assert "bad_arguments" in refused(capsys, harbour)
    assert "not_a_file" in refused(capsys, harbour, "--file", tmp_path)


def test_a_file_is_its_bytes_without_the_last_line_end(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "query"
    for end in (b"", b"\n", b"\r\n"):
        file.write_bytes("iki gün bekledi".encode() + end)
        assert asked(capsys, harbour, "--file", file)["exact"] == 2


def test_nul_bytes_are_bytes(harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "query"
    file.write_bytes("gemi\0, yükünü boşaltmadan önce".encode())
    found = asked(capsys, harbour, "--file", file)
    assert found["exact"] == 0
    assert found["near"] == 2


def test_a_very_long_query_is_answered(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = "bulut ".join(str(n) for n in range(60_000))
    file = tmp_path / "query"
    file.write_text(words + BOOKS["liman"][0], encoding="utf-8")
    found = asked(capsys, harbour, "--file", file)
    assert found["hits"][0]["metrics"]["equal_tokens"]["value"] >= 10


def test_repeated_words_overlap_and_are_all_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    place = built(tmp_path / "corpus", {"a": ["ada ada ada ada"]})
    assert asked(capsys, place, "--text", "ada ada")["exact"] == 3


def test_the_limit_cuts_lists_and_not_counts(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    found = asked(capsys, harbour, "--text", "ve", "--limit", 1)
    assert found["exact"] > 1
    assert len([hit for hit in found["hits"] if hit["match"] == "exact"]) == 1
    whole = asked(capsys, harbour, "--text", "ve", "--limit", 0)
    assert len([hit for hit in whole["hits"] if hit["match"] == "exact"]) == found["exact"]


def test_turkish_letters_fold_as_turkish(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    place = built(tmp_path / "corpus", {"a": ["Işık söndü, gece oldu.", "İşik denen köy uzaktadır."]})
    found = asked(capsys, place, "--text", "IŞIK SÖNDÜ")
    assert [hit["place"]["para_start"] for hit in found["hits"]] == [0]
    assert (found["exact"], found["near"]) == (0, 1)


def test_for_people(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["find", str(harbour.artifact), "--text", "limana inen küçük gemi, yükünü"]) == 0
    out = capsys.readouterr().out
    assert "0 exact places, 2 near places" in out
    assert "[-" in out
    assert "küçük" in out


def test_words_of_the_query_that_are_not_at_a_place_are_said(
    harbour: Place, capsys: pytest.CaptureFixture[str]
) -> None:
    """A part that is the same byte for byte must not read as if the query were."""
    query = "Gece vakti: karada pişman olur ve yolunu iki kere aşındırır durur."
    assert main(["find", str(harbour.artifact), "--text", query]) == 0
    out = capsys.readouterr().out
    assert out.count("near, 7 of 11 words equal") == 2
    assert out.count("not here, before it: \u2068Gece vakti:\u2069") == 2
    assert out.count("not here, after it: \u2068aşındırır durur.\u2069") == 2
    assert "the two passages are the same" not in out
    assert out.count("the same here, byte for byte") == 2


def test_places_that_are_not_shown_are_counted(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    for limit, more in ((1, "and 1 more exact place: --limit 0 shows all"), (2, "")):
        words = ["find", str(harbour.artifact), "--text", "karada pişman olur", "--limit", str(limit)]
        assert main(words) == 0
        last = capsys.readouterr().out.splitlines()[-1]
        assert last == more if more else "more" not in last


def test_a_passage_is_found_where_it_stands_exactly_and_nearly() -> None:
    books = corpus()
    source = source_of(books)
    asked_for = books[0][5]
    found = Finder(source.release).find(asked_for.encode(), limit=10)
    (exact,), (near,) = found.exact, found.near
    assert source.release.text[exact.start : exact.end].decode() == asked_for
    assert [int(np.searchsorted(source.start, hit.start, "right")) - 1 for hit in (exact, near)] == [5, 67]
    assert near.equal == exact.equal - 1
    for words in ("***", "hiç geçmeyen sözler"):
        nothing = Finder(source.release).find(words.encode(), limit=10)
        assert (nothing.exact, nothing.near) == ([], [])
