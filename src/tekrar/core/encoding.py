"""Length-delimited canonical bytes, digests, manifest roots and inclusion paths (`docs/encoding.md`
sections 1 to 3).

Serves ADR-009 *Publication and rebuild closure* ("individually rooted manifests") and *Exact comparison*
("length-prefixing or canonical structured encoding prevents ambiguous concatenation"). Roots hash logical
rows, never a file format's bytes. All integers are big-endian. A digest is 32 raw bytes.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from typing import Final

import rfc8785

CHUNK_RECORDS: Final = 256
ROOT_TAG: Final = b"tekrar/manifest-root/v1"
EMPTY_HEAD: Final = hashlib.sha256(b"").digest()

Record = tuple[bytes, bytes]
Json = dict[str, "Json"] | list["Json"] | str | int | bool | None


def u8(value: int) -> bytes:
    """One unsigned byte."""
    return value.to_bytes(1, "big")


def u16(value: int) -> bytes:
    """Two bytes, big-endian."""
    return value.to_bytes(2, "big")


def u32(value: int) -> bytes:
    """Four bytes, big-endian."""
    return value.to_bytes(4, "big")


def u64(value: int) -> bytes:
    """Eight bytes, big-endian."""
    return value.to_bytes(8, "big")


def i64(value: int) -> bytes:
    """Eight bytes, big-endian, two's complement."""
    return value.to_bytes(8, "big", signed=True)


def lp(data: bytes) -> bytes:
    """`u32 length` followed by the bytes."""
    return len(data).to_bytes(4, "big") + data


def opt(data: bytes | None) -> bytes:
    """0x00 for absent, else 0x01 followed by the bytes (absent is a null marker, never 0)."""
    return b"\x00" if data is None else b"\x01" + data


def sha256(data: bytes) -> bytes:
    """SHA-256 of the bytes, raw."""
    return hashlib.sha256(data).digest()


def canonical_json(document: Json) -> bytes:
    """RFC 8785 bytes of a document of ASCII keys, integers, strings, booleans, nulls, lists and objects."""
    return bytes(rfc8785.dumps(document))


# -- scopes
# ---------------------------------------------------------------------------------------------------------


def no_scope() -> bytes:
    """Scope of a manifest that belongs to no profile or release."""
    return b"\x00"


def profile_scope(profile: bytes, predicate: str) -> bytes:
    """Scope of a profile's manifest: profile UUID (16 bytes) and predicate token."""
    return b"\x01" + profile + lp(predicate.encode("ascii"))


def release_scope(release: bytes) -> bytes:
    """Scope of an annotation dataset: text-release UUID (16 bytes)."""
    return b"\x02" + release


def witness_scope(projection: str, mask_format: int, coordinate_profile: str) -> bytes:
    """Scope of a mask witness: projection, mask format, coordinate profile (AMB-50, requirements 3.2)."""
    return (
        b"\x03" + lp(projection.encode("ascii")) + u16(mask_format) + lp(coordinate_profile.encode("ascii"))
    )


# -- roots ------------------------------------------------------------


def record_bytes(key: bytes, value: bytes) -> bytes:
    """One length-delimited record."""
    return lp(key) + lp(value)


def chunk_digest(records: Sequence[bytes]) -> bytes:
    """Digest of one chunk of at most 256 already delimited records."""
    return hashlib.sha256(b"\x00" + u32(len(records)) + b"".join(records)).digest()


def node_digest(left: bytes, right: bytes) -> bytes:
    """Inner node of the RFC 6962 tree."""
    return hashlib.sha256(b"\x01" + left + right).digest()


def tree_head(leaves: Sequence[bytes]) -> bytes:
    """RFC 6962 head over chunk digests; SHA-256 of nothing for no leaves.

    Level by level pairing with a promoted odd node gives the same tree as splitting at the largest power of
    two.
    """
    if not leaves:
        return EMPTY_HEAD
    level = list(leaves)
    while len(level) > 1:
        paired = [node_digest(level[i], level[i + 1]) for i in range(0, len(level) - 1, 2)]
        if len(level) % 2:
            paired.append(level[-1])
        level = paired
    return level[0]


def tree_path(leaves: Sequence[bytes], index: int) -> list[tuple[str, bytes]]:
    """Path of one leaf to the head: ("left" | "right", sibling digest), from the leaf up."""
    path: list[tuple[str, bytes]] = []
    level = list(leaves)
    while len(level) > 1:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(("left" if sibling < index else "right", level[sibling]))
        level = [
            node_digest(level[i], level[i + 1]) if i + 1 < len(level) else level[i]
            for i in range(0, len(level), 2)
        ]
        index //= 2
    return path


def path_head(leaf: bytes, path: Iterable[tuple[str, bytes]]) -> bytes:
    """Head that a leaf and its path lead to."""
    node = leaf
    for side, sibling in path:
        node = node_digest(sibling, node) if side == "left" else node_digest(node, sibling)
    return node


def seal_root(kind: str, scope: bytes, count: int, head: bytes) -> bytes:
    """Root of a manifest: its kind, scope and count are bound, so one root cannot stand in for another
    (T5)."""
    return hashlib.sha256(lp(ROOT_TAG) + lp(kind.encode("ascii")) + scope + u64(count) + head).digest()


def chunk_digests(records: Iterable[Record], *, kind: str = "") -> tuple[int, list[bytes]]:
    """Count and chunk digests of records in strictly ascending key order.

    Raises:
        ValueError: two keys are equal or out of order.
    """
    leaves: list[bytes] = []
    chunk: list[bytes] = []
    last: bytes | None = None
    count = 0
    for key, value in records:
        if last is not None and key <= last:
            raise ValueError(f"manifest {kind}: key {key.hex()} does not follow {last.hex()}")
        last = key
        chunk.append(record_bytes(key, value))
        count += 1
        if len(chunk) == CHUNK_RECORDS:
            leaves.append(chunk_digest(chunk))
            chunk = []
    if chunk:
        leaves.append(chunk_digest(chunk))
    return count, leaves


def manifest_root(kind: str, scope: bytes, records: Iterable[Record]) -> bytes:
    """Root of a manifest of (key, value) records, strictly ascending by key."""
    count, leaves = chunk_digests(records, kind=kind)
    return seal_root(kind, scope, count, tree_head(leaves))
