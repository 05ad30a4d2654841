"""Questions about published releases: each one SQL function, asked as a role of contract C5.

A status comes from the partition of the work, never from an empty list (QRY-03); what a release does not
hold is an error. Records are JSON-ready: bytes as hex, UUIDs and times as text, `content` as bytes.
"""

from __future__ import annotations

import json
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Final

from tekrar.errors import NotFoundError, UsageError
from tekrar.store.absence import absence
from tekrar.store.cursor import Place, read_cursor, write_cursor
from tekrar.store.roles import Role
from tekrar.store.session import Claims, Connection, ask

#: Members of a class that one page may hold.
MAX_PAGE: Final = 1000

_RELEASES: Final = (
    "release edition language projection enumerator policy_digest short profile exact_status text_release"
    " artifact_root state pointer_version recorded_at release_set"
).split()
_RELEASE: Final = ("bound roots compiler recorded_at state incident_reason incident_at pointer_moves").split()
_COVERAGE: Final = ("short profile enumerator exact_status semantic_status stated counted withdrawn").split()
_STATUS: Final = (
    "status presentation code reasons class group_key size short profile predicate text_release row_no"
).split()
_OCCURRENCE: Final = (
    "status presentation code class group_key size short profile predicate text_release row_no selection"
    " start_byte end_byte length unit book book_label chapter chapter_number chapter_title paragraph"
    " last_paragraph para ord end_ord mask_witness fingerprint content"
).split()
_MEMBER: Final = (
    "row_no occurrence selection start_byte end_byte length unit book book_label chapter chapter_number"
    " paragraph last_paragraph para ord end_ord para_start para_end size presentation"
).split()
#: Labels are bytes of the text, so that U+0000 survives; shown as text.
_LABELS: Final = frozenset({"book_label", "chapter_title"})

Record = dict[str, Any]


@dataclass(frozen=True)
class Reader:
    """Who asks.

    Attributes:
        connection: as `tekrar.store.session.connect` gives it.
        role: one of the roles that may read.
        claims: of the caller.
        key: signs the cursors of this reader; 32 bytes, needed for paging only.
    """

    connection: Connection
    role: Role = Role.READER
    claims: Claims | None = None
    key: bytes | None = None

    def _ask(self, call: str, parameters: Sequence[Any], names: Sequence[str]) -> list[Record]:
        # By name: a function may come to give more than this version knows.
        query = f"SELECT {', '.join(names)} FROM {call}".encode()
        with absence():
            rows = ask(self.connection, query, parameters, role=self.role, claims=self.claims)
        return [{k: plain(k, v) for k, v in zip(names, row, strict=True)} for row in rows]

    def releases(self) -> list[Record]:
        """Every published release with its state: `visible`, `earlier` or `withdrawn`."""
        return self._ask("api.releases()", (), _RELEASES)

    def release(self, release: str) -> Record:
        """One release: what it binds, its incident if it was withdrawn, the moves of its pointer.

        Raises:
            NotFoundError: no such release, or none that the role may see.
        """
        query = "api.release_show(%s)"
        found = self._ask(query, (_id(release, "release"),), _RELEASE)[0]
        return {"release": release, **found, "bound": json.loads(found["bound"])}

    def coverage(self, release: str) -> Record:
        """Coverage as the build stated it and as the load counted it."""
        query = "api.coverage(%s)"
        found = self._ask(query, (_id(release, "release"),), _COVERAGE)[0]
        return {"release": release, **found, "stated": json.loads(found["stated"])}

    def status(self, release: str, occurrence: str) -> Record:
        """The closed status of one occurrence under one release (QRY-02, QRY-03).

        Raises:
            NotFoundError: no such release, or no such occurrence in its universe; never `unique`.
        """
        query = "api.occurrence_status(%s, %s)"
        ids = (_id(release, "release"), _id(occurrence, "occurrence"))
        return {"release": release, "occurrence": occurrence, **self._ask(query, ids, _STATUS)[0]}

    def occurrence(self, release: str, occurrence: str) -> Record:
        """One occurrence with its anchors and `content`, its exact bytes from core (CORE-03, QRY-04)."""
        query = "api.get_occurrence(%s, %s)"
        ids = (_id(release, "release"), _id(occurrence, "occurrence"))
        return {"release": release, "occurrence": occurrence, **self._ask(query, ids, _OCCURRENCE)[0]}

    def why(self, release: str, occurrence: str) -> Record:
        """The facts behind a status: part, counts, roots, validation; `tekrar.store.account` says them."""
        ids = (_id(release, "release"), _id(occurrence, "occurrence"))
        found = self._ask("api.why(%s, %s) AS facts", ids, ("facts",))[0]
        return {"occurrence": occurrence, **found["facts"]}

    def duplicates(self, release: str, id: str, *, page: int = 100, cursor: str | None = None) -> Record:
        """Members of an exact class, in document order, a page at a time.

        Args:
            release: the release's ID.
            id: of an exact class or of one occurrence, or the hex witness of a provisional group.
            page: members of this page, 1 to `MAX_PAGE`.
            cursor: `next` of the page before.

        Returns:
            `status` (and of an unmatched occurrence its code and reasons), `class` or `group_key`, `size`,
            `members`, and `next`, None at the end.

        Raises:
            NotFoundError: no such release, class, group or occurrence.
            UsageError: a cursor that was forged, or is of another release, query or role.
        """
        if not 1 <= page <= MAX_PAGE:
            raise UsageError(
                f"a page of {page} members",
                expected=f"1 to {MAX_PAGE}",
                mend="--page N",
                kind="bad_arguments",
            )
        wanted = _id(release, "release")
        place = Place(str(wanted), f"duplicates/{id.lower()}", self.role)
        after = -1 if cursor is None else read_cursor(self._key(), place, cursor)
        head = self._class_of(release, id)
        answer = {"release": release, "id": id, **head}
        if head["status"] != "matched":
            return {**answer, "members": [], "next": None}
        members = self._members(wanted, head, after, page + 1)
        more = len(members) > page
        members = members[:page]
        following = write_cursor(self._key(), place, members[-1]["row_no"]) if more else None
        return {**answer, "members": members, "next": following}

    def _class_of(self, release: str, id: str) -> Record:
        """Status and class of what an ID names: a group by its witness, an occurrence, else a class."""
        head: Record = {"class": None, "group_key": None}
        if len(id) == 64:
            head["group_key"] = _witness(id).hex()
        else:
            try:
                return self._head(release, id)
            except NotFoundError:
                head["class"] = id
        # A class has the status of its members, and always a first one.
        first = self._members(_id(release, "release"), head, -1, 1)[0]
        return self._head(release, first["occurrence"])

    def _head(self, release: str, occurrence: str) -> Record:
        found = self.status(release, occurrence)
        return {name: found[name] for name in ("status", "code", "reasons", "size", "class", "group_key")}

    def _members(self, release: uuid.UUID, head: Record, after: int, count: int) -> list[Record]:
        named = None if head["class"] is None else _id(head["class"], "class")
        group = None if head["group_key"] is None else bytes.fromhex(head["group_key"])
        query = "api.list_duplicates(%s, %s, %s, %s::integer, %s::integer)"
        return self._ask(query, (release, named, group, after, count), _MEMBER)

    def _key(self) -> bytes:
        if self.key is None:
            raise ValueError("a reader that pages needs a key for its cursors")
        return self.key


def _id(text: str, what: str) -> uuid.UUID:
    try:
        return uuid.UUID(text)
    except ValueError:
        raise UsageError(
            f"{text[:80]!r} is no ID of a {what}",
            expected="a UUID as tekrar printed it",
            mend="copy it whole",
            kind="bad_id",
        ) from None


def _witness(text: str) -> bytes:
    try:
        return bytes.fromhex(text)
    except ValueError:
        raise UsageError(
            "this is no witness of a group", expected="64 hex digits", mend="copy it whole", kind="bad_id"
        ) from None


def plain(name: str, value: Any) -> Any:
    """A value of a row as JSON shows it."""
    if isinstance(value, bytes):
        if name == "content":
            return value
        return value.decode() if name in _LABELS or name in ("bound", "stated") else value.hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, uuid.UUID) else value
