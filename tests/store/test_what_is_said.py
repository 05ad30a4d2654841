"""What errors and answers say is so: who acts and through which login, who may load, which option was wrong,
how to go on. A login hears nothing of other actors (threat T13).
"""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tekrar.errors import DatabaseError, TekrarError
from tekrar.settings import Settings
from tekrar.store.backup import restore
from tekrar.store.roles import LOGIN
from tekrar.store.server.account import server_account
from tekrar.store.server.launcher import Launcher
from tekrar.store.target import Embedded
from tests.other_server import other_server
from tests.store.load_corpus import make
from tests.store.place import drop_database, make_database_from, settings_in, tekrar, url_of
from tests.store.schema_authority import World
from tests.store.test_bad_input import command
from tests.store.test_server import AS_ROOT, run_as

Said = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def said(world: World) -> Said:
    """The error of a command that is refused, as a login."""

    def one(*words: str, user: str = LOGIN, actor: str = "") -> dict[str, Any]:
        more = {"TEKRAR_ACTOR": actor} if actor else {}
        status, found = command(*words, TEKRAR_DATABASE_URL=url_of(world.place, user=user), **more)
        assert status, (words, found)
        error: dict[str, Any] = found["error"]
        return error

    return one


FREEZE = ("freeze", "--reason", "x")


@pytest.mark.req("CUR-06")
def test_a_login_of_its_own_speaks_for_its_actor_alone_and_hears_of_no_other(
    world: World, said: Said
) -> None:
    login = world.actor("tekrar_administrator", "all")
    # One who speaks through the program, one with a login of its own, one who is nobody: told alike.
    elsewhere = world.actor("tekrar_publisher", "all")
    heard = [said(*FREEZE, user=login, actor=name) for name in ("yönetici", elsewhere, "hiç kimse")]
    assert {one["kind"] for one in heard} == {"unknown_actor"}
    assert f"this login, {login}, speaks for" in heard[0]["message"]
    assert "leave --as and TEKRAR_ACTOR away" in heard[0]["mend"]
    alike = [
        str(one).replace(name, "…")
        for one, name in zip(heard, ("yönetici", elsewhere, "hiç kimse"), strict=True)
    ]
    assert alike[0] == alike[1] == alike[2]


@pytest.mark.req("CUR-06")
def test_the_program_s_login_asks_who_acts_and_tells_nobody_s_login(world: World, said: Said) -> None:
    assert said(*FREEZE)["mend"] == "say who acts: --as NAME or TEKRAR_ACTOR"
    own = world.logins.make()
    world.name("ayrı girişli", own)
    heard = [said(*FREEZE, actor=name) for name in ("ayrı girişli", "hiç kimse")]
    assert str(heard[0]).replace("ayrı girişli", "…") == str(heard[1]).replace("hiç kimse", "…")
    assert own not in str(heard[0])
    assert "through tekrar_login" in heard[0]["message"]


def test_a_login_that_is_no_actor_s_is_told_so(said: Said) -> None:
    error = said(*FREEZE, user="postgres", actor="yönetici")
    assert error["message"] == "the login postgres is no actor's"
    assert "tekrar_login" in error["mend"]


def test_a_grant_that_is_not_there_or_is_over_before_it_begins(said: Said) -> None:
    error = said("revoke", "999999", actor="yönetici")
    assert error["mend"] == "tekrar grant lists the grants with their numbers"
    assert "text" not in str(error)
    error = said("grant", "yönetici", "reader", "--to", "2001-01-01T00:00:00Z", actor="yönetici")
    assert "begins now" in error["message"]
    assert "--to" in error["expected"]


def test_a_book_that_the_release_does_not_have_is_named(world: World, said: Said) -> None:
    words = ("duplicates", str(world.releases["FP"]), str(world.near.exact_class("FP", 0)))
    assert "'böyle kitap yok'" in said(*words, "--book", "böyle kitap yok")["message"]
    assert "'a', 'b'" in said(*words, "--book", "b", "--not-book", "a")["message"]


def test_who_may_not_load_is_told_who_may(database: Embedded, tmp_path: Path) -> None:
    release, artifact = make(tmp_path)
    load = ("load", str(artifact), "--release", str(release))
    status, found = command(*load, TEKRAR_DATABASE_URL=url_of(database, user=LOGIN))
    assert (status, found["error"]["kind"]) == (8, "permission_denied")
    assert "load through a login that may be tekrar_builder" in found["error"]["mend"]
    words = ("db", "init", "--administrator", "Defne")
    status, found = command(*words, TEKRAR_DATABASE_URL=url_of(database, user=LOGIN))
    assert (status, found["error"]["kind"]) == (8, "permission_denied")
    assert "tekrar_owner" in found["error"]["expected"]
    # Loaded twice: of the second time it is not said that nobody sees it.
    said = [tekrar(tmp_path, *load, TEKRAR_DATABASE_URL=url_of(database)).stdout for _ in range(2)]
    assert "visible to nobody before tekrar publish" in said[0]
    assert said[1].endswith("nothing to write; tekrar releases says what of it is published\n")


def test_an_administrator_through_the_program_s_login_says_her_name(template: Embedded) -> None:
    fresh = make_database_from(template, "tekrar_what_is_said")
    try:
        words = ("db", "init", "--administrator", "Defne", "--login", LOGIN)
        assert command(*words, TEKRAR_DATABASE_URL=url_of(fresh))[0] == 0
        url = url_of(fresh, user=LOGIN)
        assert command("grant", TEKRAR_DATABASE_URL=url)[1]["error"]["kind"] == "unknown_actor"
        assert command("grant", "--as", "Defne", TEKRAR_DATABASE_URL=url)[0] == 0
    finally:
        drop_database(fresh)


@pytest.mark.parametrize(
    "url", ["bogus", "postgresql://u:secret@h:port/d", "postgresql://u:secret@127.0.0.1:1/d"]
)
def test_an_option_s_url_is_called_by_the_option(url: str) -> None:
    error = command("releases", "--database-url", url)[1]["error"]
    assert "--database-url" in f"{error['message']} {error['where']}"
    assert "TEKRAR_DATABASE_URL" not in str(error)
    assert "secret" not in str(error)
    error = command("releases", TEKRAR_DATABASE_URL=url)[1]["error"]
    assert "TEKRAR_DATABASE_URL" in f"{error['message']} {error['where']}"


def test_a_word_too_many_names_the_sub_verb() -> None:
    for action in ("stop", "shell"):
        assert command("db", action, "extra")[1]["error"]["where"] == f"tekrar db {action}"


def test_coverage_is_a_table_of_stated_and_counted(world: World, tmp_path: Path) -> None:
    url = url_of(world.place, user=LOGIN)
    words = ("release", "coverage", str(world.releases["FP"]))
    told = tekrar(tmp_path, *words, TEKRAR_DATABASE_URL=url).stdout
    rows = [line.split() for line in told.partition("\n\n")[2].splitlines()]
    found = command(*words, TEKRAR_DATABASE_URL=url)[1]
    assert rows[0] == ["stated", "counted"]
    counts = [name for name, value in (found["stated"] | found["counted"]).items() if isinstance(value, int)]
    assert len(rows) == len(counts) + 1
    matched = next(row for row in rows if row[0] == "matched")
    assert matched == ["matched", str(found["stated"]["matched"]), str(found["counted"]["matched"])]
    assert "withdrawn        no" in told


class TestFolders:
    def refused(self, settings: Settings) -> TekrarError:
        with pytest.raises(TekrarError) as caught:
            Launcher(settings).ensure()
        return caught.value

    @AS_ROOT
    def test_programs_under_a_closed_folder(self, tmp_path: Path, launcher: Launcher) -> None:
        closed = tmp_path / "bin"
        shutil.copytree(launcher.binaries().folder, closed)
        tmp_path.chmod(0o700)
        error = self.refused(settings_in(tmp_path / "data", TEKRAR_PG_BIN=str(closed)))
        assert "install" not in error.mend
        assert "unset TEKRAR_PG_BIN" in error.mend
        assert "cannot run it" in error.where

    @AS_ROOT
    def test_a_folder_of_root_and_a_home_that_cannot_be_made(self, tmp_path: Path) -> None:
        tmp_path.chmod(0o700)
        program = """
import os
from tekrar.errors import TekrarError
from tekrar.settings import read_settings
from tekrar.store.server.launcher import Launcher
for more in ({"TEKRAR_DATA_DIR": os.environ["TEKRAR_DATA_DIR"]}, {"HOME": "/nonexistent"}):
    try:
        Launcher(read_settings({"PATH": os.environ["PATH"], **more})).place.make()
    except TekrarError as error:
        print(error.kind, "as root" in error.mend, "TEKRAR_DATA_DIR" in error.mend)
"""
        done = run_as("nobody", program, tmp_path / "data")
        assert done.stdout.split() == "data_folder_foreign False True eacces False True".split(), done.stderr

    @AS_ROOT
    def test_a_backup_goes_upward_only(
        self, new_data_dir: Path, tmp_path_factory: pytest.TempPathFactory
    ) -> None:
        """What a later PostgreSQL wrote is refused by an earlier one with a word that says why."""
        account = server_account(None)
        here = Launcher(settings_in(new_data_dir)).binaries()
        other, line = other_server(settings_in(new_data_dir), account)
        if other is None:
            pytest.skip(line)
        earlier, later = sorted((here, other), key=lambda one: one.major)
        dump = new_data_dir / "dump"
        # An archive's head with the format's number is all that pg_restore reads before it refuses.
        empty = tmp_path_factory.mktemp("later")
        one = Launcher(settings_in(empty, TEKRAR_PG_BIN=str(later.folder)))
        running = one.ensure()
        try:
            with open(dump, "xb") as out:
                subprocess.run(
                    [later.folder / "pg_dump", "-Fc", "-h", running.socket_dir, "-U", "postgres", "postgres"],
                    stdout=out,
                    env={"LC_ALL": "C", "PATH": os.environ["PATH"]},
                    check=True,
                )
        finally:
            one.stop()
        with pytest.raises(DatabaseError, match="of a later PostgreSQL") as caught:
            restore(settings_in(new_data_dir, TEKRAR_PG_BIN=str(earlier.folder)), dump)
        assert "upward only" in caught.value.mend
