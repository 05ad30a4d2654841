"""The budgets of the product, applied to the samples of one run."""

from __future__ import annotations

from collections.abc import Mapping

from bench.hashing import Rates, Work
from bench.table import GB, Row, Sample

DICTIONARY, POLARS, NAMES = "(a) dictionary", "(b) polars, text windows", "(b) polars, sentence numbers"
VERIFY, QUICK = "verify", "verify --quick"
#: CPU bound by engine against (a); the bound against (b) holds for the fast engine.
CPU_OF_DICTIONARY = {"hashlib": 1.25, "sha-ni": 0.85}
CPU_OF_POLARS = {"sha-ni": 1.3}
MEMORY_OF_DICTIONARY = 0.5
GROWTH = 11.0
PEAK_BYTES = {"risale": 0.5 * GB, "planted-10m": 3 * GB, "synthetic-10m": 3 * GB}
BYTES_AN_OCCURRENCE = 64.0
VERIFY_OF_BUILD = 5.0
QUICK_SECONDS = 2.0
SPEEDUP, SPEEDUP_OF_LOOPS, PARALLEL_PERCENT = 1.5, 1.9, 80.0
HOSTILE_SECONDS, HOSTILE_BYTES = 15.0, 1.5 * GB

Samples = Mapping[str, Sample]


def build_name(engine: str, workers: int = 1) -> str:
    """How a build is called in the tables."""
    return f"build {engine}" + (f", {workers} workers" if workers > 1 else "")


def against_baselines(samples: Samples, *, corpus: str, engine: str, graded: bool) -> list[Row]:
    """CPU and memory of a build beside (a) and (b); memory counts from 1 million words up."""
    mine = samples[build_name(engine)]
    rows = []
    if DICTIONARY in samples:
        other = samples[DICTIONARY]
        rows.append(Row(corpus, f"CPU {engine} / (a)", mine.cpu / other.cpu, CPU_OF_DICTIONARY[engine], "x"))
        bound = MEMORY_OF_DICTIONARY if graded else None
        rows.append(Row(corpus, f"peak {engine} / (a)", mine.peak / other.peak, bound, "x"))
    if POLARS in samples:
        ratio = mine.cpu / samples[POLARS].cpu
        rows.append(Row(corpus, f"CPU {engine} / (b)", ratio, CPU_OF_POLARS.get(engine), "x"))
    if NAMES in samples:
        ratio = mine.cpu / samples[NAMES].cpu
        rows.append(Row(corpus, f"CPU {engine} / (b) sentence numbers", ratio, None, "x"))
    return rows


def of_artifact(samples: Samples, *, corpus: str, engine: str, size: int, occurrences: int) -> list[Row]:
    """Peak, size on disk, and the verifier, of the build by one engine."""
    mine = samples[build_name(engine)]
    bound = PEAK_BYTES.get(corpus)
    rows = [Row(corpus, f"peak {engine}", mine.peak / GB, bound and bound / GB, "GB")]
    if occurrences:
        rows.append(Row(corpus, "bytes an occurrence on disk", size / occurrences, BYTES_AN_OCCURRENCE))
    if VERIFY in samples:
        ratio = samples[VERIFY].cpu / mine.cpu
        rows.append(Row(corpus, f"CPU verify / build {engine}", ratio, VERIFY_OF_BUILD, "x"))
    if QUICK in samples:
        judged = QUICK_SECONDS if corpus in ("risale", "kjv") else None
        rows.append(Row(corpus, "verify --quick, wall", samples[QUICK].wall, judged, "s"))
    return rows


def growth(small: Sample, large: Sample, *, engine: str) -> Row:
    """CPU of the largest corpus against the smallest graded one."""
    return Row(large.corpus, f"CPU {engine} 10M / 1M", large.cpu / small.cpu, GROWTH, "x")


def workers(one: Sample, two: Sample, *, engine: str, loops: float, share: float | None) -> list[Row]:
    """Two workers against one where the machine can show it, else the share of CPU that is parallel.

    Args:
        one, two: the builds.
        engine: their engine.
        loops: aggregate speed of two busy loops in the same run, at best 2.
        share: part of CPU in the parallel stages.
    """
    machine = loops >= SPEEDUP_OF_LOOPS
    note = "" if machine else f"two busy loops reach {loops:.2f}x only: not judged"
    rows = [
        Row(two.corpus, "two busy loops, aggregate speed", loops, None, "x"),
        Row(
            two.corpus,
            f"wall {engine} 1 / 2 workers",
            one.wall / two.wall,
            SPEEDUP if machine else None,
            "x",
            at_least=True,
            note=note,
        ),
    ]
    if share is not None:
        bound = None if machine else PARALLEL_PERCENT
        what = f"CPU {engine} in the parallel stages"
        rows.append(Row(two.corpus, what, 100 * share, bound, "%", at_least=True))
    return rows


def hashing_distance(sample: Sample, work: Work, *, engine: str, rates: Rates, bare: Rates) -> list[Row]:
    """How far a build is from the compressions it cannot avoid; hashlib's calls are apart from its blocks."""
    limit = rates.limit(work)
    rows = [
        Row(sample.corpus, f"hashing limit {engine}", limit, None, "s"),
        Row(sample.corpus, f"CPU {engine} / its hashing limit", sample.cpu / limit, None, "x"),
    ]
    if engine == "hashlib":
        ratio = sample.cpu / bare.limit(work)
        rows.append(Row(sample.corpus, "CPU hashlib / its blocks without calls", ratio, None, "x"))
    return rows


def hostile(sample: Sample, *, judged: bool) -> list[Row]:
    """The ceilings of one process on hostile input: CPU, wall time and peak."""
    seconds = HOSTILE_SECONDS if judged else None
    size = HOSTILE_BYTES / GB if judged else None
    return [
        Row(sample.corpus, f"{sample.command}, CPU", sample.cpu, seconds, "s"),
        Row(sample.corpus, f"{sample.command}, wall", sample.wall, seconds, "s"),
        Row(sample.corpus, f"{sample.command}, peak", sample.peak / GB, size, "GB"),
    ]
