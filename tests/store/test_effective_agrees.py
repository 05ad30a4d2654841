"""What is in force in a release, judged alike by the listings, by resolve, by canonical, by the roots of a
publication and by the model of core (AMB-28, AMB-30): also where the rows of the exact layer were damaged."""

from __future__ import annotations

import json
import uuid
from dataclasses import dataclass
from typing import Any

import psycopg
import pytest

from tekrar.core.curation.effective import effective
from tekrar.core.curation.replay import Entry, replay
from tekrar.store.curation.facts import StoredView, basis_of
from tekrar.store.roles import LOGIN, Role
from tekrar.store.session import Connection, open_target, transaction
from tekrar.store.target import Embedded, of_embedded
from tekrar.store.verification.findings import Findings
from tekrar.store.verification.ledger import read_ledger
from tests.store.curated import Bench, people
from tests.store.kept import unguarded
from tests.store.schema_load import Loaded
from tests.store.schema_publication import PROFILES, new_load, plan_of, publish

_CLASS = "UPDATE repetition.class SET {} WHERE profile_key = %(key)s AND class_no = 0"
_GONE = "DELETE FROM repetition.occurrence WHERE profile_key = %(key)s AND row_no = {}"
#: A hand on rows of the release's profile -> how many families, quotations and choices are in force then.
DAMAGE = {
    "SELECT %(key)s::integer": (1, 2, 3),
    _CLASS.format("class = gen_random_uuid()"): (0, 2, 0),
    "UPDATE repetition.occurrence SET class = gen_random_uuid(), class_no = 77"
    " WHERE profile_key = %(key)s AND row_no = 0": (0, 2, 0),
    _GONE.format(1): (0, 1, 1),
    _GONE.format(2): (0, 1, 1),
    _GONE.format(3): (1, 1, 3),
}
#: What the class says of its members, and they are others: no model sees a digest that is only stored.
STORED = _CLASS.format("members = sha256('x')")


@dataclass(frozen=True)
class Rows:
    """An artifact's profile as the rows say it (`core.curation.effective.Bound`)."""

    connection: Connection
    key: int
    own: uuid.UUID

    @property
    def profile(self) -> bytes:
        return self.own.bytes

    def members_of(self, exact: bytes) -> tuple[bytes, ...] | None:
        found = self._rows(
            "SELECT o.occurrence FROM repetition.class c"
            " JOIN repetition.occurrence o USING (profile_key, class_no)"
            " WHERE c.profile_key = %s AND c.class = %s",
            uuid.UUID(bytes=exact),
        )
        return tuple(row[0].bytes for row in found) or None

    def has(self, occurrence: bytes) -> bool:
        query = "SELECT FROM repetition.occurrence WHERE profile_key = %s AND occurrence = %s"
        return bool(self._rows(query, uuid.UUID(bytes=occurrence)))

    def _rows(self, query: str, one: uuid.UUID) -> list[tuple[Any, ...]]:
        return self.connection.execute(query.encode(), (self.key, one)).fetchall()


@dataclass(frozen=True)
class Decided:
    """One of everything, and the release that binds it."""

    bench: Bench
    release: uuid.UUID
    family: str
    every: tuple[str, ...]

    @property
    def key(self) -> int:
        return self.bench.loaded.profiles["FP"]

    def damaged(self, hand: str) -> None:
        admin = self.bench.admin
        unguarded(admin, "repetition.class", "repetition.occurrence")
        done = admin.execute(hand.encode(), {"key": self.key})
        assert done.rowcount == 1, "the hand changed nothing"

    def listed(self) -> tuple[set[str], set[str], set[str]]:
        """What the listings say is in force."""
        admin, release = self.bench.admin, self.release
        families = admin.execute("SELECT family, state FROM api.list_families(%s, NULL, NULL, 9)", (release,))
        rows = families.fetchall()
        assert [state for _, state in rows if state not in ("effective", "needs_successor")] == []
        quotations = admin.execute(
            "SELECT quotation FROM api.list_quotations(%s, NULL, NULL, NULL, 9)", (release,)
        )
        choices = admin.execute("SELECT choice FROM api.list_choices(%s, NULL, NULL, NULL, 9)", (release,))
        return (
            {str(own) for own, state in rows if state == "effective"},
            {str(row[0]) for row in quotations.fetchall()},
            {str(row[0]) for row in choices.fetchall()},
        )

    def resolved(self) -> set[str]:
        """What resolve says is in force."""
        states = {one: self.bench.resolved(one, self.release)["state"] for one in self.every}
        assert set(states.values()) <= {"effective", "needs_successor", "not_in_release"}
        assert states[self.family] != "not_in_release"
        return {one for one, state in states.items() if state == "effective"}


@pytest.fixture(scope="module")
def decided(admin: Connection, actors: Loaded) -> Decided:
    people(admin)
    assert actors.release_key
    one = Bench(admin, new_load(admin, "uyum "))

    def released() -> uuid.UUID:
        done = publish(one.admin, plan_of(one.admin, one.loaded, *PROFILES))
        return next(uuid.UUID(r["release"]) for r in done["releases"] if r["short"] == "FP")

    first = released()
    made = one.decide(one.accept(("c", 0), ("o", 2)))["structures"]
    second = released()
    for source, quoting, kind in ((0, 1, "verbatim_quotation"), (2, 3, "adapted_quotation")):
        body = one.quotation(one.end(source), one.end(quoting), kind=kind)
        made += one.decide(one.action("accept_quotation", "quotation", body))["structures"]
    chosen = (
        one.choice(first, ("c", 0), one.id_of(("o", 0))),
        one.choice(second, made[0], one.id_of(("o", 2))),
        one.choice(second, made[0], one.id_of(("o", 0)), policy={"name": "baska"}),
    )
    for body in chosen:
        made += one.decide(one.action("choose_canonical", "choice", body))["structures"]
    return Decided(one, released(), made[0], tuple(made))


def modelled(one: Decided) -> tuple[set[str], set[str], set[str]]:
    """What core says is in force, from the entries and the rows."""
    entries = read_ledger(one.bench.admin, Findings())
    before = [bytes(32), *(entry.digest for entry in entries)]
    ledger = replay(
        Entry(e.seq, e.kind, e.payload, previous, e.digest)
        for e, previous in zip(entries, before, strict=False)
    )
    bound = Rows(one.bench.admin, one.key, one.bench.loaded.profile_ids["FP"])
    found = effective(ledger.inventory, bound)
    ids = (found.families, found.quotations, found.choices.values())
    families, quotations, choices = ({str(uuid.UUID(bytes=own)) for own in some} for some in ids)
    return families, quotations, choices


@pytest.mark.req("FAM-12", "CAN-03", "REL-04")
@pytest.mark.parametrize("hand", DAMAGE, ids=range(len(DAMAGE)))
def test_everybody_judges_alike_what_is_in_force(decided: Decided, hand: str) -> None:
    admin, one = decided.bench.admin, decided
    with admin.transaction(force_rollback=True):
        one.damaged(hand)
        listed = one.listed()
        assert tuple(map(len, listed)) == DAMAGE[hand]
        assert listed == modelled(one)
        assert one.resolved() == set().union(*listed)
        _asked(one, listed[2])


def test_a_class_whose_digest_is_another_bears_no_family(decided: Decided) -> None:
    admin, one = decided.bench.admin, decided
    with admin.transaction(force_rollback=True):
        one.damaged(STORED)
        listed = one.listed()
        assert tuple(map(len, listed)) == (0, 2, 1)
        assert one.resolved() == set().union(*listed)
        _asked(one, listed[2])


def _asked(one: Decided, choices: set[str]) -> None:
    """canonical names these choices and no other; families and roots of a publication agree."""
    bench = one.bench
    found = set()
    for structure, policy in (
        (bench.id_of(("c", 0)), "edition.first"),
        (one.family, "edition.first"),
        (one.family, "baska"),
    ):
        said = bench.value("SELECT api.canonical(%s, %s, %s)", one.release, structure, policy)
        assert said["status"] in ("resolved", "unavailable")
        found |= {said["choice"]} if said["status"] == "resolved" else set()
    assert found == choices
    families = bench.admin.execute(
        "SELECT family::text, expands FROM curation.families_in_force(%s, NULL)", (one.key,)
    ).fetchall()
    assert {family for family, expands in families if expands} == one.listed()[0]


@pytest.mark.req("FAM-02")
def test_equal_occurrences_of_a_provisional_group_are_no_family(decided: Decided, database: Embedded) -> None:
    """SQL refuses the action, and the program's own view sees why before it is submitted."""
    one = Bench(decided.bench.admin, decided.bench.loaded, "PP")
    with pytest.raises(psycopg.Error) as refused:
        one.submit(one.accept(("o", 0), ("o", 1)))
    assert json.loads(refused.value.diag.message_detail or "")["kind"] == "one_exact_class"
    release = one.value(
        "SELECT release::text FROM repetition.repetition_release WHERE profile_key = %s",
        one.loaded.profiles["PP"],
    )
    with open_target(of_embedded(database, user=LOGIN)) as login, transaction(login, role=Role.READER):
        view = StoredView(login, basis_of(login, release=release))
        facts = [view.occurrence(one.id_of(("o", row)).bytes) for row in (0, 1, 2)]
    same = [None if held is None else held.same for held in facts]
    assert same[0] is not None
    assert (same[0] == same[1], same[2]) == (True, None)
