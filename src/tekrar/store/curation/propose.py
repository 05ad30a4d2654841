"""Proposals of many lines: every line is drafted and judged before the first is submitted, and they are
submitted all together or not at all (CUR-01, CUR-02)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.curation.action import Action, canonical_bytes, parse
from tekrar.core.curation.family import Family
from tekrar.core.curation.rules import check_action
from tekrar.core.curation.vocabulary import REVIEW_POLICIES
from tekrar.core.encoding import sha256
from tekrar.core.identity import uuid_text
from tekrar.errors import NotFoundError, TekrarError, UsageError
from tekrar.store.absence import absence
from tekrar.store.curation import human_lines as human
from tekrar.store.curation.drafting import Drafter, Pair, ReadFile
from tekrar.store.curation.facts import Basis, StoredView, basis_of
from tekrar.store.curation.references import Ranked, References
from tekrar.store.curation.workflow import SUBMIT, conflicts
from tekrar.store.permission import claims_of, snapshot_of
from tekrar.store.roles import Role
from tekrar.store.session import Connection, transaction

_BODY: Final = re.compile(r"\$\.(?:family|quotation|choice|compensation|override|supersession)(?![a-z_])")
_MEMBER: Final = re.compile(r"\$\.members\[([0-9]+)\]", re.ASCII)
_STORE: Final = b"SELECT api.store_diffs(%s::uuid, %s::jsonb)"
_REVISION: Final = (
    b"SELECT p.draft, p.revision FROM curation.proposal p WHERE p.proposal_digest = decode(%s, 'hex')"
)
_DIGEST: Final = re.compile(r"[0-9a-f]{64}", re.ASCII)
_NUMBER: Final = re.compile(r"0|[1-9][0-9]{0,8}", re.ASCII)


@dataclass(frozen=True)
class Drafted:
    """One proposal that was drafted and judged, and not submitted.

    Attributes:
        line: the line it comes from.
        action: what it means, in bytes.
        draft: name of the draft it is a revision of.
        profile: repetition-profile UUID as text.
        scripts: of the diffs it rests on, by (left, right).
        revises: the revision of the draft that it edits, 0 for none; None where nobody said.
        version: of the saved draft that it was read at, or None.
    """

    line: human.HumanLine
    action: bytes
    draft: str
    profile: str
    scripts: dict[Pair, bytes]
    revises: int | None = None
    version: int | None = None

    @property
    def digest(self) -> str:
        """SHA-256 of the action, in hex; the proposal's own digest covers author and revision too."""
        return sha256(self.action).hex()

    def as_record(self) -> dict[str, Any]:
        """What the line means, as JSON."""
        return {
            "line": self.line.number,
            "operation": self.line.operation,
            "action_digest": self.digest,
            "draft": self.draft,
            "action": json.loads(self.action),
        }


@dataclass(frozen=True)
class Proposed:
    """What became of one line: `submitted` or `already_submitted`, and the digest that reviews name."""

    line: int
    operation: str
    outcome: str
    proposal: str
    draft: str
    revision: int

    def as_record(self) -> dict[str, Any]:
        """As JSON."""
        return dict(self.__dict__)


@dataclass(frozen=True)
class Wording:
    """How lines are read.

    Attributes:
        name: of their file, for messages.
        read_file: the bytes of a file that a line names with @.
        ranked: UUID of the candidate of a rank, where a package is named.
        release, profile: what lines mean that name none.
        draft: the draft of a single line.
        revises: the revision of it that the line edits, as a number or by the proposal's digest.
        version: of the saved draft that the line was read at.
        review_policy: how many must approve what lines propose that name no policy_of_review.
    """

    name: str
    read_file: ReadFile
    ranked: Ranked | None = None
    release: str | None = None
    profile: str = "FP"
    draft: str | None = None
    revises: str | None = None
    version: int | None = None
    review_policy: str = REVIEW_POLICIES[0]


def draft_lines(
    connection: Connection, lines: list[human.HumanLine], wording: Wording, *, actor: str | None
) -> list[Drafted]:
    """What lines mean, each judged by the rules of apply; nothing is written.

    Raises:
        TekrarError: the first line that is refused: `where` is file, line and item.
    """
    if (wording.draft, wording.revises) != (None, None) and len(lines) != 1:
        raise UsageError(
            f"one draft for {len(lines)} proposals",
            expected="one line; in a file of several, the keys draft and revises in each",
            mend="propose them one by one, or leave --draft and --revises away",
            kind="bad_arguments",
        )
    drafted: list[Drafted] = []
    with snapshot_of(connection, Role.CURATOR, actor):
        connection.execute(b"SELECT api.require_scope('tekrar_curator')")
        drafters: dict[bytes, Drafter] = {}
        for line in lines:
            with human.placed(wording.name, line.number):
                basis = _basis(connection, line, wording)
                if basis.release not in drafters:
                    view = StoredView(connection, basis)
                    references = References(view, wording.ranked)
                    drafters[basis.release] = Drafter(
                        view, references, wording.read_file, review_policy=wording.review_policy
                    )
                drafted.append(_drafted(line, drafters[basis.release], wording))
    return drafted


def submit_all(connection: Connection, drafted: Iterable[Drafted], *, actor: str | None) -> list[Proposed]:
    """Store the diffs and submit every proposal, in one transaction.

    A line of a draft of which a line before is a revision edits that one.

    Raises:
        EditConflictError: a draft has another newest revision or version; `line` says which line it is of.
        TekrarError: the database refuses one; none is submitted.
    """
    held = list(drafted)
    scripts: dict[str, dict[Pair, bytes]] = {}
    for one in held:
        scripts.setdefault(one.profile, {}).update(one.scripts)
    done: list[Proposed] = []
    with (
        conflicts() as conflict,
        absence(),
        transaction(connection, role=Role.CURATOR, claims=claims_of(actor)),
    ):
        for profile, found in scripts.items():
            rows = [
                {"left": uuid_text(left), "right": uuid_text(right), "script": script.hex()}
                for (left, right), script in found.items()
            ]
            if rows:
                connection.execute(_STORE, (profile, json.dumps(rows)))
        own: dict[str, int] = {}
        for one in held:
            conflict.draft, conflict.line = one.draft, one.line.number
            revises = own.get(one.draft, one.revises)
            row = connection.execute(SUBMIT, (one.action, one.draft, revises, one.version)).fetchone()
            assert row is not None
            record = row[0]
            own[one.draft] = int(record["revision"])
            done.append(
                Proposed(
                    one.line.number,
                    one.line.operation,
                    record["outcome"],
                    record["proposal"],
                    record["draft"],
                    own[one.draft],
                )
            )
    return done


def _basis(connection: Connection, line: human.HumanLine, wording: Wording) -> Basis:
    said = line.said
    if "release" in said and "profile" in said:
        raise UsageError("a release names its profile", expected="one of both", kind="bad_arguments")
    release = said.get("release", None if "profile" in said else wording.release)
    return basis_of(connection, release=release, short=said.get("profile", wording.profile))


def _drafted(line: human.HumanLine, drafter: Drafter, wording: Wording) -> Drafted:
    drafter.references.written.clear()
    action = None
    try:
        action = drafter.action(line)
        data = canonical_bytes(action)
        check_action(parse(data), drafter.view)
    except TekrarError as error:
        error.message = drafter.references.as_written(error.message)
        if action is not None:
            error.where = _in_the_line(error.where, action)
        raise
    if line.said.get("draft", wording.draft) != wording.draft is not None:
        raise UsageError(
            "the line names another draft",
            where="$.draft",
            expected=wording.draft,
            mend="leave it away in one of both",
            kind="bad_arguments",
        )
    named, revises = _edited(line, wording, drafter.view.connection)
    draft = named or f"propose-{sha256(data).hex()[:32]}"
    scripts = {pair: drafter.diffs[pair].script.encoded for pair in _pairs(action)}
    return Drafted(line, data, draft, uuid_text(action.profile), scripts, revises, wording.version)


def _edited(line: human.HumanLine, wording: Wording, connection: Connection) -> tuple[str | None, int | None]:
    """The draft that a line is of, and the revision that it edits."""
    draft, said = line.said.get("draft") or wording.draft, line.said.get("revises", wording.revises)
    if said is None:
        return draft, None
    text = str(said) if type(said) is int else said
    if isinstance(text, str) and _NUMBER.fullmatch(text) and draft is not None:
        return draft, int(text)
    if not isinstance(text, str) or not _DIGEST.fullmatch(text):
        raise UsageError(
            "a revision of which draft" if draft is None else "no revision is named",
            where="$.revises",
            expected="the number of a revision, with its draft; or the digest of a proposal of one's own",
            mend="tekrar proposals list shows both",
            kind="bad_arguments",
        )
    row = connection.execute(_REVISION, (text,)).fetchone()
    if row is None or draft not in (None, row[0]):
        raise NotFoundError(
            f"no proposal {text} is there" + ("" if draft is None else f", or it is none of draft {draft}"),
            where="$.revises",
            expected="the digest of a proposal of one's own",
            mend="tekrar proposals list",
            kind="not_found",
        )
    return str(row[0]), int(row[1])


def _in_the_line(place: str, action: Action) -> str:
    """A place of the action as the line has it: no body around it, and members in the order they were written
    in."""
    found = _BODY.sub("$", place)
    at = _MEMBER.match(found)
    if at is None or not isinstance(action.body, Family):
        return found
    written = action.body.members
    number = written.index(sorted(written, key=lambda one: one.key)[int(at[1])])
    return f"$.members[{number}]{found[at.end() :]}"


def _pairs(action: Action) -> list[Pair]:
    found = [(one.left, one.right) for family in action.families for one in family.diffs]
    return found + [
        (one.source.occurrence, one.quoting.occurrence) for one in action.quotations if one.diff is not None
    ]


def from_candidates(
    own: Iterable[str], *, kind: str, rationale: str, attribution: str = ""
) -> list[human.HumanLine]:
    """One line a candidate: its two sides as a family or, by kind, its left side quoted by its right.

    Args:
        own: candidate UUIDs as text.
        kind: a kind of family or of quotation.
        rationale, attribution: of every line, as given.
    """
    lines = []
    rationale, attribution = (f"@{one}" if one.startswith("@") else one for one in (rationale, attribution))
    for number, one in enumerate(own, 1):
        sides = [{"candidate": one, "side": side} for side in ("left", "right")]
        said: human.Object = {"rationale": rationale, "kind": kind}
        if kind in ("near_exact", "variant"):
            lines.append(human.HumanLine(number, "accept_family", {**said, "members": sides}))
        else:
            more = {"source": sides[0], "quoting": sides[1], "attribution": attribution or rationale}
            lines.append(human.HumanLine(number, "accept_quotation", {**said, **more}))
    return lines
