"""Every bad input of curation from the command line: refused at the earliest step, the item and the rule
named in words of the line, and nothing written."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import propose
from tekrar.store.curation.human_lines import KEYS
from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import ADMINISTRATOR, Scenario
from tests.store.curation_small import LIMAN, published
from tests.store.place import settings_in

NOBODY = "6b1f5c1e-0d4c-5c55-8b0b-3a6f3f4d9a10"
NEVER = "01a22f4d-625b-71bf-9440-0c55ff8fcd1f"
POLICY = {"name": "ilk", "version": "1.0.0", "rule": "fullest_context", "document": "ilk yer"}
Line = dict[str, Any]


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("kitap")
    try:
        yield published(folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


@pytest.fixture(scope="module")
def named(small: Scenario) -> dict[str, str]:
    """IDs that the lines name: the exact class, a family that was replaced, its successor, a choice."""
    (exact,) = small.run("release", "classes", small.releases[0])["classes"]
    old = decided(small, family("liman/1/p3", "tarla/1/p3"))
    new = decided(small, over("replace", old, [body("near_exact", "liman/1/p3", "tarla/1/p3")]))
    chosen = decided(small, choice(exact["class"], "liman/1/p4"))
    return {"class": exact["class"], "old": old, "new": new, "choice": chosen}


def body(kind: str, *members: Any) -> Line:
    return {"kind": kind, "members": list(members)}


def family(*members: Any, **more: Any) -> Line:
    return {"operation": "accept_family", "rationale": "neden", **body("variant", *members)} | more


def quotation(**more: Any) -> Line:
    said = {"operation": "accept_quotation", "kind": "adapted_quotation", "source": "liman/1/p2"}
    return said | {"quoting": "tarla/1/p1", "attribution": "kaptan", "rationale": "neden"} | more


def choice(structure: str, member: str, **more: Any) -> Line:
    said = {"operation": "choose_canonical", "structure": structure, "member": member, "rationale": "neden"}
    return said | {"policy": POLICY | more}


def over(operation: str, before: str | list[str], after: list[Line] | None, **more: Any) -> Line:
    ends = [before] if isinstance(before, str) else before
    said = {"operation": operation, "predecessors": ends, "reason": "yeniden", "rationale": "neden"}
    return said | ({} if after is None else {"successors": after}) | more


def written(small: Scenario, *lines: Line | str, name: str = "satır.jsonl") -> Path:
    file = small.folder / name
    texts = [one if isinstance(one, str) else json.dumps(one, ensure_ascii=False) for one in lines]
    file.write_text("".join(f"{one}\n" for one in texts), "utf-8")
    return file


def decided(small: Scenario, line: Line) -> str:
    proposals = small.run("propose", written(small, line), actor="yazar")["proposals"]
    (made,) = small.decide(proposals)
    return made


def entries(small: Scenario) -> int:
    return int(small.run("ledger", "verify", actor="bakan")["entries"])


def refused(small: Scenario, *words: object, actor: str, status: int) -> dict[str, str]:
    before = entries(small)
    error: dict[str, str] = small.run(*words, actor=actor, status=status)["error"]
    assert entries(small) == before
    return error


F = family
#: A byte inside a character of liman/1/p2.
INSIDE = LIMAN.encode().index("ş".encode(), 80) + 1
PAIR = [body("variant", "liman/1/p3", "tarla/1/p3")]
#: what is wrong -> (line, kind, place in the line, what the message or what was expected says)
WRONG: dict[str, tuple[Line | str, str, str, str]] = {
    "a member that is a number": (F("liman/1/p1", 5), "malformed", "$.members[1]", "address"),
    "a member that is nothing": (F("liman/1/p1", None), "malformed", "$.members[1]", "address"),
    "an untagged member": (F("liman/1/p1", {"id": NOBODY}), "malformed", "$.members[1]", "address"),
    "a member of words": (F("liman/1/p1", "gemi"), "not_a_uuid", "$.members[1]", "address"),
    "a family as a member": (F("liman/1/p1", "{new}"), "tag_mismatch", "$.members[1]", "a decision"),
    "a class as what is chosen": (choice("{class}", "{class}"), "tag_mismatch", "$.member", "occurrence"),
    "an occurrence as a structure": (choice("{occurrence}", "liman/1/p4"), "unknown_structure", "$", ""),
    "a member of another release": (F("liman/1/p1", NOBODY), "unknown_member", "$.members[1]", "--release"),
    "a class with some of its members": (
        F("liman/1/p1", {"class": "{class}", "members": ["liman/1/p4"]}), "malformed", "$.members[1]",
        "with all its members",
    ),
    "all of a class one by one": (F("liman/1/p4", "tarla/1/p4"), "one_exact_class", "$.members", ""),
    "directly and through a class": (
        F("liman/1/p1", "tarla/1/p4", "{class}"), "double_membership", "$.members[", "tarla/1/p4",
    ),
    "twice": (F("liman/1/p1", "liman/1/p1"), "double_membership", "$.members[", "liman/1/p1"),
    "in another family": (F("liman/1/p3", "liman/1/p1"), "competing_membership", "$", "liman/1/p3"),
    "a foreign diff": (
        F("liman/1/p1", "tarla/1/p2", evidence=[NOBODY]), "unknown_evidence", "$.evidence[0]", NOBODY,
    ),
    "a diff of one's own": (quotation(diff=NOBODY), "malformed", "$.diff", "none"),
    "evidence of one word": (F("liman/1/p1", "tarla/1/p2", evidence="x"), "malformed", "$.evidence", "list"),
    "a candidate of nowhere": (
        F("liman/1/p1", "tarla/1/p2", candidates=[NOBODY]), "unknown_candidate", "$.candidates[0]", "load",
    ),
    "an extent outside": (
        quotation(quoting={"at": "tarla/1/p1", "ranges": [[0, 4]]}), "outside_occurrence", "$.quoting.ranges",
        "tarla/1/p1",
    ),
    "an extent backwards": (
        quotation(quoting={"at": "tarla/1/p1", "ranges": [[9, 4]]}), "bad_extent", "$.quoting.ranges[0]", "<",
    ),
    "half a character": (
        quotation(source={"at": "liman/1/p2", "ranges": [[INSIDE, 130]]}), "not_a_character",
        "$.source.ranges", "between",
    ),
    "a mapping outside": (
        quotation(mapping=[{"source": [0, 5], "quoting": [1, 2]}]), "outside_selection", "$.mapping", "range",
    ),
    "verbatim with unequal bytes": (
        quotation(kind="verbatim_quotation"), "unequal_verbatim", "$.mapping[0]", "adapted_quotation",
    ),
    "no kind of family": (F("liman/1/p1", "tarla/1/p2", kind="x"), "unknown_kind", "$.kind", "near_exact"),
    "no kind of quotation": (quotation(kind="variant"), "unknown_kind", "$.kind", "formulaic_reuse"),
    "a choice outside its class": (
        choice("{class}", "liman/1/p1") | {"supersedes": "{choice}"}, "not_a_member", "$.member",
        "liman/1/p1",
    ),
    "a choice outside its family": (choice("{new}", "liman/1/p1"), "not_a_member", "$.member", "liman/1/p1"),
    "a choice by a silent rule": (
        choice("{class}", "liman/1/p4", rule="shortest_uuid"), "silent_rule", "$.policy.rule", "fullest",
    ),
    "a choice over another": (
        choice("{class}", "tarla/1/p4"), "expected_state_mismatch", "$.supersedes", "{choice}",
    ),
    "a policy with another text": (
        choice("{class}", "tarla/1/p4", document="x") | {"supersedes": "{choice}"}, "policy_differs",
        "$.policy", "",
    ),
    "a structure that ended": (
        over("replace", "{old}", PAIR), "superseded_twice", "$.predecessors[0]", "{old}",
    ),
    "what ended": (over("retire", "{old}", None), "superseded_twice", "$.predecessors[0]", "--current"),
    "a cycle": (
        over("merge", ["{new}", "{old}"], PAIR), "superseded_twice", "$.predecessors[1]", "in force",
    ),
    "one twice": (over("merge", ["{new}", "{new}"], PAIR), "duplicate_item", "$.predecessors[1]", "{new}"),
    "a retargeted mapping": (
        over("replace", "{new}", PAIR, mapping=[
            {"member": "liman/1/p3", "to": [0]}, {"member": "tarla/1/p3", "to": "residue"},
        ]), "mapping_differs", "$.mapping", "tarla/1/p3",
    ),
    "a mapping to nowhere": (
        over("replace", "{new}", PAIR, mapping=[
            {"member": "liman/1/p3", "to": [0]}, {"member": "tarla/1/p3", "to": [3]},
        ]), "", "$.mapping", "",
    ),
    "a mapping by a number": (
        over("replace", "{new}", PAIR, mapping=[{"member": "liman/1/p3", "to": 0}]), "malformed",
        "$.mapping[0].to", "[0]",
    ),
    "a member left out": (
        over("replace", "{new}", [body("variant", "liman/1/p3", "tarla/1/p2")]), "incomplete_mapping",
        "$.predecessors[0]", "residue",
    ),
    "a split into one": (over("split", "{new}", PAIR), "shape", "$", "replace"),
    "an address that ends": (over("retire", "liman/1/p3", None), "not_a_uuid", "$.predecessors[0]", ""),
    "a key twice": ('{"operation": "retire", "operation": "retire"}', "duplicate_key", "$.operation", "once"),
    "a float": ('{"operation": "retire", "reason": 0.5}', "float", "$.reason", "float"),
    "no operation": ("{}", "missing_key", "$", "accept_family"),
    "no object": ("[]", "malformed", "$", "operation"),
    "no JSON": ("{", "malformed", "byte", "JSON"),
}  # fmt: skip


@pytest.mark.req("CUR-01", "CUR-02")
@pytest.mark.parametrize("what", WRONG)
def test_a_line_is_refused_in_its_own_words(small: Scenario, named: dict[str, str], what: str) -> None:
    line, kind, place, says = WRONG[what]
    text = line if isinstance(line, str) else json.dumps(line, ensure_ascii=False)
    known = named | {"occurrence": "6b1f5c1e-0d4c-5c55-8b0b-3a6f3f4d9a11"}
    for name, own in known.items():
        text, says = text.replace(f"{{{name}}}", own), says.replace(f"{{{name}}}", own)
    good = family("liman/1/p1", "tarla/1/p2")
    file = written(small, good, "", text, name="yanlış.jsonl")
    error = refused(small, "propose", file, actor="yazar", status=2)
    assert kind in ("", error["kind"]), error
    assert error["where"].startswith(f"{file}:3 {place}"), error
    assert says in f"{error['message']} {error['expected']} {error['mend']}", error
    assert "None" not in error["message"]
    assert error["expected"] or error["mend"], error


@pytest.mark.req("CUR-03", "CUR-04")
def test_who_may_not_is_told_so_at_once(small: Scenario, named: dict[str, str]) -> None:
    line = written(small, family("liman/1/p1", "tarla/1/p2"))
    for actor in ("okur", "basan", "kimse"):
        error = refused(small, "propose", line, actor=actor, status=8)
        assert error["kind"] in ("grant_missing", "unknown_actor", "no_grant")
    (own,) = small.run("propose", line, actor="ikinci")["proposals"]
    assert refused(small, "review", own, "approve", actor="ikinci", status=8)["kind"] == "self_review"
    for actor in ("yazar", "basan", "kimse"):
        refused(small, "review", own, "approve", actor=actor, status=8)
    error = refused(small, "apply", own, actor="ikinci", status=8)
    assert (error["kind"], "tekrar review" in error["mend"]) == ("not_approved", True)
    error = refused(small, "review", own, "aprove", actor="okur", status=2)
    assert (error["kind"], "request-changes" in error["expected"]) == ("bad_arguments", True)
    small.run("review", own, "approve", actor="okur")
    error = refused(small, "apply", own, "--review", NEVER, actor="ikinci", status=8)
    assert (error["kind"], "proposals show" in error["mend"]) == ("digest_mismatch", True)
    refused(small, "apply", own, actor="basan", status=8)
    other = written(small, family("tarla/1/p2", "liman/1/p4"), name="başka.jsonl")
    (late,) = small.run("propose", other, actor="yazar")["proposals"]
    small.run("review", late, "approve", actor="okur")
    small.run("apply", own, actor="ikinci")
    error = refused(small, "apply", late, actor="yazar", status=8)
    assert error["kind"] == "expected_state_mismatch"
    assert "propose again" in error["mend"]
    error = refused(small, "review", own, "reject", actor="okur", status=8)
    assert error["kind"] in ("not_reviewable", "already_reviewed")


@pytest.mark.parametrize("size", ["0", "-1", "1001", "9" * 30, "x"])
@pytest.mark.parametrize("option", ["--page-size", "--page"])
def test_pages_have_one_size(small: Scenario, size: str, option: str) -> None:
    for words in (
        ("families", small.releases[0]),
        ("quotations", small.releases[0]),
        ("choices", small.releases[0]),
        ("unresolved", small.releases[0]),
        ("duplicates", small.releases[0], NOBODY),
        ("release", "classes", small.releases[0]),
        ("proposals", "list"),
        ("proposals", "queue"),
    ):
        assert small.run(*words, option, size, status=2)["error"]["kind"] == "bad_arguments"
    assert small.run("families", small.releases[0], "--after", "x", status=2)["error"]["kind"] == "not_a_uuid"


def test_names_that_are_not_seen_are_refused(small: Scenario) -> None:
    for name in ("Um\u00adut", "Umut\U000e0041", "Um\u200but", "Umut\ufe0f", "\u202etumU"):
        for words, actor in (
            (("actor", name), ADMINISTRATOR),
            (("drafts", "save", name, written(small, "{}", name="taslak")), "yazar"),
            (("propose", written(small, quotation()), "--draft", name), "yazar"),
        ):
            error = refused(small, *words, actor=actor, status=8)
            assert error["kind"] == "bad_argument"
        package = small.folder / "candidates"
        mark = ("candidates", "mark", package, 1, "uncertain", "--as", name)
        assert small.run(*mark, status=2)["error"]["kind"] == "bad_words"


def test_the_help_of_propose_has_every_key() -> None:
    for operation, keys in KEYS.items():
        for key in (operation, *keys[0], *keys[1]):
            assert key in propose.LINES, key
