"""Evidence of a release that no decision took up: pending and rejected candidates (QRY-01, QRY-02)."""

from __future__ import annotations

from typing import Any, Final

from tekrar.errors import UsageError
from tekrar.store.cursor import read_cursor, write_cursor
from tekrar.store.evidence.result import KINDS
from tekrar.store.read import MAX_PAGE, Reader, constant

#: What `status` may choose; a superseded candidate is neither pending nor rejected.
STATUSES: Final = ("pending", "rejected", "superseded")
_OPEN: Final = "api.open_records(%s::uuid, %s::name)"
_HEAD: Final = ("state", "code")
_ITEM: Final = tuple(
    (
        "set_key rank candidate item_status disposition generator kind left_start left_end right_start"
        " right_end participants event"
    ).split()
)


class EvidenceReader(Reader):
    """A reader that lists evidence too."""

    def unresolved(
        self, release: str, *, status: str | None = None, page: int = 100, cursor: str | None = None
    ) -> dict[str, Any]:
        """What waits, or was rejected, in a release, best first, a page at a time.

        Args:
            release: the release's ID, which names the profile.
            status: one of `STATUSES`, None for all.
            page: candidates of this page, 1 to `MAX_PAGE`.
            cursor: `next` of the page before.

        Returns:
            `status` (`listed`, or `integrity_error` of a withdrawn release with its code), `semantic` as in
            the release's coverage, `candidates` with a status each, and `next`, None at the end. The first
            page of all that is unresolved has `proposals` that waited and `families` that need a successor
            too, each with `total` and the first thousand as `listed`; another one has None.

        Raises:
            NotFoundError: no such release.
            UsageError: an unknown status; a cursor that was forged, or is of another release, query or role.
        """
        if status is not None and status not in STATUSES:
            raise UsageError(
                f"{status[:80]!r} is no status of evidence",
                expected=", ".join(STATUSES),
                mend="give one of them as it stands here",
                kind="bad_arguments",
            )
        if not 1 <= page <= MAX_PAGE:
            raise UsageError(
                f"a page of {page} candidates",
                expected=f"1 to {MAX_PAGE}",
                mend="--page-size N",
                kind="bad_arguments",
            )
        place = self._place(release, "unresolved", status)
        after = (0, 0) if cursor is None else read_cursor(self._key(), place, cursor)
        chosen = "NULL" if status is None else f"'{status}'"
        call = f"api.unresolved({constant(release)}, {chosen}, %s::integer, %s::integer, {page + 1})"
        head, found = self._listing(call, tuple(map(str, after)), _HEAD, _ITEM, "rank")
        following = None
        if len(found) > page:
            found = found[:page]
            following = write_cursor(self._key(), place, (found[-1]["set_key"], found[-1]["rank"]))
        whole = status is None and cursor is None
        more = (
            self._ask(_OPEN, (release, str(self.role)), ("kind", "id", "profile", "whole")) if whole else []
        )
        return {
            "release": release,
            "status": head["state"],
            "code": head["code"],
            "semantic": self.coverage(release)["semantic"],
            "candidates": [_item(one) for one in found],
            "proposals": _open(more, "open_proposal", "proposal") if whole else None,
            "families": _open(more, "needs_successor", "family") if whole else None,
            "next": following,
        }


def _open(rows: list[dict[str, Any]], kind: str, name: str) -> dict[str, Any]:
    own = [row for row in rows if row["kind"] == kind]
    return {
        "total": own[0]["whole"] if own else 0,
        "listed": [{name: row["id"], "profile": row["profile"], "status": kind} for row in own],
    }


def _item(row: dict[str, Any]) -> dict[str, Any]:
    return {
        "candidate": row["candidate"],
        "rank": row["rank"],
        "status": row["item_status"],
        "disposition": row["disposition"],
        "kind": KINDS[row["kind"]],
        "left": {"start": row["left_start"], "end": row["left_end"]},
        "right": {"start": row["right_start"], "end": row["right_end"]},
        "participants": list(map(str, row["participants"])),
        "generator": row["generator"],
        "event": row["event"],
    }
