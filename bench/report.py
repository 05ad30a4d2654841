"""From what was measured to rows, Markdown and JSON."""

from __future__ import annotations

import os
import platform
import statistics
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench import hashing, stages, targets
from bench.run import Measured
from bench.table import ROW_HEADER, SAMPLE_HEADER, Row, Sample, markdown


def rows_of_corpus(found: Measured, *, millions: int) -> list[Row]:
    """All figures of one corpus."""
    corpus, rows = found.corpus, []
    for engine in found.engines:
        graded = millions >= 1
        rows += targets.against_baselines(found.samples, corpus=corpus, engine=engine, graded=graded)
    for engine in found.engines:
        size, occurrences = (found.bytes_on_disk, sum(found.emitted.values()))
        last = engine == found.engines[-1]
        mine = targets.of_artifact(
            found.samples, corpus=corpus, engine=engine, size=size, occurrences=occurrences if last else 0
        )
        rows += [row for row in mine if last or row.what != "verify --quick, wall"]
    for engine in found.engines if found.loops else ():
        one, two = (found.samples[targets.build_name(engine, count)] for count in (1, 2))
        share = stages.parallel_share(found.stages[engine])
        loops = statistics.median(found.loops)
        rows += targets.workers(one, two, engine=engine, loops=loops, share=share)
    return list(dict.fromkeys(rows))


def rows_of_growth(all_found: dict[int, Measured]) -> list[Row]:
    """CPU of 10 million words against 1 million, when both were measured."""
    if 1 not in all_found or 10 not in all_found:
        return []
    small, large = all_found[1], all_found[10]
    names = [(engine, targets.build_name(engine)) for engine in large.engines]
    return [targets.growth(small.samples[name], large.samples[name], engine=engine) for engine, name in names]


def rows_of_hashing(all_found: Sequence[Measured]) -> list[Row]:
    """The distance of every build to the compressions it cannot avoid, with rates measured now."""
    rates = {"hashlib": hashing.hashlib_rates(), "sha-ni": hashing.sha_ni_rates()}
    bare = hashing.bare_rates()
    rows = []
    for name, found in [*rates.items(), ("hashlib without calls", bare)]:
        if found is not None:
            for kind, speed in (("SHA-256", found.sha256), ("SHA-1", found.sha1)):
                rows.append(Row("-", f"{kind} blocks, {name}", speed / 1e6, None, "million/s"))
    for measured in all_found:
        work = hashing.work_of(measured.emitted)
        for engine in measured.engines:
            rate = rates[engine]
            sample = measured.samples[targets.build_name(engine)]
            if rate is not None:
                rows += targets.hashing_distance(sample, work, engine=engine, rates=rate, bare=bare)
    return rows


def machine() -> dict[str, str]:
    """The processor, how many of them, the system and the Python of this run."""
    return {
        "processor": processor_of(_read("/proc/cpuinfo")) or platform.processor() or platform.machine(),
        "processors": str(_processors()),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
    }


def processor_of(text: str) -> str:
    """The first `model name` of /proc/cpuinfo."""
    for line in text.splitlines():
        key, _, value = line.partition(":")
        if key.strip() == "model name":
            return value.strip()
    return ""


def _read(path: str) -> str:
    try:
        return Path(path).read_text("utf-8", "replace")
    except OSError:
        return ""


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def as_markdown(samples: Sequence[Sample], rows: Sequence[Row], *, runs: int, load: float) -> str:
    """The whole report."""
    facts = machine()
    parts = [
        f"{facts['processors']} x {facts['processor']}, {facts['system']}, Python {facts['python']}; "
        f"medians of {runs} (verify and hostile input: of 1); load when it began {load:.2f}",
        markdown(SAMPLE_HEADER, (sample.cells() for sample in samples)),
        markdown(ROW_HEADER, (row.cells() for row in rows)),
        summary(rows),
    ]
    return "\n\n".join(parts)


def summary(rows: Sequence[Row]) -> str:
    """How many targets are met, and the names of those that are not."""
    judged = [row for row in rows if row.target is not None]
    missed = [f"{row.corpus}: {row.what}" for row in judged if row.verdict == "missed"]
    told = f"{len(judged) - len(missed)} of {len(judged)} targets met"
    return told + (f"; missed: {'; '.join(missed)}" if missed else "")


def as_record(samples: Sequence[Sample], rows: Sequence[Row], *, runs: int, load: float) -> dict[str, Any]:
    """The whole report as one JSON object."""
    return {
        "machine": machine(),
        "runs": runs,
        "load_at_start": load,
        "samples": [sample.as_record() for sample in samples],
        "figures": [row.as_record() for row in rows],
    }
