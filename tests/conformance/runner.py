"""Runs fixtures and reports.

Each goes the way any corpus goes: `import_structured`, `write_release`, `build` into a folder, and back from
the artifact on disk. Injections and the collided hash are ordinary arguments of the public `build()`.
"""

from __future__ import annotations

import hashlib
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from tekrar.artifact import Artifact
from tekrar.build import ByteSource, build
from tekrar.corpus.imported import Imported
from tekrar.corpus.jsonl import import_jsonl
from tekrar.corpus.release_package import write_release
from tekrar.corpus.sources import read_source
from tekrar.corpus.structured import import_structured
from tekrar.errors import IntegrityError, SourceError, TekrarError
from tekrar.verify import verify_full
from tests.conformance.expectations import Difference, check_profile
from tests.conformance.fixture import PROFILES, Fixture, FixtureFlaw, addresses, load, places
from tests.conformance.observed import Observed, observe
from tests.conformance.paragraph_lines import Lines, NotWritable, write_lines

USAGE = "usage: python -m tests.conformance DIR\n  runs every fixture *.json in DIR through import and build"
DEFAULT_LANGUAGE = "tr"
STRUCTURED, LINES = "structured JSON", "paragraph JSON lines"


@dataclass
class Report:
    """What came of one fixture.

    Attributes:
        differences: empty when it passed.
        lines: the paragraph JSON lines it was built from as well, or None.
        skipped: why it was not.
        verified: how many of its artifacts, those that are complete, the verifier accepted.
    """

    name: str
    differences: list[Difference] = field(default_factory=list)
    lines: Lines | None = None
    skipped: str = ""
    verified: int = 0


def collided(purpose: str, data: bytes) -> bytes:
    """A digest under which every fingerprint is the same; member digests stay SHA-256."""
    return bytes(32) if purpose == "fingerprint" else hashlib.sha256(data).digest()


def run_fixture(path: Path, workspace: Path) -> Report:
    """Run one fixture in an empty folder."""
    report = Report(path.stem)
    try:
        fixture = load(path)
        seen = _structured(fixture, workspace, report)
        _again(fixture, workspace, report, seen)
    except FixtureFlaw as flaw:
        report.skipped = report.skipped or "it could not be read"
        report.differences.append(
            Difference(STRUCTURED, "fixture", "a fixture that this runner can check", str(flaw))
        )
    except (
        Exception
    ) as error:  # a fault of the product or of the fixture: it fails here, the others still run
        report.skipped = report.skipped or "its first round ended in an error"
        found = f"{type(error).__name__}: {error}"
        report.differences.append(Difference(STRUCTURED, "outcome", "no internal error", found))
    return report


def _structured(fixture: Fixture, workspace: Path, report: Report) -> dict[str, Observed]:
    def read() -> Imported:
        return import_structured(fixture.source, where=f"{fixture.name}.json", edition=None, language=None)

    try:
        seen = _build(fixture, read, workspace / "structured", report, engine="auto")
    except TekrarError as error:
        refusal = f"{type(error).__name__} {error.kind}: {error}"
        if fixture.outcome != "integrity_failure":
            report.differences.append(Difference(STRUCTURED, "outcome", fixture.outcome, refusal))
        elif not isinstance(error, IntegrityError | SourceError):
            report.differences.append(
                Difference(STRUCTURED, "outcome", "an integrity or source error", refusal)
            )
        if (workspace / "structured" / "artifact").exists():
            report.differences.append(
                Difference(STRUCTURED, "outcome", "no artifact after a refusal", "an artifact")
            )
        return {}
    report.differences += _check(fixture, seen, STRUCTURED)
    return seen


def _again(fixture: Fixture, workspace: Path, report: Report, seen: dict[str, Observed]) -> None:
    """The second round, as paragraph JSON lines, for every fixture that can be written so."""
    try:
        lines = write_lines(fixture)
    except NotWritable as reason:
        report.skipped = str(reason)
        return
    if not seen:
        report.skipped = "its first round was refused"
        return
    report.lines = lines
    source = workspace / f"{fixture.name}.jsonl"
    source.write_bytes(lines.data)

    def read() -> Imported:
        language = fixture.document.get("language", DEFAULT_LANGUAGE)
        return import_jsonl([read_source(source)], edition=fixture.document.get("edition"), language=language)

    try:
        # With the reference engine: what the two rounds agree on does not depend on the engine either.
        again = _build(fixture, read, workspace / "lines", report, engine="hashlib")
    except TekrarError as error:
        found = f"{type(error).__name__} {error.kind}: {error}"
        report.differences.append(Difference(LINES, "outcome", fixture.outcome, found))
        return
    report.differences += _check(fixture, again, LINES)
    for name, short in PROFILES.items():
        first, second = seen[short].partition(), again[short].partition()
        for key in first:
            if first[key] != second[key]:
                found = f"from the structured document: {first[key]}"
                report.differences.append(Difference(f"{LINES}, {name}", key, found, f"{second[key]}"))


def _build(
    fixture: Fixture, read: Callable[[], Imported], folder: Path, report: Report, *, engine: str
) -> dict[str, Observed]:
    """Import, write the release, build, verify what is complete, and read the four profiles back."""
    folder.mkdir()
    release, artifact = folder / "release", folder / "artifact"
    imported = read()
    write_release(imported, release)
    build(
        release,
        out=artifact,
        source=_source(imported.release.text, fixture.unavailable),
        defer=addresses(fixture.document, fixture.inject.get("defer", [])),
        engine=engine,
        digest=collided if fixture.outcome == "needs_hash_seam" else None,
    )
    opened, named = Artifact(artifact), places(fixture.document)
    seen = {short: observe(opened, short, named) for short in PROFILES.values()}
    if fixture.outcome != "needs_hash_seam" and all(profile.complete for profile in seen.values()):
        verify_full(artifact, release)
        report.verified += 1
    return seen


def _source(text: bytes, unavailable: Sequence[tuple[int, int]]) -> ByteSource | None:
    if not unavailable:
        return None
    data = bytearray(text)
    for start, end in unavailable:
        data[start:end] = b"\xff" * (
            min(end, len(data)) - start
        )  # so that whoever reads them cannot get them right
    return ByteSource(bytes(data), tuple(unavailable))


def _check(fixture: Fixture, seen: dict[str, Observed], where: str) -> list[Difference]:
    found = _outcome(fixture, seen, where)
    for name, short in PROFILES.items():
        found += check_profile(fixture.expect.get(name, {}), seen[short], where=f"{where}, {name}")
    return found


def _outcome(fixture: Fixture, seen: dict[str, Observed], where: str) -> list[Difference]:
    """Whether an artifact is what the outcome allows.

    `integrity_failure` never ends in a complete release: without an injection not in any profile that has
    work, and some row must have failed. `ok` without an injection ends in four complete profiles.
    """
    complete = [short for short, profile in seen.items() if profile.complete]
    if fixture.outcome == "integrity_failure":
        failed = any(profile.failed for profile in seen.values())
        whole = [short for short in complete if seen[short].enumerated]
        if not failed or (whole and not fixture.inject):
            stated = f"an artifact; failed rows: {failed}; complete: {', '.join(complete) or 'none'}"
            return [
                Difference(
                    where, "outcome", "a typed refusal, or failed rows and no complete release", stated
                )
            ]
    if fixture.outcome == "ok" and not fixture.inject and len(complete) < len(seen):
        partial = sorted(set(seen) - set(complete))
        return [
            Difference(where, "outcome", "exact complete in each profile", f"partial: {', '.join(partial)}")
        ]
    return []


def run_folder(folder: Path) -> list[Report]:
    """Run every fixture of a folder, in the order of the file names."""
    reports = []
    for path in sorted(folder.glob("*.json")):
        with tempfile.TemporaryDirectory(prefix="tekrar-conformance-") as workspace:
            reports.append(run_fixture(path, Path(workspace)))
    return reports


def summary(reports: Sequence[Report]) -> str:
    """The report: failures, the second round, and `N passed, M failed` as its last line."""
    out = []
    for report in reports:
        if report.differences:
            out += [f"FAILED {report.name}", *(str(difference) for difference in report.differences)]
    again = [report.lines for report in reports if report.lines is not None]
    out.append(f"{sum(report.verified for report in reports)} complete artifacts were verified")
    out.append(f"{len(again)} fixtures were built from paragraph JSON lines as well")
    unresolved = sum(lines.unresolved for lines in again)
    if unresolved:
        out.append(f"  {unresolved} matched markers in books without a note body were written as unresolved")
    skipped = [report for report in reports if report.lines is None]
    out.append(f"{len(skipped)} were not:" if skipped else "0 were not")
    out += [f"  {report.name}: {report.skipped}" for report in skipped]
    failed = sum(bool(report.differences) for report in reports)
    out.append(f"{len(reports) - failed} passed, {failed} failed")
    return "\n".join(out)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the fixtures of one folder; 0 only if each passed, 2 if there is none to run."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    if len(given) != 1 or given[0].startswith("-"):
        print(USAGE, file=sys.stderr)
        return 2
    folder = Path(given[0])
    if not folder.is_dir() or not any(folder.glob("*.json")):
        print(f"{folder}: no folder with fixtures (*.json)", file=sys.stderr)
        return 2
    reports = run_folder(folder)
    print(summary(reports))
    return int(any(report.differences for report in reports))
