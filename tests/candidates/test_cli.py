"""`tekrar candidates` as it is typed: actions, options, errors."""

import json
from pathlib import Path
from typing import Any

import pytest

from tekrar.candidates.stored import open_stored
from tekrar.cli import main
from tekrar.cli.candidates import as_given
from tests.candidates.conftest import BOOKS, Place, built

BUILD = ["build", "a", "--out", "c"]


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        (["a", "--out", "c"], BUILD),
        (BUILD, BUILD),
        (["--out", "c", "a"], ["build", "--out", "c", "a"]),
        (["--json", "a", "--out", "c"], ["--json", *BUILD]),
        (["--quiet", "list", "c"], ["--quiet", "list", "c"]),
        (["./list", "--out", "c"], ["build", "./list", "--out", "c"]),
        (["build", "list", "--out", "c"], ["build", "list", "--out", "c"]),
        (["list", "c"], ["list", "c"]),
        (["--help"], ["--help"]),
        ([], []),
    ],
)
def test_an_artifact_alone_means_build(given: list[str], meant: list[str]) -> None:
    assert as_given(given) == meant


def run(capsys: pytest.CaptureFixture[str], *given: object) -> tuple[int, str, str]:
    status = main(["candidates", *map(str, given)])
    out = capsys.readouterr()
    return status, out.out, out.err


def listed(capsys: pytest.CaptureFixture[str], *given: object) -> list[dict[str, Any]]:
    status, out, _ = run(capsys, "list", *given, "--json")
    assert status == 0
    return [json.loads(line) for line in out.splitlines()][:-1]


def test_list_pages_and_chooses(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    package = harbour.candidates
    every = listed(capsys, package)
    paged = [listed(capsys, package, "--page", n, "--page-size", 1)[0] for n in range(1, len(every) + 1)]
    assert paged == every
    assert listed(capsys, package, "--page", len(every) + 1, "--page-size", 1) == []
    for disposition in {line["disposition"] for line in every}:
        found = listed(capsys, package, "--disposition", disposition)
        assert found == [line for line in every if line["disposition"] == disposition]
    assert listed(capsys, package, "--kind", "group") == [line for line in every if "places" in line]
    assert listed(capsys, package, "--book", "liman") == [
        line for line in every if "liman" in (line["left"]["book"], line["right"]["book"])
    ]
    sizes = sorted({line["metrics"]["equal_tokens"]["value"] for line in every})
    # Report 29: a bound is met at it, and just below and above it.
    for least in (sizes[0] - 1, sizes[0], sizes[-1], sizes[-1] + 1):
        found = listed(capsys, package, "--min-words", least)
        assert found == [line for line in every if line["metrics"]["equal_tokens"]["value"] >= least]
    scores = sorted(line["metrics"]["score"]["value"] for line in every)
    assert len(listed(capsys, package, "--min-score", scores[-1])) == scores.count(scores[-1])
    assert listed(capsys, package, "--min-score", scores[-1] + 1) == []


def test_a_page_past_the_end_is_said_to_be_none(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list", harbour.candidates, "--page", 99)
    assert status == 0
    assert out.startswith("there is no page 99, the last is page 1: 0 of ")
    status, out, _ = run(capsys, "list", harbour.candidates, "--page", 99, "--json")
    assert {key: json.loads(out)[key] for key in ("listed", "pages")} == {"listed": 0, "pages": 1}
    assert main(["classes", str(harbour.artifact), "--page", "99"]) == 0
    assert "there is no page 99, the last is page 1: " in capsys.readouterr().out


def test_formulas_are_marked_and_can_be_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Report 28: trivial identical formulas out of sight by a toggle; only what is listed changes."""
    formula = "Ey tarlasını bekleyen sabırlı komşularım"
    parts = [f"{formula}! {' '.join(f'Söz{n}kök{k}' for k in range(9))}." for n in range(40)]
    place = built(tmp_path / "corpus", {"tarla": parts, "liman": BOOKS["liman"], "kıyı": BOOKS["tarla"]})
    assert main(["candidates", str(place.artifact), "--out", str(place.candidates), "--quiet"]) == 0
    capsys.readouterr()
    every = listed(capsys, place.candidates, "--page-size", 1000)
    groups = [line for line in every if "places" in line]
    assert [len(line["places"]) for line in groups] == [40]
    status, out, _ = run(capsys, "list", place.candidates, "--kind", "group")
    assert status == 0
    assert "a formula, 40 places" in out
    kept = listed(capsys, place.candidates, "--not-kind", "group", "--page-size", 1000)
    assert kept == [line for line in every if line not in groups]
    assert kept
    assert listed(capsys, place.candidates, *(w for k in ("group", "pair") for w in ("--not-kind", k))) == [
        line for line in kept if line["metrics"].get("segments")
    ]
    root = open_stored(place.candidates).root
    status, out, _ = run(capsys, "export", place.candidates, "--not-kind", "group")
    assert [json.loads(line) for line in out.splitlines()] == kept
    assert open_stored(place.candidates).root == root


def test_counts_are_the_list(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    status, out, _ = run(capsys, "list", harbour.candidates, "--json", "--page-size", 2)
    assert status == 0
    *lines, last = [json.loads(line) for line in out.splitlines()]
    assert last["listed"] == len(lines) == 2
    assert last["chosen"] == len(listed(capsys, harbour.candidates)) == last["pending"]


def test_show_says_why_and_shows_both_sides(harbour: Place, capsys: pytest.CaptureFixture[str]) -> None:
    every = listed(capsys, harbour.candidates)
    quotation = next(line for line in every if line["disposition"] == "probable_quotation")
    status, out, _ = run(capsys, "show", harbour.candidates, quotation["id"])
    assert status == 0
    for wanted in (
        "probable_quotation: one side stands in quotation marks",
        "probably right quotes left",
        "liman/1/p2",
        "equal_tokens.1 = 11  [tokens]",
        "differs only in",
    ):
        assert wanted in out
    status, out, _ = run(capsys, "show", harbour.candidates, quotation["rank"], "--json")
    record = json.loads(out)
    assert {key: record[key] for key in quotation} == quotation
    assert record["why"]
    assert record["diff"]["operations"]
    assert len(record["texts"]) == 2
    status, out, _ = run(capsys, "show", harbour.candidates, "1", "--no-diff")
    assert (status, "operations" in out) == (0, False)


@pytest.mark.parametrize(
    ("given", "kind"),
    [
        (("show", "{c}", "0"), "no_such_candidate"),
        (("show", "{c}", "999"), "no_such_candidate"),
        (("show", "{c}", "11111111-2222-5333-8444-555555555555"), "no_such_candidate"),
        (("show", "{c}", "x"), "not_a_uuid"),
        (("list", "{c}", "--book", "yok"), "no_such_book"),
        (("list", "{c}", "--disposition", "accepted"), "bad_arguments"),
        (("list", "{c}", "--page", "0"), "bad_arguments"),
        (("mark", "{c}", "1", "accepted", "--as", "Ege"), "bad_arguments"),
        (("mark", "{c}", "1", "uncertain"), "author_needed"),
        (("{a}",), "bad_arguments"),
        ((), "bad_arguments"),
    ],
)
def test_errors_are_typed(
    harbour: Place,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    given: tuple[str, ...],
    kind: str,
) -> None:
    monkeypatch.delenv("TEKRAR_ACTOR", raising=False)
    places = {"c": harbour.candidates, "a": harbour.artifact}
    status, _, err = run(capsys, *(word.format(**places) for word in given))
    assert status not in (0, 1)
    assert f"/{kind}]" in err
    assert "Traceback" not in err


def test_an_export_never_replaces_a_file(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "mine"
    file.write_text("mine")
    status, _, err = run(capsys, "export", harbour.candidates, "--out", file)
    assert (status, file.read_text()) == (2, "mine")
    assert "target_exists" in err


def test_without_a_release_beside_it_one_is_asked_for(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shutil

    shutil.copytree(harbour.candidates, tmp_path / "alone")
    status, _, err = run(capsys, "list", tmp_path / "alone")
    assert status == 2
    assert "release_needed" in err
    assert run(capsys, "list", tmp_path / "alone", "--release", harbour.release)[0] == 0


def test_the_command_that_comes_next_runs(
    harbour: Place, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    import shlex

    places = {"beside": harbour.folder / "more", "elsewhere": tmp_path / "more"}
    for name, out in places.items():
        status, said, _ = run(capsys, harbour.artifact, "--release", harbour.release, "--out", out)
        assert status == 0
        told = next(line for line in said.splitlines() if line.startswith("next: tekrar candidates "))
        assert ("--release" in told) == (name == "elsewhere")
        assert run(capsys, *shlex.split(told)[3:])[0] == 0
    import shutil

    shutil.rmtree(places["beside"])


def test_the_wait_for_compiling_is_said(
    harbour: Place, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """A first run compiles for longer than it works: it says so, unless silence was asked for."""
    from tekrar.discover import compiled

    monkeypatch.setattr(compiled, "told", [])
    words = ["find", str(harbour.artifact), "--text", "gemi"]
    for options, silent in (([], False), (["--quiet"], True), (["--json"], True)):
        assert main([*words, *options]) == 0
        capsys.readouterr()
        for tell in compiled.told:
            tell(Path("kept"))
        assert ("compiling inner loops" in capsys.readouterr().err) != silent
