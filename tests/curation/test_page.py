"""docs/curation.md says every rule that the code has, and no other."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from tekrar.core.curation import transition
from tekrar.core.curation.vocabulary import OPERATIONS, QUOTATION_KINDS, SILENT_RULES

ROOT = Path(__file__).resolve().parents[2]
PAGE = (ROOT / "docs/curation.md").read_text("utf-8")
#: Kinds that are put together, or that the JSON reader gives.
OTHERS = {
    "unknown_profile",
    "unknown_evidence",
    "duplicate_key",
    "float",
    "bom",
    "not_utf8",
    "too_deep",
    "unknown_kind",
}


def strings(node: ast.expr) -> Iterator[str]:
    yield from (
        one.value for one in ast.walk(node) if isinstance(one, ast.Constant) and isinstance(one.value, str)
    )


#: Kinds that the functions of the database alone refuse with (tests/store/test_workflow_approvals.py).
ALONE = {
    *("competing_choice", "override_needs_decision", "draft_closed", "not_reviewable"),
    *("ledger_not_empty", "ledger_entry", "replay"),
}


def kinds_of_the_code() -> set[str]:
    found = OTHERS | set(transition._KINDS.values()) | {"not_approved", "illegal_move"}
    for path in sorted((ROOT / "src/tekrar/core/curation").glob("*.py")):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if not isinstance(node, ast.Call):
                continue
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            if name == "refuse" and isinstance(node.args[0], ast.Constant):
                found.update(strings(node.args[0]))
            if name in ("one_of", "ascending"):
                found.update(
                    text for word in node.keywords if word.arg == "kind" for text in strings(word.value)
                )
    return found


def test_the_page_lists_every_kind_of_refusal() -> None:
    rules = PAGE.split("\n## Rules\n")[1].split("\n## ")[0].split("\n| kind | what is wrong |\n")[1]
    listed = re.findall(
        r"`([a-z_0-9]+)`", "".join(line.split("|")[1] for line in rules.splitlines() if line[:1] == "|")
    )
    assert len(listed) == len(set(listed))
    assert set(listed) == kinds_of_the_code() | ALONE


def test_the_page_names_the_closed_lists() -> None:
    for name in (*OPERATIONS, *QUOTATION_KINDS, *SILENT_RULES):
        assert f"`{name}`" in PAGE


def test_the_page_shows_the_table_of_states() -> None:
    shown: dict[str, set[str]] = {}
    for line in PAGE.split("\n## States\n")[1].split("\n## ")[0].splitlines():
        if line.startswith("|") and not line.startswith(("| state", "|---")):
            _, before, after, _ = line.split("|")
            for state in before.split(","):
                shown[state.strip()] = {one.strip() for one in after.split(",")}
    table = {state: set(moves.values()) - {state} for state, moves in transition.PROPOSAL.items()}
    assert shown == {state: after for state, after in table.items() if after}
