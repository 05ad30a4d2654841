"""The closed lists of curation (ADR-009 *Reviewed repeat families*, *Quotation relations*, *Canonical
occurrence choice*, *Review and correction*)."""

from __future__ import annotations

from typing import Final

ACTION_FORMAT: Final = "tekrar/curation-action/v1"
DECISION_FORMAT: Final = "tekrar/curation-decision/v1"

SUPERSESSIONS: Final = ("replace", "split", "merge", "restructure", "retire")
#: Operation -> the key of its body.
BODIES: Final[dict[str, str]] = {
    "accept_family": "family",
    "accept_quotation": "quotation",
    "choose_canonical": "choice",
    "compensate_choice": "compensation",
    "override_false_positive": "override",
    **dict.fromkeys(SUPERSESSIONS, "supersession"),
}
OPERATIONS: Final = tuple(BODIES)

FAMILY_KINDS: Final = ("near_exact", "variant")
#: The last one is no accepted kind: such a proposal stays open (QUO-04).
UNCERTAIN: Final = "source_uncertain"
QUOTATION_KINDS: Final = ("verbatim_quotation", "adapted_quotation", "formulaic_reuse", UNCERTAIN)
POLICY_RULES: Final = (
    "declared_source_edition",
    "author_primary_placement",
    "fullest_context",
    "editorially_designated",
)
#: Rules that would choose silently (CAN-04).
SILENT_RULES: Final = ("corpus_order", "shortest_uuid", "highest_similarity", "earliest_discovery")
REVIEW_POLICIES: Final = ("default.v1", "two-approvals.v1")
MEMBER_TAGS: Final = ("class", "occurrence")
STRUCTURE_TAGS: Final = ("class", "family")
#: What an action may expect of a structure; what an action changes must be in force (AMB-31).
EXPECTED_STATES: Final = ("effective",)

TEXT_BYTES: Final = 65536

#: Layers of a combined reading (LAY-08), in their order: exact and certified, decided, and evidence alone.
LAYERS: Final = (
    "exact_class",
    "provisional_group",
    "near_exact_family",
    "variant_family",
    "quotation",
    "candidate",
)
