"""`tekrar diff` as a user runs it, its views, and every refusal."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.core.diff import units_of
from tekrar.core.diff.record import Endpoint, diff_of
from tekrar.errors import EXIT_STATUS
from tekrar.view.change_kind import kinds_between
from tekrar.view.changes import changes_of, summary_of
from tekrar.view.diff_page import diff_page
from tekrar.view.diff_text import diff_lines, marked_passage
from tekrar.view.direction import LRI, RLI
from tekrar.view.endpoints import Passage
from tekrar.view.plain import FSI, PDI
from tests.unit.reading_corpus import built
from tests.unit.structured_documents import book, chapter, document, paragraph

USAGE, NOT_FOUND, FAILED = (EXIT_STATUS[c][0] for c in ("usage_error", "not_found", "verification_failed"))
VERSE = "Rüzgâr esti; بِسْمِ اللَّهِ dedi."
OTHER = "Rüzgâr esti; بِسْمُ اللَّهِ dedi."
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("diff")
    texts = [
        "Gemi limana girdi. Kaptan güldü.",
        "Gemi limana girdi! Kaptan güldü.",
        VERSE,
        OTHER,
        "Nurs\u00ee",
        "Nursi\u0302",
        "bu\u200cdur",
        "budur",
        "📉📰 Ekvador \u202eters",
        "x",
        "x",
        "",
    ]
    paragraphs = [paragraph(f"p{n}", *([text] if text else [])) for n, text in enumerate(texts)]
    built(document(book("Kıyı", chapter("1", *paragraphs))), folder)
    return folder


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], place: Path) -> Run:
    def words(left: str, right: str, *more: object) -> tuple[int, str, str]:
        capsys.readouterr()
        asked = ["diff", left, right, "--artifact", place / "artifact", "--release", place / "release", *more]
        status = main([str(word) for word in asked])
        told = capsys.readouterr()
        return status, told.out, told.err

    return words


@pytest.fixture
def record(run: Run) -> Callable[..., Any]:
    def of(left: str, right: str, *more: object) -> Any:
        status, out, err = run(left, right, "--json", *more)
        assert status == 0, err
        return json.loads(out)

    return of


def kind(run: Run, *words: Any) -> tuple[int, str]:
    status, out, err = run(*words, "--json")
    error = json.loads(out.splitlines()[-1])["error"]
    assert "Traceback" not in err
    assert error["message"]
    return status, error["kind"]


@pytest.mark.req("DIF-01", "DIF-06")
def test_addresses_and_ids_name_the_same_diff(record: Callable[..., Any]) -> None:
    there = record("Kıyı/1/p1", "Kıyı/1/p2")
    again = record(there["left"]["occurrence"], there["right"]["occurrence"])
    assert there == again
    back = record("Kıyı/1/p2", "Kıyı/1/p1")
    assert back["id"] != there["id"]
    assert {op["op"] for op in there["operations"]} == {"equal", "boundary_change"}
    same = record("Kıyı/1/p10", "Kıyı/1/p11")
    assert [op["op"] for op in same["operations"]] == ["equal"]


def test_a_range_of_bytes_is_a_passage_without_an_id(record: Callable[..., Any]) -> None:
    whole = record("Kıyı/1/p1", "Kıyı/1/p2")
    left = whole["left"]
    part = record(f"{left['start']}-{left['end']}", "Kıyı/1/p2")
    assert part["operations"] == whole["operations"]
    assert part["script_digest"] == whole["script_digest"]
    assert (part["id"], part["left"]["occurrence"]) == (None, None)
    assert part["left"]["selection"] == left["selection"]
    nothing = record("0-0", f"{left['start']}-{left['end']}")
    assert [op["op"] for op in nothing["operations"]] == ["insert"]
    assert nothing["left"]["selection"] is None


@pytest.mark.req("DIF-03", "DIF-04")
def test_a_foreign_script_is_verified(run: Run, record: Callable[..., Any], tmp_path: Path) -> None:
    made = record("Kıyı/1/p1", "Kıyı/1/p2")
    file = tmp_path / "diff.json"
    file.write_text(json.dumps(made))
    assert record("Kıyı/1/p1", "Kıyı/1/p2", "--script", file) == made
    assert run("Kıyı/1/p1", "Kıyı/1/p2", "--script", file, "--quiet")[:2] == (0, "")
    assert kind(run, "Kıyı/1/p2", "Kıyı/1/p1", "--script", file) == (FAILED, "diff_endpoint")
    for text, name in (
        ('{"edits": 3}', "diff_no_script"),
        ("[]", "diff_malformed"),
        ("", "diff_malformed"),
        ('{"operations": [], "operations": []}', "diff_malformed"),
        (json.dumps(made).replace('"boundary_change"', '"equal"'), "diff_lie"),
        (json.dumps(made).replace('"boundary_change"', '"copy"'), "diff_operation"),
        (json.dumps(made).replace(made["left"]["witness_root"], "0" * 64), "diff_stale"),
        (json.dumps({**made, "operations": made["operations"][:-1]}), "diff_uncovered"),
    ):
        file.write_text(text)
        assert kind(run, "Kıyı/1/p1", "Kıyı/1/p2", "--script", file) == (FAILED, name), text
    assert kind(run, "Kıyı/1/p1", "Kıyı/1/p2", "--script", tmp_path / "none")[0] != 0


def test_a_script_in_canonical_bytes_is_verified(
    run: Run, record: Callable[..., Any], place: Path, tmp_path: Path
) -> None:
    from tekrar.view.endpoints import passage
    from tekrar.view.open import open_corpus

    corpus = open_corpus(place / "artifact", place / "release")
    script = diff_of(*(passage(corpus, f"Kıyı/1/p{n}").endpoint for n in (1, 2))).script
    file = tmp_path / "script"
    file.write_bytes(script.encoded)
    made = record("Kıyı/1/p1", "Kıyı/1/p2", "--script", file)
    assert made["script_digest"] == script.digest.hex()
    file.write_bytes(script.encoded[:-1])
    assert kind(run, "Kıyı/1/p1", "Kıyı/1/p2", "--script", file) == (FAILED, "diff_malformed")


def test_every_wrong_word_is_refused(run: Run, record: Callable[..., Any], tmp_path: Path) -> None:
    end = record("Kıyı/1/p9", "Kıyı/1/p10")["left"]["end"]
    for words, status, name in (
        (("Kıyı/1/p99", "Kıyı/1/p1"), NOT_FOUND, "no_such_place"),
        (("Kıyı/1/p12", "Kıyı/1/p1"), NOT_FOUND, "no_passage"),
        (("Kıyı/1:1+1", "Kıyı/1/p1"), NOT_FOUND, "no_passage"),
        (("kıyı", "Kıyı/1/p1"), USAGE, "not_a_uuid"),
        (("5-3", "Kıyı/1/p1"), USAGE, "bad_selection"),
        ((f"0-{10 * end}", "Kıyı/1/p1"), USAGE, "bad_selection"),
        ((f"{10 * end}-{10 * end}", "Kıyı/1/p1"), USAGE, "bad_selection"),
        (("07-9", "Kıyı/1/p1"), USAGE, "not_a_uuid"),
        (("Kıyı/1/p1", "Kıyı/1/p2", "--profile", "XX"), USAGE, "unknown_profile"),
    ):
        assert kind(run, *words) == (status, name), words
    start = record("Kıyı/1/p5", "Kıyı/1/p6")["left"]["start"]
    assert kind(run, f"{start + 5}-{start + 6}", "Kıyı/1/p1") == (USAGE, "bad_selection")
    assert kind(run, "Kıyı/1/p1", "Kıyı/1/p2", "--html", tmp_path)[0] == USAGE
    page = tmp_path / "page.html"
    page.write_bytes(b"mine")
    assert kind(run, "Kıyı/1/p1", "Kıyı/1/p2", "--html", page)[0] == USAGE
    assert page.read_bytes() == b"mine"
    assert run("Kıyı/1/p1", "Kıyı/1/p2", "--html", page, "--force")[0] == 0
    assert page.read_bytes().startswith(b"<!doctype html>")


def test_an_error_says_no_more_than_a_screen_holds(
    run: Run, record: Callable[..., Any], tmp_path: Path
) -> None:
    """A foreign value of any length is named by its beginning, its end and its length."""
    huge = tmp_path / "huge.json"
    huge.write_text(json.dumps(record("Kıyı/1/p1", "Kıyı/1/p2") | {"format": "A" * 36_000 + "END"}))
    status, out, err = run("Kıyı/1/p1", "Kıyı/1/p2", "--script", huge, "--json")
    assert status == FAILED
    error = json.loads(out)["error"]
    assert error["kind"] == "diff_algorithm"
    assert max(map(len, [*err.splitlines(), *error.values()])) < 1400
    told = " ".join(error.values())
    assert "characters left out]" in told
    assert "36,0" in told
    assert str(huge) in error["where"]
    status, out, err = run("K" * 100_000, "Kıyı/1/p2")
    assert (status, len(err) < 5000) == (USAGE, True)


ODD = {
    "unseen": ("\u200b" * 60_000, "x"),
    "emoji": ("😀" * 200_000, "\u0301" * 400_000),
    "token": ("x" * 1_000_000, "y" * 1_000_000),
    "words": (
        " ".join(f"w{n}" for n in range(30_000)),
        " ".join(f"{'w' if n % 2 else 'v'}{n}" for n in range(30_000)),
    ),
    "equal": ("söz " * 30_000, "söz " * 30_000),
}


@pytest.mark.parametrize("odd", ODD)
def test_what_is_drawn_of_odd_passages_is_bounded_and_says_so(odd: str) -> None:
    sides = [
        Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(text.encode()))
        for text in ODD[odd]
    ]
    diff = diff_of(sides[0], sides[1])
    named = Passage(sides[0], "a/1/p1", "FP"), Passage(sides[1], "a/1/p2", "FP")
    before = time.process_time()
    changes = changes_of(diff)
    page = diff_page(diff, named, changes)
    lines = list(diff_lines(diff, named, changes, colour=False))
    assert time.process_time() - before < 6
    assert len(page) < 3_000_000
    assert sum(map(len, lines)) < 300_000
    for told in (page.decode(), "\n".join(lines)):
        assert re.search(r"… [\d,]+ more (characters|changes)", told), odd
        assert re.search("--json(</code>)? has every operation", told)
    right = diff.right.units.text.decode()
    assert re.search(r"from byte \d+ on, are not drawn", page.decode()) or len(right) <= 100_000


def test_what_is_not_odd_is_drawn_whole() -> None:
    """A passage of 60 kB with every tenth word changed: nothing is left out."""
    words = [f"söz{n}" for n in range(8_000)]
    texts = " ".join(words), " ".join(f"{w}x" if n % 10 == 0 else w for n, w in enumerate(words))
    sides = [Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(t.encode())) for t in texts]
    diff = diff_of(sides[0], sides[1])
    named = Passage(sides[0], "a/1/p1", "FP"), Passage(sides[1], "a/1/p2", "FP")
    page = diff_page(diff, named, changes_of(diff)).decode()
    told = "\n".join(diff_lines(diff, named, changes_of(diff), colour=False))
    assert "not drawn" not in page + told
    assert told.count("replace         bytes") == page.count("<tr>") - 1 == 800


def test_a_class_is_no_passage(run: Run, record: Callable[..., Any], capsys: Any, place: Path) -> None:
    main(["classes", str(place / "artifact"), "--release", str(place / "release"), "--json"])
    one = json.loads(capsys.readouterr().out.splitlines()[0])
    assert kind(run, one["class_id"], "Kıyı/1/p1") == (USAGE, "no_passage")


def test_the_terminal_marks_whole_words_and_names_what_cannot_be_seen(run: Run) -> None:
    out = run("Kıyı/1/p3", "Kıyı/1/p4")[1]
    assert "summary   differs only in diacritics" in out
    assert f"{FSI} بِسْمِ {PDI}" in out or f"{FSI}بِسْمِ{PDI}" in out
    for shown in out.splitlines():
        assert sum(map(shown.count, (FSI, LRI, RLI))) == shown.count(PDI)
    assert f"{RLI}[-{FSI}بِسْمِ{PDI}-]{{+{FSI}بِسْمُ{PDI}+}}{FSI} اللَّهِ{PDI}{PDI}" in out
    out = run("Kıyı/1/p5", "Kıyı/1/p6")[1]
    assert "differs only in normalisation" in out
    assert "left is in NFC, right in NFD" in out
    out = run("Kıyı/1/p7", "Kıyı/1/p8")[1]
    assert "differs only in invisible characters" in out
    assert "bu⟨U+200C⟩dur" in out
    assert "U+200C ZERO WIDTH NON-JOINER" in out
    out = run("Kıyı/1/p9", "Kıyı/1/p10")[1]
    assert "\u202e" not in out
    assert "⟨U+202E⟩" in out
    out = run("Kıyı/1/p10", "Kıyı/1/p11")[1]
    assert "the same, byte for byte" in out
    assert "\x1b" not in out


@pytest.mark.parametrize(
    ("left", "right", "kinds"),
    [
        ("a", "a", ()),
        ("Işık", "ışık", ("case",)),
        ("İstanbul", "istanbul", ("case",)),
        ("In it", "in it", ("case",)),
        ("Kur'an", "Kuran", ("apostrophes",)),
        ("Kur'an", "Kur’an", ("apostrophes",)),
        (".", "!", ("punctuation",)),
        (", ", "; ", ("punctuation",)),
        ("Nursî", "Nursi", ("diacritics",)),
        ("بِسْمِ", "بسم", ("diacritics",)),
        ("Nursî", "Nursi\u0302", ("normalisation",)),
        ("bu\u00addur", "budur", ("invisible characters",)),
        ("❤\ufe0f", "❤", ("invisible characters",)),
        ("a\u00a0b", "a b", ("invisible characters",)),
        ("a  b", "a b", ("spaces",)),
        ("1506. Mektup", "1507. Mektup", ("numerals",)),
        ("Kur'an!", "kur’an.", ("apostrophes", "punctuation", "case")),
        ("gemi", "sandal", ("words",)),
        ("", "gemi", ("words",)),
        ("", ",", ("punctuation",)),
    ],
)
def test_kinds_of_change(left: str, right: str, kinds: tuple[str, ...]) -> None:
    assert kinds_between(left, right) == kinds or set(kinds_between(left, right)) == set(kinds)
    assert set(kinds_between(right, left)) == set(kinds)


def test_every_match_of_a_line_is_counted() -> None:
    """Field row 61: two matches on one line, and a third between them."""
    sides = [
        Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(text.encode()))
        for text in ("su akar ve taş durur ve su akar", "su akar da taş durur da su akar")
    ]
    changes = changes_of(diff_of(*sides))
    equal = [change.before for change in changes if change.op == "equal"]
    assert equal == ["su akar ", "taş durur", " su akar"]
    found = summary_of(changes)
    assert found["words"] == {"equal": 6, "moved": 0, "left_only": 2, "right_only": 2}
    assert found["said"] == "differs in words"


def test_changed_spaces_and_line_ends_are_drawn() -> None:
    sides = [
        Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(text.encode()))
        for text in ("gemi\nkıyı bir  iki", "gemi kıyı bir iki")
    ]
    made = diff_of(*sides)
    lines = list(marked_passage(changes_of(made), colour=False))
    assert len(lines) == 1
    assert f"{{~{FSI}↵→␣{PDI}~}}" in lines[0]
    assert f"{{~{FSI}␣␣→␣{PDI}~}}" in lines[0]


@pytest.mark.parametrize(
    ("left", "right", "shown"),
    [
        ("gün sarı gemi batı", "gün mavi gemi batı", "gün [-sarı-]{+mavi+} gemi batı"),
        ("x bir iki y", "z bir iki", "[-x-]{+z+} bir iki[- y-]"),
        ("su akar durur", "su hep akar durur", "su {+hep +}akar durur"),
        ("su hızlı, aktı", "su aktı", "su [-hızlı, -]aktı"),
    ],
)
def test_spaces_on_both_sides_of_a_replacement_stand_outside_its_marks(
    left: str, right: str, shown: str
) -> None:
    sides = [
        Endpoint(b"\x11" * 16, None, b"w" * 32, "full_context_v1", units_of(text.encode()))
        for text in (left, right)
    ]
    [line] = marked_passage(changes_of(diff_of(*sides)), colour=False)
    assert line.replace(FSI, "").replace(PDI, "") == f"  ┃ {shown}"


def test_what_a_mask_hides_is_not_called_the_same_bytes() -> None:
    """Two masks of a kind are equal whatever they hide: the summary claims no equal bytes."""
    ends = [
        Endpoint(bytes(16), None, bytes(32), "prose_only_v1", units_of(text, boundaries=mask))
        for text, mask in ((text, [(3, 6, "note_marker")]) for text in (b"bir[1] iki", b"bir[2] iki"))
    ]
    said = summary_of(changes_of(diff_of(*ends)))["said"]
    assert said == "the same under this profile: bytes differ only in what it masks"
    assert "byte for byte" in summary_of(changes_of(diff_of(ends[0], ends[0])))["said"]
