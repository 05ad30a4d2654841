"""The store's part of `make bench`: load, size, publication, and questions beside plain look-ups."""

from __future__ import annotations

import importlib.util
import statistics
from pathlib import Path
from typing import TYPE_CHECKING

from bench.corpora import Corpus, Tell, tekrar
from bench.process import measured
from bench.table import Row

if TYPE_CHECKING:
    from bench.store_queries import Runner

STORE = "store"
LOAD_OF_RAW, DATABASE_GB, LOCK_SECONDS = 0.5, 1.0, 2.0
RATE_OF_LOOKUP, FIXED_LOAD, P99_OF_LOOKUP, PSYCOPG_OF_LOOKUP = 0.3, 0.1, 3.0, 0.5


def measure_store(
    corpus: Corpus, cache: Path, work: Path, *, runs: int, quick: bool, tell: Tell
) -> list[Row]:
    """Everything about the store on one corpus; nothing where driver or server is missing, with a line."""
    if importlib.util.find_spec("psycopg") is None:
        tell("store: not measured, the extra `store` is not installed")
        return []
    from bench.store_load import measure_loads
    from bench.store_server import scratch_server
    from tekrar.errors import DatabaseError

    tell(f"store: import and build of {corpus.name}")
    release, artifact = work / "store-release", work / "store-artifact"
    # A release of an unnamed edition cannot be published, so the one in the cache will not do.
    words = ["--language", corpus.language, "--edition", "bench", "--out", str(release), "--quiet"]
    measured(tekrar("import", str(corpus.source(cache)), *words))
    measured(tekrar("build", str(release), "--out", str(artifact), "--quiet"))
    try:
        with scratch_server(work / "store") as server:
            loads = measure_loads(server, release, artifact, runs=runs, tell=tell)
            rows = [
                Row(
                    corpus.name,
                    "load / raw COPY and indexes, speed",
                    statistics.median(r / o for r, o in zip(loads.raw, loads.ours, strict=True)),
                    LOAD_OF_RAW,
                    "x",
                    at_least=True,
                ),
                Row(corpus.name, "load, wall", statistics.median(loads.ours), None, "s"),
                Row(
                    corpus.name,
                    "rows a second loaded",
                    loads.rows / statistics.median(loads.ours) / 1000,
                    None,
                    "k",
                ),
                Row(corpus.name, "database", loads.bytes_on_disk / 1e9, DATABASE_GB, "GB"),
                Row(
                    corpus.name,
                    "publication of four profiles, call to commit",
                    max(loads.publications),
                    LOCK_SECONDS,
                    "s",
                    note="holds its lock for less",
                ),
            ]
            return rows + _questions(corpus, server, loads.place, work, runs=runs, quick=quick, tell=tell)
    except DatabaseError as error:
        if error.kind != "no_server_binaries":
            raise
        tell("store: not measured, no PostgreSQL is installed")
        return []


def _questions(
    corpus: Corpus, server: object, store: object, work: Path, *, runs: int, quick: bool, tell: Tell
) -> list[Row]:
    from bench import store_queries
    from bench.store_server import fresh_database, pgbench_program
    from tekrar.store.target import Embedded

    assert isinstance(server, Embedded)
    assert isinstance(store, Embedded)
    if pgbench_program() is None:
        tell("store: questions are not measured, there is no pgbench")
        return []
    folder = work / "store-scripts"
    folder.mkdir(exist_ok=True)
    lookup = fresh_database(server, "lookup", migrated=False)
    tell("store: tables of pgbench")
    store_queries.make_lookup(lookup)
    known = store_queries.known_ids(store)
    scripts = store_queries.write_scripts(folder, known)
    runner = store_queries.Runner(lookup, store, scripts, seconds=2 if quick else 10, folder=folder)
    rows = _rates(corpus, runner, runs=runs, tell=tell)
    ratios = store_queries.psycopg_ratios(lookup, store, known, rounds=3 if quick else 9, tell=tell)
    for name, ratio in ratios.items():
        what = f"{name}: psycopg / bare loop by key, speed"
        rows.append(Row(corpus.name, what, ratio, PSYCOPG_OF_LOOKUP, "x", at_least=True))
    return rows


def _rates(corpus: Corpus, runner: Runner, *, runs: int, tell: Tell) -> list[Row]:
    from bench.store_queries import LOOKUP

    names = [LOOKUP, *runner.scripts]
    rates: dict[str, list[float]] = {name: [] for name in names}
    delays: dict[str, list[float]] = {name: [] for name in names}
    for number in range(runs):
        for name in names:
            tell(f"store: round {number + 1} of {runs}: {name}")
            rates[name].append(runner.rate(name))
    load = FIXED_LOAD * statistics.median(rates[LOOKUP])
    for number in range(runs):
        for name in names:
            tell(f"store: round {number + 1} of {runs}: {name} at {load:.0f} a second")
            delays[name].append(runner.p99(name, rate=load))
    base, wait = statistics.median(rates[LOOKUP]), statistics.median(delays[LOOKUP])
    rows = [
        Row(corpus.name, "pgbench -S -M prepared, 50 connections", base / 1000, None, "k/s"),
        Row(corpus.name, f"pgbench -S, p99 at {load:.0f}/s", wait, None, "ms"),
    ]
    for name in runner.scripts:
        own = statistics.median(rates[name]) / base
        late = statistics.median(delays[name]) / wait
        rows.append(Row(corpus.name, f"{name}: speed / -S", own, RATE_OF_LOOKUP, "x", at_least=True))
        rows.append(Row(corpus.name, f"{name}: p99 / that of -S", late, P99_OF_LOOKUP, "x"))
    return rows
