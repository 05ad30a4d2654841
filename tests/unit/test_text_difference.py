"""`diff-artifacts` with both releases: which paragraphs changed, and which members left a class or came."""

import json
from typing import Any

import pytest

from tekrar.cli import main
from tests.unit.reading_corpus import A, B, built, garden
from tests.unit.structured_documents import paragraph


def changed_garden() -> dict[str, Any]:
    """The garden with a new opening paragraph in Bahçe 2, an ornament gone, two sentences again in Yol."""
    source = garden(marked=False)
    second = source["corpus"]["books"][0]["chapters"][1]["paragraphs"]
    second[1] = paragraph("p2", "Son.")
    second.insert(0, paragraph("p0", "Yeni bir giriş."))
    source["corpus"]["books"][1]["chapters"][1]["paragraphs"].append(
        source["corpus"]["books"][1]["chapters"][0]["paragraphs"][2] | {"id": "p9"}
    )
    source["annotations"] = {kind: [] for kind in ("headings", "note_bodies", "note_markers")}
    return source


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    plain = garden(marked=False)
    plain["annotations"] = {kind: [] for kind in ("headings", "note_bodies", "note_markers")}
    a, release_a = built(plain, tmp_path_factory.mktemp("a"))
    b, release_b = built(changed_garden(), tmp_path_factory.mktemp("b"))
    return ["diff-artifacts", *map(str, (a, b, "--release-a", release_a, "--release-b", release_b))]


def test_changed_paragraphs_come_first_and_members_are_named(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main([*words, "--json"]) == 0
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    texts = [line for line in lines if line.get("change") == "text"]
    assert lines[: len(texts)] == texts
    assert [tuple(side and side["address"] for side in (line["a"], line["b"])) for line in texts] == [
        (None, "Bahçe/2/p1"),
        ("Bahçe/2/p2", "Bahçe/2/p3"),
        (None, "Yol/2/p3"),
    ]
    assert texts[2]["b"]["text"] == " ".join((A, B))
    gone = [line for line in lines if line.get("change") in ("gone", "shrunk") and line["profile"] == "FP"]
    assert [line["a"]["text"] for line in gone] == ["…"]
    came = {
        line["b"]["text"]: line["members"]
        for line in lines
        if line.get("change") == "grown" and line["profile"] == "FS"
    }
    assert came[" ".join((A, B))] == {"left": [], "came": ["Yol/2:3+2"]}


def test_people_see_published_classes_and_a_count_of_the_dominated(
    words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    assert main(words) == 0
    out = capsys.readouterr().out
    assert out.index("text  3 paragraphs changed") < out.index("FP  ")
    assert "(no such paragraph)" in out
    assert main([*words, "--status", "all"]) == 0
    everything = capsys.readouterr().out
    assert "--status all shows them" not in everything
    assert len(everything) >= len(out.replace("--status all", ""))
