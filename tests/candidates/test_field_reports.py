"""Field reports on candidates, Unicode and diffs, end to end: what users of neighbouring tools ran into."""

import json
import shutil
import unicodedata
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from tekrar.candidates.events import log_beside, read_events
from tekrar.candidates.stored import open_stored
from tekrar.cli import main
from tekrar.core.encoding import lp
from tekrar.corpus.release_package import open_release
from tests.candidates.conftest import Place

NEAR = "Değirmenin önünde bekleyen yaşlı katır, akşam ezanına kadar yerinden kıpırdamadı"


def structured(folder: Path, paragraphs: list[list[str]], *, before: str = "") -> Place:
    """A book of one chapter; a paragraph is its sentences, joined by a space."""
    rows = [
        {"id": f"p{n}", "sentences": held, "seps": [" "] * max(0, len(held) - 1), "after": "\n\n"}
        for n, held in enumerate(paragraphs, 1)
    ]
    book = {"id": "a", "before": before, "chapters": [{"id": "1", "paragraphs": rows}]}
    empty: dict[str, Any] = {"headings": [], "note_bodies": [], "note_markers": []}
    folder.mkdir(parents=True)
    source = folder / "source.json"
    source.write_text(json.dumps({"language": "tr", "corpus": {"books": [book]}, "annotations": empty}))
    place = Place(folder)
    assert main(["import", str(source), "--out", str(place.release), "--quiet"]) == 0
    assert main(["build", str(place.release), "--out", str(place.artifact), "--quiet"]) == 0
    return place


def candidates(
    place: Place, out: Path, capsys: pytest.CaptureFixture[str], *options: str
) -> list[dict[str, Any]]:
    words = ["candidates", str(place.artifact), "--release", str(place.release), "--out", str(out), *options]
    assert main([*words, "--quiet"]) == 0
    capsys.readouterr()
    assert main(["candidates", "export", str(out), "--release", str(place.release), "--quiet"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def found(place: Place, text: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    capsys.readouterr()
    assert main(["find", str(place.artifact), "--release", str(place.release), "--json", "--text", text]) == 0
    hits: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["hits"]
    return hits


def operations(
    place: Place, capsys: pytest.CaptureFixture[str], left: str, right: str
) -> list[dict[str, Any]]:
    capsys.readouterr()
    words = [
        "diff",
        left,
        right,
        "--artifact",
        str(place.artifact),
        "--release",
        str(place.release),
        "--json",
    ]
    assert main(words) == 0
    rows: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["operations"]
    return rows


def test_a_worker_with_nothing_to_do_is_legal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report 7: eight workers, three paragraphs."""
    place = structured(tmp_path / "corpus", [[f"{NEAR}."], [f"{NEAR} hiç."], ["Evet."]])
    lines = candidates(place, tmp_path / "c8", capsys, "--workers", "8")
    assert [(line["left"]["para_start"], line["disposition"][:8]) for line in lines] == [(0, "probable")]
    candidates(place, tmp_path / "c1", capsys)
    assert open_stored(tmp_path / "c8").root == open_stored(tmp_path / "c1").root


def test_empty_paragraphs_are_nobodys_partner(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reports 4, 5 and 10: empty paragraphs, marks without a word, one real passage."""
    odd = [[], ["***"], ["•\u2002•\u2002•"], ["…"], ["\u200b"], [" "], ["\u00a0"]]
    place = structured(tmp_path / "corpus", [*([[]] * 10_000), *odd, *odd, [f"{NEAR}."]])
    assert candidates(place, tmp_path / "c", capsys) == []
    for text, exact in (("***", 2), ("•\u2002•\u2002•", 2), ("…", 2), ("\u200b", 2), (NEAR, 1)):
        assert len(found(place, text, capsys)) == exact, text


def test_overlapping_repeats_are_told_by_one_rule(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report 32: a b a b a b, and a passage that overlaps itself."""
    unit = f"{NEAR}, kimse de ona bir söz söylemeye cesaret edemedi,"
    other = [[" ".join(f"kök{n}dal{k}" for k in range(20))] for n in range(20)]
    place = structured(tmp_path / "corpus", [[" ".join([unit] * 3)], *other])
    hits = found(place, f"{unit} {unit}", capsys)
    assert [hit["place"]["start"] for hit in hits] == [0, len(f"{unit} ".encode())]
    lines = candidates(place, tmp_path / "c", capsys)
    text = open_release(place.release).release.text
    starts = [at for at in range(len(text)) if text[at:].startswith(NEAR[:9].encode())]
    assert len(starts) == 3
    assert lines
    for line in lines:
        assert line["left"]["start"] in starts
        assert line["right"]["start"] in starts
        assert line["left"]["start"] < line["right"]["start"]


def test_separators_and_our_own_marks_are_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report 35: NUL at an end, the bytes of our own tags and of a length inside the text."""
    tag = lp(b"tekrar/edit-script/v1").decode()
    texts = [f"{NEAR}\x00\x00", f"{NEAR} {tag} bugün\x00\x00", f"{tag}{NEAR}"]
    place = structured(tmp_path / "corpus", [[text] for text in texts])
    text = open_release(place.release).release.text
    lines = candidates(place, tmp_path / "c", capsys)
    assert len(lines) == 3
    ends = [(n.encode(), text.index(n.encode())) for n in texts]
    for line in lines:
        for side in (line["left"], line["right"]):
            assert any(at <= side["start"] < side["end"] <= at + len(held) for held, at in ends)
    for left, right in ((1, 2), (2, 3), (1, 3)):
        rows = operations(place, capsys, f"a/1/p{left}", f"a/1/p{right}")
        held, at = ends[right - 1]
        covered = sorted(row["right"] for row in rows if row["right"][0] < row["right"][1])
        assert covered[0][0] == at
        assert covered[-1][1] == at + len(held)
        assert all(a[1] == b[0] for a, b in pairwise(covered))


def test_a_byte_order_mark_shifts_no_place(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report 40: the mark is bytes of the source; places count them."""
    paragraphs = [[f"{NEAR}."], [f"{NEAR} dün."]]
    plain = structured(tmp_path / "plain", paragraphs)
    marked = structured(tmp_path / "marked", paragraphs, before="\ufeff")
    assert open_release(marked.release).release.text.startswith(b"\xef\xbb\xbf")
    sides = []
    for place in (plain, marked):
        (line,) = candidates(place, place.folder / "c", capsys)
        hits = found(place, "katır", capsys)
        rows = operations(place, capsys, "a/1/p1", "a/1/p2")
        sides.append(
            (
                [line[side][end] for side in ("left", "right") for end in ("start", "end")],
                [hit["place"]["start"] for hit in hits],
                [row["left"][0] for row in rows],
            )
        )
        assert line["left"]["para_start"] == 0
    assert [[at + 3 for at in ends] for ends in sides[0]] == list(map(list, sides[1]))


def test_zero_width_and_other_forms_meet_and_the_difference_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports 41, 43, 47 and 52: other bytes for one text are no class, one candidate, and named."""
    other = {
        "invisible": f"{NEAR}.".replace("katır", "ka\u200ctır"),
        "normalisation": unicodedata.normalize("NFD", f"{NEAR}."),
        "case": f"{NEAR}.".replace("ı", "I").replace("i", "İ").upper(),
        "spaces": f"{NEAR}.".replace(" ", "\u00a0"),
    }
    for kind, text in other.items():
        place = structured(tmp_path / kind, [[f"{NEAR}."], [text]])
        (line,) = candidates(place, place.folder / "c", capsys)
        assert line["disposition"] == "probable_near_exact", kind
        assert line["metrics"]["equal_tokens"]["value"] == 10, kind
        assert main(["candidates", "show", str(place.folder / "c"), "1"]) == 0
        out = capsys.readouterr().out
        assert "differs only in" in out, (kind, out)
        assert ("⟨U+200C⟩" in out) == (kind == "invisible")


def test_the_same_words_twice_are_two_places(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Reports 64, 65, 67 and 73: position decides, an extent is never widened to what holds it."""
    place = structured(tmp_path / "corpus", [["Olay oldu.", f"{NEAR}.", "Olay oldu."], [f"{NEAR}."]])
    text = open_release(place.release).release.text
    hits = found(place, "Olay oldu.", capsys)
    assert [(hit["place"]["start"], hit["place"]["end"]) for hit in hits] == [
        (0, 10),
        (text.index(b"Olay", 5), text.index(b"Olay", 5) + 10),
    ]
    (line,) = candidates(place, tmp_path / "c", capsys)
    # what is said twice goes over the end of the first paragraph the second time
    for side in ("left", "right"):
        said = text[line[side]["start"] : line[side]["end"]].decode()
        assert " ".join(said.split()).rstrip(".") == f"Olay oldu. {NEAR}"
    rows = operations(place, capsys, *(f"{h['place']['start']}-{h['place']['end']}" for h in hits))
    assert [row["op"] for row in rows] == ["equal"]
    assert rows[0]["left"] != rows[0]["right"]


def test_made_again_candidates_touch_no_event(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports 77 and 80: a rebuild erases no decision; all rejected is an end state with none that waits."""
    for name in ("release", "artifact"):
        shutil.copytree(harbour.folder / name, tmp_path / name)
    place = Place(tmp_path)
    total = len(candidates(place, place.candidates, capsys))
    for rank in range(1, total + 1):
        words = ["candidates", "mark", str(place.candidates), str(rank), "false_positive", "--as", "Ege"]
        assert main([*words, "--quiet"]) == 0
    log = log_beside(place.candidates)
    kept = log.read_bytes()
    shutil.rmtree(place.candidates)
    assert candidates(place, place.candidates, capsys) == []
    assert log.read_bytes() == kept
    assert main(["candidates", "list", str(place.candidates), "--json"]) == 0
    told = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert (told["pending"], told["rejected"], told["candidates"]) == (0, total, total)


def test_a_note_in_any_script_is_one_canonical_line(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Reports 85 and 86: the log is canonical JSON, read back as written, without a float."""
    log = tmp_path / "events.jsonl"
    note = 'gecikme ≥ 200 — Nursî 😀 \U00010000 \uffff 1e-05 \\ " </script>'
    words = [
        "candidates",
        "mark",
        str(harbour.candidates),
        "1",
        "uncertain",
        "--as",
        "Ömer 😀",
        "--note",
        note,
    ]
    assert main([*words, "--events", str(log), "--quiet"]) == 0
    (event,) = read_events(log).rows
    assert (event.note, event.author) == (note, "Ömer 😀")
    line = json.loads(log.read_bytes(), parse_float=pytest.fail)
    assert list(line) == sorted(line)
