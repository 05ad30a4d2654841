"""The demo ends in a published release, on a server of its own, whatever the user has set."""

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.cli.demo_published import ADMINISTRATOR, PUBLISHER
from tekrar.demo import folder
from tekrar.errors import DatabaseError
from tekrar.store.server import binaries
from tekrar.store.server.launcher import Launcher
from tests.store.place import settings_in

DEMO = ["demo", "--sample", "--json"]


def last_object(text: str) -> dict[str, Any]:
    found = json.loads(text.splitlines()[-1])
    assert isinstance(found, dict)
    return found


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, launcher: Launcher) -> Iterator[Path]:
    """An empty working folder and settings of a user who has a database of his own; no server outlives it."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TEKRAR_DATABASE_URL", "postgresql://somebody@127.0.0.1:1/in-use")
    monkeypatch.setenv("TEKRAR_DATA_DIR", str(tmp_path / "in-use"))
    monkeypatch.setenv("TEKRAR_ACTOR", "somebody")
    yield tmp_path
    Launcher(settings_in(tmp_path / "demo-out" / folder.DATABASE)).stop()


def answering() -> bool:
    return Launcher(settings_in(Path("demo-out").absolute() / folder.DATABASE)).answering() is not None


@pytest.mark.req("REL-05")
def test_it_publishes_once_asks_and_leaves_the_server_as_it_was(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = dict(os.environ)
    assert main(DEMO) == 0
    first = last_object(capsys.readouterr().out)["published"]
    assert dict(os.environ) == before
    assert not (inside / "in-use").exists()
    assert not answering()
    assert list(first["releases"]) == ["FP", "FS", "PP", "PS"]
    assert len(first["release_set"]) == 64
    assert (first["status"]["status"], first["status"]["presentation"]) == ("matched", "published")
    assert first["occurrence"] in [one["occurrence"] for one in first["duplicates"]["members"]]
    assert first["duplicates"]["size"] == len(first["duplicates"]["members"]) > 1
    assert first["coverage"]["counted"]["emitted"] == first["coverage"]["stated"]["emitted"]
    assert first["why"]["account"][0].startswith("Matched under FP")

    # What it says to type next works after what it says to type first.
    first_words = [shlex.split(line) for line in first["environment"]]
    assert [words[0] for words in first_words] == ["unset", "export"]
    monkeypatch.delenv(first_words[0][1])
    monkeypatch.setenv(*first_words[1][1].split("=", 1))
    monkeypatch.delenv("TEKRAR_ACTOR")
    *questions, last = [*first["questions"].values(), *first["next"]]
    for command in questions:
        assert main(shlex.split(command)[1:]) == 0, command
        assert capsys.readouterr().out
    assert answering()

    # Again: nothing is loaded, granted or published twice, and a server that ran goes on running.
    assert main(["demo", "--sample"]) == 0
    told = capsys.readouterr().out
    assert answering()
    assert main(["grant", "--as", ADMINISTRATOR, "--json"]) == 0
    assert [one["actor"] for one in last_object(capsys.readouterr().out)["grants"]] == [
        ADMINISTRATOR,
        PUBLISHER,
    ]
    assert main(["releases", "--json"]) == 0
    found = last_object(capsys.readouterr().out)["releases"]
    assert {one["short"]: one["release"] for one in found} == first["releases"]
    for release in first["releases"].values():
        assert release in told
    assert main(shlex.split(last)[1:]) == 0
    assert not answering()


def test_a_database_that_was_tried_out_is_made_anew(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(DEMO) == 0
    first = last_object(capsys.readouterr().out)["published"]
    monkeypatch.delenv("TEKRAR_DATABASE_URL")
    monkeypatch.setenv("TEKRAR_DATA_DIR", str(inside / "demo-out" / folder.DATABASE))
    words = ["withdraw", first["releases"]["FP"], "--reason", "to see it", "--as", PUBLISHER]
    assert main(words) == 0
    assert main(DEMO) == 0
    again = last_object(capsys.readouterr().out)["published"]
    assert again["releases"] == first["releases"]
    assert again["status"]["status"] == "matched"


def test_without_postgresql_it_ends_with_the_report_and_says_what_is_missing(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(binaries, "DISTRIBUTIONS", ())
    monkeypatch.setattr(binaries, "wheel_folder", lambda: None)
    monkeypatch.delenv("TEKRAR_PG_BIN", raising=False)
    monkeypatch.setenv("PATH", "")
    assert main(["demo", "--sample"]) == 0
    told = capsys.readouterr().out
    assert "Nothing was published: no PostgreSQL server was found." in told
    assert "tekrar[embedded]" in told
    assert (inside / "demo-out" / folder.REPORT).is_file()
    assert not (inside / "demo-out" / folder.DATABASE).exists()


def test_a_demo_that_fails_with_its_server_takes_everything_back(
    inside: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise DatabaseError("the disk of the test is full", kind="disk_full", mend="-")

    monkeypatch.setattr("tekrar.store.publish.publish", fail)
    assert main(DEMO) == 8
    assert last_object(capsys.readouterr().out)["error"]["kind"] == "disk_full"
    assert list(inside.iterdir()) == []


@pytest.mark.faults
def test_a_demo_that_is_interrupted_leaves_no_server(inside: Path) -> None:
    program = (
        "import sys; from tekrar.cli import main; import tekrar.store.curate as c; import signal\n"
        "c.name_actor = lambda *a, **k: signal.raise_signal(signal.SIGINT)\n"
        "sys.argv[1:] = ['demo', '--sample', '--json']; sys.exit(main())"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    assert done.returncode == 130, (done.stdout, done.stderr)
    assert list(inside.iterdir()) == []
