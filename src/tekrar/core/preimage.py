"""The two exact predicates: items, member records, preimages and witnesses (`docs/encoding.md` sections 5
and 6).

Serves ADR-009 *Exact comparison*: ordered, unnormalized, length-delimited bytes and typed mask markers.
Nothing here folds, composes, strips or trims a byte. A span is a pair of byte offsets relative to the text it
is cut from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Final

from tekrar.core.encoding import lp, u8, u16, u32, u64
from tekrar.core.policy import MASK_FORMAT, PREDICATES

SENTENCE_TAG: Final = b"tekrar/sentence/v1"
FOLD_TAG: Final = b"tekrar/fold/v1"
PASSAGE_TAG: Final = b"tekrar/passage-preimage/v1"
PASSAGE_WITNESS_TAG: Final = b"tekrar/passage-witness/v1"
RUN_TAG: Final = b"tekrar/run-preimage/v1"
RUN_WITNESS_TAG: Final = b"tekrar/run-witness/v1"
MASK_ITEM: Final = b"\x02" + lp(b"note_marker")
GAP_BYTES: Final = 26
RECORD: Final = 64
KIND_FIRST, KIND_FOLDED = 0, 3

_SENTENCE_HEAD: Final = lp(SENTENCE_TAG) + u16(MASK_FORMAT)
_FOLD_HEAD: Final = lp(FOLD_TAG) + u16(MASK_FORMAT)

Span = tuple[int, int]


def plain_items(data: bytes) -> bytes:
    """Items of unmasked bytes: one maximal BYTES item, or none for no byte."""
    return b"\x00\x00\x00\x01\x01" + lp(data) if data else b"\x00\x00\x00\x00"


def masked_items(data: bytes, masks: Sequence[Span]) -> tuple[bytes, int]:
    """Items of bytes under ascending, disjoint mask spans, and their projected length.

    Every mask is one typed marker, never coalesced (AMB-05); text before and after a mask stays in two
    items (PRJ-08).
    """
    items: list[bytes] = []
    at = length = 0
    for low, high in masks:
        if low > at:
            items.append(b"\x01" + lp(data[at:low]))
            length += low - at
        items.append(MASK_ITEM)
        at = high
    if at < len(data):
        items.append(b"\x01" + lp(data[at:]))
        length += len(data) - at
    return u32(len(items)) + b"".join(items), length


def sentence_preimage(items: bytes) -> bytes:
    """Preimage of a member digest."""
    return _SENTENCE_HEAD + items


#: Everything of an unmasked sentence's preimage before its `lp(bytes)`: head, item count 1, BYTES type.
PLAIN_SENTENCE_HEAD: Final = _SENTENCE_HEAD + b"\x00\x00\x00\x01\x01"


def fold_preimage(atoms: Sequence[tuple[int, bytes]], member_digest: bytes) -> bytes:
    """Preimage of a folded member: the separator atoms before it (kind, items) and its own member digest."""
    return _FOLD_HEAD + u32(len(atoms)) + b"".join(u8(kind) + items for kind, items in atoms) + member_digest


def passage_preimage(profile: bytes, items: bytes, projected_length: int) -> bytes:
    """Preimage of `exact_passage_bytes` for one whole paragraph."""
    return passage_head(profile) + u64(projected_length) + items


def passage_head(profile: bytes) -> bytes:
    """The constant front of a profile's passage preimages: tag, predicate, profile, mask format, member
    count 1."""
    return lp(PASSAGE_TAG) + u16(PREDICATES["exact_passage_bytes"]) + profile + u16(MASK_FORMAT) + u32(1)


def passage_witness_head() -> bytes:
    """The constant front of passage class witnesses, without the profile."""
    return lp(PASSAGE_WITNESS_TAG) + u16(PREDICATES["exact_passage_bytes"]) + u16(MASK_FORMAT) + u32(1)


def run_header(profile: bytes) -> bytes:
    """The 64-byte header of a profile's run preimages."""
    return (
        RUN_TAG.ljust(44, b"\x00") + u16(PREDICATES["exact_sentence_sequence"]) + profile + u16(MASK_FORMAT)
    )


def run_witness_header() -> bytes:
    """The 64-byte header of run class witnesses, without the profile."""
    return RUN_WITNESS_TAG.ljust(60, b"\x00") + u16(PREDICATES["exact_sentence_sequence"]) + u16(MASK_FORMAT)


def member_record(*, kind: int, gap: bytes, projected_length: int, digest: bytes) -> bytes:
    """One 64-byte member record; `gap` is empty for kinds 0 and 3."""
    return u8(kind) + u8(len(gap)) + u32(projected_length) + gap.ljust(GAP_BYTES, b"\x00") + digest


def run_preimage(header: bytes, records: Sequence[bytes]) -> bytes:
    """Header, records and trailer of one run."""
    return header + b"".join(records) + u32(len(records))


def sha256(data: bytes) -> bytes:
    """SHA-256, raw; the digest of witnesses, which no caller can replace."""
    return hashlib.sha256(data).digest()
