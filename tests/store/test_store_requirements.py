"""What the ADR asks of stored and published records, one by one, on a small published database."""

from __future__ import annotations

import base64
import hashlib
import json
import subprocess
import sys
import zlib
from pathlib import Path
from typing import Any

import pytest

from tekrar.artifact import Artifact
from tekrar.core.identity import RECORD_CLASSES, uuid_text
from tekrar.core.policy import REASONS
from tekrar.corpus.release_package import open_release
from tekrar.errors import DatabaseError, IntegrityError
from tekrar.store.load import load
from tekrar.store.publish import Plan, Publication, prepare, publish
from tekrar.store.read import Reader
from tekrar.store.records import STORE_OF
from tekrar.store.roles import LOGIN, SUPERUSER
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.publications import release_id
from tests.store.kept import Kept, build_kept, guarded, of_rows, tampering, unguarded, verified
from tests.store.load_corpus import make
from tests.store.matrix import BULK, SELECT
from tests.store.place import drop_database, environment, make_database_from, url_of
from tests.store.schema_database import refusal

PARTS = ("matched", "evaluated-unique", "not-evaluated", "excluded", "failed")


def bound_of(kept: Kept, release: str) -> dict[str, str]:
    row = kept.admin.execute(
        "SELECT bound FROM repetition.repetition_release WHERE release = %s", (release,)
    ).fetchone()
    assert row is not None
    found: dict[str, str] = json.loads(bytes(row[0]))
    return found


def counts(connection: Connection) -> dict[str, int]:
    found = {}
    for relation in SELECT:
        row = connection.execute(f"SELECT count(*) FROM {relation}".encode()).fetchone()
        assert row is not None
        found[relation] = row[0]
    return found


# -- occurrences and classes --------------------------------------------------


@pytest.mark.req("PRO-03", "CL-03")
def test_equal_bytes_of_another_release_are_no_members(kept: Kept) -> None:
    """Two releases hold the same passages and are both loaded and published."""
    with open_target(of_embedded(kept.place, user=LOGIN)) as connection:
        reader = Reader(connection)
        for which in ("first", "second"):
            artifact = Artifact(kept.made[which][1])
            for short in ("FP", "FS", "PP", "PS"):
                profile = artifact.profile(short)
                own = {uuid_text(one.tobytes()) for one in profile.occurrences["occurrence"]}
                assert len(profile.classes["class"])
                for one, size in zip(profile.classes["class"], profile.classes["size"], strict=True):
                    found = reader.duplicates(kept.release(which, short), uuid_text(one.tobytes()))
                    members = {member["occurrence"] for member in found["members"]}
                    assert members <= own
                    assert len(members) == found["size"] == size


@pytest.mark.req("ID-12", "OCC-03")
def test_an_occurrence_whose_facts_give_another_id_is_refused(
    kept: Kept, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An artifact that is sound in all its roots, of a builder that names occurrences by other facts."""
    from tekrar.build import names

    right = names.name_prefix
    monkeypatch.setattr(
        names,
        "name_prefix",
        lambda kind, facts: right(kind, facts).replace(b"granularity=", b"granularity=x"),
    )
    release, artifact = make(tmp_path / "forged", more="Pencere kapandı.")
    monkeypatch.undo()
    before = counts(kept.admin)
    with pytest.raises(IntegrityError) as error:
        load(kept.admin, Artifact(artifact), open_release(release))
    assert error.value.kind == "stored_rows_differ"
    assert "occurrence of row 0" in error.value.where
    after = counts(kept.admin)
    assert {r for r in before if before[r] != after[r]} <= {r for r in SELECT if r.startswith("core.")}


@pytest.mark.req("OCC-01", "OCC-03", "CL-01", "CL-03", "VAL-05")
def test_what_is_no_occurrence_or_class_is_refused_at_insert(kept: Kept) -> None:
    part = "repetition.occurrence_1"
    with tampering(kept.admin) as connection:
        unguarded(connection, part, "repetition.class_1")
        columns = [
            name
            for (name,) in connection.execute(
                "SELECT attname FROM pg_attribute WHERE attrelid = %s::regclass AND attnum > 0"
                " ORDER BY attnum",
                (part,),
            ).fetchall()
        ]
        bound = ("profile_key", "row_no", "occurrence", "selection", "start_byte", "extent", "unit")
        new = {"row_no": "row_no + 100000", "occurrence": "gen_random_uuid()"}

        def insert(**changes: str) -> str | None:
            values = ", ".join({**new, **changes}.get(name, name) for name in columns)
            return refusal(
                connection, f"INSERT INTO {part} SELECT {values} FROM {part} WHERE part = 1 LIMIT 1"
            )

        assert insert() is None
        for name in (*bound, "witness", "length", "part"):
            assert insert(**{name: "NULL"}) == "23502", name
        assert insert(occurrence="occurrence") == "23505"  # a second place, state or class of an occurrence
        assert insert(occurrence="occurrence", class_no="class_no + 1") == "23505"
        assert insert(fingerprint="NULL") == insert(class_no="NULL") == "23514"
        row = connection.execute("SELECT class_no FROM repetition.class_1 LIMIT 1").fetchone()
        assert row is not None
        assert refusal(connection, "UPDATE repetition.class_1 SET size = 1") == "23514"


@pytest.mark.req("PRJ-10", "OCC-01")
def test_no_stored_reason_is_outside_the_closed_list(kept: Kept) -> None:
    """The CHECK refuses every number but those of the list; `too_short` has none."""
    assert "too_short" not in REASONS
    with tampering(kept.admin) as connection:
        for table, legal in (("witness_span", {2, 3, 16}), ("enumeration_exclusion", {1})):
            row = connection.execute(
                f"SELECT tableoid::regclass::text FROM repetition.{table}".encode()
            ).fetchone()
            assert row is not None
            unguarded(connection, row[0])
            for number in set(range(20)) - legal:
                assert refusal(connection, f"UPDATE {row[0]} SET reason = {number}") == "23514"
            assert refusal(connection, f"UPDATE {row[0]} SET reason = 'too_short'") == "22P02"
        unguarded(connection, "repetition.occurrence_1")
        for number in set(range(20)) - {2, 3}:
            change = f"UPDATE repetition.occurrence_1 SET part = 4, code = {number}, class_no = NULL,"
            assert refusal(connection, f"{change} presentation = NULL, fingerprint = NULL") == "23514"


@pytest.mark.req("LAY-09", "LAY-10")
def test_each_record_class_has_a_store_of_its_own(kept: Kept) -> None:
    assert set(STORE_OF) == set(RECORD_CLASSES)
    assert len(set(STORE_OF.values())) == len({table for table, _ in STORE_OF.values()}) == 12
    for table, column in STORE_OF.values():
        row = kept.admin.execute(
            "SELECT format_type(a.atttypid, NULL), bool_or(i.indisunique) FROM pg_attribute a"
            " JOIN pg_index i ON i.indrelid = a.attrelid AND a.attnum = ANY (i.indkey)"
            " WHERE a.attrelid = %s::regclass AND a.attname = %s GROUP BY 1",
            (table, column),
        ).fetchone()
        assert row == ("uuid", True), table


# -- no text ------------------------------------------------------------------


@pytest.mark.req("CORE-06", "OCC-02", "VAL-16")
def test_no_byte_of_the_text_stands_outside_the_core(template: Embedded, tmp_path: Path) -> None:
    """A token of 40 bytes in a repeated sentence: in the core alone, however it might be written."""
    token = hashlib.sha256(b"token").hexdigest()[:38] + "ç"
    data = token.encode()
    assert len(data) == 40
    place = make_database_from(template, "tekrar_token")
    try:
        sentence = f"Kapı {token} dedi."
        built = build_kept(place, tmp_path, more=f"{sentence} {sentence}")
        found = dict.fromkeys(("core", "repetition", "curation", "restricted"), 0)
        for relation in SELECT:
            schema = relation.partition(".")[0]
            if schema not in found:
                continue
            rows = built.admin.execute(f"SELECT * FROM {relation}".encode(), binary=True).fetchall()
            found[schema] += sum(holds(value, data) for row in rows for value in row)
        built.admin.close()
    finally:
        drop_database(place)
    assert found.pop("core") > 0
    assert set(found.values()) == {0}, found


def holds(value: Any, token: bytes) -> bool:
    """Whether a value holds the token: raw, hex, base64 at any phase, UTF-16, compressed."""
    if isinstance(value, str):
        value = value.encode()
    if not isinstance(value, bytes | memoryview):
        return False
    data = bytes(value)
    text = token.decode()
    forms = [token, token.hex().encode(), token.hex().upper().encode()]
    forms += [text.encode(f"utf-16-{end}") for end in ("le", "be")]
    forms += [base64.b64encode(b"x" * phase + token)[4:-4] for phase in range(3)]
    if any(form in data for form in forms):
        return True
    at = data.find(b"\x78")
    while at >= 0:
        try:
            if token in zlib.decompressobj().decompress(data[at:]):
                return True
        except zlib.error:
            pass
        at = data.find(b"\x78", at + 1)
    return False


def test_the_scan_would_see_the_token() -> None:
    token = b"q" * 40
    for form in (token, token.hex().encode(), base64.b64encode(b"ab" + token), zlib.compress(b"a" + token)):
        assert holds(b"..." + form, token)
    assert holds("q" * 40, token)
    assert not holds(b"p" * 400, token)


# -- releases -----------------------------------------------------------------


@pytest.mark.req("ID-02", "PRJ-01", "REL-01", "REL-09")
def test_every_bound_fact_is_in_the_release_s_id(kept: Kept) -> None:
    for short in ("FP", "FS", "PP", "PS"):
        release = kept.release("second", short)
        bound = bound_of(kept, release)
        names = {"root/dataset-headings", "root/dataset-note-bodies", "root/dataset-note-markers"}
        assert names <= set(bound)
        ids = {release}
        assert release_id(bound["profile"], bound, bound["root/compiler"]) == release
        for name, value in bound.items():
            changed = {**bound, name: value[:-1] + ("0" if value[-1] != "0" else "1")}
            ids.add(release_id(changed["profile"], changed, changed["root/compiler"]))
            gone = {k: v for k, v in bound.items() if k != name}
            ids.add(release_id(bound["profile"], gone, bound["root/compiler"]))
        assert len(ids) == 1 + 2 * len(bound)


@pytest.mark.faults
@pytest.mark.req("REL-01", "REL-09")
def test_a_release_without_or_with_another_bound_fact_does_not_verify(kept: Kept) -> None:
    """Each of its facts, with `roots` made to fit, so that only the fact itself and the ID can tell."""
    release = kept.release("second", "FS")
    table, bound = "repetition.repetition_release", bound_of(kept, release)
    unseen = []
    for name, value in bound.items():
        flipped = value[:-1] + ("0" if value[-1] != "0" else "1")
        for changed in ({**bound, name: flipped}, {k: v for k, v in bound.items() if k != name}):
            data = json.dumps(changed, sort_keys=True, separators=(",", ":")).encode()
            with tampering(kept.admin) as connection:
                unguarded(connection, table)
                connection.execute(
                    f"UPDATE {table} SET bound = %s, roots = %s WHERE release = %s".encode(),
                    (data, hashlib.sha256(data).digest(), release),
                )
                guarded(connection, table)
                found = of_rows(verified(connection, release))
            if not any(name in one.place for one in found):
                unseen.append(name)
    assert unseen == []


@pytest.mark.req("REL-03", "VAL-11", "COV-10")
def test_a_partial_release_roots_its_whole_universe(kept: Kept) -> None:
    """One run and one paragraph were put off; the release is published as partial, with all five roots."""
    for short in ("FP", "FS", "PP", "PS"):
        release = kept.release("partial", short)
        bound, row = bound_of(kept, release), Artifact(kept.made["partial"][1]).manifest["profiles"][short]
        assert bound["exact-status"] == "partial"
        assert {f"root/{part}" for part in PARTS} <= set(bound)
        coverage = row["coverage"]
        assert coverage["not_evaluated"] > 0
        assert coverage["evaluated_unique"] == coverage["published_items"] == 0
        assert sum(coverage[part.replace("-", "_")] for part in PARTS) == coverage["emitted"]
        with tampering(kept.admin) as connection:
            assert verified(connection, release).findings == ()
    with open_target(of_embedded(kept.place, user=LOGIN)) as connection:
        reader, release = Reader(connection), kept.release("partial", "FS")
        query = "SELECT occurrence::text FROM repetition.occurrence o JOIN repetition.repetition_release r"
        query += " USING (profile_key) WHERE r.release = %s AND o.part = 3"
        for (occurrence,) in kept.admin.execute(query.encode(), (release,)).fetchall():
            assert reader.status(release, occurrence)["status"] == "not_evaluated"


@pytest.mark.req("ID-11", "PRO-17", "PRO-18")
def test_a_successor_leaves_the_earlier_release_as_it_was(template: Embedded, tmp_path: Path) -> None:
    """Rows of the earlier release are byte-equal before and after; its IDs resolve beside the successor's."""
    place = make_database_from(template, "tekrar_successor")
    seen: list[dict[str, str]] = []
    try:
        kept = build_kept(place, tmp_path, after_each=lambda admin: seen.append(rows_of_key(admin, 1)))
        assert seen[0] == seen[1] == seen[2] == rows_of_key(kept.admin, 1)
        old, new = kept.release("first", "FP"), kept.release("second", "FP")
        document = kept.admin.execute(
            "SELECT document, profile::text FROM repetition.profile WHERE artifact_key = 1 AND short = 'FP'"
        ).fetchone()
        assert document is not None
        stated = Artifact(kept.made["first"][1]).manifest["profiles"]["FP"]
        assert (json.loads(bytes(document[0])), document[1]) == (stated["document"], stated["id"])
        with open_target(of_embedded(place, user=LOGIN)) as connection:
            reader = Reader(connection)
            states = {one["release"]: one["state"] for one in reader.releases()}
            assert (states[old], states[new]) == ("earlier", "visible")
            moves = reader.release(old)["pointer_moves"]  # the record that leads from the old to the new one
            assert [(move["previous"], move["release"]) for move in moves] == [(None, old), (old, new)]
            assert reader.release(old)["bound"]["profile"] == stated["id"]
            classes = Artifact(kept.made["first"][1]).profile("FP").classes["class"]
            found = reader.duplicates(old, uuid_text(classes[0].tobytes()))
            assert found["status"] == "matched"
            query = "SELECT occurrence::text FROM repetition.occurrence WHERE profile_key = 1"
            assert {m["occurrence"] for m in found["members"]} <= {
                row[0] for row in kept.admin.execute(query).fetchall()
            }
        kept.admin.close()
    finally:
        drop_database(place)


def rows_of_key(connection: Connection, key: int) -> dict[str, str]:
    """Digest of the rows of one artifact, table by table, with its releases as they are bound."""
    found = {}
    where = {
        "repetition.artifact": f"artifact_key = {key}",
        "repetition.profile": f"artifact_key = {key}",
        "repetition.root": f"artifact_key = {key}",
        "repetition.repetition_release": f"artifact_key = {key}",
        "repetition.seal": f"artifact_key = {key}",
    }
    for relation in BULK | set(where):
        chosen = where.get(relation)
        if chosen is None:
            own = f"(SELECT profile_key FROM repetition.profile WHERE artifact_key = {key})"
            chosen = "release_key = 1" if relation.startswith("core.") else f"profile_key IN {own}"
            if relation.startswith("curation."):
                chosen = f"set_key IN (SELECT set_key FROM curation.candidate_set WHERE artifact_key = {key})"
        row = connection.execute(
            f"SELECT md5(string_agg(t::text, '|' ORDER BY t::text)) FROM {relation} t WHERE {chosen}".encode()
        ).fetchone()
        assert row is not None
        found[relation] = row[0]
    return found


@pytest.mark.req("REL-09", "REL-05")
def test_a_changed_root_is_not_published_under_the_same_id(kept: Kept) -> None:
    """One root is changed behind the guards, and the plan prepared again with the ID of before."""
    release = kept.release("second", "FS")
    root = Artifact(kept.made["second"][1]).artifact_root.hex()
    with open_target(of_embedded(kept.place, user=LOGIN)) as login:
        before = counts(kept.admin)
        change = (
            "UPDATE repetition.root SET root = %s WHERE artifact_key = 2 AND name LIKE '%%sequence/classes'"
        )
        change += " AND name LIKE 'full%%'"
        old = kept.admin.execute(
            "SELECT root FROM repetition.root WHERE artifact_key = 2 AND name LIKE 'full%sequence/classes'"
        ).fetchone()
        assert old is not None
        unguarded(kept.admin, "repetition.root")
        try:
            assert kept.admin.execute(change, (bytes(32),)).rowcount == 1
            plan = prepare(login, root, ["FS"], actor="yayıncı")
            entry = plan.publications[0]
            assert entry.release != release
            forged = Plan((Publication(entry.artifact_root, entry.short, release, entry.facts),))
            with pytest.raises(DatabaseError) as error:
                publish(login, forged, actor="yayıncı")
        finally:
            kept.admin.execute(change, (old[0],))
            guarded(kept.admin, "repetition.root")
        assert error.value.kind == "release_id"
        assert counts(kept.admin) == before


@pytest.mark.req("REL-05")
def test_a_mismatch_changes_no_row_count_of_any_table(kept: Kept) -> None:
    root = Artifact(kept.made["partial"][1]).artifact_root.hex()
    with open_target(of_embedded(kept.place, user=LOGIN)) as login:
        plan = prepare(login, root, ["FS"], actor="yayıncı")
        one = plan.publications[0]
        before = counts(kept.admin)
        for fact in one.facts:
            wrong = Publication(
                one.artifact_root, one.short, "0" * 8 + one.release[8:], {**one.facts, fact: "x"}
            )
            with pytest.raises(DatabaseError) as error:
                publish(login, Plan((wrong,)), actor="yayıncı")
            assert error.value.kind == "fact_mismatch"
        assert counts(kept.admin) == before


@pytest.mark.req("REB-01")
def test_another_database_gives_the_same_ids_in_another_order(
    kept: Kept, template: Embedded, tmp_path: Path
) -> None:
    """Built again elsewhere, loaded and published in the other order, by another actor at another time."""
    place = make_database_from(template, "tekrar_again")
    try:
        again = build_kept(place, tmp_path, order=("partial", "second", "first"))
        again.admin.close()
    finally:
        drop_database(place)
    for which in ("first", "second", "partial"):
        assert getattr(again, which).releases == getattr(kept, which).releases
        assert getattr(again, which).release_set == getattr(kept, which).release_set


_HOOKED = """
import sys
opened = []
def hook(event, args):
    if event in ("open", "sqlite3.connect"):
        opened.append(str(args[0]))
sys.addaudithook(hook)
from tekrar.cli import main
status = main(sys.argv[1:])
print("\\n".join(opened), file=sys.stderr)
sys.exit(status)
"""


@pytest.mark.req("REL-08", "VAL-16")
def test_legacy_files_are_opened_by_no_verb(kept: Kept, tmp_path: Path) -> None:
    """Old SQLite stores, reports and candidate lists in the current folder, the home and the data folder."""
    poison = (
        "repetition.sqlite",
        "tekrar.db",
        "report.json",
        "candidates.jsonl",
        "silver_pairs.tsv",
        "duplicates.csv",
    )
    for folder in (tmp_path, tmp_path / "home", tmp_path / "data", kept.made["first"][1].parent):
        folder.mkdir(exist_ok=True)
        for name in poison:
            (folder / name).write_bytes(b"poison\0")
    release, artifact = kept.made["first"]
    old = kept.release("second", "FS")
    occurrence = uuid_text(
        Artifact(kept.made["second"][1]).profile("FS").occurrences["occurrence"][0].tobytes()
    )
    for words, user in (
        (("load", str(artifact), "--release", str(release)), SUPERUSER),
        (("publish", "--all", str(kept.made["second"][1]), "--as", "yayıncı"), LOGIN),
        (("releases",), LOGIN),
        (("occurrence", old, occurrence), LOGIN),
        (("duplicates", old, occurrence), LOGIN),
        (("why", old, occurrence), LOGIN),
        (("release", "verify", old, "--as", "denetçi"), LOGIN),
    ):
        done = subprocess.run(
            [sys.executable, "-c", _HOOKED, *words],
            env=environment(
                tmp_path / "data",
                HOME=str(tmp_path / "home"),
                TEKRAR_DATABASE_URL=url_of(kept.place, user=user),
                TEKRAR_CURSOR_KEY="ab" * 32,
            ),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
        assert done.returncode == 0, (words, done.stderr[-2000:])
        opened = done.stderr.splitlines()
        assert len(opened) > 10
        assert [path for path in opened if Path(path).name in poison] == [], words
