"""What a reference in a proposal names: an ID, an address, or a side of a candidate, found in the store."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final

from tekrar.core.address import Address, parse_address
from tekrar.core.curation import fields
from tekrar.core.curation.family import Member
from tekrar.core.curation.refusal import refuse
from tekrar.core.curation.supersession_rules import check_in_force
from tekrar.core.identity import members_digest, parse_uuid, uuid_text
from tekrar.errors import NotFoundError, TekrarError, shortened
from tekrar.store.curation.facts import StoredView
from tekrar.store.evidence.result import places_of

_BOOKS: Final = (
    b"SELECT book, label, first_chapter, chapters FROM core.book WHERE release_key = %s ORDER BY book"
)
_CHAPTER: Final = b"""
    SELECT first_paragraph, paragraphs, first_sentence, sentences FROM core.chapter
    WHERE release_key = %s AND chapter = %s
"""
_UNIT: Final = b"""
    SELECT uuid_send(occurrence) FROM repetition.occurrence
    WHERE profile_key = %s AND unit = %s AND (%s::smallint IS NULL OR length = %s::smallint) LIMIT 1
"""
_RESULT: Final = b"""
    SELECT c.result, uuid_send(e.evidence) FROM curation.candidate c
    JOIN curation.evidence e USING (set_key, rank)
    WHERE c.candidate = %s::uuid LIMIT 1
"""
_SIDE: Final = b"""
    SELECT DISTINCT uuid_send(p.occurrence) FROM curation.candidate_participant p
    WHERE p.candidate = %s::uuid AND p.side = %s
"""
_SIDES: Final = {"left": 0, "right": 1}
_UUID: Final = re.compile(r"(?<![0-9a-f-])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?![0-9a-f-])")
#: What a reference may be, for messages.
REFERENCE: Final = (
    "the ID of an occurrence, or of an exact class with all its members; an address such as book/chapter/p3;"
    ' or {"candidate": ID or rank, "side": "left" or "right"}'
)

#: Gives the UUID of the candidate of a rank; None where no package is named.
Ranked = Callable[[int], str]


@dataclass(frozen=True)
class Named:
    """What a reference names.

    Attributes:
        id: UUID of an occurrence or exact class (16 bytes).
        tag: which of both.
        extent: bytes of the release that a candidate's side has, or None.
    """

    id: bytes
    tag: str
    extent: fields.Span | None = None


@dataclass
class References:
    """Finds references in one snapshot, and keeps which candidates and evidence they went through.

    Attributes:
        view: the snapshot.
        ranked: candidates by rank, where a package is named.
        candidates, evidence: UUIDs that references went through.
        written: UUID text -> the address or side that somebody wrote for it.
    """

    view: StoredView
    ranked: Ranked | None = None
    candidates: set[bytes] = field(default_factory=set)
    evidence: set[bytes] = field(default_factory=set)
    written: dict[str, str] = field(default_factory=dict)
    _books: list[tuple[str, int, int]] | None = None

    def find(self, value: object, item: str) -> Named:
        """What a reference names.

        Raises:
            CurationRefusal: it is none.
            NotFoundError: there is no such place.
        """
        if isinstance(value, dict) and set(value) == {"candidate", "side"}:
            named = self._side(value, item)
            self.written[uuid_text(named.id)] = f"{value['side']} of candidate {value['candidate']}"
            return named
        if not isinstance(value, str):
            said = shortened(json.dumps(value, ensure_ascii=False))
            refuse("malformed", f"{said} names nothing", item=item, expected=REFERENCE)
        if "/" not in value:
            return self._by_id(_own(value, item), item)
        try:
            named = Named(self._at(parse_address(value)), "occurrence")
        except TekrarError as error:
            error.where = error.where or item
            raise
        self.written[uuid_text(named.id)] = value
        return named

    def as_written(self, message: str) -> str:
        """A message with what somebody wrote before each ID that they did not write."""
        return _UUID.sub(
            lambda one: f"{self.written[one[0]]} ({one[0]})" if one[0] in self.written else one[0], message
        )

    def occurrence(self, value: object, item: str) -> Named:
        """An occurrence; a side that stands for a class is its first member."""
        named = self.find(value, item)
        if named.tag == "occurrence":
            return named
        exact = self.view.exact_class(named.id)
        if named.extent is None or exact is None:
            refuse(
                "tag_mismatch",
                f"{uuid_text(named.id)} is an exact class",
                item=item,
                expected="an occurrence",
                mend="name the member that is meant, by its ID or address",
            )
        for one in exact.members:
            facts = self.view.occurrence(one)
            if facts is not None and facts.start <= named.extent[0] and named.extent[1] <= facts.end:
                return Named(one, "occurrence", named.extent)
        return Named(exact.members[0], "occurrence")

    def member(self, value: object, item: str) -> Member:
        """A member of a family with its current witness and complete inventory."""
        named = self.find(value, item)
        if named.tag == "occurrence":
            facts = self.view.occurrence(named.id)
            assert facts is not None
            return Member("occurrence", named.id, facts.witness)
        exact = self.view.exact_class(named.id)
        assert exact is not None
        inventory = members_digest(list(exact.members))
        return Member("class", named.id, exact.witness, len(exact.members), inventory)

    def members(self, value: object, item: str) -> tuple[Member, ...]:
        """Members of a family, each once."""
        found = fields.a_list(value, self.member, item=item)
        if not found:
            refuse("too_few_members", "a family of nothing", item=item, expected="two or more")
        for number, one in enumerate(found):
            if one in found[:number]:
                refuse(
                    "double_membership",
                    f"{uuid_text(one.id)} is a member twice",
                    item=f"{item}[{number}]",
                    expected="each member once",
                )
        return found

    def ending(self, value: object, item: str) -> tuple[bytes, ...]:
        """Structures that a supersession ends: each once, and in force."""
        found = fields.a_list(value, id_of, item=item)
        for number, one in enumerate(found):
            place = f"{item}[{number}]"
            if one in found[:number]:
                refuse(
                    "duplicate_item",
                    f"{uuid_text(one)} stands twice",
                    item=place,
                    expected="each structure that ends once",
                )
            facts = self.view.structure(one)
            if facts is None:
                refuse("unknown_structure", f"there is no structure {uuid_text(one)}", item=place)
            check_in_force(one, facts, item=place)
        return found

    def candidate(self, value: object, item: str) -> bytes:
        """UUID of a candidate, by its ID, or by its rank in the package that is named."""
        if type(value) is int or (isinstance(value, str) and value.isascii() and value.isdigit()):
            if self.ranked is None:
                refuse(
                    "malformed",
                    f"rank {value} is of no package",
                    item=item,
                    expected="an ID, or a rank with --candidates CANDIDATES",
                )
            value = self.ranked(int(value))
        return fields.an_id(value, item=item, version=5)

    def known_candidate(self, own: bytes, item: str) -> tuple[bytes, bytes]:
        """Result bytes and evidence UUID of a candidate that is loaded."""
        row = self.view.connection.execute(_RESULT, (uuid_text(own),), binary=True).fetchone()
        if row is None:
            refuse(
                "unknown_candidate",
                f"there is no candidate {uuid_text(own)}",
                item=item,
                expected="a candidate that is loaded",
                mend="tekrar load CANDIDATES",
            )
        self.candidates.add(own)
        self.evidence.add(bytes(row[1]))
        return bytes(row[0]), bytes(row[1])

    def _by_id(self, own: bytes, item: str) -> Named:
        if self.view.exact_class(own) is not None:
            return Named(own, "class")
        if self.view.occurrence(own) is None:
            refuse(
                "unknown_member",
                f"there is no occurrence or exact class {uuid_text(own)} in this release",
                item=item,
                expected="one of the release that the proposal is about (--release)",
                mend="copy the ID or address as tekrar printed it",
            )
        return Named(own, "occurrence")

    def _side(self, value: dict[str, Any], item: str) -> Named:
        held = value
        own = self.candidate(held["candidate"], f"{item}.candidate")
        result, _ = self.known_candidate(own, f"{item}.candidate")
        places = places_of(result)
        side = _SIDES.get(held["side"], held["side"]) if isinstance(held["side"], str) else held["side"]
        if type(side) is not int or not 0 <= side < len(places.sides):
            refuse(
                "malformed",
                f"{held['side']!r} is no side of the candidate",
                item=f"{item}.side",
                expected=f"left, right, or a place from 0 to {len(places.sides) - 1}",
            )
        exact = places.classes[side] if side < 2 and places.kind != 2 else None
        if exact is not None:
            return Named(exact, "class", places.sides[side])
        rows = self.view.connection.execute(_SIDE, (uuid_text(own), side), binary=True).fetchall()
        if len(rows) != 1:
            refuse(
                "several_occurrences",
                f"the side touches {len(rows)} occurrences",
                item=item,
                expected="one occurrence a member",
                mend="name the occurrences by their IDs or addresses",
            )
        return Named(bytes(rows[0][0]), "occurrence", places.sides[side])

    # -- addresses --------------------------------------------------------

    def _at(self, address: Address) -> bytes:
        basis, connection = self.view.basis, self.view.connection
        if address.is_run != basis.short.endswith("S"):
            raise NotFoundError(
                f"{address} is of another enumerator than profile {basis.short}",
                expected="book/chapter/pN of FP and PP, book/chapter:start+length of FS and PS",
                kind="no_such_place",
            )
        chapter = self._chapter(address)
        row = connection.execute(_CHAPTER, (basis.release_key, chapter), binary=True).fetchone()
        assert row is not None
        first, count = row[2:] if address.is_run else row[:2]
        length = address.length if address.is_run else None
        unit = first + address.start - 1
        found = None
        if 1 <= address.start <= count:
            found = connection.execute(
                _UNIT, (basis.profile_key, unit, length, length), binary=True
            ).fetchone()
        if found is None:
            raise NotFoundError(
                f"profile {basis.short} has no occurrence at {address}",
                expected=f"the chapter has {count}, counted from 1; empty ones have no occurrence",
                mend="copy an address as tekrar printed it",
                kind="no_such_place",
            )
        return bytes(found[0])

    def _chapter(self, address: Address) -> int:
        if self._books is None:
            rows = self.view.connection.execute(
                _BOOKS, (self.view.basis.release_key,), binary=True
            ).fetchall()
            self._books = [
                (f"#{book + 1}" if label is None else bytes(label).decode("utf-8"), first, chapters)
                for book, label, first, chapters in rows
            ]
        found = [one for one in self._books if one[0] == address.book]
        if len(found) != 1:
            raise NotFoundError(
                f"the release has {len(found) or 'no'} book named {address.book!r}",
                expected=", ".join(name for name, _, _ in self._books[:12]),
                mend="copy an address as tekrar printed it",
                kind="no_such_book",
            )
        _, first, chapters = found[0]
        if not 1 <= address.chapter <= chapters:
            raise NotFoundError(
                f"the release has no place {address}",
                expected=f"book {address.book} has {chapters} chapters, counted from 1",
                mend="copy an address as tekrar printed it",
                kind="no_such_place",
            )
        return int(first) + address.chapter - 1


def _own(text: str, item: str) -> bytes:
    """The UUID of a member, where it is one."""
    try:
        own = parse_uuid(text, what=item)
    except TekrarError as error:
        refuse(
            "not_a_uuid",
            f"{shortened(repr(text))} is no reference",
            item=item,
            expected=REFERENCE,
            mend=error.mend,
        )
    if own[6] >> 4 == 7:
        refuse(
            "tag_mismatch",
            f"{text} was issued by a decision: it is a family, quotation or choice, and no member",
            item=item,
            expected="an occurrence, or an exact class with all its members",
            mend="name the members themselves",
        )
    return fields.of_version(own, 5, item=item)


def id_of(value: object, item: str, *, version: int = 7) -> bytes:
    """A UUID in a proposal."""
    return fields.an_id(value, item=item, version=version)
