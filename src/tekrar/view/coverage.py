"""Coverage of an artifact: what was enumerated and what became of it, and what is not covered at all.

Numbers come from the artifact's manifest only. Exact and semantic coverage stand apart: `complete` says
that every item of a finite universe was decided, never that every similar passage was found (COV-12 to
COV-14, PRO-04).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tekrar.core.coverage import PARTS
from tekrar.core.policy import MATRIX
from tekrar.view.profile import ProfileView
from tekrar.view.status import NoOccurrence


def coverage_record(view: ProfileView) -> dict[str, Any]:
    """Coverage of one profile: the five numbers of COV-12, exact and semantic apart, and every count.

    Raises:
        IntegrityError: the manifest's numbers do not add up.
    """
    counts = view.coverage
    _adds_up(view, "emitted", PARTS)
    _adds_up(view, "inventory", ("emitted", "enumeration_exclusions"))
    _adds_up(view, "matched", ("published_items", "dominated_items", "provisional_items"))
    _adds_up(view, "discovered_classes", ("published_classes", "dominated_classes"))
    return {
        "profile": view.short,
        "profile_name": view.spec.name,
        "profile_id": view.id,
        "predicate": view.spec.predicate,
        "enumerator": counts["enumerator"],
        "granularity": view.spec.granularity,
        "universe": counts["emitted"],
        "exact": {
            "status": counts["exact_status"],
            "enumerator_inventory": counts["inventory"],
            "evaluated_work": counts["matched"] + counts["evaluated_unique"],
            "profile_exclusions": counts["excluded"],
            "dominated_matches": counts["dominated_items"],
            "typed_failures": counts["failed"],
        },
        "semantic": {"status": counts["semantic_status"]},
        "counts": {key: value for key, value in counts.items() if isinstance(value, int)},
    }


def _adds_up(view: ProfileView, total: str, terms: Sequence[str]) -> None:
    counts = view.coverage
    found = sum(int(counts[term]) for term in terms)
    if found != counts[total]:
        raise view.broken(f"{' + '.join(terms)} = {found}", expected=f"{total}, stated {counts[total]}")


def granularity_record(views: Sequence[ProfileView], token: str) -> dict[str, Any]:
    """Coverage of a granularity: its profiles, or the answer that no enumerator covers it.

    `-` and `_` are one in a token. A granularity without an enumerator is not covered, which says nothing
    about repetition.
    """
    wanted = token.replace("_", "-")
    found = [view for view in views if view.spec.granularity == wanted]
    known = list(dict.fromkeys(spec.granularity for spec in MATRIX))
    if not found:
        return {
            "granularity": token,
            "status": str(NoOccurrence.NOT_COVERED),
            "profiles": [],
            "why": f"No enumerator of these profiles emits {token}; covered are {' and '.join(known)}. "
            "Completeness is never claimed over other spans, and nothing is said about their repetition.",
        }
    return {
        "granularity": wanted,
        "status": "covered",
        "profiles": [coverage_record(view) for view in found],
        "why": f"Enumerated by {found[0].spec.enumerator}.",
    }
