"""Sources that would fill the memory, or hold nothing: refused by `tekrar import` at once (threat T11)."""

import gzip
import json
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.corpus import sources
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.plaintext import import_text
from tekrar.corpus.sources import read_source
from tekrar.errors import SourceError

MIB = 1 << 20
LF = b"\n"
RECORD = b'{"book": "b", "chapter": 1, "para": 1, "kind": "body", "text": "Su."}\n'
OPENING = b'{"book": "b", "chapter": 1, "para": 2, "kind": "body", "text": "'
# High-water mark of the process's own memory: that of a child counted from outside includes its parent's.
MEASURED = (
    "import sys; from tekrar.cli import main; status = main(sys.argv[1:]);"
    "mark = next(line for line in open('/proc/self/status') if line.startswith('VmHWM'));"
    "print(status, int(mark.split()[1]) * 1024)"
)


def members(path: Path, *parts: tuple[bytes, int]) -> Path:
    """A gzip file of members, each a part's bytes that many times over; small, however much it unpacks to."""
    with open(path, "wb") as file:
        for data, times in parts:
            packed = gzip.compress(data)
            for _ in range(times):
                file.write(packed)
    return path


def refused(path: Path, target: Path) -> dict[str, Any]:
    """Import in a process of its own; hold it to 400 MB and a minute, and give its error."""
    words = ["import", str(path), "--out", str(target), "--language", "tr", "--json"]
    ran = subprocess.run(
        [sys.executable, "-c", MEASURED, *words], capture_output=True, text=True, timeout=60, check=True
    )
    *_, error, measured = ran.stdout.splitlines()
    status, memory = map(int, measured.split())
    assert status == 3
    assert memory < 400 * 10**6
    assert not target.exists()
    found: dict[str, Any] = json.loads(error)["error"]
    assert found["mend"]
    return found


@pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is measured by /proc")
class TestMemory:
    @pytest.mark.parametrize("distinct", [12_000, 30], ids=["70:1", "900:1"])
    def test_a_line_of_300_mb_in_a_small_gzip_is_refused_with_its_number(
        self, tmp_path: Path, distinct: int
    ) -> None:
        words = (random.Random(5).randbytes(distinct // 2).hex().encode() * (MIB // distinct + 1))[:MIB]
        path = members(tmp_path / "b.jsonl.gz", (RECORD + OPENING, 1), (words, 300), (b'"}\n', 1))
        assert path.stat().st_size < 6 * MIB
        error = refused(path, tmp_path / "r")
        assert error["where"] == f"{path}:2"
        # Beyond 200:1 both bounds are reached in one block; which is met first hangs on where blocks end.
        assert error["kind"] == "line_too_long" or (distinct == 30 and error["kind"] == "source_too_large")

    def test_a_gzip_bomb_of_short_lines_is_refused(self, tmp_path: Path) -> None:
        lines = RECORD * (MIB // len(RECORD))
        path = members(tmp_path / "b.jsonl.gz", (lines, 8192))
        error = refused(path, tmp_path / "r")
        assert error["kind"] == "source_too_large"
        assert error["where"].startswith(f"{path}:")


def test_a_gzip_that_grows_little_is_no_bomb(tmp_path: Path) -> None:
    path = members(tmp_path / "b.jsonl.gz", (RECORD * (MIB // len(RECORD)), 32))
    assert len(read_source(path).data) > 31 * MIB


@pytest.mark.parametrize("blank", [b"\n", b" \t\r\n"])
@pytest.mark.parametrize("name", ["b.jsonl", "b.txt", "b.md"])
def test_millions_of_blank_lines_take_no_time(tmp_path: Path, name: str, blank: bytes) -> None:
    """Measured against the reading itself, which every source pays."""
    body = {"b.jsonl": RECORD}.get(name, b"Su.\n")
    path = members(tmp_path / f"{name}.gz", (body, 1), (blank * (MIB // len(blank)), 24), (b"x" * 8, 1))
    began = time.process_time()
    source = read_source(path)
    reading = time.process_time() - began
    began = time.process_time()
    if name == "b.jsonl":
        with pytest.raises(SourceError) as caught:
            import_jsonl([source], edition=None, language="tr")
        assert caught.value.where == f"{path.name}:{source.data.count(LF) + 1}"
    else:
        release = import_text([source], edition=None, language="tr", markdown=name == "b.md").release
        assert len(release.paragraph_sentences) == 2
        assert release.text == source.data
    assert time.process_time() - began < 1 + 5 * reading


@pytest.mark.parametrize("names", [(), ("a.csv", "b.json", ".txt.swp"), ("inner/a.txt",)])
def test_a_folder_without_a_readable_source_is_refused(
    tmp_path: Path, names: tuple[str, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    for name in names:
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_bytes(b"Su.\n")
    assert main(["import", str(folder), "--out", str(tmp_path / "r"), "--language", "tr", "--json"]) == 3
    error = json.loads(capsys.readouterr().out.splitlines()[-1])["error"]
    assert (error["kind"], error["where"]) == ("no_source", str(folder))
    assert ".jsonl" in error["expected"]
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("times", ["told", "silent"])
def test_a_file_that_another_process_writes_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: str
) -> None:
    """A release never holds a mixture of two states, even where the file's times tell nothing.

    One long write sets the times when it begins; `silent` is that write, begun before the file was opened.
    """
    path = tmp_path / "a.txt"
    path.write_bytes(b"A" * (8 * MIB))
    writer = (
        "import sys\nsys.stdin.readline()\n"
        "with open(sys.argv[1], 'r+b') as file: file.write(b'B' * (8 << 20))\nprint('done', flush=True)"
    )
    with subprocess.Popen(
        [sys.executable, "-c", writer, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:

        class Meanwhile(sources._Stored):
            def __iter__(self) -> Iterator[bytes]:
                for number, block in enumerate(super().__iter__()):
                    if number == 0:
                        assert process.stdin is not None
                        assert process.stdout is not None
                        print(file=process.stdin, flush=True)
                        assert process.stdout.readline() == "done\n"
                    yield block

        with monkeypatch.context() as patched:
            patched.setattr(sources, "_Stored", Meanwhile)
            if times == "silent":
                patched.setattr(sources, "_state", lambda found: found.st_size)
            with pytest.raises(SourceError) as caught:
                read_source(path)
    assert caught.value.kind == "source_changed"
    assert read_source(path).data == b"B" * (8 * MIB)


def test_a_file_too_large_to_read_twice_is_held_to_its_times(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a.txt"
    path.write_bytes(b"Su.\n")
    monkeypatch.setattr(sources, "_TWICE", 3)
    monkeypatch.setattr(sources._Stored, "again", lambda self: pytest.fail("read twice"))
    assert read_source(path).data == b"Su.\n"
    looks = iter(range(2))
    monkeypatch.setattr(sources, "_state", lambda found: next(looks))
    with pytest.raises(SourceError) as caught:
        read_source(path)
    assert caught.value.kind == "source_changed"
