"""Diffs of random pairs of the corpora: replay and verification of every one, rates beside difflib's.

python -m bench.diffs [--pairs N] [--seed N] [FILE.jsonl.gz ...]

Without files: the King James Version of the demo, and what lies in ../shared/corpora. Two kinds of pair:
passages of the corpora taken at random, and passages of 400 words with every 20th word or so changed. Rates
are of one process; difflib gets words only, its autojunk off, and its answer is not replayed.
"""

from __future__ import annotations

import argparse
import difflib
import gzip
import importlib
import json
import random
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from tekrar.core.diff import Units, diff, replay, units_of, verify
from tekrar.core.diff.script import EQUAL
from tekrar.demo.kjv import installed_module, read_bible, records

SHARED = Path(__file__).parents[2] / "shared" / "corpora"
LENGTH = 400
SIZE = 100_000


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


def long_pairs(texts: Sequence[str], pick: random.Random, count: int) -> list[tuple[str, str]]:
    """Near pairs of passages of `LENGTH` words."""
    words = " ".join(texts).split(" ")
    if len(words) <= LENGTH:
        return []
    starts = [pick.randrange(len(words) - LENGTH) for _ in range(count)]
    lefts = [" ".join(words[at : at + LENGTH]) for at in starts]
    return [(left, changed(left, pick)) for left in lefts]


def replayed(pairs: Sequence[tuple[Units, Units]]) -> None:
    """Derive and replay."""
    for left, right in pairs:
        if replay(diff(left, right), left, right) != right.witness():
            raise AssertionError((left.text, right.text))


def checked(pairs: Sequence[tuple[Units, Units]]) -> int:
    """Derive and verify, which replays and derives again; the number of operations that are not equal."""
    count = 0
    for left, right in pairs:
        script = diff(left, right)
        verify(script, left, right)
        count += sum(operation[0] != EQUAL for operation in script.operations)
    return count


def timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Least CPU seconds of three rounds, and the answer."""
    best, answer = float("inf"), None
    for _ in range(3):
        began = time.process_time()
        answer = work()
        best = min(best, time.process_time() - began)
    return best, answer


def by_difflib(pairs: Sequence[tuple[Units, Units]]) -> int:
    """Operations of difflib over words that are not equal."""
    matchers = (difflib.SequenceMatcher(None, a.solid_key, b.solid_key, autojunk=False) for a, b in pairs)
    return sum(sum(code[0] != "equal" for code in one.get_opcodes()) for one in matchers)


def by_rapidfuzz(pairs: Sequence[tuple[Units, Units]]) -> int:
    """The same of rapidfuzz's Indel, where it is installed."""
    indel = importlib.import_module("rapidfuzz.distance").Indel
    return sum(sum(c.tag != "equal" for c in indel.opcodes(a.solid_key, b.solid_key)) for a, b in pairs)


def report_long(name: str, texts: Sequence[str], pick: random.Random) -> None:
    """Rates of near pairs of 400 words."""
    pairs = long_pairs(texts, pick, 100)
    if not pairs:
        return
    spent, units = timed(lambda: [(units_of(a.encode()), units_of(b.encode())) for a, b in pairs])
    made, _ = timed(lambda: replayed(units))
    full, ours = timed(lambda: checked(units))
    peer, theirs = timed(lambda: by_difflib(units))
    rate = {
        "diffs/s with replay": len(pairs) / made,
        "verified and derived again": len(pairs) / full,
        "and cutting into units": len(pairs) / (full + spent),
        "difflib": len(pairs) / peer,
    }
    try:
        quick, fewest = timed(lambda: by_rapidfuzz(units))
        rate[f"rapidfuzz ({fewest} operations)"] = len(pairs) / quick
    except ImportError:
        pass
    shown = ", ".join(f"{what} {value:,.0f}" for what, value in rate.items())
    print(f"{name:<24} {shown}; operations {ours} to difflib's {theirs}: {ours / max(theirs, 1):.2f}")


def report_large(texts: Sequence[str], pick: random.Random) -> None:
    """Two nearly equal passages of 100 kB."""
    left = " ".join(texts).encode()[:SIZE].decode(errors="ignore")
    right = changed(left, pick, 0.01)
    spent, units = timed(lambda: (units_of(left.encode()), units_of(right.encode())))
    made, _ = timed(lambda: diff(*units))
    full, _ = timed(lambda: checked([units]))
    print(
        f"100 kB, 1 % changed: units {spent:.2f} s, diff {made:.2f} s, "
        f"verified and derived again {full:.2f} s"
    )


def main() -> None:
    """Print the rates, then replay the random pairs."""
    parser = argparse.ArgumentParser(prog="python -m bench.diffs", description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument(
        "--pairs", type=int, default=100_000, metavar="N", help="random pairs (default 100000)"
    )
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    pick = random.Random(args.seed)
    found = corpora(args.files)
    for name, texts in found.items():
        report_long(name, texts, pick)
    report_large(found["kjv of the demo"], pick)
    each = -(-args.pairs // len(found))
    began, done = time.process_time(), 0
    for texts in found.values():
        pairs = random_pairs(texts, pick)
        for _ in range(min(each, args.pairs - done)):
            left, right = next(pairs)
            checked([(units_of(left.encode()), units_of(right.encode()))])
            done += 1
    print(
        f"{done:,} random pairs of {len(found)} corpora replayed and verified, "
        f"{time.process_time() - began:.0f} CPU s"
    )


if __name__ == "__main__":
    main()
