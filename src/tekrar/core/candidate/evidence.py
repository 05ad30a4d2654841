"""Evidence of a candidate: what stood at its places when it was found (CND-10).

The payload (`docs/encoding.md` section 12) binds the result, so every metric, and for each side the SHA-256
of its exact bytes and of the exact fingerprints of the occurrences it touches: facts of the source.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from tekrar.core.candidate.generator import Generator
from tekrar.core.candidate.record import Candidate, evidence_id, sha
from tekrar.core.encoding import lp, u32

EVIDENCE_TAG: Final = b"tekrar/candidate-evidence/v1"
KIND: Final = "lexical-similarity"


@dataclass(frozen=True)
class Evidence:
    """An evidence record: ID and payload bytes."""

    id: bytes
    payload: bytes


def evidence_of(
    candidate: Candidate, sides: Sequence[tuple[bytes, bytes]], *, generator: Generator
) -> Evidence:
    """The evidence of a candidate.

    Args:
        candidate: the candidate.
        sides: for each side the SHA-256 of its bytes and of its occurrences' fingerprints, concatenated in
            document order.
        generator: its producer.
    """
    payload = b"".join([lp(EVIDENCE_TAG), sha(candidate.result), u32(len(sides)), *(a + b for a, b in sides)])
    own = evidence_id(KIND, sha(candidate.participants), generator.digest, sha(payload))
    return Evidence(own, payload)
