"""Verbs of curation on a small text: bad input is refused with file, line, item and rule, and nothing is
written; texts from outside are shown safely; nobody is shown another's verdict first."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.settings import read_settings
from tekrar.store.curation.scratch import scratch_database
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import connect
from tests.store.curation_scenario import Scenario
from tests.store.curation_scenario import environment as inside
from tests.store.curation_small import LIMAN, published
from tests.store.place import environment, settings_in

NOBODY = "6b1f5c1e-0d4c-5c55-8b0b-3a6f3f4d9a10"
NEVER = "01a22f4d-625b-71bf-9440-0c55ff8fcd1f"
GOOD = (
    '{"operation": "accept_family", "kind": "near_exact", "members": ["liman/1/p1", "tarla/1/p2"],'
    ' "rationale": "aynı haber"}'
)


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Scenario]:
    """The text published with nothing decided, and everybody granted."""
    folder = tmp_path_factory.mktemp("kitap")
    try:
        yield published(folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


def submitted(small: Scenario) -> list[str]:
    return [one["proposal"] for one in small.lines("proposals", "list", actor="yazar")]


def refused(small: Scenario, *words: object, actor: str = "yazar", status: int) -> dict[str, Any]:
    found = small.run(*words, actor=actor, status=status)["error"]
    assert isinstance(found, dict)
    return found


def family(*members: str, **more: Any) -> str:
    said = {"operation": "accept_family", "kind": "variant", "members": list(members), "rationale": "neden"}
    return json.dumps(said | more, ensure_ascii=False)


def said(operation: str, **more: Any) -> str:
    return json.dumps({"operation": operation, "rationale": "neden", **more}, ensure_ascii=False)


def quotation(**more: Any) -> str:
    said = {
        "operation": "accept_quotation",
        "kind": "adapted_quotation",
        "source": "liman/1/p2",
        "quoting": "tarla/1/p1",
        "attribution": "kaptan",
        "rationale": "neden",
    }
    return json.dumps(said | more, ensure_ascii=False)


def choice(structure: str, **more: Any) -> str:
    policy = {"name": "ilk", "version": "1.0.0", "rule": "fullest_context", "document": "ilk yer"}
    said = {"operation": "choose_canonical", "structure": structure, "member": "liman/1/p1"}
    return json.dumps(said | {"policy": policy | more, "rationale": "neden"}, ensure_ascii=False)


@pytest.mark.req("CUR-01")
@pytest.mark.parametrize(
    ("line", "status", "kind", "place"),
    [
        ("{", 2, "malformed", "byte"),
        (GOOD[:-1] + ', "kind": "variant"}', 2, "duplicate_key", "$.kind"),
        (GOOD.replace('"aynı haber"', "0.5"), 2, "float", "$.rationale"),
        (GOOD.replace('"aynı haber"', "5"), 2, "malformed", "$.rationale"),
        (GOOD.replace('"aynı haber"', '""'), 2, "bad_text", "$.rationale"),
        (GOOD[:-1] + ', "score": "9"}', 2, "unknown_key", "$"),
        ('{"operation": "accept_everything", "rationale": "x"}', 2, "unknown_operation", "$.operation"),
        ('{"operation": "accept_family", "rationale": "x", "kind": "variant"}', 2, "missing_key", "$"),
        (GOOD.replace("near_exact", "alike"), 2, "unknown_kind", "kind"),
        (family("liman/1/p1"), 2, "too_few_members", "members"),
        (family(), 2, "too_few_members", "members"),
        (family("liman/1/p1", NOBODY), 2, "unknown_member", "$.members[1]"),
        (family("liman/1/p1", NEVER), 2, "tag_mismatch", "$.members[1]"),
        (family("liman/1/p1", "liman/1/p9"), 5, "no_such_place", "$.members[1]"),
        (family("liman/1/p1", "deniz/1/p1"), 5, "no_such_book", "$.members[1]"),
        (family("liman/1/p1", "liman/1:1+2"), 5, "no_such_place", "$.members[1]"),
        (family("liman/1/p1", "liman/1/p1"), 2, "double_membership", "members"),
        (family("liman/1/p4", "tarla/1/p4"), 2, "one_exact_class", "members"),
        (family("{class}", "liman/1/p4"), 2, "double_membership", "members"),
        (family("liman/1/p1", '{"candidate": 1}'), 2, "not_a_uuid", "$.members[1]"),
        (family("liman/1/p1", "tarla/1/p2", rationale="@../gizli.md"), 2, "outside_folder", ""),
        (family("liman/1/p1", "tarla/1/p2", rationale="@/etc/hostname"), 2, "outside_folder", ""),
        (family("liman/1/p1", "tarla/1/p2", rationale="@yok.md"), 5, "", "yok.md"),
        (family("liman/1/p1", "tarla/1/p2", release=NOBODY), 5, "not_published", ""),
        (quotation(kind="verbatim_quotation"), 2, "unequal_verbatim", "mapping"),
        (quotation(quoting={"at": "tarla/1/p1", "ranges": [[0, 4]]}), 2, "outside_occurrence", "quoting"),
        (quotation(quoting={"at": "tarla/1/p1", "ranges": [[9, 4]]}), 2, "bad_extent", "ranges"),
        (quotation(quoting="liman/1/p2"), 2, "self_quotation", "$"),
        (quotation(source={"candidate": 1, "side": "left"}), 2, "malformed", "candidate"),
        (quotation(diff="yes"), 2, "malformed", "$.diff"),
        (choice("{class}"), 2, "not_a_member", "member"),
        (choice("{class}", rule="corpus_order"), 2, "silent_rule", "rule"),
        (choice(NEVER), 2, "unknown_structure", "structure"),
        (
            said("retire", predecessors=[NEVER], reason="r"),
            2,
            "unknown_structure",
            "predecessors[0]",
        ),
        (
            said(
                "replace",
                predecessors=[NEVER],
                reason="r",
                mapping=[{"member": "liman/1/p1", "to": 7}],
                successors=[{"kind": "variant", "members": ["liman/1/p1", "tarla/1/p2"]}],
            ),
            2,
            "unknown_structure",
            "$.predecessors[0]",
        ),
        (
            said("compensate_choice", choice=NEVER, reason="r"),
            2,
            "unknown_structure",
            "choice",
        ),
        (
            said("override_false_positive", candidate=NOBODY),
            2,
            "unknown_candidate",
            "candidate",
        ),
    ],
)
def test_a_wrong_line_is_named_and_nothing_is_submitted(
    small: Scenario, line: str, status: int, kind: str, place: str
) -> None:
    before = submitted(small)
    listed = small.run("release", "classes", small.releases[0])["classes"]
    line = line.replace("{class}", listed[0]["class"])
    file = small.folder / "bad.jsonl"
    file.write_text(f"{GOOD}\n\n{line}\n", "utf-8")
    error = refused(small, "propose", file, status=status)
    assert error["where"].startswith(f"{file}:3")
    assert place in error["where"]
    assert kind in ("", error["kind"])
    assert submitted(small) == before


@pytest.mark.parametrize("data", [b"", b"\n \n", b"\xff\n", b'\xef\xbb\xbf{"operation": "retire"}\n'])
def test_a_file_without_a_proposal_is_refused(small: Scenario, data: bytes) -> None:
    file = small.folder / "none.jsonl"
    file.write_bytes(data)
    refused(small, "propose", file, status=2)


@pytest.mark.parametrize(
    "words",
    [
        ("propose",),
        ("propose", "-", "--from-candidates", "candidates"),
        ("propose", "x.jsonl", "--kind", "variant"),
        ("propose", "--from-candidates", "candidates", "--ranks", "1-2"),
        (
            "propose",
            "--from-candidates",
            "candidates",
            "--ranks",
            "2-1",
            "--kind",
            "variant",
            "--rationale",
            "x",
        ),
        (
            "propose",
            "--from-candidates",
            "candidates",
            "--ranks",
            "1,x",
            "--kind",
            "variant",
            "--rationale",
            "x",
        ),
        ("review", "approve"),
        ("review", "12", "approve"),
        ("apply", "12"),
        ("apply", "0" * 64, "1" * 64, "--review", NEVER),
        ("agreement", "yazar"),
        ("resolve", "12"),
        ("rebuild", "release"),
    ],
)
def test_wrong_words_are_refused(small: Scenario, words: tuple[str, ...]) -> None:
    assert refused(small, *words, status=2)["kind"]


@pytest.mark.req("CUR-03")
def test_from_dry_run_to_a_decision(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    file = small.folder / "one.jsonl"
    (small.folder / "neden.md").write_text("Aynı \x1b[31msöz\u202e ve\u2066 <b>eki</b>.", "utf-8")
    file.write_text(family("liman/1/p3", "tarla/1/p3", rationale="@neden.md", draft="rüzgâr") + "\n", "utf-8")
    before = submitted(small)
    dry = small.lines("propose", file, "--dry-run", actor="yazar")
    assert (submitted(small), dry[0]["draft"]) == (before, "rüzgâr")
    assert dry[0]["action"]["rationale"] == "Aynı \x1b[31msöz\u202e ve\u2066 <b>eki</b>."
    (proposal,) = small.run("propose", file, actor="yazar")["proposals"]
    again = small.run("propose", file, actor="yazar")
    assert (again["proposals"], again["submitted"]) == ([proposal], 0)
    with inside(**small.database):
        assert main(["proposals", "show", proposal, "--as", "yazar"]) == 0
    shown = capsys.readouterr().out
    assert "Aynı ⟨U+001B⟩[31msöz⟨U+202E⟩ ve⟨U+2066⟩ <b>eki</b>." in shown
    assert not {"\x1b", "\u202e"} & set(shown)
    assert [one for one in ("liman/1/p3", "tarla/1/p3", "summary") if one not in shown] == []
    assert refused(small, "apply", proposal, status=8)["kind"] == "not_approved"
    assert refused(small, "review", proposal, "approve", status=8)["kind"].startswith("grant_")
    small.run("review", proposal, "approve", "--note", "uygun", actor="okur")
    done = small.run("apply", proposal, actor="yazar")
    twice = small.run("apply", proposal, actor="yazar")
    assert (done["outcome"], twice["outcome"]) == ("applied", "already_applied")
    assert done["structures"] == twice["structures"]
    old = refused(small, "propose", _written(small, family("liman/1/p3", "liman/1/p1")), status=2)
    assert old["kind"] == "competing_membership"


@pytest.mark.req("CUR-10")
def test_nobody_sees_a_verdict_before_their_own(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    (proposal,) = small.run("propose", _written(small, GOOD, "iki.jsonl"), actor="yazar")["proposals"]
    small.run("review", proposal, "approve", "--note", "GİZLİ SÖZ", actor="okur")
    for words in (
        ["proposals", "show", proposal],
        ["proposals", "queue"],
        ["proposals", "list"],
        ["review", proposal],
        ["history", proposal],
    ):
        for more in ([], ["--json"]):
            with inside(**small.database):
                assert main([*words, *more, "--as", "ikinci"]) == 0
            told = capsys.readouterr().out
            assert "GİZLİ" not in told
            assert "okur" not in told
            if words[1] in ("queue", "show"):
                assert "open" in told
                assert "approved" not in told
    small.run("review", proposal, "request-changes", "--note", "eksik", actor="ikinci")
    record = small.run("proposals", "show", proposal, actor="ikinci")
    assert [one["outcome"] for one in record["reviews"]] == ["approve", "request_changes"]
    assert small.lines("proposals", "queue", actor="ikinci") == []
    (row,) = small.lines("agreement", "okur", "ikinci", actor="bakan")
    assert (row["of"], row["kind"], row["count"], row["equal"]) == ("proposals", "accept_family", 1, 0)


@pytest.mark.req("CL-06", "OCC-06")
def test_a_build_and_its_candidates_decide_nothing(small: Scenario) -> None:
    first = small.releases[0]
    (exact,) = small.run("release", "classes", first)["classes"]
    for verb in ("families", "quotations", "choices"):
        assert small.lines(verb, first) == []
    asked = small.run("canonical", exact["class"], "--policy", "ilk", "--release", first)
    assert asked["status"] == "unselected"
    assert "member" not in asked


@pytest.mark.req("QRY-01")
@pytest.mark.parametrize(
    "words",
    [
        ("families",),
        ("quotations",),
        ("choices",),
        ("canonical", NOBODY, "--policy", "ilk"),
        ("canonical", NOBODY, "--release", NOBODY),
        ("unresolved",),
        ("release", "coverage"),
        ("duplicates", NOBODY),
        ("occurrence", NOBODY),
    ],
)
def test_a_question_names_its_release_and_policy(small: Scenario, words: tuple[str, ...]) -> None:
    assert refused(small, *words, status=2)["kind"] == "bad_arguments"


@pytest.mark.req("CL-08")
def test_no_proposal_changes_an_exact_class(small: Scenario) -> None:
    (exact,) = small.run("release", "classes", small.releases[0])["classes"]
    lines = {
        said("remove_member", structure=exact["class"], member="liman/1/p4"): "unknown_operation",
        said("retire", predecessors=[exact["class"]], reason="r"): "tag_mismatch",
        said(
            "replace",
            predecessors=[exact["class"]],
            successors=[{"kind": "variant", "members": ["liman/1/p4", "tarla/1/p1"]}],
            reason="r",
        ): "tag_mismatch",
    }
    for line, kind in lines.items():
        assert refused(small, "propose", _written(small, line), status=2)["kind"] == kind
    assert refused(small, "withdraw", small.releases[0], actor="basan", status=2)["kind"] == "bad_arguments"


def test_a_false_positive_is_overridden_by_a_proposal(small: Scenario) -> None:
    package = small.folder / "candidates"
    own = small.lines("candidates", "list", package, "--release", small.folder / "release")[0]["id"]
    line = said("override_false_positive", candidate=own)
    error = refused(small, "propose", _written(small, line), status=2)
    assert error["kind"] == "not_false_positive"
    small.run("candidates", "mark", package, 1, "false_positive", "--as", "yazar", "--database")
    (proposal,) = small.run("propose", _written(small, line), actor="yazar")["proposals"]
    texts = small.run("proposals", "show", proposal, actor="okur")["texts"]
    assert len(texts) >= 2  # both sides are read before a verdict
    assert all(one["text"] for one in texts.values())
    small.run("review", proposal, "approve", actor="okur")
    assert small.run("apply", proposal, actor="yazar")["structures"] == []
    told = small.lines("history", own, actor="yazar")
    assert [one["kind"] for one in told] == ["proposal", "review", "apply"]


def test_a_quotation_of_an_uncertain_source_is_never_applied(small: Scenario) -> None:
    line = quotation(kind="source_uncertain")
    (proposal,) = small.run("propose", _written(small, line, "belirsiz.jsonl"), actor="yazar")["proposals"]
    small.run("review", proposal, "approve", actor="okur")
    assert refused(small, "apply", proposal, status=8)["kind"] == "source_uncertain"


@pytest.mark.req("CUR-09", "ID-07")
def test_a_ledger_that_is_not_whole_is_refused_with_its_line(small: Scenario) -> None:
    export = small.folder / "ledger.jsonl"
    small.run("ledger", "export", "--out", export, actor="bakan")
    assert refused(small, "ledger", "export", "--out", export, actor="bakan", status=2)["kind"]
    assert sorted(one.name for one in small.folder.glob(".*")) == []
    lines = export.read_bytes().splitlines(keepends=True)
    changed = lines[:]
    changed[9] = changed[9].replace(b'"2', b'"1', 1)
    assert changed != lines
    settings = read_settings(environment(Path(small.database["TEKRAR_DATA_DIR"])))
    with scratch_database(settings) as url:
        other = Scenario(small.folder, {**small.database, "TEKRAR_DATABASE_URL": url})
        other.load()
        for name, wrong in (
            ("missing", lines[:5] + lines[6:]),
            ("cut", lines[:-1]),
            ("twice", [*lines[:5], *lines[4:]]),
            ("changed", changed),
            ("swapped", [*lines[:5], lines[6], lines[5], *lines[7:]]),
            ("empty", []),
        ):
            file = small.folder / f"{name}.jsonl"
            file.write_bytes(b"".join(wrong))
            error = other.run("ledger", "replay", file, status=8 if name in ("cut", "changed") else 3)
            assert error["error"]["where"], name
            with connect(read_settings(other.database)) as connection:
                found = connection.execute(b"SELECT count(*) FROM curation.ledger").fetchone()
            assert found == (0,), name
        assert other.run("ledger", "replay", export)["entries"] == len(lines) - 1


def test_a_rebuild_of_something_else_says_so_and_cleans_up(small: Scenario) -> None:
    other = small.folder / "kitap-2"
    other.mkdir(exist_ok=True)
    (other / "liman.txt").write_text(LIMAN, "utf-8")
    more = ("--language", "tr", "--edition", "liman", "--out", small.folder / "release-2")
    small.run("import", other, *more)
    error = refused(small, "rebuild", "--check", small.folder / "release-2", actor="bakan", status=2)
    assert error["kind"] == "release_needed"
    assert refused(small, "rebuild", "--check", small.folder / "release", actor="yazar", status=8)[
        "kind"
    ].startswith("grant_")
    with connect(settings_in(Path(small.database["TEKRAR_DATA_DIR"])), administrator=True) as connection:
        names = connection.execute(b"SELECT datname FROM pg_database WHERE datname LIKE 'tekrar_rebuild%'")
        assert names.fetchall() == []


@pytest.mark.req("REB-01")
def test_a_rebuild_after_decisions_and_a_false_positive_is_equal_and_touches_none(small: Scenario) -> None:
    """Field report 77: candidates made again leave what was decided of them as it is."""
    before = [small.lines("history", one, actor="yazar") for one in submitted(small)]
    assert small.run("load", small.folder / "candidates")["outcome"] == "already_loaded"
    done = small.run("rebuild", "--check", small.folder / "release", actor="bakan")
    assert done["compared"]["marks"] >= 1
    assert done["compared"]["sets of candidates"] == 1
    assert [small.lines("history", one, actor="yazar") for one in submitted(small)] == before


def _written(small: Scenario, line: str, name: str = "satır.jsonl") -> Path:
    file = small.folder / name
    file.write_text(line + "\n", "utf-8")
    return file
