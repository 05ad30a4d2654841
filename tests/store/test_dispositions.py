"""What curators say of candidates, as entries of the ledger, and what a release tells of it."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator
from typing import Any

import psycopg
import pytest

from tekrar.core.encoding import canonical_json, lp, manifest_root, profile_scope, sha256
from tekrar.core.identity import uuid_text
from tekrar.errors import DatabaseError, NotFoundError, UsageError
from tekrar.store.evidence import diffs
from tekrar.store.evidence.diffs import derive_diffs, store_diffs
from tekrar.store.evidence.loading import load_within
from tekrar.store.evidence.marks import Mark, mark_candidates
from tekrar.store.evidence.unresolved import EvidenceReader
from tekrar.store.permission import snapshot_of
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.candidate_package import Maker, every_kind
from tests.store.curated import AUTHOR, Bench, people
from tests.store.matrix import ADMINISTRATOR, BUILDER, CURATOR, PUBLISHER, READER
from tests.store.schema_database import acting_as, refusal
from tests.store.schema_load import Loaded
from tests.store.schema_publication import Published, call, new_load, plan_of, publish


def loaded_set(connection: Connection, one: Loaded, *, semver: str = "1.0.0") -> Maker:
    maker = every_kind(connection, one.artifact_root, semver=semver)
    with connection.transaction():
        connection.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
        load_within(connection, maker.package())
        connection.execute("RESET SESSION AUTHORIZATION")
    return maker


def ids(maker: Maker) -> list[str]:
    return [uuid_text(one.id) for one, _ in maker.made]


@pytest.fixture(scope="module")
def curated(admin: Connection, published: Published) -> Published:
    people(admin)
    return published


@pytest.fixture
def login(database: Embedded) -> Any:
    with open_target(of_embedded(database, user=LOGIN)) as connection:
        yield connection


class Case:
    """An artifact of its own with candidates."""

    def __init__(self, admin: Connection, login: Connection, prefix: str, edition: str = "bahçe") -> None:
        self.admin, self.login = admin, login
        self.one = new_load(admin, prefix, edition=edition)
        self.maker = loaded_set(admin, self.one)
        self.ids = ids(self.maker)

    def mark(self, number: int, disposition: str, **more: Any) -> dict[str, Any]:
        return mark_candidates(self.login, [Mark(self.ids[number], disposition, **more)], actor=AUTHOR)[0]

    def publish(self) -> str:
        done = publish(self.admin, plan_of(self.admin, self.one, "FP"))
        return str(done["releases"][0]["release"])

    def unresolved(self, release: str, **more: Any) -> dict[str, Any]:
        return EvidenceReader(self.login, key=bytes(32)).unresolved(release, **more)

    def statuses(self, release: str) -> list[str]:
        return [one["status"] for one in self.unresolved(release)["candidates"]]


@pytest.fixture
def case(admin: Connection, login: Connection, curated: Published, request: pytest.FixtureRequest) -> Case:
    return Case(admin, login, f"{request.node.name} ")


@pytest.mark.req("CND-06", "CND-08")
def test_a_mark_is_an_entry_chained_to_the_one_before_it(case: Case) -> None:
    first = case.mark(0, "false_positive", note="eki başka")
    second = case.mark(2, "uncertain")
    rows = case.admin.execute(
        "SELECT l.payload, d.event, d.previous, d.disposition, d.note FROM curation.disposition d"
        " JOIN curation.ledger l ON l.seq = d.ledger_seq WHERE d.profile = %s ORDER BY d.ledger_seq",
        (case.maker.profile,),
    ).fetchall()
    assert [bytes(row[1]).hex() for row in rows] == [first["event"], second["event"]]
    assert [bytes(row[2]).hex() for row in rows] == [bytes(32).hex(), first["event"]]
    for payload, event, *_ in rows:
        assert sha256(lp(b"tekrar/disposition-event/v1") + bytes(payload)) == bytes(event)
    said = json.loads(bytes(rows[0][0]))
    assert canonical_json(said) == bytes(rows[0][0])
    assert (said["author"], said["disposition"], said["note"]) == (AUTHOR, "false_positive", "eki başka")
    assert said["candidate"] == case.ids[0]


@pytest.mark.req("CND-08", "COV-13", "DOM-09", "QRY-02", "REL-01")
def test_a_false_positive_suppresses_the_same_participants_alone(case: Case) -> None:
    """Candidate 2 has the participants of candidate 1; the others, of other occurrences or sides, wait."""
    before = case.publish()
    assert case.statuses(before) == ["pending"] * 5
    case.mark(0, "false_positive")
    after = case.publish()
    assert after != before
    assert case.statuses(after) == ["rejected", "rejected", "pending", "pending", "pending"]
    told = case.unresolved(after)["semantic"]
    scope = profile_scope(uuid.UUID(case.maker.profile).bytes, case.maker.predicate)
    waiting = sorted((one.id, b"") for one, _ in case.maker.made[2:])
    assert told["pending_root"] == manifest_root("candidates-pending", scope, waiting).hex()
    assert (told["candidates"], told["pending"], told["rejected"]) == (5, 3, 2)
    none = manifest_root("false-positives", scope, []).hex()
    assert case.unresolved(before)["semantic"]["rejected_root"] == none != told["rejected_root"]


@pytest.mark.req("CND-08", "CND-09")
def test_another_generator_shows_the_pair_again(case: Case) -> None:
    case.mark(0, "false_positive")
    loaded_set(case.admin, case.one, semver="2.0.0")
    assert case.statuses(case.publish()) == ["rejected"] * 2 + ["pending"] * 8


@pytest.mark.req("CND-06", "REL-09")
def test_a_release_says_what_was_said_before_it(case: Case) -> None:
    case.mark(0, "false_positive")
    first = case.publish()
    case.mark(4, "superseded_candidate")
    second = case.publish()
    assert case.statuses(first) == ["rejected", "rejected", "pending", "pending", "pending"]
    assert case.statuses(second) == ["rejected", "rejected", "pending", "pending", "superseded"]


@pytest.mark.req("CUR-01")
@pytest.mark.parametrize("number", [0, 1], ids=["itself", "the same participants"])
def test_no_mark_overrides_a_false_positive(case: Case, number: int) -> None:
    case.mark(0, "uncertain")
    case.mark(0, "false_positive")
    with pytest.raises(DatabaseError) as refused:
        case.mark(number, "pending_review")
    assert refused.value.kind == "override_needs_decision"
    assert case.statuses(case.publish())[:2] == ["rejected"] * 2


@pytest.mark.req("COV-13", "COV-14")
def test_exact_and_semantic_coverage_are_apart(case: Case, curated: Published) -> None:
    reader = EvidenceReader(case.login)
    release = case.publish()
    with_candidates = reader.coverage(release)
    assert (with_candidates["exact_status"], with_candidates["semantic_status"]) == ("complete", "open")
    assert with_candidates["semantic"]["pending"] == 5
    for number in range(5):
        case.mark(number, "superseded_candidate")
    closed = reader.coverage(case.publish())
    assert (closed["semantic_status"], closed["semantic"]["pending"]) == ("open", 0)
    without = reader.coverage(str(curated[1]["PS"]))
    assert (without["exact_status"], without["semantic_status"]) == ("partial", "not_assessed")
    assert without["semantic"]["sets"] == []


@pytest.mark.req("CND-08", "REL-01")
def test_an_override_shows_the_candidate_again(case: Case) -> None:
    event = case.mark(0, "false_positive")["event"]
    bench = Bench(case.admin, case.one)
    assert case.statuses(case.publish())[:2] == ["rejected"] * 2
    body = {
        "candidate": case.ids[0],
        "generator": case.maker.generator.digest.hex(),
        "participants": sha256(case.maker.made[0][0].participants).hex(),
        "event": event,
    }
    bench.decide(bench.action("override_false_positive", "override", body))
    release = case.publish()
    assert case.statuses(release) == ["pending"] * 5
    scope = profile_scope(uuid.UUID(case.maker.profile).bytes, case.maker.predicate)
    told = case.unresolved(release)["semantic"]
    assert told["rejected_root"] == manifest_root("false-positives", scope, []).hex()
    again = case.mark(0, "false_positive")["event"]  # another event, which nobody overrode
    assert again != event
    assert case.statuses(case.publish())[:2] == ["rejected"] * 2


@pytest.mark.req("CND-11", "FAM-12", "QRY-01")
def test_the_best_of_candidates_is_no_family_before_its_review_and_apply(case: Case) -> None:
    """Whatever its score: it waits, in every release, until a decision is applied."""

    def families(release: str) -> int:
        return int(bench.value("SELECT count(*) FROM api.list_families(%s, NULL, NULL, 9)", release))

    maker = Maker(case.admin, case.one.artifact_root, semver="3.0.0")
    best = maker.add(maker.extent(0), maker.extent(2), score=1_000_000)
    with case.admin.transaction():
        case.admin.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
        load_within(case.admin, maker.package())
        case.admin.execute("RESET SESSION AUTHORIZATION")
    bench = Bench(case.admin, case.one)
    first = case.publish()
    assert uuid_text(best.id) in [one["candidate"] for one in case.unresolved(first)["candidates"]]
    assert (families(first), case.unresolved(first)["proposals"]["total"]) == (0, 0)
    body = bench.family(("o", 0), ("o", 2))
    action = bench.action("accept_family", "family", body, candidates=[uuid_text(best.id)])
    proposal = bench.submit(action)
    with pytest.raises(psycopg.Error, match="proposal is submitted"):
        bench.apply(proposal)
    second = case.publish()
    waiting = case.unresolved(second)
    assert families(second) == 0
    assert waiting["proposals"]["listed"] == [
        {"proposal": proposal, "profile": case.maker.profile, "status": "open_proposal"}
    ]
    assert waiting["families"] == {"total": 0, "listed": []}
    assert case.unresolved(second, status="pending")["proposals"] is None
    bench.review(proposal)
    bench.apply(proposal)
    third = case.publish()
    assert (families(third), case.unresolved(third)["proposals"]["total"]) == (1, 0)
    assert (families(second), case.unresolved(second)["proposals"]["total"]) == (0, 1)


@pytest.mark.req("FAM-07", "DIF-08", "VAL-08")
def test_a_diff_of_another_witness_or_of_a_superseded_occurrence_is_stale(
    admin: Connection, case: Case
) -> None:
    bench, later = Bench(admin, case.one), Bench(admin, new_load(admin, "başka sürüm "))
    body = bench.family(("o", 0), ("o", 2))
    (own,) = body["diffs"]
    changed = uuid.uuid5(uuid.NAMESPACE_OID, "changed witness")
    with admin.transaction():
        admin.execute("SET LOCAL ROLE tekrar_owner")
        admin.execute(
            "INSERT INTO curation.passage_diff SELECT %s, left_occurrence, right_occurrence, %s,"
            " right_witness, algorithm, sha256(script || 'x'), script || 'x' FROM curation.passage_diff"
            " WHERE diff = %s",
            (changed, sha256(b"another witness"), own["diff"]),
        )
    of_old = {**own, "diff": later.diff(later.id_of(("o", 0)), later.id_of(("o", 2)))}
    for diff in ({**own, "diff": str(changed)}, of_old):
        action = bench.action("accept_family", "family", {**body, "diffs": [diff]})
        with pytest.raises(psycopg.Error) as refused:
            bench.submit(action)
        assert json.loads(refused.value.diag.message_detail or "{}")["kind"] == "stale_diff"
    bench.decide(bench.action("accept_family", "family", body))


@pytest.mark.req("FAM-02")
def test_candidates_and_evidence_of_another_profile_support_nothing(admin: Connection, case: Case) -> None:
    """Those of an earlier text say nothing of this one's occurrences; their own profile's may be named."""
    bench, later = Bench(admin, case.one), Bench(admin, new_load(admin, "sonraki metin "))
    row = admin.execute(
        "SELECT c.candidate::text, e.evidence::text FROM curation.candidate c JOIN curation.evidence e"
        " USING (set_key, rank) WHERE c.profile = %s LIMIT 1",
        (case.maker.profile,),
    ).fetchone()
    assert row is not None
    for what, one in zip(("candidates", "evidence"), row, strict=True):
        body = later.family(("o", 0), ("o", 3))
        with pytest.raises(psycopg.Error) as refused:
            later.submit(later.action("accept_family", "family", body, **{what: [one]}))
        assert json.loads(refused.value.diag.message_detail or "{}")["kind"] == "not_found", what
        body = bench.family(("o", 1), ("o", 3))
        assert bench.submit(bench.action("accept_family", "family", body, **{what: [one]}))


@pytest.mark.req("QRY-01", "QRY-02")
def test_what_is_unresolved_is_listed_by_pages_and_by_status(case: Case) -> None:
    case.mark(2, "false_positive")
    release = case.publish()
    found, cursor = [], None
    while True:
        page = case.unresolved(release, page=2, cursor=cursor)
        found += page["candidates"]
        cursor = page["next"]
        if cursor is None:
            break
    assert [one["candidate"] for one in found] == case.ids
    assert [one["kind"] for one in found] == ["pair", "pair", "pair", "group", "stretch"]
    first = found[0]
    assert (first["left"]["start"], first["left"]["end"]) == case.maker.extent(0)
    assert first["participants"] == [str(uuid.UUID(bytes=case.maker.held.id[n])) for n in (0, 1)]
    assert [c["candidate"] for c in case.unresolved(release, status="rejected")["candidates"]] == case.ids[
        2:3
    ]
    assert len(case.unresolved(release, status="pending")["candidates"]) == 4
    empty = case.unresolved(release, status="superseded")
    assert (empty["status"], empty["candidates"]) == ("listed", [])
    for status in ("accepted", ""):
        with pytest.raises(UsageError):
            case.unresolved(release, status=status)
    with pytest.raises(NotFoundError):
        case.unresolved("11111111-2222-5333-8444-555555555555")
    call(case.admin, PUBLISHER, "yayıncı", "api.withdraw", release, "deneme")
    gone = case.unresolved(release)
    assert (gone["status"], gone["code"], gone["candidates"]) == ("integrity_error", "withdrawn_release", [])


@pytest.mark.req("CND-08")
def test_events_of_a_file_are_brought_once_with_their_author(case: Case) -> None:
    source = ("cd" * 32, "elle yazan", "2026-01-02T03:04:05Z")
    for outcome in ("marked", "already_marked"):
        assert case.mark(3, "uncertain", source=source)["outcome"] == outcome
    row = case.admin.execute(
        "SELECT source_author, source_time, a.name FROM curation.disposition d JOIN curation.actor a"
        " ON a.actor_key = d.author WHERE source_event = %s",
        (bytes.fromhex("cd" * 32),),
    ).fetchall()
    assert row == [("elle yazan", "2026-01-02T03:04:05Z", AUTHOR)]


@pytest.mark.req("CUR-06", "CND-06")
@pytest.mark.parametrize(
    ("disposition", "note"), [("accepted", ""), ("false_positive", "iki\nsatır"), ("uncertain", "x" * 4001)]
)
def test_what_is_no_mark_is_refused(case: Case, disposition: str, note: str) -> None:
    with pytest.raises(DatabaseError) as error:
        case.mark(0, disposition, note=note)
    assert error.value.kind == "bad_argument"
    many = [Mark(case.ids[0], "uncertain"), Mark(case.ids[1], disposition, note)]
    with pytest.raises(DatabaseError):
        mark_candidates(case.login, many, actor=AUTHOR)
    rows = case.admin.execute(
        "SELECT count(*) FROM curation.disposition WHERE profile = %s", (case.maker.profile,)
    )
    assert rows.fetchone() == (0,)


@pytest.mark.req("CUR-06")
def test_who_has_no_grant_for_the_edition_marks_nothing(
    admin: Connection, login: Connection, curated: Published
) -> None:
    far = Case(admin, login, "uzak ", "uzak ada")
    call(admin, ADMINISTRATOR, "yönetici", "api.actor", "yakın", None)
    with pytest.raises(DatabaseError) as error:
        mark_candidates(login, [Mark(far.ids[0], "uncertain")], actor="yakın")
    assert error.value.kind == "grant_missing"
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yakın", "curator", "bahçe", None, None)
    for own in (far.ids[0], "11111111-2222-5333-8444-555555555555"):
        with pytest.raises(NotFoundError):
            mark_candidates(login, [Mark(own, "uncertain")], actor="yakın")
    with acting_as(admin, READER) as session:
        assert refusal(session, "SELECT api.mark_candidates('[]')") == "42501"


@pytest.mark.req("DIF-01", "DIF-05")
def test_diffs_are_derived_from_the_stored_text_and_kept_once(case: Case) -> None:
    release = case.publish()
    pair = uuid_text(case.maker.held.id[0]), uuid_text(case.maker.held.id[2])
    derived = derive_diffs(case.login, case.maker.profile, [pair], role=Role.CURATOR, actor=AUTHOR)
    stored = store_diffs(case.login, case.maker.profile, [pair, pair[::-1]], actor=AUTHOR)
    assert (stored.stored, stored.diffs[0]) == (2, uuid_text(derived[0].id or b""))
    assert stored.diffs[0] != stored.diffs[1]
    assert store_diffs(case.login, case.maker.profile, [pair], actor=AUTHOR).stored == 0
    row = case.admin.execute(
        "SELECT script FROM curation.passage_diff WHERE diff = %s", stored.diffs[:1]
    ).fetchone()
    assert row is not None
    assert bytes(row[0]) == derived[0].script.encoded
    assert release


def test_passages_are_looked_up_by_their_bounds(case: Case) -> None:
    """Under row-level security a bound that must be computed is no key of an index: every separator of the
    release was read for every occurrence."""
    case.publish()
    named = {
        "key": case.one.profiles["FP"],
        "ids": [uuid_text(case.maker.held.id[0])],
        "block": 32768,
        "masked": 1,
    }
    with snapshot_of(case.login, Role.CURATOR, AUTHOR) as held:
        held.execute(b"SET LOCAL enable_seqscan = off")
        ((plan,),) = held.execute(b"EXPLAIN (FORMAT JSON) " + diffs._ENDPOINTS, named).fetchall()
    keys = {
        node["Relation Name"].rstrip("0123456789"): node["Index Cond"]
        for node in nodes_of(plan[0]["Plan"])
        if "Index Cond" in node and "Relation Name" in node
    }
    assert [word for word in ("atom >=", "atom <=") if word not in keys["separator_"]] == []
    assert [word for word in ("block >=", "block <=") if word not in keys["text_block_"]] == []


def nodes_of(plan: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield plan
    for one in plan.get("Plans", ()):
        yield from nodes_of(one)


@pytest.mark.req("DIF-04", "DIF-05")
def test_a_script_that_is_none_is_refused_by_the_database(case: Case) -> None:
    case.publish()
    left, right = (uuid_text(case.maker.held.id[n]) for n in (0, 2))
    (derived,) = derive_diffs(
        case.login, case.maker.profile, [(left, right)], role=Role.CURATOR, actor=AUTHOR
    )
    script = derived.script.encoded
    head = len(script) - 33 * len(derived.script.operations)
    odd = {
        "empty": b"",
        "short": script[:-1],
        "long": script + b"\0",
        "tag": b"\xff" + script[1:],
        "code": script[:head] + b"\x07" + script[head + 1 :],
        "outside": script[: head + 1] + (1 << 40).to_bytes(8, "big") + script[head + 9 :],
    }
    for what, data in odd.items():
        rows = json.dumps([{"left": left, "right": right, "script": data.hex()}])
        with case.admin.transaction(force_rollback=True):
            session = case.admin
            session.execute("SET LOCAL SESSION AUTHORIZATION tekrar_login")
            session.execute("SELECT set_config('tekrar.claims', %s, true)", (json.dumps({"actor": AUTHOR}),))
            session.execute(f"SET LOCAL ROLE {CURATOR}".encode())
            state = refusal(
                session, "SELECT api.store_diffs(%s::uuid, %s::jsonb)", (case.maker.profile, rows)
            )
            assert state == "TK012", what


@pytest.mark.req("FAM-02", "QUO-01")
def test_a_candidate_of_other_passages_is_no_ground(case: Case) -> None:
    """At the proposal, and again at the apply: of families, quotations, what is chosen, and what ends."""
    bench, maker = Bench(case.admin, case.one), Maker(case.admin, case.one.artifact_root, semver="3.0.0")
    first, third = (maker.extent(row) for row in (0, 3))
    # Both sides of the other one are within one paragraph, at a space of it.
    half = maker.held.text.index(b" ", third[0])
    sides = ((first, maker.extent(2)), ((third[0], half), (half, third[1])))
    near, far = (uuid_text(maker.add(*one, score=1).id) for one in sides)
    with case.admin.transaction():
        case.admin.execute(f"SET LOCAL SESSION AUTHORIZATION {BUILDER}".encode())
        load_within(case.admin, maker.package())
        case.admin.execute("RESET SESSION AUTHORIZATION")

    def refused_of(operation: str, key: str, body: dict[str, Any], *cited: str) -> dict[str, Any]:
        action = bench.action(operation, key, body, candidates=sorted(cited))
        with pytest.raises(psycopg.Error) as refused:
            bench.submit(action)
        return dict(json.loads(refused.value.diag.message_detail or "{}"))

    family = bench.family(("o", 2), ("c", 0))
    both = sorted((near, far))
    said = refused_of("accept_family", "family", family, near, far)
    assert (said["kind"], said["fact"]) == ("candidate_mismatch", f"candidates[{both.index(far)}]")
    assert said["found"] == far
    quotation = bench.quotation(bench.end(0), bench.end(1))
    assert refused_of("accept_quotation", "quotation", quotation, far)["kind"] == "candidate_mismatch"
    bench.decide(bench.action("accept_quotation", "quotation", quotation, candidates=[near]))
    # Row 1 is exactly equal to row 0, which the candidate is of.
    bench.submit(bench.action("accept_family", "family", bench.family(("o", 1), ("o", 3)), candidates=[near]))
    done = bench.decide(bench.action("accept_family", "family", family, candidates=[near]))
    (ended,) = done["structures"]
    retire = json.loads(bench.supersede("retire", [ended], [], {("o", 2): "residue", ("c", 0): "residue"}))
    body = retire["supersession"]
    assert refused_of("retire", "supersession", body, far)["kind"] == "candidate_mismatch"
    bench.decide(bench.action("retire", "supersession", body, candidates=[near]))


@pytest.mark.req("FAM-02")
def test_an_apply_and_a_replay_ask_it_again(case: Case) -> None:
    """A proposal that got by the check, by the owner's hand, is refused by what both ask (admit_now)."""
    bench = Bench(case.admin, case.one)
    body = bench.family(("o", 2), ("o", 3))
    row = case.admin.execute(
        b"SELECT k.candidate::text FROM curation.candidate k WHERE k.profile = %s AND NOT EXISTS (SELECT FROM"
        b" curation.candidate_participant p WHERE p.set_key = k.set_key AND p.candidate = k.candidate"
        b" AND p.occurrence = ANY (%s)) LIMIT 1",
        (case.maker.profile, [bench.id_of(("o", 2)), bench.id_of(("o", 3))]),
    ).fetchone()
    assert row is not None
    action = bench.action("accept_family", "family", body, candidates=[row[0]]).decode()
    ids = sorted(bench.id_of(("o", n)) for n in (2, 3))
    with pytest.raises(psycopg.Error, match="of other passages"):
        case.admin.execute(b"SELECT curation.check_now(%s::jsonb, %s)", (action, ids))
