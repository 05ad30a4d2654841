"""`tekrar load`: what stands in the database afterwards is the artifact, and nobody sees it yet."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from hashlib import sha256 as hash_of
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pytest

from tekrar.artifact import Artifact
from tekrar.build import build
from tekrar.build.source import ByteSource
from tekrar.corpus.release_package import open_release
from tekrar.errors import DatabaseError, IntegrityError
from tekrar.store.load import load
from tekrar.store.load.read_back import COLUMNS
from tekrar.store.load.seal import recomputed_root
from tekrar.store.load.stored_text import TABLES, read_text
from tekrar.store.roles import SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.load_corpus import make
from tests.store.matrix import BUILDER, READER
from tests.store.place import drop_database, make_database_from, tekrar, url_of
from tests.store.schema_database import acting_as

Made = tuple[Path, Path]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return make(tmp_path_factory.mktemp("load"))


@contextmanager
def stopped() -> Iterator[None]:
    with pytest.raises(_Stop):
        yield


class _Stop(Exception):
    """Ends a load whose work was seen."""


def sha256(data: bytes) -> bytes:
    return hash_of(data).digest()


def count(connection: Connection, table: str) -> int:
    row = connection.execute(f"SELECT count(*) FROM {table}".encode()).fetchone()
    assert row is not None
    return int(row[0])


@pytest.fixture(scope="module")
def loaded(database: Embedded, made: Made) -> Iterator[Connection]:
    """A superuser's connection to a database with the artifact."""
    with open_target(of_embedded(database, user=SUPERUSER)) as connection:
        done = load(connection, Artifact(made[1]), open_release(made[0]))
        assert (done.text_loaded, done.artifact_loaded) == (True, True)
        assert done.rows > 100
        yield connection


@pytest.fixture
def apart(template: Embedded) -> Iterator[Connection]:
    """A superuser's connection to a database of a test's own, where nothing is loaded."""
    place = make_database_from(template, "tekrar_load_apart")
    with open_target(of_embedded(place, user=SUPERUSER)) as connection:
        yield connection
    drop_database(place)


class TestLoaded:
    def test_a_second_load_writes_nothing(self, loaded: Connection, made: Made) -> None:
        before = count(loaded, "repetition.occurrence")
        again = load(loaded, Artifact(made[1]), open_release(made[0]))
        assert (again.text_loaded, again.artifact_loaded, again.rows) == (False, False, 0)
        assert load(loaded, Artifact(made[1])) == again  # nor does it need the text
        assert count(loaded, "repetition.occurrence") == before
        assert count(loaded, "repetition.seal") == count(loaded, "core.release_seal") == 1

    @pytest.mark.req("CORE-02")
    def test_the_bytes_in_the_database_are_the_release_s(self, loaded: Connection, made: Made) -> None:
        release = open_release(made[0]).release
        assert b"\0" in release.text
        rows = loaded.execute(b"SELECT data FROM core.text_block ORDER BY block", binary=True).fetchall()
        assert b"".join(bytes(data) for (data,) in rows) == release.text
        spans = loaded.execute(b"SELECT start_byte, end_byte FROM core.sentence ORDER BY sentence").fetchall()
        assert [release.text[a:b] for a, b in spans][1:3] == [b"Su akar.", "Taş durur.".encode()]

    @pytest.mark.req("CORE-05")
    def test_equal_paragraphs_stay_rows_of_their_own(self, loaded: Connection, made: Made) -> None:
        release = open_release(made[0]).release
        places = loaded.execute(
            b"SELECT start_byte, end_byte FROM core.paragraph ORDER BY paragraph"
        ).fetchall()
        text = [release.text[a:b] for a, b in places]
        assert len(text) == len(release.paragraph_sentences)
        assert text.count(b"Su akar.") == 2
        assert len({start for (start, end), one in zip(places, text, strict=True) if one}) == sum(
            map(bool, text)
        )

    @pytest.mark.req("CORE-06", "OCC-02")
    def test_no_repetition_row_holds_a_byte_of_the_text(self, loaded: Connection, made: Made) -> None:
        release = open_release(made[0]).release
        words = [w for w in ("Su akar", "durur", "solar", "bakırdandı") if w.encode() in release.text]
        assert len(words) == 4
        tables = loaded.execute(
            b"SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            b" WHERE n.nspname IN ('repetition', 'curation', 'restricted') AND c.relkind IN ('r', 'p')"
        ).fetchall()
        assert len(tables) > 10
        for (table,) in tables:
            for (row,) in loaded.execute(f"SELECT t::text FROM {table} t".encode()).fetchall():
                for word in words:
                    assert word not in row, (table, word)
                    assert word.encode().hex() not in row, (table, word)

    def test_the_rows_give_the_artifact_s_root_again(self, loaded: Connection, made: Made) -> None:
        with acting_as(loaded, BUILDER) as builder:
            keys = builder.execute(b"SELECT artifact_key, release_key FROM repetition.artifact").fetchone()
            assert keys is not None
            root = recomputed_root(builder, keys[0], read_text(builder, keys[1]))
        assert root == Artifact(made[1]).artifact_root

    @pytest.mark.parametrize("short", ["FP", "FS", "PP", "PS"])
    def test_occurrences_are_the_artifact_s(self, loaded: Connection, made: Made, short: str) -> None:
        profile = Artifact(made[1]).profile(short)
        rows = loaded.execute(
            b"SELECT o.row_no, uuid_send(o.occurrence), o.start_byte, o.extent, o.unit, o.length, o.class_no"
            b" FROM repetition.occurrence o JOIN repetition.profile p USING (profile_key)"
            b" WHERE p.short = %s ORDER BY o.row_no",
            (short,),
        ).fetchall()
        assert len(rows) == profile.rows
        classes = dict(zip(profile.matched["row"].tolist(), profile.matched["class"].tolist(), strict=True))
        for row, occurrence, start, extent, unit, length, number in rows:
            assert bytes(occurrence) == profile.occurrences["occurrence"][row].tobytes()
            assert (start, start + extent) == profile.extent(row)
            assert (unit, length) == profile.unit(row)
            assert number == classes.get(row)

    @pytest.mark.req("ID-09")
    def test_readers_see_nothing_before_publication(self, loaded: Connection) -> None:
        with acting_as(loaded, READER) as reader:
            for table in COLUMNS:
                assert count(reader, table) == 0, table
            assert count(reader, "core.release") == 0


class TestAltered:
    """Every column of every table is bound: one changed value in the database, and nothing is sealed."""

    def test_no_column_of_the_text_can_differ(self, apart: Connection, made: Made) -> None:
        tried: list[str] = []

        def at_step(number: int, name: str) -> None:
            if name == "text: read back":
                key = self._key(apart, "core.release", "release_key")
                tried.extend(self._try_all(apart, TABLES, key, lambda: read_text(apart, key)))
                raise _Stop

        with stopped():
            load(apart, Artifact(made[1]), open_release(made[0]), at_step=at_step)
        assert len(tried) > 40
        assert count(apart, "core.release") == 0

    @pytest.mark.parametrize("short", ["FS", "PP"])
    def test_no_column_of_a_profile_can_differ(self, apart: Connection, made: Made, short: str) -> None:
        tried: list[str] = []
        tables = [table for table in COLUMNS if table.startswith("repetition.")]

        def at_step(number: int, name: str) -> None:
            if name == "artifact: seal_artifact":
                artifact = self._key(apart, "repetition.artifact", "artifact_key")
                row = apart.execute(
                    b"SELECT p.profile_key, a.release_key FROM repetition.profile p"
                    b" JOIN repetition.artifact a USING (artifact_key) WHERE p.short = %s",
                    (short,),
                ).fetchone()
                assert row is not None
                text = read_text(apart, row[1])
                tried.extend(
                    self._try_all(apart, tables, row[0], lambda: recomputed_root(apart, artifact, text))
                )
                raise _Stop

        with stopped():
            load(apart, Artifact(made[1]), open_release(made[0]), at_step=at_step)
        assert len(tried) > 25
        assert count(apart, "repetition.artifact") == 0

    def _key(self, connection: Connection, table: str, name: str) -> int:
        row = connection.execute(f"SELECT max({name}) FROM {table}".encode()).fetchone()
        assert row is not None
        return int(row[0])

    def _try_all(
        self, connection: Connection, tables: Any, key: int, check: Callable[[], object]
    ) -> Iterator[str]:
        """Change one value of each column and take away one row of each table; each time expect a refusal."""
        check()
        connection.execute(b"SET LOCAL ROLE postgres")  # not even a superuser's change passes unseen
        for table in tables:
            place = f"{table}_{key}"
            if not count(connection, place):
                continue
            connection.execute(f"ALTER TABLE {place} DISABLE TRIGGER sealed".encode())
            for column in COLUMNS[table]:
                self._refused(connection, self._change(place, *column.split(" ")), check)
                yield f"{table}.{column}"
            self._refused(
                connection, f"DELETE FROM {place} WHERE ctid = (SELECT max(ctid) FROM {place})", check
            )
            yield table
        connection.execute(b"SET LOCAL ROLE tekrar_builder")

    def _refused(self, connection: Connection, change: str, check: Callable[[], object]) -> None:
        connection.execute(b"SAVEPOINT changed")
        try:
            assert connection.execute(change.encode()).rowcount == 1, change
            check()
        except (IntegrityError, psycopg.errors.CheckViolation):
            connection.execute(b"ROLLBACK TO SAVEPOINT changed")
        else:
            pytest.fail(f"nobody saw {change}")

    def _change(self, place: str, name: str, kind: str) -> str:
        value = {
            "bool": f"NOT {name}",
            "uuid": "'01234567-89ab-5def-8123-456789abcdef'::uuid",
            "digest": "sha256('another')",
            "texts": "'\\x78'::bytea",
        }.get(kind.rstrip("?"), f"coalesce({name}, 0) + 1")
        chosen = f"SELECT ctid FROM {place} ORDER BY {name} IS NULL, ctid DESC LIMIT 1"
        return f"UPDATE {place} SET {name} = {value} WHERE ctid = ({chosen})"


class TestPartial:
    """What is put off, unreadable or in a collision is loaded as such."""

    @pytest.mark.parametrize("what", ["deferred", "unreadable", "collided"])
    def test_a_partial_artifact_is_loaded(
        self, administrator: Connection, made: Made, tmp_path: Path, what: str
    ) -> None:
        text = open_release(made[0]).release.text
        options: dict[str, Any] = {
            "deferred": {"defer": ["b1/1:2+3", "b1/1/p2"]},
            "unreadable": {"source": ByteSource(text, ((5, 9),))},
            "collided": {
                "digest": lambda purpose, data: bytes(32) if purpose == "fingerprint" else sha256(data)
            },
        }[what]
        build(made[0], out=tmp_path / "artifact", engine="hashlib", **options)
        artifact = Artifact(tmp_path / "artifact")
        assert load(administrator, artifact, open_release(made[0])).artifact_loaded
        parts = administrator.execute(
            b"SELECT DISTINCT o.part, o.code FROM repetition.occurrence o JOIN repetition.profile p"
            b" USING (profile_key) JOIN repetition.artifact a USING (artifact_key)"
            b" WHERE a.artifact_root = %s",
            (artifact.artifact_root,),
        ).fetchall()
        assert {"deferred": (3, 1), "unreadable": (5, 1), "collided": (5, 2)}[what] in parts


class TestBadInput:
    def test_text_that_is_not_loaded(self, administrator: Connection, tmp_path: Path) -> None:
        _, artifact = make(tmp_path, more="Bulut geçti.")
        with pytest.raises(DatabaseError) as refused:
            load(administrator, Artifact(artifact))
        assert refused.value.kind == "text_release_not_loaded"

    def test_another_release(self, administrator: Connection, made: Made, tmp_path: Path) -> None:
        release, _ = make(tmp_path, more="Bulut geçti.")
        with pytest.raises(IntegrityError) as refused:
            load(administrator, Artifact(made[1]), open_release(release))
        assert refused.value.kind == "other_release"

    def test_a_login_that_is_no_builder(self, login: Connection, made: Made) -> None:
        with pytest.raises(DatabaseError) as refused:
            load(login, Artifact(made[1]), open_release(made[0]))
        assert refused.value.kind == "permission_denied"

    @pytest.mark.parametrize("kind", ["out_of_range", "swapped"])
    def test_damaged_columns(
        self, administrator: Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, kind: str
    ) -> None:
        release, artifact = make(tmp_path, more=f"Bulut geçti {kind}.")
        real = Artifact.columns

        def columns(self: Artifact, name: str) -> dict[str, Any]:
            found = real(self, name)
            if name == "FS/matched" and kind == "out_of_range":
                return {**found, "row": found["row"] + 10_000}
            if name == "FS/occurrences" and kind == "swapped":
                return {**found, "fingerprint": np.ascontiguousarray(found["fingerprint"][::-1])}
            return found

        monkeypatch.setattr(Artifact, "columns", columns)
        before = count(administrator, "repetition.artifact")
        with pytest.raises(IntegrityError) as refused:
            load(administrator, Artifact(artifact), open_release(release))
        assert refused.value.kind == {"out_of_range": "bad_table", "swapped": "stored_rows_differ"}[kind]
        assert count(administrator, "repetition.artifact") == before


class TestCommand:
    def test_it_loads_and_loads_nothing_twice(
        self, empty_database: Embedded, made: Made, tmp_path: Path
    ) -> None:
        url = url_of(empty_database)
        words = ("load", str(made[1]), "--release", str(made[0]), "--database-url", url, "--json")
        refused = tekrar(tmp_path, *words)
        assert (refused.returncode, json.loads(refused.stdout)["error"]["kind"]) == (8, "schema_missing")
        assert tekrar(tmp_path, "db", "migrate", TEKRAR_DATABASE_URL=url).returncode == 0
        first, second = (json.loads(tekrar(tmp_path, *words).stdout.splitlines()[-1]) for _ in range(2))
        assert (first["text"], first["artifact"]) == ("loaded", "loaded")
        assert (second["text"], second["artifact"], second["rows"]) == ("already_loaded", "already_loaded", 0)
        assert first["artifact_root"] == Artifact(made[1]).artifact_root.hex()

    def test_an_artifact_that_does_not_verify(self, database: Embedded, made: Made, tmp_path: Path) -> None:
        broken = tmp_path / "broken"
        shutil.copytree(made[1], broken)
        largest = max((broken / "objects").iterdir(), key=lambda path: path.stat().st_size)
        data = bytearray(largest.read_bytes())
        data[len(data) // 2] ^= 1
        largest.chmod(0o600)
        largest.write_bytes(data)
        done = tekrar(
            tmp_path, "load", str(broken), "--release", str(made[0]), "--database-url", url_of(database)
        )
        assert done.returncode == 4, done.stderr
