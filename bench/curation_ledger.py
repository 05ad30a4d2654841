"""A ledger of many decisions, written without a database: actions, digests and chain from the core alone.

It begins with the entries that a loaded and published database has, and goes on with invented decisions over
its paragraphs: families of two neighbours, families replaced, quotations, canonical choices changed and taken
back. What a replay makes of it is therefore checked by code that did not write it.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from itertools import count

from tekrar.core.curation.action import (
    Action,
    Expected,
    canonical_bytes,
    expected_occurrences,
    proposal_digest,
)
from tekrar.core.curation.choice import Choice, ChoicePolicy, Compensation
from tekrar.core.curation.decision import Decision
from tekrar.core.curation.family import Family, Member, RequiredDiff
from tekrar.core.curation.ledger import entry_hash
from tekrar.core.curation.quotation import End, Mapped, Quotation
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.diff.record import Endpoint, diff_of
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import members_digest, uuid_text
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.session import Connection

AUTHOR, REVIEWER = "author", "reviewer"
#: One round: which decisions are made, in this order, as long as there is something to make them of.
ROUND = (
    "accept", "quote", "choose", "replace", "quote", "accept", "choose", "replace", "quote", "choose",
    "quote", "replace", "compensate", "quote", "choose", "replace", "quote", "choose", "replace", "quote",
)  # fmt: skip
_POLICY = ChoicePolicy("edition.first", "1.0.0", "editorially_designated", sha256(b"policy"))


@dataclass(frozen=True)
class Place:
    """An occurrence as the ledger names it."""

    id: bytes
    witness: bytes
    selection: bytes
    start: int
    end: int


@dataclass
class World:
    """What decisions are made about.

    Attributes:
        edition, profile, text_release, release: of the published profile.
        places: its evaluated occurrences in document order.
        classes: class UUID with the UUIDs of its members.
        diffs: (left, right) -> UUID of the diff from the first to the second of two neighbours.
    """

    edition: str
    profile: bytes
    text_release: bytes
    release: bytes
    places: list[Place]
    classes: list[tuple[bytes, list[bytes]]]
    diffs: dict[tuple[bytes, bytes], bytes]


def read_world(connection: Connection, *, families: int) -> World:
    """The one published release of a database, and the diffs of so many pairs of neighbours."""
    row = connection.execute(
        "SELECT t.edition, r.profile, t.text_release, r.release, r.profile_key"
        " FROM repetition.repetition_release r JOIN repetition.profile p ON p.profile_key = r.profile_key"
        " JOIN repetition.artifact a ON a.artifact_key = p.artifact_key"
        " JOIN core.release t ON t.release_key = a.release_key"
        " WHERE p.enumerator = 'whole_paragraph_v1' AND p.projection = 'full_context_v1'"
    ).fetchone()
    assert row is not None
    key = row[4]
    places = [
        Place(o.bytes, bytes(w), s.bytes, start, start + extent)
        for o, w, s, start, extent in connection.execute(
            "SELECT o.occurrence, w.root, o.selection, o.start_byte, o.extent FROM repetition.occurrence o"
            " JOIN repetition.witness w USING (profile_key, witness)"
            " WHERE o.profile_key = %s AND o.part IN (1, 2) AND o.class IS NULL ORDER BY o.start_byte",
            (key,),
        ).fetchall()
    ]
    classes = [
        (c.bytes, sorted(one.bytes for one in ids))
        for c, ids in connection.execute(
            "SELECT k.class, array_agg(o.occurrence) FROM repetition.class k JOIN repetition.occurrence o"
            " USING (profile_key, class_no) WHERE k.profile_key = %s AND k.winner IS NULL GROUP BY 1"
            " ORDER BY 1",
            (key,),
        ).fetchall()
    ]
    pairs = [(places[n], places[n + 1]) for n in range(0, min(2 * families, len(places) - 1), 2)]
    with connection.transaction():
        ends = read_endpoints(connection, key, [uuid_text(one.id) for pair in pairs for one in pair])
    named = [(ends[uuid_text(a.id)], ends[uuid_text(b.id)]) for a, b in pairs]
    with ProcessPoolExecutor(2) as pool:
        ids = pool.map(_diff, named, chunksize=200)
        diffs = {(a.id, b.id): one for (a, b), one in zip(pairs, ids, strict=True)}
    return World(row[0], row[1].bytes, row[2].bytes, row[3].bytes, places, classes, diffs)


def _diff(pair: tuple[Endpoint, Endpoint]) -> bytes:
    made = diff_of(*pair).id
    assert made is not None
    return made


@dataclass
class Ledger:
    """An export that is written on: lines of entries, as `tekrar ledger export` gives them."""

    world: World
    lines: list[bytes] = field(default_factory=list)
    head: bytes = bytes(32)
    structures: list[bytes] = field(default_factory=list)
    decisions: int = 0
    _numbers: Iterator[int] = field(default_factory=count)
    _moment: datetime = datetime(2026, 1, 1)
    _families: list[tuple[bytes, Family]] = field(default_factory=list)
    _choices: dict[bytes, tuple[bytes, Choice]] = field(default_factory=dict)

    @classmethod
    def after(cls, world: World, export: Sequence[bytes]) -> Ledger:
        """A ledger that goes on after an export."""
        last = json.loads(export[-1])
        moment = datetime.fromisoformat(last["payload"]["recorded_at"].removesuffix("Z"))
        return cls(world, list(export[1:]), bytes.fromhex(last["hash"]), _moment=moment)

    def export(self) -> list[bytes]:
        """Every line, the first with count and head."""
        first = {"entries": str(len(self.lines)), "format": "tekrar/ledger/v1", "head": self.head.hex()}
        return [canonical_json(first) + b"\n", *self.lines]

    def decide(self, decisions: int) -> None:
        """Make so many decisions, each proposed, approved and applied."""
        world = self.world
        pairs = iter(world.diffs)
        by_id = {one.id: one for one in world.places}
        for number in count():
            if self.decisions >= decisions:
                return
            what = ROUND[number % len(ROUND)]
            n = number // len(ROUND)
            if what == "accept":
                pair = next(pairs, None)
                if pair is not None:
                    self._accept([by_id[one] for one in pair])
            elif what == "replace" and self._families:
                self._replace(number)
            elif what == "quote":
                self._quote(number)
            elif what == "choose":
                self._choose(*world.classes[number * 7 % len(world.classes)], number)
            elif what == "compensate" and self._choices:
                self._compensate(sorted(self._choices)[n % len(self._choices)])

    # -- decisions --------------------------------------------------------

    def _accept(self, members: list[Place]) -> None:
        pair = (members[0].id, members[1].id)
        body = Family(
            kind="variant",
            members=tuple(Member("occurrence", one.id, one.witness) for one in members),
            expansion_count=2,
            expansion_root=members_digest(list(pair)),
            diffs=(RequiredDiff(*pair, self.world.diffs[pair]),),
        )
        (made,) = self._decided("accept_family", body, dict.fromkeys(pair))
        self._families.append((made, body))

    def _replace(self, number: int) -> None:
        place = number % len(self._families)
        old, body = self._families[place]
        new = replace(body, kind="near_exact" if body.kind == "variant" else "variant")
        moves = tuple(MemberMove("occurrence", one.id, (0,)) for one in body.members)
        whole = Supersession((old,), (new,), tuple(sorted(moves, key=lambda one: one.key)), "Read again.")
        inside = dict.fromkeys((one.id for one in body.members), old)
        (made,) = self._decided("replace", whole, inside, [old])
        self._families[place] = (made, new)

    def _quote(self, number: int) -> None:
        places = self.world.places
        ends = [
            End(one.id, one.witness, one.selection, ((one.start, one.end),))
            for one in (
                places[number * 31 % len(places)],
                places[(number * 31 + 1 + number % 97) % len(places)],
            )
        ]
        if ends[0].occurrence == ends[1].occurrence:
            return
        mapped = Mapped(ends[0].ranges[0], ends[1].ranges[0])
        self._decided(
            "accept_quotation", Quotation("adapted_quotation", *ends, (mapped,), "its own words"), {}
        )

    def _choose(self, structure: bytes, members: list[bytes], number: int) -> None:
        before = self._choices.get(structure)
        member = members[number % len(members)]
        body = Choice("class", structure, self.world.release, member, _POLICY, before[0] if before else None)
        (made,) = self._decided("choose_canonical", body, {}, [before[0]] if before else [])
        self._choices[structure] = (made, body)

    def _compensate(self, structure: bytes) -> None:
        choice, _ = self._choices.pop(structure)
        self._decided("compensate_choice", Compensation(choice, "mistaken"), {}, [choice])

    # -- entries ----------------------------------------------------------

    def _decided(
        self, operation: str, body: object, families: dict[bytes, bytes | None], named: Sequence[bytes] = ()
    ) -> list[bytes]:
        world, draft = self.world, f"draft-{self.decisions}"
        expected = Expected(expected_occurrences(families), tuple((one, "effective") for one in named))
        action = Action(
            operation, world.edition, world.profile, world.text_release,
            "The same saying, with another ending.", expected, body,  # type: ignore[arg-type]
        )  # fmt: skip
        data = canonical_bytes(action)
        digest = proposal_digest(data, author=AUTHOR, draft=draft, revision=1)
        self._append(
            "proposal",
            action=data.decode(), author=AUTHOR, draft=draft, revision="1", freeze="0", digest=digest.hex(),
        )  # fmt: skip
        review, structures = self._uuid7(), [self._uuid7() for _ in range(action.issued)]
        self._append(
            "review",
            review=uuid_text(review), proposal=digest.hex(), outcome="approve", reviewer=REVIEWER,
            note="read",
        )  # fmt: skip
        moment = self._instant()
        decision = Decision(operation, digest, (review,), tuple(structures), moment)
        self._append(
            "apply", moment,
            proposal=digest.hex(), reviews=uuid_text(review), structures=",".join(map(uuid_text, structures)),
            operation=operation, actor=AUTHOR, decision=decision.digest.hex(),
        )  # fmt: skip
        self.structures += structures
        self.decisions += 1
        return structures

    def _append(self, kind: str, moment: str | None = None, **payload: str) -> None:
        payload["recorded_at"] = moment or self._instant()
        data, seq = canonical_json(dict(payload)), len(self.lines)
        digest = entry_hash(seq, kind, data, previous=self.head)
        entry = {"hash": digest.hex(), "kind": kind, "payload": payload, "previous": self.head.hex()}
        self.lines.append(canonical_json(entry | {"seq": str(seq)}) + b"\n")  # type: ignore[arg-type]
        self.head = digest

    def _instant(self) -> str:
        self._moment += timedelta(microseconds=10)
        return self._moment.isoformat(timespec="microseconds") + "Z"

    def _uuid7(self) -> bytes:
        number = next(self._numbers)
        milliseconds = int((self._moment - datetime(1970, 1, 1)) / timedelta(milliseconds=1))
        spread = sha256(number.to_bytes(8, "big"))
        made = bytearray(milliseconds.to_bytes(6, "big") + spread[:10])
        made[6], made[8] = 0x70 | made[6] & 0x0F, 0x80 | made[8] & 0x3F
        return bytes(made)


__all__ = ["AUTHOR", "REVIEWER", "Ledger", "World", "read_world"]
