"""Roots of a set of candidates (`docs/encoding.md` section 12).

`candidates` binds what was found, `order` what a reader sees first, `evidence` what stood there, `features`
what was compared, `bounds` what was left out and why. `pending` and `rejected` are made from the events.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from tekrar.core.encoding import Record, canonical_json, manifest_root, no_scope, profile_scope, u32, u64

ROOTS: Final = (
    "artifact",
    "text-release",
    "generator",
    "candidates",
    "order",
    "evidence",
    "features",
    "bounds",
)


def candidates_root(profile: bytes, predicate: str, records: Iterable[Record]) -> bytes:
    """Root over candidate UUID -> SHA-256 of its result bytes."""
    return manifest_root("candidates", profile_scope(profile, predicate), sorted(records))


def order_root(profile: bytes, predicate: str, ids: Sequence[bytes]) -> bytes:
    """Root over u64 rank (from 1) -> candidate UUID."""
    records = ((u64(rank), own) for rank, own in enumerate(ids, 1))
    return manifest_root("candidate-order", profile_scope(profile, predicate), records)


def evidence_root(profile: bytes, predicate: str, records: Iterable[Record]) -> bytes:
    """Root over evidence UUID -> SHA-256 of its payload."""
    return manifest_root("candidate-evidence", profile_scope(profile, predicate), sorted(records))


def listed_root(kind: str, profile: bytes, predicate: str, ids: Iterable[bytes]) -> bytes:
    """Root over candidate UUIDs: kind `candidates-pending` or `candidates-rejected` (COV-13, DOM-09)."""
    return manifest_root(kind, profile_scope(profile, predicate), ((own, b"") for own in sorted(ids)))


def bounds_root(bounds: Mapping[str, Any]) -> bytes:
    """Root over the name of each part of the bounds report -> its canonical JSON."""
    records = ((name.encode("ascii"), canonical_json(bounds[name])) for name in sorted(bounds))
    return manifest_root("candidate-bounds", no_scope(), records)


def features_root(rows: Iterable[tuple[int, bytes]]) -> bytes:
    """Root over u64 unit -> u32 folded tokens ‖ SHA-256 of their numbers (u32 each, by first appearance)."""
    records = ((u64(unit), value) for unit, value in rows)
    return manifest_root("candidate-tokens", no_scope(), records)


def package_root(roots: Mapping[str, bytes]) -> bytes:
    """The one root of a package of candidates: over all others in the order of `ROOTS`."""
    records = ((u32(at) + name.encode("ascii"), roots[name]) for at, name in enumerate(ROOTS))
    return manifest_root("candidate-package", no_scope(), records)
