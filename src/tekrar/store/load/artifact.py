"""An artifact's columns as rows of the repetition tables."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.artifact.reader import Artifact, ArtifactProfile
from tekrar.core.encoding import canonical_json
from tekrar.core.policy import FAILURE_CODES, MATRIX, PENDING_CODES, REASONS, TREATMENTS
from tekrar.core.text import TextRelease
from tekrar.errors import IntegrityError
from tekrar.store.load.columns import Column
from tekrar.store.load.text import Tables, ends_of

Ints = NDArray[np.int64]

#: Numbers of the parts and presentations in `repetition.occurrence`.
PARTS = {"matched": 1, "evaluated-unique": 2, "not-evaluated": 3, "excluded": 4, "failed": 5}
PRESENTATIONS = {"published": 1, "dominated": 2, "provisional": 3}


def artifact_facts(artifact: Artifact) -> str:
    """The JSON that `api.begin_artifact` takes."""
    manifest = artifact.manifest
    profiles = []
    for spec in MATRIX:
        stated = manifest["profiles"][spec.short]
        profiles.append(
            {
                "short": spec.short,
                "profile": stated["id"],
                "document": canonical_json(stated["document"]).decode("ascii"),
                "projection": spec.projection,
                "enumerator": spec.enumerator,
                "predicate": spec.predicate,
                "partial": stated["partial"],
                "exact_status": stated["coverage"]["exact_status"],
                "coverage": canonical_json(stated["coverage"]).decode("ascii"),
                "projection_root": stated["projection_root"],
                "validation": stated["validation"],
            }
        )
    facts = {
        "artifact_root": manifest["artifact_root"],
        "text_release": artifact.text_release,
        "policy_name": manifest["policy"]["name"],
        "policy_digest": manifest["policy"]["digest"],
        "language": manifest["policy"]["language"],
        "roots": manifest["roots"],
        "profiles": profiles,
    }
    return json.dumps(facts)


def profile_tables(profile: ArtifactProfile, text: TextRelease) -> Tables:
    """Columns of the five tables of a profile over a text release, by table, without `profile_key`."""
    return {
        "repetition.occurrence": _occurrences(profile, text),
        "repetition.class": _classes(profile),
        "repetition.witness": [
            Column("witness", "int4", np.arange(len(profile.table("witnesses")["root"]))),
            Column("root", "digest", profile.table("witnesses")["root"]),
        ],
        "repetition.witness_span": _witness_spans(profile),
        "repetition.enumeration_exclusion": _exclusions(profile),
    }


def _units(profile: ArtifactProfile) -> tuple[Ints, Ints]:
    """First unit and length of every row: a paragraph and 1, or a sentence and the run's sentences."""
    if not profile.is_runs:
        ordinal = profile.artifact.paragraphs["ordinal"]
        return ordinal, np.ones(len(ordinal), np.int64)
    more = profile.artifact.sentences["reach"].astype(np.int64) - 1
    sentence = np.repeat(np.arange(len(more)), more)
    return sentence, np.arange(len(sentence)) - np.repeat(profile.first_row[:-1], more) + 2


def _occurrences(profile: ArtifactProfile, text: TextRelease) -> list[Column]:
    count = profile.rows
    part, code, presentation = (np.zeros(count, np.int64) for _ in range(3))
    class_no = np.full(count, -1, np.int64)
    for name, number in PARTS.items():
        table = profile.table(name)
        # Every row has one part: the artifact's own partition, or the one_state constraint refuses the row.
        part[table["row"]] = number
        if "code" in table:
            code[table["row"]] = table["code"]
    class_no[profile.matched["row"]] = profile.matched["class"]
    for name, number in PRESENTATIONS.items():
        presentation[profile.table(name)["row"]] = number
    columns = profile.occurrences
    excluded = profile.table("excluded")["row"]
    code[excluded] = _primary_reasons(profile)[columns["witness"][excluded]]
    start, end = profile.extents()
    unit, length = _units(profile)
    if not len(start) == len(unit) == len(profile.selection) == count:
        raise IntegrityError(
            f"{count} occurrences over {len(unit)} units",
            where=f"{profile.artifact.path}: {profile.short}/occurrences",
            expected="one row a unit",
            mend="build the artifact again",
            kind="bad_table",
        )
    paragraph, last = _paragraphs(profile, unit, length)
    return [
        Column("row_no", "int4", np.arange(count)),
        Column("occurrence", "uuid", columns["occurrence"]),
        Column("selection", "uuid", profile.selection),
        Column("start_byte", "int8", start),
        Column("extent", "int4", end - start),
        Column("unit", "int4", unit),
        Column("witness", "int4", columns["witness"]),
        Column("class_no", "int4", class_no, class_no >= 0),
        Column("length", "int2", length),
        Column("part", "int2", part),
        Column("code", "int2", code, code > 0),
        Column("presentation", "int2", presentation, presentation > 0),
        Column("fingerprint", "digest", columns["fingerprint"], evaluated(part, code)),
        Column("paragraph", "int4", paragraph),
        Column("last_paragraph", "int4", last),
        *_class_of(profile, class_no),
        Column("reasons", "int2", _all_reasons(profile)[columns["witness"]], part == PARTS["excluded"]),
        *ends_of(text, paragraph, last, end),
    ]


def _paragraphs(profile: ArtifactProfile, unit: Ints, length: Ints) -> tuple[Ints, Ints]:
    """Ordinals of the first and the last paragraph of every row."""
    if not profile.is_runs:
        return unit, unit
    # Sentences lie in paragraphs that are not empty, whose starts ascend.
    paragraphs = profile.artifact.paragraphs
    place = np.searchsorted(paragraphs["start"], profile.artifact.sentences["start"], side="right") - 1
    of_sentence = paragraphs["ordinal"][place]
    return of_sentence[unit], of_sentence[unit + length - 1]


def _class_of(profile: ArtifactProfile, class_no: Ints) -> list[Column]:
    """Beside every matched row its class or provisional group, and the size of it."""
    table, matched = profile.classes, class_no >= 0
    count, issued = len(table["size"]), len(table["class"]) > 0
    number = np.where(matched, class_no, 0)

    def beside(values: NDArray[Any], width: int) -> NDArray[Any]:
        none = np.zeros((len(class_no), width), np.uint8)
        return values[number] if count and len(values) else none

    size = table["size"][number] if count else np.zeros(len(class_no), np.int64)
    return [
        Column("class", "uuid", beside(table["class"], 16), matched & issued),
        Column("group_key", "digest", beside(table["witness"], 32), matched & (not issued)),
        Column("class_size", "int4", size, matched),
    ]


def evaluated(part: NDArray[Any], code: NDArray[Any]) -> NDArray[np.bool_]:
    """Rows that have a fingerprint (docs/encoding.md section 8): an item put off or unreadable has none."""
    pending = (part == PARTS["not-evaluated"]) & (code == PENDING_CODES["pending_peer_universe"])
    collided = (part == PARTS["failed"]) & (code == FAILURE_CODES["digest_collision"])
    return np.asarray((part == PARTS["matched"]) | (part == PARTS["evaluated-unique"]) | pending | collided)


def _primary_reasons(profile: ArtifactProfile) -> Ints:
    """For every witness the first exclusion reason in the ADR's order; 0 where it excludes nothing."""
    spans = profile.table("witness-spans")
    none = max(REASONS.values()) + 1
    reason = np.full(len(profile.table("witnesses")["root"]), none, np.int64)
    excludes = spans["treatment"] == TREATMENTS["excluded_from_extent"]
    np.minimum.at(reason, spans["witness"][excludes], spans["reason"][excludes].astype(np.int64))
    return np.where(reason == none, 0, reason)


def _all_reasons(profile: ArtifactProfile) -> Ints:
    """For every witness the set of its exclusion reasons: 1 heading, 2 note body, 3 both."""
    spans = profile.table("witness-spans")
    reasons = np.zeros(len(profile.table("witnesses")["root"]), np.int64)
    excludes = spans["treatment"] == TREATMENTS["excluded_from_extent"]
    np.bitwise_or.at(reasons, spans["witness"][excludes], spans["reason"][excludes].astype(np.int64) - 1)
    return reasons


def _classes(profile: ArtifactProfile) -> list[Column]:
    table, count = profile.classes, len(profile.table("classes")["size"])
    issued = np.full(count, len(table["class"]) > 0)
    offset, rows = profile.members
    if (np.diff(offset) < 1).any():
        raise IntegrityError(
            f"class {int(np.flatnonzero(np.diff(offset) < 1)[0])} has no member",
            where=f"{profile.artifact.path}: {profile.short}/classes",
            expected="two members or more",
            mend="build the artifact again",
            kind="bad_table",
        )
    first = rows[offset[:-1]]
    dominated = table["winner"] >= 0
    _, length = _units(profile)
    none = np.zeros((count, 32), np.uint8)
    return [
        Column("class_no", "int4", np.arange(count)),
        Column("class", "uuid", table["class"] if issued.all() else none[:, :16], issued),
        Column("size", "int4", table["size"]),
        Column("length", "int2", length[first]),
        Column("members", "digest", table["members"] if issued.all() else none, issued),
        Column("witness", "digest", table["witness"]),
        Column("winner", "int4", table["winner"], dominated),
        Column("left_extension", "int2", table["left"], dominated),
        Column("right_extension", "int2", table["right"], dominated),
        Column("first_row", "int4", first),
    ]


def _witness_spans(profile: ArtifactProfile) -> list[Column]:
    table = profile.table("witness-spans")
    return [
        Column("witness", "int4", table["witness"]),
        Column("start_byte", "int8", table["start"]),
        Column("end_byte", "int8", table["end"]),
        *(Column(name, "int2", table[name].astype(np.int64)) for name in ("kind", "treatment", "reason")),
        Column("selection", "uuid", table["selection"]),
    ]


def _exclusions(profile: ArtifactProfile) -> list[Column]:
    empty = profile.artifact.columns("units/empty-paragraphs")["ordinal"]
    empty = empty[:0] if profile.is_runs else empty
    return [
        Column("paragraph", "int4", empty),
        Column("reason", "int2", np.full(len(empty), REASONS["empty_core_extent"], np.int64)),
    ]
