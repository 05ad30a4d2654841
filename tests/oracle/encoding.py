"""Bytes, roots and UUIDs of `docs/encoding.md` sections 1 to 3 and 9, one line a rule."""

from __future__ import annotations

import hashlib
import json
import uuid
from collections.abc import Iterable
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[2] / "src" / "tekrar" / "core" / "data"
COORD = "utf8-byte.v1"
MASK_FORMAT = 1


def u(value: int, width: int) -> bytes:
    return value.to_bytes(width, "big")


def lp(data: bytes) -> bytes:
    return u(len(data), 4) + data


def opt(data: bytes | None) -> bytes:
    return b"\x00" if data is None else b"\x01" + data


def sha(data: bytes) -> bytes:
    return hashlib.sha256(data).digest()


def json_bytes(document: Any) -> bytes:
    """RFC 8785 for ASCII keys, integers and strings."""
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def tree(leaves: list[bytes]) -> bytes:
    """RFC 6962: split at the largest power of two below the number of leaves."""
    if not leaves:
        return sha(b"")
    if len(leaves) == 1:
        return leaves[0]
    half = 1
    while half * 2 < len(leaves):
        half *= 2
    return sha(b"\x01" + tree(leaves[:half]) + tree(leaves[half:]))


def root(kind: str, scope: bytes, records: Iterable[tuple[bytes, bytes]]) -> bytes:
    rows = list(records)
    assert [key for key, _ in rows] == sorted({key for key, _ in rows}), f"{kind}: keys do not ascend"
    leaves = []
    for at in range(0, len(rows), 256):
        chunk = rows[at : at + 256]
        body = b"".join(lp(key) + lp(value) for key, value in chunk)
        leaves.append(sha(b"\x00" + u(len(chunk), 4) + body))
    return sha(lp(b"tekrar/manifest-root/v1") + lp(kind.encode()) + scope + u(len(rows), 8) + tree(leaves))


NONE = b"\x00"


def of_profile(profile: uuid.UUID, predicate: str) -> bytes:
    return b"\x01" + profile.bytes + lp(predicate.encode())


def of_release(release: uuid.UUID) -> bytes:
    return b"\x02" + release.bytes


def of_witness(projection: str) -> bytes:
    return b"\x03" + lp(projection.encode()) + u(MASK_FORMAT, 2) + lp(COORD.encode())


def identity(kind: str, *facts: tuple[str, str]) -> uuid.UUID:
    key = (DATA / "identity-release-key.txt").read_text("utf-8").rstrip("\n")
    project = uuid.UUID("7f1d6a52-3c0e-5b9f-8a47-d2c94e61b038")
    namespace = uuid.uuid5(project, "identity-release-key=" + key)
    return uuid.uuid5(namespace, f"v1/kind={kind}" + "".join(f"/{name}={value}" for name, value in facts))


def selection(release: uuid.UUID, start: int, end: int) -> uuid.UUID:
    return identity("selection", ("release", str(release)), ("coord", COORD), ("ranges", f"{start}-{end}"))
