"""Closed vocabularies and the scope policy as data (ADR-009 *Initial F6 scope policy*, contract C8).

`repetition-scope-policy-v1` is a pinned document for Turkish. A corpus in another language gets the document
derived from its primary language subtag alone: its own name and language, hence its own digest and profile
IDs, and the same four-profile matrix.
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any, Final

from tekrar.core.encoding import canonical_json
from tekrar.core.language import canonical_language
from tekrar.errors import IntegrityError

MASK_FORMAT: Final = 1
MIN_RUN: Final = 2
MAX_RUN: Final = 12
POLICY_DIGEST: Final = "9ba57d5303d68fcb39b7291579a0547bf0b55f867eb4745c0d34af73474a2ee7"

PARAGRAPHS: Final = "whole_paragraph_v1"
RUNS: Final = "sentence_run_2_12_v1"
FULL_CONTEXT: Final = "full_context_v1"
PROSE_ONLY: Final = "prose_only_v1"

ATOM_SENTENCE: Final = 0
ATOM_INTER_SENTENCE: Final = 1
ATOM_INTER_PARAGRAPH: Final = 2

#: The four treatments (ADR-009, *Repetition profiles and scopes*) with their numbers.
TREATMENTS: Final = {
    "included": 1,
    "excluded_from_extent": 2,
    "masked_with_boundary": 3,
    "separate_analysis": 4,
}
ANNOTATION_KINDS: Final = {"heading": 1, "note_body": 2, "note_marker": 3}
#: The closed exclusion reasons, in the ADR's order, and the reason of a mask.
REASONS: Final = {
    "empty_core_extent": 1,
    "heading_marker_intersection": 2,
    "note_body_intersection": 3,
    "note_marker_mask": 16,
}
EXCLUSION_REASON_OF: Final = {"heading": "heading_marker_intersection", "note_body": "note_body_intersection"}
PENDING_CODES: Final = {"pending_evaluation": 1, "pending_peer_universe": 2, "pending_verification": 3}
FAILURE_CODES: Final = {"missing_witness_bytes": 1, "digest_collision": 2}
PREDICATES: Final = {"exact_passage_bytes": 1, "exact_sentence_sequence": 2}
GRANULARITY: Final = {PARAGRAPHS: "whole-paragraph", RUNS: "sentence-sequence"}
DOMINANCE_MODES: Final = ("maximal_only", "structural_units", "all_qualified")


@dataclass(frozen=True)
class ProfileSpec:
    """One row of the policy's matrix: exactly one projection, enumerator, predicate and dominance mode."""

    short: str
    projection: str
    enumerator: str
    predicate: str
    dominance: str

    @property
    def name(self) -> str:
        """`projection/enumerator/predicate`."""
        return f"{self.projection}/{self.enumerator}/{self.predicate}"

    @property
    def granularity(self) -> str:
        """Granularity token of the occurrence path grammar."""
        return GRANULARITY[self.enumerator]


#: The initial matrix in its order, with the short names used on the command line.
MATRIX: Final = (
    ProfileSpec("FP", FULL_CONTEXT, PARAGRAPHS, "exact_passage_bytes", "structural_units"),
    ProfileSpec("FS", FULL_CONTEXT, RUNS, "exact_sentence_sequence", "maximal_only"),
    ProfileSpec("PP", PROSE_ONLY, PARAGRAPHS, "exact_passage_bytes", "structural_units"),
    ProfileSpec("PS", PROSE_ONLY, RUNS, "exact_sentence_sequence", "maximal_only"),
)


@dataclass(frozen=True)
class ScopePolicy:
    """A scope policy document with its digest."""

    name: str
    language: str
    document: dict[str, Any]
    digest: bytes

    def treatment(self, projection: str, annotation: str) -> str:
        """Treatment of an annotation kind (heading, note_body, note_marker, separator) under a projection."""
        return str(self.document["projections"][projection][annotation])


@cache
def pinned_document() -> bytes:
    """Bytes of `repetition-scope-policy-v1`, checked against the pinned digest (PRO-09)."""
    data = files("tekrar.core").joinpath("data/repetition-scope-policy-v1.json").read_bytes()
    return check_pinned(data)


def check_pinned(data: bytes) -> bytes:
    """The policy bytes, if their SHA-256 is the pinned one.

    Raises:
        IntegrityError: one byte differs.
    """
    found = hashlib.sha256(data).hexdigest()
    if found != POLICY_DIGEST:
        raise IntegrityError(
            "the scope policy document was changed",
            where="repetition-scope-policy-v1.json",
            expected=f"SHA-256 {POLICY_DIGEST}, found {found}",
            mend="reinstall tekrar; a changed policy is a successor with a name of its own",
        )
    return data


def primary_subtag(language: str) -> str:
    """Primary subtag of a BCP 47 language tag, in small letters.

    Raises:
        UsageError: what `canonical_language` refuses: no tag, `und`, an unregistered or second name.
    """
    return canonical_language(language).split("-")[0]


@cache
def scope_policy(language: str) -> ScopePolicy:
    """The scope policy of a release's language: pinned for Turkish, derived from the primary subtag for
    others."""
    document: dict[str, Any] = json.loads(pinned_document())
    subtag = primary_subtag(language)
    if subtag != document["language"]:
        document["name"] = f"{document['name']}-{subtag}"
        document["language"] = subtag
    data = canonical_json(document)
    return ScopePolicy(document["name"], subtag, document, hashlib.sha256(data).digest())
