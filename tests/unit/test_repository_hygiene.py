"""No committed file names a package index, an index option or a place of the machine it was written on.

A lock that carries an index address installs from that address wherever it is used, and a machine path works
nowhere else. The forbidden words are put together here so that this file does not contain them.
"""

import re
import subprocess
from pathlib import Path

import pytest

HOSTS = [
    "pypi" + ".org",
    "python" + "hosted.org",
    "registry." + "npmjs",
    "proxy." + "golang",
    "static.crates" + ".io",
    "conda." + "anaconda",
    "pack" + "agecloud",
]
OPTIONS = [
    r"--(?:extra-)?index" + "-url",
    r"\b(?:extra[-_])?index[-_]" + r"url\s*=",
    "--trusted" + "-host",
    "--find" + "-links",
]
PLACES = [r"(?<![\w.$}])/" + name + r"/(?!\*)" for name in ("work", "root")] + [
    "/opt/" + "pypi",
    r"/Users/" + r"\w",
]
FORBIDDEN = re.compile("|".join([*(re.escape(host) for host in HOSTS), *OPTIONS, *PLACES]), re.IGNORECASE)
BINARY = {".parquet", ".gz", ".png", ".woff2"}


def committed(root: Path) -> list[Path]:
    """The files under version control, or every file where the checkout has no history (a source archive)."""
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=root, capture_output=True, check=False)
    if listed.returncode == 0:
        return [root / name for name in listed.stdout.decode().split("\0") if name]
    hidden = {".venv", ".git", "build-out", "demo-out", "bench-out", "eval-out"}
    return [path for path in root.rglob("*") if path.is_file() and not hidden & set(path.parts)]


def offences(text: str) -> list[str]:
    return [
        f"{number}: {found.group()}"
        for number, line in enumerate(text.splitlines(), start=1)
        for found in FORBIDDEN.finditer(line)
    ]


def test_no_committed_file_names_an_index_or_a_place_of_a_machine(repo_root: Path) -> None:
    files = [path for path in committed(repo_root) if path.suffix not in BINARY and path.is_file()]
    assert repo_root / "pyproject.toml" in files
    found = [
        f"{path.relative_to(repo_root)}:{offence}"
        for path in files
        for offence in offences(path.read_text(encoding="utf-8", errors="replace"))
    ]
    assert not found, "\n" + "\n".join(found)


@pytest.mark.parametrize(
    "line",
    [
        "https://" + "pypi" + ".org/simple",
        "--extra-index" + "-url file:///x",
        "--index" + "-url x",
        "index_" + "url = 'x'",
        "see /" + "work/main/src",
        '"/' + 'root/.cache"',
        "/opt/" + "pypi/simple",
    ],
)
def test_the_check_sees(line: str) -> None:
    assert offences(f"first\n{line}")[0].startswith("2: ")


@pytest.mark.parametrize(
    "line", ["--no-emit-index" + "-url", "framework/work/x", "${HOME}/work/x", "repo_root/root.py"]
)
def test_the_check_lets_pass(line: str) -> None:
    assert offences(line) == []


@pytest.mark.parametrize("lock", ["dev", "runtime", "fast", "demo", "server"])
def test_every_locked_package_is_pinned_with_its_digests(repo_root: Path, lock: str) -> None:
    text = (repo_root / "requirements" / f"{lock}.txt").read_text(encoding="utf-8")
    entries = re.split(r"^(?=\S)", text, flags=re.MULTILINE)[1:]
    assert entries
    for entry in entries:
        assert re.match(
            r"[a-z0-9.-]+==[\w.]+( ; [^\\]+)? \\\n( +--hash=sha256:[0-9a-f]{64}( \\)?\n)+", entry
        ), entry


def test_the_locks_agree_on_every_version(repo_root: Path) -> None:
    pins: dict[str, set[str]] = {}
    for path in sorted((repo_root / "requirements").glob("*.txt")):
        for name, version in re.findall(
            r"^([a-z0-9.-]+)==([\w.]+)", path.read_text(encoding="utf-8"), re.MULTILINE
        ):
            pins.setdefault(name, set()).add(version)
    assert {name: versions for name, versions in pins.items() if len(versions) > 1} == {}


def test_the_changelog_has_its_identity_section(repo_root: Path) -> None:
    assert "### Identity" in (repo_root / "CHANGELOG.md").read_text(encoding="utf-8")


def test_every_direct_dependency_has_its_reason(repo_root: Path) -> None:
    declared = re.findall(
        r'^ +"([a-z0-9-]+)[<>=]', (repo_root / "pyproject.toml").read_text(encoding="utf-8"), re.MULTILINE
    )
    reasons = (repo_root / "docs" / "dependencies.md").read_text(encoding="utf-8")
    assert {"numpy", "pyarrow", "pytest"} <= set(declared)
    assert [name for name in declared if f"**{name}**" not in reasons] == []
