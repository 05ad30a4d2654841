"""Rows that a superuser changed between load and publish are not published (requirements 3.9, REL-05)."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import pytest

from tekrar.artifact import Artifact
from tekrar.corpus.release_package import open_release
from tekrar.errors import IntegrityError
from tekrar.store.load import load
from tekrar.store.publish import Plan, prepare, publish, submit
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.kept import ADMIN, PUBLISHER
from tests.store.load_corpus import make
from tests.store.matrix import ADMINISTRATOR
from tests.store.place import drop_database, make_database_from, tekrar, url_of
from tests.store.schema_publication import call, everything

PROFILE = "(SELECT profile_key FROM repetition.profile WHERE short = 'FP')"
#: what -> relations, statement, and what the place of the refusal names.
CHANGES = {
    "fingerprint": (
        "repetition.occurrence",
        "UPDATE repetition.occurrence SET fingerprint = sha256(fingerprint) WHERE part = 1"
        f" AND fingerprint IS NOT NULL AND profile_key = {PROFILE}",
        "repetition.occurrence",
    ),
    "occurrence": (
        "repetition.occurrence",
        "UPDATE repetition.occurrence SET occurrence = gen_random_uuid() WHERE row_no = 0"
        f" AND profile_key = {PROFILE}",
        "repetition.occurrence",
    ),
    "members digest": (
        "repetition.class",
        "UPDATE repetition.class SET members = sha256(members) WHERE class_no = 0"
        f" AND profile_key = {PROFILE}",
        "repetition.class",
    ),
    "validation record": (
        "repetition.validation",
        "UPDATE repetition.validation SET digest = sha256(digest) WHERE position = 1"
        f" AND profile_key = {PROFILE}",
        "repetition.validation",
    ),
    "class member": (
        "repetition.occurrence",
        "DELETE FROM repetition.occurrence o WHERE class_no = 0 AND row_no = (SELECT max(row_no) FROM"
        " repetition.occurrence i WHERE i.class_no = 0 AND i.profile_key = o.profile_key)"
        f" AND profile_key = {PROFILE}",
        "repetition.occurrence",
    ),
    "class of a member": (
        "repetition.occurrence",
        "UPDATE repetition.occurrence SET class_no = 1 - class_no WHERE class_no < 2"
        " AND profile_key = (SELECT profile_key FROM repetition.profile WHERE short = 'FS')",
        "repetition.",
    ),
    "coverage": (
        "repetition.profile",
        "UPDATE repetition.profile SET coverage = convert_to(replace(convert_from(coverage, 'UTF8'),"
        f" '\"failed\":0', '\"failed\":1'), 'UTF8') WHERE profile_key = {PROFILE}",
        "repetition.profile",
    ),
    "coverage and manifest": (
        "repetition.profile repetition.artifact",
        "WITH manifest AS (UPDATE repetition.artifact SET manifest ="
        " convert_to(replace(convert_from(manifest, 'UTF8'), '\"failed\":0', '\"failed\":1'), 'UTF8'))"
        " UPDATE repetition.profile SET coverage ="
        " convert_to(replace(convert_from(coverage, 'UTF8'), '\"failed\":0', '\"failed\":1'), 'UTF8')",
        "repetition.profile",
    ),
    "stated root": (
        "repetition.root",
        "UPDATE repetition.root SET root = sha256(root) WHERE position = 30",
        "repetition.",
    ),
    "text byte": (
        "core.text_block",
        "UPDATE core.text_block SET data = set_byte(data, 2, get_byte(data, 2) # 1) WHERE block = 0",
        "core.text_block",
    ),
    "separator": (
        "core.separator",
        "UPDATE core.separator SET kind = 3 - kind WHERE kind IN (1, 2)",
        "core.separator",
    ),
    "annotation": (
        "core.annotation",
        "UPDATE core.annotation SET end_byte = end_byte - 1 WHERE kind = 1 AND span = 0",
        "core.",
    ),
    "text seal": (
        "core.release_seal",
        "UPDATE core.release_seal SET certified_digest = sha256(certified_digest)",
        "core.release_seal",
    ),
}


_numbers = count(1)


@dataclass(frozen=True)
class Loaded:
    """A database with an artifact that is loaded, sealed and not published; it is the test's own."""

    place: Embedded
    admin: Connection
    login: Connection
    root: str

    def change(self, what: str) -> str:
        """Change rows as a superuser while no trigger fires; gives what the refusal has to name."""
        relations, statement, place = CHANGES[what]
        self.admin.execute("SET session_replication_role = replica")
        query = (
            "SELECT tgrelid::regclass::text, tgname::text FROM pg_trigger"
            " WHERE NOT tgisinternal AND tgenabled = 'A'"
            " AND tgrelid IN (SELECT coalesce(p.relid, r) FROM unnest(%s::regclass[]) AS r"
            " LEFT JOIN pg_partition_tree(r) AS p ON true)"
        )
        for table, trigger in self.admin.execute(query.encode(), (relations.split(),)).fetchall():
            self.admin.execute(f'ALTER TABLE {table} DISABLE TRIGGER "{trigger}"'.encode())
        assert self.admin.execute(statement.encode()).rowcount > 0
        return place

    def prepared(self, *shorts: str) -> Plan:
        return prepare(self.login, self.root, shorts or None, actor=PUBLISHER)

    def parts(self, plan: Plan) -> list[tuple[int, int]]:
        """What a publication read back."""
        seen: list[tuple[int, int]] = []
        publish(self.login, plan, actor=PUBLISHER, progress=lambda done, total: seen.append((done, total)))
        return seen


@pytest.fixture(scope="module")
def original(database: Embedded, tmp_path_factory: pytest.TempPathFactory) -> str:
    """The artifact's root; nothing stays connected to the module's database, so that it can be copied."""
    release, artifact = make(tmp_path_factory.mktemp("rows"))
    with open_target(of_embedded(database, user=SUPERUSER)) as admin:
        with admin.transaction():
            admin.execute("SET LOCAL ROLE tekrar_owner")
            admin.execute("SELECT curation.init_administrator(%s, NULL)", (ADMIN,))
        call(admin, ADMINISTRATOR, ADMIN, "api.actor", PUBLISHER, None)
        call(admin, ADMINISTRATOR, ADMIN, "api.grant_role", PUBLISHER, "publisher", "*", None, None)
        return load(admin, Artifact(artifact), open_release(release)).artifact_root.hex()


@pytest.fixture
def one(database: Embedded, original: str) -> Iterator[Loaded]:
    place = make_database_from(database, f"tekrar_rows_{next(_numbers)}")
    with (
        open_target(of_embedded(place, user=SUPERUSER)) as admin,
        open_target(of_embedded(place, user=LOGIN)) as login,
    ):
        yield Loaded(place, admin, login, original)
    drop_database(place)


@pytest.mark.req("REL-04", "REL-05")
@pytest.mark.parametrize("what", CHANGES)
def test_a_row_changed_after_the_load_is_not_published(one: Loaded, what: str) -> None:
    before = everything(one.admin)
    assert not [row for row in before if row[0] in ("release", "visible")]
    place = one.change(what)
    plan = one.prepared()  # nothing that a plan compares knows of it
    with pytest.raises(IntegrityError) as error:
        publish(one.login, plan, actor=PUBLISHER)
    assert everything(one.admin) == before
    assert error.value.kind == "stored_rows_differ"
    assert place in error.value.where, str(error.value)
    assert error.value.message
    assert error.value.expected
    assert error.value.mend.startswith("nothing was published")


@pytest.mark.req("REL-05")
def test_the_command_refuses_it_too(one: Loaded, tmp_path: Path) -> None:
    before = everything(one.admin)
    more = {"TEKRAR_DATABASE_URL": url_of(one.place, user=LOGIN), "TEKRAR_ACTOR": PUBLISHER}
    place, file = one.change("fingerprint"), tmp_path / "plan"
    assert tekrar(tmp_path, "publish", "--all", one.root, "--plan", str(file), **more).returncode == 0
    for words in (("--all", one.root), ("--profile", "FP", one.root), ("--prepared", str(file))):
        done = tekrar(tmp_path, "publish", *words, "--json", **more)
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, error["kind"]) == (4, "stored_rows_differ")
        assert place in error["where"]
    assert everything(one.admin) == before


@pytest.mark.req("REL-05")
def test_what_is_published_is_read_back_and_what_is_visible_is_not(one: Loaded) -> None:
    assert one.parts(one.prepared("PS")) == [(0, 2), (1, 2)]
    assert one.parts(one.prepared("PS")) == []
    assert one.parts(one.prepared("FS", "PS")) == [(0, 2), (1, 2)]
    assert one.parts(one.prepared("FP", "PP")) == [(at, 3) for at in range(3)]
    # A set of visible releases that were never shown together is something new.
    plan = one.prepared()
    assert one.parts(plan) == [(at, 5) for at in range(5)]
    assert one.parts(plan) == []


@pytest.mark.req("REL-05")
def test_a_profile_rests_on_its_own_rows_and_a_new_set_on_all(one: Loaded) -> None:
    one.change("fingerprint")
    assert publish(one.login, one.prepared("FS", "PP", "PS"), actor=PUBLISHER).outcome == "published"
    before = everything(one.admin)
    with pytest.raises(IntegrityError):
        publish(one.login, one.prepared("FP", "FS"), actor=PUBLISHER)
    assert everything(one.admin) == before
    assert submit(one.login, one.prepared("FP"), actor=PUBLISHER).outcome == "published"  # reads no row
    before = everything(one.admin)
    with pytest.raises(IntegrityError):
        publish(one.login, one.prepared(), actor=PUBLISHER)  # visible, and not yet one set
    assert everything(one.admin) == before
