"""Authority classes of candidate features: a closed list (ADR-009 *Candidate generation*, CND-03).

A label says what kind of thing a feature is; none of them carries authority to accept anything (CND-11).
"""

from __future__ import annotations

from typing import Final

from tekrar.errors import UsageError

#: class -> what stands behind it.
AUTHORITY_CLASSES: Final[dict[str, str]] = {
    "normalized_text": "text folded by named normalizers",
    "token_ngram": "runs of folded tokens of one unit",
    "character_ngram": "runs of folded characters of one unit",
    "minhash": "signatures of n-gram sets and their bands",
    "sequence_alignment": "scores and extents of an alignment of two token rows",
    "lexical_root": "roots or lemmas from a lexicon",
    "ottoman_rendering": "a rendering of the text in Ottoman script",
    "source_metadata": "what the source says beside its text",
}


def check_authority(label: str) -> str:
    """The label itself.

    Raises:
        UsageError: it is none of the closed list.
    """
    if label not in AUTHORITY_CLASSES:
        raise UsageError(
            f"{label!r} is no authority class of a feature",
            expected=", ".join(AUTHORITY_CLASSES),
            mend="label the feature with the class that says what it was made from",
            kind="unknown_authority_class",
        )
    return label
