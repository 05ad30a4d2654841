"""One evaluation from a release's columns to four results: certify, run the pipeline, collect provenance."""

from __future__ import annotations

import gc
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from tekrar.build.certified import CertifiedRelease, certify_release
from tekrar.build.engine import pick_engine, sharded_digests
from tekrar.build.pipeline import DEFAULT_BATCH, Pipeline
from tekrar.build.result import ProfileResult
from tekrar.build.shards import Progress, Shards, no_progress
from tekrar.build.source import ByteSource, Witness
from tekrar.core.atoms import Digest
from tekrar.core.text import TextRelease


@contextmanager
def no_collector() -> Iterator[None]:
    """Switch the cyclic collector off: millions of short-lived bytes objects hold no cycle."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


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
        chosen = pick_engine(engine, digest)
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
