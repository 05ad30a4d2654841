"""The places of a candidate's result bytes (docs/encoding.md section 12), and the names that its facts give.

What a result measured is not read: nothing of the store may take a score into account (CND-11, VAL-07).
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

from tekrar.core.encoding import (
    canonical_json,
    lp,
    manifest_root,
    no_scope,
    profile_scope,
    sha256,
    u32,
    u64,
)
from tekrar.core.identity import COORDINATE_PROFILE, name_prefix, uuid_text

_RESULT: Final = lp(b"tekrar/candidate-result/v1")
_PARTICIPANTS: Final = lp(b"tekrar/candidate-participants/v1")
_PAYLOAD: Final = lp(b"tekrar/candidate-evidence/v1")
EVIDENCE_KIND: Final = "lexical-similarity"
KINDS: Final = ("pair", "stretch", "group")
#: Number in result bytes -> disposition that a generator states.
STATED: Final = {2: "probable_near_exact", 3: "probable_variant", 4: "probable_quotation", 5: "uncertain"}
#: The roots of a package in their order.
ROOTS: Final = (
    *("artifact", "text-release", "generator", "candidates", "order", "evidence", "features", "bounds"),
)
_TWO: Final = struct.Struct(">QQ")
_COUNT: Final = struct.Struct(">I")

Extent = tuple[int, int]


@dataclass(frozen=True)
class Places:
    """What a result says of where.

    Attributes:
        kind: 0 pair, 1 stretch, 2 group.
        disposition: number of the stated disposition.
        bound: text-release UUID, features root, fingerprints root, as they stand (80 bytes).
        selections: UUID of each of the two sides.
        classes: exact class that each stands for, or None.
        ends: the extents of the two sides; sides: of all sides, the places of a group or the two.
    """

    kind: int
    disposition: int
    bound: bytes
    selections: tuple[bytes, bytes]
    classes: tuple[bytes | None, bytes | None]
    ends: tuple[Extent, Extent]
    sides: tuple[Extent, ...]


def places_of(data: bytes) -> Places:
    """The places of result bytes.

    Raises:
        ValueError: they are no result.
    """
    at = len(_RESULT)
    if data[:at] != _RESULT:
        raise ValueError("a result without its tag")
    try:
        kind, disposition = data[at], data[at + 1]
        bound = data[at + 3 : at + 83]
        at += 83
        sides: list[tuple[bytes, Extent, bytes | None]] = []
        for _ in range(2):
            selection, extent, has = data[at : at + 16], _TWO.unpack_from(data, at + 16), data[at + 32]
            at += 33
            sides.append((selection, (extent[0], extent[1]), data[at : at + 16] if has else None))
            at += 16 if has else 0
        at += 4 + _COUNT.unpack_from(data, at)[0]
        at += 4 + 32 * _COUNT.unpack_from(data, at)[0]
        count = _COUNT.unpack_from(data, at)[0]
        if at + 4 + 16 * count > len(data):
            raise ValueError("a result that is cut short")
        listed = struct.unpack_from(f">{2 * count}Q", data, at + 4)
    except (IndexError, struct.error):
        raise ValueError("a result that is cut short") from None
    (one, left, a), (two, right, b) = sides
    places = tuple(zip(listed[::2], listed[1::2], strict=True)) or (left, right)
    return Places(kind, disposition, bound, (one, two), (a, b), (left, right), places)


def participants_bytes(sides: Sequence[Sequence[bytes]]) -> bytes:
    """Canonical bytes of participants: each side ascending, each occurrence once."""
    parts = [_PARTICIPANTS, u32(len(sides))]
    for side in sides:
        once = sorted(set(side))
        parts += [u32(len(once)), *once]
    return b"".join(parts)


def participants_sides(data: bytes) -> list[list[bytes]]:
    """The sides of canonical participants bytes.

    Raises:
        ValueError: they are none.
    """
    at, found = len(_PARTICIPANTS) + 4, []
    try:
        for _ in range(_COUNT.unpack_from(data, at - 4)[0]):
            size = _COUNT.unpack_from(data, at)[0]
            side = data[at + 4 : at + 4 + 16 * size]
            if len(side) != 16 * size:
                raise ValueError("participants that are cut short")
            found.append([side[k : k + 16] for k in range(0, len(side), 16)])
            at += 4 + 16 * size
    except struct.error:
        raise ValueError("participants that are cut short") from None
    if participants_bytes(found) != data:
        raise ValueError("participants that are not in their canonical form")
    return found


def payload_bytes(result: bytes, sides: Sequence[tuple[bytes, bytes]]) -> bytes:
    """Evidence payload: `sides` gives SHA-256 of a side's bytes and of its occurrences' fingerprints."""
    return b"".join([_PAYLOAD, sha256(result), u32(len(sides)), *(a + b for a, b in sides)])


def candidate_id(profile: bytes, participants: bytes, generator: bytes, result: bytes) -> bytes:
    """`repeat-candidate` from its profile and three digests."""
    tail = f"{participants.hex()}/generator={generator.hex()}/result={result.hex()}"
    return _uuid5(_prefix("repeat-candidate", "profile", uuid_text(profile)), tail)


def evidence_id(participants: bytes, producer: bytes, payload: bytes) -> bytes:
    """`repeat-evidence` from three digests."""
    tail = f"{participants.hex()}/producer={producer.hex()}/payload={payload.hex()}"
    return _uuid5(_prefix("repeat-evidence", "evidence-kind", EVIDENCE_KIND), tail)


def selection(release: bytes, extent: Extent) -> bytes:
    """Selection UUID of one extent."""
    return _uuid5(_selection_prefix(release), f"{extent[0]}-{extent[1]}")


@lru_cache(maxsize=16)
def _prefix(kind: str, fact: str, value: str) -> bytes:
    return name_prefix(kind, {fact: value})


@lru_cache(maxsize=16)
def _selection_prefix(release: bytes) -> bytes:
    return name_prefix("selection", {"release": uuid_text(release), "coord": COORDINATE_PROFILE})


def _uuid5(prefix: bytes, tail: str) -> bytes:
    found = bytearray(hashlib.sha1(prefix + tail.encode("ascii"), usedforsecurity=False).digest()[:16])
    found[6] = found[6] & 0x0F | 0x50
    found[8] = found[8] & 0x3F | 0x80
    return bytes(found)


def listed_roots(
    profile: bytes,
    predicate: str,
    candidates: Sequence[tuple[bytes, bytes]],
    evidence: Sequence[tuple[bytes, bytes]],
) -> dict[str, bytes]:
    """Roots of (ID, digest) of candidates and evidence, best first.

    Raises:
        ValueError: an ID stands twice.
    """
    scope = profile_scope(profile, predicate)
    ranked = ((u64(rank), own) for rank, (own, _) in enumerate(candidates, 1))
    return {
        "candidates": manifest_root("candidates", scope, sorted(candidates)),
        "order": manifest_root("candidate-order", scope, ranked),
        "evidence": manifest_root("candidate-evidence", scope, sorted(evidence)),
    }


def stated_roots(manifest: Mapping[str, Any]) -> dict[str, bytes]:
    """Roots of what a package's manifest itself says: its generator document and its bounds report."""
    bounds = manifest["bounds"]
    records = ((name.encode("ascii"), canonical_json(bounds[name])) for name in sorted(bounds))
    return {
        "generator": sha256(canonical_json(manifest["generator"])),
        "bounds": manifest_root("candidate-bounds", no_scope(), records),
    }


def package_root(roots: Mapping[str, bytes]) -> bytes:
    """The one root of a package."""
    records = ((u32(at) + name.encode("ascii"), roots[name]) for at, name in enumerate(ROOTS))
    return manifest_root("candidate-package", no_scope(), records)
