"""A backup restored elsewhere is the same store: releases, statuses, ledger and IDs; and killed restores.

Field-report rows 77 (what is made again erases nothing that was decided) and 85, 86 (one canonical form).
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest

from tekrar.core.encoding import canonical_json
from tekrar.core.identity import uuid_text
from tekrar.settings import Settings
from tekrar.store.embedded import DATABASE
from tekrar.store.publish import plan_from_json
from tekrar.store.roles import LOGIN, SUPERUSER, Role
from tekrar.store.server.account import server_account
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import ask, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.view.open import open_corpus
from tests.other_server import other_server
from tests.store.contents import contents
from tests.store.load_corpus import make
from tests.store.place import environment, settings_in, tekrar

#: A reason outside ASCII and outside the basic plane (field-report row 85), and what must stay text in it.
REASON = "gecikme ≥ 200 — Nursî 😀"
#: Numbers as words, which no canonical form may take for numbers (row 86), and what must be escaped or not.
HARD = '1e-05 0.00001 -0.0 NaN 1e22 \U00010000 \uffff "\\ \t'

#: Tables of decisions and of what was published; rows are only ever added to them.
FACTS = (
    "curation.actor",
    "curation.freeze",
    "curation.grant_entry",
    "curation.head_move",
    "curation.ledger",
    "curation.revocation",
    "repetition.incident",
    "repetition.occurrence",
    "repetition.pointer_move",
    "repetition.release_set",
    "repetition.repetition_release",
    "restricted.release_control",
)


@dataclass(frozen=True)
class Folder:
    """A data folder with an embedded server."""

    path: Path
    more: dict[str, str] = field(default_factory=dict)

    @property
    def settings(self) -> Settings:
        return settings_in(self.path, **self.more)

    def run(self, *words: str, status: int = 0) -> dict[str, Any]:
        done = tekrar(self.path, *words, "--json", **self.more)
        assert done.returncode == status, (words, done.stdout, done.stderr)
        found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
        return found

    @property
    def database(self) -> Embedded:
        running = Launcher(self.settings).ensure()
        return Embedded(running.socket_dir, running.server_user, DATABASE)


@pytest.fixture(scope="module")
def folders(pristine: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Folder]]:
    """Three data folders as initdb makes them; what starts there is stopped."""
    found = []
    for _ in range(3):
        path = tmp_path_factory.mktemp("folder")
        subprocess.run(["cp", "-a", str(pristine / "server"), str(path)], check=True)
        found.append(Folder(path))
    yield found
    for folder in found:
        Launcher(settings_in(folder.path)).stop()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("made"))


@pytest.fixture(scope="module")
def source(folders: list[Folder], made: tuple[Path, Path]) -> Folder:
    """A store with a history: two releases of a series, one withdrawn, a revoked grant, a raised freeze."""
    one, (release, artifact) = folders[0], made
    one.run("load", str(artifact), "--release", str(release))
    one.run("db", "init", "--administrator", "Defne 😀")
    one.run("actor", "Ege", "--as", "Defne 😀")
    one.run("grant", "Ege", "publisher", "--as", "Defne 😀")
    one.run("actor", "Derya", "--as", "Defne 😀")
    one.run("grant", "Derya", "auditor", "--as", "Defne 😀")
    one.run("publish", "--all", str(artifact), "--as", "Ege")
    text, other = make(made[0].parent / "second", more="Yeni bir söz.")
    one.run("load", str(other), "--release", str(text))
    done = one.run("publish", "--profile", "FS", str(other), "--as", "Ege")
    one.run("withdraw", done["releases"][0]["release"], "--reason", f"{REASON} {HARD}", "--as", "Ege")
    one.run("freeze", "--reason", REASON, "--as", "Defne 😀")
    given = one.run("grant", "Ege", "reviewer", "--scope", "bahçe", "--as", "Defne 😀")
    one.run("revoke", str(given["grant"]), "--as", "Defne 😀")
    return one


@pytest.fixture(scope="module")
def dump(source: Folder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A backup of it."""
    if Launcher(settings_in(source.path)).binaries().program("pg_dump") is None:
        pytest.skip("needs pg_dump")
    file = tmp_path_factory.mktemp("dump") / "b.dump"
    source.run("db", "backup", str(file))
    return file


def answers(folder: Folder, made: tuple[Path, Path]) -> dict[str, Any]:
    """What a reader and an auditor are told, every occurrence included."""
    found: dict[str, Any] = {"releases": folder.run("releases")["releases"]}
    corpus = open_corpus(made[1], made[0])
    with open_target(of_embedded(folder.database, user=LOGIN)) as connection:
        for one in found["releases"]:
            found[one["release"]] = folder.run("release", "show", one["release"])
            if (view := corpus.view(one["short"])) and one[
                "artifact_root"
            ] == corpus.artifact.artifact_root.hex():
                for row in range(view.rows):
                    id = uuid_text(view.ids[row].tobytes())
                    query = b"SELECT to_jsonb(s) FROM api.occurrence_status(%s, %s) AS s"
                    found[id] = ask(connection, query, (one["release"], id), role=Role.READER)
    found["grants"] = folder.run("grant", "--as", "Defne 😀")
    return found


@pytest.mark.req("REL-09")
def test_a_restored_store_is_the_same_and_goes_on(
    folders: list[Folder], source: Folder, dump: Path, made: tuple[Path, Path]
) -> None:
    target = folders[1]
    target.run("db", "restore", str(dump))
    assert contents(target.database) == contents(source.database)
    assert target.run("release", "verify", "--all", "--as", "Derya")["verified"] is True
    before = answers(source, made)
    assert {one["state"] for one in before["releases"]} == {"visible", "withdrawn", "earlier"}
    assert answers(target, made) == before

    # Loading and publishing again is nothing, under the same IDs; then something new gets a place of its own.
    loaded = target.run("load", str(made[1]), "--release", str(made[0]))
    assert (loaded["text"], loaded["artifact"]) == ("already_loaded", "already_loaded")
    profiles = ["--profile", "FP", "--profile", "PP", "--profile", "PS"]
    again = target.run("publish", *profiles, str(made[1]), "--as", "Ege")
    assert again["outcome"] == "already_visible"
    ids = {one["short"]: one["release"] for one in before["releases"] if one["state"] == "visible"}
    assert {row["profile"]: row["release"] for row in again["releases"]} == ids
    rows = contents(source.database)
    assert contents(target.database) == rows
    release, artifact = make(made[0].parent / "third", more="Üçüncü bir söz.")
    target.run("load", str(artifact), "--release", str(release))
    assert target.run("publish", "--all", str(artifact), "--as", "Ege")["outcome"] == "published"
    assert contents(source.database) == rows


@pytest.mark.req("REL-10")
def test_a_store_restored_on_another_version_verifies_and_a_changed_constraint_there_is_found(
    dump: Path, source: Folder, launcher: Launcher, tmp_path: Path
) -> None:
    """From the older of two versions to the newer one, the way in which a store moves."""
    other, line = other_server(settings_in(tmp_path), server_account(None))
    if other is None or other.major < launcher.binaries().major:
        pytest.skip(f"needs a newer PostgreSQL: {line}")
    target = Folder(tmp_path, {"TEKRAR_PG_BIN": str(other.folder)})
    try:
        target.run("db", "restore", str(dump))
        assert contents(target.database) == contents(source.database)
        assert target.run("release", "verify", "--all", "--as", "Derya")["verified"] is True
        with open_target(of_embedded(target.database, user=SUPERUSER)) as connection:
            connection.execute(
                "ALTER TABLE repetition.profile DROP CONSTRAINT initial_matrix,"
                " ADD CONSTRAINT initial_matrix CHECK (short IN ('FP', 'FS', 'PP', 'PS'))"
            )
        told = tekrar(tmp_path, "release", "verify", "--all", "--as", "Derya", "--json", **target.more)
        findings = json.loads(told.stdout.splitlines()[0])["findings"]
        assert told.returncode == 4
        assert {one["place"] for one in findings} == {"constraint repetition.profile initial_matrix"}
    finally:
        Launcher(target.settings).stop()


def test_what_is_loaded_and_published_later_erases_nothing_row_77(
    folders: list[Folder], dump: Path, made: tuple[Path, Path]
) -> None:
    """Field-report row 77: a successor leaves ledger, grants, heads and earlier releases as they are."""
    source = folders[2]
    source.run("db", "restore", str(dump))
    with open_target(of_embedded(source.database, user=SUPERUSER)) as connection:

        def facts() -> set[tuple[Any, ...]]:
            return {
                row
                for table in FACTS
                for row in connection.execute(f"SELECT '{table}', t::text FROM {table} t".encode()).fetchall()
            }

        def visible() -> int:
            with connection.transaction():
                connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
                connection.execute("SET LOCAL ROLE tekrar_reader")
                states = dict(
                    connection.execute(b"SELECT state, count(*) FROM api.releases() GROUP BY 1").fetchall()
                )
            assert (states["withdrawn"], states["earlier"]) == (1, 1)
            return int(states["visible"])

        before = facts()
        assert len(before) > 30
        assert visible() == 3
        text, artifact = make(made[0].parent / "later", more="Sonraki bir söz.")
        source.run("load", str(artifact), "--release", str(text))
        assert facts() >= before
        source.run("publish", "--profile", "FS", str(artifact), "--as", "Ege")
        assert facts() > before
        assert visible() == 4


def test_canonical_forms_hold_hard_words_rows_85_and_86(
    source: Folder, made: tuple[Path, Path], tmp_path: Path
) -> None:
    """Field-report rows 85 and 86: what the database writes canonically is RFC 8785, byte for byte."""
    with open_target(of_embedded(source.database, user=SUPERUSER)) as connection:
        payloads = connection.execute(
            "SELECT payload FROM curation.ledger ORDER BY seq", binary=True
        ).fetchall()
        bound = connection.execute("SELECT bound FROM repetition.repetition_release", binary=True).fetchall()
        hard = {"1e-05": "0.00001", "~ !": REASON, "z": HARD, "c": "".join(map(chr, range(1, 0xA0)))}
        told, other = (
            connection.execute(
                "SELECT tekrar_meta.canonical(%s::jsonb)", (json.dumps(one),), binary=True
            ).fetchone()
            for one in (hard, {"\U00010000": "a", "\uffff": "b"})
        )
    for (data,) in [*payloads, *bound]:
        assert canonical_json(json.loads(bytes(data))) == bytes(data)
    said = b"".join(bytes(data) for (data,) in payloads)
    assert REASON.encode() in said
    assert HARD.encode().split(b'"')[0] in said
    assert told is not None
    assert bytes(told[0]) == canonical_json(dict(hard))
    # Keys whose order by code points is another than by UTF-16 units have no form at all.
    assert other == (None,)

    # A plan with the same words in it reads back as it was written.
    words = ("publish", "--profile", "FP", str(made[1]), "--plan", str(tmp_path / "plan"), "--as", "Ege")
    source.run(*words)
    plan = plan_from_json((tmp_path / "plan").read_bytes())
    assert plan.as_json() == (tmp_path / "plan").read_bytes()
    assert set(plan.publications[0].facts.values()) >= {"1"}
    assert all(isinstance(value, str) for value in plan.publications[0].facts.values())


@pytest.mark.faults
@pytest.mark.parametrize("after", [0.0, 0.02, 0.1, 0.3])
def test_a_restore_that_was_killed_left_nothing_or_everything(
    folders: list[Folder], source: Folder, dump: Path, pristine: Path, tmp_path: Path, after: float
) -> None:
    """SIGKILL of tekrar and of its pg_restore, some time after that began."""
    subprocess.run(["cp", "-a", str(pristine / "server"), str(tmp_path)], check=True)
    target = Folder(tmp_path)
    try:
        Launcher(settings_in(tmp_path)).ensure()
        words = [sys.executable, "-m", "tekrar", "db", "restore", str(dump)]
        restoring = subprocess.Popen(words, env=environment(tmp_path), stderr=subprocess.DEVNULL)
        until = time.monotonic() + 60
        while (child := child_of(restoring.pid, "pg_restore")) is None:
            assert restoring.poll() is None
            assert time.monotonic() < until
        time.sleep(after)
        restoring.kill()
        kill(child)
        assert restoring.wait(30) == -signal.SIGKILL
        until = time.monotonic() + 30
        while number_lives(child):
            assert time.monotonic() < until
            time.sleep(0.02)
        if contents_when_quiet(target) != contents(source.database):
            assert contents_when_quiet(target) == {}
            target.run("db", "restore", str(dump))
        else:
            assert target.run("db", "restore", str(dump), status=8)["error"]["kind"] == "database_not_empty"
        assert contents(target.database) == contents(source.database)
    finally:
        Launcher(settings_in(tmp_path)).stop()


def contents_when_quiet(folder: Folder) -> dict[str, tuple[int, str]]:
    """Contents once the killed client's session is gone from the server."""
    with open_target(of_embedded(folder.database, user=SUPERUSER)) as connection:
        until = time.monotonic() + 30
        query = (
            "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        while connection.execute(query.encode()).fetchone() != (0,):
            assert time.monotonic() < until
            time.sleep(0.02)
    return contents(folder.database)


def child_of(pid: int, name: str) -> int | None:
    found = subprocess.run(
        ["ps", "-o", "pid=,comm=", "--ppid", str(pid)], capture_output=True, text=True, check=False
    )
    for line in found.stdout.splitlines():
        number, comm = line.split(None, 1)
        if comm.strip() == name:
            return int(number)
    return None


def kill(pid: int) -> None:
    try:
        os.kill(pid, signal.SIGKILL)
    except ProcessLookupError:
        return


def number_lives(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
