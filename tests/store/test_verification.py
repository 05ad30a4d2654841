"""What was changed behind the guards is found, with its place (ID-09, REL-09, REL-10, T5, T26)."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import psycopg
import pytest

from tekrar.errors import NotFoundError
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import of_embedded
from tekrar.store.verification import CHECKS, DatabaseDiffers, Verified, verify_releases
from tests.store.kept import (
    ADMIN,
    AUDITING,
    PUBLISHER,
    Kept,
    guarded,
    of_rows,
    tampering,
    unguarded,
    verified,
)
from tests.store.matrix import ADMINISTRATOR, BULK, OWNER, POINTERS, ROLES, RUNNER
from tests.store.place import tekrar, url_of
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_publication import call
from tests.store.test_verification_columns import EMPTY, OTHER, columns_of, drop_constraints


@pytest.fixture(autouse=True)
def every_finding_is_listed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tekrar.store.verification.findings.LIMIT", 10**6)


def tampered(kept: Kept, *statements: str, relations: tuple[str, ...] = ()) -> Verified:
    """What is found after statements of a superuser who leaves the guards as they were."""
    with tampering(kept.admin) as connection:
        unguarded(connection, *relations)
        for statement in statements:
            done = connection.execute(statement.encode())
            assert done.rowcount != 0, statement
        guarded(connection, *relations)
        return verified(connection)


def places(found: Verified, check: str) -> str:
    told = (f"{one.place}: {one.expected} / {one.found}" for one in found.findings if one.check == check)
    return "\n".join(told).replace('"', "")


def partition(kept: Kept, relation: str, *, release: str) -> str:
    """The partition of a relation that holds a published release's rows."""
    key = "release_key" if relation.startswith("core.") else "profile_key"
    row = kept.admin.execute(
        f"SELECT {key} FROM repetition.repetition_release WHERE release = %s".encode(), (release,)
    ).fetchone()
    assert row is not None
    return f"{relation}_{row[0]}"


def filled(kept: Kept) -> list[str]:
    """Every table of published facts, the runner's own left out."""
    return sorted({relation for relation, *_ in columns_of(kept.admin)} - EMPTY - RUNNER)


# -- a database that holds -------------------------------------------------------------------------------


def test_the_auditor_verifies_everything_by_the_login(kept: Kept) -> None:
    with open_target(of_embedded(kept.place, user=LOGIN)) as connection:
        steps: list[tuple[int, int]] = []
        done = verify_releases(
            connection, claims={"actor": AUDITING}, progress=lambda at, total: steps.append((at, total))
        )
    assert (len(done.releases), done.texts, done.artifacts) == (12, 3, 3)
    assert set(done.counts) == set(CHECKS)
    assert all(done.counts.values())
    assert steps == [(at, 15) for at in range(15)]
    assert done.as_record()["verified"] is True


def test_one_release_is_verified_with_its_artifact_alone(kept: Kept) -> None:
    release = kept.release("first", "FS")
    with tampering(kept.admin) as connection:
        done = verified(connection, release)
    assert (done.releases, done.texts, done.artifacts, done.findings) == ((release,), 1, 1, ())


def test_an_unknown_release_is_not_found(kept: Kept) -> None:
    with tampering(kept.admin) as connection, pytest.raises(NotFoundError):
        verified(connection, "00000000-0000-5000-8000-000000000000")


def test_findings_are_raised_as_one_typed_error(kept: Kept) -> None:
    """The program's own transaction raises what `examine` collects; nothing in the database changes."""
    admin, release = kept.admin, kept.release("second", "FP")
    with open_target(of_embedded(kept.place, user=LOGIN)) as connection:
        unguarded(admin, "repetition.visible")
        admin.execute("UPDATE repetition.visible SET version = version + 1 WHERE release = %s", (release,))
        try:
            with pytest.raises(DatabaseDiffers) as error:
                verify_releases(connection, claims={"actor": AUDITING})
        finally:
            admin.execute(
                "UPDATE repetition.visible SET version = version - 1 WHERE release = %s", (release,)
            )
            guarded(admin, "repetition.visible")
    assert (error.value.exit_status, error.value.kind) == (4, "release_differs")
    assert error.value.verified.as_record()["verified"] is False
    assert "visible" in error.value.message


@pytest.mark.req("REL-10")
def test_the_command_line_says_what_was_compared_and_found(kept: Kept, tmp_path: Path) -> None:
    release = kept.release("second", "FP")
    more = {"TEKRAR_DATABASE_URL": url_of(kept.place, user=LOGIN), "TEKRAR_ACTOR": AUDITING}
    done = tekrar(tmp_path, "release", "verify", "--all", "--json", **more)
    record = json.loads(done.stdout)
    assert (done.returncode, record["verified"], len(record["releases"])) == (0, True, 12)
    done = tekrar(tmp_path, "release", "verify", release, **more)
    assert done.returncode == 0
    assert "1 releases, 1 artifacts, 1 texts: the rows give what was published" in done.stdout
    for words in ((), (release, "--all")):
        done = tekrar(tmp_path, "release", "verify", *words, "--json", **more)
        assert (done.returncode, json.loads(done.stdout)["error"]["kind"]) == (2, "bad_arguments")
    unguarded(kept.admin, "repetition.series")
    change = "UPDATE repetition.series SET language = %s WHERE edition = 'bostan'"
    kept.admin.execute(change, ("ku",))
    guarded(kept.admin, "repetition.series")
    try:
        done = tekrar(tmp_path, "release", "verify", "--all", "--json", **more)
        plain = tekrar(tmp_path, "release", "verify", "--all", **more)
    finally:
        unguarded(kept.admin, "repetition.series")
        kept.admin.execute(change, ("tr",))
        guarded(kept.admin, "repetition.series")
    record, error = (json.loads(line) for line in done.stdout.splitlines())
    assert done.returncode == plain.returncode == 4
    assert error["error"]["kind"] == "release_differs"
    assert {one["check"] for one in record["findings"]} == {"publications"}
    assert "  expected  tr\n  found     ku" in plain.stdout


@pytest.mark.req("PUB-06")
def test_who_may_not_verify_is_told_so_and_of_no_damage(kept: Kept, tmp_path: Path) -> None:
    """Without a grant of auditor for all editions nothing is looked at, whatever else the caller may be."""
    release = kept.release("second", "FP")
    for name, scope in (("komşu", "bahçe"), ("kimse", "")):
        call(kept.admin, ADMINISTRATOR, ADMIN, "api.actor", name, None)
        if scope:
            call(kept.admin, ADMINISTRATOR, ADMIN, "api.grant_role", name, "auditor", scope, None, None)
    login, superuser = url_of(kept.place, user=LOGIN), url_of(kept.place)
    for url, actor, kind in (
        (login, "", "unknown_actor"),
        (login, "nobody", "unknown_actor"),
        (login, "kimse", "grant_missing"),
        (login, PUBLISHER, "grant_missing"),
        (login, "komşu", "grant_missing"),
        (superuser, "", "unknown_actor"),
    ):
        more = {"TEKRAR_DATABASE_URL": url, **({"TEKRAR_ACTOR": actor} if actor else {})}
        for words in (("--all",), (release,), ("00000000-0000-5000-8000-000000000000",)):
            done = tekrar(tmp_path, "release", "verify", *words, "--json", **more)
            error = json.loads(done.stdout)["error"]
            assert (done.returncode, error["kind"]) == (8, kind), (actor, words)
            assert "--as" in error["mend"]


@pytest.mark.req("ID-04")
def test_what_is_no_id_is_refused_as_such(kept: Kept, tmp_path: Path) -> None:
    for actor, words in (
        (AUDITING, ("release", "verify", "nonsense")),
        (AUDITING, ("release", "verify", kept.release("second", "FP").upper())),
        (PUBLISHER, ("withdraw", "nonsense", "--reason", "x")),
        (PUBLISHER, ("withdraw", "7", "--reason", "x")),
    ):
        more = {"TEKRAR_DATABASE_URL": url_of(kept.place, user=LOGIN), "TEKRAR_ACTOR": actor}
        done = tekrar(tmp_path, *words, "--json", **more)
        error = json.loads(done.stdout)["error"]
        assert (done.returncode, error["code"], error["kind"]) == (2, "usage_error", "bad_id"), words


# -- rows: every table -----------------------------------------------------------------------------------


@pytest.mark.req("ID-09", "PRO-18", "CORE-02")
def test_no_role_up_to_the_owner_changes_a_row_of_any_table(kept: Kept) -> None:
    tables = filled(kept)
    parts = [f"{t}_1" for t in tables if t in BULK]
    columns = {relation: name for relation, name, *_ in reversed(columns_of(kept.admin))}
    let_through = []
    for role in (*ROLES, OWNER):
        with acting_as(kept.admin, role) as connection:
            for table in (*tables, *parts):
                name = columns[table.removesuffix("_1")]
                for attack in (
                    f"UPDATE {table} SET {name} = {name}",
                    f"DELETE FROM {table}",
                    f"TRUNCATE {table} CASCADE",
                    f"MERGE INTO {table} USING (SELECT 1) AS one ON true WHEN MATCHED THEN DELETE",
                    f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {table} LIMIT 1",
                    f"INSERT INTO {table} OVERRIDING SYSTEM VALUE SELECT * FROM {table} LIMIT 1"
                    f" ON CONFLICT DO NOTHING",
                    f"COPY {table} FROM '/dev/null'",
                ):
                    state = refusal(connection, attack)
                    legal = (
                        role == OWNER and "DO NOTHING" in attack and table not in BULK and table not in parts
                    )
                    if state is None and not legal:
                        let_through.append((role, attack))
    assert let_through == []


@pytest.mark.faults
@pytest.mark.req("ID-09", "REL-10")
def test_a_deleted_row_of_any_table_is_found(kept: Kept) -> None:
    unseen = []
    for relation in filled(kept):
        row = kept.admin.execute(
            f"SELECT tableoid::regclass::text, ctid::text FROM {relation} ORDER BY 1, 2 LIMIT 1".encode()
        ).fetchone()
        assert row is not None
        part, place = row
        found = tampered(kept, f"DELETE FROM {part} WHERE ctid = '{place}'", relations=(part,))
        if not of_rows(found):
            unseen.append(relation)
    # The diff there is evidence that no structure rests on: nothing tells that it was ever stored.
    assert unseen == ["curation.passage_diff"]


_UNIQUE = """
    SELECT DISTINCT a.attname
    FROM pg_index i JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
    WHERE i.indrelid = %s::regclass AND i.indisunique
"""
_INDEXES = "SELECT indexrelid::regclass::text FROM pg_index WHERE indrelid = %s::regclass AND indisunique"


@pytest.mark.faults
@pytest.mark.req("ID-09", "CUR-05")
def test_an_added_row_of_any_table_is_found_or_refused(kept: Kept) -> None:
    """The first row once more, with other values wherever an index wants them unique; where a constraint
    takes none of these, without the constraints."""
    unseen, refused = [], {}
    for relation in filled(kept):
        (part,) = kept.admin.execute(
            f"SELECT tableoid::regclass::text FROM {relation} LIMIT 1".encode()
        ).fetchall()[0]
        statement = added_row(kept.admin, relation, part)
        try:
            found = tampered(kept, statement, relations=(part,))
        except psycopg.errors.IntegrityError as error:
            refused[relation] = str(error.diag.constraint_name)
            found = unconstrained(kept.admin, statement, relation, part)
        if not of_rows(found):
            unseen.append(relation)
    assert unseen == []
    # Closed lists, chained hashes and documents that name themselves take no other value of a key.
    assert refused == {
        "core.annotation": "annotation_check1",
        "core.dataset": "dataset_1_pkey",
        "curation.grant_entry": "one_first_grant",
        "curation.head": "head_name_check",
        "curation.head_move": "head_move_check",
        "curation.ledger": "entry_hash_covers_the_entry",
        "curation.passage_diff": "passage_diff_check",
        "curation.review_policy": "review_policy_policy_check",
        "repetition.profile": "initial_matrix",
        "repetition.release_set": "set_is_its_document",
        "repetition.validation": "validation_check",
        "repetition.witness_span": "closed_reasons",
    }


def unconstrained(
    connection: Connection, statement: str, relation: str, part: str, *, actor: str = AUDITING
) -> Verified:
    """What is found after a statement that the table's own constraints refuse."""
    with tampering(connection):
        unguarded(connection, part)
        drop_constraints(connection, relation)
        for (index,) in connection.execute(_INDEXES, (relation,)).fetchall():
            connection.execute(f"DROP INDEX {index}".encode())
        connection.execute(statement.encode())
        guarded(connection, part)
        return verified(connection, actor=actor)


def added_row(connection: Connection, relation: str, part: str) -> str:
    """A statement that adds a row of a table to one of its partitions."""
    unique = {name for (name,) in connection.execute(_UNIQUE, (part,)).fetchall()}
    unique -= {"release_key", "profile_key", "set_key"} if relation in BULK else set()
    own = [(name, kind) for table, name, kind, _ in columns_of(connection) if table == relation]
    values = ", ".join(another(name, kind) if name in unique else name for name, kind in own)
    return f"INSERT INTO {part} OVERRIDING SYSTEM VALUE SELECT {values} FROM {part} LIMIT 1"


def another(name: str, kind: str) -> str:
    """An expression of a value that no row has."""
    if kind in ("text", "bytea"):
        return f"{name} || 'x'" if kind == "text" else f"sha256({name})"
    return OTHER[kind][2 if kind in ("integer", "bigint") else 0].format(name)


@pytest.mark.req("CUR-05", "ID-09")
def test_a_row_of_a_structure_without_a_decision_is_found(kept: Kept) -> None:
    seven = "'0190a0a0-0000-7000-8000-000000000000'"
    one, end = f"{seven}, {seven}, {seven}", f"{seven}, sha256(''), {seven}, '{{0,1}}'"
    plain = {
        "proposal": f"sha256('x'), 'retire', 'e', {seven}, {seven}, 'default.v1', 'x', 1, 'd', 1, 0, now(),"
        " 1",
        "review": f"{seven}, sha256('x'), 'approve', 1, '', now(), 1",
        "decision": "1, sha256('x'), 'x', sha256('x'), 'retire', 1, now()",
        "family": f"{one}, 'variant', sha256(''), sha256(''), 2, 1",
        "quotation": f"{one}, 'formulaic_reuse', {end}, {end}, '{{0,1,0,1}}', NULL, 'a', 1",
        "canonical_choice": f"{one}, NULL, {seven}, {seven}, 'p', '1.0.0', 'editorially_designated',"
        " sha256(''), NULL, 1",
        "compensation": f"{seven}, 'r', 1",
        "false_positive_override": f"{seven}, sha256(''), sha256(''), sha256(''), {seven}, 1",
        "supersession": f"{seven}, 'retire', 'r', 1",
        "propagation_policy": f"{seven}, sha256('x'), 'x', '1.0.0'",
    }
    # The others hang on one of these.
    assert {f"curation.{name}" for name in plain} < EMPTY
    for name, values in plain.items():
        statement = f"INSERT INTO curation.{name} OVERRIDING SYSTEM VALUE VALUES ({values})"
        found = tampered(kept, statement)
        assert f"curation.{name}" in places(found, "closure"), name


# -- single attacks --------------------------------------------------------------------------------------


@pytest.mark.req("REL-10", "CL-04", "VAL-05")
def test_members_swapped_between_classes_of_equal_size_are_found(kept: Kept) -> None:
    query = (
        "SELECT profile_key, array_agg(class_no ORDER BY class_no) FROM repetition.class"
        " GROUP BY profile_key, size HAVING count(*) > 1 ORDER BY 1 LIMIT 1"
    )
    row = kept.admin.execute(query).fetchone()
    assert row is not None
    key, (a, b, *_) = row
    part = f"repetition.occurrence_{key}"
    one, other = (
        kept.admin.execute(
            f"SELECT array_agg(row_no ORDER BY row_no) FROM {part} WHERE class_no = {n}".encode()
        ).fetchone()[0]  # type: ignore[index]
        for n in (a, b)
    )
    found = tampered(
        kept,
        f"UPDATE {part} AS t SET (class_no, class, group_key, class_size)"
        f" = (SELECT u.class_no, u.class, u.group_key, u.class_size FROM {part} AS u"
        f" WHERE u.row_no = {one[-1]} + {other[-1]} - t.row_no)"
        f" WHERE row_no IN ({one[-1]}, {other[-1]})",
        relations=(part,),
    )
    assert f"repetition.class, members of class {a}" in places(found, "artifacts")


def _text_byte(kept: Kept) -> Verified:
    part = partition(kept, "core.text_block", release=kept.release("second", "FP"))
    return tampered(
        kept, f"UPDATE {part} SET data = set_byte(data, 0, get_byte(data, 0) # 32)", relations=(part,)
    )


def _root(kept: Kept) -> Verified:
    return tampered(
        kept,
        "UPDATE repetition.root SET root = sha256(root) WHERE position = 30 AND artifact_key = 1",
        relations=("repetition.root",),
    )


def _roots_of_two_releases(kept: Kept) -> Verified:
    one, other = kept.release("first", "FP"), kept.release("second", "FP")
    table = "repetition.repetition_release"
    return tampered(
        kept,
        f"UPDATE {table} r SET bound = o.bound, roots = o.roots FROM {table} o"
        f" WHERE (r.release, o.release) IN"
        f" (('{one}', '{other}'), ('{other}', '{one}'))",
        relations=(table,),
    )


def _pointer_back(kept: Kept) -> Verified:
    """With the guards on: the move is kept, and it is no entry's."""
    one, other = kept.release("first", "FP"), kept.release("second", "FP")
    return tampered(
        kept,
        f"UPDATE repetition.visible SET release = '{one}', version = version + 1 WHERE release = '{other}'",
    )


def _withdrawn_again_visible(kept: Kept) -> Verified:
    release = kept.release("partial", "FP")
    return tampered(
        kept,
        f"UPDATE repetition.visible v SET release = '{release}', version = version + 1"
        f" FROM repetition.repetition_release r"
        f" WHERE r.release = '{release}' AND v.series_key = r.series_key",
    )


def _incident_gone(kept: Kept) -> Verified:
    return tampered(kept, "DELETE FROM repetition.incident", relations=("repetition.incident",))


def _set_gone(kept: Kept) -> Verified:
    tables = ("repetition.release_set_member", "repetition.release_set")
    return tampered(kept, *(f"DELETE FROM {table}" for table in tables), relations=tables)


def _ledger_entry_gone(kept: Kept) -> Verified:
    last = "(SELECT max(seq) FROM curation.ledger)"
    return tampered(kept, f"DELETE FROM curation.ledger WHERE seq = {last}", relations=("curation.ledger",))


def _grant_earlier(kept: Kept) -> Verified:
    return tampered(
        kept,
        "UPDATE curation.grant_entry SET recorded_at = recorded_at - interval '1 day' WHERE grant_key = 2",
        relations=("curation.grant_entry",),
    )


def _revocation_gone(kept: Kept) -> Verified:
    return tampered(kept, "DELETE FROM curation.revocation", relations=("curation.revocation",))


def _status_complete(kept: Kept) -> Verified:
    """A partial profile that claims to be complete, with its release (COV-10)."""
    return tampered(
        kept,
        "UPDATE repetition.profile SET partial = false, exact_status = 'complete' WHERE partial",
        relations=("repetition.profile",),
    )


def _key_of_a_release(kept: Kept) -> Verified:
    """A release that points at the artifact of another, consistently in every key (REL-09)."""
    one, other = kept.release("first", "FP"), kept.release("second", "FP")
    table = "repetition.repetition_release"
    columns = "profile_key, artifact_key, release_key, profile, text_release"
    return tampered(
        kept,
        f"UPDATE {table} SET ({columns}) = (SELECT {columns} FROM {table} WHERE release = '{other}')"
        f" WHERE release = '{one}'",
        relations=(table,),
    )


def _seal_gone(kept: Kept) -> Verified:
    return tampered(
        kept, "DELETE FROM repetition.seal WHERE artifact_key = 1", relations=("repetition.seal",)
    )


def _same_id_other_bound(kept: Kept) -> Verified:
    """One root changed and everything made to fit but the ID, which is what the root decides (REL-09)."""
    release = kept.release("second", "PS")
    table = "repetition.repetition_release"
    return tampered(
        kept,
        f"UPDATE {table} SET bound = convert_to(replace(convert_from(bound, 'UTF8'),"
        f" convert_from(bound, 'UTF8')::jsonb ->> 'root/classes', encode(sha256('x'), 'hex')), 'UTF8'),"
        f" roots = sha256(convert_to(replace(convert_from(bound, 'UTF8'),"
        f" convert_from(bound, 'UTF8')::jsonb ->> 'root/classes', encode(sha256('x'), 'hex')), 'UTF8'))"
        f" WHERE release = '{release}'",
        relations=(table,),
    )


@pytest.mark.req("ID-09", "REL-09", "REL-10", "VAL-01")
@pytest.mark.parametrize(
    ("attack", "check", "place"),
    [
        (_text_byte, "texts", "core text"),
        (_root, "artifacts", "the rows in the database give another root"),
        (_roots_of_two_releases, "publications", "release"),
        (_pointer_back, "pointers", "repetition.visible of series"),
        (_withdrawn_again_visible, "pointers", "repetition.visible of series"),
        (_incident_gone, "pointers", "repetition.incident"),
        (_set_gone, "sets", "repetition.release_set"),
        (_ledger_entry_gone, "heads", "curation.head ledger"),
        (_grant_earlier, "authority", "recorded_at"),
        (_revocation_gone, "authority", "curation.revocation"),
        (_status_complete, "artifacts", "profile"),
        (_key_of_a_release, "publications", "repetition.repetition_release"),
        (_seal_gone, "closure", "repetition.artifact"),
        (_same_id_other_bound, "publications", "root/classes"),
    ],
    ids=lambda value: getattr(value, "__name__", None),
)
def test_an_attack_is_found_at_its_place(
    kept: Kept, attack: Callable[[Kept], Verified], check: str, place: str
) -> None:
    assert place in places(attack(kept), check)


# -- guards: every table ---------------------------------------------------------------------------------


@pytest.mark.req("ID-09")
@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE {0} DISABLE TRIGGER USER",
        "ALTER TABLE {0} ENABLE TRIGGER USER",  # no longer for a session that claims to replicate
        "ALTER TABLE {0} NO FORCE ROW LEVEL SECURITY",
        "ALTER TABLE {0} DISABLE ROW LEVEL SECURITY",
        "GRANT UPDATE ON {0} TO tekrar_reader",
        "ALTER TABLE {0} OWNER TO CURRENT_USER",
        "CREATE POLICY open ON {0} USING (true)",
        "CREATE RULE nothing AS ON DELETE TO {0} DO INSTEAD NOTHING",
        "ALTER TABLE {0} ADD COLUMN extra integer",
    ],
)
def test_a_guard_that_is_off_on_any_table_is_found(kept: Kept, change: str) -> None:
    tables = list({relation for relation, *_ in columns_of(kept.admin)} - RUNNER)
    tables += [] if "ADD COLUMN" in change else [f"{t}_1" for t in tables if t in BULK]
    found = tampered_schema(kept, *(change.format(table) for table in tables))
    told = places(found, "schema")
    assert [table for table in sorted(tables) if table not in told] == []


def tampered_schema(kept: Kept, *statements: str) -> Verified:
    with tampering(kept.admin) as connection:
        for statement in statements:
            connection.execute(statement.encode())
        return verified(connection)


@pytest.mark.req("ID-09")
@pytest.mark.parametrize(
    ("change", "place"),
    [
        ("CREATE TABLE core.sentence_extra (LIKE core.sentence)", "core.sentence_extra"),
        ("CREATE FUNCTION api.more() RETURNS integer LANGUAGE sql RETURN 1", "api.more"),
        ("DROP TRIGGER sealed_at_commit ON core.release", "sealed_at_commit"),
        ("DROP POLICY reads_published ON core.sentence", "core.sentence reads_published"),
        (
            "CREATE OR REPLACE FUNCTION api.token(list text, number smallint) RETURNS text LANGUAGE sql"
            " IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $$ SELECT 'unique' $$",
            "api.token",
        ),
        ("ALTER TABLE repetition.class DROP CONSTRAINT at_least_two_members CASCADE", "at_least_two_members"),
        ("ALTER TABLE core.sentence DETACH PARTITION core.sentence_1", "core.sentence_1"),
        ("DROP TABLE core.separator_1", "core.separator_1"),
        ("DROP TABLE repetition.release_set_member CASCADE", "release_set_member"),
        ("DROP TABLE curation.ledger CASCADE", "curation.ledger"),
        ("ALTER FUNCTION api.publish(jsonb) SECURITY INVOKER", "api.publish"),
        ("ALTER FUNCTION api.publish(jsonb) RESET search_path", "api.publish"),
        ("GRANT EXECUTE ON FUNCTION api.publish(jsonb) TO PUBLIC", "api.publish"),
        ("GRANT tekrar_owner TO tekrar_login", "tekrar_login of tekrar_owner"),
        ("ALTER ROLE tekrar_reader BYPASSRLS", "role tekrar_reader"),
        ("CREATE TABLE public.more () INHERITS (core.release)", "public.more"),
        ("ALTER TABLE repetition.seal DISABLE TRIGGER ALL", "repetition.seal"),
        (
            "UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'core.release_pkey'::regclass",
            "release_pkey",
        ),
        ("DELETE FROM tekrar_meta.migration WHERE n = 3", "tekrar_meta.migration"),
    ],
)
def test_a_changed_schema_is_found_at_its_place(kept: Kept, change: str, place: str) -> None:
    assert place in places(tampered_schema(kept, change), "schema")


@pytest.mark.req("ID-09")
def test_a_partition_of_another_key_in_its_place_is_found(kept: Kept) -> None:
    found = tampered_schema(
        kept,
        "ALTER TABLE core.separator DETACH PARTITION core.separator_1",
        "ALTER TABLE core.separator DETACH PARTITION core.separator_2",
        "ALTER TABLE core.separator_1 DROP CONSTRAINT of_one_key",
        "ALTER TABLE core.separator_1 DISABLE TRIGGER USER",
        "UPDATE core.separator_1 SET release_key = 2",
        "ALTER TABLE core.separator ATTACH PARTITION core.separator_1 FOR VALUES IN (2)",
    )
    assert "core.separator_1" in places(found, "schema")
    assert of_rows(found)


def test_a_finding_is_flat_json(kept: Kept) -> None:
    record = _pointer_back(kept).as_record()
    assert json.loads(json.dumps(record)) == record
    assert {"check", "place", "expected", "found"} == set(record["findings"][0])


def test_pointers_are_the_two_relations_that_move(kept: Kept) -> None:
    assert set(filled(kept)) >= POINTERS
