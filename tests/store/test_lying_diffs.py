"""A diff that is well formed and that the text does not give: stored through the database directly, since SQL
derives none. Nobody acts on it through the program, it stops no replay, and it can be mended."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from tekrar.core.curation.carried import named_diffs
from tekrar.core.diff.script import Script
from tekrar.core.encoding import canonical_json
from tekrar.errors import DatabaseError, SourceError, TekrarError
from tekrar.store.curation.ledger import replay_ledger, verify_chain
from tekrar.store.curation.workflow import apply, apply_all, review
from tekrar.store.publish import prepare
from tekrar.store.roles import LOGIN
from tekrar.store.session import Connection, open_target
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.evidence import check_diffs
from tekrar.store.verification.findings import Findings
from tests.store.curated import AUTHOR, REVIEWER_ONE, Bench, people
from tests.store.matrix import ADMINISTRATOR, CURATOR
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, as_login, call, new_load, plan_of, publish
from tests.store.test_replay import everything, exported, places, rebuilt, rechained

PREFIX = "yalan "


@pytest.fixture(scope="module")
def bench(admin: Connection, actors: Loaded, database: Embedded) -> Bench:
    people(admin)
    call(admin, ADMINISTRATOR, "yönetici", "api.grant_role", "yayıncı", "auditor", "*", None, None)
    places(admin, database)
    assert actors.release_key
    made = Bench(admin, new_load(admin, PREFIX))
    publish(admin, plan_of(admin, made.loaded, *PROFILES))
    return made


@pytest.fixture(scope="module")
def login(database: Embedded) -> Iterator[Connection]:
    with open_target(of_embedded(database, user=LOGIN)) as one:
        yield one


def lying(bench: Bench, *rows: int) -> dict[str, Any]:
    """A family over these rows of which every diff says that nothing differs, stored as the curator may."""
    body = json.loads(json.dumps(bench.family(*(("o", row) for row in rows))))
    ends = [
        {"left": d["left"], "right": d["right"], "script": Script(()).encoded.hex()} for d in body["diffs"]
    ]
    with as_login(bench.admin, CURATOR, AUTHOR) as session:
        found = session.execute("SELECT api.store_diffs(%s, %s::jsonb)", (bench.profile, json.dumps(ends)))
        for one, own in zip(body["diffs"], (found.fetchone() or [{}])[0]["diffs"], strict=True):
            one["diff"] = own
    return dict(body)


def proposed(bench: Bench, body: dict[str, Any]) -> str:
    return bench.submit(bench.action("accept_family", "family", body))


def found(bench: Bench, release: str | None = None) -> Findings:
    findings = Findings()
    releases, keys = (None, None) if release is None else ([release], [bench.loaded.profiles[bench.short]])
    check_diffs(bench.admin, findings, profiles=keys, releases=releases)
    return findings


def refused(act: Any) -> TekrarError:
    with pytest.raises(DatabaseError) as error:
        act()
    assert error.value.kind == "stale_diff"
    return error.value


@pytest.mark.req("DIF-01", "DIF-08", "VAL-08", "CUR-04", "REB-01", "REB-02")
def test_a_lying_diff_is_refused_published_by_nobody_and_mended(
    bench: Bench, login: Connection, template: Embedded
) -> None:
    body = lying(bench, 2, 3)
    own = body["diffs"][0]
    proposal = proposed(bench, body)
    said = refused(lambda: review(login, proposal, "approve", actor=REVIEWER_ONE))
    assert [part for part in (own["diff"], own["left"], own["right"]) if part not in str(said)] == []
    assert "tekrar propose" in said.mend
    assert any("open proposal" in one.place for one in found(bench).found)
    bench.review(proposal)
    refused(lambda: apply(login, proposal, actor=AUTHOR))
    done = bench.apply(proposal)
    assert apply(login, proposal, actor=AUTHOR).outcome == "already_applied"

    root = bench.value(
        "SELECT encode(a.artifact_root, 'hex') FROM repetition.artifact a JOIN repetition.profile p"
        " USING (artifact_key) WHERE p.profile_key = %s",
        bench.loaded.profiles["FP"],
    )
    said = refused(lambda: prepare(login, root, ["FP"], actor="yayıncı"))
    (family,) = done["structures"]
    assert [part for part in (f"decision {done['seq']}", family, own["diff"]) if part not in str(said)] == []
    assert any(f"in force is {family}" in one.place for one in found(bench).found)

    moves = {("o", 2): "residue", ("o", 3): "residue"}
    bench.decide(bench.supersede("retire", [family], [], moves))
    assert prepare(login, root, ["FP"], actor="yayıncı")
    release = publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))["releases"][0]["release"]
    assert found(bench, release).found == []
    assert own["diff"] in found(bench, release).notices[0].place
    assert found(bench).found == []

    with rebuilt(template, (PREFIX,)) as connection:
        replay_ledger(connection, exported(bench.admin))
        before, after = everything(bench.admin), everything(connection)
        for name in ("curation.head", "repetition.repetition_release", "curation.proposal"):
            assert after[name] == before[name]
        lied = "SELECT count(*) FROM curation.passage_diff WHERE diff = %s"
        assert connection.execute(lied, (own["diff"],)).fetchone() == (1,)


@pytest.mark.req("VAL-08", "CL-08")
def test_what_a_release_bound_that_was_withdrawn_is_derived_again(bench: Bench, login: Connection) -> None:
    """Its release was withdrawn for what was decided, and the decision still stands: it is not published once
    more unasked."""
    (family,) = bench.decide(bench.action("accept_family", "family", lying(bench, 1, 2)))["structures"]
    release = publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))["releases"][0]["release"]
    root = bench.value(
        "SELECT encode(a.artifact_root, 'hex') FROM repetition.artifact a JOIN repetition.profile p"
        " USING (artifact_key) WHERE p.profile_key = %s",
        bench.loaded.profiles["FP"],
    )
    call(bench.admin, "tekrar_publisher", "yayıncı", "api.withdraw", release, "yalan fark", "curation")
    said = refused(lambda: prepare(login, root, ["FP"], actor="yayıncı"))
    assert family in said.where
    moves = {("o", 1): "residue", ("o", 2): "residue"}
    bench.decide(bench.supersede("retire", [family], [], moves))
    assert prepare(login, root, ["FP"], actor="yayıncı")


@pytest.mark.req("VAL-08")
def test_a_release_that_binds_a_lying_diff_is_found(bench: Bench) -> None:
    """Published by somebody who speaks to the database directly: found until the release is withdrawn."""
    (family,) = bench.decide(bench.action("accept_family", "family", lying(bench, 1, 2)))["structures"]
    release = publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))["releases"][0]["release"]
    places_found = [one.place for one in found(bench, release).found]
    assert any(f"release {release} binds {family}" in place for place in places_found), places_found
    moves = {("o", 1): "residue", ("o", 2): "residue"}
    bench.decide(bench.supersede("retire", [family], [], moves))
    later = publish(bench.admin, plan_of(bench.admin, bench.loaded, "FP"))["releases"][0]["release"]
    assert found(bench, later).found == []
    assert found(bench, release).found
    call(bench.admin, "tekrar_publisher", "yayıncı", "api.withdraw", release, "yalan fark")
    assert found(bench).found == []


@pytest.mark.req("REB-01", "ID-07")
def test_an_entry_carries_exactly_the_diffs_of_its_action(
    bench: Bench, login: Connection, template: Embedded
) -> None:
    """In a chain that holds otherwise: one left out, one too many, another script; and none at all, which is
    an entry of a version before and is derived."""
    bench.submit(bench.accept(("o", 1), ("o", 2), ("o", 3)))
    lines = exported(bench.admin)
    entries = [json.loads(line) for line in lines[1:]]
    number = max(n for n, one in enumerate(entries) if one["kind"] == "proposal")
    payload = entries[number]["payload"]
    carried = json.loads(payload["diffs"])
    ids = [one.diff for one in named_diffs(json.loads(payload["action"]))]
    assert (len(carried), ids) == (len(ids), sorted(ids))
    script = Script(()).encoded.hex()
    wrong = [
        carried[1:],
        carried + carried[:1],
        carried[::-1],
        [carried[0] | {"script": script}, *carried[1:]],
    ]
    texts = [canonical_json(one).decode() for one in wrong] + [" " + payload["diffs"], "{}", "x"]
    with rebuilt(template, (PREFIX,)) as connection:
        for text in texts:
            with pytest.raises(SourceError, match=f"entry {number}: the diffs"):
                replay_ledger(connection, rechained(lines, number, diffs=text))
        assert replay_ledger(connection, rechained(lines, number, diffs=None)).entries == len(entries)
        rows = "SELECT count(*) FROM curation.passage_diff WHERE diff = ANY (%s::uuid[])"
        assert connection.execute(rows, (ids,)).fetchone() == (len(ids),)
    assert verify_chain(login, actor="yayıncı") == (len(entries), None, True)


@pytest.mark.req("CUR-04")
def test_of_several_applies_those_before_the_lying_one_stand(bench: Bench, login: Connection) -> None:
    good, bad = proposed(bench, bench.family(("o", 1), ("o", 3))), proposed(bench, lying(bench, 2, 3))
    for one in (good, bad):
        bench.review(one)
    done = []
    said = refused(lambda: done.extend(apply_all(login, [good, bad, good], actor=AUTHOR)))
    assert bad in said.where
    assert [one.outcome for one in done] == ["applied"]
    assert [one.outcome for one in apply_all(login, [good] * 60, actor=AUTHOR)] == ["already_applied"] * 60
    states = [call(bench.admin, CURATOR, AUTHOR, "api.proposal", one)["state"] for one in (good, bad)]
    assert states == ["applied", "approved"]
