"""What a build says, in the oracle's own terms; it looks at a `BuildResult`'s columns and calls nothing of
`src`."""

from __future__ import annotations

import itertools
from typing import Any

from tests.oracle.encoding import json_bytes
from tests.oracle.evaluation import Evaluation, Truth
from tests.oracle.roots import artifact_root, artifact_roots

PENDING = {1: "pending_evaluation", 2: "pending_peer_universe", 3: "pending_verification"}
FAILURE = {1: "missing_witness_bytes", 2: "digest_collision"}
KINDS = {"heading": 1, "note_body": 2, "note_marker": 3}
TREATMENTS = {"excluded_from_extent": 2, "masked_with_boundary": 3}


def rules_of(result: Any) -> dict[str, bytes]:
    """Canonical bytes of the rule documents a build bound; `test_core_policy` judges their content."""
    return {p.profile.spec.short: json_bytes(p.profile.document) for p in result.profiles}


def told(profile: Any) -> dict[str, Any]:
    """One `ProfileResult` as plain values."""
    part, classes = profile.partition, profile.classes
    offset = classes.groups.offset.tolist()
    groups = [classes.groups.rows[a:b].tolist() for a, b in itertools.pairwise(offset)]
    dominated = classes.dominated
    return {
        "extents": _extents(profile.universe),
        "occurrences": [row.tobytes() for row in profile.occurrence],
        "selections": [row.tobytes() for row in profile.selection],
        "fingerprints": {i: profile.fingerprint[i].tobytes() for i in profile.evaluated.tolist()},
        "mask_roots": [profile.witnesses.root[i] for i in profile.witnesses.of_row.tolist()],
        "witnesses": [_spans(profile, i) for i in profile.witnesses.of_row.tolist()],
        "matched": part.matched.tolist(),
        "unique": part.unique.tolist(),
        "not_evaluated": dict(
            zip(part.not_evaluated.tolist(), map(PENDING.get, part.pending.tolist()), strict=True)
        ),
        "failed": dict(zip(part.failed.tolist(), map(FAILURE.get, part.failure.tolist()), strict=True)),
        "excluded": part.excluded.tolist(),
        "empty": getattr(profile.universe, "empty", classes.groups.rows[:0]).tolist(),
        "classes": groups,
        "class_ids": [row.tobytes() for row in classes.id],
        "class_witnesses": [row.tobytes() for row in classes.witness],
        "dominated": {
            number: (winner, int(dominated.left[number]), int(dominated.right[number]))
            for number, winner in enumerate(dominated.winner.tolist())
            if winner >= 0
        },
        "provisional": part.provisional.tolist(),
        "published": part.published.tolist(),
        "dominated_items": part.dominated.tolist(),
        "partial": profile.partial,
    }


def _extents(universe: Any) -> list[tuple[int, int]]:
    start, end = universe.start.tolist(), universe.end.tolist()
    if not hasattr(universe, "reach"):
        return list(zip(start, end, strict=True))
    rows = zip(universe.row_sentence.tolist(), universe.row_length.tolist(), strict=True)
    return [(start[first], end[first + length - 1]) for first, length in rows]


def _spans(profile: Any, number: int) -> list[tuple[int, int, int, int, int]]:
    treated = profile.projection.treated
    found = []
    for which, index in profile.witnesses.hits[number]:
        t = treated[which]
        place = int(t.start[index]), int(t.end[index])
        found.append((*place, KINDS[t.annotation], TREATMENTS[t.treatment], t.reason))
    return sorted(found)


def expected(truth: Truth) -> dict[str, Any]:
    """One truth in the same shape."""
    rows = truth.occurrences
    by_first = sorted(truth.classes, key=lambda c: c.members[0])
    number = {id(c): i for i, c in enumerate(by_first)}
    dominated = {
        number[id(c)]: (number[id(truth.classes[c.winner])], c.left, c.right)
        for c in truth.classes
        if c.winner is not None
    }
    hidden = {i for c in truth.classes if c.winner is not None for i in c.members}
    matched = truth.rows("matched")
    return {
        "extents": [(o.start, o.end) for o in rows],
        "occurrences": [o.id.bytes for o in rows],
        "selections": [o.selection.bytes for o in rows],
        "fingerprints": {i: o.fingerprint for i, o in enumerate(rows) if o.fingerprint},
        "mask_roots": [o.mask_root for o in rows],
        "witnesses": [sorted(o.witness) for o in rows],
        "matched": matched,
        "unique": truth.rows("evaluated_unique"),
        "not_evaluated": {i: rows[i].code for i in truth.rows("not_evaluated")},
        "failed": {i: rows[i].code for i in truth.rows("failed")},
        "excluded": truth.rows("excluded"),
        "empty": truth.empty,
        "classes": [sorted(c.members) for c in by_first],
        "class_ids": [c.id.bytes for c in by_first if c.id is not None],
        "class_witnesses": [c.witness for c in by_first],
        "dominated": dominated,
        "provisional": matched if truth.partial else [],
        "published": [i for i in matched if i not in hidden and not truth.partial],
        "dominated_items": [i for i in matched if i in hidden],
        "partial": truth.partial,
    }


def assert_equal(result: Any, evaluation: Evaluation) -> None:
    """Every fact of every profile, then every root."""
    for profile in result.profiles:
        short = profile.profile.spec.short
        truth = evaluation.profiles[short]
        assert profile.profile.id == truth.profile.bytes
        found, wanted = told(profile), expected(truth)
        for fact, value in wanted.items():
            assert found[fact] == value, f"{short}: {fact}"
    for (name, found_root), (wanted_name, wanted_root) in zip(
        result.roots, artifact_roots(evaluation), strict=True
    ):
        assert name == wanted_name
        assert found_root == wanted_root, name
    assert result.artifact_root == artifact_root(evaluation)
