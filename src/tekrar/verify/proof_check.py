"""Checking an inclusion proof offline: nothing is read but the proof, nothing is believed but the artifact
root.

A proof is untrusted input (threats T5, T11): its size, keys, types, digits, record layout and tree path are
all prescribed, so that one statement has one proof and every altered byte is a named refusal.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from tekrar.core import strict_json
from tekrar.core.encoding import (
    CHUNK_RECORDS,
    canonical_json,
    chunk_digest,
    no_scope,
    path_head,
    profile_scope,
    record_bytes,
    seal_root,
)
from tekrar.core.identity import parse_uuid
from tekrar.core.policy import FAILURE_CODES, MATRIX, PENDING_CODES, REASONS, ProfileSpec
from tekrar.errors import UsageError, VerificationError
from tekrar.verify.uuid5 import uuid_text

FORMAT: Final = "tekrar/inclusion-proof/v1"
#: A chunk has at most 256 records; an excluded item with a thousand reasons still fits.
MAX_BYTES: Final = 16 << 20
KEYS: Final = ("artifact", "artifact_root", "format", "manifest", "occurrence", "part", "profile")
PROFILE_KEYS: Final = ("enumerator", "id", "predicate", "projection")
INCLUSION_KEYS: Final = ("chunk", "count", "kind", "path", "records", "scope")
PART_KINDS: Final = ("matched", "evaluated-unique", "not-evaluated", "failed", "excluded")
WORK_KEY_BYTES: Final = 32

_HEX = re.compile(r"(?:[0-9a-f]{2})*", re.ASCII)
_REASON_NAMES: Final = {number: name for name, number in REASONS.items()}
_CODE_NAMES: Final = {
    "not-evaluated": {number: name for name, number in PENDING_CODES.items()},
    "failed": {number: name for name, number in FAILURE_CODES.items()},
}


@dataclass(frozen=True)
class Proved:
    """What a proof proves.

    Attributes:
        artifact_root: 32 bytes.
        occurrence: UUID text; start, end: its extent in release bytes.
        profile: profile UUID text; spec: its row of the matrix.
        part: the partition part; value: what the part says: class, class_witness, fingerprint, code, or
            reasons.
    """

    artifact_root: bytes
    occurrence: str
    start: int
    end: int
    profile: str
    spec: ProfileSpec
    part: str
    value: Mapping[str, Any]

    def as_record(self) -> dict[str, Any]:
        """The statement as one JSON record."""
        return {
            "proved": True,
            "artifact_root": self.artifact_root.hex(),
            "occurrence": self.occurrence,
            "start": self.start,
            "end": self.end,
            "profile": self.spec.short,
            "profile_id": self.profile,
            "projection": self.spec.projection,
            "enumerator": self.spec.enumerator,
            "predicate": self.spec.predicate,
            "part": self.part,
            **self.value,
        }


def check_proof(data: bytes, *, artifact_root: bytes, where: str = "proof") -> Proved:
    """Check a proof against an artifact root.

    Args:
        data: the proof document.
        artifact_root: the root that the reader trusts (32 bytes).
        where: name of the proof for messages.

    Raises:
        VerificationError: the proof is malformed or does not lead to the root; the message names what is off.
    """
    proof = _parsed(data, where)
    occurrence = _uuid(proof["occurrence"], "occurrence", where)
    profile = _uuid(proof["profile"]["id"], "profile.id", where)
    spec = _spec(proof["profile"], where)
    part = proof["part"]
    _must(part in PART_KINDS, where, "part", f"{part!r:.80} is no part", ", ".join(PART_KINDS))
    _must(
        proof["artifact_root"] == artifact_root.hex(),
        where,
        "artifact_root",
        "the proof is for another artifact",
        artifact_root.hex(),
    )
    inner = _Inclusion(
        proof["manifest"], "manifest", kind=part, scope=profile_scope(profile, spec.predicate), where=where
    )
    outer = _Inclusion(proof["artifact"], "artifact", kind="artifact", scope=no_scope(), where=where)
    _must(
        outer.root() == artifact_root,
        where,
        "artifact",
        "does not lead to the artifact root",
        artifact_root.hex(),
    )
    name = f"{spec.name}/{part}".encode("ascii")
    roots = [value for key, value in outer.records if key[4:] == name]
    _must(
        roots == [inner.root()],
        where,
        "manifest",
        f"does not lead to the root of {name.decode('ascii')} under the artifact root",
        roots[0].hex() if roots else "a root of that name",
    )
    items = [(key, value) for key, value in inner.records if key[16:] == occurrence]
    _must(len(items) == 1, where, "manifest.records", "do not hold the occurrence", proof["occurrence"])
    key, value = items[0]
    _must(len(key) == WORK_KEY_BYTES, where, "manifest.records", "hold a key that is no work key", "32 bytes")
    start = int.from_bytes(key[:8], "big")
    return Proved(
        artifact_root=artifact_root,
        occurrence=proof["occurrence"],
        start=start,
        end=start + int.from_bytes(key[8:16], "big"),
        profile=proof["profile"]["id"],
        spec=spec,
        part=part,
        value=_value(part, value, where),
    )


def parse_root(text: str) -> bytes:
    """An artifact root from its hex text.

    Raises:
        UsageError: not 64 lower-case hex digits.
    """
    if re.fullmatch(r"[0-9a-f]{64}", text, re.ASCII) is None:
        raise UsageError(
            f"{text[:80]!r} is no artifact root",
            expected="64 lower-case hex digits, as `tekrar build` printed them",
            mend="copy the artifact_root that `tekrar build` or `tekrar coverage` prints, all 64 digits",
            kind="not_a_root",
        )
    return bytes.fromhex(text)


class _Inclusion:
    """One chunk of a manifest with its path, checked in form; `root` is where it leads."""

    def __init__(self, row: Mapping[str, Any], label: str, *, kind: str, scope: bytes, where: str) -> None:
        self._label = label
        self._where = where
        self._check(row["kind"] == kind, "kind", f"{row['kind']!r:.80}", kind)
        self._check(
            row["scope"] == scope.hex(), "scope", "belongs to another profile or predicate", scope.hex()
        )
        self.kind = kind
        self.scope = scope
        self.count = row["count"]
        self.chunk = row["chunk"]
        chunks = -(-self.count // CHUNK_RECORDS)
        self._check(0 <= self.chunk < chunks, "chunk", f"{self.chunk} of {chunks}", f"0..{chunks - 1}")
        self.records = self._records(self._bytes(row["records"], "records"))
        size = min(CHUNK_RECORDS, self.count - self.chunk * CHUNK_RECORDS)
        self._check(len(self.records) == size, "records", f"hold {len(self.records)} records", f"{size}")
        self.path = self._path(row["path"], chunks)

    def root(self) -> bytes:
        """The manifest root that chunk and path give."""
        leaf = chunk_digest([record_bytes(key, value) for key, value in self.records])
        return seal_root(self.kind, self.scope, self.count, path_head(leaf, self.path))

    def _records(self, data: bytes) -> list[tuple[bytes, bytes]]:
        found: list[tuple[bytes, bytes]] = []
        at = 0
        while at < len(data):
            key, at = self._delimited(data, at)
            value, at = self._delimited(data, at)
            if found:
                self._check(
                    key > found[-1][0], "records", f"record {len(found)} is out of order", "ascending keys"
                )
            found.append((key, value))
            self._check(len(found) <= CHUNK_RECORDS, "records", "are too many", f"at most {CHUNK_RECORDS}")
        return found

    def _delimited(self, data: bytes, at: int) -> tuple[bytes, int]:
        end = at + 4 + int.from_bytes(data[at : at + 4], "big")
        self._check(
            at + 4 <= len(data) and end <= len(data),
            "records",
            f"end inside a record at byte {at}",
            "whole records",
        )
        return data[at + 4 : end], end

    def _path(self, rows: list[Any], chunks: int) -> list[tuple[str, bytes]]:
        """The path, whose length and sides follow from the chunk's place."""
        sides = []
        index, width = self.chunk, chunks
        while width > 1:
            if index ^ 1 < width:
                sides.append("left" if index & 1 else "right")
            index, width = index // 2, (width + 1) // 2
        self._check(len(rows) == len(sides), "path", f"has {len(rows)} steps", f"{len(sides)}")
        found = []
        for at, (row, side) in enumerate(zip(rows, sides, strict=True)):
            self._check(
                isinstance(row, dict) and set(row) == {"side", "digest"} and isinstance(row["digest"], str),
                f"path[{at}]",
                "is malformed",
                "side and digest",
            )
            self._check(row["side"] == side, f"path[{at}].side", f"{row['side']!r:.40}", side)
            digest = self._bytes(row["digest"], f"path[{at}].digest")
            self._check(len(digest) == 32, f"path[{at}].digest", "has another length", "32 bytes")
            found.append((side, digest))
        return found

    def _bytes(self, text: str, name: str) -> bytes:
        self._check(
            _HEX.fullmatch(text) is not None, name, "is no lower-case hex", "an even number of hex digits"
        )
        return bytes.fromhex(text)

    def _check(self, holds: bool, name: str, message: str, expected: str) -> None:
        _must(holds, self._where, f"{self._label}.{name}", message, expected)


def _parsed(data: bytes, where: str) -> dict[str, Any]:
    """The document, once its keys and types are the prescribed ones."""
    _must(len(data) <= MAX_BYTES, where, "document", f"has {len(data)} bytes", f"at most {MAX_BYTES}")
    try:
        proof = strict_json.parse(data)
    except strict_json.JsonFlaw as flaw:
        raise _refusal(
            where, flaw.place or "document", flaw.message, "a proof as `tekrar prove` wrote it"
        ) from None
    _keys(proof, KEYS, where, "document")
    _must(proof["format"] == FORMAT, where, "format", f"{proof['format']!r:.80}", FORMAT)
    for name in ("artifact_root", "occurrence", "part"):
        _must(isinstance(proof[name], str), where, name, "is no text", "a text")
    _keys(proof["profile"], PROFILE_KEYS, where, "profile")
    for name in PROFILE_KEYS:
        _must(isinstance(proof["profile"][name], str), where, f"profile.{name}", "is no text", "a text")
    for label in ("manifest", "artifact"):
        row = proof[label]
        _keys(row, INCLUSION_KEYS, where, label)
        for name, kind in (("kind", str), ("scope", str), ("records", str), ("path", list)):
            _must(isinstance(row[name], kind), where, f"{label}.{name}", "is of another type", kind.__name__)
        for name in ("count", "chunk"):
            number = row[name]
            whole = isinstance(number, int) and not isinstance(number, bool) and number >= 0
            _must(whole, where, f"{label}.{name}", "is no count", "a whole number")
    canonical = canonical_json(proof)
    _must(data in (canonical, canonical + b"\n"), where, "document", "is not canonical", "RFC 8785 bytes")
    return dict(proof)


def _keys(row: Any, wanted: tuple[str, ...], where: str, label: str) -> None:
    _must(isinstance(row, dict), where, label, "is no object", "an object")
    odd = sorted(set(row) ^ set(wanted))
    _must(
        not odd, where, f"{label}.{odd[0]:.60}" if odd else label, "is missing or unknown", ", ".join(wanted)
    )


def _uuid(text: str, name: str, where: str) -> bytes:
    try:
        return parse_uuid(text, what=name)
    except UsageError as error:
        raise _refusal(where, name, error.message, error.expected) from None


def _spec(profile: Mapping[str, str], where: str) -> ProfileSpec:
    for spec in MATRIX:
        if (profile["projection"], profile["enumerator"], profile["predicate"]) == (
            spec.projection,
            spec.enumerator,
            spec.predicate,
        ):
            return spec
    raise _refusal(where, "profile", "is no row of the matrix", "; ".join(spec.name for spec in MATRIX))


def _value(part: str, value: bytes, where: str) -> dict[str, Any]:
    """What the part's record says, in words."""
    widths = {"matched": (16, 32), "evaluated-unique": (32,), "not-evaluated": (1,), "failed": (1,)}
    if part in widths:
        _must(
            len(value) in widths[part],
            where,
            "manifest.records",
            f"a value of {len(value)} bytes",
            f"{widths[part]}",
        )
    if part == "matched":
        return {"class": uuid_text(value)} if len(value) == 16 else {"class_witness": value.hex()}
    if part == "evaluated-unique":
        return {"fingerprint": value.hex()}
    if part in _CODE_NAMES:
        _must(
            value[0] in _CODE_NAMES[part],
            where,
            "manifest.records",
            f"an unknown code {value[0]}",
            "a known code",
        )
        return {"code": _CODE_NAMES[part][value[0]]}
    count = int.from_bytes(value[1:5], "big")
    _must(
        count > 0 and len(value) == 5 + 17 * count and value[0] in _REASON_NAMES,
        where,
        "manifest.records",
        "an exclusion that is malformed",
        "a reason, a count, and as many reasons with selections",
    )
    rows = [value[5 + 17 * at : 22 + 17 * at] for at in range(count)]
    _must(
        all(row[0] in _REASON_NAMES for row in rows),
        where,
        "manifest.records",
        "an unknown reason",
        "a known one",
    )
    return {
        "reason": _REASON_NAMES[value[0]],
        "reasons": [{"reason": _REASON_NAMES[row[0]], "selection": uuid_text(row[1:])} for row in rows],
    }


def _must(holds: bool, where: str, name: str, message: str, expected: str) -> None:
    if not holds:
        raise _refusal(where, name, message, expected)


def _refusal(where: str, name: str, message: str, expected: str) -> VerificationError:
    return VerificationError(
        f"{name}: {message}",
        where=where,
        expected=expected,
        mend="get the proof again; nothing is proved by this one",
        kind="proof_fails",
    )
