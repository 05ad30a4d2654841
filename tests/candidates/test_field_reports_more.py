"""Field reports from the command line: short units, memory, recall, collisions, sections, books, refrains."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import tekrar.build
from tekrar.cli import main
from tekrar.corpus.release_package import open_release
from tekrar.errors import EXIT_STATUS
from tests.candidates.conftest import Place, built
from tests.candidates.test_field_reports import NEAR, candidates, found, operations, structured
from tests.small import document, mark

Said = pytest.CaptureFixture[str]


def told(capsys: Said, *words: object) -> list[dict[str, Any]]:
    """The JSON lines of a verb that ends well."""
    capsys.readouterr()
    assert main([*map(str, words), "--json"]) == 0
    return [json.loads(line) for line in capsys.readouterr().out.splitlines()]


def marked(folder: Path, *texts: str) -> Place:
    """A paragraph a chapter, with every [1] and [2] a note marker."""
    source = document([[[text]] for text in texts])
    for one in ("[1]", "[2]"):
        source = mark(source, "note_markers", one)
    folder.mkdir(parents=True)
    place = Place(folder)
    (folder / "source.json").write_text(json.dumps(source))
    assert main(["import", str(folder / "source.json"), "--out", str(place.release), "--quiet"]) == 0
    assert main(["build", str(place.release), "--out", str(place.artifact), "--quiet"]) == 0
    return place


def test_row_02_short_units_are_listed_found_and_counted(tmp_path: Path, capsys: Said) -> None:
    place = structured(tmp_path / "corpus", [["Evet."], ["…"], ["Evet."], ["…"], [f"{NEAR}."]])
    lines = told(capsys, "classes", place.artifact, "--profile", "FP")
    assert [(line["size"], line["status"]) for line in lines] == [(2, "published")] * 2
    (counts,) = [
        row["counts"]
        for row in told(capsys, "coverage", place.artifact)[-1]["profiles"]
        if row["profile"] == "FP"
    ]
    assert (counts["emitted"], counts["matched"], counts["evaluated_unique"]) == (5, 4, 1)
    for text in ("Evet.", "…"):
        assert [hit["match"] for hit in found(place, text, capsys)] == ["exact"] * 2
    # what is exact is the artifact's matter: no pair of identical units is generated
    assert candidates(place, tmp_path / "c", capsys) == []


def test_row_19_memory_of_candidates_stays_bounded(tmp_path: Path) -> None:
    """A light form: 200,000 words of near paragraphs below 500 MB, in a process of its own."""
    draw = random.Random(7)
    vocabulary = [f"kelime{n}" for n in range(5_000)]
    paragraphs = [" ".join(draw.choices(vocabulary, k=40)) + "." for _ in range(4_000)]
    for at in range(0, 4_000, 4):
        paragraphs[at] = paragraphs[at + 1].replace("kelime1", "söz")
    place = built(tmp_path / "corpus", {"a": paragraphs})
    code = (
        "import sys\nfrom tekrar.cli import main\n"
        "assert main(['candidates', sys.argv[1], '--out', sys.argv[2], '--json']) == 0\n"
        "status = open('/proc/self/status').read()\n"
        "print(int(status.split('VmHWM:')[1].split()[0]))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, str(place.artifact), str(place.candidates)],
        capture_output=True,
        check=True,
        text=True,
    )
    record, kilobytes = done.stdout.splitlines()
    assert json.loads(record)["count"] >= 900
    assert int(kilobytes) < 500_000


def test_row_20_scores_are_recomputed_exactly(tmp_path: Path, capsys: Said) -> None:
    """No sketch's estimate is stated: Jaccard and containment are those of the two folded texts."""
    words = [f"kök{n}" for n in range(24)]
    texts = [" ".join(words), " ".join([*words[:20], "başka", *words[21:]])]
    for number, ending in enumerate(("", " dal", " dallar")):  # one letter more or less decides nothing
        place = structured(tmp_path / str(number), [[f"{text}{ending}."] for text in texts])
        (line,) = candidates(place, place.folder / "c", capsys)
        left, right = (
            [
                tuple(f"{text}{ending}".split()[at : at + 3])
                for at in range(len(f"{text}{ending}".split()) - 2)
            ]
            for text in texts
        )
        common = len(set(left) & set(right))
        metrics = {name: metric["value"] for name, metric in line["metrics"].items()}
        assert metrics["containment_left"] == [common, len(left)]
        assert metrics["containment_right"] == [common, len(right)]
        assert metrics["jaccard_3"] == [common, len(set(left) | set(right))]


@pytest.mark.req("EX-08", "EX-09")
def test_row_23_a_collision_is_a_failure_and_never_a_class(
    tmp_path: Path, capsys: Said, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Eight bits of a digest: what they cannot tell apart fails by name; no option turns the check off."""

    def eight_bits(purpose: str, data: bytes) -> bytes:
        return hashlib.sha256(data).digest()[:1] + bytes(31)

    place = structured(tmp_path / "corpus", [[f"a{n}.", f"b{n}."] for n in range(300)])
    whole = tekrar.build.build
    monkeypatch.setattr(tekrar.build, "build", lambda *w, **o: whole(*w, **{**o, "digest": eight_bits}))
    out = tmp_path / "forged"
    words = ["build", str(place.release), "--out", str(out), "--engine", "hashlib", "--json"]
    assert main(words) == EXIT_STATUS["integrity_error"][0]
    coverage = json.loads(capsys.readouterr().out.splitlines()[-1])["coverage"]
    for short in ("FP", "FS"):
        assert coverage[short]["failed"] > 0
        assert (coverage[short]["matched"], coverage[short]["exact_status"]) == (0, "partial")
    assert (
        told(capsys, "classes", out, "--release", place.release, "--profile", "FS", "--status", "all") == []
    )
    capsys.readouterr()
    main(["show", str(out), "a/1:1+2", "--release", str(place.release), "--profile", "FS", "--json"])
    answer = json.loads(capsys.readouterr().out)["answers"][0]
    assert (answer["status"], answer["code"]) == ("integrity_error", "digest_collision")


@pytest.mark.req("EX-03")
def test_row_31_what_two_texts_have_in_common_word_for_word(tmp_path: Path, capsys: Said) -> None:
    """A common run of words inside two other sentences is found with its exact extents."""
    common = NEAR[NEAR.index("önünde") :]
    texts = [f"Köyün eski {common}, dedi çoban.", f"Dün gördüm ki bizim {common} ve sonra yürüdü."]
    place = structured(tmp_path / "corpus", [[text] for text in texts])
    (line,) = candidates(place, tmp_path / "c", capsys)
    text = open_release(place.release).release.text
    for side in (line["left"], line["right"]):
        assert text[side["start"] : side["end"]].decode().rstrip(",") == common
    assert [hit["match"] for hit in found(place, common, capsys)] == ["exact", "exact"]
    sections = ["Ortak bir.", "Ortak iki.", "Ortak üç."]
    other = structured(tmp_path / "runs", [["Önce.", *sections], ["Giriş.", *sections, "Son."]])
    (run,) = told(capsys, "classes", other.artifact, "--release", other.release, "--profile", "FS")
    assert (run["length"], run["size"], run["status"]) == (3, 2, "published")


@pytest.mark.req("PRJ-08", "PRO-08")
def test_row_49_text_around_a_marker_is_never_adjacent(tmp_path: Path, capsys: Said) -> None:
    texts = ("Bu bir[1] tekrardır.", "Bu bir tekrardır.", "Bu bir[2] tekrardır.")
    place = marked(tmp_path / "corpus", *texts)
    (line,) = told(capsys, "classes", place.artifact, "--release", place.release, "--profile", "PP")
    assert [member["chapter_no"] for member in line["members"]] == [1, 3]
    rows = operations(place, capsys, "b1/1/p1", "b1/2/p1")
    assert {row["op"] for row in rows} != {"equal"}
    for pair, same in (((1, 3), True), ((1, 2), False)):
        words = [f"b1/{n}/p1" for n in pair]
        (record,) = told(
            capsys,
            "diff",
            *words,
            "--artifact",
            place.artifact,
            "--release",
            place.release,
            "--profile",
            "PP",
        )
        kinds = {row["op"] for row in record["operations"]}
        assert (kinds == {"equal"}) == same


def test_row_50_an_abbreviation_ends_no_sentence_and_the_segmenter_is_bound(
    tmp_path: Path, capsys: Said
) -> None:
    """Sentences are an input fact: the same bytes in other sentences are another release."""
    texts = ["M.Ö. 5. asırda… dedi. Bkz. IV. bölüm, s. 12.", "M.Ö. 5. asırda… dedi. Bkz. IV. bölüm, s. 12."]
    place = built(tmp_path / "corpus", {"a": texts})
    (line,) = told(capsys, "classes", place.artifact, "--release", place.release, "--profile", "FS")
    assert (line["length"], line["size"]) == (2, 2)
    (answer,) = told(capsys, "show", place.artifact, "a/1:1+2", "--release", place.release, "--profile", "FS")
    assert answer["answers"][0]["occurrence"]["text"] == texts[0]
    assert answer["answers"][0]["occurrence"]["before"] == ""
    given = tmp_path / "given"
    other = structured(given, [["M.Ö. ", "5. asırda… dedi."], ["M.Ö. ", "5. asırda… dedi."]])
    again = structured(tmp_path / "again", [["M.Ö.  5. asırda… dedi."], ["M.Ö.  5. asırda… dedi."]])
    opened = [open_release(one.release) for one in (place, other, again)]
    assert opened[1].release.text == opened[2].release.text
    assert len({one.id for one in opened}) == 3
    assert opened[1].release.segmenter == "source"
    assert opened[0].release.segmenter not in ("", "source")


def test_row_52_a_place_that_is_not_the_quotation_is_refused(tmp_path: Path, capsys: Said) -> None:
    """Offsets and the exact text are cross-checked: hidden white space moves no span in silence."""
    text = "Satır\n   içinde <i>gizli</i>\u00a0boşluk[1] vardır."
    source = mark(document([[[text]]]), "note_markers", "[1]")
    (span,) = source["annotations"]["note_markers"]
    for number, (shift, status) in enumerate(((0, 0), (1, 3), (-3, 3))):
        moved = {**span, "start": span["start"] + shift, "end": span["end"] + shift, "text": "[1]"}
        file = tmp_path / f"{number}.json"
        file.write_text(
            json.dumps({**source, "annotations": {**source["annotations"], "note_markers": [moved]}})
        )
        out = tmp_path / f"r{number}"
        assert main(["import", str(file), "--out", str(out), "--json"]) == status
        said = json.loads(capsys.readouterr().out.splitlines()[-1])
        assert out.exists() == (status == 0)
        if status:
            assert said["error"]["message"].startswith("the text is not what stands at bytes ")


@pytest.mark.req("CL-07")
def test_row_88_all_members_and_a_minus_b(tmp_path: Path, capsys: Said) -> None:
    """Lists by book: in one, in one and not in another; what a class or a candidate is stays the same."""
    only, both = "Yalnız bu kitapta iki kere geçer.", "İki kitapta da geçer."
    books = {
        "a": [only, both, only, f"{NEAR}.", f"{NEAR} bugün."],
        "b": [both, f"{NEAR} dün."],
        "c": ["Hiçbir söz ortak değil."],
    }
    place = built(tmp_path / "corpus", books)

    def sizes(*words: str) -> list[int]:
        lines = told(capsys, "classes", place.artifact, "--profile", "FP", "--sort", "order", *words)
        return [line["size"] for line in lines]

    assert sizes() == [2, 2]
    assert sizes("--book", "a") == [2, 2]
    assert sizes("--book", "b") == sizes("--not-book", "c", "--book", "b") == [2]
    assert sizes("--book", "a", "--not-book", "b") == [2]
    assert sizes("--not-book", "a") == []
    every = candidates(place, place.candidates, capsys)
    assert len(every) == 3

    def ids(*words: str) -> list[str]:
        return [line["id"] for line in told(capsys, "candidates", "list", place.candidates, *words)[:-1]]

    inside = [x["id"] for x in every if x["left"]["book"] == x["right"]["book"] == "a"]
    assert len(inside) == 1
    assert ids("--book", "a", "--not-book", "b") == ids("--not-book", "b") == inside
    assert ids("--book", "b", "--book", "c") == [x["id"] for x in every if x["id"] not in inside]
    assert ids("--book", "c") == []
    assert main(["candidates", "list", str(place.candidates), "--not-book", "yok"]) == 2
    assert main(["classes", str(place.artifact), "--not-book", "yok"]) == 5


@pytest.mark.req("PRO-14")
def test_row_89_a_refrain_twice_in_a_row_is_shown_as_one(tmp_path: Path, capsys: Said) -> None:
    place = structured(tmp_path / "corpus", [["Gel."], ["Gel."], ["Son."], ["Gel."]])
    words = ["show", str(place.artifact), "a/1/p1", "--release", str(place.release), "--profile", "FP"]
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.count("  repeated in a row") == 1
    assert "often a refrain, not an error" in out
    (record,) = told(capsys, *words)
    members = record["answers"][0]["class"]["members"]
    assert [member["adjacent"] for member in members] == [False, True, False]
    runs = structured(tmp_path / "runs", [["A.", "B.", "A.", "B.", "C.", "A.", "B."]])
    (record,) = told(capsys, "show", runs.artifact, "a/1:1+2", "--release", runs.release, "--profile", "FS")
    assert [m["adjacent"] for m in record["answers"][0]["class"]["members"]] == [False, True, False]
