"""Draft → proposal → review → apply, each one transaction of one actor (CUR-01 to CUR-12).

A proposal freezes the bytes of an action; a review and an apply name its digest, which the database
recomputes. Doing the same again changes nothing and answers with what was made the first time, also after an
answer that was lost on the way.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from typing import Final, Literal

from tekrar.errors import DatabaseError
from tekrar.store.curation.calling import Record, call, detail_of, digest_text, id_text, one
from tekrar.store.curation.rederive import lying_proposals
from tekrar.store.roles import Role
from tekrar.store.session import Connection

Outcome = Literal["approve", "reject", "request_changes"]
_ESCAPED: Final = re.compile(rb"\\(\\|[0-7]{3})")
#: Proposals whose diffs are derived again together.
_AT_ONCE: Final = 50
SUBMIT: Final = b"SELECT api.submit_proposal(%s, %s, %s::integer, %s::bigint)"
OUTCOMES: Final[tuple[Outcome, ...]] = ("approve", "reject", "request_changes")


class EditConflictError(DatabaseError):
    """A draft that somebody saved or submitted meanwhile: no edit is lost, both are named.

    Attributes:
        of: `version` of a saved draft, or `revision` of a submitted one.
        version: the newest of these; 0 for none.
        theirs, yours: the two documents; of a revision the first 8192 bytes of its action. `theirs` is empty
            where there is none.
        draft, line: which draft, and of several lines the one that names it; "" and 0 where that is known.
        facts: `theirs_digest`, `theirs_author`, `theirs_recorded_at` and the same of `yours`, as far as the
            database says them.
    """

    def __init__(self, error: DatabaseError, *, theirs: bytes, yours: bytes) -> None:
        detail = detail_of(error)
        super().__init__(
            error.message, where=error.where, expected=error.expected, mend=error.mend, kind=error.kind
        )
        self.of = str(detail.get("fact") or "version")
        self.version = int(detail.get("expected") or 0)
        self.draft, self.line = "", 0
        self.facts = {
            key: str(value) for key, value in detail.items() if key.startswith(("theirs_", "yours_"))
        }
        if not self.version and self.of == "version":
            self.mend = "save it on top of version 0, as a new draft"
        self.theirs = theirs.decode("utf-8", "backslashreplace")
        self.yours = yours.decode("utf-8", "backslashreplace")


def _unescaped(text: object) -> bytes:
    """A document as the database shows it in a refusal, read again."""
    shown = str(text or "").encode()
    return _ESCAPED.sub(lambda m: b"\\" if m[1] == b"\\" else bytes([int(m[1], 8)]), shown)


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
    revises: int | None = None,
    version: int | None = None,
    actor: str | None,
) -> Submission:
    """Submit the canonical bytes of an action as the next revision of a draft.

    Args:
        connection: of the store.
        action: docs/encoding.md section 13.
        draft: a name of the author's own; None for one that is used once. Name it where the answer may be
            lost, so that the same submission again finds itself.
        revises: the revision of the draft that was read and is edited, 0 for none. Left out, it takes the
            place of no other bytes.
        version: of the saved draft that was read, where it comes from one.
        actor: a curator of the edition.

    Raises:
        EditConflictError: the draft has another newest revision or version.
        DatabaseError: the bytes or what they say are refused; the kind names the rule, `where` the item.
    """
    with conflicts():
        done = one(connection, SUBMIT, (action, draft, revises, version), role=Role.CURATOR, actor=actor)
    return Submission(done["outcome"], done["proposal"], done["draft"], int(done["revision"]))


@dataclass
class Submitting:
    """What is being submitted: the draft, and of several lines the line."""

    draft: str = ""
    line: int = 0


@contextmanager
def conflicts() -> Iterator[Submitting]:
    """A refused edit as an `EditConflictError`, with what the database says of both sides."""
    what = Submitting()
    try:
        yield what
    except DatabaseError as error:
        if error.kind != "edit_conflict":
            raise
        theirs, yours = (_unescaped(detail_of(error).get(side)) for side in ("theirs", "yours"))
        conflict = EditConflictError(error, theirs=theirs, yours=yours)
        conflict.draft, conflict.line = what.draft, what.line
        raise conflict from error


def review(
    connection: Connection, proposal: str, outcome: Outcome, *, note: str = "", actor: str | None
) -> Review:
    """Record one reviewer's verdict on the bytes of a proposal (CUR-03, CUR-10).

    Raises:
        DatabaseError: `stale_diff`: it is approved and rests on a diff that the text does not give.
    """
    parameters = (digest_text(proposal), outcome, note)
    if outcome == "approve":
        for lying in lying_proposals(connection, [proposal], role=Role.REVIEWER, actor=actor).values():
            raise lying
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
            a grant that ended, and the rules of the action; `stale_diff`: it rests on a diff that the text
            does not give.
    """
    (done,) = apply_all(connection, [proposal], approval, actor=actor, role=role)
    return done


def apply_all(
    connection: Connection,
    proposals: Sequence[str],
    approval: str | None = None,
    *,
    actor: str | None,
    role: Literal[Role.CURATOR, Role.REVIEWER] = Role.CURATOR,
) -> Iterator[Applied]:
    """Apply proposals in their order, each as `apply` does and by itself: the first that is refused ends it,
    and what came before it stands. The diffs of many are derived again together.

    Raises:
        DatabaseError: as `apply`, of the first that is refused.
    """
    named = None if approval is None else id_text(approval, "review")
    left = iter([digest_text(proposal) for proposal in proposals])
    while some := list(islice(left, _AT_ONCE)):
        lying = lying_proposals(connection, some, role=role, actor=actor)
        for proposal in some:
            if proposal in lying:
                raise lying[proposal]
            parameters = (proposal, named)
            done = one(connection, b"SELECT api.apply(%s, %s::uuid)", parameters, role=role, actor=actor)
            yield Applied(
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
