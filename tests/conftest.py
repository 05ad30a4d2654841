"""What every test shares: the place of the shared data, the requirement markers, one hypothesis profile."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
NEEDS_SHARED = "needs ../shared"

# The same examples in every run: a failure in CI is a failure on the desk. TEKRAR_EXPLORE=1 draws fresh ones.
settings.register_profile("steady", derandomize=True, deadline=None, print_blob=True)
settings.register_profile("explore", derandomize=False, deadline=None, print_blob=True, max_examples=1000)
settings.load_profile("explore" if os.environ.get("TEKRAR_EXPLORE") else "steady")


def shared_place() -> Path:
    """Where the shared data would lie: TEKRAR_SHARED, else the folder beside the checkout."""
    named = os.environ.get("TEKRAR_SHARED")
    return Path(named) if named else ROOT.parent / "shared"


@pytest.fixture(scope="session")
def repo_root() -> Path:
    """The root of the checkout."""
    return ROOT


@pytest.fixture(scope="session")
def shared_dir() -> Path:
    """The shared data (conformance fixtures, corpora); where it is absent the test is skipped."""
    place = shared_place()
    if not place.is_dir():
        pytest.skip(NEEDS_SHARED)
    return place


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    absent = not shared_place().is_dir()
    for item in items:
        for marker in item.iter_markers("req"):
            if not marker.args or not all(isinstance(name, str) for name in marker.args):
                raise pytest.UsageError(f"{item.nodeid}: a req marker takes requirement IDs as strings")
        if absent and item.get_closest_marker("shared"):
            item.add_marker(pytest.mark.skip(reason=NEEDS_SHARED))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    skipped = [
        report
        for report in terminalreporter.stats.get("skipped", [])
        if isinstance(report.longrepr, tuple) and NEEDS_SHARED in report.longrepr[2]
    ]
    if skipped:
        terminalreporter.write_line(f"{len(skipped)} tests that need ../shared were skipped: it is absent")
