"""Diffs of random pairs of the corpora: replay and verification of every one, rates beside difflib's.

python -m bench.diffs [--pairs N] [--seed N] [FILE.jsonl.gz ...]

Without files: the King James Version of the demo, and what lies in ../shared/corpora. Two kinds of pair:
passages of the corpora taken at random, and passages of 400 words with every 20th word or so changed. Rates
are of one process, medians of rounds of CPU time; every round draws new passages and gives them to all in
turn. tekrar begins with bytes and cuts them; difflib and rapidfuzz (where installed) get words that are cut
already, autojunk off, and their answer is not replayed. With --share another share of the words is changed.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import importlib
import json
import random
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import Any

from tekrar.core.diff import Script, Units, diff, replay, units_of, verify
from tekrar.core.diff.script import EQUAL
from tekrar.demo.kjv import installed_module, read_bible, records

SHARED = Path(__file__).parents[2] / "shared" / "corpora"
LENGTH = 400
SIZE = 100_000
ROUNDS, PAIRS = 5, 100
WHOLE = "made, replayed, derived again"


def texts_of(file: Path) -> list[str]:
    """Paragraph texts of a corpus of JSON lines."""
    data = file.read_bytes()
    lines = (gzip.decompress(data) if file.suffix == ".gz" else data).splitlines()
    found = [json.loads(line) for line in lines]
    return [row["text"] for row in found if row.get("text")]


def corpora(files: Sequence[Path]) -> dict[str, list[str]]:
    """Paragraphs by corpus."""
    if not files:
        files = sorted(SHARED.glob("*/*.jsonl.gz"))
    found = {"kjv of the demo": [row["text"] for row in records(read_bible(installed_module()))]}
    return found | {file.name.split(".")[0]: texts for file in files if (texts := texts_of(file))}


def random_pairs(texts: Sequence[str], pick: random.Random) -> Iterator[tuple[str, str]]:
    """Paragraphs at random: neighbours, strangers, changed copies, turned halves, empty ones."""
    while True:
        at = pick.randrange(len(texts))
        left = texts[at][:4000]
        way = pick.randrange(6)
        if way == 0:
            right = texts[pick.randrange(len(texts))][:4000]
        elif way == 1:
            right = texts[min(at + 1, len(texts) - 1)][:4000]
        elif way == 2:
            right = changed(left, pick)
        elif way == 3:
            cut = pick.randrange(len(left) + 1)
            right = left[cut:] + " " + left[:cut]
        elif way == 4:
            right = left[pick.randrange(len(left) + 1) :]
        else:
            right = pick.choice(["", left, left.upper(), left.replace(" ", "\u00a0")])
        yield left, right


def changed(text: str, pick: random.Random, share: float = 0.05) -> str:
    """A share of the words left out, put in twice or replaced by another of the text."""
    words = text.split(" ")
    found: list[str] = []
    for word in words:
        way = pick.randrange(3) if pick.random() < share else 3
        found += [[], [word, pick.choice(words)], [pick.choice(words)], [word]][way]
    return " ".join(found)


def long_pairs(texts: Sequence[str], pick: random.Random, count: int, share: float) -> list[tuple[str, str]]:
    """Near pairs of passages of `LENGTH` words."""
    words = " ".join(texts).split(" ")
    if len(words) <= LENGTH:
        return []
    starts = [pick.randrange(len(words) - LENGTH) for _ in range(count)]
    lefts = [" ".join(words[at : at + LENGTH]) for at in starts]
    return [(left, changed(left, pick, share)) for left in lefts]


def cut(pairs: Sequence[tuple[bytes, bytes]]) -> list[tuple[Units, Units]]:
    """The pairs in units."""
    return [(units_of(left), units_of(right)) for left, right in pairs]


def proved(pairs: Sequence[tuple[bytes, bytes]], scripts: Sequence[Script]) -> int:
    """Cut and verify scripts that are there already, which replays and derives once."""
    for (a, b), script in zip(pairs, scripts, strict=True):
        verify(script, units_of(a), units_of(b))
    return len(pairs)


def replayed(pairs: Sequence[tuple[bytes, bytes]]) -> int:
    """Cut, derive and replay; the number of pairs."""
    for a, b in pairs:
        left, right = units_of(a), units_of(b)
        if replay(diff(left, right), left, right) != right.witness():
            raise AssertionError((a, b))
    return len(pairs)


def checked(pairs: Sequence[tuple[bytes, bytes]]) -> int:
    """Cut, derive and verify, which replays and derives again; the number of unequal operations."""
    count = 0
    for a, b in pairs:
        left, right = units_of(a), units_of(b)
        script = diff(left, right)
        verify(script, left, right)
        count += sum(operation[0] != EQUAL for operation in script.operations)
    return count


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """CPU seconds and the answer."""
    began = time.process_time()
    answer = work()
    return time.process_time() - began, answer


def by_difflib(pairs: Sequence[tuple[Units, Units]]) -> int:
    """Operations of difflib over words that are not equal."""
    matchers = (difflib.SequenceMatcher(None, a.solid_key, b.solid_key, autojunk=False) for a, b in pairs)
    return sum(sum(code[0] != "equal" for code in one.get_opcodes()) for one in matchers)


def by_rapidfuzz(pairs: Sequence[tuple[Units, Units]]) -> int:
    """The same of rapidfuzz's Indel, where it is installed."""
    indel = importlib.import_module("rapidfuzz.distance").Indel
    return sum(sum(c.tag != "equal" for c in indel.opcodes(a.solid_key, b.solid_key)) for a, b in pairs)


def report_long(name: str, texts: Sequence[str], pick: random.Random, *, share: float) -> float:
    """Print and give the rates of near pairs of 400 words: of tekrar's whole way, in pairs a second."""
    rates: dict[str, list[float]] = {}
    operations: dict[str, int] = {}
    for _ in range(ROUNDS):
        drawn = long_pairs(texts, pick, PAIRS, share)
        pairs = [(left.encode(), right.encode()) for left, right in drawn]
        if not pairs:
            return 0.0
        units = cut(pairs)
        ways: dict[str, Callable[[], int]] = {
            WHOLE: partial(checked, pairs),
            "verified": partial(proved, pairs, [diff(*both) for both in units]),
            "made and replayed": partial(replayed, pairs),
            "difflib": partial(by_difflib, units),
            "rapidfuzz": partial(by_rapidfuzz, units),
        }
        for way, work in ways.items():
            try:
                spent, found = timed(work)
            except ImportError:
                continue
            rates.setdefault(way, []).append(len(pairs) / spent)
            operations[way] = operations.get(way, 0) + found
    shown = ", ".join(f"{way} {statistics.median(values):,.0f}" for way, values in rates.items())
    ratio = operations[WHOLE] / max(operations["difflib"], 1)
    print(f"{name:<24} {shown}; operations {ratio:.2f} of difflib's")
    return statistics.median(rates[WHOLE])


def report_large(texts: Sequence[str], pick: random.Random) -> None:
    """Two nearly equal passages of 100 kB."""
    left = " ".join(texts).encode()[:SIZE].decode(errors="ignore")
    pair = (left.encode(), changed(left, pick, 0.01).encode())
    spent, [units] = timed(lambda: cut([pair]))
    made, _ = timed(lambda: diff(*units))
    full, _ = timed(lambda: checked([pair]))
    print(f"100 kB, 1 % changed: units {spent:.2f} s, diff {made:.2f} s, all and verified {full:.2f} s")


def main() -> None:
    """Print the rates, then replay the random pairs."""
    parser = argparse.ArgumentParser(prog="python -m bench.diffs", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--pairs", type=int, default=100_000, metavar="N", help="random pairs (default 100000)"
    )
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--share", type=float, default=0.05, help="of words changed (default 0.05)")
    args = parser.parse_args()
    pick = random.Random(args.seed)
    found = corpora(args.files)
    cut([(text.encode(), b"") for texts in found.values() for text in texts[:50]])  # tables are read once
    rates = [report_long(name, texts, pick, share=args.share) for name, texts in found.items()]
    print(f"all corpora: median {statistics.median(rates):,.0f} a second, {WHOLE}")
    report_large(found["kjv of the demo"], pick)
    each = -(-args.pairs // len(found))
    began, done = time.process_time(), 0
    for texts in found.values():
        pairs = random_pairs(texts, pick)
        for _ in range(min(each, args.pairs - done)):
            left, right = next(pairs)
            checked([(left.encode(), right.encode())])
            done += 1
    print(
        f"{done:,} random pairs of {len(found)} corpora replayed and verified, "
        f"{time.process_time() - began:.0f} CPU s"
    )


if __name__ == "__main__":
    main()
