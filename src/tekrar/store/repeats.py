"""Where a passage recurs in a published release, in every layer at once (LAY-08).

A combined reading of what is stored apart: each row names its layer, and a candidate is the layer
`candidate`, never a relation (LAY-07).
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from typing import Any, Final

from tekrar.core.address import Address, parse_address
from tekrar.core.curation.vocabulary import LAYERS
from tekrar.errors import NotFoundError, UsageError
from tekrar.store.cursor import read_cursor, write_cursor
from tekrar.store.read import MAX_PAGE, Reader, Record, constant, plain

_ROW: Final = (
    "layer layer_no kind rank structure group_key role role_no state is_asked occurrence_found row_no"
    " start_byte end_byte length unit book book_label chapter chapter_number chapter_no sentence_no paragraph"
    " last_paragraph para_no para ord end_ord"
).split()
_FIRST: Final = (0, 0, 0, -1, -1)
#: Numbers that order a page and say nothing to a reader.
_INNER: Final = ("layer_no", "rank", "role_no")


class RepeatsReader(Reader):
    """A reader that answers where a passage recurs."""

    def repeats(
        self,
        release: str,
        passage: str,
        *,
        layers: Sequence[str] = (),
        page: int = 100,
        cursor: str | None = None,
    ) -> Record:
        """Every place of every structure that a passage is in, a page at a time.

        Args:
            release: the release's ID, which names the profile.
            passage: ID of an occurrence, or its address in the release.
            layers: those of `LAYERS` that are asked for; none for all.
            page: rows of this page, 1 to `MAX_PAGE`.
            cursor: `next` of the page before.

        Returns:
            `occurrence`, its `status` in the exact work with `code` and `reasons` (of a passage that recurs
            nowhere too: no row says nothing about it), `repeats`, and `next`, None at the end. Each row has
            `layer`, `structure` (or the `group_key` of a provisional group), `kind` of a family or quotation,
            `state`, `role`, `occurrence`, `address`, and whether it is the passage asked for.

        Raises:
            NotFoundError: no such release, occurrence or place.
            UsageError: an unknown layer; no ID and no address; a cursor that was forged, or is of another
                release, passage, choice of layers or role.
        """
        unknown = [layer for layer in layers if layer not in LAYERS]
        if unknown:
            raise UsageError(
                f"{unknown[0][:80]!r} is no layer",
                expected=", ".join(LAYERS),
                mend="give one of them as it stands here",
                kind="bad_arguments",
            )
        if not 1 <= page <= MAX_PAGE:
            raise UsageError(
                f"a page of {page} rows", expected=f"1 to {MAX_PAGE}", mend="--page N", kind="bad_arguments"
            )
        own = self.at(release, passage) if "/" in passage else passage
        status = self.status(release, own)
        head = {name: status[name] for name in ("status", "presentation", "code", "reasons")}
        answer = {"release": release, "occurrence": own, **head}
        if status["code"] == "withdrawn_release":
            return {**answer, "repeats": [], "next": None}
        chosen = [layer for layer in LAYERS if layer in layers] or None
        place = self._place(release, "repeats", own, chosen)
        layer, rank, structure, row, role = (
            _FIRST if cursor is None else read_cursor(self._key(), place, cursor)
        )
        call = (
            f"api.list_repeats({constant(release)}, %s, %s::text[], %s::integer, %s::integer, %s,"
            f" %s::integer, %s::integer, {page + 1})"
        )
        after = (str(layer), str(rank), uuid.UUID(int=structure), str(row), str(role))
        found = [
            dict(zip(_ROW, one, strict=True)) for one in self._rows(call, (own, chosen, *after), tuple(_ROW))
        ]
        following = None
        if len(found) > page:
            found = found[:page]
            last = found[-1]
            held = last["structure"]
            numbers = (
                last["layer_no"],
                last["rank"],
                held.int if held else 0,
                last["row_no"],
                last["role_no"],
            )
            following = write_cursor(self._key(), place, numbers)
        paragraphs = str(status["short"]).endswith("P")
        return {**answer, "repeats": [_told(one, paragraphs=paragraphs) for one in found], "next": following}

    def at(self, release: str, address: str) -> str:
        """ID of the occurrence at an address.

        Raises:
            NotFoundError: `no_such_place`, the release's profile has no occurrence there.
            UsageError: the text is no address.
        """
        place = parse_address(address)
        numbers = (place.chapter, place.start, place.length)
        found = None
        if max(numbers) < 1 << 15 or (place.length < 1 << 15 and max(numbers) < 1 << 31):
            call = (
                f"api.occurrence_at({constant(release)}, %s, %s::integer, %s::integer, %s::smallint) AS found"
            )
            ((found,),) = self._rows(call, (place.book, *map(str, numbers)), ("found",))
        if found is None:
            raise NotFoundError(
                f"release {release} has no occurrence at {address}",
                expected="book/chapter/pN of FP and PP, book/chapter:start+length of FS and PS",
                mend="copy an address as tekrar printed it",
                kind="no_such_place",
            )
        return str(found)


def _told(row: Record, *, paragraphs: bool) -> Record:
    one: dict[str, Any] = {name: plain(name, value) for name, value in row.items() if name not in _INNER}
    one["occurrence"] = one.pop("occurrence_found")
    one["asked"] = one.pop("is_asked")
    book = one["book_label"] if one["book_label"] is not None else f"#{one['book'] + 1}"
    start, length = (one["para_no"], 0) if paragraphs else (one["sentence_no"], one["length"])
    one["address"] = str(Address(book, one["chapter_no"], start, length))
    return one
