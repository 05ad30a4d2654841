"""Arguments that no command can use: empty paths, numbers out of bounds, the root folder as a target."""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import pytest

from tekrar.cli import VERBS, main, verb_module, verb_parser
from tekrar.cli.arguments import number, path
from tekrar.errors import UsageError
from tekrar.settings import MAX_WORKERS, read_settings
from tests.unit.reading_corpus import garden, imported


def refused(words: list[str], capsys: pytest.CaptureFixture[str]) -> dict[str, str]:
    """The error of a command that is wrong in its words."""
    capsys.readouterr()
    assert main([*words, "--json"]) == 2
    error: dict[str, str] = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert error["mend"]
    return error


@pytest.mark.parametrize(
    "words",
    [
        ["build", "", "--out", "a"],
        ["build", "r", "--out", ""],
        ["build", "r", "--out", "a", "--defer", ""],
        ["check-proof", "", "--root", "0" * 64],
        ["classes", ""],
        ["coverage", ""],
        ["demo", "--out", ""],
        ["diff-artifacts", "", "b"],
        ["diff-artifacts", "a", "b", "--release-b", ""],
        ["import", "", "--out", "r"],
        ["import", "s", "--out", ""],
        ["import", "s", "--out", "r", "--order", ""],
        ["prove", "", "id"],
        ["prove", "a", "id", "--out", ""],
        ["reconstruct", ""],
        ["report", "", "--out", "f"],
        ["report", "a", "--out", ""],
        ["show", "", "b/1/p1"],
        ["show", "a", "b/1/p1", "--release", ""],
        ["verify", ""],
    ],
)
def test_an_empty_path_is_refused_and_never_the_current_folder(
    words: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert "empty path" in refused(words, capsys)["message"]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("verb", VERBS)
def test_no_verb_takes_a_bare_path_or_an_unbounded_number(verb: str) -> None:
    parser = verb_parser(verb, verb_module(verb))
    kinds = {action.type for action in parser._actions}
    assert not kinds & {Path, int}


@pytest.mark.parametrize(
    "words",
    [
        ["build", "r", "--out", "a", "--workers", "99999999"],
        ["build", "r", "--out", "a", "--workers", str(MAX_WORKERS + 1)],
        ["build", "r", "--out", "a", "--workers", "-1"],
        ["build", "r", "--out", "a", "--batch", "0"],
        ["build", "r", "--out", "a", "--batch", "9" * 30],
        ["show", "a", "b/1/p1", "--context", "-1"],
        ["show", "a", "b/1/p1", "--context", "9" * 5000],
        ["classes", "a", "--page", "0"],
        ["classes", "a", "--page", "9" * 30],
        ["classes", "a", "--page-size", "-1"],
        ["classes", "a", "--min-length", "-1"],
        ["classes", "a", "--max-length", "9" * 20],
        ["classes", "a", "--min-size", "-5"],
        ["classes", "a", "--max-size", "1_0"],
        ["diff-artifacts", "a", "b", "--limit", "-1"],
        ["diff-artifacts", "a", "b", "--limit", "x"],
    ],
)
def test_a_number_out_of_bounds_is_refused_with_its_bounds(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    error = refused(words, capsys)
    assert error["kind"] == "bad_arguments"
    assert words[-2] in error["message"]
    assert "no whole number from" in error["message"]
    assert len(error["message"]) < 200


def test_numbers_and_paths_are_read_as_given() -> None:
    assert [number(0, 5)(text) for text in ("0", "5", "05")] == [0, 5, 5]
    assert number(-1)("-1") == -1
    for text in ("", "-", "6", "²", " 1", "1 ", "+1", "--1"):
        with pytest.raises(argparse.ArgumentTypeError):
            number(0, 5)(text)
    assert path("a/b") == Path("a/b")
    with pytest.raises(argparse.ArgumentTypeError):
        path("a\0b")


def test_the_environment_has_the_same_bound_of_workers() -> None:
    assert read_settings({"TEKRAR_WORKERS": str(MAX_WORKERS)}).workers == MAX_WORKERS
    with pytest.raises(UsageError, match="TEKRAR_WORKERS"):
        read_settings({"TEKRAR_WORKERS": str(MAX_WORKERS + 1)})


@pytest.mark.parametrize("out", ["/", "/..", "."])
def test_a_folder_that_cannot_be_made_is_no_target(
    out: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    release = imported(garden(), tmp_path)
    before = sorted(tmp_path.rglob("*"))
    monkeypatch.chdir(tmp_path)
    for words, statuses in ((["build", str(release)], (2, 6)), (["import", "s"], (2,))):
        capsys.readouterr()
        assert main([*words, "--out", out, "--json"]) in statuses
        error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
        assert (error["kind"], bool(error["mend"])) == ("target_exists", True)
    assert sorted(tmp_path.rglob("*")) == before
