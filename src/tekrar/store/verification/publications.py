"""Published releases: what each binds, computed again from rows that were recomputed, and what is visible."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tekrar.core.encoding import canonical_json, sha256
from tekrar.core.identity import issue, parse_uuid, uuid_text
from tekrar.store.session import Connection
from tekrar.store.verification.evidence import Evidence
from tekrar.store.verification.findings import Findings, Row, rows_of
from tekrar.store.verification.ledger import INSTANT, OF_PROFILE, Entry
from tekrar.store.verification.structures import Structures

FORMAT: Final = "tekrar/repetition-release/v1"
SET_FORMAT: Final = "tekrar/release-set/v1"
#: Heads of no profile that a release binds.
_BOUND_HEADS: Final = ("curation", "provenance", "transformation", "propagation-policies")

_RELEASES: Final = f"""
    SELECT r.release::text AS release, r.series_key, r.profile_key, r.artifact_key, r.release_key, r.short,
        r.profile::text AS profile, r.predicate, r.enumerator, r.text_release::text AS text_release, r.bound,
        r.roots, r.compiler, a.name AS actor, {INSTANT.format("r.recorded_at")} AS recorded_at, r.ledger_seq,
        s.edition, s.policy_digest, s.projection, s.enumerator AS series_enumerator, s.language,
        c.provenance_head, c.transformation_head, c.validation_head, c.evidence_root
    FROM repetition.repetition_release r
    LEFT JOIN repetition.series s ON s.series_key = r.series_key
    LEFT JOIN restricted.release_control c ON c.release = r.release
    LEFT JOIN curation.actor a ON a.actor_key = r.published_by
    ORDER BY r.ledger_seq, r.short
"""
_PROFILES: Final = """
    SELECT p.profile_key, p.artifact_key, p.short, p.profile::text AS profile, p.rule, p.projection,
        p.enumerator, p.predicate, p.exact_status, p.projection_root, a.artifact_root, a.policy_digest,
        a.release_key, t.text_release::text AS text_release, t.edition, t.language,
        t.certified_digest, t.manifest_root
    FROM repetition.profile p
    JOIN repetition.artifact a ON a.artifact_key = p.artifact_key
    JOIN core.release t ON t.release_key = a.release_key
"""
_INCIDENTS: Final = f"""
    SELECT i.release::text AS release, i.reason, i.cause, a.name AS actor, i.ledger_seq,
        {INSTANT.format("i.recorded_at")} AS recorded_at
    FROM repetition.incident i LEFT JOIN curation.actor a ON a.actor_key = i.withdrawn_by
"""


def check_publications(
    connection: Connection,
    releases: Sequence[Row],
    *,
    entries: Sequence[Entry],
    history: Mapping[str, set[bytes]],
    grants: Sequence[Row],
    evidence: Evidence,
    structures: Structures,
    findings: Findings,
) -> None:
    """Every release against its profile, its facts, its control record, its entry and its publisher's grant.

    `history` holds the values of every head, `grants` what `check_authority` gives.
    """
    profiles = {row["profile_key"]: row for row in rows_of(connection, _PROFILES)}
    roots: dict[int, list[tuple[str, bytes]]] = {}
    for row in rows_of(connection, "SELECT artifact_key, name, root FROM repetition.root ORDER BY position"):
        roots.setdefault(row["artifact_key"], []).append((row["name"], row["root"]))
    by_seq = {entry.seq: entry for entry in entries if entry.kind == "publication"}
    for row in releases:
        place = f"repetition.repetition_release {row['release']}"
        profile = profiles.get(row["profile_key"])
        if profile is None:
            expected = "the profile of a sealed artifact"
            findings.add("publications", place, expected=expected, found=f"profile_key {row['profile_key']}")
            continue
        _check_row(row, profile, place, findings)
        facts = _facts(profile, roots.get(profile["artifact_key"], []))
        _check_bound(row, facts, history, place, findings)
        _check_inventories(row, evidence, structures, place, findings)
        entry = by_seq.get(row["ledger_seq"])
        _check_entry(row, entry, place, findings)
        if entry is not None:
            _check_grant(row, entry, grants, place, findings)


def _check_row(row: Row, profile: Row, place: str, findings: Findings) -> None:
    same = ("artifact_key", "release_key", "short", "profile", "predicate", "enumerator", "text_release")
    findings.same_fields("publications", place, expected={k: profile[k] for k in same}, found=row)
    own = ("edition", "policy_digest", "projection", "language")
    series = {**{k: profile[k] for k in own}, "series_enumerator": profile["enumerator"]}
    findings.same_fields("publications", f"{place}, series {row['series_key']}", expected=series, found=row)


def _facts(profile: Row, roots: Sequence[tuple[str, bytes]]) -> dict[str, str]:
    """The facts of REL-01 that no head holds."""
    name = "/".join(profile[part] for part in ("projection", "enumerator", "predicate")) + "/"
    facts = {
        "format": FORMAT,
        "profile": profile["profile"],
        "rule": profile["rule"].hex(),
        "policy": profile["policy_digest"].hex(),
        "exact-status": profile["exact_status"],
        "projection-root": profile["projection_root"].hex(),
        "text-release": profile["text_release"],
        "certified-digest": profile["certified_digest"].hex(),
        "core-release-manifest-root": profile["manifest_root"].hex(),
        "artifact-root": profile["artifact_root"].hex(),
    }
    own = {"root/" + n.removeprefix(name): root.hex() for n, root in roots if n.startswith(name)}
    return facts | own


def _check_bound(
    row: Row, facts: Mapping[str, str], history: Mapping[str, set[bytes]], place: str, findings: Findings
) -> None:
    """`bound`, `roots`, `compiler`, the ID (docs/encoding.md section 9) and the control record."""
    bound = json.loads(row["bound"])
    findings.same("publications", f"{place}, bound", expected=canonical_json(bound), found=row["bound"])
    scopes = dict.fromkeys(_BOUND_HEADS, "") | dict.fromkeys(OF_PROFILE, row["profile"])
    names = set(facts) | {f"head/{name}" for name in scopes}
    findings.same("publications", f"{place}, names of the facts", expected=sorted(names), found=sorted(bound))
    for name, value in facts.items():
        findings.same("publications", f"{place}, {name}", expected=value, found=bound.get(name))
    for name, scope in scopes.items():
        value = bound.get(f"head/{name}", "")
        findings.count("publications")
        if bytes.fromhex(value) not in history.get(f"{name}/{scope}", set()):
            findings.add(
                "publications", f"{place}, head/{name}", expected="a value that this head had", found=value
            )
    compiler = facts.get("root/compiler", "")
    expected = {
        "roots": sha256(row["bound"]),
        "compiler": bytes.fromhex(compiler),
        "provenance_head": bytes.fromhex(bound.get("head/provenance", "")),
        "transformation_head": bytes.fromhex(bound.get("head/transformation", "")),
        "validation_head": bytes.fromhex(facts.get("root/validation", "")),
        "evidence_root": bytes.fromhex(facts.get("root/evidence", "")),
        "release": release_id(facts["profile"], bound, compiler),
    }
    findings.same_fields("publications", place, expected=expected, found=row)


def _check_inventories(
    row: Row, evidence: Evidence, structures: Structures, place: str, findings: Findings
) -> None:
    """The inventories of a profile as they were at the release's entry, made again from rows and entries."""
    bound = json.loads(row["bound"])
    key, profile, predicate, seq = (row[k] for k in ("profile_key", "profile", "predicate", "ledger_seq"))
    more = structures.open_records(row)
    roots = evidence.roots(key, parse_uuid(profile), predicate, before=seq, more=more)
    roots = roots | structures.roots(key, profile, predicate, before=seq)
    for name, root in roots.items():
        found = bound.get(f"head/{name}")
        findings.same("publications", f"{place}, head/{name}", expected=root.hex(), found=found)


def release_id(profile: str, bound: Mapping[str, Any], compiler: str) -> str:
    """ID of a release from its profile, everything that it binds and the root of its compiler record."""
    roots = sha256(canonical_json(dict(bound))).hex()
    facts = {"profile": profile, "roots": roots, "compiler": compiler}
    return uuid_text(issue("repetition-release", facts))


def _check_entry(row: Row, entry: Entry | None, place: str, findings: Findings) -> None:
    if entry is None or row["release"] not in entry.releases:
        wanted = f"named by ledger entry {row['ledger_seq']}, a publication"
        findings.add("publications", place, expected=wanted, found=entry and entry.releases)
        return
    expected = {name: entry.payload[name] for name in ("actor", "recorded_at")}
    findings.same_fields("publications", place, expected=expected, found=row)


def _check_grant(row: Row, entry: Entry, grants: Iterable[Row], place: str, findings: Findings) -> None:
    """The publisher had the grant at that moment, and it was not revoked before."""
    findings.count("publications")
    at = entry.payload["recorded_at"]
    for grant in grants:
        if (
            (grant["actor"], grant["role"]) == (entry.payload["actor"], "publisher")
            and grant["scope"] in ("*", row["edition"])
            and grant["valid_from"] <= at
            and (not grant["valid_to"] or at < grant["valid_to"])
            and grant["ledger_seq"] < entry.seq
            and (grant["revoked_seq"] is None or grant["revoked_seq"] > entry.seq)
        ):
            return
    expected = "a publisher's grant that was valid then"
    findings.add("publications", f"{place}, publisher", expected=expected, found=entry.payload["actor"])


def read_releases(connection: Connection) -> list[Row]:
    """Every published release with its series and control record."""
    return rows_of(connection, _RELEASES)


def check_pointers(
    connection: Connection, releases: Sequence[Row], entries: Sequence[Entry], findings: Findings
) -> None:
    """Pointers and incidents, replayed from the ledger: each moved as its entries say and stands there."""
    series_of = {row["release"]: row["series_key"] for row in releases}
    listed = [r for e in entries if e.kind == "publication" for r in e.releases]
    findings.same("pointers", "published releases", expected=sorted(listed), found=sorted(series_of))
    moves: dict[int, list[str | None]] = {key: [None] for key in series_of.values()}
    incidents = {}
    for entry in entries:
        if entry.kind == "publication":
            for release in entry.releases:
                moves.setdefault(series_of.get(release, -1), [None]).append(release)
        elif entry.kind == "withdrawal":
            release = entry.payload["release"]
            incidents[release] = entry
            own = moves.setdefault(series_of.get(release, -1), [None])
            if own[-1] == release:
                own.append(None)
    moves.pop(-1, None)
    _check_moves(connection, moves, findings)
    found = {row["release"]: row for row in rows_of(connection, _INCIDENTS)}
    findings.same("pointers", "repetition.incident", expected=sorted(incidents), found=sorted(found))
    for release in sorted(set(incidents) & set(found)):
        entry = incidents[release]
        names = ("release", "reason", "actor", "recorded_at")
        expected = {"ledger_seq": entry.seq, **{name: entry.payload[name] for name in names}}
        expected["cause"] = entry.payload.get("cause", "exact")  # entries of before say none
        place = f"repetition.incident {release}"
        findings.same_fields("pointers", place, expected=expected, found=found[release])


def _check_moves(connection: Connection, moves: Mapping[int, list[str | None]], findings: Findings) -> None:
    kept: dict[int, list[tuple[Any, ...]]] = {}
    query = "SELECT series_key, version, previous::text AS previous, release::text AS release"
    for row in rows_of(connection, query + " FROM repetition.pointer_move ORDER BY series_key, version"):
        kept.setdefault(row["series_key"], []).append((row["version"], row["previous"], row["release"]))
    query = "SELECT series_key, version, NULL AS previous, release::text AS release FROM repetition.visible"
    stand = {row["series_key"]: (row["version"], row["release"]) for row in rows_of(connection, query)}
    series = [row["series_key"] for row in rows_of(connection, "SELECT series_key FROM repetition.series")]
    findings.same("pointers", "repetition.series", expected=sorted(moves), found=sorted(series))
    findings.same("pointers", "repetition.visible", expected=sorted(moves), found=sorted(stand))
    strangers = sorted(set(kept) - set(moves))
    findings.same("pointers", "repetition.pointer_move, series", expected=[], found=strangers)
    for key, values in moves.items():
        expected = [(at, values[at - 1] if at else None, value) for at, value in enumerate(values)]
        findings.same(
            "pointers", f"repetition.pointer_move of series {key}", expected=expected, found=kept.get(key)
        )
        at = (len(values) - 1, values[-1])
        findings.same("pointers", f"repetition.visible of series {key}", expected=at, found=stand.get(key))
        findings.count("pointers", len(values))


def check_sets(
    connection: Connection, releases: Sequence[Row], entries: Sequence[Entry], findings: Findings
) -> None:
    """Sets are those of the entries, each is its document, and its members are published releases."""
    published = {row["release"] for row in releases}
    shown: dict[str, str] = {}
    for entry in entries:
        if entry.kind == "publication" and (name := entry.payload.get("set")):
            shown.setdefault(name, entry.payload["recorded_at"])
    query = f"SELECT encode(release_set, 'hex') AS name, {INSTANT.format('recorded_at')} AS recorded_at"
    found = {r["name"]: r["recorded_at"] for r in rows_of(connection, query + " FROM repetition.release_set")}
    if any(entry.kind == "publication" and "set" not in entry.payload for entry in entries):
        shown = found | shown  # entries of before sets were named in them
    findings.same("sets", "repetition.release_set", expected=shown, found=found)
    members: dict[bytes, list[Row]] = {}
    query = "SELECT release_set, position, release::text AS release FROM repetition.release_set_member"
    for row in rows_of(connection, query + " ORDER BY release_set, position"):
        members.setdefault(row["release_set"], []).append(row)
    for row in rows_of(connection, "SELECT release_set, document FROM repetition.release_set"):
        place = f"repetition.release_set {row['release_set'].hex()}"
        own = members.pop(row["release_set"], [])
        document = {"format": SET_FORMAT, **{str(one["position"]): one["release"] for one in own}}
        findings.same("sets", f"{place}, members", expected=canonical_json(document), found=row["document"])
        findings.same("sets", place, expected=sha256(row["document"]), found=row["release_set"])
        absent = sorted({one["release"] for one in own} - published)
        findings.same("sets", f"{place}, unpublished members", expected=[], found=absent)
        findings.count("sets", len(own))
    findings.same("sets", "members of no set", expected=[], found=sorted(key.hex() for key in members))
