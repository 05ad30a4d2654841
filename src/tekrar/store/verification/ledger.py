"""The ledger's chain, recomputed; who may do what against its entries; the heads, replayed.

Everything that acts writes one entry of the ledger in the same transaction, so the rows of actors, grants,
revocations and freezes follow from the entries, and the moves of the heads that count them too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core.encoding import canonical_json, i64, lp, manifest_root, no_scope, profile_scope, sha256, u64
from tekrar.core.identity import parse_uuid
from tekrar.store.session import Connection
from tekrar.store.verification.findings import Findings, Row, rows_of

_TAG: Final = b"tekrar/ledger-entry/v1"
START: Final = bytes(32)
#: A recorded time as the ledger writes it, in SQL.
INSTANT: Final = "to_char({} AT TIME ZONE 'UTC', 'YYYY-MM-DD\"T\"HH24:MI:SS.US\"Z\"')"

_ACTORS: Final = (
    "SELECT ledger_seq, name AS actor, coalesce(login, '') AS login,"
    f" {INSTANT.format('recorded_at')} AS recorded_at FROM curation.actor"
)
_GRANTS: Final = (
    "SELECT g.ledger_seq, g.grant_key, a.name AS actor, g.role, g.scope,"
    f" {INSTANT.format('g.valid_from')} AS valid_from,"
    f" coalesce({INSTANT.format('g.valid_to')}, '') AS valid_to,"
    f" coalesce(b.name, '') AS by, {INSTANT.format('g.recorded_at')} AS recorded_at"
    " FROM curation.grant_entry g LEFT JOIN curation.actor a ON a.actor_key = g.actor_key"
    " LEFT JOIN curation.actor b ON b.actor_key = g.granted_by"
)
_REVOCATIONS: Final = (
    "SELECT v.ledger_seq, v.grant_key::text AS grant, a.name AS actor, g.role, g.scope, b.name AS by,"
    f" {INSTANT.format('v.recorded_at')} AS recorded_at FROM curation.revocation v"
    " LEFT JOIN curation.grant_entry g ON g.grant_key = v.grant_key"
    " LEFT JOIN curation.actor a ON a.actor_key = g.actor_key"
    " LEFT JOIN curation.actor b ON b.actor_key = v.revoked_by"
)
_FREEZES: Final = (
    f"SELECT f.ledger_seq, f.epoch::text AS epoch, f.reason, b.name AS by,"
    f" {INSTANT.format('f.recorded_at')} AS recorded_at"
    " FROM curation.freeze f LEFT JOIN curation.actor b ON b.actor_key = f.frozen_by"
)
#: Heads that belong to no profile; all but the last begin with 32 zero bytes.
_GLOBAL: Final = (
    "repetition",
    "curation",
    "ledger",
    "authority",
    "freeze",
    "provenance",
    "transformation",
    "propagation-policies",
)
#: Heads of a profile, made when its artifact is sealed; each begins as the root of an empty manifest.
OF_PROFILE: Final = (
    "candidates",
    "false-positives",
    "families",
    "quotations",
    "canonical-choices",
    "unresolved-review",
    "public-projection",
)


@dataclass(frozen=True)
class Entry:
    """An entry of the ledger.

    Attributes:
        seq, kind: as stored.
        payload: its flat object of strings.
        digest: its hash, recomputed.
    """

    seq: int
    kind: str
    payload: dict[str, str]
    digest: bytes

    @property
    def releases(self) -> list[str]:
        """The releases of a publication; none of one that only showed a set."""
        return [release for release in self.payload["releases"].split(",") if release]


def read_ledger(connection: Connection, findings: Findings) -> list[Entry]:
    """The entries, with the chain recomputed from their bytes."""
    rows = rows_of(
        connection, "SELECT seq, kind, payload, previous, entry_hash FROM curation.ledger ORDER BY seq"
    )
    previous, entries = START, []
    for place, row in enumerate(rows):
        where = f"curation.ledger seq {row['seq']}"
        findings.same("ledger", f"{where}, seq", expected=place, found=row["seq"])
        findings.same("ledger", f"{where}, previous", expected=previous, found=row["previous"])
        kind, payload = row["kind"], row["payload"]
        digest = sha256(lp(_TAG) + u64(row["seq"]) + lp(kind.encode()) + row["previous"] + lp(payload))
        findings.same("ledger", f"{where}, entry_hash", expected=digest, found=row["entry_hash"])
        previous = row["entry_hash"]
        document = json.loads(payload)
        findings.same("ledger", f"{where}, payload", expected=canonical_json(document), found=payload)
        entries.append(Entry(row["seq"], kind, document, digest))
    return entries


def check_authority(connection: Connection, entries: Sequence[Entry], findings: Findings) -> list[Row]:
    """Actors, grants, revocations and freezes are exactly those of the entries.

    Returns:
        The grants, oldest first, with the entry that revoked each, `revoked_seq`, or None.
    """
    first = [e for e in entries if e.kind == "grant" and "login" in e.payload]
    actors = [*first, *(e for e in entries if e.kind == "actor")]
    for name, query, expected, fields in (
        ("actor", _ACTORS, actors, ("actor", "login", "recorded_at")),
        ("grant_entry", _GRANTS, _of(entries, "grant"), _GRANT_FIELDS),
        ("revocation", _REVOCATIONS, _of(entries, "revocation"), _REVOCATION_FIELDS),
        ("freeze", _FREEZES, _of(entries, "freeze"), ("epoch", "reason", "by", "recorded_at")),
    ):
        wanted = {e.seq: {f: e.payload.get(f, "") for f in fields} for e in expected}
        compare_rows(findings, "authority", f"curation.{name}", wanted, rows_of(connection, query))
    for place, entry in enumerate(_of(entries, "freeze"), 1):
        epoch = entry.payload["epoch"]
        findings.same(
            "authority", f"curation.ledger seq {entry.seq}, epoch", expected=str(place), found=epoch
        )
    revoked = {e.payload["grant"]: e.seq for e in _of(entries, "revocation")}
    grants = sorted(rows_of(connection, _GRANTS), key=lambda row: int(row["ledger_seq"]))
    keys = [row["grant_key"] for row in grants]
    findings.same("authority", "curation.grant_entry, grant_key", expected=sorted(set(keys)), found=keys)
    return [{**row, "revoked_seq": revoked.get(str(row["grant_key"]))} for row in grants]


_GRANT_FIELDS: Final = ("actor", "role", "scope", "valid_from", "valid_to", "by", "recorded_at")
_REVOCATION_FIELDS: Final = ("grant", "actor", "role", "scope", "by", "recorded_at")


def _of(entries: Sequence[Entry], kind: str) -> list[Entry]:
    return [entry for entry in entries if entry.kind == kind]


def compare_rows(
    findings: Findings, check: str, relation: str, wanted: Mapping[int, Mapping[str, Any]], rows: list[Row]
) -> None:
    """Rows with `ledger_seq` against what the entries of these numbers say, none more and none less."""
    seen: set[int] = set()
    for row in rows:
        seq = row["ledger_seq"]
        if seq not in wanted or seq in seen:
            findings.count(check)
            findings.add(check, f"{relation} of ledger entry {seq}", expected="no such row", found=row)
            continue
        seen.add(seq)
        place = f"{relation} of ledger entry {seq}"
        findings.same_fields(check, place, expected=wanted[seq], found=row)
    for seq in sorted(set(wanted) - seen):
        findings.add(check, f"{relation} of ledger entry {seq}", expected="one row", found=None)


def check_heads(
    connection: Connection, entries: Sequence[Entry], findings: Findings, *, releases: Sequence[Row]
) -> dict[str, set[bytes]]:
    """Every head from its start through its moves to where it stands.

    Those of a profile move with its publications, to what each release binds; what that must be is compared
    with the rows where the releases are.

    Returns:
        By `name/scope`, all values that the head ever had; a release bound one of them.
    """
    heads = rows_of(connection, "SELECT name, scope, value, version FROM curation.head")
    moves = rows_of(
        connection,
        "SELECT name, scope, version, previous, value FROM curation.head_move ORDER BY name, scope, version",
    )
    predicates = {
        row["profile"]: row["predicate"]
        for row in rows_of(connection, "SELECT profile::text AS profile, predicate FROM repetition.profile")
    }
    expected = {(name, "") for name in _GLOBAL} | {(n, p) for n in OF_PROFILE for p in predicates}
    found = {(row["name"], row["scope"]): row for row in heads}
    for name, scope in sorted(expected - set(found)):
        findings.add("heads", f"curation.head {name} {scope}".rstrip(), expected="one row", found=None)
    replayed = _replayed(entries)
    history: dict[str, set[bytes]] = {}
    for key, head in sorted(found.items()):
        place = f"curation.head {' '.join(key)}".rstrip()
        if key not in expected:
            findings.add("heads", place, expected="a head of this program or of a profile", found=key)
            continue
        mine = [row for row in moves if (row["name"], row["scope"]) == key]
        values = [row["value"] for row in mine]
        history["/".join(key)] = set(values)
        links = [(at, values[at - 1] if at else None) for at in range(len(mine))]
        findings.same(
            "heads",
            f"{place}, moves",
            expected=links,
            found=[(row["version"], row["previous"]) for row in mine],
        )
        findings.same("heads", place, expected=values[-1:], found=[head["value"]])
        findings.same("heads", f"{place}, version", expected=len(mine) - 1, found=head["version"])
        start = _start(*key, predicates=predicates)
        findings.same("heads", f"{place}, start", expected=start, found=values[0] if values else None)
        if key[0] in replayed and not key[1]:
            findings.same("heads", f"{place}, replayed", expected=replayed[key[0]], found=values)
        if key[1]:
            moved = _published(*key, entries=entries, releases=releases)
            wanted = [
                value
                for at, value in enumerate([start, *moved])
                if not at or value != [start, *moved][at - 1]
            ]
            findings.same("heads", f"{place}, replayed", expected=wanted, found=values)
        findings.count("heads", len(mine))
    strangers = {(row["name"], row["scope"]) for row in moves} - set(found)
    for name, scope in sorted(strangers):
        findings.add("heads", f"curation.head_move {name} {scope}", expected="a head", found=None)
    return history


def _published(name: str, profile: str, *, entries: Sequence[Entry], releases: Sequence[Row]) -> list[bytes]:
    """Values that the releases of a profile bind of a head, in the order of their publication."""
    bound = {row["release"]: json.loads(row["bound"]) for row in releases if row["profile"] == profile}
    listed = [release for entry in entries if entry.kind == "publication" for release in entry.releases]
    return [bytes.fromhex(bound[release][f"head/{name}"]) for release in listed if release in bound]


def _start(name: str, scope: str, *, predicates: Mapping[str, str]) -> bytes:
    if scope:
        return manifest_root(name, profile_scope(parse_uuid(scope), predicates[scope]), [])
    return manifest_root(name, no_scope(), []) if name == "propagation-policies" else START


def _replayed(entries: Sequence[Entry]) -> dict[str, list[bytes]]:
    """Values of the heads that the entries alone move, from their start."""
    values: dict[str, list[bytes]] = {
        name: [START] for name in ("ledger", "authority", "curation", "freeze", "repetition")
    }

    def move(name: str, happened: bytes) -> None:
        values[name].append(sha256(values[name][-1] + happened))

    for entry in entries:
        values["ledger"].append(entry.digest)
        if entry.kind in ("actor", "grant", "revocation"):
            move("authority", i64(entry.seq))
        elif entry.kind == "freeze":
            move("freeze", i64(entry.seq))
        elif entry.kind == "apply":
            move("curation", bytes.fromhex(entry.payload["decision"]))
        elif entry.kind == "publication":
            for release in entry.releases:
                move("repetition", parse_uuid(release))
        elif entry.kind == "withdrawal":
            payload = entry.payload
            move("repetition", parse_uuid(payload["release"]) + payload["reason"].encode())
    return values
