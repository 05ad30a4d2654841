"""What an action rests on beside its members: candidates, evidence, diffs, a release that stands; and what a
choice and a quotation leave untouched."""

from __future__ import annotations

import json
import uuid
from collections.abc import Mapping
from typing import Any

import pytest

from tekrar.store.session import Connection
from tests.store.curated import Bench, Body, Ref, people
from tests.store.matrix import PUBLISHER, READER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import as_login, call, new_load, plan_of, publish
from tests.store.test_workflow_refusals import refused

NOBODY = str(uuid.uuid5(uuid.NAMESPACE_URL, "kimse"))


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


def released(one: Bench) -> uuid.UUID:
    done = publish(one.admin, plan_of(one.admin, one.loaded, one.short))
    return uuid.UUID(done["releases"][0]["release"])


@pytest.mark.req("FAM-02")
@pytest.mark.parametrize("what", ["candidates", "evidence"])
def test_candidates_and_evidence_that_are_not_loaded(bench: Bench, what: str) -> None:
    action = bench.action("accept_family", "family", bench.family(("c", 0), ("o", 2)), **{what: [NOBODY]})
    assert refused(bench, lambda: bench.submit(action)) == "not_found"


@pytest.mark.req("FAM-07", "DIF-08", "VAL-08")
def test_a_family_with_a_diff_that_is_stale(bench: Bench) -> None:
    """Of another witness than the occurrence has, of an earlier text, of others in the family."""
    old, one = (Bench(bench.admin, new_load(bench.admin, prefix)) for prefix in ("önceki ", "sonraki "))
    whole = one.family(("o", 1), ("o", 2), ("o", 3))

    def propose(**more: str) -> str:
        body = json.loads(json.dumps(whole))
        body["diffs"][0] |= more
        return refused(one, lambda: one.submit(one.action("accept_family", "family", body)))

    first = whole["diffs"][0]
    earlier = old.diff(old.id_of(("o", 1)), old.id_of(("o", 2)))
    assert propose(diff=earlier) == "stale_diff"
    assert propose(diff=whole["diffs"][1]["diff"]) == "stale_diff"
    assert propose(diff=NOBODY) == "stale_diff"
    assert propose(left=str(old.id_of(("o", 1))), diff=earlier) in ("malformed", "missing_diff")
    for side in ("left", "right"):
        stale = str(uuid.uuid5(uuid.NAMESPACE_URL, f"eski tanık {side} {one.profile}"))
        with bench.admin.transaction():
            bench.admin.execute("SET LOCAL ROLE tekrar_owner")
            witnesses = [f"sha256({s}_witness)" if s == side else f"{s}_witness" for s in ("left", "right")]
            bench.admin.execute(
                "INSERT INTO curation.passage_diff SELECT %s, left_occurrence, right_occurrence,"
                f" {', '.join(witnesses)}, algorithm, sha256(script || %s), script || %s"
                " FROM curation.passage_diff WHERE diff = %s",
                (stale, side.encode(), side.encode(), first["diff"]),
            )
        assert propose(diff=stale) == "stale_diff"
    assert one.submit(one.action("accept_family", "family", whole))


@pytest.mark.req("QUO-01", "DIF-08")
def test_a_quotation_with_a_diff_of_others(bench: Bench) -> None:
    """The diff goes from the source to the quoting occurrence: the other way round it is another's."""
    ends = (bench.end(0, [(0, 4)]), bench.end(2, [(0, 4)]))
    ids = (bench.id_of(("o", 0)), bench.id_of(("o", 2)))
    for diff in (bench.diff(*reversed(ids)), bench.diff(ids[0], bench.id_of(("o", 3)))):
        body = bench.quotation(*ends, kind="adapted_quotation", diff=diff)
        action = bench.action("accept_quotation", "quotation", body)
        assert refused(bench, lambda action=action: bench.submit(action)) == "stale_diff"
    body = bench.quotation(*ends, kind="adapted_quotation", diff=bench.diff(*ids))
    assert bench.submit(bench.action("accept_quotation", "quotation", body))


@pytest.mark.req("CAN-03")
def test_no_choice_is_named_from_a_release_that_was_withdrawn(bench: Bench) -> None:
    """Neither proposed nor, when it was withdrawn since, applied."""
    one = Bench(bench.admin, new_load(bench.admin, "çekilen "))
    release = released(one)
    choice = one.action("choose_canonical", "choice", one.choice(release, ("c", 0), one.id_of(("o", 0))))
    waiting = one.submit(choice)
    one.review(waiting)
    call(one.admin, PUBLISHER, "yayıncı", "api.withdraw", release, "sayfa eksik")
    assert refused(one, lambda: one.apply(waiting)) == "not_found"
    assert refused(one, lambda: one.submit(choice)) == "not_found"


@pytest.mark.req("CORE-04", "QRY-04", "CAN-05", "VAL-10", "CL-08")
def test_a_choice_changes_nothing_but_the_recommendation(bench: Bench) -> None:
    """Every member keeps its ID, its class and its own bytes, whichever is chosen and chosen anew."""
    one = Bench(bench.admin, new_load(bench.admin, "seçilen "))
    before = released(one)
    members = one.occurrences(("c", 0))

    def answers(release: uuid.UUID) -> list[object]:
        found = []
        for member in members:
            with as_login(one.admin, READER, "") as reader:
                row = reader.execute(
                    "SELECT to_jsonb(o) FROM api.get_occurrence(%s, %s) o", (release, member)
                )
                answer = row.fetchone()
            assert answer is not None
            answer[0].pop("release", None)
            found.append(answer[0])
        return found

    as_it_was = answers(before)
    assert len({str(row) for row in as_it_was}) == len(members)
    old, told = None, {}
    for member in (members[1], members[0], members[1]):
        more = {} if old is None else {"supersedes": old}
        body = one.choice(before, ("c", 0), member, **more)
        (new,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
        release = released(one)
        found = one.value("SELECT api.canonical(%s, %s, 'edition.first')", release, one.id_of(("c", 0)))
        assert (found["member"], found["choice"]) == (str(member), new)
        assert answers(release) == as_it_was
        told[release] = new
        if old is not None:
            kept = one.value("SELECT api.resolve(%s::uuid, NULL)", old)
            assert (kept["state"], kept["successors"]) == ("superseded", [new])
        old = new
    query = "SELECT choice::text FROM api.list_choices(%s, %s, 'edition.first', NULL, 9)"
    for release, own in told.items():  # what a release recommended it recommends for ever (AMB-30)
        assert one.admin.execute(query, (release, one.id_of(("c", 0)))).fetchall() == [(own,)]
    in_force = "SELECT count(*) FROM curation.effective_choice WHERE structure = %s AND until IS NULL"
    assert one.value(in_force, one.id_of(("c", 0))) == 1


@pytest.mark.req("QUO-03", "QUO-07", "QUO-08", "VAL-09")
def test_a_quotes_b_and_b_quotes_c_say_nothing_of_a_and_c(bench: Bench) -> None:
    """Each keeps its direction and its extents, to the byte."""
    one = Bench(bench.admin, new_load(bench.admin, "zincir "))
    steps = ((2, 3), (3, 0))  # 3 quotes 2, and 0 quotes 3
    made = []
    for source, quoting in steps:
        body = one.quotation(one.end(source, [(0, 4)]), one.end(quoting, [(0, 4)]), kind="adapted_quotation")
        made += one.decide(one.action("accept_quotation", "quotation", body))["structures"]
    release = released(one)
    rows = one.admin.execute(
        "SELECT quotation, source_occurrence, source_ranges, quoting_occurrence, quoting_ranges"
        " FROM api.list_quotations(%s, NULL, NULL, NULL, 10)",
        (release,),
    ).fetchall()
    ends = [(one.end(s, [(0, 4)]), one.end(q, [(0, 4)])) for s, q in steps]
    assert [(str(row[0]), *row[1:]) for row in rows] == [
        (own, uuid.UUID(s["occurrence"]), [int(n) for n in s["ranges"][0]],
         uuid.UUID(q["occurrence"]), [int(n) for n in q["ranges"][0]])
        for own, (s, q) in zip(made, ends, strict=True)
    ]  # fmt: skip

    def listed(side: str, row: int) -> list[str]:
        query = "SELECT quotation FROM api.list_quotations(%s, %s, %s, NULL, 10)"
        return [str(r[0]) for r in one.admin.execute(query, (release, one.id_of(("o", row)), side))]

    assert [listed("source", row) for row in (2, 3, 0)] == [[made[0]], [made[1]], []]
    assert [listed("quoting", row) for row in (2, 3, 0)] == [[], [made[0]], [made[1]]]
    assert one.value("SELECT count(*) FROM curation.family WHERE profile = %s", one.profile) == 0


#: What a correction may not change of a family: its rows, to the byte.
KEPT = (
    "SELECT f::text FROM curation.family f WHERE family = %s",
    "SELECT m::text FROM curation.family_member m WHERE family = %s ORDER BY position",
    "SELECT d::text FROM curation.family_diff d WHERE family = %s ORDER BY 1",
    "SELECT occurrence::text || since FROM curation.effective_membership WHERE family = %s ORDER BY 1",
)


@pytest.mark.req("CUR-07", "VAL-15", "ID-09", "FAM-10")
def test_every_correction_leaves_what_was_published_as_it_was(bench: Bench) -> None:
    """Restructure, merge, a class divided, split, replace, retire: rows, releases and old IDs stay."""
    one = Bench(bench.admin, new_load(bench.admin, "düzelti "))
    was: dict[str, list[object]] = {}
    after: dict[str, list[str]] = {}
    shown: dict[uuid.UUID, list[str]] = {}

    def kept(family: str) -> list[object]:
        return [one.admin.execute(query.encode(), (family,)).fetchall() for query in KEPT]

    def listed(release: uuid.UUID) -> list[str]:
        query = "SELECT family FROM api.list_families(%s, NULL, NULL, 10)"
        return [str(row[0]) for row in one.admin.execute(query, (release,))]

    def correct(operation: str, before: list[str], bodies: list[Body], moves: Mapping[Ref, Any]) -> list[str]:
        """Publish, correct, and give the successors in the order of `bodies`."""
        release = released(one)
        shown[release] = listed(release)
        assert set(before) <= set(shown[release])
        was.update({family: kept(family) for family in before})
        new = one.decide(one.supersede(operation, before, bodies, moves))["structures"]
        for family in before:
            after[family] = sorted(new)
        roots = {one.resolved(family)["record"]["expansion"]["root"]: family for family in new}
        return [roots[body["expansion"]["root"]] for body in bodies]

    def pair(a: int, b: int, **more: Any) -> Body:
        return one.family(("o", a), ("o", b), **more)

    start = [one.decide(one.accept(("o", a), ("o", b)))["structures"][0] for a, b in ((0, 2), (1, 3))]
    crossed = {("o", 0): [0], ("o", 2): [1], ("o", 1): [1], ("o", 3): [0]}
    others = correct("restructure", start, [pair(0, 3), pair(1, 2)], crossed)
    whole = one.family(("c", 0), ("o", 2), ("o", 3))
    (merged,) = correct("merge", others, [whole], {("o", n): [0] for n in range(4)})
    divided = {("c", 0): [0, 1], ("o", 2): [0], ("o", 3): [1]}
    halves = correct("restructure", [merged], [pair(0, 2), pair(1, 3)], divided)
    (other,) = correct("replace", halves[:1], [pair(0, 2, kind="near_exact")], {("o", 0): [0], ("o", 2): [0]})
    (both,) = correct("merge", [other, halves[1]], [whole], {("o", n): [0] for n in range(4)})
    # The class as one member, then its occurrences each by itself.
    wide = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (single,) = correct("replace", [both], [one.family(*wide)], {("c", 0): [0], ("o", 2): [0], ("o", 3): [0]})
    apart = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    last = correct("split", [single], [pair(0, 2), pair(1, 3)], apart)
    correct("retire", last[:1], [], {("o", 0): "residue", ("o", 2): "residue"})
    released(one)
    assert len(was) == 11
    for family, rows in was.items():
        assert kept(family) == rows
        found = one.resolved(family)
        assert found["successors"] == after[family]
        assert found["state"] == ("retired" if family == last[0] else "superseded")
        assert len(found["record"]["members"]) == len(list(rows[1]))  # type: ignore[call-overload]
    for release, families in shown.items():
        assert listed(release) == families
        assert {one.resolved(family, release)["state"] for family in families} == {"effective"}
