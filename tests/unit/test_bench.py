"""The benchmark's parsers, generators and tables; nothing here is timed."""

from __future__ import annotations

import json
import os
import sys
from itertools import pairwise
from pathlib import Path

import pytest

from bench import report, targets
from bench.__main__ import arguments, main
from bench.corpora import corpora
from bench.hashing import Rates, work_of
from bench.process import CommandFailed, Usage, measured, pss_of, tree_of
from bench.run import Command, alternate, emitted_of, record_of
from bench.stages import StageClock, parallel_share
from bench.synthetic import write_corpus, write_equal_paragraphs, write_equal_sentences, write_tenfold
from bench.table import GB, Row, Sample, markdown, shown


def sample(
    command: str, *, cpu: float = 1.0, wall: float = 1.0, peak: int = GB, corpus: str = "text"
) -> Sample:
    return Sample(corpus, command, (Usage(cpu, wall, peak),))


def quiet(message: str) -> None:
    """Progress nobody reads."""


class TestProcess:
    def test_output_and_usage_of_a_process(self) -> None:
        used = measured([sys.executable, "-c", "print('told'); x = bytearray(60_000_000)"])
        assert used.output == "told\n"
        assert used.peak > 60_000_000
        assert used.cpu > 0
        assert used.wall > 0

    def test_a_failure_shows_its_last_words(self) -> None:
        with pytest.raises(CommandFailed, match=r"status 3[\s\S]*it broke"):
            measured([sys.executable, "-c", "import sys; print('it broke', file=sys.stderr); sys.exit(3)"])

    @pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="no PSS from this kernel")
    def test_memory_of_a_tree_counts_both_processes(self) -> None:
        # The parent holds on for some samples once the child has told that its memory is filled.
        child = "x = b'x' * 60_000_000; print(flush=True); input()"
        parent = (
            "import subprocess, sys, time; x = b'x' * 60_000_000\n"
            f"p = subprocess.Popen([sys.executable, '-c', {child!r}], stdin=-1, stdout=-1)\n"
            "p.stdout.readline(); time.sleep(0.5); p.communicate(b'\\n')"
        )
        assert measured([sys.executable, "-c", parent], tree=True).peak > 120_000_000

    def test_proportional_size(self) -> None:
        assert pss_of("Rss:  900 kB\nPss:                 512 kB\nPss_Dirty: 3 kB\n") == 512 * 1024
        assert pss_of("") == 0

    def test_a_process_that_is_gone_has_only_itself(self) -> None:
        assert os.getpid() in tree_of(os.getpid())
        assert tree_of(2**22 + 1) == [2**22 + 1]


class TestRounds:
    def test_commands_alternate_and_warm_rounds_do_not_count(self) -> None:
        seen: list[str] = []
        words = [sys.executable, "-c", ""]
        commands = [
            Command("one", words, lambda: seen.append("one")),
            Command("two", words, lambda: seen.append("two")),
        ]
        found = alternate(commands, corpus="text", runs=2, warm=1, tell=quiet)
        assert seen == ["one", "two"] * 3
        assert {name: len(one.runs) for name, one in found.items()} == {"one": 2, "two": 2}

    def test_the_record_is_the_last_line(self) -> None:
        assert record_of('{"a": 1}\n{"b": 2}\n') == {"b": 2}

    def test_occurrences_of_a_build(self) -> None:
        output = json.dumps({"coverage": {"FP": {"emitted": 4, "failed": 0}, "FS": {"emitted": 9}}})
        usage = Usage(1, 1, 1, output + "\n")
        assert emitted_of(Sample("text", "build hashlib", (usage,))) == {"FP": 4, "FS": 9}


class TestStages:
    def test_a_stage_has_the_time_from_its_first_call_to_its_last(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        clock = StageClock()
        times = iter([1.0, 2.0, 4.0, 5.0, 5.5])
        monkeypatch.setattr("bench.stages.cpu_seconds", lambda: next(times))
        for stage, done, total in (
            ("occurrences", 0, 2),
            ("occurrences", 1, 2),
            ("occurrences", 2, 2),
            ("write", 0, 1),
            ("write", 1, 1),
        ):
            clock(stage, done, total)
        assert clock.seconds == {"occurrences": 3.0, "write": 0.5}

    def test_share(self) -> None:
        record = {"total": 10.0, "stages": {"occurrences": 6.0, "roots": 2.5, "write": 1.0}}
        assert parallel_share(record) == pytest.approx(0.95)


class TestHashing:
    def test_compressions_of_a_build(self) -> None:
        work = work_of({"FP": 10, "FS": 100, "PP": 10, "PS": 100})
        assert work.sha256 == 2 * 200
        assert work.sha1 == 220 + 2 * 110

    def test_limit(self) -> None:
        work = work_of({"FP": 0, "FS": 100, "PP": 0, "PS": 100})
        assert Rates(sha256=200.0, sha1=400.0).limit(work) == pytest.approx(2.0 + 1.0)


class TestTargets:
    def test_bounds_beside_the_dictionary(self) -> None:
        found = {
            "build hashlib": sample("build hashlib", cpu=1.3, peak=GB // 2),
            targets.DICTIONARY: sample(targets.DICTIONARY, cpu=1.0, peak=GB),
        }
        rows = targets.against_baselines(found, corpus="text", engine="hashlib", graded=True)
        assert [row.verdict for row in rows] == ["missed", "met"]
        small = targets.against_baselines(found, corpus="text", engine="hashlib", graded=False)
        assert [row.verdict for row in small] == ["missed", "-"]

    def test_polars_bounds_the_fast_engine_only(self) -> None:
        found = {f"build {name}": sample(name, cpu=2.0) for name in ("hashlib", "sha-ni")}
        found[targets.POLARS] = sample(targets.POLARS, cpu=1.0)
        verdicts = [
            targets.against_baselines(found, corpus="text", engine=name, graded=True)[0].verdict
            for name in ("hashlib", "sha-ni")
        ]
        assert verdicts == ["-", "missed"]

    @pytest.mark.parametrize(("loops", "verdicts"), [(1.95, ["-", "met", "-"]), (1.4, ["-", "-", "missed"])])
    def test_workers_are_judged_by_what_the_machine_can_show(self, loops: float, verdicts: list[str]) -> None:
        one, two = sample("build hashlib", wall=3.2), sample("build hashlib, 2 workers", wall=2.0)
        rows = targets.workers(one, two, engine="hashlib", loops=loops, share=0.7)
        assert [row.verdict for row in rows] == verdicts

    def test_hostile_ceilings_hold_for_cpu_wall_and_peak(self) -> None:
        rows = targets.hostile(sample("build hashlib", cpu=16.0, wall=9.0), judged=True)
        assert [row.verdict for row in rows] == ["missed", "met", "met"]

    def test_growth(self) -> None:
        small, large = sample("build hashlib", cpu=2.0), sample("build hashlib", cpu=22.5)
        assert targets.growth(small, large, engine="hashlib").verdict == "missed"


class TestTable:
    def test_verdicts(self) -> None:
        assert Row("c", "w", 1.0).verdict == "-"
        assert Row("c", "w", 1.0, 1.0).verdict == "met"
        assert Row("c", "w", 1.1, 1.0).verdict == "missed"
        assert Row("c", "w", 1.1, 1.0, at_least=True).verdict == "met"

    def test_rounding_hides_no_miss(self) -> None:
        cells = Row("c", "w", 0.8512, 0.85, "x").cells()
        assert cells[2:] == ["0.8512x", "≤ 0.85x", "missed"]

    def test_median_and_peak(self) -> None:
        runs = tuple(Usage(cpu, cpu, int(cpu)) for cpu in (3.0, 1.0, 2.0))
        one = Sample("c", "w", runs)
        assert (one.cpu, one.wall, one.peak) == (2.0, 2.0, 3)
        assert one.cells() == ["c", "w", "2.00", "1.00..3.00", "2.00", "0.00"]

    def test_numbers(self) -> None:
        assert [shown(v, u) for v, u in ((1.234, "x"), (45.67, ""), (1234.5, "s"))] == [
            "1.23x",
            "45.7",
            "1234 s",
        ]

    def test_markdown_is_one_line_a_row(self) -> None:
        text = markdown(("a", "b"), [["1|2", "3"]])
        assert text == "| a | b |\n| --- | --- |\n| 1\\|2 | 3 |"

    def test_the_summary_names_what_is_missed(self) -> None:
        rows = [Row("c", "fast", 1.0, 2.0), Row("c", "small", 3.0, 2.0), Row("c", "shown", 9.0)]
        assert report.summary(rows) == "1 of 2 targets met; missed: c: small"

    def test_json_has_every_run_and_every_figure(self) -> None:
        record = report.as_record([sample("build hashlib")], [Row("c", "w", 1.0, 2.0)], runs=1, load=0.5)
        assert record["samples"][0]["peak_bytes"] == [GB]
        assert record["figures"][0]["verdict"] == "met"
        json.dumps(record)

    def test_processor_name(self) -> None:
        assert report.processor_of("processor : 0\nmodel name\t: Some CPU: v2\n") == "Some CPU: v2"
        assert report.processor_of("") == ""


def lines_of(path: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in path.read_text("utf-8").splitlines()]


class TestGenerators:
    def test_a_seed_decides_every_byte(self, tmp_path: Path) -> None:
        paths = [tmp_path / name for name in ("a", "b", "c")]
        for path, seed in zip(paths, (1, 1, 2), strict=True):
            write_corpus(path, count=3000, seed=seed)
        one, again, other = (path.read_bytes() for path in paths)
        assert one == again != other

    def test_sentences_cover_each_paragraph_and_paragraphs_repeat(self, tmp_path: Path) -> None:
        write_corpus(tmp_path / "a", count=20_000)
        texts = []
        for record in lines_of(tmp_path / "a"):
            text, spans = record["text"], record["sents"]
            assert isinstance(text, str)
            assert isinstance(spans, list)
            assert (spans[0][0], spans[-1][1]) == (0, len(text.encode()))
            assert all(text[end:start] == " " for (_, end), (start, _) in pairwise(spans))
            texts.append(text)
        assert len(set(texts)) < len(texts)
        assert sum(len(text.split()) for text in texts) >= 20_000

    def test_hostile_inputs_are_what_they_say(self, tmp_path: Path) -> None:
        write_equal_sentences(tmp_path / "a", count=40)
        write_tenfold(tmp_path / "b", count=20)
        write_equal_paragraphs(tmp_path / "c", count=7)
        equal, tenfold, same = (lines_of(tmp_path / name) for name in "abc")
        sentences = [s for record in equal for s in str(record["text"]).split(". ")]
        assert len(sentences) == 40
        assert {s.rstrip(".") for s in sentences} == {sentences[0]}
        spans = [s for record in tenfold for s in record["sents"]]  # type: ignore[attr-defined]
        assert len(spans) == 200
        texts = [record["text"] for record in tenfold]
        assert texts == texts[:4] * 10
        assert len(set(texts)) == 4
        assert len({record["text"] for record in same}) == 1
        assert len(same) == 7
        for records in (equal, tenfold, same):
            assert {record["chapter"] for record in records} == {1}


class TestArguments:
    def test_unknown_part(self, capsys: pytest.CaptureFixture[str]) -> None:
        with pytest.raises(SystemExit):
            arguments(["--only", "nothing"])
        assert "there are" in capsys.readouterr().err

    def test_without_shared_corpora_it_makes_its_own(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
    ) -> None:
        monkeypatch.setenv("TEKRAR_SHARED", str(tmp_path))
        names = [corpus.name for corpus in corpora(quick=False)]
        assert names[-3:] == ["synthetic-1m", "synthetic-3m", "synthetic-10m"]
        assert not any("planted" in name or "risale" in name for name in names)

    @pytest.mark.usefixtures("_same_folder")
    def test_a_failed_command_is_status_1_and_leaves_nothing(
        self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        def fail(*_: object, **__: object) -> None:
            raise CommandFailed("status 9 of: tekrar")

        monkeypatch.setattr("bench.__main__.bench", fail)
        assert main(["--quick", "--cache", str(tmp_path)]) == 1
        assert "status 9" in capsys.readouterr().err
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.usefixtures("_same_folder")
    def test_an_interrupt_leaves_nothing(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        def stop(*_: object, **__: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr("bench.__main__.bench", stop)
        assert main(["--quick", "--cache", str(tmp_path)]) == 130
        assert list(tmp_path.iterdir()) == []


@pytest.fixture
def _same_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    """`main` goes to the checkout's folder and takes the signal over; neither outlives the test."""
    monkeypatch.setattr("os.chdir", lambda path: None)
    monkeypatch.setattr("signal.signal", lambda *_: None)
