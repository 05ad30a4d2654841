"""The pipeline: a text release in, four evaluated profiles and their roots out (ADR-009; requirements 3.1
to 3.5).

Stages: certify the release, bind profiles and projections, name atoms, issue selections, occurrences and
fingerprints, group, decide the partition, verify, root everything. Whatever is long is shared out by
`Shards`; no stage knows the worker count or the engine.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tekrar.build.certified import CertifiedRelease, certify_release
from tekrar.build.classes import issue_classes, run_witnesses, with_dominance
from tekrar.build.engine import Bytes2D, Engine, pick_engine, sharded_digests
from tekrar.build.names import occurrence_prefixes, selection_prefix
from tekrar.build.paragraphs import NamedParagraphs, paragraph_fingerprints, paragraph_witnesses
from tekrar.build.records import ACCEPTANCE, finish_result, validation_records
from tekrar.build.result import ProfileResult
from tekrar.build.roots import hash_profiles, work_root
from tekrar.build.shards import Progress, Shards, no_collector, no_progress
from tekrar.build.source import ByteSource, Deferral, Witness
from tekrar.build.universe import Decided, RowStates, RunStates, decide, partition_of, suspects_in_shards
from tekrar.core.atoms import AtomNamer, Digest, NamedAtoms, member_collisions, standard_digest
from tekrar.core.coverage import check_partition
from tekrar.core.exact import (
    group_runs,
    matched_sentences,
    reach_before,
    rows_beyond,
    rows_with,
    verify_atoms,
)
from tekrar.core.occurrence import Paragraphs, Runs, deduplicated, enumerate_paragraphs, enumerate_runs
from tekrar.core.policy import ATOM_SENTENCE, FULL_CONTEXT, MATRIX, MAX_RUN, PROSE_ONLY
from tekrar.core.preimage import run_header
from tekrar.core.profile import Profile, profile_for
from tekrar.core.projection import Projection, first_hit, materialize
from tekrar.core.text import TextRelease
from tekrar.core.witness import Witnesses, witnesses_of

Ints = NDArray[np.int64]
DEFAULT_BATCH = 1024


class Pipeline:
    """One build over one certified release."""

    def __init__(
        self,
        certified: CertifiedRelease,
        witness: Witness,
        *,
        engine: Engine,
        shards: Shards,
        batch: int,
        defer: Sequence[str],
        digest: Digest | None,
    ) -> None:
        self.certified = certified
        self.release = certified.release
        self.witness = witness
        self.engine = engine
        self.digest = digest or standard_digest
        self.shards = shards
        self.batch = batch
        self.deferral = Deferral(defer)
        self._plain: NamedParagraphs | None = None
        self._committed: dict[str, bytes] = {}
        self.namer = AtomNamer(
            self.release,
            witness.view,
            unreadable=witness.unreadable,
            digest=self.digest,
            digests=sharded_digests(engine, shards, "members"),
        )

    def run(self) -> list[ProfileResult]:
        """Evaluate the four profiles in matrix order."""
        certified = self.certified
        projections = {
            name: materialize(
                name, policy=certified.policy, datasets=certified.datasets, release=certified.id
            )
            for name in (FULL_CONTEXT, PROSE_ONLY)
        }
        profiles = {
            spec.short: profile_for(
                certified.policy,
                spec,
                release=certified.id,
                manifest_root=certified.manifest_root,
                language=self.release.language,
            )
            for spec in MATRIX
        }
        results = self._paragraph_profiles(profiles, projections) | self._run_profiles(profiles, projections)
        self.deferral.check_found()
        self.witness.check_unchanged()
        ordered = [results[spec.short] for spec in MATRIX]
        hash_profiles(ordered, self.shards, self.engine)
        for result in ordered:
            finish_result(result, certified, committed=self._committed[result.profile.spec.short])
        return ordered

    def _commit(self, profile: Profile, universe: Paragraphs | Runs, occurrence: Bytes2D) -> None:
        """Root the work universe before anything of it is evaluated (COV-01)."""
        self._committed[profile.spec.short] = work_root(
            profile, universe, occurrence, shards=self.shards, engine=self.engine
        )

    # -- runs ------------------------------------------------------------

    def _run_profiles(
        self, profiles: dict[str, Profile], projections: dict[str, Projection]
    ) -> dict[str, ProfileResult]:
        runs = enumerate_runs(self.release)
        plain = self.namer.plain()
        named = {"FS": plain, "PS": self.namer.masked(plain, projections[PROSE_ONLY].masks)}
        witnesses = {
            short: self._run_witnesses(projections[profiles[short].spec.projection], runs) for short in named
        }
        selection = self.shards.empty((runs.rows, 16), np.uint8)
        occurrence = {s: self.shards.empty((runs.rows, 16), np.uint8) for s in named}
        fingerprint = {s: self.shards.empty((runs.rows, 32), np.uint8) for s in named}
        prefixes = {
            s: occurrence_prefixes(profiles[s], witnesses[s], release=self.certified.id) for s in named
        }
        headers = {s: run_header(profiles[s].id) for s in named}
        base = selection_prefix(self.certified.id)
        engine = self.engine

        def work(task: tuple[int, int]) -> dict[str, int]:
            low, high = task
            rows = slice(int(runs.first_row[low]), int(runs.first_row[high]))
            chosen = engine.fan_selections(base, runs, low, high)
            selection[rows] = chosen
            for s, atoms in named.items():
                occurrence[s][rows] = engine.occurrence_ids(prefixes[s], witnesses[s].of_row[rows], chosen)
                fingerprint[s][rows] = engine.fan_fingerprints(
                    headers[s], atoms.first, atoms.inner, runs, low, high
                )
            return {"chapters": self._chapters(low, high), "occurrences": 2 * (rows.stop - rows.start)}

        self.shards.run("occurrences", list(self._ranges(len(runs.start))), work)
        for s in named:
            self._commit(profiles[s], runs, occurrence[s])
        states = {
            s: self._run_states(projections[profiles[s].spec.projection], runs, occurrence[s]) for s in named
        }
        number = {s: self.shards.empty((runs.rows,), np.int32) for s in named}

        def group(short: str) -> None:
            number[short][:] = group_runs(named[short], runs, states[short].reach)

        self.shards.run("groups", list(named), group)
        results = {}
        for short, atoms in named.items():
            results[short] = self._decide_runs(
                profiles[short],
                projections[profiles[short].spec.projection],
                runs,
                atoms,
                number.pop(short),
                states[short].rows,
                witnesses=witnesses[short],
                arrays=(selection, occurrence[short], fingerprint[short]),
            )

        def verify(short: str) -> None:
            inside, gaps = matched_sentences(runs, results[short].classes.groups, len(runs.start))
            verify_atoms(self.namer, named[short], inside=inside, gaps=gaps)

        self.shards.run("verification", list(named), verify)
        return results

    def _run_states(self, projection: Projection, runs: Runs, occurrence: Bytes2D) -> RunStates:
        live = reach_before(runs, projection.excluded_from(runs.start))
        readable = reach_before(
            runs, first_hit(runs.start, self.witness.unreadable_start, self.witness.unreadable_end)
        )
        rows = RowStates(
            rows_beyond(runs, live),
            rows_beyond(runs, readable),
            self.deferral.rows(self.release, runs, occurrence),
        )
        return RunStates(rows, np.minimum(live, readable))

    def _decide_runs(
        self,
        profile: Profile,
        projection: Projection,
        runs: Runs,
        named: NamedAtoms,
        number: NDArray[np.int32],
        states: RowStates,
        *,
        witnesses: Witnesses,
        arrays: tuple[Bytes2D, Bytes2D, Bytes2D],
    ) -> ProfileResult:
        fingerprint = arrays[2]
        fingerprint[np.flatnonzero(~states.evaluated)] = 0
        bad_sentence, bad_inner = member_collisions(self.namer.tables, named)
        member = rows_with(runs, bad_sentence, bad_inner) if bad_sentence.any() or bad_inner.any() else None
        decided, partial = decide(
            number=number,
            states=states,
            member_collision=member,
            fingerprint=fingerprint,
            suspects_of=suspects_in_shards(self.shards, f"collisions {profile.spec.short}"),
        )
        return self._result(
            profile,
            projection,
            runs,
            decided,
            states,
            partial=partial,
            class_witness=run_witnesses(decided.groups, named, runs, self.engine),
            arrays=arrays,
            witnesses=witnesses,
        )

    def _run_witnesses(self, projection: Projection, runs: Runs) -> Witnesses:
        first = runs.row_sentence
        last = first + (runs.row_length - 1)
        return witnesses_of(projection, runs.start, runs.end, first=first, last=last)

    def _ranges(self, count: int) -> Iterator[tuple[int, int]]:
        for low in range(0, count, self.batch):
            yield low, min(count, low + self.batch)

    def _chapters(self, low: int, high: int) -> int:
        bounds = self.release.chapter_sentence_start[:-1]
        return int(np.searchsorted(bounds, high, side="left") - np.searchsorted(bounds, low, side="left"))

    # -- paragraphs
    # -------------------------------------------------------------------------------------------------

    def _paragraph_profiles(
        self, profiles: dict[str, Profile], projections: dict[str, Projection]
    ) -> dict[str, ProfileResult]:
        universe = deduplicated(enumerate_paragraphs(self.release))
        base = selection_prefix(self.certified.id)
        selection = self.engine.span_selections(base, universe.start, universe.end)
        index = np.arange(universe.rows)
        results = {}
        for short in ("FP", "PP"):
            profile = profiles[short]
            projection = projections[profile.spec.projection]
            witnesses = witnesses_of(projection, universe.start, universe.end, first=index, last=index)
            occurrence = self.engine.occurrence_ids(
                occurrence_prefixes(profile, witnesses, release=self.certified.id),
                witnesses.of_row,
                selection,
            )
            self._commit(profile, universe, occurrence)
            results[short] = self._decide_paragraphs(
                profile, projection, universe, witnesses=witnesses, selection=selection, occurrence=occurrence
            )
        self._plain = None  # a copy of the text: not to be held while runs are evaluated
        return results

    def _decide_paragraphs(
        self,
        profile: Profile,
        projection: Projection,
        universe: Paragraphs,
        *,
        witnesses: Witnesses,
        selection: Bytes2D,
        occurrence: Bytes2D,
    ) -> ProfileResult:
        missing = first_hit(universe.start, self.witness.unreadable_start, self.witness.unreadable_end)
        states = RowStates(
            projection.excluded_from(universe.start) < universe.end,
            missing < universe.end,
            self.deferral.rows(self.release, universe, occurrence),
        )
        named = NamedParagraphs(self.witness.view, universe, projection.masks, plain=self._plain)
        self._plain = self._plain or named
        evaluated = np.flatnonzero(states.evaluated)
        fingerprint = paragraph_fingerprints(
            named,
            profile.id,
            evaluated,
            digests=sharded_digests(self.engine, self.shards, f"fingerprints {profile.spec.short}"),
            digest=self.digest,
        )
        decided, partial = decide(
            number=named.number, states=states, member_collision=None, fingerprint=fingerprint
        )
        named.verify(decided.groups)
        return self._result(
            profile,
            projection,
            universe,
            decided,
            states,
            partial=partial,
            class_witness=paragraph_witnesses(named, decided.groups, digests=self.engine.text_digests),
            arrays=(selection, occurrence, fingerprint),
            witnesses=witnesses,
        )

    # -- both ------------------------------------------------------------

    def _result(
        self,
        profile: Profile,
        projection: Projection,
        universe: Paragraphs | Runs,
        decided: Decided,
        states: RowStates,
        *,
        partial: bool,
        class_witness: Bytes2D,
        arrays: tuple[Bytes2D, Bytes2D, Bytes2D],
        witnesses: Witnesses,
    ) -> ProfileResult:
        selection, occurrence, fingerprint = arrays
        missing = bool((states.missing & ~states.excluded).any())
        validation = validation_records(profile, universe, self.certified, missing=missing)
        if not partial and not set(ACCEPTANCE) <= set(validation):
            decided, partial = decided.withheld(), True
        classes = issue_classes(
            profile,
            decided.groups,
            engine=self.engine,
            witness=class_witness,
            occurrence=occurrence,
            partial=partial,
        )
        if isinstance(universe, Runs) and profile.spec.dominance == "maximal_only":
            classes = with_dominance(classes, universe)
        partition = partition_of(states, decided, partial=partial, dominated_class=classes.is_dominated)
        check_partition(universe.rows, partition, where=profile.spec.short)
        return ProfileResult(
            profile=profile,
            projection=projection,
            universe=universe,
            selection=selection,
            occurrence=occurrence,
            fingerprint=fingerprint,
            evaluated=np.flatnonzero(states.evaluated),
            witnesses=witnesses,
            partition=partition,
            classes=classes,
            partial=partial,
            validation=validation,
        )


def evaluate(
    release: TextRelease,
    *,
    stated: dict[str, bytes],
    source: ByteSource | None = None,
    defer: Sequence[str] = (),
    digest: Digest | None = None,
    engine: str = "auto",
    workers: int = 1,
    batch: int = DEFAULT_BATCH,
    progress: Progress = no_progress,
) -> tuple[CertifiedRelease, list[ProfileResult], dict[str, Any]]:
    """Certify a release and evaluate its four profiles; see `tekrar.build.build` for the arguments."""
    with no_collector():
        witness = Witness(release, source)
        most = 2 * (MAX_RUN - 1) * int(np.count_nonzero(release.atom_kind == ATOM_SENTENCE))
        chosen = pick_engine(engine, digest, occurrences=most)
        shards = Shards(workers, progress)
        certified = certify_release(
            release, witness, stated=stated, digests=sharded_digests(chosen, shards, "atoms")
        )
        pipeline = Pipeline(
            certified,
            witness,
            engine=chosen,
            shards=shards,
            batch=batch,
            defer=defer,
            digest=digest,
        )
        results = pipeline.run()
    reports = {
        stage: [{"worker": r.worker, "tasks": r.tasks, **r.notes} for r in rows]
        for stage, rows in shards.reports.items()
    }
    return certified, results, {"engine": pipeline.engine.name, "workers": workers, "stages": reports}
