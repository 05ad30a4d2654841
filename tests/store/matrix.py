"""Who may do what in the store, exactly (contract C5): every role, relation and verb, and every function.

What is not listed is refused. A relation or function that is not listed makes the tests fail.
"""

from __future__ import annotations

from typing import Final

OWNER: Final = "tekrar_owner"
LOGIN: Final = "tekrar_login"
BUILDER: Final = "tekrar_builder"
READER: Final = "tekrar_reader"
CURATOR: Final = "tekrar_curator"
REVIEWER: Final = "tekrar_reviewer"
PUBLISHER: Final = "tekrar_publisher"
AUDITOR: Final = "tekrar_auditor"
ADMINISTRATOR: Final = "tekrar_administrator"

GRANTABLE: Final = (READER, CURATOR, REVIEWER, PUBLISHER, AUDITOR, ADMINISTRATOR)
ROLES: Final = (BUILDER, *GRANTABLE)
SCHEMAS: Final = ("api", "core", "curation", "repetition", "restricted", "tekrar_meta")
VERBS: Final = ("SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE")

_CORPUS: Final = frozenset({BUILDER, READER, CURATOR, REVIEWER, PUBLISHER, AUDITOR})
_READERS: Final = _CORPUS - {BUILDER}
_RELEASES: Final = frozenset(GRANTABLE)
_AUTHORITY: Final = frozenset({AUDITOR, ADMINISTRATOR})
_HEADS: Final = frozenset({CURATOR, REVIEWER, PUBLISHER, AUDITOR, ADMINISTRATOR})
_STRUCTURES: Final = frozenset({CURATOR, REVIEWER, PUBLISHER, AUDITOR})
_EFFECTIVE: Final = _STRUCTURES | {READER}

#: Relation -> the roles that may SELECT from it (row-level security decides what they find). No role but
#: the owner
#: has any other verb on any relation.
SELECT: Final[dict[str, frozenset[str]]] = {
    "core.annotation": _CORPUS,
    "core.book": _CORPUS,
    "core.chapter": _CORPUS,
    "core.dataset": _CORPUS,
    "core.paragraph": _CORPUS,
    "core.release": _CORPUS,
    "core.release_seal": _CORPUS,
    "core.sentence": _CORPUS,
    "core.separator": _CORPUS,
    "core.text_block": _CORPUS,
    "curation.actor": _AUTHORITY,
    "curation.candidate": _CORPUS,
    "curation.candidate_entry": _CORPUS,
    "curation.candidate_participant": _CORPUS,
    "curation.candidate_seal": _CORPUS,
    "curation.candidate_set": _CORPUS,
    "curation.canonical_choice": _EFFECTIVE,
    "curation.choice_policy": _EFFECTIVE,
    "curation.compensation": _EFFECTIVE,
    "curation.crosswalk": _STRUCTURES,
    "curation.decision": _STRUCTURES,
    "curation.decision_review": _STRUCTURES,
    "curation.disposition": _STRUCTURES,
    "curation.draft": frozenset({AUDITOR}),
    "curation.effective_choice": _EFFECTIVE,
    "curation.effective_membership": _EFFECTIVE,
    "curation.evidence": _STRUCTURES | {BUILDER},
    "curation.false_positive_override": _STRUCTURES,
    "curation.family": _EFFECTIVE,
    "curation.family_diff": _EFFECTIVE,
    "curation.family_member": _EFFECTIVE,
    "curation.freeze": _HEADS,
    "curation.grant_entry": _AUTHORITY,
    "curation.head": _HEADS,
    "curation.head_move": _HEADS,
    "curation.ledger": _AUTHORITY,
    "curation.passage_diff": _STRUCTURES,
    "curation.propagation_policy": _STRUCTURES,
    "curation.proposal": _STRUCTURES,
    "curation.quotation": _EFFECTIVE,
    "curation.review": _STRUCTURES,
    "curation.review_policy": _STRUCTURES,
    "curation.revocation": _AUTHORITY,
    "curation.succession": _EFFECTIVE,
    "curation.succession_member": _EFFECTIVE,
    "curation.supersession": _EFFECTIVE,
    "repetition.artifact": _CORPUS,
    "repetition.class": _CORPUS,
    "repetition.enumeration_exclusion": _CORPUS,
    "repetition.incident": _RELEASES,
    "repetition.occurrence": _CORPUS,
    "repetition.pointer_move": _RELEASES,
    "repetition.profile": _CORPUS,
    "repetition.release_set": _RELEASES,
    "repetition.release_set_member": _RELEASES,
    "repetition.repetition_release": _RELEASES,
    "repetition.root": _CORPUS,
    "repetition.seal": _CORPUS,
    "repetition.series": _RELEASES,
    "repetition.validation": _CORPUS,
    "repetition.visible": _RELEASES,
    "repetition.witness": _CORPUS,
    "repetition.witness_span": _CORPUS,
    "restricted.release_control": frozenset({AUDITOR}),
    "tekrar_meta.code": frozenset(),
    "tekrar_meta.migration": frozenset(),
}

#: Partitioned: their rows enter by a load alone, and their partitions are open to no role.
BULK: Final = frozenset(
    {
        "core.annotation",
        "core.book",
        "core.chapter",
        "core.dataset",
        "core.paragraph",
        "core.sentence",
        "core.separator",
        "core.text_block",
        "curation.candidate",
        "curation.candidate_participant",
        "curation.evidence",
        "repetition.class",
        "repetition.enumeration_exclusion",
        "repetition.occurrence",
        "repetition.witness",
        "repetition.witness_span",
    }
)

#: The only relations of facts whose rows move, one version at a time, every move kept beside them.
POINTERS: Final = frozenset({"curation.head", "repetition.visible"})

#: Indexes of what is in force: a row takes one change, its end.
ENDING: Final = frozenset({"curation.effective_choice", "curation.effective_membership"})

#: What the migration runner keeps for itself; no facts.
RUNNER: Final = frozenset({"tekrar_meta.code", "tekrar_meta.migration"})

#: Function of `api` -> the roles that may execute it. No other function of the schemas can be executed by
#: anybody,
#: except the runner's.
EXECUTE: Final[dict[str, frozenset[str]]] = {
    **{
        f"api.{name}": _READERS
        for name in (
            "open_records",
            "closed_candidates",
            "coverage",
            "get_occurrence",
            "list_classes",
            "list_duplicates",
            "listed",
            "number_at",
            "occurrence_status",
            "plain_witness",
            "refuse_absent",
            "refuse_argument",
            "refuse_torn",
            "release_of",
            "release_show",
            "releases",
            "semantic_coverage",
            "text_slice",
            "unresolved",
            "why",
            "witness_root",
        )
    },
    **{f"api.{name}": frozenset({PUBLISHER}) for name in ("prepare_publication", "publish", "withdraw")},
    **{
        f"api.{name}": frozenset({ADMINISTRATOR})
        for name in ("actor", "freeze", "grant_role", "revoke_grant")
    },
    "api.grants": _AUTHORITY,
    "api.row_counts": frozenset({AUDITOR}),
    "api.unsealed_rows": frozenset({AUDITOR}),
    "api.verify_ledger": _AUTHORITY,
    "api.export_ledger": _AUTHORITY,
    "api.not_found": frozenset(GRANTABLE),
    "api.require_scope": frozenset(GRANTABLE),
    "api.scopes": frozenset(GRANTABLE),
    "api.texts_in_scope": frozenset(GRANTABLE),
    **{
        f"api.{name}": frozenset({READER, CURATOR, REVIEWER})
        for name in ("profiles_to_read", "published_profiles", "published_texts", "texts_to_read")
    },
    "api.releases_to_read": frozenset(GRANTABLE),
    **{
        f"api.{name}": frozenset({CURATOR})
        for name in ("crosswalk", "drafts", "register_policy", "save_draft", "submit_proposal")
    },
    "api.review": frozenset({REVIEWER}),
    "api.verdicts_shown": frozenset({REVIEWER}),
    "api.apply": frozenset({CURATOR, REVIEWER}),
    **{f"api.{name}": _STRUCTURES for name in ("history", "list_proposals", "proposal")},
    **{
        f"api.{name}": _EFFECTIVE
        for name in (
            "bound_release",
            "canonical",
            "ending",
            "expands",
            "family_members",
            "in_force",
            "incident",
            "list_choices",
            "list_crosswalk",
            "list_families",
            "list_policies",
            "list_quotations",
            "list_repeats",
            "occurrence_at",
            "resolve",
            "structure_state",
            "why_no_structure",
        )
    },
    "api.page_size": frozenset(GRANTABLE),
    "api.sets_to_read": _READERS,
    "api.store_diffs": frozenset({CURATOR}),
    "api.passages": frozenset({CURATOR, REVIEWER}),
    "api.artifacts_in_scope": frozenset({PUBLISHER, AUDITOR}),
    "api.profiles_in_scope": _HEADS,
    "api.token": frozenset(GRANTABLE),
    "api.announce_candidates": frozenset({BUILDER}),
    "api.attach_artifact": frozenset({BUILDER}),
    "api.attach_candidates": frozenset({BUILDER}),
    "api.attach_text": frozenset({BUILDER}),
    "api.begin_artifact": frozenset({BUILDER}),
    "api.begin_candidates": frozenset({BUILDER}),
    "api.begin_text": frozenset({BUILDER}),
    "api.mark_candidates": frozenset({CURATOR}),
    "api.seal_artifact": frozenset({BUILDER}),
    "api.seal_candidates": frozenset({BUILDER}),
    "api.seal_text": frozenset({BUILDER}),
    "tekrar_meta.state": frozenset(ROLES),
}
