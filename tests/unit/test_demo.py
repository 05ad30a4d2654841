"""The demo: its text is read and never run, its folder is its own, what it tells stands in the artifact."""

import gzip
import json
import re
import resource
import shlex
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.demo import findings, folder, kjv, sample
from tekrar.errors import NotFoundError, SourceError, UsageError
from tekrar.view.open import Corpus, open_corpus
from tests.conftest import ROOT
from tests.docs.blocks import missing_line

#: Seconds in which the whole demo must be done, in processor time of all its processes: no neighbour on the
#: machine can lengthen it, and an idle machine takes no longer.
LIMIT = 60.0


def processor_seconds() -> float:
    usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in usage)


# -- the text of the package -----------------------------------------------------------------------


def module(
    *,
    before: str = "",
    text: str = '"Light. Day."',
    starts: str = "{1001001: 0, 2001001: 7}",
    ends: str = "{1001001: 6, 2001001: 11}",
    titles: str = "{Book.SAMUEL_1: 'x', Book.SONG_OF_SONGS: 'y'}",
) -> str:
    return (
        f"from nowhere import Bible, Book\n{before}\n"
        f"bible = Bible(Version.X, {text}, {starts}, {ends}, {{}}, {titles})\n"
    )


def read(tmp_path: Path, source: str) -> kjv.Bible:
    path = tmp_path / "text.py"
    path.write_text(source, encoding="utf-8")
    return kjv.read_bible(path)


def test_the_literals_are_taken_and_nothing_is_run(tmp_path: Path) -> None:
    ran = tmp_path / "ran"
    bible = read(tmp_path, module(before=f"open({str(ran)!r}, 'w')\nraise SystemExit(1)"))
    assert not ran.exists()
    assert [(r["book"], r["chapter"], r["para"], r["ord"], r["text"]) for r in kjv.records(bible)] == [
        ("1 Samuel", 1, 1, 1, "Light."),
        ("Song of Songs", 1, 1, 2, "Day."),
    ]


@pytest.mark.parametrize(
    "source",
    [
        "not python(",
        "x = 1",
        module(text="open('x').read()"),
        module(text="b'Light. Day.'"),
        module(starts="{1001001: 0, 2001001: 'seven'}"),
        module(starts="{2001001: 7, 1001001: 0}"),
        module(ends="{1001001: 6}"),
        module(ends="{1001001: 6, 2001001: 12}"),
        module(ends="{1001001: 0, 2001001: 11}"),
        module(titles="{Book.SAMUEL_1: 'x'}"),
        module(titles="dict()"),
        "bible = Bible(1)",
    ],
)
def test_a_text_of_another_form_is_refused_with_its_name(tmp_path: Path, source: str) -> None:
    with pytest.raises(SourceError) as caught:
        read(tmp_path, source)
    assert caught.value.where == "text.py"
    assert caught.value.kind == "demo_text"
    assert caught.value.expected
    assert caught.value.mend


def test_an_absent_package_is_said_before_anything_is_made(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(kjv, "PACKAGE", "no-such-package-of-that-name")
    with pytest.raises(NotFoundError) as caught:
        kjv.installed_module()
    assert "make setup" in caught.value.mend
    assert main(["demo", "--out", str(tmp_path / "out")]) == NotFoundError("").exit_status
    assert "not_found/demo_text_missing" in capsys.readouterr().err
    assert not (tmp_path / "out").exists()


@pytest.mark.shared
def test_every_verse_equals_the_shared_copy(shared_dir: Path) -> None:
    made = kjv.source_bytes(kjv.read_bible(kjv.installed_module())).splitlines()
    with gzip.open(shared_dir / "corpora" / "bible" / "kjv.jsonl.gz") as file:
        theirs = file.read().splitlines()
    assert len(made) == len(theirs) == 31_102
    for ours, other in zip(made, theirs, strict=True):
        if ours != other:  # the keys' order is nobody's business
            assert json.loads(ours) == json.loads(other)


# -- the folder ------------------------------------------------------------------------------------


def test_the_folder_is_made_marked_and_emptied_of_the_demos_own_things_only(tmp_path: Path) -> None:
    out = tmp_path / "deep" / "out"
    folder.prepare(out)
    (out / folder.RELEASE / "objects").mkdir(parents=True)
    (out / folder.ARTIFACT).symlink_to(tmp_path)
    (out / folder.REPORT).write_text("old")
    (out / "mine.txt").write_text("keep")
    folder.prepare(out)
    assert sorted(path.name for path in out.iterdir()) == [folder.MARK, "mine.txt"]
    assert tmp_path.is_dir()


def test_an_empty_folder_is_taken(tmp_path: Path) -> None:
    folder.prepare(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [folder.MARK]


@pytest.mark.parametrize("kind", ["folder", "file", "link", "dangling"])
def test_what_the_demo_did_not_make_is_left_alone(tmp_path: Path, kind: str) -> None:
    out, other = tmp_path / "out", tmp_path / "other"
    other.mkdir()
    if kind == "folder":
        out.mkdir()
        (out / folder.RELEASE).mkdir()
        (out / folder.RELEASE / "mine").write_text("keep")
    elif kind == "file":
        out.write_text("keep")
    else:
        out.symlink_to(other if kind == "link" else tmp_path / "nowhere")
    with pytest.raises(UsageError, match="did not make"):
        folder.prepare(out)
    assert not any(other.iterdir())
    assert out.is_symlink() or out.is_file() or (out / folder.RELEASE / "mine").read_text() == "keep"


# -- the sample ------------------------------------------------------------------------------------


def test_the_sample_holds_each_kind_it_is_there_to_show() -> None:
    records = [json.loads(line) for line in sample.source_bytes().splitlines()]
    assert {record["kind"] for record in records} == {"heading", "body", "note", "separator", "empty"}
    assert len({record["book"] for record in records}) == 3
    markers = [marker for record in records for marker in record["note_markers"]]
    assert {marker["resolved"] for marker in markers} == {True, False}
    texts = [record["text"] for record in records]
    assert "" in texts
    assert " " in texts
    assert any("ا" in text and "e" in text for text in texts)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """The sample, imported and built."""
    place = tmp_path_factory.mktemp("sample")
    (place / sample.NAME).write_bytes(sample.source_bytes())
    release, artifact = place / "release", place / "artifact"
    words = [str(place / sample.NAME), "--language", sample.LANGUAGE, "--out", str(release), "--quiet"]
    assert main(["import", *words]) == 0
    assert main(["build", str(release), "--out", str(artifact), "--quiet"]) == 0
    return open_corpus(artifact, release)


@pytest.fixture(scope="module")
def lines(corpus: Corpus) -> dict[str, sample.Line]:
    return {line.address: line for line in sample.explain(corpus)}


HEADING, NOTE = "excluded (heading_marker_intersection)", "excluded (note_body_intersection)"


@pytest.mark.req("EN-03", "EN-08", "PRJ-03", "PRJ-04", "PRJ-05", "PRJ-07", "PRJ-08", "PRJ-09")
@pytest.mark.parametrize(
    ("address", "short", "said"),
    [
        # a heading: text under full context, a reason to exclude under prose only
        ("bahce/1/p1", "FP", "= yol/1/p1"),
        ("bahce/1/p1", "PP", HEADING),
        ("bahce/1/p1", "FS", "bahce/1:1+6 = yol/1:1+6"),
        ("bahce/1/p1", "PS", f"runs that start here: 11 {HEADING}"),
        # runs over paragraph ends; under prose only over masked markers of different numbers
        ("bahce/1/p2", "PS", "bahce/1:2+7 = yol/1:2+7"),
        ("bahce/1/p4", "FP", "unique"),
        ("bahce/1/p4", "PP", "= yol/1/p4"),
        # a repeated note body
        ("bahce/1/p5", "FP", "= deniz/1/p4"),
        ("bahce/1/p5", "PP", NOTE),
        # Arabic, empty, white space
        ("bahce/1/p7", "PP", "= yol/1/p9"),
        ("bahce/1/p8", "FP", "excluded while enumerating: empty_core_extent"),
        ("bahce/1/p8", "PP", "excluded while enumerating: empty_core_extent"),
        ("bahce/2/p3", "FP", "= yol/2/p3"),
        # a comma more is another text; a masked marker is not nothing
        ("bahce/2/p2", "FP", "unique"),
        ("bahce/2/p5", "PP", "unique"),
        ("yol/1/p7", "PP", "unique"),
        # a source gap is masked as a matched marker is
        ("yol/1/p6", "FP", "unique"),
        ("yol/1/p6", "PP", "= deniz/1/p3"),
        # thirteen sentences: two classes of twelve
        ("deniz/1/p2", "FS", "deniz/1:2+12 = deniz/2:2+12; deniz/1:3+12 = deniz/2:3+12"),
    ],
)
def test_what_each_profile_makes_of_the_sample(
    lines: dict[str, sample.Line], address: str, short: str, said: str
) -> None:
    assert lines[address].verdicts[short] == said


def test_every_paragraph_is_explained_and_the_remarks_came_through_the_import(
    lines: dict[str, sample.Line],
) -> None:
    records = [json.loads(line) for line in sample.source_bytes().splitlines()]
    assert [line.text for line in lines.values()] == [record["text"] for record in records]
    assert [line.look for line in lines.values()] == [record.get("look", "") for record in records]


def test_findings_are_ranked_and_hold_exact_text(corpus: Corpus) -> None:
    found = findings.find(corpus)
    assert [item.length for item in found.longest] == sorted(
        (item.length for item in found.longest), reverse=True
    )
    assert found.longest[0].address == "deniz/1:2+12"
    assert found.longest[0].text.startswith("Bir dalga gelir.")
    assert found.frequent
    assert found.parallels[0].left == "Birinci Yaprak: Sabah"
    assert found.parallels[0].paragraphs == 4  # heading, two paragraphs, the Arabic line


# -- the whole demo --------------------------------------------------------------------------------


def last_object(text: str) -> dict[str, Any]:
    found = json.loads(text.splitlines()[-1])
    assert isinstance(found, dict)
    return found


@pytest.fixture
def inside(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_sample_demo_runs_twice_and_its_next_commands_work(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["demo", "--sample", "--json", "--no-database"]) == 0
    first = last_object(capsys.readouterr().out)
    assert first["published"] is None
    assert main(["demo", "--sample", "--no-database"]) == 0
    told = capsys.readouterr().out
    assert not (inside / "demo-out" / folder.DATABASE).exists()
    assert first["artifact_root"] in told
    assert "yol/1/p6" in told
    assert ("Next:" in told) == (shutil.which("tekrar") is not None)
    for command in first["next"]:
        assert command in told
        words = shlex.split(command)
        assert words[0] == "tekrar"
        assert main(words[1:]) == 0, command
        assert capsys.readouterr().out
    assert Path(first["report"]).is_file()


@pytest.mark.parametrize("kilobytes", [0, 1, 20])
@pytest.mark.parametrize("before", ["nothing", "empty", "a file beside", "an earlier demo"])
def test_a_demo_that_cannot_write_takes_back_what_it_made(
    inside: Path, kilobytes: int, before: str, capsys: pytest.CaptureFixture[str]
) -> None:
    out = inside / "new" / "demo"
    if before != "nothing":
        out.mkdir(parents=True)
    if before in ("a file beside", "an earlier demo"):
        (out / folder.MARK).touch()
        (out / "mine").write_bytes(b"mine")
    if before == "an earlier demo":
        (out / folder.RELEASE).mkdir()
    words = [sys.executable, "-m", "tekrar", "demo", "--sample", "--json", "--out", str(out)]
    limit = (kilobytes << 10, kilobytes << 10)
    done = subprocess.run(
        words,
        capture_output=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, limit),
    )
    assert done.returncode == 6, done.stderr
    assert json.loads(done.stdout.splitlines()[-1])["error"]["kind"] == "efbig"
    if before == "nothing":
        assert list(inside.iterdir()) == []
    elif before == "empty":
        assert list(out.iterdir()) == []
    else:
        assert sorted(path.name for path in out.iterdir()) == [folder.MARK, "mine"]


def test_a_folder_that_no_demo_made_is_not_cleared_when_it_is_refused(inside: Path) -> None:
    (inside / "demo-out" / folder.RELEASE).mkdir(parents=True)
    assert main(["demo", "--sample"]) == 2
    assert (inside / "demo-out" / folder.RELEASE).is_dir()


def test_the_demo_finds_the_parallel_chapters_of_the_kjv_in_time(
    inside: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    begun = processor_seconds()
    assert main(["demo"]) == 0
    assert processor_seconds() - begun < LIMIT
    told = capsys.readouterr().out
    pairs = re.findall(r"^ +(\d+)  (.+) ∥ (.+)  \(", told, re.MULTILINE)
    assert ("6", "2 Kings 19", "Isaiah 37") in pairs
    assert ("2", "1 Chronicles 16", "Psalms 105") in pairs
    assert told.count(": complete\n") == 4
    assert (inside / "demo-out" / "report.html").is_file()
    shown = re.search(r"^```text demo\n(.*?)^```", (ROOT / "README.md").read_text("utf-8"), re.M | re.S)
    assert shown is not None
    # What it publishes is told where there is a PostgreSQL; what is missing is told where there is none.
    claimed, _, published = shown[1].partition("Published")
    assert published
    wanted = f"{claimed}Published{published}" if "Nothing was published: " not in told else claimed
    assert missing_line(wanted, told) is None, told
