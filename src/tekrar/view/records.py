"""Answers as JSON records: the keys of contract C10, with exact text, context and reasons added."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.core.identity import uuid_text
from tekrar.view.answer import Answer, TreatedSpan, treated_spans
from tekrar.view.classes import class_id, class_record
from tekrar.view.open import Corpus
from tekrar.view.profile import PUBLISHED, ProfileView
from tekrar.view.query import Found
from tekrar.view.status import NoOccurrence, QueryStatus
from tekrar.view.wording import class_why, qualified, why

Ints = NDArray[np.int64]


def about(corpus: Corpus) -> dict[str, Any]:
    """The release and the artifact that every answer is about."""
    release = corpus.artifact.manifest["release"]
    return {
        "release": release["text_release"],
        "edition": release["edition"],
        "artifact_root": corpus.artifact.artifact_root.hex(),
    }


def scope_record(view: ProfileView) -> dict[str, Any]:
    """What a status holds for: profile, predicate and release (AMB-53)."""
    return {
        "profile": view.short,
        "profile_name": view.spec.name,
        "profile_id": view.id,
        "predicate": view.spec.predicate,
        "release": view.profile.artifact.text_release,
    }


def answer_record(corpus: Corpus, answer: Answer, *, context: int) -> dict[str, Any]:
    """One occurrence under one profile: status, place, text, reasons, class with every member."""
    view = answer.view
    return {
        "status": str(answer.status),
        "presentation": None if answer.presentation is None else str(answer.presentation),
        **scope_record(view),
        "occurrence": member_records(corpus, view, np.array([answer.row]), context=context)[0],
        "reasons": answer.reasons,
        "code": answer.code or None,
        "spans": [span_record(corpus, span) for span in answer.spans],
        "class": None if answer.number is None else full_class(corpus, view, answer.number, context=context),
        "why": why(answer),
    }


def full_class(corpus: Corpus, view: ProfileView, number: int, *, context: int) -> dict[str, Any]:
    """A class: C10's facts, its dominator with the strict extension, every member with text and context."""
    winner = int(view.classes["winner"][number])
    dominator = None
    if winner != PUBLISHED:
        dominator = {
            "class_id": class_id(view, winner),
            "left": int(view.classes["left"][number]),
            "right": int(view.classes["right"][number]),
            "length": int(view.class_length[winner]),
            "size": int(view.classes["size"][winner]),
        }
    rows = view.profile.class_members(number)
    members = member_records(corpus, view, rows, context=context)
    for member, adjacent in zip(members, corpus.places.adjacent(view, rows), strict=True):
        member["adjacent"] = adjacent
    return {
        **class_record(view, number),
        "witness": view.classes["witness"][number].tobytes().hex(),
        "dominated_by": dominator,
        "dominates": int((view.classes["winner"] == number).sum()),
        "members": members,
    }


def class_answer(corpus: Corpus, view: ProfileView, number: int, *, context: int) -> dict[str, Any]:
    """The answer to a class ID or group key."""
    return {
        "status": str(QueryStatus.MATCHED),
        "presentation": str(view.presentation(number)),
        **scope_record(view),
        "class": full_class(corpus, view, number, context=context),
        "why": f"An exact class {qualified(view)}; {class_why(view, number)}",
    }


def member_records(corpus: Corpus, view: ProfileView, rows: Ints, *, context: int) -> list[dict[str, Any]]:
    """Members in C10's keys, each with its address, exact text, context and what is masked in it."""
    places = corpus.places
    columns = (
        places.members(view, rows),
        places.addresses(view, rows),
        places.in_context(view, rows, sentences=context),
        rows.tolist(),
    )
    return [
        {**member, "address": str(address), **words, "masks": _masks(corpus, view, row)}
        for member, address, words, row in zip(*columns, strict=True)
    ]


def _masks(corpus: Corpus, view: ProfileView, row: int) -> list[dict[str, Any]]:
    spans = treated_spans(view, row)
    return [span_record(corpus, span) for span in spans if span.treatment == "masked_with_boundary"]


def span_record(corpus: Corpus, span: TreatedSpan) -> dict[str, Any]:
    """An annotation span with its reason and exact text."""
    return {
        "start": span.start,
        "end": span.end,
        "annotation": span.annotation,
        "treatment": span.treatment,
        "reason": span.reason,
        "selection": uuid_text(span.selection),
        "text": corpus.places.text(span.start, span.end),
    }


def absent_record(corpus: Corpus, found: Found) -> dict[str, Any]:
    """The answer where no enumerator emits an occurrence: never unique."""
    emitters = {
        view.spec.enumerator: {"enumerator": view.spec.enumerator, "universe": view.rows}
        for view in corpus.views()
    }
    common = {"release": corpus.artifact.text_release, "enumerators": list(emitters.values())}
    if found.empty_paragraph:
        return {
            "status": str(QueryStatus.EXCLUDED),
            **common,
            "reasons": ["empty_core_extent"],
            "why": "An empty paragraph: inventoried, left out of the enumeration; nothing to compare.",
        }
    return {
        "status": str(NoOccurrence.NOT_COVERED),
        **common,
        "reasons": [],
        "why": f"Not covered: {found.uncovered}. Nothing is said about whether its text repeats.",
    }
