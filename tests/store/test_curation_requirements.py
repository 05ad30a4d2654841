"""What holds of curation as a whole (FAM-06, QRY-03, VAL-06).

Membership that arises twice is refused, no list decides a status, and geometry relates nothing.
"""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import psycopg
import pytest
from psycopg import sql

from tekrar.artifact import Artifact
from tekrar.core.curation.action import parse
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.rules import check_action
from tekrar.core.identity import members_digest
from tekrar.corpus.release_package import open_release
from tekrar.store.curation.facts import StoredView, basis_of
from tekrar.store.curation.listing import Asker
from tekrar.store.load import load
from tekrar.store.publish import prepare, publish
from tekrar.store.read import Reader
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.conftest import ROOT
from tests.store.curated import AUTHOR, Bench, Body, people
from tests.store.kept import unguarded
from tests.store.load_corpus import make
from tests.store.schema_load import Loaded, name
from tests.store.schema_publication import PROFILES, new_load
from tests.store.test_curation_api import released

SOURCE: Final = ROOT / "src" / "tekrar"
#: The words among which an empty list must not choose (QRY-02).
STATUSES: Final = frozenset(
    "unique not_evaluated excluded pending unselected rejected retired ambiguous integrity_error".split()
)
#: Where what people related stands.
RELATIONS: Final = tuple(
    f"curation.{table}"
    for table in (
        "family family_member family_diff effective_membership quotation canonical_choice effective_choice"
        " compensation supersession succession succession_member decision decision_review"
        " false_positive_override"
    ).split()
)
SCHEMAS: Final = ("api", "core", "curation", "repetition", "restricted", "tekrar_meta")


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


@pytest.fixture
def connection(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


# -- FAM-06 -------------------------------------------------------------------


def second_class(bench: Bench) -> Body:
    """Make, as only who owns the tables can, a second exact class that shares a member of the first one; the
    member of a family that it would be. Rows 1 and 2 are in it, row 1 in class 0 as well."""
    key, admin = bench.loaded.profiles["FP"], bench.admin
    tables = [f"repetition.{table}{part}" for table in ("occurrence", "class") for part in ("", f"_{key}")]
    unguarded(admin, *tables)
    own, witness, ids = name("second", str(key)), b"\2" * 32, [bench.id_of(("o", row)) for row in (1, 2)]
    inventory = members_digest([one.bytes for one in ids])
    # One state an occurrence is a constraint: without tampering there is no such class (CL-03).
    columns = [
        row[0]
        for row in admin.execute(
            "SELECT attname FROM pg_attribute WHERE attrelid = 'repetition.occurrence'::regclass"
            " AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
        ).fetchall()
    ]
    changed = {"row_no": 90, "class_no": 7, "class": own, "class_size": 2, "presentation": 1, "part": 1}
    values = sql.SQL(", ").join(
        sql.Literal(changed[column]) if column in changed else sql.Identifier(column) for column in columns
    )
    copy = sql.SQL(
        "INSERT INTO repetition.occurrence ({}) SELECT {} FROM repetition.occurrence"
        " WHERE profile_key = {} AND occurrence = {}"
    ).format(sql.SQL(", ").join(map(sql.Identifier, columns)), values, sql.Literal(key), sql.Literal(ids[0]))
    with pytest.raises(psycopg.errors.UniqueViolation), admin.transaction():
        admin.execute(copy)
    admin.execute("ALTER TABLE repetition.occurrence DROP CONSTRAINT occurrence_profile_key_occurrence_key")
    admin.execute(copy)
    admin.execute(
        "UPDATE repetition.occurrence SET class_no = 7, class = %s, class_size = 2, presentation = 1,"
        " part = 1,"
        " fingerprint = coalesce(fingerprint, %s), code = NULL WHERE profile_key = %s AND occurrence = %s",
        (own, b"\3" * 32, key, ids[1]),
    )
    admin.execute(
        "INSERT INTO repetition.class (profile_key, class_no, class, size, length, members, witness,"
        " first_row)"
        " VALUES (%s, 7, %s, 2, 1, %s, %s, 2)",
        (key, own, inventory, witness),
    )
    return {
        "tag": "class", "id": str(own), "witness": witness.hex(), "count": "2", "inventory": inventory.hex(),
    }  # fmt: skip


@pytest.mark.req("FAM-06")
def test_an_occurrence_through_two_classes_is_refused_at_the_proposal(bench: Bench) -> None:
    """By SQL at the proposal, and by the rules of the core over the same rows; nothing is written."""
    one = Bench(bench.admin, new_load(bench.admin, "iki sınıf "))
    basis = released(one)
    first = one.member(("c", 0))
    with one.admin.transaction(force_rollback=True):
        members = sorted([first, second_class(one)], key=lambda m: str(m["id"]))
        ids = [one.id_of(("o", row)) for row in (0, 1, 2)]
        firsts = [one.id_of(("o", 0)), one.id_of(("o", 2))]
        diffs = [{"left": str(firsts[0]), "right": str(firsts[1]), "diff": one.diff(*firsts)}]
        for count, root in ((3, ids), (4, [*ids, ids[1]])):
            family = {
                "kind": "variant",
                "members": members,
                "expansion": {"count": str(count), "root": members_digest([i.bytes for i in root]).hex()},
                "diffs": diffs,
            }
            action = one.action("accept_family", "family", family)
            before = one.value("SELECT count(*) FROM curation.ledger")
            with pytest.raises(psycopg.Error) as error:
                one.submit(action)
            detail = json.loads(error.value.diag.message_detail or "{}")
            assert (detail["kind"], detail["fact"]) == ("double_membership", "family.members")
            assert one.value("SELECT count(*) FROM curation.ledger") == before
            view = StoredView(one.admin, basis_of(one.admin, release=basis))
            with pytest.raises(CurationRefusal) as refusal:
                check_action(parse(action), view)
            assert (refusal.value.kind, refusal.value.where) == ("double_membership", "$.family.members[1]")
        # Each class by itself is a member: what is refused is that both hold one occurrence.
        alone = one.family(("c", 0), ("o", 3))
        assert one.submit(one.action("accept_family", "family", alone))


@pytest.mark.req("FAM-06")
def test_an_occurrence_directly_and_through_a_class_is_refused_by_both(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "iki yol "))
    basis = released(one)
    action = one.accept(("c", 0), ("o", 1), ("o", 2))
    with pytest.raises(psycopg.Error) as error:
        one.submit(action)
    assert json.loads(error.value.diag.message_detail or "{}")["kind"] == "double_membership"
    view = StoredView(one.admin, basis_of(one.admin, release=basis))
    with pytest.raises(CurationRefusal) as refusal:
        check_action(parse(action), view)
    assert refusal.value.kind == "double_membership"


# -- QRY-03 -------------------------------------------------------------------


def statuses(one: Bench, release: str, structures: list[str]) -> dict[str, Any]:
    """What is said of every occurrence, class and structure, read inside the admin's open transaction."""
    found: dict[str, Any] = {}
    for row in range(4):
        own = one.id_of(("o", row))
        said = one.admin.execute(
            "SELECT status FROM api.occurrence_status(%s, %s)", (release, own)
        ).fetchone()
        found[f"occurrence {row}"] = said
        why = one.value("SELECT api.why(%s, %s) ->> 'status'", release, own)
        found[f"why {row}"] = why
    for structure in structures:
        state = one.value("SELECT api.resolve(%s::uuid, %s::uuid) ->> 'state'", structure, release)
        status = one.value("SELECT api.canonical(%s::uuid, %s::uuid, 'edition.first') ->> 'status'", release,
                           structure)  # fmt: skip
        found[structure] = (state, status)
    return found


@pytest.mark.req("QRY-03", "QRY-02")
def test_emptying_every_list_of_members_changes_no_status(bench: Bench) -> None:
    """Statuses come from the partition and the ledger: without one member left they are what they were."""
    one = Bench(bench.admin, new_load(bench.admin, "boş "))
    one.register("edition.first")
    first = released(one)
    four = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (whole,) = one.decide(one.accept(*four))["structures"]
    parts = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    moves = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    halves = one.decide(one.supersede("split", [whole], parts, moves))["structures"]
    # Successors stand in the order of their bytes, which is that of the members' IDs.
    held = "SELECT true FROM curation.family_member WHERE family = %s AND occurrence = %s"
    halves.sort(key=lambda own: not one.value(held, own, one.id_of(("o", 0))))
    one.decide(one.supersede("retire", [halves[0]], [], dict.fromkeys((("o", 0), ("o", 2)), "residue")))
    last = released(one)
    structures = [whole, *halves]
    before = statuses(one, last, structures)
    assert {before[own] for own in structures} == {
        ("superseded", "ambiguous"), ("retired", "retired"), ("effective", "unselected"),
    }  # fmt: skip
    key = one.loaded.profiles["FP"]
    lists = ("curation.family_member", "curation.effective_membership", "curation.family_diff",
             "curation.succession_member")  # fmt: skip
    for which in ("position = 0", "true"):
        with one.admin.transaction(force_rollback=True):
            unguarded(one.admin, *lists, "repetition.class", f"repetition.class_{key}")
            for table in lists:
                part = which if table in lists[:2] else "true"
                one.admin.execute(f"DELETE FROM {table} WHERE {part}".encode())
            one.admin.execute("DELETE FROM repetition.class WHERE profile_key = %s", (key,))
            listed = one.admin.execute("SELECT * FROM api.family_members(%s, %s, -1, 9)", (last, halves[1]))
            assert (listed.fetchall() == []) == (which == "true")
            after = statuses(one, last, structures)
            # The root of the family in force is not that of its rows, with one of them gone as with all.
            assert after == before | {halves[1]: ("needs_successor", "unavailable")}
    # And each release keeps its own: at the first one none of them was issued.
    for own in structures:
        said = one.value("SELECT api.canonical(%s::uuid, %s::uuid, 'edition.first')", first, own)
        assert (said["status"], said["reason"]) == ("unavailable", "not_in_release")


@pytest.mark.req("QRY-03", "QRY-02")
def test_what_took_its_place_is_told_by_state(bench: Bench, connection: Connection) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "yerine "))
    released(one)
    (family,) = one.decide(one.accept(("o", 1), ("o", 3)))["structures"]
    one.decide(one.supersede("retire", [family], [], dict.fromkeys((("o", 1), ("o", 3)), "residue")))
    now = Asker(connection, Role.CURATOR, AUTHOR)
    assert now.current(family)["status"] == "retired"


LISTS = re.compile(
    r"^(members?|successors|predecessors|rows?|repeats|classes|families|quotations|choices|candidates|listed|found"
    r"|peers|reviews|participants|occurrences|structures|duplicates)$"
)


def _emptiness(test: ast.expr) -> bool:
    """Whether a condition asks how many something has, or whether a list has any."""
    several = {
        id(node.left)
        for node in ast.walk(test)
        if isinstance(node, ast.Compare)
        and isinstance(limit := node.comparators[0], ast.Constant)
        and (isinstance(node.ops[0], ast.Gt) and isinstance(limit.value, int) and limit.value >= 1)
    }
    for node in ast.walk(test):
        named = node.func.id if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) else ""
        if named in ("len", "any", "bool") and id(node) not in several:  # more than one is no emptiness
            return True
        if isinstance(node, ast.Compare) and any(
            isinstance(side, ast.List | ast.Tuple) and not side.elts
            for side in (node.left, *node.comparators)
        ):
            return True
    tested = [test] if not isinstance(test, ast.BoolOp) else list(test.values)
    for one in tested:
        inner = one.operand if isinstance(one, ast.UnaryOp) and isinstance(one.op, ast.Not) else one
        last: str | None = None
        if isinstance(inner, ast.Name):
            last = inner.id
        elif isinstance(inner, ast.Attribute):
            last = inner.attr
        elif isinstance(inner, ast.Subscript) and isinstance(inner.slice, ast.Constant):
            last = str(inner.slice.value)
        if last is not None and LISTS.match(last):
            return True
    return False


def _words(nodes: list[ast.stmt] | list[ast.expr]) -> set[str]:
    """Statuses that stand as values in branches."""
    found = set()
    for branch in nodes:
        for node in ast.walk(branch):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in STATUSES:
                found.add(node.value)
            if isinstance(node, ast.Attribute) and node.attr.lower() in STATUSES and node.attr.isupper():
                found.add(node.attr.lower())
    return found


def deciding_by_emptiness(text: str) -> list[int]:
    """Lines at which the emptiness or size of a list chooses a status."""
    found = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.If):
            branches: list[Any] = [*node.body, *node.orelse]
        elif isinstance(node, ast.IfExp):
            branches = [node.body, node.orelse]
        else:
            continue
        if _emptiness(node.test) and _words(branches):
            found.append(node.lineno)
    return found


@pytest.mark.req("QRY-03")
def test_no_handler_of_python_branches_on_an_empty_list() -> None:
    found = {
        f"{path.relative_to(SOURCE).as_posix()}:{line}"
        for path in sorted(SOURCE.rglob("*.py"))
        for line in deciding_by_emptiness(path.read_text("utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "text",
    [
        "if not members:\n    status = 'unique'\n",
        "status = 'retired' if len(found['successors']) == 0 else 'ambiguous'\n",
        "if found['members'] == []:\n    return {'status': 'unselected'}\n",
        "x = Status.UNIQUE if not answer.members else Status.MATCHED\n",
        "if row and not rows:\n    raise Odd('pending')\n",
    ],
)
def test_the_reading_of_python_finds_what_it_looks_for(text: str) -> None:
    assert deciding_by_emptiness(text) == [1]
    assert deciding_by_emptiness("status = 'retired' if state == 'retired' else 'ambiguous'\n") == []


#: A count or a list that is compared with nothing, as SQL writes it.
EMPTY: Final = re.compile(
    r"((?:count|cardinality|array_length|jsonb_array_length)\s*\([^()]*(?:\([^()]*\))?[^()]*\))"
    r"\s*(=\s*0|<\s*1|<=\s*0|<>\s*0|>\s*0|>=\s*1)|(members?|successors)\s+IS\s+(NOT\s+)?NULL"
    r"|=\s*'(\[\]|\{\})'",
    re.IGNORECASE,
)
_CHOICE: Final = re.compile(
    r"\b(?:WHEN|IF|ELSIF)\b(.*?)\bTHEN\b(.*?)(?=\bWHEN\b|\bELSE\b|\bELSIF\b|\bEND\b)", re.S
)


def chosen_by_emptiness(body: str) -> list[str]:
    """Conditions of a function in SQL that ask for an empty list where a status is chosen."""
    code = re.sub(r"--[^\n]*", "", body)
    return [
        " ".join(condition.split())
        for condition, chosen in _CHOICE.findall(code)
        if EMPTY.search(condition) and any(f"'{word}'" in chosen for word in STATUSES)
    ]


@pytest.mark.req("QRY-03")
def test_no_function_of_sql_branches_on_an_empty_list(admin: Connection) -> None:
    bodies = admin.execute(
        "SELECT p.oid::regproc::text, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname = ANY (%s)",
        (list(SCHEMAS),),
    ).fetchall()
    assert len(bodies) > 150
    telling = {own for own, body in bodies if any(f"'{word}'" in body for word in STATUSES)}
    assert {"api.occurrence_status", "api.canonical", "api.structure_state", "api.list_repeats"} <= telling
    found = {own: chosen for own, body in bodies if (chosen := chosen_by_emptiness(body))}
    assert found == {}


@pytest.mark.parametrize(
    "body",
    [
        "SELECT CASE WHEN count(*) = 0 THEN 'unique' ELSE 'matched' END",
        "IF cardinality(members) = 0 THEN RETURN 'retired'; END IF;",
        "CASE WHEN jsonb_array_length(gone -> 'successors') > 0 THEN 'ambiguous' ELSE 'retired' END",
        "IF members IS NULL THEN status := 'unselected'; END IF;",
    ],
)
def test_the_reading_of_sql_finds_what_it_looks_for(body: str) -> None:
    assert len(chosen_by_emptiness(body)) == 1
    assert chosen_by_emptiness("CASE WHEN state = 'retired' THEN 'retired' ELSE 'ambiguous' END") == []


# -- VAL-06 -------------------------------------------------------------------


@pytest.mark.req("VAL-06", "OCC-05", "OCC-06")
def test_overlapping_and_nested_repeats_relate_nothing(tmp_path: Path, bench: Bench) -> None:
    """Built, loaded and published in four profiles: every table of relations stays empty, and so does the
    combined reading but for exact classes."""
    admin = bench.admin
    before = {table: bench.value(f"SELECT count(*) FROM {table}") for table in RELATIONS}
    release, artifact = make(
        tmp_path, more="Ay doğar. Gün batar. Ay doğar. Gün batar. Ay doğar.", edition="iç içe"
    )
    done = load(admin, Artifact(artifact), open_release(release))
    with open_target(_login_of(admin)) as login:
        plan = prepare(login, done.artifact_root.hex(), None, actor="yayıncı")
        releases = {short: own for short, own, _ in publish(login, plan, actor="yayıncı").releases}
    assert set(releases) == set(PROFILES)
    geometry = (
        "SELECT count(*) FILTER (WHERE b.start_byte + b.extent <= a.start_byte + a.extent),"
        " count(*) FILTER (WHERE b.start_byte + b.extent > a.start_byte + a.extent"
        " AND b.start_byte > a.start_byte)"
        " FROM repetition.repetition_release r JOIN repetition.occurrence a USING (profile_key)"
        " JOIN repetition.occurrence b ON b.profile_key = a.profile_key AND b.occurrence <> a.occurrence"
        " AND b.start_byte >= a.start_byte AND b.start_byte < a.start_byte + a.extent AND b.part = 1"
        " WHERE r.release = %s AND a.part = 1"
    )
    for short in ("FS", "PS"):
        nested, overlapping = admin.execute(geometry.encode(), (releases[short],)).fetchone() or (0, 0)
        assert nested > 10, short
        assert overlapping > 10, short
    after = {table: bench.value(f"SELECT count(*) FROM {table}") for table in RELATIONS}
    assert after == before
    layers = {
        row[0]
        for row in admin.execute(
            "SELECT DISTINCT layer FROM api.repeats WHERE release = ANY (%s::uuid[])",
            (list(releases.values()),),
        ).fetchall()
    }
    assert layers == {"exact_class"}
    # Each occurrence has its own class or none, never that of what lies around it.
    with open_target(_login_of(admin)) as login:
        reader = Reader(login)
        rows = admin.execute(
            "SELECT o.occurrence::text, o.class::text FROM repetition.repetition_release r"
            " JOIN repetition.occurrence o USING (profile_key) WHERE r.release = %s AND o.part = 1 LIMIT 20",
            (releases["FS"],),
        ).fetchall()
        for own, exact in rows:
            members = {one["occurrence"] for one in reader.duplicates(releases["FS"], own)["members"]}
            assert reader.status(releases["FS"], own)["class"] == exact
            assert own in members


def _login_of(admin: Connection) -> Any:
    place = Embedded(Path(admin.info.host), admin.info.user, admin.info.dbname)
    return of_embedded(place, user=LOGIN)


#: What compares places of passages.
GEOMETRY: Final = re.compile(r"start_byte|end_byte|extent\b|\bunit\b|&&|@>|<@|range_|overlaps", re.IGNORECASE)
WRITES: Final = re.compile(
    r"(INSERT\s+INTO|UPDATE|MERGE\s+INTO|DELETE\s+FROM)\s+(" + "|".join(map(re.escape, RELATIONS)) + r")\b",
    re.IGNORECASE,
)


@pytest.mark.req("VAL-06", "OCC-06")
def test_nothing_makes_a_relation_of_geometry(admin: Connection) -> None:
    """No trigger writes; what writes to the tables of relations says nothing of places; and no rule,
    generated column or view with rows of its own does it instead."""
    triggers = admin.execute(
        "SELECT DISTINCT p.oid::regproc::text, p.prosrc FROM pg_trigger t JOIN pg_proc p ON p.oid = t.tgfoid"
        " JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace n ON n.oid = c.relnamespace"
        " WHERE NOT t.tgisinternal AND n.nspname = ANY (%s)",
        (list(SCHEMAS),),
    ).fetchall()
    assert len(triggers) > 3
    writing = {
        own
        for own, body in triggers
        if re.search(r"\b(INSERT|UPDATE|DELETE|MERGE)\s+(INTO|FROM|\w+\.)", body)
    }
    # They keep the moves of a pointer and of a head.
    assert writing == {"repetition.move_pointer", "curation.move_head"}
    assert not [own for own, body in triggers if WRITES.search(body) or "start_byte" in body]
    bodies = admin.execute(
        "SELECT p.oid::regproc::text, p.prosrc FROM pg_proc p JOIN pg_namespace n ON n.oid = p.pronamespace"
        " WHERE n.nspname = ANY (%s)",
        (list(SCHEMAS),),
    ).fetchall()
    writers = {own: body for own, body in bodies if WRITES.search(body)}
    assert set(writers) == {
        f"curation.record_{what}" for what in ("apply", "choice", "family", "quotation", "supersession")
    }
    assert [own for own, body in writers.items() if GEOMETRY.search(body)] == []
    others = admin.execute(
        "SELECT format('%%s %%s', c.oid::regclass, c.relkind) FROM pg_class c"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY (%s)"
        " AND (c.relkind IN ('m', 'f') OR EXISTS (SELECT FROM pg_attribute a WHERE a.attrelid = c.oid"
        " AND a.attgenerated <> ''))"
        " UNION ALL SELECT e.evtname::text FROM pg_event_trigger e"
        " UNION ALL SELECT w.rulename::text FROM pg_rewrite w JOIN pg_class c ON c.oid = w.ev_class"
        " JOIN pg_namespace n ON n.oid = c.relnamespace WHERE n.nspname = ANY (%s)"
        " AND w.rulename <> '_RETURN'",
        (list(SCHEMAS), list(SCHEMAS)),
    ).fetchall()
    assert others == []
