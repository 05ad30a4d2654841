"""A database in which every table of published facts holds rows, for the tests of verification.

An edition with a successor release, another that is partial and withdrawn in one profile; candidates, what
was said of them, a diff; actors, grants, a revocation and a freeze. All of it through the functions that the
program uses.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from psycopg import sql

from tekrar.artifact import Artifact
from tekrar.core.identity import uuid_text
from tekrar.corpus.release_package import open_release
from tekrar.store.evidence.diffs import store_diffs
from tekrar.store.evidence.loading import load_candidates
from tekrar.store.evidence.marks import Mark, mark_candidates
from tekrar.store.load import load
from tekrar.store.publish import Published, prepare, publish, withdraw
from tekrar.store.roles import LOGIN, SUPERUSER, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification import Finding, Verified, examine
from tests.store.candidate_package import every_kind
from tests.store.load_corpus import make
from tests.store.matrix import ADMINISTRATOR, AUDITOR, OWNER
from tests.store.schema_publication import call

ADMIN, PUBLISHER, AUDITING, CURATING = "yönetici", "yayıncı", "denetçi", "derleyen"
#: Put off: one run and one paragraph.
DEFERRED = ["b1/1:2+3", "b1/1/p2"]


@dataclass(frozen=True)
class Kept:
    """The database and what was published in it.

    Attributes:
        admin: the superuser's connection; every test leaves it without a transaction.
        place: the database.
        first, second: of one edition, the second the successor; `partial`: of another edition.
        made: release and artifact of each, by the same names.
    """

    admin: Connection
    place: Embedded
    first: Published
    second: Published
    partial: Published
    made: dict[str, tuple[Path, Path]]

    def release(self, which: str, short: str) -> str:
        """ID of one published release."""
        return {name: release for name, release, _ in getattr(self, which).releases}[short]


def build_kept(
    database: Embedded,
    folder: Path,
    *,
    more: str = "Kapı açıldı.",
    order: tuple[str, ...] = ("first", "second", "partial"),
    after_each: Callable[[Connection], object] = bool,
) -> Kept:
    """Load, publish, withdraw, revoke and freeze.

    `more` is the paragraph by which the second text differs; `after_each` is called after each publication.
    """
    admin = open_target(of_embedded(database, user=SUPERUSER))
    with admin.transaction():
        admin.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(OWNER)))
        admin.execute("SELECT curation.init_administrator(%s, NULL)", (ADMIN,))
    for actor, role in (
        *((PUBLISHER, "publisher"), (AUDITING, "auditor"), (CURATING, "curator")),
        ("eski", "publisher"),
    ):
        call(admin, ADMINISTRATOR, ADMIN, "api.actor", actor, None)
        given = call(admin, ADMINISTRATOR, ADMIN, "api.grant_role", actor, role, "*", None, None)
    call(admin, ADMINISTRATOR, ADMIN, "api.revoke_grant", given["grant"])
    made = {
        "first": make(folder / "first"),
        "second": make(folder / "second", more=more),
        "partial": make(folder / "partial", defer=DEFERRED, edition="bostan"),
    }
    published = {}
    with open_target(of_embedded(database, user=LOGIN)) as login:
        for name in order:
            release, artifact = made[name]
            done = load(admin, Artifact(artifact), open_release(release))
            if name == "first":
                maker = every_kind(admin, done.artifact_root)
                load_candidates(admin, maker.package())
            plan = prepare(login, done.artifact_root.hex(), None, actor=PUBLISHER)
            published[name] = publish(login, plan, actor=PUBLISHER)
            after_each(admin)
        said = [uuid_text(one.id) for one, _ in maker.made]
        source = ("ab" * 32, "yazar", "2026-01-02T03:04:05Z")
        marks = [Mark(said[0], "false_positive", "aynı değil"), Mark(said[2], "uncertain", source=source)]
        mark_candidates(login, marks, actor=CURATING)
        pair = uuid_text(maker.held.id[0]), uuid_text(maker.held.id[1])
        store_diffs(login, maker.profile, [pair], actor=CURATING)
        withdraw(login, published["partial"].releases[0][1], "kaynak yanlış", actor=PUBLISHER)
    call(admin, ADMINISTRATOR, ADMIN, "api.freeze", "bakım")
    return Kept(admin, database, published["first"], published["second"], published["partial"], made)


@pytest.fixture(scope="module")
def kept(database: Embedded, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Kept]:
    """The database of the module; what tests change in it they roll back."""
    one = build_kept(database, tmp_path_factory.mktemp("kept"))
    yield one
    one.admin.close()


@contextmanager
def tampering(connection: Connection) -> Iterator[Connection]:
    """A superuser's transaction in which no foreign key and no ordinary trigger fires; rolled back."""
    connection.execute("BEGIN")
    try:
        connection.execute("SET LOCAL session_replication_role = replica")
        yield connection
    finally:
        connection.execute("ROLLBACK")


def verified(connection: Connection, release: str | None = None, *, actor: str = AUDITING) -> Verified:
    """What the auditor finds, inside the transaction that is open."""
    connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
    connection.execute("SELECT set_config('tekrar.claims', %s, true)", (json.dumps({"actor": actor}),))
    connection.execute(sql.SQL("SET LOCAL ROLE {}").format(sql.Identifier(AUDITOR)))
    row = connection.execute(
        "SELECT rolsuper OR rolbypassrls FROM pg_roles WHERE rolname = current_user"
    ).fetchone()
    assert row == (False,)
    assert connection.execute("SELECT current_user::text").fetchone() == (Role.AUDITOR,)
    return examine(connection, release)


def of_rows(findings: Verified) -> list[Finding]:
    """Findings about rows; what the schema's own check says is left out."""
    return [finding for finding in findings.findings if finding.check != "schema"]


def unguarded(connection: Connection, *relations: str) -> None:
    """Turn off the guards of relations, as only a superuser or the owner can."""
    for relation in relations:
        _switch(connection, relation, "DISABLE")


def guarded(connection: Connection, *relations: str) -> None:
    """Turn the guards on again, as if nothing had happened."""
    for relation in relations:
        _switch(connection, relation, "ENABLE ALWAYS")


def _switch(connection: Connection, relation: str, how: str) -> None:
    names = connection.execute(
        "SELECT tgname FROM pg_trigger WHERE NOT tgisinternal AND tgrelid = %s::regclass", (relation,)
    ).fetchall()
    for (name,) in names:
        statement = sql.SQL("ALTER TABLE {} {} TRIGGER {}").format(
            sql.SQL(relation), sql.SQL(how), sql.Identifier(name)
        )
        connection.execute(statement)
