"""The build: pipeline, shards, engines, roots and certification over the pure core. It never imports the
store or the verifier."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tekrar.build.engine import checked_digest
from tekrar.build.outcome import artifact_root, artifact_roots
from tekrar.build.pipeline import DEFAULT_BATCH, evaluate
from tekrar.build.result import BuildResult
from tekrar.build.shards import Progress, Shards, no_progress
from tekrar.build.source import ByteSource
from tekrar.build.write import write_artifact
from tekrar.core.atoms import Digest
from tekrar.corpus.release_package import open_release
from tekrar.errors import UsageError

__all__ = ["BuildResult", "ByteSource", "build"]


def build(
    release: Path | str,
    *,
    out: Path | str | None = None,
    source: ByteSource | None = None,
    defer: Sequence[str] = (),
    digest: Digest | None = None,
    engine: str = "auto",
    workers: int = 1,
    batch: int = DEFAULT_BATCH,
    progress: Progress = no_progress,
) -> BuildResult:
    """Find and prove every exact repetition of a text release under the four profiles (ADR-009).

    Args:
        release: a text-release package.
        out: where the artifact is written; None evaluates without writing.
        source: the witness bytes, by default the release's own; ranges it reports unreadable make items fail.
        defer: occurrences to put off: addresses (`book/chapter:start+length`, `book/chapter/pN`, from 1) or
            occurrence IDs.
        digest: called as digest(purpose, bytes) with purpose `member` or `fingerprint`; None is SHA-256.
            Roots and IDs never use it.
        engine: auto, hashlib or sha-ni; equal bytes from each.
        workers: processes; any number gives equal roots.
        batch: sentences a task; any number gives equal roots.
        progress: called as (stage, done, total).

    Returns:
        roots, statuses and coverage; a profile with failed or pending items is partial, which is a result
        and no error.

    Raises:
        IntegrityError: the release, its datasets or its bytes do not hold.
        UsageError: bad arguments, or the target exists.
        StorageError: the artifact could not be written; nothing remains of it.
    """
    _check_arguments(release, out, source=source, defer=defer, counts={"workers": workers, "batch": batch})
    if digest is not None:
        digest = checked_digest(digest)
    opened = open_release(Path(release), check=False)
    stated = {"certified": opened.certified, "manifest_root": opened.manifest_root, "id": opened.id}
    for kind, record in opened.package_manifest["datasets"].items():
        if record is not None:
            stated[kind] = bytes.fromhex(record["root"])
    certified, results, provenance = evaluate(
        opened.release,
        stated=stated,
        source=source,
        defer=defer,
        digest=digest,
        engine=engine,
        workers=workers,
        batch=batch,
        progress=progress,
    )
    roots = artifact_roots(certified, results)
    root = artifact_root(roots)
    if out is not None:
        shards = Shards(workers, progress)
        write_artifact(
            Path(out), certified, results, roots=roots, root=root, provenance=provenance, shards=shards
        )
    coverage = {r.profile.spec.short: r.coverage for r in results if r.coverage is not None}
    return BuildResult(
        artifact_root=root,
        roots=tuple(roots),
        status={short: record.status for short, record in coverage.items()},
        coverage=coverage,
        path=None if out is None else Path(out),
        provenance=provenance,
        profiles=tuple(results),
    )


def _check_arguments(
    release: object, out: object, *, source: object, defer: Any, counts: dict[str, object]
) -> None:
    """Refuse arguments of another kind before any work (UsageError names the argument)."""
    for name, value in counts.items():
        if type(value) is not int or not 1 <= value <= 1 << 20:
            raise UsageError(f"{name} is {value!r}", expected="a whole number from 1", kind="bad_argument")
    for name, value in (("release", release), ("out", out)):
        known = isinstance(value, (str, Path)) or (name == "out" and value is None)
        if not known or "\x00" in str(value):
            raise UsageError(f"{name} is {value!r}", expected="a path", kind="bad_argument")
    buffer = getattr(source, "data", b"")
    if source is not None and not (
        isinstance(source, ByteSource) and isinstance(buffer, (bytes, bytearray, memoryview))
    ):
        raise UsageError("source is no byte source", expected="ByteSource(data)", kind="bad_argument")
    listed = isinstance(defer, Sequence) and not isinstance(defer, (str, bytes))
    if not listed or not all(isinstance(item, str) for item in defer):
        raise UsageError(f"defer is {defer!r}", expected="addresses and occurrence IDs", kind="bad_argument")
