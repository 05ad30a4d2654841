"""Dispositions are append-only events; a false positive hides one thing under one generator and profile."""

import errno
import json
import os
import shutil
import subprocess
import sys
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

from tekrar.candidates import made
from tekrar.candidates.basis import open_basis
from tekrar.candidates.events import key_of, log_beside, mark, matching, read_events
from tekrar.candidates.inventory import inventory_of
from tekrar.candidates.present import present_generator
from tekrar.candidates.stored import Stored, open_stored, write_stored
from tekrar.cli import main
from tekrar.core.candidate import DISPOSITIONS, Candidate
from tekrar.core.identity import uuid_text
from tekrar.discover import thresholds
from tekrar.errors import IntegrityError, StorageError, UsageError
from tests.candidates.conftest import Place, built

NOON = datetime(2031, 5, 1, 12, tzinfo=UTC)


@pytest.fixture
def log(tmp_path: Path) -> Path:
    return tmp_path / "events.jsonl"


@pytest.fixture
def stored(harbour: Place) -> Stored:
    return open_stored(harbour.candidates)


@pytest.mark.req("CND-06", "CND-01")
def test_the_last_event_is_the_current_disposition(stored: Stored, log: Path) -> None:
    before = [(c.id, c.result) for c in stored.candidates]
    stated = inventory_of(stored, read_events(log)).disposition(0)
    assert stated.startswith("probable_")
    said = ["uncertain", *(d for d in DISPOSITIONS if d != "false_positive"), "false_positive"]
    for disposition in said:
        mark(stored, 0, disposition, author="Defne", log=log, now=NOON)
        assert inventory_of(stored, read_events(log)).disposition(0) == disposition
    assert len(read_events(log).rows) == len(DISPOSITIONS) + 1
    assert before == [(c.id, c.result) for c in open_stored(stored.path).candidates]


@pytest.mark.req("CND-06")
def test_an_unknown_disposition_is_refused_and_nothing_is_written(stored: Stored, log: Path) -> None:
    with pytest.raises(UsageError) as refused:
        mark(stored, 0, "accepted", author="Defne", log=log)
    assert refused.value.kind == "unknown_disposition"
    assert not log.exists()


@pytest.mark.parametrize("author", ["", "  ", "a\nb", "x" * 201, "\ud800"])
def test_an_author_is_one_line_of_words(stored: Stored, log: Path, author: str) -> None:
    with pytest.raises(UsageError) as refused:
        mark(stored, 0, "uncertain", author=author, log=log)
    assert refused.value.kind == "bad_words"
    assert not log.exists()


def test_times_are_utc_wherever_they_were_taken(stored: Stored, log: Path) -> None:
    event = mark(
        stored, 0, "uncertain", author="Ege", log=log, now=NOON.astimezone(timezone(timedelta(hours=3)))
    )
    assert event.recorded_at == "2031-05-01T12:00:00Z"


@pytest.mark.req("CND-08")
def test_a_false_positive_is_kept_counted_and_listable(
    harbour: Place, log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    where = ["--events", str(log)]
    package = str(harbour.candidates)

    def listed(*words: str) -> tuple[list[dict[str, Any]], dict[str, Any]]:
        assert main(["candidates", "list", package, *where, "--json", *words]) == 0
        lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        return lines[:-1], lines[-1]

    every, counts = listed()
    assert (counts["pending"], counts["rejected"]) == (len(every), 0)
    assert (
        main(["candidates", "mark", package, "1", "false_positive", "--as", "Ege", "--note", "x", *where])
        == 0
    )
    capsys.readouterr()
    shown, counts = listed()
    assert [line["id"] for line in shown] == [line["id"] for line in every[1:]]
    assert (counts["candidates"], counts["pending"], counts["rejected"]) == (len(every), len(every) - 1, 1)
    hidden, _ = listed("--suppressed")
    assert [(line["id"], line["disposition"]) for line in hidden] == [(every[0]["id"], "false_positive")]
    assert main(["candidates", "list", package, *where]) == 0
    assert "1 suppressed as false positives" in capsys.readouterr().out
    assert main(["candidates", "export", package, *where]) == 0
    out = capsys.readouterr()
    assert len(out.out.splitlines()) == len(every) - 1
    assert "1 suppressed" in out.err


@pytest.mark.req("CUR-01")
def test_no_mark_overrides_a_false_positive(stored: Stored, log: Path) -> None:
    mark(stored, 1, "uncertain", author="Ege", log=log)
    mark(stored, 1, "false_positive", author="Ege", log=log)
    mark(stored, 0, "uncertain", author="Ege", log=log)
    held = log.read_bytes()
    with pytest.raises(UsageError) as refused:
        mark(stored, 1, "uncertain", author="Deniz", log=log)
    assert (refused.value.kind, refused.value.where) == ("override_needs_decision", f"{log}, line 2")
    assert log.read_bytes() == held
    mark(stored, 1, "false_positive", author="Deniz", log=log)
    mark(stored, 0, "pending_review", author="Deniz", log=log)
    assert read_events(log).suppressed() == {key_of(stored, 1)}


@pytest.mark.req("CND-08", "CND-05")
def test_under_a_new_generator_the_pair_is_shown_again(
    harbour: Place, stored: Stored, log: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for at in range(len(stored.candidates)):
        mark(stored, at, "false_positive", author="Ege", log=log)
    assert len(inventory_of(stored, read_events(log)).suppressed) == len(stored.candidates)
    monkeypatch.setattr(thresholds, "UNIT_MARGIN", thresholds.UNIT_MARGIN + 1)
    present_generator.cache_clear()
    try:
        basis = open_basis(harbour.artifact, harbour.release)
        write_stored(basis, tmp_path / "v2", lambda: made.make(basis, present_generator("tr")))
    finally:
        monkeypatch.undo()
        present_generator.cache_clear()
    later = open_stored(tmp_path / "v2")
    same = {c.participants for c in later.candidates} & {c.participants for c in stored.candidates}
    assert same
    assert inventory_of(later, read_events(log)).suppressed == frozenset()


@pytest.mark.req("CND-08")
def test_another_pair_with_equal_text_is_not_suppressed(tmp_path: Path) -> None:
    one = "Sandıkta yedi eski harita, iki pusula ve mühürlü bir mektup bulundu."
    other = "Sandıkta yedi eski harita, iki pusula ve mühürlü bir defter bulundu."
    apart = ["Kuşlar güneye göç etti.", "Değirmen bütün gece döndü."]
    # Four near pairs of two texts: `one` stands for itself in each book with other words around it.
    books = {
        "a": [f"{one} Bunu ilk gören çırak, kapıyı kilitleyip ustasını çağırdı.", apart[0]],
        "b": [apart[1], f"{other} Muhtarın anlattığı budur, gerisini bilen yoktur."],
        "c": [f"{one} Sonra herkes evine dağıldı, sandık açık kaldı."],
    }
    place = built(tmp_path / "corpus", books)
    assert main(["candidates", str(place.artifact), "--out", str(place.candidates), "--quiet"]) == 0
    stored = open_stored(place.candidates)
    assert len(stored.candidates) >= 2
    log = tmp_path / "log"
    mark(stored, 0, "false_positive", author="Ege", log=log)
    assert inventory_of(stored, read_events(log)).suppressed == frozenset({0})


@pytest.mark.req("CND-08")
def test_the_key_is_participants_generator_and_profile(stored: Stored) -> None:
    key = key_of(stored, 0)
    assert matching(stored, [key]) == frozenset({0})
    for part in range(3):
        changed = list(key)
        changed[part] = "00" * 32
        assert matching(stored, [(changed[0], changed[1], changed[2])]) == frozenset()
    # the same participants with another result are the same thing to look at
    first = stored.candidates[0]
    twice = replace(stored, candidates=[first, Candidate(bytes(16), first.participants, b"other")])
    assert matching(twice, [key]) == frozenset({0, 1})


@pytest.mark.req("CND-08", "DOM-09")
def test_what_is_suppressed_without_a_mark_of_its_own_is_rejected_too(stored: Stored, log: Path) -> None:
    first = stored.candidates[0]
    twice = replace(stored, candidates=[first, Candidate(bytes(16), first.participants, b"other")])
    mark(stored, 0, "false_positive", author="Ege", log=log)
    record = inventory_of(twice, read_events(log)).record()
    assert (record["candidates"], record["pending"], record["rejected"]) == (2, 0, 2)


@pytest.mark.req("ID-02")
def test_a_note_enters_no_id(stored: Stored, log: Path) -> None:
    first = mark(stored, 0, "uncertain", author="Ege", note="bir", log=log, now=NOON)
    other = log.with_name("other")
    second = mark(stored, 0, "uncertain", author="Ege", note="iki", log=other, now=NOON)
    assert first.candidate == second.candidate == uuid_text(stored.candidates[0].id)
    assert first.hash != second.hash
    assert open_stored(stored.path).root == stored.root


@pytest.mark.parametrize(
    "change",
    [
        lambda lines: [lines[1], lines[0], *lines[2:]],
        lambda lines: lines[1:],
        lambda lines: [lines[0], *lines[2:]],
        lambda lines: [lines[0].replace(b"Ege", b"Efe"), *lines[1:]],
        lambda lines: [lines[0].replace(b"uncertain", b"accepted"), *lines[1:]],
        lambda lines: [*lines, b"{}\n"],
        lambda lines: [*lines, b'{"a":1,"a":2}\n'],
        lambda lines: [*lines[:-1], lines[-1][:-1].replace(b"Ege", b"Efe")],
        lambda lines: [*lines, b"x"],
        lambda lines: [*lines, b"\0" * 40],
        lambda lines: [lines[0], lines[1], lines[1][:-1]],
        lambda lines: [b" " + lines[0], *lines[1:]],
        lambda lines: [b"\xff\n", *lines],
    ],
)
def test_an_altered_log_is_refused_with_its_line(stored: Stored, log: Path, change: Any) -> None:
    for at, disposition in ((0, "uncertain"), (1, "false_positive"), (0, "false_positive")):
        mark(stored, at, disposition, author="Ege", log=log)
    log.write_bytes(b"".join(change(log.read_bytes().splitlines(keepends=True))))
    kept = log.read_bytes()
    for again in (lambda: read_events(log), lambda: mark(stored, 0, "uncertain", author="Ege", log=log)):
        with pytest.raises(IntegrityError) as refused:
            again()
        assert refused.value.kind == "events_broken"
        assert "line " in refused.value.where
    assert log.read_bytes() == kept


@pytest.mark.parametrize("cut", [1, 5, 11, 60, -2, -20])
def test_a_line_that_a_killed_writer_left_is_mended_by_the_next_mark(
    stored: Stored, log: Path, harbour: Place, capsys: pytest.CaptureFixture[str], cut: int
) -> None:
    """It was never confirmed: the events before it hold, and the chain goes on from the last of them."""
    for name in ("Ada", "Ege", "Su"):
        mark(stored, 0, "uncertain", author=name, log=log)
    lines = log.read_bytes().splitlines(keepends=True)
    torn = lines[2][:-1][:cut]
    log.write_bytes(b"".join([*lines[:2], torn]))
    assert [event.author for event in read_events(log).rows] == ["Ada", "Ege"]
    assert read_events(log).unfinished == len(torn)
    assert main(["candidates", "list", str(harbour.candidates), "--events", str(log)]) == 0
    assert "its last line was cut off" in capsys.readouterr().err
    words = [
        "candidates", "mark", str(harbour.candidates), "1", "uncertain", "--as", "Can", "--events", str(log)
    ]  # fmt: skip
    assert main(words) == 0
    events = read_events(log)
    assert ([event.author for event in events.rows], events.unfinished) == (["Ada", "Ege", "Can"], 0)
    assert log.read_bytes().startswith(b"".join(lines[:2]))


def test_an_event_that_lacks_only_its_line_end_is_an_event(stored: Stored, log: Path) -> None:
    for name in ("Ada", "Ege"):
        mark(stored, 0, "uncertain", author=name, log=log)
    log.write_bytes(log.read_bytes()[:-1])
    assert [event.author for event in read_events(log).rows] == ["Ada", "Ege"]
    mark(stored, 0, "uncertain", author="Su", log=log)
    assert [event.author for event in read_events(log).rows] == ["Ada", "Ege", "Su"]


def test_a_mark_writes_one_line_and_nothing_else(
    stored: Stored, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for _ in range(20):
        mark(stored, 0, "uncertain", author="Ege", log=log)
    before = log.read_bytes()
    node = log.stat().st_ino
    written: list[int] = []
    pwrite = os.pwrite
    monkeypatch.setattr(
        os, "pwrite", lambda fd, data, at: (written.append(len(data)), pwrite(fd, data, at))[1]
    )
    mark(stored, 0, "uncertain", author="Ege", log=log)
    assert log.stat().st_ino == node
    assert log.read_bytes()[: len(before)] == before
    assert sum(written) == log.stat().st_size - len(before) < 1000


def test_a_mark_that_finds_no_room_leaves_the_log_as_it_was(
    stored: Stored, log: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    mark(stored, 0, "uncertain", author="Ege", log=log)
    before = log.read_bytes()
    pwrite = os.pwrite

    def half(handle: int, data: bytes, at: int) -> int:
        if at > len(before):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        return pwrite(handle, data[: len(data) // 2], at)

    monkeypatch.setattr(os, "pwrite", half)
    with pytest.raises(StorageError) as refused:
        mark(stored, 0, "uncertain", author="Ege", log=log)
    assert refused.value.kind == "enospc"
    assert log.read_bytes() == before


def test_no_mark_that_was_confirmed_is_lost_to_a_kill(harbour: Place, stored: Stored, log: Path) -> None:
    """A writer that marks without end is killed: what it confirmed is there, and the chain holds."""
    code = (
        "import sys; from pathlib import Path\n"
        "from tekrar.candidates.events import mark\n"
        "from tekrar.candidates.stored import open_stored\n"
        "stored = open_stored(Path(sys.argv[1]))\n"
        "while True:\n"
        "    event = mark(stored, 0, 'uncertain', author='Ege', log=Path(sys.argv[2]))\n"
        "    print(event.hash, flush=True)"
    )
    for _ in range(3):
        command = [sys.executable, "-c", code, str(harbour.candidates), str(log)]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as writer:
            assert writer.stdout is not None
            told = [writer.stdout.readline() for _ in range(15)]
            writer.kill()
            told += writer.stdout.read().splitlines(keepends=True)
        hashes = [event.hash for event in read_events(log).rows]
        assert [line.strip() for line in told if line.endswith("\n") and line.strip() not in hashes] == []
        mark(stored, 0, "uncertain", author="Su", log=log)


def test_marks_of_two_programs_are_both_kept(stored: Stored, log: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(lambda n: mark(stored, n % 2, "uncertain", author=f"A{n}", log=log), range(12)))
    assert sorted(event.author for event in read_events(log).rows) == sorted(f"A{n}" for n in range(12))


def test_marks_that_come_by_different_links_are_both_kept(
    stored: Stored, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock is that of the folder of the file itself, not of the folder of a link to it."""
    from tekrar.candidates import events

    log = tmp_path / "held" / "events.jsonl"
    log.parent.mkdir()
    mark(stored, 0, "uncertain", author="Ada", log=log)
    (tmp_path / "link").symlink_to(log)
    locked: list[Path] = []
    kept = events.parent_locked
    monkeypatch.setattr(events, "parent_locked", lambda folder: (locked.append(folder), kept(folder))[1])
    for name, way in (("Ege", log), ("Su", tmp_path / "link")):
        mark(stored, 0, "uncertain", author=name, log=way)
    assert locked == [log.parent.resolve()] * 2
    assert (tmp_path / "link").is_symlink()
    assert [event.author for event in read_events(log).rows] == ["Ada", "Ege", "Su"]


def test_what_was_cut_off_at_the_end_shows_in_the_head_that_was_kept(stored: Stored, log: Path) -> None:
    """No chain tells that its last links are gone: who must know keeps `events_head` of `list --json`."""
    for name in ("Ada", "Ege"):
        mark(stored, 0, "uncertain", author=name, log=log)
    kept = inventory_of(stored, read_events(log)).record()
    log.write_bytes(log.read_bytes().splitlines(keepends=True)[0])
    found = inventory_of(stored, read_events(log)).record()
    assert found["events"] == kept["events"] - 1
    assert found["events_head"] != kept["events_head"]


@pytest.mark.req("DOM-09", "COV-13")
def test_pending_and_rejected_are_counted_and_rooted(stored: Stored, log: Path) -> None:
    total = len(stored.candidates)
    first = inventory_of(stored, read_events(log)).record()
    assert (first["candidates"], first["pending"], first["rejected"]) == (total, total, 0)
    mark(stored, 0, "false_positive", author="Ege", log=log)
    mark(stored, 1, "superseded_candidate", author="Ege", log=log)
    second = inventory_of(stored, read_events(log)).record()
    assert (second["pending"], second["rejected"]) == (total - 2, 1)
    assert (
        len({first["pending_root"], first["rejected_root"], second["pending_root"], second["rejected_root"]})
        == 4
    )


@pytest.mark.req("COV-13", "COV-14")
def test_the_semantic_status_stays_open_whatever_the_exact_one_is(
    harbour: Place, stored: Stored, log: Path
) -> None:
    exact = open_basis(harbour.artifact, harbour.release).artifact.manifest["profiles"]["FP"]["coverage"]
    assert exact["exact_status"] == "complete"
    record = inventory_of(stored, read_events(log)).record()
    assert record["pending"] > 0
    assert record["semantic_status"] == "open"
    for at in range(len(stored.candidates)):
        mark(stored, at, "false_positive", author="Ege", log=log)
    record = inventory_of(stored, read_events(log)).record()
    assert (record["pending"], record["semantic_status"]) == (0, "open")


def test_the_log_lies_beside_the_package(harbour: Place, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(harbour.candidates, copy)
    stored = open_stored(copy)
    mark(stored, 0, "uncertain", author="Ege", log=log_beside(copy))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["copy", "copy.dispositions.jsonl"]
    open_stored(copy)
