"""Neighbouring tools on the same machine in the same run (README, "Peers").

datasketch and rensa work on the same paragraphs of the Risale (or of our own planted text), one of each exact
class, as folded words; rapidfuzz and difflib make edit scripts of the pairs of 400-token passages. They are
installed, in pinned versions, into an environment under the cache: nothing of the project needs them.
"""

from __future__ import annotations

import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from bench.process import CommandFailed, Usage, measured
from evaluation import planted, risale
from evaluation.corpora import Tell, built, corpora
from evaluation.entries import Entry
from evaluation.figures import Figure
from evaluation.passages import Passages
from evaluation.words import words

PINNED = ("datasketch==2.0.0", "rensa==0.5.0", "rapidfuzz==3.14.6", "numpy==2.4.6", "scipy==1.17.1")
RUN = Path(__file__).with_name("peer_run.py")
TOKENS, CHANGED_PERCENT, PAIRS = 400, 15, 200
#: The classes of the silver pairs that a tool for whole paragraphs can be asked for, and the others.
ASKED = ("near", "punct_case", "variant", "contained", "partial")


def environment(cache: Path, tell: Tell) -> Path:
    """The peers' Python, made once.

    Raises:
        CommandFailed: a peer does not install here.
    """
    place = cache / "peers-venv"
    python = place / "bin" / "python"
    done = place / "installed"
    if not done.exists():
        tell("peers: installing")
        subprocess.run([sys.executable, "-m", "venv", str(place)], check=True)
        command = [str(python), "-m", "pip", "install", "--disable-pip-version-check", "--quiet"]
        measured([*command, "--only-binary", ":all:", *PINNED])
        done.touch()
    return python


def figures(cache: Path, tell: Tell) -> list[Figure]:
    """Time, memory and recall of each; none, with one line, where they do not install."""
    try:
        python = environment(cache, tell)
    except CommandFailed as error:
        tell(f"peers: left out, they do not install here: {str(error).splitlines()[0]}")
        return []
    found = _paragraphs(python, cache, tell)
    with tempfile.TemporaryDirectory(dir=cache) as work:
        source = Path(work) / "pairs.jsonl"
        source.write_text("".join(json.dumps(pair) + "\n" for pair in token_pairs()), encoding="utf-8")
        for name in ("rapidfuzz", "difflib"):
            tell(f"peers: {name}")
            told, _ = _run(python, name, source)
            what = f"edit scripts of {TOKENS}-token passages"
            found.append(Figure(f"peer {name}", what, number=told["rate"], unit="a second"))
            found.append(Figure(f"peer {name}", "operations that are not equal", number=told["operations"]))
    return found


def _paragraphs(python: Path, cache: Path, tell: Tell) -> list[Figure]:
    known = {corpus.name: corpus for corpus in corpora(cache)}
    corpus = known.get("risale") or known["own-en-300k"]
    packages = built(corpus, cache, tell)
    passages = packages.passages()
    numbers = [n for n, first in enumerate(passages.representative) if n == first]
    found: list[Figure] = []
    with tempfile.TemporaryDirectory(dir=cache) as work:
        source, target = Path(work) / "paragraphs.jsonl", Path(work) / "pairs.jsonl"
        with source.open("w", encoding="utf-8") as file:
            for number in numbers:
                low, high = passages.extent(number)
                file.write(json.dumps(words(passages.text[low:high].decode(), corpus.language)) + "\n")
        for name in ("datasketch", "rensa"):
            tell(f"peers: {name}")
            told, usage = _run(python, name, source, target)
            label = f"peer {name} on {corpus.name}"
            lines = target.read_text().splitlines()
            entries = entries_of([json.loads(line) for line in lines], numbers, passages)
            found.append(Figure(label, "CPU, reading left out", number=told["seconds"], unit="s"))
            found.append(Figure(label, "peak memory", number=usage.peak / 10**6, unit="MB"))
            found.append(Figure(label, "entries", number=len(entries)))
            if corpus.name == "risale":
                scored = risale.score(label, corpus.gold, passages, entries)
                found += [
                    replace(f, target=None) for f in scored if f.what in ASKED and f.queue == risale.QUEUE
                ]
            else:
                scored = planted.score(label, corpus.gold, passages, entries)
                found += [
                    replace(f, target=None)
                    for f in scored
                    if f.queue is None and f.target is not None and f.of
                ]
    return found


def entries_of(pairs: Sequence[Sequence[int]], numbers: Sequence[int], passages: Passages) -> list[Entry]:
    """Pairs of paragraphs as entries; each side is the whole paragraph."""
    return [
        Entry(rank, (passages.extent(numbers[a]), passages.extent(numbers[b])))
        for rank, (a, b) in enumerate(pairs, start=1)
    ]


def token_pairs() -> list[tuple[list[int], list[int]]]:
    """Pairs of passages as numbers of tokens, with a share of them replaced, dropped or added."""
    source = random.Random("token pairs")

    def token() -> int:
        # Few tokens are frequent and many are rare, as in a language.
        return int(3000 * source.random() ** 3)

    pairs = []
    for _ in range(PAIRS):
        left = [token() for _ in range(TOKENS)]
        right: list[int] = []
        for one in left:
            kind = source.random() * 100
            if kind < CHANGED_PERCENT / 3:
                continue
            right += [token()] if kind < 2 * CHANGED_PERCENT / 3 else [one]
            right += [token()] if kind > 100 - CHANGED_PERCENT / 3 else []
        pairs.append((left, right))
    return pairs


def _run(python: Path, name: str, *paths: Path) -> tuple[dict[str, Any], Usage]:
    usage = measured([str(python), str(RUN), name, *map(str, paths)])
    told: dict[str, Any] = json.loads(usage.output.rstrip().rpartition("\n")[2])
    return told, usage
