"""Names that others gave, policies of review and the candidates that a proposal rests on, from the command
line."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tekrar.cli import main
from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import Scenario, environment
from tests.store.curation_small import published
from tests.store.place import settings_in

NOBODY = "01900000-0000-7000-8000-000000000000"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    one = published(tmp_path_factory.mktemp("adlar"))
    try:
        yield one
    finally:
        Launcher(settings_in(Path(one.database["TEKRAR_DATA_DIR"]))).stop()


@pytest.fixture(scope="module")
def families(small: Scenario) -> list[str]:
    members = (["liman/1/p1", "tarla/1/p2"], ["liman/1/p3", "tarla/1/p3"])
    lines = [
        {"operation": "accept_family", "kind": "variant", "members": two, "rationale": "Aynı söz."}
        for two in members
    ]
    issued = small.decide(small.propose(*lines))
    small.run("crosswalk", "add", issued[0], "isbn", "978=1", actor="yazar")
    small.run("crosswalk", "add", issued[0], "arşiv".replace("ş", "s"), "Defter 3, yaprak 7", actor="yazar")
    small.publish()
    small.run("crosswalk", "add", issued[1], "isbn", "979", actor="yazar")
    return issued


def said(small: Scenario, capsys: pytest.CaptureFixture[str], *words: str, actor: str) -> str:
    with environment(**small.database):
        assert main([*words, "--as", actor]) == 0
    return capsys.readouterr().out


@pytest.mark.req("ID-08")
def test_a_name_that_others_gave_is_listed_and_resolved(
    small: Scenario, families: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    first, second = families
    again = small.run("crosswalk", "add", first, "isbn", "978=1", actor="yazar")
    assert again["outcome"] == "already_recorded"
    error = small.run("crosswalk", "add", second, "isbn", "978=1", actor="yazar", status=8)["error"]
    assert (error["kind"], first in error["expected"], bool(error["mend"])) == ("bad_argument", True, True)
    assert small.run("crosswalk", "add", NOBODY, "isbn", "1", actor="yazar", status=5)["error"]["kind"]
    for actor in ("okur", "bakan"):
        error = small.run("crosswalk", "add", first, "isbn", "2", actor=actor, status=8)["error"]
        assert error["kind"] == "grant_missing"
    every = [("arsiv", "Defter 3, yaprak 7", first), ("isbn", "978=1", first), ("isbn", "979", second)]

    def names(*words: str, actor: str | None = "bakan") -> list[tuple[str, str, str]]:
        found = small.lines("crosswalk", "list", *words, actor=actor)
        assert {one["recorded_by"] for one in found} <= ({"yazar"} if actor else {None})
        return [(one["namespace"], one["external"], one["structure"]) for one in found]

    assert names() == every
    assert names("--structure", second) == every[2:]
    assert names("--namespace", "isbn") == every[1:]
    assert names("--namespace", "isbn", "--external", "979") == every[2:]
    assert names("--page-size", "1") == every[:1]
    behind = small.run("crosswalk", "list", "--page-size", "2", actor="bakan")["next"]
    assert behind == "isbn=978=1"
    assert names("--after", behind) == every[2:]
    # The public reads what was there at a publication, and not who recorded it.
    assert names(actor=None) == every[:2]
    for words in (("--after", "isbn"), ("--external", "979")):
        error = small.run("crosswalk", "list", *words, actor="bakan", status=2)["error"]
        assert error["kind"] == "bad_arguments"
    found = small.run("resolve", "isbn=978=1", actor="okur")
    assert found["id"] == first
    assert [(one["namespace"], one["external"]) for one in found["also"]] == [one[:2] for one in every[:2]]
    assert small.run("resolve", second)["also"] == []
    assert small.run("resolve", "isbn=979", "--current", actor="okur")["current"]["current"] == second
    assert small.run("resolve", "isbn=979", status=5)["error"]["kind"] == "not_found"
    assert small.run("resolve", "isbn=", actor="okur", status=2)["error"]["kind"] == "bad_arguments"
    assert "also         isbn=978=1\n" in said(small, capsys, "resolve", first, actor="okur")
    listed = said(small, capsys, "crosswalk", "list", "--quiet", actor="okur")
    assert listed.splitlines()[1] == f"isbn=978=1  {first}  yazar"


@pytest.mark.req("CUR-09", "CUR-10")
def test_a_line_or_an_option_asks_for_two_approvals(
    small: Scenario, families: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert families
    line = {"operation": "retire", "predecessors": [families[1]], "reason": "…", "rationale": "…"}
    wrong = small.folder / "wrong.jsonl"
    wrong.write_text(json.dumps(line | {"policy_of_review": "three-approvals.v1"}), "utf-8")
    error = small.run("propose", wrong, actor="yazar", status=2)["error"]
    assert (error["kind"], error["where"]) == ("unknown_policy", f"{wrong}:1 $.policy_of_review")
    (own,) = small.propose(line, draft="iki", **{"review-policy": "two-approvals.v1"})
    (same,) = small.propose(line | {"policy_of_review": "two-approvals.v1"}, draft="iki")
    assert same == own
    needed = "approvals    two-approvals.v1, 2 approvals needed\n"
    assert needed in said(small, capsys, "proposals", "show", own, actor="okur")
    assert "2 approvals needed" in said(small, capsys, "proposals", "queue", actor="okur")
    told = said(small, capsys, "review", own, "approve", actor="okur")
    assert "now submitted" in told
    assert "another reviewer approves too" in told
    assert "tekrar apply" not in told
    assert small.run("apply", own, actor="yazar", status=8)["error"]["kind"] == "not_approved"
    for actor in ("okur", "yazar", "bakan"):
        shown = said(small, capsys, "proposals", "show", own, actor=actor)
        assert "two-approvals.v1, 1 of 2 approvals\n" in shown
        assert "  1 of 2 approvals  " in said(small, capsys, "proposals", "list", actor=actor)
    # Whoever may still review it is not told that somebody approved it.
    for words in (("show", own), ("list", "--role", "reviewer"), ("queue",)):
        role = () if words[0] == "queue" or "--role" in words else ("--role", "reviewer")
        assert "1 of 2" not in said(small, capsys, "proposals", *words, *role, actor="ikinci")
    assert "tekrar apply" in said(small, capsys, "review", own, "approve", actor="ikinci")
    small.run("apply", own, actor="yazar")
    assert "2 of 2 approvals" in said(small, capsys, "proposals", "show", own, actor="okur")
    assert small.run("resolve", families[1], actor="okur")["state"] == "retired"


@pytest.mark.req("FAM-02", "QUO-01")
def test_a_candidate_of_other_passages_is_refused_by_its_place(small: Scenario, families: list[str]) -> None:
    assert families
    listed = small.lines(
        "candidates", "list", small.folder / "candidates", "--release", small.folder / "release"
    )

    # liman/1/p2 ~ tarla/1/p1, and the stretch from liman/1/p1 and tarla/1/p2 on.
    assert [one["left"]["start"] for one in listed] == [81, 0]
    other, own = (one["rank"] for one in listed)
    line = {"operation": "accept_family", "kind": "variant", "members": ["liman/1/p3", "tarla/1/p3"]}
    file = small.folder / "cited.jsonl"
    file.write_text(json.dumps(line | {"rationale": "…", "candidates": [other]}), "utf-8")
    package = ("--candidates", small.folder / "candidates")
    error = small.run("propose", file, *package, actor="yazar", status=2)["error"]
    assert (error["kind"], error["where"]) == ("candidate_mismatch", f"{file}:1 $.candidates[0]")
    assert "is of other passages" in error["message"]
    assert error["mend"]
    file.write_text(json.dumps(line | {"rationale": "…", "candidates": [own]}), "utf-8")
    assert small.run("propose", file, *package, actor="yazar")["submitted"] == 1
