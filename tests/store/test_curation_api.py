"""Curation through the Python interface, as the program's login: queues, histories, listings, drafts."""

from __future__ import annotations

import uuid
from collections.abc import Iterator
from typing import Any

import pytest

from tekrar.errors import DatabaseError, NotFoundError, UsageError
from tekrar.store.curation.listing import Asker
from tekrar.store.curation.workflow import (
    EditConflictError,
    apply,
    crosswalk,
    drafts,
    review,
    save_draft,
    submit,
)
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, people
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, new_load, plan_of, publish


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


@pytest.fixture
def connection(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


def released(one: Bench) -> str:
    done = publish(one.admin, plan_of(one.admin, one.loaded, *PROFILES))
    return next(str(r["release"]) for r in done["releases"] if r["short"] == "FP")


@pytest.mark.req("FAM-05", "FAM-09", "FAM-13", "LAY-10", "LAY-03", "CAN-09", "ID-01", "CUR-01", "CUR-02")
def test_a_family_proposed_reviewed_applied_and_listed(bench: Bench, connection: Connection) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "okuma "))
    before = released(one)
    assert Asker(connection).families(before) == []
    proposed = submit(connection, one.accept(("o", 3), ("c", 0), ("o", 2)), "bir", actor=AUTHOR)
    shuffled = submit(connection, one.accept(("c", 0), ("o", 2), ("o", 3)), "bir", actor=AUTHOR)
    assert (shuffled.outcome, shuffled.proposal) == ("already_submitted", proposed.proposal)
    judge = Asker(connection, Role.REVIEWER, REVIEWER_ONE)
    other = Asker(connection, Role.REVIEWER, REVIEWER_TWO)
    review(connection, proposed.proposal, "approve", note="**iyi**", actor=REVIEWER_ONE)
    assert [row["proposal"] for row in judge.proposals(queue=True)] == []
    (waiting,) = other.proposals(queue=True)
    assert (waiting["proposal"], waiting["state"], waiting["stale"]) == (proposed.proposal, "open", False)
    shown = other.proposal(proposed.proposal)
    assert (shown["state"], shown["reviews"]) == ("open", None)
    assert judge.proposal(proposed.proposal)["reviews"][0]["note"] == "**iyi**"
    done = apply(connection, proposed.proposal, actor=AUTHOR)
    after = released(one)
    assert after != before
    assert Asker(connection).families(before) == []
    (family,) = Asker(connection).families(after)
    assert (family["family"], family["size"], family["state"]) == (done.structures[0], 4, "effective")
    members = Asker(connection).members(after, family["family"])
    assert [row["row_no"] for row in members] == [0, 1, 2, 3]
    assert [row["duplicates"] for row in members] == [1, 1, 0, 0]
    assert [row["exact_class"] for row in members] == [str(one.id_of(("c", 0)))] * 2 + [None] * 2
    for of in (one.id_of(("o", 1)), one.id_of(("c", 0))):
        assert [row["family"] for row in Asker(connection).families(after, str(of))] == [family["family"]]
    history = Asker(connection, Role.CURATOR, AUTHOR).history(family["family"])
    assert [(row["kind"], row["actor"]) for row in history] == [
        ("proposal", AUTHOR),
        ("review", REVIEWER_ONE),
        ("apply", AUTHOR),
    ]
    given = next(row["facts"]["review"] for row in history if row["kind"] == "review")
    assert Asker(connection, Role.CURATOR, AUTHOR).history(given) == history
    resolved = Asker(connection).resolve(family["family"], release=after)
    assert (resolved["kind"], resolved["state"]) == ("repeat_family", "effective")
    with pytest.raises(NotFoundError):
        Asker(connection).resolve(family["family"], release=before)
    for table in ("quotation", "canonical_choice", "candidate"):
        assert one.value(f"SELECT count(*) FROM curation.{table}") == 0


def ended_by(found: dict[str, Any]) -> tuple[str, str | None]:
    """The operation that ended a structure, and its reason."""
    return found["ended"]["operation"], found["ended"].get("reason")


@pytest.mark.req("CAN-06", "CAN-08", "CUR-08")
def test_the_public_is_told_of_no_end_before_it_is_published(bench: Bench, connection: Connection) -> None:
    """A choice that was changed, then one that was taken back: as published last, and never `retired`."""
    one = Bench(bench.admin, new_load(bench.admin, "henüz "))
    one.register("edition.first")
    release = uuid.UUID(released(one))
    body = one.choice(release, ("c", 0), one.id_of(("o", 0)))
    (first,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    released(one)
    public, staff = Asker(connection), Asker(connection, Role.CURATOR, AUTHOR)

    def told(choice: str, asker: Asker = public) -> tuple[str, Any]:
        found = asker.resolve(choice)
        return found["state"], found.get("ended", {}).get("operation")

    body = one.choice(release, ("c", 0), one.id_of(("o", 1)), supersedes=first)
    (second,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    assert (told(first), told(first, staff)) == (("effective", None), ("superseded", "choose_canonical"))
    released(one)
    assert told(first) == ("superseded", "choose_canonical")
    one.decide(one.action("compensate_choice", "compensation", {"choice": second, "reason": "yanlış"}))
    assert (told(second), told(second, staff)) == (("effective", None), ("compensated", "compensate_choice"))
    released(one)
    assert told(second) == ("compensated", "compensate_choice")


@pytest.mark.req("ID-08", "CUR-07", "CAN-08", "CUR-08", "QUO-06", "QUO-03", "QUO-05")
def test_old_ids_resolve_and_a_source_is_not_canonical(bench: Bench, connection: Connection) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "çözüm "))
    body = one.quotation(one.end(0), one.end(1))
    (quotation,) = one.decide(one.action("accept_quotation", "quotation", body))["structures"]
    (family,) = one.decide(one.accept(("c", 0), ("o", 2)))["structures"]
    one.register("edition.first")
    first = released(one)
    asker = Asker(connection)
    answer = asker.canonical(first, str(one.id_of(("c", 0))), policy="edition.first")
    assert answer["status"] == "unselected"
    body = one.choice(uuid.UUID(first), family, one.id_of(("o", 2)))
    (choice,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    body = one.family(("c", 0), ("o", 3))
    moves = {("c", 0): [0], ("o", 2): "residue"}
    (successor,) = one.decide(one.supersede("replace", [family], [body], moves))["structures"]
    second = released(one)
    found = asker.resolve(family)
    assert (found["state"], found["successors"]) == ("superseded", [successor])
    assert ended_by(found) == ("replace", "Yeniden okundu.")
    went = {line["member"]: (line["tag"], line["to"]) for line in found["ended"]["mapping"]}
    assert went == {
        str(one.id_of(("c", 0))): ("class", [successor]),
        str(one.id_of(("o", 2))): ("occurrence", []),
    }
    then = asker.resolve(family, release=first)
    assert (then["state"], "ended" in then) == ("effective", False)
    gone = asker.resolve(choice)
    assert (gone["state"], *ended_by(gone)) == ("retired", "replace", "Yeniden okundu.")
    assert gone["ended"]["decision"] == found["ended"]["decision"]
    assert [row["family"] for row in asker.families(second)] == [successor]
    assert [row["family"] for row in asker.families(first)] == [family]
    assert asker.choices(second) == []
    (row,) = asker.quotations(first, source=str(one.id_of(("o", 0))))
    assert row["quotation"] == quotation
    assert asker.quotations(first, quoting=str(one.id_of(("o", 0)))) == []
    foreign = str(uuid.uuid5(uuid.NAMESPACE_URL, "onların"))
    assert crosswalk(connection, successor, "elsewhere", foreign, actor=AUTHOR)["outcome"] == "recorded"
    assert (
        crosswalk(connection, successor, "elsewhere", foreign, actor=AUTHOR)["outcome"] == "already_recorded"
    )
    assert uuid.UUID(asker.resolve(successor)["id"]).version == 7
    with pytest.raises(NotFoundError):
        asker.resolve(foreign)


@pytest.mark.req("QRY-02", "QRY-03", "CAN-02", "CUR-07")
def test_what_is_not_in_force_says_why(bench: Bench, connection: Connection) -> None:
    """Four different statuses with no member at all; each of them as of its release (AMB-31)."""
    one = Bench(bench.admin, new_load(bench.admin, "durum "))
    one.register("edition.first")
    released(one)
    four = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (whole,) = one.decide(one.accept(*four))["structures"]
    with_it = released(one)
    asker, policy = Asker(connection), "edition.first"
    now = Asker(connection, Role.CURATOR, AUTHOR)

    def status(release: str, family: str) -> str:
        found = asker.canonical(release, family, policy=policy)
        assert "member" not in found
        return str(found["status"])

    body = one.choice(uuid.UUID(with_it), whole, one.id_of(("o", 0)))
    (choice,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    one.decide(one.action("compensate_choice", "compensation", {"choice": choice, "reason": "yanlış"}))
    assert now.current(choice)["status"] == "unselected"
    assert ended_by(now.resolve(choice)) == ("compensate_choice", "yanlış")
    parts = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    moves = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    halves = one.decide(one.supersede("split", [whole], parts, moves))["structures"]
    split = released(one)
    assert now.current(whole)["status"] == "ambiguous"
    merging = one.supersede("merge", halves, [one.family(*four)], {ref: [0] for ref in four})
    (merged,) = one.decide(merging)["structures"]
    assert now.current(halves[0]) == {
        "status": "effective", "current": merged, "through": [halves[0]], "successors": [],
    }  # fmt: skip
    one.decide(one.supersede("retire", [merged], [], dict.fromkeys(four, "residue")))
    last = released(one)
    assert now.current(halves[0])["status"] == "retired"
    (went,) = {tuple(line["to"]) for line in now.resolve(merged)["ended"]["mapping"]}
    assert went == ()
    assert ended_by(now.resolve(merged)) == ("retire", "Yeniden okundu.")
    assert now.current(halves[0])["through"] == [halves[0], merged]
    assert asker.current(whole, release=with_it)["current"] == whole
    assert [status(release, whole) for release in (with_it, split, last)] == [
        "unselected",
        "ambiguous",
        "ambiguous",
    ]
    assert [status(last, family) for family in (halves[0], merged)] == ["stale_evidence", "retired"]
    assert asker.canonical(last, halves[0], policy=policy)["successors"] == [merged]
    assert status(split, halves[0]) == "unselected"
    assert status(last, str(one.id_of(("c", 0)))) == "unselected"
    assert asker.canonical(split, merged, policy=policy)["reason"] == "not_in_release"
    with pytest.raises(NotFoundError):
        asker.canonical(split, "0190a0a0-0000-7000-8000-000000000000", policy=policy)


@pytest.mark.req("CUR-04")
def test_a_proposal_whose_ground_moved_is_shown_as_stale(bench: Bench, connection: Connection) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "bayat "))
    late = submit(connection, one.accept(("o", 1), ("o", 3)), actor=AUTHOR).proposal
    review(connection, late, "approve", actor=REVIEWER_ONE)
    one.decide(one.accept(("c", 0), ("o", 2)))
    asker = Asker(connection, Role.CURATOR, AUTHOR)
    assert (asker.proposal(late)["state"], asker.proposal(late)["stale"]) == ("approved", True)
    with pytest.raises(DatabaseError) as error:
        apply(connection, late, actor=AUTHOR)
    assert error.value.kind == "expected_state_mismatch"
    with pytest.raises(UsageError):
        apply(connection, "AB" * 32, actor=AUTHOR)


def test_drafts_are_never_lost(bench: Bench, connection: Connection) -> None:
    assert bench.loaded
    assert save_draft(connection, "defter", b"bir", version=0, actor=AUTHOR) == 1
    assert save_draft(connection, "defter", b"iki", version=1, actor=AUTHOR) == 2
    with pytest.raises(EditConflictError) as error:
        save_draft(connection, "defter", b"on", version=1, actor=AUTHOR)
    assert (error.value.version, error.value.theirs, error.value.yours) == (2, "iki", "on")
    assert "its version is 2, yours rests on 1" in error.value.message
    whole = ("ağaç\n" * 3000).encode()
    assert save_draft(connection, "yaprak", whole, version=0, actor=AUTHOR) == 1
    with pytest.raises(EditConflictError) as error:
        save_draft(connection, "yaprak", b"dal", version=0, actor=AUTHOR)
    assert (error.value.theirs, error.value.yours) == (whole.decode(), "dal")
    with pytest.raises(EditConflictError, match="draft yaprak has no version 7: its newest is 1"):
        save_draft(connection, "yaprak", b"dal", version=7, actor=AUTHOR)
    with pytest.raises(EditConflictError, match="there is no draft kök to save version 4 of") as error:
        save_draft(connection, "kök", b"dal", version=3, actor=AUTHOR)
    assert (error.value.version, error.value.theirs, error.value.expected) == (0, "", "0")
    assert "version 0" in error.value.mend
    assert [one.document for one in drafts(connection, "defter", actor=AUTHOR)] == [b"iki", b"bir"]
    assert drafts(connection, actor=REVIEWER_TWO) == []
