"""The ledger replayed: who may do what when, and that an entry is never missing or altered."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tekrar.core.curation.action import Action, canonical_bytes, proposal_digest
from tekrar.core.curation.carried import NamedDiff, check_carried, named_diffs
from tekrar.core.curation.choice import Override
from tekrar.core.curation.decision import Decision
from tekrar.core.curation.ledger import BEFORE, entry_hash, payload_bytes
from tekrar.core.curation.refusal import CurationRefusal
from tekrar.core.curation.replay import Entry, Ledger, replay
from tekrar.core.curation.vectors import of_five, of_seven, witness
from tekrar.core.diff.record import diff_id
from tekrar.core.diff.script import Script
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import uuid_text
from tests.curation.world import World, occurrence


def kind_of(work: Callable[[], object]) -> str:
    with pytest.raises(CurationRefusal) as caught:
        work()
    assert caught.value.where
    return caught.value.kind


@dataclass
class Book:
    """Writes entries, one a minute, and takes them into the model at once."""

    entries: list[Entry] = field(default_factory=list)
    model: Ledger = field(default_factory=Ledger)
    issued: int = 0

    def __post_init__(self) -> None:
        self.write(
            "grant",
            actor="Ana",
            login="ana",
            role="administrator",
            scope="*",
            valid_from=moment(0),
            valid_to="",
        )
        for name in ("Ayşe", "Bora", "Cem"):
            self.write("actor", actor=name, login="", by="Ana")
        self.grant("Ayşe", "curator")
        self.grant("Bora", "reviewer")
        self.grant("Bora", "curator")
        self.grant("Cem", "reviewer", scope="deneme")

    def write(self, kind: str, **payload: str) -> None:
        payload = {"recorded_at": moment(len(self.entries))} | payload
        seq, before = len(self.entries), self.entries[-1].hash if self.entries else BEFORE
        own = entry_hash(seq, kind, payload_bytes(payload), previous=before)
        entry = Entry(seq, kind, payload, before, own)
        self.model.take(entry)
        self.entries.append(entry)

    def grant(self, actor: str, role: str, scope: str = "*", valid_to: str = "") -> None:
        self.write(
            "grant", actor=actor, role=role, scope=scope, valid_from=moment(0), valid_to=valid_to, by="Ana"
        )

    def new(self) -> bytes:
        self.issued += 1
        return of_seven(0x400000 + self.issued)

    def submit(
        self, action: Action, *, author: str = "Ayşe", draft: str = "1", revision: int = 1, **more: str
    ) -> bytes:
        data = canonical_bytes(action)
        digest = proposal_digest(data, author=author, draft=draft, revision=revision)
        facts = {"action": data.decode(), "digest": digest.hex(), "author": author, "draft": draft}
        self.write(
            "proposal", **(facts | {"revision": str(revision), "freeze": str(self.model.epoch)} | more)
        )
        return digest

    def review(
        self, proposal: bytes, outcome: str = "approve", *, reviewer: str = "Bora", **more: str
    ) -> bytes:
        own = self.new()
        facts = {
            "review": uuid_text(own),
            "proposal": proposal.hex(),
            "outcome": outcome,
            "reviewer": reviewer,
        }
        self.write("review", **(facts | {"note": "", "freeze": str(self.model.epoch)} | more))
        return own

    def apply(
        self, proposal: bytes, *, actor: str = "Ayşe", reviews: tuple[bytes, ...] | None = None, **more: str
    ) -> bytes | None:
        held = self.model.proposals[proposal]
        structures = tuple(self.new() for _ in range(held.action.issued))
        at = moment(len(self.entries))
        reviews = held.approvals if reviews is None else reviews
        decision = Decision(held.action.operation, proposal, reviews, structures, at)
        facts = {
            "proposal": proposal.hex(),
            "reviews": ",".join(map(uuid_text, reviews)),
            "structures": ",".join(map(uuid_text, structures)),
            "operation": held.action.operation,
            "actor": actor,
            "freeze": str(self.model.epoch),
            "decision": decision.digest.hex(),
        }
        self.write("apply", **(facts | more))
        return structures[0] if structures else None


def moment(minute: int) -> str:
    return f"2026-12-01T{minute // 60:02}:{minute % 60:02}:00.000000Z"


def sample(*numbers: int) -> Action:
    world = World()
    return world.action("accept_family", world.family(map(occurrence, numbers or (0, 1))))


@pytest.fixture
def book() -> Book:
    return Book()


@pytest.mark.req("CUR-09", "ID-07")
def test_a_ledger_comes_back_to_the_same_state(book: Book) -> None:
    one = book.submit(sample())
    book.review(one)
    structure = book.apply(one)
    other = book.submit(sample(4, 5), draft="2")
    book.review(other, "request_changes", reviewer="Cem")
    again = replay(book.entries)
    assert (again.head, again.inventory.head) == (book.model.head, book.model.inventory.head)
    assert list(again.inventory.records) == [structure]
    assert [held.state for held in again.proposals.values()] == ["applied", "changes_requested"]
    assert kind_of(lambda: book.apply(one)) == "already_applied"


def five() -> list[Action]:
    """What only a reviewed proposal may do (ADR-009, Review and correction)."""
    world = World()
    family = world.accept(0, 1)
    ship = next(iter(world.classes))
    return [
        sample(4, 5),
        world.action("accept_quotation", world.quotation()),
        world.action("choose_canonical", world.choice(ship, occurrence(0))),
        world.action("override_false_positive", Override(of_five(1), witness(1), witness(2), witness(3))),
        world.action("retire", world.supersession([family], [])),
    ]


@pytest.mark.req("CUR-01", "LAY-02", "LAY-03", "QUO-09", "CAN-09")
@pytest.mark.parametrize("number", range(5))
def test_nothing_is_applied_without_a_review(book: Book, number: int) -> None:
    one = book.submit(five()[number])
    assert kind_of(lambda: book.apply(one)) == "not_approved"
    book.review(one, "approve")
    book.review(one, "reject", reviewer="Cem")
    assert kind_of(lambda: book.apply(one)) == "not_approved"
    assert not book.model.inventory.records


@pytest.mark.req("CUR-10")
def test_nobody_reviews_what_is_their_own(book: Book) -> None:
    one = book.submit(sample(), author="Bora")
    assert kind_of(lambda: book.review(one)) == "self_review"
    assert kind_of(lambda: book.review(one, reviewer="Ayşe")) == "no_grant"
    assert kind_of(lambda: book.submit(sample(), author="Cem")) == "no_grant"


@pytest.mark.req("CUR-06")
def test_grants_are_asked_at_the_recorded_time(book: Book) -> None:
    one = book.submit(sample())
    book.review(one)
    number = next(
        n for n, held in book.model.grants.items() if (held.actor, held.role) == ("Bora", "reviewer")
    )
    book.write("revocation", grant=str(number), actor="Bora", role="reviewer", scope="*", by="Ana")
    assert kind_of(lambda: book.apply(one)) == "no_grant"
    book.grant("Bora", "reviewer", valid_to=moment(len(book.entries) + 2))
    book.apply(one)
    late = book.submit(sample(4, 5), draft="2")
    assert kind_of(lambda: book.review(late)) == "no_grant"
    other = replace(sample(4, 5), edition="başka")
    elsewhere = book.submit(other, draft="3")
    assert kind_of(lambda: book.review(elsewhere, reviewer="Cem")) == "no_grant"
    book.review(late, reviewer="Cem")
    assert kind_of(lambda: book.write("revocation", grant=str(number))) == "unknown_grant"


@pytest.mark.req("CUR-06")
def test_a_revoked_approval_stands_in_nobody_s_way(book: Book) -> None:
    one = book.submit(sample())
    first, second = book.review(one), book.review(one, reviewer="Cem")
    numbers = {held.actor: n for n, held in book.model.grants.items() if held.role == "reviewer"}
    book.write("revocation", grant=str(numbers["Bora"]), actor="Bora", role="reviewer", scope="*", by="Ana")
    for reviews in ((first,), tuple(sorted((first, second))), ()):
        assert kind_of(lambda given=reviews: book.apply(one, reviews=given)) == "not_approved"  # type: ignore[misc]
    book.apply(one, reviews=(second,))
    applied = book.model.proposals[one].applied
    assert applied is not None
    assert applied.reviews == (second,)
    other = book.submit(sample(4, 5), draft="2")
    book.review(other, reviewer="Cem")
    book.write("revocation", grant=str(numbers["Cem"]), actor="Cem", role="reviewer", scope="*", by="Ana")
    assert kind_of(lambda: book.apply(other)) == "no_grant"


@pytest.mark.req("CUR-11")
def test_a_freeze_stops_what_was_submitted_before(book: Book) -> None:
    one = book.submit(sample())
    book.review(one)
    book.write("freeze", epoch="1", reason="…", by="Ana")
    assert kind_of(lambda: book.apply(one)) == "frozen"
    assert kind_of(lambda: book.review(one, reviewer="Cem")) == "frozen"
    assert kind_of(lambda: book.submit(sample(), draft="2", freeze="0")) == "frozen"
    assert kind_of(lambda: book.write("freeze", epoch="3")) == "frozen"
    again = book.submit(sample(), revision=2)
    book.review(again)
    book.apply(again)


@pytest.mark.req("CUR-02", "CUR-03")
def test_a_newer_revision_outdates_reviews(book: Book) -> None:
    one = book.submit(sample())
    book.review(one)
    two = book.submit(sample(0, 1, 3), revision=2)
    assert book.model.proposals[one].state == "outdated"
    assert kind_of(lambda: book.apply(one)) == "outdated"
    assert kind_of(lambda: book.review(one, reviewer="Cem")) == "outdated"
    assert kind_of(lambda: book.apply(two)) == "not_approved"
    assert kind_of(lambda: book.submit(sample(), revision=2)) == "revision"
    book.review(two, reviewer="Cem")
    for reviews in (book.model.proposals[one].approvals, ()):
        assert kind_of(lambda given=reviews: book.apply(two, reviews=given)) == "not_approved"  # type: ignore[misc]
    book.apply(two)
    assert kind_of(lambda: book.submit(sample(), revision=3)) == "illegal_move"


@pytest.mark.req("CUR-03")
def test_digests_are_made_again(book: Book) -> None:
    assert kind_of(lambda: book.submit(sample(), digest="0" * 64)) == "digest_mismatch"
    one = book.submit(sample())
    book.review(one)
    assert kind_of(lambda: book.review(one)) == "already_reviewed"
    assert kind_of(lambda: book.apply(one, decision="0" * 64)) == "digest_mismatch"
    assert kind_of(lambda: book.apply(one, structures="")) == "digest_mismatch"
    assert kind_of(lambda: book.write("apply", proposal="0" * 64)) == "unknown_proposal"
    reused = uuid_text(book.model.proposals[one].approvals[0])
    other = book.submit(sample(4, 5), draft="2")
    assert kind_of(lambda: book.review(other, review=reused)) == "issued_twice"


@pytest.mark.req("REB-01", "ID-07")
def test_an_entry_carries_the_diffs_of_its_action_and_no_others() -> None:
    """Made again from the script of each: one away, one too many, another order, another script; an entry of
    a version before carries none."""
    ends = [(occurrence(n), occurrence(n + 1)) for n in range(3)]
    scripts = [Script(((1, n, n + 1, n, n),)) for n in range(3)]
    made = sorted(
        (uuid_text(diff_id(*pair, script.digest) or b""), *map(uuid_text, pair), script.encoded.hex())
        for pair, script in zip(ends, scripts, strict=True)
    )
    diffs = [{"left": left, "right": right, "diff": own} for own, left, right, _ in made]
    action = {
        "supersession": {"successors": [{"family": {"diffs": diffs[:2]}}, {"family": {"diffs": diffs[1:]}}]}
    }
    assert named_diffs(action) == [NamedDiff(own, left, right) for own, left, right, _ in made]
    rows = [{"left": left, "right": right, "script": script} for _, left, right, script in made]

    def carry(value: Any) -> None:
        check_carried({"diffs": canonical_json(value).decode()}, action, item="entry 7")

    carry(rows)
    check_carried({}, action, item="entry 7")
    other = {**rows[0], "script": rows[1]["script"]}
    for wrong in (
        [],
        rows[1:],
        rows + rows[:1],
        rows[::-1],
        [other, *rows[1:]],
        [{**rows[0], "x": ""}, *rows[1:]],
        {},
    ):
        assert kind_of(lambda wrong=wrong: carry(wrong)) == "digest_mismatch"  # type: ignore[misc]
    assert kind_of(lambda: check_carried({"diffs": "x"}, {}, item="entry 7")) == "digest_mismatch"


@pytest.mark.req("QUO-04")
def test_an_uncertain_source_stays_open(book: Book) -> None:
    world = World()
    action = world.action("accept_quotation", world.quotation(kind="source_uncertain"))
    one = book.submit(action)
    book.review(one)
    assert kind_of(lambda: book.apply(one)) == "source_uncertain"
    assert book.model.proposals[one].state == "approved"


def test_two_decisions_on_one_predecessor(book: Book) -> None:
    one = book.submit(sample())
    book.review(one)
    structure = book.apply(one)
    assert structure is not None
    world = World(inventory=book.model.inventory)
    for draft in ("2", "3"):
        action = world.action("retire", world.supersession([structure], []), rationale=draft)
        book.review(book.submit(action, draft=draft))
    *_, two, three = book.model.proposals
    book.apply(two)
    assert kind_of(lambda: book.apply(three)) == "expected_state_mismatch"


FULL = Book()
for _n, _numbers in enumerate(((0, 1), (4, 5), (3, 8))):
    _one = FULL.submit(sample(*_numbers), draft=str(_n))
    FULL.review(_one)
    FULL.apply(_one)


@pytest.mark.req("ID-07")
@given(st.data())
def test_a_missing_or_altered_entry_is_named(data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(FULL.entries) - 2))
    what = data.draw(st.sampled_from(["missing", "swapped", "payload", "kind"]))
    entries = list(FULL.entries)
    one = entries[place]
    if what == "missing":
        del entries[place]
    elif what == "swapped":
        entries[place], entries[place + 1] = entries[place + 1], one
    elif what == "kind":
        entries[place] = replace(one, kind=one.kind + "s")
    else:
        key = data.draw(st.sampled_from(sorted(one.payload)))
        changed: Mapping[str, str] = {**one.payload, key: one.payload[key] + "x"}
        entries[place] = replace(one, payload=changed)
    with pytest.raises(CurationRefusal) as caught:
        replay(entries)
    assert caught.value.kind == "ledger_chain"
    where = entries[place].seq
    assert caught.value.where == f"ledger entry {where}"


@pytest.mark.parametrize("kind", ["actor", "grant", "revocation", "freeze", "proposal", "review", "apply"])
def test_a_payload_without_its_keys_is_refused(book: Book, kind: str) -> None:
    assert kind_of(lambda: book.write(kind, note="x")) == "missing_key"


@pytest.mark.parametrize("value", [1, None, 1.5])
def test_a_payload_holds_strings(value: Any) -> None:
    assert kind_of(lambda: payload_bytes({"a": value})) == "malformed"
