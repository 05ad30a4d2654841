"""What a refusal of curation expects and how it is mended, where the database says no more than its kind.

`docs/curation.md` says what each kind means; the place is the item that the database names.
"""

from __future__ import annotations

from typing import Final

_COPY: Final = "correct it, or write the action with tekrar propose, which fills it in"
_AGAIN: Final = "look at what was decided meanwhile (tekrar history ID), and propose again"
_LEDGER: Final = "export the ledger again (tekrar ledger export); this one is not whole, or was altered"

#: Kind -> (expected, mend).
CURATION_WORDS: Final[dict[str, tuple[str, str]]] = {
    "already_reviewed": (
        "one review of each verdict from a reviewer",
        "the first review stands; a different verdict can still be given (tekrar review)",
    ),
    "candidate_mismatch": (
        "a candidate of a passage that the action is about",
        "name the candidate that was looked at, or none",
    ),
    "competing_choice": ("the choice in force, in `supersedes`", _AGAIN),
    "competing_membership": (
        "occurrences of no family in force, or of a predecessor",
        "leave the occurrence out, or propose replace, merge or restructure of its family",
    ),
    "digest_mismatch": (
        "the digest of the bytes, and approvals of these bytes",
        "copy the digest and the review's ID as tekrar proposals show prints them",
    ),
    "dominated_class": (
        "a class that no larger one covers",
        'name the larger class, or say "allow_dominated": "yes"',
    ),
    "double_membership": (
        "every occurrence once, directly or through its class",
        "take out the member that repeats it",
    ),
    "draft_closed": ("a draft that was not applied", "propose under another name (--draft NAME)"),
    "duplicate_key": ("every key once in an object", "take the second one out"),
    "edit_conflict": ("the newest version of the draft", "read it, bring both together, save on top of it"),
    "excluded_occurrence": (
        "an occurrence that the profile compares",
        "name another one; tekrar occurrence ID says why this one is excluded",
    ),
    "expected_state_mismatch": ("the state that the proposal was written against", _AGAIN),
    "float": ("decimal strings", "write numbers as strings"),
    "frozen": ("the freeze epoch of the submission", "propose again under the present epoch"),
    "incomplete_inventory": ("every occurrence of a class, and the whole expansion", _COPY),
    "incomplete_mapping": (
        "a line for every member of the predecessors, and for nothing else",
        "name for each the successors that it goes to, or the residue",
    ),
    "ledger_chain": ("an entry that follows on the one before", _LEDGER),
    "ledger_entry": ("an entry that follows from those before it", _LEDGER),
    "ledger_not_empty": (
        "a database without entries",
        "load artifact and candidates into a new database; no tekrar db init, which writes an entry",
    ),
    "malformed": ("the form of an action (docs/encoding.md, section 13)", _COPY),
    "mapping_differs": (
        "the successors in which all occurrences of the member stand",
        "correct the mapping, or leave it away and name what goes to the residue",
    ),
    "missing_diff": (
        "a diff from the reference member to each other one",
        "propose with tekrar propose, which derives them",
    ),
    "not_a_character": (
        "extents that begin and end between characters",
        "move the end to the next character",
    ),
    "not_a_member": (
        "an occurrence of the structure",
        "choose one of its members (tekrar resolve STRUCTURE)",
    ),
    "not_approved": ("an approved proposal", "have it reviewed (tekrar review)"),
    "not_canonical": ("RFC 8785 bytes", "write them canonically, or propose with tekrar propose"),
    "not_reviewable": (
        "a proposal that waits for reviews",
        "tekrar proposals queue lists them; what was ended by a review is revised and proposed again",
    ),
    "one_exact_class": (
        "members that are not all exact duplicates of each other",
        "exact duplicates need no decision: they are a class already",
    ),
    "outdated": ("the newest revision of the draft", "review and apply the newest revision"),
    "outside_occurrence": (
        "ranges inside the occurrence",
        "name the occurrence that holds them, or shorten the ranges",
    ),
    "override_needs_decision": (
        "a candidate that was not marked as a false positive",
        "propose override_false_positive, and have it reviewed",
    ),
    "policy_differs": (
        "one text and rule for each version of a policy",
        "give the policy's text as it was, or a new version",
    ),
    "policy_not_registered": (
        "a policy whose text is kept",
        "register it first: tekrar policies add FILE --name NAME --policy-version VERSION --rule RULE",
    ),
    "replay": ("an own replay that was begun in this transaction", "use tekrar ledger replay"),
    "selection_mismatch": ("the selection of the ranges", _COPY),
    "self_quotation": ("sides that share no byte", "name two different passages"),
    "self_review": ("someone other than the author", "someone else reviews it"),
    "shape": (
        "as many predecessors and successors as the operation has",
        "choose the operation that fits (docs/curation.md, Supersession)",
    ),
    "silent_rule": (
        "declared_source_edition, author_primary_placement, fullest_context or editorially_designated",
        "somebody chooses, under one of these rules",
    ),
    "source_uncertain": (
        "verbatim_quotation, adapted_quotation or formulaic_reuse",
        "it stays open; propose a revision that names one of these kinds (--draft NAME)",
    ),
    "stale_diff": (
        "a diff of these occurrences with the witnesses that they have",
        "derive the diffs again, and propose with their IDs",
    ),
    "too_large": (
        "at most 67108864 bytes of diffs in one decision",
        "propose fewer members in one decision",
    ),
    "superseded_twice": (
        "a structure or event that is in force",
        "act on its successors (tekrar resolve ID --current)",
    ),
    "tag_mismatch": (
        "an ID of what its tag or place says",
        "correct the tag, or the ID (tekrar resolve ID says what it is)",
    ),
    "unequal_verbatim": (
        "equal bytes in every pair, and both selections mapped whole",
        "correct the extents, or propose an adapted_quotation",
    ),
    "unknown_kind": ("a word of the closed list", "choose one of the list (docs/curation.md)"),
    "unknown_operation": (
        "an operation of curation",
        "choose one of the list (docs/curation.md)",
    ),
    "witness_mismatch": ("the witness that the text has in this profile", _COPY),
}
