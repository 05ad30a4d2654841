"""Publication in the database: every fact of REL-04, grants, freeze, withdrawal, the ledger; and the queries after it."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest

from tests.store.matrix import ADMINISTRATOR, BUILDER, OWNER, PUBLISHER, READER
from tests.store.schema_database import Connection, admin, loaded, prove_powerless  # noqa: F401
from tests.store.schema_load import Loaded, load, sha

PROFILES = ("FP", "FS", "PP", "PS")


@contextmanager
def as_login(connection: Connection, role: str, actor: str) -> Iterator[Connection]:
    """One committed transaction as the program has it: tekrar_login, the role, the claim of an actor."""
    with connection.transaction():
        connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
        connection.execute("SELECT set_config('tekrar.claims', %s, true)", (json.dumps({"actor": actor}),))
        connection.execute(psycopg.sql.SQL("SET LOCAL ROLE {}").format(psycopg.sql.Identifier(role)))
        prove_powerless(connection, role)
        yield connection


def call(connection: Connection, role: str, actor: str, function: str, *arguments: Any) -> Any:
    marks = ", ".join(["%s"] * len(arguments))
    with as_login(connection, role, actor) as session:
        row = session.execute(f"SELECT {function}({marks})".encode(), arguments).fetchone()
    assert row is not None
    return row[0]


def plan_of(connection: Connection, one: Loaded, *shorts: str, together: bool = False) -> str:
    entries = [
        call(connection, PUBLISHER, "yayıncı", "api.prepare_publication", one.artifact_root.hex(), short)
        for short in shorts
    ]
    return json.dumps({"publications": entries, "set": together})


def publish(connection: Connection, plan: str) -> Any:
    return call(connection, PUBLISHER, "yayıncı", "api.publish", plan)


def refused(connection: Connection, plan: str) -> dict[str, Any]:
    """Publish a plan that must be refused, and check that nothing at all changed (REL-05)."""
    before = everything(connection)
    with pytest.raises(psycopg.Error) as error:
        publish(connection, plan)
    assert everything(connection) == before
    detail = json.loads(error.value.diag.message_detail or "{}")
    return {"state": error.value.sqlstate, **detail}


def everything(connection: Connection) -> list[tuple[Any, ...]]:
    return connection.execute(
        "SELECT 'visible', series_key::text, release::text, version::text FROM repetition.visible"
        " UNION ALL SELECT 'release', release::text, roots::text, '' FROM repetition.repetition_release"
        " UNION ALL SELECT 'head', name, scope, value::text FROM curation.head"
        " UNION ALL SELECT 'count', 'ledger', count(*)::text, '' FROM curation.ledger"
        " UNION ALL SELECT 'count', 'series', count(*)::text, '' FROM repetition.series"
        " UNION ALL SELECT 'count', 'moves', count(*)::text, '' FROM repetition.pointer_move"
        " UNION ALL SELECT 'count', 'set', count(*)::text, '' FROM repetition.release_set"
        " UNION ALL SELECT 'count', 'control', count(*)::text, '' FROM restricted.release_control ORDER BY 1, 2, 3"
    ).fetchall()


def new_load(connection: Connection, prefix: str, edition: str = "bahçe") -> Loaded:
    with connection.transaction():
        connection.execute("SET LOCAL SESSION AUTHORIZATION tekrar_builder")
        prove_powerless(connection, BUILDER)
        return load(connection, edition=edition, prefix=prefix)


@pytest.fixture(scope="module")
def actors(admin: Connection, loaded: Loaded) -> Loaded:  # noqa: F811
    """An administrator, and a publisher with a grant for every edition."""
    with admin.transaction():
        admin.execute("SET LOCAL ROLE tekrar_owner")
        admin.execute("SELECT curation.init_administrator('yönetici', NULL)")
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "yayıncı", None)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "publisher", "*", None, None)
    return loaded


@pytest.fixture(scope="module")
def published(admin: Connection, actors: Loaded) -> tuple[Loaded, dict[str, uuid.UUID]]:  # noqa: F811
    """The four profiles, published as one set."""
    done = publish(admin, plan_of(admin, actors, *PROFILES, together=True))
    assert done["outcome"] == "published"
    return actors, {row["short"]: uuid.UUID(row["release"]) for row in done["releases"]}


@pytest.mark.req("REL-01", "REL-09")
def test_a_release_is_named_by_what_it_binds(admin: Connection, published: Any) -> None:  # noqa: F811
    from tekrar.core.encoding import canonical_json
    from tekrar.core.identity import issue

    rows = admin.execute(
        "SELECT r.release, r.bound, r.roots, r.compiler, p.profile FROM repetition.repetition_release AS r"
        " JOIN repetition.profile AS p USING (profile_key)"
    ).fetchall()
    assert len(rows) == 4
    for release, bound, roots, compiler, profile in rows:
        facts = json.loads(bound)
        assert bytes(bound) == canonical_json(facts)
        assert hashlib.sha256(bound).digest() == roots
        expected = issue(
            "repetition-release", {"profile": str(profile), "roots": roots.hex(), "compiler": compiler.hex()}
        )
        assert release.bytes == expected
        assert len([name for name in facts if name.startswith("root/")]) == 20
        assert {name for name in facts if name.startswith("head/")} == {
            "head/" + name
            for name in ("candidates", "canonical-choices", "curation", "false-positives", "families", "propagation-policies",
                         "provenance", "public-projection", "quotations", "transformation", "unresolved-review")
        }


def test_publishing_the_visible_release_again_is_nothing(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    plan = plan_of(admin, one, *PROFILES, together=True)
    before = everything(admin)
    again = publish(admin, plan)
    assert again["outcome"] == "already_visible"
    assert {row["short"]: uuid.UUID(row["release"]) for row in again["releases"]} == releases
    assert everything(admin) == before


#: Each fact of REL-04 and how it changes between prepare and commit. `superuser` statements stand for a damaged database.
CHANGES: dict[str, str] = {
    "repetition-head": "UPDATE curation.head SET value = sha256('x'), version = version + 1 WHERE name = 'repetition'",
    "head/curation": "UPDATE curation.head SET value = sha256('x'), version = version + 1 WHERE name = 'curation'",
    "head/propagation-policies": "UPDATE curation.head SET value = sha256('x'), version = version + 1"
    " WHERE name = 'propagation-policies'",
    **{
        f"head/{name}": f"UPDATE curation.head SET value = sha256('x'), version = version + 1"
        f" WHERE name = '{name}' AND scope = %(profile)s"
        for name in ("candidates", "false-positives", "families", "quotations", "canonical-choices", "unresolved-review",
                     "public-projection")
    },
    "head/provenance": "UPDATE curation.head SET value = sha256('x'), version = version + 1 WHERE name = 'provenance'",
    "freeze-epoch": "INSERT INTO curation.freeze SELECT 99, 'dondu', actor_key, now(), 0 FROM curation.actor LIMIT 1",
    "seal": "INSERT INTO repetition.seal SELECT artifact_key, artifact_root, 'x', now() FROM stolen_seal",
    "core-release-manifest-root": "UPDATE core.release SET manifest = 'y', manifest_root = sha256('y')"
    " WHERE release_key = %(release)s",
    "certified-digest": "UPDATE core.release SET certified_digest = sha256('y') WHERE release_key = %(release)s",
    "text-seal": "UPDATE core.release_seal SET counts = 'y' WHERE release_key = %(release)s",
    "rule": "UPDATE repetition.profile SET document = 'y', rule = sha256('y') WHERE profile_key = %(key)s",
    "root/work": "UPDATE repetition.root SET root = sha256('y') WHERE artifact_key = %(artifact)s AND name LIKE 'full%%whole%%/work'",
    "root/matched": "UPDATE repetition.root SET root = sha256('y') WHERE artifact_key = %(artifact)s AND name LIKE 'full%%whole%%/matched'",
    "rows/occurrence": "DELETE FROM repetition.occurrence WHERE profile_key = %(key)s AND row_no = 3",
    "rows/class": "DELETE FROM repetition.class WHERE profile_key = %(key)s",
}
#: What only a superuser who switches triggers off can change.
DAMAGE = ("seal", "core-release-manifest-root", "certified-digest", "text-seal", "rule", "root/work", "root/matched",
          "rows/occurrence", "rows/class")


@pytest.mark.req("REL-04", "REL-05", "VAL-12")
@pytest.mark.parametrize("fact", CHANGES)
def test_a_fact_that_changed_after_the_plan_publishes_nothing(admin: Connection, actors: Loaded, fact: str) -> None:  # noqa: F811
    one = new_load(admin, "gerçek " + fact)
    plan = plan_of(admin, one, "FP")
    if fact == "freeze-epoch":
        call(admin, ADMINISTRATOR, "yönetici", "api.freeze", "deneme")
        found = refused(admin, plan)
    else:
        found = _with_change(admin, one, fact, plan)
    assert found["state"] == "TK020"
    assert (found["kind"], found["fact"]) == ("fact_mismatch", fact)
    assert found["expected"] != found["found"]
    assert found["expected"] == json.loads(plan)["publications"][0]["facts"][fact]


def _with_change(connection: Connection, one: Loaded, fact: str, plan: str) -> dict[str, Any]:
    change = CHANGES[fact]
    values = {"profile": str(one.profile_ids["FP"]), "release": one.release_key, "artifact": one.artifact_key,
              "key": one.profiles["FP"]}
    with connection.transaction(force_rollback=True):
        if fact in DAMAGE:
            for (table,) in connection.execute(
                "SELECT c.oid::regclass::text FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace"
                " WHERE n.nspname IN ('core', 'repetition') AND c.relkind IN ('r', 'p') AND c.relhastriggers"
            ).fetchall():
                connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
            if fact == "seal":
                change = "UPDATE repetition.seal SET counts = 'x' WHERE artifact_key = %(artifact)s"
        else:
            connection.execute("SET LOCAL ROLE tekrar_owner")
        connection.execute(change.encode(), values)
        connection.execute("RESET ROLE")
        return refused(connection, plan)


@pytest.mark.req("REL-04", "CUR-06")
def test_a_revoked_grant_publishes_nothing(admin: Connection, actors: Loaded) -> None:  # noqa: F811
    one = new_load(admin, "yetki")
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "geçici", None)
    given = call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "geçici", "publisher", "bahçe", None, None)["grant"]
    plan = json.dumps(
        {"publications": [call(admin, PUBLISHER, "geçici", "api.prepare_publication", one.artifact_root.hex(), "FP")]}
    )
    assert call(admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", given)["outcome"] == "revoked"
    assert call(admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", given)["outcome"] == "already_revoked"
    before = everything(admin)
    with pytest.raises(psycopg.Error) as error:
        call(admin, PUBLISHER, "geçici", "api.publish", plan)
    assert error.value.sqlstate == "TK032"
    # Another grant of the same actor is another fact than the plan's.
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "geçici", "publisher", "*", None, None)
    with pytest.raises(psycopg.Error) as error:
        call(admin, PUBLISHER, "geçici", "api.publish", plan)
    assert error.value.sqlstate == "TK020"
    assert '"fact": "publisher-grant"' in (error.value.diag.message_detail or "")
    assert [row for row in everything(admin) if row[0] in ("visible", "release")] == [
        row for row in before if row[0] in ("visible", "release")
    ]


@pytest.mark.req("CUR-06")
@pytest.mark.parametrize(
    ("role", "scope", "start", "end", "state"),
    [
        ("publisher", "*", "2001-01-01", "2002-01-01", "TK031"),
        ("publisher", "*", "2999-01-01", None, "TK031"),
        ("publisher", "başka", None, None, "TK030"),
        ("curator", "*", None, None, "TK030"),
        ("administrator", "*", None, None, "TK030"),
    ],
)
def test_only_a_valid_grant_of_the_right_role_and_scope_publishes(
    admin: Connection, actors: Loaded, role: str, scope: str, start: str | None, end: str | None, state: str  # noqa: F811
) -> None:
    name = f"{role} {scope} {start}"
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", name, None)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", name, role, scope, start, end)
    with pytest.raises(psycopg.Error) as error:
        call(admin, PUBLISHER, name, "api.prepare_publication", actors.artifact_root.hex(), "FP")
    assert error.value.sqlstate == state


def test_nobody_is_an_actor_by_claiming_another_s_login(admin: Connection, actors: Loaded) -> None:  # noqa: F811
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "oturumlu", "tekrar_somebody")
    for claim in ("oturumlu", "hiç kimse"):
        with pytest.raises(psycopg.Error) as error:
            call(admin, PUBLISHER, claim, "api.prepare_publication", actors.artifact_root.hex(), "FP")
        assert error.value.sqlstate == "TK033"


@pytest.mark.req("REL-09")
def test_a_plan_of_another_release_id_is_refused(admin: Connection, actors: Loaded) -> None:  # noqa: F811
    one = new_load(admin, "kimlik")
    plan = json.loads(plan_of(admin, one, "FP"))
    plan["publications"][0]["release"] = str(uuid.uuid5(uuid.NAMESPACE_DNS, "x"))
    assert refused(admin, json.dumps(plan))["kind"] == "release_id"
    plan = json.loads(plan_of(admin, one, "FP"))
    del plan["publications"][0]["facts"]["root/work"]
    assert refused(admin, json.dumps(plan))["fact"] == "root/work"


def test_an_unnamed_edition_and_another_language_are_refused(admin: Connection, actors: Loaded) -> None:  # noqa: F811
    one = new_load(admin, "adsız", edition="unnamed")
    with pytest.raises(psycopg.Error) as error:
        plan_of(admin, one, "FP")
    assert error.value.sqlstate == "TK025"


@pytest.mark.req("QRY-02", "QRY-03", "CORE-03")
def test_status_comes_from_the_partition(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    expected = {
        ("FP", 0): ("matched", "published", None),
        ("FP", 2): ("unique", None, None),
        ("FS", 0): ("matched", "dominated", None),
        ("PP", 0): ("matched", "provisional", None),
        ("PP", 2): ("not_evaluated", None, "pending_peer_universe"),
        ("PP", 3): ("excluded", None, None),
        ("PS", 0): ("not_evaluated", None, "pending_evaluation"),
        ("PS", 3): ("integrity_error", None, "missing_witness_bytes"),
    }
    for (short, row), wanted in expected.items():
        with as_login(admin, READER, "") as reader:
            found = reader.execute(
                "SELECT status, presentation, code, reasons, short, row_no FROM api.occurrence_status(%s, %s)",
                (releases[short], one.occurrence(short, row)),
            ).fetchall()
        assert [answer[:3] for answer in found] == [wanted]
        assert found[0][4:] == (short, row)
        assert found[0][3] == (["heading_marker_intersection"] if wanted[0] == "excluded" else None)


@pytest.mark.req("QRY-03")
def test_what_is_not_there_is_an_error_and_never_unique(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    unknown = uuid.uuid5(uuid.NAMESPACE_DNS, "yok")
    for function in ("api.occurrence_status(%s, %s)", "api.get_occurrence(%s, %s)", "api.why(%s, %s)"):
        for arguments in (
            (releases["FP"], unknown),
            (unknown, one.occurrence("FP", 0)),
            (releases["FP"], one.occurrence("PP", 0)),  # of another profile
            (None, one.occurrence("FP", 0)),
            (releases["FP"], None),
        ):
            with pytest.raises(psycopg.Error) as error, as_login(admin, READER, "") as reader:
                reader.execute(f"SELECT * FROM {function}".encode(), arguments)
            assert error.value.sqlstate == "TK010"


@pytest.mark.req("QRY-04", "CORE-03", "OCC-08")
def test_an_occurrence_is_reconstructed_from_core(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    with as_login(admin, READER, "") as reader:
        for short, rows in (("FP", 4), ("FS", 5), ("PP", 4), ("PS", 5)):
            for row in range(rows):
                found = reader.execute(
                    "SELECT content, start_byte, end_byte, book_label, chapter_title, row_no"
                    " FROM api.get_occurrence(%s, %s)",
                    (releases[short], one.occurrence(short, row)),
                ).fetchone()
                assert found is not None
                content, start, end, label, title, number = found
                assert bytes(content) == one.text[start:end]
                assert (bytes(label), bytes(title).decode(), number) == (b"bah\x00ce", "Kuyu", row)
        last = reader.execute(
            "SELECT content, paragraph, last_paragraph, para FROM api.get_occurrence(%s, %s)",
            (releases["FS"], one.occurrence("FS", 4)),
        ).fetchone()
        assert last is not None
        assert bytes(last[0]) == "Kuş uçar.\n\nGül\0solar.".encode()
        assert last[1:] == (3, 4, 4)


def test_members_and_classes_are_paged_by_key(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    with as_login(admin, READER, "") as reader:
        after, seen = -1, []
        while page := reader.execute(
            "SELECT row_no, occurrence, size, presentation FROM api.list_duplicates(%s, %s, NULL, %s, 1)",
            (releases["FS"], one.exact_class("FS", 1), after),
        ).fetchall():
            seen += page
            after = page[-1][0]
        assert [row[:2] for row in seen] == [(1, one.occurrence("FS", 1)), (3, one.occurrence("FS", 3))]
        assert {row[2:] for row in seen} == {(2, "published")}
        bare = reader.execute(
            "SELECT row_no, occurrence, size, presentation FROM api.list_members(%s, %s, NULL, -1, 9)",
            (releases["FS"], one.exact_class("FS", 1)),
        ).fetchall()
        assert bare == seen
        for presentation, classes in (("published", [one.exact_class("FS", 1)]), ("dominated", [one.exact_class("FS", 0)]),
                                      ("provisional", [])):
            found = reader.execute(
                "SELECT class, length, size, class_no, winner FROM api.list_classes(%s, %s, -1, 10)",
                (releases["FS"], presentation),
            ).fetchall()
            assert [row[0] for row in found] == classes
            if presentation == "dominated":
                assert found[0][4] == one.exact_class("FS", 1)
            for row in found:
                assert reader.execute(
                    "SELECT * FROM api.list_classes(%s, %s, %s, 10)", (releases["FS"], presentation, row[3])
                ).fetchall() == []
        group = sha("witness", "PP", "0")
        found = reader.execute(
            "SELECT occurrence FROM api.list_duplicates(%s, NULL, %s, -1, 10)", (releases["PP"], group)
        ).fetchall()
        assert [row[0] for row in found] == [one.occurrence("PP", 0), one.occurrence("PP", 1)]


def test_coverage_releases_and_why_give_facts(admin: Connection, published: Any) -> None:  # noqa: F811
    one, releases = published
    with as_login(admin, READER, "") as reader:
        covered = reader.execute("SELECT * FROM api.coverage(%s)", (releases["PP"],)).fetchone()
        assert covered is not None
        assert covered[3:5] == ("partial", "not_assessed")
        assert covered[6]["provisional_items"] == json.loads(covered[5])["provisional_items"] == 2
        listed = reader.execute("SELECT release, short, state, release_set FROM api.releases()").fetchall()
        assert {row[0]: row[1:3] for row in listed if row[3]} == {
            release: (short, "visible") for short, release in releases.items()
        }
        why = reader.execute("SELECT api.why(%s, %s)", (releases["FS"], one.occurrence("FS", 0))).fetchone()
        assert why is not None
        assert (why[0]["status"], why[0]["presentation"], why[0]["part"]) == ("matched", "dominated", "matched")
        assert why[0]["class"]["winner"] == str(one.exact_class("FS", 1))
        assert why[0]["roots"]["matched"] == sha("FS", "matched", str(one.text_release)).hex()
        shown = reader.execute("SELECT state, pointer_moves FROM api.release_show(%s)", (releases["FP"],)).fetchone()
        assert shown is not None
        assert shown[0] == "visible"
        assert [move["version"] for move in shown[1]] == [1]


def test_readers_find_published_rows_only(admin: Connection, published: Any) -> None:  # noqa: F811
    hidden = new_load(admin, "saklı")
    with as_login(admin, READER, "") as reader:
        keys = {row[0] for row in reader.execute("SELECT DISTINCT profile_key FROM repetition.occurrence").fetchall()}
        assert not keys & set(hidden.profiles.values())
        texts = {row[0] for row in reader.execute("SELECT DISTINCT release_key FROM core.sentence").fetchall()}
        assert hidden.release_key not in texts


@pytest.mark.req("REL-09", "VAL-12")
def test_a_successor_takes_the_pointer_and_an_earlier_release_does_not_come_back(
    admin: Connection, published: Any  # noqa: F811
) -> None:
    one, releases = published
    first = plan_of(admin, one, "PS")
    successor = new_load(admin, "yeni")
    assert publish(admin, plan_of(admin, successor, "PS"))["outcome"] == "published"
    with as_login(admin, READER, "") as reader:
        states = dict(reader.execute("SELECT release, state FROM api.releases()").fetchall())
        assert states[releases["PS"]] == "earlier"
        # The old release still answers (QRY-05).
        assert reader.execute(
            "SELECT status FROM api.occurrence_status(%s, %s)", (releases["PS"], one.occurrence("PS", 1))
        ).fetchone() == ("not_evaluated",)
    assert refused(admin, first)["kind"] == "fact_mismatch"
    assert refused(admin, plan_of(admin, one, "PS"))["kind"] == "already_published"


def test_a_withdrawal_is_an_incident_and_no_deletion(admin: Connection, published: Any) -> None:  # noqa: F811
    one = new_load(admin, "kusurlu")
    release = publish(admin, plan_of(admin, one, "PP"))["releases"][0]["release"]
    plan = plan_of(admin, one, "PP")
    assert call(admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yanlış metin")["outcome"] == "withdrawn"
    assert call(admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yine")["outcome"] == "already_withdrawn"
    with as_login(admin, READER, "") as reader:
        assert reader.execute(
            "SELECT status, code FROM api.occurrence_status(%s, %s)", (release, one.occurrence("PP", 0))
        ).fetchone() == ("integrity_error", "withdrawn_release")
        assert dict(reader.execute("SELECT release::text, state FROM api.releases()").fetchall())[release] == "withdrawn"
    assert admin.execute(
        "SELECT count(*) FROM repetition.occurrence WHERE profile_key = %s", (one.profiles["PP"],)
    ).fetchone() == (4,)
    assert refused(admin, plan)["kind"] == "fact_mismatch"
    assert refused(admin, plan_of(admin, one, "PP"))["kind"] == "withdrawn"


def test_the_ledger_is_chained_and_a_change_is_found(admin: Connection, published: Any) -> None:  # noqa: F811
    def verified() -> tuple[Any, ...]:
        with as_login(admin, ADMINISTRATOR, "") as session:
            row = session.execute("SELECT * FROM api.verify_ledger()").fetchone()
        assert row is not None
        return row

    entries, broken, head = verified()
    assert entries > 5
    assert (broken, head) == (None, True)
    with admin.transaction(force_rollback=True):
        admin.execute("ALTER TABLE curation.ledger DISABLE TRIGGER USER")
        admin.execute("ALTER TABLE curation.ledger DROP CONSTRAINT entry_hash_covers_the_entry")
        admin.execute("UPDATE curation.ledger SET payload = payload || ' '::bytea WHERE seq = 1")
        assert verified()[1] == 1
    with admin.transaction(force_rollback=True):
        admin.execute("ALTER TABLE curation.ledger DISABLE TRIGGER ALL")
        admin.execute(f"DELETE FROM curation.ledger WHERE seq = {entries - 1}".encode())
        assert verified()[1:] == (None, False)
    for seq, kind, payload, previous, entry_hash in admin.execute(
        "SELECT seq, kind, payload, previous, entry_hash FROM curation.ledger ORDER BY seq"
    ).fetchall():
        tag, name = b"tekrar/ledger-entry/v1", kind.encode()
        preimage = (len(tag).to_bytes(4, "big") + tag + seq.to_bytes(8, "big") + len(name).to_bytes(4, "big") + name
                    + previous + len(payload).to_bytes(4, "big") + payload)
        assert hashlib.sha256(preimage).digest() == entry_hash


@pytest.mark.parametrize("role", [READER, BUILDER, ADMINISTRATOR, OWNER])
def test_only_a_publisher_calls_publish(admin: Connection, role: str) -> None:  # noqa: F811
    with pytest.raises(psycopg.errors.InsufficientPrivilege), admin.transaction():
        admin.execute(psycopg.sql.SQL("SET LOCAL SESSION AUTHORIZATION {}").format(psycopg.sql.Identifier(role)))
        if role == OWNER:  # the owner may execute its own function; it is no actor
            with pytest.raises(psycopg.Error) as error, admin.transaction():
                admin.execute("SELECT api.publish('{\"publications\": []}')")
            assert error.value.sqlstate == "TK033"
            raise psycopg.errors.InsufficientPrivilege
        admin.execute("SELECT api.publish('{\"publications\": []}')")


def test_every_function_compiles(admin: Connection) -> None:  # noqa: F811
    admin.execute("SET check_function_bodies = on")
    for (definition,) in admin.execute(
        "SELECT pg_get_functiondef(p.oid) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
    ).fetchall():
        admin.execute(definition.encode())
