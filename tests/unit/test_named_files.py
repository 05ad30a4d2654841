"""Files that a command reads beside a corpus: pipes, folders, what is missing, too large or not readable."""

from __future__ import annotations

import errno
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tekrar.errors import NotFoundError, StorageError, UsageError
from tekrar.package.storage import reading, regular_bytes, storing
from tests.unit.reading_corpus import garden, imported

COMMAND = [sys.executable, "-m", "tekrar"]


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(garden(), tmp_path_factory.mktemp("garden"))


def refused(words: list[str]) -> tuple[int, dict[str, str]]:
    """Exit status and error of a command that must not wait for anything."""
    done = subprocess.run([*COMMAND, *words, "--json"], capture_output=True, check=False, timeout=60)
    error: dict[str, str] = json.loads(done.stdout.splitlines()[-1])["error"]
    assert error["mend"]
    return done.returncode, error


def reading_words(kind: str, file: Path, release: Path, place: Path) -> list[str]:
    """A command that reads `file`."""
    if kind == "defer":
        return ["build", str(release), "--out", str(place / "a"), "--defer", str(file)]
    if kind == "proof":
        return ["check-proof", str(file), "--root", "0" * 64]
    (place / "in").mkdir()
    (place / "in" / "a.txt").write_text("Su.\n", "utf-8")
    words = ["import", str(place / "in"), "--language", "tr", "--out", str(place / "r")]
    return [*words, "--order", str(file)]


@pytest.mark.parametrize("kind", ["defer", "order", "proof"])
class TestFilesOfCommands:
    def test_a_pipe_is_refused_and_not_waited_for(self, kind: str, release: Path, tmp_path: Path) -> None:
        os.mkfifo(tmp_path / "pipe")
        status, error = refused(reading_words(kind, tmp_path / "pipe", release, tmp_path))
        assert (status, error["kind"], error["where"]) == (2, "not_a_file", str(tmp_path / "pipe"))

    def test_a_missing_one_is_named(self, kind: str, release: Path, tmp_path: Path) -> None:
        status, error = refused(reading_words(kind, tmp_path / "none", release, tmp_path))
        assert (status, error["code"], error["where"]) == (5, "not_found", str(tmp_path / "none"))

    @pytest.mark.skipif(os.geteuid() == 0, reason="an administrator may read everything")
    def test_one_that_may_not_be_read_is_named(self, kind: str, release: Path, tmp_path: Path) -> None:
        (tmp_path / "closed").touch(mode=0)
        status, error = refused(reading_words(kind, tmp_path / "closed", release, tmp_path))
        assert (status, error["kind"], error["where"]) == (6, "eacces", str(tmp_path / "closed"))
        assert "to read it" in error["mend"]


def test_a_folder_and_a_file_beyond_the_limit_are_refused(tmp_path: Path) -> None:
    (tmp_path / "f").write_bytes(b"12345")
    assert regular_bytes(tmp_path / "f", limit=5) == b"12345"
    for path, limit, kind in ((tmp_path / "f", 4, "file_too_large"), (tmp_path, 4, "not_a_file")):
        with pytest.raises(UsageError) as caught:
            regular_bytes(path, limit=limit)
        assert caught.value.kind == kind
    with pytest.raises(NotFoundError):
        regular_bytes(tmp_path / "none")


def test_the_mend_of_a_refused_permission_says_what_was_refused() -> None:
    with pytest.raises(StorageError) as caught, reading("f"):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert "write" not in caught.value.mend
    assert "read" in caught.value.mend
    with pytest.raises(StorageError) as caught, storing("f"):
        raise PermissionError(errno.EACCES, "Permission denied")
    assert "write" in caught.value.mend
