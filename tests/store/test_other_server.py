"""The second PostgreSQL of `make test`: found where there is one, told where there is none."""

from pathlib import Path

import pytest

from tekrar.store.server import binaries
from tekrar.store.server.account import server_account
from tekrar.store.server.launcher import Launcher
from tests import other_server
from tests.store.place import settings_in


def test_it_is_of_another_version_or_a_line_says_that_there_is_none(
    tmp_path: Path, launcher: Launcher
) -> None:
    first = launcher.binaries()
    other, line = other_server.other_server(settings_in(tmp_path), server_account(None))
    assert first.version in line
    assert (other is None) == line.startswith("no second PostgreSQL is tested")
    if other is not None:
        assert other.major != first.major
        assert other.version in line


def test_without_any_it_says_so_and_fails_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for module in (binaries, other_server):
        monkeypatch.setattr(module, "DISTRIBUTIONS", ())
        monkeypatch.setattr(module, "wheel_folder", lambda: None)
    monkeypatch.setenv("PATH", "")
    monkeypatch.setenv("TEKRAR_PG_BIN", "")
    assert other_server.main([]) == 0
    assert capsys.readouterr().out.startswith("no second PostgreSQL is tested")


def test_its_modules_are_there() -> None:
    folder = Path(__file__).parent
    assert [name for name in other_server.MODULES if not (folder / f"{name}.py").is_file()] == []
