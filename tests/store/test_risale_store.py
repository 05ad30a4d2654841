"""The store on the Risale: text, classes and answers of the database are the artifact's.

VAL-01, -05, -11, -12. Built, loaded and published once for the module, and once more as a partial build. None
of its text stands here.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import numpy as np
import pytest

from tekrar.artifact import Artifact
from tekrar.build import build
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import uuid_text
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import open_release, write_release
from tekrar.corpus.sources import read_source
from tekrar.errors import DatabaseError
from tekrar.store.load import load
from tekrar.store.load.read_back import read_table
from tekrar.store.load.stored_text import TABLES, read_text
from tekrar.store.publish import Published, prepare, publish, submit
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification import verify_releases
from tests.store.kept import ADMIN, AUDITING, PUBLISHER, guarded, unguarded
from tests.store.matrix import ADMINISTRATOR, OWNER
from tests.store.place import drop_database, make_database_from
from tests.store.schema_publication import call

pytestmark = pytest.mark.shared

ROOT = "b96f3b3312700fdc514a218ef1789abf110dfc9044a05fd9934204bf7cc7c6ee"
CERTIFIED = "5c9f60625f31c89464411617b8d2a612dc9ecd4182521d99fc9971623dc59241"
PARTS = ("matched", "evaluated_unique", "not_evaluated", "excluded", "failed")
#: Writes to the tables of the core that PostgreSQL has counted; its load is all of them.
_WRITES = (
    "SELECT relname::text, n_tup_ins, n_tup_upd, n_tup_del FROM pg_stat_all_tables WHERE schemaname = 'core'"
    " ORDER BY 1"
)


@dataclass(frozen=True)
class Risale:
    """The published Risale.

    Attributes:
        place, admin: its database, and the superuser's connection to it.
        release, artifact: as built.
        before: the core's rows and PostgreSQL's counts of writes between load and publication.
        published: its four releases.
    """

    place: Embedded
    admin: Connection
    release: Path
    artifact: Path
    before: tuple[bytes, list[tuple[object, ...]]]
    published: Published

    def key(self) -> int:
        row = self.admin.execute("SELECT release_key FROM core.release").fetchone()
        assert row is not None
        return int(row[0])


def core_rows(connection: Connection) -> bytes:
    """One digest over every row of the core."""
    digest = sha256()
    for table in (*TABLES, "core.release", "core.release_seal"):
        lines = "string_agg(t::text, E'\\n' ORDER BY t::text)"
        query = f"SELECT sha256(convert_to({lines}, 'UTF8')) FROM {table} AS t"
        row = connection.execute(query.encode()).fetchone()
        assert row is not None
        digest.update(bytes(row[0] or b"none"))
    return digest.digest()


def writes(connection: Connection) -> list[tuple[object, ...]]:
    connection.execute("SELECT pg_stat_force_next_flush()")
    connection.execute("SELECT pg_stat_clear_snapshot()")
    return connection.execute(_WRITES).fetchall()


def name_actors(admin: Connection) -> None:
    with admin.transaction():
        admin.execute(f"SET LOCAL ROLE {OWNER}")
        admin.execute("SELECT curation.init_administrator(%s, NULL)", (ADMIN,))
    for actor, role in ((PUBLISHER, "publisher"), (AUDITING, "auditor")):
        call(admin, ADMINISTRATOR, ADMIN, "api.actor", actor, None)
        call(admin, ADMINISTRATOR, ADMIN, "api.grant_role", actor, role, "*", None, None)


@pytest.fixture(scope="module")
def risale(
    database: Embedded, shared_dir: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Risale]:
    files = sorted((shared_dir / "corpora/risale-docx").glob("*.jsonl.gz"))
    if not files:
        pytest.skip("needs ../shared: risale-docx is absent")
    folder = tmp_path_factory.mktemp("risale")
    write_release(
        import_jsonl([read_source(p) for p in files], edition="clean", language="tr"), folder / "release"
    )
    build(folder / "release", out=folder / "artifact", workers=2)
    with open_target(of_embedded(database, user=SUPERUSER)) as admin:
        name_actors(admin)
        load(admin, Artifact(folder / "artifact"), open_release(folder / "release"))
        before = core_rows(admin), writes(admin)
        with open_target(of_embedded(database, user=LOGIN)) as login:
            for fact, change, back in CHANGES:
                stale = prepare(login, ROOT, None, actor=PUBLISHER)
                _change(admin, change)
                with pytest.raises(DatabaseError) as error:
                    submit(login, stale, actor=PUBLISHER)
                assert (error.value.kind, f" {fact}: " in f" {error.value.message}") == (
                    "fact_mismatch",
                    True,
                )
                for table in ("repetition_release", "series", "visible", "pointer_move", "release_set"):
                    assert admin.execute(f"SELECT count(*) FROM repetition.{table}".encode()).fetchone() == (
                        0,
                    )
                _change(admin, back)
            done = publish(login, prepare(login, ROOT, None, actor=PUBLISHER), actor=PUBLISHER)
        yield Risale(database, admin, folder / "release", folder / "artifact", before, done)


#: One bit of a root turned over, and by the same statement back.
_ROOT_BIT = (
    "UPDATE repetition.root SET root = set_byte(root, 0, get_byte(root, 0) # 1)"
    " WHERE name = 'full_context_v1/whole_paragraph_v1/exact_passage_bytes/matched'"
)
#: What a stale plan is refused for, the change between prepare and publish, and what undoes it where only a
#: superuser who switches guards off can make it (VAL-12; tests/store/test_publish_facts.py has every fact).
CHANGES: tuple[tuple[str, str, str], ...] = (
    ("head/provenance", "provenance", ""),
    ("head/propagation-policies", "propagation-policies", ""),
    ("freeze-epoch", "freeze", ""),
    ("publisher-grant", "grant", ""),
    ("root/matched", _ROOT_BIT, _ROOT_BIT),
)


def _change(admin: Connection, change: str) -> None:
    """A head moved by the owner, a freeze, another grant in the place of a revoked one, or a damaged row."""
    if change == "freeze":
        call(admin, ADMINISTRATOR, ADMIN, "api.freeze", "bakım")
    elif change == "grant":
        row = admin.execute("SELECT grant_key FROM curation.grant_entry WHERE role = 'publisher'").fetchone()
        assert row is not None
        call(admin, ADMINISTRATOR, ADMIN, "api.revoke_grant", row[0])
        call(admin, ADMINISTRATOR, ADMIN, "api.grant_role", PUBLISHER, "publisher", "*", None, None)
    elif change.startswith("UPDATE"):
        unguarded(admin, "repetition.root")
        assert admin.execute(change.encode()).rowcount == 1
        guarded(admin, "repetition.root")
    elif change:
        with admin.transaction():
            admin.execute(f"SET LOCAL ROLE {OWNER}")
            moved = admin.execute(
                "UPDATE curation.head SET value = sha256(value), version = version + 1"
                " WHERE name = %s AND scope = ''",
                (change,),
            )
            assert moved.rowcount == 1


@pytest.mark.req("VAL-12", "REL-04", "REL-05")
def test_what_changed_after_the_plan_published_nothing_and_a_new_plan_published_all(risale: Risale) -> None:
    """The refusals themselves are in the fixture, before anything was published."""
    assert risale.published.outcome == "published"
    assert [short for short, *_ in risale.published.releases] == ["FP", "FS", "PP", "PS"]


@pytest.mark.req("VAL-01", "CORE-01", "CORE-02", "CORE-05")
def test_the_text_is_exact_with_every_record_present(risale: Risale) -> None:
    """D1: load and publication wrote no row of the core, and its tables give the certified digest."""
    opened = open_release(risale.release)
    stored = read_text(risale.admin, risale.key())
    assert opened.certified.hex() == stored.certified.hex() == CERTIFIED
    assert stored.release.text == opened.release.text
    assert (core_rows(risale.admin), writes(risale.admin)) == risale.before
    rows = sum(
        risale.admin.execute(f"SELECT FROM {table}".encode()).rowcount
        for table in (*TABLES, "core.release", "core.release_seal")
    )
    inserted, updated, deleted = (sum(int(str(row[n])) for row in risale.before[1]) for n in (1, 2, 3))
    assert (inserted, updated, deleted) == (rows, 0, 0)
    assert rows > 121_000
    counted = risale.admin.execute(
        "SELECT (SELECT count(*) FROM core.paragraph), (SELECT count(*) FROM core.sentence)"
    ).fetchone()
    assert counted == (len(opened.release.paragraph_sentences), len(opened.release.sentence_atom))


@pytest.mark.req("VAL-05", "CL-04", "VAL-03")
def test_every_class_of_the_database_is_the_artifact_s(risale: Risale) -> None:
    artifact = Artifact(risale.artifact)
    assert artifact.artifact_root.hex() == ROOT
    keys = dict(risale.admin.execute("SELECT short, profile_key FROM repetition.profile").fetchall())
    classes = 0
    for short, key in keys.items():
        profile = artifact.profile(short)
        rows, table = (read_table(risale.admin, f"repetition.{t}", key) for t in ("occurrence", "class"))
        present = rows["class_no"].present
        assert present is not None
        assert np.array_equal(np.flatnonzero(present), profile.matched["row"])
        assert np.array_equal(rows["class_no"].values[present], profile.matched["class"])
        assert np.array_equal(rows["occurrence"].values, profile.occurrences["occurrence"])
        assert np.array_equal(rows["fingerprint"].values, profile.occurrences["fingerprint"])
        for name in ("size", "class", "members", "witness"):
            assert np.array_equal(table[name].values, profile.classes[name]), (short, name)
        classes += len(table["size"].values)
    assert classes == 1811 + 2940 + 32884 + 1684 + 2662 + 30560


@pytest.mark.req("VAL-03", "VAL-05", "CL-04", "EX-08", "REL-01")
def test_the_whole_database_verifies(risale: Risale) -> None:
    with open_target(of_embedded(risale.place, user=LOGIN)) as login:
        done = verify_releases(login, claims={"actor": AUDITING})
    assert {release for _, release, _ in risale.published.releases} == set(done.releases)
    assert done.counts["members"] == 162953
    assert done.counts["identities"] > 2_000_000


@pytest.mark.req("VAL-11", "REL-03", "COV-10")
def test_a_partial_build_is_published_as_partial_with_its_whole_universe(
    risale: Risale, template: Embedded, tmp_path: Path
) -> None:
    """One occurrence of each profile is put off; all five parts are rooted and hold every work item once."""
    whole = Artifact(risale.artifact)
    shorts = [short for short, *_ in risale.published.releases]
    deferred = {}
    for short in shorts:  # one that was compared: what is excluded is evaluated whatever is put off
        profile = whole.profile(short)
        deferred[short] = uuid_text(profile.occurrences["occurrence"][profile.matched["row"][0]].tobytes())
    build(risale.release, out=tmp_path / "partial", workers=2, defer=sorted(deferred.values()))
    place = make_database_from(template, "tekrar_risale_partial")
    try:
        with open_target(of_embedded(place, user=SUPERUSER)) as admin:
            name_actors(admin)
            loaded = load(admin, Artifact(tmp_path / "partial"), open_release(risale.release))
        with open_target(of_embedded(place, user=LOGIN)) as login:
            plan = prepare(login, loaded.artifact_root.hex(), None, actor=PUBLISHER)
            releases = {
                short: release for short, release, _ in publish(login, plan, actor=PUBLISHER).releases
            }
            reader = Reader(login)
            for short, release in releases.items():
                bound, coverage = reader.release(release)["bound"], reader.coverage(release)
                counted = coverage["counted"]
                assert bound["exact-status"] == coverage["exact_status"] == "partial"
                assert len({bound[f"root/{part.replace('_', '-')}"] for part in PARTS}) == 5
                assert sum(counted[part] for part in PARTS) == counted["emitted"]
                assert counted["emitted"] == len(whole.profile(short).occurrences["occurrence"])
                assert counted["not_evaluated"] > 0
                # Nothing is certified unique beside an open item, and no class is issued (AMB-14, AMB-22).
                assert counted["evaluated_unique"] == counted["published_items"] == 0
                found = reader.status(release, deferred[short])
                assert (found["status"], found["code"]) == ("not_evaluated", "pending_evaluation")
            assert verify_releases(login, claims={"actor": AUDITING}).findings == ()
    finally:
        drop_database(place)


@pytest.mark.req("VAL-01", "CORE-01")
def test_the_text_is_exact_after_every_repetition_record_is_deleted(risale: Risale) -> None:
    """D2: a superuser deletes every record that is not the core's; rolled back afterwards."""
    admin = risale.admin
    tables = [
        name
        for (name,) in admin.execute(
            "SELECT format('%I.%I', n.nspname, c.relname) FROM pg_class c"
            " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE c.relkind IN ('r', 'p')"
            " AND n.nspname IN ('repetition', 'curation', 'restricted')"
        ).fetchall()
    ]
    assert len(tables) > 30
    with admin.transaction(force_rollback=True):
        unguarded(admin, *tables)
        admin.execute(f"TRUNCATE {', '.join(tables)}".encode())
        assert admin.execute("SELECT count(*) FROM repetition.occurrence").fetchone() == (0,)
        assert core_rows(admin) == risale.before[0]
        stored = read_text(admin, risale.key())
        assert stored.certified.hex() == CERTIFIED
        manifest = admin.execute("SELECT manifest FROM core.release").fetchone()
        assert manifest is not None
        assert bytes(manifest[0]) == canonical_json(open_release(risale.release, check=False).manifest)


@pytest.mark.req("CORE-02")
def test_no_pipeline_role_writes_the_core_and_its_owner_is_refused(risale: Risale) -> None:
    privileges = risale.admin.execute(
        "SELECT r.rolname::text, c.relname::text FROM pg_roles r, pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE r.rolname LIKE 'tekrar\\_%'"
        " AND r.rolname <> 'tekrar_owner' AND n.nspname = 'core' AND c.relkind IN ('r', 'p')"
        " AND has_table_privilege(r.oid, c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE')"
    ).fetchall()
    assert privileges == []
    with risale.admin.transaction(force_rollback=True):
        risale.admin.execute(f"SET LOCAL ROLE {OWNER}")
        for statement in (
            "UPDATE core.sentence SET end_byte = end_byte",
            "DELETE FROM core.paragraph",
            "TRUNCATE core.text_block",
        ):
            with pytest.raises(Exception, match="append-only"), risale.admin.transaction():
                risale.admin.execute(statement.encode())
