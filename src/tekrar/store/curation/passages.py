"""Passages that a proposal is about, as a reviewer reads them: address, bytes and the diffs between them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.address import Address
from tekrar.core.diff.record import PassageDiff, diff_of
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.permission import snapshot_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection

#: Bytes of a block of the text.
_BLOCK: Final = 32768
_KEYS: Final = b"SELECT profile_key FROM repetition.profile WHERE profile = %s::uuid ORDER BY 1"
_KEY: Final = b"SELECT profile_key FROM repetition.repetition_release WHERE release = %s::uuid"
_PLACES: Final = b"""
    SELECT o.occurrence::text, o.start_byte, o.start_byte + o.extent, o.length,
        p.enumerator = 'whole_paragraph_v1', b.label, h.book + 1, h.chapter - b.first_chapter + 1,
        o.unit - CASE p.enumerator WHEN 'whole_paragraph_v1' THEN h.first_paragraph
            ELSE h.first_sentence END + 1,
        (SELECT string_agg(t.data, ''::bytea ORDER BY t.block) FROM core.text_block t
         WHERE t.release_key = a.release_key
           AND t.block BETWEEN o.start_byte / %(block)s AND (o.start_byte + o.extent - 1) / %(block)s)
    FROM repetition.occurrence o
    JOIN repetition.profile p USING (profile_key)
    JOIN repetition.artifact a USING (artifact_key)
    JOIN core.paragraph g ON g.release_key = a.release_key AND g.paragraph = o.paragraph
    JOIN core.chapter h ON h.release_key = a.release_key AND h.chapter = g.chapter
    JOIN core.book b ON b.release_key = a.release_key AND b.book = h.book
    WHERE o.profile_key = %(key)s AND o.occurrence = ANY (%(ids)s::uuid[])
"""
_FIRST: Final = b"""
    SELECT c.class::text, o.occurrence::text, c.size FROM repetition.class c
    JOIN repetition.occurrence o ON o.profile_key = c.profile_key AND o.row_no = c.first_row
    WHERE c.profile_key = %s AND c.class = ANY (%s::uuid[])
"""
_PARTICIPANTS: Final = b"""
    SELECT DISTINCT occurrence::text FROM curation.candidate_participant WHERE candidate = %s::uuid ORDER BY 1
"""


@dataclass(frozen=True)
class StoredPassage:
    """One occurrence: ID, address, bytes of the release, and its content."""

    occurrence: str
    address: str
    start: int
    end: int
    content: bytes

    def slice(self, start: int, end: int) -> bytes:
        """Content of an extent of the release that lies inside."""
        return self.content[start - self.start : end - self.start]


@dataclass(frozen=True)
class Readable:
    """What was asked for: passages by occurrence, first members of classes with their sizes, and diffs."""

    passages: dict[str, StoredPassage]
    firsts: dict[str, tuple[str, int]]
    diffs: dict[tuple[str, str], PassageDiff]


def read_passages(
    connection: Connection,
    profile: str,
    *,
    occurrences: Iterable[str] = (),
    classes: Iterable[str] = (),
    pairs: Sequence[tuple[str, str]] = (),
    role: Role,
    actor: str | None,
) -> Readable:
    """Passages of one profile, in one snapshot; what the reader may not read is left out.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        profile: repetition-profile UUID as text.
        occurrences, classes: UUIDs as text; a class gives its first member.
        pairs: occurrences to derive a diff between.
        role, actor: who reads.
    """
    wanted = {*occurrences, *(one for pair in pairs for one in pair)}
    found = Readable({}, {}, {})
    with snapshot_of(connection, role, actor):
        for (key,) in connection.execute(_KEYS, (profile,)).fetchall():
            rows = connection.execute(_FIRST, (key, sorted(set(classes)))).fetchall()
            found.firsts.update({exact: (first, size) for exact, first, size in rows})
            ids = sorted(wanted | {first for first, _ in found.firsts.values()})
            named = {"key": key, "ids": ids, "block": _BLOCK}
            for row in connection.execute(_PLACES, named, binary=True).fetchall():
                one = _passage(row)
                found.passages[one.occurrence] = one
            if found.passages:
                ends = read_endpoints(connection, key, (one for pair in pairs for one in pair))
                for left, right in pairs:
                    if left in ends and right in ends:
                        found.diffs[left, right] = diff_of(ends[left], ends[right])
                break
    return found


def participants_of(
    connection: Connection, candidate: str, *, role: Role, actor: str | None
) -> tuple[str, ...]:
    """Occurrences that the places of a candidate touch."""
    with snapshot_of(connection, role, actor):
        return tuple(one for (one,) in connection.execute(_PARTICIPANTS, (candidate,)).fetchall())


def places_in(
    connection: Connection, release: str, occurrences: Iterable[str], *, role: Role, actor: str | None
) -> dict[str, StoredPassage]:
    """Occurrences of a published release by ID; what the reader may not read, or the release has not, is left
    out."""
    ids = sorted(set(occurrences))
    if not ids:
        return {}
    with snapshot_of(connection, role, actor):
        row = connection.execute(_KEY, (release,)).fetchone()
        named = {"key": row and row[0], "ids": ids, "block": _BLOCK}
        rows = connection.execute(_PLACES, named, binary=True).fetchall()
    return {one.occurrence: one for one in map(_passage, rows)}


def _passage(row: Sequence[Any]) -> StoredPassage:
    own, start, end, length, paragraphs, label, book, chapter, unit, blocks = row
    base = start // _BLOCK * _BLOCK
    name = f"#{book}" if label is None else bytes(label).decode("utf-8", "backslashreplace")
    address = Address(name, chapter, unit, 0 if paragraphs else length)
    return StoredPassage(own, str(address), start, end, bytes(blocks)[start - base : end - base])
