"""`make bench`: whole processes side by side in one run, and a table of measured, target, met or missed.

python -m bench [--only NAME]... [--runs N] [--quick] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import sys
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from bench import report
from bench.corpora import ROOT, corpora, missing_line, release_of
from bench.curation import CURATION, measure_curation
from bench.hostile import measure_hostile
from bench.process import CommandFailed
from bench.run import Measured, measure_corpus
from bench.store import STORE, measure_store
from bench.table import Row, Sample

HOSTILE, HASHING = "hostile", "hashing"


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments; an unknown name of a part is refused with those that are known."""
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.splitlines()[0])
    parser.add_argument(
        "--only",
        action="append",
        default=[],
        metavar="NAME",
        help="one part: a corpus, hostile, hashing, store or curation",
    )
    parser.add_argument("--runs", type=int, default=3, metavar="N", help="counted rounds (default 3)")
    parser.add_argument("--quick", action="store_true", help="a small corpus, one round: does it run at all")
    parser.add_argument("--json", action="store_true", help="one JSON object instead of the tables")
    parser.add_argument(
        "--cache",
        type=Path,
        default=ROOT / "bench-out",
        metavar="FOLDER",
        help="where corpora and releases are kept",
    )
    args = parser.parse_args(argv)
    known = [corpus.name for corpus in corpora(quick=args.quick)] + [HOSTILE, HASHING, STORE, CURATION]
    for name in args.only:
        if name not in known:
            parser.error(f"no part {name!r}; there are {', '.join(known)}")
    if args.runs < 1:
        parser.error("--runs takes 1 or more")
    return args


def tell(message: str) -> None:
    """Progress on stderr."""
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def bench(args: argparse.Namespace, work: Path) -> tuple[list[Sample], list[Row]]:
    """Measure every part that was asked for."""
    runs, warm = (1, 0) if args.quick else (args.runs, 1)
    samples: list[Sample] = []
    rows: list[Row] = []
    found: dict[str, Measured] = {}
    graded: dict[int, Measured] = {}
    for corpus in corpora(quick=args.quick):
        if args.only and corpus.name not in args.only:
            continue
        release = release_of(corpus, args.cache, tell=tell)
        with tempfile.TemporaryDirectory(dir=work) as folder:
            one = measure_corpus(
                corpus.name,
                release,
                Path(folder),
                runs=runs,
                warm=warm,
                largest=corpus.millions >= 10,
                tell=tell,
            )
        found[corpus.name] = one
        if corpus.millions:
            graded[corpus.millions] = one
        samples += one.samples.values()
        rows += report.rows_of_corpus(one, millions=corpus.millions)
    rows += report.rows_of_growth(graded)
    if not args.only or HOSTILE in args.only:
        more, ceilings = measure_hostile(work, runs=1, quick=args.quick, tell=tell)
        samples += more
        rows += ceilings
    if found or HASHING in args.only:
        tell("hashing: rates of both engines")
        rows += report.rows_of_hashing(list(found.values()))
    if not args.only or STORE in args.only:
        # On the first corpus: the Risale where it is there.
        first = corpora(quick=args.quick)[0]
        rows += measure_store(first, args.cache, work, runs=runs, quick=args.quick, tell=tell)
    if not args.only or CURATION in args.only:
        rows += measure_curation(work, runs=runs, quick=args.quick, tell=tell)
    if args.quick:
        # The budgets are for the full sizes: starting Python alone takes longer than these small texts.
        rows = [replace(row, target=None) for row in rows]
    return samples, rows


def _stop(number: int, frame: object) -> None:
    raise KeyboardInterrupt


def main(argv: list[str] | None = None) -> int:
    """Measure and print; 0 unless a command failed, whatever the figures are."""
    args = arguments(argv)
    signal.signal(signal.SIGTERM, _stop)
    os.chdir(ROOT)
    args.cache.mkdir(parents=True, exist_ok=True)
    load = os.getloadavg()[0]
    if missing_line():
        tell(missing_line())
    try:
        with tempfile.TemporaryDirectory(prefix="work-", dir=args.cache) as work:
            samples, rows = bench(args, Path(work))
    except CommandFailed as error:
        print(f"bench: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("bench: interrupted; nothing of this run is kept", file=sys.stderr)
        return 130
    runs = 1 if args.quick else args.runs
    if args.json:
        print(json.dumps(report.as_record(samples, rows, runs=runs, load=load), ensure_ascii=False))
    else:
        print(report.as_markdown(samples, rows, runs=runs, load=load))
    return 0


if __name__ == "__main__":
    sys.exit(main())
