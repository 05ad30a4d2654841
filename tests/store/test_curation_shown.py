"""Words of people are kept as given and shown safely, by every verb that shows them, to people and as JSON;
and what a curator does from a candidate to a decision."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.store.server.launcher import Launcher
from tests.store.curation_scenario import ADMINISTRATOR, Scenario
from tests.store.curation_scenario import environment as inside
from tests.store.curation_small import published
from tests.store.place import settings_in

HOSTILE = (
    "\x1b[2J\x1b]8;;http://x\x07\x9b31m\u202e\u2066\u200f\u061c[tıkla](javascript:alert(1))<script>alert(1)</script>"
    "<img src=x onerror=alert(1)>\r\napplied      1999  okur\n\u2028tekrar: error\x7f\x85"
)
#: What steers a terminal; the isolates are the program's own and are counted apart.
STEERS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028-\u202e]")
IN_JSON = re.compile("[\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]")


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, launcher: Launcher) -> Iterator[Scenario]:
    folder = tmp_path_factory.mktemp("kitap")
    try:
        yield published(folder)
    finally:
        Launcher(settings_in(folder / "data")).stop()


def written(small: Scenario, *lines: dict[str, Any], name: str = "satır.jsonl") -> Path:
    file = small.folder / name
    file.write_text("".join(json.dumps(one, ensure_ascii=False) + "\n" for one in lines), "utf-8")
    return file


def family(*members: str, **more: Any) -> dict[str, Any]:
    said = {"operation": "accept_family", "kind": "variant", "members": list(members), "rationale": "neden"}
    return said | more


def told(
    small: Scenario, capsys: pytest.CaptureFixture[str], *words: object, actor: str, status: int = 0
) -> tuple[str, str]:
    """What a verb says to people, on both streams."""
    with inside(**small.database, TEKRAR_ACTOR=actor):
        assert main([*map(str, words)]) == status, words
    found = capsys.readouterr()
    return found.out, found.err


def proved_safe(text: str) -> None:
    assert not STEERS.search(text), repr(STEERS.search(text))
    for line in text.split("\n"):
        depth = 0
        for character in line:
            depth += {"\u2066": 1, "\u2067": 1, "\u2068": 1, "\u2069": -1}.get(character, 0)
            assert depth >= 0, line
        assert depth == 0, line
    # No word of theirs begins a line of ours.
    assert not re.search("^(applied      1999|tekrar: error$)", text, re.M), text


def test_from_a_candidate_to_a_family_in_four_commands(
    small: Scenario, capsys: pytest.CaptureFixture[str]
) -> None:
    package = small.folder / "candidates"
    words = (
        "--from-candidates",
        package,
        "--ranks",
        1,
        "--kind",
        "variant",
        "--rationale",
        "aynı haber",
    )
    (proposal,) = small.run("propose", *words, actor="yazar")["proposals"]
    out, _ = told(small, capsys, "review", "--next", actor="ikinci")
    while proposal not in out:
        first = re.findall("^proposal +([0-9a-f]{64})", out, re.M)[0]
        small.run("review", first, "reject", actor="ikinci")
        out, _ = told(small, capsys, "review", "--next", actor="ikinci")
    assert "aynı haber" in out
    assert out.count("occurrence ") >= 2
    assert "summary " in out
    assert f"review {proposal} 'approve|reject|request-changes'" in out
    out, _ = told(small, capsys, "review", proposal, "approve", "--quiet", actor="ikinci")
    out, _ = told(small, capsys, "apply", proposal, actor="yazar")
    assert "accept_family" in out
    assert small.run("review", "--next", actor="ikinci") == {"proposal": None}
    refused = small.run("review", "--next", "approve", actor="ikinci", status=2)["error"]
    assert refused["kind"] == "bad_arguments"


@pytest.mark.req("CUR-03", "QUO-01")
def test_hostile_words_are_kept_and_shown_safely(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    (small.folder / "neden.md").write_bytes(HOSTILE.encode())
    (small.folder / "not.md").write_bytes(HOSTILE.encode())
    (small.folder / "başka.md").write_bytes(b"x" + HOSTILE.encode())
    word = "@neden.md"
    quotation = {
        "operation": "accept_quotation", "kind": "adapted_quotation", "source": "liman/1/p2",
        "quoting": "tarla/1/p1", "attribution": word, "rationale": word,
    }  # fmt: skip
    lines = written(small, family("liman/1/p3", "tarla/1/p3", rationale=word), quotation)
    proposals = small.run("propose", lines, actor="yazar")["proposals"]
    note = f"@{small.folder / 'not.md'}"
    small.run("review", *proposals, "approve", "--note", note, actor="okur")
    structures = small.run("apply", *proposals, actor="yazar")["all_structures"]
    retire = written(
        small, {"operation": "retire", "predecessors": [structures[0]], "reason": word, "rationale": word}
    )
    (waiting,) = small.run("propose", retire, actor="yazar")["proposals"]
    small.run("drafts", "save", "söz", small.folder / "neden.md", actor="yazar")
    package = small.folder / "candidates"
    small.run(
        "candidates", "mark", package, 1, "uncertain", "--as", "yazar", "--note", "<b>\u202e\u2066\x9b31m"
    )
    release = small.publish()
    small.run("withdraw", small.releases[0], "--reason", HOSTILE, actor="basan")

    asked = [
        *(("yazar", "proposals", "show", one) for one in (*proposals, waiting)),
        ("okur", "review", waiting),
        ("okur", "review", "--next"),
        ("yazar", "proposals", "list"),
        ("okur", "proposals", "queue"),
        *(("yazar", "history", one) for one in (*structures, *proposals, waiting)),
        *(("yazar", "resolve", one) for one in structures),
        ("yazar", "drafts", "show", "söz"),
        ("yazar", "drafts", "list"),
        ("yazar", "families", release),
        ("yazar", "families", release, "--members", structures[0], "--diffs"),
        ("yazar", "quotations", release),
        ("yazar", "choices", release),
        ("yazar", "unresolved", release),
        ("yazar", "candidates", "show", package, 1),
        ("yazar", "agreement"),
        ("yazar", "releases"),
        ("yazar", "release", "show", small.releases[0]),
        (ADMINISTRATOR, "grant"),
    ]
    exact = 0
    for actor, *words in asked:
        if words[0] == "agreement":
            actor = "bakan"
        out, err = told(small, capsys, *words, actor=actor)
        proved_safe(out)
        proved_safe(err)
        out, _ = told(small, capsys, *words, "--json", actor=actor)
        assert not IN_JSON.search(out), words
        exact += sum(HOSTILE in held for held in strings([json.loads(line) for line in out.splitlines()]))
    assert exact >= 15
    shown, _ = told(small, capsys, "proposals", "show", waiting, actor="yazar")
    for kept in ("<img src=x onerror=alert(1)>", "[tıkla](javascript:alert(1))", "⟨U+001B⟩[2J", "⟨U+202E⟩"):
        assert kept in shown
    for ended in ("liman/1/p3", "tarla/1/p3"):  # what a retirement ends is read, and no mere ID
        assert f"\u2068{ended}\u2069" in shown
    out, err = told(
        small, capsys, "drafts", "save", "söz", small.folder / "başka.md", actor="yazar", status=8
    )
    proved_safe(out + err)
    assert "version 1" in err
    assert "yours" in err
    small.run("freeze", "--reason", HOSTILE, actor=ADMINISTRATOR)
    out, _ = told(small, capsys, "ledger", "export", actor="bakan")
    assert HOSTILE in {held for line in out.split("\n")[1:-1] for held in strings(json.loads(line))}


def strings(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict | list):
        for one in value.values() if isinstance(value, dict) else value:
            yield from strings(one)


def test_an_edition_that_would_steer_is_shown_safely(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Names of editions come from outside; a table of ours has no line of theirs."""
    from tekrar.cli.database import table
    from tekrar.view.plain import safe_lines

    proved_safe(table({"edition": HOSTILE, "state": "visible"}))
    assert table({"edition": "a\nstate visible"}).count("\n") == 0
    assert safe_lines("a \u2068b\u2069\nc\x1b") == "a \u2068b\u2069\nc⟨U+001B⟩"
