"""Everything an artifact should hold, recomputed from the text release.

Serves ADR-009 *Complete work partition* and *Publication and rebuild closure*. Only failed and deferred
rows, and the fingerprints of collided ones, are taken from the artifact (see `tekrar.verify.states`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from tekrar.core.policy import PROSE_ONLY, RUNS, ProfileSpec, ScopePolicy, scope_policy
from tekrar.core.profile import Profile, profile_for
from tekrar.core.text import DATASETS
from tekrar.corpus.release_package import OpenRelease
from tekrar.verify.classes import PUBLISHED, Classes, classes_of
from tekrar.verify.columns import Columns
from tekrar.verify.digests import (
    occurrence_ids,
    passage_fingerprints,
    passage_witness,
    run_fingerprints,
    run_selections,
    run_witness,
)
from tekrar.verify.passages import Masks, Projected, passage_items, project_sentences, repeated_runs
from tekrar.verify.result import Findings
from tekrar.verify.states import Stated, States, check_buckets, check_missing_runs, stated_rows, states
from tekrar.verify.universe import (
    Spans,
    Universe,
    active_spans,
    paragraphs_universe,
    runs_universe,
    sentence_reach,
    span_selections,
)
from tekrar.verify.uuid5 import name_state, uuid_text
from tekrar.verify.witnesses import RowWitnesses, row_witnesses

Ints = NDArray[np.int64]
Bytes2D = NDArray[np.uint8]


@dataclass
class Basis:
    """What all four profiles share: policy, universes, selections, annotation spans, projected sentences."""

    opened: OpenRelease
    _projected: dict[str, Projected] = field(default_factory=dict)

    @cached_property
    def policy(self) -> ScopePolicy:
        """The scope policy of the release's language (C8)."""
        return scope_policy(self.opened.release.language)

    @cached_property
    def reach(self) -> NDArray[np.int32]:
        """Length of the longest run from every sentence."""
        return sentence_reach(self.opened.release)

    @cached_property
    def occupied(self) -> Ints:
        """Ordinals of the non-empty paragraphs."""
        return np.flatnonzero(self.opened.release.paragraph_sentences > 0)

    @cached_property
    def empty(self) -> Ints:
        """Ordinals of the empty paragraphs."""
        return np.flatnonzero(self.opened.release.paragraph_sentences == 0)

    @cached_property
    def runs(self) -> Universe:
        """The universe of both run profiles."""
        release = self.opened.release
        return runs_universe(release.sentence_start, release.sentence_end, self.reach)

    @cached_property
    def paragraphs(self) -> Universe:
        """The universe of both paragraph profiles."""
        release = self.opened.release
        return paragraphs_universe(
            release.paragraph_start[self.occupied], release.paragraph_end[self.occupied]
        )

    @cached_property
    def run_selection(self) -> Bytes2D:
        """Selection UUIDs of all runs."""
        return run_selections(self.opened.id, self.runs)

    @cached_property
    def paragraph_selection(self) -> Bytes2D:
        """Selection UUIDs of all non-empty paragraphs."""
        return span_selections(self.opened.id, self.paragraphs.start, self.paragraphs.end)

    @cached_property
    def span_selection(self) -> dict[str, Bytes2D]:
        """Selection UUIDs of every annotation span."""
        datasets = self.opened.release.datasets
        return {
            kind: span_selections(self.opened.id, one.start, one.end)
            for kind in DATASETS
            if (one := datasets[kind]) is not None
        }

    def spans(self, projection: str) -> list[Spans]:
        """Masked and excluded spans of a projection."""
        return active_spans(self.opened.release, self.policy, projection, self.span_selection)

    def projected(self, projection: str) -> Projected:
        """Projected sentences; only the last projection asked for is kept."""
        if projection not in self._projected:
            self._projected.clear()
            masks = Masks(self.spans(projection))
            self._projected[projection] = project_sentences(self.opened.release, masks)
        return self._projected[projection]

    def profile(self, spec: ProfileSpec) -> Profile:
        """The profile of a matrix row for this release."""
        opened = self.opened
        return profile_for(
            self.policy,
            spec,
            release=opened.id,
            manifest_root=opened.manifest_root,
            language=opened.release.language,
        )

    def common_tables(self) -> Iterator[tuple[str, Columns]]:
        """The tables of the whole artifact."""
        runs, paragraphs = self.runs, self.paragraphs
        yield "units/sentences", {"start": runs.start, "end": runs.end, "reach": self.reach}
        yield (
            "units/paragraphs",
            {"ordinal": self.occupied, "start": paragraphs.start, "end": paragraphs.end},
        )
        yield "units/empty-paragraphs", {"ordinal": self.empty}
        yield "selections/paragraphs", {"selection": self.paragraph_selection}
        yield "selections/runs", {"selection": self.run_selection}


@dataclass
class Recomputed:
    """One profile as it should be.

    Attributes:
        profile, universe, selection, witnesses, states, classes: the parts.
        tables: columns by table, under the witness numbers that the artifact uses.
    """

    profile: Profile
    universe: Universe
    selection: Bytes2D
    witnesses: RowWitnesses
    states: States
    classes: Classes
    tables: dict[str, Columns]


def recompute(
    basis: Basis,
    spec: ProfileSpec,
    stated_tables: dict[str, Columns],
    *,
    missing_elsewhere: NDArray[np.bool_] | None,
    findings: Findings,
) -> tuple[Recomputed, NDArray[np.bool_]]:
    """Recompute one profile.

    Args:
        basis: the release.
        spec: row of the matrix.
        stated_tables: the artifact's own columns; read are failed, not-evaluated, collided fingerprints,
            witness numbers.
        missing_elsewhere: rows of the same enumerator that failed for missing bytes under the full-context
            projection.
        findings: gets what does not fit together.

    Returns:
        the profile and its rows of missing bytes.
    """
    profile = basis.profile(spec)
    is_runs = spec.enumerator == RUNS
    universe = basis.runs if is_runs else basis.paragraphs
    selection = basis.run_selection if is_runs else basis.paragraph_selection
    witnesses = row_witnesses(universe, basis.spans(spec.projection), projection=spec.projection)
    stated = stated_rows(findings, profile=spec.short, tables=stated_tables, excluded=witnesses.excluded)
    if is_runs:
        check_missing_runs(universe, stated, witnesses.excluded, findings, profile=spec.short)
    _check_missing_pair(findings, spec, stated, witnesses, missing_elsewhere)
    content = _RunContent(basis, spec) if is_runs else _PassageContent(basis, spec)
    partition = states(
        stated,
        witnesses.excluded,
        content.repeated(),
        findings=findings,
        profile=spec.short,
    )
    occurrences = occurrence_ids(_mask_states(profile, witnesses), witnesses.number, selection)
    classes = classes_of(
        partition.matched,
        partition.group,
        profile=profile,
        occurrences=occurrences,
        witness_of=content.witness,
        universe=universe,
        partial=partition.partial,
    )
    fingerprints = content.fingerprints(profile, partition.fingerprinted)
    theirs = stated_tables["occurrences"]["fingerprint"]
    if len(theirs) == len(fingerprints):
        fingerprints[partition.collided] = theirs[partition.collided]
    check_buckets(partition, fingerprints, findings, profile=spec.short, passages=not is_runs)
    found = Recomputed(profile, universe, selection, witnesses, partition, classes, {})
    found.tables = _tables(found, occurrences, fingerprints)
    return found, stated.missing


def _check_missing_pair(
    findings: Findings,
    spec: ProfileSpec,
    stated: Stated,
    witnesses: RowWitnesses,
    elsewhere: NDArray[np.bool_] | None,
) -> None:
    """Unreadable bytes are a fact of the release: both projections name the same rows, exclusions apart."""
    if spec.projection != PROSE_ONLY or elsewhere is None:
        return
    differs = np.flatnonzero((elsewhere & ~witnesses.excluded) != stated.missing)
    if len(differs):
        findings.add(
            profile=spec.short,
            kind="failed",
            place=f"{spec.short}/failed",
            row=int(differs[0]),
            expected="missing_witness_bytes where the full-context profile has it, exclusions apart",
            found="missing_witness_bytes" if stated.missing[differs[0]] else "another state",
        )


def _mask_states(profile: Profile, witnesses: RowWitnesses) -> list[object]:
    """SHA-1 states of the occurrence names up to the selection, by witness number."""
    facts = (
        f"coord=utf8-byte.v1/profile={uuid_text(profile.id)}/release={uuid_text(profile.release)}"
        f"/granularity={profile.spec.granularity}/mask="
    )
    base = name_state("passage-occurrence", facts)
    found = []
    for root in witnesses.roots:
        state = base.copy()
        state.update(f"{root.hex()}/selection=".encode("ascii"))
        found.append(state)
    return found


def _tables(found: Recomputed, occurrences: Bytes2D, fingerprints: Bytes2D) -> dict[str, Columns]:
    partition, classes = found.states, found.classes
    presented = classes.winner[partition.group] == PUBLISHED
    nothing = np.zeros(0, np.int64)
    partial = partition.partial
    return {
        "occurrences": {"occurrence": occurrences, "fingerprint": fingerprints},
        "matched": {"row": partition.matched, "class": partition.group},
        "evaluated-unique": {"row": partition.unique},
        "not-evaluated": {"row": partition.pending, "code": partition.pending_code},
        "excluded": {"row": np.flatnonzero(found.witnesses.excluded)},
        "failed": {"row": partition.failed, "code": partition.failed_code},
        "published": {"row": nothing if partial else partition.matched[presented]},
        "dominated": {"row": nothing if partial else partition.matched[~presented]},
        "provisional": {"row": partition.matched if partial else nothing},
        "classes": {
            "size": classes.size,
            "witness": classes.witness,
            "winner": classes.winner,
            "left": classes.left,
            "right": classes.right,
        },
        "class-ids": {"class": classes.id, "members": classes.digest},
    }


class _RunContent:
    """Content of a run profile."""

    def __init__(self, basis: Basis, spec: ProfileSpec) -> None:
        self._universe = basis.runs
        self._reach = basis.reach
        self._projected = basis.projected(spec.projection)

    def repeated(self) -> Iterator[tuple[Ints, Ints]]:
        first_row = self._universe.first_row
        for length, at, name in repeated_runs(self._projected, self._reach):
            yield first_row[at] + (length - 2), name

    def fingerprints(self, profile: Profile, wanted: NDArray[np.bool_]) -> Bytes2D:
        return run_fingerprints(profile.id, self._projected, self._universe, wanted)

    def witness(self, row: int) -> bytes:
        return run_witness(self._projected, int(self._universe.first[row]), int(self._universe.last[row]))


class _PassageContent:
    """Content of a paragraph profile; items are made again where they are needed, not kept."""

    def __init__(self, basis: Basis, spec: ProfileSpec) -> None:
        masks = Masks(basis.spans(spec.projection))
        release, universe = basis.opened.release, basis.paragraphs
        self._items: Callable[[Ints | slice], Iterator[tuple[bytes, int]]] = lambda rows: passage_items(
            release, universe.start[rows], universe.end[rows], masks
        )

    def repeated(self) -> Iterator[tuple[Ints, Ints]]:
        names: dict[bytes, int] = {}
        name = [names.setdefault(items, len(names)) for items, _ in self._items(slice(None))]
        yield np.arange(len(name)), np.array(name, np.int64)

    def fingerprints(self, profile: Profile, wanted: NDArray[np.bool_]) -> Bytes2D:
        found = np.zeros((len(wanted), 32), np.uint8)
        digests = passage_fingerprints(profile.id, self._items(np.flatnonzero(wanted)))
        found[wanted] = np.frombuffer(b"".join(digests), np.uint8).reshape(-1, 32)
        return found

    def witness(self, row: int) -> bytes:
        ((items, length),) = self._items(slice(row, row + 1))
        return passage_witness(items, length)
