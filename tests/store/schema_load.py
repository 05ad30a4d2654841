"""A tiny text release and artifact in the database, row by row, with every part of the exact work.

Invented: the IDs and roots stand for what a build gives; only the shapes and the counts are true.
"""

from __future__ import annotations

import hashlib
import json
import uuid
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from tekrar.core.identity import members_digest
from tekrar.store.session import Connection

SENTENCES = ("Su akar.", "Taş durur.", "Su akar.", "Taş durur.", "Kuş uçar.", "Gül\x00solar.")
#: Sentences of each paragraph; an empty one stands between.
PARAGRAPHS = (2, 2, 0, 1, 1)

Row = tuple[Any, ...]


def sha(*parts: str | bytes) -> bytes:
    return hashlib.sha256(b"\x1f".join(p.encode() if isinstance(p, str) else p for p in parts)).digest()


def name(*parts: str) -> uuid.UUID:
    return uuid.uuid5(uuid.UUID("00000000-0000-5000-8000-000000000001"), "/".join(parts))


@dataclass(frozen=True)
class Loaded:
    """What a load left: keys and IDs by profile and row."""

    release_key: int
    artifact_key: int
    artifact_root: bytes
    text_release: uuid.UUID
    text: bytes
    profiles: dict[str, int]
    profile_ids: dict[str, uuid.UUID]

    def occurrence(self, short: str, row: int) -> uuid.UUID:
        return name(str(self.text_release), short, str(row))

    def exact_class(self, short: str, number: int) -> uuid.UUID:
        return name(str(self.text_release), short, "class", str(number))


@dataclass(frozen=True)
class Text:
    """Columns of the release: bytes, sentence, separator and paragraph rows without their key."""

    data: bytes
    sentences: list[Row]
    separators: list[Row]
    paragraphs: list[Row]


def tiny_text(prefix: str = "") -> Text:
    data, atom = b"", 0
    sentences: list[Row] = []
    separators: list[Row] = []
    paragraphs: list[Row] = []
    which = iter(SENTENCES)
    for number, count in enumerate(PARAGRAPHS):
        begin, first, first_atom = len(data), len(sentences), atom
        for i in range(count):
            if i:
                separators.append((atom, 1, len(data), len(data) + 1))
                data, atom = data + b" ", atom + 1
            start = len(data)
            data += (prefix + next(which)).encode()
            sentences.append((len(sentences), number, atom, start, len(data)))
            atom += 1
        paragraphs.append((number, 0, number + 1, None, False, first, count, first_atom, begin, len(data)))
        separators.append((atom, 2, len(data), len(data) + 2))
        data, atom = data + b"\n\n", atom + 1
    return Text(data, sentences, separators, paragraphs)


def copy(connection: Connection, target: str, key: int, rows: list[Row], columns: str = "") -> None:
    table = sql.SQL("COPY {} {} FROM STDIN").format(sql.Identifier(*target.split(".")), sql.SQL(columns))
    with connection.cursor().copy(table) as stream:
        for row in rows:
            stream.write_row((key, *row))


def load_text(
    connection: Connection, *, edition: str, prefix: str = "", language: str = "tr"
) -> tuple[int, uuid.UUID, Text]:
    """Load the tiny release as the transaction's role."""
    text = tiny_text(prefix)
    manifest = json.dumps(
        {
            "books": 1,
            "chapters": 1,
            "paragraphs": len(text.paragraphs),
            "sentences": len(text.sentences),
            "edition": edition,
            "digest": sha(text.data).hex(),
        }
    ).encode()
    certified, root, release = (
        sha("certified", text.data),
        hashlib.sha256(manifest).digest(),
        name(edition, prefix),
    )
    began = connection.execute(
        "SELECT api.begin_text(%s, %s, %s, 'source', %s, %s, %s, %s)",
        (release, edition, language, certified, root, manifest, len(text.data)),
    ).fetchone()
    assert began is not None
    key, targets = began[0]["release_key"], began[0]["targets"]
    if began[0]["sealed"]:
        return key, release, text
    copy(connection, targets["core.text_block"], key, [(0, text.data)])
    copy(connection, targets["core.book"], key, [(0, b"bah\x00ce", None, False, 0, 1, 0, len(text.data))])
    whole = (0, len(text.paragraphs), 0, len(text.sentences), 0, len(text.data))
    copy(connection, targets["core.chapter"], key, [(0, 0, 1, b"Kuyu", *whole)])
    named = [
        (*row, 0, b"bah\x00ce", 1, b"Kuyu", 1, row[0] + 1, "bahçe.jsonl".encode(), sha("bahçe.jsonl"))
        for row in text.paragraphs
    ]
    copy(connection, targets["core.paragraph"], key, named)
    copy(connection, targets["core.sentence"], key, text.sentences)
    copy(connection, targets["core.separator"], key, text.separators)
    copy(
        connection,
        targets["core.dataset"],
        key,
        [(k, sha("dataset", str(k)), certified, int(k == 1)) for k in (1, 2, 3)],
    )
    start, end = text.sentences[5][3], text.sentences[5][4]
    copy(connection, targets["core.annotation"], key, [(1, 0, start, end, name("span"), 0, b"")])
    connection.execute("SELECT api.attach_text(%s)", (key,))
    connection.execute("SELECT api.seal_text(%s, %s, %s, %s)", (key, certified, root, b"{}"))
    return key, release, text


#: (part, code, class, presentation) of the paragraphs 0, 1, 3, 4 and of the four runs of the chapter that
#: are kept.
STATES: dict[str, list[tuple[int, int | None, int | None, int | None]]] = {
    "FP": [(1, None, 0, 1), (1, None, 0, 1), (2, None, None, None), (2, None, None, None)],
    "PP": [(1, None, 0, 3), (1, None, 0, 3), (3, 2, None, None), (4, 2, None, None)],
    "FS": [(1, None, 0, 2), (1, None, 1, 1), (1, None, 0, 2), (1, None, 1, 1), (2, None, None, None)],
    "PS": [
        (3, 1, None, None),
        (3, 2, None, None),
        (3, 3, None, None),
        (5, 1, None, None),
        (4, 2, None, None),
    ],
}
MATRIX = {
    "FP": ("full_context_v1", "whole_paragraph_v1", "exact_passage_bytes"),
    "FS": ("full_context_v1", "sentence_run_2_12_v1", "exact_sentence_sequence"),
    "PP": ("prose_only_v1", "whole_paragraph_v1", "exact_passage_bytes"),
    "PS": ("prose_only_v1", "sentence_run_2_12_v1", "exact_sentence_sequence"),
}
PARTIAL = ("PP", "PS")
#: What the rule documents say of dominance and stop patterns.
RULE = "maximal_only"


def occurrence_rows(short: str, text: Text, release: uuid.UUID) -> list[Row]:
    if short in ("FP", "PP"):
        units = [(p[0], 1, p[8], p[9]) for p in text.paragraphs if p[6]]
    else:
        runs = ((0, 2), (0, 3), (2, 2), (2, 3), (4, 2))
        units = [(i, k, text.sentences[i][3], text.sentences[i + k - 1][4]) for i, k in runs]
    rows: list[Row] = []
    for row, ((unit, length, start, end), state) in enumerate(zip(units, STATES[short], strict=True)):
        part, code, number, presentation = state
        evaluated = part in (1, 2) or (part, code) == (3, 2)
        fingerprint = sha(short, str(number) if number is not None else f"row {row}") if evaluated else None
        rows.append(
            (
                row,
                name(str(release), short, str(row)),
                name(str(release), "selection", str(start), str(end)),
                start,
                end - start,
                unit,
                int(part == 4),
                number,
                length,
                part,
                code,
                presentation,
                fingerprint,
                *_derived(short, release, text, (unit, length, part, number)),
            )
        )
    return rows


def _derived(short: str, release: uuid.UUID, text: Text, of: tuple[int, int, int, int | None]) -> Row:
    """Paragraphs, class, group, size, reasons and the end, as they stand beside an occurrence."""
    unit, length, part, number = of
    places = (
        [unit, unit] if short in ("FP", "PP") else [text.sentences[i][1] for i in (unit, unit + length - 1)]
    )
    ends = (None, None)
    if places[1] > places[0]:
        ends = (None, text.sentences[unit + length - 1][4] - text.paragraphs[places[1]][8])
    if number is None:
        return (*places, None, None, None, 1 if part == 4 else None, *ends)
    size = sum(state[2] == number for state in STATES[short])
    if short == "PP":
        return (*places, None, sha("witness", short, str(number)), size, None, *ends)
    return (*places, name(str(release), short, "class", str(number)), None, size, None, *ends)


def class_rows(short: str, release: uuid.UUID) -> list[Row]:
    partial, rows = short == "PP", []
    numbers = sorted({state[2] for state in STATES[short] if state[2] is not None})
    for number in numbers:
        members = [row for row, state in enumerate(STATES[short]) if state[2] == number]
        dominated = STATES[short][members[0]][3] == 2
        rows.append(
            (
                number,
                None if partial else name(str(release), short, "class", str(number)),
                len(members),
                1 if short in ("FP", "PP") else 2 + number,
                None
                if partial
                else members_digest([name(str(release), short, str(row)).bytes for row in members]),
                sha("witness", short, str(number)),
                *((1, 0, 1) if dominated else (None, None, None)),
                members[0],
            )
        )
    return rows


def coverage_of(short: str, classes: list[Row], exclusions: int) -> dict[str, Any]:
    states = STATES[short]
    parts = dict(
        zip(("matched", "evaluated_unique", "not_evaluated", "excluded", "failed"), range(1, 6), strict=True)
    )
    shown = {"published_items": 1, "dominated_items": 2, "provisional_items": 3}
    issued = [row for row in classes if row[1] is not None]
    return {
        "profile": short,
        "exact_status": "partial" if short in PARTIAL else "complete",
        "semantic_status": "not_assessed",
        "emitted": len(states),
        "enumeration_exclusions": exclusions,
        **{fact: sum(s[0] == number for s in states) for fact, number in parts.items()},
        **{fact: sum(s[3] == number for s in states) for fact, number in shown.items()},
        "discovered_classes": len(issued),
        "dominated_classes": sum(row[6] is not None for row in issued),
        "published_classes": sum(row[6] is None for row in issued),
        "provisional_groups": len(classes) - len(issued),
    }


def load(
    connection: Connection,
    *,
    edition: str = "bahçe",
    prefix: str = "",
    language: str = "tr",
    policy: str = "policy",
) -> Loaded:
    """Load and seal the tiny release and its artifact in the caller's transaction and role."""
    key, release, text = load_text(connection, edition=edition, prefix=prefix, language=language)
    root, ids, profiles = sha("artifact", str(release)), {}, []
    for short, (projection, enumerator, predicate) in MATRIX.items():
        exclusions = int(short in ("FP", "PP"))
        document = json.dumps(
            {"profile": short, "release": str(release), "rule": RULE}, separators=(",", ":")
        )
        ids[short] = name(str(release), short, "profile")
        profiles.append(
            {
                "short": short,
                "profile": str(ids[short]),
                "document": document,
                "projection": projection,
                "enumerator": enumerator,
                "predicate": predicate,
                "partial": short in PARTIAL,
                "exact_status": "partial" if short in PARTIAL else "complete",
                "coverage": json.dumps(coverage_of(short, class_rows(short, release), exclusions)),
                "projection_root": sha("projection", short).hex(),
                "validation": {"profile": (sha("p") + sha("r")).hex(), "text-release": sha("t").hex()},
            }
        )
    roots = [
        ["text-release", sha("text", str(release)).hex()],
        ["dataset/headings", sha("dataset", "1").hex()],
        ["dataset/note-bodies", sha("dataset", "2").hex()],
        ["dataset/note-markers", sha("dataset", "3").hex()],
        ["policy", sha(policy).hex()],
    ]
    kinds = (
        "work",
        "inventory",
        "evidence",
        "matched",
        "evaluated-unique",
        "not-evaluated",
        "failed",
        "excluded",
        "published",
        "provisional",
        "classes",
        "membership",
        "dominated-items",
        "dominated-classes",
        "enumeration-exclusions",
        "dataset-headings",
        "dataset-note-bodies",
        "dataset-note-markers",
        "validation",
        "compiler",
    )
    roots += [
        ["/".join(MATRIX[s]) + "/" + kind, sha(s, kind, str(release)).hex()] for s in MATRIX for kind in kinds
    ]
    facts = {
        "artifact_root": root.hex(),
        "text_release": str(release),
        "policy_name": "repetition-scope-policy-v1",
        "policy_digest": sha(policy).hex(),
        "language": "tr",
        "roots": roots,
        "profiles": profiles,
    }
    began = connection.execute(
        "SELECT api.begin_artifact(%s::jsonb, %s, %s)", (json.dumps(facts), b"{}", b"{}")
    ).fetchone()
    assert began is not None
    artifact, opened = began[0]["artifact_key"], began[0]["profiles"]
    keys = {short: one["profile_key"] for short, one in opened.items()}
    if not began[0]["sealed"]:
        for short, one in opened.items():
            _copy_profile(connection, short, one, text, release)
        connection.execute("SELECT api.attach_artifact(%s)", (artifact,))
        connection.execute("SELECT api.seal_artifact(%s, %s)", (artifact, root))
    return Loaded(key, artifact, root, release, text.data, keys, ids)


def _copy_profile(
    connection: Connection, short: str, one: dict[str, Any], text: Text, release: uuid.UUID
) -> None:
    key, targets = one["profile_key"], one["targets"]
    copy(connection, targets["repetition.occurrence"], key, occurrence_rows(short, text, release))
    copy(connection, targets["repetition.class"], key, class_rows(short, release))
    copy(connection, targets["repetition.witness"], key, [(0, sha("empty")), (1, sha("heading"))])
    start, end = text.sentences[5][3], text.sentences[5][4]
    if short in ("PP", "PS"):
        copy(connection, targets["repetition.witness_span"], key, [(1, start, end, 1, 2, 2, name("span"))])
    if short in ("FP", "PP"):
        copy(connection, targets["repetition.enumeration_exclusion"], key, [(2, 1)])
