"""Answers in plain sentences, each qualified by profile, predicate and release (AMB-53)."""

from __future__ import annotations

from tekrar.core.wording import EXCLUDED, FAILED, PENDING
from tekrar.view.answer import Answer
from tekrar.view.plain import counted
from tekrar.view.profile import ProfileView
from tekrar.view.status import Presentation, QueryStatus


def qualified(view: ProfileView) -> str:
    """`under FS (…) of release …`: what every status holds for."""
    return f"under {view.short} ({view.spec.name}) of release {view.profile.artifact.text_release}"


def things(view: ProfileView, count: int) -> str:
    """So many occurrences of a profile, in words."""
    if view.profile.is_runs:
        return counted(count, "run of sentences", "runs of sentences")
    return counted(count, "paragraph", "paragraphs")


def why(answer: Answer) -> str:
    """One sentence that says what the status means for this occurrence."""
    view, scope = answer.view, qualified(answer.view)
    if answer.problem:
        return f"The artifact gives no answer {scope}: {answer.problem}. This says nothing about repetition."
    if answer.status is QueryStatus.MATCHED and answer.number is not None:
        others = int(view.classes["size"][answer.number]) - 1
        return f"Matched with {things(view, others)} {scope}; {class_why(view, answer.number)}"
    if answer.status is QueryStatus.UNIQUE:
        return f"Unique {scope}: the complete universe was compared and holds no equal of it."
    if answer.status is QueryStatus.EXCLUDED:
        grounds = " and ".join(EXCLUDED[reason] for reason in answer.reasons)
        return f"Excluded {scope}: {grounds}. It was not compared, so it is neither unique nor repeated."
    if answer.status is QueryStatus.NOT_EVALUATED:
        return f"Not evaluated {scope}: {PENDING[answer.code]}. It is not known to be unique."
    return f"Failed {scope}: {FAILED[answer.code]}. It is not known to be unique or repeated."


def class_why(view: ProfileView, number: int) -> str:
    """How the class is presented, and for a dominated one by what: suppression is no rejection (DOM-08)."""
    shown = view.presentation(number)
    if shown is Presentation.PUBLISHED:
        return "its class is published."
    if shown is Presentation.PROVISIONAL:
        return "the group is provisional: other items are open, so no class is issued."
    left, right = (int(view.classes[side][number]) for side in ("left", "right"))
    winner = int(view.classes["winner"][number])
    return (
        "its class is true and kept as evidence, and is dominated: each of its members lies in a "
        f"member of a class of {int(view.class_length[winner])} sentences, "
        f"{left} more before it and {right} more after it."
    )
