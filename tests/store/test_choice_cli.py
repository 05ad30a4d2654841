"""Choices, their policies and what is asked of them, from the command line: on a release that stands and on
one that was withdrawn."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tekrar.cli import main
from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import Record, Scenario, environment
from tests.store.curation_small import published
from tests.store.place import settings_in

TELL = ("families", "quotations", "choices")
NOBODY = "00000000-0000-5000-8000-000000000000"


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Scenario]:
    one = published(tmp_path_factory.mktemp("seçim"))
    try:
        yield one
    finally:
        Launcher(settings_in(Path(one.database["TEKRAR_DATA_DIR"]))).stop()


@pytest.fixture(scope="module")
def decided(small: Scenario) -> dict[str, str]:
    """A family, a quotation of part of a paragraph, a choice; and the release that binds them."""
    first = small.releases[0]
    (exact,) = small.run("release", "classes", first)["classes"]
    (family,) = small.decide(
        small.propose(line("accept_family", kind="variant", members=["liman/1/p3", "tarla/1/p3"]))
    )
    said = line(
        "accept_quotation",
        kind="verbatim_quotation",
        source={"occurrence": "liman/1/p2", "text": "Denizde acele eden, karada pişman olur"},
        quoting={"occurrence": "tarla/1/p1", "words": "4-9"},
        attribution="kaptan",
    )
    (quotation,) = small.decide(small.propose(said))
    policy = {"name": "ilk", "version": "1.0.0"}
    chosen = line("choose_canonical", structure=exact["class"], member="tarla/1/p4", policy=policy)
    (choice,) = small.decide(small.propose(chosen))
    release = small.publish()
    return {
        "class": exact["class"],
        "family": family,
        "quotation": quotation,
        "choice": choice,
        "release": release,
    }


def line(operation: str, **more: object) -> Record:
    return {"operation": operation, "rationale": "neden", **more}


def asked(one: Scenario, structure: str, release: str, policy: str = "ilk") -> Record:
    return one.run("canonical", structure, "--policy", policy, "--release", release)


def shown(one: Scenario, capsys: pytest.CaptureFixture[str], *words: str) -> tuple[str, str]:
    capsys.readouterr()
    with environment(**one.database):
        assert main(list(words)) == 0
    said = capsys.readouterr()
    return said.out, said.err


@pytest.mark.req("CAN-02", "CAN-03", "CAN-07", "QRY-02")
def test_unselected_is_said_of_what_is_there_alone(small: Scenario, decided: dict[str, str]) -> None:
    first, release = small.releases[0], decided["release"]
    (occurrence, *_) = small.run("duplicates", release, decided["class"])["members"]
    unique = small.members(decided["family"])[0]
    small.register("sonraki", "Sonra yazıldı.")
    for structure, at, policy, status, reason in (
        (decided["class"], release, "ilk", "resolved", None),
        (decided["class"], first, "ilk", "unselected", None),
        (decided["family"], release, "ilk", "unselected", None),
        (decided["class"], release, "ılk", "unavailable", "policy_not_registered"),
        (decided["family"], release, "ilkk", "unavailable", "policy_not_registered"),
        (decided["class"], release, "sonraki", "unavailable", "policy_not_registered"),
        (decided["family"], first, "ilk", "unavailable", "not_in_release"),
        (occurrence["occurrence"], release, "ilk", "unavailable", "an_occurrence"),
        (unique, release, "ilk", "unavailable", "certified_unique"),
    ):
        found = asked(small, structure, at, policy)
        assert (found["status"], found.get("reason")) == (status, reason), (structure, at, policy)
        assert ("member" in found) == (status == "resolved")
    # A curator reads what was registered since; to the public it is not there.
    later = ("canonical", decided["class"], "--policy", "sonraki", "--release", release)
    assert small.run(*later, "--role", "curator", actor="yazar")["reason"] == "policy_not_in_release"
    error = small.run("canonical", NOBODY, "--policy", "ilk", "--release", release, status=5)["error"]
    assert error["kind"] == "not_found"


@pytest.mark.req("CAN-03")
def test_a_text_is_registered_shown_and_named(
    small: Scenario, decided: dict[str, str], capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    assert decided
    file = tmp_path / "yaygın.md"
    file.write_text("En çok **okunan** yer.\x1b[31m\n", "utf-8")
    words = [
        "policies",
        "add",
        file,
        "--name",
        "yaygin",
        "--policy-version",
        "1.0.0",
        "--rule",
        "fullest_context",
    ]
    assert small.run(*words, actor="yazar")["outcome"] == "registered"
    assert small.run(*words, actor="yazar")["outcome"] == "already_registered"
    file.write_text("Başka.", "utf-8")
    error = small.run(*words, actor="yazar", status=8)["error"]
    assert (error["kind"], error["mend"]) == (
        "policy_differs",
        "give the policy's text as it was, or a new version",
    )
    one = small.run("policies", "show", "yaygin", "1.0.0", actor="yazar")
    assert (one["document"], one["author"]) == ("En çok **okunan** yer.\x1b[31m\n", "yazar")
    small.run("policies", "show", "yaygin", "1.0.0", "--out", tmp_path / "geri", actor="yazar")
    assert (tmp_path / "geri").read_bytes() == one["document"].encode()
    out, _ = shown(small, capsys, "policies", "show", "yaygin", "1.0.0", "--as", "yazar")
    assert "⟨U+001B⟩" in out
    assert "\x1b" not in out
    listed = small.lines("policies", "list")
    assert [(one["name"], one["author"]) for one in listed] == [("ilk", None)]  # what the public may read
    assert small.run("policies", "show", "ilk", "2.0.0", status=5)["error"]["expected"] == "version 1.0.0"


@pytest.mark.req("CAN-03", "CAN-04")
@pytest.mark.parametrize(
    ("policy", "kind", "words"),
    [
        ({"name": "yok", "version": "1.0.0"}, "policy_not_registered", "ilk"),
        (
            {"name": "ilk", "version": "3.0.0", "rule": "fullest_context"},
            "policy_not_registered",
            "ilk 1.0.0",
        ),
        ({"name": "ilk", "version": "1.0.0", "document": "başka"}, "policy_differs", ""),
        ({"name": "ilk", "version": "1.0.0", "rule": "editorially_designated"}, "policy_differs", ""),
        ({"name": "ilk", "version": "1.0.0", "rule": "corpus_order"}, "silent_rule", ""),
        ({"name": "ilk", "version": "1"}, "malformed", ""),
        ({"name": "ilk"}, "missing_key", ""),
    ],
)
def test_a_choice_names_what_is_registered(
    small: Scenario, decided: dict[str, str], policy: Record, kind: str, words: str
) -> None:
    said = line("choose_canonical", structure=decided["family"], member="liman/1/p3", policy=policy)
    file = small.folder / "policy.jsonl"
    file.write_text(json.dumps(said, ensure_ascii=False), "utf-8")
    error = small.run("propose", file, actor="yazar", status=2)["error"]
    assert error["kind"] == kind
    assert words in error["expected"]
    if kind == "policy_not_registered":
        given = f"--name {policy['name']} --policy-version {policy['version']} --rule "
        assert error["mend"].startswith(f"tekrar policies add FILE {given}")


@pytest.mark.req("QUO-02", "CUR-02")
def test_a_part_is_named_by_its_words(small: Scenario, decided: dict[str, str]) -> None:
    (one,) = small.lines("quotations", decided["release"])
    assert (one["source_address"], one["quoting_address"]) == ("liman/1/p2", "tarla/1/p1")
    words = small.run("occurrence", decided["release"], one["quoting_occurrence"], "--words")["words"]
    assert [word["text"] for word in words[3:8]] == ["Denizde", "acele", "eden", "karada", "pişman"]
    assert one["quoting_ranges"] == [words[3]["start"], words[8]["end"]]


@pytest.mark.parametrize(
    ("source", "kind", "told"),
    [
        ({"occurrence": "liman/1/p1", "text": "e"}, "text_not_unique", "once"),
        ({"occurrence": "liman/1/p1", "text": "tarla"}, "text_not_found", "exactly"),
        ({"at": "liman/1/p1", "words": "3-99"}, "bad_extent", "from 1 to 11"),
        ({"at": "liman/1/p1", "words": "3-2"}, "bad_extent", ""),
        ({"at": "liman/1/p1", "words": "x"}, "bad_extent", ""),
        ({"at": "liman/1/p1", "words": "1-2", "text": "Sabah"}, "unknown_key", "text"),
        ({"at": "liman/1/p1", "occurrence": "liman/1/p1", "text": "Sabah"}, "unknown_key", ""),
        ({"at": "liman/1/p1", "text": ""}, "bad_text", ""),
    ],
)
def test_a_part_that_is_none(small: Scenario, source: Record, kind: str, told: str) -> None:
    said = line(
        "accept_quotation", kind="adapted_quotation", source=source, quoting="tarla/1/p2", attribution="x"
    )
    file = small.folder / "part.jsonl"
    file.write_text(json.dumps(said, ensure_ascii=False), "utf-8")
    error = small.run("propose", file, actor="yazar", status=2)["error"]
    assert error["kind"] == kind
    assert told in error["expected"]


@pytest.mark.req("QUO-02")
def test_parts_in_several_ranges(small: Scenario) -> None:
    said = line(
        "accept_quotation",
        kind="adapted_quotation",
        source={"at": "liman/1/p1", "text": ["Sabah erkenden", "iki gün"]},
        quoting={"at": "tarla/1/p2", "words": ["1-2", "10-11"]},
        attribution="haber",
    )
    file = small.folder / "parts.jsonl"
    file.write_text(json.dumps(said, ensure_ascii=False), "utf-8")
    found = small.run("propose", file, "--dry-run", actor="yazar")
    body = small.lines("propose", file, "--dry-run", actor="yazar")[0]["action"]["quotation"]
    assert found
    release = small.releases[0]
    for end, words in (("source", ["Sabah erkenden", "iki gün"]), ("quoting", ["Sabah erkenden", "iki gün"])):
        own = small.run("occurrence", release, body[end]["occurrence"], "--words")["words"]
        places = {(one["start"], one["end"]) for one in own}
        for (low, high), text in zip(body[end]["ranges"], words, strict=True):
            assert {int(low), int(high)} <= {at for place in places for at in place}
            spelled = [one["text"] for one in own if int(low) <= one["start"] and one["end"] <= int(high)]
            assert " ".join(spelled) == text


def test_listings_say_where_and_what(
    small: Scenario, decided: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    release = decided["release"]
    (family,) = small.lines("families", release)
    (choice,) = small.lines("choices", release)
    assert (family["address"], choice["address"]) == ("liman/1/p3", "tarla/1/p4")
    members = small.lines("families", release, "--members", decided["family"])
    assert [one["address"] for one in members] == ["liman/1/p3", "tarla/1/p3"]
    assert asked(small, decided["class"], release)["address"] == "tarla/1/p4"
    for words, told in (
        (("families", release), ["liman/1/p3", "Rüzgâr dönünce"]),
        (("families", release, "--members", decided["family"]), ["tarla/1/p3", "Rüzgâr dönünce"]),
        (("choices", release), ["tarla/1/p4", "Ağını sabırla"]),
        (("quotations", release), ["liman/1/p2", "⁨Denizde acele eden", "tarla/1/p1"]),
        (("canonical", decided["class"], "--policy", "ilk", "--release", release), ["tarla/1/p4", "Ağını"]),
    ):
        out, _ = shown(small, capsys, *words)
        assert [one for one in told if one not in out] == []


@pytest.mark.req("CAN-03")
def test_a_reviewer_reads_the_policy_that_is_chosen_by(
    small: Scenario, decided: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """What is approved is a choice under a text, so the text stands beside it and not its digest alone."""
    policy = {"name": "ilk", "version": "1.0.0"}
    chosen = line("choose_canonical", structure=decided["family"], member="liman/1/p3", policy=policy)
    (proposal,) = small.propose(chosen)
    told, _ = shown(small, capsys, "review", proposal, "--as", "okur")
    assert "ilk yer" in told
    record = small.run("proposals", "show", proposal, actor="okur")
    assert record["policy_text"] == "ilk yer"


@pytest.mark.req("REL-06", "QRY-02")
def test_a_withdrawn_release_says_so(
    small: Scenario, decided: dict[str, str], capsys: pytest.CaptureFixture[str]
) -> None:
    """Last of the file: it ends the release that the others ask."""
    release, reason = decided["release"], "a wrong page"
    small.run("withdraw", release, "--reason", reason, actor="basan")
    canonical = ("canonical", decided["class"], "--policy", "ilk", "--release", release)
    for words in (
        *((verb, release) for verb in TELL),
        ("families", release, "--members", decided["family"]),
        ("families", release, "--members", decided["family"], "--diffs"),
        canonical,
    ):
        found = small.run(*words)
        assert (found["status"], found["code"]) == ("integrity_error", "withdrawn_release"), words
        assert found["withdrawn"]["reason"] == reason
        assert found["withdrawn"]["since"].startswith("20")
        assert found["withdrawn"]["entry"] > 0
        assert "member" not in found
        out, err = shown(small, capsys, *words)
        assert err == f"tekrar: release {release} was withdrawn: {reason}\n"
        assert out.startswith("integrity_error (withdrawn_release)")
        assert reason in out
    found = small.run("resolve", decided["choice"], "--release", release)
    assert (found["state"], found["withdrawn"]["reason"]) == ("effective", reason)
    out, err = shown(small, capsys, "resolve", decided["choice"], "--release", release)
    assert ("withdrawn" in out, "withdrawn" in err) == (True, True)
    assert "withdrawn" not in small.run(
        "resolve", decided["choice"], "--release", small.releases[0], status=5
    )
    covered = small.run("release", "coverage", release)
    assert (covered["withdrawn"], covered["incident"]["reason"]) == (True, reason)
    assert "a wrong page" in shown(small, capsys, "release", "coverage", release)[0]
    told = small.lines("history", release, actor="yazar")
    assert [one["kind"] for one in told] == ["publication", "withdrawal"]
    assert (told[1]["actor"], told[1]["facts"]["note"]) == ("basan", reason)
    out, _ = shown(small, capsys, "history", release, "--as", "yazar")
    assert reason in out
