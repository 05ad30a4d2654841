"""Every requirement is proved by a test or owned by later work, and the two lists agree exactly."""

from pathlib import Path

import pytest

from tests.requirements_report import (
    AccountError,
    Owed,
    collect_markers,
    problems,
    read_ids,
    read_open,
    render,
)

HALF = Owed(extent="half", pieces=("3",), what="the tables")
WHOLE = Owed(extent="whole", pieces=("5",), what="")


def test_every_requirement_is_proved_or_owed() -> None:
    found = problems(ids=read_ids(), owed=read_open(), markers=collect_markers())
    assert not found, "\n" + "\n".join(found)


def test_the_account_finds_each_kind_of_disagreement() -> None:
    ids = ("EX-01", "EX-02", "EX-03", "EX-04")
    owed = {"EX-02": WHOLE, "EX-03": HALF, "EX-04": HALF, "EX-98": WHOLE}
    markers = {"EX-02": ["t::a"], "EX-04": ["t::b"], "EX-99": ["t::c"]}
    assert problems(ids=ids, owed=owed, markers=markers) == [
        "EX-99 is no requirement, but t::c claims it",
        "EX-98 is no requirement, but requirements-open.txt lists it",
        "EX-01 has no test and requirements-open.txt does not list it",
        "EX-02 is listed as wholly open, but t::a claims it",
        "EX-03 is listed as half open, but no test proves the other half",
    ]
    assert problems(ids=("EX-01",), owed={}, markers={"EX-01": ["t::a"]}) == []


def test_markers_are_found_on_functions_classes_parameters_and_modules(tmp_path: Path) -> None:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_one.py").write_text(
        "import pytest\n"
        "pytestmark = [pytest.mark.shared, pytest.mark.req('EN-01')]\n"
        "@pytest.mark.req('EN-02', 'EN-03')\n"
        "def test_a(): pass\n"
        "@pytest.mark.req('EN-04')\n"
        "class TestB:\n"
        "    @pytest.mark.parametrize('x', [pytest.param(1, marks=pytest.mark.req('EN-05'))])\n"
        "    def test_c(self, x): pytest.mark.req('EN-06')\n",
        encoding="utf-8",
    )
    assert collect_markers(tmp_path / "tests") == {
        "EN-01": ["tests/test_one.py"],
        "EN-02": ["tests/test_one.py::test_a"],
        "EN-03": ["tests/test_one.py::test_a"],
        "EN-04": ["tests/test_one.py::TestB"],
        "EN-05": ["tests/test_one.py::TestB::test_c"],
    }


@pytest.mark.parametrize(
    "marker", ["pytest.mark.req()", "pytest.mark.req(*IDS)", "pytest.mark.req('EN-01', NAME)"]
)
def test_a_marker_whose_ids_are_not_written_out_is_refused(tmp_path: Path, marker: str) -> None:
    (tmp_path / "test_one.py").write_text(f"@{marker}\ndef test_a(): pass\n", encoding="utf-8")
    with pytest.raises(AccountError, match=r"test_one\.py:1"):
        collect_markers(tmp_path)


@pytest.mark.parametrize(
    "line", ["EX-01", "EX-01  some  3  x", "EX-01  whole  9", "EX-01  half  3", "EX-01  whole  3  why"]
)
def test_a_bad_line_of_the_open_file_is_named(tmp_path: Path, line: str) -> None:
    path = tmp_path / "open.txt"
    path.write_text(f"# comment\n{line}\n", encoding="utf-8")
    with pytest.raises(AccountError, match=r"open\.txt:2"):
        read_open(path)


def test_the_page_states_each_requirement_and_keeps_the_hand_written_part() -> None:
    page = render(
        ids=("EX-01", "EX-02", "EX-03"),
        owed={"EX-02": HALF, "EX-03": WHOLE},
        markers={"EX-01": ["tests/a.py::t"], "EX-02": ["tests/b.py::t"]},
        breaks="## Broken by hand\n\nthe list\n",
    )
    assert "| EX-01 | proved | `a.py::t` |" in page
    assert "| EX-02 | half: the tables (The store) | `b.py::t` |" in page
    assert "| EX-03 | open: Curation |  |" in page
    assert "3 requirements: 1 proved, 1 half proved, 1 open." in page
    assert page.endswith("## Broken by hand\n\nthe list\n")
