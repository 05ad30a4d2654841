"""The ledger: entries chained by hash, flat payloads, and what state follows from them (contract C5).

Serves CUR-09 to CUR-11, ID-07 and REB-01. `entry_hash` and `payload_bytes` are the database's own.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from tekrar.core.curation.refusal import refuse
from tekrar.core.encoding import canonical_json, lp, sha256, u64

ENTRY_TAG: Final = b"tekrar/ledger-entry/v1"
#: What the first entry follows.
BEFORE: Final = bytes(32)


def payload_bytes(payload: Mapping[str, str]) -> bytes:
    """Canonical bytes of a payload: one flat object of strings.

    Raises:
        CurationRefusal: a value is no string.
    """
    for key, value in payload.items():
        if not isinstance(value, str):
            refuse("malformed", f"{key} is no string", item=f"payload.{key}", expected="a string")
    return canonical_json(dict(payload))


def entry_hash(seq: int, kind: str, payload: bytes, *, previous: bytes) -> bytes:
    """Hash of an entry (32 bytes).

    Args:
        seq: its number, from 0.
        kind: what it records.
        payload: its canonical bytes.
        previous: hash of the entry before it; 32 zero bytes for the first.
    """
    return sha256(lp(ENTRY_TAG) + u64(seq) + lp(kind.encode("utf-8")) + previous + lp(payload))
