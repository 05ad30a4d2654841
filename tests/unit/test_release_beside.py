"""The text release an artifact is bound to is found beside it when none is named, and that is said."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tekrar.cli import main
from tekrar.cli.beside import find_release
from tekrar.errors import EXIT_STATUS, IntegrityError
from tests.unit.reading_corpus import built, garden, imported

USAGE = EXIT_STATUS["usage_error"][0]
Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return built(garden(), tmp_path_factory.mktemp("made"))


@pytest.fixture
def pair(made: tuple[Path, Path], tmp_path: Path) -> tuple[Path, Path]:
    """An artifact and its release in one folder, whose files another test does not see."""
    place = tmp_path / "pair"
    return tuple(shutil.copytree(one, place / one.name) for one in made)  # type: ignore[return-value]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str]) -> Run:
    def words(*given: object) -> tuple[int, str, str]:
        capsys.readouterr()
        status = main([str(word) for word in given])
        told = capsys.readouterr()
        return status, told.out, told.err

    return words


def test_the_literal_commands_work_after_an_import_and_a_build_into_one_folder(
    run: Run, pair: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(pair[0].parent)
    for words in (
        ["report", "artifact", "--out", "report.html"],
        ["verify", "artifact"],
        ["show", "artifact", "Bahçe/1:2+2"],
        ["classes", "artifact", "--text", "Kuyunun"],
    ):
        status, _, err = run(*words)
        assert (status, err) == (0, "release  release  (found beside the artifact)\n"), words
    assert "Bahçe" in Path("report.html").read_text("utf-8")
    for words in (["show", "artifact", "Bahçe/1:2+2", "--json"], ["verify", "artifact", "--quiet"]):
        assert run(*words)[::2] == (0, "")


def test_the_first_in_byte_order_that_is_bound_is_taken(pair: tuple[Path, Path], tmp_path: Path) -> None:
    artifact, release = pair
    place = artifact.parent
    assert find_release(artifact)[0] == release
    shutil.copytree(release, place / "Zebra")  # before `artifact` and `release` in byte order
    shutil.copytree(release, place / "ölçek")
    imported(garden(extra="Kapı kapalıydı."), tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "release", place / "A")
    (place / "B").mkdir()
    (place / "C").write_text("no package")
    found, seen = find_release(artifact)
    assert found == place / "Zebra"
    assert [line.split(" is ")[0] for line in seen] == ["A"]


def test_only_the_folder_of_the_artifact_is_looked_at(
    run: Run, pair: tuple[Path, Path], tmp_path: Path
) -> None:
    artifact, release = pair
    place = artifact.parent
    imported(garden(extra="Kapı kapalıydı."), tmp_path / "other")
    shutil.copytree(tmp_path / "other" / "release", place / "another")
    (place / "deeper").mkdir()
    release.rename(place / "deeper" / "release")
    shutil.copytree(place / "deeper" / "release", tmp_path / "above")
    for words in (
        ["report", artifact, "--out", tmp_path / "r.html"],
        ["verify", artifact],
        ["show", artifact, "Bahçe/1:2+2"],
        ["classes", artifact, "--json"],
        *(["classes", artifact, *more] for more in (["--text", "su"], ["--book", "Yol"], ["--hide-blank"])),
    ):
        status, out, err = run(*words)
        assert status == USAGE
        assert "[usage_error/release_needed]" in err
        assert f"{place}: another is " in err
        assert "--release RELEASE" in err
        assert not out or json.loads(out)["error"]["kind"] == "release_needed"
    assert not (tmp_path / "r.html").exists()
    status, out, err = run("classes", artifact, "--profile", "FS", "--quiet")
    assert (status, len(out.splitlines()), err) == (0, 3, "")


def test_a_bound_release_that_is_damaged_is_named_and_not_used(pair: tuple[Path, Path], run: Run) -> None:
    artifact, release = pair
    (release / "files.json").write_bytes(b"{}")
    status, _, err = run("show", artifact, "Bahçe/1:2+2")
    assert status == USAGE
    assert f"{artifact.parent}: release cannot be read (" in err
    (artifact / "manifest.json").write_bytes(b"{}")
    with pytest.raises(IntegrityError):
        find_release(artifact)


def test_the_release_found_is_checked_like_one_that_is_named(pair: tuple[Path, Path], run: Run) -> None:
    artifact, release = pair
    text = max((release / "objects").iterdir(), key=lambda path: path.stat().st_size)
    data = bytearray(text.read_bytes())
    data[0] ^= 1
    text.write_bytes(bytes(data))
    status, out, err = run("show", artifact, "Bahçe/1:2+2")
    assert (status, out) == (EXIT_STATUS["integrity_error"][0], "")
    assert text.name in err
