"""Candidates and evidence as records: what a generator found, in canonical bytes (ADR-009 *Candidate and diff
evidence*; `docs/encoding.md` section 12).

`disposition` holds the closed list, `generator` the document whose digest names a generator, `record` the
result bytes and the IDs, `evidence` what stands behind a candidate, `roots` the manifests. Nothing here
accepts anything: a candidate is immutable evidence (CND-01, CND-11).
"""

from tekrar.core.candidate.disposition import DISPOSITIONS, check_disposition
from tekrar.core.candidate.evidence import Evidence, evidence_of
from tekrar.core.candidate.generator import Generator, checked_generator
from tekrar.core.candidate.record import (
    Candidate,
    Participants,
    Result,
    Side,
    candidate_of,
    decode_result,
)

__all__ = [
    "DISPOSITIONS",
    "Candidate",
    "Evidence",
    "Generator",
    "Participants",
    "Result",
    "Side",
    "candidate_of",
    "check_disposition",
    "checked_generator",
    "decode_result",
    "evidence_of",
]
