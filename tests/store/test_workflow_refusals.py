"""What the workflow refuses, by its rule: nothing is written, at the proposal and at the apply."""

from __future__ import annotations

import json
import uuid
from collections.abc import Callable
from typing import Any

import psycopg
import pytest

from tekrar.core.encoding import canonical_json
from tekrar.store.session import Connection
from tests.store.curated import AUTHOR, REVIEWER_ONE, REVIEWER_TWO, Bench, people
from tests.store.matrix import ADMINISTRATOR, CURATOR, REVIEWER
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, call, new_load, plan_of, publish

Body = dict[str, Any]


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded) -> Bench:
    people(admin)
    return Bench(admin, actors)


def written(bench: Bench) -> list[tuple[Any, ...]]:
    """The heads: every entry of the ledger moves one."""
    return bench.admin.execute("SELECT name, scope, version FROM curation.head ORDER BY 1, 2").fetchall()


def refused(bench: Bench, act: Callable[[], Any]) -> str:
    """The kind with which an act is refused; nothing was written."""
    before = written(bench)
    with pytest.raises(psycopg.Error) as error:
        act()
    assert written(bench) == before
    detail = json.loads(error.value.diag.message_detail or "{}")
    assert (error.value.sqlstate or "").startswith("TK"), error.value
    return str(detail["kind"])


def changed(action: bytes, *path: Any, to: Any = None) -> bytes:
    """The action with one value replaced, or taken out where it is None."""
    document = json.loads(action)
    place = document
    for step in path[:-1]:
        place = place[step]
    if to is None:
        del place[path[-1]]
    else:
        place[path[-1]] = to
    return canonical_json(document)


@pytest.mark.req(
    "FAM-01", "FAM-02", "FAM-04", "FAM-06", "FAM-11", "LAY-01", "LAY-05", "LAY-06", "LAY-07", "VAL-08"
)
@pytest.mark.parametrize(
    ("path", "to", "kind"),
    [
        (("operation",), "accept_class", "unknown_operation"),
        (("family", "kind"), "quotation", "unknown_kind"),
        (("family", "kind"), "uncertain", "unknown_kind"),
        (("family", "kind"), "exact", "unknown_kind"),
        (("family", "members", 0, "tag"), "occurrence", "tag_mismatch"),
        (("family", "members", 0, "tag"), None, "tag_mismatch"),
        (("family", "members", 0, "count"), "1", "incomplete_inventory"),
        (("family", "members", 0, "inventory"), "00" * 32, "incomplete_inventory"),
        (("family", "members", 0, "witness"), "00" * 32, "witness_mismatch"),
        (("family", "expansion", "count"), "2", "incomplete_inventory"),
        (("family", "expansion", "root"), "00" * 32, "incomplete_inventory"),
        (("family", "diffs"), [], "missing_diff"),
        (("family", "diffs"), None, "malformed"),
        (("family", "diffs", 0, "diff"), str(uuid.uuid5(uuid.NAMESPACE_URL, "x")), "stale_diff"),
        (("rationale",), None, "malformed"),
        (("candidates",), None, "malformed"),
        (("candidates",), [str(uuid.uuid5(uuid.NAMESPACE_URL, "x"))], "not_found"),
        (("evidence",), [str(uuid.uuid5(uuid.NAMESPACE_URL, "x"))], "not_found"),
        (("expected", "occurrences"), "00" * 32, "expected_state_mismatch"),
        (("expected", "structures"), [{"id": str(uuid.UUID(int=7 << 76 | 2 << 62)), "state": "effective"}],
         "expected_state_mismatch"),
        (("profile",), str(uuid.uuid5(uuid.NAMESPACE_URL, "x")), "not_found"),
        (("edition",), "başka", "not_found"),
        (("policy_of_review",), "none.v1", "malformed"),
        (("more",), "x", "malformed"),
    ],
)  # fmt: skip
def test_a_family_that_is_not_so(bench: Bench, path: tuple[Any, ...], to: Any, kind: str) -> None:
    action = bench.accept(("c", 0), ("o", 2))
    if kind == "tag_mismatch" and to == "occurrence":
        # An exact class given as an occurrence has the keys of one.
        document = json.loads(action)
        one = document["family"]["members"][0]
        document["family"]["members"][0] = {"tag": "occurrence", "id": one["id"], "witness": one["witness"]}
        document["family"]["members"].sort(key=lambda m: (m["tag"], m["id"]))
        assert refused(bench, lambda: bench.submit(canonical_json(document))) == kind
        return
    assert refused(bench, lambda: bench.submit(changed(action, *path, to=to))) == kind


@pytest.mark.req("FAM-06", "VAL-08")
def test_members_that_stand_twice_or_are_one_class(bench: Bench) -> None:
    assert refused(bench, lambda: bench.submit(bench.accept(("c", 0), ("o", 0)))) == "double_membership"
    assert refused(bench, lambda: bench.submit(bench.accept(("o", 0), ("o", 1)))) == "one_exact_class"
    double = json.loads(bench.accept(("o", 2), ("o", 3)))
    double["family"]["members"][1] = double["family"]["members"][0]
    assert refused(bench, lambda: bench.submit(canonical_json(double))) == "double_membership"
    turned = json.loads(bench.accept(("o", 2), ("o", 3)))
    turned["family"]["members"].reverse()
    assert refused(bench, lambda: bench.submit(canonical_json(turned))) == "malformed"


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (lambda b: b.replace(b'"count":"3"', b'"count":3'), "float"),
        (lambda b: b.replace(b'"count":"3"', b'"count":3.5'), "float"),
        (lambda b: b.replace(b'"operation"', b'"operation":"retire","operation"'), "duplicate_key"),
        (lambda b: b.replace(b'{"candidates"', b'{ "candidates"'), "not_canonical"),
        (lambda b: b[:-1], "malformed"),
        (lambda b: b.replace(b"eki", b"e\\u0000"), "malformed"),
        (lambda b: b.replace("ö".encode(), b"\xff"), "malformed"),
        (lambda b: b.replace(b'"candidates":[]', b'"candidates":true'), "not_canonical"),
    ],
)
def test_bytes_that_are_no_action(bench: Bench, change: Callable[[bytes], bytes], kind: str) -> None:
    action = bench.accept(("c", 0), ("o", 2))
    assert change(action) != action
    assert refused(bench, lambda: bench.submit(change(action))) == kind


@pytest.mark.req("QUO-01", "QUO-02", "QUO-08", "VAL-09")
def test_a_quotation_that_is_not_so(bench: Bench) -> None:
    def propose(body: Body) -> str:
        return refused(bench, lambda: bench.submit(bench.action("accept_quotation", "quotation", body)))

    whole = bench.quotation(bench.end(0), bench.end(1))
    for key in ("source", "quoting", "mapping", "attribution", "kind"):
        short = {k: v for k, v in whole.items() if k != key}
        assert propose(short) in ("malformed", "unknown_kind"), key
    assert propose({**whole, "kind": "quotation"}) == "unknown_kind"
    size = int(whole["source"]["ranges"][0][1]) - int(whole["source"]["ranges"][0][0])
    beyond = bench.end(0, [(0, size + 1)])
    assert propose({**whole, "kind": "adapted_quotation", "source": beyond}) == "outside_occurrence"
    assert propose(bench.quotation(bench.end(0), bench.end(2))) == "unequal_verbatim"
    part = bench.quotation(bench.end(0), bench.end(1))
    part["mapping"] = [
        {
            "source": [part["source"]["ranges"][0][0], str(int(part["source"]["ranges"][0][0]) + 2)],
            "quoting": [part["quoting"]["ranges"][0][0], str(int(part["quoting"]["ranges"][0][0]) + 2)],
        }
    ]
    assert propose(part) == "unequal_verbatim"
    assert propose(
        bench.quotation(
            bench.end(0, [(0, 4)]),
            bench.end(2, [(0, 4)]),
            diff=bench.diff(bench.id_of(("o", 2)), bench.id_of(("o", 0))),
        )
    ) in ("stale_diff", "unequal_verbatim")
    other = {**bench.end(0, [(0, 4)]), "selection": bench.end(0, [(0, 3)])["selection"]}
    assert propose(bench.quotation(other, bench.end(1, [(0, 4)]))) == "selection_mismatch"
    assert propose(bench.quotation(bench.end(0), bench.end(0))) == "self_quotation"


@pytest.mark.req("QUO-04")
def test_an_uncertain_source_is_open_and_never_in_force(bench: Bench) -> None:
    body = bench.quotation(bench.end(0), bench.end(1), kind="source_uncertain")
    proposal = bench.submit(bench.action("accept_quotation", "quotation", body))
    bench.review(proposal)
    assert refused(bench, lambda: bench.apply(proposal)) == "source_uncertain"
    assert bench.value("SELECT count(*) FROM curation.quotation WHERE profile = %s", bench.profile) == 0


@pytest.mark.req("CAN-03", "CAN-04", "CAN-07")
def test_a_choice_that_is_not_so(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "ret "))
    done = publish(one.admin, plan_of(one.admin, one.loaded, *PROFILES))
    release = next(uuid.UUID(r["release"]) for r in done["releases"] if r["short"] == "FP")
    partial = next(uuid.UUID(r["release"]) for r in done["releases"] if r["short"] == "PP")

    def propose(body: Body) -> str:
        return refused(one, lambda: one.submit(one.action("choose_canonical", "choice", body)))

    member = one.id_of(("o", 0))
    for rule in ("corpus_order", "shortest_uuid", "highest_similarity", "earliest_discovery"):
        assert propose(one.choice(release, ("c", 0), member, policy={"rule": rule})) == "silent_rule"
    assert propose(one.choice(release, ("c", 0), member, policy={"rule": "longest"})) == "unknown_kind"
    assert propose(one.choice(release, ("c", 0), one.id_of(("o", 2)))) == "not_a_member"
    assert propose(one.choice(release, ("c", 0), one.loaded.occurrence("PP", 0))) == "not_a_member"
    assert propose(one.choice(partial, ("c", 0), member)) == "not_found"
    assert propose(one.choice(uuid.uuid5(uuid.NAMESPACE_URL, "r"), ("c", 0), member)) == "not_found"
    first = one.action("choose_canonical", "choice", one.choice(release, ("c", 0), member))
    second = one.action("choose_canonical", "choice", one.choice(release, ("c", 0), one.id_of(("o", 1))))
    late = one.submit(second)
    one.review(late)
    (old,) = one.decide(first)["structures"]
    assert refused(one, lambda: one.apply(late)) == "competing_choice"
    assert propose(one.choice(release, ("c", 0), member)) == "competing_choice"
    differs = one.choice(release, ("c", 0), member, supersedes=old, policy={"document": "cd" * 32})
    assert propose(differs) == "policy_differs"
    with pytest.raises(psycopg.Error, match="question"):
        one.admin.execute("SELECT api.canonical(NULL, %s, 'edition.first')", (one.id_of(("c", 0)),))


@pytest.mark.req("CUR-01", "CUR-03", "CUR-06", "CUR-09", "CUR-10")
def test_who_may_and_what_binds(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "yetki "))
    proposal = one.submit(one.accept(("c", 0), ("o", 2)), actor=REVIEWER_TWO)
    assert refused(one, lambda: one.apply(proposal)) == "not_approved"
    assert refused(one, lambda: one.review(proposal, actor=REVIEWER_TWO)) == "self_review"
    assert refused(one, lambda: one.review(proposal, actor=AUTHOR)).startswith("grant_")
    assert refused(one, lambda: one.submit(one.accept(("c", 0), ("o", 2)), actor=REVIEWER_ONE)).startswith(
        "grant_"
    )
    other = one.submit(one.accept(("o", 2), ("o", 3)))
    swapped = one.review(other)["review"]
    assert refused(one, lambda: one.apply(proposal, swapped)) == "digest_mismatch"
    assert refused(one, lambda: one.apply("ab" * 32)) == "not_found"
    review = one.review(proposal)
    assert one.review(proposal)["outcome"] == "already_reviewed"
    assert one.review(proposal)["review"] == review["review"]
    done = one.apply(proposal, review["review"])
    again = one.apply(proposal, review["review"])
    assert (again["outcome"], again["structures"]) == ("already_applied", done["structures"])
    assert refused(one, lambda: one.apply(other, review["review"])) == "digest_mismatch"
    assert refused(one, lambda: one.review(proposal, "reject")) == "not_reviewable"


@pytest.mark.req("CUR-02", "CUR-10")
def test_a_newer_revision_outdates_its_reviews(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "gözden "))
    first = one.submit(one.accept(("c", 0), ("o", 2)), "taslak")
    assert one.submit(one.accept(("c", 0), ("o", 2)), "taslak") == first
    one.review(first)
    second = one.submit(one.accept(("c", 0), ("o", 3)), "taslak", base=1)
    assert refused(one, lambda: one.apply(first)) == "outdated"
    assert refused(one, lambda: one.review(first, actor=REVIEWER_TWO)) == "outdated"
    assert one.review(second, "request_changes")["state"] == "changes_requested"
    assert refused(one, lambda: one.apply(second)) == "not_approved"
    third = one.submit(one.accept(("c", 0), ("o", 2)), "taslak", base=2)
    one.review(third)
    one.apply(third)
    assert refused(one, lambda: one.submit(one.accept(("o", 2), ("o", 3)), "taslak")) == "draft_closed"


@pytest.mark.req("CUR-06", "CUR-11")
def test_revoked_or_frozen_between_two_steps(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "donuk "))

    def grants() -> dict[str, int]:
        rows = one.admin.execute(
            "SELECT a.name, g.role, max(g.grant_key) FROM curation.grant_entry g JOIN curation.actor a"
            " USING (actor_key) GROUP BY 1, 2"
        ).fetchall()
        return {f"{row[0]}/{row[1]}": row[2] for row in rows}

    def revoke(who: str, role: str) -> None:
        call(one.admin, ADMINISTRATOR, "yönetici", "api.revoke_grant", grants()[f"{who}/{role}"])

    def grant(who: str, role: str) -> None:
        call(one.admin, ADMINISTRATOR, "yönetici", "api.grant_role", who, role, "*", None, None)

    proposal = one.submit(one.accept(("c", 0), ("o", 2)))
    revoke(REVIEWER_ONE, "reviewer")
    assert refused(one, lambda: one.review(proposal)) == "grant_revoked"
    grant(REVIEWER_ONE, "reviewer")
    one.review(proposal)
    for who, role in ((REVIEWER_ONE, "reviewer"), (AUTHOR, "curator")):
        revoke(who, role)
        assert refused(one, lambda: one.apply(proposal, actor=REVIEWER_TWO)) == "grant_revoked"
        grant(who, role)
    call(one.admin, ADMINISTRATOR, "yönetici", "api.freeze", "denetim")
    assert refused(one, lambda: one.apply(proposal)) == "frozen"
    assert refused(one, lambda: one.review(proposal, actor=REVIEWER_TWO)) == "frozen"
    again = one.submit(one.accept(("c", 0), ("o", 2)))
    one.review(again)
    assert one.apply(again)["outcome"] == "applied"


@pytest.mark.req("FAM-03", "FAM-08", "CUR-04", "LAY-02", "VAL-08")
def test_the_loser_of_two_families_is_told_and_nothing_is_closed_transitively(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "yarış "))
    through, direct = one.submit(one.accept(("c", 0), ("o", 2))), one.submit(one.accept(("o", 1), ("o", 3)))
    apart = one.submit(one.accept(("o", 2), ("o", 3)))
    for proposal in (through, direct, apart):
        one.review(proposal)
    one.apply(through)
    assert refused(one, lambda: one.apply(direct)) == "expected_state_mismatch"
    assert refused(one, lambda: one.apply(apart)) == "expected_state_mismatch"
    assert refused(one, lambda: one.submit(one.accept(("o", 1), ("o", 3)))) == "competing_membership"
    assert one.value("SELECT count(*) FROM curation.family WHERE profile = %s", one.profile) == 1
    assert one.value("SELECT count(*) FROM curation.effective_membership WHERE occurrence = %s",
                     one.id_of(("o", 3))) == 0  # fmt: skip


@pytest.mark.req("CUR-07", "FAM-10")
def test_supersessions_that_are_none(bench: Bench) -> None:
    one = Bench(bench.admin, new_load(bench.admin, "döngü "))
    (family,) = one.decide(one.accept(("c", 0), ("o", 2)))["structures"]
    body = one.family(("c", 0), ("o", 3))
    moves = {("c", 0): [0], ("o", 2): "residue"}

    def propose(operation: str, before: list[str], after: list[Body], to: Any) -> str:
        return refused(one, lambda: one.submit(one.supersede(operation, before, after, to)))

    assert propose("split", [family], [body], moves) == "shape"
    assert propose("retire", [family], [body], moves) == "shape"
    assert propose("replace", [family], [body], {("c", 0): [0]}) == "incomplete_mapping"
    assert (
        propose("replace", [family], [body], {("c", 0): "residue", ("o", 2): "residue"}) == "mapping_differs"
    )
    assert propose("replace", [family], [body], {("c", 0): [0], ("o", 2): [0]}) == "mapping_differs"
    # A class of which one occurrence alone has a place in the successor.
    half = one.family(("o", 0), ("o", 3))
    assert propose("replace", [family], [half], moves) == "mapping_differs"
    apart = [one.family(("o", 0), ("o", 2)), one.family(("o", 1), ("o", 3))]
    assert propose("restructure", [family], apart, {("c", 0): [0, 1], ("o", 2): [1]}) == "mapping_differs"
    assert propose("replace", [str(uuid.UUID(int=7 << 76 | 2 << 62))], [body], moves) == "not_found"
    two = [one.family(("o", 0), ("o", 2)), one.family(("o", 0), ("o", 3))]
    assert propose("restructure", [family], two, {("c", 0): [0, 1], ("o", 2): [0]}) == "double_membership"
    quotation = one.quotation(one.end(0), one.end(1))
    assert propose("replace", [family], [quotation], moves) == "tag_mismatch"
    first, second = (one.submit(one.supersede("replace", [family], [body], moves), d) for d in ("a", "b"))
    for proposal in (first, second):
        one.review(proposal)
    one.apply(first)
    assert refused(one, lambda: one.apply(second)) == "expected_state_mismatch"
    assert propose("retire", [family], [], {("c", 0): "residue", ("o", 2): "residue"}) == "superseded_twice"


@pytest.mark.req("CUR-01", "CUR-05", "QUO-09")
def test_drafts_and_roles(bench: Bench) -> None:
    call(bench.admin, CURATOR, AUTHOR, "api.save_draft", "not", 0, b"bir")
    call(bench.admin, CURATOR, AUTHOR, "api.save_draft", "not", 1, b"iki")
    with pytest.raises(psycopg.Error) as error:
        call(bench.admin, CURATOR, AUTHOR, "api.save_draft", "not", 1, "üç".encode())
    detail = json.loads(error.value.diag.message_detail or "{}")
    assert (detail["kind"], detail["theirs"], detail["expected"]) == ("edit_conflict", "iki", "2")
    with pytest.raises(psycopg.Error, match="permission denied"):
        call(bench.admin, REVIEWER, REVIEWER_ONE, "api.submit_proposal", b"{}", None)
    with pytest.raises(psycopg.Error, match="permission denied"):
        call(bench.admin, CURATOR, AUTHOR, "api.review", "ab" * 32, "approve", "")
