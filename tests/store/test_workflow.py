"""Draft → proposal → review → apply in the database: the way that works, and what it leaves."""

from __future__ import annotations

import json
import uuid

import pytest

from tekrar.store.session import Connection
from tests.store.curated import AUTHOR, REVIEWER_ONE, Bench, people
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, new_load, plan_of, publish


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


def another(bench: Bench, prefix: str, short: str = "FP") -> Bench:
    """The same over another text, with nothing decided of it."""
    return Bench(bench.admin, new_load(bench.admin, prefix), short)


def published_of(bench: Bench) -> dict[str, uuid.UUID]:
    done = publish(bench.admin, plan_of(bench.admin, bench.loaded, *PROFILES))
    return {row["short"]: uuid.UUID(row["release"]) for row in done["releases"]}


@pytest.mark.req("FAM-02", "FAM-05", "CUR-02", "ID-03")
def test_a_family_from_proposal_to_decision(bench: Bench) -> None:
    one = another(bench, "aile ")
    proposal = one.submit(one.accept(("c", 0), ("o", 2)))
    done = one.review(proposal)
    assert done["state"] == "approved"
    applied = one.apply(proposal)
    assert applied["outcome"] == "applied"
    (family,) = applied["structures"]
    assert uuid.UUID(family).version == 7
    held = one.admin.execute(
        "SELECT occurrence, until FROM curation.effective_membership WHERE family = %s", (family,)
    ).fetchall()
    assert {row[0] for row in held} == {*one.occurrences(("c", 0)), one.id_of(("o", 2))}
    assert {row[1] for row in held} == {None}
    again = one.apply(proposal, done["review"])
    assert again["outcome"] == "already_applied"
    assert again["structures"] == [family]


@pytest.mark.req("CUR-07", "VAL-15")
def test_every_supersession(bench: Bench) -> None:
    one = another(bench, "ardıl ")
    four = [("o", 0), ("o", 1), ("o", 2), ("o", 3)]
    (whole,) = one.decide(one.accept(*four))["structures"]
    parts = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    moves = {("o", 0): [0], ("o", 2): [0], ("o", 1): [1], ("o", 3): [1]}
    left, right = one.decide(one.supersede("split", [whole], parts, moves))["structures"]
    (merged,) = one.decide(
        one.supersede("merge", [left, right], [one.family(*four)], {ref: [0] for ref in four})
    )["structures"]
    fewer = one.family(("o", 0), ("o", 2), ("o", 3), kind="near_exact")
    moved = {("o", 0): [0], ("o", 2): [0], ("o", 3): [0], ("o", 1): "residue"}
    (replaced,) = one.decide(one.supersede("replace", [merged], [fewer], moved))["structures"]
    gone = one.decide(
        one.supersede("retire", [replaced], [], dict.fromkeys([("o", 0), ("o", 2), ("o", 3)], "residue"))
    )
    assert gone["structures"] == []
    states = [
        one.value("SELECT api.structure_state(%s::uuid)", i) for i in (whole, left, right, merged, replaced)
    ]
    assert states == ["superseded"] * 4 + ["retired"]
    assert (
        one.value(
            "SELECT count(*) FROM curation.effective_membership WHERE until IS NULL AND profile = %s",
            one.profile,
        )
        == 0
    )
    found = one.value("SELECT api.resolve(%s::uuid, NULL)", whole)
    assert found["successors"] == sorted([left, right])
    assert found["record"]["expansion"]["count"] == 4


@pytest.mark.req("QUO-01", "QUO-03", "QUO-05", "QUO-07", "VAL-09")
def test_quotations(bench: Bench) -> None:
    one = another(bench, "alıntı ")
    source, quoting = one.end(0), one.end(1)
    (first,) = one.decide(one.action("accept_quotation", "quotation", one.quotation(source, quoting)))[
        "structures"
    ]
    body = one.quotation(one.end(0, [(0, 4)]), one.end(2, [(0, 4)]), kind="adapted_quotation")
    (second,) = one.decide(one.action("accept_quotation", "quotation", body))["structures"]
    release = published_of(one)["FP"]
    listed = one.admin.execute(
        "SELECT quotation FROM api.list_quotations(%s, %s, 'source', NULL, 10)",
        (release, one.id_of(("o", 0))),
    ).fetchall()
    assert [str(row[0]) for row in listed] == [first, second]
    assert (
        one.admin.execute(
            "SELECT quotation FROM api.list_quotations(%s, %s, 'source', NULL, 10)",
            (release, one.id_of(("o", 1))),
        ).fetchall()
        == []
    )


@pytest.mark.req("CAN-01", "CAN-02", "CAN-05", "CAN-06", "CAN-08", "VAL-10")
def test_choices(bench: Bench) -> None:
    one = another(bench, "seçim ")
    one.register("edition.first")
    release = published_of(one)["FP"]
    first, second = one.occurrences(("c", 0))
    body = one.choice(release, ("c", 0), first)
    (old,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    body = one.choice(release, ("c", 0), second, supersedes=old)
    (new,) = one.decide(one.action("choose_canonical", "choice", body))["structures"]
    assert one.value("SELECT api.structure_state(%s::uuid)", old) == "superseded"
    one.decide(one.action("compensate_choice", "compensation", {"choice": new, "reason": "yanlış"}))
    assert one.value("SELECT api.structure_state(%s::uuid)", new) == "compensated"
    assert one.value("SELECT api.resolve(%s::uuid, NULL)", old)["record"]["member"] == str(first)
    asked = one.value("SELECT api.canonical(%s, %s, 'edition.first')", release, one.id_of(("c", 0)))
    assert asked["status"] == "unselected"
    assert json.dumps(asked).count("member") == 0
    assert AUTHOR != REVIEWER_ONE
