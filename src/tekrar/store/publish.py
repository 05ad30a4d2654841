"""Publication: a prepared plan with every fact of REL-04, and the transaction that publishes it whole."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.encoding import Json, canonical_json
from tekrar.errors import UsageError
from tekrar.store.absence import absence
from tekrar.store.permission import claims_of, snapshot_of
from tekrar.store.read import public_id
from tekrar.store.roles import Role
from tekrar.store.session import Connection, ask

#: The profiles of `--all`, in matrix order.
PROFILES: Final = ("FP", "FS", "PP", "PS")
#: What an incident is about.
CAUSES: Final = ("exact", "curation")
#: What of a plan is not visible yet: (artifact root, short name).
_WAITING: Final = b"""
    SELECT e.artifact_root, e.short
    FROM unnest(%s::text[], %s::text[], %s::text[]) WITH ORDINALITY AS e(artifact_root, short, release, place)
    WHERE NOT EXISTS (SELECT FROM repetition.visible v
                      JOIN repetition.repetition_release r ON r.release = v.release
                      JOIN repetition.profile p ON p.profile_key = r.profile_key
                      JOIN repetition.artifact a ON a.artifact_key = p.artifact_key
                      WHERE v.release::text = e.release AND p.short = e.short
                        AND encode(a.artifact_root, 'hex') = e.artifact_root)
    ORDER BY e.place
"""
#: Whether releases were shown together before.
_SET: Final = b"""
    SELECT FROM repetition.release_set_member m WHERE m.release::text = ANY(%s::text[])
    GROUP BY m.release_set HAVING count(*) = %s
"""


@dataclass(frozen=True)
class Publication:
    """What a plan says of one profile.

    Attributes:
        artifact_root: hex; of a loaded and sealed artifact.
        short: the profile's short name.
        release: ID that the release will have, from everything it binds (REL-01).
        facts: every fact of REL-04 with its expected value.
    """

    artifact_root: str
    short: str
    release: str
    facts: Mapping[str, str]


@dataclass(frozen=True)
class Plan:
    """A publication that was prepared and not done.

    Attributes:
        publications: one a profile, in matrix order.
        together: record them as one release set.
    """

    publications: tuple[Publication, ...]
    together: bool = False

    def as_json(self) -> bytes:
        """Canonical JSON (RFC 8785), as `api.publish` takes it."""
        entries: list[Json] = [
            {"artifact_root": p.artifact_root, "short": p.short, "release": p.release, "facts": dict(p.facts)}
            for p in self.publications
        ]
        return canonical_json({"publications": entries, "set": self.together})


@dataclass(frozen=True)
class Published:
    """What publishing did.

    Attributes:
        outcome: `published`, or `already_visible` when nothing was to be done.
        releases: (short, release, `publish` or `already_visible`) of each profile.
        release_set: hex digest of the set, or None.
    """

    outcome: str
    releases: tuple[tuple[str, str, str], ...]
    release_set: str | None

    def as_record(self) -> dict[str, Any]:
        """As JSON shows it."""
        return {
            "outcome": self.outcome,
            "releases": [
                {"profile": short, "release": release, "outcome": outcome}
                for short, release, outcome in self.releases
            ],
            "release_set": self.release_set,
        }


def plan_from_json(data: bytes) -> Plan:
    """A plan from its canonical bytes.

    Raises:
        UsageError: these are not the bytes of a plan.
    """
    try:
        found = json.loads(data)
        entries = tuple(
            Publication(e["artifact_root"], e["short"], e["release"], dict(e["facts"]))
            for e in found["publications"]
        )
        plan = Plan(entries, found["set"])
        same = plan.as_json() == data
    except (ValueError, KeyError, TypeError, RecursionError):
        same, plan = False, Plan(())
    if not same:
        raise UsageError(
            "the plan cannot be read",
            where="the plan",
            expected="the canonical JSON of a prepared plan",
            mend="prepare the publication again",
            kind="bad_plan",
        )
    return plan


def chosen_profiles(profiles: Sequence[str] | None) -> tuple[str, ...]:
    """Profiles in matrix order, each once; all four for None.

    Raises:
        UsageError: an unknown profile, or none at all.
    """
    wanted = PROFILES if profiles is None else tuple(profiles)
    unknown = [name for name in wanted if name not in PROFILES]
    if unknown or not wanted:
        raise UsageError(
            f"unknown profile {unknown[0]!r}" if unknown else "no profile is named",
            where="--profile",
            expected=" or ".join(PROFILES),
            mend="name a profile, or publish all of them",
            kind="unknown_profile",
        )
    return tuple(name for name in PROFILES if name in wanted)


def prepare(
    connection: Connection, artifact_root: str, profiles: Sequence[str] | None, *, actor: str | None = None
) -> Plan:
    """A plan from one snapshot of the database; writes nothing (REL-04).

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        artifact_root: hex.
        profiles: short names, or None for all four as one release set.
        actor: who publishes; needed where several speak through one login.

    Raises:
        NotFoundError: the artifact is not loaded, or has no such profile.
        DatabaseError: no valid grant, an unnamed edition, an unknown actor; `grant_revoked`: a decision
            that would be bound was approved by somebody whose grant was revoked; `stale_diff`: one rests on a
            diff that the text does not give.
    """
    names = chosen_profiles(profiles)
    with snapshot_of(connection, Role.PUBLISHER, actor):
        found = [
            connection.execute(b"SELECT api.prepare_publication(%s, %s)", (artifact_root, name)).fetchone()
            for name in names
        ]
        from tekrar.store.curation.rederive import require_decided  # which reads diffs, as whoever reads this

        for name in names:
            require_decided(connection, artifact_root, name)
    entries = [row[0] for row in found if row is not None]
    return Plan(
        tuple(Publication(e["artifact_root"], e["short"], e["release"], e["facts"]) for e in entries),
        together=profiles is None,
    )


def publish(
    connection: Connection,
    plan: Plan,
    *,
    actor: str | None = None,
    progress: Callable[[int, int], object] = lambda done, total: None,
) -> Published:
    """Publish a plan whole or not at all, after its rows gave its roots again (REL-05).

    What is not visible yet is recomputed from the rows in a snapshot before the transaction that publishes.
    This one compares seals, row counts and heads under its lock, and so is short (requirements 3.9). A plan
    of releases that are visible already changes nothing and says so.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        plan: as `prepare` gave it.
        actor: who publishes; needed where several speak through one login.
        progress: called with the parts done and all of them, before each text and profile.

    Raises:
        IntegrityError: `stored_rows_differ` with the table, what is stated and what the rows give.
        DatabaseError: `fact_mismatch` with the fact, what the plan expected and what was found; a grant, a
            withdrawn or earlier release, another language of the series.
        Nothing was published.
    """
    _check_rows(connection, plan, actor, progress)
    return submit(connection, plan, actor=actor)


def submit(connection: Connection, plan: Plan, *, actor: str | None = None) -> Published:
    """The transaction of `publish` alone: every fact of the plan is compared, no row is read.

    Raises:
        DatabaseError: as `publish`.
    """
    with absence():
        rows = ask(
            connection,
            b"SELECT api.publish(%s::jsonb)",
            (plan.as_json().decode(),),
            role=Role.PUBLISHER,
            claims=claims_of(actor),
            read_only=False,
        )
    done = rows[0][0]
    return Published(
        done["outcome"],
        tuple((row["short"], row["release"], row["outcome"]) for row in done["releases"]),
        done["set"],
    )


def _check_rows(
    connection: Connection, plan: Plan, actor: str | None, progress: Callable[[int, int], object]
) -> None:
    """Recompute what the plan would make visible; all of it where its set alone is new."""
    entries = [(p.artifact_root, p.short, p.release) for p in plan.publications]
    columns = [list(column) for column in zip(*entries, strict=True)] or [[], [], []]
    with snapshot_of(connection, Role.PUBLISHER, actor):
        waiting = connection.execute(_WAITING, columns).fetchall()
        if not waiting and plan.together:
            known = connection.execute(_SET, (columns[2], len(entries))).fetchone() is not None
            waiting = [] if known else [(root, short) for root, short, _ in entries]
        if waiting:
            # Only here: whoever publishes what is visible, or asks for a grant, waits for no array package.
            from tekrar.store.stored_rows import check_rows

            check_rows(connection, waiting, progress=progress)


def withdraw(
    connection: Connection, release: str, reason: str, *, cause: str = "exact", actor: str | None = None
) -> str:
    """Withdraw a release by an integrity incident; nothing is deleted.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        release: ID.
        reason: what is wrong.
        cause: one of `CAUSES`: what the artifact says is at fault, and nothing of its profile is published
            again (CL-08), or what was decided is, and the artifact stands.
        actor: who withdraws; needed where several speak through one login.

    Returns:
        `withdrawn`, or `already_withdrawn` when nothing was to be done.

    Raises:
        NotFoundError: no such release.
        UsageError: an empty reason, or `bad_id`.
    """
    public_id(release, "release")
    if not reason.strip():
        raise UsageError(
            "a withdrawal needs a reason",
            expected="--reason TEXT",
            mend="say what is wrong",
            kind="no_reason",
        )
    with absence():
        rows = ask(
            connection,
            b"SELECT api.withdraw(%s, %s, %s)",
            (release, reason, cause),
            role=Role.PUBLISHER,
            claims=claims_of(actor),
            read_only=False,
        )
    return str(rows[0][0]["outcome"])
