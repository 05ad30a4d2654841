"""The verification of a database: what its rows give, against what its releases bind.

Nothing that stands beside the rows is trusted: no trigger, no seal, no stored digest (T26). It is read as
`tekrar_auditor`, under row-level security, in one snapshot.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import psycopg

from tekrar.errors import IntegrityError, NotFoundError
from tekrar.store.failures import OWN, database_error
from tekrar.store.load.stored_text import StoredText
from tekrar.store.read import public_id
from tekrar.store.roles import Role
from tekrar.store.session import Claims, Connection, transaction
from tekrar.store.verification.artifacts import check_artifact, check_text, read_artifacts, read_texts
from tekrar.store.verification.authorship import check_authorship
from tekrar.store.verification.closure import check_closure
from tekrar.store.verification.decisions import check_decisions
from tekrar.store.verification.evidence import Evidence, check_diffs, check_evidence
from tekrar.store.verification.findings import Finding, Findings, Row, rows_of
from tekrar.store.verification.ledger import Entry, check_authority, check_heads, read_ledger
from tekrar.store.verification.publications import (
    check_pointers,
    check_publications,
    check_sets,
    read_releases,
)
from tekrar.store.verification.schema import check_schema
from tekrar.store.verification.structures import read_structures

#: Called with steps done and steps in all.
Progress = Callable[[int, int], object]


class DatabaseDiffers(IntegrityError):
    """Rows, guards or records that are not what the published releases bind.

    Attributes:
        verified: everything that was found.
    """

    def __init__(self, verified: Verified) -> None:
        first = verified.findings[0]
        more = len(verified.findings) + verified.more - 1
        super().__init__(
            f"{first.place} is not as published" + (f" (and {more} more findings)" if more else ""),
            where=f"database, {first.check}",
            expected=f"{first.expected}, found {first.found}",
            mend="do not use these releases; restore a backup from before the change",
            kind="release_differs",
        )
        self.verified = verified


@dataclass(frozen=True)
class Verified:
    """What was verified.

    Attributes:
        releases: IDs of the releases that were verified.
        texts, artifacts: how many of them were recomputed.
        counts: by check, how many things were compared.
        findings: what is not as it should be, in the order of the checks; `more` were not listed.
        notices: what is worth a look, and what nothing rests on.
    """

    releases: tuple[str, ...]
    texts: int
    artifacts: int
    counts: dict[str, int]
    findings: tuple[Finding, ...]
    more: int = 0
    notices: tuple[Finding, ...] = ()

    def as_record(self) -> dict[str, Any]:
        """The outcome as one JSON record."""
        return {
            "verified": not self.findings,
            "releases": list(self.releases),
            "texts": self.texts,
            "artifacts": self.artifacts,
            "checks": self.counts,
            "findings": [finding.as_record() for finding in self.findings],
            "findings_not_listed": self.more,
            "notices": [notice.as_record() for notice in self.notices],
        }


def verify_releases(
    connection: Connection,
    release: str | None = None,
    *,
    claims: Claims | None = None,
    progress: Progress = lambda done, total: None,
) -> Verified:
    """Verify one published release, or all of them with every text and artifact that is loaded.

    Args:
        connection: as `tekrar.store.session.connect` gives it.
        release: its ID; None for everything.
        claims: of the auditor.
        progress: called before each text and profile.

    Raises:
        DatabaseDiffers: something is not as published; carries every finding.
        NotFoundError: no such release.
        UsageError: `bad_id`.
        DatabaseError: no valid grant of auditor for all editions; the server refused, or was lost.
    """
    if release is not None:
        public_id(release, "release")
    with transaction(
        connection, role=Role.AUDITOR, claims=claims, read_only=True, isolation="repeatable read"
    ):
        verified = examine(connection, release, progress=progress)
    if verified.findings:
        raise DatabaseDiffers(verified)
    return verified


def examine(
    connection: Connection, release: str | None = None, *, progress: Progress = lambda done, total: None
) -> Verified:
    """What `verify_releases` does, inside a transaction that the caller began; findings are not raised."""
    findings = Findings()
    releases: list[Row] = []
    # Names without a schema are the catalog's, whatever the login's own search path is.
    connection.execute(b"SELECT set_config('search_path', 'pg_catalog, pg_temp', true)")
    with findings.checking(connection, "authority", "api.require_scope"):
        _require_grant(connection)
    with findings.checking(connection, "publications", "repetition.repetition_release"):
        releases += read_releases(connection)
    wanted = [row for row in releases if release in (None, row["release"])]
    if release is not None and not wanted and not findings.found:
        raise NotFoundError(
            f"there is no published release {release}",
            where="database",
            expected="the ID of a published release",
            mend="tekrar releases lists them",
            kind="not_published",
        )
    return _Run(connection, findings, progress, releases).all_of(wanted, everything=release is None)


def _require_grant(connection: Connection) -> None:
    """Who sees less than everything would take what is hidden for damage.

    One release stands on the ledger, the heads and the pointers of all editions as much as all releases do.

    Raises:
        DatabaseError: the caller is no actor, or has no valid grant of auditor for all editions.
        psycopg.Error: the database cannot say.
    """
    try:
        connection.execute(b"SELECT api.require_scope('tekrar_auditor', '*')")
    except psycopg.Error as error:
        if (error.sqlstate or "").startswith(OWN):
            mend = "ask an administrator for it (tekrar grant ACTOR auditor), and name the actor (--as NAME)"
            raise database_error(error, mend=mend) from error
        raise


@dataclass
class _Run:
    """One verification: its connection, findings, progress and every release of the database."""

    connection: Connection
    findings: Findings
    progress: Progress
    releases: Sequence[Row]
    done: int = 0
    total: int = 0

    def all_of(self, wanted: Sequence[Row], *, everything: bool) -> Verified:
        """Every check, of the wanted releases and of what all of them stand on."""
        connection, findings = self.connection, self.findings
        texts: list[Row] = []
        artifacts: list[Row] = []
        profiles: list[int] = []
        sets: list[int] = []
        evidence = Evidence()
        entries: list[Entry] = []
        grants: list[Row] = []
        history: dict[str, set[bytes]] = {}
        with findings.checking(connection, "texts", "core.release"):
            texts += read_texts(connection)
        with findings.checking(connection, "artifacts", "repetition.artifact"):
            artifacts += read_artifacts(connection)
        with findings.checking(connection, "artifacts", "repetition.profile"):
            query = "SELECT profile_key FROM repetition.profile ORDER BY profile_key"
            profiles += [row["profile_key"] for row in rows_of(connection, query)]
        with findings.checking(connection, "candidates", "curation.candidate_set"):
            query = "SELECT set_key FROM curation.candidate_set ORDER BY set_key"
            sets += [row["set_key"] for row in rows_of(connection, query)]
        # The catalog is compared also where no row can be read: what took the right away stands there.
        with findings.checking(connection, "schema", "schema"):
            keys = [row["release_key"] for row in texts]
            check_schema(connection, findings, releases=keys, profiles=profiles, sets=sets)
        with findings.checking(connection, "ledger", "curation.ledger"):
            entries += read_ledger(connection, findings)
        with findings.checking(connection, "authority", "curation.grant_entry"):
            grants += check_authority(connection, entries, findings)
        with findings.checking(connection, "authority", "curation.ledger"):
            check_authorship(connection, entries, findings)
        with findings.checking(connection, "heads", "curation.head"):
            history |= check_heads(connection, entries, findings, releases=self.releases)
        if not everything:
            of = {row["artifact_key"] for row in wanted}
            artifacts = [row for row in artifacts if row["artifact_key"] in of]
            of = {row["release_key"] for row in wanted}
            texts = [row for row in texts if row["release_key"] in of]
        self._recompute(texts, artifacts)
        with findings.checking(connection, "candidates", "curation.candidate"):
            those = {row["artifact_key"] for row in artifacts}
            evidence = check_evidence(connection, entries, findings, artifacts=those)
        with findings.checking(connection, "candidates", "curation.passage_diff"):
            these = None if everything else [row["profile_key"] for row in wanted]
            names = None if everything else [row["release"] for row in wanted]
            check_diffs(connection, findings, profiles=these, releases=names)
        with findings.checking(connection, "decisions", "curation.decision"):
            check_decisions(connection, entries, findings)
        with findings.checking(connection, "publications", "repetition.repetition_release"):
            check_publications(
                connection,
                wanted,
                entries=entries,
                history=history,
                grants=grants,
                evidence=evidence,
                structures=read_structures(connection, self.releases),
                findings=findings,
            )
        with findings.checking(connection, "pointers", "repetition.visible"):
            check_pointers(connection, self.releases, entries, findings)
        with findings.checking(connection, "sets", "repetition.release_set"):
            check_sets(connection, self.releases, entries, findings)
        with findings.checking(connection, "closure", "database"):
            check_closure(connection, self.releases, entries, findings)
        return Verified(
            tuple(row["release"] for row in wanted),
            len(texts),
            len(artifacts),
            findings.counts,
            tuple(findings.found),
            findings.more,
            tuple(findings.notices),
        )

    def _recompute(self, texts: Sequence[Row], artifacts: Sequence[Row]) -> None:
        """Texts, then the artifacts over each, so that one text at a time is in memory."""
        self.total = len(texts) + 4 * len(artifacts)
        known = {row["release_key"] for row in texts}
        for row in artifacts:
            if row["release_key"] not in known:
                place = f"repetition.artifact {row['artifact_root'].hex()}"
                self.findings.add("artifacts", place, expected="a sealed text release", found=None)
        for row in texts:
            self._step()
            with self.findings.checking(self.connection, "texts", f"core.release {row['text_release']}"):
                stored = check_text(self.connection, row, self.findings)
                for one in artifacts:
                    if one["release_key"] == row["release_key"]:
                        self._artifact(one, stored)

    def _artifact(self, row: Row, stored: StoredText) -> None:
        place = f"repetition.artifact {row['artifact_root'].hex()}"
        with self.findings.checking(self.connection, "artifacts", place):
            check_artifact(self.connection, row, stored, self.findings, at_profile=lambda short: self._step())

    def _step(self) -> None:
        self.progress(self.done, self.total)
        self.done += 1
