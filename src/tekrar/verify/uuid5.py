"""UUIDv5 names in bulk, written out from docs/encoding.md section 9 with SHA-1 alone."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from tekrar.core.identity import PROJECT_NS, identity_release_key

Bytes2D = NDArray[np.uint8]
DIGITS: Final = np.frombuffer(b"0123456789abcdef", np.uint8)
#: Places of the 32 hex digits and of the four hyphens in the text of a UUID.
HYPHENS: Final = (8, 13, 18, 23)
_TEXT_WIDTH: Final = 36


def sha1(data: bytes) -> Any:
    """A SHA-1 state; it serves names only, never as a commitment."""
    return hashlib.sha1(data, usedforsecurity=False)


def namespace() -> bytes:
    """The 16 bytes under which every package-issued name is hashed."""
    named = sha1(PROJECT_NS.bytes + b"identity-release-key=" + identity_release_key().encode("utf-8"))
    return bytes(uuids([named.digest()])[0])


def name_state(kind: str, facts: str) -> Any:
    """SHA-1 state after the namespace and the head of a name: `v1/kind=KIND/` and the facts as written."""
    return sha1(namespace() + f"v1/kind={kind}/{facts}".encode("ascii"))


def uuids(digests: Sequence[bytes]) -> Bytes2D:
    """UUIDs of version 5 and the RFC 9562 variant from SHA-1 digests, shape (n, 16)."""
    raw = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 20)[:, :16].copy()
    raw[:, 6] = raw[:, 6] & 0x0F | 0x50
    raw[:, 8] = raw[:, 8] & 0x3F | 0x80
    return raw


def uuid_texts(ids: Bytes2D) -> bytes:
    """Canonical texts of UUIDs, 36 bytes each, one after the other."""
    text = np.full((len(ids), _TEXT_WIDTH), ord("-"), np.uint8)
    digits = np.empty((len(ids), 32), np.uint8)
    digits[:, 0::2] = DIGITS[ids >> 4]
    digits[:, 1::2] = DIGITS[ids & 15]
    places = [at for at in range(_TEXT_WIDTH) if at not in HYPHENS]
    text[:, places] = digits
    return text.tobytes()


def uuid_text(value: bytes) -> str:
    """Canonical text of one UUID."""
    return uuid_texts(np.frombuffer(value, np.uint8).reshape(1, 16)).decode("ascii")
