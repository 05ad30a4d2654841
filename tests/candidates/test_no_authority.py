"""A threshold is evidence: nothing leads from a score to a family, a quotation or a choice."""

import ast
import re
from pathlib import Path

import grimp
import pytest

from tekrar import settings
from tekrar.cli import VERBS
from tekrar.cli.completion import whole_parser
from tests.conftest import ROOT

SOURCE = ROOT / "src" / "tekrar"
#: Words by which something would accept by itself.
ACCEPTING = re.compile(r"auto|accept|promot|confiden|threshold|apply|approve", re.IGNORECASE)
#: Tables in which what is in force stands.
CURATED = re.compile(
    r"(INSERT\s+INTO|COPY|UPDATE|MERGE\s+INTO|DELETE\s+FROM)\s+\"?curation\"?\.\"?"
    r"(family|quotation|canonical_choice|decision|supersession|succession|compensation|effective_)",
    re.IGNORECASE,
)
WRITERS = ("apply", "choice", "family", "quotation", "supersession")
RECORDING = re.compile(rf"curation\.record_({'|'.join(WRITERS)})\(")
CALLERS = {f"store/sql/functions/{name}.sql" for name in ("api.apply", "curation.replay_entry")}
#: Words of what a generator says of a candidate.
SCORED = re.compile(
    r"score|metric|jaccard|threshold|curation\.(candidate|disposition|evidence)", re.IGNORECASE
)


@pytest.fixture(scope="module")
def graph() -> grimp.ImportGraph:
    return grimp.build_graph("tekrar", include_external_packages=True, cache_dir=None)


@pytest.mark.req("VAL-07", "CND-11", "LAY-04")
@pytest.mark.parametrize("room", ["tekrar.core.candidate", "tekrar.discover", "tekrar.candidates"])
def test_nothing_that_scores_can_write_to_the_store(graph: grimp.ImportGraph, room: str) -> None:
    modules = {room, *graph.find_descendants(room)}
    assert len(modules) > 3
    reached: set[str] = set()
    for module in modules:
        reached |= graph.find_upstream_modules(module)
    for forbidden in ("tekrar.store", "tekrar.build", "tekrar.cli", "psycopg", "sqlite3", "socket"):
        assert not {m for m in reached if m == forbidden or m.startswith(f"{forbidden}.")}, forbidden


@pytest.mark.req("VAL-07", "CND-11", "LAY-04")
def test_nothing_that_decides_or_proves_reads_a_score(graph: grimp.ImportGraph) -> None:
    scoring = ("tekrar.core.candidate", "tekrar.discover", "tekrar.candidates")
    for room in ("tekrar.store", "tekrar.build", "tekrar.verify", "tekrar.artifact", "tekrar.corpus"):
        reached: set[str] = set()
        for module in {room, *graph.find_descendants(room)}:
            reached |= graph.find_upstream_modules(module)
        assert not {m for m in reached if m.startswith(scoring)}, room


@pytest.mark.req("VAL-07", "CND-07", "CND-11")
def test_what_is_in_force_is_written_by_an_apply_alone() -> None:
    """Families, quotations, choices and decisions: five functions, called by an apply and its replay."""
    files = {
        path.relative_to(SOURCE).as_posix(): path.read_text("utf-8")
        for path in SOURCE.rglob("*")
        if path.suffix in (".py", ".sql")
    }
    assert len(files) > 200
    writers = {name for name, text in files.items() if CURATED.search(text)}
    assert writers == {f"store/sql/functions/curation.record_{what}.sql" for what in WRITERS}
    for name in writers:
        assert not SCORED.search(files[name]), name
    callers = {
        name
        for name, text in files.items()
        if RECORDING.search(text) and name not in writers and name != "store/sql/schema.snapshot"
    }
    assert callers == CALLERS
    assert CURATED.search("INSERT INTO curation.family VALUES (1)")


@pytest.mark.req("CND-11", "VAL-07")
def test_no_variable_setting_or_flag_accepts() -> None:
    named = [*settings.VARIABLES, *settings.Settings.__dataclass_fields__]
    assert [name for name in named if ACCEPTING.search(name)] == []
    options = set()
    todo = [whole_parser()]
    while todo:
        parser = todo.pop()
        for action in parser._actions:
            options |= set(action.option_strings)
            choices = action.choices
            if isinstance(choices, dict):
                todo += list(choices.values())
    assert "--disposition" in options
    assert [option for option in sorted(options) if ACCEPTING.search(option)] == []
    assert [verb for verb in VERBS if ACCEPTING.search(verb)] == ["apply"]  # of a proposal that was reviewed


@pytest.mark.req("CND-11", "VAL-07")
def test_nothing_that_scores_reads_the_environment() -> None:
    """Two settings reach the generator: loops interpreted, and where compiled ones are kept."""
    readers, settings_taken = [], set()
    for room in ("discover", "candidates", "core"):
        for path in sorted((SOURCE / room).rglob("*.py")):
            tree = ast.parse(path.read_text("utf-8"))
            names = {node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)}
            if names & {"environ", "environb", "getenv", "getenvb"}:
                readers.append(str(path.relative_to(SOURCE)))
            for node in ast.walk(tree):
                if isinstance(node, ast.ImportFrom) and node.module == "tekrar.settings":
                    settings_taken |= {alias.name for alias in node.names}
    assert readers == []
    assert settings_taken <= {"interpreted", "kernel_folder"}


@pytest.mark.req("CND-04")
def test_no_float_type_stands_in_what_is_recorded() -> None:
    for path in sorted((SOURCE / "core" / "candidate").rglob("*.py")):
        tree = ast.parse(path.read_text("utf-8"))
        floats = [
            node for node in ast.walk(tree) if isinstance(node, ast.Constant) and type(node.value) is float
        ]
        divisions = [
            node for node in ast.walk(tree) if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div)
        ]
        assert not floats, path
        assert not divisions, path


def test_the_scan_sees_what_it_looks_for(tmp_path: Path) -> None:
    assert ACCEPTING.search("--auto-accept")
    assert ACCEPTING.search("TEKRAR_AUTO_PROMOTE")
    assert not ACCEPTING.search("--min-score")
