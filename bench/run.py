"""Running the commands of one corpus in turn, round after round: all of them meet the same machine."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bench import spin, targets
from bench.corpora import Tell, remove, tekrar
from bench.process import CommandFailed, Usage, measured
from bench.table import Sample

#: What a command does before its clock runs, and what is run; `tree` samples the memory of workers.
Before = Callable[[], None]


@dataclass(frozen=True)
class Command:
    """A command under the name it has in the tables."""

    name: str
    words: Sequence[str]
    before: Before = lambda: None
    tree: bool = False


@dataclass
class Measured:
    """The samples of one corpus and what its artifact says of itself."""

    corpus: str
    engines: tuple[str, ...]
    samples: dict[str, Sample] = field(default_factory=dict)
    emitted: dict[str, int] = field(default_factory=dict)
    bytes_on_disk: int = 0
    loops: list[float] = field(default_factory=list)
    stages: dict[str, dict[str, Any]] = field(default_factory=dict)


def engines() -> tuple[str, ...]:
    """The engines that work here; the reference first."""
    from tekrar.build import sha_ni

    return ("hashlib", "sha-ni") if sha_ni.available() else ("hashlib",)


def build_command(engine: str, release: Path, artifact: Path, *, workers: int = 1) -> Command:
    """A build into a name that is free when its clock starts."""
    words = tekrar("build", str(release), "--out", str(artifact), "--engine", engine)
    words += ["--workers", str(workers), "--json"]
    return Command(targets.build_name(engine, workers), words, lambda: remove(artifact), workers > 1)


def verify_command(release: Path, artifact: Path) -> Command:
    """A full verification."""
    return Command(targets.VERIFY, tekrar("verify", str(artifact), "--release", str(release), "--quiet"))


def quick_command(artifact: Path) -> Command:
    """A verification of the artifact alone."""
    return Command(targets.QUICK, tekrar("verify", str(artifact), "--quick", "--quiet"))


def baseline_commands(release: Path) -> list[Command]:
    """(a) and both forms of (b)."""
    python = [sys.executable, "-m"]
    return [
        Command(targets.DICTIONARY, [*python, "bench.dictionary", str(release)]),
        Command(targets.POLARS, [*python, "bench.polars_windows", str(release)]),
        Command(targets.NAMES, [*python, "bench.polars_windows", str(release), "names"]),
    ]


def alternate(
    commands: Sequence[Command], *, corpus: str, runs: int, warm: int, tell: Tell
) -> dict[str, Sample]:
    """Every command once a round; the first `warm` rounds are not counted.

    Raises:
        CommandFailed: a command ended with a status other than 0.
    """
    counted: dict[str, list[Usage]] = {command.name: [] for command in commands}
    for number in range(warm + runs):
        for command in commands:
            tell(f"{corpus}: round {number + 1} of {warm + runs}: {command.name}")
            command.before()
            usage = measured(command.words, tree=command.tree)
            if number >= warm:
                counted[command.name].append(usage)
    return {name: Sample(corpus, name, tuple(usages)) for name, usages in counted.items()}


def measure_corpus(
    corpus: str, release: Path, work: Path, *, runs: int, warm: int, largest: bool, tell: Tell
) -> Measured:
    """Builds by every engine beside the baselines, then the verifier.

    Args:
        corpus: its name in the tables.
        release: its release package.
        work: an empty folder for artifacts.
        runs, warm: rounds counted and not.
        largest: no baselines; two workers and the loops instead.
        tell: told what is being done.
    """
    found = Measured(corpus, engines())
    commands = [build_command(engine, release, work / engine) for engine in found.engines]
    commands += [] if largest else baseline_commands(release)
    if largest:
        commands += [
            build_command(engine, release, work / f"{engine}-two", workers=2) for engine in found.engines
        ]
        commands[0] = _with_loops(commands[0], found.loops)
    found.samples = alternate(commands, corpus=corpus, runs=runs, warm=warm, tell=tell)
    artifact = work / found.engines[-1]
    _same_roots(found, tell)
    found.emitted = emitted_of(found.samples[targets.build_name(found.engines[-1])])
    found.bytes_on_disk = sum(file.stat().st_size for file in artifact.rglob("*") if file.is_file())
    if largest:
        _measure_stages(found, release, work, tell)
    # The verifier's bounds are wide, so one full run counts; the quick form takes as many as the builds.
    once = [verify_command(release, artifact)]
    found.samples |= alternate(once, corpus=corpus, runs=1, warm=0, tell=tell)
    again = [quick_command(artifact)]
    found.samples |= alternate(again, corpus=corpus, runs=runs, warm=0, tell=tell)
    return found


def _with_loops(command: Command, loops: list[float]) -> Command:
    def before() -> None:
        loops.append(spin.aggregate_speed())
        command.before()

    return Command(command.name, command.words, before, command.tree)


def _measure_stages(found: Measured, release: Path, work: Path, tell: Tell) -> None:
    for engine in found.engines:
        tell(f"{found.corpus}: stages of build {engine}")
        target = work / f"{engine}-stages"
        words = [sys.executable, "-m", "bench.stages", str(release), str(target), engine]
        found.stages[engine] = json.loads(measured(words).output)
        remove(target)


def _same_roots(found: Measured, tell: Tell) -> None:
    """A benchmark of builds that disagree would be worth nothing."""
    roots = {
        record_of(run.output)["artifact_root"]
        for name, sample in found.samples.items()
        if name.startswith("build ")
        for run in sample.runs
    }
    if len(roots) != 1:
        raise CommandFailed(f"{found.corpus}: the builds gave {len(roots)} different artifact roots")
    tell(f"{found.corpus}: one root from every build")


def record_of(output: str) -> dict[str, Any]:
    """The object on the last line of a command run with --json."""
    record: dict[str, Any] = json.loads(output.rstrip().rpartition("\n")[2])
    return record


def emitted_of(sample: Sample) -> dict[str, int]:
    """Occurrences by profile, of a build's JSON."""
    coverage = record_of(sample.runs[-1].output)["coverage"]
    return {short: int(record["emitted"]) for short, record in coverage.items()}
