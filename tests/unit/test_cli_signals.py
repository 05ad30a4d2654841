"""Signals and standard streams: Ctrl-C at any moment, SIGTERM, and streams that are closed at the start."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tekrar.corpus.release_package import open_release
from tests.unit.reading_corpus import garden, imported

COMMAND = [sys.executable, "-m", "tekrar"]
#: The command line with one change: it says when its package is begun, then waits for a signal.
WAITING = """
import sys, time
from tekrar.cli import main
from tekrar.package import PackageWriter
def waits(self, manifest):
    print("ready", file=sys.stderr, flush=True)
    time.sleep(60)
PackageWriter.commit = waits
sys.exit(main())
"""
#: The command line with one change: a signal comes while a module in C is imported, which makes it its own.
SWALLOWED = """
import os, signal, sys
import tekrar.cli
def fails(words):
    try:
        os.kill(os.getpid(), int(sys.argv[1]))
        signal.sigtimedwait([], 5)
    except KeyboardInterrupt as stop:
        raise ImportError("core failed to import") from stop
tekrar.cli._dispatch = fails
sys.exit(tekrar.cli.main())
"""
#: The command line with one change: a signal comes while a finalizer runs, which can raise nothing.
DROPPED = """
import os, signal, sys, time
import tekrar.cli
class Last:
    def __del__(self):
        os.kill(os.getpid(), int(sys.argv[1]))
        for _ in range(1000): pass
def waits(words):
    last = Last()
    del last
    time.sleep(50)
    return 0
tekrar.cli._dispatch = waits
sys.exit(tekrar.cli.main())
"""
#: The command line with one change: it says when its guard stands.
BEGINNING = """
import sys, tekrar.cli
run = tekrar.cli._run
def says(argv):
    print(flush=True)
    return run(argv)
tekrar.cli._run = says
sys.exit(tekrar.cli.main())
"""


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return imported(garden(), tmp_path_factory.mktemp("garden"))


@pytest.mark.parametrize(("number", "status"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
class TestSignals:
    @pytest.mark.parametrize("verb", ["import", "build"])
    @pytest.mark.parametrize("times", [1, 2])
    def test_a_stopped_writer_leaves_nothing(
        self, number: int, status: int, verb: str, times: int, release: Path, tmp_path: Path
    ) -> None:
        if times == 2 and number == signal.SIGINT:
            pytest.skip("a second Ctrl-C stops the cleaning up as well")
        (tmp_path / "t.txt").write_text("Su. Su.\n", "utf-8")
        words = {
            "import": ["import", str(tmp_path / "t.txt"), "--language", "tr"],
            "build": ["build", str(release), "--workers", "2"],
        }[verb]
        command = [sys.executable, "-c", WAITING, *words, "--out", str(tmp_path / "out"), "--quiet"]
        with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
            assert process.stderr is not None
            assert process.stderr.readline() == "ready\n"
            assert any(path.name.startswith(".out.tmp-") for path in tmp_path.iterdir())
            for _ in range(times):  # `timeout` sends SIGTERM to the process and then to its group
                process.send_signal(number)
            said = process.stderr.read()
        assert process.returncode == status
        assert "Traceback" not in said
        assert "nothing half-written remains" in said
        assert [path.name for path in tmp_path.iterdir()] == ["t.txt"]

    def test_one_that_foreign_code_made_its_own_is_told_as_what_it_was(
        self, number: int, status: int
    ) -> None:
        command = [sys.executable, "-c", SWALLOWED, str(int(number)), "--json"]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
        assert done.returncode == status
        assert json.loads(done.stdout)["error"]["code"] == {130: "interrupted", 143: "terminated"}[status]

    def test_one_that_the_interpreter_dropped_is_sent_again(self, number: int, status: int) -> None:
        command = [sys.executable, "-c", DROPPED, str(int(number))]
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=30)
        assert done.returncode == status
        assert "Traceback" not in done.stderr

    def test_one_that_comes_while_modules_are_imported_shows_no_traceback(
        self, number: int, status: int, release: Path, tmp_path: Path
    ) -> None:
        """From the guard on; before it the interpreter itself is starting."""
        words = ["build", str(release), "--out", str(tmp_path / "a"), "--quiet"]
        for delay in (0.0, 0.01, 0.03, 0.06, 0.1, 0.15, 0.25):
            with subprocess.Popen(
                [sys.executable, "-c", BEGINNING, *words],
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            ) as process:
                assert process.stdout is not None
                process.stdout.readline()
                time.sleep(delay)
                process.send_signal(number)
                said = process.communicate(timeout=60)[1]
            assert "Traceback" not in said
            assert process.returncode in (status, 0, -number)
            if process.returncode == 0:  # it was done before the signal came
                break
            assert list(tmp_path.iterdir()) == []


def closed(words: list[str], streams: str) -> subprocess.CompletedProcess[bytes]:
    """A command with standard streams closed as the shell closes them."""
    command = ["sh", "-c", f'exec "$@" {streams}', "sh", *COMMAND, *words]
    return subprocess.run(command, capture_output=True, check=False, timeout=120)


class TestClosedStreams:
    @pytest.mark.parametrize("streams", [">&-", "2>&-", ">&- 2>&-", "<&- >&- 2>&-"])
    def test_work_whose_result_is_a_file_is_done(self, streams: str, release: Path, tmp_path: Path) -> None:
        for more in ([], ["--json"]):
            out = tmp_path / f"text{len(more)}"
            done = closed(["reconstruct", str(release), "--out", str(out), *more], streams)
            assert (done.returncode, done.stderr) == (0, b"")
            assert out.read_bytes() == open_release(release).release.text
        done = closed(["reconstruct", str(tmp_path / "none"), "--out", str(tmp_path / "t")], streams)
        assert done.returncode == 5
        assert b"not_found" in done.stderr or "2>&-" in streams
        assert done.stdout == b""

    @pytest.mark.parametrize("words", [["reconstruct"], ["coverage"], ["show"]])
    def test_an_answer_that_can_go_nowhere_is_refused(self, words: list[str], release: Path) -> None:
        more = ["a/1:1+2"] if words == ["show"] else []
        done = closed([*words, str(release), *more], ">&-")
        assert done.returncode == 6
        assert b"storage_error/ebadf" in done.stderr
        assert closed([*words, str(release), *more], ">&- 2>&-").returncode == 6
