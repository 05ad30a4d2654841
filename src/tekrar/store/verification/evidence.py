"""Candidates and dispositions in the database: made again from rows, and held against the ledger."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import groupby, islice
from typing import Any, Final

from tekrar.core.curation.carried import named_diffs
from tekrar.core.diff.record import diff_id, diff_of
from tekrar.core.diff.script import ALGORITHM
from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import parse_uuid, uuid_text
from tekrar.store.evidence.diffs import read_endpoints
from tekrar.store.evidence.inventory import (
    CandidateSet,
    DispositionEvent,
    event_hash,
    evidence_roots,
)
from tekrar.store.evidence.stored_set import read_set
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, Row, rows_of
from tekrar.store.verification.ledger import INSTANT, Entry, compare_rows

_SETS: Final = """
    SELECT s.set_key, s.package_root, s.artifact_key, s.profile_key, s.profile::text AS profile, s.generator,
        e.package_root AS sealed_root, e.candidates, n.ledger_seq
    FROM curation.candidate_set s LEFT JOIN curation.candidate_seal e USING (set_key)
    LEFT JOIN curation.candidate_entry n USING (set_key) ORDER BY n.ledger_seq NULLS FIRST, s.set_key
"""
_ENTRIES: Final = f"""
    SELECT n.ledger_seq, encode(s.package_root, 'hex') AS package, s.profile::text AS profile,
        encode(s.generator, 'hex') AS generator, encode(a.artifact_root, 'hex') AS artifact,
        {INSTANT.format("n.recorded_at")} AS recorded_at
    FROM curation.candidate_entry n LEFT JOIN curation.candidate_set s USING (set_key)
    LEFT JOIN repetition.artifact a USING (artifact_key)
"""
_EVENTS: Final = f"""
    SELECT d.ledger_seq, d.candidate::text AS candidate, d.profile::text AS profile,
        encode(d.generator, 'hex') AS generator, encode(d.participants, 'hex') AS participants, d.disposition,
        a.name AS author, {INSTANT.format("d.recorded_at")} AS recorded_at, d.note,
        encode(d.previous, 'hex') AS previous, encode(d.event, 'hex') AS event,
        coalesce(encode(d.source_event, 'hex'), '') AS source_event,
        coalesce(d.source_author, '') AS source_author, coalesce(d.source_time, '') AS source_time
    FROM curation.disposition d LEFT JOIN curation.actor a ON a.actor_key = d.author ORDER BY d.ledger_seq
"""
_FACTS: Final = (
    *("candidate", "profile", "generator", "participants", "disposition", "author", "recorded_at", "note"),
    *("previous", "source_event", "source_author", "source_time"),
)
START: Final = bytes(32).hex()
_DIFFS: Final = """
    SELECT d.diff::text AS diff, d.left_occurrence::text AS left, d.right_occurrence::text AS right,
        d.left_witness, d.right_witness, d.algorithm, d.script_digest, d.script,
        (SELECT min(o.profile_key) FROM repetition.occurrence o
         WHERE o.occurrence = d.left_occurrence{}) AS key
    FROM curation.passage_diff d ORDER BY d.diff
"""
_AMONG: Final = " AND o.profile_key = ANY (%s)"
#: Diffs that are derived again at once: their passages are in memory together.
_AT_ONCE: Final = 1000
#: Diffs that structures rest on and that are not there.
_MISSING: Final = """
    SELECT n.diff::text AS diff, n.of::text AS of FROM (
        SELECT diff, family AS of FROM curation.family_diff
        UNION ALL SELECT diff, quotation FROM curation.quotation WHERE diff IS NOT NULL) AS n
    WHERE NOT EXISTS (SELECT FROM curation.passage_diff d WHERE d.diff = n.diff) ORDER BY 1, 2
"""
#: What rests on a diff: a decision that a release binds, where the release stands, and one in force now.
_RESTING: Final = """
    WITH resting AS (
        SELECT d.diff, f.family AS own, f.profile, f.decision
        FROM curation.family_diff d JOIN curation.family f USING (family)
        UNION ALL SELECT q.diff, q.quotation, q.profile, q.decision FROM curation.quotation q)
    SELECT s.diff::text AS diff, s.own::text AS own, s.decision, r.release::text AS release
    FROM resting s JOIN repetition.repetition_release r ON r.profile = s.profile AND s.decision < r.ledger_seq
    WHERE s.diff = ANY (%s::uuid[]) AND (%s::text[] IS NULL OR r.release::text = ANY (%s::text[]))
        AND NOT EXISTS (SELECT FROM repetition.incident i WHERE i.release = r.release)
        AND NOT EXISTS (SELECT FROM curation.supersession x
                        WHERE x.predecessor = s.own AND x.decision < r.ledger_seq)
    UNION ALL SELECT s.diff::text, s.own::text, s.decision, NULL FROM resting s
    WHERE s.diff = ANY (%s::uuid[]) AND %s::text[] IS NULL
        AND NOT EXISTS (SELECT FROM curation.supersession x WHERE x.predecessor = s.own)
    ORDER BY 1, 3, 4 NULLS FIRST
"""
#: Proposals that can still be reviewed or applied.
_OPEN: Final = """
    SELECT encode(p.proposal_digest, 'hex') AS proposal, p.action FROM curation.proposal p
    WHERE p.freeze_epoch = coalesce((SELECT max(f.epoch) FROM curation.freeze f), 0)
        AND NOT EXISTS (SELECT FROM curation.decision d WHERE d.proposal_digest = p.proposal_digest)
        AND NOT EXISTS (SELECT FROM curation.proposal n
                        WHERE (n.author, n.draft) = (p.author, p.draft) AND n.revision > p.revision)
        AND NOT EXISTS (SELECT FROM curation.review v
                        WHERE v.proposal_digest = p.proposal_digest AND v.outcome <> 'approve')
    ORDER BY p.ledger_seq
"""


@dataclass
class Evidence:
    """What counts of candidates, in the order of the ledger.

    Attributes:
        sets, events: as their entries say.
        overridden: (number of the decision's entry, event) of false positives that decisions override.
    """

    sets: list[CandidateSet] = field(default_factory=list)
    events: list[DispositionEvent] = field(default_factory=list)
    overridden: list[tuple[int, bytes]] = field(default_factory=list)
    _known: dict[tuple[Any, ...], dict[str, bytes]] = field(default_factory=dict)

    def roots(
        self, profile_key: int, profile: bytes, predicate: str, *, before: int, more: Mapping[bytes, bytes]
    ) -> dict[str, bytes]:
        """Roots of the evidence heads of a profile at an entry of the ledger."""
        sets = [one for one in self.sets if one.profile_key == profile_key and one.seq < before]
        events = [one for one in self.events if one.profile == profile and one.seq < before]
        over = frozenset(event for seq, event in self.overridden if seq < before)
        key = (profile_key, len(sets), len(events), over, tuple(sorted(more.items())))
        if key not in self._known:
            self._known[key] = evidence_roots(
                profile, predicate, sets=sets, events=events, open_records=more, overridden=over
            )
        return self._known[key]


def check_evidence(
    connection: Connection,
    entries: Sequence[Entry],
    findings: Findings,
    *,
    artifacts: Collection[int],
) -> Evidence:
    """Every set over these artifacts and every event, against its rows and its entry.

    Args:
        connection: of the auditor.
        entries: of the ledger.
        findings: collects.
        artifacts: keys of the artifacts whose sets are made again.
    """
    found = Evidence()
    wanted = {entry.seq: entry.payload for entry in entries if entry.kind == "candidates"}
    compare_rows(findings, "candidates", "curation.candidate_entry", wanted, rows_of(connection, _ENTRIES))
    for row in rows_of(connection, _SETS):
        place = f"curation.candidate_set {row['package_root'].hex()}"
        if row["artifact_key"] not in artifacts:
            continue
        with findings.checking(connection, "candidates", place):
            _check_set(connection, row, place, found, findings)
    _check_events(rows_of(connection, _EVENTS), entries, found, findings)
    query = "SELECT decision, event FROM curation.false_positive_override"
    found.overridden += [(row["decision"], row["event"]) for row in rows_of(connection, query)]
    return found


def _check_set(connection: Connection, row: Row, place: str, found: Evidence, findings: Findings) -> None:
    stored = read_set(connection, row["set_key"])
    expected = {
        "sealed_root": stored.root,
        "candidates": len(stored.candidates),
        "generator": stored.generator,
    }
    findings.same_fields("candidates", place, expected=expected, found=row)
    findings.count("candidates", 2 * len(stored.candidates))
    if row["ledger_seq"] is not None:
        one = CandidateSet(
            row["ledger_seq"],
            row["profile_key"],
            stored.root,
            stored.generator,
            stored.candidates,
            stored.participants,
        )
        found.sets.append(one)


def _check_events(rows: list[Row], entries: Sequence[Entry], found: Evidence, findings: Findings) -> None:
    own = [entry for entry in entries if entry.kind == "disposition"]
    wanted: dict[int, dict[str, Any]] = {}
    last: dict[str, str] = {}
    for entry in own:
        event = event_hash(canonical_json(dict(entry.payload))).hex()
        profile = entry.payload["profile"]
        facts = {name: entry.payload.get(name, "") for name in _FACTS}
        wanted[entry.seq] = {**facts, "event": event, "previous": last.get(profile, START)}
        place = f"curation.ledger seq {entry.seq}, previous"
        findings.same("candidates", place, expected=last.get(profile, START), found=facts["previous"])
        last[profile] = event
        found.events.append(
            DispositionEvent(
                entry.seq,
                parse_uuid(entry.payload["candidate"]),
                parse_uuid(profile),
                bytes.fromhex(entry.payload["generator"]),
                bytes.fromhex(entry.payload["participants"]),
                entry.payload["disposition"],
                bytes.fromhex(event),
            )
        )
    compare_rows(findings, "candidates", "curation.disposition", wanted, rows)


def check_diffs(
    connection: Connection,
    findings: Findings,
    *,
    profiles: list[int] | None,
    releases: Collection[str] | None = None,
) -> None:
    """Diffs derived again from the stored text: endpoints, mask roots, script and ID (VAL-08).

    A diff that is whole and that the text does not give was stored by somebody who spoke to the database
    directly. It is a finding as long as something rests on it; when nothing does any more, a notice.

    Args:
        connection: of the auditor.
        findings: collects.
        profiles: keys of the profiles whose diffs are wanted; None for every diff.
        releases: IDs of the releases that are verified; None for all, and what is in force now besides.
    """
    for row in rows_of(connection, _MISSING) if profiles is None else ():
        place = f"curation.passage_diff {row['diff']}"
        findings.add("candidates", place, expected=f"a diff that {row['of']} rests on", found="no such row")
    rows = (
        rows_of(connection, _DIFFS.format(""))
        if profiles is None
        else rows_of(connection, _DIFFS.format(_AMONG), (profiles,))
    )
    keyed = sorted((row for row in rows if row["key"] is not None), key=lambda row: row["key"])
    lying: dict[str, str] = {}
    for key, same in groupby(keyed, key=lambda row: row["key"]):
        while own := list(islice(same, _AT_ONCE)):
            lying |= _derive_again(connection, key, own, findings)
    for row in rows if profiles is None else ():
        if row["key"] is None:
            place = f"curation.passage_diff {row['diff']}"
            findings.add("candidates", place, expected="an occurrence that is loaded", found=row["left"])
    if lying:
        _report(connection, findings, lying, releases)


def _derive_again(connection: Connection, key: int, own: Sequence[Row], findings: Findings) -> dict[str, str]:
    """Diffs that are whole and not those of the text, with the ones that are."""
    found = read_endpoints(connection, key, [row[side] for row in own for side in ("left", "right")])
    lying: dict[str, str] = {}
    for row in own:
        place = f"curation.passage_diff {row['diff']}"
        left, right = found.get(row["left"]), found.get(row["right"])
        if left is None or right is None:
            findings.add("candidates", place, expected="two occurrences of one profile", found=row["right"])
            continue
        again = diff_of(left, right)
        expected = {
            "diff": uuid_text(again.id or b""),
            "left_witness": left.witness_root,
            "right_witness": right.witness_root,
            "algorithm": ALGORITHM,
            "script_digest": again.script.digest,
            "script": again.script.encoded,
        }
        whole = diff_id(left.occurrence, right.occurrence, sha256(row["script"]))
        if row["diff"] == uuid_text(whole or b"") != expected["diff"]:
            lying[row["diff"]] = str(expected.pop("diff"))
            expected |= {"script_digest": sha256(row["script"]), "script": row["script"]}
        findings.same_fields("candidates", place, expected=expected, found=row)
    return lying


def _report(
    connection: Connection, findings: Findings, lying: Mapping[str, str], releases: Collection[str] | None
) -> None:
    """A finding for each thing that rests on a diff that lies; a notice where nothing does."""
    used: dict[str, list[str]] = {one: [] for one in lying}
    named = None if releases is None else sorted(releases)
    for row in rows_of(connection, _RESTING, (sorted(lying), named, named, sorted(lying), named)):
        of = f"release {row['release']} binds" if row["release"] else "in force is"
        used[row["diff"]].append(f"{of} {row['own']} of decision {row['decision']}")
    for row in rows_of(connection, _OPEN):
        for one in {n.diff for n in named_diffs(json.loads(row["action"]))} & set(lying):
            used[one].append(f"the open proposal {row['proposal']} names it")
    for one, again in lying.items():
        place = f"curation.passage_diff {one}"
        for use in used[one]:
            findings.add("candidates", f"{place}, {use}", expected=f"diff {again}", found="another script")
        if not used[one]:
            findings.note("candidates", place, expected=f"diff {again}", found="another script, used nowhere")
