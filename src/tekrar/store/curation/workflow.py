"""Draft → proposal → review → apply, each one transaction of one actor (CUR-01 to CUR-12).

A proposal freezes the bytes of an action; a review and an apply name its digest, which the database
recomputes. Doing the same again changes nothing and answers with what was made the first time, also after an
answer that was lost on the way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from tekrar.errors import DatabaseError
from tekrar.store.curation.calling import Record, call, detail_of, digest_text, id_text, one
from tekrar.store.roles import Role
from tekrar.store.session import Connection

Outcome = Literal["approve", "reject", "request_changes"]
OUTCOMES: Final[tuple[Outcome, ...]] = ("approve", "reject", "request_changes")


class EditConflictError(DatabaseError):
    """A draft that somebody saved meanwhile: no edit is lost, both are named.

    Attributes:
        version: of the newer draft.
        theirs, yours: the two documents whole; `theirs` is empty where there is no draft.
    """

    def __init__(self, error: DatabaseError, *, theirs: bytes, yours: bytes) -> None:
        detail = detail_of(error)
        super().__init__(
            error.message, where=error.where, expected=error.expected, mend=error.mend, kind=error.kind
        )
        self.version = int(detail.get("expected") or 0)
        if not self.version:
            self.mend = "save it on top of version 0, as a new draft"
        self.theirs = theirs.decode("utf-8", "backslashreplace")
        self.yours = yours.decode("utf-8", "backslashreplace")


@dataclass(frozen=True)
class Draft:
    """A version of a draft; `submitted` is the newest revision that was submitted of it, or None."""

    name: str
    version: int
    document: bytes
    recorded_at: str
    submitted: int | None


@dataclass(frozen=True)
class Submission:
    """A submitted proposal.

    Attributes:
        outcome: `submitted`, or `already_submitted` when the same action is open under the draft.
        proposal: digest in hex, which reviews and applies name.
        draft, revision: of the author.
    """

    outcome: str
    proposal: str
    draft: str
    revision: int


@dataclass(frozen=True)
class Review:
    """A recorded review: `reviewed` or `already_reviewed`, its UUIDv7, and the proposal's state now."""

    outcome: str
    review: str
    state: str


@dataclass(frozen=True)
class Applied:
    """A decision.

    Attributes:
        outcome: `applied`, or `already_applied` with the IDs of the first time.
        operation: of the action.
        structures: UUIDv7 issued, in the order of the action's bodies.
        reviews: the approvals it rests on.
        seq: number of its ledger entry.
        decision: digest of its bytes in hex.
    """

    outcome: str
    operation: str
    structures: tuple[str, ...]
    reviews: tuple[str, ...]
    seq: int
    decision: str


def save_draft(connection: Connection, name: str, document: bytes, *, version: int, actor: str | None) -> int:
    """Save a draft on top of the version that it was read at; 0 begins one.

    Saving the same again, after an answer that was lost, finds itself.

    Returns:
        The new version.

    Raises:
        EditConflictError: a newer version was saved meanwhile.
    """
    query = b"SELECT api.save_draft(%s, %s::bigint, %s)"
    try:
        saved = one(connection, query, (name, version, document), role=Role.CURATOR, actor=actor)
    except DatabaseError as error:
        if error.kind == "edit_conflict":
            newest = next(iter(drafts(connection, name, actor=actor)), None)
            if newest and (newest.version, newest.document) == (version + 1, document):
                return newest.version
            theirs = newest.document if newest else b""
            raise EditConflictError(error, theirs=theirs, yours=document) from error
        raise
    return int(saved["version"])


def drafts(connection: Connection, name: str | None = None, *, actor: str | None) -> list[Draft]:
    """The actor's drafts at their newest versions; of one named, every version, newest first."""
    query = b"SELECT name, version, document, recorded_at, submitted FROM api.drafts(%s)"
    rows = call(connection, query, (name,), role=Role.CURATOR, actor=actor, read_only=True)
    return [Draft(row[0], row[1], bytes(row[2]), row[3].isoformat(), row[4]) for row in rows]


def submit(
    connection: Connection,
    action: bytes,
    draft: str | None = None,
    *,
    edits: str | None = None,
    actor: str | None,
) -> Submission:
    """Submit the canonical bytes of an action as the next revision of a draft.

    Args:
        connection: of the store.
        action: docs/encoding.md section 13.
        draft: a name of the author's own; None for one that is used once. Name it where the answer may be
            lost, so that the same submission again finds itself.
        edits: digest of the draft's revision that this one was made of. One that waits is outdated by nobody
            who does not name it.
        actor: a curator of the edition.

    Raises:
        DatabaseError: edit_conflict: the draft has another newest revision; both are kept.
        DatabaseError: the bytes or what they say are refused; the kind names the rule, `where` the item.
    """
    query = b"SELECT api.submit_proposal(%s, %s, %s)"
    done = one(connection, query, (action, draft, edits), role=Role.CURATOR, actor=actor)
    return Submission(done["outcome"], done["proposal"], done["draft"], int(done["revision"]))


def review(
    connection: Connection, proposal: str, outcome: Outcome, *, note: str = "", actor: str | None
) -> Review:
    """Record one reviewer's verdict on the bytes of a proposal (CUR-03, CUR-10)."""
    parameters = (digest_text(proposal), outcome, note)
    done = one(connection, b"SELECT api.review(%s, %s, %s)", parameters, role=Role.REVIEWER, actor=actor)
    return Review(done["outcome"], done["review"], done["state"])


def apply(
    connection: Connection,
    proposal: str,
    approval: str | None = None,
    *,
    actor: str | None,
    role: Literal[Role.CURATOR, Role.REVIEWER] = Role.CURATOR,
) -> Applied:
    """Apply an approved proposal, whole or not at all (CUR-04, CUR-09, CUR-12).

    Args:
        connection: of the store.
        proposal: digest in hex.
        approval: UUID of an approval, to say which one is acted on; refused when it is of other bytes.
        actor: who applies: a curator or reviewer of the edition.
        role: as which of the two.

    Raises:
        DatabaseError: what was approved no longer fits: `expected_state_mismatch`, `outdated`, `frozen`,
            a grant that ended, and the rules of the action.
    """
    named = None if approval is None else id_text(approval, "review")
    done = one(
        connection,
        b"SELECT api.apply(%s, %s::uuid)",
        (digest_text(proposal), named),
        role=role,
        actor=actor,
    )
    return Applied(
        done["outcome"],
        done["operation"],
        tuple(done["structures"]),
        tuple(done["reviews"]),
        int(done["seq"]),
        done["decision"],
    )


def crosswalk(
    connection: Connection, structure: str, namespace: str, external: str, *, actor: str | None
) -> Record:
    """Record the name that somebody else gave to a structure; its own ID stays (ID-08)."""
    parameters = (namespace, external, id_text(structure, "structure"))
    query = b"SELECT api.crosswalk(%s, %s, %s::uuid)"
    return one(connection, query, parameters, role=Role.CURATOR, actor=actor)
