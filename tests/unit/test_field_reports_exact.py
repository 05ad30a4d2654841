"""What users of neighbouring tools ran into: one test for each reported fault that touches exact repetition.

The number in a test's name is the row of the collection of reports.
"""

from __future__ import annotations

import hashlib
import os
import random
import subprocess
import sys
import time
import unicodedata
from pathlib import Path

import pytest

from tekrar.build import build
from tekrar.corpus.plaintext import import_text
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import SourceText
from tests.oracle.run import build_document, release_of
from tests.small import Built, document, in_books, mark

SAME = "Bu cümle tekrar edilir ve bulunmalıdır."


@pytest.mark.req("EN-11", "COV-12")
def test_row_01_a_tiny_corpus_says_what_it_found_and_why_not(tmp_path: Path) -> None:
    built = Built(document([[[SAME]], [[SAME]], [["Başka.", SAME]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/2/p1"})}
    assert built.rows("FP", "evaluated-unique") == {"b1/3/p1"}
    assert not built.classes("FS")
    coverage = built.artifact.manifest["profiles"]["FS"]["coverage"]
    assert (coverage["emitted"], coverage["evaluated_unique"]) == (1, 1)


@pytest.mark.req("PRO-19", "EN-02")
def test_row_02_short_units_are_never_skipped(tmp_path: Path) -> None:
    built = Built(document([[["Evet."], ["…"]], [["Evet."], ["…"]]]), tmp_path)
    assert len(built.classes("FP", published=True)) == 2
    assert built.rows("FP", "excluded") == set()


@pytest.mark.req("EN-02")
def test_row_05_a_unit_without_a_word_is_a_unit(tmp_path: Path) -> None:
    ornament = "•\u2002•\u2002•"
    built = Built(document([[["***"], [ornament]], [[ornament], [" "]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p2", "b1/2/p1"})}
    assert built.rows("FP", "evaluated-unique") == {"b1/1/p1", "b1/2/p2"}


@pytest.mark.req("REB-02")
def test_row_07_a_worker_with_nothing_to_do_breaks_nothing(tmp_path: Path) -> None:
    source = document([[["A.", "B."]], [["A.", "B."]], [["C."]]])
    built = Built(source, tmp_path, workers=8, batch=1)
    assert built.artifact.artifact_root == build_document(source).artifact_root


def test_row_08_two_one_line_files_are_wholly_equal_with_a_span(tmp_path: Path) -> None:
    data = b"evet"
    files = [SourceText(f"{n}.txt", data, hashlib.sha256(data).hexdigest(), len(data)) for n in "ab"]
    write_release(import_text(files, edition=None, language="tr", markdown=False), tmp_path / "r")
    result = build(tmp_path / "r", engine="hashlib")
    paragraphs = result.profiles[0]
    assert paragraphs.classes.groups.size.tolist() == [2]
    start, end = paragraphs.universe.start.tolist(), paragraphs.universe.end.tolist()
    assert list(zip(start, end, strict=True)) == [(0, 4), (4, 8)]


@pytest.mark.req("EN-03")
def test_row_10_empty_units_are_excluded_with_a_reason_and_cost_little(tmp_path: Path) -> None:
    empty: list[list[str]] = [[] for _ in range(10_000)]
    built = Built(document([[*empty, ["Gerçek."]]]), tmp_path)
    coverage = built.artifact.manifest["profiles"]["FP"]["coverage"]
    assert (coverage["emitted"], coverage["enumeration_exclusions"], coverage["matched"]) == (1, 10_000, 0)
    size = sum(p.stat().st_size for p in built.path.rglob("*") if p.is_file())
    assert size < 600_000


@pytest.mark.req("REB-02", "DOM-12", "VAL-04")
def test_row_13_the_order_of_visits_decides_nothing(tmp_path: Path) -> None:
    """Books keep their places whatever the order their files came in; spans whatever the order they are
    listed in."""
    source = mark(document([[["H.", f"{i % 7}.", "N.", "x[1]"]] for i in range(25)]), "headings", "H.")
    source = mark(mark(source, "note_bodies", "N."), "note_markers", "[1]")
    roots = set()
    for seed in range(20):
        shuffled = {
            kind: random.Random(seed).sample(spans, len(spans))
            for kind, spans in source["annotations"].items()
        }
        roots.add(build_document({**source, "annotations": shuffled}, batch=seed + 1).artifact_root)
    assert len(roots) == 1


@pytest.mark.req("REB-05")
def test_row_16_the_hash_seed_decides_nothing(tmp_path: Path) -> None:
    release = release_of(document([[["A.", "B.", "A."]], [["A.", "B."]]]), tmp_path / "r")
    code = "import sys; from tekrar.build import build; print(build(sys.argv[1]).artifact_root.hex())"
    told = {
        subprocess.run(
            [sys.executable, "-c", code, str(release)], capture_output=True, check=True,
            env={**os.environ, "PYTHONHASHSEED": seed},
        ).stdout
        for seed in ("0", "1", "random")
    }  # fmt: skip
    assert len(told) == 1


@pytest.mark.req("CL-07", "CL-01")
def test_row_17_four_thousand_equal_paragraphs_are_one_class_and_no_pairs(tmp_path: Path) -> None:
    built = Built(document([[["Aynı söz."]] * 4000]), tmp_path)
    profile = built.artifact.profile("FP")
    assert profile.classes["size"].tolist() == [4000]
    size = sum(p.stat().st_size for p in built.path.rglob("*") if p.is_file())
    assert size < 4000 * 26 * 64


def test_row_19_memory_stays_bounded(tmp_path: Path) -> None:
    """A light form of the report: 220 000 run occurrences under 400 MB in a process of its own."""
    draw = random.Random(3)
    source = document([[[f"{draw.randrange(4000)}." for _ in range(500)]] for _ in range(20)])
    release = release_of(source, tmp_path / "r")
    code = (
        "import sys\nfrom tekrar.build import build\n"
        "r = build(sys.argv[1], out=sys.argv[2])\n"
        "status = open('/proc/self/status').read()  # ru_maxrss would be the parent's before exec\n"
        "peak = int(status.split('VmHWM:')[1].split()[0])\n"
        "print(sum(c.emitted for c in r.coverage.values()), peak)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(release), str(tmp_path / "a")],
        capture_output=True,
        check=True,
        text=True,
    )
    occurrences, kilobytes = map(int, done.stdout.split())
    assert occurrences > 210_000
    assert kilobytes < 400_000


@pytest.mark.req("EX-08", "EX-09")
def test_row_23_verification_is_never_optional() -> None:
    def eight_bits(purpose: str, data: bytes) -> bytes:
        return hashlib.sha256(data).digest()[:1] + bytes(31)

    source = document([[[f"{c}{i}." for i in range(30)]] for c in "ab"])
    result = build_document(source, digest=eight_bits)
    for profile in result.profiles[1], result.profiles[3]:
        assert len(profile.partition.failed) > 0
        assert not len(profile.classes.groups)


@pytest.mark.req("EX-03", "DOM-02")
def test_row_31_what_two_texts_have_in_common_word_for_word(tmp_path: Path) -> None:
    common = ["Ortak bir.", "Ortak iki.", "Ortak üç.", "Ortak dört."]
    built = Built(
        in_books({"b1": [[["Önce.", *common, "Sonra."]]], "b2": [[["Giriş.", "Daha.", *common]]]}), tmp_path
    )
    assert built.classes("FS", published=True) == {frozenset({"b1/1:2+4", "b2/1:3+4"})}
    text = open_release(built.release).release.text
    profile = built.artifact.profile("FS")
    shown = {text[slice(*profile.extent(built.row("FS", a)))].decode() for a in ("b1/1:2+4", "b2/1:3+4")}
    assert shown == {" ".join(common)}


@pytest.mark.req("DOM-03", "OCC-05")
def test_row_32_overlapping_occurrences_follow_one_rule(tmp_path: Path) -> None:
    built = Built(document([[["A.", "B.", "A.", "B.", "A."]]]), tmp_path)
    assert built.classes("FS") == {
        frozenset({"b1/1:1+2", "b1/1:3+2"}), frozenset({"b1/1:2+2", "b1/1:4+2"}),
        frozenset({"b1/1:1+3", "b1/1:3+3"}),
    }  # fmt: skip
    assert built.classes("FS", published=True) == {frozenset({"b1/1:1+3", "b1/1:3+3"})}


@pytest.mark.req("EX-02")
def test_row_34_no_match_ends_inside_a_character(tmp_path: Path) -> None:
    built = Built(document([[["xş"], ["xŝ"], ["yğ"], ["yı"]]]), tmp_path)
    assert not built.classes("FP")
    text = open_release(built.release).release.text
    for address in built.addresses("FP"):
        low, high = built.artifact.profile("FP").extent(built.row("FP", address))
        text[low:high].decode()


@pytest.mark.req("EX-07", "EX-11", "EX-03")
def test_row_35_separator_and_marker_bytes_in_the_text_stay_text(tmp_path: Path) -> None:
    mask = "\x02\x00\x00\x00\x0bnote_marker"
    source = document(
        [
            [["A\x00\x00", "B"]],
            [["A", "\x00\x00B"]],
            [[f"A{mask}"]],
            [["A[1]"]],
            [["\x01\x00\x00\x00\x01A", "B"]],
        ],
        sep="",
        after="\x00\x00",
    )
    built = Built(mark(source, "note_markers", "[1]"), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/2/p1"})}
    assert not built.classes("FS")
    assert built.classes("PP") == {frozenset({"b1/1/p1", "b1/2/p1"})}


@pytest.mark.req("CORE-10")
def test_row_40_a_bom_is_source_bytes_and_shifts_nothing(tmp_path: Path) -> None:
    data = "\ufeffEvet.\n\nEvet.".encode()
    file = SourceText("a.txt", data, hashlib.sha256(data).hexdigest(), len(data))
    write_release(import_text([file], edition=None, language="tr", markdown=False), tmp_path / "r")
    assert open_release(tmp_path / "r").release.text == data
    paragraphs = build(tmp_path / "r", engine="hashlib").profiles[0]
    assert paragraphs.universe.start.tolist() == [3, 10]
    assert paragraphs.classes.groups.size.tolist() == [2]


@pytest.mark.req("EX-02", "EX-04", "EX-05")
def test_row_41_composed_and_decomposed_forms_are_distinct(tmp_path: Path) -> None:
    forms = [unicodedata.normalize(form, "Saîd Nursî.") for form in ("NFC", "NFD", "NFC")]
    built = Built(document([[[form]] for form in forms]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/3/p1"})}


@pytest.mark.req("PRJ-08", "PRO-08")
def test_row_49_text_around_a_marker_is_never_adjacent(tmp_path: Path) -> None:
    source = document([[["Bu bir[1] tekrardır."]], [["Bu bir tekrardır."]], [["Bu bir[2] tekrardır."]]])
    built = Built(mark(mark(source, "note_markers", "[1]"), "note_markers", "[2]"), tmp_path)
    assert built.classes("PP") == {frozenset({"b1/1/p1", "b1/3/p1"})}


@pytest.mark.req("CL-04")
def test_row_58_no_distance_stands_for_equality(tmp_path: Path) -> None:
    built = Built(document([[["capellas"], ["capellam"], ["capellan"], ["capellas"]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/1/p4"})}


@pytest.mark.req("PRO-14", "CL-07")
def test_row_89_a_refrain_twice_in_a_row_is_shown_as_it_stands(tmp_path: Path) -> None:
    built = Built(document([[["Gel."], ["Gel."], ["Son."]]]), tmp_path)
    assert built.classes("FP") == {frozenset({"b1/1/p1", "b1/1/p2"})}
    assert len(open_release(built.release).release.paragraph_sentences) == 3


def test_row_17_the_time_of_equal_paragraphs_is_linear() -> None:
    """Ten times the paragraphs take at most thirty times the time."""

    def cost(count: int) -> float:
        source = document([[["Aynı."]] * count])
        start = time.process_time()
        build_document(source)
        return time.process_time() - start

    cost(10)
    assert cost(5000) <= 30 * cost(500) + 0.2
