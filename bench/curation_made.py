"""What curation is measured on: a text of pairs that differ in a word, a family of two large classes, and a
ledger of many decisions, written as an export without going through a database."""

from __future__ import annotations

import json
import uuid
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tekrar.core.curation.action import (
    Action,
    Body,
    Expected,
    canonical_bytes,
    expected_occurrences,
    proposal_digest,
)
from tekrar.core.curation.decision import Decision, moved_head
from tekrar.core.curation.family import Family, Member, RequiredDiff
from tekrar.core.curation.ledger import entry_hash, payload_bytes
from tekrar.core.curation.quotation import End, Mapped, Quotation
from tekrar.core.curation.supersession import MemberMove, Supersession
from tekrar.core.diff.record import diff_of
from tekrar.core.encoding import canonical_json
from tekrar.core.identity import members_digest, selection_id, uuid_text
from tekrar.store.curation.facts import Basis
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.session import Connection

AUTHOR, REVIEWER, PUBLISHER, AUDITOR, ADMINISTRATOR = "author", "reviewer", "publisher", "auditor", "admin"
#: Occurrences whose text is read at once.
_CHUNK = 2000
#: Shares of families, quotations and retirements among the decisions of a ledger, of ten.
_FAMILIES, _QUOTATIONS = 4, 3
_PAIRS = b"""
    SELECT uuid_send(o.occurrence), w.root, o.start_byte, o.start_byte + o.extent FROM repetition.occurrence o
    JOIN repetition.witness w ON w.profile_key = o.profile_key AND w.witness = o.witness
    WHERE o.profile_key = %s AND o.part = 2 ORDER BY o.row_no
"""


def write_text(path: Path, *, pairs: int, members: int) -> None:
    """A corpus of `pairs` pairs, a chapter each, and of two classes of `members` / 2 equal paragraphs."""
    with open(path, "x", encoding="utf-8") as file:
        order = 0
        for number in range(pairs):
            for word in ("the", "all"):
                order += 1
                text = f"The keeper of house {number} counts {word} lamps before night."
                _record(file, "pairs", number + 1, order, text)
        for word in ("again", "anew"):
            for number in range(members // 2):
                order += 1
                _record(file, word, number + 1, order, f"The same words stand here {word}, and are heard.")


def _record(file: object, book: str, chapter: int, order: int, text: str) -> None:
    record = {
        "book": book, "edition": "bench", "chapter": chapter, "chapter_title": str(chapter), "para": order,
        "ord": order, "kind": "body", "text": text, "note_markers": [],
    }  # fmt: skip
    file.write(json.dumps(record) + "\n")  # type: ignore[attr-defined]


@dataclass(frozen=True)
class Place:
    """One paragraph of a pair: occurrence, mask witness root, bytes of the release."""

    id: bytes
    root: bytes
    start: int
    end: int


@dataclass(frozen=True)
class Pair:
    """Two paragraphs, and the diff from the first to the second."""

    left: Place
    right: Place
    diff: bytes
    script: bytes


def pairs_of(connection: Connection, basis: Basis) -> list[Pair]:
    """All pairs in document order, inside a transaction that may read them."""
    rows = connection.execute(_PAIRS, (basis.profile_key,), binary=True).fetchall()
    places = [Place(bytes(own), bytes(root), start, end) for own, root, start, end in rows]
    pairs: list[Pair] = []
    for low in range(0, len(places), _CHUNK):
        part = places[low : low + _CHUNK]
        ends = read_endpoints(connection, basis.profile_key, (uuid_text(one.id) for one in part))
        for left, right in zip(part[::2], part[1::2], strict=True):
            made = diff_of(ends[uuid_text(left.id)], ends[uuid_text(right.id)])
            assert made.id is not None
            pairs.append(Pair(left, right, made.id, made.script.encoded))
    return pairs


def family_action(basis: Basis, pair: Pair) -> bytes:
    """The action that accepts a pair as a family; neither is in one."""
    ids = [pair.left.id, pair.right.id]
    family = Family(
        "variant",
        tuple(Member("occurrence", one.id, one.root) for one in (pair.left, pair.right)),
        2,
        members_digest(ids),
        (RequiredDiff(pair.left.id, pair.right.id, pair.diff),),
    )
    expected = Expected(expected_occurrences(dict.fromkeys(ids)), ())
    return _action(basis, "accept_family", family, expected)


def quotation_action(basis: Basis, pair: Pair) -> bytes:
    """The action that accepts the second of a pair as an adapted quotation of the first."""
    ends = [
        End(
            one.id,
            one.root,
            selection_id(basis.text_release, [(one.start, one.end)]),
            ((one.start, one.end),),
        )
        for one in (pair.left, pair.right)
    ]
    mapping = (Mapped(ends[0].ranges[0], ends[1].ranges[0]),)
    body = Quotation("adapted_quotation", ends[0], ends[1], mapping, "the house", pair.diff)
    return _action(basis, "accept_quotation", body, Expected(expected_occurrences({}), ()))


def retire_action(basis: Basis, pair: Pair, family: bytes) -> bytes:
    """The action that retires the family of a pair."""
    moves = tuple(MemberMove("occurrence", one.id, ()) for one in (pair.left, pair.right))
    body = Supersession((family,), (), moves, "no such family")
    expected = Expected(expected_occurrences({}), ((family, "effective"),))
    return _action(basis, "retire", body, expected)


def _action(basis: Basis, operation: str, body: Body, expected: Expected) -> bytes:
    return canonical_bytes(
        Action(
            operation=operation,
            edition=basis.edition,
            profile=basis.profile,
            text_release=basis.text_release,
            rationale="The same but for a word.",
            expected=expected,
            body=body,
        )
    )


@dataclass
class Ledger:
    """An export that grows by decisions, each proposed, approved and applied.

    Attributes:
        lines: of the export so far.
        structures: UUIDs that were issued, in order.
    """

    lines: list[bytes]
    structures: list[str] = field(default_factory=list)
    head: bytes = bytes(32)

    def __post_init__(self) -> None:
        last = json.loads(self.lines[-1])
        self._seq, self._previous = int(last["seq"]) + 1, bytes.fromhex(last["hash"])
        self._now = datetime.now(UTC) + timedelta(seconds=5)

    def decide(self, action: bytes, operation: str, *, issued: int, rests: Pair | None = None) -> list[bytes]:
        """Three entries of one decision; the structures that it issued.

        Args:
            action, operation: of the decision.
            issued: how many structures it makes.
            rests: the pair whose diff it names.
        """
        draft, review = f"draft-{self._seq}", self._uuid7()
        digest = proposal_digest(action, author=AUTHOR, draft=draft, revision=1)
        common = {"proposal": digest.hex()}
        carried = [
            {"left": uuid_text(one.left.id), "right": uuid_text(one.right.id), "script": one.script.hex()}
            for one in (rests,)
            if one is not None
        ]
        self._append(
            "proposal",
            {
                "action": action.decode("utf-8"), "digest": digest.hex(), "author": AUTHOR, "draft": draft,
                "revision": "1", "freeze": "0", "recorded_at": self._instant(),
                "diffs": canonical_json(list(carried)).decode(),
            },
        )  # fmt: skip
        self._append(
            "review",
            common
            | {"review": uuid_text(review), "outcome": "approve", "reviewer": REVIEWER, "note": "read",
               "recorded_at": self._instant()},
        )  # fmt: skip
        structures, moment = [self._uuid7() for _ in range(issued)], self._instant()
        decision = Decision(operation, digest, (review,), tuple(structures), moment)
        self._append(
            "apply",
            common
            | {
                "reviews": uuid_text(review), "structures": ",".join(map(uuid_text, structures)),
                "operation": operation, "actor": AUTHOR, "recorded_at": moment,
                "decision": decision.digest.hex(),
            },
        )  # fmt: skip
        self.head = moved_head(self.head, decision.digest)
        self.structures += map(uuid_text, structures)
        return structures

    def export(self) -> Iterator[bytes]:
        """The lines, with the first one as it must be now."""
        first = {"entries": str(self._seq), "format": "tekrar/ledger/v1", "head": self._previous.hex()}
        yield canonical_json(dict(first)) + b"\n"
        yield from self.lines[1:]

    def _append(self, kind: str, payload: dict[str, str]) -> None:
        data = payload_bytes(payload)
        own = entry_hash(self._seq, kind, data, previous=self._previous)
        line = (
            b'{"hash":"%s","kind":"%s","payload":' % (own.hex().encode(), kind.encode())
            + data
            + b',"previous":"%s","seq":"%d"}\n' % (self._previous.hex().encode(), self._seq)
        )
        self.lines.append(line)
        self._previous, self._seq = own, self._seq + 1

    def _instant(self) -> str:
        self._now += timedelta(microseconds=7)
        return self._now.strftime("%Y-%m-%dT%H:%M:%S.%fZ")

    def _uuid7(self) -> bytes:
        self._now += timedelta(microseconds=7)
        milliseconds = int(self._now.timestamp() * 1000)
        tail = bytearray(milliseconds.to_bytes(6, "big") + uuid.uuid4().bytes[6:])
        tail[6] = 0x70 | (tail[6] & 0x0F)
        return bytes(tail)


def fill(ledger: Ledger, basis: Basis, pairs: Sequence[Pair], *, decisions: int) -> list[str]:
    """Add decisions: families, quotations and retirements, in turn; occurrences that they are about."""
    families: list[tuple[Pair, bytes]] = []
    touched: list[str] = []
    place = iter(pairs)
    pair = next(place)
    for number in range(decisions):
        turn = number % 10
        if turn < _FAMILIES:
            pair = next(place)
            (own,) = ledger.decide(family_action(basis, pair), "accept_family", issued=1, rests=pair)
            families.append((pair, own))
            touched.append(uuid_text(pair.left.id))
        elif turn < _FAMILIES + _QUOTATIONS:
            ledger.decide(quotation_action(basis, pair), "accept_quotation", issued=1, rests=pair)
        else:
            gone, own = families.pop()
            ledger.decide(retire_action(basis, gone, own), "retire", issued=0)
    return touched
