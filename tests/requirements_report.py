"""Account for the numbered requirements: which test proves each, and which are still owed.

Reads ``docs/requirements-ids.txt`` (every ID), ``requirements-open.txt`` (the IDs, or halves of them, that
later work owes) and the ``@pytest.mark.req(...)`` markers of the tests, and writes ``docs/requirements.md``.

    python -m tests.requirements_report            write the page
    python -m tests.requirements_report --check    exit 1 if the page is not what would be written

Markers are read from the syntax tree, so nothing is imported and a test that is skipped here still counts.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
IDS_FILE = ROOT / "docs" / "requirements-ids.txt"
OPEN_FILE = ROOT / "requirements-open.txt"
BREAKS_FILE = ROOT / "docs" / "requirements-breaks.md"
PAGE = ROOT / "docs" / "requirements.md"

GROUPS = {
    "CORE": "Core boundary",
    "LAY": "Layers and record classes",
    "PRO": "Profiles and scope",
    "EN": "Enumerators",
    "PRJ": "Annotation projections",
    "OCC": "Passage occurrence",
    "EX": "Exact predicates and preimages",
    "CL": "Exact classes",
    "DOM": "Dominance",
    "COV": "Work partition and coverage",
    "CND": "Candidates and evidence",
    "DIF": "Diffs",
    "FAM": "Families",
    "QUO": "Quotations",
    "CAN": "Canonical choices",
    "ID": "Identity",
    "CUR": "Curation and correction",
    "REL": "Releases and publication",
    "PUB": "Public projection",
    "PRP": "Propagation",
    "CMP": "Composition",
    "QRY": "Queries and statuses",
    "VAL": "Validation list of the ADR",
    "REB": "Rebuild and determinism",
}
PIECES = {"3": "The store", "4": "Candidates", "5": "Curation", "later": "later work"}
EXTENTS = ("half", "whole")

Markers = dict[str, list[str]]


class AccountError(Exception):
    """A file of the account cannot be read; the message names the file and the line."""


@dataclass(frozen=True)
class Owed:
    """What is still owed of one requirement.

    Attributes:
        extent: ``half`` (a test proves the rest already) or ``whole``.
        pieces: the pieces of work that owe it, keys of ``PIECES``.
        what: for a half, which half; empty for a whole one.
    """

    extent: str
    pieces: tuple[str, ...]
    what: str


def read_ids(path: Path = IDS_FILE) -> tuple[str, ...]:
    """Return every requirement ID in the order of the list."""
    found: list[str] = []
    for number, line in _lines(path):
        if not re.fullmatch(r"[A-Z]{2,4}-\d{2}", line) or line.split("-")[0] not in GROUPS:
            raise AccountError(f"{path.name}:{number}: not a requirement ID: {line!r}")
        if line in found:
            raise AccountError(f"{path.name}:{number}: {line} is listed twice")
        found.append(line)
    return tuple(found)


def read_open(path: Path = OPEN_FILE) -> dict[str, Owed]:
    """Return what later work owes, by ID, in the order of the file."""
    owed: dict[str, Owed] = {}
    for number, line in _lines(path):
        cells = [cell for cell in re.split(r"\t+| {2,}", line) if cell]
        if len(cells) not in (3, 4):
            raise AccountError(f"{path.name}:{number}: expected ID, extent, pieces and what is owed")
        name, extent, pieces = cells[0], cells[1], tuple(cells[2].split(","))
        what = cells[3] if len(cells) == 4 else ""
        if extent not in EXTENTS or not set(pieces) <= set(PIECES):
            raise AccountError(f"{path.name}:{number}: extent or piece of work unknown: {line!r}")
        if (extent == "half") != bool(what):
            raise AccountError(f"{path.name}:{number}: a half says which half is owed, a whole does not")
        if name in owed:
            raise AccountError(f"{path.name}:{number}: {name} is listed twice")
        owed[name] = Owed(extent=extent, pieces=pieces, what=what)
    return owed


def collect_markers(tests: Path = TESTS) -> Markers:
    """Return, for each ID named by a marker, the tests that carry it as ``file::test``, sorted."""
    proved: dict[str, set[str]] = {}
    for path in sorted(tests.rglob("test_*.py")):
        where = path.relative_to(tests.parent).as_posix()
        tree = ast.parse(path.read_text(encoding="utf-8"), filename=str(path))
        for test, call in _marked(tree.body, where):
            for name in _names(call, where):
                proved.setdefault(name, set()).add(test)
    return {name: sorted(tests_of) for name, tests_of in sorted(proved.items())}


def problems(
    *, ids: tuple[str, ...], owed: Mapping[str, Owed], markers: Mapping[str, list[str]]
) -> list[str]:
    """Return each disagreement between the list, the open file and the markers, as one sentence."""
    found = [
        f"{name} is no requirement, but {markers[name][0]} claims it" for name in markers if name not in ids
    ]
    found += [
        f"{name} is no requirement, but requirements-open.txt lists it" for name in owed if name not in ids
    ]
    for name in ids:
        debt, tests = owed.get(name), markers.get(name, [])
        if debt is None and not tests:
            found.append(f"{name} has no test and requirements-open.txt does not list it")
        elif debt is not None and debt.extent == "whole" and tests:
            found.append(f"{name} is listed as wholly open, but {tests[0]} claims it")
        elif debt is not None and debt.extent == "half" and not tests:
            found.append(f"{name} is listed as half open, but no test proves the other half")
    return found


def render(
    *, ids: tuple[str, ...], owed: Mapping[str, Owed], markers: Mapping[str, list[str]], breaks: str
) -> str:
    """Return the page; it depends on nothing but its arguments."""
    states = {name: _state(owed.get(name), markers.get(name, [])) for name in ids}
    counts = {
        word: sum(state.split(":")[0] == word for state in states.values())
        for word in ("proved", "half", "open")
    }
    lines = [
        "# Requirements and the tests that prove them",
        "",
        "Made by `make docs` from the `req` markers of the tests; do not edit it. The IDs are those of the",
        "specification drawn from ADR-009. *Half* and *open* name the piece of work that owes the rest",
        "(`requirements-open.txt`).",
        "",
        f"{len(ids)} requirements: {counts['proved']} proved, {counts['half']} half proved, "
        f"{counts['open']} open.",
    ]
    for group, title in GROUPS.items():
        members = [name for name in ids if name.split("-")[0] == group]
        if not members:
            continue
        lines += ["", f"## {title} ({group})", "", "| ID | State | Tests |", "|---|---|---|"]
        lines += [f"| {name} | {states[name]} | {_cell(markers.get(name, []))} |" for name in members]
    page = "\n".join(lines) + "\n"
    return page + "\n" + breaks.strip() + "\n" if breaks.strip() else page


def page_text() -> str:
    """Return the page for the files of this checkout."""
    breaks = BREAKS_FILE.read_text(encoding="utf-8") if BREAKS_FILE.exists() else ""
    return render(ids=read_ids(), owed=read_open(), markers=collect_markers(), breaks=breaks)


def main(argv: list[str] | None = None) -> int:
    """Write the page, or with ``--check`` compare it; return the exit status."""
    parser = argparse.ArgumentParser(
        prog="python -m tests.requirements_report", description=__doc__.split("\n")[0]
    )
    parser.add_argument(
        "--check", action="store_true", help="compare only; exit 1 if the page is out of date"
    )
    arguments = parser.parse_args(argv)
    try:
        page = page_text()
    except AccountError as error:
        print(error, file=sys.stderr)
        return 1
    if arguments.check:
        if not PAGE.exists() or PAGE.read_text(encoding="utf-8") != page:
            print("docs/requirements.md is out of date. Mend: make docs, and commit it", file=sys.stderr)
            return 1
        return 0
    PAGE.write_text(page, encoding="utf-8")
    print(f"wrote {PAGE.relative_to(ROOT)}")
    return 0


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
        if line.strip() and not line.startswith("#"):
            yield number, line.strip()


def _marked(body: list[ast.stmt], where: str) -> Iterator[tuple[str, ast.Call]]:
    """Yield (test, marker call) for the decorators and the module or class level assignments of a body."""
    for node in body:
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            here = f"{where}::{node.name}"
            yield from ((here, call) for one in node.decorator_list for call in _req_calls(one))
            if isinstance(node, ast.ClassDef):
                yield from _marked(node.body, here)
        elif isinstance(node, ast.Assign | ast.AnnAssign) and node.value is not None:
            yield from ((where, call) for call in _req_calls(node.value))


def _req_calls(tree: ast.expr) -> Iterator[ast.Call]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("pytest.mark.req", "mark.req", "req"):
            yield node


def _names(call: ast.Call, where: str) -> list[str]:
    names = [one.value for one in call.args if isinstance(one, ast.Constant) and isinstance(one.value, str)]
    if not names or len(names) != len(call.args) or call.keywords:
        raise AccountError(
            f"{where}:{call.lineno}: a req marker takes requirement IDs written out as strings"
        )
    return names


def _state(debt: Owed | None, tests: list[str]) -> str:
    if debt is None:
        return "proved" if tests else "open: **no test**"
    pieces = ", ".join(PIECES[piece] for piece in debt.pieces)
    return f"half: {debt.what} ({pieces})" if debt.extent == "half" else f"open: {pieces}"


def _cell(tests: list[str]) -> str:
    return "<br>".join(f"`{test.removeprefix('tests/')}`" for test in tests)


if __name__ == "__main__":
    raise SystemExit(main())
