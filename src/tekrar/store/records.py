"""The twelve record classes of ADR-009 and the store of each (LAY-09).

A class has one table that bears its identity; tables of members and evidence hang on it.
"""

from __future__ import annotations

from typing import Final

#: Record class -> (table, its column that bears the identity).
STORE_OF: Final[dict[str, tuple[str, str]]] = {
    "repetition-profile": ("repetition.profile", "profile"),
    "passage-occurrence": ("repetition.occurrence", "occurrence"),
    "exact-class": ("repetition.class", "class"),
    "repeat-candidate": ("curation.candidate", "candidate"),
    "repeat-evidence": ("curation.evidence", "evidence"),
    "passage-diff": ("curation.passage_diff", "diff"),
    "repeat-family": ("curation.family", "family"),
    "quotation-relation": ("curation.quotation", "quotation"),
    "canonical-choice": ("curation.canonical_choice", "choice"),
    "repetition-review": ("curation.review", "review"),
    "repetition-release": ("repetition.repetition_release", "release"),
    "propagation-policy": ("curation.propagation_policy", "policy"),
}
