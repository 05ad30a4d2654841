"""`tekrar build` on the command line: workers, deferral lists, and two builders on one target."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tekrar.artifact.reader import Artifact
from tekrar.cli import main
from tekrar.errors import EXIT_STATUS
from tests.unit.reading_corpus import garden, imported
from tests.unit.structured_documents import book, chapter, document, paragraph

#: The command line with one change: before it gives the package its name it says so and waits to be let on.
WAITING = """
import sys, time
from pathlib import Path
from tekrar.cli import main
from tekrar.package import PackageWriter
mark, commit = Path(sys.argv[1]), PackageWriter.commit
def waits(self, manifest):
    mark.with_suffix(".ready").touch()
    for _ in range(6000):
        if mark.with_suffix(".go").exists():
            return commit(self, manifest)
        time.sleep(0.01)
    sys.exit("was never let on")
PackageWriter.commit = waits
sys.exit(main(sys.argv[2:]))
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(garden(), tmp_path_factory.mktemp("garden"))


class TestWorkers:
    def build(self, release: Path, out: Path, capsys: pytest.CaptureFixture[str], *more: str) -> int:
        capsys.readouterr()
        assert main(["build", str(release), "--out", str(out), "--json", *more]) == 0
        return int(json.loads(capsys.readouterr().out.splitlines()[-1])["workers"])

    def test_the_option_then_the_environment_then_one(
        self,
        release: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        monkeypatch.delenv("TEKRAR_WORKERS", raising=False)
        assert self.build(release, tmp_path / "one", capsys) == 1
        monkeypatch.setenv("TEKRAR_WORKERS", "2")
        assert self.build(release, tmp_path / "two", capsys) == 2
        assert self.build(release, tmp_path / "three", capsys, "--workers", "3") == 3
        processors = len(os.sched_getaffinity(0))
        assert self.build(release, tmp_path / "all", capsys, "--workers", "0") == processors
        roots = {Artifact(path).artifact_root for path in tmp_path.iterdir()}
        assert len(roots) == 1

    @pytest.mark.parametrize(("set", "given"), [("many", []), ("", ["--workers", "-1"])])
    def test_a_wrong_number_is_a_usage_error_and_nothing_is_written(
        self, set: str, given: list[str], release: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setenv("TEKRAR_WORKERS", set)
        assert main(["build", str(release), "--out", str(tmp_path / "a"), *given]) == 2
        assert list(tmp_path.iterdir()) == []


class TestDeferralList:
    def test_a_comment_starts_with_a_hash_and_a_space(self, tmp_path: Path) -> None:
        """A book may be named `#`-something, and `#2` names the second of books without a label."""
        twice = (paragraph("p1", "Bir.", "İki."), paragraph("p2", "Bir.", "İki."))
        source = document(book("#ek", chapter("1", *twice)), book("#2", chapter("1", *twice)))
        release = imported(source, tmp_path)
        listed = tmp_path / "later"
        listed.write_bytes(b"# put off\r\n#\r\n\r\n#ek/1:1+2\r\n#2/1/p1\n")
        words = ["build", str(release), "--out", str(tmp_path / "a"), "--defer", str(listed), "--quiet"]
        assert main(words) == 0
        artifact = Artifact(tmp_path / "a")
        pending = {s: artifact.profile(s).table("not-evaluated") for s in ("FS", "FP")}
        deferred = {s: (t["row"][t["code"] == 1]).tolist() for s, t in pending.items()}
        assert deferred == {"FS": [0], "FP": [2]}

    @pytest.mark.parametrize("line", ["#ek", "##", "#3/1:1+2"])
    def test_what_looks_like_a_comment_and_is_none_is_not_passed_over(
        self, line: str, release: Path, tmp_path: Path
    ) -> None:
        (tmp_path / "later").write_text(f"{line}\n", "utf-8")
        words = ["build", str(release), "--out", str(tmp_path / "a"), "--defer", str(tmp_path / "later")]
        assert main(words) in (2, EXIT_STATUS["not_found"][0])
        assert not (tmp_path / "a").exists()

    def test_the_help_says_so(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["build", "--help"]) == 0
        assert "# and a space is a comment, #3/1:1+2 is an address" in " ".join(
            capsys.readouterr().out.split()
        )


class TestTwoBuildersOnOneTarget:
    """Both are past their start before either commits; one is let on after the other has ended."""

    def race(self, releases: list[Path], target: Path, *, first: int) -> tuple[list[int], list[str], bytes]:
        """Statuses and errors of two builds, and the manifest after the one that was let on first."""
        marks = [target.parent / f"builder{n}" for n in range(2)]
        racers = [
            subprocess.Popen(
                [sys.executable, "-c", WAITING, str(mark), "build", str(one), "--out", str(target)],
                stdout=subprocess.DEVNULL,
                stderr=subprocess.PIPE,
            )
            for mark, one in zip(marks, releases, strict=True)
        ]
        late = time.monotonic() + 60
        while not all(mark.with_suffix(".ready").exists() for mark in marks):
            assert time.monotonic() < late, "a builder never came to its commit"
            assert all(racer.poll() is None for racer in racers)
            time.sleep(0.01)
        said, manifest = ["", ""], b""
        for n in (first, 1 - first):
            marks[n].with_suffix(".go").touch()
            said[n] = racers[n].communicate(timeout=60)[1].decode()
            manifest = manifest or (target / "manifest.json").read_bytes()
        return [racer.returncode for racer in racers], said, manifest

    @pytest.mark.parametrize("first", [0, 1])
    def test_equal_artifacts_both_succeed(self, first: int, release: Path, tmp_path: Path) -> None:
        target = tmp_path / "a"
        statuses, said, manifest = self.race([release, release], target, first=first)
        assert (statuses, said) == ([0, 0], ["", ""])
        self.stands(target, manifest, release)

    @pytest.mark.parametrize("first", [0, 1])
    def test_of_unequal_ones_the_first_stands_untouched(
        self, first: int, release: Path, tmp_path: Path
    ) -> None:
        other = imported(garden(marked=False), tmp_path / "other")
        target = tmp_path / "a"
        statuses, said, manifest = self.race([release, other], target, first=first)
        assert statuses[first] == 0
        assert statuses[1 - first] == EXIT_STATUS["storage_error"][0]
        assert "storage_error/target_exists" in said[1 - first]
        self.stands(target, manifest, [release, other][first])

    def stands(self, target: Path, manifest: bytes, release: Path) -> None:
        assert (target / "manifest.json").read_bytes() == manifest
        assert main(["verify", str(target), "--release", str(release), "--quiet"]) == 0
        assert not [path for path in target.parent.iterdir() if path.name.startswith(".")]


class TestTarget:
    """What stands at `--out` is told before the computing, not after it."""

    @pytest.mark.parametrize("there", ["file", "folder", "link", "release", "damaged"])
    def test_what_is_no_artifact_is_refused_at_once(
        self,
        there: str,
        release: Path,
        tmp_path: Path,
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        target = tmp_path / "a"
        if there == "file":
            target.write_bytes(b"mine")
        elif there == "folder":
            target.mkdir()
        elif there == "link":
            target.symlink_to(tmp_path / "nowhere")
        elif there == "release":
            target = release
        else:
            assert main(["build", str(release), "--out", str(target), "--quiet"]) == 0
            (target / "manifest.json").write_bytes(b"{}")
        monkeypatch.setattr("tekrar.build.build", lambda *_, **__: pytest.fail("it was computed"))
        capsys.readouterr()
        assert main(["build", str(release), "--out", str(target), "--json"]) == 2
        error = json.loads(capsys.readouterr().out)["error"]
        assert (error["code"], error["kind"], error["where"]) == ("usage_error", "target_exists", str(target))

    def test_an_artifact_is_compared_and_never_replaced(
        self, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "a"
        for _ in range(2):
            assert main(["build", str(release), "--out", str(target), "--quiet"]) == 0
        manifest = (target / "manifest.json").read_bytes()
        other = imported(garden(marked=False), tmp_path / "other")
        assert main(["build", str(other), "--out", str(target)]) == EXIT_STATUS["storage_error"][0]
        assert "storage_error/target_exists" in capsys.readouterr().err
        assert (target / "manifest.json").read_bytes() == manifest


class TestNamedWrongly:
    """A source, a file, an artifact where a release belongs: the message says what to do."""

    def told(self, capsys: pytest.CaptureFixture[str], *words: object) -> dict[str, str]:
        capsys.readouterr()
        assert main([*map(str, words), "--json"]) == EXIT_STATUS["integrity_error"][0]
        error: dict[str, str] = json.loads(capsys.readouterr().out)["error"]
        return error

    def test_a_source_is_imported_first(self, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        texts = tmp_path / "texts"
        texts.mkdir()
        (texts / "a.txt").write_text("Su akar.", "utf-8")
        for source in (texts, texts / "a.txt"):
            error = self.told(capsys, "build", source, "--out", tmp_path / "a")
            assert error["kind"] == "not_a_package"
            assert "text release" in error["message"]
            assert f"tekrar import {source} --language TAG --out RELEASE" in error["mend"]

    def test_release_and_artifact_swapped(
        self, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        artifact = tmp_path / "a"
        assert main(["build", str(release), "--out", str(artifact), "--quiet"]) == 0
        error = self.told(capsys, "build", artifact, "--out", tmp_path / "b")
        assert error["mend"] == "name a text release here; this is an artifact: the two may be swapped"
        error = self.told(capsys, "verify", release, "--release", artifact)
        assert error["mend"] == "name an artifact here; this is a text release: the two may be swapped"

    def test_a_file_that_the_system_left_is_to_be_removed(
        self, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        artifact = tmp_path / "a"
        assert main(["build", str(release), "--out", str(artifact), "--quiet"]) == 0
        (artifact / ".DS_Store").write_bytes(b"")
        error = self.told(capsys, "coverage", artifact)
        assert (error["kind"], error["mend"]) == ("extra_file", f"remove this file: {artifact}/.DS_Store")


class TestNext:
    """People get the command that comes next, ready to be copied; programs and quiet runs do not."""

    def test_one_line_after_import_build_and_verify(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        source, release, artifact = (tmp_path / name for name in ("s.json", "my release", "a"))
        source.write_text(json.dumps(garden()), "utf-8")
        runs = (
            ("import", source, "--out", release),
            ("build", release, "--out", artifact),
            ("verify", artifact, "--release", release),
        )
        nexts = (
            f"next: tekrar build '{release}' --out artifact",
            f"next: tekrar verify {artifact} --release '{release}'",
            f"next: tekrar report {artifact} --release '{release}' --out report.html",
        )
        for words, told in zip(runs, nexts, strict=True):
            assert main([*map(str, words)]) == 0
            out = capsys.readouterr().out
            assert out.splitlines()[-1] == told
            assert out.count("next:") == 1
        for words in runs[1:]:
            for option in ("--quiet", "--json"):
                assert main([*map(str, words), option]) == 0
                assert "next:" not in capsys.readouterr().out

    def test_a_partial_build_says_why(
        self, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "defer").write_text("Bahçe/1:2+2\n", "utf-8")
        words = ["build", str(release), "--out", str(tmp_path / "a"), "--defer", str(tmp_path / "defer")]
        assert main(words) == 0
        (why,) = [line for line in capsys.readouterr().out.splitlines() if line.startswith("partial: ")]
        assert why.startswith("partial: FS, PS publish nothing; ")
        assert "put off (--defer) or waiting for an open one" in why

    def test_markers_without_a_note_are_counted(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "a.md").write_text(
            "# Dere\n\nSu akar.[^1] Taş durur.[^2]\n\n[^1]: Eski bir söz.\n", "utf-8"
        )
        words = ["import", str(tmp_path / "a.md"), "--language", "tr", "--out"]
        assert main([*words, str(tmp_path / "r")]) == 0
        assert "  note markers  2, of which 1 without a note (source_gap)" in capsys.readouterr().out
        assert main([*words, str(tmp_path / "q"), "--json"]) == 0
        assert json.loads(capsys.readouterr().out.splitlines()[-1])["source_gaps"] == 1
