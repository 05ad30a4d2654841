"""The ledger exported and replayed into a database without entries: the same rows, IDs and heads."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import count
from pathlib import Path

import pytest

from tekrar.core.curation.ledger import BEFORE, entry_hash, payload_bytes
from tekrar.core.encoding import canonical_json
from tekrar.errors import DatabaseError, SourceError, TekrarError
from tekrar.store.curation.ledger import export_ledger, replay_ledger
from tekrar.store.embedded import database_of
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.server.launcher import Launcher
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curated import REVIEWER_TWO, Bench, people
from tests.store.matrix import ADMINISTRATOR, OWNER, PUBLISHER
from tests.store.place import drop_database, make_database_from, settings_in, url_of
from tests.store.publication_state import alone, held_at_a_step, until
from tests.store.publish_killer import killer_in
from tests.store.schema_database import acting_as
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, as_login, call, new_load, plan_of, publish
from tests.store.server_killer import kill_server

PREFIXES = ("bir ", "iki ")
_numbers = count(1)


def world(admin: Connection, actors: Loaded) -> list[bytes]:
    """Every kind of entry; the lines of its export."""
    people(admin)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    one, two = (Bench(admin, new_load(admin, prefix)) for prefix in PREFIXES)
    four = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (whole,) = one.decide(one.accept(*four))["structures"]
    rejected = one.submit(two.accept(("o", 2), ("o", 3)))
    two.review(rejected, "reject")
    parts = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    moves = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    one.decide(one.supersede("split", [whole], parts, moves))
    first = published(admin, one.loaded)
    body = one.choice(first["FP"], ("c", 0), one.id_of(("o", 0)))
    (old,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    again = one.choice(first["FP"], ("c", 0), one.id_of(("o", 1)), supersedes=old)
    (new,) = one.decide(one.action("choose_canonical", "choice", again))["structures"]
    two.decide(two.action("accept_quotation", "quotation", two.quotation(two.end(0), two.end(1))))
    one.decide(one.action("compensate_choice", "compensation", {"choice": new, "reason": "yanlış"}))
    second = published(admin, one.loaded)
    assert first["FP"] != second["FP"]
    published(admin, two.loaded)
    call(admin, PUBLISHER, "yayıncı", "api.withdraw", second["PS"], "deneme")
    number = call(
        admin, ADMINISTRATOR, "yönetici", "api.grant_role", REVIEWER_TWO, "reader", "bahçe", None, None
    )
    call(admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", number["grant"])
    call(admin, ADMINISTRATOR, "yönetici", "api.freeze", "ara")
    one.submit(one.action("accept_quotation", "quotation", one.quotation(one.end(0), one.end(1))))
    with as_login(admin, "tekrar_curator", "yazar") as session:
        session.execute("SELECT api.crosswalk('isbn', '978', %s)", (whole,))
    assert actors.release_key
    return exported(admin)


def published(admin: Connection, loaded: Loaded) -> dict[str, uuid.UUID]:
    done = publish(admin, plan_of(admin, loaded, *PROFILES, together=True))
    return {row["short"]: uuid.UUID(row["release"]) for row in done["releases"]}


def exported_from(database: Embedded) -> list[bytes]:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        return list(export_ledger(connection, actor="yayıncı"))


def exported(admin: Connection) -> list[bytes]:
    with open_target(of_embedded(_PLACES[admin.info.dbname], user=LOGIN)) as connection:
        return list(export_ledger(connection, actor="yayıncı", page=7))


def places(admin: Connection, database: Embedded) -> None:
    """Say where the database of this connection is, for logins of its own."""
    _PLACES[admin.info.dbname] = database


_PLACES: dict[str, Embedded] = {}


@contextmanager
def rebuilt(template: Embedded, prefixes: Sequence[str] = PREFIXES) -> Iterator[Connection]:
    """A database that has the same artifacts and no entry of the ledger."""
    place = make_database_from(template, f"tekrar_replay_{next(_numbers)}")
    try:
        with open_target(of_embedded(place, user=SUPERUSER)) as connection:
            for prefix in ("", *prefixes):
                new_load(connection, prefix)
            yield connection
    finally:
        drop_database(place)


def everything(connection: Connection) -> dict[str, list[str]]:
    """All rows of what the ledger makes, as text, without the keys that a database counts for itself."""
    names = [
        row[0]
        for row in connection.execute(
            "SELECT c.oid::regclass::text FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace"
            " WHERE c.relkind = 'r' AND NOT c.relispartition AND (n.nspname = 'curation'"
            " OR c.oid::regclass::text IN ('repetition.repetition_release', 'repetition.series',"
            " 'repetition.visible', 'repetition.pointer_move', 'repetition.incident',"
            " 'repetition.release_set', 'repetition.release_set_member',"
            " 'restricted.release_control')) ORDER BY 1"
        ).fetchall()
    ]
    return {
        name: sorted(str(row) for row in connection.execute(f"SELECT * FROM {name}".encode()).fetchall())
        for name in names
        if name != "curation.draft"
    }


def rechained(lines: list[bytes], number: int, **more: str | None) -> list[bytes]:
    """The export with a payload changed (None: a key away) and every later hash made again: a chain that
    holds."""
    found: list[bytes] = []
    previous = BEFORE
    for place, line in enumerate(lines[1:]):
        entry = json.loads(line)
        payload = entry["payload"] | (more if place == number else {})
        payload = {key: value for key, value in payload.items() if value is not None}
        own = entry_hash(place, entry["kind"], payload_bytes(payload), previous=previous)
        entry |= {"payload": payload, "previous": previous.hex(), "hash": own.hex()}
        found.append(canonical_json(entry) + b"\n")
        previous = own
    first = {"entries": str(len(found)), "format": "tekrar/ledger/v1", "head": previous.hex()}
    return [canonical_json(first) + b"\n", *found]


@pytest.fixture(scope="module")
def lines(admin: Connection, actors: Loaded, database: Embedded) -> list[bytes]:
    places(admin, database)
    return world(admin, actors)


@pytest.mark.req("ID-03", "ID-07", "CUR-02")
def test_a_replay_makes_every_row_and_head_again(
    admin: Connection, lines: list[bytes], template: Embedded
) -> None:
    with rebuilt(template) as connection:
        done = replay_ledger(connection, lines)
        assert done.entries == len(lines) - 1
        before, after = everything(admin), everything(connection)
        assert before.keys() == after.keys()
        for name in before:
            assert after[name] == before[name], name
        with pytest.raises(DatabaseError, match="entries already") as refused:
            replay_ledger(connection, lines)
        assert refused.value.kind == "ledger_not_empty"
        assert everything(connection) == after


@pytest.mark.req("ID-07")
def test_a_missing_or_altered_entry_is_named_and_nothing_is_kept(
    admin: Connection, lines: list[bytes], template: Embedded
) -> None:
    with rebuilt(template) as connection:
        before = everything(connection)

        def refused(changed: list[bytes]) -> TekrarError:
            with pytest.raises(TekrarError) as error:
                replay_ledger(connection, changed)
            assert everything(connection) == before
            return error.value

        middle = len(lines) // 2
        assert "entry" in str(refused([*lines[:middle], *lines[middle + 1 :]]))
        assert isinstance(refused([*lines[:middle], *lines[middle + 1 :]]), SourceError)
        for number in range(1, len(lines)):
            document = json.loads(lines[number])
            payload = document["payload"]
            key = sorted(payload)[0]
            payload[key] = payload[key] + "x"
            changed = json.dumps(document, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()
            error = refused([*lines[:number], changed, *lines[number + 1 :]])
            assert f"entry {number - 1}" in str(error), str(error)
        assert refused(lines[:-1]).kind == "ledger_chain"
        first, one, *rest = lines
        count = f'"entries":"{len(lines) - 1}"'.encode()
        for other in (b"9" * 5000, b"9" * 30, b"0%d" % (len(lines) - 1), "٣".encode(), "³".encode()):
            wrong = first.replace(count, b'"entries":"%s"' % other)
            assert (refused([wrong, one, *rest]).kind, wrong != first) == ("ledger_line", True)
        for wrong in (
            one.replace(b"0" * 64, b"1" + b"0" * 63),
            one.replace(b"0" * 64, b"none"),
            one.replace(b'"payload":{', b'"payload":{"a":"\\ud800",'),
            one.replace(b",", b", ", 1),
            one.replace(b"\n", b"\r\n"),
        ):
            error = refused([first, wrong, *rest])
            assert (error.kind, wrong != one) == ("ledger_line", True)
            assert "entry 0" in str(error)


@pytest.mark.req("ID-07", "CUR-05", "CUR-06")
def test_an_entry_that_no_store_would_have_written_is_refused(
    admin: Connection, lines: list[bytes], template: Embedded
) -> None:
    """In a chain that holds: a key that nothing reads, or one away, in every kind of entry; a freeze for no
    reason; a withdrawal of what was never published, and of nothing twice; a login that may do more."""
    kinds = [json.loads(line)["kind"] for line in lines[1:]]
    nobody = "00000000-0000-4000-8000-000000000000"
    wrong: list[tuple[int, dict[str, str | None], str]] = []
    for kind in sorted(set(kinds)):
        number = kinds.index(kind)
        wrong.append((number, {"fazladan": "söz"}, "ledger_entry"))
        wrong.append((number, {"recorded_at": None}, "ledger_entry"))
    for kind, more, expected in (
        ("freeze", {"reason": " "}, "ledger_entry"),
        ("withdrawal", {"release": nobody}, "ledger_entry"),
        ("withdrawal", {"release": "hiç"}, "ledger_entry"),
        ("withdrawal", {"reason": ""}, "ledger_entry"),
        ("withdrawal", {"recorded_at": "now"}, "ledger_entry"),
        ("review", {"recorded_at": "infinity"}, "ledger_entry"),
        ("review", {"recorded_at": "2030-01-01 00:00:00.000000Z"}, "ledger_entry"),
        ("grant", {"valid_from": "yesterday"}, "ledger_entry"),
        ("grant", {"valid_to": "infinity"}, "ledger_entry"),
        ("review", {"review": "01900000-0000-7000-8000-00000000000A"}, "ledger_entry"),
        ("proposal", {"freeze": "0 "}, "ledger_entry"),
        ("publication", {"releases": "", "set": ""}, "ledger_entry"),
        ("grant", {"role": "hepsi"}, "ledger_entry"),
        ("actor", {"login": "postgres"}, "actor_login"),
        ("actor", {"login": OWNER}, "actor_login"),
    ):
        number = len(kinds) - 1 - kinds[::-1].index(kind) if kind == "grant" else kinds.index(kind)
        wrong.append((number, dict(more), expected))
    with rebuilt(template) as connection:
        before = everything(connection)
        for number, more, expected in wrong:
            with pytest.raises(DatabaseError) as error:
                replay_ledger(connection, rechained(lines, number, **more))
            found = error.value
            said = (kinds[number], more, str(found))
            assert (found.kind, found.where) == (expected, f"ledger entry {number}"), said
            assert str(found).count("ledger entry") == 1, said
        assert everything(connection) == before
        assert replay_ledger(connection, lines).entries == len(kinds)


@pytest.mark.faults
@pytest.mark.req("ID-07", "REB-01")
def test_a_replay_whose_client_is_killed_leaves_nothing(
    lines: list[bytes], template: Embedded, tmp_path: Path
) -> None:
    """kill -9 in the middle of an apply: the database has no entry, and takes the replay afterwards."""
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(b"".join(lines))
    with rebuilt(template) as connection, killer_in(tmp_path) as killer:
        before = everything(connection)
        place = Embedded(template.socket_dir, template.server_user, connection.info.dbname)
        words = ("ledger", "replay", str(file))
        pid = killer.start(url_of(place), *words, stop_at="apply/expansion", stop_for=60)
        until(lambda: held_at_a_step(connection))
        os.kill(pid, signal.SIGKILL)
        assert killer.ended() == {"signal": signal.SIGKILL}
        until(lambda: alone(connection))
        assert everything(connection) == before
        killer.start(url_of(place), *words)
        assert killer.ended() == {"exit": 0}
        rows = connection.execute("SELECT count(*) FROM curation.ledger").fetchone()
        assert rows == (len(lines) - 1,)


@pytest.mark.faults
@pytest.mark.req("ID-07", "REB-01")
def test_a_replay_whose_server_is_killed_leaves_nothing(
    lines: list[bytes], pristine: Path, tmp_path: Path
) -> None:
    """Its postmaster and all children, in the middle of an apply; after its recovery there is no entry."""
    file = tmp_path / "ledger.jsonl"
    file.write_bytes(b"".join(lines))
    subprocess.run(["cp", "-a", str(pristine / "server"), str(tmp_path)], check=True)
    launcher = Launcher(settings_in(tmp_path))
    place = database_of(launcher.settings)

    def connect() -> Connection:
        database_of(launcher.settings)
        return open_target(of_embedded(place, user=SUPERUSER))

    try:
        with connect() as admin:
            for prefix in ("", *PREFIXES):
                new_load(admin, prefix)
            before = everything(admin)
            with killer_in(tmp_path) as killer:
                words = ("ledger", "replay", str(file))
                killer.start(url_of(place), *words, stop_at="apply/expansion", stop_for=60)
                until(lambda: held_at_a_step(admin))
                kill_server(launcher.ensure().pid)
                assert killer.ended() == {"exit": 8}
        with connect() as admin:
            assert everything(admin) == before
            assert replay_ledger(admin, lines).entries == len(lines) - 1
    finally:
        launcher.stop()


@pytest.mark.req("CUR-05")
def test_nobody_but_the_owner_replays(admin: Connection) -> None:
    for role in ("tekrar_administrator", "tekrar_auditor", "tekrar_curator", "tekrar_builder"):
        with acting_as(admin, role) as connection, pytest.raises(Exception, match="permission denied"):
            connection.execute("SELECT api.replay_begin()")
