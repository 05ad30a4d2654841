"""`make eval`: recall, strays, ends and queue lengths of candidates on every gold set, beside their targets.

python -m evaluation [--only PART]... [--corpus NAME]... [--python PATH] [--largest 1|3|10]
python -m evaluation --candidates FILE.jsonl --corpus NAME [--release DIR --artifact DIR]
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from bench.corpora import ROOT
from bench.process import CommandFailed
from evaluation import kjv, peers, planted, quran, risale, speed
from evaluation.corpora import Built, Corpus, built, corpora, shared_corpora
from evaluation.entries import Entry, read_entries
from evaluation.figures import Figure, summary, table
from evaluation.generate import Generated, bounds_of, can_generate, compile_loops, generate
from evaluation.passages import EvaluationError, Passages

SCORERS: dict[str, Callable[[str, Path, Passages, Sequence[Entry]], list[Figure]]] = {
    "planted": planted.score,
    "risale": risale.score,
    "quran": quran.score,
    "kjv": kjv.score,
}
PEERS, SPEED = "peers", "speed"
PARTS = (*SCORERS, PEERS, SPEED)


def arguments(argv: list[str] | None = None) -> argparse.Namespace:
    """The arguments; an unknown part or corpus is refused with those that are known."""
    parser = argparse.ArgumentParser(prog="python -m evaluation", description=__doc__.splitlines()[0])
    parser.add_argument("--only", action="append", default=[], choices=PARTS, help="one part of it")
    parser.add_argument(
        "--corpus", action="append", default=[], metavar="NAME", help="one corpus of the parts"
    )
    parser.add_argument("--candidates", type=Path, metavar="FILE", help="score this list; makes none")
    parser.add_argument("--release", type=Path, metavar="DIR", help="with --candidates: the packages to use")
    parser.add_argument("--artifact", type=Path, metavar="DIR")
    parser.add_argument("--python", default=sys.executable, metavar="PATH", help="whose tekrar generates")
    parser.add_argument(
        "--largest", type=int, default=3, choices=(1, 3, 10), help="speed: million words of the largest text"
    )
    parser.add_argument("--out", type=Path, metavar="FILE", help="write all figures as JSON")
    parser.add_argument("--cache", type=Path, default=ROOT / "eval-out", metavar="FOLDER")
    args = parser.parse_args(argv)
    known = [corpus.name for corpus in corpora(args.cache)]
    for name in args.corpus:
        if name not in known:
            parser.error(f"no corpus {name!r}; there are {', '.join(known)}")
    if args.candidates and len(args.corpus) != 1:
        parser.error("--candidates takes one --corpus: the one that the list is of")
    if (args.release is None) != (args.artifact is None):
        parser.error("--release and --artifact go together")
    return args


def tell(message: str) -> None:
    """Progress on stderr."""
    print(f"{time.strftime('%H:%M:%S')} {message}", file=sys.stderr, flush=True)


def chosen(args: argparse.Namespace) -> list[Corpus]:
    """The corpora of this run."""
    found = [corpus for corpus in corpora(args.cache) if not args.only or corpus.part in args.only]
    return [corpus for corpus in found if not args.corpus or corpus.name in args.corpus]


def evaluate(args: argparse.Namespace) -> tuple[list[Figure], dict[str, Any]]:
    """Score every chosen corpus; the figures, and the bounds reports by corpus."""
    figures: list[Figure] = []
    bounds: dict[str, Any] = {}
    timed: dict[str, Generated] = {}
    generator = args.candidates is not None or can_generate(args.python)
    if not generator and set(args.only) != {PEERS}:
        tell("this tekrar has no generator yet: every list is taken as empty (only exact classes count)")
    if generator and args.candidates is None:
        tell("inner loops of the generator: compiled before anything is measured")
        compile_loops(args.python)
    for corpus in chosen(args):
        if args.release is not None:
            packages = Built(corpus, args.release, args.artifact)
        else:
            packages = built(corpus, args.cache, tell)
        passages = packages.passages()
        made = None
        if args.candidates is not None:
            made = Generated(args.candidates, None, bounds_of(args.candidates))
        elif generator:
            tell(f"{corpus.name}: candidates")
            made = timed[corpus.name] = generate(packages, args.cache, python=args.python)
        tell(f"{corpus.name}: scoring")
        entries = read_entries(made.path, passages) if made else []
        figures += SCORERS[corpus.part](corpus.name, corpus.gold, passages, entries)
        if made is not None and made.bounds is not None:
            bounds[corpus.name] = made.bounds
    if args.candidates is None:
        figures += speed.figures_of(timed)
        if not args.corpus and (not args.only or SPEED in args.only) and generator:
            figures += speed.growth(args, tell)
        if PEERS in args.only or not (args.only or args.corpus):
            figures += peers.figures(args.cache, tell)
    return figures, bounds


def main(argv: list[str] | None = None) -> int:
    """Score and print; 0 unless an input or a command failed, whatever the figures are."""
    args = arguments(argv)
    os.chdir(ROOT)
    args.cache.mkdir(parents=True, exist_ok=True)
    if shared_corpora() is None:
        tell("no shared corpora: only corpora planted into a model of the demo's text are scored")
    try:
        figures, bounds = evaluate(args)
    except (CommandFailed, EvaluationError) as error:
        print(f"evaluation: {error}", file=sys.stderr)
        return 1
    print(table(figures))
    for name, report in bounds.items():
        print(f"\nBounds, {name}: {json.dumps(report, ensure_ascii=False, sort_keys=True)}")
    print(f"\n{summary(figures)}")
    if args.out is not None:
        record = {"figures": [figure.as_record() for figure in figures], "bounds": bounds}
        args.out.write_text(json.dumps(record, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
