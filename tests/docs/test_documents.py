"""Every command in the documents that is marked to run does run, and prints what the document says."""

import os
import re
from pathlib import Path

import pytest

from tekrar.errors import DatabaseError
from tekrar.settings import read_settings
from tests.conftest import ROOT
from tests.docs.blocks import Block, blocks_of, missing_line, run

DOCUMENTS = sorted(
    path for path in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")] if blocks_of(path.read_text("utf-8"))
)
LINK = re.compile(r"\]\((?!https?:)(?P<target>[^)#\s]+)(?:#[^)]*)?\)")


def has_postgresql() -> bool:
    """Whether there is a server for the documents that publish: one of the system, or the extra's."""
    try:
        from tekrar.store.server.launcher import Launcher

        Launcher(read_settings({"PATH": os.environ["PATH"], "HOME": "/"})).binaries()
    except DatabaseError:
        return False
    return True


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda path: path.name)
def test_the_commands_of_a_document_run(document: Path, tmp_path: Path) -> None:
    blocks = blocks_of(document.read_text("utf-8"))
    if any("tekrar load " in block.commands for block in blocks) and not has_postgresql():
        pytest.skip("needs PostgreSQL 15 to 18")
    printed, wrong = run(blocks, tmp_path)
    assert not wrong, f"{document.name}:{max(printed, default=0)}: {wrong}"
    assert list(printed) == [block.line for block in blocks]
    for block in blocks:
        claim = missing_line(block.output, printed[block.line])
        assert claim is None, f"{document.name}:{block.line} does not print: {claim}\n{printed[block.line]}"


def test_the_readme_and_the_tutorial_are_among_them() -> None:
    assert {"README.md", "tutorial.md"} <= {path.name for path in DOCUMENTS}


@pytest.mark.parametrize(
    "document", [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))], ids=lambda path: path.name
)
def test_the_links_of_a_document_lead_somewhere(document: Path) -> None:
    links = [match["target"] for match in LINK.finditer(document.read_text("utf-8"))]
    assert [target for target in links if not (document.parent / target).exists()] == []


def test_the_readme_shows_every_verb() -> None:
    from tekrar.cli import VERBS

    commands = "".join(block.commands for block in blocks_of((ROOT / "README.md").read_text("utf-8")))
    assert [verb for verb in VERBS if f"tekrar {verb} " not in commands] == []


def test_a_failing_command_is_found(tmp_path: Path) -> None:
    text = "```sh run\necho one\n```\n\n```sh run\necho two\nfalse\n```\n\n```sh run\necho three\n```\n"
    printed, wrong = run(blocks_of(text), tmp_path)
    assert "exit status 1" in wrong
    assert printed == {1: "one", 5: "two\n"}


def test_a_claimed_output_is_held_to_what_is_printed(tmp_path: Path) -> None:
    text = "```sh run\necho 'a 1'; echo b\n```\n```text output\na …\nb\n```\n```text\nnot looked at\n```\n"
    blocks = blocks_of(text)
    assert blocks == [Block(1, "echo 'a 1'; echo b\n", "a …\nb\n")]
    assert missing_line(blocks[0].output, "a 1\nb") is None
    assert missing_line(blocks[0].output, "b\na 1") == "b"
    assert missing_line("a …\n", "b") == "a …"
