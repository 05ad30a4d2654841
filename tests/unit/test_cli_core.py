"""The command line.

Outcomes and exit statuses, import, reconstruct, completion, the pages made from tables.
"""

import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import tekrar.cli
from tekrar.cli import VERBS, main
from tekrar.core.policy import scope_policy
from tekrar.corpus.release_package import open_release
from tekrar.errors import EXIT_STATUS, TekrarError, UsageError
from tekrar.settings import Settings, read_settings
from tests import errors_page

from .structured_documents import book, document, encode, sample

RUN = [sys.executable, "-c", "import sys; from tekrar.cli import main; sys.exit(main())"]


@pytest.fixture
def source(tmp_path: Path) -> Path:
    path = tmp_path / "s.json"
    path.write_bytes(encode(sample()))
    return path


@pytest.fixture
def release(source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Path:
    assert main(["import", str(source), "--out", str(tmp_path / "r"), "--quiet"]) == 0
    assert capsys.readouterr() == ("", "")
    return tmp_path / "r"


def process(*words: str, **more: Any) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run([*RUN, *words], capture_output=True, check=False, **more)


def without_pyarrow(*words: str) -> subprocess.CompletedProcess[str]:
    code = (
        "import sys; from tekrar.cli import main; main(sys.argv[1:]); "
        "print(*sorted({'pyarrow', 'numpy', 'rich'} & set(sys.modules)), file=sys.stderr)"
    )
    return subprocess.run([sys.executable, "-c", code, *words], capture_output=True, text=True, check=True)


class TestOutcomes:
    @pytest.mark.parametrize("words", [[], ["--help"], ["-h"], ["help"]])
    def test_the_overview_lists_every_verb(
        self, words: list[str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(words) == 0
        out = capsys.readouterr().out
        assert all(f"  {verb} " in out and text in out for verb, (_, text) in VERBS.items())
        assert "TEKRAR_TRACEBACK" in out

    def test_the_version_is_the_packages(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["--version"]) == 0
        assert capsys.readouterr().out == f"tekrar {tekrar.__version__}\n"

    def test_help_of_a_verb_ends_well(self, capsys: pytest.CaptureFixture[str]) -> None:
        assert main(["import", "--help"]) == 0
        assert "--ignore-sents" in capsys.readouterr().out

    @pytest.mark.parametrize(
        ("words", "kind", "hint"),
        [
            (["imprt"], "unknown_verb", "import"),
            (["import"], "bad_arguments", "--out"),
            (["import", "x", "--out", "y", "--format", "docx"], "bad_arguments", "docx"),
            (["import", "x", "--out", "y", "--edit", "n"], "bad_arguments", "--edit"),
            (["completion", "fish"], "bad_arguments", "fish"),
        ],
    )
    def test_wrong_words_are_usage_errors(
        self, words: list[str], kind: str, hint: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(words) == 2
        found = capsys.readouterr()
        assert f"tekrar: error [usage_error/{kind}]" in found.err
        assert hint in found.err
        assert found.out == ""

    @pytest.mark.parametrize("verb", VERBS)
    def test_every_verb_of_the_table_has_its_module(self, verb: str) -> None:
        module = tekrar.cli.verb_module(verb)
        assert callable(module.run)
        assert tekrar.cli.verb_parser(verb, module).format_help()

    @pytest.mark.parametrize("kind", TekrarError.__subclasses__())
    def test_every_error_has_its_status_and_its_record(
        self,
        kind: type[TekrarError],
        monkeypatch: pytest.MonkeyPatch,
        capsys: pytest.CaptureFixture[str],
    ) -> None:
        error = kind("what", where="file:3", expected="right", mend="do", kind="k")
        assert self.ended(error, monkeypatch, "--json") == EXIT_STATUS[kind.code][0]
        found = capsys.readouterr()
        assert json.loads(found.out) == {"error": error.as_record()}
        for part in (f"[{kind.code}/k]: what", "file:3", "right", "do"):
            assert part in found.err
        assert self.ended(error, monkeypatch) == EXIT_STATUS[kind.code][0]
        assert capsys.readouterr().out == ""

    def test_an_interrupt_is_one_message_and_130(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.ended(KeyboardInterrupt(), monkeypatch) == 130
        assert "error [interrupted]: stopped" in capsys.readouterr().err

    @pytest.mark.parametrize("error", [KeyError("inner"), RecursionError("deep"), MemoryError()])
    def test_a_fault_of_our_own_asks_for_a_report_without_traceback(
        self, error: Exception, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.delenv("TEKRAR_TRACEBACK", raising=False)
        assert self.ended(error, monkeypatch, "--json") == 1
        found = capsys.readouterr()
        assert "Traceback" not in found.err
        assert ("memory" if isinstance(error, MemoryError) else type(error).__name__) in found.err
        assert json.loads(found.out)["error"]["code"] == "internal_error"

    def test_a_traceback_is_shown_when_asked_for(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("TEKRAR_TRACEBACK", "1")
        assert self.ended(KeyError("inner"), monkeypatch) == 1
        assert "Traceback" in capsys.readouterr().err

    def test_a_foreign_os_error_names_its_file(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert self.ended(PermissionError(13, "Permission denied", "/x/y"), monkeypatch) == 6
        found = capsys.readouterr().err
        assert "storage_error/eacces" in found
        assert "/x/y" in found

    @staticmethod
    def ended(error: BaseException, monkeypatch: pytest.MonkeyPatch, *more: str) -> int:
        def fail(_: list[str]) -> int:
            raise error

        monkeypatch.setattr(tekrar.cli, "_dispatch", fail)
        return main(["any", *more])

    def test_a_reader_that_leaves_early_is_no_error(self, release: Path) -> None:
        read, write = os.pipe()
        os.close(read)
        done = subprocess.run(
            [*RUN, "reconstruct", str(release)], stdout=write, stderr=subprocess.PIPE, check=False
        )
        os.close(write)
        assert (done.returncode, done.stderr) == (0, b"")

    @pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
    def test_a_full_standard_output_is_a_storage_error(self, release: Path) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [*RUN, "reconstruct", str(release)], stdout=full, stderr=subprocess.PIPE, check=False
            )
        assert done.returncode == 6
        assert b"storage_error/enospc" in done.stderr
        assert b"Traceback" not in done.stderr

    def test_nothing_heavy_is_imported_before_it_is_needed(self) -> None:
        assert without_pyarrow("--help").stderr == "\n"
        assert without_pyarrow("import", "--help").stderr == "\n"
        assert "pyarrow" not in without_pyarrow("import").stderr.splitlines()[-1]

    @pytest.mark.req("REB-05")
    @pytest.mark.parametrize("locale", ["C", "POSIX", "tr_TR.ISO-8859-9", "C.UTF-8"])
    @pytest.mark.parametrize("coerced", ["0", "1"])
    def test_words_names_and_output_are_utf8_in_every_locale(
        self, tmp_path: Path, locale: str, coerced: str
    ) -> None:
        (tmp_path / "ş.json").write_bytes(encode(sample()))
        environment = {**os.environ, "LC_ALL": locale, "PYTHONCOERCECLOCALE": coerced, "PYTHONUTF8": "0"}
        words = ("import", "ş.json", "--out", "çıktı", "--edition", "Ağaç", "--json")
        done = process(*words, env=environment, cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        record = json.loads(done.stdout.decode("utf-8"))
        assert (record["edition"], record["release"]) == ("Ağaç", "çıktı")
        manifest = open_release(tmp_path / "çıktı").package_manifest
        assert manifest["edition"] == "Ağaç"
        assert manifest["provenance"]["sources"][0]["name"] == "ş.json"

    def test_an_edition_that_is_not_utf8_is_refused(self, source: Path, tmp_path: Path) -> None:
        words = [
            b"import",
            os.fsencode(source),
            b"--out",
            os.fsencode(tmp_path / "r"),
            b"--edition",
            b"a\xff",
        ]
        done = subprocess.run([*RUN, *words], capture_output=True, check=False)
        assert done.returncode == 2
        assert b"not UTF-8" in done.stderr


class TestSettings:
    def test_an_empty_environment_says_nothing(self) -> None:
        assert read_settings({}) == Settings(traceback=False, workers=None)

    def test_values_are_read(self) -> None:
        assert read_settings({"TEKRAR_TRACEBACK": "1", "TEKRAR_WORKERS": "3"}) == Settings(
            traceback=True, workers=3
        )

    @pytest.mark.parametrize(
        ("name", "value"),
        [("TEKRAR_WORKERS", v) for v in ("0", "-1", "two", "1.5", "²", "10000")]
        + [("TEKRAR_TRACEBACK", "yes")],
    )
    def test_a_wrong_value_is_a_usage_error_that_names_it(self, name: str, value: str) -> None:
        with pytest.raises(UsageError, match=name):
            read_settings({name: value})

    def test_it_is_reported_as_such(
        self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
    ) -> None:
        monkeypatch.setenv("TEKRAR_WORKERS", "many")
        assert main(["--version"]) == 2
        assert "bad_setting" in capsys.readouterr().err

    def test_no_other_module_reads_the_environment(self, repo_root: Path) -> None:
        readers = [
            path.name
            for path in (repo_root / "src" / "tekrar").rglob("*.py")
            if "os.environ" in path.read_text("utf-8") or "getenv" in path.read_text("utf-8")
        ]
        assert readers == ["settings.py"]


class TestImport:
    def test_the_record_says_what_was_imported(
        self, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "r"
        assert main(["import", str(source), "--out", str(target), "--edition", "ilk", "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        opened = open_release(target)
        assert record["certified_digest"] == opened.certified.hex()
        assert record["text_release"] == opened.package_manifest["text_release"]
        assert record["counts"] == {"books": 2, "chapters": 3, "paragraphs": 4, "sentences": 4, "bytes": 53}
        assert record["datasets"] == {"headings": 1, "note_bodies": 1, "note_markers": 1}
        assert (record["edition"], record["language"], record["segmenter"]) == ("ilk", "tr", "source")
        assert record["policy"] == "repetition-scope-policy-v1"

    def test_another_language_binds_another_policy_and_says_so(
        self, source: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["import", str(source), "--out", str(tmp_path / "r"), "--language", "en-GB"]) == 0
        assert f"language      en-GB, scope policy {scope_policy('en').name}" in capsys.readouterr().out

    def test_a_missing_dataset_and_an_empty_source_are_said(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        (tmp_path / "s.json").write_bytes(encode(document(book("b"), headings=None)))
        assert main(["import", str(tmp_path / "s.json"), "--out", str(tmp_path / "r")]) == 0
        out = capsys.readouterr().out
        assert "headings      MISSING" in out
        assert "complete and empty" in out

    def test_json_lines_and_text_go_the_same_way(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / "in"
        folder.mkdir()
        record = {
            "book": "b",
            "chapter": 1,
            "para": 1,
            "ord": 1,
            "kind": "body",
            "text": "Su serin. Yol uzun.",
        }
        (folder / "b.jsonl").write_text(json.dumps(record, ensure_ascii=False) + "\n", "utf-8")
        (folder / "notes.tsv").write_text("not read", "utf-8")
        found = self.record(capsys, str(folder), "--out", str(tmp_path / "r1"), "--language", "tr")
        assert (found["importer"], found["unread"]) == ("paragraph-jsonl/1", ["notes.tsv"])
        (tmp_path / "t.txt").write_text("Su serin.\n\nYol uzun.\n", "utf-8")
        text = [str(tmp_path / "t.txt"), "--language", "tr"]
        found = self.record(capsys, *text, "--out", str(tmp_path / "r2"))
        assert (found["importer"], found["counts"]["paragraphs"]) == ("plain-text/1", 2)
        found = self.record(capsys, *text, "--out", str(tmp_path / "r3"), "--format", "markdown")
        assert found["importer"] == "markdown/1"

    @staticmethod
    def record(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, Any]:
        assert main(["import", *words, "--json"]) == 0
        found: dict[str, Any] = json.loads(capsys.readouterr().out)
        return found

    @pytest.mark.parametrize(
        ("make", "words", "status", "kind"),
        [
            (lambda p: None, ["none.json"], 5, ""),
            (lambda p: (p / "t.txt").write_bytes(b"Su."), ["t.txt"], 2, "missing_language"),
            (lambda p: (p / "t.txt").write_bytes(b"Su."), ["t.txt", "--language", "und"], 2, ""),
            (
                lambda p: (p / "t.txt").write_bytes(b"Su\xff"),
                ["t.txt", "--language", "tr"],
                3,
                "invalid_utf8",
            ),
            (lambda p: (p / "in").mkdir(), ["in"], 3, "no_source"),
            (lambda p: (p / "s.json").write_bytes(b"{}"), ["s.json"], 3, "missing_key"),
            (lambda p: (p / "s.json").write_bytes(encode(sample())), ["s.json", "--edition", ""], 2, ""),
            (
                lambda p: [(p / n).write_bytes(encode(sample())) for n in "ab"],
                ["a", "b"],
                3,
                "several_documents",
            ),
            (
                lambda p: [(p / "a.json").write_bytes(encode(sample())), (p / "b.txt").write_bytes(b"x")],
                ["a.json", "b.txt"],
                3,
                "two_formats",
            ),
            (
                lambda p: (p / "s").write_bytes(encode(sample(headings=[{"start": 5, "end": 5}]))),
                ["s"],
                4,
                "empty_span",
            ),
        ],
    )
    def test_bad_input_is_refused_with_its_status_and_nothing_written(
        self,
        tmp_path: Path,
        make: Callable[[Path], object],
        words: list[str],
        status: int,
        kind: str,
        capsys: pytest.CaptureFixture[str],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        make(tmp_path)
        before = sorted(tmp_path.iterdir())
        monkeypatch.chdir(tmp_path)
        assert main(["import", *words, "--out", "r", "--json"]) == status
        error = json.loads(capsys.readouterr().out)["error"]
        assert kind in ("", error["kind"])
        assert error["mend"]
        assert sorted(tmp_path.iterdir()) == before

    def test_a_target_that_exists_is_refused_before_the_source_is_read(
        self, release: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["import", "no such source", "--out", str(release), "--json"]) == 2
        assert json.loads(capsys.readouterr().out)["error"]["kind"] == "target_exists"
        open_release(release)


class TestHumanOutput:
    NAME = "\x1b[2J\u202eters\u2069\n  edition       false"
    SHOWN = "⟨U+001B⟩[2J⟨U+202E⟩ters⟨U+2069⟩↵  edition       false"

    def test_no_name_can_disturb_the_terminal_or_imitate_a_line(
        self, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        folder = tmp_path / self.NAME
        folder.mkdir()
        (folder / "s.txt").write_text("Su.\n", "utf-8")
        (folder / f"{self.NAME}.tsv").touch()
        out = tmp_path / f"r{self.NAME}"
        words = ["import", str(folder), "--out", str(out), "--language", "tr"]
        assert main([*words, "--edition", self.NAME]) == 0
        assert main(["reconstruct", str(out), "--out", str(tmp_path / f"t{self.NAME}")]) == 0
        assert main(words) == 2
        found = capsys.readouterr()
        told = found.out + found.err
        assert told.count(self.SHOWN) == 6
        assert not {"\x1b", "\u202e", "\u2069"} & set(told)
        assert "\n  edition       false" not in told


class TestReconstruct:
    @pytest.mark.req("CORE-01")
    def test_the_exact_bytes_go_to_standard_output(self, release: Path) -> None:
        done = process("reconstruct", str(release))
        assert done.stdout == open_release(release).release.text
        assert done.stdout.startswith(b"\xef\xbb\xbf\r\n")
        assert done.stderr == b""

    def test_or_to_a_file_that_is_never_overwritten(
        self, release: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        target = tmp_path / "text"
        assert main(["reconstruct", str(release), "--out", str(target), "--json"]) == 0
        record = json.loads(capsys.readouterr().out)
        assert record["certified_digest"] == open_release(release).certified.hex()
        assert target.read_bytes() == open_release(release).release.text
        target.write_bytes(b"mine")
        assert main(["reconstruct", str(release), "--out", str(target)]) == 2
        assert target.read_bytes() == b"mine"

    def test_json_and_text_do_not_share_standard_output(
        self, release: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["reconstruct", str(release), "--json"]) == 2
        assert list(json.loads(capsys.readouterr().out)) == ["error"]

    def test_not_a_byte_of_a_damaged_release_is_given(self, release: Path) -> None:
        row = json.loads((release / "files.json").read_bytes())["files"]["text"]
        data = bytearray((release / row["object"]).read_bytes())
        data[20] ^= 1
        (release / row["object"]).write_bytes(data)
        done = process("reconstruct", str(release))
        assert (done.returncode, done.stdout) == (4, b"")
        assert row["object"].encode() in done.stderr


class TestPages:
    @pytest.mark.parametrize("shell", ["bash", "zsh", "tcsh"])
    def test_completion_knows_the_verbs_and_their_options(
        self, shell: str, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert main(["completion", shell]) == 0
        out = capsys.readouterr().out
        assert "reconstruct" in out
        assert "ignore-sents" in out

    def test_bash_takes_the_completion(self, tmp_path: Path) -> None:
        script = process("completion", "bash").stdout
        assert subprocess.run(["bash", "-n"], input=script, check=False).returncode == 0

    def test_the_page_of_errors_is_made_from_the_table(self) -> None:
        assert errors_page.PAGE.read_text("utf-8") == errors_page.page()

    def test_every_error_code_has_a_status_of_its_own(self) -> None:
        statuses = [status for status, _ in EXIT_STATUS.values()]
        assert len(set(statuses)) == len(statuses)
        assert {kind.code for kind in TekrarError.__subclasses__()} == set(EXIT_STATUS)
        assert not {0, 1} & set(statuses)

    def test_every_example_of_the_format_page_is_imported(self, repo_root: Path) -> None:
        from tekrar.corpus.structured import import_structured

        page = (repo_root / "docs" / "formats.md").read_text("utf-8")
        examples = [part.partition("```")[0] for part in page.split("```json\n")[1:]]
        documents = [text for text in examples if '"corpus"' in text]
        assert documents
        for text in documents:
            import_structured(text.encode(), where="docs/formats.md", edition=None, language=None)
