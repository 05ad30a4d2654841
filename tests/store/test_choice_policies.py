"""Texts of choice policies: kept once, named by choices, carried by the ledger; and what yesterday's choices,
whose texts nobody kept, become (CAN-03)."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator

import psycopg
import pytest

from tekrar.core.curation.ledger import BEFORE, entry_hash
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.replay import Entry, replay
from tekrar.core.encoding import canonical_json, sha256
from tekrar.errors import DatabaseError, TekrarError
from tekrar.store.curation.ledger import FORMAT, export_ledger, replay_ledger
from tekrar.store.curation.listing import Asker
from tekrar.store.curation.policies import register_policy
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.decisions import check_decisions
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import read_ledger
from tests.store.curated import AUTHOR, REVIEWER_ONE, RULE, TEXT, Bench, Body, people
from tests.store.matrix import ADMINISTRATOR
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, call, new_load, plan_of, publish
from tests.store.test_replay import places, rebuilt


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded, database: Embedded) -> Bench:
    places(admin, database)
    people(admin)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    return Bench(admin, actors)


@pytest.fixture
def connection(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


def released(one: Bench, short: str = "FP") -> str:
    done = publish(one.admin, plan_of(one.admin, one.loaded, *PROFILES))
    return next(str(r["release"]) for r in done["releases"] if r["short"] == short)


@pytest.mark.req("CAN-03")
def test_a_version_has_one_text_and_rule_for_ever(bench: Bench, connection: Connection) -> None:
    said = {"rule": "fullest_context", "actor": AUTHOR}
    done = register_policy(connection, "baglam", "1.0.0", document="En geniş yer.".encode(), **said)
    assert (done["outcome"], done["digest"]) == ("registered", sha256("En geniş yer.".encode()).hex())
    before = bench.value("SELECT count(*) FROM curation.ledger")
    again = register_policy(connection, "baglam", "1.0.0", document="En geniş yer.".encode(), **said)
    assert again == {**done, "outcome": "already_registered"}
    for document, rule in (("Başka.", "fullest_context"), ("En geniş yer.", RULE)):
        with pytest.raises(DatabaseError) as error:
            register_policy(
                connection, "baglam", "1.0.0", rule=rule, document=document.encode(), actor=AUTHOR
            )
        assert error.value.kind == "policy_differs"
    assert bench.value("SELECT count(*) FROM curation.ledger") == before
    register_policy(connection, "baglam", "1.10.0", document=b"Sonra.", **said)
    register_policy(connection, "baglam", "1.9.0", document=b"Once.", **said)
    listed = Asker(connection, Role.CURATOR, AUTHOR).policies("baglam")
    assert [one["version"] for one in listed] == ["1.0.0", "1.9.0", "1.10.0"]
    assert (listed[0]["document"], listed[0]["author"]) == ("En geniş yer.", AUTHOR)
    assert Asker(connection).policies("baglam") == []  # nothing was published since
    with pytest.raises(DatabaseError) as error:
        register_policy(connection, "okurun", "1.0.0", rule=RULE, document=b"x", actor=REVIEWER_ONE)
    assert error.value.kind.startswith("grant_")


@pytest.mark.req("CAN-04")
@pytest.mark.parametrize(
    ("name", "version", "rule", "document", "kind"),
    [
        ("x", "1.0.0", "shortest_uuid", b"x", "silent_rule"),
        ("x", "1.0.0", "longest", b"x", "unknown_kind"),
        ("X", "1.0.0", RULE, b"x", "malformed"),
        ("x", "1.0", RULE, b"x", "malformed"),
        ("x", "1.0.0", RULE, b"", "bad_text"),
        ("x", "1.0.0", RULE, b"x" * 65537, "bad_text"),
        ("x", "1.0.0", RULE, b"a\0b", "bad_text"),
        ("x", "1.0.0", RULE, b"\xff", "not_utf8"),
    ],
)
def test_what_is_no_policy(
    bench: Bench, connection: Connection, name: str, version: str, rule: str, document: bytes, kind: str
) -> None:
    with pytest.raises(TekrarError) as error:
        register_policy(connection, name, version, rule=rule, document=document, actor=AUTHOR)
    assert error.value.kind == kind
    if kind in ("silent_rule", "unknown_kind", "malformed"):  # the database itself refuses it too
        words = (name, version, rule, document.decode())
        with pytest.raises(psycopg.Error) as refused:
            call(bench.admin, "tekrar_curator", AUTHOR, "api.register_policy", *words)
        assert json.loads(refused.value.diag.message_detail or "")["kind"] == kind


@pytest.mark.req("CAN-03")
def test_a_choice_is_under_a_registered_policy(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "ilke "))
    release = uuid.UUID(released(one))
    body = one.choice(release, ("c", 0), one.id_of(("o", 0)))

    def refused(**policy: str) -> Body:
        said = {**body, "policy": {**body["policy"], **policy}}
        with pytest.raises(psycopg.Error) as error:
            one.submit(one.action("choose_canonical", "choice", said))
        return dict(json.loads(error.value.diag.message_detail or ""))

    missing = refused(name="yok", version="2.0.0")
    assert missing["kind"] == "policy_not_registered"
    assert "edition.first 1.0.0" in missing["expected"]
    assert missing["found"] == f"--name yok --policy-version 2.0.0 --rule {RULE}"
    assert (refused(document="cd" * 32)["kind"], refused(document="cd" * 32)["fact"]) == (
        "policy_differs",
        "choice.policy.document",
    )
    assert refused(rule="fullest_context")["fact"] == "choice.policy.rule"
    (choice,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    found = one.value("SELECT api.canonical(%s, %s, 'edition.first')", released(one), one.id_of(("c", 0)))
    assert (found["choice"], found["policy_text"]) == (choice, "kept")


def entries_of(lines: list[bytes]) -> list[Body]:
    return [json.loads(line) for line in lines[1:]]


def chained(entries: list[Body]) -> list[bytes]:
    """An export of these payloads, numbered and chained anew."""
    previous, lines = BEFORE, []
    for seq, one in enumerate(entries):
        payload = canonical_json(one["payload"])
        own = entry_hash(seq, str(one["kind"]), payload, previous=previous)
        made = {**one, "seq": str(seq), "previous": previous.hex(), "hash": own.hex()}
        lines.append(canonical_json(made) + b"\n")
        previous = own
    head = {"entries": str(len(lines)), "format": FORMAT, "head": previous.hex()}
    return [canonical_json(head) + b"\n", *lines]


def modelled(lines: list[bytes]) -> None:
    """The entries through the model of core."""
    chain = ((bytes.fromhex(one["previous"]), bytes.fromhex(one["hash"]), one) for one in entries_of(lines))
    replay(Entry(int(one["seq"]), one["kind"], one["payload"], before, own) for before, own, one in chain)


@pytest.mark.req("CAN-03", "REB-01", "CUR-05")
def test_yesterdays_choices_stay_and_their_text_can_be_kept_later(
    bench: Bench, admin: Connection, database: Embedded, template: Embedded
) -> None:
    """The same ledger without its registrations is one of before there were any."""
    one = Bench(admin, new_load(admin, "dün "))
    release = released(one)
    body = one.choice(uuid.UUID(release), ("c", 0), one.id_of(("o", 0)), policy={"name": "eski"})
    one.decide(one.action("choose_canonical", "choice", body))
    (family,) = one.decide(one.accept(("o", 2), ("o", 3)))["structures"]
    last = released(one)
    with open_target(of_embedded(database, user=LOGIN)) as login:
        lines = list(export_ledger(login, actor="yayıncı"))
    modelled(lines)
    kept = entries_of(lines)
    yesterday = chained([entry for entry in kept if entry["kind"] != "policy"])
    modelled(yesterday)
    # One registration that is left makes a ledger of today, in which a choice needs its own.
    some = chained([one for one in kept if one["kind"] != "policy" or one["payload"]["name"] != "eski"])
    if len(some) > len(yesterday):
        with pytest.raises(CurationRefusal) as refused:
            modelled(some)
        assert refused.value.kind == "policy_not_registered"
    with rebuilt(template, ("ilke ", "dün ")) as other:
        if len(some) > len(yesterday):
            with pytest.raises(DatabaseError) as error:
                replay_ledger(other, some)
            assert error.value.kind == "policy_not_registered"
        replay_ledger(other, yesterday)
        assert other.execute("SELECT count(*) FROM curation.choice_policy").fetchone() == (0,)
        _keep_later(Bench(other, one.loaded), last, family)
        findings = Findings()
        check_decisions(other, read_ledger(other, findings), findings)
        assert findings.found == []


def _keep_later(one: Bench, release: str, family: str) -> None:
    """In the store of yesterday: the choice stands, its text is not kept, and then it is."""
    exact = one.id_of(("c", 0))

    def asked(policy: str, structure: object = exact) -> Body:
        return dict(one.value("SELECT api.canonical(%s, %s, %s)", release, structure, policy))

    found = asked("eski")
    assert (found["status"], found["policy_text"]) == ("resolved", "not_kept")
    assert asked("eski", family)["reason"] == "policy_text_not_kept"
    assert asked("yok", family)["reason"] == "policy_not_registered"
    said = {"name": "eski", "version": "1.0.0", "rule": RULE, "document": sha256(TEXT.encode()).hex()}
    body = {
        "structure": {"tag": "class", "id": str(exact), "release": release},
        "member": str(one.id_of(("o", 1))),
        "policy": said,
        "supersedes": found["choice"],
    }
    with pytest.raises(psycopg.Error, match="not registered"):
        one.submit(one.action("choose_canonical", "choice", body))
    for text, rule in (("Başka.", RULE), (TEXT, "fullest_context")):
        with pytest.raises(psycopg.Error, match="another"):
            one.register("eski", text=text, rule=rule)
    assert one.register("eski") == said["document"]
    assert asked("eski")["policy_text"] == "kept"
    assert asked("eski", family)["status"] == "unselected"
    one.register("sonra")
    assert asked("sonra", family)["reason"] == "policy_not_in_release"
    one.decide(one.action("choose_canonical", "choice", body))
