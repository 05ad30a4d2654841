"""The reading verbs as a user runs them: show, classes, coverage, diff-artifacts."""

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.errors import EXIT_STATUS
from tekrar.view.plain import FSI, PDI
from tests.unit.reading_corpus import ARABIC, built, garden, without

Paths = tuple[Path, Path]
Run = Callable[..., tuple[int, str, str]]
INTEGRITY, NOT_FOUND, USAGE = (EXIT_STATUS[c][0] for c in ("integrity_error", "not_found", "usage_error"))


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> Paths:
    return built(garden(), tmp_path_factory.mktemp("garden"))


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def words(*given: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([str(word) for word in given])
        told = capsys.readouterr()
        return status, told.out, told.err

    return words


@pytest.fixture
def show(run: Run, paths: Paths) -> Callable[..., Any]:
    def answers(query: str, *more: str) -> Any:
        status, out, _ = run("show", paths[0], query, "--release", paths[1], "--json", *more)
        assert status == 0
        return json.loads(out.splitlines()[-1])["answers"]

    return answers


@pytest.mark.req("DOM-07", "QRY-01")
def test_show_answers_a_dominated_run_and_its_dominator(show: Callable[..., Any]) -> None:
    full, prose = show("Bahçe/2:2+2")
    assert [full["profile"], prose["profile"]] == ["FS", "PS"]
    assert (full["status"], full["presentation"]) == ("matched", "dominated")
    by = full["class"]["dominated_by"]
    (winner,) = show(by["class_id"])
    assert (winner["presentation"], winner["class"]["length"]) == ("published", 4)
    assert winner["class"]["members"][0]["address"] == "Bahçe/1:2+4"
    (again,) = show(full["occurrence"]["id"])
    assert again == full


@pytest.mark.req("PRO-04")
def test_show_answers_not_covered(show: Callable[..., Any], run: Run, paths: Paths) -> None:
    (answer,) = show("Bahçe/2:1+13")
    assert answer["status"] == "not_covered"
    status, out, _ = run("show", paths[0], "Bahçe/2:1+1", "--release", paths[1])
    assert status == 0
    assert "not_covered" in out
    assert "unique" not in out


def test_show_qualifies_unique(run: Run, paths: Paths) -> None:
    _, out, _ = run("show", paths[0], "Yol/1/p2", "--release", paths[1])
    fp, pp = out.split("status         ")[1:]
    assert fp.startswith("unique")
    assert pp.startswith("matched, published")
    assert "FP  full_context_v1/whole_paragraph_v1/exact_passage_bytes" in fp
    assert out.startswith("release        ")


def test_show_tells_unknown_things_apart(run: Run, paths: Paths) -> None:
    artifact, release = paths
    for query, status, kind in (
        ("2f1c0c62-6f3e-5d0a-9c33-0f6f7f2b9a11", NOT_FOUND, "unknown_id"),
        ("Dağ/1:1+2", NOT_FOUND, "no_such_book"),
        ("Bahçe/9:1+2", NOT_FOUND, "no_such_place"),
        ("kuyu", USAGE, "not_a_uuid"),
        ("Bahçe/1", USAGE, "bad_address"),
    ):
        found, out, err = run("show", artifact, query, "--release", release, "--json")
        assert (found, json.loads(out)["error"]["kind"]) == (status, kind)
        assert "Traceback" not in err
        assert json.loads(out)["error"]["mend"]
    expected = json.loads(run("show", artifact, "kuyu", "--release", release, "--json")[1])["error"][
        "expected"
    ]
    for form in ("book/chapter:start+length", "book/chapter/pN", "occurrence or class ID"):
        assert form in expected
    out = run("show", artifact, "Bahçe/1:2+2", "--release", release, "--profile", "XX", "--json")[1]
    assert "--profile FS" in json.loads(out)["error"]["mend"]
    assert run("show", artifact, "Bahçe/1:2+2", "--release", release, "--profile", "XX")[0] == USAGE
    assert run("show", artifact, "Bahçe/1:2+2", "--release", release, "--context", "-1")[0] == USAGE


def test_prove_takes_an_address_as_show_does(
    run: Run, paths: Paths, show: Callable[..., Any], tmp_path: Path
) -> None:
    artifact, release = paths
    (answer,) = show("Bahçe/1:2+2", "--profile", "FS")
    asked = ("prove", artifact, "Bahçe/1:2+2", "--release", release)
    status, out, _ = run(*asked, "--profile", "FS")
    assert (status, json.loads(out)["occurrence"]) == (0, answer["occurrence"]["id"])
    for words, wanted, kind in (
        (asked, USAGE, "several_occurrences"),
        ((*asked[:2], "Bahçe/1:2+1", *asked[3:]), NOT_FOUND, "not_covered"),
        (("prove", artifact, answer["class"]["class_id"]), USAGE, "class_not_occurrence"),
        (("prove", artifact, answer["occurrence"]["id"], "--profile", "FS"), USAGE, ""),
        (("check-proof", tmp_path, "--root", "aa"), USAGE, "not_a_root"),
    ):
        status, out, _ = run(*words, "--json")
        error = json.loads(out)["error"]
        assert (status, error["kind"]) == (wanted, kind)
        assert error["mend"]


def test_a_report_that_exists_is_replaced_by_force_only(run: Run, paths: Paths, tmp_path: Path) -> None:
    page = tmp_path / "report.html"
    page.write_bytes(b"mine")
    status, out, _ = run("report", paths[0], "--release", paths[1], "--out", page, "--json")
    assert status == USAGE
    assert "--force" in json.loads(out)["error"]["mend"]


@pytest.mark.req("COV-11")
def test_show_ends_with_an_integrity_error_where_a_row_is_missing(
    run: Run, paths: Paths, tmp_path: Path
) -> None:
    artifact, release = paths
    broken = without(artifact, tmp_path / "broken", table="FP/evaluated-unique", row=0)
    status, out, _ = run("show", broken, "Bahçe/1/p1", "--release", release, "--profile", "FP", "--json")
    (answer,) = json.loads(out)["answers"]
    assert (status, answer["status"], answer["class"]) == (INTEGRITY, "integrity_error", None)
    status, out, _ = run("show", broken, "Bahçe/1/p1", "--release", release, "--profile", "FP")
    assert status == INTEGRITY
    assert "status         integrity_error" in out
    assert "status         unique" not in out


def test_show_prints_every_member_with_exact_text_between_isolates(run: Run, paths: Paths) -> None:
    _, out, _ = run("show", paths[0], "Yol/2/p1", "--release", paths[1], "--profile", "FP")
    assert out.count(f"┃ {FSI}{ARABIC}{PDI}") == 3
    assert out.count("member ") == 2
    assert f"… {FSI}Su[2] az.{PDI}" in out
    _, marked, _ = run("show", paths[0], "Yol/2/p1", "--release", paths[1], "--show-invisible")
    assert "الباب⟨U+200C⟩مفتوح." in marked
    assert "\u200c" not in marked


@pytest.mark.req("QRY-01")
def test_classes_lines_for_programs(run: Run, paths: Paths) -> None:
    status, out, err = run("classes", paths[0], "--release", paths[1], "--json", "--status", "all")
    records = [json.loads(line) for line in out.splitlines()]
    assert (status, err) == (0, "")
    _, told, _ = run("coverage", paths[0], "--json")
    counts = {p["profile"]: p["counts"]["discovered_classes"] for p in json.loads(told)["profiles"]}
    assert counts == {short: sum(r["profile"] == short for r in records) for short in counts}
    members = {p["profile"]: p["counts"]["matched"] for p in json.loads(told)["profiles"]}
    assert members == {s: sum(r["size"] for r in records if r["profile"] == s) for s in members}
    paged: list[str] = []
    for page in range(1, 20):
        _, some, _ = run(
            "classes",
            paths[0],
            "--release",
            paths[1],
            "--json",
            "--status",
            "all",
            "--page",
            page,
            "--page-size",
            3,
        )
        paged += some.splitlines()
    assert paged == out.splitlines()


def test_classes_pages_for_people(run: Run, paths: Paths) -> None:
    status, out, _ = run("classes", paths[0], "--release", paths[1], "--profile", "FS", "--page-size", 2)
    assert status == 0
    assert out.count("published  ") == 2
    assert f"{FSI}Bahçe/1:2+4{PDI}  {FSI}Bahçe/2:1+4{PDI}" in out
    assert "page 1 of 2: 3 classes; next: --page 2" in out
    assert "FS: 3 chosen of 3 published, 3 dominated, 0 provisional" in out
    assert "no class" not in out
    _, one, _ = run("classes", paths[0], "--release", paths[1], "--profile", "FS", "--min-length", 4)
    assert "page 1 of 1: 1 class\n" in one


def test_a_partial_profile_lists_its_provisional_groups(run: Run, tmp_path: Path) -> None:
    """AMB-22: a partial profile publishes nothing; its groups are shown, and an empty listing says why."""
    (tmp_path / "later").write_text("Bahçe/1:2+2\n", "utf-8")
    artifact, release = built(garden(), tmp_path, "--defer", str(tmp_path / "later"))
    _, out, err = run("classes", artifact, "--release", release, "--profile", "FS", "--json")
    groups = [json.loads(line) for line in out.splitlines()]
    _, told, _ = run("coverage", artifact, "--profile", "FS", "--json")
    counts = json.loads(told)["profiles"][0]["counts"]
    assert len(groups) == counts["provisional_groups"] > 0 == counts["published_classes"]
    assert {(g["status"], g["class_id"]) for g in groups} == {("provisional", None)}
    assert err == ""
    _, both, _ = run("classes", artifact, "--release", release, "--json", "--quiet")
    statuses = {(r["profile"], r["status"]) for r in map(json.loads, both.splitlines())}
    assert statuses >= {("FP", "published"), ("FS", "provisional")}
    for more in (["--status", "published"], ["--min-length", "12"]):
        words = ("classes", artifact, "--release", release, "--profile", "FS", "--quiet", *more)
        for form in ([], ["--json"]):
            status, out, err = run(*words, *form)
            assert (status, out) == (0, "")
            assert f"provisional groups of partial profiles: FS {counts['provisional_groups']}" in err


@pytest.mark.req("PRO-04", "COV-12", "COV-13", "COV-14", "QRY-01")
def test_coverage_names_enumerators_and_keeps_exact_and_semantic_apart(run: Run, paths: Paths) -> None:
    status, out, _ = run("coverage", paths[0], "--json")
    assert status == 0
    profiles = json.loads(out)["profiles"]
    for profile in profiles:
        counts, exact = profile["counts"], profile["exact"]
        assert profile["enumerator"] in ("whole_paragraph_v1", "sentence_run_2_12_v1")
        parts = ("matched", "evaluated_unique", "excluded", "failed", "not_evaluated")
        assert profile["universe"] == counts["emitted"] == sum(counts[p] for p in parts)
        assert exact["enumerator_inventory"] == counts["emitted"] + counts["enumeration_exclusions"]
        assert (exact["status"], profile["semantic"]) == ("complete", {"status": "not_assessed"})
    assert profiles[3]["universe"] == sum(max(0, n - k + 1) for n in (6, 6, 6, 2) for k in range(2, 13))
    _, told, _ = run("coverage", paths[0])
    assert "exact      complete" in told
    assert "semantic   not_assessed" in told


@pytest.mark.req("PRO-04")
def test_another_granularity_is_not_covered(run: Run, paths: Paths) -> None:
    for token in ("bounded-span", "bounded_span", "sentence"):
        status, out, _ = run("coverage", paths[0], "--granularity", token, "--json")
        record = json.loads(out)
        assert (status, record["status"], record["profiles"]) == (0, "not_covered", [])
        _, told, _ = run("coverage", paths[0], "--granularity", token)
        assert "not covered" in told
        assert "unique" not in told
    _, out, _ = run("coverage", paths[0], "--granularity", "whole_paragraph", "--json")
    assert [p["profile"] for p in json.loads(out)["profiles"]] == ["FP", "PP"]


def test_diff_artifacts(run: Run, paths: Paths, tmp_path: Path) -> None:
    other, release = built(garden(marked=False), tmp_path)
    status, out, _ = run("diff-artifacts", paths[0], paths[0])
    assert status == 0
    assert "equal: the same inputs and the same results" in out
    both = ("diff-artifacts", paths[0], other, "--release-a", paths[1], "--release-b", release)
    status, out, _ = run(*both, "--json")
    *changes, summary = [json.loads(line) for line in out.splitlines()]
    assert status == 0
    assert (summary["equal"], summary["causes"][0]["what"]) == (False, "dataset")
    gone = [c for c in changes if c["profile"] == "PP"]
    assert [(c["change"], c["a"]["text"], c["a"]["address"]) for c in gone] == [
        ("gone", "Su[1] az.", "Yol/1/p2")
    ]
    _, out, _ = run(*both)
    assert "first reason: the same text with another dataset of note-markers" in out
    assert "2 occurrences: matched in A, evaluated-unique in B" in out
    assert f"{FSI}Yol/1/p2{PDI}" in out
    _, out, _ = run("diff-artifacts", paths[0], other, "--profile", "PS", "--limit", 0)
    assert re.search(r"bytes \d+\.\.\d+", out)
    assert run("diff-artifacts", paths[0], other, "--release-a", tmp_path)[0] == INTEGRITY
    assert run("diff-artifacts", paths[0], other, "--limit", -1)[0] == USAGE


def test_an_altered_file_is_found_before_anything_is_shown(run: Run, paths: Paths, tmp_path: Path) -> None:
    copy, _ = built(garden(), tmp_path)
    objects = sorted((copy / "objects").iterdir(), key=lambda p: p.stat().st_size)
    data = bytearray(objects[-1].read_bytes())
    data[len(data) // 2] ^= 1
    objects[-1].write_bytes(bytes(data))
    for words in (["coverage", copy], ["classes", copy], ["show", copy, "Bahçe/1/p1", "--release", paths[1]]):
        status, out, err = run(*words)
        assert (status, out) == (INTEGRITY, "")
        assert objects[-1].name in err


def test_output_is_utf8_in_a_locale_without_it(paths: Paths) -> None:
    program = "import sys; from tekrar.cli import main; sys.exit(main())"
    words = [sys.executable, "-c", program, "show", str(paths[0]), "Yol/1/p1", "--release", str(paths[1])]
    done = subprocess.run(words, capture_output=True, env={"LC_ALL": "C", "PYTHONUTF8": "0"}, check=True)
    assert ARABIC in done.stdout.decode("utf-8")


@pytest.mark.shared
def test_the_shared_books_are_listed_whole(run: Run, shared_dir: Path, tmp_path: Path) -> None:
    """One real book: every class listed, counted and placed; its bytes are those of its members."""
    source = min((shared_dir / "corpora" / "risale-docx").glob("*.jsonl*"), key=lambda p: p.stat().st_size)
    release, artifact = tmp_path / "r", tmp_path / "a"
    assert run("import", source, "--out", release, "--language", "tr", "--quiet")[0] == 0
    assert run("build", release, "--out", artifact, "--quiet")[0] == 0
    _, out, _ = run("classes", artifact, "--release", release, "--json", "--status", "all")
    records = [json.loads(line) for line in out.splitlines()]
    _, told, _ = run("coverage", artifact, "--json")
    for profile in json.loads(told)["profiles"]:
        mine = [r for r in records if r["profile"] == profile["profile"]]
        assert len(mine) == profile["counts"]["discovered_classes"]
        assert sum(r["size"] for r in mine) == profile["counts"]["matched"]
    assert run("reconstruct", release, "--out", tmp_path / "text", "--quiet")[0] == 0
    text = (tmp_path / "text").read_bytes()
    paragraphs = [json.loads(line) for line in _lines(source)]
    by_ord = {row["ord"]: row["text"].encode() for row in paragraphs}
    full = [r for r in records if r["profile"] in ("FP", "FS")]
    assert full
    for record in full:
        assert len({text[m["start"] : m["end"]] for m in record["members"]}) == 1
        for m in record["members"]:
            if m["ord"] == m["end_ord"]:
                assert by_ord[m["ord"]][m["para_start"] : m["para_end"]] == text[m["start"] : m["end"]]


def _lines(source: Path) -> list[str]:
    import gzip

    data = gzip.decompress(source.read_bytes()) if source.suffix == ".gz" else source.read_bytes()
    return [line for line in data.decode().splitlines() if line.strip()]
