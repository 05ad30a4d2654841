"""A database that an earlier version made and published in verifies after this version's migrations.

The earlier version is taken from the history of the project: its own code loads, publishes and withdraws.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tekrar.store.schema_files import program_schema
from tekrar.store.server.launcher import Launcher
from tests.conftest import ROOT
from tests.store.place import environment, settings_in, tekrar

#: The last commit whose schema ended with migration 7: before answers stood in an occurrence's row.
SEVEN = "92e496aa2d6a0b9c9ce1ff0604d682800701d11f"
#: The last commit whose schema ended with migration 12: texts of choice policies were kept nowhere.
TWELVE = "79c84b254c0fa7c3711199db65693c0ede1762dc"
_MAKE = """
from pathlib import Path
from tests.store.load_corpus import make
make(Path("first"))
make(Path("second"), more="Yeni bir söz.")
make(Path("partial"), defer=["b1/1:2+3", "b1/1/p2"], edition="bostan")
"""


@dataclass(frozen=True)
class Earlier:
    """An earlier version with a data folder."""

    source: Path
    folder: Path

    def python(self, *words: str) -> str:
        path = os.pathsep.join(map(str, (self.source / "src", self.source)))
        done = subprocess.run(
            [sys.executable, *words],
            env={**environment(self.folder), "PYTHONPATH": path},
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (words, done.stdout, done.stderr)
        return done.stdout

    def run(self, *words: str) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.python("-m", "tekrar", *words, "--json").splitlines()[-1])
        return found


@pytest.fixture
def earlier(
    data_dir: Path, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Earlier:
    commit = getattr(request, "param", SEVEN)
    source = tmp_path_factory.mktemp("earlier")
    archive = source / "source.tar"
    words = ["git", "-C", str(ROOT), "archive", f"--output={archive}", commit, "src", "tests"]
    if subprocess.run(words, capture_output=True, check=False).returncode:
        pytest.skip(f"needs the history of the project: commit {commit[:7]}")
    subprocess.run(["tar", "-xf", str(archive), "-C", str(source)], check=True)
    return Earlier(source, data_dir)


def verified(folder: Path) -> dict[str, Any]:
    done = tekrar(folder, "release", "verify", "--all", "--as", "Derya", "--json")
    assert done.returncode == 0, done.stdout
    found: dict[str, Any] = json.loads(done.stdout)
    assert found["verified"] is True
    return found


@pytest.mark.faults
@pytest.mark.req("REL-09", "REL-10")
def test_a_store_of_migration_seven_verifies_after_migration_and_after_a_restore(
    earlier: Earlier, pristine: Path, tmp_path_factory: pytest.TempPathFactory
) -> None:
    earlier.python("-c", _MAKE)
    made = {}
    for name in ("first", "second", "partial"):
        artifact = str(earlier.folder / name / "artifact")
        earlier.run("load", artifact, "--release", str(earlier.folder / name / "release"))
        if name == "first":
            earlier.run("db", "init", "--administrator", "Defne")
            for actor, role in (("Ege", "publisher"), ("Derya", "auditor")):
                earlier.run("actor", actor, "--as", "Defne")
                earlier.run("grant", actor, role, "--as", "Defne")
        made[name] = earlier.run("publish", "--all", artifact, "--as", "Ege")["releases"]
    earlier.run("withdraw", made["partial"][0]["release"], "--reason", "kaynak yanlış", "--as", "Ege")
    earlier.run("freeze", "--reason", "bakım", "--as", "Defne")
    assert earlier.run("db", "status")["migration"] == 7
    dump = earlier.folder / "seven.dump"
    with_dump = Launcher(settings_in(earlier.folder)).binaries().program("pg_dump") is not None
    if with_dump:
        earlier.run("db", "backup", str(dump))

    head = len(program_schema().migrations)
    migrated = tekrar(earlier.folder, "db", "migrate", "--json")
    assert (migrated.returncode, json.loads(migrated.stdout)["head"]) == (0, head), migrated.stderr
    published = {one["release"] for done in made.values() for one in done}
    assert set(verified(earlier.folder)["releases"]) == published
    if not with_dump:
        return
    other = tmp_path_factory.mktemp("other")
    subprocess.run(["cp", "-a", str(pristine / "server"), str(other)], check=True)
    try:
        assert tekrar(other, "db", "restore", str(dump)).returncode == 0
        assert tekrar(other, "db", "migrate").returncode == 0
        assert set(verified(other)["releases"]) == published
    finally:
        Launcher(settings_in(other)).stop()


_CHOOSE = """
import json
from pathlib import Path
from tests.store.curation_small import packages
one = packages(Path.cwd(), {"TEKRAR_LANGUAGE": ""})
one.authority()
one.load()
release = one.publish()
(exact,) = one.run("release", "classes", release)["classes"]
policy = {"name": "eski", "version": "1.0.0", "rule": "fullest_context", "document": "En geniş yer."}
line = {"operation": "choose_canonical", "structure": exact["class"], "member": "liman/1/p4",
        "policy": policy, "rationale": "neden"}
(choice,) = one.decide(one.propose(line))
(open_one,) = one.propose(line | {"member": "tarla/1/p4", "supersedes": choice})
print(json.dumps({"release": one.publish(), "class": exact["class"], "choice": choice, "open": open_one}))
"""


@pytest.mark.faults
@pytest.mark.req("CAN-03", "REL-10")
@pytest.mark.parametrize("earlier", [TWELVE], indirect=True)
def test_choices_of_before_their_texts_were_kept_stay(earlier: Earlier) -> None:
    made = json.loads(earlier.python("-c", _CHOOSE).splitlines()[-1])
    folder = earlier.folder
    head = len(program_schema().migrations)
    migrated = tekrar(folder, "db", "migrate", "--json")
    assert (migrated.returncode, json.loads(migrated.stdout)["head"]) == (0, head), migrated.stderr

    def run(*words: str, status: int = 0) -> dict[str, Any]:
        done = tekrar(folder, *words, "--json")
        assert done.returncode == status, (words, done.stdout, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    asked = ("canonical", made["class"], "--policy", "eski", "--release", made["release"])
    found = run(*asked)
    assert (found["choice"], found["policy_text"]) == (made["choice"], "not_kept")
    assert run("release", "verify", "--all", "--as", "bakan")["verified"] is True
    run("review", made["open"], "approve", "--as", "okur")
    error = run("apply", made["open"], "--as", "yazar", status=8)["error"]
    assert error["kind"] == "policy_not_registered"
    text, words = (
        folder / "eski.md",
        ("--name", "eski", "--policy-version", "1.0.0", "--rule", "fullest_context"),
    )
    text.write_text("Başka yer.", "utf-8")
    error = run("policies", "add", str(text), *words, "--as", "yazar", status=8)["error"]
    assert error["kind"] == "policy_differs"
    text.write_text("En geniş yer.", "utf-8")
    assert run("policies", "add", str(text), *words, "--as", "yazar")["outcome"] == "registered"
    assert run(*asked)["policy_text"] == "kept"
    assert run("apply", made["open"], "--as", "yazar")["outcome"] == "applied"
    assert run("release", "verify", "--all", "--as", "bakan")["verified"] is True
    run("ledger", "verify", "--as", "bakan")
    done = run("rebuild", "--check", str(folder / "release"), "--as", "bakan")
    assert (done["outcome"], done["compared"]["choice policies"]) == ("equal", 1)
