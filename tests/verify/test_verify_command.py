"""`tekrar verify`: its outputs, its exit statuses, and that it shares no code with the build."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tekrar.cli import main
from tests.small import Built, document
from tests.verify.altering import sealed_again, with_cell

CHAPTERS = [[["A bell rang.", "It was late."]], [["A bell rang.", "It was late."], ["Alone."]]]


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Built:
    return Built(document(CHAPTERS, language="en"), tmp_path_factory.mktemp("command"))


def test_it_says_what_it_compared(built: Built, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["verify", str(built.path), "--release", str(built.release)]
    root = built.result.artifact_root.hex()
    assert main(words) == 0
    told = capsys.readouterr().out
    assert "holds" in told
    assert root in told
    assert "85 roots" in told
    assert main([*words, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert (record["verified"], record["mode"], record["artifact_root"]) == (True, "full", root)
    assert main([*words, "--quick", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["mode"] == "quick"
    assert main(["verify", str(built.path), "--quick"]) == 0
    assert "its text was not read" in capsys.readouterr().out
    assert main([*words, "--quiet"]) == 0
    assert capsys.readouterr().out == ""


def test_differences_come_as_json_lines_and_the_error_last(
    built: Built, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    table = built.artifact.package.read_table("FS/occurrences")
    altered = sealed_again(
        built.path, tmp_path / "altered", tables={"FS/occurrences": with_cell(table, "fingerprint")}
    )
    assert main(["verify", str(altered), "--release", str(built.release), "--json"]) == 7
    captured = capsys.readouterr()
    *differences, last = map(json.loads, captured.out.splitlines())
    assert last["error"]["kind"] == "artifact_differs"
    assert differences[0]["difference"]["profile"] == "FS"
    assert differences[0]["difference"]["kind"] == "evidence"
    assert "profile FS, evidence: FS/occurrences, column fingerprint row" in captured.err


def test_exit_statuses(built: Built, tmp_path: Path) -> None:
    assert main(["verify", str(tmp_path / "none"), "--release", str(built.release)]) == 5
    assert main(["verify", str(built.path), "--release", str(tmp_path / "none")]) == 5
    assert main(["verify", str(built.release), "--release", str(built.release)]) == 4
    other = Built(document([*CHAPTERS, [["More."]]], language="en"), tmp_path / "other")
    assert main(["verify", str(built.path), "--release", str(other.release)]) == 4


@pytest.mark.req("REL-08")
def test_the_verifier_loads_no_module_of_the_build(built: Built) -> None:
    """What it needs of the build's own core modules it has written anew from docs/encoding.md."""
    script = (
        "import sys; from pathlib import Path; from tekrar.verify import verify_full;"
        "verify_full(Path(sys.argv[1]), Path(sys.argv[2])); print('\\n'.join(sys.modules))"
    )
    words = [sys.executable, "-c", script, str(built.path), str(built.release)]
    loaded = set(subprocess.run(words, capture_output=True, text=True, check=True).stdout.split())
    assert "tekrar.verify.full" in loaded
    ours = "coverage dominance exact occurrence preimage projection atoms witness vectors".split()
    assert not loaded & {f"tekrar.core.{name}" for name in ours}
    assert not [name for name in loaded if name.startswith("tekrar.build")]
