"""Questions about published releases: each one SQL function, asked as a role of contract C5.

A status comes from the partition of the work, never from an empty list (QRY-03); what a release does not
hold is an error. Records are JSON-ready: bytes as hex, UUIDs and times as text, `content` as bytes.
"""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache, lru_cache
from typing import Any, Final

from tekrar.core.encoding import canonical_json
from tekrar.errors import UsageError
from tekrar.store.absence import absence
from tekrar.store.cursor import Place, read_cursor, write_cursor
from tekrar.store.roles import Role
from tekrar.store.session import Claims, Connection, ask

#: Rows that one page may hold.
MAX_PAGE: Final = 1000
PRESENTATIONS: Final = ("published", "dominated", "provisional")

_RELEASES: Final = tuple(
    (
        "release edition language projection enumerator policy_digest short profile exact_status text_release"
        " artifact_root state pointer_version recorded_at release_set"
    ).split()
)
_RELEASE: Final = tuple(
    "bound roots compiler recorded_at state incident_cause incident_reason incident_at pointer_moves".split()
)
_COVERAGE: Final = tuple(
    (
        "short profile enumerator exact_status semantic_status stated counted semantic withdrawn incident"
    ).split()
)
_STATUS: Final = tuple(
    (
        "status presentation code reasons class group_key size short profile predicate text_release row_no"
    ).split()
)
_OCCURRENCE: Final = tuple(
    (
        "status presentation code class group_key size short profile predicate text_release row_no selection"
        " start_byte end_byte length unit book book_label chapter chapter_number chapter_title chapter_no"
        " paragraph last_paragraph para_no para ord end_ord source_name source_digest mask_witness"
        " fingerprint content"
    ).split()
)
_HEAD: Final = tuple("status presentation code reasons class group_key_found size chosen".split())
_MEMBER: Final = tuple(
    (
        "row_no occurrence selection start_byte end_byte length unit book book_label chapter chapter_number"
        " chapter_no paragraph last_paragraph para_no para ord end_ord para_start para_end source_name"
        " source_digest"
    ).split()
)
_LISTED: Final = tuple("status code total".split())
_CLASS: Final = tuple(
    ("class group_key size length class_no first_row winner left_extension right_extension").split()
)
#: Behind no class: longer and larger than any.
_FIRST_CLASS: Final = (32767, 2147483647, -1)
#: Labels are bytes of the text, so that U+0000 survives, and names of files are any text; shown as text.
_LABELS: Final = frozenset({"book_label", "chapter_title", "source_name"})
#: IDs that the server itself writes as they are shown.
_IDS: Final = frozenset({"class", "occurrence", "profile", "selection", "text_release", "winner"})
#: Numbers, words and bytes that a record holds as the driver gives them, beside `_IDS`.
_AS_THEY_ARE: Final = _IDS | frozenset(
    (
        "status presentation code reasons size short predicate row_no start_byte end_byte length unit book"
        " chapter chapter_number chapter_no paragraph last_paragraph para_no para ord end_ord para_start"
        " para_end chosen total class_no first_row left_extension right_extension content"
    ).split()
)

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

    def _ask(self, call: str, parameters: Sequence[Any], names: tuple[str, ...]) -> list[Record]:
        return _records(names, self._rows(call, parameters, names))

    def _rows(self, call: str, parameters: Sequence[Any], names: tuple[str, ...]) -> list[tuple[Any, ...]]:
        with absence():
            return ask(self.connection, _query(call, names), parameters, role=self.role, claims=self.claims)

    def _listing(
        self, call: str, parameters: Sequence[Any], head: tuple[str, ...], each: tuple[str, ...], number: str
    ) -> tuple[Record, list[Record]]:
        """The head of a listing, which every row repeats, and its rows; one without a number is the head's
        alone."""
        rows = self._rows(call, parameters, head + each)
        width = len(head)
        at = width + each.index(number)
        (first,) = _records(head, [rows[0][:width]])
        return first, _records(each, [row[width:] for row in rows if row[at] is not None])

    def releases(self) -> list[Record]:
        """Every published release with its state: `visible`, `earlier` or `withdrawn`."""
        return self._ask("api.releases()", (), _RELEASES)

    def release(self, release: str) -> Record:
        """One release: what it binds, its incident if it was withdrawn, the moves of its pointer.

        Raises:
            NotFoundError: no such release, or none that the role may see.
        """
        query = "api.release_show(%s)"
        found = self._ask(query, (public_id(release, "release"),), _RELEASE)[0]
        return {"release": release, **found, "bound": json.loads(found["bound"])}

    def coverage(self, release: str) -> Record:
        """Exact coverage as the build stated it and the load counted it; `semantic` apart (COV-13)."""
        query = "api.coverage(%s)"
        found = self._ask(query, (public_id(release, "release"),), _COVERAGE)[0]
        return {"release": release, **found, "stated": json.loads(found["stated"])}

    def status(self, release: str, occurrence: str) -> Record:
        """The closed status of one occurrence under one release (QRY-02, QRY-03).

        Raises:
            NotFoundError: no such release, or no such occurrence in its universe; never `unique`.
        """
        return self._of_occurrence("occurrence_status", release, occurrence, _STATUS)

    def occurrence(self, release: str, occurrence: str) -> Record:
        """One occurrence with its anchors and `content`, its exact bytes from core (CORE-03, QRY-04)."""
        return self._of_occurrence("get_occurrence", release, occurrence, _OCCURRENCE)

    def _of_occurrence(self, function: str, release: str, occurrence: str, names: tuple[str, ...]) -> Record:
        call = f"api.{function}({constant(release)}, %s)"
        found = self._ask(call, (public_id(occurrence, "occurrence"),), names)[0]
        return {"release": release, "occurrence": occurrence, **found}

    def why(self, release: str, occurrence: str) -> Record:
        """The facts behind a status: part, counts, roots, validation; `tekrar.store.account` says them."""
        call = f"api.why({constant(release)}, %s) AS facts"
        found = self._ask(call, (public_id(occurrence, "occurrence"),), ("facts",))[0]
        return {"occurrence": occurrence, **found["facts"]}

    def classes(
        self,
        release: str,
        *,
        presentation: str = "published",
        min_length: int = 1,
        min_size: int = 2,
        page: int = 20,
        cursor: str | None = None,
        counted: bool = False,
    ) -> Record:
        """Classes of a release, longest and then largest first, a page at a time.

        The release names the profile; there is no other choice of one (PRO-11).

        Args:
            release: the release's ID.
            presentation: `published`, `dominated`, or `provisional` (groups of a partial profile).
            min_length, min_size: least sentences of an occurrence, least members.
            page: classes of this page, 1 to `MAX_PAGE`.
            cursor: `next` of the page before.
            counted: count what all pages together hold.

        Returns:
            `status` (`listed`, or `integrity_error` of a withdrawn release with its code), `total` where it
            was asked for, `classes`, and `next`, None at the end.

        Raises:
            NotFoundError: no such release.
            UsageError: a cursor that was forged, or is of another release, query or role.
        """
        _check_page(page)
        if presentation not in PRESENTATIONS:
            raise UsageError(
                f"{presentation[:80]!r} is no presentation",
                expected=", ".join(PRESENTATIONS),
                mend="give one of them as it stands here",
                kind="bad_presentation",
            )
        place = self._place(release, "classes", presentation, min_length, min_size)
        after = _FIRST_CLASS if cursor is None else read_cursor(self._key(), place, cursor)
        # Release, list and page size are constants of the query, the rest its parameters: one plan for all
        # pages, made for so many rows.
        call = (
            f"api.list_classes({constant(release)}, '{presentation}', %s::smallint, %s::integer,"
            f" %s::smallint, %s::integer, %s::integer, {page + 1}, {'true' if counted else 'false'})"
        )
        head, found = self._listing(
            call, tuple(map(str, (min_length, min_size, *after))), _LISTED, _CLASS, "class_no"
        )
        following = None
        if len(found) > page:
            found = found[:page]
            last = found[-1]
            following = write_cursor(self._key(), place, (last["length"], last["size"], last["class_no"]))
        answer = {name: head[name] for name in _LISTED if counted or name != "total"}
        return {
            "release": release,
            "presentation": presentation,
            **answer,
            "classes": found,
            "next": following,
        }

    def duplicates(
        self,
        release: str,
        id: str,
        *,
        page: int = 100,
        cursor: str | None = None,
        books: Sequence[str] = (),
        but_books: Sequence[str] = (),
    ) -> Record:
        """Members of an exact class, in document order, a page at a time.

        Each member has its own place and the `source` of its book; equal words of two sources are two members
        (CORE-08). `adjacent` says that a member begins where the one listed before it ends, or within it, in
        the same chapter: a refrain or an intended repeat in a row.

        Args:
            release: the release's ID.
            id: of an exact class or of one occurrence, or the hex witness of a provisional group.
            page: members of this page, 1 to `MAX_PAGE`.
            cursor: `next` of the page before.
            books, but_books: labels of books: members of these alone, and of none of those.

        Returns:
            `status` (and of an unmatched occurrence its code and reasons), `class` or `group_key`, `size` of
            the class, `chosen` of it that all pages together hold, `members`, and `next`, None at the end.

        Raises:
            NotFoundError: no such release, class, group or occurrence.
            UsageError: a cursor that was forged, or is of another release, query or role.
        """
        _check_page(page)
        group = witness(id) if len(id) == 64 else None
        named = None if group is not None else public_id(id, "class or occurrence")
        place = self._place(release, "duplicates", id, sorted(books), sorted(but_books))
        after, *behind = (-1,) if cursor is None else read_cursor(self._key(), place, cursor)
        call = (
            f"api.list_duplicates({constant(release)}, {'NULL' if named is None else '%s'},"
            f" {'NULL' if group is None else '%s'}, {'%s' if books else 'NULL'},"
            f" {'%s' if but_books else 'NULL'}, %s::integer, {page + 1})"
        )
        labels = [[label.encode() for label in some] for some in (books, but_books) if some]
        first, members = self._listing(call, (named or group, *labels, str(after)), _HEAD, _MEMBER, "row_no")
        head = {name.removesuffix("_found"): value for name, value in first.items()}
        following = None
        more, members = len(members) > page, members[:page]
        for member in members:
            start, chapter = member["unit"], member["chapter"]
            member["adjacent"] = bool(behind) and behind[0] == chapter and start <= behind[1]
            behind = [chapter, start + member["length"]]
        if more:
            following = write_cursor(self._key(), place, (members[-1]["row_no"], *behind))
        return {"release": release, "id": id, **head, "members": members, "next": following}

    def _place(self, release: str, query: str, *arguments: Any) -> Place:
        public_id(release, "release")
        said = canonical_json([query, *arguments]).decode()
        return Place(release, said, self.role)

    def _key(self) -> bytes:
        if self.key is None:
            raise ValueError("a reader that pages needs a key for its cursors")
        return self.key


def _check_page(page: int) -> None:
    if not 1 <= page <= MAX_PAGE:
        raise UsageError(
            f"a page of {page} rows", expected=f"1 to {MAX_PAGE}", mend="--page-size N", kind="bad_arguments"
        )


_PUBLIC: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-5[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}")


def public_id(text: str, what: str) -> str:
    """An ID as tekrar prints it and in no other form (ID-04): a UUID of version 5, in small letters.

    Raises:
        UsageError: `bad_id`; row numbers, fingerprints and other names are no IDs (ID-05).
    """
    if _PUBLIC.fullmatch(text) is None:
        raise UsageError(
            f"{text[:80]!r} is no ID of a {what}",
            expected="a UUID of version 5 in small letters, as tekrar printed it",
            mend="copy it whole",
            kind="bad_id",
        )
    return text


def constant(release: str) -> str:
    """A release as a constant of SQL, so that a plan is over its partitions alone."""
    return f"'{public_id(release, 'release')}'::uuid"


def witness(text: str) -> bytes:
    """The witness of a provisional group, 32 bytes, from its hex.

    Raises:
        UsageError: `bad_id`.
    """
    if re.fullmatch("[0-9a-f]{64}", text) is None:
        raise UsageError(
            "this is no witness of a group", expected="64 hex digits", mend="copy it whole", kind="bad_id"
        )
    return bytes.fromhex(text)


@lru_cache(256)
def _query(call: str, names: tuple[str, ...]) -> bytes:
    # By name: a function may come to give more than this version knows.
    chosen = ", ".join(f"{name}::text" if name in _IDS else name for name in names)
    return f"SELECT {chosen} FROM {call}".encode()


@cache
def _made(names: tuple[str, ...]) -> tuple[str, ...]:
    """Names of the values that are not yet as JSON shows them."""
    return tuple(name for name in names if name not in _AS_THEY_ARE)


def _records(names: tuple[str, ...], rows: Sequence[Sequence[Any]]) -> list[Record]:
    found = [dict(zip(names, row, strict=True)) for row in rows]
    for name in _made(names):
        for record in found:
            if (value := record[name]) is not None:
                record[name] = plain(name, value)
    if "source_name" in names:
        for record in found:
            source, digest = record.pop("source_name"), record.pop("source_digest")
            record["source"] = None if source is None else {"name": source, "sha256": digest}
    return found


def plain(name: str, value: Any) -> Any:
    """A value of a row as JSON shows it."""
    if isinstance(value, bytes):
        if name == "content":
            return value
        return value.decode() if name in _LABELS or name in ("bound", "stated") else value.hex()
    if isinstance(value, datetime):
        return value.astimezone(UTC).isoformat(timespec="microseconds")
    return str(value) if isinstance(value, uuid.UUID) else value
