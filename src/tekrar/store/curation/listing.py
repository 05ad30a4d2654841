"""What is proposed, decided and in force: queues, histories, structures, and inventories of a release.

Inventories are those that a published release binds, never of "now" (AMB-30); row-level security decides what
a caller finds.
"""

from __future__ import annotations

import uuid
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, Final

from tekrar.store.curation.calling import Record, call, digest_text, id_text, one
from tekrar.store.roles import Role
from tekrar.store.session import Connection

_PROPOSALS: Final = (
    "seq", "proposal", "operation", "edition", "profile", "author", "draft", "revision", "recorded_at",
    "state", "stale", "approvals", "approvals_needed",
)  # fmt: skip
_HISTORY: Final = ("seq", "kind", "actor", "recorded_at", "proposal", "facts")
_FAMILIES: Final = ("family", "kind", "size", "tagged", "classes", "decision", "state", "first")
_MEMBERS: Final = ("row_no", "occurrence", "position", "tag", "exact_class", "duplicates")
_QUOTATIONS: Final = (
    "quotation", "kind", "source_occurrence", "source_selection", "source_ranges", "quoting_occurrence",
    "quoting_selection", "quoting_ranges", "extent_mapping", "diff", "attribution", "decision",
)  # fmt: skip
#: State of a structure that nothing single took the place of -> what is said of it (QRY-02).
_WITHOUT: Final = {
    "superseded": "ambiguous", "retired": "retired", "compensated": "unselected",
    "needs_successor": "unavailable", "not_in_release": "unavailable",
}  # fmt: skip
_CHOICES: Final = (
    "choice", "tag", "structure", "member", "policy", "policy_version", "rule", "policy_document", "decision",
)  # fmt: skip
_NAMES: Final = ("namespace", "external", "structure", "recorded_by", "recorded_at", "ledger_seq")
_POLICIES: Final = (
    "name", "version", "rule", "digest", "document", "author", "recorded_at", "ledger_seq",
)  # fmt: skip


@dataclass(frozen=True)
class Asker:
    """Who asks: a connection, the role it takes, and the actor; the reader of no name is the public."""

    connection: Connection
    role: Role = Role.READER
    actor: str | None = None

    def proposals(
        self,
        states: Sequence[str] | None = None,
        *,
        edition: str | None = None,
        queue: bool = False,
        after: int = -1,
        page: int = 100,
    ) -> list[Record]:
        """Proposals in the order of their submission.

        Args:
            states: keep those in one of these; None for all.
            edition: keep those of one edition.
            queue: those that the actor may still review, without anybody's verdict.
            after: `seq` of the last one of the page before.
            page: how many at most.
        """
        parameters = (None if states is None else list(states), edition, queue, after, page)
        return self._rows("api.list_proposals(%s, %s, %s, %s::bigint, %s::integer)", parameters, _PROPOSALS)

    def proposal(self, digest: str) -> Record:
        """One proposal with its action, its reviews and what came of it."""
        return one(
            self.connection,
            b"SELECT api.proposal(%s)",
            (digest_text(digest),),
            role=self.role,
            actor=self.actor,
            read_only=True,
        )

    def history(self, name: str) -> list[Record]:
        """Every entry of the ledger about a structure, class, occurrence, candidate, review or proposal."""
        return self._rows("api.history(%s)", (name,), _HISTORY)

    def resolve(self, structure: str, *, release: str | None = None) -> Record:
        """What an ID names, its state as of a release (None: now) and its direct successors, unfollowed."""
        parameters = (id_text(structure, "structure"), release and id_text(release, "release"))
        return one(
            self.connection,
            b"SELECT api.resolve(%s::uuid, %s::uuid)",
            parameters,
            role=self.role,
            actor=self.actor,
            read_only=True,
        )

    def current(self, structure: str, *, release: str | None = None) -> Record:
        """What stands in the place of an ID, as of a release (None: now): asked apart, never instead of it.

        Returns:
            `status`: effective; ambiguous where several took its place; retired where nothing did;
            unselected for a choice that was taken back; unavailable where the release does not bear it.
            `current`: the structure in force, or None.
            `through`: IDs on the way, the asked one first. `successors`: of an ambiguous one, all that
            took its place (AMB-31).
        """
        through: list[str] = []
        while True:
            found = self.resolve(structure, release=release)
            if found["state"] == "effective":
                return {"status": "effective", "current": structure, "through": through, "successors": []}
            through.append(structure)
            # The ledger's state decides, and never how many successors are listed (QRY-03).
            if found["state"] != "superseded" or len(found["successors"]) > 1:
                return {
                    "status": _WITHOUT[found["state"]], "current": None, "through": through,
                    "successors": found["successors"],
                }  # fmt: skip
            (structure,) = found["successors"]

    def families(
        self, release: str, of: str | None = None, *, after: str | None = None, page: int = 100
    ) -> list[Record]:
        """Families in force in a release; `of` names one, or an occurrence or class whose families are
        meant."""
        parameters = (id_text(release, "release"), of and id_text(of, "ID"), _behind(after), page)
        return self._rows(
            "api.list_families(%s::uuid, %s::uuid, %s::uuid, %s::integer)", parameters, _FAMILIES
        )

    def members(self, release: str, family: str, *, after: int = -1, page: int = 1000) -> list[Record]:
        """What a family expands to, in document order, with how many exact ones each has (FAM-13)."""
        parameters = (id_text(release, "release"), id_text(family, "family"), after, page)
        return self._rows(
            "api.family_members(%s::uuid, %s::uuid, %s::integer, %s::integer)", parameters, _MEMBERS
        )

    def quotations(
        self,
        release: str,
        *,
        source: str | None = None,
        quoting: str | None = None,
        after: str | None = None,
        page: int = 100,
    ) -> list[Record]:
        """Quotations in force in a release: all, those of a source, or those that an occurrence makes."""
        side = "source" if source else "quoting" if quoting else None
        named = source or quoting
        parameters = (
            id_text(release, "release"),
            named and id_text(named, "occurrence"),
            side,
            _behind(after),
            page,
        )
        return self._rows(
            "api.list_quotations(%s::uuid, %s::uuid, %s, %s::uuid, %s::integer)", parameters, _QUOTATIONS
        )

    def choices(
        self,
        release: str,
        structure: str | None = None,
        *,
        policy: str | None = None,
        after: str | None = None,
        page: int = 100,
    ) -> list[Record]:
        """Canonical choices in force in a release."""
        parameters = (
            id_text(release, "release"),
            structure and id_text(structure, "ID"),
            policy,
            _behind(after),
            page,
        )
        return self._rows(
            "api.list_choices(%s::uuid, %s::uuid, %s, %s::uuid, %s::integer)", parameters, _CHOICES
        )

    def policies(self, name: str | None = None, version: str | None = None) -> list[Record]:
        """Choice policies whose texts are kept, by name and version; the public is told no author."""
        return self._rows("api.list_policies(%s, %s)", (name, version), _POLICIES)

    def crosswalk(
        self,
        structure: str | None = None,
        *,
        namespace: str | None = None,
        external: str | None = None,
        after: tuple[str, str] | None = None,
        page: int = 100,
    ) -> list[Record]:
        """Names that others gave to structures, by namespace and name; the public is not told who recorded
        them (ID-08).

        Args:
            structure: keep those of one structure.
            namespace, external: keep those of one namespace; one name in it.
            after: namespace and name of the last one of the page before.
            page: how many at most.
        """
        of = structure and id_text(structure, "structure")
        parameters = (of, namespace, external, *(after or (None, None)), page)
        query = "api.list_crosswalk(%s::uuid, %s, %s, %s, %s, %s::integer)"
        return self._rows(query, parameters, _NAMES)

    def canonical(self, release: str, structure: str, *, policy: str) -> Record:
        """The canonical occurrence under a named policy in a named release (AMB-25).

        Returns:
            `status`: `resolved` with `member` and `choice`; `unselected` where nobody chose, and structure,
            policy and release are all there (CAN-02); else why there is no answer, none of them followed:
            `unavailable` with its `reason`, `stale_evidence`, `ambiguous` or `retired` of a family that is in
            force no more with its `successors`, `integrity_error` of a withdrawn release.
        """
        return one(
            self.connection,
            b"SELECT api.canonical(%s::uuid, %s::uuid, %s)",
            (id_text(release, "release"), id_text(structure, "structure"), policy),
            role=self.role,
            actor=self.actor,
            read_only=True,
        )

    def _rows(self, function: str, parameters: tuple[Any, ...], names: tuple[str, ...]) -> list[Record]:
        query = f"SELECT * FROM {function}".encode()
        rows = call(self.connection, query, parameters, role=self.role, actor=self.actor, read_only=True)
        return [{name: _plain(value) for name, value in zip(names, row, strict=True)} for row in rows]


def _behind(after: str | None) -> str | None:
    """Where the page before ended."""
    return None if after is None else id_text(after, "end of a page")


def _plain(value: Any) -> Any:
    if isinstance(value, uuid.UUID):
        return str(value)
    if isinstance(value, datetime):
        return value.isoformat()
    return bytes(value).hex() if isinstance(value, bytes | memoryview) else value
