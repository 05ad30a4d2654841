"""The store's bad input: each is a typed error with place, expectation and mend, and no row changes.

Everything goes through the command line, as a user meets it. Cursors are in the tests of the queries, grants
in those of the authority.
"""

from __future__ import annotations

import io
import json
import os
import pwd
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stderr, redirect_stdout
from pathlib import Path
from typing import Any

import pytest

from tekrar.cli import main
from tekrar.settings import environment_with
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.contents import contents
from tests.store.load_corpus import make, source
from tests.store.place import drop_database, make_database_from, settings_in, url_of
from tests.store.test_publish_cli import made_from
from tests.store.test_session import FakeServer


def command(*words: str, **more: str) -> tuple[int, dict[str, Any]]:
    """Exit status and JSON of a command in this process, which saves the start of another."""
    env = {name: None for name in os.environ if name.startswith("TEKRAR_") and name != "TEKRAR_PG_BIN"}
    said, wrong = io.StringIO(), io.StringIO()
    with environment_with({**env, **more}), redirect_stdout(said), redirect_stderr(wrong):
        status = main([*words, "--json"])
    assert "Traceback" not in wrong.getvalue()
    found: dict[str, Any] = json.loads(said.getvalue().splitlines()[-1])
    return status, found


class Place:
    """A database with a published artifact, and folders to load from."""

    def __init__(self, database: Embedded, folder: Path) -> None:
        self.database, self.folder = database, folder
        self.release, self.artifact = make(folder / "made")

    def run(self, *words: str, url: str = "", **more: str) -> tuple[int, dict[str, Any]]:
        """Exit status and JSON of a command; as the superuser, who may everything that a user may."""
        return command(*words, TEKRAR_DATABASE_URL=url or url_of(self.database), **more)

    def done(self, *words: str, **more: str) -> dict[str, Any]:
        status, found = self.run(*words, **more)
        assert status == 0, (words, found)
        return found

    def refused(self, kind: str, *words: str, status: int = 8, **more: str) -> dict[str, Any]:
        """The error of a command that must be refused with a kind, and must change no row."""
        before = contents(self.database)
        ended, found = self.run(*words, **more)
        assert contents(self.database) == before
        error: dict[str, Any] = found["error"]
        assert (error["kind"], ended) == (kind, status), error
        for part in ("message", "where", "expected", "mend"):
            assert error[part], (part, error)
        return error

    def load(self) -> tuple[str, ...]:
        return ("load", str(self.artifact), "--release", str(self.release))


@pytest.fixture(scope="module")
def place(database: Embedded, tmp_path_factory: pytest.TempPathFactory) -> Place:
    one = Place(database, tmp_path_factory.mktemp("bad-input"))
    one.done("db", "init", "--administrator", "Defne", "--login", LOGIN)
    one.done(*one.load())
    login = url_of(database, user=LOGIN)
    one.done("actor", "Ege", "--as", "Defne", url=login)
    one.done("grant", "Ege", "publisher", "--as", "Defne", url=login)
    one.done("publish", "--profile", "FP", str(one.artifact), "--as", "Ege", url=login)
    return one


@pytest.fixture
def login(place: Place) -> str:
    return url_of(place.database, user=LOGIN)


#: Verbs that must all refuse a place that the store cannot stand on.
VERBS: dict[str, Callable[[Place], tuple[str, ...]]] = {
    "load": Place.load,
    "publish": lambda place: ("publish", "--all", str(place.artifact), "--as", "Ege"),
    "releases": lambda place: ("releases",),
    "migrate": lambda place: ("db", "migrate"),
    "init": lambda place: ("db", "init", "--administrator", "Su"),
}
each_verb = pytest.mark.parametrize("verb", VERBS)


class TestWhereItLeads:
    @each_verb
    def test_a_wrong_url(self, place: Place, verb: str) -> None:
        for url in ("mysql://u:secret@h/d", "postgresql://u:secret@h:port/d"):
            error = place.refused("bad_setting", *VERBS[verb](place), url=url, status=2)
            assert "secret" not in str(error)

    def test_nobody_listens_no_such_database_no_such_user(self, place: Place) -> None:
        absent = Embedded(place.database.socket_dir, place.database.server_user, "absent")
        for verb in ("load", "publish", "releases"):
            words = VERBS[verb](place)
            place.refused("unreachable", *words, url="postgresql://u:secret@127.0.0.1:1/d")
            place.refused("no_such_database", *words, url=url_of(absent))
            place.refused("login_refused", *words, url=url_of(place.database, user="nobody_here"))

    @pytest.mark.parametrize(
        ("version", "encoding", "kind"),
        [("14.13", "UTF8", "server_too_old"), ("16.4", "LATIN5", "database_not_utf8")],
    )
    @each_verb
    def test_a_server_that_the_store_cannot_stand_on(
        self, place: Place, verb: str, version: str, encoding: str, kind: str
    ) -> None:
        fake = FakeServer(version, encoding)
        try:
            url = f"postgresql://u:secret@127.0.0.1:{fake.port}/d?sslmode=disable&gssencmode=disable"
            assert "secret" not in str(place.refused(kind, *VERBS[verb](place), url=url))
        finally:
            fake.close()

    @each_verb
    def test_a_real_database_that_is_not_utf8_stays_empty(self, place: Place, verb: str) -> None:
        with open_target(of_embedded(place.database, user=SUPERUSER)) as connection:
            connection.execute(
                "CREATE DATABASE bad_input_ascii TEMPLATE template0 ENCODING 'SQL_ASCII'"
                " LC_COLLATE 'C' LC_CTYPE 'C'"
            )
        ascii_ = Embedded(place.database.socket_dir, place.database.server_user, "bad_input_ascii")
        try:
            place.refused("database_not_utf8", *VERBS[verb](place), url=url_of(ascii_))
        finally:
            drop_database(ascii_)


class TestSchemaOfAnother:
    @contextmanager
    def altered(self, template: Embedded, place: Place, change: str) -> Iterator[Place]:
        """A copy of a migrated database whose record of migrations says something else."""
        other = Place.__new__(Place)
        other.__dict__.update(place.__dict__)
        other.database = make_database_from(template, "tekrar_bad_input_altered")
        try:
            with open_target(of_embedded(other.database, user=SUPERUSER)) as connection:
                connection.execute("SET session_replication_role = replica")
                connection.execute(change.encode())
            yield other
        finally:
            drop_database(other.database)

    def test_a_schema_newer_than_the_program(self, template: Embedded, place: Place) -> None:
        newer = (
            "INSERT INTO tekrar_meta.migration SELECT (jsonb_populate_record(m, jsonb_build_object("
            "'n', m.n + 1, 'name', 'of_a_later_tekrar'))).* FROM tekrar_meta.migration m"
            " ORDER BY n DESC LIMIT 1"
        )
        with self.altered(template, place, newer) as other:
            for words in (words(place) for words in VERBS.values()):
                other.refused("schema_newer", *words)

    def test_a_changed_migration(self, template: Embedded, place: Place) -> None:
        changed = "UPDATE tekrar_meta.migration SET sha256 = sha256('another'::bytea) WHERE n = 3"
        with self.altered(template, place, changed) as other:
            for words in (words(place) for words in VERBS.values()):
                assert "0003" in other.refused("migration_changed", *words)["where"]

    def test_a_database_without_a_schema(self, place: Place, empty_database: Embedded) -> None:
        for verb in ("load", "publish", "releases", "init"):
            place.refused("schema_missing", *VERBS[verb](place), url=url_of(empty_database))
        assert contents(empty_database) == {}


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to give a folder away")
def test_a_data_folder_of_another_user_is_left_as_it_is(place: Place, tmp_path: Path) -> None:
    one = Launcher(settings_in(tmp_path))
    one.place.make()
    one.place.data.mkdir()
    os.chown(one.place.data, pwd.getpwnam("daemon").pw_uid, -1)
    before = listing(tmp_path)
    for verb in VERBS:
        status, found = command(*VERBS[verb](place), TEKRAR_DATA_DIR=str(tmp_path))
        error = found["error"]
        assert (error["kind"], status) == ("data_folder_foreign", 8)
        assert error["where"]
        assert error["expected"]
        assert error["mend"]
    assert listing(tmp_path) == before


def listing(folder: Path) -> list[tuple[str, int, int, int]]:
    found = [(path, path.lstat()) for path in sorted(folder.rglob("*"))]
    return [(str(path), stat.st_uid, stat.st_mode, stat.st_mtime_ns) for path, stat in found]


class TestArtifacts:
    @pytest.fixture
    def copy(self, place: Place, tmp_path: Path) -> Path:
        """An artifact that is not loaded, in a folder that can be damaged."""
        release, artifact = make(tmp_path / "other", more="Bulut geçti.")
        shutil.move(release, tmp_path / "release")
        return artifact

    @pytest.mark.parametrize(
        "damage", ["a flipped bit", "a truncated table", "a missing table", "a cut manifest"]
    )
    def test_one_that_does_not_verify(self, place: Place, copy: Path, tmp_path: Path, damage: str) -> None:
        objects = sorted((copy / "objects").iterdir(), key=lambda path: path.stat().st_size)
        victim = objects[-1] if damage != "a cut manifest" else copy / "files.json"
        victim.chmod(0o600)
        data = victim.read_bytes()
        if damage == "a flipped bit":
            victim.write_bytes(
                data[: len(data) // 2] + bytes([data[len(data) // 2] ^ 1]) + data[len(data) // 2 + 1 :]
            )
        elif damage == "a missing table":
            victim.unlink()
        else:
            victim.write_bytes(data[: len(data) // 2])
        kind = {
            "a flipped bit": "digest_differs",
            "a truncated table": "size_differs",
            "a missing table": "missing_file",
            "a cut manifest": "not_canonical",
        }[damage]
        place.refused(kind, "load", str(copy), "--release", str(tmp_path / "release"), status=4)

    def test_one_of_a_text_that_is_not_loaded(self, place: Place, copy: Path) -> None:
        place.refused("text_release_not_loaded", "load", str(copy))

    def test_one_of_another_release(self, place: Place, copy: Path) -> None:
        place.refused("other_release", "load", str(copy), "--release", str(place.release), status=4)

    def test_a_folder_that_is_no_artifact(self, place: Place, tmp_path: Path) -> None:
        words = ("load", str(tmp_path), "--release", str(place.release))
        place.refused("not_a_package", *words, status=4)


class TestPublication:
    def test_an_unknown_profile(self, place: Place, login: str) -> None:
        words = ("publish", "--profile", "XX", str(place.artifact), "--as", "Ege")
        place.refused("unknown_profile", *words, url=login, status=2)

    def test_an_artifact_that_is_not_loaded(self, place: Place, login: str) -> None:
        place.refused("not_published", "publish", "--all", "00" * 32, "--as", "Ege", url=login, status=5)

    def test_an_unnamed_edition(self, place: Place, login: str, tmp_path: Path) -> None:
        release, artifact = made_from(tmp_path / "unnamed", source("unnamed"))
        place.done("load", str(artifact), "--release", str(release))
        place.refused("unnamed_edition", "publish", "--all", str(artifact), "--as", "Ege", url=login)

    def test_no_administrator_yet(self, template: Embedded, place: Place) -> None:
        fresh = Place.__new__(Place)
        fresh.__dict__.update(place.__dict__)
        fresh.database = make_database_from(template, "tekrar_bad_input_fresh")
        try:
            fresh.done(*fresh.load())
            url = url_of(fresh.database, user=LOGIN)
            words = ("publish", "--all", str(place.artifact))
            fresh.refused("unknown_actor", *words, "--as", "Ege", url=url)
            assert "--as" in fresh.refused("unknown_actor", *words, url=url)["expected"]
            fresh.refused("unknown_actor", "grant", "Ege", "publisher", "--as", "Defne", url=url)
        finally:
            drop_database(fresh.database)

    def test_an_administrator_already(self, place: Place) -> None:
        place.refused("already_initialized", "db", "init", "--administrator", "Su")

    def test_an_expired_grant(self, place: Place, login: str) -> None:
        place.done("actor", "Ada", "--as", "Defne", url=login)
        times = ("--from", "2001-01-01T00:00:00Z", "--to", "2002-01-01T00:00:00Z")
        place.done("grant", "Ada", "publisher", *times, "--as", "Defne", url=login)
        place.refused("grant_expired", "publish", "--all", str(place.artifact), "--as", "Ada", url=login)


class TestPlans:
    @pytest.fixture
    def file(self, place: Place, login: str, tmp_path: Path) -> Path:
        words = ("publish", "--profile", "PS", str(place.artifact), "--plan", str(tmp_path / "plan"))
        before = contents(place.database)
        assert place.done(*words, "--as", "Ege", url=login)["outcome"] == "prepared"
        assert contents(place.database) == before
        return tmp_path / "plan"

    def refused(self, place: Place, file: Path, login: str, kind: str, status: int = 8) -> dict[str, Any]:
        words = ("publish", "--prepared", str(file), "--as", "Ege")
        return place.refused(kind, *words, url=login, status=status)

    @pytest.mark.parametrize("damage", ["a blank", "half of it", "nothing", "another order", "a list"])
    def test_one_that_is_not_canonical(self, place: Place, file: Path, login: str, damage: str) -> None:
        data = file.read_bytes()
        changed = {
            "a blank": data + b" ",
            "half of it": data[: len(data) // 2],
            "nothing": b"",
            "another order": json.dumps(dict(reversed(json.loads(data).items()))).encode(),
            "a list": b"[]",
        }[damage]
        file.write_bytes(changed)
        error = self.refused(place, file, login, "bad_plan", status=2)
        assert error["where"] == str(file)

    @pytest.mark.req("REL-04", "REL-09")
    def test_one_that_was_edited(self, place: Place, file: Path, login: str) -> None:
        data = file.read_bytes()
        plan = json.loads(data)["publications"][0]
        for old, new, kind in (
            (plan["release"], "00000000-0000-5000-8000-000000000000", "release_id"),
            (plan["facts"]["seal"], "0" * len(plan["facts"]["seal"]), "fact_mismatch"),
            (plan["facts"]["root/matched"], "0" * 64, "fact_mismatch"),  # one root, under the same ID
            (plan["artifact_root"], "0" * 64, "not_published"),
        ):
            file.write_bytes(data.replace(old.encode(), new.encode()))
            assert file.read_bytes() != data
            self.refused(place, file, login, kind, status=5 if kind == "not_published" else 8)

    @pytest.mark.req("REL-04", "CUR-11")
    def test_one_that_is_stale_and_then_a_fresh_one(self, place: Place, file: Path, login: str) -> None:
        place.done("freeze", "--reason", "gecikme ≥ 200 — Nursî 😀", "--as", "Defne", url=login)
        error = self.refused(place, file, login, "fact_mismatch")
        assert "freeze-epoch" in f"{error['message']} {error['where']}"
        again = file.with_name("again")
        place.done(
            "publish", "--profile", "PS", str(place.artifact), "--plan", str(again), "--as", "Ege", url=login
        )
        done = place.done("publish", "--prepared", str(again), "--as", "Ege", url=login)
        assert done["outcome"] == "published"
        assert [row["profile"] for row in done["releases"]] == ["PS"]

    def test_words_that_contradict_each_other(self, place: Place, file: Path, login: str) -> None:
        for words in (
            ("publish", "--prepared", str(file), str(place.artifact)),
            ("publish", "--prepared", str(file), "--plan", str(file)),
            ("publish", "--all"),
        ):
            place.refused("bad_arguments", *words, url=login, status=2)


def test_the_comparison_sees_one_row(place: Place) -> None:
    before = contents(place.database)
    assert before["curation.ledger"][0] > 2
    with open_target(of_embedded(place.database, user=SUPERUSER)) as connection:
        connection.execute("CREATE TABLE public.one AS SELECT 1 AS n")
        assert contents(place.database) != before
        changed = contents(place.database)
        connection.execute("UPDATE public.one SET n = 2")
        assert contents(place.database) != changed
        connection.execute("DROP TABLE public.one")
    assert contents(place.database) == before


class TestWords:
    """Text that is kept or compared."""

    @pytest.mark.parametrize("book", ["Çiçek", "", "\u202e"])
    def test_a_book_that_is_not_there(self, place: Place, login: str, book: str) -> None:
        release = place.done("releases", url=login)["releases"][0]["release"]
        row = occurrence_of(place, release)
        place.refused("bad_argument", "duplicates", release, row, "--book", book, url=login)

    @pytest.mark.parametrize(
        "words",
        [
            ("duplicates", "x", "y", "--book", "\udcff"),
            ("duplicates", "x", "y", "--not-book", "\udcff"),
            ("freeze", "--reason", "\udcff", "--as", "Defne"),
            ("withdraw", "x", "--reason", "\udcff", "--as", "Ege"),
            ("actor", "\udcff", "--as", "Defne"),
            ("actor", "x", "--login", "\udcff", "--as", "Defne"),
            ("grant", "Ege", "reader", "--scope", "\udcff", "--as", "Defne"),
            ("grant", "\udcff", "reader", "--as", "Defne"),
            ("releases", "--database-url", "postgresql:///d?host=\udcff"),
            ("db", "init", "--administrator", "\udcff"),
        ],
        ids=lambda words: " ".join(words[:1] + words[-2:-1]),
    )
    def test_bytes_that_are_no_text(self, place: Place, login: str, words: tuple[str, ...]) -> None:
        before = contents(place.database)
        status, found = place.run(*words, url=login)
        assert contents(place.database) == before
        assert (status, found["error"]["kind"]) == (2, "bad_arguments")
        assert "UTF-8" in found["error"]["message"]


def occurrence_of(place: Place, release: str) -> str:
    """An occurrence of a release."""
    with open_target(of_embedded(place.database, user=SUPERUSER)) as connection:
        row = connection.execute(
            "SELECT o.occurrence::text FROM repetition.occurrence o"
            " JOIN repetition.repetition_release r USING (profile_key) WHERE r.release = %s LIMIT 1",
            (release,),
        ).fetchone()
    assert row is not None
    return str(row[0])
