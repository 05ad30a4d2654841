"""Drafts from the command line: no edit is lost, a draft is submitted as its next revision, and a dry run
tells the proposal that would be made."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import Scenario
from tests.store.curation_scenario import environment as inside
from tests.store.curation_small import published
from tests.store.place import settings_in


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("defter")
    try:
        yield published(folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


def family(one: str, other: str, **more: Any) -> str:
    said = {"operation": "accept_family", "kind": "variant", "members": [one, other], "rationale": "neden"}
    return json.dumps(said | more, ensure_ascii=False) + "\n"


def written(small: Scenario, text: str | bytes, name: str = "defter.jsonl") -> Path:
    file = small.folder / name
    file.write_bytes(text.encode() if isinstance(text, str) else text)
    return file


def refused(small: Scenario, *words: object, status: int) -> dict[str, Any]:
    found: dict[str, Any] = small.run(*words, actor="yazar", status=status)["error"]
    return found


@pytest.mark.req("CUR-01")
def test_no_edit_is_lost_and_both_versions_are_shown(
    small: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    first, theirs, yours = "yarım \x1b[31mkalan\n", "sabah yazılan\n", "akşam yazılan\n"
    file = written(small, first)
    assert small.run("drafts", "save", "söz", file, actor="yazar") == {"draft": "söz", "version": 1}
    assert small.run("drafts", "save", "söz", file, actor="yazar")["version"] == 1
    small.run("drafts", "save", "söz", written(small, theirs), "--on", 1, actor="yazar")
    words = ["drafts", "save", "söz", str(written(small, yours)), "--on", "1"]
    (both,) = _failed(small, words, capsys)
    assert (both["version"], both["theirs"], both["yours"]) == (2, theirs, yours)
    with inside(**small.database):
        assert main([*words, "--as", "yazar"]) == 8
    said = capsys.readouterr().err
    assert [one for one in ("sabah", "akşam", "edit_conflict", "--on 2") if one not in said] == []
    shown = small.run("drafts", "show", "söz", actor="yazar")
    assert (shown["version"], shown["document"], shown["submitted"]) == (2, theirs, None)
    copy = small.folder / "kopya"
    small.run("drafts", "show", "söz", "--version", 1, "--out", copy, actor="yazar")
    assert copy.read_text("utf-8") == first
    assert refused(small, "drafts", "show", "söz", "--out", copy, status=2)["kind"] == "target_exists"
    with inside(**small.database):
        assert main(["drafts", "show", "söz", "--version", "1", "--as", "yazar"]) == 0
        assert main(["drafts", "list", "--as", "yazar"]) == 0
    told = capsys.readouterr().out
    assert "⟨U+001B⟩" in told
    assert "\x1b" not in told
    assert "söz  version 2" in told
    assert small.lines("drafts", "list", actor="ikinci") == []


def _failed(small: Scenario, words: list[str], capsys: pytest.CaptureFixture[str]) -> list[dict[str, Any]]:
    """All lines of JSON but the error, which comes last."""
    with inside(**small.database):
        assert main([*words, "--as", "yazar", "--json"]) == 8
    *lines, last = capsys.readouterr().out.splitlines()
    assert json.loads(last)["error"]["kind"] == "edit_conflict"
    return [json.loads(one) for one in lines]


@pytest.mark.parametrize(
    ("words", "status", "kind"),
    [
        (("save", "hiç", "{file}", "--on", 3), 8, "edit_conflict"),
        (("save", "hiç", "{file}", "--on", -1), 2, "bad_arguments"),
        (("save", "", "{file}"), 8, "bad_argument"),
        (("save", "hiç", "{bytes}"), 2, "not_utf8"),
        (("save", "hiç", "{folder}"), 2, "not_a_file"),
        (("show", "hiç"), 5, "not_found"),
    ],
)
def test_what_is_no_draft_is_refused(
    small: Scenario, words: tuple[object, ...], status: int, kind: str
) -> None:
    names = {
        "{file}": written(small, "x"),
        "{bytes}": written(small, b"\xff\n", "bytes"),
        "{folder}": small.folder,
    }
    given = [names.get(str(one), one) for one in words]
    error = refused(small, "drafts", *given, status=status)
    assert error["kind"] == kind
    assert "hiç" not in [one["draft"] for one in small.lines("drafts", "list", actor="yazar")]
    if kind == "edit_conflict":
        assert "there is no draft" in error["message"]


def test_a_reviewer_keeps_no_drafts(small: Scenario) -> None:
    for words in (("list",), ("save", "benim", written(small, "x"))):
        error = small.run("drafts", *words, actor="okur", status=8)["error"]
        assert error["kind"].startswith("grant_")


@pytest.mark.req("CUR-02", "CUR-03")
def test_a_draft_is_submitted_and_after_changes_submitted_again(small: Scenario) -> None:
    """A dry run tells the digest each time; the reviews of what was edited count for nothing."""
    file = written(small, family("liman/1/p3", "tarla/1/p3"))
    small.run("drafts", "save", "rüzgâr", file, actor="yazar")
    ask = ("propose", "--from-draft", "rüzgâr")
    (dry,) = small.lines(*ask, "--dry-run", actor="yazar")
    (first,) = small.run(*ask, actor="yazar")["proposals"]
    assert (dry["outcome"], dry["revision"], dry["proposal"]) == ("submitted", 1, first)
    (dry,) = small.lines(*ask, "--dry-run", actor="yazar")
    assert (dry["outcome"], dry["revision"], dry["proposal"]) == ("already_submitted", 1, first)
    assert small.run(*ask, actor="yazar")["submitted"] == 0
    small.run("review", first, "request-changes", "--note", "Gerekçe?", actor="okur")
    (dry,) = small.lines(*ask, "--dry-run", actor="yazar")
    assert (dry["outcome"], dry["revision"]) == ("submitted", 2)
    edited = written(small, family("liman/1/p3", "tarla/1/p3", rationale="Aynı söz, eki başka."))
    small.run("drafts", "save", "rüzgâr", edited, "--on", 1, actor="yazar")
    (dry,) = small.lines(*ask, "--dry-run", actor="yazar")
    assert (dry["outcome"], dry["revision"], dry["proposal"]) == ("edit_conflict", 1, first)
    error = refused(small, *ask, status=8)
    assert error["kind"] == "edit_conflict"
    assert "tekrar propose --from-draft 'rüzgâr' --revises 1" in error["mend"]
    ask += ("--revises", "1")
    (dry,) = small.lines(*ask, "--dry-run", actor="yazar")
    (second,) = small.run(*ask, actor="yazar")["proposals"]
    assert (dry["revision"], dry["proposal"]) == (2, second)
    old = small.run("proposals", "show", first, actor="yazar")
    assert (old["state"], old["reviews"][0]["counts"]) == ("outdated", False)
    (row,) = [one for one in small.lines("drafts", "list", actor="yazar") if one["draft"] == "rüzgâr"]
    assert (row["version"], row["submitted"]) == (2, 2)
    small.run("review", second, "approve", actor="okur")
    small.run("apply", second, actor="yazar")
    (dry,) = small.lines("propose", written(small, family("liman/1/p1", "tarla/1/p2")), "--draft", "rüzgâr",
                         "--dry-run", actor="yazar")  # fmt: skip
    assert (dry["outcome"], dry["revision"]) == ("draft_closed", 2)


@pytest.mark.req("CUR-02")
def test_a_file_is_submitted_as_the_next_revision_of_a_draft(
    small: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    """Without a saved draft: the draft of a proposal is what `proposals show` calls it."""
    file = written(small, family("liman/1/p1", "tarla/1/p2"))
    (first,) = small.run("propose", file, actor="ikinci")["proposals"]
    (other,) = small.lines("propose", file, "--dry-run", actor="yazar")
    assert (other["revision"], other["proposal"] == first) == (1, False)
    draft = small.run("proposals", "show", first, actor="ikinci")["draft"]
    small.run("review", first, "request-changes", actor="okur")
    edited = written(small, family("liman/1/p1", "tarla/1/p2", rationale="Başka söz."))
    with inside(**small.database):
        words = ["propose", str(edited), "--draft", draft, "--revises", "1", "--dry-run", "--as", "ikinci"]
        assert main(words) == 0
    told = capsys.readouterr().out
    with inside(**small.database):
        assert main(["propose", str(edited), "--revises", first, "--as", "ikinci"]) == 0
    said = capsys.readouterr().out
    second = said.split()[0]
    assert f"\ndraft {draft}: revision 2; reviews of earlier ones count no more\n" in said
    assert told.startswith(f"{second}  accept_family  draft {draft}  revision 2\n")
    assert small.run("proposals", "show", first, actor="ikinci")["state"] == "outdated"


@pytest.mark.req("CUR-01", "CUR-02")
def test_of_two_windows_with_one_draft_neither_takes_the_place_of_the_other(
    small: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    """Both read revision 1; the second to submit is shown both texts and the words that submit the two
    brought together, in whatever way it named the draft."""
    words = {one: family("liman/1/p4", "tarla/1/p1", rationale=one) for one in ("bir", "iki", "üç")}
    (first,) = small.run("propose", written(small, words["bir"]), "--draft", "pencere", actor="yazar")[
        "proposals"
    ]
    small.run("propose", written(small, words["iki"]), "--draft", "pencere", "--revises", 1, actor="yazar")
    third = written(small, words["üç"])
    named = ["propose", str(third), "--draft", "pencere", "--revises", "1"]
    for more in ([], named[4:], ["--revises", first]):
        (both,) = _failed(small, [*named[:4], *more], capsys)
        said = [json.loads(both[side])["rationale"] for side in ("theirs", "yours")]
        assert (both["draft"], both["revision"], said) == ("pencere", 2, ["iki", "üç"])
        assert (both["theirs_author"], both["theirs_recorded_at"][-1]) == ("yazar", "Z")
        assert small.run("proposals", "show", both["theirs_digest"], actor="yazar")["revision"] == 2
    with inside(**small.database):
        assert main([*named, "--as", "yazar"]) == 8
    told = capsys.readouterr().err
    mend = f"tekrar propose {third} --draft pencere --revises 2"
    assert [one for one in ("revision 2", both["theirs_digest"], "iki", "üç", mend) if one not in told] == []
    bulk = "".join(json.dumps(json.loads(words["üç"]) | more) + "\n" for more in (
        {"rationale": "yeni", "draft": "başka"}, {"draft": "pencere", "revises": 1}))  # fmt: skip
    error = refused(small, "propose", written(small, bulk), status=8)
    assert (error["kind"], error["where"].split(",")[0]) == ("edit_conflict", "line 2")
    assert '"draft": "pencere", "revises": 2' in error["mend"]
    assert all(one["draft"] != "başka" for one in small.lines("proposals", "list", actor="yazar"))
    small.run("propose", written(small, bulk.replace('"revises": 1', '"revises": "2"')), actor="yazar")
    for wrong, status in (
        (("--revises", 9, "--draft", "hiç"), 8),
        (("--revises", 1), 2),
        (("--revises", "x"), 2),
        (("--revises", "ab" * 32), 5),
    ):
        refused(small, "propose", written(small, words["üç"]), *wrong, status=status)


@pytest.mark.req("CUR-01")
def test_the_version_that_was_read_is_the_one_that_is_submitted(small: Scenario, monkeypatch: Any) -> None:
    """A draft that is saved between its reading and its submission is not submitted as it was."""
    from tekrar.cli import propose as verb

    small.run("drafts", "save", "ara", written(small, family("liman/1/p4", "tarla/1/p1")), actor="yazar")
    read = verb._saved

    def and_saved(*given: Any) -> Any:
        found = read(*given)
        newer = written(small, family("liman/1/p4", "tarla/1/p2", rationale="yenisi"), "yeni.jsonl")
        monkeypatch.setattr(verb, "_saved", read)
        small.run("drafts", "save", "ara", newer, "--on", 1, actor="yazar")
        return found

    monkeypatch.setattr(verb, "_saved", and_saved)
    error = refused(small, "propose", "--from-draft", "ara", status=8)
    assert (error["kind"], "was saved meanwhile" in error["message"]) == ("edit_conflict", True)
    assert "tekrar drafts show ara; then tekrar propose --from-draft ara" in error["mend"]
    (done,) = small.lines("propose", "--from-draft", "ara", actor="yazar")
    assert (done["outcome"], done["revision"]) == ("submitted", 1)


def test_two_lines_of_one_draft_are_two_revisions(small: Scenario) -> None:
    lines = [family("liman/1/p1", f"tarla/1/p{n}", draft="ikiz") for n in (2, 2, 3)]
    lines[2] = family("liman/1/p2", "tarla/1/p1", draft="ikiz")
    file = written(small, "".join(lines))
    dry = small.lines("propose", file, "--dry-run", actor="yazar")
    assert [one["revision"] for one in dry] == [1, 1, 2]
    done = small.lines("propose", file, actor="yazar")
    assert [(one["outcome"], one["proposal"]) for one in done] == [
        (one["outcome"], one["proposal"]) for one in dry
    ]


@pytest.mark.parametrize(
    ("text", "words", "kind"),
    [
        (family("liman/1/p2", "tarla/1/p1") * 2, (), "bad_arguments"),
        (family("liman/1/p2", "tarla/1/p1", draft="öteki"), (), "bad_arguments"),
        ("yarım kalan", (), "malformed"),
        (family("liman/1/p2", "tarla/1/p1"), ("--draft", "x"), "bad_arguments"),
        (family("liman/1/p2", "tarla/1/p1"), ("--ranks", "1"), "bad_arguments"),
        (family("liman/1/p2", "tarla/1/p1"), ("defter.jsonl",), "bad_arguments"),
    ],
)
def test_a_draft_that_is_no_proposal_is_not_submitted(
    small: Scenario, text: str, words: tuple[str, ...], kind: str
) -> None:
    found = small.lines("drafts", "list", actor="yazar")
    version = next((one["version"] for one in found if one["draft"] == "kaba"), 0)
    small.run("drafts", "save", "kaba", written(small, text), "--on", version, actor="yazar")
    error = refused(small, "propose", "--from-draft", "kaba", *words, status=2)
    assert error["kind"] == kind
    assert error["where"] == "" or error["where"].startswith("draft kaba") or kind == "bad_arguments"
