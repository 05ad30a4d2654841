"""Publication in the database: every fact of REL-04, grants, freeze, withdrawal, the ledger."""

from __future__ import annotations

import hashlib
import json
import re
import uuid
from pathlib import Path
from typing import Any

import psycopg
import pytest

from tekrar.core.encoding import manifest_root, no_scope, profile_scope
from tekrar.store.session import Connection
from tests.store.matrix import ADMINISTRATOR, BUILDER, OWNER, PUBLISHER, READER
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_load import Loaded
from tests.store.schema_logins import Logins
from tests.store.schema_publication import (
    PROFILES,
    Published,
    as_login,
    call,
    everything,
    grant_that_is_over,
    new_load,
    plan_of,
    publish,
    refused,
)


@pytest.mark.req("REL-01", "REL-09")
def test_a_release_is_named_by_what_it_binds(admin: Connection, published: Published) -> None:
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
            for name in (
                "candidates",
                "canonical-choices",
                "curation",
                "false-positives",
                "families",
                "propagation-policies",
                "provenance",
                "public-projection",
                "quotations",
                "transformation",
                "unresolved-review",
            )
        }


@pytest.mark.req("REL-01", "REL-09")
def test_the_document_of_identities_says_what_a_release_s_id_is_made_of(
    admin: Connection, published: Published, repo_root: Path
) -> None:
    """Every bound name stands in docs/encoding.md, and a head that never moved is what it says."""
    section = (repo_root / "docs/encoding.md").read_text(encoding="utf-8")
    section = section.split("\n**Repetition release.**")[1].split("\n## ")[0]
    named = set(re.findall(r"[a-z]+(?:-[a-z]+)*", section))
    for bound, profile, predicate in admin.execute(
        "SELECT bound, profile, predicate FROM repetition.repetition_release"
    ).fetchall():
        facts = json.loads(bound)
        for name, value in facts.items():
            group, _, kind = name.rpartition("/")
            assert group in ("", "root", "head")
            assert group == "root" or kind in named, name
            if group == "head" and kind in ("curation", "provenance", "transformation"):
                assert value == bytes(32).hex()
            elif group == "head":
                own = profile_scope(profile.bytes, predicate)
                scope = no_scope() if kind == "propagation-policies" else own
                assert value == manifest_root(kind, scope, []).hex(), name


def test_publishing_the_visible_release_again_is_nothing(admin: Connection, published: Published) -> None:
    one, releases = published
    plan = plan_of(admin, one, *PROFILES, together=True)
    before = everything(admin)
    again = publish(admin, plan)
    assert again["outcome"] == "already_visible"
    assert {row["short"]: uuid.UUID(row["release"]) for row in again["releases"]} == releases
    assert everything(admin) == before


@pytest.mark.req("REL-04", "CUR-11")
def test_a_new_set_of_visible_releases_rests_on_every_fact_of_its_plan(
    admin: Connection, actors: Loaded
) -> None:
    """The releases are there already; their set alone would be recorded, and a stale plan refuses it."""
    one = new_load(admin, "takım ")
    for short in PROFILES:
        assert publish(admin, plan_of(admin, one, short))["outcome"] == "published"
    plan = plan_of(admin, one, *PROFILES, together=True)
    call(admin, ADMINISTRATOR, "yönetici", "api.freeze", "deneme")
    found = refused(admin, plan)
    assert (found["kind"], found["fact"]) == ("fact_mismatch", "freeze-epoch")
    plan = plan_of(admin, one, *PROFILES, together=True)
    done = publish(admin, plan)
    assert done["outcome"] == "already_visible"
    assert done["set"]
    # The set is recorded, so that nothing is left to do, however old the plan is.
    before = everything(admin)
    assert publish(admin, plan) == done
    assert everything(admin) == before


def test_a_plan_has_each_profile_once_and_a_set_is_the_four_of_one_artifact(
    admin: Connection, actors: Loaded
) -> None:
    one, two = new_load(admin, "biçim "), new_load(admin, "biçim iki ")
    four = json.loads(plan_of(admin, one, *PROFILES))["publications"]
    other = json.loads(plan_of(admin, two, "PS"))["publications"]
    for entries, together in (
        ([four[0], four[0]], False),
        ([four[0]], True),
        (four[:3], True),
        ([*four[:3], other[0]], True),
        ([], True),
        (four, "belki"),
        (four, 1),
    ):
        found = refused(admin, json.dumps({"publications": entries, "set": together}))
        assert (found["state"], found["kind"]) == ("TK012", "bad_argument"), (len(entries), together)


@pytest.mark.req("REL-04", "CUR-06")
def test_a_revoked_grant_publishes_nothing(admin: Connection, actors: Loaded) -> None:
    one = new_load(admin, "yetki")
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "geçici", None)
    given = call(
        admin, ADMINISTRATOR, "yönetici", "api.grant_role", "geçici", "publisher", "bahçe", None, None
    )["grant"]
    plan = json.dumps(
        {
            "publications": [
                call(admin, PUBLISHER, "geçici", "api.prepare_publication", one.artifact_root.hex(), "FP")
            ]
        }
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
    ("role", "scope", "start", "state"),
    [
        ("publisher", "*", "over", "TK031"),
        ("publisher", "*", "2999-01-01", "TK031"),
        ("publisher", "başka", None, "TK010"),  # as if it was not there (T14)
        ("curator", "*", None, "TK030"),
        ("administrator", "*", None, "TK030"),
    ],
)
def test_only_a_valid_grant_of_the_right_role_and_scope_publishes(
    admin: Connection,
    actors: Loaded,
    role: str,
    scope: str,
    start: str | None,
    state: str,
) -> None:
    name = f"{role} {scope} {start}"
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", name, None)
    if start == "over":
        grant_that_is_over(admin, name, role, scope)
    else:
        call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", name, role, scope, start, None)
    with pytest.raises(psycopg.Error) as error:
        call(admin, PUBLISHER, name, "api.prepare_publication", actors.artifact_root.hex(), "FP")
    assert error.value.sqlstate == state


def test_nobody_is_an_actor_by_claiming_another_s_login(
    admin: Connection, actors: Loaded, logins: Logins
) -> None:
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "oturumlu", logins.make())
    for claim in ("oturumlu", "hiç kimse"):
        with pytest.raises(psycopg.Error) as error:
            call(admin, PUBLISHER, claim, "api.prepare_publication", actors.artifact_root.hex(), "FP")
        assert error.value.sqlstate == "TK033"


@pytest.mark.req("REL-09")
def test_a_plan_of_another_release_id_is_refused(admin: Connection, actors: Loaded) -> None:
    one = new_load(admin, "kimlik")
    plan = json.loads(plan_of(admin, one, "FP"))
    plan["publications"][0]["release"] = str(uuid.uuid5(uuid.NAMESPACE_DNS, "x"))
    assert refused(admin, json.dumps(plan))["kind"] == "release_id"
    plan = json.loads(plan_of(admin, one, "FP"))
    del plan["publications"][0]["facts"]["root/work"]
    assert refused(admin, json.dumps(plan))["fact"] == "root/work"


def test_an_unnamed_edition_is_refused(admin: Connection, actors: Loaded) -> None:
    one = new_load(admin, "adsız", edition="unnamed")
    with pytest.raises(psycopg.Error) as error:
        plan_of(admin, one, "FP")
    assert error.value.sqlstate == "TK025"


def test_an_edition_has_one_language(admin: Connection, published: Published) -> None:
    """Another language has another policy, and so a series of its own; it is refused all the same."""
    one = new_load(admin, "iki dil", language="en", policy="another policy")
    for short in ("FP", "PS"):
        found = refused(admin, plan_of(admin, one, short))
        assert (found["state"], found["kind"]) == ("TK024", "series_language")
        assert (found["expected"], found["found"]) == ("tr", "en")
    # Under the same language another policy is a series of its own, and an edition of its own may have any.
    assert (
        publish(admin, plan_of(admin, new_load(admin, "bir dil", policy="third"), "FP"))["outcome"]
        == "published"
    )
    other = new_load(admin, "başka", edition="garden", language="en", policy="another policy")
    assert publish(admin, plan_of(admin, other, "FP"))["outcome"] == "published"
    # Nor in one plan with the edition's first release.
    first = (
        new_load(admin, "ilk", edition="yeni ad"),
        new_load(admin, "first", edition="yeni ad", language="en"),
    )
    entries = [
        json.loads(plan_of(admin, f, s))["publications"][0] for f, s in zip(first, ("FP", "FS"), strict=True)
    ]
    assert refused(admin, json.dumps({"publications": entries, "set": False}))["state"] == "TK024"


def test_a_series_does_not_move_to_another_language(admin: Connection, published: Published) -> None:
    one = new_load(admin, "dil", language="tr-TR")  # the policy of the primary subtag, so the same series
    found = refused(admin, plan_of(admin, one, "FP"))
    assert (found["state"], found["expected"], found["found"]) == ("TK024", "tr", "tr-TR")


@pytest.mark.req("REL-09", "VAL-12")
def test_a_successor_takes_the_pointer_and_an_earlier_release_does_not_come_back(
    admin: Connection,
    published: Published,
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


def test_a_withdrawal_is_an_incident_and_no_deletion(admin: Connection, published: Published) -> None:
    one = new_load(admin, "kusurlu")
    release = publish(admin, plan_of(admin, one, "PP"))["releases"][0]["release"]
    plan = plan_of(admin, one, "PP")
    assert (
        call(admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yanlış metin")["outcome"] == "withdrawn"
    )
    assert (
        call(admin, PUBLISHER, "yayıncı", "api.withdraw", release, "yine")["outcome"] == "already_withdrawn"
    )
    with as_login(admin, READER, "") as reader:
        assert reader.execute(
            "SELECT status, code FROM api.occurrence_status(%s, %s)", (release, one.occurrence("PP", 0))
        ).fetchone() == ("integrity_error", "withdrawn_release")
        assert (
            dict(reader.execute("SELECT release::text, state FROM api.releases()").fetchall())[release]
            == "withdrawn"
        )
    assert admin.execute(
        "SELECT count(*) FROM repetition.occurrence WHERE profile_key = %s", (one.profiles["PP"],)
    ).fetchone() == (4,)
    assert refused(admin, plan)["kind"] == "fact_mismatch"
    assert refused(admin, plan_of(admin, one, "PP"))["kind"] == "withdrawn"


def test_the_ledger_is_chained_and_a_change_is_found(admin: Connection, published: Published) -> None:
    def verified() -> tuple[Any, ...]:
        with as_login(admin, ADMINISTRATOR, "yönetici") as session:
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
        preimage = (
            len(tag).to_bytes(4, "big")
            + tag
            + seq.to_bytes(8, "big")
            + len(name).to_bytes(4, "big")
            + name
            + previous
            + len(payload).to_bytes(4, "big")
            + payload
        )
        assert hashlib.sha256(preimage).digest() == entry_hash


@pytest.mark.parametrize(
    ("role", "state"),
    [(READER, "42501"), (BUILDER, "42501"), (ADMINISTRATOR, "42501"), (OWNER, "TK033"), (PUBLISHER, "TK033")],
)
def test_only_a_publisher_who_is_an_actor_publishes(admin: Connection, role: str, state: str) -> None:
    with acting_as(admin, role) as connection:
        assert refusal(connection, "SELECT api.publish('{\"publications\": []}')") == state


def test_every_function_compiles(admin: Connection) -> None:
    admin.execute("SET check_function_bodies = on")
    for (definition,) in admin.execute(
        "SELECT pg_get_functiondef(p.oid) FROM pg_proc AS p JOIN pg_namespace AS n ON n.oid = p.pronamespace"
        " WHERE n.nspname IN ('api', 'core', 'curation', 'repetition', 'restricted', 'tekrar_meta')"
    ).fetchall():
        admin.execute(definition.encode())
