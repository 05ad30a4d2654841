"""Two clean builds are equal: workers, batches, hash seeds, locales, time zones, places and orders change
nothing."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.build import build, sha_ni
from tekrar.errors import TekrarError

WORDS = ["Bir söz.", "İki söz[1].", "ışık.", "Işık.", "Ağaç.", "üç."]


def record(book: str, chapter: int, para: int, text: str, **facts: Any) -> dict[str, Any]:
    return {
        "book": book, "chapter": chapter, "chapter_title": f"Bölüm {chapter}", "para": para, "ord": para,
        "kind": "body", "text": text, "note_markers": [], **facts,
    }  # fmt: skip


def corpus() -> dict[str, list[dict[str, Any]]]:
    """Five books of six short chapters with headings, note markers, empty paragraphs and repeats."""
    draw = random.Random(9)
    books: dict[str, list[dict[str, Any]]] = {}
    for name in ["ağ", "Zel", "çam", "b", "İz"]:
        rows = []
        for chapter in range(1, 7):
            rows.append(record(name, chapter, 1, "Başlık", kind="heading", level=1))
            for para in range(2, 5):
                words = [draw.choice(WORDS) for _ in range(draw.randint(2, 5))]
                text = " ".join(words)
                marks = []
                at = text.find("[1]")
                if at >= 0:
                    low = len(text[:at].encode())
                    marks.append({"start": low, "end": low + 3, "surface": "[1]", "resolved": False})
                rows.append(record(name, chapter, para, text, note_markers=marks))
            rows.append(record(name, chapter, 5, "", kind="empty"))
        books[name] = rows
    return books


def write_corpus(place: Path, *, seed: int) -> Path:
    """The corpus as a folder of files, made in an order of its own."""
    place.mkdir(parents=True)
    files = list(corpus().items())
    random.Random(seed).shuffle(files)
    for name, rows in files:
        lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (place / f"{name}.jsonl").write_bytes(lines.encode())
    return place


def tekrar(*words: str | Path, cwd: Path | None = None, **environment: str) -> dict[str, Any]:
    """Run the command line in a new process; the object its last line holds."""
    code = "import sys; from tekrar.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code, *map(str, words), "--json"],
        cwd=cwd,
        env={**os.environ, **environment},
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode("utf-8", "replace")
    told: dict[str, Any] = json.loads(done.stdout.decode("utf-8").splitlines()[-1])
    return told


def locales() -> list[str]:
    """Every locale the machine lists, and the three that stand for all machines."""
    try:
        listed = subprocess.run(["locale", "-a"], capture_output=True, text=True, check=True).stdout.split()
    except (OSError, subprocess.CalledProcessError):
        listed = []
    return sorted({"C", "C.UTF-8", "POSIX", *listed})


@pytest.fixture(scope="module")
def release(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("determinism")
    source = write_corpus(place / "source", seed=0)
    tekrar("import", source, "--language", "tr", "--out", place / "release")
    return place / "release"


@pytest.fixture(scope="module")
def reference(release: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("reference") / "artifact"
    build(release, out=place, engine="hashlib")
    return place


def manifest(place: Path) -> bytes:
    return (place / "manifest.json").read_bytes()


@pytest.mark.req("REB-02", "REB-05", "VAL-04", "DOM-12", "OCC-03")
@pytest.mark.parametrize("workers", [1, 2, 5])
@pytest.mark.parametrize("batch", [1, 7, 1000])
def test_workers_and_batches_change_no_root(workers: int, batch: int, release: Path, reference: Path) -> None:
    result = build(release, workers=workers, batch=batch, engine="hashlib")
    assert result.artifact_root.hex() == json.loads(manifest(reference))["artifact_root"]


@pytest.mark.req("REB-02", "VAL-04")
def test_at_least_two_processes_each_produce_at_least_three_chapters(release: Path) -> None:
    result = build(release, workers=2, batch=7, engine="hashlib")
    reports = result.provenance["stages"]["occurrences"]
    assert len(reports) == 2
    assert all(report["chapters"] >= 3 and report["occurrences"] > 0 for report in reports)
    assert sum(report["chapters"] for report in reports) == 30


def arrangements() -> Iterator[tuple[str, dict[str, str], int, int]]:
    """(name, environment, workers, batch): each locale, hash seed, time zone, worker count and batch size."""
    seeds, zones = ["0", "1", "random"], ["UTC", "Asia/Kathmandu", "America/St_Johns"]
    names = locales()
    for i in range(max(len(names), 9)):
        name = names[i % len(names)]
        environment = {
            "LC_ALL": name, "LANG": name, "PYTHONHASHSEED": seeds[i % 3], "TZ": zones[(i // 3) % 3],
            "HOSTNAME": f"host{i}", "USER": f"user{i}",
        }  # fmt: skip
        yield name, environment, (1, 2, 5)[i % 3], (1, 7, 1000)[(i // 3 + i) % 3]


@pytest.mark.req("REB-01", "REB-02", "REB-03", "REB-05", "VAL-04")
@pytest.mark.parametrize(("name", "environment", "workers", "batch"), list(arrangements()))
def test_every_environment_gives_the_same_manifest(
    name: str, environment: dict[str, str], workers: int, batch: int, reference: Path, tmp_path: Path
) -> None:
    """Import and build anew, in new processes, another place, another order of files."""
    place = tmp_path / "başka yer"
    source = write_corpus(place / "source", seed=workers * 10 + batch)
    files = sorted(source.iterdir(), key=lambda path: random.Random(path.name + str(batch)).random())
    tekrar("import", *files, "--language", "tr", "--out", "release", cwd=place, **environment)
    told = tekrar(
        "build", "release", "--out", "artifact", "--workers", str(workers), "--batch", str(batch), "--engine",
        "hashlib", cwd=place, **environment,
    )  # fmt: skip
    assert manifest(place / "artifact") == manifest(reference)
    assert told["artifact_root"] == json.loads(manifest(reference))["artifact_root"]


@pytest.mark.req("REB-02", "REB-01")
@pytest.mark.skipif(not sha_ni.available(), reason="no x86 SHA instructions or no llvmlite here")
@pytest.mark.parametrize("workers", [1, 2])
def test_the_fast_engine_gives_the_same_manifest(
    workers: int, release: Path, reference: Path, tmp_path: Path
) -> None:
    build(release, out=tmp_path / "a", engine="sha-ni", workers=workers, batch=7)
    assert manifest(tmp_path / "a") == manifest(reference)


@pytest.mark.req("REB-02")
def test_a_second_build_in_the_same_process_is_the_same(
    release: Path, reference: Path, tmp_path: Path
) -> None:
    for number in range(2):
        build(release, out=tmp_path / str(number), engine="hashlib", workers=2, batch=5)
        assert manifest(tmp_path / str(number)) == manifest(reference)


@pytest.mark.req("REB-06")
@pytest.mark.parametrize("stage", ["occurrences", "roots", "write"])
def test_an_interrupted_build_made_again_is_equal(
    stage: str, release: Path, reference: Path, tmp_path: Path
) -> None:
    """The process dies without a word when a stage begins or is half done; the next build is as if nothing
    were."""
    out = tmp_path / "artifact"
    code = (
        "import os, signal, sys\n"
        "from tekrar.build import build\n"
        "def tell(stage, done, total):\n"
        f"    if stage == {stage!r} and done * 2 >= total * {int(stage != 'write')}:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "build(sys.argv[1], out=sys.argv[2], engine='hashlib', workers=2, batch=3, progress=tell)\n"
    )
    done = subprocess.run([sys.executable, "-c", code, str(release), str(out)], check=False)
    assert done.returncode == -signal.SIGKILL
    assert not out.exists()
    build(release, out=out, engine="hashlib")
    assert manifest(out) == manifest(reference)
    assert [p.name for p in tmp_path.iterdir()] == ["artifact"]


@pytest.mark.req("REB-06")
def test_a_build_killed_at_any_time_leaves_nothing_that_reads_as_an_artifact(
    release: Path, reference: Path, tmp_path: Path
) -> None:
    code = (
        "import sys; from tekrar.build import build; print('ready', flush=True); "
        "build(sys.argv[1], out=sys.argv[2])"
    )
    for number in range(4):
        out = tmp_path / f"a{number}"
        running = subprocess.Popen(
            [sys.executable, "-c", code, str(release), str(out)], stdout=subprocess.PIPE, text=True
        )
        assert running.stdout is not None
        assert running.stdout.readline() == "ready\n"
        time.sleep(0.15 * number)
        running.kill()
        running.wait()
        running.stdout.close()
        if out.exists():
            assert manifest(out) == manifest(reference)
        else:
            build(release, out=out, engine="hashlib")
            assert manifest(out) == manifest(reference)


@pytest.mark.req("REB-01", "REB-03")
def test_the_release_may_lie_anywhere(release: Path, reference: Path, tmp_path: Path) -> None:
    moved = tmp_path / "uzak" / "yer"
    shutil.copytree(release, moved)
    os.utime(moved / "manifest.json", (1, 1))
    build(moved, out=tmp_path / "a", engine="hashlib")
    assert manifest(tmp_path / "a") == manifest(reference)


@pytest.mark.req("REB-03")
def test_no_place_host_user_or_clock_stands_in_an_artifact(release: Path, reference: Path) -> None:
    long_enough = 6  # a short host name such as `vm` is part of other words
    banned = [str(release.parent), str(reference), os.uname().nodename, time.strftime("%Y-%m-%d")]
    for path in reference.rglob("*"):
        if path.is_file():
            data = path.read_bytes()
            for word in (w for w in banned if len(w) >= long_enough):
                assert word.encode() not in data, (path, word)


@pytest.mark.req("REB-01")
def test_a_target_that_exists_is_left_alone(release: Path, reference: Path, tmp_path: Path) -> None:
    out = tmp_path / "a"
    out.mkdir()
    (out / "mine").write_text("x")
    with pytest.raises(TekrarError):
        build(release, out=out, engine="hashlib")
    assert [p.name for p in out.iterdir()] == ["mine"]
